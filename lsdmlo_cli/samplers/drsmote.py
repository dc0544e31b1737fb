"""DR-SMOTE-style oversampling: synthetic rows in a region around reliable positives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.encoding import observed_range
from lsdmlo_cli.numeric.labelsets import labelset_numbers
from lsdmlo_cli.numeric.synthesis import Cells, with_ancestors
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.samplers.base import (
    RECONSTRUCTION_SCHEMA,
    Batch,
    Sample,
    Sampler,
    apportion,
    each_batch,
    label_rows,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import inherited, new_features, number_pairs
from lsdmlo_cli.samplers.publication import Publication

RECONSTRUCTION = {
    "reconstruction": {
        "style": "DR-SMOTE-style",
        "assumed": [
            "a positive is reliable if one of its k neighbours has the label",
            "floor(p n) rows, shared over minority labels in proportion to IRLbl",
            "the reference is the nearest row with other labels, or without the label",
            "the shape of the region and how numbers are drawn in it; nominal values are the seed's",
            "no number lies beyond those of its attribute",
        ],
    }
}
"""What the report says."""


@dataclass(frozen=True)
class DRSMOTESampler(Sampler):
    """DR-SMOTE-style: floor(p n) rows around reliable positives of minority labels, within half the way to unlike rows.

    No code is public as far as we know; this is built after the abstract and what others say of the method. Known: labels are
    minority labels by imbalance ratio, seeds are minority samples that are not noise, a reference with other labels bounds
    the region, features are drawn at random in it, labels are the seed's, k = 5. Assumed:

    - a positive is reliable if one of its k neighbours by Euclidean distance has the label; a label without one gets no rows;
    - the rows are shared over the other minority labels in proportion to IRLbl, seeds are drawn evenly;
    - the reference is the nearest row with other labels than the seed's (`unlike="labelset"`), or the nearest without the label
      (`unlike="label"`);
    - numbers are x_s + delta. `region="box"`: for each attribute delta is uniform within +-|x_s - x_r| / 2. `region="normal"`: it
      is normal with deviation |x_s - x_r| / 3, truncated to these bounds. So the reference is nearer than the seed in no
      attribute; numbers may lie beyond the seed as seen from the reference. `region="half-ball"`: delta is uniform in the ball
      of radius d(s, r) / 2 around the seed, in its half towards the reference, d by the numbers in which the two differ.
      Integers are rounded;
    - a number that lies beyond all values of its attribute is put back to the nearest of them: no region as described stops
      there, and without this counts fall below 0;
    - nominal values are the seed's.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "drsmote"
    summary: ClassVar[str] = "DR-SMOTE-style: makes rows in a region around reliable positives, with the seed's labels"
    publication: ClassVar[Publication] = Publication(
        authors=("Yanlu Gong", "Quanwang Wu", "Mengchu Zhou", "Chao Chen"),
        title="A diversity and reliability-enhanced synthetic minority oversampling technique for multi-label learning",
        venue="Information Sciences",
        year=2025,
        volume="690:121579",
        doi="10.1016/j.ins.2024.121579",
        note="reconstructed from descriptions",
    )
    details: ClassVar[Mapping[str, Any]] = {"reconstruction": RECONSTRUCTION_SCHEMA}

    p: Annotated[Ratio | None, P] = 0.1
    unlike: Annotated[
        Literal["labelset", "label"], Option("What the reference must lack: the labelset of the seed, or only the label.")
    ] = "labelset"
    region: Annotated[
        Literal["box", "normal", "half-ball"],
        Option(
            "Where numbers are drawn: evenly in a box around the seed, normally in that box, or evenly in the "
            "half ball towards the reference."
        ),
    ] = "box"
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        requested = wanted_rows(self, analysis.dataset.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested, RECONSTRUCTION)
        reliable = {j: rows for j in np.flatnonzero(analysis.minority).tolist() if len(rows := _reliable(analysis, j))}
        if not reliable:
            reason = "no positive of a minority label has a neighbour with the same label"
            return Sample((), requested, details=RECONSTRUCTION, reason=reason)
        counts = analysis.dataset.counts
        shares = apportion(requested, [Fraction(1, int(counts[j])) for j in reliable])
        labels = np.repeat(list(reliable), shares)
        drawn = [rows[rng.integers(len(rows), size=share)] for rows, share in zip(reliable.values(), shares, strict=True)]
        seeds = np.concatenate(drawn).astype(np.int64)
        references = self._references(analysis, seeds, labels)
        return Sample(self._batches(analysis, seeds, references, labels, rng), requested, details=RECONSTRUCTION)

    def _references(self, analysis: Analysis, seeds: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """(m,) the nearest unlike row of each seed."""
        if self.unlike == "labelset":
            return nearest_of_other_group(analysis, labelset_numbers(analysis.dataset.Y), seeds)
        references = np.empty(len(seeds), dtype=np.int64)
        for j in np.unique(labels).tolist():
            mine = labels == j
            references[mine] = nearest_of_other_group(analysis, analysis.has_label(j), seeds[mine])
        return references

    def _batches(
        self, analysis: Analysis, seeds: np.ndarray, references: np.ndarray, labels: np.ndarray, rng: np.random.Generator
    ) -> Iterator[Batch]:
        data = analysis.dataset
        low, high = observed_range(data.X)
        for part, child in each_batch(len(seeds), rng):
            s, r = seeds[part], references[part]
            pairs, whole = number_pairs(data, s, r)
            numbers = self._around(pairs, len(s), (low[pairs.column], high[pairs.column]), whole, child)
            X = new_features(data, s, (pairs, numbers), inherited(data, s))
            yield Batch(X, with_ancestors(label_rows(data, s), data.parents), s, r, labels[part])

    def _around(
        self,
        cells: Cells,
        rows: int,
        bounds: tuple[np.ndarray, np.ndarray],
        whole: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """(cells,) numbers in the region of each of `rows` seeds, within bounds (cells,), and rounded where `whole` (cells,).

        Equal parents keep their value and draw nothing; where one is missing the other's value is taken.
        """
        seed, reference = cells.values.T
        value = np.where(np.isnan(seed), reference, seed)
        apart = np.flatnonzero((seed != reference) & ~np.isnan(seed) & ~np.isnan(reference))
        half_way = reference[apart] / 2 - seed[apart] / 2
        if self.region == "half-ball":
            delta = in_half_ball(half_way, cells.row[apart], rows, rng)
        elif self.region == "normal":
            delta = np.abs(half_way) * truncated_normal(len(apart), rng)
        else:
            delta = np.abs(half_way) * (2 * rng.random(len(apart)) - 1)
        drawn = np.clip(seed[apart] + delta, bounds[0][apart], bounds[1][apart])
        value[apart] = np.where(whole[apart], np.rint(drawn), drawn)
        return value


def truncated_normal(size: int, rng: np.random.Generator) -> np.ndarray:
    """(size,) draws of a normal distribution with deviation 2/3 that is cut off at -1 and 1."""
    from scipy.special import ndtr, ndtri  # takes a tenth of a second, which no other method should wait for

    least, most = ndtr([-1.5, 1.5])
    return np.clip(ndtri(least + (most - least) * rng.random(size)) / 1.5, -1, 1)


def in_half_ball(to_edge: np.ndarray, row: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(m,) steps, even over the half of a ball in which to_edge (m,), a radius of it, points; one ball for each of `rows` rows.

    row: (m,) the row to which a coordinate belongs.
    """

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(row, values, minlength=rows)

    largest = np.zeros(rows)  # lengths are taken in its units: squares of large numbers would overflow
    np.maximum.at(largest, row, np.abs(to_edge))
    edge = to_edge / largest[row]
    direction = rng.standard_normal(len(to_edge))
    share = rng.random(rows) ** (1 / np.maximum(total(np.ones(len(row))), 1))
    length = np.where(total(direction * edge) < 0, -share, share) * np.sqrt(total(edge**2))
    return largest[row] * direction * (length / np.sqrt(np.maximum(total(direction**2), np.finfo(float).tiny)))[row]


def _reliable(analysis: Analysis, label: int) -> np.ndarray:
    """The positives of a label with another one among their k neighbours."""
    rows = analysis.positives(label)
    return rows[analysis.has_label(label)[analysis.euclidean.index[rows]].any(axis=1)]


def nearest_of_other_group(analysis: Analysis, group: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(m,) the nearest row to each of `rows` that is of another group (n,), by Euclidean distance; there must be one.

    Lists of twice the length are searched for the rows whose list holds their own group alone.
    """
    left = np.unique(rows)
    lists, k = analysis.euclidean.index[left], analysis.k
    nearest_other = np.full(analysis.dataset.n, -1, dtype=np.int64)
    while len(left):
        other = group[lists] != group[left, np.newaxis]
        has = other.any(axis=1)
        nearest_other[left[has]] = lists[has, other[has].argmax(axis=1)]
        left = left[~has]
        if len(left):
            k *= 2
            lists = analysis.searches.euclidean(analysis.E).of_rows(left, k).index
    return nearest_other[rows]
