"""Which candidates can be among the k nearest: lower bounds from a matrix product, with their error.

Rows are seen in a frame: (row - shift) * sqrt(theta) / 2^exponent. With alpha = |a|^2 of a query a and beta = |b|^2 of a candidate b there,

    d^2 = alpha + beta - 2 a b        L = (1 - c) beta - 2 a b        |L + c beta + alpha - d^2| <= c (alpha + beta)

where L is what the product gives and c follows from the number of terms and the precision. Hence d^2 >= L + (1 - c) alpha and, since
beta <= 2 alpha + 2 d^2, also d^2 <= (L + (1 + 6c) alpha) / (1 - 5c). As soon as k candidates are known to lie within d^2 <= t, every one
that can tie or win has L <= t - (1 - c) alpha. For whole numbers that are small enough c is 0, and L + alpha is the distance itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

Matrix = np.ndarray | csr_array

GROUP = 16  # candidates in a group, of which only the least bound is looked at first
SAMPLE = 64  # rows that the shift is taken from
CROWD = 64  # candidates a query for which double precision is worth a second product


class Frame(NamedTuple):
    """How the product sees rows of E. columns: the support of theta, None for all; theta, shift and factor: (s,) on it, None for 1 and 0.

    terms: a bound on the terms of a sum. largest_sum: a bound on every partial sum of whole numbers, inf where there are others.
    """

    columns: np.ndarray | None
    theta: np.ndarray | None
    shift: np.ndarray | None
    factor: np.ndarray
    exponent: int
    terms: int
    largest_sum: float


class Pairs(NamedTuple):
    """Candidates and queries that may be near; squared_distance is None where the bounds do not give it."""

    candidate: np.ndarray
    query: np.ndarray
    squared_distance: np.ndarray | None


def on_support(rows: Matrix, frame: Frame) -> Matrix:
    """The columns that have a weight above 0; the others add nothing to a distance."""
    return rows if frame.columns is None else rows[:, frame.columns]


def choose_frame(E: Matrix, queries: Matrix, theta: np.ndarray | None) -> Frame:
    """The frame in which no coordinate is above 1 and dense rows lie around 0."""
    columns = None
    if theta is not None and not theta.all():
        columns = np.flatnonzero(theta)
        theta = theta[columns]
    largest = max(_largest(E), _largest(queries))
    whole = theta is None and _is_whole(E) and _is_whole(queries)
    if isinstance(E, np.ndarray):
        sample = E[:: -(-E.shape[0] // SAMPLE)]
        shift = np.median(sample if columns is None else sample[:, columns], axis=0)
        shift = np.rint(shift) if whole else shift
        terms = len(shift)
    else:
        shift = None
        terms = int(max(np.diff(rows.indptr).max(initial=0) for rows in (E, queries)))
    root = np.ones(E.shape[1]) if theta is None else np.sqrt(theta)
    exponent = int(np.clip(np.frexp(2 * largest)[1] + np.frexp(root.max(initial=0.0))[1], -500, 1000))
    largest_sum = 12.0 * terms * largest**2 if whole else np.inf
    return Frame(columns, theta, shift, np.ldexp(root, -exponent), exponent, terms, largest_sum)


def error_bound(frame: Frame, dtype: type) -> tuple[float, float]:
    """(c, slack): |error of L| <= c (alpha + beta) + slack.

    To first order the rounded coordinates and the product of up to t terms err by (t + 11) u (beta + 2 |a| |b|), alpha by (t + 9) u64 and the
    reference sum itself by 2 (2 t + 3) u64 (alpha + beta); what is added to that covers the higher orders. slack is for underflow.
    """
    unit = float(np.finfo(dtype).epsneg)
    if frame.largest_sum * unit < 1:
        return 0.0, 0.0
    largest_weight = 1.0 if frame.theta is None else float(frame.theta.max(initial=0.0))
    underflow = np.ldexp(1.0 + largest_weight, -1074 - 2 * frame.exponent)
    smallest = 2.0**-140 if dtype is np.float32 else 2.0**-1060
    return (2.1 * frame.terms + 32) * (unit + 3 * 2.0**-53), frame.terms * (smallest + underflow)


def candidate_form(rows: Matrix, frame: Frame, dtype: type) -> Matrix:
    """(p, s) on the support -> (p', s + 1): -2 b and then (1 - c) beta, with rows of beta = inf up to a multiple of GROUP."""
    coordinates, beta = _coordinates(rows, frame)
    (p, s), (c, _) = rows.shape, error_bound(frame, dtype)
    padded = -(-p // GROUP) * GROUP
    last = np.full(padded, np.inf)
    last[:p] = (1 - c) * beta
    if isinstance(rows, np.ndarray):
        form = np.zeros((padded, s + 1), dtype=dtype)
        np.multiply(coordinates, -2, out=form[:p, :s], casting="same_kind")
        form[:, s] = last
        return form
    end = np.append(rows.indptr[1:], np.full(padded - p, rows.nnz, dtype=rows.indptr.dtype))
    data = np.insert(-2 * coordinates, end, last).astype(dtype)
    indices = np.insert(rows.indices, end, s)
    indptr = np.append(0, end + np.arange(1, padded + 1))
    return csr_array((data, indices, indptr.astype(indices.dtype)), shape=(padded, s + 1))


def query_form(rows: Matrix, frame: Frame, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """(m, s) on the support -> (s + 1, m): a and then 1; and alpha (m,)."""
    coordinates, alpha = _coordinates(rows, frame)
    m, s = rows.shape
    form = np.ones((s + 1, m), dtype=dtype)
    if isinstance(rows, np.ndarray):
        form[:s] = coordinates.T
    else:
        scaled = csr_array((coordinates.astype(dtype), rows.indices, rows.indptr), shape=rows.shape)
        scaled.T.toarray(out=form[:s])
    return form, alpha


def shortlist(
    rows: Matrix,
    bounds: Matrix,
    queries: Matrix,
    k: int,
    farthest: np.ndarray,
    frame: Frame,
    room: int,
) -> Iterator[Pairs]:
    """Every pair whose distance can be among the query's k smallest and not above farthest (m,), ties included.

    rows (p, s), queries (m, s): on the support. bounds: candidate_form(rows) in single precision. All pairs of one query come at once; about
    room pairs are listed at a time. Where single precision leaves a crowd the product is repeated in double.
    """
    L, limit, alpha, exact = _bounds(bounds, queries, k, farthest, frame, np.float32)
    near = L.reshape(-1, GROUP, L.shape[1]).min(axis=1) <= limit
    if not exact and near.sum() > CROWD * near.shape[1] and near.shape[0] > CROWD:
        L, limit, alpha, exact = _bounds(candidate_form(rows, frame, np.float64), queries, k, farthest, frame, np.float64)
        near = L.reshape(-1, GROUP, L.shape[1]).min(axis=1) <= limit
    for part in _parts(near.sum(axis=0) * GROUP, room):
        group, query = np.nonzero(near[:, part])
        query += part.start
        candidate = group[:, np.newaxis] * GROUP + np.arange(GROUP)
        value = L[candidate, query[:, np.newaxis]]
        hit = value <= limit[query, np.newaxis]
        query = np.broadcast_to(query[:, np.newaxis], hit.shape)[hit]
        yield Pairs(candidate[hit], query, np.ldexp(value[hit] + alpha[query], 2 * frame.exponent) if exact else None)


def _bounds(
    form: Matrix, queries: Matrix, k: int, farthest: np.ndarray, frame: Frame, dtype: type
) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """L (p', m), the limit (m,) above which no candidate matters, alpha (m,), and whether L + alpha is the distance."""
    Qt, alpha = query_form(queries, frame, dtype)
    c, slack = error_bound(frame, dtype)
    L = form @ Qt
    within = np.ldexp(farthest, -2 * frame.exponent)
    least = L.reshape(-1, GROUP, L.shape[1]).min(axis=1)
    if len(least) >= k and 5 * c < 1:
        kth = np.partition(least, k - 1, axis=0)[k - 1].astype(np.float64)
        within = np.minimum(within, (kth + (1 + 6 * c) * alpha) / (1 - 5 * c) + slack)
    limit = np.minimum(within - (1 - c) * alpha + slack, 2.0**100)  # what pads the groups is infinite
    return L, np.nextafter(limit.astype(dtype), dtype(np.inf)), alpha, c == 0


def _coordinates(rows: Matrix, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates of rows in the frame (dense: (m, s), sparse: the stored ones) and the squared norms (m,)."""
    if isinstance(rows, np.ndarray):
        coordinates = rows - frame.shift
        coordinates *= frame.factor
        return coordinates, np.einsum("ij,ij->i", coordinates, coordinates)
    coordinates = rows.data * frame.factor[rows.indices]
    squares = csr_array((coordinates**2, rows.indices, rows.indptr), shape=rows.shape)
    return coordinates, squares @ np.ones(rows.shape[1])


def _parts(sizes: np.ndarray, room: int) -> Iterator[slice]:
    """Slices of sizes (m,) that sum to at most room each, or hold a single one."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + room, side="right")))
        yield slice(start, stop)
        start = stop


def _largest(rows: Matrix) -> float:
    values = rows if isinstance(rows, np.ndarray) else rows.data
    return float(max(values.max(), -values.min())) if values.size else 0.0


def _is_whole(rows: Matrix) -> bool:
    values = rows if isinstance(rows, np.ndarray) else rows.data
    step = max(1, 2**16 * len(values) // max(1, values.size))
    blocks = (values[start : start + step] for start in range(0, len(values), step))
    return all((block == np.rint(block)).all() for block in blocks)
