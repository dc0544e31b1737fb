"""How far weights are from the minimum at most: a duality gap, at a dual point whose slopes are mended.

The residual of any weights, shrunk until no slope exceeds lambda1, is a point of the dual. That of W itself is a poor one on raw
data: the slopes of a few long columns come right last, and all would be shrunk for these. So it is the residual of
weights near W.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.matrix import trim
from lsdmlo_cli.numeric.weights.problem import Matrix, Problem, Single, WorkingSet

MOST_MENDED = 4096  # features at a time
LEAST_RIDGE = 1e-6  # on the diagonal of their G
RAISED = 3e-4  # of a weight, against what its slope is short of the bound; both on columns of length 1
NEGLIGIBLE = 0.1  # tolerances that a slope may be beyond the bound, as a share of it


@dataclass(frozen=True)
class DualPoint:
    """The residual T - E (W + Z) C, a point of the dual once it is scaled; see certificate.

    slopes: B - G (W + Z) M. change: Z M G, what Z takes from the slopes of W.
    """

    Z: Matrix  # (l, w)
    slopes: Matrix  # (l, w)
    change: Matrix  # (l, w)


def dual_point(
    problem: Problem, work: WorkingSet, W: Matrix, WGM: Matrix, rounds: int, tol: float, Z: Matrix | None = None
) -> tuple[DualPoint, float]:
    """Z = 0, or the best of that, the Z given (l, w) and what some rounds of mending make of it; and the relative gap.

    Z M = Y takes Y G from the slopes, so that each label is mended apart. Let K be the features of a label whose slopes are
    beyond lambda1, or short of it though they have a weight (see _Mending.excess), or were so before, and x what is too much
    or too little. Then Y_K grows by G_KK^-1 x, which brings the slopes on K to lambda1; those of other features change
    little where W is near the minimum, and join K in the next round.
    """
    slopes, nothing = work.B - WGM, np.zeros_like(W)

    def rated(point: DualPoint) -> tuple[DualPoint, float]:
        return point, certificate(problem, work, W, WGM, point)[1]

    def of(Y: Matrix) -> tuple[DualPoint, float]:
        Z, Y = work.M.solve(Y)
        change = Y @ work.G
        return rated(DualPoint(Z, slopes - change, change))

    Y, points = nothing, [rated(DualPoint(nothing, slopes, nothing))]
    if Z is not None:
        Y = work.M @ Z
        points.append(of(Y))
    if rounds and min(gap for _, gap in points) > tol:
        mending = _Mending(work, W, slopes, problem.lambda1 / np.multiply.outer(work.M.m, work.g), NEGLIGIBLE * tol)
        points.append(of(mending.mended(points[-1][0].slopes, Y, rounds)))
    return min(points, key=itemgetter(1))


@dataclass(frozen=True)
class _Mending:
    """What mending starts from, for some labels; negligible: the share of the bound that a slope may be off it."""

    work: WorkingSet
    W: Matrix  # (l, w)
    slopes: Matrix  # (l, w) of Y = 0
    bound: Matrix  # (l, w)
    negligible: float

    def of(self, labels: slice) -> _Mending:
        return replace(self, W=self.W[labels], slopes=self.slopes[labels], bound=self.bound[labels])

    def excess(self, slopes: Matrix) -> Matrix:
        """What has to go from slopes (l, w) to bring them to the bound, less than nothing where they are short of it.

        A weight whose slope is short costs |w| (bound - |slope|) of the gap; those that are large beside what is missing are
        brought to the bound, as a primal-dual active set does.
        """
        pulled = np.abs(slopes) + RAISED * np.abs(self.W) * (slopes * self.W > 0)
        excess = np.where(pulled > self.bound, slopes - np.copysign(self.bound, slopes), 0.0)
        excess[np.abs(excess) < self.negligible / 2 * self.bound] = 0
        return excess

    def mended(self, slopes: Matrix, Y: Matrix, rounds: int) -> Matrix:
        """Y (l, w), whose slopes are given, after some further rounds. One K serves all labels where that is less work."""
        K = self.excess(slopes) != 0
        sizes, together = K.sum(axis=1), np.count_nonzero(K.any(axis=0))
        if together <= MOST_MENDED and together**3 <= (sizes.astype(np.float64) ** 3).sum():
            return self.mended_by_one(slopes, Y, rounds)
        mended = Y.copy()
        for label in [slice(label, label + 1) for label in np.flatnonzero(sizes)]:
            if self.work.E is not None:
                trim()  # what is free, before a factor that may be large
            mended[label] = self.of(label).mended_by_one(slopes[label], Y[label], rounds)
        return mended

    def mended_by_one(self, slopes: Matrix, Y: Matrix, rounds: int) -> Matrix:
        """`mended` by one K: the Y that leaves the least beyond the bound.

        It ends where that is negligible, or K has too many features.
        """
        factor, best, least = _Factor(self.work), Y, np.inf
        for _ in range(rounds):
            excess = self.excess(slopes)
            asked = excess != 0, np.abs(slopes) > self.bound  # in the worst case without those that are short of it
            if not any(factor.extend(np.flatnonzero(features.any(axis=0))) for features in asked):
                break
            Y = Y.copy()
            Y[:, factor.features] += factor.solve(excess[:, factor.features].T).T
            slopes = self.slopes - Y @ self.work.G
            beyond = float((np.abs(slopes) / self.bound).max(initial=0.0)) - 1
            if beyond < least:
                best, least = Y, beyond
            if beyond <= self.negligible:
                break
        return best


class _Rows(NamedTuple):
    """Some rows of a Cholesky factor."""

    rows: slice
    before: Single  # (k, start)
    own: Single  # (k, k), lower triangular


class _Factor:
    """The Cholesky factor of G_KK (scaled, diagonal 1) in single precision, with a ridge; it grows with K, by rows."""

    def __init__(self, work: WorkingSet) -> None:
        self.work = work
        self.features = np.zeros(0, dtype=np.intp)
        self.parts: list[_Rows] = []
        self.ridge = LEAST_RIDGE

    def extend(self, features: NDArray[np.intp]) -> bool:
        """Put features into K, unless it becomes too large."""
        new = np.setdiff1d(features, self.features)
        if len(self.features) + len(new) > MOST_MENDED:
            return False
        if len(new):
            try:
                self._border(new)
            except scipy.linalg.LinAlgError:
                self._anew(np.concatenate([self.features, new]))
        return True

    def _border(self, new: NDArray[np.intp]) -> None:
        old = len(self.features)
        own, before = self.work.gram_of(new, new), np.zeros((len(new), old), np.float32)
        if old:
            before = self._forward(self.work.gram_of(new, self.features).T).T
            own -= before @ before.T
        own[np.diag_indices(len(own))] += self.ridge
        # The transpose of a symmetric matrix is itself, and stands in the order in which LAPACK works in place.
        own = scipy.linalg.cholesky(own.T, lower=True, overwrite_a=True, check_finite=False)
        self.parts.append(_Rows(slice(old, old + len(new)), before, own))
        self.features = np.concatenate([self.features, new])

    def _anew(self, features: NDArray[np.intp]) -> None:
        """With as little more on the diagonal as it takes."""
        while True:
            self.features, self.parts = features[:0], []
            self.ridge *= 10
            try:
                return self._border(features)
            except scipy.linalg.LinAlgError:
                if self.ridge > 1:
                    raise

    def solve(self, right: Matrix) -> Single:
        """G_KK^-1 right, nearly; right (|K|, l)."""
        x = self._forward(right.astype(np.float32))
        for rows, before, own in reversed(self.parts):
            x[rows] = scipy.linalg.solve_triangular(own, x[rows], lower=True, trans="T", check_finite=False)
            x[: rows.start] -= before.T @ x[rows]
        return x

    def _forward(self, x: Single) -> Single:
        """L^-1 x, in the place of x."""
        for rows, before, own in self.parts:
            x[rows] -= before @ x[: rows.start]
            x[rows] = scipy.linalg.solve_triangular(own, x[rows], lower=True, check_finite=False)
        return x


def certificate(
    problem: Problem, work: WorkingSet, W: Matrix, WGM: Matrix, dual: DualPoint, steepest: float | None = None
) -> tuple[float, float]:
    """F(W) and its relative duality gap; `steepest` is the largest slope of the dual point, unscaled.

    None is that of the features of the working set.

    With M = C C' and T = Y C'^-1, F is the lasso 1/2 |E W C - T|^2 + lambda1 |W|_1 plus a constant. The
    residual of any weights, here R - H with R = T - E W C and H = E Z C, shrunk by s until no slope exceeds
    lambda1, is a point of the dual:

        gap = 1/2 |R|^2 + lambda1 |W|_1 - <T, s (R - H)> + 1/2 |s (R - H)|^2.

    It is written below as a sum of terms that are small near the minimum, so that a gap of 1e-9 is not
    rounding. Where F is 0 (no positive label) so is the gap.
    """
    if steepest is None:
        steepest = float((np.abs(dual.slopes) * work.g * work.M.m[:, None]).max(initial=0.0))
    penalty = float(problem.lambda1 * ((1 / work.M.m) @ np.abs(W) @ (1 / work.g)))
    B_W, W_GWM = float(np.vdot(work.B, W)), float(np.vdot(W, WGM))
    R_R, T_R = max(problem.T_T - 2 * B_W + W_GWM, 0.0), problem.T_T - B_W
    T_H, R_H = float(np.vdot(work.B, dual.Z)), float(np.vdot(work.B - WGM, dual.Z))
    H_H = float(np.vdot(dual.Z, dual.change))
    length = R_R - 2 * R_H + H_H
    s = min(1.0, problem.lambda1 / steepest if steepest > 0 else 1.0, (T_R - T_H) / length if length > 0 else 1.0)
    s = max(s, 0.0)
    gap = 0.5 * (1 - s) ** 2 * R_R + penalty - s * (B_W - W_GWM) + s * T_H - s * s * (R_H - 0.5 * H_H)
    F = 0.5 * W_GWM - B_W + 0.5 * problem.trace_S + penalty
    return F, max(gap, 0.0) / F if F > 0 else 0.0
