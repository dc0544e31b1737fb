"""The cut of scores that a plan's threshold asks for, learned from the training rows of a fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.evaluation.learners import Learner
from lsdmlo_cli.evaluation.plan import BASE, Plan, generator
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.evaluation.thresholds import INNER_FOLDS, best_cuts, cut_at
from lsdmlo_cli.evaluation.training import Halves, Resampled, cut_without_folds, halves, resampled
from lsdmlo_cli.folds import Fold, folds
from lsdmlo_cli.samplers import Sampler

Cut: TypeAlias = Callable[[Prediction], Prediction]


def inner_halves(
    plan: Plan, data: Dataset, fold: Fold, sampler: Sampler | None, settings: Settings
) -> Iterator[tuple[Halves, Resampled]]:
    """The folds inside the training rows of a fold by which `inner` chooses its cuts, each with its rows resampled."""
    training, place = data.take(~fold.test), (fold.repeat, fold.fold)
    name = BASE if sampler is None else sampler.name
    seed = int(generator(plan.seed, "threshold folds", *place).integers(2**31))
    for inner in folds(training.Y, INNER_FOLDS, 1, seed):
        parts = halves(training, inner.test, settings)
        rng = generator(plan.seed, "sampler", name, *place, "threshold", inner.fold)
        yield parts, resampled(parts.analysis, sampler, rng)


def cut(
    plan: Plan, parts: Halves, inner: Iterable[tuple[Halves, Resampled]], learner: Learner, place: tuple[int, int]
) -> Cut | None:
    """The plan's threshold for one learner; with `inner` it is trained on each inner fold. None: as the learner cuts."""
    if plan.threshold != "inner":
        return cut_without_folds(parts, plan.threshold)
    scores, truth = [], []
    for number, (held_out, made) in enumerate(inner, start=1):
        rng = generator(plan.seed, "learner", learner.name, *place, "threshold", number)
        scores.append(learner.fit(made.E, made.Y, rng)(held_out.E).scores)
        truth.append(held_out.Y)
    cuts = best_cuts(np.concatenate(scores), np.concatenate(truth))
    return lambda prediction: cut_at(prediction, cuts)
