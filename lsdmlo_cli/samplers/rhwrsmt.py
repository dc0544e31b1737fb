"""RHwRSMT: REMEDIAL, then MLSMOTE with ranking on its result (Charte et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, ClassVar, Literal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.matrix import label_matrix, stacked, take
from lsdmlo_cli.parameters import P_OR_EACH_SEED, ROWS_OR_EACH_SEED, Ratio
from lsdmlo_cli.samplers.base import Batch, Sample, Sampler, joined, without_minority
from lsdmlo_cli.samplers.mlsmote import RANKING_TIES, VDM_POWER, MLSMOTESampler
from lsdmlo_cli.samplers.publication import Publication
from lsdmlo_cli.samplers.remedial import SKIP_ONE_SIDED, REMEDIALSampler


@dataclass(frozen=True)
class RHwRSMTSampler(Sampler):
    """Decouples rows as REMEDIAL does, learns minority labels and neighbours anew, then makes rows as MLSMOTE does.

    It gives the rows that both methods give one after the other, the second on the first one's result. Parents are
    named by the original rows: a half stands for the row that was dropped for it.

    skip_one_sided: as in REMEDIAL. p, rows, ranking_ties, vdm_power: as in MLSMOTE, p as a share of the rows after REMEDIAL,
    rows without the halves; the strategy is ranking. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "rhwrsmt"
    summary: ClassVar[str] = "remedial, then mlsmote with ranking on its result"
    publication: ClassVar[Publication] = Publication(
        authors=("Francisco Charte", "Antonio J. Rivera", "María J. del Jesus", "Francisco Herrera"),
        title="REMEDIAL-HwR: Tackling multilabel imbalance through label decoupling and data resampling hybridization",
        venue="Neurocomputing",
        year=2019,
        volume="326-327:110-122",
        doi="10.1016/j.neucom.2017.01.118",
    )

    p: Annotated[Ratio | None, P_OR_EACH_SEED] = None
    skip_one_sided: Annotated[bool, SKIP_ONE_SIDED] = False
    ranking_ties: Annotated[Literal["drop", "keep"], RANKING_TIES] = "drop"
    vdm_power: Annotated[Literal[1, 2], VDM_POWER] = 1
    rows: Annotated[int | None, ROWS_OR_EACH_SEED] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Halves and synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        if not analysis.minority.any():
            return without_minority(analysis, np.ones(analysis.dataset.n, dtype=bool))
        decoupled = REMEDIALSampler(self.skip_one_sided).sample(analysis, rng)
        assert decoupled.keep is not None
        parts = list(decoupled.batches)
        halves = joined(parts, analysis.dataset)
        origin = np.concatenate([np.flatnonzero(decoupled.keep), halves.seeds])
        inner = Analysis(
            _decoupled(analysis.dataset, decoupled.keep, halves, origin),
            analysis.settings,
            threads=analysis.threads,
            memory_bytes=analysis.memory_bytes,
            progress=analysis.progress,
        )
        mlsmote = MLSMOTESampler(p=self.p, ranking_ties=self.ranking_ties, vdm_power=self.vdm_power, rows=self.rows)
        made = mlsmote.sample(inner, rng)
        reason = f"MLSMOTE adds no row after REMEDIAL, since {made.reason}" if made.reason else ""
        told = [warning for warning in (*inner.warnings, *made.warnings) if warning not in analysis.warnings]
        warnings = [f"after REMEDIAL: {warning}" for warning in told]
        if reason and parts and not made.requested:
            warnings.append(reason)
        requested = decoupled.requested + made.requested
        return Sample(chain(parts, _named(made, origin)), requested, decoupled.keep, reason=reason, warnings=warnings)


def _decoupled(data: Dataset, keep: np.ndarray, halves: Batch, origin: np.ndarray) -> Dataset:
    """The data set that REMEDIAL leaves: the rows that stay, then the halves."""
    Y = stacked([data.Y[np.flatnonzero(keep)], label_matrix(halves.Y)])
    return replace(data, X=take(data.X, origin), Y=Y, sparse_rows=data.sparse_rows[origin])


def _named(made: Sample, origin: np.ndarray) -> Iterator[Batch]:
    """The rows that were made, with parents that are rows of the original data."""
    for batch in made.batches:
        yield replace(batch, seeds=origin[batch.seeds], references=origin[batch.references])
