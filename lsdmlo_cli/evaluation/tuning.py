"""Choose p, lambda1 and lambda2 by folds inside the training half: for each learner the grid point with the best mean.

    p                 0.1, 0.3, ... 0.9 up to 1,000 rows; 0.1, 0.15, ... 0.3 up to 5,000; 0.01, 0.03, ... 0.09 above
    lambda1, lambda2  2^-6, 2^-5, ... 2^6, for lsdmlo

The grids are the paper's (section IV and appendix A2.1). A method without them is run as it is, and so is one whose p is None (it
says by itself how many rows it makes) or that is given `rows`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby, product
from statistics import fmean
from typing import Any

import numpy as np

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.evaluation.learners import Learner, title
from lsdmlo_cli.evaluation.metrics import METRICS, Measured
from lsdmlo_cli.evaluation.plan import Method, Plan, Tuning, generator
from lsdmlo_cli.evaluation.training import Halves, cut_without_folds, halves, resampled, trial
from lsdmlo_cli.folds import folds
from lsdmlo_cli.parameters import parameters
from lsdmlo_cli.samplers import Sampler

LAMBDAS = tuple(2.0**power for power in range(6, -7, -1))
"""From the strongest on: there the solution has the fewest weights and is found fastest."""


@dataclass(frozen=True)
class Point:
    """A point of the grid; None leaves the sampler's or the settings' own value."""

    lambda1: float | None = None
    lambda2: float | None = None
    p: Decimal | None = None

    @property
    def chosen(self) -> dict[str, Any]:
        """What was chosen, for the results."""
        values = {"p": None if self.p is None else float(self.p), "lambda1": self.lambda1, "lambda2": self.lambda2}
        return {name: value for name, value in values.items() if value is not None}

    def sampler(self, sampler: Sampler | None) -> Sampler | None:
        """The sampler with this point's p."""
        return sampler if sampler is None or self.p is None else replace(sampler, p=self.p)  # type: ignore[type-var]

    def settings(self, settings: Settings) -> Settings:
        """The settings with this point's lambdas."""
        lambda1, lambda2 = self.lambda1, self.lambda2
        return settings if lambda1 is None or lambda2 is None else replace(settings, lambda1=lambda1, lambda2=lambda2)


def ratios(sampler: Sampler, n: int) -> list[Decimal]:
    """The p that are tried on a data set of n rows; a method that removes rows has the smaller ones on small data too."""
    if n > 5000:
        return [Decimal(p) / 100 for p in (1, 3, 5, 7, 9)]
    if n > 1000 or _removes(sampler):
        return [Decimal(p) / 100 for p in (10, 15, 20, 25, 30)]
    return [Decimal(p) / 10 for p in (1, 3, 5, 7, 9)]


def _removes(sampler: Sampler) -> bool:
    """Whether p is a share of rows to remove, which cannot be above 1."""
    return any(parameter.name == "p" and parameter.option.most == 1 for parameter in parameters(type(sampler)))


def grid(method: Method, n: int, tuning: Tuning, seed: int) -> list[Point]:
    """The points that are tried, those of the same lambdas together; one point that changes nothing where there is no grid.

    A budget draws its points from the seed alone, so that every fold of a data set tries the same ones.
    """
    sampler = method.sampler
    if sampler is None:
        return [Point()]
    has_p = getattr(sampler, "p", None) is not None and getattr(sampler, "rows", None) is None and "p" not in method.fixed
    p: list[Decimal | None] = [*ratios(sampler, n)] if has_p else [None]
    lambdas: tuple[float | None, ...] = LAMBDAS if sampler.learns_weights else (None,)
    points = [Point(*values) for values in product(lambdas, lambdas, p)]
    if tuning.budget is None or tuning.budget >= len(points):
        return points
    drawn = generator(seed, "grid").choice(len(points), tuning.budget, replace=False)
    return [points[i] for i in np.sort(drawn)]


def has_grid(method: Method) -> bool:
    """Whether there is anything to choose for a method."""
    return len(grid(method, 1, Tuning(), 0)) > 1


def chosen(
    plan: Plan, data: Dataset, method: Method, learners: tuple[Learner, ...], place: tuple[int, int], n: int
) -> dict[str, Point]:
    """The best point of each learner, by folds inside `data`, the training half of fold `place` (repeat, fold).

    n: rows of the whole data set, on which the grid depends. The first of equally good points is taken; a metric that is defined
    on no inner fold loses to any that is. Errors: those of the sampler and of the learners.
    """
    tuning = plan.tuning
    points = [Point()] if tuning is None else grid(method, n, tuning, plan.seed)
    if tuning is None or len(points) == 1:
        return {title(learner): points[0] for learner in learners}
    values: dict[tuple[str, Point], list[float]] = {(title(learner), point): [] for learner in learners for point in points}
    seed = int(generator(plan.seed, "inner folds", *place).integers(2**31))
    for inner in folds(data.Y, tuning.inner, 1, seed):
        parts = halves(data, inner.test, plan.settings)
        for learner_name, point, found in _tried(plan, parts, method, learners, (*place, inner.fold), points):
            value = found.values[tuning.metric]
            values[learner_name, point] += [] if value is None else [value]
    return {title(learner): _best(points, title(learner), values, tuning.metric) for learner in learners}


def _tried(
    plan: Plan,
    parts: Halves,
    method: Method,
    learners: tuple[Learner, ...],
    place: tuple[int, ...],
    points: list[Point],
) -> Iterator[tuple[str, Point, Measured]]:
    """Each learner's figure at each point on one inner fold, of one metric; all points draw the same random numbers."""
    analysis, metrics = parts.analysis, () if plan.tuning is None else (plan.tuning.metric,)
    for _, same_lambdas in groupby(points, key=lambda point: (point.lambda1, point.lambda2)):
        for number, point in enumerate(same_lambdas):
            analysis = analysis if number else analysis.with_settings(point.settings(plan.settings))
            made = resampled(analysis, point.sampler(method.sampler), generator(plan.seed, "sampler", method.name, *place))
            for learner in learners:
                rng = generator(plan.seed, "learner", learner.name, *place)
                cut = cut_without_folds(parts, plan.threshold)
                yield title(learner), point, trial(parts, made, learner, rng, plan.rules, cut, metrics)


def _best(points: list[Point], learner: str, values: dict[tuple[str, Point], list[float]], metric: str) -> Point:
    sign = 1.0 if METRICS[metric].higher_is_better else -1.0
    means = [sign * fmean(found) if (found := values[learner, point]) else -np.inf for point in points]
    return points[int(np.argmax(means))]
