"""The value difference metric between nominal values a, b of an attribute, for a label l (Stanfill & Waltz, 1986).

    vdm(a, b) = sum over c in {0, 1} of |P(l = c | a) - P(l = c | b)| = 2 |P(l = 1 | a) - P(l = 1 | b)|

It stands beside the squared differences of numbers, as it is or squared. Both are squared Euclidean distances, so that
the search of neighbors/ serves:

    squared     one column, 2 P(l = 1 | a)
    as it is    a 0/1 column for each step from one P to the next larger one that occurs; it counts twice the height of the
                step, and is 1 in the rows that lie beyond the step as seen from the value declared first

What is left out of a sparse row has code 0, and all its columns are 0. A missing value counts as a value of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix, walk
from lsdmlo_cli.numeric.rows import entry_rows, runs


class Values(NamedTuple):
    """The values of some nominal attributes, one after the other, and how many rows have them.

    columns: (f,) the attributes. start: (f + 1,) the place of each one's code 0; its last place is for missing.
    rows: (places,) how many have each.
    """

    columns: np.ndarray
    start: np.ndarray
    rows: np.ndarray


def count_values(X: Matrix, columns: np.ndarray, levels: np.ndarray) -> Values:
    """Count the values of the attributes `columns` (f,) of X (n, d), of which levels (f,) are declared."""
    start = np.append(0, np.cumsum(levels + 1))
    values = Values(columns, start, np.zeros(start[-1], dtype=np.int64))
    return values._replace(rows=_counts(X, values))


def _counts(X: Matrix, values: Values) -> np.ndarray:
    count = np.zeros(values.start[-1], dtype=np.int64)
    for _, part in walk(X):
        _, attribute, place = _places(part, values)
        count += np.bincount(place, minlength=len(count))
        count[values.start[:-1]] += part.shape[0] - np.bincount(attribute, minlength=len(values.columns))
    return count


def value_differences(X: Matrix, positives: Matrix, values: Values, power: int) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Columns (m, c) for rows X (m, d) and their factors (c,): the weighted squared distance is the sum of vdm^power.

    positives: the rows of the label, (n_l, d).
    """
    zero, above = values.start[:-1], np.diff(values.start)
    chance = _counts(positives, values) / np.maximum(values.rows, 1)
    row, attribute, place = _places(X, values)
    if power == 2:
        value = 2.0 * (chance[place] - chance[zero[attribute]])
        return _csr(value, row, attribute, (X.shape[0], len(values.columns))), np.ones(len(values.columns))
    owner = np.repeat(np.arange(len(values.columns)), above)
    order = np.lexsort((chance, owner))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - zero[owner]
    steps = np.delete(np.append(np.diff(chance[order]), 0.0), values.start[1:] - 1)
    first = zero - np.arange(len(zero))
    here, origin = rank[place], rank[zero[attribute]]
    length = np.abs(here - origin)
    column = runs(first[attribute] + np.minimum(here, origin), length)
    return _csr(np.ones(len(column)), np.repeat(row, length), column, (X.shape[0], len(steps))), 2.0 * steps


def _places(X: Matrix, values: Values) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the cells that are not 0: their row, attribute (0 to f - 1) and place among the values."""
    if isinstance(X, np.ndarray):
        codes = X[:, values.columns]
        row, attribute = np.nonzero(codes)
        code = codes[row, attribute]
    else:
        which = np.full(X.shape[1], -1)
        which[values.columns] = np.arange(len(values.columns))
        attribute = which[X.indices]
        mine = (attribute >= 0) & (X.data != 0)
        row, attribute, code = entry_rows(X)[mine], attribute[mine], X.data[mine]
    missing = np.diff(values.start)[attribute] - 1
    return row, attribute, values.start[attribute] + np.where(np.isnan(code), missing, code).astype(np.int64)


def _csr(value: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> scipy.sparse.csr_array:
    columns = scipy.sparse.csr_array((value, (row, column)), shape=shape)
    columns.eliminate_zeros()
    columns.sort_indices()
    return columns
