"""Nested cross-validation: a race on all rows chooses, the same race on training rows of outer folds tells what that is worth.

    all rows                       race on folds of folds -> the candidate to use
    training rows of outer fold f  the same race -> best without rows, best with rows -> both, and the learner as it is, are
                                   trained on these rows and measured on the test rows of f, which no choice has seen

So the figures on outer folds tell without bias what a choice made in this way is worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from threadpoolctl import threadpool_limits

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import FileError
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.recommendation.candidates import Candidate
from lsdmlo_cli.evaluation.recommendation.race import Race, race
from lsdmlo_cli.evaluation.recommendation.trials import Cell, OutOfTime, Trials, inner_seed
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.folds import Fold, folds
from lsdmlo_cli.folds.stratified import holdout

INNER_FOLDS = 2
REPEATS = 2
"""Of inner folds in a round of a race. With one the choice gained 0.019, 0.006 and 0.029 of minority average precision on outer
folds of flags, emotions and medical (mlknn), with two 0.050, 0.009 and 0.050."""
MOST_ROUNDS = 30
"""Of a race; every round leaves a third of the candidates."""
ALL_ROWS = (0, 0)


@dataclass(frozen=True)
class Reached:
    """Figures on the test rows of an outer fold, None where the metric has none there.

    plain: of the learner as it is. without, sampled: of the best without rows, and with rows, on the training rows.
    """

    plain: float | None
    without: float | None
    sampled: float | None


@dataclass(frozen=True)
class Part:
    """A race on some rows: all of them (outer is ALL_ROWS), or the training rows of an outer fold (its repeat and fold).

    reached: None on all rows. errors: what went wrong, by candidate.
    """

    outer: tuple[int, int]
    race: Race
    reached: Reached | None
    errors: dict[Candidate, str]


def part(trials: Trials, outer: tuple[int, int], candidates: Sequence[Candidate], metric: str) -> Part | None:
    """One part of the work, None where time ran out. One BLAS thread is used. Errors: those of `Trials.cells`."""
    data, every = _prepared(trials.place, trials.digest, trials.rows, trials.plan)
    errors: dict[Candidate, str] = {}
    try:
        with threadpool_limits(1):
            if outer == ALL_ROWS:
                return Part(outer, _race(trials, data, outer, candidates, metric, errors), None, errors)
            fold = next(one for one in every if (one.repeat, one.fold) == outer)
            found = _race(trials, data.take(~fold.test), outer, candidates, metric, errors)
            return Part(outer, found, _reached(trials, data, fold, found, metric, errors), errors)
    except OutOfTime:
        return None


def seconds_of_a_round(trials: Trials, candidates: Sequence[Candidate]) -> float:
    """How long all candidates take on one inner fold of the first outer fold."""
    data, every = _prepared(trials.place, trials.digest, trials.rows, trials.plan)
    within = (every[0].repeat, every[0].fold)
    training = data.take(~every[0].test)
    fold = next(_inner_folds(trials, training, within))
    with threadpool_limits(1):
        return sum(cell["seconds"] for cell in trials.cells(training, fold, within, candidates).values())


@lru_cache(maxsize=1)
def _prepared(place: DataSource, digest: str, rows: int, plan: Plan) -> tuple[Dataset, tuple[Fold, ...]]:
    """The rows that are used, a stratified draw of all, and the outer folds."""
    loaded = place.load()
    if loaded.digest != digest:
        raise FileError(f"{place.path} changed while it was read; run again")
    data = loaded.dataset
    drawn = data if rows == data.n else data.take(holdout(data.Y, rows / data.n, plan.seed).test)
    return drawn, tuple(folds(drawn.Y, plan.folds, plan.repeats, plan.seed))


def _race(
    trials: Trials,
    data: Dataset,
    within: tuple[int, int],
    candidates: Sequence[Candidate],
    metric: str,
    errors: dict[Candidate, str],
) -> Race:
    every = _inner_folds(trials, data, within)

    def measure(repeat: int, asked: Sequence[Candidate]) -> dict[Candidate, list[float | None]]:
        found = [
            _values(trials.cells(data, fold, within, asked), metric, errors) for fold in islice(every, REPEATS * INNER_FOLDS)
        ]
        return {candidate: [values[candidate] for values in found] for candidate in asked}

    return race(candidates, measure, METRICS[metric].higher_is_better)


def _inner_folds(trials: Trials, data: Dataset, within: tuple[int, int]) -> Iterator[Fold]:
    return folds(data.Y, INNER_FOLDS, REPEATS * MOST_ROUNDS, inner_seed(trials.plan, within))


def _reached(trials: Trials, data: Dataset, fold: Fold, found: Race, metric: str, errors: dict[Candidate, str]) -> Reached:
    plain, without, sampled = found.plain, found.without, found.sampled or found.without
    asked = list(dict.fromkeys([plain, without, sampled]))
    values = _values(trials.cells(data, fold, None, asked), metric, errors)
    return Reached(values[plain], values[without], values[sampled])


def _values(cells: dict[Candidate, Cell], metric: str, errors: dict[Candidate, str]) -> dict[Candidate, float | None]:
    """The figures of the metric; what went wrong is added to the errors."""
    errors.update({candidate: cell["error"] for candidate, cell in cells.items() if cell["error"] is not None})
    return {candidate: cell["values"][metric] for candidate, cell in cells.items()}
