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

from lsdmlo_cli.numeric.threads import each
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
    blocks = [X[rows] for rows in slices]
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


def solved(parts: Sequence[FactorRows], right: Single) -> Single:
    """right (L L')^-1, for a right (r, n) whose rows are few."""
    x = right.copy()
    for rows, before, own in parts:
        x[:, rows] -= x[:, : rows.start] @ before.T
        x[:, rows] = scipy.linalg.lapack.strtrs(own, x[:, rows].T, lower=True)[0].T
    for rows, before, own in reversed(parts):
        x[:, rows] = scipy.linalg.lapack.strtrs(own, x[:, rows].T, lower=True, trans=True)[0].T
        x[:, : rows.start] -= x[:, rows] @ before
    return x


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
            before = self._forward(self.gram_of(new, self.features).T).T
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
        x = self._forward(right.astype(np.float32))
        for rows, before, own in reversed(self.parts):
            x[rows], _ = scipy.linalg.lapack.strtrs(own, x[rows], lower=True, trans=True)
            x[: rows.start] -= before.T @ x[rows]
        return x

    def _forward(self, x: Single) -> Single:
        """L^-1 x by forward substitution, in the place of x."""
        for rows, before, own in self.parts:
            x[rows] -= before @ x[: rows.start]
            x[rows], _ = scipy.linalg.lapack.strtrs(own, x[rows], lower=True)
        return x
