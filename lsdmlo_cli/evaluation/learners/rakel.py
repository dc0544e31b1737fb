"""RAkEL: random sets of k labels, each learned as one target with up to 2^k values; labels are voted for."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, check_options, has_label
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.parameters import Option

SUBSET_LABELS = 3
MOST_DRAWS = 1000


@dataclass(frozen=True)
class RAkEL:
    """Overlapping RAkEL: min(2q, C(q, 3)) different sets of three labels at random, a tree on the label powerset of each.

    The score of a label is the share of the trees with that label that predict it (scores="votes"), or the mean of the
    probabilities they give it (scores="probabilities"); a label has at least 0.5, as in Mulan. The sets are drawn again until
    every label is in one of them; should 1000 draws not do, as they may with thousands of labels, a label in none scores 0.
    Up to three labels are learned as one set.

    Trees: learners/tree.py. Errors: ParameterError for other scores, or without scikit-learn.
    """

    name: ClassVar[str] = "rakel"
    summary: ClassVar[str] = "decision trees on random sets of three labels, which vote"
    reference: ClassVar[str] = "Tsoumakas et al., 2011"

    scores: Annotated[Literal["votes", "probabilities"], Option("What the trees of a label are averaged by.")] = "votes"

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """A tree for each set of labels, on E (n, e) and Y (n, q)."""
        q = Y.shape[1]
        columns, labels = columns_to_learn(E), has_label(Y)
        subsets = label_subsets(q, rng)
        trees = [grow(columns, labels[:, subset] @ 2 ** np.arange(len(subset)), rng) for subset in subsets]
        covering = np.bincount(np.concatenate(subsets), minlength=q)

        def predict(E: Matrix) -> Prediction:
            rows = rows_to_predict(E)
            total = np.zeros((rows.shape[0], q))
            for subset, tree in zip(subsets, trees, strict=True):
                total[:, subset] += self._votes(tree, rows, len(subset))
            scores = total / np.maximum(covering, 1)
            return Prediction(scores, scores >= 0.5)

        return predict

    def _votes(self, tree: Any, rows: Any, size: int) -> np.ndarray:
        """(m, size): what one tree says of each label of its set."""
        bits = tree.classes_[:, np.newaxis] >> np.arange(size) & 1
        shares: np.ndarray = tree.predict_proba(rows, check_input=False)
        votes: np.ndarray = bits[shares.argmax(axis=1)] if self.scores == "votes" else shares @ bits
        return votes


def label_subsets(q: int, rng: np.random.Generator) -> list[np.ndarray]:
    """min(2q, C(q, 3)) different sets of three labels, rising each; all labels as one set where there are three or fewer.

    >>> label_subsets(2, np.random.default_rng(0))
    [array([0, 1])]
    """
    if q <= SUBSET_LABELS:
        return [np.arange(q)]
    for _ in range(MOST_DRAWS):
        subsets = _distinct_subsets(q, min(2 * q, comb(q, SUBSET_LABELS)), rng)
        if len(np.unique(subsets)) == q:
            break
    return list(subsets)


def _distinct_subsets(q: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, 3), in the order in which they were drawn."""
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < count:
        drawn[tuple(np.sort(rng.choice(q, SUBSET_LABELS, replace=False)).tolist())] = None
    return np.array(list(drawn))
