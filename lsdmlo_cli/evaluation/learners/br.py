"""BR, binary relevance: each label has a tree of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import Predictor, above_half, has_label
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, probability, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix


@dataclass(frozen=True)
class BR:
    """One tree a label, without regard to the others; the score is its probability of 1, a label has more than 0.5.

    Trees: learners/tree.py. Errors: ParameterError without scikit-learn.
    """

    name: ClassVar[str] = "br"
    summary: ClassVar[str] = "one decision tree for each label"
    reference: ClassVar[str] = "Boutell et al., 2004"

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """q trees on E (n, e) and Y (n, q)."""
        columns = columns_to_learn(E)
        trees = [grow(columns, target, rng) for target in has_label(Y).T]

        def predict(E: Matrix) -> Prediction:
            rows = rows_to_predict(E)
            return above_half(np.column_stack([probability(tree, rows, 1) for tree in trees]))

        return predict
