"""LPROS: clones of rare labelsets (Charte et al., 2015).

The labelset of a row is the exact set of its labels, its bag are the rows that have it, and the mean size is n over
the number of labelsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.labelsets import labelset_bags
from lsdmlo_cli.parameters import ROWS, P, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, clones, shared_evenly, wanted_rows
from lsdmlo_cli.samplers.publication import RANDOM_RESAMPLING, Publication


@dataclass(frozen=True)
class LPROSSampler(Sampler):
    """Clones random rows of labelsets that are smaller than the mean, up to floor(p n) clones.

    The largest of them comes first (ties: which occurs first). What is left of the budget is shared evenly among it and
    those that follow, rounded down; a bag takes it only up to the mean size, and what it does not take is shared
    by those that follow. Rows are drawn with replacement. Where all are full fewer rows are made: none where
    the mean size is below 2, as in data whose labelsets hardly repeat.

    p: clones as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "lpros"
    summary: ClassVar[str] = "clones random rows of labelsets that are rarer than the mean"
    publication: ClassVar[Publication] = RANDOM_RESAMPLING

    p: Annotated[Ratio | None, P] = 0.1
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Clones for the data set of an Analysis."""
        data = analysis.dataset
        requested = wanted_rows(self, data.n)
        bags = labelset_bags(data.Y)
        small = sorted((bag for bag in bags if len(bag) * len(bags) < data.n), key=len, reverse=True)
        taken = shared_evenly(requested, [data.n // len(bags) - len(bag) for bag in small])
        drawn = [bag[rng.integers(len(bag), size=count)] for bag, count in zip(small, taken, strict=True)]
        seeds = np.concatenate([np.zeros(0, dtype=np.int64), *drawn])
        reason = "no labelset is left that is rarer than the mean" if len(seeds) < requested else ""
        return Sample(clones(data, seeds), requested, reason=reason)
