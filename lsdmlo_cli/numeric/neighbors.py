"""The k nearest rows by Euclid and by a label's own distance, exact to the last bit.

    d_j(a, b)^2 = sum_i theta_ij (E_ai - E_bi)^2                        (Eq. 5; Euclid is theta = 1)

The terms are added one by one in float64 in rising column order, and equal distances are ordered by row. So the answer is defined to the
bit: it depends on neither blocks nor threads, nor on whether rows are dense or sparse. A matrix product says which candidates can be among
the nearest (shortlist.py); the sum above decides between those. Rows that agree on the support of theta are one candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array
from threadpoolctl import threadpool_limits

from lsdmlo_cli.numeric.shortlist import Frame, candidate_form, choose_frame, on_support, shortlist

Matrix = np.ndarray | csr_array

WORKSPACE = 64 * 2**20  # bytes beside input and answer, all threads together
CACHE = 2**17  # cells of which distances are summed at a time
NOBODY = np.iinfo(np.int64).max  # stands in a list that is not full yet, at an infinite distance


class Neighbors(NamedTuple):
    """The neighbours of m queries, nearest first: their rows (m, k) and squared distances (m, k)."""

    index: np.ndarray
    squared_distance: np.ndarray


class Candidates(NamedTuple):
    """Distinct rows (p, s) on the support; rows[c] stands at members[start[c]:start[c + 1]] of E, rising. bounds: candidate_form."""

    rows: Matrix
    members: np.ndarray
    start: np.ndarray
    bounds: Matrix


def nearest(
    E: Matrix,
    queries: Matrix,
    k: int,
    theta: np.ndarray | None = None,
    exclude: np.ndarray | None = None,
    *,
    threads: int = 1,
) -> Neighbors:
    """The k rows of E (n, e) nearest to each query (m, e), ties to the lower row.

    E, queries: both dense float64 or both CSR, indices sorted, no NaN. theta: (e,) weights of Eq. 5, not negative; None is Euclid. exclude:
    (m,) a row of E that each query must not find, as a rule itself. The answer has fewer than k columns where there are fewer candidates. No
    squared distance may overflow.

    With threads above 1 BLAS is held to one thread in the whole process until the search ends. With threads=1 its threads are the caller's
    affair, and searches may run side by side.

    >>> nearest(np.array([[0.0], [2.0], [3.0], [2.0]]), np.array([[2.0]]), 2).index
    array([[1, 3]])
    """
    parts = [found for _, _, found in iter_nearest(E, queries, k, theta, exclude, threads=threads)]
    return Neighbors(np.concatenate([found.index for found in parts]), np.concatenate([found.squared_distance for found in parts]))


def iter_nearest(
    E: Matrix,
    queries: Matrix,
    k: int,
    theta: np.ndarray | None = None,
    exclude: np.ndarray | None = None,
    *,
    threads: int = 1,
    workspace: int = WORKSPACE,
) -> Iterator[tuple[int, int, Neighbors]]:
    """`nearest` in blocks: (start, stop, neighbours of queries[start:stop]) in rising order, at least one.

    workspace: bytes beside input and answer, all threads together, as far as a few rows fit.
    """
    (n, _), m = E.shape, queries.shape[0]
    width = min(k, n) if exclude is None else min(k + 1, n)
    if m == 0 or width == 0:
        yield 0, m, Neighbors(np.empty((m, 0), dtype=np.int64), np.empty((m, 0)))
        return
    frame = choose_frame(E, queries, theta)
    rows, step = _sizes(E, frame, width, workspace, threads)
    starts = range(0, n, rows)
    tiles: Callable[[], Iterable[Candidates]] = lambda: (_candidates(E, start, start + rows, frame) for start in starts)
    if len(starts) == 1:
        tile = _candidates(E, 0, n, frame)
        tiles = lambda: [tile]

    def search(start: int) -> tuple[int, int, Neighbors]:
        stop = min(start + step, m)
        found = _search(on_support(queries[start:stop], frame), tiles(), width, frame, workspace // threads // 256)
        return start, stop, found if exclude is None else _without(found, exclude[start:stop])

    blocks = range(0, m, step)
    if threads == 1 or len(blocks) == 1:
        yield from map(search, blocks)
    else:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            yield from pool.map(search, blocks)


def merge(first: Neighbors, second: Neighbors, offset: int, k: int) -> Neighbors:
    """The k best, by distance and row, of two lists for the same queries; the rows of the second are counted from offset on.

    >>> merge(Neighbors(np.array([[4]]), np.array([[1.0]])), Neighbors(np.array([[0]]), np.array([[0.5]])), 9, 2).index
    array([[9, 4]])
    """
    index = np.hstack([first.index, second.index + offset])
    squared_distance = np.hstack([first.squared_distance, second.squared_distance])
    order = np.lexsort((index, squared_distance), axis=1)[:, :k]
    return Neighbors(np.take_along_axis(index, order, axis=1), np.take_along_axis(squared_distance, order, axis=1))


def squared_distances(A: Matrix, B: Matrix, theta: np.ndarray | None = None) -> np.ndarray:
    """d^2 of the pairs A[i], B[i], (m,): Eq. 5 summed in rising column order. A, B: (m, e) dense or CSR; theta: (e,), None is Euclid.

    >>> squared_distances(np.array([[0.0, 3.0]]), np.array([[2.0, 0.0]]), np.array([1.0, 0.5]))
    array([8.5])
    """
    m, e = A.shape
    if isinstance(A, np.ndarray):
        found = np.zeros(m)
        step = max(1, CACHE // max(1, e))
        for start in range(0, m if e else 0, step):
            terms = A[start : start + step] - B[start : start + step]
            terms *= terms
            if theta is not None:
                terms *= theta
            found[start : start + step] = np.cumsum(terms, axis=1, out=terms)[:, -1]
        return found
    terms = csr_array(A - B)
    terms.data *= terms.data
    if theta is not None:
        terms.data *= theta[terms.indices]
    return _row_sums(terms)


def paired_squared_distances(A: Matrix, B: Matrix, Theta: csc_array, pair: np.ndarray, label: np.ndarray) -> np.ndarray:
    """d_j^2 of the pairs A[i], B[i] for each (i, j) of pair and label, (t,): Eq. 5 with Theta (e, q), to the bit as squared_distances.

    >>> Theta = csc_array(np.array([[1.0, 0.0], [0.0, 0.5]]))
    >>> paired_squared_distances(np.zeros((1, 2)), np.full((1, 2), 2.0), Theta, np.array([0, 0]), np.array([0, 1]))
    array([4., 2.])
    """
    by_label = csr_array(Theta.T)
    by_label.sort_indices()
    found = np.zeros(len(pair))
    step = max(1, CACHE * Theta.shape[1] // max(1, Theta.nnz))
    for start in range(0, len(pair), step):
        part = slice(start, start + step)
        terms, of_pair = by_label[label[part]], pair[part]
        if isinstance(A, np.ndarray):
            row = np.repeat(of_pair, np.diff(terms.indptr))
            difference = A[row, terms.indices] - B[row, terms.indices]
            terms.data *= difference * difference
        else:
            difference = csr_array(A[of_pair] - B[of_pair])
            difference.data *= difference.data
            terms = csr_array(difference.multiply(terms))
        found[part] = _row_sums(terms)
    return found


def _row_sums(terms: csr_array) -> np.ndarray:
    """The sums of the rows, added in the order in which they are stored: a matrix times a vector does that, `sum` does not."""
    return terms @ np.ones(terms.shape[1])


def _sizes(E: Matrix, frame: Frame, width: int, workspace: int, threads: int) -> tuple[int, int]:
    """How many candidates and how many queries are held against each other at a time."""
    (n, _), s = E.shape, len(frame.factor)
    cells = max(1, s if isinstance(E, np.ndarray) else E.nnz // max(1, n))
    share = workspace // threads // 3
    rows = n if n * max(24 * cells, 256) <= workspace // 2 else max(1, min(2048, share // (24 * cells)))
    step = min(2048, share // (4 * rows), share // (20 * s + 20), share // (128 * width))
    return rows, max(1, step)


def _candidates(E: Matrix, start: int, stop: int, frame: Frame) -> Candidates:
    """E[start:stop] without repetition."""
    rows = on_support(E[start:stop], frame)
    first = _first_alike(rows)
    distinct = first == np.arange(len(first))
    pattern = (np.cumsum(distinct) - 1)[first]
    if not distinct.all():
        rows = rows[distinct]
    # The columns of this matrix list the members of each pattern in rising order: a counting sort.
    members = csr_array((np.ones(len(first)), pattern, np.arange(len(first) + 1)), shape=(len(first), rows.shape[0])).tocsc()
    return Candidates(rows, members.indices.astype(np.int64) + start, members.indptr, candidate_form(rows, frame, np.float32))


def _first_alike(rows: Matrix) -> np.ndarray:
    """(n,) for each row the first one that equals it, or itself: a few repetitions may be missed, but no two rows that differ are joined."""
    n, s = rows.shape
    keys = rows @ np.random.default_rng(0).random(s)
    order = np.argsort(keys)
    is_new = np.append(True, keys[order[1:]] != keys[order[:-1]])
    first = np.empty(n, dtype=np.int64)
    first[order] = np.minimum.reduceat(order, np.flatnonzero(is_new))[np.cumsum(is_new) - 1]
    same = np.flatnonzero(first != np.arange(n))
    differ = same[~_equal_rows(rows, same, first[same])]
    first[differ] = differ
    return first


def _equal_rows(rows: Matrix, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(m,) bool: rows[one] == rows[other], stored alike."""
    equal = np.ones(len(one), dtype=bool)
    if isinstance(rows, np.ndarray):
        step = max(1, CACHE // max(1, rows.shape[1]))
        for start in range(0, len(one), step):
            part = slice(start, start + step)
            equal[part] = (rows[one[part]] == rows[other[part]]).all(axis=1)
        return equal
    length = np.diff(rows.indptr)
    equal = length[one] == length[other]
    alike = np.flatnonzero(equal)
    A, B = rows[one[alike]], rows[other[alike]]
    differ = np.flatnonzero((A.indices != B.indices) | (A.data != B.data))
    equal[alike[np.searchsorted(A.indptr, differ, side="right") - 1]] = False
    return equal


def _search(queries: Matrix, tiles: Iterable[Candidates], k: int, frame: Frame, room: int) -> Neighbors:
    """The k nearest of all tiles to queries (m, s) on the support."""
    m = queries.shape[0]
    best = Neighbors(np.full((m, k), NOBODY), np.full((m, k), np.inf))
    for tile in tiles:
        found = Neighbors(np.full((m, k), NOBODY), np.full((m, k), np.inf))
        farthest = best.squared_distance[:, -1]
        for pairs in shortlist(tile.rows, tile.bounds, queries, k, farthest, frame, room):
            d2 = pairs.squared_distance
            if d2 is None:
                d2 = squared_distances(queries[pairs.query], tile.rows[pairs.candidate], frame.theta)
            _fill(found, tile, pairs.candidate, pairs.query, d2)
        best = merge(best, found, 0, k)
    return best


def _fill(found: Neighbors, tile: Candidates, candidate: np.ndarray, query: np.ndarray, squared_distance: np.ndarray) -> None:
    """Put the best rows behind the pairs into the lists of their queries."""
    (m, k), first = found.index.shape, tile.start[candidate]
    count = np.minimum(tile.start[candidate + 1] - first, k)
    ends = np.cumsum(count)
    row = tile.members[np.repeat(first - ends + count, count) + np.arange(count.sum())]
    query, squared_distance = np.repeat(query, count), np.repeat(squared_distance, count)
    order = np.lexsort((row, squared_distance, query))
    query = query[order]
    rank = np.arange(len(order)) - np.searchsorted(query, np.arange(m))[query]
    order, query, rank = (values[rank < k] for values in (order, query, rank))
    found.index[query, rank] = row[order]
    found.squared_distance[query, rank] = squared_distance[order]


def _without(found: Neighbors, exclude: np.ndarray) -> Neighbors:
    """One column less: the excluded row, or the last one."""
    order = np.argsort(found.index == exclude[:, np.newaxis], axis=1, kind="stable")[:, :-1]
    return Neighbors(np.take_along_axis(found.index, order, axis=1), np.take_along_axis(found.squared_distance, order, axis=1))
