"""LSDMLO: label-specific distance-based multi-label oversampling (Liu et al., 2026)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.instance_weights import correlated_labels, label_correlation, local_imbalance, without_outliers
from lsdmlo_cli.numeric.matrix import Matrix, take
from lsdmlo_cli.numeric.neighbors import pair_distances
from lsdmlo_cli.numeric.synthesis import Interpolation, roulette, with_ancestors
from lsdmlo_cli.samplers.base import (
    ROUNDING,
    Batch,
    Sample,
    Sampler,
    batch_sizes,
    drawn_evenly,
    exact,
    label_rows,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, between, new_features, voted
from lsdmlo_cli.samplers.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.samplers.publication import Publication


@dataclass(frozen=True)
class LSDMLOSampler(Sampler):
    """Oversamples minority labels around rows that lie near their boundaries, with one distance per label.

    Steps: feature weights W (Eq. 2), label-specific distances (Eq. 4, 5), instance weights u (Eq. 6 to 10), floor(p n)
    synthetic rows (Eq. 11, 12). Where the paper is open or slips, this is what is done:

    - the soft threshold is lambda1 / L with w + eps below -eps (the appendix prints lambda2 and w - eps), the step is
      the exact Lipschitz constant or smaller (the printed one is no upper bound), and the weights are certified by a
      duality gap;
    - MeanIR and LImb are means over the labels that have a positive;
    - alpha is drawn for each attribute (`interpolation="attribute"`), as otherwise no label's distance could differ
      from the Euclidean;
    - an outlier (every neighbour lacks the label) has no local imbalance weight but keeps its label correlation weight,
      as the equations say; `outliers="drop"` follows the text;
    - ties go to the lower row, to the seed, to the value declared first, to the label pair that comes first;
    - under nested labels a label that is set sets its ancestors.

    p: new rows as a share of n; rows: their number, in place of p. tr: the share of correlated label pairs that is kept.
    Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "lsdmlo"
    summary: ClassVar[str] = "oversamples minority labels near their boundaries, with one distance per label"
    publication: ClassVar[Publication] = Publication(
        authors=("Bin Liu", "Jun Wu", "Haoyu Peng", "Ao Zhou", "Jin Wang", "QiaoSong Chen", "Grigorios Tsoumakas"),
        title="Addressing imbalance in multi-label data via label-specific distance-based oversampling",
        year=2026,
        kind="misc",
    )
    learns_weights: ClassVar[bool] = True

    p: Annotated[Ratio | None, P] = 0.1
    tr: Annotated[Ratio, Option("Share of label pairs treated as correlated.", most=1)] = 0.1
    interpolation: Annotated[Interpolation, INTERPOLATION] = "attribute"
    outliers: Annotated[
        Literal["keep", "drop"],
        Option("Whether rows none of whose neighbours has the label may be seeds through their label correlation."),
    ] = "keep"
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis.

        Without a minority label there are none, and the reason. Errors: DataError below two rows or without a feature.
        """
        analysis.require_neighbors()
        requested = wanted_rows(self, analysis.dataset.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        if requested == 0:
            return Sample((), requested)
        u_b, u_c = self.instance_weights(analysis)
        u, warnings = u_b + u_c, []
        if not u.any():
            warnings.append(drawn_evenly(analysis, "the rows with a minority label"))
            u = (analysis.dataset.Y[:, analysis.minority].sum(axis=1) > 0).astype(np.float64)
        return Sample(self._batches(analysis, u, requested, rng), requested, warnings=warnings)

    def instance_weights(self, analysis: Analysis) -> tuple[np.ndarray, np.ndarray]:
        """u^b and u^c, (n,) each: nearness to the boundaries of minority labels, and correlated labels around the row."""
        n = analysis.dataset.n
        u_b, u_c = np.zeros(n), np.zeros(n)
        pairs = correlated_labels(analysis.gram.YtY, exact(self.tr) * (1 - ROUNDING))
        minority = np.flatnonzero(analysis.minority).tolist()
        for j, (rows, neighbors) in analysis.label_neighbors.of_labels(minority).items():
            b = local_imbalance(analysis.has_label(j), neighbors.index)
            c = label_correlation(analysis.dataset.Y, rows, neighbors.index, pairs[j])
            if self.outliers == "drop":
                c = np.where(b == 1.0, 0.0, c)
            u_b[rows] += without_outliers(b)
            u_c[rows] += c
        return u_b, u_c

    def _batches(self, analysis: Analysis, u: np.ndarray, rows: int, rng: np.random.Generator) -> Iterator[Batch]:
        minority = np.flatnonzero(analysis.minority)
        held = analysis.dataset.Y[:, minority]
        for size in batch_sizes(rows):
            child = rng.spawn(1)[0]
            seeds = roulette(u, child.random(size))
            of_seed = held[seeds]
            choice = of_seed.indptr[:-1] + (child.random(size) * np.diff(of_seed.indptr)).astype(np.int64)
            labels = minority[of_seed.indices[choice]]
            neighbors = self._neighbors(analysis, seeds, labels)
            references = neighbors[np.arange(size), child.integers(neighbors.shape[1], size=size)]
            X = self._features(analysis, seeds, references, neighbors, child)
            Y = self._labels(analysis, X, seeds, references)
            yield Batch(X, Y, seeds, references, labels)

    def _neighbors(self, analysis: Analysis, seeds: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """(m, k): the neighbours of each seed under its label."""
        found = np.empty((len(seeds), analysis.k), dtype=np.int64)
        for j, (rows, neighbors) in analysis.label_neighbors.of_labels(np.unique(labels).tolist()).items():
            mine = labels == j
            found[mine] = neighbors.index[np.searchsorted(rows, seeds[mine])]
        return found

    def _features(
        self, analysis: Analysis, seeds: np.ndarray, references: np.ndarray, neighbors: np.ndarray, rng: np.random.Generator
    ) -> Matrix:
        """Eq. 11, (m, d)."""
        numbers = between(analysis.dataset, seeds, references, self.interpolation, rng)
        nominal = voted(analysis.dataset, np.column_stack([seeds, neighbors]))
        return new_features(analysis.dataset, seeds, numbers, nominal)

    def _labels(self, analysis: Analysis, X: Matrix, seeds: np.ndarray, references: np.ndarray) -> np.ndarray:
        """Eq. 12, (m, q) bool: of labels on which the parents differ, the nearer parent's; then the ancestors of what is set."""
        data, E = analysis.dataset, analysis.encode(X)
        y_seed, y_reference = label_rows(data, seeds), label_rows(data, references)
        Y = y_seed.copy()
        E_seed, E_reference = take(analysis.E, seeds), take(analysis.E, references)
        rows, labels = np.nonzero(y_seed != y_reference)
        for j in np.unique(labels):
            mine = rows[labels == j]
            theta = analysis.thetas([j])
            to_seed, to_reference = (pair_distances(E, mine, parent, mine, theta) for parent in (E_seed, E_reference))
            Y[mine, j] = np.where(to_reference < to_seed, y_reference[mine, j], y_seed[mine, j])
        return with_ancestors(Y, data.parents)
