"""Neighbours searched by workers, each among blocks of rows, and merged.

    lists of queries among E = merge of their lists among the blocks of E, in any order

since lists are exact, and ties go to the lower row. Rows lie in files that workers map (spool.py); where they do not see these,
rows are sent, each block once. Workers merge the lists of a group of parts; what comes back is a list for each query and group.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeAlias

import numpy as np

from lsdmlo_cli.analysis.searches import Searches
from lsdmlo_cli.analysis.spool import Held, Mapped, Sent, Spool, cells_a_row
from lsdmlo_cli.numeric.matrix import Matrix, take
from lsdmlo_cli.numeric.neighbors import LabelSearch, Neighbors, Search, nobody, taken
from lsdmlo_cli.numeric.neighbors.lists import NOBODY, copied, merge
from lsdmlo_cli.numeric.neighbors.search import Watch
from lsdmlo_cli.numeric.threads import one_blas_thread

CELLS = 2**20
"""Of a block of rows at most, 8 MB dense: it passes a network in a tenth of a second, and two blocks of 100 columns keep a worker
busy for longer than that."""

ROWS = 2**15
"""Of a block at most: all pairs of so many keep a worker busy for about ten seconds."""

SIDE = 8
"""Blocks on each side of a group of pairs: 64 parts, whose lists workers merge, so that an eighth of them comes back. With
larger groups less comes back, and more is lost where a worker dies. A matrix has so many blocks at least, so that its parts keep
many workers busy: 60,000 x 50 cells take as much CPU time in 8 blocks as in 3, and a quarter more in 23."""

WORTH_A_CLUSTER = 2**25
"""Pairs of rows from which a search is worth being sent; fewer (5,800 rows) take a second here."""


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a matrix, and the number of the first."""

    held: Held
    first: int = 0

    @property
    def rows(self) -> Matrix:
        return self.held.rows

    @property
    def count(self) -> int:
        return self.held.count

    @property
    def places(self) -> slice:
        return slice(self.first, self.first + self.count)


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries, the row that each must not find, and the weights of labels with the label of each query (None: Euclidean)."""

    queries: Held
    exclude: np.ndarray | None
    theta: np.ndarray | None = None
    label: np.ndarray | None = None


SENT = (Sent, Asked)
"""What is sent to a worker once, however many parts of the work need it."""

Part: TypeAlias = tuple[Callable[..., list[Neighbors]], tuple[Any, ...], list[slice]]
"""A function for a worker with its arguments, and the places of each of the lists that it returns."""

Group: TypeAlias = list[Part]
"""Parts of which workers merge the lists; two lists have the same places, or none in common."""


class Workers(Protocol):
    """Who does calls: `cluster.Cluster`.

    submit: the future has the result. keep: the result stays with the worker, and the future may be an argument of other calls.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]: ...

    def keep(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]: ...


class BlockwiseSearches(Searches):
    """Searches by workers.

    threads: of this process, which wait for them. here: who does short searches. spool: for rows, None: they are sent.
    """

    def __init__(self, workers: Workers, threads: int, here: Searches, spool: Spool | None) -> None:
        super().__init__(threads)
        self.workers = workers
        self.here = here
        self.spool = spool
        self._blocks: dict[int, tuple[Matrix, list[Block]]] = {}
        self._writing = threading.Lock()

    def euclidean(self, E: Matrix, watch: Watch = lambda done, total: None) -> Search | BlockwiseSearch:
        return BlockwiseSearch(E, self, watch)

    def by_label(self, E: Matrix, theta: np.ndarray) -> LabelSearch | BlockwiseLabelSearch:
        return BlockwiseLabelSearch(E, theta, self)

    def settled(self, E: Matrix) -> Matrix:
        """The rows of E, memory-mapped here too where workers map them, so that there is no other copy."""
        if self.spool is None or _is_short(E.shape[0], E.shape[0]):
            return E
        written = self.spool.written(E)
        mapped = written.rows
        self._blocks[id(mapped)] = mapped, _cut(written, mapped, SIDE)
        return mapped

    def blocks(self, E: Matrix) -> list[Block]:
        """The rows of a matrix, which are written, or sent, once."""
        with self._writing:
            if id(E) not in self._blocks:
                self._blocks[id(E)] = E, _cut(self._held(E), E, SIDE)
            return self._blocks[id(E)][1]

    @contextmanager
    def lent(self, queries: Matrix) -> Iterator[Held]:
        """Rows that workers need for a while."""
        held = self._held(queries)
        try:
            yield held
        finally:
            if isinstance(held, Mapped):
                held.remove()

    def _held(self, matrix: Matrix) -> Held:
        return Sent(matrix) if self.spool is None else self.spool.written(matrix)

    def improved(self, known: Neighbors, groups: Sequence[Group], watch: Watch = lambda done, total: None) -> Neighbors:
        """The lists with what the parts of the work find put in; so many parts are on their way that no worker waits."""
        best, waiting, total = copied(known), iter(groups), sum(len(group) for group in groups)
        running: dict[Future[Any], slice | None] = {}
        done = 0
        while True:
            while len(running) < 2 * self.threads and (group := next(waiting, None)):
                running |= self._begun(group, best.index.shape[1])
            if not running:
                return best
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                places, found = running.pop(future), future.result()
                if places is None:
                    done += 1
                    watch(done, total)
                else:
                    merged = merge(taken(best, places), found, best.index.shape[1])
                    best.index[places], best.squared_distance[places] = merged

    def _begun(self, group: Group, k: int) -> dict[Future[Any], slice | None]:
        """The work of a group: its parts, and the merged lists of some places each."""
        parts = [self.workers.keep(_alone, fn, *arguments) for fn, arguments, _ in group]
        lists: dict[tuple[int, int], list[tuple[int, Future[Any]]]] = defaultdict(list)
        for part, (_, _, whose) in zip(parts, group, strict=True):
            for at, places in enumerate(whose):
                lists[places.start, places.stop].append((at, part))
        merged = {self.workers.submit(_merged, k, *zip(*own, strict=True)): slice(*places) for places, own in lists.items()}
        return {**dict.fromkeys(parts), **merged}


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
        return self.searches.improved(known, _pairs(blocks, blocks, known.index.shape[1]), self.watch)

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
        groups: list[Group] = []
        with self.searches.lent(queries) as held:
            for some in _cut(held, queries):
                asked = Asked(some.held, None if exclude is None else exclude[some.places])
                groups += _groups(self.searches.blocks(self.E), asked, (first, known.index.shape[1]), some.places)
            return self.searches.improved(known, groups, self.watch)

    def extend_both(self, known: Neighbors, queries: Matrix) -> Neighbors:
        """As Search.extend_both."""
        m, n = queries.shape[0], self.E.shape[0]
        if _is_short(n, m):
            return self._here.extend_both(known, queries)
        new = [Block(block.held, m + block.first) for block in self.searches.blocks(self.E)]
        return self.searches.improved(known, _pairs(self.searches.blocks(queries), new, known.index.shape[1]), self.watch)

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
        with self.searches.lent(queries) as held:
            asked, more = Asked(held, exclude, self.theta, label), (first, known.index.shape[1])
            groups = _groups(self.searches.blocks(self.E), asked, more, slice(0, len(label)))
            return self.searches.improved(known, groups)


def _is_short(rows: int, queries: int) -> bool:
    return rows * queries <= WORTH_A_CLUSTER


def _cut(held: Held, matrix: Matrix, least: int = 1) -> list[Block]:
    """The blocks of a matrix, which is held for workers; `least` of them, if there are as many rows."""
    step = max(1, min(ROWS, CELLS // cells_a_row(matrix), -(-held.count // least)))
    return [Block(held.part(at, at + step), at) for at in range(0, held.count, step)]


def _portions(blocks: Sequence[Block], size: int) -> list[Sequence[Block]]:
    return [blocks[at : at + size] for at in range(0, len(blocks), size)]


def _groups(blocks: Sequence[Block], asked: Asked, more: tuple[int, int], places: slice) -> list[Group]:
    """Queries, whose lists have these places, among blocks, group by group."""
    return [[(_among, (block, asked, *more), [places]) for block in some] for some in _portions(blocks, SIDE**2)]


def _pairs(ones: Sequence[Block], others: Sequence[Block], k: int) -> list[Group]:
    """Every block of some with every one of others, each two once, group by group."""
    sides = ((some, more) for some in _portions(ones, SIDE) for more in _portions(others, SIDE))
    groups = ([_of_pair(one, other, k) for one in some for other in more if one.first <= other.first] for some, more in sides)
    return [group for group in groups if group]


def _of_pair(one: Block, other: Block, k: int) -> Part:
    """The lists of the rows of two blocks among each other; of one block twice, among themselves."""
    if one is other:
        return _themselves, (one, k), [one.places]
    return _each_other, (one, other, k), [one.places, other.places]


# what workers do


def _alone(fn: Callable[..., list[Neighbors]], *arguments: Any) -> list[Neighbors]:
    """A part of the work, on one thread of BLAS."""
    with one_blas_thread():
        return fn(*arguments)


def _themselves(block: Block, k: int) -> list[Neighbors]:
    return [_filled(_numbered(Search(block.rows).of_all(k), block.first), k)]


def _each_other(one: Block, other: Block, k: int) -> list[Neighbors]:
    m = one.count
    found = Search(other.rows).extend_both(nobody(m + other.count, k), one.rows)
    return [_numbered(taken(found, slice(m)), other.first - m), _numbered(taken(found, slice(m, None)), one.first)]


def _among(block: Block, asked: Asked, first: int, k: int) -> list[Neighbors]:
    known, queries, at = nobody(asked.queries.count, k), asked.queries.rows, first + block.first
    if asked.theta is None or asked.label is None:
        return [Search(block.rows).extend(known, queries, asked.exclude, at)]
    return [LabelSearch(block.rows, asked.theta).extend(known, queries, asked.label, asked.exclude, at)]


def _merged(k: int, places: Sequence[int], parts: Sequence[list[Neighbors]]) -> Neighbors:
    """The lists of the same rows, each at its place among those of a part, as one."""
    lists = (part[place] for part, place in zip(parts, places, strict=True))
    return reduce(lambda first, second: merge(first, second, k), lists)


def _numbered(lists: Neighbors, by: int) -> Neighbors:
    """The lists with other numbers of the rows."""
    return Neighbors(np.where(lists.index == NOBODY, NOBODY, lists.index + by), lists.squared_distance)


def _filled(lists: Neighbors, k: int) -> Neighbors:
    """Lists of k columns."""
    return merge(nobody(len(lists.index), k), lists, k)
