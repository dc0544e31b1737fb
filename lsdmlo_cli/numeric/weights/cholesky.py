"""Cholesky factors in single precision, held by blocks of rows.

LAPACK is called itself: the blocks are many and small, and scipy's checks of its arguments took three quarters of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.matrix import rows_of
from lsdmlo_cli.numeric.threads import each, even_parts, spread
from lsdmlo_cli.numeric.weights.problem import Matrix, Single

ROWS_PER_BLOCK = 512
"""A factor of 7,484 rows has 15 blocks then, enough to be spread over threads: two took 0.6 of the time of one."""

SMALLEST_RIDGE = 1e-6
"""On the diagonal of G_KK, which is 1: eight times the machine epsilon of single precision, so that a factor nearly always
exists. Steps to a gap of 1e-4 on emotions: 71 with 1e-8 to 1e-4, 273 with 1e-2, whose corrections are no longer exact."""


class FactorRows(NamedTuple):
    """Some rows of a Cholesky factor."""

    rows: slice
    before: Single  # (k, start)
    own: Single  # (k, k), lower triangular


def factor_of_block(block: Single) -> Single:
    """The lower triangular factor of a symmetric block, in its place; LinAlgError where it is not positive definite."""
    # The transpose of a symmetric matrix is itself, and is in the memory order in which LAPACK works in place.
    factor, failed = scipy.linalg.lapack.spotrf(block.T, lower=True, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError(f"{failed} leading rows are not positive definite")
    lower: Single = factor
    return lower


def factor_of_products(X: Any, run: Callable[..., Any] = map) -> list[FactorRows]:
    """The factor of I + X X' for a CSR array X (n x e) in single precision; it takes 2 n^2 bytes.

    run: `map`, or its equivalent over threads; which of them changes no bit.
    """
    n = X.shape[0]
    slices = [slice(start, min(start + ROWS_PER_BLOCK, n)) for start in range(0, n, ROWS_PER_BLOCK)]
    blocks: list[Any] = [rows_of(X, rows) for rows in slices]
    before = [np.empty((rows.stop - rows.start, rows.start), np.float32) for rows in slices]
    parts: list[FactorRows] = []
    for k, rows in enumerate(slices):
        right = blocks[k].T.tocsr()
        own = (blocks[k] @ right).toarray() - before[k] @ before[k].T
        own[np.diag_indices(len(own))] += 1
        parts.append(FactorRows(rows, before[k], factor_of_block(own)))
        each(run, partial(_fill, parts[k], blocks, right, before), range(k + 1, len(slices)))
    return parts


def _fill(known: FactorRows, blocks: Sequence[Any], right: Any, before: Sequence[Single], later: int) -> None:
    """What a later block of rows has in the columns of a known one."""
    columns = known.rows
    part = (blocks[later] @ right).toarray() - before[later][:, : columns.start] @ known.before.T
    before[later][:, columns] = scipy.linalg.lapack.strtrs(known.own, part.T, lower=True)[0].T


def solve_in_place(parts: Sequence[FactorRows], x: Single, run: Callable[..., Any] = map, most: int | None = None) -> None:
    """Put (L L')^-1 x in the place of x (n, r).

    run: as above. most: columns of L that a product takes; None takes all, and leaves nothing to threads. They share the columns
    of L and not those of x, since a product with few of these is bound by reading L.
    """
    solve_forward(parts, x, run, most)
    for rows, before, own in reversed(parts):
        x[rows] = scipy.linalg.lapack.strtrs(own, x[rows], lower=True, trans=True)[0]

        def take_off(part: slice, L: Single = before, rows: slice = rows) -> None:
            x[part] -= L[:, part].T @ x[rows]

        each(run, take_off, _even_parts(rows.start, most))


def solve_forward(parts: Sequence[FactorRows], x: Single, run: Callable[..., Any] = map, most: int | None = None) -> None:
    """Put L^-1 x in the place of x (n, r); run and most: as above."""
    for rows, before, own in parts:

        def product(part: slice, L: Single = before) -> Single:
            return L[:, part] @ x[part]

        for of_part in spread(run, product, _even_parts(rows.start, most)):
            x[rows] -= of_part
        x[rows] = scipy.linalg.lapack.strtrs(own, x[rows], lower=True)[0]


def _even_parts(total: int, most: int | None) -> list[slice]:
    return [slice(0, total)] if most is None else even_parts(total, most)


class GrowingFactor:
    """The Cholesky factor of G_KK + ridge I (G scaled, diagonal 1) in single precision; K grows, and the factor by rows."""

    def __init__(self, gram_of: Callable[[NDArray[np.intp], NDArray[np.intp]], Single]) -> None:
        self.gram_of = gram_of
        self.features = np.zeros(0, dtype=np.intp)
        self.parts: list[FactorRows] = []
        self.ridge = SMALLEST_RIDGE

    def extend(self, features: NDArray[np.intp], most: int) -> bool:
        """Add features (rising) to K; False, and K as it was, where it would have more than `most`."""
        new = features[~np.isin(features, self.features)]
        if len(self.features) + len(new) > most:
            return False
        if len(new):
            try:
                self._append(new)
            except np.linalg.LinAlgError:
                self._factorize(np.concatenate([self.features, new]))
        return True

    def _append(self, new: NDArray[np.intp]) -> None:
        old = len(self.features)
        own, before = self.gram_of(new, new), np.zeros((len(new), old), np.float32)
        if old:
            columns = self.gram_of(new, self.features).T
            solve_forward(self.parts, columns)
            before = columns.T
            own -= before @ before.T
        own[np.diag_indices(len(own))] += self.ridge
        self.parts.append(FactorRows(slice(old, old + len(new)), before, factor_of_block(own)))
        self.features = np.concatenate([self.features, new])

    def _factorize(self, features: NDArray[np.intp]) -> None:
        """Start anew with K = features, and a ridge ten times as large until the factor exists."""
        while True:
            self.features, self.parts = features[:0], []
            self.ridge *= 10
            try:
                return self._append(features)
            except np.linalg.LinAlgError:
                if self.ridge > 1:
                    raise

    def solve(self, right: Matrix) -> Single:
        """(G_KK + ridge I)^-1 right; right (|K|, l)."""
        x = right.astype(np.float32)
        solve_in_place(self.parts, x)
        return x
