"""MLeNN: removal of rows whose labels are unlike those of their nearest rows (Charte et al., 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.checks import check_number, check_whole
from lsdmlo_cli.samplers.base import Ratio, Sample, without_minority
from lsdmlo_cli.samplers.unlike import unlike_neighbors


@dataclass(frozen=True)
class MLeNN:
    """Removes each row without a minority label that is unlike at least half of its `k_edit` nearest rows.

    Rows with a minority label are spared, as published (the R tool takes every row with a majority label). Neighbours are
    those of the original data, by Euclidean distance. Nothing is random.

    threshold: the adjusted Hamming distance above which two rows are unlike (0.75; the R tool: 0.5). k_edit: lowered to
    n - 1 where there are fewer rows. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlenn"
    summary: ClassVar[str] = "removes rows without a minority label whose labels are unlike their neighbours'"
    reference: ClassVar[str] = 'Charte et al., "MLeNN: A first approach to heuristic multilabel undersampling", IDEAL 2014'

    threshold: Ratio = 0.75
    k_edit: int = 3

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, most=1)
        check_whole("k_edit", self.k_edit, 1)

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        keep = np.ones(analysis.dataset.n, dtype=bool)
        if not analysis.minority.any():
            return without_minority(analysis, keep)
        rows, _, unlike = unlike_neighbors(analysis, self.k_edit, float(self.threshold))
        keep[rows[2 * unlike.sum(axis=1) >= unlike.shape[1]]] = False
        reason = f"no row without a minority label is unlike half of its neighbours (threshold {self.threshold:g})"
        return Sample((), 0, keep, reason=reason if keep.all() else "")
