"""Which candidates can be among the k nearest: lower bounds from a matrix product, with their error.

Rows are seen in a frame, as (row - shift) * sqrt(theta) / 2^exponent. For a query a and a candidate b there,
with alpha = |a|^2 and beta = |b|^2, one product gives

    D = (1 - c) (alpha + beta) - 2 a b,        D <= d^2 <= D + 2 c (alpha + beta),

where c follows from the number of terms and the precision. As beta <= 2 alpha + 2 d^2, it follows that
d^2 <= (D + 7 c alpha) / (1 - 5 c). So the k-th smallest D of a query bounds its k-th distance from above, and
only candidates with D up to that bound can tie or win. For whole numbers that are small enough c is 0, and D is
the distance itself. D is symmetric: what is found for a against b serves b against a as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from lsdmlo_cli.numeric.matrix import Matrix, release, rows_of
from lsdmlo_cli.numeric.rows import blocks, entries, entry_rows, portions

GROUP = 16
"""Candidates of which only the least bound is looked at first. On 4,000 dense, 0/1 and sparse rows 8 to 32 take about the same
CPU time; 4 and 64 take up to twice as much."""

CROWD = 64
"""Groups of a query above which whole numbers are ranked instead. On 4,000 0/1 rows, which tie by the hundred, 16 takes 1.6
times as much CPU time and 4 three times; no ranking at all takes up to 1.3 times as much."""

SAMPLE = 64
"""Rows whose median is the shift. It must only lie among the rows: 1 to 512 rows make no difference in time, and the median of
64 is not moved by a few outliers."""

OFTEN = 12
"""A column that more than one in so many rows have is laid out dense. Per pair of rows a dense column costs 0.02 to 0.03 ns, a
product of two stored entries 3 ns. On rcv1subset1, yahoo-Arts1 and bibtex 8 takes 1.05 to 1.1 times the CPU time, 16 as much."""

ROOM = 2**19
"""Products of stored entries at once: 8 MiB. On the same data 2^18 takes 1.1 times the CPU time, and 2^20 saves 5 % at most."""

FARTHEST = 2.0**100
"""No limit of D is beyond it, so that what stands for infinity is."""

UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}
"""The unit roundoff u: half the distance from 1 to the next number."""

LEAST = {np.float32: 2.0**-120, np.float64: 2.0**-1000}
"""More than underflow can take from a term: the smallest normal numbers are 2^-126 and 2^-1022."""


class Frame(NamedTuple):
    """How the product sees rows.

    columns: the support of theta, None for all. theta, shift, factor: (s,) on the support; None for 1 and for 0.
    often: (s,) bool, the columns on the support that many sparse rows have, None for dense rows.
    terms: a bound on the terms of a product. largest: a bound on its partial sums if all numbers are whole, or inf.
    """

    columns: np.ndarray | None
    theta: np.ndarray | None
    shift: np.ndarray | None
    factor: np.ndarray
    often: np.ndarray | None
    exponent: int
    terms: int
    largest: float


class Split(NamedTuple):
    """Sparse rows as candidates: -2 b in the columns that many have, (1 - c) beta and 1, (p', f + 2), and -2 b in the others,
    column by column (s, p')."""

    often: np.ndarray
    seldom: scipy.sparse.csr_array


class Pairs(NamedTuple):
    """Candidates and queries that may be near; squared_distance is None where the bounds do not tell it."""

    candidate: np.ndarray
    query: np.ndarray
    squared_distance: np.ndarray | None


def choose_frame(E: Matrix, queries: Matrix, theta: np.ndarray | None) -> Frame:
    """The frame in which no coordinate is above 1 and dense rows lie around 0."""
    columns = None
    if theta is not None and not theta.all():
        columns = np.flatnonzero(theta)
        theta = theta[columns]
    greatest, often = max(_greatest(E), _greatest(queries)), None
    whole = theta is None and _is_whole(E) and _is_whole(queries)
    if isinstance(E, np.ndarray):
        sample = E[:: -(-E.shape[0] // SAMPLE)]
        shift = np.median(sample if columns is None else sample[:, columns], axis=0)
        shift = np.rint(shift) if whole else shift
        terms = len(shift)
    else:
        shift = None
        terms = int(max(np.diff(rows.indptr).max(initial=0) for rows in (E, queries)))  # type: ignore[union-attr]
        often = _entries_of_columns(E) * OFTEN > E.shape[0]
        often = often if columns is None else often[columns]
    root = np.ones(E.shape[1]) if theta is None else np.sqrt(theta)
    exponent = int(np.clip(np.frexp(2 * greatest)[1] + np.frexp(root.max(initial=0.0))[1], -500, 1000))
    largest = 16.0 * terms * greatest**2 if whole else np.inf
    return Frame(columns, theta, shift, np.ldexp(root, -exponent), often, exponent, terms, largest)


def on_support(rows: Matrix, frame: Frame) -> Matrix:
    """The columns that have a weight above 0; the others add nothing to a distance."""
    return rows if frame.columns is None else rows[:, frame.columns]


def error_bound(frame: Frame, dtype: type[np.floating]) -> tuple[float, float]:
    """c, and what underflow may add to the error.

    To first order a product of t terms with rounded coordinates errs by (2 t + 26) u (alpha + beta), alpha + beta
    by (t + 9) u64 of itself, and the reference sum by 2 (2 t + 3) u64 (alpha + beta); the rest is for higher orders.
    """
    if frame.largest * UNIT[dtype] < 1:
        return 0.0, 0.0
    weight = 1.0 if frame.theta is None else float(frame.theta.max(initial=0.0))
    underflow = float(np.ldexp(1.0 + weight, -1074 - 2 * frame.exponent))
    return relative_error(frame.terms, dtype), frame.terms * (LEAST[dtype] + underflow)


def relative_error(terms: int, dtype: type[np.floating]) -> float:
    """c for a product of so many terms."""
    return (2.1 * terms + 32) * (UNIT[dtype] + 3 * 2.0**-53)


def squared_norms(rows: Matrix, frame: Frame) -> np.ndarray:
    """alpha of rows (m, s) on the support, (m,)."""
    if isinstance(rows, np.ndarray):
        values = (framed(rows[part], frame) for part in blocks(rows))
        return np.concatenate([np.einsum("ij,ij->i", part, part) for part in values])
    return np.bincount(entry_rows(rows), framed(rows, frame) ** 2, minlength=rows.shape[0])


def candidate_form(rows: Matrix, norms: np.ndarray, frame: Frame, dtype: type) -> np.ndarray | Split:
    """-2 b, (1 - c) beta and 1 of rows (p, s): (p', s + 2), where infinitely far rows fill up the last GROUP."""
    shrunk = _filled_up((1 - error_bound(frame, dtype)[0]) * norms, np.inf)
    if isinstance(rows, np.ndarray):
        return _dense_form(rows, -2, (shrunk, 1), frame, dtype)
    often, seldom = _split(rows, -2, (shrunk, 1), frame, dtype)
    start = _filled_up(seldom.indptr[1:], seldom.nnz)
    rising = scipy.sparse.csr_array(
        (seldom.data, seldom.indices, np.append(seldom.indptr[:1], start)), shape=(len(start), rows.shape[1])
    )
    return Split(often, scipy.sparse.csr_array(rising.T))


def lower_bounds(form: np.ndarray | Split, rows: Matrix, norms: np.ndarray, frame: Frame, dtype: type) -> np.ndarray:
    """D of the candidates behind form and the queries rows (m, s): (p', m'), infinite where either is filled up."""
    shrunk = _filled_up((1 - error_bound(frame, dtype)[0]) * norms, np.inf)
    if isinstance(form, np.ndarray):
        return form @ _dense_form(rows, 1, (1, shrunk), frame, dtype).T
    often, seldom = _split(rows, 1, (1, shrunk), frame, dtype)
    D = often @ form.often.T
    products = np.diff(form.seldom.indptr)[seldom.indices]
    for part in portions(np.bincount(entry_rows(seldom), products, minlength=rows.shape[0]), ROOM):
        D[part] += _shared(rows_of(seldom, part), form.seldom)
    return D.T


def _shared(queries: scipy.sparse.csr_array, columns: scipy.sparse.csr_array) -> np.ndarray:
    """The product of queries (m, s) and columns (s, p'), of which a query adds up those that it has: (m, p')."""
    found = columns[queries.indices]
    found.data *= np.repeat(queries.data, np.diff(found.indptr))
    start = found.indptr[queries.indptr]
    return scipy.sparse.csr_array((found.data, found.indices, start), shape=(queries.shape[0], columns.shape[1])).toarray()


_Last: TypeAlias = "tuple[np.ndarray | float, np.ndarray | float]"


def _dense_form(rows: np.ndarray, times: float, last: _Last, frame: Frame, dtype: type) -> np.ndarray:
    """(m', s + 2) rows (m, s) in the frame, times a number, and two more columns."""
    form = np.zeros((padded(len(rows)), rows.shape[1] + 2), dtype=dtype)
    for part in blocks(rows):
        np.multiply(framed(rows[part], frame), times, out=form[part, :-2], casting="same_kind")
    form[:, -2], form[:, -1] = last
    return form


def _split(
    rows: scipy.sparse.csr_array, times: float, last: _Last, frame: Frame, dtype: type
) -> tuple[np.ndarray, scipy.sparse.csr_array]:
    """Rows (m, s) in the frame, times a number: dense in the columns that many have, and two more, (m', f + 2), and (m, s) in the
    others."""
    assert frame.often is not None
    values: np.ndarray = (times * framed(rows, frame)).astype(dtype)
    is_often, place = frame.often[rows.indices], np.cumsum(frame.often) - 1
    often: np.ndarray = np.zeros((padded(rows.shape[0]), np.count_nonzero(frame.often) + 2), dtype=dtype)
    often[entry_rows(rows)[is_often], place[rows.indices[is_often]]] = values[is_often]
    often[:, -2], often[:, -1] = last
    start = np.append(0, np.cumsum(~is_often))[rows.indptr].astype(rows.indptr.dtype)
    return often, scipy.sparse.csr_array((values[~is_often], rows.indices[~is_often], start), shape=rows.shape)


def _filled_up(values: np.ndarray, last: float) -> np.ndarray:
    """(m') values (m,), and others that fill up the last GROUP."""
    return np.append(values, np.full(padded(len(values)) - len(values), last, dtype=values.dtype))


class Near(NamedTuple):
    """D (p', m') and what of it matters: up to limit (m',), in the groups marked in groups (p' / GROUP, m').

    Group g is that of the candidates g, g + p' / GROUP, ... . exact: D is the distance.
    """

    D: np.ndarray
    limit: np.ndarray
    groups: np.ndarray
    exact: bool


def near(D: np.ndarray, k: int, norms: np.ndarray, farthest: np.ndarray, frame: Frame) -> Near:
    """What can be among the k nearest of a query and not beyond the squared distance farthest (m,); norms: (m,)."""
    c, slack = error_bound(frame, D.dtype.type)
    least = D.reshape(GROUP, -1, D.shape[1]).min(axis=0)
    within = in_frame(farthest, frame)
    if len(least) >= k:
        kth = np.partition(least, k - 1, axis=0)[k - 1, : len(norms)].astype(np.float64)
        within = np.minimum(within, reach(kth, norms, c, slack))
    limit = np.full(D.shape[1], -np.inf, dtype=D.dtype)
    limit[: len(norms)] = limit_of(within, slack, D.dtype.type)
    return Near(D, limit, least <= limit, c == 0)


def in_frame(d2: np.ndarray, frame: Frame) -> np.ndarray:
    """Squared distances as products in the frame have them; infinite where all candidates are much nearer to each other."""
    with np.errstate(over="ignore"):
        scaled: np.ndarray = np.ldexp(d2, -2 * frame.exponent)
    return scaled


def reach(kth: np.ndarray, norms: np.ndarray, c: float, slack: float) -> np.ndarray:
    """What the k-th distance of queries with these norms cannot exceed where the k-th smallest D is kth.

    >>> reach(np.array([1.0]), np.array([1.0]), 0.1, 0.0), reach(np.array([1.0]), np.array([1.0]), 0.2, 0.0)
    (array([3.4]), array([inf]))
    """
    return (kth + 7 * c * norms) / (1 - 5 * c) + 2 * slack if 5 * c < 1 else np.full_like(kth, np.inf)


def limit_of(within: np.ndarray, slack: float, dtype: type[np.floating]) -> np.ndarray:
    """The D up to which candidates can lie within squared distances.

    It is rounded up, and finite, since what fills up groups is not.
    """
    return np.nextafter(np.minimum(within + slack, FARTHEST).astype(dtype), dtype(np.inf))


def crowded(found: Near, k: int) -> bool:
    """Whether so many pairs are left that a product in double precision is cheaper than their distances."""
    if found.exact or found.D.dtype == np.float64:
        return False
    p, m = found.D.shape
    if np.count_nonzero(found.groups) <= min(2 * k, len(found.groups) / 4) * m:
        return False
    return np.count_nonzero(found.limit >= found.D) > max(2 * k, p / 50) * m


def pairs(found: Near, rank: np.ndarray, k: int, frame: Frame, room: int) -> Iterator[Pairs]:
    """What matters: all pairs of a query at once, and about room pairs at a time.

    rank (p,): whole numbers by which candidates at equal distances are ordered, where only the k first matter.
    """
    groups = found.groups
    if found.exact and frame.largest * (rank.max() + 1) < 2.0**53:
        crowd = np.flatnonzero(np.count_nonzero(groups, axis=0) > CROWD)
        groups[:, crowd] = False
        for part in portions(np.full(len(crowd), len(rank)), room):
            yield _first_by_rank(found.D, crowd[part], rank, k, frame)
    for part in portions(GROUP * np.count_nonzero(groups, axis=0), room):
        width = part.stop - part.start
        group, query = np.divmod(np.flatnonzero(groups[:, part]), width)
        query += part.start
        candidate = group[:, np.newaxis] + len(groups) * np.arange(GROUP)
        value = found.D[candidate, query[:, np.newaxis]]
        hit = value <= found.limit[query, np.newaxis]
        query = np.repeat(query, np.count_nonzero(hit, axis=1))
        d2 = np.ldexp(value[hit].astype(np.float64), 2 * frame.exponent) if found.exact else None
        yield Pairs(candidate[hit], query, d2)


def _first_by_rank(D: np.ndarray, queries: np.ndarray, rank: np.ndarray, k: int, frame: Frame) -> Pairs:
    """The k candidates of each query that come first by D, a whole number, and rank: 0/1 data ties by the hundred."""
    step, k = float(rank.max() + 1), min(k, len(rank))
    d2 = np.ldexp(D[: len(rank), queries].astype(np.float64), 2 * frame.exponent)
    key = np.partition(d2 * step + rank[:, np.newaxis], k - 1, axis=0)[:k].T.ravel()
    place = np.argsort(rank)
    candidate = place[np.searchsorted(rank, key % step, sorter=place)]
    return Pairs(candidate, np.repeat(queries, k), key // step)


def padded(rows: int) -> int:
    """Rows with what fills up the last group."""
    return -(-rows // GROUP) * GROUP


def framed(rows: Matrix, frame: Frame) -> np.ndarray:
    """The values of rows in the frame; of the stored entries where rows are sparse."""
    if isinstance(rows, np.ndarray):
        values = rows - frame.shift
        values *= frame.factor
        return values
    return rows.data * frame.factor[rows.indices]


def _greatest(rows: Matrix) -> float:
    return max((float(max(part.max(), -part.min())) for part in _stored(rows)), default=0.0)


def _entries_of_columns(rows: scipy.sparse.csr_array) -> np.ndarray:
    """(e,) how many entries each column has."""
    count = np.zeros(rows.shape[1], dtype=np.int64)
    for columns, _ in entries(rows):
        count += np.bincount(columns, minlength=len(count))
    return count


def _is_whole(rows: Matrix) -> bool:
    return all((part == np.rint(part)).all() for part in _stored(rows))


def _stored(rows: Matrix) -> Iterator[np.ndarray]:
    """The stored values, a block at a time, so that no more of a memory-mapped matrix is in memory."""
    values = rows if isinstance(rows, np.ndarray) else rows.data
    for part in blocks(values):
        if values[part].size:
            yield values[part]
        release(rows)
