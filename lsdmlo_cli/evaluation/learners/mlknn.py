"""MLkNN: for each label the posterior, given how many of a row's k nearest rows have it.

prior   P(1) = (s + n_j) / (2s + n)
delta   how many of the k neighbours have label j
c_j     how many training rows with label j have each delta; likewise for those without it, and P(delta | 0)
P(delta | 1) = (s + c_j[delta]) / (s (k + 1) + sum c_j)
score   P(1) P(delta | 1) / (P(1) P(delta | 1) + P(0) P(delta | 0))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, above_half, check_options, has_label
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix, in_form
from lsdmlo_cli.numeric.neighbors import Search
from lsdmlo_cli.parameters import Option


@dataclass(frozen=True)
class MLkNN:
    """Lazy Bayesian classifier of labels by Euclidean distance on E, as it is; a label has a score above 0.5.

    A row of the training set is not its own neighbour; ties go to the lower row. k is lowered to n - 1 where there are fewer
    rows. k: neighbours. s: what is added to every count. Errors: ParameterError for k below 1 or s not above 0.
    """

    name: ClassVar[str] = "mlknn"
    summary: ClassVar[str] = "the labels of the nearest rows, weighed by Bayes' rule"
    reference: ClassVar[str] = "Zhang & Zhou, 2007"

    k: Annotated[int, Option("Number of neighbours.", least=1)] = 10
    s: Annotated[float, Option("What is added to every count.", above=True)] = 1.0

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Counts over E (n, e) and Y (n, q); no chance is in it."""
        n, k = E.shape[0], min(self.k, E.shape[0] - 1)
        has = has_label(Y)
        delta = neighbors_with_label(Search(E).of_all(k).index, Y)
        prior = (self.s + has.sum(axis=0)) / (2 * self.s + n)
        given_1, given_0 = self._likelihood(delta, has, k), self._likelihood(delta, ~has, k)
        dense = isinstance(E, np.ndarray)

        def predict(rows: Matrix) -> Prediction:
            delta = neighbors_with_label(Search(E).of_queries(in_form(rows, dense), k).index, Y)
            labels = np.arange(Y.shape[1])
            for_1, for_0 = prior * given_1[delta, labels], (1 - prior) * given_0[delta, labels]
            return above_half(for_1 / (for_1 + for_0))

        return predict

    def _likelihood(self, delta: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
        """(k + 1, q): P(delta | those rows (n, q) of each label)."""
        counts = np.array([((delta == d) & rows).sum(axis=0) for d in range(k + 1)])
        likelihood: np.ndarray = (self.s + counts) / (self.s * (k + 1) + counts.sum(axis=0))
        return likelihood


def neighbors_with_label(index: np.ndarray, Y: scipy.sparse.csr_array) -> np.ndarray:
    """(m, q) int: how many of the neighbours (m, k) have each label.

    >>> neighbors_with_label(np.array([[0, 1], [1, 1]]), scipy.sparse.csr_array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [[2, 1], [2, 2]]
    """
    m, k = index.shape
    among = scipy.sparse.csr_array((np.ones(m * k), index.ravel(), np.arange(m + 1) * k), shape=(m, Y.shape[0]))
    return (among @ Y).toarray().astype(np.int64)
