"""What every learner is: hyper-parameters, and a `fit` that gives back a function from rows to their labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
import scipy

from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix

Predictor: TypeAlias = Callable[[Matrix], Prediction]
"""From encoded features (m, e), of the same encoding as those that were learned from, to scores and labels (m, q)."""


class Learner(Protocol):
    """A frozen dataclass of hyper-parameters.

    summary: what it does, in a line. reference: the publication. One that needs optional packages names them in `packages`.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Learn from E (n, e), without NaN, and Y (n, q), n and e at least 1. All chance comes from rng."""
        ...


def has_label(Y: scipy.sparse.csr_array) -> np.ndarray:
    """(n, q) bool, each label's column contiguous."""
    return np.asfortranarray(Y.toarray() != 0)


def above_half(scores: np.ndarray) -> Prediction:
    """The labels with a score above 0.5; a score of 0.5 is no label, as a tree that is undecided says 0."""
    return Prediction(scores, scores > 0.5)
