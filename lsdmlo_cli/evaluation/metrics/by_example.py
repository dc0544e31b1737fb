"""Metrics that look along the rows at the labels given: the mean over the rows of how well a row's set of labels is met.

Y_i: the labels that row i has, Z_i: those that it is given.

    subset_accuracy    share of the rows with Z_i = Y_i                   Zhu et al., 2005
    example_accuracy   mean_i |Y_i and Z_i| / |Y_i or Z_i|, Jaccard       Godbole and Sarawagi, 2004
    example_precision  mean_i |Y_i and Z_i| / |Z_i|                       the same
    example_recall     mean_i |Y_i and Z_i| / |Y_i|                       the same
    example_f          mean_i 2 |Y_i and Z_i| / (|Y_i| + |Z_i|)           the same

Zhu et al.: Multi-labelled classification using maximum entropy method, SIGIR 2005. Godbole and Sarawagi: Discriminative methods
for multi-labeled classification, PAKDD 2004.

A ratio of 0 / 0 counts as 1 where the row has no label and is given none, which is right, and as 0 else: a row that has labels
and is given none has a precision of 0, one that has none and is given some a recall of 0. Mulan does so, too.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.evaluation.metrics.base import Figure, Rules, mean_ratio
from lsdmlo_cli.evaluation.prediction import Prediction


def subset_accuracy(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Share of the rows whose labels are all right; None without a cell."""
    return (float((prediction.relevant == Y).all(axis=1).mean()) if Y.size else None), 0


def example_accuracy(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean share of right labels among those that a row has or is given; undefined, and 1, is a row with neither."""
    hits, had, given = _counts(Y, prediction)
    return mean_ratio(hits, had + given - hits, 1.0)


def example_precision(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean share of right labels among those that a row is given; undefined is a row that is given none."""
    hits, had, given = _counts(Y, prediction)
    return mean_ratio(hits, given, had == 0)


def example_recall(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean share of the labels of a row that it is given; undefined is a row that has none."""
    hits, had, given = _counts(Y, prediction)
    return mean_ratio(hits, had, given == 0)


def example_f(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean F of the rows; undefined, and 1, is a row that has no label and is given none."""
    hits, had, given = _counts(Y, prediction)
    return mean_ratio(2 * hits, had + given, 1.0)


def _counts(Y: np.ndarray, prediction: Prediction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each row how many labels it has and is given, has, and is given; nothing where there are no labels at all."""
    rows = len(Y) if Y.size else 0
    hits, had, given = (np.count_nonzero(cells, axis=1)[:rows] for cells in (Y & prediction.relevant, Y, prediction.relevant))
    return hits, had, given
