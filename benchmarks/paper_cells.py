"""From the kept results of the parts to means: what is there, what is missing.

mean of (data set, learner, metric, method) over the folds of all repeats; none where a fold is missing
average rank  over the data sets on which every method of a table has a mean
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from benchmarks.paper_plan import Part, has_autograd
from lsdmlo_cli.evaluation.cache import Cells, key
from lsdmlo_cli.evaluation.learners import title
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.statistics import MOST_METHODS, ranks, wins_and_losses
from lsdmlo_cli.evaluation.units import Cell, Unit

SHORT = {"mlsmote:strategy=union": "mlsmote union", "mlsmote:strategy=ranking": "mlsmote ranking", "mlsmote": "mlsmote ranking"}


class Column(NamedTuple):
    """A method with a learner on a data set."""

    data: str
    learner: str
    method: str


@dataclass(frozen=True)
class Kept:
    """The results of a section. cells: those of the columns of which every fold is there; missing: the other columns."""

    cells: dict[Column, list[Cell]]
    missing: tuple[Column, ...]

    def mean(self, column: Column, metric: str) -> float | None:
        """None where a fold is missing, or has no value."""
        values = [cell["values"][metric] for cell in self.cells.get(column, [])]
        return fmean(values) if values and None not in values else None

    def names(self, field: str) -> list[str]:
        """Data sets, learners or methods that have a whole column, in the order of the work."""
        return list(dict.fromkeys(getattr(column, field) for column in self.cells))


@dataclass(frozen=True)
class Ranked:
    """Average ranks of methods with one learner by one metric, over some data sets; wins and losses are None for fewer than 2."""

    data: tuple[str, ...]
    average: dict[str, float]
    wins: dict[str, int] | None
    losses: dict[str, int] | None


def kept(parts: Iterable[Part], folder: Path) -> Kept:
    """What a folder of results holds of some parts."""
    cache = Cells(folder)
    cells: dict[Column, list[Cell]] = {}
    missing = []
    for part in parts:
        for column, found in _columns(part, cache):
            whole = [cell for cell in found if cell is not None]
            if len(whole) == len(found):
                cells[column] = whole
            else:
                missing.append(column)
    return Kept(cells, tuple(missing))


def _columns(part: Part, cells: Cells) -> Iterator[tuple[Column, list[Cell | None]]]:
    """Without autograd nothing is known of what needs it: its version is part of a result's name."""
    plan, digest = part.plan, _digest(part.place)
    can_know = has_autograd() or not part.needs_autograd
    for method, learner in product(plan.methods, plan.learners):
        units = [Unit(part.place, digest, *split, method, plan.learners) for split in plan.splits]
        yield (
            Column(part.data, title(learner), method.title),
            [cells.load(key(plan, unit, learner)) if can_know else None for unit in units],
        )


@cache
def _digest(place: Place) -> str:
    return place.load().digest


def ranked(found: Kept, learner: str, metric: str, methods: Sequence[str]) -> Ranked:
    """Average ranks over the data sets on which each of the methods has a mean; tests for two data sets and up to 15 methods."""
    rows = {data: [found.mean(Column(data, learner, method), metric) for method in methods] for data in found.names("data")}
    whole = {data: values for data, values in rows.items() if None not in values}
    if not whole:
        return Ranked((), {}, None, None)
    values = np.array(list(whole.values()), dtype=np.float64)
    higher_is_better = METRICS[metric].higher_is_better
    average = dict(zip(methods, ranks(values, higher_is_better).mean(axis=0).tolist(), strict=True))
    if len(whole) < 2 or len(methods) > MOST_METHODS:
        return Ranked(tuple(whole), average, None, None)
    wins, losses, _ = wins_and_losses(values, higher_is_better)
    return Ranked(tuple(whole), average, _counts(methods, wins), _counts(methods, losses))


def _counts(methods: Sequence[str], counts: np.ndarray) -> dict[str, int]:
    return dict(zip(methods, counts.tolist(), strict=True))


def short(method: str) -> str:
    """A method as the heads of columns have it."""
    return SHORT.get(method, method)


def bold_best(values: Sequence[float | None], higher_is_better: bool | None = None) -> list[str]:
    """Three decimals each, the best one bold; a dash for what is missing.

    >>> bold_best([0.5, None, 0.25], True)
    ['**0.500**', '-', '0.250']
    """
    known = [value for value in values if value is not None]
    best = None if higher_is_better is None or not known else (max if higher_is_better else min)(known)
    return ["-" if value is None else bold(f"{value:.3f}", value == best) for value in values]


def bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text
