"""Encoded features: from the attributes' numbers X (n x d) to E (n x e), on which weights and distances are learned.

    number             one column: x, a missing x is the mean of those present
    1 declared value   one column of 0
    2 declared values  one column: 0 and 1, missing 0
    3 or more          one 0/1 column a value, missing 0 in all of them
    text, ignored      no column

Scaling divides a number's column by its range or its standard deviation (divisor n) and shifts nothing. Where no
attribute needs any of this, E is X itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import DENSE_FROM, IN_MEMORY, Matrix, Stack, in_form, release, walk
from lsdmlo_cli.numeric.rows import blocks, entries, entry_rows

Scale = Literal["none", "range", "std"]

TEXT = -1
NUMBER = 0
LARGEST_UNSCALED = 1e150
"""Up to this magnitude the squared differences of 10^7 features add up to less than the largest double, 1.8e308."""


@dataclass(frozen=True)
class Encoding:
    """How the columns of X become those of E.

    levels: (d,) TEXT, NUMBER or the count of declared values. first: (d,) what the first of two declared values stands
    for, 0 or 1. column: (d,) the attribute's first column in E. width: e. mean: (d,) what a missing number becomes.
    shift, divisor: (d,) a number x is encoded as (x / 2^shift) / divisor. plain: whether E is X itself.
    """

    levels: np.ndarray
    first: np.ndarray
    column: np.ndarray
    width: int
    mean: np.ndarray
    shift: np.ndarray
    divisor: np.ndarray
    plain: bool

    @property
    def attribute(self) -> np.ndarray:
        """(e,) the attribute of each column of E."""
        return np.repeat(np.arange(len(self.levels)), _widths(self.levels))


def fit_encoding(X: Matrix, levels: np.ndarray, first: np.ndarray, scale: Scale = "none") -> Encoding:
    """Learn means and scales from X (n, d), dense or CSR, NaN where a value is missing; levels and first as in Encoding."""
    d = len(levels)
    widths = _widths(levels)
    column = np.concatenate([[0], np.cumsum(widths)])[:-1]
    mean = np.zeros(d)
    missing = columns_with_missing(X)
    numbers_missing = missing & (levels == NUMBER)
    mean[numbers_missing] = _means(X, np.flatnonzero(numbers_missing))
    shift, divisor = np.zeros(d, dtype=np.int64), np.ones(d)
    if scale != "none":
        by_column = X if isinstance(X, np.ndarray) else scipy.sparse.csc_array(X)
        for j in np.flatnonzero(levels == NUMBER).tolist():
            shift[j], divisor[j] = _spread(_column(by_column, j), mean[j], X.shape[0], scale)
    one_to_one = (levels == NUMBER) | (levels == 2) & (first == 0)
    plain = bool(scale == "none" and one_to_one.all() and not missing.any())
    return Encoding(levels, first, column, int(widths.sum()), mean, shift, divisor, plain)


def encode(encoding: Encoding, X: Matrix, dense: bool | None = None, most_bytes: int = IN_MEMORY) -> Matrix:
    """E for rows X (n, d): (n, e), in the form that `dense` says, or (None) that its own density asks for.

    Built in blocks of rows, so that beside X and E only a block is held; beyond most_bytes E lies in a temporary file.
    """
    if encoding.plain:
        return X
    if dense is None:
        dense = encoded_density(encoding, X) >= DENSE_FROM
    E = Stack(encoding.width, most_bytes, dense)
    for _, part in walk(X, encoding.width):
        encode_block = _dense_block if dense else _sparse_block
        E.append(encode_block(encoding, in_form(part, dense)))
    return E.finish()


def encoded_density(encoding: Encoding, X: Matrix) -> float:
    """The share of cells of E that are not 0 (an upper bound: a mean or a scaled value may happen to be 0)."""
    n, d = X.shape
    if n == 0 or encoding.width == 0:
        return 1.0
    levels, first = encoding.levels, encoding.first
    stored = np.zeros(d, dtype=np.int64)
    missing = np.zeros(d, dtype=np.int64)
    for _, part in walk(X):
        if isinstance(part, np.ndarray):
            stored += np.count_nonzero(part, axis=0)
            missing += np.count_nonzero(np.isnan(part), axis=0)
        else:
            stored += np.bincount(part.indices, minlength=d)
            missing += np.bincount(part.indices[np.isnan(part.data)], minlength=d)
    filled = np.select(
        [levels == NUMBER, (levels == 2) & (first == 0), levels == 2, levels >= 3],
        [stored, stored - missing, n - stored, n - missing],
        0,
    )
    return float(filled.sum() / (n * encoding.width))


def columns_with_missing(X: Matrix) -> np.ndarray:
    """(d,) bool: the columns that hold a NaN."""
    if isinstance(X, np.ndarray):
        found = [np.isnan(part).any(axis=0) for _, part in walk(X)]
        return np.logical_or.reduce([np.zeros(X.shape[1], dtype=bool), *found])
    missing = np.zeros(X.shape[1], dtype=bool)
    for columns, values in entries(X):
        missing[columns[np.isnan(values)]] = True
    return missing


def largest_number(X: Matrix, levels: np.ndarray) -> tuple[float, int]:
    """The largest magnitude among the numbers of X, and its column; (0, -1) where there is none."""
    top = np.zeros(X.shape[1])
    if isinstance(X, np.ndarray):
        for _, part in walk(X):
            np.fmax(top, np.fmax.reduce(np.abs(part), axis=0, initial=0.0), out=top)
    else:
        for columns, values in entries(X):
            np.fmax.at(top, columns, np.abs(values))
    top[levels != NUMBER] = 0.0
    if not top.any():
        return 0.0, -1
    return float(top.max()), int(top.argmax())


def observed_range(X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of each column of X (n, d), missing ones left out; inf and -inf where all are missing.

    >>> observed_range(scipy.sparse.csr_array([[-1.0, 0.0], [np.nan, 3.0]]))
    (array([-1.,  0.]), array([-1.,  3.]))
    """
    n, d = X.shape
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    if isinstance(X, np.ndarray):
        for _, part in walk(X):
            np.fmin(low, np.fmin.reduce(part, axis=0, initial=np.inf), out=low)
            np.fmax(high, np.fmax.reduce(part, axis=0, initial=-np.inf), out=high)
        return low, high
    stored = np.zeros(d, dtype=np.int64)
    for columns, values in entries(X):
        np.fmin.at(low, columns, values)
        np.fmax.at(high, columns, values)
        stored += np.bincount(columns, minlength=d)
    left_out = stored < n
    return np.where(left_out, np.minimum(low, 0.0), low), np.where(left_out, np.maximum(high, 0.0), high)


def column_variance(E: Matrix) -> np.ndarray:
    """(e,) the variance (divisor n) of each column of E (n, e), half the mean squared difference of two of its rows.

    One pass in blocks; differences are taken from the first row, so that the variance of a constant column is exactly 0.

    >>> column_variance(np.array([[0.1, 1.0], [0.1, 3.0]]))
    array([0., 1.])
    """
    n, e = E.shape
    mean, square = np.zeros(e), np.zeros(e)
    if isinstance(E, np.ndarray):
        for part in blocks(E):
            apart = E[part] - E[0]
            mean += apart.sum(axis=0) / n
            square += (np.square(apart, out=apart) / n).sum(axis=0)
            release(E)
        return np.maximum(square - mean**2, 0)
    first, omitted = E[:1].toarray().sum(axis=0), np.full(e, float(n))
    for columns, values in entries(E):
        apart = values - first[columns]
        mean += np.bincount(columns, apart, e) / n
        square += np.bincount(columns, np.square(apart) / n, e)
        omitted -= np.bincount(columns, minlength=e)
    share = omitted / max(n, 1)
    return np.maximum(square + share * first**2 - (mean - share * first) ** 2, 0)


def _widths(levels: np.ndarray) -> np.ndarray:
    return np.select([levels == TEXT, levels >= 3], [0, levels], 1)


def _column(X: np.ndarray | scipy.sparse.csc_array, j: int) -> np.ndarray:
    """The stored values of a column in row order: all of them, or those that are not 0."""
    return X[:, j] if isinstance(X, np.ndarray) else X.data[X.indptr[j] : X.indptr[j + 1]]


def _means(X: Matrix, columns: np.ndarray) -> np.ndarray:
    """Means of the values present, summed in row order; 0 where there is none."""
    d = X.shape[1]
    chosen = np.zeros(d, dtype=bool)
    chosen[columns] = True
    if isinstance(X, np.ndarray):
        means = []
        for j in columns:
            present = X[:, j][~np.isnan(X[:, j])]
            means.append(_mean(present, len(present)))
        return np.array(means)
    where = np.flatnonzero(chosen[X.indices])
    order = where[np.argsort(X.indices[where], kind="stable")]
    parts = np.split(X.data[order], np.searchsorted(X.indices[order], columns[1:]))
    return np.array([_mean(part[~np.isnan(part)], X.shape[0] - int(np.isnan(part).sum())) for part in parts])


def _mean(present: np.ndarray, count: int) -> float:
    """The sum, one by one, over the count; powers of two keep it from overflowing."""
    if len(present) == 0 or count == 0:
        return 0.0
    shift = _shift(np.abs(present).max())
    return float(np.ldexp(np.cumsum(np.ldexp(present, -shift))[-1] / count, shift))


def _shift(largest: float) -> int:
    """The power of two that brings extreme columns near 1; 0 for all others, which stay as they are."""
    return 0 if largest == 0 or 1e-100 < largest < 1e100 else int(np.frexp(largest)[1])


def _spread(stored: np.ndarray, mean: float, n: int, scale: Scale) -> tuple[int, float]:
    """(shift, divisor) of one column: its range or standard deviation in units of 2^shift, inf if it is constant."""
    values = np.where(np.isnan(stored), mean, stored)
    shift = _shift(np.abs(values).max(initial=0.0))
    values = np.ldexp(values, -shift)
    zeros = n - len(values)
    if scale == "range":
        low, high = values.min(initial=0.0 if zeros else np.inf), values.max(initial=0.0 if zeros else -np.inf)
        spread = high - low if n else 0.0
    elif n and values.min(initial=np.inf) == values.max(initial=-np.inf) and not zeros:
        spread = 0.0  # rounding may give a constant column a standard deviation above 0
    else:
        middle = values.sum() / max(n, 1)
        spread = np.sqrt((np.square(values - middle).sum() + zeros * middle * middle) / max(n, 1))
    return shift, float(spread) if spread > 0 else np.inf


def _number_values(encoding: Encoding, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    filled = np.where(np.isnan(values), encoding.mean[columns], values)
    if encoding.shift.any():
        filled = np.ldexp(filled, -encoding.shift[columns])
    return filled / encoding.divisor[columns]


def _dense_block(encoding: Encoding, X: np.ndarray) -> np.ndarray:
    levels, column = encoding.levels, encoding.column
    E = np.zeros((X.shape[0], encoding.width))
    numbers = np.flatnonzero(levels == NUMBER)
    E[:, column[numbers]] = _number_values(encoding, X[:, numbers], numbers)
    pairs = np.flatnonzero(levels == 2)
    codes = X[:, pairs]
    E[:, column[pairs]] = np.nan_to_num(np.where(encoding.first[pairs] == 1, 1.0 - codes, codes), nan=0.0)
    many = np.flatnonzero(levels >= 3)
    rows, which = np.nonzero(~np.isnan(X[:, many]))
    E[rows, column[many[which]] + X[rows, many[which]].astype(np.int64)] = 1.0
    return E


def _sparse_block(encoding: Encoding, X: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    levels, first, column = encoding.levels, encoding.first, encoding.column
    n = X.shape[0]
    rows = entry_rows(X)
    attribute, value = X.indices, X.data
    present = ~np.isnan(value)
    number = levels[attribute] == NUMBER
    kept = number | present & ((levels[attribute] == 2) & (first[attribute] == 0) | (levels[attribute] >= 3))
    many = levels[attribute] >= 3
    columns = column[attribute] + np.where(many & present, np.nan_to_num(value), 0).astype(np.int64)
    values = np.where(number, _number_values(encoding, value, attribute), 1.0)
    ones = np.flatnonzero((levels >= 3) | (levels == 2) & (first == 1))  # an omitted cell of these columns is a 1
    omitted = np.ones((n, len(ones)), dtype=bool)
    place = np.full(len(levels), -1)
    place[ones] = np.arange(len(ones))
    stored = place[attribute] >= 0
    omitted[rows[stored], place[attribute[stored]]] = False
    more_rows, which = np.nonzero(omitted)
    coordinates = (np.concatenate([rows[kept], more_rows]), np.concatenate([columns[kept], column[ones[which]]]))
    E = scipy.sparse.csr_array((np.concatenate([values[kept], np.ones(len(more_rows))]), coordinates), shape=(n, encoding.width))
    E.eliminate_zeros()
    E.sort_indices()
    return E
