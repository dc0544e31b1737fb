"""COCOA: each label is learned alone and in turn together with other labels, on classes cut to equal size.

binary model      y_j
model of (j, k)   2 where y_j = 1, else 1 where y_k = 1, else 0
f_j = (P_j(1) + sum over the K coupled labels k of P_jk(2)) / (K + 1),   a label where f_j >= its threshold
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, check_options, has_label
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, probability, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.parameters import Option

THRESHOLDS = np.arange(1, 20) / 20


@dataclass(frozen=True)
class _Model:
    """A tree and the value of its target that speaks for the label."""

    tree: Any
    value: int


@dataclass(frozen=True)
class COCOA:
    """For each label a tree, and one with each of K = min(q - 1, coupled) other labels drawn at random, on undersampled classes.

    Every class of a tree is cut at random to the size of its smallest class that has a row. Thresholds are those of 0.05, 0.10,
    ..., 0.95 with the best F1 on the training rows (the lowest of equals; the publication allows any value), 0.5 where no F1 is
    above 0, where Mulan leaves 0. Scores are compared by >=, to tune and to predict. A label that all rows have or none is
    predicted so.

    This is the version of 2015, with a binary model of its own beside the coupled ones. coupled: the most other labels.
    Trees: learners/tree.py. Errors: ParameterError for a count below 1, or without scikit-learn.
    """

    name: ClassVar[str] = "cocoa"
    summary: ClassVar[str] = "decision trees on balanced classes of a label and of pairs of labels"
    reference: ClassVar[str] = "Zhang et al., 2015"

    coupled: Annotated[int, Option("Number of other labels that each label is learned with.", least=1)] = 10

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """q (K + 1) trees and q thresholds, on E (n, e) and Y (n, q)."""
        labels, rows = has_label(Y), rows_to_predict(E)
        models = [self._models(rows, labels, j, rng) for j in range(Y.shape[1])]
        thresholds = np.array([best_threshold(_score(mine, rows), labels[:, j]) for j, mine in enumerate(models)])

        def predict(E: Matrix) -> Prediction:
            rows = rows_to_predict(E)
            scores = np.column_stack([_score(mine, rows) for mine in models])
            return Prediction(scores, scores >= thresholds)

        return predict

    def _models(self, rows: Any, labels: np.ndarray, j: int, rng: np.random.Generator) -> list[_Model]:
        """The binary tree of a label and its coupled ones."""
        others = np.delete(np.arange(labels.shape[1]), j)
        coupled = rng.choice(others, min(len(others), self.coupled), replace=False)
        targets = [labels[:, j].astype(np.int64)] + [three_classes(labels[:, j], labels[:, k]) for k in coupled]
        return [_grown(rows, target, value, rng) for target, value in zip(targets, [1] + [2] * len(coupled), strict=True)]


def _grown(rows: Any, target: np.ndarray, value: int, rng: np.random.Generator) -> _Model:
    kept = undersampled(target, rng)
    return _Model(grow(columns_to_learn(rows[kept]), target[kept], rng), value)


def _score(models: list[_Model], rows: Any) -> np.ndarray:
    """f_j (m,)."""
    return np.mean([probability(model.tree, rows, model.value) for model in models], axis=0)


def three_classes(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,): 2 where a row has the label itself, else 1 where it has the other, else 0.

    >>> three_classes(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [2, 2, 1, 0]
    """
    return np.where(own, 2, other.astype(np.int64))


def undersampled(target: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows, rising: of each class in target (n,) as many as the smallest one has, at random and without repetition."""
    classes, size = np.unique(target, return_counts=True)
    drawn = [rng.choice(np.flatnonzero(target == value), size.min(), replace=False) for value in classes]
    return np.sort(np.concatenate(drawn))


def best_threshold(scores: np.ndarray, label: np.ndarray) -> float:
    """The lowest of 0.05, 0.10, ..., 0.95 with the best F1 = 2TP / (predicted + positives) of scores >= it; 0.5 if that is 0.

    >>> best_threshold(np.array([0.9, 0.6, 0.3]), np.array([True, False, False]))
    0.65
    """
    given = scores[:, np.newaxis] >= THRESHOLDS
    hits = (given & label[:, np.newaxis]).sum(axis=0)
    F1 = 2 * hits / np.maximum(given.sum(axis=0) + label.sum(), 1)
    return float(THRESHOLDS[F1.argmax()]) if F1.any() else 0.5
