"""Which labels are given: where the scores of a label are cut.

    half    as the learner gives them: above 0.5, or by a rule of its own
    prior   scores >= c_j, so that the rows given the label are as near to m n_j / n as equal scores let them be, n_j / n the
            share of the training rows before sampling, m test rows; of two that are equally near the fewer
    inner   scores >= c_j with the best F_j = 2 TP / (2 TP + FP + FN) on rows of the training half that inner folds held out;
            of equal ones the highest

Scores stay as they are. Neither rule sees the labels of test rows; prior sees the scores of all of them at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from lsdmlo_cli.evaluation.prediction import Prediction

Threshold: TypeAlias = Literal["half", "prior", "inner"]
THRESHOLDS: tuple[Threshold, ...] = get_args(Threshold)
INNER_FOLDS = 3


def cut_at_share(prediction: Prediction, share: np.ndarray) -> Prediction:
    """Labels given to a share (q,) of the rows, those of the highest scores.

    >>> scores = np.array([[0.1], [0.4], [0.4], [0.9]])
    >>> cut_at_share(Prediction(scores, scores > 0.5), np.array([0.4])).relevant.T.tolist()
    [[False, False, False, True]]
    """
    place = _places(prediction.scores)
    wanted = share * len(place)
    possible = np.vstack([np.zeros(len(share)), np.sort(place, axis=0)])
    nearest = possible[np.abs(possible - wanted).argmin(axis=0), np.arange(len(share))]
    return replace(prediction, relevant=place <= nearest)


def cut_at(prediction: Prediction, cuts: np.ndarray) -> Prediction:
    """Labels given where the score is at least the label's cut (q,); NaN gives a label to no row."""
    return replace(prediction, relevant=prediction.scores >= cuts)


def best_cuts(scores: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """(q,): the highest score of each label, of scores (m, q), at which the F of Y (m, q) bool is best; NaN where it is always 0.

    >>> best_cuts(np.array([[0.9], [0.6], [0.3]]), np.array([[True], [False], [False]]))
    array([0.9])
    """
    order = np.argsort(-scores, axis=0)
    ranked, hits = (np.take_along_axis(values, order, axis=0) for values in (scores, Y))
    given = np.take_along_axis(_places(scores), order, axis=0)
    hits_so_far = np.take_along_axis(np.cumsum(hits, axis=0), given - 1, axis=0)
    f = 2 * hits_so_far / (given + np.count_nonzero(Y, axis=0))
    labels = np.arange(Y.shape[1])
    best = f.argmax(axis=0)
    return np.where(f[best, labels] > 0, ranked[best, labels], np.nan)


def _places(scores: np.ndarray) -> np.ndarray:
    """(m, q): how many rows have a score of the label at least as high as that of each row, the row itself among them."""
    ranked = np.sort(-scores, axis=0)
    return np.column_stack([np.searchsorted(column, -own, side="right") for column, own in zip(ranked.T, scores.T, strict=True)])
