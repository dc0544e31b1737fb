"""Figures of candidates on one fold, kept as they are found.

fold -> Analysis, once -> rows of each method, once -> a learner on them, once -> each threshold -> every metric
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, time
from typing import Any, TypeVar

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import LsdmloError, ParameterError
from lsdmlo_cli.evaluation.cache import Cells, Key, key
from lsdmlo_cli.evaluation.cuts import cut, inner_halves
from lsdmlo_cli.evaluation.metrics import METRICS, measure
from lsdmlo_cli.evaluation.plan import Method, Plan, generator
from lsdmlo_cli.evaluation.recommendation.candidates import Candidate
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.evaluation.training import Halves, Resampled, halves, resampled
from lsdmlo_cli.evaluation.units import FAULTS, Unit, told
from lsdmlo_cli.folds import Fold

T = TypeVar("T")
K = TypeVar("K")


class OutOfTime(LsdmloError):
    """The budget is used up; what was found is kept."""


Cell = dict[str, Any]
"""A candidate on a fold: values by metric, error (None: it has none), and seconds that it took."""


@dataclass(frozen=True)
class Trials:
    """Where figures of candidates are found, and kept.

    plan: of the outer folds; its methods and threshold have no say. rows: how many of the data set's are used. deadline: a time
    as time() gives it, after which no further method is begun; None for no end.
    """

    plan: Plan
    place: DataSource
    digest: str
    rows: int
    folder: Path
    deadline: float | None = None

    def cells(
        self, data: Dataset, fold: Fold, within: tuple[int, int] | None, asked: Sequence[Candidate]
    ) -> dict[Candidate, Cell]:
        """What candidates reach on a fold of some rows: all of them, or the training rows of the outer fold `within`.

        Errors: OutOfTime; ParameterError where an extra is missing. Other faults are told in the cell, which is not kept.
        """
        cache = Cells(self.folder)
        keys = {candidate: self._key(fold, within, candidate) for candidate in asked}
        found = {candidate: cell for candidate in asked if (cell := cache.load(keys[candidate])) is not None}
        missing = [candidate for candidate in asked if candidate not in found]
        start = perf_counter()
        for candidate, cell in self._measured(data, fold, within, missing):
            found[candidate] = {**cell, "seconds": perf_counter() - start}
            start = perf_counter()
            if cell["error"] is None:
                cache.save(keys[candidate], found[candidate])
        return found

    def _measured(
        self, data: Dataset, fold: Fold, within: tuple[int, int] | None, asked: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, Cell]]:
        if asked:
            plan = self._inside(within)
            parts = halves(data, fold.test, plan.settings)
            for method, of_method in grouped(asked, lambda candidate: candidate.method).items():
                if self.deadline is not None and time() > self.deadline:
                    raise OutOfTime("the budget is used up")
                yield from _of_method(plan, data, fold, parts, method, of_method)

    def _inside(self, within: tuple[int, int] | None) -> Plan:
        """The plan for the folds inside some training rows, with random numbers of its own."""
        return self.plan if within is None else replace(self.plan, seed=inner_seed(self.plan, within))

    def _key(self, fold: Fold, within: tuple[int, int] | None, candidate: Candidate) -> Key:
        plan = replace(self._inside(within), threshold=candidate.threshold)
        unit = Unit(self.place, self.digest, fold.repeat, fold.fold, candidate.method, (candidate.learner,))
        return {**key(plan, unit, candidate.learner), "rows": self.rows, "within": within and list(within), "shared": True}


def inner_seed(plan: Plan, within: tuple[int, int]) -> int:
    """The seed of all that happens inside the training rows of an outer fold; (0, 0) stands for all rows."""
    return int(generator(plan.seed, "within", *within).integers(2**31))


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Items by their key, both in the order in which they come.

    >>> grouped("abAB", str.lower)
    {'a': ['a', 'A'], 'b': ['b', 'B']}
    """
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _of_method(
    plan: Plan, data: Dataset, fold: Fold, parts: Halves, method: Method, asked: Sequence[Candidate]
) -> Iterator[tuple[Candidate, Cell]]:
    """Candidates that share a method share its rows, and those that share a learner too share the model."""
    try:
        made = resampled(parts.analysis, method.sampler, generator(plan.seed, "sampler", method.name, fold.repeat, fold.fold))
    except ParameterError:
        raise
    except FAULTS as error:
        yield from ((candidate, _failed(error)) for candidate in asked)
        return
    for of_learner in grouped(asked, lambda candidate: candidate.learner).values():
        try:
            yield from _of_learner(plan, data, fold, (parts, made), of_learner)
        except ParameterError:
            raise
        except FAULTS as error:
            yield from ((candidate, _failed(error)) for candidate in of_learner)


def _of_learner(
    plan: Plan, data: Dataset, fold: Fold, trained: tuple[Halves, Resampled], asked: Sequence[Candidate]
) -> Iterator[tuple[Candidate, Cell]]:
    """The figures of one model under each threshold."""
    (parts, made), place, first = trained, (fold.repeat, fold.fold), asked[0]
    prediction = first.learner.fit(made.E, made.Y, generator(plan.seed, "learner", first.learner.name, *place))(parts.E)
    for candidate in asked:
        inner = inner_halves(plan, data, fold, candidate.method.sampler, plan.settings)
        cut_by = cut(replace(plan, threshold=candidate.threshold), parts, inner, candidate.learner, place)
        given = prediction if cut_by is None else cut_by(prediction)
        yield candidate, {"values": measure(parts.Y, given, plan.rules, parts.minority).values, "error": None}


def _failed(error: Exception) -> Cell:
    return {"values": dict.fromkeys(METRICS), "error": told(error)}
