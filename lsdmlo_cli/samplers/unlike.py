"""Nearest rows with unlike labels: what MLeNN and MLTL look for.

Two rows are unlike where |y xor y'| / (|y| + |y'|), the adjusted Hamming distance of their labels, is above a threshold.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.labelsets import adjusted_hamming
from lsdmlo_cli.parameters import Option

THRESHOLD = Option("Share of differing labels above which two rows count as different.", most=1, none="chosen from MeanIR")


def unlike_neighbors(analysis: Analysis, k: int, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows without a minority label (m,), their k nearest rows (m, k), and which of these are unlike them (m, k) bool."""
    data = analysis.dataset
    rows = np.flatnonzero(data.Y @ analysis.minority.astype(np.float64) == 0)
    if k <= analysis.k:  # these lists serve the measures too
        found = analysis.euclidean.index[rows, :k]
    else:
        found = analysis.searches.euclidean(analysis.E).of_rows(rows, k).index
    unlike = [adjusted_hamming(data.Y, rows, found[:, place]) > threshold for place in range(found.shape[1])]
    return rows, found, np.column_stack(unlike)
