"""RHwRSMT: REMEDIAL, then MLSMOTE with ranking on its result (Charte et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, Literal

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.matrix import stacked, take
from lsdmlo_cli.samplers.base import Batch, Ratio, Sample, check_choices, check_size, without_minority
from lsdmlo_cli.samplers.mlsmote import MLSMOTE
from lsdmlo_cli.samplers.remedial import REMEDIAL


@dataclass(frozen=True)
class RHwRSMT:
    """Decouples rows as REMEDIAL does, learns minority labels and neighbours anew, then makes rows as MLSMOTE does.

    It gives the rows that both methods give one after the other, the second on the first one's result. Parents are
    named by the original rows: a half stands for the row that was dropped for it.

    skip_one_sided: as in REMEDIAL. p, rows, ranking_ties, vdm_power: as in MLSMOTE, p as a share of the rows after REMEDIAL,
    rows without the halves; the strategy is ranking. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "rhwrsmt"
    summary: ClassVar[str] = "remedial, then mlsmote with ranking on its result"
    reference: ClassVar[str] = (
        'Charte et al., "REMEDIAL-HwR: Tackling multilabel imbalance through label decoupling and data resampling '
        'hybridization", Neurocomputing 326-327, 2019'
    )

    p: Ratio | None = None
    skip_one_sided: bool = False
    ranking_ties: Literal["drop", "keep"] = "drop"
    vdm_power: Literal[1, 2] = 1
    rows: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_size(self)

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Halves and synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        if not analysis.minority.any():
            return without_minority(analysis, np.ones(analysis.dataset.n, dtype=bool))
        decoupled = REMEDIAL(self.skip_one_sided).sample(analysis, rng)
        assert decoupled.keep is not None
        halves = list(decoupled.batches)
        origin = np.concatenate([np.flatnonzero(decoupled.keep), *(half.seeds for half in halves)])
        inner = Analysis(
            _decoupled(analysis.dataset, decoupled.keep, halves, origin),
            analysis.settings,
            threads=analysis.threads,
            memory_bytes=analysis.memory_bytes,
            progress=analysis.progress,
        )
        mlsmote = MLSMOTE(p=self.p, rows=self.rows, strategy="ranking", ranking_ties=self.ranking_ties, vdm_power=self.vdm_power)
        made = mlsmote.sample(inner, rng)
        reason = f"MLSMOTE adds no row after REMEDIAL, since {made.reason}" if made.reason else ""
        told = [warning for warning in (*inner.warnings, *made.warnings) if warning not in analysis.warnings]
        warnings = [f"after REMEDIAL: {warning}" for warning in told]
        if reason and halves and not made.requested:
            warnings.append(reason)
        requested = decoupled.requested + made.requested
        return Sample(chain(halves, _named(made, origin)), requested, decoupled.keep, reason=reason, warnings=warnings)


def _decoupled(data: Dataset, keep: np.ndarray, halves: list[Batch], origin: np.ndarray) -> Dataset:
    """The data set that REMEDIAL leaves: the rows that stay, then the halves."""
    Y = stacked([data.Y[np.flatnonzero(keep)], *(scipy.sparse.csr_array(half.Y.astype(np.float64)) for half in halves)])
    return replace(data, X=take(data.X, origin), Y=Y, sparse_rows=data.sparse_rows[origin])


def _named(made: Sample, origin: np.ndarray) -> Iterator[Batch]:
    """The rows that were made, with parents that are rows of the original data."""
    for batch in made.batches:
        yield replace(batch, seeds=origin[batch.seeds], references=origin[batch.references])
