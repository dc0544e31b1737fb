"""One trial: sample the training half, train a learner on what comes of it, measure it on the test half.

    training rows -> encoding, E ; E, Y, sampler -> E', Y' (rows that stay, then new ones) ; learner -> predicted test rows
    -> labels given by the threshold

The test rows are encoded with the means and scales of the training rows, and nothing else is done with them before the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import scipy

from lsdmlo_cli import cautions
from lsdmlo_cli.analysis import Analysis, Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.evaluation.learners import Learner
from lsdmlo_cli.evaluation.metrics import METRICS, Measured, Rules, measure
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.evaluation.thresholds import Threshold, cut_at_share
from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.numeric.matrix import Matrix, in_form, label_matrix, stacked
from lsdmlo_cli.samplers import Sampler

T = TypeVar("T")


@dataclass(frozen=True)
class Halves:
    """A data set parted for one fold: the Analysis of the training rows, and the test rows' E (m, e) and Y (m, q) bool."""

    analysis: Analysis
    E: Matrix
    Y: np.ndarray

    @property
    def minority(self) -> np.ndarray:
        """(q,) bool: the minority labels of the training rows with two positives there, and one among the test rows."""
        counts = self.analysis.dataset.counts
        shown: np.ndarray = self.analysis.minority & (counts >= 2) & self.Y.any(axis=0)
        return shown

    @property
    def share(self) -> np.ndarray:
        """(q,) the share of the training rows that have each label."""
        share: np.ndarray = self.analysis.dataset.counts / self.analysis.dataset.n
        return share


@dataclass(frozen=True)
class Resampled:
    """What a learner is trained on: E (n', e) and Y (n', q) CSR of 0 and 1; how many rows were added and removed; warnings."""

    E: Matrix
    Y: scipy.sparse.csr_array
    added: int
    removed: int
    warnings: tuple[str, ...] = ()


class Seconds(NamedTuple):
    """How long something took: processor time of this process, and on the wall."""

    cpu: float
    wall: float


def halves(data: Dataset, test: np.ndarray, settings: Settings) -> Halves:
    """Part a data set by test (n,) bool. Errors: DataError where the training rows have no feature, or too large numbers."""
    analysis = Analysis(data.take(~test), settings)
    analysis.require_neighbors()
    held_out = data.take(test)
    E = in_form(analysis.encode(held_out.X), dense=isinstance(analysis.E, np.ndarray))
    return Halves(analysis, E, held_out.Y.toarray() != 0)


def resampled(analysis: Analysis, sampler: Sampler | None, rng: np.random.Generator) -> Resampled:
    """The rows of an Analysis after sampling; None samples nothing."""
    E, Y = analysis.E, analysis.dataset.Y
    if sampler is None:
        return Resampled(E, Y, 0, 0)
    sample = sampler.sample(analysis, rng)
    made, kept = sample.collect(analysis.dataset), sample.kept(analysis.dataset.n)
    added = len(made.seeds)
    Y = stacked([Y[kept], label_matrix(made.Y)])
    return Resampled(
        stacked([E[kept], analysis.encode(made.X)]) if added else E[kept],
        Y,
        added,
        removed=sample.removed,
        warnings=tuple(cautions.of_result(analysis.dataset, sampler, sample, added, label_counts(Y))),
    )


def trial(
    parts: Halves,
    made: Resampled,
    learner: Learner,
    rng: np.random.Generator,
    rules: Rules,
    cut: Callable[[Prediction], Prediction] | None = None,
    metrics: Iterable[str] = METRICS,
) -> Measured:
    """Train a learner, and measure it on the test half; cut says which labels are given, None as the learner gives them."""
    prediction = learner.fit(made.E, made.Y, rng)(parts.E)
    return measure(parts.Y, prediction if cut is None else cut(prediction), rules, parts.minority, metrics)


def cut_without_folds(parts: Halves, threshold: Threshold) -> Callable[[Prediction], Prediction] | None:
    """The cut of `half`, or of `prior`, which stands in for `inner` where there are no folds inside the training half."""
    return None if threshold == "half" else lambda prediction: cut_at_share(prediction, parts.share)


def timed(work: Callable[[], T]) -> tuple[T, Seconds]:
    """The result of some work, and how long it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, Seconds(time.process_time() - cpu, time.perf_counter() - wall)
