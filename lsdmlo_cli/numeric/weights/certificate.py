"""The certificate of weights: a duality gap, which bounds how far F is above its minimum.

Every dual feasible point gives a lower bound of the minimum; the gap is F less that bound. The residual of any weights, shrunk
until no entry of its gradient exceeds lambda1, is dual feasible. The residual of W itself gives a poor bound on raw data: the
gradient of a few long columns converges last, and the whole residual would be shrunk for these. So the gradient is first
corrected to be feasible (see `dual_point`), which takes the residual of weights W + Z near W.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from lsdmlo_cli.numeric.matrix import trim
from lsdmlo_cli.numeric.threads import each
from lsdmlo_cli.numeric.weights.cholesky import GrowingFactor
from lsdmlo_cli.numeric.weights.problem import Matrix, Problem, WorkingSet

LARGEST_CORRECTION = 4096
"""Features of a K: its Cholesky factor, in single precision, takes 64 MB at most."""

ACTIVE_SET_WEIGHT = 3e-4
"""The c of the active set, |gradient| + c |w| > bound, on columns of length 1. Steps to a gap of 1e-4 on emotions, yeast and
scene: 124, 92, 142 with 0; 71, 91, 123 with 3e-4; 84, 148, 70 with 3e-3."""

SLACK = 0.1
"""Part of the tolerance that may be left to an inexact correction: a gradient beyond the bound by a share s raises the gap by s
lambda1 |W|_1 to first order, less than s F. From 0.01 to 0.9 the number of steps is the same on seven data sets, up to one
step."""


@dataclass(frozen=True)
class DualPoint:
    """The residual T - E (W + Z) C, a point of the dual once it is scaled; see `objective_and_gap`.

    negative_gradient: B - G (W + Z) M. change: Z M G, by which Z lowers the negative gradient of W.
    """

    Z: Matrix  # (l, w)
    negative_gradient: Matrix  # (l, w)
    change: Matrix  # (l, w)


def dual_point(
    problem: Problem, work: WorkingSet, W: Matrix, WGM: Matrix, rounds: int, tol: float, Z: Matrix | None = None
) -> tuple[DualPoint, float]:
    """The dual point of the smallest relative gap, and that gap, among three: Z = 0, the Z given (l, w), and a corrected one.

    The correction: Z M = Y lowers the negative gradient by Y G, so that each label is corrected by itself. Let K be the features
    of a label where the gradient exceeds lambda1, or is below it although the weight is not 0, now or in an earlier round, and x
    the difference (see FeasibilityCorrection.excess). Then Y_K grows by G_KK^-1 x, which brings the gradient on K to lambda1;
    the gradient of other features changes little where W is near the minimum, and those that exceed lambda1 join K in the next
    round. There are at most `rounds` of them, and none where a gap of `tol` is reached without.
    """
    of_W, nothing = work.B - WGM, np.zeros_like(W)

    def rated(point: DualPoint) -> tuple[DualPoint, float]:
        return point, objective_and_gap(problem, work, W, WGM, point)[1]

    def of(Y: Matrix) -> tuple[DualPoint, float]:
        return rated(residual_of(work, of_W, Y))

    Y, points = nothing, [rated(DualPoint(nothing, of_W, nothing))]
    if Z is not None:
        Y = work.M @ Z
        points.append(of(Y))
    if rounds and min(gap for _, gap in points) > tol:
        correction = FeasibilityCorrection(work, W, of_W, gradient_bound(problem, work), SLACK * tol)
        points.append(of(correction.corrected(points[-1][0].negative_gradient, Y, rounds)))
    return min(points, key=itemgetter(1))


def residual_of(work: WorkingSet, of_W: Matrix, Y: Matrix) -> DualPoint:
    """The residual of W + Z for Z M = Y; of_W: (l, w) the negative gradient at W."""
    Z, Y = work.M.solve(Y)
    change = Y @ work.G
    return DualPoint(Z, of_W - change, change)


@dataclass(frozen=True)
class FeasibilityCorrection:
    """What the correction of some labels starts from: weights W, and the negative gradient of their residual.

    slack: how far the gradient may be off its bound, as a share of that.
    """

    work: WorkingSet
    W: Matrix  # (l, w)
    of_W: Matrix  # (l, w) the negative gradient at Y = 0
    bound: Matrix  # (l, w) lambda1, in the scale of the gradient
    slack: float

    def of(self, labels: slice) -> FeasibilityCorrection:
        return replace(self, W=self.W[labels], of_W=self.of_W[labels], bound=self.bound[labels])

    def excess(self, negative_gradient: Matrix) -> Matrix:
        """By how much a negative gradient (l, w) exceeds the bound; of the opposite sign where it should reach it and does not.

        Where the gradient is below the bound a weight adds |w| (bound - |gradient|) to the gap. The weights that are large
        against that difference are selected as a primal-dual active set method does.
        """
        indicator = np.abs(negative_gradient) + ACTIVE_SET_WEIGHT * np.abs(self.W) * (negative_gradient * self.W > 0)
        excess = np.where(indicator > self.bound, negative_gradient - np.copysign(self.bound, negative_gradient), 0.0)
        excess[np.abs(excess) < self.slack / 2 * self.bound] = 0
        return excess

    def corrected(self, negative_gradient: Matrix, Y: Matrix, rounds: int) -> Matrix:
        """Y (l, w), which has this negative gradient, after further rounds.

        All labels share the union of their K where that is less work than a Cholesky factor for each label.
        """
        K = self.excess(negative_gradient) != 0
        sizes, union = K.sum(axis=1), np.count_nonzero(K.any(axis=0))
        if union <= LARGEST_CORRECTION and union**3 <= (sizes.astype(np.float64) ** 3).sum():
            return self.corrected_on_union(negative_gradient, Y, rounds)
        corrected = Y.copy()

        def correct(label: slice) -> None:
            if self.work.E is not None:
                trim()  # give back freed memory before a Cholesky factor that may be large
            corrected[label] = self.of(label).corrected_on_union(negative_gradient[label], Y[label], rounds)

        each(self.work.run, correct, [slice(label, label + 1) for label in np.flatnonzero(sizes)])
        return corrected

    def corrected_on_union(self, negative_gradient: Matrix, Y: Matrix, rounds: int) -> Matrix:
        """`corrected` with one K for all labels: the Y whose gradient exceeds the bound least.

        It ends where that is within the slack, or K would have more than LARGEST_CORRECTION features.
        """
        factor, best, least = GrowingFactor(self.work.gram_of), Y, np.inf
        for _ in range(rounds):
            excess = self.excess(negative_gradient)
            # If K became too large with all of these features, then only those above the bound.
            candidates = excess != 0, np.abs(negative_gradient) > self.bound
            if not any(factor.extend(np.flatnonzero(features.any(axis=0)), LARGEST_CORRECTION) for features in candidates):
                break
            Y = Y.copy()
            Y[:, factor.features] += factor.solve(excess[:, factor.features].T).T
            negative_gradient = self.of_W - Y @ self.work.G
            violation = float((np.abs(negative_gradient) / self.bound).max(initial=0.0)) - 1
            if violation < least:
                best, least = Y, violation
            if violation <= self.slack:
                break
        return best


def gradient_bound(problem: Problem, work: WorkingSet) -> Matrix:
    """lambda1 (l, w), in the scale of the gradient."""
    return problem.lambda1 / np.multiply.outer(work.M.m, work.g)


def penalty_of(problem: Problem, work: WorkingSet, W: Matrix) -> float:
    """lambda1 |W|_1, not scaled."""
    return float(problem.lambda1 * ((1 / work.M.m) @ np.abs(W) @ (1 / work.g)))


def objective_and_gap(
    problem: Problem, work: WorkingSet, W: Matrix, WGM: Matrix, dual: DualPoint, largest: float | None = None
) -> tuple[float, float]:
    """F(W) and its relative duality gap.

    largest: the largest entry of the dual point's gradient on all features and labels, not scaled; None stands for the largest
    on the working set.

    With M = C C' and T = Y C'^-1, F is the lasso 1/2 |E W C - T|^2 + lambda1 |W|_1 plus a constant. The
    residual of any weights, here R - H with R = T - E W C and H = E Z C, shrunk by s until no entry of the gradient exceeds
    lambda1, is a point of the dual:

        gap = 1/2 |R|^2 + lambda1 |W|_1 - <T, s (R - H)> + 1/2 |s (R - H)|^2.

    It is computed below as a sum of terms that are small near the minimum, so that a gap of 1e-9 is not
    rounding. Where F is 0 (no positive label) so is the gap.
    """
    if largest is None:
        largest = float((np.abs(dual.negative_gradient) * work.g * work.M.m[:, None]).max(initial=0.0))
    penalty = penalty_of(problem, work, W)
    B_W, W_GWM = float(np.vdot(work.B, W)), float(np.vdot(W, WGM))
    R_R, T_R = max(problem.T_T - 2 * B_W + W_GWM, 0.0), problem.T_T - B_W
    T_H, R_H = float(np.vdot(work.B, dual.Z)), float(np.vdot(work.B - WGM, dual.Z))
    H_H = float(np.vdot(dual.Z, dual.change))
    length = R_R - 2 * R_H + H_H
    s = min(1.0, problem.lambda1 / largest if largest > 0 else 1.0, (T_R - T_H) / length if length > 0 else 1.0)
    s = max(s, 0.0)
    gap = 0.5 * (1 - s) ** 2 * R_R + penalty - s * (B_W - W_GWM) + s * T_H - s * s * (R_H - 0.5 * H_H)
    return with_relative_gap(0.5 * W_GWM - B_W + 0.5 * problem.trace_S + penalty, gap)


def with_relative_gap(F: float, gap: float) -> tuple[float, float]:
    """F and the gap relative to it, which is 0 where F is."""
    return F, max(gap, 0.0) / F if F > 0 else 0.0
