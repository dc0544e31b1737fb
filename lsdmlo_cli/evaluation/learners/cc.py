"""CC, a chain of classifiers: each label's tree sees the labels before it as features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, above_half, check_options, has_label
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, probability, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.parameters import Option


@dataclass(frozen=True)
class CC:
    """One tree a label, in the order of a chain: learned on the features and the true labels before it in the chain.

    To predict, the labels before it are those predicted (0 or 1). The score is the tree's own probability of 1, a label has
    more than 0.5. Columns of the prediction are in the order of Y, whatever the chain's.

    order: of the chain, random or natural (as in the data set). Trees: learners/tree.py. Errors: ParameterError for another
    order, or without scikit-learn.
    """

    name: ClassVar[str] = "cc"
    summary: ClassVar[str] = "a chain of decision trees, each of which sees the labels before it"
    reference: ClassVar[str] = "Read et al., 2011"

    order: Annotated[Literal["random", "natural"], Option("The order of the labels in the chain.")] = "random"

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """q trees on E (n, e) and Y (n, q), the t-th in the chain on e + t columns."""
        e, q = E.shape[1], Y.shape[1]
        chain = rng.permutation(q) if self.order == "random" else np.arange(q)
        labels = has_label(Y)[:, chain]
        columns = _beside(columns_to_learn(E), labels)
        trees = [grow(columns[:, : e + t], labels[:, t], rng) for t in range(q)]

        def predict(E: Matrix) -> Prediction:
            scores = _along_chain(trees, rows_to_predict(E))
            return above_half(scores[:, np.argsort(chain)])

        return predict


def _beside(columns: Any, labels: np.ndarray) -> Any:
    """Features and labels side by side (n, e + q), in the form of the features."""
    if isinstance(columns, np.ndarray):
        return np.asfortranarray(np.hstack([columns, labels.astype(np.float32)]))
    return scipy.sparse.hstack([columns, scipy.sparse.csc_array(labels.astype(np.float32))], format="csc")


def _along_chain(trees: list[Any], rows: Any) -> np.ndarray:
    """Scores (m, q) in the order of the chain."""
    m, e = rows.shape
    scores = np.zeros((m, len(trees)))
    labels = np.zeros((m, len(trees)), dtype=np.float32)
    room = np.hstack([rows, labels]) if isinstance(rows, np.ndarray) else None
    for t, tree in enumerate(trees):
        seen = (
            scipy.sparse.hstack([rows, scipy.sparse.csr_array(labels[:, :t])], format="csr") if room is None else room[:, : e + t]
        )
        scores[:, t] = probability(tree, seen, 1)
        labels[:, t] = scores[:, t] > 0.5
        if room is not None:
            room[:, e + t] = labels[:, t]
    return scores
