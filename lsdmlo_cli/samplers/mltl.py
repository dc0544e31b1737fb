"""MLTL: removal of multi-label Tomek links (Pereira, Costa & Silla, 2020)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.measures import irlbl, mean_ir
from lsdmlo_cli.parameters import Option, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, without_minority
from lsdmlo_cli.samplers.publication import Publication
from lsdmlo_cli.samplers.unlike import THRESHOLD, unlike_neighbors


@dataclass(frozen=True)
class MLTLSampler(Sampler):
    """Removes Tomek links: a row without a minority label and its nearest row, where they are unlike.

    clean: "majority" removes the row without a minority label, "both" its nearest row too. threshold: without it
    t = 1 / sqrt(MeanIR) decides: 0.5 for t >= 0.5, 0.3 for t >= 0.3, else 0.15. Nothing is random.

    The authors' tool (github.com/rodolfomp123/imb-mulan) takes 0.5 wherever SCUMBLE is above 0.3, looks at every row with a
    majority label, and divides the labels that differ by those that either row has, which gives larger distances. Errors:
    ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mltl"
    summary: ClassVar[str] = "removes multi-label Tomek links: rows unlike their nearest row"
    publication: ClassVar[Publication] = Publication(
        authors=("Rodolfo M. Pereira", "Yandre M. G. Costa", "Carlos N. Silla"),
        title="MLTL: A multi-label approach for the Tomek Link undersampling algorithm",
        venue="Neurocomputing",
        year=2020,
        volume="383:95-105",
        doi="10.1016/j.neucom.2019.11.076",
    )
    details: ClassVar[Mapping[str, Any]] = {
        "threshold_used": {"type": "number", "minimum": 0, "maximum": 1, "description": "Of mltl."}
    }

    threshold: Annotated[Ratio | None, THRESHOLD] = None
    clean: Annotated[
        Literal["majority", "both"], Option("Which rows of a Tomek link to remove: the one without a minority label, or both.")
    ] = "majority"

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        keep = np.ones(analysis.dataset.n, dtype=bool)
        if not analysis.minority.any():
            return without_minority(analysis, keep)
        threshold = self._threshold(analysis)
        rows, neighbors, unlike = unlike_neighbors(analysis, 1, threshold)
        linked = unlike[:, 0]
        keep[rows[linked]] = False
        if self.clean == "both":
            keep[neighbors[linked, 0]] = False
        reason = f"no row without a minority label is unlike its nearest row (threshold {threshold:g})"
        return Sample((), 0, keep, {"threshold_used": threshold}, reason=reason if keep.all() else "")

    def _threshold(self, analysis: Analysis) -> float:
        if self.threshold is not None:
            return float(self.threshold)
        t = 1 / math.sqrt(mean_ir(irlbl(analysis.dataset.counts)))
        return 0.5 if t >= 0.5 else 0.3 if t >= 0.3 else 0.15
