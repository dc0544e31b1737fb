"""What can be near the queries of many labels, from one matrix product: dense rows, each query under its own label's weights.

The weights go to the query, so that what is made of the candidates serves all labels:

    D = (1 - c) (alpha + beta_j) - 2 sum_i (theta_ij a_i) b_i,    alpha = sum_i theta_ij a_i^2,  beta_j = sum_i theta_ij b_i^2,

with rows less a shift, over 2^exponent, as in bounds.py; so is what follows from D, and its error. A candidate is the row
b, beta_1, ..., beta_l, 1 and a query of label j the column -2 theta_j a, 0, ..., 1, ..., 0, alpha.

A search of its own looks at the support of theta_j alone, but prepares all rows anew for each label: where queries are few the
one product is faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lsdmlo_cli.numeric.neighbors.bounds import GROUP, Frame, choose_frame, crowded, error_bound, framed, near, padded, pairs
from lsdmlo_cli.numeric.rows import blocks, portions

PREPARED = 128
"""Queries whose product with a row takes as long as preparing that row for a search."""

CALL = 2**25
"""Cells of a product that take as long as what a search does besides. With both figures the choice is the faster way, or within
7 % of it: 20 labels of 2, 8, 32, 128 and 512 queries among 4,000 rows of 100 columns take 0.1 to 0.31 s of CPU time apart and
0.007 to 0.29 s together."""

LARGEST_THETA = 2.0**40
"""Coordinates in the frame are at most 1, so that sums under such weights stay far from overflow in single precision (2^128)."""

PART = 4
"""A quarter of the room is for what is made of the candidates, and as much for D: the groups and pairs take the other half."""

FAR = 2.0**120
"""Stands for infinity, which times 0 would be no number; beyond every limit, bounds.FARTHEST."""


def near_by_product(
    rows: np.ndarray, queries: np.ndarray, theta: np.ndarray, label: np.ndarray, farthest: np.ndarray, k: int, room: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(some, query, row): the pairs of some queries, by their place in some, and rows that can be among their k nearest.

    rows: (n, e). queries: (m, e). theta: (l, e). label: (m,). farthest: (m,) squared distances beyond which nothing is asked
    for. room: bytes, all in all. All queries of a label stand in one answer; in none where a search of its own is faster.
    """
    count = np.bincount(label, minlength=len(theta))
    chosen = _is_worth_it(len(rows), count, theta, room)
    if not chosen.any():
        return
    frame = choose_frame(rows, queries, None)._replace(theta=theta, largest=np.inf)
    c = error_bound(frame, np.float32)[0]
    form = _candidates(rows, theta, frame, c)
    for part in portions(4 * padded(len(rows)) * count * chosen, room // PART):
        some = np.flatnonzero(chosen[label] & (part.start <= label) & (label < part.stop))
        if not len(some):
            continue
        asked = queries if len(some) == len(queries) else queries[some]
        columns, alpha = _columns(asked, theta, label[some], frame, c)
        close = near(form @ columns.T, k, alpha, farthest[some], frame)
        if not crowded(close, k):
            found = list(pairs(close, np.arange(len(rows)), k, frame, room // 256))
            yield some, np.concatenate([each.query for each in found]), np.concatenate([each.candidate for each in found])


def tile_height(n: int, queries: np.ndarray, theta: np.ndarray, room: int) -> int:
    """How many of n candidates are held against the queries (l,) of each label at once: all of them, or as many as one product
    has room for where that is faster for some label than a search of its own."""
    most = GROUP * (room // PART // (8 * (theta.shape[1] + len(theta) + 1)) // GROUP)
    return most if 0 < most < n and _is_worth_it(most, queries, theta, room).any() else n


def _is_worth_it(rows: int, queries: np.ndarray, theta: np.ndarray, room: int) -> np.ndarray:
    """(l,) bool: labels for which the one product is faster than a search of its own.

    rows: how many candidates. queries: (l,) of each label. theta: (l, e). room: bytes.
    """
    e, support = theta.shape[1], np.count_nonzero(theta, axis=1)
    saved = CALL + PREPARED * (rows + queries) * support - rows * queries * (e + len(theta) - support)
    chosen = (queries > 0) & (saved > 0) & (theta.max(axis=1, initial=0.0) <= LARGEST_THETA)
    chosen &= 4 * padded(rows) * queries <= room // PART
    is_worth_it = 8 * rows * (e + len(theta) + 1) <= room // PART and saved[chosen].sum() > PREPARED * rows * e
    return chosen if is_worth_it else np.zeros_like(chosen)


def _candidates(rows: np.ndarray, theta: np.ndarray, frame: Frame, c: float) -> np.ndarray:
    """(n', e + l + 1)"""
    n, e = rows.shape
    form = np.zeros((padded(n), e + len(theta) + 1), dtype=np.float32)
    form[:, e:] = 1
    form[n:, e:-1] = FAR
    for part in blocks(rows):
        values = framed(rows[part], frame)
        form[part, :e] = values
        form[part, e:-1] = (1 - c) * ((values * values) @ theta.T)
    return form


def _columns(queries: np.ndarray, theta: np.ndarray, label: np.ndarray, frame: Frame, c: float) -> tuple[np.ndarray, np.ndarray]:
    """(m', e + l + 1), and alpha (m,)."""
    m, e = queries.shape
    columns, alpha = np.zeros((padded(m), e + len(theta) + 1), dtype=np.float32), np.empty(m)
    for part in blocks(queries):
        values = framed(queries[part], frame)
        weighted = values * theta[label[part]]
        alpha[part] = np.einsum("ij,ij->i", values, weighted)
        np.multiply(weighted, -2, out=columns[part, :e], casting="same_kind")
    columns[np.arange(m), e + label] = 1
    columns[:m, -1], columns[m:, -1] = (1 - c) * alpha, FAR
    return columns, alpha
