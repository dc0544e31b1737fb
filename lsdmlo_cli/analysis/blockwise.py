"""Neighbours searched by workers, each among blocks of rows, and merged.

    lists of queries among E = merge of their lists among the blocks of E, in any order

since lists are exact, and ties go to the lower row. What is sent: each block of rows once, to a worker when it needs it, and with
each part of the work its queries; what comes back: a list for each of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from lsdmlo_cli.analysis.searches import Searches
from lsdmlo_cli.numeric.matrix import Matrix, release, take
from lsdmlo_cli.numeric.neighbors import LabelSearch, Neighbors, Search, nobody, taken
from lsdmlo_cli.numeric.neighbors.lists import NOBODY, copied, merge
from lsdmlo_cli.numeric.neighbors.search import Watch

CELLS = 2**20
"""Of a block of rows, 8 MB dense: it passes a network in a tenth of a second, and two blocks of 100 columns keep a worker
busy for longer than that."""

WORTH_A_CLUSTER = 2**25
"""Pairs of rows from which a search is worth being sent; fewer (5,800 rows) take a second here."""


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a matrix, and the number of the first."""

    rows: Matrix
    first: int = 0

    @property
    def count(self) -> int:
        return int(self.rows.shape[0])

    @property
    def numbers(self) -> np.ndarray:
        return np.arange(self.first, self.first + self.count)


Part: TypeAlias = tuple[Callable[..., list[Neighbors]], tuple[Any, ...], list[Any]]
"""A function for a worker with its arguments, and for each list that it returns whose it is: places among the lists (m,)."""


class BlockwiseSearches(Searches):
    """Searches by workers. threads: of this process, which wait for them. here: who does short searches."""

    def __init__(self, workers: Executor, threads: int, here: Searches) -> None:
        super().__init__(threads)
        self.workers = workers
        self.here = here
        self._blocks: dict[int, tuple[Matrix, list[Block]]] = {}

    def euclidean(self, E: Matrix, watch: Watch = lambda done, total: None) -> Search | BlockwiseSearch:
        return BlockwiseSearch(E, self, watch)

    def by_label(self, E: Matrix, theta: np.ndarray) -> LabelSearch | BlockwiseLabelSearch:
        return BlockwiseLabelSearch(E, theta, self)

    def blocks(self, E: Matrix) -> list[Block]:
        """The rows of a matrix, which are sent once."""
        if id(E) not in self._blocks:
            self._blocks[id(E)] = (E, list(_blocks(E)))
        return self._blocks[id(E)][1]

    def improved(self, known: Neighbors, parts: Sequence[Part], watch: Watch = lambda done, total: None) -> Neighbors:
        """The lists with what the parts of the work find put in; so many parts are on their way that no worker waits."""
        best, waiting = copied(known), iter(parts)
        running: dict[Future[list[Neighbors]], list[Any]] = {}
        done = 0
        while True:
            for fn, arguments, whose in islice(waiting, 2 * self.threads - len(running)):
                running[self.workers.submit(_alone, fn, *arguments)] = whose
            if not running:
                return best
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                for places, found in zip(running.pop(future), future.result(), strict=True):
                    merged = merge(taken(best, places), found, best.index.shape[1])
                    best.index[places], best.squared_distance[places] = merged
                done += 1
                watch(done, len(parts))


@dataclass(frozen=True, eq=False)
class BlockwiseSearch:
    """What Search does by Euclidean distance, by workers."""

    E: Matrix
    searches: BlockwiseSearches
    watch: Watch

    def of_all(self, k: int) -> Neighbors:
        """As Search.of_all."""
        n = self.E.shape[0]
        if _is_short(n, n):
            return self._here.of_all(k)
        known, blocks = nobody(n, max(0, min(k, n - 1))), self.searches.blocks(self.E)
        pairs = [(one, other) for at, one in enumerate(blocks) for other in blocks[at:]]
        return self.searches.improved(known, [_of_pair(one, other, known.index.shape[1]) for one, other in pairs], self.watch)

    def of_rows(self, rows: np.ndarray, k: int) -> Neighbors:
        """As Search.of_rows."""
        n = self.E.shape[0]
        if _is_short(n, len(rows)):
            return self._here.of_rows(rows, k)
        return self.extend(nobody(len(rows), max(0, min(k, n - 1))), take(self.E, rows), rows)

    def extend(self, known: Neighbors, queries: Matrix, exclude: np.ndarray | None = None, first: int = 0) -> Neighbors:
        """As Search.extend."""
        if _is_short(self.E.shape[0], queries.shape[0]):
            return self._here.extend(known, queries, exclude, first)
        parts: list[Part] = []
        for asked in _blocks(queries):
            own = asked.numbers
            excluded = None if exclude is None else exclude[own]
            parts += [
                (_among, (block, asked, excluded, first, known.index.shape[1]), [own]) for block in self.searches.blocks(self.E)
            ]
        return self.searches.improved(known, parts, self.watch)

    def extend_both(self, known: Neighbors, queries: Matrix) -> Neighbors:
        """As Search.extend_both."""
        m, n = queries.shape[0], self.E.shape[0]
        if _is_short(n, m):
            return self._here.extend_both(known, queries)
        new = [Block(block.rows, m + block.first) for block in self.searches.blocks(self.E)]
        pairs = ((one, other) for one in self.searches.blocks(queries) for other in new)
        return self.searches.improved(known, [_of_pair(one, other, known.index.shape[1]) for one, other in pairs], self.watch)

    @property
    def _here(self) -> Search | BlockwiseSearch:
        return self.searches.here.euclidean(self.E, self.watch)


@dataclass(frozen=True, eq=False)
class BlockwiseLabelSearch:
    """What LabelSearch does, by workers."""

    E: Matrix
    theta: np.ndarray
    searches: BlockwiseSearches

    def of_rows(self, rows: np.ndarray, label: np.ndarray, k: int) -> Neighbors:
        """As LabelSearch.of_rows."""
        known = nobody(len(label), max(0, min(k, self.E.shape[0] - 1)))
        return self.extend(known, take(self.E, rows), label, rows)

    def extend(
        self, known: Neighbors, queries: Matrix, label: np.ndarray, exclude: np.ndarray | None = None, first: int = 0
    ) -> Neighbors:
        """As LabelSearch.extend."""
        if _is_short(self.E.shape[0], len(label)):
            return self.searches.here.by_label(self.E, self.theta).extend(known, queries, label, exclude, first)
        asked, own = Block(queries), np.arange(len(label))
        parts: list[Part] = [
            (_among_by_label, (block, asked, self.theta, label, exclude, first, known.index.shape[1]), [own])
            for block in self.searches.blocks(self.E)
        ]
        return self.searches.improved(known, parts)


def _is_short(rows: int, queries: int) -> bool:
    return rows * queries <= WORTH_A_CLUSTER


def _blocks(matrix: Matrix) -> Iterator[Block]:
    n, columns = matrix.shape
    step = max(1, CELLS // max(1, columns))
    for start in range(0, n, step):
        yield Block(matrix[start : start + step], start)
        release(matrix)


def _of_pair(one: Block, other: Block, k: int) -> Part:
    """The lists of the rows of two blocks among each other; of one block twice, among themselves."""
    if one is other:
        return _themselves, (one, k), [one.numbers]
    return _each_other, (one, other, k), [one.numbers, other.numbers]


# what workers do


def _alone(fn: Callable[..., list[Neighbors]], *arguments: Any) -> list[Neighbors]:
    """A part of the work, on one thread of BLAS."""
    with threadpool_limits(1, user_api="blas"):
        return fn(*arguments)


def _themselves(block: Block, k: int) -> list[Neighbors]:
    return [_filled(_numbered(Search(block.rows).of_all(k), block.first), k)]


def _each_other(one: Block, other: Block, k: int) -> list[Neighbors]:
    m = one.count
    found = Search(other.rows).extend_both(nobody(m + other.count, k), one.rows)
    return [_numbered(taken(found, slice(m)), other.first - m), _numbered(taken(found, slice(m, None)), one.first)]


def _among(block: Block, asked: Block, exclude: np.ndarray | None, first: int, k: int) -> list[Neighbors]:
    return [Search(block.rows).extend(nobody(asked.count, k), asked.rows, exclude, first + block.first)]


def _among_by_label(
    block: Block, asked: Block, theta: np.ndarray, label: np.ndarray, exclude: np.ndarray | None, first: int, k: int
) -> list[Neighbors]:
    return [LabelSearch(block.rows, theta).extend(nobody(len(label), k), asked.rows, label, exclude, first + block.first)]


def _numbered(lists: Neighbors, by: int) -> Neighbors:
    """The lists with other numbers of the rows."""
    return Neighbors(np.where(lists.index == NOBODY, NOBODY, lists.index + by), lists.squared_distance)


def _filled(lists: Neighbors, k: int) -> Neighbors:
    """Lists of k columns."""
    return merge(nobody(len(lists.index), k), lists, k)
