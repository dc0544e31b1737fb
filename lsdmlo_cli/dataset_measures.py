"""The measures of a data set that a report gives: how many labels a row has, how rare labels are, how mixed their neighbours.

A measure is a line of MEASURES; one of another package is an entry point in the group `lsdmlo.measures`. The formulas are in
`numeric/measures.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lsdmlo_cli.analysis import LocalImbalance
from lsdmlo_cli.numeric import measures
from lsdmlo_cli.numeric.label_dependence import Dependence, label_dependence
from lsdmlo_cli.numeric.labelsets import label_counts, labelset_sizes
from lsdmlo_cli.plugins import Registry


class Counted:
    """A data set as measures see it: what was found out about it, with the counts that several of them share.

    imbalance: the local imbalance of the labels. Y: (n, q) CSR of 0 and 1. counts: (q,) positives of each label.
    irlbl: (q,) IRLbl, NaN for a label without a positive.
    """

    def __init__(self, imbalance: LocalImbalance) -> None:
        self.imbalance = imbalance
        self.Y = imbalance.Y
        self.counts = label_counts(imbalance.Y)
        self.irlbl = measures.irlbl(self.counts)

    @cached_property
    def labelset_sizes(self) -> np.ndarray:
        """How many rows have each of the different sets of labels."""
        return labelset_sizes(self.Y)

    @property
    def labelsets(self) -> int:
        """How many different sets of labels the rows have."""
        return len(self.labelset_sizes)

    @property
    def single_labelsets(self) -> int:
        """How many sets of labels one row alone has."""
        return int(np.count_nonzero(self.labelset_sizes == 1))

    @property
    def largest_labelset(self) -> int:
        """How many rows have the most frequent set of labels."""
        return int(self.labelset_sizes.max(initial=0))

    @property
    def labels_per_row(self) -> np.ndarray:
        """(n,) how many labels each row has."""
        return np.diff(self.Y.indptr)

    @cached_property
    def dependence(self) -> Dependence:
        """How far the labels depend on each other."""
        return label_dependence(self.Y)

    def of_rows(self, count: int) -> float:
        """A number of rows, or of sets of labels, divided by that of all rows."""
        return count / self.Y.shape[0] if self.Y.shape[0] else float("nan")

    @cached_property
    def scumble_rows(self) -> np.ndarray:
        """(n,) SCUMBLE of each row."""
        return measures.scumble_rows(self.Y, self.irlbl)

    @cached_property
    def scumble(self) -> float:
        """Their mean, NaN without a row."""
        return float(self.scumble_rows.mean()) if len(self.scumble_rows) else float("nan")


@dataclass(frozen=True)
class Measure:
    """A figure of a data set.

    name: as reports have it. title: what it is, in a line. compute: the figure, NaN where it is not defined; reports have null
    then. of_sample: whether it has a meaning only where LImb was taken from a sample of the positives.
    """

    name: str
    title: str
    compute: Callable[[Counted], float]
    of_sample: bool = False


def _tcs(data: Counted) -> float:
    return measures.tcs(data.imbalance.d, data.Y.shape[1], data.labelsets if data.Y.shape[0] else 0)


MEASURES: Registry[Measure] = Registry(
    "measures",
    (
        Measure("Card", "mean number of labels of a row", lambda data: measures.card(data.Y)),
        Measure("Dens", "Card divided by the number of labels", lambda data: measures.card(data.Y) / data.Y.shape[1]),
        Measure("labelsets", "number of different sets of labels", lambda data: data.labelsets),
        Measure("MeanIR", "mean imbalance ratio of the labels", lambda data: measures.mean_ir(data.irlbl)),
        Measure("MaxIR", "largest imbalance ratio of a label", lambda data: measures.max_ir(data.irlbl)),
        Measure("CVIR", "coefficient of variation of the imbalance ratios", lambda data: measures.cvir(data.irlbl)),
        Measure("SCUMBLE", "mean concurrence of frequent and rare labels in a row", lambda data: data.scumble),
        Measure("TCS", "theoretical complexity score", _tcs),
        Measure("LImb", "mean local imbalance of the labels", lambda data: measures.limb(data.imbalance.limb)),
        Measure("LImb_LSD", "LImb by the labels' own distances", lambda data: measures.limb(data.imbalance.limb_lsd)),
        Measure("LImb_se", "standard error of LImb", lambda data: measures.limb_error(data.imbalance.limb_se), of_sample=True),
        Measure(
            "LImb_LSD_se",
            "standard error of LImb_LSD",
            lambda data: measures.limb_error(data.imbalance.limb_lsd_se),
            of_sample=True,
        ),
        Measure(
            "Div", "labelsets as a share of those there could be", lambda data: measures.diversity(data.labelsets, *data.Y.shape)
        ),
        Measure("PDL", "labelsets divided by the number of rows", lambda data: data.of_rows(data.labelsets)),
        Measure("single_labelsets", "number of labelsets that one row alone has", lambda data: data.single_labelsets),
        Measure("PUniq", "share of rows whose labelset no other row has", lambda data: data.of_rows(data.single_labelsets)),
        Measure("largest_labelset", "rows of the most frequent labelset", lambda data: data.largest_labelset),
        Measure("PMax", "share of rows that have the most frequent labelset", lambda data: data.of_rows(data.largest_labelset)),
        Measure(
            "SCUMBLE_cv",
            "coefficient of variation of SCUMBLE over the rows",
            lambda data: measures.scumble_variation(data.scumble_rows),
        ),
        Measure("Card_skewness", "skewness of the labels per row", lambda data: measures.skewness(data.labels_per_row)),
        Measure("Card_kurtosis", "excess kurtosis of the labels per row", lambda data: measures.kurtosis(data.labels_per_row)),
        Measure("rDep", "share of pairs of labels dependent by chi-square", lambda data: data.dependence.share),
        Measure("mean_phi", "mean size of the correlation of two labels", lambda data: data.dependence.mean_phi),
    ),
)


def measured(data: Counted, of_sample: bool) -> dict[str, float]:
    """Every measure of a data set, NaN where it is not defined; of_sample: whether LImb was taken from a sample."""
    return {name: measure.compute(data) for name, measure in MEASURES.items() if of_sample or not measure.of_sample}
