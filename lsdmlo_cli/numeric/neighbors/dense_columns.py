"""What can be near the queries of many labels, from products of sparse queries with candidates whose columns are laid out dense.

As in products.py the weights go to the query, so that what is made of the candidates serves all labels:

    D = (1 - c) (alpha + beta_j) - 2 sum_i (theta_ij a_i) b_i,    alpha = sum_i theta_ij a_i^2,  beta_j = sum_i theta_ij b_i^2,

with rows over 2^exponent; D, its error and what follows from it are those of bounds.py. A tile of candidates has a row of their
values in each column, of beta_1, ..., beta_l and of 1. A query of label j adds up a few of these rows: those of the columns that
it has times -2 theta_ij a_i, that of beta_j, and alpha times 1.

The first tile tells how far the k-th nearest can be; in the others few pairs are left by one comparison. Where so many are left
that rows must be alike, a search of its own is better, as it takes equal rows together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.neighbors.bounds import GROUP, Frame, choose_frame, error_bound, in_frame, limit_of, padded, reach
from lsdmlo_cli.numeric.neighbors.products import FAR, LARGEST_THETA, PART
from lsdmlo_cli.numeric.neighbors.shared_columns import Queries, is_plain, kth_smallest, of_some
from lsdmlo_cli.numeric.rows import portions

HIGHEST, LOWEST = 4096, 256
"""Candidates of a tile where there is room for so many, and how many must fit. 2,048 and 4,096 take about the same CPU time."""

CELLS = 2**19
"""Cells of a product: 2 MiB. 2^17 take up to 1.3 times the CPU time, as there are more products."""

MOST_QUERIES = 400
"""Of a label; more are worth a search of its own. CPU time over that of such searches: on delicious and bibtex 0.3 to 0.5 with 25
to 130 queries a label, 0.8 with 250, 0.9 with 400, 1.3 with 500 to 1,100; on tmc2007-500 1.2 to 2.0 with 800 to 17,000."""

CROWD = 64
"""Times k pairs that a query may have left on average. On 0/1 rows that tie by the dozen 3 k to 15 k are left; where each row is
there a hundred times, more than 100 k."""


class _Plan(NamedTuple):
    """The columns (s,) that some label weighs, the weights of all columns (l, e), the frame and the error c and slack of D in it,
    which labels let candidates without a column of theirs be left out (l,), the candidates of a tile, and k."""

    columns: np.ndarray
    theta: np.ndarray
    frame: Frame
    error: float
    slack: float
    is_plain: np.ndarray
    height: int
    k: int


class _Pairs(NamedTuple):
    """Queries, rows and D (t,), the queries rising."""

    query: np.ndarray
    row: np.ndarray
    D: np.ndarray


def near_by_columns(
    rows: scipy.sparse.csr_array, asked: Queries, theta: np.ndarray, chosen: np.ndarray, farthest: np.ndarray, k: int, room: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(some, query, row): the pairs of some queries, by their place in some, and rows that can be among their k nearest.

    rows: (n, e). theta: (l, e). chosen: (l,) bool, the labels to look at. farthest: (m,) squared distances beyond which nothing
    is asked for. room: bytes, all in all. All queries of a label are in the answers, or none where another search is better.
    """
    is_few = np.bincount(asked.label, minlength=len(theta)) <= MOST_QUERIES
    chosen = chosen & is_few & (theta.max(axis=1, initial=0.0) <= LARGEST_THETA)
    which = np.flatnonzero(chosen[asked.label])
    if not len(which):
        return
    asked, theta = of_some(asked, which, chosen), theta[chosen]
    plan = _plan(rows, asked, theta, k, room)
    if plan.height < min(LOWEST, rows.shape[0]):
        return
    near, crowded = _search(rows, asked, in_frame(farthest[which], plan.frame), plan)
    for part, pairs in near:
        is_found = ~crowded[asked.label[part]]
        if is_found.any():
            kept = is_found[pairs.query]
            yield which[part][is_found], (np.cumsum(is_found) - 1)[pairs.query[kept]], pairs.row[kept]


def _plan(rows: scipy.sparse.csr_array, asked: Queries, theta: np.ndarray, k: int, room: int) -> _Plan:
    frame = choose_frame(rows, asked.rows, None)._replace(theta=theta, largest=np.inf)
    columns = np.flatnonzero(theta.any(axis=0))
    height = min(HIGHEST, room // PART // (4 * (len(columns) + len(theta) + 1))) // GROUP * GROUP
    error, slack = error_bound(frame, np.float32)
    return _Plan(columns, theta, frame, error, slack, is_plain(rows, asked, theta), height, min(rows.shape[0], k))


def _search(
    rows: scipy.sparse.csr_array, asked: Queries, within: np.ndarray, plan: _Plan
) -> tuple[list[tuple[slice, _Pairs]], np.ndarray]:
    """What can be near each part of the queries, and which labels are crowded (l,): of these something is missing.

    within: (m,) squared distances in the frame beyond which nothing is asked for.
    """
    queries, alpha = _queries(asked, plan)
    limit = limit_of(within, plan.slack, np.float32)
    parts = list(portions(np.full(len(limit), min(plan.height, rows.shape[0])), CELLS))
    near = [_Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))] * len(parts)
    most = CROWD * plan.k * np.bincount(asked.label, minlength=len(plan.theta))
    crowded = np.zeros(len(plan.theta), dtype=bool)
    for first, tile in _tiles(rows, plan):
        left = np.zeros(len(most))
        for at, part in enumerate(parts):
            D, own = queries[part] @ tile, limit[part]
            if first == 0:
                np.minimum(own, _first_limit(D, alpha[part], plan), out=own)
            near[at] = _narrowed(near[at], _up_to(D, own, first), own, alpha[part], plan)
            left += np.bincount(asked.label[part][near[at].query], minlength=len(most))
        crowded |= left > most
        limit[crowded[asked.label]] = -np.inf
    return list(zip(parts, near, strict=True)), crowded


def _queries(asked: Queries, plan: _Plan) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """(m, s + l + 1), and alpha in the frame (m,)."""
    rows, m, s, width = asked.weighted, len(asked.label), len(plan.columns), len(plan.columns) + len(plan.theta) + 1
    alpha = np.ldexp(asked.alpha, -2 * plan.frame.exponent)
    end = rows.indptr[1:] + 2 * np.arange(m)  # two entries more a row
    own = np.ones(rows.nnz + 2 * m, dtype=bool)
    own[end] = own[end + 1] = False
    data: np.ndarray = np.ones(len(own), dtype=np.float32)
    indices = np.empty(len(own), dtype=np.int32)
    data[own], data[end + 1] = -np.ldexp(rows.data, -plan.frame.exponent), (1 - plan.error) * alpha
    indices[own], indices[end], indices[end + 1] = np.searchsorted(plan.columns, rows.indices), s + asked.label, width - 1
    return scipy.sparse.csr_array((data, indices, np.append(0, end + 2).astype(np.int32)), shape=(m, width)), alpha


def _tiles(rows: scipy.sparse.csr_array, plan: _Plan) -> Iterator[tuple[int, np.ndarray]]:
    """The first of some candidates, and these (s + l + 1, p'), until the next tile is asked for, which takes their place.

    What fills up the last GROUP is infinitely far.
    """
    (n, e), (l, s) = rows.shape, (len(plan.theta), len(plan.columns))
    theta = np.ascontiguousarray(plan.theta[:, plan.columns].T)
    empty = np.zeros(l, dtype=np.int64)
    form = np.empty((0, 0), dtype=np.float32)
    for first in range(0, n, plan.height):
        tile = rows[first : first + plan.height]
        tile = tile if s == e else tile[:, plan.columns]
        p = tile.shape[0]
        start = np.append(tile.indptr, np.full(padded(p) - p, tile.nnz, dtype=tile.indptr.dtype))
        if form.shape[1] != padded(p):
            form = np.empty((s + l + 1, padded(p)), dtype=np.float32)
        values = np.ldexp(tile.data, -plan.frame.exponent).astype(np.float32)
        single = scipy.sparse.csr_array((values, tile.indices, start), shape=(padded(p), s))
        single.toarray(out=form[:s].T)
        beta = scipy.sparse.csr_array((tile.data**2, tile.indices, tile.indptr), shape=tile.shape) @ theta
        needless, empty = _needless(beta, empty, plan)
        beta = np.ldexp(beta, -2 * plan.frame.exponent)
        beta[needless] = FAR
        np.multiply(beta.T, 1 - plan.error, out=form[s:-1, :p], casting="same_kind")
        form[s:-1, p:], form[-1] = FAR, 1
        yield first, form


def _needless(beta: np.ndarray, empty: np.ndarray, plan: _Plan) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Candidates without a column of a label (t,) (t,), but for the k first: they are all alike.

    beta: (p, l). empty: (l,) how many there were in the tiles before; returned with those of this one.
    """
    row, label = np.divmod(np.flatnonzero((beta == 0) & plan.is_plain), beta.shape[1])
    order = np.argsort(label, kind="stable")
    row, label = row[order], label[order]
    count = np.bincount(label, minlength=beta.shape[1])
    needless = np.arange(len(label)) - (np.cumsum(count) - count - empty)[label] >= plan.k
    return (row[needless], label[needless]), empty + count


def _first_limit(D: np.ndarray, alpha: np.ndarray, plan: _Plan) -> np.ndarray:
    """What the k-th nearest of each query cannot exceed, from the least D of each group of candidates; D: (m, p')."""
    least = D.reshape(len(D), GROUP, -1).min(axis=1)
    if least.shape[1] < plan.k:
        return np.full(len(D), np.inf, dtype=np.float32)
    kth = np.partition(least, plan.k - 1, axis=1)[:, plan.k - 1].astype(np.float64)
    return _limit_by(kth, alpha, plan)


def _limit_by(kth: np.ndarray, alpha: np.ndarray, plan: _Plan) -> np.ndarray:
    """The limits of D of queries whose k-th smallest D is kth."""
    return limit_of(reach(kth, alpha, plan.error, plan.slack), plan.slack, np.float32)


def _up_to(D: np.ndarray, limit: np.ndarray, first: int) -> _Pairs:
    """The pairs up to the limit of each query (m,), D: (m, p')."""
    found = np.flatnonzero(limit[:, np.newaxis] >= D)
    query, row = np.divmod(found, D.shape[1])
    return _Pairs(query, row + first, D.ravel()[found])


def _narrowed(known: _Pairs, new: _Pairs, limit: np.ndarray, alpha: np.ndarray, plan: _Plan) -> _Pairs:
    """The pairs of both that can still be near; limit (m,) is lowered to what follows from them."""
    order = np.argsort(np.append(known.query, new.query), kind="stable")
    query, row, D = (np.append(*both)[order] for both in zip(known, new, strict=True))
    kth = kth_smallest(D.astype(np.float64), query, limit.astype(np.float64), plan.k)
    np.minimum(limit, _limit_by(kth, alpha, plan), out=limit)
    kept = limit[query] >= D
    return _Pairs(query[kept], row[kept], D[kept])
