"""Squared distances of pairs of rows, to the last bit.

    d_j(a, b)^2 = sum_i theta_ij (E_ai - E_bi)^2                        (Eq. 5; Euclid is theta = 1)

The terms are added one by one in float64 in rising column order, so that a distance depends on nothing but its two rows:
neither on how rows are stored nor on what else is computed with it.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.rows import CELLS, row_sums


def squared_distances(A: Matrix, B: Matrix, theta: np.ndarray | None = None) -> np.ndarray:
    """d^2 of the pairs A[i], B[i] (m,): Eq. 5, summed in rising column order.

    A, B: (m, e), both dense or both CSR with sorted indices. theta: (e,), None is Euclid.

    >>> squared_distances(np.array([[0.0, 3.0]]), np.array([[2.0, 0.0]]), np.array([1.0, 0.5]))
    array([8.5])
    """
    every = np.arange(A.shape[0])
    return pair_distances(A, every, B, every, None if theta is None else theta[np.newaxis])


def pair_distances(
    A: Matrix, a: np.ndarray, B: Matrix, b: np.ndarray, theta: np.ndarray | None, label: np.ndarray | None = None
) -> np.ndarray:
    """d^2 of the pairs A[a], B[b] (t,), a bounded number of cells at a time.

    theta: (l, e), the weights of l labels, None is Euclid. label: (t,) which of them is that of a pair, None is the first.
    """
    found = np.zeros(len(a))
    step = max(1, 2 * CELLS // max(1, _width(A) + _width(B)))
    for start in range(0, len(a) if A.shape[1] else 0, step):
        part = slice(start, start + step)
        difference = A[a[part]] - B[b[part]]
        terms = difference if isinstance(difference, np.ndarray) else difference.data
        terms *= terms
        if theta is not None:
            terms *= _weights(difference, theta, None if label is None else label[part])
        if isinstance(difference, np.ndarray):
            found[part] = np.cumsum(terms, axis=1, out=terms)[:, -1]
        else:
            found[part] = row_sums(difference)
    return found


def _weights(rows: Matrix, theta: np.ndarray, label: np.ndarray | None) -> np.ndarray:
    """The weights of the cells of rows, or of their stored entries where they are sparse."""
    if isinstance(rows, np.ndarray):
        return theta[0] if label is None else theta[label]
    return theta[0, rows.indices] if label is None else theta[np.repeat(label, np.diff(rows.indptr)), rows.indices]


def _width(A: Matrix) -> int:
    """What a row takes, in cells."""
    return A.shape[1] if isinstance(A, np.ndarray) else 8 * A.nnz // max(1, A.shape[0])
