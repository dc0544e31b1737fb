"""DR-SMOTE-style oversampling: synthetic rows in a region around reliable positives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.labelsets import labelset_numbers
from lsdmlo_cli.numeric.neighbors import nearest
from lsdmlo_cli.numeric.synthesis import Cells, with_ancestors
from lsdmlo_cli.samplers.base import (
    Batch,
    Sample,
    apportion,
    check_choice,
    check_ratio,
    each_batch,
    label_rows,
    rows_for,
    unchanged,
)
from lsdmlo_cli.samplers.cells import inherited, new_features, number_pairs


@dataclass(frozen=True)
class DRSMOTE:
    """DR-SMOTE-style: floor(p n) rows around reliable positives of minority labels, within half the way to unlike rows.

    There is no public code; this is built after the abstract and what others say of the method. Known: seeds are minority
    samples that are not noise, a reference with other labels bounds the region, features are drawn at random in it,
    labels are the seed's, k = 5. Assumed:

    - a positive is reliable if one of its k neighbours by Euclid has the label; a label without one gets no rows;
    - the rows are shared over the other minority labels in proportion to IRLbl, seeds are drawn evenly;
    - the reference is the nearest row with other labels than the seed's (`unlike="labelset"`), or the nearest without the label
      (`unlike="label"`);
    - numbers are x_s + delta, for each attribute: delta uniform within +-|x_s - x_r| / 2 (`region="box"`), or normal with
      deviation |x_s - x_r| / 3 and held within these bounds (`region="normal"`). So the reference is nearer than the seed in
      no attribute; numbers may lie beyond the seed as seen from the reference. Integers are rounded;
    - nominal values are the seed's.

    p: new rows as a share of n. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "drsmote"
    summary: ClassVar[str] = "DR-SMOTE-style: makes rows in a region around reliable positives, with the seed's labels"
    reference: ClassVar[str] = (
        'Gong et al., "A diversity and reliability-enhanced synthetic minority oversampling technique for '
        'multi-label learning", Information Sciences 690, 2025, reconstructed from descriptions'
    )

    p: float | Decimal = 0.1
    unlike: Literal["labelset", "label"] = "labelset"
    region: Literal["box", "normal"] = "box"

    def __post_init__(self) -> None:
        check_ratio("p", self.p, 1e9)
        check_choice("unlike", self.unlike, "labelset", "label")
        check_choice("region", self.region, "box", "normal")

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        requested = rows_for(self.p, analysis.dataset.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        reliable = {j: rows for j in np.flatnonzero(analysis.minority).tolist() if len(rows := _reliable(analysis, j))}
        if not reliable:
            analysis.warnings.append("no positive of a minority label has a neighbour with the label, so there is no row to add")
            return Sample((), requested)
        counts = analysis.dataset.counts
        shares = apportion(requested, [Fraction(1, int(counts[j])) for j in reliable])
        labels = np.repeat(list(reliable), shares)
        drawn = [rows[rng.integers(len(rows), size=share)] for rows, share in zip(reliable.values(), shares, strict=True)]
        seeds = np.concatenate(drawn).astype(np.int64)
        return Sample(self._batches(analysis, seeds, self._references(analysis, seeds, labels), labels, rng), requested)

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
        for part, child in each_batch(len(seeds), rng):
            s, r = seeds[part], references[part]
            pairs, whole = number_pairs(data, s, r)
            X = new_features(data, s, (pairs, self._around(pairs, whole, child)), inherited(data, s))
            yield Batch(X, with_ancestors(label_rows(data, s), data.parents), s, r, labels[part])

    def _around(self, cells: Cells, whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(cells,) numbers within half the way from seed to reference, on either side of the seed.

        Equal parents keep their value and draw nothing; where one is missing the other's value is taken.
        """
        seed, reference = cells.values.T
        value = np.where(np.isnan(seed), reference, seed)
        apart = np.flatnonzero((seed != reference) & ~np.isnan(seed) & ~np.isnan(reference))
        way = np.abs(seed[apart] / 2 - reference[apart] / 2)
        if self.region == "box":
            drawn = seed[apart] + (2 * rng.random(len(apart)) - 1) * way
        else:
            drawn = seed[apart] + np.clip(rng.standard_normal(len(apart)) * (2 / 3), -1, 1) * way
        value[apart] = np.where(whole[apart], np.rint(drawn), drawn)
        return value


def _reliable(analysis: Analysis, label: int) -> np.ndarray:
    """The positives of a label with another one among their k neighbours."""
    rows = analysis.positives(label)
    return rows[analysis.has_label(label)[analysis.euclid.index[rows]].any(axis=1)]


def nearest_of_other_group(analysis: Analysis, group: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(m,) the nearest row to each of `rows` that is of another group (n,), by Euclid; there must be one.

    Lists of twice the length are searched for the rows whose list holds their own group alone.
    """
    left = np.unique(rows)
    lists, k = analysis.euclid.index[left], analysis.k
    nearest_other = np.full(analysis.dataset.n, -1, dtype=np.int64)
    while len(left):
        other = group[lists] != group[left, np.newaxis]
        has = other.any(axis=1)
        nearest_other[left[has]] = lists[has, other[has].argmax(axis=1)]
        left = left[~has]
        if len(left):
            k *= 2
            lists = nearest(analysis.E, analysis.E[left], k, exclude=left, threads=analysis.threads).index
    return nearest_other[rows]
