"""LSDMLO: label-specific distance-based multi-label oversampling (Liu et al., 2026)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import sqrt
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.analysis.neighbor_store import LabelNeighbors
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.numeric.instance_weights import correlated_labels, label_correlation, local_imbalance, without_outliers
from lsdmlo_cli.numeric.matrix import Matrix, take
from lsdmlo_cli.numeric.neighbors import Neighbors, Search, pair_distances
from lsdmlo_cli.numeric.rows import CELLS, portions
from lsdmlo_cli.numeric.synthesis import Interpolation, roulette, with_ancestors
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio, parameters
from lsdmlo_cli.samplers.base import (
    ROUNDING,
    Batch,
    Sample,
    Sampler,
    apportion,
    drawn_evenly,
    each_batch,
    exact,
    label_rows,
    label_votes,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, between, new_features, voted
from lsdmlo_cli.samplers.publication import Publication

Draw: TypeAlias = Callable[[slice, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""The seeds (m,) and labels (m,) of a batch: a slice of the new rows."""

OF_U = ("tr", "outliers")
"""What changes the instance weights u alone."""

REFERENCE = Option("Choose references among the nearest rows, or among the nearest rows that have the label.")
SEEDS = Option("Draw seeds by the instance weights u, or share the rows over the labels by the square root of their counts.")
ASSIGN = Option("Labels of a new row: those of the nearer parent, by vote of seed and neighbours, or of either parent (union).")


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

    Three choices go beyond the paper, whose own are the defaults; `lsdmlo-pos` takes all three. Why, and what they are worth, is
    on the documentation's page about choosing a method:

    - reference: "positives" chooses the reference among the min(k, n_j - 1) nearest rows that have the label as well; a label
      with one positive has it cloned;
    - seeds: "root" shares the rows over the minority labels in proportion to sqrt(n_j), by largest remainder, and takes the
      positives of a label in random order, each equally often. It uses no u, so tr and outliers are refused;
    - assign: "union" sets the labels of either parent, "vote" the label itself and those that more than half of the seed and
      its neighbours have.

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
    reference: Annotated[Literal["neighbors", "positives"], REFERENCE] = "neighbors"
    seeds: Annotated[Literal["u", "root"], SEEDS] = "u"
    assign: Annotated[Literal["nearer", "vote", "union"], ASSIGN] = "nearer"
    rows: Annotated[int | None, ROWS] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter in parameters(type(self)):
            if parameter.name in OF_U and self.seeds == "root" and getattr(self, parameter.name) != parameter.default:
                raise ParameterError(f"{parameter.name} changes nothing where seeds is 'root': leave out one of the two")

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
        if self.seeds == "root":
            planned = planned_seeds(analysis, requested, rng)
            batches = self._batches(analysis, lambda part, _: (planned[0][part], planned[1][part]), requested, rng)
            return Sample(batches, requested, labels_without_seed=0)
        u_b, u_c = self.instance_weights(analysis)
        u, warnings = u_b + u_c, []
        if not u.any():
            warnings.append(drawn_evenly(analysis, "the rows with a minority label"))
            u = (analysis.dataset.Y[:, analysis.minority].sum(axis=1) > 0).astype(np.float64)
        held = analysis.dataset.Y[:, np.flatnonzero(analysis.minority)]
        without = int(np.count_nonzero(held.T @ (u > 0) == 0))
        batches = self._batches(analysis, partial(_drawn_seeds, analysis, held, u), requested, rng)
        return Sample(batches, requested, labels_without_seed=without, warnings=warnings)

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

    def _batches(self, analysis: Analysis, draw: Draw, rows: int, rng: np.random.Generator) -> Iterator[Batch]:
        among_positives = cache(partial(positive_neighbors, analysis))
        for part, child in each_batch(rows, rng):
            seeds, labels = draw(part, child)
            present = np.unique(labels).tolist()
            if self.reference == "positives":
                known = {j: among_positives(j) for j in present}
            else:
                known = analysis.label_neighbors.of_labels(present)
            neighbors = _of_seeds(analysis.k, seeds, labels, known)
            count = (neighbors >= 0).sum(axis=1)
            chosen = neighbors[np.arange(len(seeds)), child.integers(np.maximum(count, 1))]
            references = np.where(count > 0, chosen, seeds)
            X = self._features(analysis, seeds, references, neighbors, child)
            yield Batch(X, self._labels(analysis, X, neighbors, seeds, references, labels), seeds, references, labels)

    def _features(
        self, analysis: Analysis, seeds: np.ndarray, references: np.ndarray, neighbors: np.ndarray, rng: np.random.Generator
    ) -> Matrix:
        """Eq. 11, (m, d). Where there are fewer than k neighbours, the seed has the votes that are missing."""
        numbers = between(analysis.dataset, seeds, references, self.interpolation, rng)
        voters = np.where(neighbors < 0, seeds[:, np.newaxis], neighbors)
        nominal = voted(analysis.dataset, np.column_stack([seeds, voters]))
        return new_features(analysis.dataset, seeds, numbers, nominal)

    def _labels(
        self,
        analysis: Analysis,
        X: Matrix,
        neighbors: np.ndarray,
        seeds: np.ndarray,
        references: np.ndarray,
        labels: np.ndarray,
    ) -> np.ndarray:
        """(m, q) bool: the labels of new rows X as `assign` says, and the ancestors of what is set."""
        data = analysis.dataset
        if self.assign == "nearer":
            Y = nearer_labels(analysis, X, seeds, references)
        elif self.assign == "union":
            Y = label_rows(data, seeds) | label_rows(data, references)
        else:
            voters = np.column_stack([seeds, neighbors])
            Y = 2 * label_votes(data, voters) > (voters >= 0).sum(axis=1)[:, np.newaxis]
            Y[np.arange(len(labels)), labels] = True
        return with_ancestors(Y, data.parents)


def planned_seeds(analysis: Analysis, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Seeds (rows,) and their labels, label by label: shares in proportion to sqrt(n_j) over the minority labels.

    The seeds of a label are its positives in random order, each equally often, again from the first when all are used.
    """
    labels = np.flatnonzero(analysis.minority)
    shares = apportion(rows, [Fraction(sqrt(count)) for count in analysis.dataset.counts[labels].tolist()])
    seeds = [np.resize(rng.permutation(analysis.positives(j)), share) for j, share in zip(labels.tolist(), shares, strict=True)]
    return np.concatenate(seeds).astype(np.int64), np.repeat(labels, shares).astype(np.int64)


def _drawn_seeds(
    analysis: Analysis, held: scipy.sparse.csr_array, u: np.ndarray, part: slice, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Seeds in proportion to u (n,), each with one of the minority labels that it has; held: those labels' part of Y."""
    seeds = roulette(u, rng.random(part.stop - part.start))
    of_seed = held[seeds]
    choice = of_seed.indptr[:-1] + (rng.random(len(seeds)) * np.diff(of_seed.indptr)).astype(np.int64)
    return seeds, np.flatnonzero(analysis.minority)[of_seed.indices[choice]]


def positive_neighbors(analysis: Analysis, label: int) -> LabelNeighbors:
    """The positives of a label and their nearest others among themselves, by the label's distance."""
    rows = analysis.positives(label).astype(np.int64)
    found = Search(take(analysis.E, rows), analysis.thetas([label])[0], threads=analysis.threads).of_all(analysis.k)
    return LabelNeighbors(rows, Neighbors(rows[found.index], found.squared_distance))


def _of_seeds(k: int, seeds: np.ndarray, labels: np.ndarray, known: Mapping[int, LabelNeighbors]) -> np.ndarray:
    """(m, k): the neighbours of each seed under its label, -1 where there are fewer."""
    found = np.full((len(seeds), k), -1, dtype=np.int64)
    for j, (rows, neighbors) in known.items():
        mine = np.flatnonzero(labels == j)
        found[mine, : neighbors.index.shape[1]] = neighbors.index[np.searchsorted(rows, seeds[mine])]
    return found


def nearer_labels(analysis: Analysis, X: Matrix, seeds: np.ndarray, references: np.ndarray) -> np.ndarray:
    """Eq. 12, (m, q) bool: of labels on which the parents of new rows X differ, those of the nearer parent."""
    data, E = analysis.dataset, analysis.encode(X)
    y_seed, y_reference = label_rows(data, seeds), label_rows(data, references)
    Y = y_seed.copy()
    E_seed, E_reference = take(analysis.E, seeds), take(analysis.E, references)
    differ = y_seed != y_reference
    for labels in _few_labels(differ, E.shape[1]):
        rows, which = np.nonzero(differ[:, labels])
        theta = analysis.thetas(labels.tolist())
        to_seed, to_reference = (pair_distances(E, rows, parent, rows, theta, which) for parent in (E_seed, E_reference))
        nearer = to_reference < to_seed
        Y[rows[nearer], labels[which[nearer]]] = y_reference[rows[nearer], labels[which[nearer]]]
    return Y


def _few_labels(differ: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    """The labels on which some parents differ (m, q), as many at a time as their weights fit in CELLS."""
    present = np.flatnonzero(differ.any(axis=0))
    for part in portions(np.full(len(present), columns), CELLS):
        yield present[part]
