"""What a learner says of rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Prediction:
    """scores: (m, q) float64, higher where a label is more likely; relevant: (m, q) bool, the labels given."""

    scores: np.ndarray
    relevant: np.ndarray
