"""REMEDIAL: rows that join rare and frequent labels are decoupled (Charte et al., 2015)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.matrix import take
from lsdmlo_cli.numeric.measures import irlbl, scumble_rows
from lsdmlo_cli.numeric.synthesis import with_ancestors
from lsdmlo_cli.parameters import Option
from lsdmlo_cli.samplers.base import Batch, Sample, Sampler, batch_sizes, label_rows, nobody, without_minority
from lsdmlo_cli.samplers.publication import Publication

_ROUNDING = 1e-12
SKIP_ONE_SIDED = Option("Leave a row whole if all its labels are rare, or all are frequent.")


@dataclass(frozen=True)
class REMEDIALSampler(Sampler):
    """Replaces each row i with SCUMBLE_i > SCUMBLE by two rows with its features.

    The first has its labels with IRLbl <= MeanIR, the second those with IRLbl > MeanIR; both name the dropped row as
    their seed. Nothing is random. SCUMBLE_i that exceed the mean by rounding alone are not above it.

    A row whose labels all lie on one side of MeanIR leaves a half without labels, as in Mulan and every other published
    code; `skip_one_sided` leaves such a row whole. Under nested labels a half keeps the ancestors of its labels too.
    """

    name: ClassVar[str] = "remedial"
    summary: ClassVar[str] = "splits rows with both rare and frequent labels into one row for each"
    publication: ClassVar[Publication] = Publication(
        authors=("Francisco Charte", "Antonio J. Rivera", "María J. del Jesus", "Francisco Herrera"),
        title="Resampling multilabel datasets by decoupling highly imbalanced labels",
        venue="HAIS",
        year=2015,
        doi="10.1007/978-3-319-19644-2_41",
        kind="inproceedings",
    )

    skip_one_sided: Annotated[bool, SKIP_ONE_SIDED] = False

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """The halves of the decoupled rows of the data set of an Analysis, and which rows stay whole."""
        keep = np.ones(analysis.dataset.n, dtype=bool)
        if not analysis.minority.any():
            return without_minority(analysis, keep)
        keep[self.decoupled(analysis)] = False
        reason = "no row that may be split has a SCUMBLE above the mean" if keep.all() else ""
        return Sample(_halves(analysis, np.flatnonzero(~keep)), 2 * int((~keep).sum()), keep, reason=reason)

    def decoupled(self, analysis: Analysis) -> np.ndarray:
        """The rows to split, rising."""
        data = analysis.dataset
        scumble = scumble_rows(data.Y, irlbl(data.counts))
        above = scumble > scumble.mean() * (1 + _ROUNDING)
        if self.skip_one_sided:
            rare = data.Y @ analysis.minority.astype(np.float64)
            above &= (rare > 0) & (rare < np.diff(data.Y.indptr))
        return np.flatnonzero(above)


def _halves(analysis: Analysis, rows: np.ndarray) -> Iterator[Batch]:
    data = analysis.dataset
    seeds, rare = np.repeat(rows, 2), np.tile([False, True], len(rows))
    start = 0
    for size in batch_sizes(len(seeds)):
        part = slice(start, start + size)
        Y = label_rows(data, seeds[part]) & (analysis.minority == rare[part, np.newaxis])
        yield Batch(take(data.X, seeds[part]), with_ancestors(Y, data.parents), seeds[part], nobody(size), nobody(size))
        start += size
