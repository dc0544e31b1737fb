"""The k nearest rows to queries of many labels, each by its own label's distance: exact, as in search.py.

One product can tell for all labels at once which candidates may be near: of sparse rows by what they share where that is little
(shared_columns.py), else column by column (dense_columns.py), of dense ones where each label has few queries (products.py).
Eq. 5 decides among these. All other labels have a search of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix, release, take
from lsdmlo_cli.numeric.neighbors.dense_columns import near_by_columns
from lsdmlo_cli.numeric.neighbors.distances import pair_distances
from lsdmlo_cli.numeric.neighbors.lists import Neighbors, copied, merge, nobody, put, taken
from lsdmlo_cli.numeric.neighbors.products import near_by_product, tile_height
from lsdmlo_cli.numeric.neighbors.search import WORKSPACE, WORTH_THREADS, Search
from lsdmlo_cli.numeric.neighbors.shared_columns import Queries, near_by_sharing, weighted
from lsdmlo_cli.numeric.rows import portions

TILE = 2**14
"""Sparse candidates at once, which bounds the norms of all of them under each label: 2^12 to 2^16 take the same CPU time."""

QUERIES = 2048
"""Queries of a batch of labels. On 4,000 sparse rows the CPU time does not depend on it; on dense ones 512 save a third of it
where nothing else bounds a batch, and 8,192 take 1.6 times as much."""

OF_A_LABEL = 128
"""Queries that take about as long as what a label's search does besides; without it 300 labels take 3 to 6 % more CPU time."""

CELLS = 2**21
"""Cells of the queries of a batch, of its weights, and of the norms they give the candidates: 16 MiB each. 2^17 takes 1.4 times
the CPU time on sparse rows, and 2^23 saves a fifth there and nothing on dense ones."""

SHARES = 4
"""Batches a thread: the last thread to end works alone for a quarter of its share at most."""

SHARES_OF_NEW = 2
"""Batches a thread where most neighbours are known, and what a batch costs besides weighs more."""


@dataclass(frozen=True, eq=False)
class LabelSearch:
    """Exact searches among the rows of E (n, e), the candidates, each under the weights of one of l labels.

    theta: (l, e) the weights of Eq. 5, none negative. label: (m,) the row of theta of each query. workspace: bytes beside
    input and answer, as in Search; searches may run side by side, and share a workspace then.

    >>> E = np.array([[0.0, 5.0], [2.0, 0.0], [3.0, 5.0]])
    >>> LabelSearch(E, np.eye(2)).of_rows(np.array([0, 0]), np.array([0, 1]), 1).index
    array([[1],
           [2]])
    """

    E: Matrix
    theta: np.ndarray
    workspace: int = WORKSPACE

    def of_rows(self, rows: np.ndarray, label: np.ndarray, k: int) -> Neighbors:
        """The k nearest others of some rows (m,) of E, fewer columns where there are fewer."""
        return self.of_queries(take(self.E, rows), label, k, exclude=rows)

    def of_queries(self, queries: Matrix, label: np.ndarray, k: int, exclude: np.ndarray | None = None) -> Neighbors:
        """The k nearest rows of each query (m, e), fewer columns where there are fewer; exclude as in Search."""
        n = self.E.shape[0] - (exclude is not None)
        return self.extend(nobody(len(label), max(0, min(k, n))), queries, label, exclude)

    def extend(
        self, known: Neighbors, queries: Matrix, label: np.ndarray, exclude: np.ndarray | None = None, first: int = 0
    ) -> Neighbors:
        """The lists that queries (m, e) have among other candidates, with the rows of E that are nearer put in.

        first: what the rows of E are numbered from, in the answer and in exclude.
        """
        best = copied(known)
        exclude = np.full(len(label), -1) if exclude is None else exclude
        ahead = None if isinstance(queries, np.ndarray) else weighted(queries, self.theta, label)
        asked = _Asked(queries, ahead, label, exclude)
        for at, rows in self._tiles(label) if best.index.size else ():
            served = self._together(best, asked, rows, first + at)
            for j in np.flatnonzero(~served):
                which = np.flatnonzero(label == j) if len(self.theta) > 1 else slice(None)
                own = Search(rows, self.theta[j], workspace=self.workspace)
                found = own.extend(taken(best, which), queries[which], exclude[which], first + at)
                best.index[which], best.squared_distance[which] = found
        return best

    def _tiles(self, label: np.ndarray) -> Iterator[tuple[int, Matrix]]:
        """Where some rows begin, and these; label: (m,) of each query."""
        E, n = self.E, self.E.shape[0]
        height = TILE
        if isinstance(E, np.ndarray):
            height = tile_height(n, np.bincount(label, minlength=len(self.theta)), self.theta, self.workspace)
        for at in range(0, n, max(1, height)):
            yield at, E if n <= height else E[at : at + height]
            release(E)

    def _together(self, best: Neighbors, asked: _Asked, rows: Matrix, first: int) -> np.ndarray:
        """Put what one product finds among some rows into the lists. Returns (l,) bool: the labels that need no other search."""
        served = np.bincount(asked.label, minlength=len(self.theta)) == 0
        k = best.index.shape[1]
        for some, query, row in self._near(best, asked, rows, served):
            served[asked.label[some]] = True
            others = row + first != asked.exclude[some[query]]
            query, row = query[others], row[others]
            asks = np.bincount(query, minlength=len(some)) > 0
            asking, query = some[asks], (np.cumsum(asks) - 1)[query]
            d2 = pair_distances(asked.queries, asking[query], rows, row, self.theta, asked.label[asking[query]])
            lists = nobody(len(asking), k)
            put(lists, row + first, query, d2)
            best.index[asking], best.squared_distance[asking] = merge(taken(best, asking), lists, k)
        return served

    def _near(
        self, best: Neighbors, asked: _Asked, rows: Matrix, served: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """(some, query, row): pairs of some queries and rows that can be near, one row more than a list holds: the excluded.

        served: (l,) bool, kept up to date by the caller: what one way leaves is for the next.
        """
        farthest, wanted = best.squared_distance[:, -1], best.index.shape[1] + 1
        if asked.ahead is None:
            yield from near_by_product(rows, asked.queries, self.theta, asked.label, farthest, wanted, self.workspace)
        else:
            yield from near_by_sharing(rows, asked.ahead, self.theta, farthest, wanted)
            yield from near_by_columns(rows, asked.ahead, self.theta, ~served, farthest, wanted, self.workspace)


class _Asked(NamedTuple):
    """Queries (m, e), what is made of sparse ones ahead of all products, their labels (m,), and the row each excludes (m,)."""

    queries: Matrix
    ahead: Queries | None
    label: np.ndarray
    exclude: np.ndarray


def batches(E: Matrix, labels: Sequence[int], counts: np.ndarray, threads: int, candidates: int | None = None) -> list[list[int]]:
    """Which labels are best searched together, given how many queries each has (l,).

    Labels of many queries come first, so that threads that take batch by batch end at about the same time. candidates: among
    how many rows of E the lists are still to be found where the rest is known; None is all of E.
    """
    order = np.argsort(-counts, kind="stable")
    ordered, counts = np.asarray(labels)[order], counts[order]
    n, e = E.shape
    cells = e if isinstance(E, np.ndarray) else 1 + E.nnz // n
    parts = threads * (SHARES if candidates is None else SHARES_OF_NEW)
    candidates = max(1, n if candidates is None else candidates)
    queries = max(1, min(max(QUERIES, CELLS // candidates), CELLS // cells))
    together = max(1, CELLS // (e + min(n, TILE)))
    work = counts + OF_A_LABEL
    size = np.maximum(counts / queries, work / max(WORTH_THREADS / candidates, work.sum() / parts))
    return [ordered[part].tolist() for part in portions(np.maximum(size, 1 / together), 1)]
