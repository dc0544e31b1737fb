"""What a metric is, the rules for what has no agreed answer, and the mean over labels or rows that keeps to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from lsdmlo_cli.evaluation.prediction import Prediction

Ties = Literal["half", "win", "loss"]
Undefined = Literal["skip", "zero", "half"]

Figure: TypeAlias = tuple[float | None, int]
"""The value of a metric, None where it has none, and for how many labels or rows it was not defined."""


@dataclass(frozen=True)
class Rules:
    """What is done where a metric has no agreed answer.

    ties: how much of a (positive, negative) pair of equal scores counts as ordered rightly: half, all (win) or nothing (loss).
    row_ties: the same within a row, for ranking_loss, one_error and coverage; None: as in `ties`.
    undefined: what a label or row counts for which a metric is not defined: nothing (skip: it stays out of the mean), 0 or 0.5.
    empty_f: F, precision and recall of a label that no row has and no row is given; also micro where that holds for all labels.
    """

    ties: Ties = "half"
    undefined: Undefined = "skip"
    empty_f: float = 0.0
    row_ties: Ties | None = None

    @property
    def within_rows(self) -> Ties:
        """The rule for equal scores of a row."""
        return self.row_ties or self.ties


RECOMMENDED = Rules()
AUTHORS = Rules(ties="win", undefined="zero", row_ties="loss")
"""The published code: an equal pair of rows is a win, an equal pair of labels a full error, what is undefined is 0."""


@dataclass(frozen=True)
class Metric:
    """A figure of a prediction.

    name: as options and files have it. title: as tables have it. summary: what it measures, in a line. compute(Y, prediction,
    rules): the figure (None: it has none) and for how many labels or rows it was not defined; Y (m, q) bool. labels: the columns
    that Y and the prediction have there, all or those of the minority labels, of which there may be none. rests_on: what of the
    prediction it looks at: the labels that are given, which a threshold changes, or the scores alone. by_default: whether
    `evaluate` shows it where no metric is asked for.
    """

    name: str
    title: str
    higher_is_better: bool
    summary: str
    compute: Callable[[np.ndarray, Prediction, Rules], Figure]
    labels: Literal["all", "minority"] = "all"
    rests_on: Literal["labels", "scores"] = "labels"
    by_default: bool = True

    @property
    def heading(self) -> str:
        """The title with an arrow that says which way is better."""
        return f"{self.title} {'↑' if self.higher_is_better else '↓'}"


def mean(values: np.ndarray, undefined: np.ndarray, rules: Rules) -> Figure:
    """The mean as the rules say, None without anything to average, and how many values were undefined."""
    if rules.undefined == "skip":
        values = values[~undefined]
    else:
        values = np.where(undefined, {"zero": 0.0, "half": 0.5}[rules.undefined], values)
    return (float(values.mean()) if len(values) else None), int(undefined.sum())


def mean_ratio(parts: np.ndarray, wholes: np.ndarray, instead: np.ndarray | float) -> Figure:
    """The mean of parts / wholes, `instead` where a whole is 0; None of nothing; and of how many the whole is 0."""
    empty = wholes == 0
    ratios = np.where(empty, instead, parts / np.maximum(wholes, 1))
    return (float(ratios.mean()) if len(ratios) else None), int(np.count_nonzero(empty))
