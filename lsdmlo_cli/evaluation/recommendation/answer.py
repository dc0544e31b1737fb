"""What the parts of a recommendation come to.

    g_f      how much better the best with rows is than the best without on the test rows of outer fold f, both having been
             chosen on its training rows
    shown    mean_f g_f > t sd_f g_f / sqrt(folds), t the 0.975 quantile of Student's t of folds - 1 degrees of freedom

Rows are recommended where that is shown and a candidate with rows has won the race on all rows. Else the best without rows is, if
it is shown in the same way to be better than the learner as it is; else the learner as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import scipy

from lsdmlo_cli.evaluation.differences import mean_and_error, told
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.recommendation.candidates import Candidate
from lsdmlo_cli.evaluation.recommendation.nested import ALL_ROWS, Part, Reached
from lsdmlo_cli.evaluation.recommendation.race import Race

QUANTILE = 0.975


@dataclass(frozen=True)
class Gain:
    """How much better something is, above 0 where it is: mean, and standard error, over so many folds or races.

    mean: None without one of them, error: None without two.
    """

    count: int
    mean: float | None
    error: float | None

    @property
    def is_shown(self) -> bool:
        """Whether the mean exceeds t times its error."""
        if self.mean is None or self.error is None:
            return False
        return self.mean > float(scipy.special.stdtrit(self.count - 1, QUANTILE)) * self.error

    def __str__(self) -> str:
        """As tables and sentences have it.

        >>> str(Gain(4, 0.0312, 0.004))
        '+0.031 ± 0.004'
        """
        return told(self.mean, self.error)


def gain_of(values: Sequence[float]) -> Gain:
    """Mean and standard error of gains.

    >>> gain_of([0.5, 0.25])
    Gain(count=2, mean=0.375, error=0.125)
    """
    return Gain(len(values), *mean_and_error(values))


@dataclass(frozen=True)
class Answer:
    """What is recommended, and why. parts: what there was time for, that on all rows (if it was done) first."""

    metric: str
    candidates: tuple[Candidate, ...]
    parts: tuple[Part, ...]

    @property
    def on_all_rows(self) -> Race | None:
        """The race that names the candidate to use; None where there was no time for it."""
        return next((part.race for part in self.parts if part.outer == ALL_ROWS), None)

    @property
    def outer(self) -> tuple[Part, ...]:
        """The parts of outer folds."""
        return tuple(part for part in self.parts if part.outer != ALL_ROWS)

    @cached_property
    def rows_over_none(self) -> Gain:
        """The best with rows over the best without, on outer folds."""
        return self._reached(lambda one: (one.sampled, one.without))

    @cached_property
    def none_over_plain(self) -> Gain:
        """The best without rows over the learner as it is, on outer folds."""
        return self._reached(lambda one: (one.without, one.plain))

    @cached_property
    def rows_over_plain(self) -> Gain:
        """The best with rows over the learner as it is, on outer folds."""
        return self._reached(lambda one: (one.sampled, one.plain))

    @property
    def recommended(self) -> Candidate:
        """What to use."""
        race = self.on_all_rows
        if race is None:
            return self.candidates[0]
        if race.winner.samples and self.rows_over_none.is_shown:
            return race.winner
        return race.without if self.none_over_plain.is_shown else race.plain

    def over_plain(self, candidate: Candidate) -> Gain:
        """How much better a candidate is than the learner as it is on inner folds: mean of the races' means, and its error."""
        return gain_of([part.race.gain(candidate) for part in self.parts if part.race.differences(candidate)])

    def inner_folds(self, candidate: Candidate) -> int:
        """On how many inner folds it was measured, in all races."""
        return sum(len(part.race.figures[candidate]) for part in self.parts)

    @property
    def errors(self) -> dict[Candidate, str]:
        """What went wrong, the last of each candidate."""
        return {candidate: error for part in self.parts for candidate, error in part.errors.items()}

    def _reached(self, pair: Callable[[Reached], tuple[float | None, float | None]]) -> Gain:
        sign = 1.0 if METRICS[self.metric].higher_is_better else -1.0
        pairs = [pair(part.reached) for part in self.outer if part.reached is not None]
        return gain_of([sign * (one - other) for one, other in pairs if one is not None and other is not None])
