"""A race: all candidates on the folds of a round, the best third of them on those of the next, until one is left.

    successive halving (Jamieson and Talwalkar, 2016) with a third for a half, and rounds of cross-validation for effort

Candidates with rows and those without race apart, since a choice of each is wanted. The first candidate, the learner as it is,
runs along to the end, so that all differences are to it and on the same folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil
from statistics import fmean
from typing import TypeAlias

from lsdmlo_cli.evaluation.recommendation.candidates import Candidate

Figures: TypeAlias = dict[Candidate, list[float | None]]
"""A candidate's figures of the metric, fold by fold; None: there is none, or the candidate failed."""

Measure: TypeAlias = Callable[[int, Sequence[Candidate]], Mapping[Candidate, Sequence[float | None]]]
"""From a round, counted from 1, and some candidates to the figures of each on the round's folds."""


@dataclass(frozen=True)
class Race:
    """How a race went: the figures of each candidate on all folds it was measured on, and the best without and with rows.

    sampled: None where there is no candidate with rows, or each of them failed.
    """

    figures: Figures
    without: Candidate
    sampled: Candidate | None
    higher_is_better: bool

    @property
    def plain(self) -> Candidate:
        """The learner as it is."""
        return next(iter(self.figures))

    @property
    def winner(self) -> Candidate:
        """The better of the two; that without rows where they are equal."""
        if self.sampled is None or self.gain(self.sampled) <= self.gain(self.without):
            return self.without
        return self.sampled

    def differences(self, candidate: Candidate) -> list[float]:
        """Its figures minus those of the learner as it is, on the folds where both have one."""
        return differences(self.figures, candidate)

    def gain(self, candidate: Candidate) -> float:
        """How much better it is than the learner as it is, on average over its folds."""
        return gain(self.figures, candidate, self.higher_is_better)


def race(candidates: Sequence[Candidate], measure: Measure, higher_is_better: bool) -> Race:
    """The race of all candidates, the learner as it is first among them. Of equally good ones the earlier goes on."""
    plain = candidates[0]
    figures: Figures = {candidate: [] for candidate in candidates}
    without = [candidate for candidate in candidates if not candidate.samples]
    sampled = [candidate for candidate in candidates if candidate.samples]

    def best(group: list[Candidate]) -> list[Candidate]:
        ranked = sorted(group, key=lambda candidate: -gain(figures, candidate, higher_is_better))
        able = [candidate for candidate in ranked if not _failed(figures, candidate)]
        return able[: ceil(len(group) / 3)]

    for number in count(1):
        for candidate, found in measure(number, list(dict.fromkeys([plain, *without, *sampled]))).items():
            figures[candidate] += found
        without, sampled = best(without), best(sampled)
        if max(len(without), len(sampled)) <= 1:
            break
    return Race(figures, without[0], next(iter(sampled), None), higher_is_better)


def differences(figures: Figures, candidate: Candidate) -> list[float]:
    """A candidate's figures minus those of the first, on the folds where both have one."""
    pairs = zip(figures[candidate], figures[next(iter(figures))], strict=False)  # one that was dropped has fewer folds
    return [own - plain for own, plain in pairs if own is not None and plain is not None]


def gain(figures: Figures, candidate: Candidate, higher_is_better: bool) -> float:
    """The mean difference, above 0 where it is better; 0 where no fold has both figures."""
    found = differences(figures, candidate) or [0.0]
    return fmean(found) if higher_is_better else -fmean(found)


def _failed(figures: Figures, candidate: Candidate) -> bool:
    """Whether a candidate has no figure on a fold where the learner as it is has one."""
    pairs = zip(figures[candidate], figures[next(iter(figures))], strict=False)
    return any(own is None and plain is not None for own, plain in pairs)
