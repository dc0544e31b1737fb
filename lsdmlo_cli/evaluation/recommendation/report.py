"""A recommendation for readers: the report, and a table with an answer and a command to run.

    candidate                      gain            inner folds
    lsdmlo-pos:p=0.3               +0.031 ± 0.006  42
    base                           0               66

The gains in the table are those by which candidates were chosen: the best of many looks better than it is. The gain under it is
that of the choice on test rows that no choice has seen.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsdmlo_cli import __version__
from lsdmlo_cli.display.table import Column, Document, Lines, Record, Report, Table, View, cells
from lsdmlo_cli.evaluation.learners import described, title
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Method, Plan
from lsdmlo_cli.evaluation.recommendation import Recommendation
from lsdmlo_cli.evaluation.recommendation.answer import Gain
from lsdmlo_cli.evaluation.recommendation.budget import FEWEST_FOLDS
from lsdmlo_cli.evaluation.recommendation.nested import ALL_ROWS, Part
from lsdmlo_cli.evaluation.versions import plugin_digests, source_digest, versions_for
from lsdmlo_cli.folders import counted
from lsdmlo_cli.formats import stem
from lsdmlo_cli.report import parameters

SCHEMA = 1
WORTH = {
    "rows_over_none": ("the best with rows", "the best without rows"),
    "rows_over_base": ("the best with rows", "base"),
    "none_over_base": ("the best without rows", "base"),
}
"""The gains on test rows: what is better than what."""
TOO_FEW = "too few to show that rows help; a larger --budget uses more folds and more rows"


def report(plan: Plan, found: Recommendation, path: str | None, typed: Mapping[str, Any]) -> Report:
    """What recommendation.json holds: no clock is in it.

    path: of the file; None: arrays, whose rows a call makes, not a command. typed: options that `lsdmlo resample` needs too, or
    the estimator.
    """
    answer, learner = found.answer, plan.learners[0]
    used = (*(method.sampler for method in plan.methods), learner)
    return {
        "lsdmlo": __version__,
        "schema": SCHEMA,
        "report": "recommend",
        "answer": sentence(found),
        "command": (call if path is None else partial(command, path))(answer.recommended.method, typed),
        "recommended": answer.recommended.described(),
        "dataset": {**dataclasses.asdict(found.about), "warnings": list(found.about.warnings), "rows_used": found.rows},
        "learner": {"title": title(learner), "parameters": described(learner)},
        "metric": answer.metric,
        "higher_is_better": METRICS[answer.metric].higher_is_better,
        "seed": plan.seed,
        "settings": plan.measured_settings,
        "outer_folds": len(answer.outer),
        "gains": {
            "rows_over_none": dataclasses.asdict(answer.rows_over_none),
            "none_over_base": dataclasses.asdict(answer.none_over_plain),
            "rows_over_base": dataclasses.asdict(answer.rows_over_plain),
        },
        "candidates": [
            {**one.described(), "gain": dataclasses.asdict(answer.over_plain(one)), "inner_folds": answer.inner_folds(one)}
            for one in answer.candidates
        ],
        "choices": [_choice(part) for part in answer.parts],
        "errors": [{"candidate": one.title, "error": error} for one, error in answer.errors.items()],
        "source": source_digest(),
        "libraries": versions_for(*used),
        **plugin_digests(*used, *METRICS.values()),
    }


def sentence(found: Recommendation) -> str:
    """The answer in a sentence."""
    answer = found.answer
    chosen, folds = answer.recommended, counted(answer.rows_over_none.count, "test fold")
    if chosen.samples:
        return (
            f"use rows: {chosen.title}; the best with rows is better than the best without by {answer.rows_over_none} on {folds}"
        )
    if chosen.remedies:
        return f"use no rows: {', '.join(chosen.remedies)}, better than base by {answer.none_over_plain} on {folds}"
    if len(answer.outer) < FEWEST_FOLDS:
        return f"use no rows: the budget was enough for {counted(len(answer.outer), 'test fold')}, {TOO_FEW}"
    if answer.rows_over_none.count < FEWEST_FOLDS:
        undefined = f"the metric has a value on {answer.rows_over_none.count} of {counted(len(answer.outer), 'test fold')}"
        return f"use no rows: {undefined}, {TOO_FEW}"
    best = f"the best with rows was by {answer.rows_over_none} on {folds}"
    return f"use no rows: nothing is better than base by more than its error; {best}"


def command(path: str, method: Method, typed: Mapping[str, Any]) -> str | None:
    """The command line that makes the rows, None where there are none to make.

    >>> from lsdmlo_cli.evaluation.method_spec import spec
    >>> command("my data.arff", spec("mlsmote:strategy=union:p=0.3").method(), {"--scale": "std"})
    "lsdmlo resample 'my data.arff' 'my data-resampled.arff' --method mlsmote --strategy union --p 0.3 --scale std"
    """
    if method.sampler is None:
        return None
    own = {f"--{name.replace('_', '-')}": getattr(method.sampler, name) for name in method.fixed}
    out = f"{Path(stem(path)).name}-resampled.arff"
    words = ["lsdmlo", "resample", path, out, "--method", method.name]
    for name, value in {**own, **typed}.items():
        words += [name] if value is True else [name, str(value)]
    return shlex.join(words)


def call(method: Method, typed: Mapping[str, Any]) -> str | None:
    """The call of Python that makes the rows, None where there are none to make.

    >>> from lsdmlo_cli.evaluation.method_spec import spec
    >>> call(spec("mlsmote:strategy=union:p=0.3").method(), {"scale": "std"})
    "MLSMOTE(p=0.3, strategy='union', scale='std').fit_resample(X, Y)"
    """
    if method.sampler is None:
        return None
    own = {name: value for name, value in parameters(method.sampler).items() if name in method.fixed}
    name = type(method.sampler).__name__.removesuffix("Sampler")
    return f"{name}({', '.join(f'{name}={value!r}' for name, value in {**own, **typed}.items())}).fit_resample(X, Y)"


def document(reports: Sequence[Report], view: View) -> Document:
    """Recommendations as they are shown; the records are the candidates."""
    parts = tuple(part for report in reports for part in _parts(report))
    return Document(parts, tuple(record for report in reports for record in _records(report)))


def _parts(report: Report) -> Iterator[Table | Lines]:
    """What was compared, the candidates, the gains on test rows, and the answer with the command."""
    how = f"{report['learner']['title']}, {METRICS[report['metric']].title}, scale {report['settings']['scale']}"
    yield Lines((f"{report['dataset']['name']}: {measured_on(report['dataset'])}; {how}",))
    yield _candidates(report)
    yield _worth(report)
    yield Lines((answered(report),))
    if report["command"]:
        yield Lines((report["command"],), copied=True)


def measured_on(data: Report) -> str:
    """The size of the data set, and on how many of its rows candidates were measured.

    >>> measured_on({"n": 1200, "rows_used": 600})
    '1,200 rows, measured on 600 of them for want of time'
    """
    some = "" if data["rows_used"] == data["n"] else f", measured on {data['rows_used']:,} of them for want of time"
    return f"{data['n']:,} rows{some}"


def answered(report: Report) -> str:
    """The answer of a report as a sentence.

    >>> answered({"answer": "use no rows: nothing is better"})
    'Use no rows: nothing is better.'
    """
    return f"{report['answer'][0].upper()}{report['answer'][1:]}."


def _worth(report: Report) -> Table:
    """The gains on test rows."""
    rows = (cells(*pair, _gain_text(report["gains"][name])) for name, pair in WORTH.items())
    title = f"What the choice is worth on test rows that it has not seen ({counted(report['outer_folds'], 'fold')})"
    return Table(title, (Column("choice"), Column("better than"), Column("by")), tuple(rows))


def ordered(report: Report) -> list[Report]:
    """The candidates, the best first."""
    return sorted(report["candidates"], key=lambda one: -(one["gain"]["mean"] or 0.0))


def _candidates(report: Report) -> Table:
    columns = (Column("candidate"), Column("better than base by"), Column("inner folds", right=True))
    rows = (
        cells(one["title"], _gain_text(one["gain"]) if one["title"] != "base" else "0", str(one["inner_folds"]))
        for one in ordered(report)
    )
    return Table("", columns, tuple(rows), ("The best of many looks better than it is.",))


def _records(report: Report) -> Iterator[Record]:
    for one in ordered(report):
        gain = {f"gain_{name}": value for name, value in one["gain"].items()}
        yield {"dataset": report["dataset"]["file"], "candidate": one["title"], **gain, "inner_folds": one["inner_folds"]}


def _gain_text(gain: Report) -> str:
    return str(Gain(**gain))


def _choice(part: Part) -> Report:
    """What was chosen on some rows, and what it reached on the test rows of an outer fold."""
    race, reached = part.race, part.reached
    return {
        "outer": None if part.outer == ALL_ROWS else {"repeat": part.outer[0], "fold": part.outer[1]},
        "without_rows": race.without.title,
        "with_rows": None if race.sampled is None else race.sampled.title,
        "winner": race.winner.title,
        "reached": None if reached is None else dataclasses.asdict(reached),
    }
