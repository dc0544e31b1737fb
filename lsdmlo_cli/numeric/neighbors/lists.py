"""Lists of neighbours: the k nearest rows of each query with their squared distances, as they are found and merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

NOBODY = np.iinfo(np.int64).max
"""Stands in a list that is not full yet, infinitely far away; as the largest whole number it comes behind every row."""


class Neighbors(NamedTuple):
    """The neighbours of m queries, nearest first: their rows (m, k) and squared distances (m, k)."""

    index: np.ndarray  # type: ignore[assignment]  # the word of the field, not tuple's method
    squared_distance: np.ndarray


def nobody(m: int, k: int) -> Neighbors:
    """Empty lists for m queries."""
    return Neighbors(np.full((m, k), NOBODY), np.full((m, k), np.inf))


def copied(lists: Neighbors) -> Neighbors:
    """Lists of their own, which may be changed."""
    return Neighbors(lists.index.copy(), lists.squared_distance.copy())


def taken(lists: Neighbors, queries: slice | np.ndarray) -> Neighbors:
    """The lists of some queries."""
    return Neighbors(lists.index[queries], lists.squared_distance[queries])


def put(lists: Neighbors, row: np.ndarray, query: np.ndarray, d2: np.ndarray) -> None:
    """Put the k nearest rows of each query into its list, which is empty: (t,) pairs, each once."""
    m, k = lists.index.shape
    order = np.lexsort((row, d2, query))
    query = query[order]
    rank = np.arange(len(order)) - np.searchsorted(query, np.arange(m))[query]
    order, query, rank = order[rank < k], query[rank < k], rank[rank < k]
    lists.index[query, rank], lists.squared_distance[query, rank] = row[order], d2[order]


def merge(first: Neighbors, second: Neighbors, k: int) -> Neighbors:
    """The k best, by distance and row, of two lists for the same queries.

    >>> merge(Neighbors(np.array([[4]]), np.array([[1.0]])), Neighbors(np.array([[3]]), np.array([[1.0]])), 2).index
    array([[3, 4]])
    """
    index = np.hstack([first.index, second.index])
    squared_distance = np.hstack([first.squared_distance, second.squared_distance])
    order = np.lexsort((index, squared_distance), axis=1)[:, :k]
    return Neighbors(np.take_along_axis(index, order, axis=1), np.take_along_axis(squared_distance, order, axis=1))


def joined(lists: Sequence[Neighbors], k: int) -> Neighbors:
    """The lists of several groups of queries, one group after the other, k columns each; NOBODY where there are fewer."""
    wide = [_widened(found, k) for found in lists]
    return Neighbors(*(np.concatenate(parts) for parts in zip(*wide, strict=True)))


def _widened(known: Neighbors, k: int) -> Neighbors:
    """A copy with k columns."""
    best, width = nobody(len(known.index), k), min(k, known.index.shape[1])
    best.index[:, :width], best.squared_distance[:, :width] = known.index[:, :width], known.squared_distance[:, :width]
    return best
