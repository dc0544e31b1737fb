"""The accelerated proximal gradient on a working set, to a relative duality gap.

Its model of the smooth part is a quadratic in c (delta I + U U'), with M <= c I and G <= delta I + U U'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.numeric.weights.certificate import DualPoint, dual_point
from lsdmlo_cli.numeric.weights.problem import Matrix, Problem, Single, WorkingSet

# Eigenvectors of G in the metric. More of them cost more per step than they save in steps.
METRIC_RANK = 12
# Up to here all eigenvalues of G cost less than a Lanczos iteration.
DENSE_EIGENSOLVER_SIZE = 400
# A block of labels in the proximal step: small enough for the cache, but not so few labels that reading the
# metric costs more than they do.
WEIGHTS_PER_BLOCK = 1 << 15
LEAST_LABELS_PER_BLOCK = 32
NEWTON_STEPS = 12
MENDS = 12  # rounds of mending a dual point
# The least delta / lmax, before an equation that Newton's method does not solve raises it.
SHARPEST_METRIC = 1e-3

Watch = Callable[[int, float], None]


@dataclass(frozen=True)
class _Metric:
    """delta I + U U', an upper bound of the scaled G."""

    delta: float
    U: Matrix  # (w, r)
    tilt: Matrix  # U' / delta
    U_products: Single  # (w, r r): u_ia u_ib / delta
    identity: Matrix  # (r, r)


def accelerated(
    problem: Problem,
    work: WorkingSet,
    W: Matrix,
    tol: float,
    iterations: int,
    max_iter: int,
    watch: Watch,
    is_far: bool,
    Z: Matrix,
    sharpest: float = SHARPEST_METRIC,
) -> tuple[Matrix, Matrix, DualPoint, int]:
    """From W (l, w) to a relative gap of `tol` on the working set: W, its G W M, its dual point, iterations so far.

    is_far: that there is nothing to certify at first. Z: (l, w) of a dual point that may be near.

    The gradient at V is taken in double precision at a reference (W, whenever the gap is measured) and in
    single precision for V - reference, which vanishes as the iteration converges: half the time, and
    nothing lost in the end.
    """
    M, M_single = work.M, work.M.single()
    metric = _metric(work.G_single, len(W), sharpest)
    # With M <= c I the smooth part lies below a quadratic in c (delta I + U U').
    step = 1 / (M.largest_eigenvalue * metric.delta)
    threshold = problem.lambda1 * step / np.multiply.outer(M.m, work.g)
    blocks = _label_blocks(*W.shape)
    W, V, new_W = W.copy(), W.copy(), np.empty_like(W)
    WU = W @ metric.U
    VU, new_WU, turn = WU.copy(), WU.copy(), np.zeros_like(WU)
    difference = np.zeros(W.shape, np.float32)
    b, first, rounds, last_gap = 1.0, iterations, 0 if is_far else MENDS, np.inf
    next_look, interval = iterations, 0
    while True:
        if iterations >= min(next_look, max_iter):
            WGM = M @ (W @ work.G)
            dual, gap = dual_point(problem, work, W, WGM, rounds, tol, Z if iterations == first else None)
            watch(iterations, gap)
            if gap <= tol or iterations >= max_iter:
                return W, WGM, dual, iterations
            reference, reference_step = W.copy(), step * (WGM - work.B)
            np.subtract(V, reference, out=difference, casting="same_kind")
            interval = _interval(work, iterations, interval, last_gap / gap, gap / tol)
            next_look, rounds, last_gap = iterations + interval, MENDS, gap
        slope = M_single @ (difference @ work.G_single)
        uphill = 0.0
        for block in blocks:
            target = V[block] - reference_step[block] - step * slope[block]
            found = _proximal_step(metric, target, VU[block], turn[block], threshold[block])
            if found is None:
                return accelerated(problem, work, W, tol, iterations, max_iter, watch, is_far, Z, 10 * sharpest)
            new_W[block], new_WU[block], turn[block] = found
            # <V - new W, new W - W> in the metric: positive where the momentum led uphill.
            uphill += metric.delta * float(np.vdot(V[block] - new_W[block], new_W[block] - W[block]))
            uphill -= float(np.vdot(turn[block], new_WU[block] - WU[block]))
        b, momentum = _next_momentum(1.0 if uphill > 0 else b)
        for block in blocks:
            V[block] = new_W[block] + momentum * (new_W[block] - W[block])
            difference[block] = V[block] - reference[block]
        VU = new_WU + momentum * (new_WU - WU)
        W, new_W, WU, new_WU = new_W, W, new_WU, WU
        iterations += 1


def _interval(work: WorkingSet, iterations: int, last: int, fell: float, to_go: float) -> int:
    """Steps to the next look at the gap, which costs many of them where there is no Gram matrix.

    fell, to_go: how many times smaller the gap became within the last steps, and has to become; fewer steps where that is near.
    """
    steps = min(max(20, iterations // 4), 100) if work.E is None else min(max(20, iterations // 3), 1000)
    if last and fell > 1:
        steps = int(np.clip(1.1 * last * np.log(to_go) / np.log(fell), steps // 2, steps))
    return steps


def _label_blocks(q: int, w: int) -> list[slice]:
    labels = max(LEAST_LABELS_PER_BLOCK, WEIGHTS_PER_BLOCK // w)
    return [slice(start, start + labels) for start in range(0, q, labels)]


def _next_momentum(b: float) -> tuple[float, float]:
    """b_{t+1} and (b_t - 1) / b_{t+1} (Appendix Algorithm 1)."""
    next_b = (1 + (4 * b * b + 1) ** 0.5) / 2
    return next_b, (b - 1) / next_b


def _metric(G: Any, q: int, sharpest: float) -> _Metric:
    """delta I + U U' >= G (w x w, diagonal 1) from the largest eigenvalues of G.

    Lanczos values are lower bounds: their residuals and one hundredth are added. delta is at least `sharpest`
    times the largest eigenvalue, so that the equations of the proximal step are not too ill-conditioned, and
    U is empty where the steps it saves would not pay for those equations.
    """
    w = G.shape[0]
    rank = min(METRIC_RANK, w - 1)
    if isinstance(G, np.ndarray) and w <= DENSE_EIGENSOLVER_SIZE:
        values, Q = scipy.linalg.eigh(np.asarray(G, np.float64), subset_by_index=[w - 1 - rank, w - 1])
        values *= 1 + 1e-5
    else:
        G = scipy.sparse.linalg.aslinearoperator(G)
        start = np.linspace(1, 2, w, dtype=np.float32)
        values, Q = scipy.sparse.linalg.eigsh(G, k=rank + 1, v0=start, which="LA", tol=1e-2)
        order = np.argsort(values)
        values, Q = values[order].astype(np.float64), Q[:, order]
        values += np.linalg.norm(G @ Q - Q * values, axis=0) + 0.01 * values
    delta = float(max(values[0], sharpest * values[-1]))
    if np.sqrt(values[-1] / delta) < 1 + 300 / (w + q):
        delta, rank = float(values[-1]), 0
    U = Q[:, len(values) - rank :] * np.sqrt(np.maximum(values[len(values) - rank :] - delta, 0.0))
    U = np.ascontiguousarray(U, np.float64)
    products = (U[:, :, None] * U[:, None, :]).reshape(w, rank * rank) / delta
    return _Metric(delta, U, np.ascontiguousarray(U.T) / delta, products.astype(np.float32), np.eye(rank))


def _proximal_step(
    metric: _Metric, target: Matrix, VU: Matrix, a: Matrix, threshold: Matrix
) -> tuple[Matrix, Matrix, Matrix] | None:
    """argmin over W of <gradient, W> + lambda1 |W|_1 + 1/2 |W - V|^2 in the metric, for some labels (rows).

    target: V - gradient / (c delta). Given a = (W - V) U, r numbers a label, the minimum is the soft
    threshold W(a) of target - a U' / delta, and a solves a = (W(a) - V) U. The two sides differ by the
    gradient of a convex function of a, linear in pieces, so Newton's method ends a step or two from the a
    of the last iteration. Returns W, W U and a, or None where the equations are too ill-conditioned for that.
    """
    labels, rank = a.shape
    if not rank:
        return _soft_threshold(target, threshold), VU, a
    origin, direction, least = a.copy(), np.zeros_like(a), np.full(labels, np.inf)
    for _ in range(NEWTON_STEPS):
        W = _soft_threshold(target - a @ metric.tilt, threshold)
        WU = W @ metric.U
        residual = a + VU - WU
        error, allowed = np.abs(residual).max(axis=1), 0.1 * np.abs(WU - VU).max()
        if error.max() <= allowed:
            return W, WU, a
        astray = (error > allowed) & (error > least)
        direction[astray] /= 2
        ahead = ~astray
        origin[ahead], least[ahead] = a[ahead], error[ahead]
        jacobian = ((W[ahead] != 0).astype(np.float32) @ metric.U_products).reshape(-1, rank, rank)
        direction[ahead] = -np.linalg.solve(metric.identity + jacobian, residual[ahead, :, None])[:, :, 0]
        a = origin + direction
    return None


def _soft_threshold(V: Matrix, threshold: Matrix) -> Matrix:
    """v - eps above eps, v + eps below -eps, else 0 (the paper misprints the second)."""
    shrunk: Matrix = V - np.clip(V, -threshold, threshold)
    return shrunk
