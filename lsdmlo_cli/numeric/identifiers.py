"""Columns of numbers that name rows rather than measure something: whole numbers, all present and all different."""

from __future__ import annotations

from itertools import chain

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix, as_dense, walk

FEWEST_ROWS = 20
"""In fewer rows whole numbers may all differ by chance: 20 numbers from 1 to 1,000 do in 83 % of cases, but 20 of 100 in 13 %."""
MOST_COLUMNS = 3
"""A row has one identifier, seldom two or three. Where more columns look so they hold counts or intensities, which are large."""


def identifiers(X: Matrix, numbers: np.ndarray) -> np.ndarray:
    """The columns of X (n, d), of those marked in numbers (d,) bool, that look like identifiers, rising.

    None below FEWEST_ROWS rows, and none where there are more than MOST_COLUMNS. The rows are walked in blocks, and only while
    there is a candidate.

    >>> identifiers(np.column_stack([np.arange(30) * 7, np.arange(30) % 29, np.arange(30) / 2]), np.ones(3, dtype=bool))
    array([0])
    """
    none = np.zeros(0, dtype=np.int64)
    head = X[:FEWEST_ROWS]
    if head.shape[0] < FEWEST_ROWS:
        return none
    filled = head != 0 if isinstance(head, np.ndarray) else head.astype(bool)
    found = np.flatnonzero(numbers & (np.asarray(filled.sum(axis=0)) >= FEWEST_ROWS - 1))  # one of them may be 0
    for part in chain([head], (block for _, block in walk(X))):
        found = found[_differ(as_dense(part[:, found]))]
        if not len(found):
            return none
    if len(found) > MOST_COLUMNS:
        return none
    return found[_differ(np.concatenate([as_dense(part[:, found]) for _, part in walk(X)]))]


def _differ(values: np.ndarray) -> np.ndarray:
    """(c,) bool: the columns of values (m, c) that hold m different whole numbers."""
    return (values == np.rint(values)).all(axis=0) & (np.diff(np.sort(values, axis=0), axis=0) > 0).all(axis=0)
