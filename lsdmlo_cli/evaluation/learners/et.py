"""ET, extremely randomised trees: a forest whose trees have all labels at once.

w_1 = n / (2 n_j),  w_0 = n / (2 (n - n_j))   balanced; else both are 1
P_t = w_1 s / (w_1 s + w_0 (1 - s)),          s the share of the rows in a leaf of tree t that have label j
score = mean_t P_t
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.evaluation.learners.base import (
    ClassWeight,
    Predictor,
    above_half,
    balanced_weights,
    check_options,
    has_label,
)
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, rows_to_predict
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.parameters import Option


@dataclass(frozen=True)
class ET:
    """scikit-learn's extra trees with the Gini index over all labels and at least two rows in a leaf; a label has more than 0.5.

    They are preferred here to random forests: no bootstrap leaves out a rare positive, and minority average precision was as
    good or better on four of five data sets in the same time.

    trees: how many. class_weight: none, or balanced, by which the rows with a label weigh as much in all as those without it.
    A tree of all labels cannot be grown on weights that differ by label, and scikit-learn multiplies them; so they count in
    the leaves alone, for each label by itself. A label that all rows have, or none, scores 1 or 0.

    Trees are grown when rows are to be predicted, and none is kept: those of hundreds of labels would take gigabytes.
    Errors: ParameterError for a value out of range, or without scikit-learn.
    """

    name: ClassVar[str] = "et"
    summary: ClassVar[str] = "a forest of extremely randomised trees, each for all labels"
    reference: ClassVar[str] = "Geurts et al., 2006"

    trees: Annotated[int, Option("Number of trees.", least=1)] = 100
    class_weight: ClassWeight = "none"

    def __post_init__(self) -> None:
        check_options(self)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """The columns and seeds of trees on E (n, e) and Y (n, q)."""
        trees = optional("sklearn.tree", "the learner et needs scikit-learn", "evaluate")
        columns, has, seeds = columns_to_learn(E), has_label(Y), rng.integers(2**31, size=self.trees)
        positives = has.sum(axis=0)
        both = (positives > 0) & (positives < len(has))
        with_label, without = balanced_weights(positives[both], len(has))
        odds = with_label / without if self.class_weight == "balanced" else np.ones(len(with_label))

        def predict(E: Matrix) -> Prediction:
            rows = rows_to_predict(E)
            scores = np.tile(has[0].astype(np.float64), (rows.shape[0], 1))
            if both.any():
                kinds = (trees.ExtraTreeClassifier(min_samples_leaf=2, random_state=int(seed)) for seed in seeds)
                grown = (_shares(kind.fit(columns, has[:, both], check_input=False), rows) for kind in kinds)
                scores[:, both] = sum(odds * s / (odds * s + 1.0 - s) for s in grown) / self.trees
            return above_half(scores)

        return predict


def _shares(tree: Any, rows: Any) -> np.ndarray:
    """(m, q): the share of each label in the leaf of a tree that each row falls into."""
    counted = tree.tree_.value[tree.apply(rows, check_input=False)]
    shares: np.ndarray = counted[:, :, 1] / counted.sum(axis=2)
    return shares
