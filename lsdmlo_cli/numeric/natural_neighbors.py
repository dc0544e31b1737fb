"""Natural neighbours: mutual neighbours for a k that the data determines (Zhu et al., 2016).

For k = 1, 2, ... let e(k) be the number of points that are in no other point's list of k nearest. The search ends at the first
k with e(k) = e(k - 1), or at k = m - 1; then NaN(i) holds the points that are in the list of i and have i in theirs.
"""

from __future__ import annotations

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import Search


def natural_neighbors(E: Matrix, *, threads: int = 1) -> scipy.sparse.csr_array:
    """(m, m) bool, row i holds NaN(i) of the rows E (m >= 2, e) by Euclidean distance.

    >>> natural_neighbors(np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])).toarray().astype(int).tolist()[0]
    [0, 1, 0, 0, 0]
    """
    m = E.shape[0]
    wide = 8
    while True:
        lists = Search(E, threads=threads).of_all(min(wide, m - 1)).index
        k = _settled(lists, m)
        if k:
            return _mutual(lists[:, :k])
        wide *= 2


def _settled(lists: np.ndarray, m: int) -> int:
    """The k at which the search ends, 0 where these lists are too short to tell."""
    k = lists.shape[1]
    first = np.full(m, k)
    np.minimum.at(first, lists.ravel(), np.tile(np.arange(k), m))
    empty = m - np.cumsum(np.bincount(first, minlength=k + 1)[:k])
    still = np.flatnonzero(empty[1:] == empty[:-1])
    if len(still):
        return int(still[0]) + 2
    return k if k == m - 1 else 0


def _mutual(lists: np.ndarray) -> scipy.sparse.csr_array:
    m, k = lists.shape
    names = scipy.sparse.csr_array((np.ones(m * k, dtype=bool), lists.ravel(), np.arange(0, m * k + 1, k)), shape=(m, m))
    mutual = scipy.sparse.csr_array(names.multiply(names.T))
    mutual.eliminate_zeros()
    mutual.sort_indices()
    return mutual
