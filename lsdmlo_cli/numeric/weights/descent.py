"""The accelerated proximal gradient on a working set, to a relative duality gap.

The smooth part of F is bounded above by a quadratic in the metric c (delta I + U U'), where M <= c I and G <= delta I + U U'.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.threads import spread
from lsdmlo_cli.numeric.weights.certificate import DualPoint, dual_point, objective_and_gap
from lsdmlo_cli.numeric.weights.problem import Matrix, Problem, Single, WorkingSet

METRIC_RANK = 12
"""Eigenvectors of G in the metric. Steps to a gap of 1e-4 on emotions, CAL500 and enron: 146, 175, 175 with 3; 71, 88, 123 with
12; 45, 141, 97 with 24, where a step costs more: CAL500 took more than twice the time."""

DENSE_EIGENSOLVER_SIZE = 400
"""Features up to which all eigenvalues are computed exactly. The time is the same without; the bounds are closer, which saves up
to a tenth of the steps (lambda1 = 0.1, gap 1e-6: CAL500 207 in place of 220, scene 511 in place of 562)."""

WEIGHTS_PER_BLOCK = 1 << 15
LEAST_LABELS_PER_BLOCK = 32
"""A block of labels in the proximal step has 256 kB in each array, to stay in the cache, but no fewer labels than make it worth
reading the metric. Blocks from an eighth to eight times as large took the same time within the noise, on seven data sets."""

NEWTON_STEPS = 12
"""A step or two are enough, as a rule. With at most 4 the metric is given up for a larger delta at times: CAL500 took 397 steps
to a gap of 1e-4 in place of 88, and emotions 125 in place of 71; with 30 nothing changed."""

CORRECTION_ROUNDS = 12
"""Most corrections end sooner: 3 and 30 lead to the same number of steps, within one, on seven data sets; without any correction
it is up to four times as large (emotions 303 in place of 71)."""

SMALLEST_DELTA = 1e-3
"""delta / lmax. Steps to a gap of 1e-4 on emotions and CAL500: 1,597 and 397 with 0.1, 125 and 140 with 0.01, 71 and 88 with
1e-3, and no fewer with 1e-4."""


def never() -> bool:
    """False: no clock ends the iteration."""
    return False


def late_after(seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Callable[[], bool]:
    """Whether more than `seconds` (None: any time) have passed on the clock since this call."""
    if seconds is None:
        return never
    end = clock() + seconds
    return lambda: clock() > end


@dataclass(frozen=True)
class Stop:
    """When the iteration ends: at a relative duality gap of `tol` > 0, after `max_iter` iterations in all, or when it is late.

    watch(iterations, relative gap) is called each time the gap is measured.
    """

    tol: float = 1e-4
    max_iter: int = 100_000
    is_late: Callable[[], bool] = never
    watch: Callable[[int, float], None] = lambda iterations, relative_gap: None


class Start(NamedTuple):
    """Where the iteration begins.

    W: (l, w) weights. Z: (l, w) of a dual point that may be near. iterations: how many there were before. is_far: whether the
    gap is known to be large at W, so that a feasibility correction of its dual point would be in vain.
    """

    W: Matrix
    Z: Matrix
    iterations: int
    is_far: bool


class Minimum(NamedTuple):
    """Weights W (l, w), M W G (l, w), a dual point, F and its relative gap on the working set, and the iterations so far."""

    W: Matrix
    WGM: Matrix
    dual: DualPoint
    objective: float
    gap: float
    iterations: int


@dataclass(frozen=True)
class _Metric:
    """delta I + U U', an upper bound of the scaled G."""

    delta: float
    U: Matrix  # (w, r)
    U_over_delta: Matrix  # (r, w): U' / delta
    U_products: Single  # (w, r r): u_ia u_ib / delta
    identity: Matrix  # (r, r)


class _Model:
    """What stays the same from step to step: the metric, the step size 1 / (c delta) and what it makes of lambda1."""

    def __init__(self, problem: Problem, work: WorkingSet, smallest_delta: float) -> None:
        labels, features = work.B.shape
        self.work, self.M_single = work, work.M.single()
        self.metric = _metric(work.G_single, labels, smallest_delta)
        self.step_size = 1 / (work.M.largest_eigenvalue * self.metric.delta)
        self.threshold = problem.lambda1 * self.step_size / np.multiply.outer(work.M.m, work.g)
        self.blocks = _label_blocks(labels, features)


class _State:
    """One iterate: W (l, w), the extrapolated point V, both times U, a = (W - V) U of the last proximal step, and momentum b.

    The gradient at V is taken in double precision at a reference (W, whenever the gap is measured) and in single precision for
    the offset V - reference, which vanishes as the iteration converges: half the time, and nothing lost in the end.
    new_W and new_WU are written by a step before they replace W and WU.
    """

    def __init__(self, model: _Model, W: Matrix, iterations: int) -> None:
        self.W, self.V, self.new_W = W.copy(), W.copy(), np.empty_like(W)
        self.WU = W @ model.metric.U
        self.VU, self.new_WU, self.a = self.WU.copy(), self.WU.copy(), np.zeros_like(self.WU)
        self.b = 1.0
        self.iterations = iterations
        self.offset = np.zeros(W.shape, np.float32)

    def set_reference(self, gradient_step: Matrix) -> None:
        """Make W the reference; gradient_step: (l, w) its gradient times the step size."""
        self.reference, self.reference_step = self.W.copy(), gradient_step
        np.subtract(self.V, self.reference, out=self.offset, casting="same_kind")

    def accept(self, momentum: float, blocks: list[slice]) -> None:
        """Replace W by new_W, and extrapolate."""
        for block in blocks:
            self.V[block] = self.new_W[block] + momentum * (self.new_W[block] - self.W[block])
            self.offset[block] = self.V[block] - self.reference[block]
        self.VU = self.new_WU + momentum * (self.new_WU - self.WU)
        self.W, self.new_W, self.WU, self.new_WU = self.new_W, self.W, self.new_WU, self.WU
        self.iterations += 1


def minimize(problem: Problem, work: WorkingSet, start: Start, stop: Stop) -> Minimum:
    """The weights on the working set whose relative gap there is at most `stop.tol`.

    Where the equations of the proximal step are too ill-conditioned for Newton's method it begins anew from the weights it has,
    with a delta at least ten times as large.
    """
    smallest_delta = SMALLEST_DELTA
    while True:
        reached = _descend(problem, _Model(problem, work, smallest_delta), start, stop)
        if isinstance(reached, Minimum):
            return reached
        start, smallest_delta = reached, 10 * smallest_delta


def _descend(problem: Problem, model: _Model, start: Start, stop: Stop) -> Minimum | Start:
    """Step until the gap, which is measured now and then, is small enough; a Start where a step has no solution."""
    work, state = model.work, _State(model, start.W, start.iterations)
    Z: Matrix | None = start.Z
    rounds = 0 if start.is_far else CORRECTION_ROUNDS
    next_check, interval, last_gap = start.iterations, 0, np.inf
    while True:
        is_last = state.iterations >= stop.max_iter or stop.is_late()
        if is_last or state.iterations >= next_check:
            WGM = work.M @ (state.W @ work.G)
            dual, gap = dual_point(problem, work, state.W, WGM, rounds, stop.tol, Z)
            stop.watch(state.iterations, gap)
            if gap <= stop.tol or is_last:
                F, gap = objective_and_gap(problem, work, state.W, WGM, dual)
                return Minimum(state.W, WGM, dual, F, gap, state.iterations)
            state.set_reference(model.step_size * (WGM - work.B))
            interval = _interval(work, state.iterations, interval, last_gap / gap, gap / stop.tol)
            next_check, last_gap = state.iterations + interval, gap
            Z, rounds = None, CORRECTION_ROUNDS
        if not _step(model, state):
            return start._replace(W=state.W, iterations=state.iterations)


def _step(model: _Model, state: _State) -> bool:
    """One iteration; False, with W as it was, where the equations of the proximal step are too ill-conditioned."""
    metric, W, V, new_W = model.metric, state.W, state.V, state.new_W
    offset_gradient = model.M_single @ (state.offset @ model.work.G_single)

    def moved(block: slice) -> tuple[float, float] | None:
        """Write new W of a block; the terms of <V - new W, new W - W> in the metric."""
        target = V[block] - state.reference_step[block] - model.step_size * offset_gradient[block]
        found = _proximal_step(metric, target, state.VU[block], state.a[block], model.threshold[block])
        if found is None:
            return None
        new_W[block], state.new_WU[block], state.a[block] = found
        along = metric.delta * float(np.vdot(V[block] - new_W[block], new_W[block] - W[block]))
        return along, float(np.vdot(state.a[block], state.new_WU[block] - state.WU[block]))

    uphill = 0.0
    for terms in spread(model.work.run, moved, model.blocks):
        if terms is None:
            return False
        # Positive where the momentum led uphill (O'Donoghue & Candes, 2015).
        uphill = uphill + terms[0] - terms[1]
    state.b, momentum = _next_momentum(1.0 if uphill > 0 else state.b)
    state.accept(momentum, model.blocks)
    return True


def _interval(work: WorkingSet, iterations: int, last: int, fell: float, to_go: float) -> int:
    """Steps until the gap is measured again, which costs as much as many steps where there is no Gram matrix.

    fell, to_go: the factors by which the gap fell within the last steps, and by which it has to fall; fewer steps where that is
    expected to take fewer.
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


def _metric(G: Any, q: int, smallest_delta: float) -> _Metric:
    """delta I + U U' >= G (w x w, diagonal 1) from the largest eigenvalues of G.

    Lanczos values are lower bounds: their residuals and one hundredth are added. delta is at least `smallest_delta`
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
    delta = float(max(values[0], smallest_delta * values[-1]))
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
        return soft_threshold(target, threshold), VU, a
    origin, direction, least = a.copy(), np.zeros_like(a), np.full(labels, np.inf)
    for _ in range(NEWTON_STEPS):
        W = soft_threshold(target - a @ metric.U_over_delta, threshold)
        WU = W @ metric.U
        residual = a + VU - WU
        error, allowed = np.abs(residual).max(axis=1), 0.1 * np.abs(WU - VU).max()
        if error.max() <= allowed:
            return W, WU, a
        too_far = (error > allowed) & (error > least)
        direction[too_far] /= 2
        nearer = ~too_far
        origin[nearer], least[nearer] = a[nearer], error[nearer]
        jacobian = ((W[nearer] != 0).astype(np.float32) @ metric.U_products).reshape(-1, rank, rank)
        direction[nearer] = -np.linalg.solve(metric.identity + jacobian, residual[nearer, :, None])[:, :, 0]
        a = origin + direction
    return None


def soft_threshold(V: Matrix, threshold: Matrix) -> Matrix:
    """v - eps above eps, v + eps below -eps, else 0 (the paper misprints the second)."""
    shrunk: Matrix = V - np.clip(V, -threshold, threshold)
    return shrunk
