"""The neighbours of the positives of labels, each label's under its own weights, found once and kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.analysis.searches import Searches
from lsdmlo_cli.numeric.labelsets import positives
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import Neighbors, batches, joined, taken
from lsdmlo_cli.numeric.rows import grouped, sections
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.progress import Progress, silent, track

POSITIVES_AT_ONCE = 1 << 15
"""Rows that are copied out of E, which may lie in a file, to be searched: as many as a search holds against them at once."""


class LabelNeighbors(NamedTuple):
    """The positives of a label (m,) and their neighbours under its own distance."""

    rows: np.ndarray
    neighbors: Neighbors


def own_weights(Theta: scipy.sparse.csc_array, labels: Sequence[int]) -> np.ndarray:
    """(l, e) the own weights of several labels, from Theta (e, q) of Eq. 4, where an empty column stands for a uniform one.

    >>> own_weights(scipy.sparse.csc_array([[0.0, 0.3], [0.0, 0.7]]), [1, 0]).tolist()
    [[0.3, 0.7], [0.5, 0.5]]
    """
    theta = Theta[:, list(labels)].toarray().T
    theta[~theta.any(axis=1)] = 1.0 / theta.shape[1]
    return np.ascontiguousarray(theta)


class NeighborStore:
    """The k neighbours of all positives of each label that was asked for, among the rows E (n, e) under Theta (e, q).

    columns: (n, q) CSC, the positives of each label. searches: who searches; it changes no list.
    """

    def __init__(
        self,
        E: Matrix,
        Theta: scipy.sparse.csc_array,
        columns: scipy.sparse.csc_array,
        k: int,
        searches: Searches | None = None,
        progress: Progress = silent,
    ) -> None:
        self.E = E
        self.Theta = Theta
        self.columns = columns
        self.k = k
        self.searches = searches or Searches()
        self.progress = progress
        self._found: dict[int, LabelNeighbors] = {}

    def __contains__(self, label: int) -> bool:
        """Whether the neighbours of a label have been found."""
        return label in self._found

    def of_labels(self, labels: Iterable[int]) -> dict[int, LabelNeighbors]:
        """The neighbours of some labels, in their order; those that are missing are searched, over threads."""
        labels = list(labels)
        missing = [label for label in labels if label not in self._found]
        if missing:
            counts = np.diff(self.columns.indptr)[missing]
            parts = batches(self.E, missing, counts, self.searches.threads)
            with mapping(self.searches.threads) as run:
                found = chain.from_iterable(run(self._searched, parts))
                self._found.update(track(self.progress, "neighbours by label", found, len(missing)))
        return {label: self._found[label] for label in labels}

    def _searched(self, labels: Sequence[int]) -> list[tuple[int, LabelNeighbors]]:
        rows, which = grouped([positives(self.columns, label) for label in labels])
        search = self.searches.by_label(self.E, own_weights(self.Theta, labels))
        parts = [slice(start, start + POSITIVES_AT_ONCE) for start in range(0, max(1, len(rows)), POSITIVES_AT_ONCE)]
        found = joined([search.of_rows(rows[part], which[part], self.k) for part in parts], self.k)
        own = sections(which, len(labels))
        return [(label, LabelNeighbors(rows[part], taken(found, part))) for label, part in zip(labels, own, strict=True)]
