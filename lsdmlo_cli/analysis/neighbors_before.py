"""The neighbours of rows of a data set among all of its rows, by Euclidean and by the labels' own distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lsdmlo_cli.analysis.analysis import Analysis
from lsdmlo_cli.analysis.neighbor_store import LabelNeighbors
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import Neighbors, batches, joined, taken
from lsdmlo_cli.numeric.rows import sections


class Asked(NamedTuple):
    """Rows (m,) under some labels, or by Euclidean distance (no label). which: (m,) the label of each, as a place in labels."""

    rows: np.ndarray
    which: np.ndarray
    labels: tuple[int, ...] = ()

    def part(self, some: slice | np.ndarray) -> Asked:
        """Some of the rows."""
        return self._replace(rows=self.rows[some], which=self.which[some])


def by_euclidean(rows: np.ndarray) -> Asked:
    """Rows (m,) that are asked for by Euclidean distance."""
    return Asked(rows, np.zeros_like(rows))


@dataclass(frozen=True, eq=False)
class NeighborsBefore:
    """The neighbours of rows of the data set among all of its rows.

    known: of labels whose positives have all been searched.
    """

    analysis: Analysis
    known: Mapping[int, LabelNeighbors]

    stage = "neighbours by label"

    @classmethod
    def of(cls, analysis: Analysis, labels: Iterable[int]) -> NeighborsBefore:
        """Those of some labels; in a sample no positive is searched that is not measured, but lists that there are serve."""
        store, whole = analysis.label_neighbors, analysis.measures != "sampled"
        return cls(analysis, store.of_labels(label for label in labels if whole or label in store))

    @property
    def pairs(self) -> int:
        """How many pairs of rows there are for the neighbours of all rows."""
        return self.analysis.dataset.n**2

    def batches(self, labels: list[int], counts: np.ndarray) -> list[list[int]]:
        """The labels that are best searched together; counts: (l,) the rows asked for."""
        return batches(self.analysis.E, labels, counts, self.analysis.searches.threads)

    def euclidean(self, rows: np.ndarray) -> Neighbors:
        """The neighbours of rows (m,) by Euclidean distance."""
        return self.found(by_euclidean(rows))

    def by_label(self, asked: Asked) -> Neighbors:
        """The neighbours of rows by the distances of their labels; the rows of each label rise."""
        return self.found(asked)

    def found(self, asked: Asked) -> Neighbors:
        """The neighbours of rows: the lists that there are, or searched."""
        known = self.lists(asked)
        return searched(self.analysis, self.analysis.E, asked) if known is None else known

    def lists(self, asked: Asked) -> Neighbors | None:
        """The lists of rows that were found before, None where they were not (or are too many to be kept)."""
        if not asked.labels:
            sampled = self.analysis.measures == "sampled"
            return None if sampled else taken(self.analysis.euclidean, asked.rows)
        if not all(label in self.known for label in asked.labels):
            return None
        parts = zip(asked.labels, sections(asked.which, len(asked.labels)), strict=True)
        return joined([self._of_label(label, asked.rows[part]) for label, part in parts], self.analysis.k)

    def _of_label(self, label: int, rows: np.ndarray) -> Neighbors:
        known = self.known[label]
        return taken(known.neighbors, np.searchsorted(known.rows, rows))


def searched(analysis: Analysis, E: Matrix, asked: Asked) -> Neighbors:
    """The neighbours of rows of E among its others."""
    if not asked.labels:
        return analysis.searches.euclidean(E).of_rows(asked.rows, analysis.k)
    search = analysis.searches.by_label(E, analysis.thetas(asked.labels))
    return search.of_rows(asked.rows, asked.which, analysis.k)
