"""Instance weights u = u^b + u^c: how likely a row is to be chosen as a seed.

b_ij    share of the k neighbours of i under label j that lack j, for the positives i of a minority label j     (Eq. 6)
b'_ij   b_ij / sum_i b_ij, outliers (b_ij = 1) left out                                                         (Eq. 7)
u^b_i   sum_j b'_ij                                                                                             (Eq. 8)
c_ij    max over the labels h correlated with j of (y_ih + sum of y_mh over the neighbours m) / (k + 1)         (Eq. 9)
u^c_i   sum_j c_ij                                                                                              (Eq. 10)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.numeric.rows import entry_rows, grouped, portions

CELLS = 2**22
"""Of a table of labels and rows, a byte a cell: 4 MB, however many labels and rows there are."""


def local_imbalance(has_label: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """b_ij of Eq. 6 for one label: has_label (n,) bool, neighbors (m, k) row indices -> (m,) shares in [0, 1].

    >>> local_imbalance(np.array([True, False, True]), np.array([[1, 2]]))
    array([0.5])
    """
    k = neighbors.shape[1]
    return (k - has_label[neighbors].sum(axis=1)) / k


def lacking_neighbors(label: np.ndarray, neighbors: np.ndarray, positives: Sequence[np.ndarray], n: int) -> np.ndarray:
    """k b_ij of Eq. 6 for rows of several labels: how many neighbours lack the label.

    label: (m,). neighbors: (m, k). positives: the rows with each label, among n. Returns (m,) whole numbers.

    >>> lacking_neighbors(np.array([0, 1]), np.array([[1, 2], [0, 1]]), [np.array([0, 2]), np.array([2])], 3)
    array([1, 2])
    """
    lacking = np.zeros(len(label), dtype=np.int64)
    for part in portions(np.full(len(positives), n), CELLS):
        rows, place = grouped(positives[part])
        has_label = np.zeros((part.stop - part.start, n), dtype=bool)
        has_label[place, rows] = True
        asked = np.flatnonzero((part.start <= label) & (label < part.stop))
        of_row = label[asked, np.newaxis] - part.start
        lacking[asked] = neighbors.shape[1] - has_label[of_row, neighbors[asked]].sum(axis=1)
    return lacking


def without_outliers(imbalance: np.ndarray) -> np.ndarray:
    """b'_ij of Eq. 7 for one label: (m,) -> (m,), summing to 1, or all 0 where every row is an outlier or has b = 0.

    >>> without_outliers(np.array([1.0, 0.2, 0.6]))
    array([0.  , 0.25, 0.75])
    """
    inside = np.where(imbalance == 1.0, 0.0, imbalance)
    total = inside.sum()
    return inside / total if total > 0 else np.zeros_like(inside)


def correlated_labels(YtY: Any, tr: Fraction) -> list[np.ndarray]:
    """The set of correlated labels of each label.

    Of the label pairs that occur together the ceil(tr * pairs) of the highest cosine are kept; each joins both labels' sets.
    YtY: (q, q) co-occurrence counts S, dense or CSR. The order is that of S_jh^2 / (n_j n_h), exact (equal cosines differ as
    floats); ties: the pair that comes first in row-major order. Returns q arrays of rising labels.

    >>> [list(map(int, others)) for others in correlated_labels(np.array([[2, 1, 0], [1, 1, 0], [0, 0, 1]]), Fraction(1))]
    [[1], [0], []]
    """
    counts = YtY.diagonal()
    above = scipy.sparse.triu(scipy.sparse.csr_array(YtY), k=1, format="csr")
    one, other = entry_rows(above), above.indices
    kept = _highest(above.data, counts[one], counts[other], ceil(tr * len(one)))
    pairs = np.concatenate([np.column_stack([one[kept], other[kept]]), np.column_stack([other[kept], one[kept]])])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return np.split(pairs[:, 1], np.searchsorted(pairs[:, 0], np.arange(1, len(counts))))


def _highest(together: np.ndarray, one: np.ndarray, other: np.ndarray, kept: int) -> np.ndarray:
    """Indices of the `kept` highest together^2 / (one other), earlier ones first among equals.

    Counts below 2^26 make numerator and denominator exact doubles, and a correctly rounded quotient keeps their order;
    only quotients that round to the same double as the last one kept are compared as fractions.
    """
    if kept == 0:
        return np.zeros(0, dtype=np.intp)
    ratio = together.astype(np.float64) ** 2 / (one.astype(np.float64) * other)
    last = np.partition(ratio, len(ratio) - kept)[len(ratio) - kept]
    sure, level = np.flatnonzero(ratio > last), np.flatnonzero(ratio == last)
    exact = [Fraction(int(together[i]) ** 2, int(one[i]) * int(other[i])) for i in level]
    order = sorted(range(len(level)), key=lambda i: (-exact[i], i))
    return np.concatenate([sure, level[order[: kept - len(sure)]]])


def label_correlation(Y: scipy.sparse.csr_array, rows: np.ndarray, neighbors: np.ndarray, correlated: np.ndarray) -> np.ndarray:
    """c_ij of Eq. 9 for one label j: the strongest correlated label in each row's neighbourhood.

    Y: (n, q). rows: (m,) the positives of j. neighbors: (m, k). correlated: the labels h of j's set. Returns (m,) in
    [0, 1]; 0 for an empty set.
    """
    m, k = neighbors.shape
    if len(correlated) == 0:
        return np.zeros(m)
    around = np.column_stack([rows, neighbors]).ravel()
    counts = (
        scipy.sparse.csr_array((np.ones(len(around)), around, np.arange(0, len(around) + 1, k + 1)), shape=(m, Y.shape[0])) @ Y
    )
    of_set = np.zeros(Y.shape[1], dtype=bool)
    of_set[correlated] = True
    most = np.zeros(m)
    entries = of_set[counts.indices]
    np.maximum.at(most, entry_rows(counts)[entries], counts.data[entries])
    return most / (k + 1)
