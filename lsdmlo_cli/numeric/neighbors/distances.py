"""Squared distances of pairs of rows, to the last bit.

    d_j(a, b)^2 = sum_i theta_ij (E_ai - E_bi)^2                        (Eq. 5; Euclidean: theta = 1)

The terms are added one by one in float64 in rising column order, so that a distance depends on nothing but its two rows:
neither on how rows are stored nor on what else is computed with it.
"""

from __future__ import annotations

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.rows import CELLS, portions, row_sums


def squared_distances(A: Matrix, B: Matrix, theta: np.ndarray | None = None) -> np.ndarray:
    """d^2 of the pairs A[i], B[i] (m,): Eq. 5, summed in rising column order.

    A, B: (m, e), both dense or both CSR with sorted indices. theta: (e,), None is the Euclidean distance.

    >>> squared_distances(np.array([[0.0, 3.0]]), np.array([[2.0, 0.0]]), np.array([1.0, 0.5]))
    array([8.5])
    """
    every = np.arange(A.shape[0])
    return pair_distances(A, every, B, every, None if theta is None else theta[np.newaxis])


def pair_distances(
    A: Matrix, a: np.ndarray, B: Matrix, b: np.ndarray, theta: np.ndarray | None, label: np.ndarray | None = None
) -> np.ndarray:
    """d^2 of the pairs A[a], B[b] (t,), a bounded number of cells at a time.

    theta: (l, e), the weights of l labels, None: Euclidean. label: (t,) which of them is that of a pair, None is the first.
    """
    found = np.zeros(len(a))
    for part in portions(_cells(A, a) + _cells(B, b), CELLS) if A.shape[1] else ():
        of_pair = None if label is None else label[part]
        if isinstance(A, np.ndarray):
            difference = A.take(a[part], axis=0)
            difference -= B.take(b[part], axis=0)
            found[part] = _dense_sums(difference, theta, of_pair)
        else:
            found[part] = _sparse_sums(A[a[part]] - B[b[part]], theta, of_pair)
    return found


def _dense_sums(terms: np.ndarray, theta: np.ndarray | None, label: np.ndarray | None) -> np.ndarray:
    """(t,) for differences (t, e), which are used up."""
    terms *= terms
    if theta is not None:
        terms *= theta[0] if label is None else theta.take(label, axis=0)
    if len(terms) == 1:
        return np.cumsum(terms)[-1:]
    # Down the columns of a transposed copy `add.reduce` adds one by one; along the fast axis it would not.
    return np.asarray(np.add.reduce(np.ascontiguousarray(terms.T), axis=0))


def _sparse_sums(difference: scipy.sparse.csr_array, theta: np.ndarray | None, label: np.ndarray | None) -> np.ndarray:
    """(t,) for differences (t, e), which are used up."""
    difference.data *= difference.data
    if theta is not None:
        row = 0 if label is None else np.repeat(label, np.diff(difference.indptr))
        difference.data *= theta[row, difference.indices]
    return row_sums(difference)


def _cells(A: Matrix, rows: np.ndarray) -> np.ndarray:
    """What each of some rows takes (t,), and one for the pair."""
    return np.full(len(rows), A.shape[1] + 1) if isinstance(A, np.ndarray) else A.indptr[rows + 1] - A.indptr[rows] + 1
