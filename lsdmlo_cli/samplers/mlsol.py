"""MLSOL: synthetic rows where labels are hard, labels by type and distance (Liu & Tsoumakas, 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.matrix import Matrix, take
from lsdmlo_cli.numeric.minority_types import (
    BORDER,
    MAJORITY,
    OUTLIER,
    RARE,
    SAFE,
    cell_types,
    minority_cells,
    seed_weights,
)
from lsdmlo_cli.numeric.neighbors import squared_distances
from lsdmlo_cli.numeric.synthesis import Interpolation, roulette, with_ancestors
from lsdmlo_cli.parameters import ROWS, P, Ratio
from lsdmlo_cli.samplers.base import (
    Batch,
    Sample,
    Sampler,
    drawn_evenly,
    each_batch,
    label_rows,
    nobody,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, between, flipped, new_features
from lsdmlo_cli.samplers.publication import Publication

THETA = {MAJORITY: 0.0, SAFE: 0.5, BORDER: 0.75, RARE: np.inf, OUTLIER: -np.inf}
"""Up to which share of the way a new row takes the minority value of its parent."""


@dataclass(frozen=True)
class MLSOLSampler(Sampler):
    """Makes floor(p n) rows from seeds drawn by w_i and references among their k neighbours by Euclidean distance.

    Minority cells, their types and w are those of numeric/minority_types.py, for every label (a label's minority value is
    the one that fewer rows have, be it 0). Numbers lie between the parents, one alpha for each attribute; nominal values
    are either parent's. Labels: where the parents agree, theirs. Else let a be the parent with the minority value, and
    cd = d(a, g) / (d(s, g) + d(r, g)), 1/2 where both distances are 0; the new row takes a's value if cd is at most 0.5 for a
    SAFE cell, 0.75 for a BORDER cell, always for a RARE one, never for an OUTLIER.

    Where sources conflict: the thresholds of the types are 0.3 and 0.7, as in Mulan (mldr.resampling: 1/3 and 2/3); SAFE and
    BORDER neighbours promote a RARE cell, as published (a slip in Mulan leaves SAFE alone). Where every w_i is 0 seeds are
    drawn evenly from the rows with a minority cell (Mulan takes the first row).

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlsol"
    summary: ClassVar[str] = "makes rows where labels are locally imbalanced, labels by type and distance of the parents"
    publication: ClassVar[Publication] = Publication(
        authors=("Bin Liu", "Grigorios Tsoumakas"),
        title="Synthetic oversampling of multi-label data based on local label distribution",
        venue="ECML PKDD",
        year=2019,
        doi="10.1007/978-3-030-46147-8_11",
        kind="inproceedings",
    )

    p: Annotated[Ratio | None, P] = 0.1
    interpolation: Annotated[Interpolation, INTERPOLATION] = "attribute"
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        data = analysis.dataset
        requested = wanted_rows(self, data.n)
        neighbors = analysis.euclidean.index
        cells = list(minority_cells(analysis.by_column, neighbors))
        types = cell_types(cells, neighbors, data.q)
        if types.nnz == 0:
            return Sample((), requested, reason="every label has the same value in all rows")
        w, warnings = seed_weights(cells, data.n), []
        if not w.any():
            warnings.append(drawn_evenly(analysis, "the rows with the rarer value of a label"))
            w = (np.diff(types.indptr) > 0).astype(np.float64)
        return Sample(self._batches(analysis, w, types, requested, rng), requested, warnings=warnings)

    def _batches(
        self, analysis: Analysis, w: np.ndarray, types: scipy.sparse.csr_array, rows: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        data, neighbors = analysis.dataset, analysis.euclidean.index
        for part, child in each_batch(rows, rng):
            seeds = roulette(w, child.random(part.stop - part.start))
            references = neighbors[seeds, child.integers(neighbors.shape[1], size=len(seeds))]
            numbers = between(data, seeds, references, self.interpolation, child)
            X = new_features(data, seeds, numbers, flipped(data, seeds, references, child))
            Y = assigned(analysis, X, seeds, references, types)
            yield Batch(X, with_ancestors(Y, data.parents), seeds, references, nobody(len(seeds)))


def assigned(
    analysis: Analysis, X: Matrix, seeds: np.ndarray, references: np.ndarray, types: scipy.sparse.csr_array
) -> np.ndarray:
    """(m, q) bool: the labels of new rows X between seeds and references."""
    E = analysis.encode(X)
    to_seed, to_reference = (np.sqrt(squared_distances(E, take(analysis.E, rows))) for rows in (seeds, references))
    way = to_seed + to_reference
    from_seed = np.where(way > 0, to_seed / np.where(way > 0, way, 1.0), 0.5)[:, np.newaxis]
    y_seed, y_reference = label_rows(analysis.dataset, seeds), label_rows(analysis.dataset, references)
    of_seed, of_reference = types[seeds].toarray(), types[references].toarray()
    seed_has_it = of_seed != MAJORITY
    theta = np.array([THETA[kind] for kind in range(5)])[np.where(seed_has_it, of_seed, of_reference)]
    keeps = np.where(seed_has_it, from_seed, 1.0 - from_seed) <= theta
    return np.where(y_seed == y_reference, y_seed, np.where(keeps == seed_has_it, y_seed, y_reference))
