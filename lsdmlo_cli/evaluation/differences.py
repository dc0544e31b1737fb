"""How far methods are from one of them, the reference, on the same folds.

    d_f     = figure of the method - figure of the reference, on fold f of one data set, with one learner and metric
    mean    = mean_f d_f,  error = standard deviation of d_f (divisor count - 1) / sqrt(count)
    ahead   the mean is on the better side of 0 by more than twice its error

Folds on which either has no figure stay out. Over data sets d is the mean of each. Training rows of folds overlap, so that folds
are not independent, and the error over folds is rather too small than too large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.folders import counted


@dataclass(frozen=True)
class Difference:
    """mean and error: None without a pair, or two of them; won and lost: how many pairs are better and worse."""

    mean: float | None
    error: float | None
    won: int
    lost: int

    def is_ahead(self, higher_is_better: bool) -> bool:
        """Whether the method is better by more than twice the error."""
        if self.mean is None or self.error is None:
            return False
        return (self.mean if higher_is_better else -self.mean) > 2 * self.error

    @property
    def told(self) -> str:
        """As sentences and tables have it.

        >>> Difference(0.0312, 0.004, 4, 0).told
        '+0.031 ± 0.004'
        """
        if self.mean is None:
            return "-"
        return f"{self.mean:+.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


def paired(values: Sequence[float | None], reference: Sequence[float | None], higher_is_better: bool) -> Difference:
    """The difference of the figures of two methods on the same folds.

    >>> paired([0.5, 0.75, None], [0.25, 0.25, 0.5], True)
    Difference(mean=0.375, error=0.125, won=2, lost=0)
    """
    pairs = zip(values, reference, strict=True)
    return summarised([own - other for own, other in pairs if own is not None and other is not None], higher_is_better)


def summarised(differences: Sequence[float], higher_is_better: bool) -> Difference:
    """Mean, error and signs of differences."""
    count, above, below = len(differences), sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    won, lost = (above, below) if higher_is_better else (below, above)
    error = stdev(differences) / sqrt(count) if count > 1 else None
    return Difference(fmean(differences) if differences else None, error, won, lost)


def of_row(row: dict[str, Any]) -> Difference:
    """The difference in a row of the results."""
    return Difference(row["difference"], row["difference_error"], row["won"], row["lost"])


def summary(report: dict[str, Any]) -> list[str]:
    """A line for each learner: which methods are ahead of the reference, on which metrics, and on which none is.

    Of one data set over its folds, of several over their means. Empty where there is nothing but the reference.
    """
    against = report["experiment"]["against"]
    if len(report["experiment"]["methods"]) < 2:
        return []
    sets = len(report["datasets"])
    over = f", over {counted(sets, 'data set')}" if sets > 1 else ""
    return [
        f"{learner}: {_sentence(list(found), against)}{over}"
        for learner, found in groupby(_judged(report), key=lambda one: one[0])
    ]


def _judged(report: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Difference]]]:
    """For each learner and metric, in order, the methods ahead of the reference."""
    for compared in report["comparison"]:
        learner, metric = compared["learner"], compared["metric"]
        if len(report["datasets"]) > 1:
            found = {method: Difference(**one) for method, one in compared["differences"].items()}
        else:
            rows = [row for row in report["results"] if (row["learner"], row["metric"]) == (learner, metric)]
            found = {row["method"]: of_row(row) for row in rows if row["method"] != report["experiment"]["against"]}
        higher = METRICS[metric].higher_is_better
        yield learner, metric, {method: one for method, one in found.items() if one.is_ahead(higher)}


def _sentence(judged: list[tuple[str, str, dict[str, Difference]]], against: str) -> str:
    ahead: dict[str, list[str]] = {}
    for _, metric, found in judged:
        for method, difference in found.items():
            ahead.setdefault(method, []).append(f"{metric} {difference.told}")
    without = [metric for _, metric, found in judged if not found]
    if not ahead:
        return f"nothing is ahead of {against} by more than twice the error on any metric"
    parts = [f"{method} on {', '.join(metrics)}" for method, metrics in ahead.items()]
    nothing = f"; nothing is ahead of {against} on {', '.join(without)}" if without else ""
    return f"ahead of {against} by more than twice the error: {'; '.join(parts)}{nothing}"
