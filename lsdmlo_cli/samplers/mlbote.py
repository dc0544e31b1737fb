"""MLBOTE-style oversampling: borderline and interior seeds, parents with the same labelset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.labelsets import label_counts, labelset_bags
from lsdmlo_cli.numeric.measures import irlbl, mean_ir, minority_labels
from lsdmlo_cli.numeric.synthesis import Interpolation, roulette, with_ancestors
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.samplers.base import (
    RECONSTRUCTION_SCHEMA,
    Batch,
    Sample,
    Sampler,
    each_batch,
    label_rows,
    neighbors_within,
    nobody,
    one_of_each,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, between, flipped, new_features
from lsdmlo_cli.samplers.publication import Publication

RECONSTRUCTION = {
    "reconstruction": {
        "style": "MLBOTE-style",
        "assumed": [
            "which labels are needy, which cells are on a border and which are noise",
            "the weights of seeds, and th_c as a bound on the weight of cross-borderline ones",
            "p as the rate of each of the three groups of seeds",
        ],
    }
}
"""What the report says."""


class Groups(NamedTuple):
    """Weights (n,) of the rows as self-borderline and as cross-borderline seeds, and which rows are interior (n,) bool."""

    self_border: np.ndarray
    cross_border: np.ndarray
    interior: np.ndarray


@dataclass(frozen=True)
class MLBOTESampler(Sampler):
    """MLBOTE-style: makes rows from self-borderline, cross-borderline and interior seeds and rows with the same labelset.

    This is built after the abstract and what others say of the method, not after its authors' code. Known: the three groups
    of seeds; needy labels by IRLbl and by one-vs-rest imbalance; parents of one labelset; k_b = 3 and k_w = 5 neighbours; a rate
    of 0.01 to 0.1; th_c = 7; 10 loops. Assumed:

    - needy labels T: the minority labels, and those with ImR_j above the mean ImR and n_j < n / 2;
    - for j in T a cell (i, j) with y_ij = 1 is on the border of its own label if at least half but not all of its k_b nearest
      rows lack j (all: noise), one with y_ij = 0 crosses the border if at least half of them have j. A row with the former
      is self-borderline; else with the latter, cross-borderline; else, with a label of T and no noise, interior; else no seed;
    - weights with k_w neighbours: self, sum over its labels in T of IRLbl_j / MeanIR times the share that lacks j; cross, the sum
      over crossed labels of the share that has j, and only from th_c on; interior, sum over T of IRLbl_j / MeanIR;
    - p is the rate of each group: in each of n_lps loops floor(p n) / n_lps rows come from self-borderline seeds, as many from
      cross-borderline ones and as many from interior ones, of which those count whose labels are minority labels still. Counts
      are updated after each loop; the loops end when no label of T is needy. So up to 3 floor(p n) rows are made. `rows` is how
      many the groups that have a seed make together, in turn, or fewer with a warning;
    - the reference is one of the k_w nearest rows with the seed's labelset, without one the seed is cloned. Numbers lie
      between with one alpha for the row, nominal values are either parent's, labels are the seed's.

    th_c is taken as a bound on the cross weight: at 7 it lets in rows that cross many borders, and none where there are
    fewer than 7 labels. Where rare labels are scattered (no positive near another one) there may be no seed at all.

    The authors' code (github.com/T-zeyuteng/MLBOTE) does otherwise: a label's border rows are the k_b nearest rows without it of
    its positives, and the k_b nearest positives of these; weights are ratios of mean distances to rows with and without the
    label, and th_c bounds the square of such a ratio, the one of densities; the number of rows follows from the mean ImR and
    from these ratios; interior rows are made at the end, until rare labels are as frequent as the others; a seed whose
    labelset is its own makes no row. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlbote"
    summary: ClassVar[str] = "MLBOTE-style: makes rows from borderline and interior seeds and rows with the same labels"
    publication: ClassVar[Publication] = Publication(
        authors=("Zeyu Teng", "Peng Cao", "Min Huang", "Zheming Gao", "Xingwei Wang"),
        title="Multi-label borderline oversampling technique",
        venue="Pattern Recognition",
        year=2024,
        volume="145:109953",
        doi="10.1016/j.patcog.2023.109953",
        note="reconstructed from descriptions",
    )
    details: ClassVar[Mapping[str, Any]] = {"reconstruction": RECONSTRUCTION_SCHEMA}

    p: Annotated[Ratio | None, P] = 0.1
    k_b: Annotated[int, Option("Number of neighbours that decide whether a row is borderline.", least=1)] = 3
    k_w: Annotated[int, Option("Number of neighbours for seed weights and references.", least=1)] = 5
    th_c: Annotated[
        float, Option("Minimum weight of a cross-borderline seed, a row without a label that most of its neighbours have.")
    ] = 7.0
    n_lps: Annotated[int, Option("Number of rounds; label counts are updated after each round.", least=1)] = 10
    interpolation: Annotated[Interpolation, INTERPOLATION] = "instance"
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        if not analysis.minority.any():
            return unchanged(analysis, wanted_rows(self, analysis.dataset.n), RECONSTRUCTION)
        needy = needy_labels(analysis.dataset.counts, analysis.dataset.n)
        groups = self.groups(analysis, needy)
        seeds = self._seeds(analysis, needy, groups, rng)
        requested = len(seeds) if self.rows is None else int(self.rows)
        reason = ""
        if not len(seeds) and wanted_rows(self, analysis.dataset.n):
            reason = "no row belongs to one of the three groups of seeds"
        elif len(seeds) < requested:
            reason = "no label needs rows any more, or no row is left that could be a seed"
        return Sample(self._batches(analysis, seeds, rng), requested, details=RECONSTRUCTION, reason=reason)

    def groups(self, analysis: Analysis, needy: np.ndarray) -> Groups:
        """The group of each row, and its weight there."""
        data, n = analysis.dataset, analysis.dataset.n
        k = max(self.k_b, self.k_w)
        lists = analysis.searches.euclidean(analysis.E).of_all(k).index
        close, around = lists[:, : self.k_b], lists[:, : self.k_w]
        want = irlbl(data.counts) / mean_ir(irlbl(data.counts))
        is_self, is_noise, has_needy = (np.zeros(n, dtype=bool) for _ in range(3))
        of_self, of_cross = np.zeros(n), np.zeros(n)
        for j in np.flatnonzero(needy).tolist():
            has = analysis.has_label(j)
            like = has[close].sum(axis=1)
            lacking = close.shape[1] - like
            is_self |= has & (2 * lacking >= close.shape[1]) & (like > 0)
            is_noise |= has & (like == 0)
            has_needy |= has
            share = has[around].mean(axis=1)
            of_self += np.where(has, want[j] * (1 - share), 0.0)
            of_cross += np.where(~has & (2 * like >= close.shape[1]), share, 0.0)
        is_cross = ~is_self & (of_cross > 0)
        interior = has_needy & ~is_self & ~is_cross & ~is_noise
        is_cross &= of_cross >= float(self.th_c)
        return Groups(np.where(is_self, of_self, 0.0), np.where(is_cross, of_cross, 0.0), interior)

    def _seeds(self, analysis: Analysis, needy: np.ndarray, groups: Groups, rng: np.random.Generator) -> np.ndarray:
        data = analysis.dataset
        counts, n = data.counts.copy(), data.n
        drawn = [np.zeros(0, dtype=np.int64)]
        for loop in range(self.n_lps):
            if not (needy & needy_labels(counts, n)).any():
                break
            weights = _seed_weights(data, needy, groups, counts)
            by_group = zip(weights, self._sizes(data.n, loop, weights), strict=True)
            seeds = np.concatenate([roulette(w, rng.random(size)) if w.any() else drawn[0] for w, size in by_group])
            counts += label_counts(data.Y[seeds])
            n += len(seeds)
            drawn.append(seeds)
        return np.concatenate(drawn)

    def _sizes(self, n: int, loop: int, weights: list[np.ndarray]) -> list[int]:
        """Rows that each group of seeds makes in a loop; those of `rows` go in turn to the groups that have a seed."""
        wanted = wanted_rows(self, n)
        start, stop = (wanted * edge // self.n_lps for edge in (loop, loop + 1))
        filled = np.flatnonzero([w.any() for w in weights])
        if self.rows is None or not len(filled):
            return [stop - start] * len(weights)
        in_turn: list[int] = np.bincount(filled[np.arange(start, stop) % len(filled)], minlength=len(weights)).tolist()
        return in_turn

    def _batches(self, analysis: Analysis, seeds: np.ndarray, rng: np.random.Generator) -> Iterator[Batch]:
        data = analysis.dataset
        distinct = np.unique(seeds)
        candidates, count = self._of_labelset(analysis, distinct)
        for part, child in each_batch(len(seeds), rng):
            mine = seeds[part]
            place = np.searchsorted(distinct, mine)
            references = one_of_each(candidates[place], count[place], child)
            partner = np.where(references < 0, mine, references)
            numbers = between(data, mine, partner, self.interpolation, child)
            X = new_features(data, mine, numbers, flipped(data, mine, partner, child))
            Y = with_ancestors(label_rows(data, mine), data.parents)
            yield Batch(X, Y, mine, references, nobody(len(mine)))

    def _of_labelset(self, analysis: Analysis, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For rows (m,), rising: their k_w nearest rows with the same labels (m, k_w), of which count (m,) exist."""
        found = np.full((len(rows), self.k_w), -1, dtype=np.int64)
        count = np.zeros(len(rows), dtype=np.int64)
        for bag in labelset_bags(analysis.dataset.Y):
            mine = np.intersect1d(bag, rows, assume_unique=True)
            if len(mine) and len(bag) > 1:
                near = neighbors_within(analysis, bag, self.k_w, mine)
                place = np.searchsorted(rows, mine)
                found[place, : near.shape[1]], count[place] = near, near.shape[1]
        return found, count


def _seed_weights(data: Dataset, needy: np.ndarray, groups: Groups, counts: np.ndarray) -> list[np.ndarray]:
    """Weights (n,) of self-borderline, interior and cross-borderline seeds while labels have counts (q,)."""
    ratios = irlbl(counts)
    lacking = needy & minority_labels(counts)
    want = data.Y @ np.where(lacking, np.nan_to_num(ratios) / mean_ir(ratios), 0.0)
    return [groups.self_border, np.where(groups.interior, want, 0.0), groups.cross_border]


def needy_labels(counts: np.ndarray, n: int) -> np.ndarray:
    """(q,) bool: T, from positives (q,) among n rows."""
    rare = np.minimum(counts, n - counts)
    ratio = np.where(rare > 0, np.maximum(counts, n - counts) / np.maximum(rare, 1), np.nan)
    mixed = np.isfinite(ratio)
    level = ratio[mixed].mean() if mixed.any() else np.inf
    return minority_labels(counts) | (mixed & (np.nan_to_num(ratio) > level) & (2 * counts < n))
