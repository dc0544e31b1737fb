"""Synthetic rows from seeds s and references r (Eq. 11 and 12).

    numeric   x_g = alpha x_s + (1 - alpha) x_r, alpha in [0, 1) anew for each attribute (or once for each row)
    nominal   x_g = the most frequent value among s and its neighbours
    labels    y_g = y_s where y_s = y_r, else that of s or r, whichever is nearer to g under the label's own distance

Rows are given as cells: (row, column, value) lists in row-major order of what is not 0, so that dense and sparse data
draw the same numbers.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix, take
from lsdmlo_cli.numeric.rows import entry_rows

Interpolation = Literal["attribute", "instance"]


class Cells(NamedTuple):
    """Cells of a group of g rows in which at least one member is not 0, in row-major order; values: (cells, g)."""

    row: np.ndarray
    column: np.ndarray
    values: np.ndarray


def roulette(weights: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Indices drawn in proportion to non-negative weights (n,), one for each uniform number in [0, 1).

    An index of weight 0 is never drawn. Errors: ValueError where all weights are 0.

    >>> roulette(np.array([0.0, 1.0, 3.0]), np.array([0.0, 0.24, 0.25, 0.99]))
    array([1, 1, 2, 2])
    """
    wheel = np.cumsum(weights)
    if not wheel[-1] > 0:
        raise ValueError("all weights are 0")
    drawn = np.searchsorted(wheel, uniform * wheel[-1], side="right")
    return np.minimum(drawn, np.flatnonzero(weights)[-1])  # rounding may reach the very end of the wheel


def gather(X: Matrix, members: np.ndarray, columns: np.ndarray) -> Cells:
    """The cells of each group of rows members (m, g) of X (n, d) in the columns marked in columns (d,) bool.

    A cell is listed where a member of the group holds something else than 0 (a missing value too).
    """
    m, size = members.shape
    part = take(X, members.ravel())
    if isinstance(part, np.ndarray):
        chosen = np.flatnonzero(columns)
        part = part[:, chosen].reshape(m, size, len(chosen))
        row, place = np.nonzero((part != 0).any(axis=1))
        return Cells(row, chosen[place], part[row, :, place])
    owner = entry_rows(part)
    kept = columns[part.indices]
    key = (owner[kept] // size) * X.shape[1] + part.indices[kept].astype(np.int64)
    cells, which = np.unique(key, return_inverse=True)
    values = np.zeros((len(cells), size))
    values[which, owner[kept] % size] = part.data[kept]
    return Cells(cells // X.shape[1], cells % X.shape[1], values)


def interpolate(cells: Cells, rows: int, whole: np.ndarray, mode: Interpolation, rng: np.random.Generator) -> np.ndarray:
    """Eq. 11 for numbers: cells of `rows` pairs (seed, reference) -> (cells,) new values.

    Equal parents keep their value and draw no alpha; where one is missing the other's value is taken, where both are,
    NaN. A drawn value lies between the parents; where `whole` (cells,) says so it is then rounded, halves to even.
    """
    seed, reference = cells.values.T
    value = np.where(np.isnan(seed), reference, seed)
    apart = np.flatnonzero((seed != reference) & ~np.isnan(seed) & ~np.isnan(reference))
    alpha = rng.random(len(apart)) if mode == "attribute" else rng.random(rows)[cells.row[apart]]
    s, r = seed[apart], reference[apart]
    drawn = np.clip(alpha * s + (1.0 - alpha) * r, np.minimum(s, r), np.maximum(s, r))
    value[apart] = np.where(whole[apart], np.rint(drawn), drawn)
    return value


def vote(codes: np.ndarray) -> np.ndarray:
    """Eq. 11 for nominal attributes: codes (m, 1 + k) of a seed and its neighbours -> (m,) the most frequent code.

    Ties go to the seed's value if it is among the most frequent, else to the lowest code. A missing value (NaN) has no
    vote; without any vote the result is NaN.

    >>> vote(np.array([[0, 1, 1], [2, 1, 0], [np.nan, 2, 1]]))
    array([1., 2., 1.])
    """
    members = codes.shape[1]
    votes = np.zeros(codes.shape, dtype=np.int32)
    for other in range(members):
        votes += codes == codes[:, other : other + 1]
    most = votes.max(axis=1, keepdims=True)
    winners = np.where((votes == most) & (most > 0), codes, np.inf)
    lowest = winners.min(axis=1, initial=np.inf)
    lowest[np.isinf(lowest)] = np.nan
    return np.where(np.isfinite(winners[:, 0]), codes[:, 0], lowest)


def coin(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Codes (m, 2) of seeds and references -> (m,) either of the two, with even chance.

    Where they agree no coin is tossed; where one is missing the other's code is taken.
    """
    seed, reference = codes.T
    value = np.where(np.isnan(seed), reference, seed)
    apart = np.flatnonzero((seed != reference) & ~np.isnan(seed) & ~np.isnan(reference))
    value[apart] = np.where(rng.random(len(apart)) < 0.5, seed[apart], reference[apart])
    return value


def assemble(parts: list[tuple[Cells, np.ndarray]], shape: tuple[int, int], dense: bool) -> Matrix:
    """Rows from cells and the value of each; no cell may be listed twice."""
    row = np.concatenate([cells.row for cells, _ in parts])
    column = np.concatenate([cells.column for cells, _ in parts])
    value = np.concatenate([values for _, values in parts]) + 0.0  # so that -0 is 0
    if dense:
        X = np.zeros(shape)
        X[row, column] = value
        return X
    sparse = scipy.sparse.csr_array((value, (row, column)), shape=shape)
    sparse.eliminate_zeros()
    sparse.sort_indices()
    return sparse


def with_ancestors(Y: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Y (m, q) bool in which a label that is set also sets the labels above it; parents (q,), -1 without one.

    >>> with_ancestors(np.array([[False, False, True]]), np.array([-1, 0, 1]))
    array([[ True,  True,  True]])
    """
    if (parents < 0).all():
        return Y
    closed = Y.copy()
    for label in by_falling_depth(parents):
        if parents[label] >= 0:
            closed[:, parents[label]] |= closed[:, label]
    return closed


def by_falling_depth(parents: np.ndarray) -> np.ndarray:
    """The labels of a hierarchy, the deepest first."""
    depth = np.zeros(len(parents), dtype=np.int64)
    above = parents.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parents[above], -1)
    return np.argsort(-depth, kind="stable")
