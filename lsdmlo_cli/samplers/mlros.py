"""MLROS: clones of rows with minority labels (Charte et al., 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.measures import exact_mean_ir
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, clones, unchanged, wanted_rows
from lsdmlo_cli.samplers.publication import RANDOM_RESAMPLING, Publication
from lsdmlo_cli.samplers.round_robin import compare, in_turn


@dataclass(frozen=True)
class MLROSSampler(Sampler):
    """Clones random rows of minority labels, the labels in turn, up to floor(p n) clones.

    c_j starts as n_j. A label j in turn with n_max / c_j <= MeanIR leaves for good; for any other a row of the original
    positives of j is drawn, with replacement, and c_h grows by 1 for every label h of the row. Fewer than floor(p n)
    rows are made where no label is left.

    Where sources conflict Mulan is followed: MeanIR and n_max are those of the start, and a label that left stays away
    (mldr.resampling clones whole rounds, beyond p, and never stops a label). `refresh_max`: n_max follows the counts.

    p: clones as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlros"
    summary: ClassVar[str] = "clones random rows of minority labels, one label after the other"
    publication: ClassVar[Publication] = RANDOM_RESAMPLING

    p: Annotated[Ratio | None, P] = 0.1
    refresh_max: Annotated[bool, Option("Update the largest label count as rows are cloned.")] = False
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Clones for the data set of an Analysis; their label is the one whose turn it was."""
        data = analysis.dataset
        requested = wanted_rows(self, data.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        seeds, labels = self._draw(analysis, requested, rng)
        reason = "no label has IRLbl above MeanIR any more" if len(seeds) < requested else ""
        return Sample(clones(data, seeds, labels), requested, reason=reason)

    def _draw(self, analysis: Analysis, requested: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        Y, counts = analysis.dataset.Y, analysis.dataset.counts.copy()
        mean_ir, n_max = exact_mean_ir(counts), int(counts.max())
        bags = {j: analysis.positives(j) for j in np.flatnonzero(analysis.minority).tolist()}
        seeds: list[int] = []
        labels: list[int] = []
        for j, active in in_turn(list(bags)):
            if len(seeds) == requested:
                break
            if compare(n_max, int(counts[j]), mean_ir) <= 0:
                active.remove(j)
                continue
            row = int(bags[j][rng.integers(len(bags[j]))])
            counts[Y.indices[Y.indptr[row] : Y.indptr[row + 1]]] += 1
            n_max = int(counts.max()) if self.refresh_max else n_max
            seeds.append(row)
            labels.append(j)
        return np.array(seeds, dtype=np.int64), np.array(labels, dtype=np.int64)
