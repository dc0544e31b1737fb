"""LPRUS: removal from frequent labelsets (Charte et al., 2015); labelset, bag and mean size as in lpros.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.labelsets import labelset_bags
from lsdmlo_cli.parameters import P_TO_REMOVE, ROWS, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, rows_to_remove, shared_evenly
from lsdmlo_cli.samplers.publication import RANDOM_RESAMPLING, Publication


@dataclass(frozen=True)
class LPRUSSampler(Sampler):
    """Removes random rows of labelsets that are larger than the mean, up to floor(p n) rows.

    As LPROS, with the smallest of them first; no bag falls below the mean size, rounded down, so that no label is
    ever lost. Where all are at it fewer rows are removed.

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    """

    name: ClassVar[str] = "lprus"
    summary: ClassVar[str] = "removes random rows of labelsets that are more frequent than the mean"
    publication: ClassVar[Publication] = RANDOM_RESAMPLING

    p: Annotated[Ratio | None, P_TO_REMOVE] = 0.1
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay."""
        data = analysis.dataset
        asked = rows_to_remove(self, data)
        bags = labelset_bags(data.Y)
        large = sorted((bag for bag in bags if len(bag) * len(bags) > data.n), key=len)
        taken = shared_evenly(asked, [len(bag) - data.n // len(bags) for bag in large])
        keep = np.ones(data.n, dtype=bool)
        for bag, count in zip(large, taken, strict=True):
            keep[rng.choice(bag, count, replace=False)] = False
        reason = "no labelset is left that is more frequent than the mean" if sum(taken) < asked else ""
        return Sample((), 0, keep, to_remove=asked, reason=reason)
