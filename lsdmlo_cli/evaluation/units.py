"""One unit of the work: a method on one fold of one data set, with every learner that is still to be measured.

    training half -> (tuning) -> sampling, once for learners with the same choice -> for each learner: train, measure

Sampling seconds run from the encoded training half to the resampled one: feature weights, neighbours, new rows and their
encoding, all learned anew for each method, whatever another has learned of the same half already. Learning seconds are those
of training, predicting and measuring, on inner folds too where they choose thresholds. Tuning stands apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import FileError, LsdmloError, ParameterError
from lsdmlo_cli.evaluation.cuts import cut, inner_halves
from lsdmlo_cli.evaluation.learners import Learner, title
from lsdmlo_cli.evaluation.plan import Method, Plan, generator
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.evaluation.training import Halves, Resampled, Seconds, halves, resampled, timed, trial
from lsdmlo_cli.evaluation.tuning import Point, chosen
from lsdmlo_cli.folds import Fold, folds

FAULTS = (LsdmloError, ArithmeticError, ValueError, IndexError)
"""What may go wrong with a method or a learner on one fold, and leaves the others be (a singular matrix is a ValueError)."""

Cell = dict[str, Any]
"""The result of one method with one learner on one fold: values, undefined, added, removed, chosen, warnings, error, seconds.

learned_weights: whether the method learned feature weights, so that lambda1, lambda2, tol and max_iter had something to say.
"""


class Unit(NamedTuple):
    """Where the data is and what its content must be, the fold, the method, and the learners to measure."""

    place: DataSource
    digest: str
    repeat: int
    fold: int
    method: Method
    learners: tuple[Learner, ...]


@dataclass(frozen=True)
class _Outcome:
    """A resampled half and what it took, or the error instead; inner: the same of its inner folds, where thresholds need them."""

    parts: Halves | None
    made: Resampled | None
    seconds: Seconds
    error: str | None = None
    inner: tuple[tuple[Halves, Resampled], ...] = ()


def run(plan: Plan, unit: Unit) -> dict[str, Cell]:
    """The unit's cells by learner. One BLAS thread is used.

    Errors: FileError where the data is not what it was; ParameterError where the plan asks too much of it, as more inner folds
    than there are rows.
    """
    data, every = _prepared(unit.place, unit.digest, plan.folds, plan.repeats, plan.seed)
    fold = next(one for one in every if (one.repeat, one.fold) == (unit.repeat, unit.fold))
    try:
        with threadpool_limits(1):
            return cells(plan, data, fold, unit.method, unit.learners)
    except ParameterError as error:
        raise ParameterError(f"{unit.place.path}, {unit.method.title}: {error}") from error


@lru_cache(maxsize=1)
def _prepared(place: DataSource, digest: str, number: int, repeats: int, seed: int) -> tuple[Dataset, tuple[Fold, ...]]:
    """The data set and its folds; the units of one data set follow each other."""
    loaded = place.load()
    if loaded.digest != digest:
        raise FileError(f"{place.path} changed while it was read; run again")
    return loaded.dataset, tuple(folds(loaded.dataset.Y, number, repeats, seed))


def cells(plan: Plan, data: Dataset, fold: Fold, method: Method, learners: tuple[Learner, ...]) -> dict[str, Cell]:
    """Every learner's result with a method on one fold. Errors: ParameterError (an extra is missing); others are results."""
    place = (fold.repeat, fold.fold)
    try:
        points, tuning = timed(lambda: chosen(plan, data.take(~fold.test), method, learners, place, data.n))
    except ParameterError:
        raise
    except FAULTS as error:
        return {title(learner): _failed(told(error)) for learner in learners}
    made = {point: _sampled(plan, data, fold, method, point) for point in dict.fromkeys(points.values())}
    return {
        title(learner): _measured(plan, made[points[title(learner)]], learner, place, points[title(learner)], tuning)
        for learner in learners
    }


def _sampled(plan: Plan, data: Dataset, fold: Fold, method: Method, point: Point) -> _Outcome:
    rng = generator(plan.seed, "sampler", method.name, fold.repeat, fold.fold)
    try:
        parts = halves(data, fold.test, point.settings(plan.settings))
        made, seconds = timed(lambda: resampled(parts.analysis, point.sampler(method.sampler), rng))
        inner = inner_halves(plan, data, fold, point.sampler(method.sampler), point.settings(plan.settings))
        return _Outcome(parts, made, seconds, inner=tuple(inner) if plan.threshold == "inner" else ())
    except ParameterError:
        raise
    except FAULTS as error:
        return _Outcome(None, None, Seconds(0.0, 0.0), told(error))


def _measured(plan: Plan, outcome: _Outcome, learner: Learner, place: tuple[int, int], point: Point, tuning: Seconds) -> Cell:
    """Learners draw the same numbers whatever the method: methods are compared on the same chains and label subsets."""
    parts, made = outcome.parts, outcome.made
    if parts is None or made is None:
        return _failed(str(outcome.error))
    rng = generator(plan.seed, "learner", learner.name, *place)
    try:
        found, learning = timed(
            lambda: trial(parts, made, learner, rng, plan.rules, cut(plan, parts, outcome.inner, learner, place))
        )
    except ParameterError:
        raise
    except FAULTS as error:
        return _failed(told(error))
    seconds = {"sampling": outcome.seconds, "learning": learning, "tuning": tuning}
    return {
        "values": dict(found.values),
        "undefined": dict(found.undefined),
        "added": made.added,
        "removed": made.removed,
        "chosen": point.chosen,
        "learned_weights": parts.analysis.has_weights,
        "warnings": [*parts.analysis.warnings, *made.warnings],
        "error": None,
        "seconds": {what: {"cpu": spent.cpu, "wall": spent.wall} for what, spent in seconds.items()},
    }


def _failed(error: str) -> Cell:
    nothing: Cell = {"values": {}, "undefined": {}, "added": 0, "removed": 0, "chosen": {}, "learned_weights": False}
    return {**nothing, "warnings": [], "error": error, "seconds": {}}


def told(error: Exception) -> str:
    """What to say of one of the FAULTS."""
    return str(error) if isinstance(error, LsdmloError) else f"{type(error).__name__}: {error}"
