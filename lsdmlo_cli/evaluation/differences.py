"""How far methods are from one of them, the reference, on the same folds.

    d_f     = figure of the method - figure of the reference, on fold f of one data set, with one learner and metric
    mean    = mean_f d_f,  error = standard deviation of d_f (divisor count - 1) / sqrt(count)
    ahead   the mean is on the better side of 0 by more than twice its error

Folds on which either has no figure stay out. Over data sets d is the mean of each. Training rows of folds overlap, so that folds
are not independent, and the error over folds is rather too small than too large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
        return told(self.mean, self.error)


def told(mean: float | None, error: float | None) -> str:
    """A mean difference with its error, as sentences and tables have it."""
    if mean is None:
        return "-"
    return f"{mean:+.3f}" + ("" if error is None else f" ± {error:.3f}")


def paired(values: Sequence[float | None], reference: Sequence[float | None], higher_is_better: bool) -> Difference:
    """The difference of the figures of two methods on the same folds.

    >>> paired([0.5, 0.75, None], [0.25, 0.25, 0.5], True)
    Difference(mean=0.375, error=0.125, won=2, lost=0)
    """
    pairs = zip(values, reference, strict=True)
    return summarised([own - other for own, other in pairs if own is not None and other is not None], higher_is_better)


def summarised(differences: Sequence[float], higher_is_better: bool) -> Difference:
    """Mean, error and signs of differences."""
    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    won, lost = (above, below) if higher_is_better else (below, above)
    return Difference(*mean_and_error(differences), won, lost)


def mean_and_error(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The mean and its standard error, None without a value, or two of them."""
    count = len(values)
    return fmean(values) if count else None, stdev(values) / sqrt(count) if count > 1 else None


def of_row(row: dict[str, Any]) -> Difference:
    """The difference in a row of the results."""
    return Difference(row["difference"], row["difference_error"], row["won"], row["lost"])


def of_comparison(report: Mapping[str, Any], compared: Mapping[str, Any]) -> dict[str, Difference]:
    """The differences of one learner and metric, by method: over the data sets, or over the folds of the only one."""
    if len(report["datasets"]) > 1:
        return {method: Difference(**one) for method, one in compared["differences"].items()}
    rows = (row for row in report["results"] if all(row[name] == compared[name] for name in ("learner", "metric")))
    return {row["method"]: of_row(row) for row in rows if row["method"] != report["experiment"]["against"]}


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
        higher = METRICS[compared["metric"]].higher_is_better
        ahead = {method: one for method, one in of_comparison(report, compared).items() if one.is_ahead(higher)}
        yield compared["learner"], compared["metric"], ahead


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
