"""Metrics that look along the rows at the scores: how a row ranks its labels.

    ranking_loss       mean_i share of (relevant, irrelevant) label pairs that the scores of row i order wrongly
    one_error          share of the rows whose highest score is that of an irrelevant label
    coverage           mean_i (how far down the ranking of row i the last of its relevant labels stands) - 1
    average_precision  mean_i mean over the relevant labels j of row i of the share of relevant ones among the labels from j up

All four as in Schapire and Singer: BoosTexter, a boosting-based system for text categorization, Machine Learning 39, 2000.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.evaluation.metrics.base import Figure, Rules, mean
from lsdmlo_cli.evaluation.metrics.ordering import blocks, depth, mean_of_parts, ordered, precision_at_hits
from lsdmlo_cli.evaluation.prediction import Prediction


def ranking_loss(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean share of label pairs in the wrong order; undefined is a row with all labels, or none."""
    parts = [ordered(*lists, rules.within_rows) for lists in blocks(Y, prediction.scores)]
    return mean_of_parts([(1.0 - rightly, undefined) for rightly, undefined in parts], rules)


def one_error(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Share of rows whose best label is irrelevant; undefined is a row without a relevant label.

    Where several labels share the highest score: the share of them that is irrelevant (half), an error if all of them are (win),
    or if one of them is (loss).
    """
    if not Y.size:
        return None, 0
    best = prediction.scores == prediction.scores.max(axis=1, keepdims=True)
    wrong = 1.0 - np.count_nonzero(best & Y, axis=1) / np.count_nonzero(best, axis=1)
    error = {"half": wrong, "win": np.floor(wrong), "loss": np.ceil(wrong)}[rules.within_rows]
    return mean(error, np.count_nonzero(Y, axis=1) == 0, rules)


def coverage(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean number of labels ranked above the last relevant one; undefined is a row without a relevant label.

    0 where one relevant label stands first; at most q - 1. An irrelevant label of the same score as the last relevant one counts
    half, not at all (win) or fully (loss).
    """
    parts = [depth(*lists, rules.within_rows) for lists in blocks(Y, prediction.scores)]
    return mean_of_parts(parts, rules)


def average_precision(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean average precision of the rows; undefined is a row without a relevant label.

    Labels of equal scores are taken together, whatever `ties` says: each counts as if it stood last among them.
    """
    return mean_of_parts([precision_at_hits(*lists) for lists in blocks(Y, prediction.scores)], rules)
