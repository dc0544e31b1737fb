"""The label graph: A_jh = cosine of the columns j and h of Y, and its Laplacian A' - A.

A' is the diagonal matrix of the row sums of A (section 3.1 of the paper, the third term of the objective).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cosine_similarity(YtY: NDArray[np.float64]) -> NDArray[np.float64]:
    """A (q x q) from Y'Y (q x q): symmetric to the bit, diagonal 1; an empty label has a row and column of 0.

    >>> cosine_similarity(np.array([[4.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    positives = np.diag(YtY)
    # One square root of the exact product n_j n_h, not a product of two rounded roots.
    norms = np.sqrt(np.outer(positives, positives))
    A: NDArray[np.float64] = np.divide(YtY, norms, out=np.zeros_like(norms), where=norms > 0)
    return A


def laplacian(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """diag(row sums of A) - A, q x q. An empty label has a row of zeros.

    >>> laplacian(np.array([[1.0, 0.5], [0.5, 1.0]])).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    return np.diag(A.sum(axis=1)) - A
