"""How rightly scores order the items of lists: the rows of each label, or the labels of each row.

Arrays are (lists, items): relevant of bool, scores of float64. Equal scores are taken as runs, the highest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lsdmlo_cli.evaluation.metrics.base import Figure, Rules, Ties, mean

_BLOCK_CELLS = 1 << 22
_SHARE_OF_A_TIE: dict[Ties, float] = {"half": 0.5, "win": 1.0, "loss": 0.0}


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


def ordered(relevant: np.ndarray, scores: np.ndarray, ties: Ties) -> tuple[np.ndarray, np.ndarray]:
    """For each list the share of (relevant, irrelevant) pairs of items in the right order, and whether there is no pair."""
    lists, items = scores.shape
    relevant_items = np.count_nonzero(relevant, axis=1)
    pairs = relevant_items * (items - relevant_items)
    if not items:
        return np.zeros(lists), pairs == 0
    groups = _groups(relevant, scores)
    below = (items - relevant_items)[groups.of] - groups.negatives_so_far
    rightly = groups.positives * (below + _SHARE_OF_A_TIE[ties] * groups.negatives)
    return np.bincount(groups.of, weights=rightly, minlength=lists) / np.maximum(pairs, 1), pairs == 0


def precision_at_hits(relevant: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each list the average precision, and whether no item is relevant."""
    lists, items = scores.shape
    relevant_items = np.count_nonzero(relevant, axis=1)
    if not items:
        return np.zeros(lists), relevant_items == 0
    groups = _groups(relevant, scores)
    precision = groups.positives_so_far / (groups.positives_so_far + groups.negatives_so_far)
    gained = np.bincount(groups.of, weights=groups.positives * precision, minlength=lists)
    return gained / np.maximum(relevant_items, 1), relevant_items == 0


def depth(relevant: np.ndarray, scores: np.ndarray, ties: Ties) -> tuple[np.ndarray, np.ndarray]:
    """For each list how many items stand above the lowest relevant one, and whether no item is relevant.

    An irrelevant item of the score of the lowest relevant one stands above it by half, not at all (win) or fully (loss).
    """
    none = np.count_nonzero(relevant, axis=1) == 0
    if none.all():
        return np.zeros(len(relevant)), none
    lowest = np.where(relevant, scores, np.inf).min(axis=1, keepdims=True)
    above, level = np.count_nonzero(scores > lowest, axis=1), scores == lowest
    relevant_level, level_in_all = np.count_nonzero(level & relevant, axis=1), np.count_nonzero(level, axis=1)
    irrelevant = (1.0 - _SHARE_OF_A_TIE[ties]) * (level_in_all - relevant_level)
    return np.where(none, 0.0, above + relevant_level + irrelevant - 1), none


def blocks(relevant: np.ndarray, scores: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Blocks of lists, so many at a time as memory should bear, each list in one piece."""
    lists, items = scores.shape
    step = max(1, _BLOCK_CELLS // max(items, 1))
    for start in range(0, lists, step):
        yield np.ascontiguousarray(relevant[start : start + step]), np.ascontiguousarray(scores[start : start + step])


def mean_of_parts(parts: list[tuple[np.ndarray, np.ndarray]], rules: Rules) -> Figure:
    """The mean over the lists of all blocks: of each its lists' values, and which of them are undefined."""
    if not parts:
        return None, 0
    values, undefined = zip(*parts, strict=True)
    return mean(np.concatenate(values), np.concatenate(undefined), rules)
