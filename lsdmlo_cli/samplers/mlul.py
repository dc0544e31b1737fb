"""MLUL: removal of rows that make labels hard, the twin of MLSOL (Liu, Blekas & Tsoumakas, 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.minority_types import minority_cells, removal_weights
from lsdmlo_cli.samplers.base import Ratio, Sample, check_size, rows_to_remove


@dataclass(frozen=True)
class MLUL:
    """Removes floor(p n) rows: those that stay are drawn without replacement in proportion to v_i.

    v_i = w_i - the mean, over the rows m that have i among their k neighbours, of sum_j S_mj, counted as above 0 where i and m
    differ on j and as below 0 where they agree; shifted so that the least v_i is 0 (w and S of numeric/minority_types.py).
    Rows of v_i = 0 go first, in random order. Mulan deletes by place from a list that shrinks, which hits other rows than
    were drawn; here the rows that were drawn stay.

    p: rows to remove as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range,
    DataError for more rows than there are.
    """

    name: ClassVar[str] = "mlul"
    summary: ClassVar[str] = "removes rows that make the labels of others locally imbalanced"
    reference: ClassVar[str] = (
        'Liu, Blekas & Tsoumakas, "Multi-label sampling based on local label imbalance", Pattern Recognition 122, 2022'
    )

    p: Ratio | None = 0.1
    rows: int | None = None

    def __post_init__(self) -> None:
        check_size(self, most=1)

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        neighbors = analysis.euclid.index
        v = removal_weights(list(minority_cells(analysis.by_column, neighbors)), neighbors)
        n = analysis.dataset.n
        to_remove = rows_to_remove(self, analysis.dataset)
        keep = np.zeros(n, dtype=bool)
        keep[drawn_without_replacement(v, n - to_remove, rng)] = True
        return Sample((), 0, keep, to_remove=to_remove)


def drawn_without_replacement(weights: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Places of weights (n,), each drawn in proportion to what is left; those of weight 0 come last, in random order.

    Exponential times at the rates of the weights end in the order of such draws.
    """
    times = rng.standard_exponential(len(weights))
    last = weights <= 0
    times = np.where(last, times, times / np.where(last, 1.0, weights))
    return np.lexsort((times, last))[:count]
