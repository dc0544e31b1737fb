"""The k nearest rows by Euclidean distance or under weights, exact to the last bit.

Distances are those of distances.py, defined to the bit, and equal ones are ordered by row. So the answer depends on
neither blocks nor threads, nor on whether rows are dense or sparse. A matrix product says which candidates can be
among the nearest (bounds.py); their distances decide.
Rows that agree on the support of theta are one candidate and one query: 0/1 data has thousands of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix, release, take
from lsdmlo_cli.numeric.neighbors.bounds import (
    GROUP,
    Frame,
    Near,
    Split,
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
from lsdmlo_cli.numeric.neighbors.lists import NOBODY, Neighbors, copied, merge, nobody, put, taken
from lsdmlo_cli.numeric.rows import distinct_rows, is_every_row, row_keys, runs
from lsdmlo_cli.numeric.threads import mapping

WORKSPACE = 64 * 2**20
"""Bytes of a search beside input and answer, all threads together. On 3,000 to 4,000 rows 256 MiB save nothing in most cases,
and 4 MiB take two to fourteen times the CPU time."""

TILE = 32_768
"""Candidates that are held against the queries at once where they fit: for 10,000 of 30,000 rows 2^12 at once take 1.2 times the
CPU time, twice as many save 6 %."""

WORTH_THREADS = 2**21
"""Pairs above which a search is worth threads: so many (1,448 rows) take 18 ms on one thread, a pool of two costs 3 to 4 ms."""

JOBS_AT_ONCE = 4096
"""Products that are handed to the threads at a time, so that finished lists do not pile up before they are merged."""

PAIR_BYTES = 256
"""Bytes that a pair takes at most while it is found: indices, keys and distances, and what sorting them needs."""

Watch: TypeAlias = Callable[[int, int], object]
"""Called with the steps that are done and the steps in all."""


@dataclass(frozen=True, eq=False)
class Search:
    """Exact searches among the rows of E (n, e), the candidates, under one distance; ties go to the lower row.

    E: dense float64 or CSR with sorted indices, no NaN. theta: (e,) weights of Eq. 5, none negative; None: Euclidean.
    No squared distance may overflow. workspace: bytes beside input and answer, all threads together, as far as a few
    rows fit. watch: told of every step of a search, at least once.

    With threads above 1 BLAS is held to one thread in the whole process until the search ends, unless it is a short one,
    which runs on one thread. With threads=1 that is the caller's affair, and searches may run side by side.

    >>> Search(np.array([[0.0], [2.0], [3.0], [2.0]])).of_queries(np.array([[2.0]]), 2).index
    array([[1, 3]])
    """

    E: Matrix
    theta: np.ndarray | None = None
    threads: int = 1
    workspace: int = WORKSPACE
    watch: Watch = lambda done, total: None

    def of_all(self, k: int) -> Neighbors:
        """The k nearest others of every row of E, fewer columns where there are fewer; one product serves both of a pair.

        >>> Search(np.array([[0.0], [2.0], [3.0]])).of_all(1).index.tolist()
        [[1], [2], [1]]
        """
        n = self.E.shape[0]
        return _improved(self, nobody(n, max(0, min(k, n - 1))), _Asked(self.E, np.arange(n), "themselves"))

    def of_rows(self, rows: np.ndarray, k: int) -> Neighbors:
        """The k nearest others of some rows (m,) of E, fewer columns where there are fewer."""
        if is_every_row(rows, self.E.shape[0]):
            return self.of_all(k)
        return self.of_queries(take(self.E, rows), k, exclude=rows)

    def of_queries(self, queries: Matrix, k: int, exclude: np.ndarray | None = None) -> Neighbors:
        """The k nearest rows of each query (m, e), fewer columns where there are fewer.

        queries: in the form of E. exclude: (m,) a row of E that each query must not find.
        """
        n = self.E.shape[0] - (exclude is not None)
        return _improved(self, nobody(queries.shape[0], max(0, min(k, n))), _Asked(queries, exclude))

    def extend(self, known: Neighbors, queries: Matrix, exclude: np.ndarray | None = None, first: int = 0) -> Neighbors:
        """The lists that queries (m, e) have among other candidates, with the rows of E that are nearer put in.

        They keep their length; most of E is out of the question at once. first: what the rows of E are numbered from, in the
        answer and in exclude.
        """
        return _improved(self, copied(known), _Asked(queries, exclude, first=first))

    def extend_both(self, known: Neighbors, queries: Matrix) -> Neighbors:
        """The lists of queries (m, e) and behind them those of the rows of E, extended by each other: one product serves both.

        known: (m + n) lists. The queries are numbered from 0, the rows of E from m.
        """
        return _improved(self, copied(known), _Asked(queries, None, "each other", first=queries.shape[0]))


_Who: TypeAlias = Literal["queries", "each other", "themselves"]
"""Who finds whom: queries the rows of E, both each other, or the rows of E, which are the queries, each other."""


class _Asked(NamedTuple):
    """Queries (m, e), the row of E that each must not find (m,), who finds whom, and what the rows of E are numbered from."""

    queries: Matrix
    exclude: np.ndarray | None
    who: _Who = "queries"
    first: int = 0


class _Plan(NamedTuple):
    """What is held against what: `height` rows of E and `step` queries at a time.

    wanted: how many candidates each product must find for a query. order: (m,) the queries as they are taken, None as they are.
    jobs: the first row of E and the first query of each product. room: bytes for the pairs of a product.
    """

    frame: Frame
    who: _Who
    wanted: int
    height: int
    step: int
    order: np.ndarray | None
    jobs: list[tuple[int, int]]
    threads: int
    room: int


class Patterns(NamedTuple):
    """Distinct rows (p, s) on the support, and their squared norms in the frame (p,).

    Pattern c is that of members[start[c]:start[c + 1]]: rows of E, or numbers of queries.
    """

    rows: Matrix
    norms: np.ndarray
    members: np.ndarray
    start: np.ndarray


_Found: TypeAlias = tuple[Patterns, Neighbors]


def _improved(search: Search, best: Neighbors, asked: _Asked) -> Neighbors:
    """The lists `best`, which are changed, with the rows of E that are nearer put in."""
    E, n, m = search.E, search.E.shape[0], asked.queries.shape[0]
    if min(n, m, best.index.shape[1]) == 0:
        search.watch(1, 1)
        return best
    plan = _plan(search, asked, best.index.shape[1])

    @lru_cache(maxsize=plan.threads + 1)
    def candidates(at: int) -> tuple[Patterns, np.ndarray | Split]:
        rows = E if plan.height == n else E[at : at + plan.height]
        tile = _patterns(rows, asked.first + np.arange(at, at + rows.shape[0]), plan.frame)
        return tile, candidate_form(tile.rows, tile.norms, plan.frame, np.float32)

    def found(job: tuple[int, int]) -> list[_Found]:
        release(E)  # what other jobs read, however far they are ahead of what is merged
        release(asked.queries)
        (at, start), (tile, form) = job, candidates(job[0])
        block = _block(asked.queries, slice(start, min(start + plan.step, m)), plan)
        both = plan.who == "each other" or (plan.who == "themselves" and start > at)
        sides = [(tile, block), (block, tile)] if both else [(tile, block)]
        return _search(sides, form, best, plan)

    candidates(0)  # once, before several threads ask for it
    with mapping(plan.threads) if plan.threads > 1 else nullcontext(map) as run:
        for begin in range(0, len(plan.jobs), JOBS_AT_ONCE):
            for done, sides in enumerate(run(found, plan.jobs[begin : begin + JOBS_AT_ONCE]), start=begin + 1):
                for asking, lists in sides:
                    _update(best, asking, lists, asked.exclude)
                search.watch(done, len(plan.jobs))
    release(E)
    release(asked.queries)
    return best


def _plan(search: Search, asked: _Asked, width: int) -> _Plan:
    """How lists of so many neighbours are searched."""
    E, (n, m), who = search.E, (search.E.shape[0], asked.queries.shape[0]), asked.who
    threads = search.threads if m * n > WORTH_THREADS else 1
    frame = choose_frame(E, asked.queries, search.theta)
    wanted = min(max(n, m) if who == "each other" else n, width if asked.exclude is None else width + 1)
    height, step = _sizes(E, m, wanted, frame, search.workspace, threads)
    if who == "themselves":
        who, step = ("themselves", height) if height < n else ("queries", step)
    order = None
    if who == "queries" and step < m:  # equal queries stand together, so that most of them share a block
        order = np.argsort(row_keys(asked.queries, frame.columns), kind="stable")
    jobs = [(at, start) for at in range(0, n, height) for start in range(at if who == "themselves" else 0, m, step)]
    room = search.workspace // threads // PAIR_BYTES
    return _Plan(frame, who, wanted, height, step, order, jobs, min(threads, len(jobs)), room)


def _sizes(E: Matrix, m: int, k: int, frame: Frame, workspace: int, threads: int) -> tuple[int, int]:
    """How many candidates, and how many queries, are held against each other at a time."""
    n, s = E.shape[0], len(frame.factor)
    cells, bytes_a_row = s, 4 * s + 4
    if not isinstance(E, np.ndarray) and frame.often is not None:
        cells = E.nnz // n
        bytes_a_row = 4 * np.count_nonzero(frame.often) + 16 * cells + 4
    share = workspace // threads // 3
    most = max(GROUP, min(share // bytes_a_row, share // (16 * cells + 64), share // (128 * k), isqrt(share // 4)))
    if n > TILE or n * (24 * cells + 64) > workspace // 2 or n * bytes_a_row > workspace // 2:
        return _even(n, most), _even(m, most)
    step = min(most, share // (4 * n))
    return n, _even(m, max(1, min(step, -(-m // threads))))


def _even(total: int, most: int) -> int:
    """The size of as few parts of about one size as there are with at most so many each."""
    return -(-total // -(-total // most))


def _block(queries: Matrix, part: slice, plan: _Plan) -> Patterns:
    """The patterns of some queries, in the order of the plan."""
    if plan.order is not None:
        which = plan.order[part]
        return _patterns(queries[which], which, plan.frame)
    which = np.arange(part.start, part.stop)
    return _patterns(queries if len(which) == queries.shape[0] else queries[part], which, plan.frame)


def _patterns(rows: Matrix, numbers: np.ndarray, frame: Frame) -> Patterns:
    """The patterns of rows (m, e), which are known by their numbers (m,)."""
    rows = on_support(rows, frame)
    members, start = distinct_rows(rows)
    if len(start) <= len(numbers):
        rows = rows[members[start[:-1]]]
    return Patterns(rows, squared_norms(rows, frame), numbers[members], start)


def _search(sides: list[tuple[Patterns, Patterns]], form: np.ndarray | Split, best: Neighbors, plan: _Plan) -> list[_Found]:
    """The nearest candidates of each query pattern; sides: (tile, block), and (block, tile) where that is asked for."""
    tile, block = sides[0]
    found = []
    for dtype in (np.float32, np.float64):
        if dtype is np.float64:
            form = candidate_form(tile.rows, tile.norms, plan.frame, dtype)
        D = lower_bounds(form, block.rows, block.norms, plan.frame, dtype)
        found = [
            near(view, plan.wanted, queries.norms, _farthest(best, queries), plan.frame)
            for view, (_, queries) in zip((D, D.T), sides, strict=False)
        ]
        if not any(crowded(close, plan.wanted) for close in found):
            break
    return [
        (queries, _lists(close, candidates, queries, plan)) for close, (candidates, queries) in zip(found, sides, strict=True)
    ]


def _lists(close: Near, candidates: Patterns, queries: Patterns, plan: _Plan) -> Neighbors:
    """The nearest rows of the candidates for each query pattern."""
    lists = nobody(len(queries.norms), plan.wanted)
    theta = None if plan.frame.theta is None else plan.frame.theta[np.newaxis]
    first = candidates.members[candidates.start[:-1]]
    for pattern, query, d2 in pairs(close, first, plan.wanted, plan.frame, plan.room):
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
    best.index[which], best.squared_distance[which] = merge(taken(best, which), found, best.index.shape[1])
