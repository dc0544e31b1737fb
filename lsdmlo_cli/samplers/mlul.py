"""MLUL: removal of rows that make labels hard, the twin of MLSOL (Liu, Blekas & Tsoumakas, 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.minority_types import minority_cells, removal_weights
from lsdmlo_cli.parameters import P_TO_REMOVE, ROWS, Ratio
from lsdmlo_cli.samplers.base import Sample, Sampler, rows_to_remove
from lsdmlo_cli.samplers.publication import Publication


@dataclass(frozen=True)
class MLULSampler(Sampler):
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
    publication: ClassVar[Publication] = Publication(
        authors=("Bin Liu", "Konstantinos Blekas", "Grigorios Tsoumakas"),
        title="Multi-label sampling based on local label imbalance",
        venue="Pattern Recognition",
        year=2022,
        volume="122:108294",
        doi="10.1016/j.patcog.2021.108294",
    )

    p: Annotated[Ratio | None, P_TO_REMOVE] = 0.1
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of the data set of an Analysis stay. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        neighbors = analysis.euclidean.index
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
