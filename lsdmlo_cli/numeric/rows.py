"""Rows of a matrix, dense or CSR: blocks, sums, and distinct rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix, release

CELLS = 2**17
"""Of a block: 1 MB, which stays in the processor's cache. The variance of 20,000 x 300 cells took 18 ms with 2^15, 12 ms with
2^17, 14 ms with 2^19, 33 ms with 2^22."""


class Distinct(NamedTuple):
    """The p patterns among n rows, in no order: those of pattern c are members[start[c]:start[c + 1]], rising."""

    members: np.ndarray
    start: np.ndarray


def blocks(values: np.ndarray) -> Iterator[slice]:
    """Slices of the first axis with CELLS values or one row each."""
    n = len(values)
    step = max(1, CELLS * n // max(1, values.size))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def portions(sizes: np.ndarray, room: int) -> Iterator[slice]:
    """Slices of sizes (m,) that add up to at most room, or hold a single one."""
    ends = np.cumsum(sizes)
    start, before = 0, 0
    while start < len(sizes):
        stop = max(start + 1, int(np.searchsorted(ends, before + room, side="right")))
        yield slice(start, stop)
        start, before = stop, ends[stop - 1]


def is_every_row(rows: np.ndarray, n: int) -> bool:
    """Whether rows (m,) are all of n, each once and in their order."""
    return len(rows) == n and np.array_equal(rows, np.arange(n))


def entry_rows(A: scipy.sparse.csr_array) -> np.ndarray:
    """The row of each stored entry."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def grouped(members: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The members of some groups, one group after the other, and the group of each.

    >>> grouped([np.array([5, 7]), np.array([2])])
    (array([5, 7, 2]), array([0, 0, 1]))
    """
    return np.concatenate(members), np.repeat(np.arange(len(members)), [len(own) for own in members])


def sections(group: np.ndarray, count: int) -> list[slice]:
    """Where the members of each of some groups stand, as `grouped` orders them; group: (m,) rising.

    >>> sections(np.array([0, 0, 2]), 3)
    [slice(0, 2, None), slice(2, 2, None), slice(2, 3, None)]
    """
    return [slice(*ends) for ends in pairwise(np.searchsorted(group, np.arange(count + 1)).tolist())]


def entries(A: scipy.sparse.csr_array) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Columns and values of the stored entries, a block at a time, so that no more of a memory-mapped matrix is in memory."""
    for part in blocks(A.data):
        yield A.indices[part], A.data[part]
        release(A)


def row_sums(A: scipy.sparse.csr_array) -> np.ndarray:
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
    drawn = np.random.default_rng(0).random(size=(int(A.shape[1]),))
    chance = drawn if columns is None else np.where(np.isin(np.arange(len(drawn)), columns), drawn, 0.0)
    return A @ chance


def distinct_rows(A: Matrix) -> Distinct:
    """The patterns of the rows of A (n, s). Rows of one pattern are equal; equal rows nearly always share one.

    Where no two rows share a pattern the patterns are in the order of the rows.

    >>> distinct_rows(np.array([[5.0], [4.0], [5.0]]))
    Distinct(members=array([1, 0, 2]), start=array([0, 1, 3]))
    """
    n = A.shape[0]
    keys = row_keys(A)
    members = np.argsort(keys)
    keys = keys[members]
    is_first = np.append(True, keys[1:] != keys[:-1])[:n]
    if is_first.all():
        return Distinct(np.arange(n), np.arange(n + 1))
    pattern = np.cumsum(is_first) - 1
    members = np.sort(pattern * n + members) - pattern * n  # rising within each pattern; sooner than a stable argsort
    later = np.flatnonzero(~is_first)
    first = members[is_first][pattern[later]]
    unlike = later[~_equal(A, members[later], first)]
    members = np.append(np.delete(members, unlike), members[unlike])
    is_first = np.append(np.delete(is_first, unlike), np.ones(len(unlike), dtype=bool))
    if is_first.all():  # rows of one key, and none of them equal
        return Distinct(np.arange(n), np.arange(n + 1))
    return Distinct(members, np.append(np.flatnonzero(is_first), n))


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
