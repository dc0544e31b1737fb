"""`evaluate`: what sampling methods do for learners, by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

from lsdmlo_cli.analysis import OF_LEARNING, Settings
from lsdmlo_cli.checks import check_whole
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.errors import listed
from lsdmlo_cli.evaluation.cautions import OF_WEIGHTS, refuse_nothing, warnings_of
from lsdmlo_cli.evaluation.experiment import experiment
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.request import Request
from lsdmlo_cli.evaluation.results import results, timings
from lsdmlo_cli.evaluation.shown import COLUMNS
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.evaluation.tables import asked, refuse_loss, write_results
from lsdmlo_cli.frames import Columns, TabularReport, columns_of
from lsdmlo_cli.functions.data import (
    DataOptions,
    LearningOptions,
    ProgressOptions,
    Reading,
    part,
    refuse_unknown,
    settings_of,
)
from lsdmlo_cli.progress import silent

OF_REQUEST = tuple(field.name for field in fields(Request) if field.name not in ("settings", "given", "typed"))


class EvaluateOptions(DataOptions, LearningOptions, ProgressOptions, total=False):
    """The options of `evaluate`, beside those of data, of learning and of progress: those of the command.

    methods: a text as on the command line, or a list of names, samplers and estimators, None among them for no sampling.
    learners: the same of names, paths and objects: estimators of scikit-learn and scikit-multilearn, or our own. against: one of
    the methods. cv: "5x2", or (5, 2). metrics, tune, tune_metric, inner, budget, p, rules, ties, undefined, threshold, seed: as
    on the command line. out: a folder that keeps the results, None for none; overwrite: whether other results there may be lost.
    jobs: processes, which change no result; with 2 or more a script must call it under `if __name__ == "__main__":`. cluster: in
    their place, the address of a Dask scheduler, a Client of it, or "local:2" for two processes.
    """

    methods: Any
    learners: Any
    against: Any
    cv: Any
    seed: int
    p: Any
    tune: bool
    metrics: str | Iterable[str] | None
    tune_metric: str | None
    inner: int | None
    budget: int | None
    rules: str | None
    ties: str | None
    undefined: str | None
    threshold: str
    out: Any
    overwrite: bool
    jobs: int
    cluster: Any


class Evaluation(TabularReport):
    """What an experiment found: what `lsdmlo evaluate` writes into results.json. warnings: what must be said beside it.

    Tables: `folds`, one row a data set, method, learner, repeat, fold and metric; `results`, one row a data set, learner, metric
    and method, as in results.csv; `comparison`, one row a learner, metric and method over all data sets.
    """

    warnings: tuple[str, ...] = ()

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {
            "folds": lambda: columns_of(list(self._folds()), ("set", "method", "learner", "repeat", "fold", "metric", "value")),
            "results": lambda: columns_of(self["results"], COLUMNS),
            "comparison": lambda: columns_of(
                list(self._comparison()), ("learner", "metric", "method", "average_rank", "wins", "losses")
            ),
        }

    def _folds(self) -> Iterator[dict[str, Any]]:
        folds = int(self["experiment"]["cv"].partition("x")[2])
        for row in self["results"]:
            where = {"set": row["data"], "method": row["method"], "learner": row["learner"], "metric": row["metric"]}
            for place, value in enumerate(row["values"]):
                yield {**where, "repeat": place // folds + 1, "fold": place % folds + 1, "value": value}

    def _comparison(self) -> Iterator[dict[str, Any]]:
        for compared in self["comparison"]:
            for method in self["experiment"]["methods"]:
                figures = {name: (compared[name] or {}).get(method) for name in ("average_rank", "wins", "losses")}
                yield {"learner": compared["learner"], "metric": compared["metric"], "method": method, **figures}

    def lines(self) -> Iterable[str]:
        plan = self["experiment"]
        names = listed([one["name"] for one in self["datasets"]])
        yield f"{names}: {listed(list(plan['methods']))}; {listed(list(plan['learners']))}; {plan['cv']}"
        yield from self["summary"]
        yield from (f"warning: {warning}" for warning in self.warnings)


def evaluate(X: Any, Y: Any = None, settings: Settings | None = None, **options: Unpack[EvaluateOptions]) -> Evaluation:
    """Compare methods: resample the training rows, train learners on the result, score them on the test rows.

    X: features with labels Y, as `fit_resample` takes them; or the path of a file, a Dataset, or a list of paths; or a dictionary
    of several data sets by name, each a pair (X, Y), a path or a Dataset. options: see EvaluateOptions. The figures are those of
    `lsdmlo evaluate`. Errors: LsdmloError; DataError where every result failed.
    """
    given: dict[str, Any] = dict(options)
    of_data = tuple(field.name for field in fields(Reading))
    further = ("out", "overwrite", "jobs", "cluster", "verbose", "progress")
    refuse_unknown("evaluate", given, (*OF_REQUEST, *of_data, *OF_LEARNING, *further))
    named = tuple(name for name in OF_LEARNING if name in given)
    plan = Request(**part(given, OF_REQUEST), settings=settings_of(settings, given), given=named).plan()
    sources = list(_sources(Reading(**part(given, of_data)), X, Y))
    with spoken(given.get("verbose", 0), listed([one.path for one in sources]), given.get("progress", silent)) as progress:
        found = _evaluated(plan, sources, given, progress)
    found.warnings = (*plan.warnings, *found.warnings)
    return found


def _evaluated(plan: Plan, sources: list[DataSource], given: Mapping[str, Any], progress: Any) -> Evaluation:
    """The results, which are written where a folder is given for them."""
    out, overwrite, jobs = given.get("out"), given.get("overwrite", False), check_whole("jobs", given.get("jobs", 1), 1)
    if out is not None and not overwrite:
        refuse_loss(Path(out), asked(plan, [one.name for one in sources]))
    with kept_in(out) as cells:
        found = experiment(plan, sources, cells, jobs=jobs, cluster=given.get("cluster"), progress=progress)
    report = Evaluation(results(plan, found))
    if out is not None:
        write_results(Path(out), report, timings(plan, found), overwrite=overwrite)
    refuse_nothing(report, found, f": {report['errors'][0]['error']}" if report["errors"] else "")
    report.warnings = tuple(warnings_of(report, found, [name for name in OF_WEIGHTS if name in given]))
    return report


@contextmanager
def kept_in(out: Any) -> Iterator[Path]:
    """The folder of what is found on the way: below `out`, or one that is removed in the end."""
    if out is not None:
        yield Path(out) / "cells"
        return
    with TemporaryDirectory(prefix="lsdmlo-") as folder:
        yield Path(folder)


def _sources(reading: Reading, X: Any, Y: Any) -> Iterator[DataSource]:
    if isinstance(X, Mapping):
        for name, data in X.items():
            features, targets = data if isinstance(data, tuple) else (data, None)
            yield reading.source(features, targets, name=str(name))
    elif Y is None and isinstance(X, list | tuple):
        yield from (reading.source(path) for path in X)
    else:
        yield reading.source(X, Y)
