"""How well predictions fit: Y (m x q) the true labels, scores and given labels of a Prediction.

    by_label.py     down the columns: macro and micro F, precision, recall and AUC; Macro-AUCPR; Hamming loss
    by_example.py   along the rows, labels given: subset accuracy; accuracy, precision, recall and F by example
    ranking.py      along the rows, scores: ranking loss, one-error, coverage, average precision
    minority_f, minority_auc, minority_aucpr     macro_f, macro_auc and macro_aucpr of the minority labels alone

Minority labels are those with IRLbl_j > MeanIR among the training rows, before sampling, of which there are two training rows or
more and a test row; so they are the same for all methods and learners on a fold. A label that all test rows have has no AUC.

Published code disagrees on equal scores and on what is undefined (a label without a positive or without a negative, a row
without a relevant or without an irrelevant label). Rules say what is done; RECOMMENDED and AUTHORS are two sets of them.

A metric is a function and a line of METRICS; one of another package is an entry point in the group `lsdmlo.metrics`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lsdmlo_cli.errors import DataError, ParameterError, hint
from lsdmlo_cli.evaluation.metrics.base import AUTHORS, RECOMMENDED, Metric, Rules, Ties, Undefined
from lsdmlo_cli.evaluation.metrics.by_example import (
    example_accuracy,
    example_f,
    example_precision,
    example_recall,
    subset_accuracy,
)
from lsdmlo_cli.evaluation.metrics.by_label import (
    hamming_loss,
    macro_auc,
    macro_aucpr,
    macro_f,
    macro_precision,
    macro_recall,
    micro_auc,
    micro_f,
    micro_precision,
    micro_recall,
)
from lsdmlo_cli.evaluation.metrics.ranking import average_precision, coverage, one_error, ranking_loss
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.plugins import Registry

__all__ = [
    "AUTHORS",
    "METRICS",
    "RECOMMENDED",
    "Measured",
    "Metric",
    "Rules",
    "Ties",
    "Undefined",
    "by_default",
    "check_metric",
    "measure",
    "typed_name",
]

_of_labels = partial(Metric, rests_on="labels", by_default=False)
_of_scores = partial(Metric, rests_on="scores", by_default=False)

_WRONG_ORDER = "share of pairs of labels that a row's scores put in the wrong order"
_BEST_IS_WRONG = "share of rows whose label of the highest score is irrelevant"
_MINORITY_AUC = "mean area under the ROC curve of the minority labels"
_MINORITY_AUCPR = "mean average precision of the minority labels"

METRICS: Registry[Metric] = Registry(
    "metrics",
    (
        Metric("macro_f", "Macro-F", True, "mean F of the labels", macro_f),
        Metric("macro_auc", "Macro-AUC", True, "mean area under the ROC curve of the labels", macro_auc, rests_on="scores"),
        Metric("macro_aucpr", "Macro-AUCPR", True, "mean average precision of the labels", macro_aucpr, rests_on="scores"),
        Metric("ranking_loss", "Ranking loss", False, _WRONG_ORDER, ranking_loss, rests_on="scores"),
        Metric("micro_f", "Micro-F", True, "F over all rows and labels together", micro_f),
        Metric("hamming_loss", "Hamming loss", False, "share of labels that are given wrongly", hamming_loss),
        Metric("one_error", "One-error", False, _BEST_IS_WRONG, one_error, rests_on="scores"),
        Metric("minority_f", "Minority-F", True, "mean F of the minority labels", macro_f, "minority"),
        Metric("minority_auc", "Minority-AUC", True, _MINORITY_AUC, macro_auc, "minority", "scores"),
        Metric("minority_aucpr", "Minority-AUCPR", True, _MINORITY_AUCPR, macro_aucpr, "minority", "scores"),
        _of_labels("macro_precision", "Macro-precision", True, "mean precision of the labels", macro_precision),
        _of_labels("macro_recall", "Macro-recall", True, "mean recall of the labels", macro_recall),
        _of_labels("micro_precision", "Micro-precision", True, "share of the labels given that are right", micro_precision),
        _of_labels("micro_recall", "Micro-recall", True, "share of the labels that rows have that are given", micro_recall),
        _of_scores("micro_auc", "Micro-AUC", True, "area under the ROC curve over all rows and labels together", micro_auc),
        _of_labels("subset_accuracy", "Subset accuracy", True, "share of rows whose labels are all right", subset_accuracy),
        _of_labels("example_accuracy", "Accuracy by example", True, "mean Jaccard index of the rows", example_accuracy),
        _of_labels("example_precision", "Precision by example", True, "mean precision of the rows", example_precision),
        _of_labels("example_recall", "Recall by example", True, "mean recall of the rows", example_recall),
        _of_labels("example_f", "F by example", True, "mean F of the rows", example_f),
        _of_scores("average_precision", "Average precision", True, "mean average precision of the rows", average_precision),
        _of_scores("coverage", "Coverage", False, "mean number of labels ranked above a row's last relevant one", coverage),
    ),
)


@dataclass(frozen=True)
class Measured:
    """values: the figure of each metric, None where it has none. undefined: for how many labels or rows it was not defined."""

    values: dict[str, float | None]
    undefined: dict[str, int]


def measure(
    Y: np.ndarray,
    prediction: Prediction,
    rules: Rules = RECOMMENDED,
    minority: np.ndarray | None = None,
    names: Iterable[str] = METRICS,
) -> Measured:
    """The metrics of some names, all as a rule.

    Y (m, q) bool, scores and given labels of the same shape; minority (q,) bool, None for no label. Errors: DataError for a score
    that is no number.
    """
    if np.isnan(prediction.scores).any():
        raise DataError("a learner gave a score that is not a number")
    few = np.flatnonzero(minority) if minority is not None else np.arange(0)
    of = {
        "all": (Y, prediction),
        "minority": (Y[:, few], Prediction(prediction.scores[:, few], prediction.relevant[:, few])),
    }
    found = {name: METRICS[name].compute(*of[METRICS[name].labels], rules) for name in names}
    return Measured({name: value for name, (value, _) in found.items()}, {name: count for name, (_, count) in found.items()})


def by_default() -> tuple[str, ...]:
    """The names of the metrics that `evaluate` shows where none is asked for; those of other packages are among them."""
    return tuple(name for name, metric in METRICS.items() if metric.by_default)


def typed_name(text: str) -> str:
    """The name of a metric that was typed, perhaps as tables spell it.

    >>> typed_name(" Minority-F ")
    'minority_f'
    """
    return text.strip().lower().replace("-", "_").replace(" ", "_")


def check_metric(name: str) -> None:
    """Raise ParameterError for the name of no metric."""
    if name not in METRICS:
        raise ParameterError(f"there is no metric {name!r}{hint(name, METRICS)}: there are {', '.join(METRICS)}")
