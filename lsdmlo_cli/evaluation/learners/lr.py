"""LR: each label has a logistic regression of its own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import ClassWeight, Predictor, above_half, check_options, has_label
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.encoding import column_variance
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.threads import one_blas_thread
from lsdmlo_cli.parameters import Option

MOST_STEPS = 1000
GAP = 1e-6
"""Largest entry of the gradient, a row, at which lbfgs stops; with scikit-learn's 1e-4 dense and sparse rows differ visibly."""


@dataclass(frozen=True)
class LR:
    """Binary relevance with scikit-learn's logistic regression (L2, lbfgs); the score is the probability, above 0.5 a label.

    Each column is divided by its standard deviation over the rows learned from, so that the units of features change nothing;
    dense columns are centred too, which the intercept makes good. A constant column is 0. A label that all rows have, or none,
    scores 1 or 0.

    c: inverse strength of the penalty. class_weight: none, or balanced, by which rows with a label weigh as much in all as those
    without it. Errors: ParameterError for a value out of range, or without scikit-learn.
    """

    name: ClassVar[str] = "lr"
    summary: ClassVar[str] = "a logistic regression for each label"
    reference: ClassVar[str] = "Boutell et al., 2004; Cox, 1958"

    c: Annotated[float, Option("Inverse strength of the penalty.", above=True)] = 1.0
    class_weight: ClassWeight = "none"

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """q models on E (n, e) and Y (n, q); no chance is in it."""
        spread, mean = np.sqrt(column_variance(E)), E.mean(axis=0)
        factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        with one_blas_thread():  # with more threads sums would come in another order
            W, intercept = self._fitted(_scaled(E, mean, factor), has_label(Y))

        def predict(E: Matrix) -> Prediction:
            with one_blas_thread():
                return above_half(scipy.special.expit(np.asarray(_scaled(E, mean, factor) @ W) + intercept))

        return predict

    def _fitted(self, rows: Matrix, has: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients (e, q) and intercepts (q,) for labels (n, q)."""
        linear = optional("sklearn.linear_model", "the learner lr needs scikit-learn", "evaluate")
        weights = None if self.class_weight == "none" else self.class_weight
        model = linear.LogisticRegression(C=self.c, class_weight=weights, tol=GAP, max_iter=MOST_STEPS)
        W, intercept = np.zeros((rows.shape[1], has.shape[1])), np.where(has[0], np.inf, -np.inf)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for j in np.flatnonzero(has.any(axis=0) & ~has.all(axis=0)).tolist():
                model.fit(rows, has[:, j])
                W[:, j], intercept[j] = model.coef_[0], model.intercept_[0]
        return W, intercept


def _scaled(E: Matrix, mean: np.ndarray, factor: np.ndarray) -> Matrix:
    if isinstance(E, np.ndarray):
        scaled: np.ndarray = (E - mean) * factor
        return scaled
    return scipy.sparse.csr_array(E.multiply(factor))
