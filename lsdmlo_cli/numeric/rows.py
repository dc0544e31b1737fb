"""Rows of a matrix, dense or CSR: their blocks, their sums, and each pattern of values once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

Matrix: TypeAlias = np.ndarray | csr_array

CELLS = 2**17  # of a block: few enough to stay near the processor


class Distinct(NamedTuple):
    """The p patterns among n rows: the first row of each, rising (p,).

    The rows of pattern c are members[start[c]:start[c + 1]], rising.
    """

    first: np.ndarray
    members: np.ndarray
    start: np.ndarray


def blocks(values: np.ndarray) -> Iterator[slice]:
    """Slices of the first axis with CELLS values or one row each."""
    n = len(values)
    step = max(1, CELLS * n // max(1, values.size))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def entry_rows(A: csr_array) -> np.ndarray:
    """The row of each stored entry."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def row_sums(A: csr_array) -> np.ndarray:
    """(n,) the entries of each row, added one by one as they are stored; `sum` has an order of its own."""
    return np.bincount(entry_rows(A), A.data, minlength=A.shape[0])


def runs(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The positions start[i], start[i] + 1, ... of count[i] places each, one run after the other.

    >>> runs(np.array([5, 0]), np.array([3, 2]))
    array([5, 6, 7, 0, 1])
    """
    end = np.cumsum(count)
    return np.repeat(start - (end - count), count) + np.arange(end[-1] if len(end) else 0)


def row_keys(A: Matrix, columns: np.ndarray | None = None) -> np.ndarray:
    """(n,) numbers that are the same where rows are the same on the columns, and seldom elsewhere."""
    chance = np.random.default_rng(0).random(A.shape[1])
    if columns is not None:
        drawn, chance = chance, np.zeros(len(chance))
        chance[columns] = drawn[columns]
    return A @ chance


def distinct_rows(A: Matrix) -> Distinct:
    """The patterns of the rows of A (n >= 1, s). Rows of one pattern are equal; equal rows nearly always share one.

    >>> distinct_rows(np.array([[5.0], [4.0], [5.0]]))
    Distinct(first=array([0, 1]), members=array([0, 2, 1]), start=array([0, 2, 3]))
    """
    n = A.shape[0]
    keys = row_keys(A)
    order = np.argsort(keys)
    ordered = keys[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    first = np.empty(n, dtype=np.int64)
    first[order] = np.repeat(np.minimum.reduceat(order, begins), np.diff(begins, append=n))
    later = np.flatnonzero(first < np.arange(n))
    unlike = later[~_equal(A, later, first[later])]
    first[unlike] = unlike
    is_first = first == np.arange(n)
    pattern = (np.cumsum(is_first) - 1)[first]
    size = np.bincount(pattern)
    members = np.argsort(pattern.astype(np.min_scalar_type(len(size))), kind="stable")  # 16 bits sort by radix
    return Distinct(np.flatnonzero(is_first), members, np.append(0, np.cumsum(size)))


def _equal(A: Matrix, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(m,) bool: A[one] and A[other] are the same, and stored alike."""
    if isinstance(A, np.ndarray):
        equal = np.ones(len(one), dtype=bool)
        for part in blocks(np.broadcast_to(A[:1], (len(one), A.shape[1]))):
            equal[part] = (A[one[part]] == A[other[part]]).all(axis=1)
        return equal
    count = np.diff(A.indptr)
    equal = count[one] == count[other]
    compared = np.flatnonzero(equal)
    count = count[one[compared]]
    here, there = (runs(A.indptr[rows[compared]], count) for rows in (one, other))
    unlike = (A.indices[here] != A.indices[there]) | (A.data[here] != A.data[there])
    if unlike.any():
        equal[np.repeat(compared, count)[unlike]] = False
    return equal
