"""What can be near the queries of many labels, from one product of sparse rows.

Rows of text have few columns in common. The product tells for all labels at once what a candidate b shares with a query a,
and most candidates share nothing:

    d_j(a, b)^2 = alpha + beta - 2 s,    alpha = sum_i theta_ij a_i^2,  beta = sum_i theta_ij b_i^2,  s = sum_i theta_ij a_i b_i.

As long as no number is negative, of those that share nothing only the ones of least beta can be near. So few pairs are
left, within the error that bounds.py derives. Where rows share much a search of its own for each label is faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.neighbors.bounds import LEAST, reach, relative_error
from lsdmlo_cli.numeric.rows import entry_rows, portions, runs

ROOM = 2**18
"""Entries of a product at once: 4 MiB. From 2^16 to 2^22 the CPU time is the same."""

SHARED = 0.25
"""Up to this share of all pairs the sparse product is used. For 50 labels of 40 queries among 4,000 rows it takes a sixth of
the CPU time of searches apart at a share of 0.1, half of it at 0.5, and as much at 2 (a pair counts for each shared column)."""

FEW = 2**18
"""Pairs up to which the product is used however much is shared: a label of 1 to 64 queries takes 3 to 4 ms so and 5 to 7 ms in a
search of its own, one of 256 queries (2^18.6 pairs) 15 and 17 ms."""

LEAST_TERM = 2.0**-900
"""Squares below it might vanish beside LEAST, 2^-1000, which stands for what underflow takes."""


class Queries(NamedTuple):
    """Sparse rows a (m, e), the same times 2 theta and without zeros, alpha (m,), and the label of each (m,)."""

    rows: scipy.sparse.csr_array
    weighted: scipy.sparse.csr_array
    alpha: np.ndarray
    label: np.ndarray


class Loners(NamedTuple):
    """The candidates of each label that can be near a query with which they share nothing.

    beta: (l, n) lower bounds of all candidates. level: (l,) the w-th smallest of them. Those of label j that can be near are
    rows[start[j]:start[j + 1]].
    """

    beta: np.ndarray
    level: np.ndarray
    rows: np.ndarray
    start: np.ndarray


def weighted(queries: scipy.sparse.csr_array, theta: np.ndarray, label: np.ndarray) -> Queries:
    """Rows (m, e) as queries of labels (m,), theta: (l, e)."""
    entry = entry_rows(queries)
    data = queries.data * theta[label[entry], queries.indices]
    alpha = np.bincount(entry, data * queries.data, minlength=len(label))
    kept = data != 0
    start = np.append(0, np.cumsum(kept))[queries.indptr].astype(queries.indptr.dtype)  # else every product is wider
    return Queries(
        queries, scipy.sparse.csr_array((2 * data[kept], queries.indices[kept], start), shape=queries.shape), alpha, label
    )


def near_by_sharing(
    rows: scipy.sparse.csr_array, asked: Queries, theta: np.ndarray, farthest: np.ndarray, k: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(some, query, row): the pairs of some queries, by their place in some, and rows that can be among their k nearest.

    rows: (n, e). theta: (l, e). farthest: (m,) squared distances beyond which nothing is asked for. The queries of a label that
    shares much are in no answer, those of all other labels in one.
    """
    k = min(rows.shape[0], k)
    count = np.bincount(rows.indices, minlength=rows.shape[1])[asked.weighted.indices]
    shared = np.bincount(entry_rows(asked.weighted), count, minlength=len(asked.label))
    queries = np.bincount(asked.label, minlength=len(theta))
    most = np.maximum(FEW, SHARED * rows.shape[0] * queries)
    little = (np.bincount(asked.label, shared, minlength=len(theta)) <= most) & is_plain(rows, asked, theta)
    which = np.flatnonzero(little[asked.label])
    if not len(which):
        return
    error = relative_error(int(max(np.diff(rows.indptr).max(), np.diff(asked.rows.indptr).max())), np.float64)
    asked, theta = of_some(asked, which, little), theta[little]
    loners = _loners(rows, asked, theta, k, error)
    alone = np.diff(loners.start)
    few = np.flatnonzero((alone * queries[little] <= most[little])[asked.label])
    columns = scipy.sparse.csr_array(rows.T)
    for part in portions(shared[which[few]] + alone[asked.label[few]], ROOM):
        some = few[part]
        yield which[some], *_near(columns, asked, some, loners, farthest[which[some]], k, error)


def of_some(asked: Queries, which: np.ndarray, labels: np.ndarray) -> Queries:
    """Those queries, which are those of some labels (l,) bool, numbered anew."""
    place = np.cumsum(labels) - 1
    return Queries(asked.rows[which], asked.weighted[which], asked.alpha[which], place[asked.label[which]])


def is_plain(rows: scipy.sparse.csr_array, asked: Queries, theta: np.ndarray) -> np.ndarray:
    """(l,) bool: nothing shared makes a distance longer, and no square vanishes, so that beta = 0 says that nothing is there."""
    values = [part.data[part.data != 0] for part in (rows, asked.rows)]
    least = min(part.min(initial=1.0) for part in values)
    if least < 0:
        return np.zeros(len(theta), dtype=bool)
    smallest = np.where(theta > 0, theta, np.inf).min(axis=1)
    return smallest * least >= LEAST_TERM / least


def _loners(rows: scipy.sparse.csr_array, asked: Queries, theta: np.ndarray, wanted: int, error: float) -> Loners:
    squares = scipy.sparse.csr_array((rows.data**2, rows.indices, rows.indptr), shape=rows.shape)
    beta = np.ascontiguousarray((squares @ np.ascontiguousarray(theta.T)).T)
    beta *= 1 - error
    level = np.zeros(len(theta))
    few = np.flatnonzero((beta == 0).sum(axis=1) < wanted)
    level[few] = np.partition(beta[few], wanted - 1, axis=1)[:, wanted - 1]
    alpha = np.zeros(len(theta))
    np.maximum.at(alpha, asked.label, asked.alpha)
    limit = level + 20 * error * (alpha + level) + 9 * LEAST[np.float64]
    label, row = np.divmod(np.flatnonzero(beta <= limit[:, np.newaxis]), rows.shape[0])
    # Rows without a column of the label are all alike: the first ones will do.
    empty = beta[label, row] == 0
    rank = np.cumsum(empty)
    start = np.searchsorted(label, np.arange(len(theta) + 1))
    kept = ~empty | (rank - np.append(0, rank)[start[label]] <= wanted)
    return Loners(beta, level, row[kept], np.append(0, np.cumsum(kept))[start])


def _near(
    columns: scipy.sparse.csr_array,
    asked: Queries,
    some: np.ndarray,
    loners: Loners,
    farthest: np.ndarray,
    wanted: int,
    error: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of some queries (by their places in some) and candidates that can be among the wanted nearest, each once.

    D and its limits are those of `bounds.near`.
    """
    n, slack = columns.shape[1], LEAST[np.float64]
    alpha, label = asked.alpha[some], asked.label[some]
    own = (1 - error) * alpha
    limit = np.minimum(reach(own + loners.level[label], alpha, error, slack), farthest) + slack
    shared = asked.weighted[some] @ columns
    count = np.diff(shared.indptr)
    value = loners.beta.ravel()[np.repeat(label * n, count) + shared.indices] - shared.data
    kept = np.flatnonzero(value <= np.repeat(limit - own, count))
    query = np.repeat(np.arange(len(some)), count)[kept]
    value = value[kept] + own[query]
    limit = np.minimum(limit, reach(kth_smallest(value, query, limit, wanted), alpha, error, slack) + slack)
    near = value <= limit[query]
    lonely = np.repeat(np.arange(len(some)), np.diff(loners.start)[label])
    row = loners.rows[runs(loners.start[label], np.diff(loners.start)[label])]
    close = own[lonely] + loners.beta[label[lonely], row] <= limit[lonely]
    key = np.sort(np.append(query[near] * n + shared.indices[kept[near]], lonely[close] * n + row[close]))
    return np.divmod(key[np.append(True, key[1:] != key[:-1])[: len(key)]], n)


def kth_smallest(value: np.ndarray, query: np.ndarray, limit: np.ndarray, k: int) -> np.ndarray:
    """The k-th smallest value of each query (m,), rounded up, or infinity where it has fewer; value (t,) up to its limit (m,).

    query: (t,) rising. One sort of query + value / (2 limit) orders all values within their queries.
    """
    m = len(limit)
    key = np.sort(query + np.maximum(value, 0) / (2 * limit[query]))
    count = np.bincount(query, minlength=m)
    full = np.flatnonzero(count >= k)
    kth = np.full(m, np.inf)
    place = (np.cumsum(count) - count)[full] + k - 1
    kth[full] = (key[place] - full + (m + 1) * 2.0**-50) * 2 * limit[full]
    return kth
