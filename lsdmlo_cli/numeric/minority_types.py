"""How hard the minority cells of Y (n x q) are (Liu & Tsoumakas, 2019): a cell is one row's value of one label.

v_j     the value of label j that fewer rows have (1 where both are as frequent)
C_ij    share of the k neighbours of i with the other value of j, where y_ij = v_j
S_ij    C_ij / sum of the C_ij of the column that are not 1; 0 where C_ij = 1
w_i     sum_j S_ij
type    SAFE C < 0.3, BORDER C < 0.7, RARE C < 1, OUTLIER C = 1; then, until nothing changes, a RARE cell with a SAFE or
        BORDER neighbour of the same label becomes BORDER. All other cells are MAJORITY.

Labels without a positive stay out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.instance_weights import local_imbalance, without_outliers

MAJORITY, SAFE, BORDER, RARE, OUTLIER = range(5)


class MinorityCells(NamedTuple):
    """The minority cells of one label: its number, rows (m,), and C_ij (m,)."""

    label: int
    rows: np.ndarray
    imbalance: np.ndarray


def minority_cells(Y: scipy.sparse.csc_array, neighbors: np.ndarray) -> Iterator[MinorityCells]:
    """The minority cells of each label of Y (n, q) with a positive; neighbors (n, k)."""
    n = Y.shape[0]
    for j in np.flatnonzero(np.diff(Y.indptr)).tolist():
        has = np.zeros(n, dtype=bool)
        has[Y.indices[Y.indptr[j] : Y.indptr[j + 1]]] = True
        minority = has if 2 * np.count_nonzero(has) <= n else ~has
        rows = np.flatnonzero(minority)
        yield MinorityCells(j, rows, local_imbalance(minority, neighbors[rows]))


def seed_weights(cells: list[MinorityCells], n: int) -> np.ndarray:
    """w, (n,)."""
    w = np.zeros(n)
    for label in cells:
        w[label.rows] += without_outliers(label.imbalance)
    return w


def removal_weights(cells: list[MinorityCells], neighbors: np.ndarray) -> np.ndarray:
    """MLUL's v_i >= 0, (n,): how useful a row is.

    v_i = w_i - the mean over the rows m that have i among their neighbours of sum_j S_mj (y_ij = y_mj ? -1 : 1), shifted so that
    the least is 0.
    """
    n = len(neighbors)
    harm = np.zeros(n)
    for label in cells:
        minority = np.zeros(n, dtype=bool)
        minority[label.rows] = True
        around = neighbors[label.rows]
        S = np.repeat(without_outliers(label.imbalance), around.shape[1])
        harm += np.bincount(around.ravel(), np.where(minority[around.ravel()], -S, S), minlength=n)
    reverse = np.bincount(neighbors.ravel(), minlength=n)
    v = seed_weights(cells, n) - harm / np.maximum(reverse, 1)
    return v - v.min(initial=np.inf)


def cell_types(cells: list[MinorityCells], neighbors: np.ndarray, q: int) -> scipy.sparse.csr_array:
    """The type of each cell, (n, q) int8; MAJORITY is not stored."""
    types = [settled_types(label, neighbors) for label in cells]
    row = np.concatenate([np.zeros(0, dtype=np.int64), *(label.rows for label in cells)])
    column = np.repeat([label.label for label in cells], [len(label.rows) for label in cells])
    value = np.concatenate([np.zeros(0, dtype=np.int8), *types])
    return scipy.sparse.csr_array((value, (row, column.astype(np.int64))), shape=(len(neighbors), q))


def settled_types(cells: MinorityCells, neighbors: np.ndarray) -> np.ndarray:
    """The types of one label's minority cells, (m,) int8."""
    C = cells.imbalance
    types = np.select([C < 0.3, C < 0.7, C < 1], [SAFE, BORDER, RARE], OUTLIER).astype(np.int8)
    of_row = np.zeros(len(neighbors), dtype=np.int8)
    of_row[cells.rows] = types
    while True:
        rare = cells.rows[of_row[cells.rows] == RARE]
        around = of_row[neighbors[rare]]
        promoted = rare[((around == SAFE) | (around == BORDER)).any(axis=1)]
        if len(promoted) == 0:
            return of_row[cells.rows]
        of_row[promoted] = BORDER
