"""The neighbours of rows after resampling: among the rows of the data set that stay, and the new rows behind them.

A list of neighbours found before of which every row stays is used again, one that lost a row is searched anew; both are merged
with the new rows, which are searched in full. Rows are numbered from 0: those that stay, then the new ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lsdmlo_cli.analysis.analysis import Analysis
from lsdmlo_cli.analysis.memory import matrix_bytes
from lsdmlo_cli.analysis.neighbors_before import Asked, NeighborsBefore, by_euclidean, searched
from lsdmlo_cli.numeric.matrix import Matrix, Stack, stacked, take, walk
from lsdmlo_cli.numeric.neighbors import Neighbors, batches, joined, nobody, taken
from lsdmlo_cli.numeric.rows import is_every_row


@dataclass(frozen=True, eq=False)
class NeighborsAfter:
    """The neighbours of rows among those that stay and the new ones.

    keep: (n,) bool, the rows of the data set that stay, None for all. old: (n', e) their encoded features. new: (m, e) those
    of the new rows, None without one.
    """

    before: NeighborsBefore
    keep: np.ndarray | None
    old: Matrix
    new: Matrix | None

    stage = "neighbours by label, new rows too"

    @classmethod
    def of(cls, before: NeighborsBefore, keep: np.ndarray | None, new: Matrix | None) -> NeighborsAfter:
        """The rows that stay, behind them new ones."""
        return cls(before, keep, before.analysis.E if keep is None else _kept(before.analysis, keep), new)

    @property
    def analysis(self) -> Analysis:
        """What is learned from the data set; encoding and weights are those of before."""
        return self.before.analysis

    @cached_property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.old.shape[0]) + (0 if self.new is None else int(self.new.shape[0]))

    @property
    def pairs(self) -> int:
        """How many pairs of rows there are for the neighbours of all rows, where old ones are known."""
        return self.total * int((self.old if self.new is None else self.new).shape[0])

    def batches(self, labels: list[int], counts: np.ndarray) -> list[list[int]]:
        """The labels that are best searched together; counts: (l,) the rows asked for."""
        among = None if self.new is None else self.new.shape[0]
        return batches(self.old, labels, counts, self.analysis.searches.threads, among)

    def euclidean(self, rows: np.ndarray) -> Neighbors:
        """The neighbours of rows (m,), rising, by Euclidean distance; found for all, as a product serves old and new rows."""
        n, width = self.old.shape[0], self._width
        if self.new is None or self.analysis.measures == "sampled":
            cut = np.searchsorted(rows, n)  # searched apart, so that no copy of all rows is made
            return joined([self._around(by_euclidean(part)) for part in (rows[:cut], rows[cut:]) if len(part)], width)
        search = self.analysis.searches.euclidean(self.new)
        known = joined([self._among_old(by_euclidean(np.arange(n))), nobody(self.new.shape[0], 0)], width)
        known = search.extend_both(known, self.old)
        among_new = search.extend(taken(known, slice(n, None)), self.new, np.arange(n, self.total), n)
        known.index[n:], known.squared_distance[n:] = among_new
        return taken(known, rows)

    def by_label(self, asked: Asked) -> Neighbors:
        """The neighbours of rows by the distances of their labels; the rows of each label rise."""
        order = np.argsort(asked.rows >= self.old.shape[0], kind="stable")
        return taken(self._around(asked.part(order)), np.argsort(order))

    @property
    def _width(self) -> int:
        """How many neighbours a row has."""
        return min(self.analysis.k, self.total - 1)

    def _around(self, asked: Asked) -> Neighbors:
        """The neighbours of rows, old ones first."""
        n = self.old.shape[0]
        cut = np.count_nonzero(asked.rows < n)
        old, new = asked.part(slice(None, cut)), asked.part(slice(cut, None))
        among_old = self._among_old(old)
        if self.new is None:
            return among_old
        queries = [_rows(self.old, old.rows), _rows(self.new, new.rows - n)]
        of_new = self._extended(nobody(len(new.rows), self._width), new, self.old, queries[1])
        return self._extended(joined([among_old, of_new], self._width), asked, self.new, stacked(queries), n)

    def _among_old(self, asked: Asked) -> Neighbors:
        """The neighbours of rows that stay among those that stay: the lists found before where they lost no row."""
        if self.keep is None:
            return self.before.found(asked)
        known = self.before.lists(asked._replace(rows=np.flatnonzero(self.keep)[asked.rows]))
        if known is None:
            return searched(self.analysis, self.old, asked)
        lost = ~self.keep[known.index].all(axis=1)
        anew = searched(self.analysis, self.old, asked.part(lost))
        if lost.all():  # so that there may be fewer than k rows left
            return anew
        found = Neighbors((np.cumsum(self.keep) - 1)[known.index], known.squared_distance.copy())
        found.index[lost], found.squared_distance[lost] = anew
        return found

    def _extended(self, known: Neighbors, asked: Asked, E: Matrix, queries: Matrix, first: int = 0) -> Neighbors:
        """The lists of rows, which are the queries (m, e), with the nearer rows of E put in; these are numbered from `first`."""
        if not asked.labels:
            return self.analysis.searches.euclidean(E).extend(known, queries, asked.rows, first)
        search = self.analysis.searches.by_label(E, self.analysis.thetas(asked.labels))
        return search.extend(known, queries, asked.which, asked.rows, first)


def _kept(analysis: Analysis, keep: np.ndarray) -> Matrix:
    """The rows of E that stay."""
    stack = Stack(analysis.E.shape[1], matrix_bytes(analysis.memory_bytes), isinstance(analysis.E, np.ndarray))
    for rows, part in walk(analysis.E):
        stack.append(part[np.flatnonzero(keep[rows])])
    return analysis.searches.settled(stack.finish())


def _rows(matrix: Matrix, rows: np.ndarray) -> Matrix:
    """Some rows; the matrix itself, not a copy, where they are all of it, each once and in their order."""
    return matrix if is_every_row(rows, matrix.shape[0]) else take(matrix, rows)
