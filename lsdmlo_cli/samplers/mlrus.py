"""MLRUS: removal of rows with majority labels (Charte et al., 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.measures import exact_mean_ir
from lsdmlo_cli.parameters import P_TO_REMOVE, ROWS, Option, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, rows_to_remove, without_minority
from lsdmlo_cli.samplers.publication import RANDOM_RESAMPLING, Publication
from lsdmlo_cli.samplers.round_robin import compare, in_turn


@dataclass(frozen=True)
class MLRUSSampler(Sampler):
    """Removes random rows of majority labels (IRLbl < MeanIR), the labels in turn, up to floor(p n) rows.

    c_j starts as n_j. A label j in turn with n_max / c_j >= MeanIR leaves for good, as does one without a row left;
    for any other a random row of j is removed, and c_h falls by 1 for every label h of the row. The last row of a label
    is never removed. Fewer than floor(p n) rows are removed where no label is left.

    As in Mulan, MeanIR and n_max are those of the start; other than there, a label that runs out of rows is skipped (Mulan
    stops with an error) and keeps its last row. `protect_minority`: as in mldr.resampling, rows without a minority label
    are removed at random whatever the counts, but without replacement (there with it, so that fewer go).

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    """

    name: ClassVar[str] = "mlrus"
    summary: ClassVar[str] = "removes random rows of majority labels, one label after the other"
    publication: ClassVar[Publication] = RANDOM_RESAMPLING

    p: Annotated[Ratio | None, P_TO_REMOVE] = 0.1
    protect_minority: Annotated[bool, Option("Remove only rows without a minority label, at random.")] = False
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay."""
        n = analysis.dataset.n
        asked = rows_to_remove(self, analysis.dataset)
        keep = np.ones(n, dtype=bool)
        if not analysis.minority.any():
            return without_minority(analysis, keep)
        candidates = self._at_random(analysis, rng) if self.protect_minority else None
        removed = self._remove(analysis, asked, keep, rng, candidates)
        return Sample((), 0, keep, to_remove=asked, reason="no row is left that may be removed" if removed < asked else "")

    def _at_random(self, analysis: Analysis, rng: np.random.Generator) -> np.ndarray:
        """The rows without a minority label, in random order."""
        carries = analysis.dataset.Y[:, np.flatnonzero(analysis.minority)].sum(axis=1) > 0
        return rng.permutation(np.flatnonzero(~carries))

    def _remove(
        self, analysis: Analysis, asked: int, keep: np.ndarray, rng: np.random.Generator, candidates: np.ndarray | None
    ) -> int:
        """Clear the removed rows of keep (n,); how many they are."""
        Y, counts = analysis.dataset.Y, analysis.dataset.counts.copy()
        mean_ir, n_max = exact_mean_ir(counts), int(counts.max())
        if candidates is not None:
            bags = {-1: candidates.tolist()}
        else:  # a random order, read from its end, is a draw without replacement from what is left
            majority = [j for j in np.flatnonzero(counts).tolist() if compare(n_max, int(counts[j]), mean_ir) < 0]
            bags = {j: rng.permutation(analysis.positives(j)).tolist() for j in majority}
        removed = 0
        for j, active in in_turn(list(bags)):
            if removed == asked:
                break
            bag = bags[j]
            if not bag or (j >= 0 and compare(n_max, int(counts[j]), mean_ir) >= 0):
                active.remove(j)
                continue
            while bag:
                row = bag.pop()
                labels = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
                if keep[row] and (counts[labels] > 1).all():
                    keep[row] = False
                    counts[labels] -= 1
                    removed += 1
                    break
        return removed
