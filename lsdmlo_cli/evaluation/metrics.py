"""How well predictions fit: Y (m x q) the true labels, scores and given labels of a Prediction.

    macro_f      mean_j 2 TP_j / (2 TP_j + FP_j + FN_j)             micro_f  the same of the sums over the labels
    macro_auc    mean_j share of (positive, negative) row pairs that the scores of label j order rightly
    macro_aucpr  mean_j average precision: sum over the scores s of label j of (recall_s - recall_s+) precision_s
    ranking_loss mean_i share of (relevant, irrelevant) label pairs that the scores of row i order wrongly
    hamming_loss share of the cells (i, j) where the label given is wrong
    one_error    share of the rows whose highest score is that of an irrelevant label
    minority_f, minority_auc, minority_aucpr     macro_f, macro_auc and macro_aucpr of the minority labels alone

Minority labels are those with IRLbl_j > MeanIR among the training rows, before sampling, of which there are two training rows or
more and a test row; so they are the same for all methods and learners on a fold. A label that all test rows have has no AUC.

Published code disagrees on equal scores and on what is undefined (a label without a positive or without a negative, a row
without a relevant or without an irrelevant label). Rules say what is done; RECOMMENDED and AUTHORS are two sets of them.

A metric is a function and a line of METRICS; one of another package is an entry point in the group `lsdmlo.metrics`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lsdmlo_cli.errors import DataError, ParameterError, hint
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.plugins import Registry

Ties = Literal["half", "win", "loss"]
Undefined = Literal["skip", "zero", "half"]

_BLOCK_CELLS = 1 << 22
_SHARE_OF_A_TIE: dict[Ties, float] = {"half": 0.5, "win": 1.0, "loss": 0.0}


@dataclass(frozen=True)
class Rules:
    """What is done where a metric has no agreed answer.

    ties: how much of a (positive, negative) pair of equal scores counts as ordered rightly: half, all (win) or nothing (loss).
    row_ties: the same within a row, for ranking_loss and one_error; None: as in `ties`.
    undefined: what a label or row counts for which a metric is not defined: nothing (skip: it stays out of the mean), 0 or 0.5.
    empty_f: F of a label that no row has and no row is given; also micro_f where that holds for all labels.
    """

    ties: Ties = "half"
    undefined: Undefined = "skip"
    empty_f: float = 0.0
    row_ties: Ties | None = None


RECOMMENDED = Rules()
AUTHORS = Rules(ties="win", undefined="zero", row_ties="loss")
"""The published code: an equal pair of rows is a win, an equal pair of labels a full error, what is undefined is 0."""


@dataclass(frozen=True)
class Metric:
    """A figure of a prediction.

    name: as options and files have it. title: as tables have it. summary: what it measures, in a line. compute(Y, prediction,
    rules): the figure (None: it has none) and for how many labels or rows it was not defined; Y (m, q) bool. labels: the columns
    that Y and the prediction have there, all or those of the minority labels, of which there may be none. rests_on: what of the
    prediction it looks at: the labels that are given, which a threshold changes, or the scores alone.
    """

    name: str
    title: str
    higher_is_better: bool
    summary: str
    compute: Callable[[np.ndarray, Prediction, Rules], tuple[float | None, int]]
    labels: Literal["all", "minority"] = "all"
    rests_on: Literal["labels", "scores"] = "labels"


@dataclass(frozen=True)
class Measured:
    """values: the figure of each metric, None where it has none. undefined: for how many labels or rows it was not defined."""

    values: dict[str, float | None]
    undefined: dict[str, int]


def measure(Y: np.ndarray, prediction: Prediction, rules: Rules = RECOMMENDED, minority: np.ndarray | None = None) -> Measured:
    """Every metric of METRICS. Y (m, q) bool, scores and given labels of the same shape; minority (q,) bool, None for no label.

    Errors: DataError for a score that is no number.
    """
    if np.isnan(prediction.scores).any():
        raise DataError("a learner gave a score that is not a number")
    few = np.flatnonzero(minority) if minority is not None else np.arange(0)
    of = {
        "all": (Y, prediction),
        "minority": (Y[:, few], Prediction(prediction.scores[:, few], prediction.relevant[:, few])),
    }
    found = {name: metric.compute(*of[metric.labels], rules) for name, metric in METRICS.items()}
    return Measured({name: value for name, (value, _) in found.items()}, {name: count for name, (_, count) in found.items()})


def macro_f(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Mean F of the labels; undefined, and `empty_f`, is a label that no row has and no row is given."""
    return _mean_f(_hits(Y, prediction), _entries(Y, prediction), rules)


def micro_f(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """F of all cells together."""
    if not Y.size:
        return None, 0
    return _mean_f(_hits(Y, prediction).sum(keepdims=True), _entries(Y, prediction).sum(keepdims=True), rules)


def _hits(Y: np.ndarray, prediction: Prediction) -> np.ndarray:
    return np.count_nonzero(Y & prediction.relevant, axis=0)


def _entries(Y: np.ndarray, prediction: Prediction) -> np.ndarray:
    """2 TP + FP + FN of each label."""
    return np.count_nonzero(Y, axis=0) + np.count_nonzero(prediction.relevant, axis=0)


def _mean_f(hits: np.ndarray, entries: np.ndarray, rules: Rules) -> tuple[float | None, int]:
    empty = entries == 0
    f = np.where(empty, rules.empty_f, 2 * hits / np.maximum(entries, 1))
    return _mean(f, np.zeros(len(f), dtype=bool), rules)[0], int(empty.sum())


def macro_auc(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Mean area under the ROC curve (Mann-Whitney); undefined is a label that all rows have, or none."""
    parts = [_ordered(*lists, rules.ties) for lists in _blocks(Y.T, prediction.scores.T)]
    return _mean_of_parts(parts, rules)


def ranking_loss(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Mean share of label pairs in the wrong order; undefined is a row with all labels, or none."""
    ties = rules.row_ties or rules.ties
    parts = [_ordered(*lists, ties) for lists in _blocks(Y, prediction.scores)]
    return _mean_of_parts([(1.0 - rightly, undefined) for rightly, undefined in parts], rules)


def macro_aucpr(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Mean average precision, rows of equal scores taken together whatever `ties` says; undefined is a label that no row has."""
    parts = [_average_precision(*lists) for lists in _blocks(Y.T, prediction.scores.T)]
    return _mean_of_parts(parts, rules)


def hamming_loss(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Share of wrong cells; None without a cell."""
    return (float(np.count_nonzero(Y ^ prediction.relevant) / Y.size) if Y.size else None), 0


def one_error(Y: np.ndarray, prediction: Prediction, rules: Rules) -> tuple[float | None, int]:
    """Share of rows whose best label is irrelevant; undefined is a row without a relevant label.

    Where several labels share the highest score: the share of them that is irrelevant (half), an error if all of them are (win),
    or if one of them is (loss).
    """
    if not Y.size:
        return None, 0
    best = prediction.scores == prediction.scores.max(axis=1, keepdims=True)
    wrong = 1.0 - np.count_nonzero(best & Y, axis=1) / np.count_nonzero(best, axis=1)
    ties = rules.row_ties or rules.ties
    error = {"half": wrong, "win": np.floor(wrong), "loss": np.ceil(wrong)}[ties]
    return _mean(error, np.count_nonzero(Y, axis=1) == 0, rules)


METRICS: Registry[Metric] = Registry(
    "metrics",
    (
        Metric("macro_f", "Macro-F", True, "mean F of the labels", macro_f),
        Metric("macro_auc", "Macro-AUC", True, "mean area under the ROC curve of the labels", macro_auc, rests_on="scores"),
        Metric("macro_aucpr", "Macro-AUCPR", True, "mean average precision of the labels", macro_aucpr, rests_on="scores"),
        Metric(
            "ranking_loss",
            "Ranking loss",
            False,
            "share of pairs of labels that a row's scores put in the wrong order",
            ranking_loss,
            rests_on="scores",
        ),
        Metric("micro_f", "Micro-F", True, "F over all rows and labels together", micro_f),
        Metric("hamming_loss", "Hamming loss", False, "share of labels that are given wrongly", hamming_loss),
        Metric(
            "one_error",
            "One-error",
            False,
            "share of rows whose label of the highest score is irrelevant",
            one_error,
            rests_on="scores",
        ),
        Metric("minority_f", "Minority-F", True, "mean F of the minority labels", macro_f, "minority"),
        Metric(
            "minority_auc",
            "Minority-AUC",
            True,
            "mean area under the ROC curve of the minority labels",
            macro_auc,
            "minority",
            "scores",
        ),
        Metric(
            "minority_aucpr",
            "Minority-AUCPR",
            True,
            "mean average precision of the minority labels",
            macro_aucpr,
            "minority",
            "scores",
        ),
    ),
)


def check_metric(name: str) -> None:
    """Raise ParameterError for the name of no metric."""
    if name not in METRICS:
        raise ParameterError(f"there is no metric {name!r}{hint(name, METRICS)}: there are {', '.join(METRICS)}")


@dataclass(frozen=True)
class _Groups:
    """The runs of equal scores of several lists, the highest first, one list behind the other.

    of: the list that a run belongs to. positives, negatives: how many items of each kind are in the run. positives_so_far,
    negatives_so_far: how many are in the list up to the run's end.
    """

    of: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    positives_so_far: np.ndarray
    negatives_so_far: np.ndarray


def _groups(relevant: np.ndarray, scores: np.ndarray) -> _Groups:
    """The rows of (lists, items) arrays as runs of equal scores; there is at least one item."""
    lists, items = scores.shape
    order = np.argsort(-scores, axis=1)  # whatever the order within a run
    ranked = np.take_along_axis(scores, order, axis=1)
    is_end = np.ones((lists, items), dtype=bool)
    np.not_equal(ranked[:, :-1], ranked[:, 1:], out=is_end[:, :-1])
    of, place = np.nonzero(is_end)
    positives_so_far = np.cumsum(np.take_along_axis(relevant, order, axis=1), axis=1, dtype=np.int32)[of, place]
    negatives_so_far = place + 1 - positives_so_far
    first = np.diff(of, prepend=-1) > 0
    positives, negatives = (so_far - np.where(first, 0, np.roll(so_far, 1)) for so_far in (positives_so_far, negatives_so_far))
    return _Groups(of, positives, negatives, positives_so_far, negatives_so_far)


def _ordered(relevant: np.ndarray, scores: np.ndarray, ties: Ties) -> tuple[np.ndarray, np.ndarray]:
    """For each row the share of (relevant, irrelevant) pairs of items in the right order, and whether there is no pair."""
    lists, items = scores.shape
    relevant_items = np.count_nonzero(relevant, axis=1)
    pairs = relevant_items * (items - relevant_items)
    if not items:
        return np.zeros(lists), pairs == 0
    groups = _groups(relevant, scores)
    below = (items - relevant_items)[groups.of] - groups.negatives_so_far
    rightly = groups.positives * (below + _SHARE_OF_A_TIE[ties] * groups.negatives)
    return np.bincount(groups.of, weights=rightly, minlength=lists) / np.maximum(pairs, 1), pairs == 0


def _average_precision(relevant: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the average precision, and whether no item is relevant."""
    lists, items = scores.shape
    relevant_items = np.count_nonzero(relevant, axis=1)
    if not items:
        return np.zeros(lists), relevant_items == 0
    groups = _groups(relevant, scores)
    precision = groups.positives_so_far / (groups.positives_so_far + groups.negatives_so_far)
    gained = np.bincount(groups.of, weights=groups.positives * precision, minlength=lists)
    return gained / np.maximum(relevant_items, 1), relevant_items == 0


def _blocks(relevant: np.ndarray, scores: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Blocks of rows, so many at a time as memory should bear, each row in one piece."""
    lists, items = scores.shape
    step = max(1, _BLOCK_CELLS // max(items, 1))
    for start in range(0, lists, step):
        yield np.ascontiguousarray(relevant[start : start + step]), np.ascontiguousarray(scores[start : start + step])


def _mean_of_parts(parts: list[tuple[np.ndarray, np.ndarray]], rules: Rules) -> tuple[float | None, int]:
    if not parts:
        return None, 0
    values, undefined = zip(*parts, strict=True)
    return _mean(np.concatenate(values), np.concatenate(undefined), rules)


def _mean(values: np.ndarray, undefined: np.ndarray, rules: Rules) -> tuple[float | None, int]:
    """The mean as the rules say, None without anything to average, and how many values were undefined."""
    if rules.undefined == "skip":
        values = values[~undefined]
    else:
        values = np.where(undefined, {"zero": 0.0, "half": 0.5}[rules.undefined], values)
    return (float(values.mean()) if len(values) else None), int(undefined.sum())
