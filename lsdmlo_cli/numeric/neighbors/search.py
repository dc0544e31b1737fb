"""The k nearest rows by Euclidean distance and by a label's own distance, exact to the last bit.

Distances are those of distances.py, defined to the bit, and equal ones are ordered by row. So the answer depends on
neither blocks nor threads, nor on whether rows are dense or sparse. A matrix product says which candidates can be
among the nearest (shortlist.py); their distances decide.
Rows that agree on the support of theta are one candidate and one query: 0/1 data has thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from math import isqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix, release
from lsdmlo_cli.numeric.neighbors.bounds import (
    GROUP,
    WIDE,
    Frame,
    Near,
    candidate_form,
    choose_frame,
    crowded,
    lower_bounds,
    near,
    on_support,
    pairs,
    squared_norms,
)
from lsdmlo_cli.numeric.neighbors.distances import pair_distances
from lsdmlo_cli.numeric.rows import distinct_rows, row_keys, runs
from lsdmlo_cli.numeric.threads import mapping

WORKSPACE = 64 * 2**20  # bytes beside input and answer, all threads together
TILE = 32_768  # candidates that are held against the queries at once where they fit
WORTH_THREADS = 2**21  # pairs
JOBS_AT_ONCE = 4096  # given to the threads
NOBODY = np.iinfo(np.int64).max  # stands in a list that is not full yet, infinitely far


class Neighbors(NamedTuple):
    """The neighbours of m queries, nearest first: their rows (m, k) and squared distances (m, k)."""

    index: np.ndarray  # type: ignore[assignment]  # the word of the field, not tuple's method
    squared_distance: np.ndarray


class Patterns(NamedTuple):
    """Distinct rows (p, s) on the support, and their squared norms in the frame (p,).

    Pattern c is that of members[start[c]:start[c + 1]]: rows of E, or numbers of queries.
    """

    rows: Matrix
    norms: np.ndarray
    members: np.ndarray
    start: np.ndarray


_Found: TypeAlias = tuple[Patterns, Neighbors]


def nearest(
    E: Matrix,
    queries: Matrix,
    k: int,
    theta: np.ndarray | None = None,
    exclude: np.ndarray | None = None,
    *,
    known: Neighbors | None = None,
    first: int = 0,
    threads: int = 1,
    workspace: int = WORKSPACE,
) -> Neighbors:
    """The k rows of E (n, e) nearest to each query (m, e), ties to the lower row.

    E, queries: both dense float64 or both CSR with sorted indices, no NaN; pass the same object twice where the
    rows of E search among themselves. theta: (e,) weights of Eq. 5, none negative; None: Euclidean. exclude: (m,) a
    row of E that each query must not find, as a rule itself. known: the nearest among other candidates, which stay in
    the lists as far as no row of E is nearer; most of E is then out of the question at once, and the answer has as many
    columns as they have. first: what the rows of E are numbered from, in the answer and in exclude. Where the queries are the
    rows 0 to first and known holds the lists of these and of the rows of E, the latter search among the queries as well: one
    product serves both, and nothing is excluded. Without known the answer has fewer than k columns where there are fewer
    candidates. No squared distance may overflow. workspace: bytes beside input and answer, all threads together, as far as a
    few rows fit.

    With threads above 1 BLAS is held to one thread in the whole process until the search ends, unless it is a short one,
    which runs on one thread. With threads=1 that is the caller's affair, and searches may run side by side.

    >>> nearest(np.array([[0.0], [2.0], [3.0], [2.0]]), np.array([[2.0]]), 2).index
    array([[1, 3]])
    """
    steps = iter_nearest(E, queries, k, theta, exclude, known=known, first=first, threads=threads, workspace=workspace)
    *_, (_, _, found) = steps
    return found


def iter_nearest(
    E: Matrix,
    queries: Matrix,
    k: int,
    theta: np.ndarray | None = None,
    exclude: np.ndarray | None = None,
    *,
    known: Neighbors | None = None,
    first: int = 0,
    threads: int = 1,
    workspace: int = WORKSPACE,
) -> Iterator[tuple[int, int, Neighbors]]:
    """`nearest` a step at a time: (steps done, steps in all, the neighbours found so far), at least once.

    The lists are complete with the last step.
    """
    n, m = E.shape[0], queries.shape[0]
    both = known is not None and len(known.index) == m + n
    best = begun(n, m, k, exclude, known)
    width = best.index.shape[1]
    if m == 0 or n == 0 or width == 0:
        yield 1, 1, best
        return
    threads = threads if m * n > WORTH_THREADS else 1
    frame = choose_frame(E, queries, theta)
    wanted = min(max(n, m) if both else n, width if exclude is None else width + 1)
    height, step = _sizes(E, m, wanted, frame, workspace, threads)
    mutual = queries is E and height < n and not first  # then every product serves both its rows and its columns
    step = height if mutual else step
    as_they_are = mutual or both or step == m
    # Equal queries stand together, so that most of them share a block.
    order = np.arange(m) if as_they_are else np.argsort(row_keys(queries, frame.columns), kind="stable")
    jobs = [(at, start) for at in range(0, n, height) for start in range(at if mutual else 0, m, step)]
    threads = min(threads, len(jobs))

    @lru_cache(maxsize=threads + 1)
    def candidates(at: int) -> tuple[Patterns, Matrix]:
        rows = E if height == n else E[at : at + height]
        tile = _patterns(rows, first + np.arange(at, at + rows.shape[0]), frame)
        return tile, candidate_form(tile.rows, tile.norms, frame, np.float32)

    def search(job: tuple[int, int]) -> list[_Found]:
        release(E)  # what other jobs read, however far they are ahead of what is merged
        release(queries)
        (at, start), (tile, form) = job, candidates(job[0])
        which = order[start : start + step]
        rows = queries if step == m else queries[start : start + step] if as_they_are else queries[which]
        block = _patterns(rows, which, frame)
        sides = [(tile, block), (block, tile)] if both or (mutual and start > at) else [(tile, block)]
        return _search(sides, form, best, wanted, frame, workspace // threads // 256)

    candidates(0)  # once, before several threads ask for it
    with mapping(threads) if threads > 1 else nullcontext(map) as run:
        for begin in range(0, len(jobs), JOBS_AT_ONCE):
            for done, found in enumerate(run(search, jobs[begin : begin + JOBS_AT_ONCE]), start=begin + 1):
                for asking, lists in found:
                    _update(best, asking, lists, exclude)
                yield done, len(jobs), best
    release(E)
    release(queries)


def nobody(m: int, k: int) -> Neighbors:
    """Empty lists for m queries."""
    return Neighbors(np.full((m, k), NOBODY), np.full((m, k), np.inf))


def begun(n: int, m: int, k: int, exclude: np.ndarray | None, known: Neighbors | None) -> Neighbors:
    """The lists of m queries before they are held against n candidates: those known, to be changed, or empty ones."""
    if known is None:
        return nobody(m, min(k, n if exclude is None else max(0, n - 1)))
    return Neighbors(known.index.copy(), known.squared_distance.copy())


def taken(lists: Neighbors, queries: slice | np.ndarray) -> Neighbors:
    """The lists of some queries."""
    return Neighbors(lists.index[queries], lists.squared_distance[queries])


def put(lists: Neighbors, row: np.ndarray, query: np.ndarray, d2: np.ndarray) -> None:
    """Put the k nearest rows of each query into its list, which is empty: (t,) pairs, each once."""
    m, k = lists.index.shape
    order = np.lexsort((row, d2, query))
    query = query[order]
    rank = np.arange(len(order)) - np.searchsorted(query, np.arange(m))[query]
    order, query, rank = order[rank < k], query[rank < k], rank[rank < k]
    lists.index[query, rank], lists.squared_distance[query, rank] = row[order], d2[order]


def merge(first: Neighbors, second: Neighbors, offset: int, k: int) -> Neighbors:
    """The k best, by distance and row, of two lists for the same queries; offset is added to the rows of the second.

    >>> merge(Neighbors(np.array([[4]]), np.array([[1.0]])), Neighbors(np.array([[0]]), np.array([[1.0]])), 5, 2).index
    array([[4, 5]])
    """
    index = np.hstack([first.index, second.index + offset])
    squared_distance = np.hstack([first.squared_distance, second.squared_distance])
    order = np.lexsort((index, squared_distance), axis=1)[:, :k]
    return Neighbors(np.take_along_axis(index, order, axis=1), np.take_along_axis(squared_distance, order, axis=1))


def joined(lists: Sequence[Neighbors], k: int) -> Neighbors:
    """The lists of several groups of queries, one group after the other, k columns each; NOBODY where there are fewer."""
    wide = [_widened(found, k) for found in lists]
    return Neighbors(*(np.concatenate(parts) for parts in zip(*wide, strict=True)))


def _sizes(E: Matrix, m: int, k: int, frame: Frame, workspace: int, threads: int) -> tuple[int, int]:
    """How many candidates, and how many queries, are held against each other at a time."""
    n, s = E.shape[0], len(frame.factor)
    cells = s if isinstance(E, np.ndarray) else E.nnz // n
    share = workspace // threads // 3
    narrowed = not isinstance(E, np.ndarray) and s > WIDE  # to columns that the queries use, `cells` new ones each
    right = isqrt(share // (4 * cells + 4)) if narrowed else share // (4 * s + 4)
    most = max(GROUP, min(right, share // (16 * cells + 64), share // (128 * k), isqrt(share // 4)))
    if n > TILE or n * (24 * cells + 64) > workspace // 2:
        return _even(n, most), _even(m, most)
    step = min(most, share // (4 * n))
    return n, _even(m, max(1, min(step, -(-m // threads))))


def _even(total: int, most: int) -> int:
    """The size of as few parts of about one size as there are with at most so many each."""
    return -(-total // -(-total // most))


def _widened(known: Neighbors, k: int) -> Neighbors:
    """A copy with k columns."""
    best, width = nobody(len(known.index), k), min(k, known.index.shape[1])
    best.index[:, :width], best.squared_distance[:, :width] = known.index[:, :width], known.squared_distance[:, :width]
    return best


def _patterns(rows: Matrix, numbers: np.ndarray, frame: Frame) -> Patterns:
    """The patterns of rows (m, e), which are known by their numbers (m,)."""
    rows = on_support(rows, frame)
    members, start = distinct_rows(rows)
    if len(start) <= len(numbers):
        rows = rows[members[start[:-1]]]
    return Patterns(rows, squared_norms(rows, frame), numbers[members], start)


def _search(
    sides: list[tuple[Patterns, Patterns]], form: Matrix, best: Neighbors, k: int, frame: Frame, room: int
) -> list[_Found]:
    """The k nearest candidates of each query pattern; sides: (tile, block), and (block, tile) where that is asked for."""
    tile, block = sides[0]
    found = []
    for dtype in (np.float32, np.float64):
        if dtype is np.float64:
            form = candidate_form(tile.rows, tile.norms, frame, dtype)
        D = lower_bounds(form, block.rows, block.norms, frame, dtype)
        found = [
            near(view, k, queries.norms, _farthest(best, queries), frame)
            for view, (_, queries) in zip((D, D.T), sides, strict=False)
        ]
        if not any(crowded(close, k) for close in found):
            break
    return [
        (queries, _lists(close, candidates, queries, k, frame, room))
        for close, (candidates, queries) in zip(found, sides, strict=True)
    ]


def _lists(close: Near, candidates: Patterns, queries: Patterns, k: int, frame: Frame, room: int) -> Neighbors:
    """The k nearest rows of the candidates for each query pattern."""
    lists = nobody(len(queries.norms), k)
    theta = None if frame.theta is None else frame.theta[np.newaxis]
    first = candidates.members[candidates.start[:-1]]
    for pattern, query, d2 in pairs(close, first, k, frame, room):
        if d2 is None:
            d2 = pair_distances(queries.rows, query, candidates.rows, pattern, theta)
        _fill(lists, candidates, pattern, query, d2)
    return lists


def _farthest(best: Neighbors, queries: Patterns) -> np.ndarray:
    """The largest k-th distance so far of the queries of each pattern."""
    return np.maximum.reduceat(best.squared_distance[queries.members, -1], queries.start[:-1])


def _fill(lists: Neighbors, candidates: Patterns, pattern: np.ndarray, query: np.ndarray, d2: np.ndarray) -> None:
    """Put the nearest rows of the patterns into the lists of their queries."""
    first = candidates.start[pattern]
    count = np.minimum(candidates.start[pattern + 1] - first, lists.index.shape[1])
    put(lists, candidates.members[runs(first, count)], np.repeat(query, count), np.repeat(d2, count))


def _update(best: Neighbors, queries: Patterns, lists: Neighbors, exclude: np.ndarray | None) -> None:
    """Merge what was found for patterns of queries into the lists of the queries themselves."""
    which, pattern = queries.members, np.repeat(np.arange(len(queries.norms)), np.diff(queries.start))
    found = taken(lists, pattern)
    if exclude is not None:
        excluded = found.index == exclude[which, np.newaxis]
        found.index[excluded], found.squared_distance[excluded] = NOBODY, np.inf
    best.index[which], best.squared_distance[which] = merge(taken(best, which), found, 0, best.index.shape[1])
