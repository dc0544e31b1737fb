"""MLeNN: removal of rows whose labels are unlike those of their nearest rows (Charte et al., 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.parameters import Option, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, without_minority
from lsdmlo_cli.samplers.publication import Publication
from lsdmlo_cli.samplers.unlike import THRESHOLD, unlike_neighbors


@dataclass(frozen=True)
class MLeNNSampler(Sampler):
    """Removes each row without a minority label that is unlike at least half of its `k_edit` nearest rows.

    Rows with a minority label are spared, as published (the R tool takes every row with a majority label). Neighbours are
    those of the original data, by Euclidean distance. Nothing is random.

    threshold: the adjusted Hamming distance above which two rows are unlike (0.75; the R tool: 0.5). k_edit: lowered to
    n - 1 where there are fewer rows. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlenn"
    summary: ClassVar[str] = "removes rows without a minority label whose labels are unlike their neighbours'"
    publication: ClassVar[Publication] = Publication(
        authors=("Francisco Charte", "Antonio J. Rivera", "María J. del Jesus", "Francisco Herrera"),
        title="MLeNN: A first approach to heuristic multilabel undersampling",
        venue="IDEAL",
        year=2014,
        doi="10.1007/978-3-319-10840-7_1",
        kind="inproceedings",
    )

    threshold: Annotated[Ratio, THRESHOLD] = 0.75
    k_edit: Annotated[int, Option("Number of neighbours each row is compared with.", least=1)] = 3

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
