"""BR, binary relevance: each label has a tree of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import ClassWeight, Predictor, above_half, check_options, has_label
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, probability, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix


@dataclass(frozen=True)
class BR:
    """One tree a label, without regard to the others; the score is its probability of 1, a label has more than 0.5.

    class_weight: none, or balanced, which grows each tree on rows that weigh as much in all with the label as without it.
    Trees: learners/tree.py. Errors: ParameterError for another class_weight, or without scikit-learn.
    """

    name: ClassVar[str] = "br"
    summary: ClassVar[str] = "one decision tree for each label"
    reference: ClassVar[str] = "Boutell et al., 2004"

    class_weight: ClassWeight = "none"

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """q trees on E (n, e) and Y (n, q)."""
        columns = columns_to_learn(E)
        trees = [grow(columns, target, rng, self.class_weight) for target in has_label(Y).T]

        def predict(E: Matrix) -> Prediction:
            rows = rows_to_predict(E)
            return above_half(np.column_stack([probability(tree, rows, 1) for tree in trees]))

        return predict
