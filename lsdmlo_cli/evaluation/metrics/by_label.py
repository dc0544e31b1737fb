"""Metrics that look down the columns: for each label over the rows (macro), or over all rows and labels together (micro).

TP_j, FP_j, FN_j: the rows that have label j and are given it, are given it wrongly, and lack it wrongly.

    macro_f          mean_j 2 TP_j / (2 TP_j + FP_j + FN_j)                         Yang, 1999
    macro_precision  mean_j TP_j / (TP_j + FP_j)                                    the same
    macro_recall     mean_j TP_j / (TP_j + FN_j)                                    the same
    micro_...        the three of the sums of TP_j, FP_j and FN_j over the labels   the same
    macro_auc        mean_j share of (positive, negative) row pairs that the scores of label j order rightly
    macro_aucpr      mean_j average precision: sum over the scores s of label j of (recall_s - recall_s+) precision_s
    micro_auc        share of (positive, negative) pairs of cells that the scores order rightly; both AUC: Zhang and Zhou, 2014
    hamming_loss     share of the cells (i, j) where the label given is wrong       Schapire and Singer, 1999

Yang: An evaluation of statistical approaches to text categorization, Information Retrieval 1. Zhang and Zhou: A review on
multi-label learning algorithms, IEEE TKDE 26. Schapire and Singer: Improved boosting algorithms, Machine Learning 37.

A ratio of 0 / 0 counts as `empty_f` for a label that no row has and no row is given, and as 0 else (the precision of a label that
rows have and none is given, say), so that it pays no method to give a hard label to nobody.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.evaluation.metrics.base import Figure, Rules, mean_ratio
from lsdmlo_cli.evaluation.metrics.ordering import blocks, mean_of_parts, ordered, precision_at_hits
from lsdmlo_cli.evaluation.prediction import Prediction


def macro_f(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean F of the labels; undefined, and `empty_f`, is a label that no row has and no row is given."""
    return _f(*_counts(Y, prediction), rules)


def macro_precision(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean over the labels of the share of the rows given it that have it; undefined is a label given to no row."""
    return _precision(*_counts(Y, prediction), rules)


def macro_recall(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean over the labels of the share of the rows that have it that are given it; undefined is a label that no row has."""
    return _recall(*_counts(Y, prediction), rules)


def micro_f(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """F of all cells together."""
    return _f(*_sums(Y, prediction), rules)


def micro_precision(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Share of the labels given that are right; undefined where none is given."""
    return _precision(*_sums(Y, prediction), rules)


def micro_recall(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Share of the labels that rows have that are given; undefined where no row has any."""
    return _recall(*_sums(Y, prediction), rules)


def macro_auc(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean area under the ROC curve (Mann-Whitney); undefined is a label that all rows have, or none."""
    return mean_of_parts([ordered(*lists, rules.ties) for lists in blocks(Y.T, prediction.scores.T)], rules)


def macro_aucpr(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Mean average precision, rows of equal scores taken together whatever `ties` says; undefined is a label that no row has."""
    return mean_of_parts([precision_at_hits(*lists) for lists in blocks(Y.T, prediction.scores.T)], rules)


def micro_auc(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Area under the ROC curve of all cells together; undefined where all cells are positive, or none."""
    if not Y.size:
        return None, 0
    return mean_of_parts([ordered(Y.reshape(1, -1), prediction.scores.reshape(1, -1), rules.ties)], rules)


def hamming_loss(Y: np.ndarray, prediction: Prediction, rules: Rules) -> Figure:
    """Share of wrong cells; None without a cell."""
    return (float(np.count_nonzero(Y ^ prediction.relevant) / Y.size) if Y.size else None), 0


def _counts(Y: np.ndarray, prediction: Prediction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each label the rows that have it and are given it, that have it, and that are given it."""
    hits, had, given = (np.count_nonzero(cells, axis=0) for cells in (Y & prediction.relevant, Y, prediction.relevant))
    return hits, had, given


def _sums(Y: np.ndarray, prediction: Prediction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sums of those counts over the labels, each the one entry of an array; without a cell there is no entry."""
    hits, had, given = (counts.sum(keepdims=True)[: Y.size] for counts in _counts(Y, prediction))
    return hits, had, given


def _f(hits: np.ndarray, had: np.ndarray, given: np.ndarray, rules: Rules) -> Figure:
    return mean_ratio(2 * hits, had + given, rules.empty_f)


def _precision(hits: np.ndarray, had: np.ndarray, given: np.ndarray, rules: Rules) -> Figure:
    return mean_ratio(hits, given, _instead(had + given, rules))


def _recall(hits: np.ndarray, had: np.ndarray, given: np.ndarray, rules: Rules) -> Figure:
    return mean_ratio(hits, had, _instead(had + given, rules))


def _instead(entries: np.ndarray, rules: Rules) -> np.ndarray:
    """What a ratio of 0 / 0 counts; entries: 2 TP + FP + FN."""
    return np.where(entries == 0, rules.empty_f, 0.0)
