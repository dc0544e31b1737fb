"""From cells to figures: means over folds, ranks of methods, wins and losses over data sets.

mean, deviation   over the folds of all repeats that have a value (deviation: divisor count - 1)
rank              of the means of one data set, 1 the best, equal means share the mean rank
average rank      over the data sets on which every method has a mean over equally many folds
difference        to the reference on the same folds, with its error and the folds won and lost (differences.py)
wins, losses      other methods from which this one differs at the 5 % level: exact Wilcoxon tests over the data sets' means,
                  adjusted by Bergmann and Hommel
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import product
from statistics import fmean, stdev
from typing import Any

import numpy as np

from lsdmlo_cli import __version__
from lsdmlo_cli.evaluation.differences import of_row, paired, summarised, summary
from lsdmlo_cli.evaluation.experiment import Found, Where
from lsdmlo_cli.evaluation.learners import title
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.statistics import MOST_METHODS, ranks, wins_and_losses
from lsdmlo_cli.evaluation.thresholds import INNER_FOLDS
from lsdmlo_cli.evaluation.tuning import has_grid
from lsdmlo_cli.evaluation.units import Cell
from lsdmlo_cli.evaluation.versions import plugin_digests, source_digest, versions_for
from lsdmlo_cli.folders import counted

SCHEMA = 2
LEVEL = 0.05
FEW_PAIRS = 6
"""Below it twice the error means little: one method of equal ones is ahead in 15 of 100 cases with two pairs, in 5 with six."""
TREE = "decision trees are scikit-learn's with entropy, in place of C4.5"

THRESHOLD_NOTES = {
    "half": "labels are given as each learner gives them (threshold half)",
    "prior": "labels are given to as many test rows as the training rows' share says (threshold prior)",
    "inner": f"labels are given from the score with the best F on {INNER_FOLDS} folds inside the training rows (threshold inner)",
}

Report = dict[str, Any]


def results(plan: Plan, found: Found) -> Report:
    """What results.json holds: a summary, the plan, the data, a row a data set, learner, metric and method, the comparison.

    No clock is in it: the same experiment gives the same bytes, in one run or in several.
    """
    rows = [row for part in _parts(plan, found) for row in _differing(_ranked(part), plan.reference)]
    used = (*(method.sampler for method in plan.methods), *plan.learners)
    report = {
        "lsdmlo": __version__,
        "schema": SCHEMA,
        "source": source_digest(),
        "libraries": versions_for(*used),
        **plugin_digests(*used, *METRICS.values()),
        "experiment": plan.described(),
        "notes": notes(plan, len(found.data)),
        "datasets": [{**dataclasses.asdict(about), "warnings": list(about.warnings)} for about in found.data],
        "results": rows,
        "comparison": [
            _compared(plan, [row for row in rows if (row["learner"], row["metric"]) == (title(learner), metric)])
            for learner, metric in product(plan.learners, plan.metrics)
        ],
        "sampling": [_sampling(cells, data, method) for data, method, cells in _by_method(plan, found)],
        "chosen": [{**where._asdict(), **cell["chosen"]} for where, cell in found.cells.items() if cell["chosen"]],
        "errors": [{**where._asdict(), "error": cell["error"]} for where, cell in found.cells.items() if cell["error"]],
    }
    return {"summary": summary(report), **report}


def timings(plan: Plan, found: Found) -> Report:
    """What timings.json holds: mean seconds of sampling, learning and, where it is done, tuning, a fold."""
    stages = ("sampling", "learning") if plan.tuning is None else ("sampling", "learning", "tuning")
    rows = []
    for data, method, _ in _by_method(plan, found):
        for learner in plan.learners:
            spent = [cell["seconds"] for cell in _cells(plan, found, data, method, title(learner)) if cell["seconds"]]
            seconds = {
                f"{what}_{clock}": fmean(one[what][clock] for one in spent) if spent else None
                for what, clock in product(stages, ("cpu", "wall"))
            }
            rows.append({"data": data, "method": method, "learner": title(learner), "folds": len(spent), **seconds})
    return {"lsdmlo": __version__, "schema": SCHEMA, "seconds": rows}


def notes(plan: Plan, data_sets: int) -> list[str]:
    """What must be said with every result."""
    rules = plan.rules
    row_ties = f", within a row as {rules.row_ties}" if rules.row_ties else ""
    said = [
        f"{counted(plan.repeats, 'repeat')} of {plan.folds} stratified folds, seed {plan.seed}",
        f"equal scores count as {rules.ties}{row_ties}; what is undefined: {rules.undefined}; "
        f"F of an empty label: {rules.empty_f:g}",
        THRESHOLD_NOTES[plan.threshold],
        TREE,
    ]
    if plan.tuning is not None:
        size = "the whole grid" if plan.tuning.budget is None else f"at most {plan.tuning.budget} points of the grid"
        fixed = [method.title for method in plan.methods if not has_grid(method)]
        as_they_are = f"; nothing is tuned of {', '.join(fixed)}" if fixed else ""
        said.append(f"tuned on {plan.tuning.metric} by {plan.tuning.inner} folds inside the training rows, {size}{as_they_are}")
    pairs, what = (data_sets, "data set") if data_sets > 1 else (plan.repeats * plan.folds, "fold")
    if len(plan.methods) > 1 and pairs < FEW_PAIRS:
        said.append(f"differences to {plan.reference} rest on {counted(pairs, what)}: who is ahead may be so by chance")
    said += plan.warnings
    if data_sets >= 2 and _can_test(plan):
        said.append(
            f"(wins/losses) by exact Wilcoxon tests over {data_sets} data sets, adjusted by Bergmann and Hommel, level {LEVEL:g}"
            + ("; with fewer than 6 data sets no difference can be significant" if data_sets < 6 else "")
        )
    return said


def _can_test(plan: Plan) -> bool:
    return 2 <= len(plan.methods) <= MOST_METHODS


def _cells(plan: Plan, found: Found, data: str, method: str, learner: str) -> list[Cell]:
    """A method's cells with a learner, by repeat and fold."""
    return [found.cells[Where(data, *split, method, learner)] for split in plan.splits]


def _by_method(plan: Plan, found: Found) -> Iterator[tuple[str, str, list[Cell]]]:
    """For each data set and method all cells."""
    for about, method in product(found.data, plan.methods):
        cells = [_cells(plan, found, about.name, method.title, title(learner)) for learner in plan.learners]
        yield about.name, method.title, [cell for part in cells for cell in part]


def _sampling(cells: list[Cell], data: str, method: str) -> Report:
    """Rows added and removed a fold, and what the method warned of."""
    done = [cell for cell in cells if cell["error"] is None]
    counts = {name: fmean(cell[name] for cell in done) if done else None for name in ("added", "removed")}
    warnings = dict.fromkeys(warning for cell in done for warning in cell["warnings"])
    return {"data": data, "method": method, **counts, "warnings": list(warnings)}


def _parts(plan: Plan, found: Found) -> Iterator[list[Report]]:
    """For each data set, learner and metric a row a method, without ranks."""
    for about, learner, metric in product(found.data, plan.learners, plan.metrics):
        yield [
            _row(about.name, title(learner), metric, method.title, _cells(plan, found, about.name, method.title, title(learner)))
            for method in plan.methods
        ]


def _row(data: str, learner: str, metric: str, method: str, cells: list[Cell]) -> Report:
    values = [cell["values"].get(metric) for cell in cells]
    known = [value for value in values if value is not None]
    return {
        "data": data,
        "learner": learner,
        "metric": metric,
        "method": method,
        "mean": fmean(known) if known else None,
        "deviation": stdev(known) if len(known) > 1 else None,
        "rank": None,
        "folds": len(known),
        "undefined": sum(cell["undefined"].get(metric, 0) for cell in cells),
        "values": values,
    }


def _ranked(rows: list[Report]) -> list[Report]:
    """The rows with ranks, if all rest on the same number of folds."""
    if len({row["folds"] for row in rows}) > 1 or rows[0]["mean"] is None:
        return rows
    means = np.array([[row["mean"] for row in rows]])
    order = ranks(means, METRICS[rows[0]["metric"]].higher_is_better)[0].tolist()
    return [{**row, "rank": rank} for row, rank in zip(rows, order, strict=True)]


def _differing(rows: list[Report], reference: str) -> list[Report]:
    """The rows with their differences to the reference, None for the reference itself."""
    higher = METRICS[rows[0]["metric"]].higher_is_better
    other = next(row["values"] for row in rows if row["method"] == reference)
    found = [None if row["method"] == reference else paired(row["values"], other, higher) for row in rows]
    nothing = dict.fromkeys(("difference", "difference_error", "won", "lost"))
    return [
        {**row, **nothing}
        if one is None
        else {**row, "difference": one.mean, "difference_error": one.error, "won": one.won, "lost": one.lost}
        for row, one in zip(rows, found, strict=True)
    ]


def _over_data_sets(rows: list[Report], methods: list[str], reference: str) -> Report:
    """Of each method but the reference the difference over the data sets that have one."""
    higher = METRICS[rows[0]["metric"]].higher_is_better
    means = {
        method: [mean for row in rows if row["method"] == method and (mean := of_row(row).mean) is not None]
        for method in methods
        if method != reference
    }
    return {method: dataclasses.asdict(summarised(found, higher)) for method, found in means.items()}


def _compared(plan: Plan, rows: list[Report]) -> Report:
    """Average ranks, wins and losses of one learner and metric."""
    metric = rows[0]["metric"]
    methods = [method.title for method in plan.methods]
    ranked = [row for row in rows if row["rank"] is not None]
    means, order = (np.array([row[what] for row in ranked]).reshape(-1, len(methods)) for what in ("mean", "rank"))
    tests = len(means) >= 2 and _can_test(plan)
    wins, losses, p = wins_and_losses(means, METRICS[metric].higher_is_better, LEVEL) if tests else (None, None, None)
    return {
        "learner": rows[0]["learner"],
        "metric": metric,
        "data_sets": len(means),
        "average_rank": dict(zip(methods, order.mean(axis=0).tolist(), strict=True)) if len(means) else None,
        "wins": None if wins is None else dict(zip(methods, wins.tolist(), strict=True)),
        "losses": None if losses is None else dict(zip(methods, losses.tolist(), strict=True)),
        "differences": _over_data_sets(rows, methods, plan.reference),
        "adjusted_p": None if p is None else p.tolist(),
    }
