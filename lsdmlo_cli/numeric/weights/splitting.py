"""The alternating direction method of multipliers on all features at once, to a relative duality gap.

Where thousands of features have a weight and some columns are a thousand times as long as others, as raw counts of words are,
the descent takes tens of thousands of steps. Here a step solves equations of all features together (Boyd et al., 2011, section
6.4, over-relaxed by a as in section 3.4.3):

    W  minimises 1/2 <W, G W M> - <B, W> + 1/2 |W - Z + U|^2 in the metric R,
    Z  is the soft threshold of V = a W + (1 - a) Z + U at lambda1 / R,
    U  = V - Z is what the threshold took off.

R is diagonal and falls with the lengths of the columns, so that the thresholds of all features are equal. To this come:

- The equations of W are those of each label by itself once M is replaced by m I, m its largest eigenvalue. So W takes a step
  towards its minimum from where it was, and several where the gap is measured.
- With G = X'X and n rows the inverse of m G + R needs a factor of n x n numbers, made once (Woodbury's identity):
  R^-1 - m R^-1 X' (I + m X R^-1 X')^-1 X R^-1.
- V is extrapolated from its last values (Anderson acceleration of type II: Walker and Ni, 2011), each label by itself.
- Labels whose gradient was within the tolerance when the gap was measured wait until it is measured again.

The weights are Z. The gradient at W is near R U, no entry of which exceeds lambda1: its residual is the dual point, which is
made feasible label by label (certificate_by_label).
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.threads import each, even_parts
from lsdmlo_cli.numeric.weights.certificate import DualPoint, gradient_bound, penalty_of, residual_of
from lsdmlo_cli.numeric.weights.certificate_by_label import corrected_by_label, excess_of_bound, objective_and_gap_by_label
from lsdmlo_cli.numeric.weights.cholesky import factor_of_products, solve_in_place
from lsdmlo_cli.numeric.weights.descent import Minimum, Start, Stop, soft_threshold
from lsdmlo_cli.numeric.weights.problem import Matrix, Problem, Single, WorkingSet

Indices = NDArray[np.intp]
Labels = Indices | slice

MOST_ROWS = 8192
"""Of the factor, which takes 134 MB then."""

MOST_WEIGHTS = 6_000_000
"""Features times labels: an array in double precision takes 48 MB then, and there are about twelve."""

PENALTY = 1.4
RELAXATION = 1.6
"""Gap of yahoo-Arts1 after 60 steps, scale none and std: 0.008 and 0.004 with these and with 2 and 1.8, whose gap at std is still
3e-4 after 220 steps; 0.08 and 0.02 with 10 and 1.7."""

LARGEST_EIGENVALUE = 4.5e5
"""Of m X R^-1 X', whose factor is in single precision; the penalty grows where it would be larger. On yahoo-Arts1 with lambda1 =
1/16 the gap falls below 0.01 at 4.6e5, stays above 0.2 at 6.5e5, and goes to 1 at 1.3e6."""

STEPS_PER_CHECK = 30
STEPS_PER_LATE_CHECK = 15
STEPS_TO_MEASURE = 6
"""To measure the gap costs about as much as four steps, and these; it is measured twice as often once it is worth a correction.
With 3 of these steps yahoo-Arts1 at scale none takes 90 steps in all in place of 60."""

FIRST_STEPS = 20
"""Before the acceleration, while many weights come and go."""

REMEMBERED = 6
"""Steps of the acceleration. Gap of yahoo-Arts1 at scale none after 90 steps: 0.001 with it, 0.009 without."""

TOO_LONG = 2.0
"""The acceleration of a label begins anew where a step is so many times as long as its shortest one."""

FIRST_CORRECTED_WITHIN = 20
"""Tolerances. A correction lowers the gap of yahoo-Arts1 to a tenth, as a rule."""

LABELS_PER_PART = 16
COLUMNS_PER_PRODUCT = 2048
"""Labels in products with sparse rows, and columns of the factor, that a thread works on at a time."""


def serves(problem: Problem) -> bool:
    """Whether the features are sparse, and few enough numbers are held of them, their rows and labels."""
    if not scipy.sparse.issparse(problem.E) or scipy.sparse.issparse(problem.M.scaled):
        return False
    n, e = problem.E.shape
    return bool(2 < n <= MOST_ROWS and e * len(problem.M.m) <= MOST_WEIGHTS)


def minimize(problem: Problem, work: WorkingSet, start: Start, stop: Stop) -> Minimum:
    """The weights on the whole problem whose relative gap is at most `stop.tol`, as `descent.minimize` finds them.

    work: of all labels and features.
    """
    labels: Labels
    everything = slice(None)
    state, certificate = _State(problem, work, start.W), _Certificate(problem, work, stop.tol)
    labels, steps, next_check = everything, 0, STEPS_PER_CHECK
    while True:
        iterations = start.iterations + steps
        is_last = iterations >= stop.max_iter or stop.is_late()
        if is_last or steps == next_check:
            state.set_gradient()
            state.approach(everything, STEPS_TO_MEASURE)
            found = certificate.measured(state)
            stop.watch(iterations, found.gap)
            if found.gap <= stop.tol or is_last:
                return Minimum(state.Z, found.WGM, found.dual, found.objective, found.gap, iterations)
            labels = found.exceeding if 0 < len(found.exceeding) < len(work.B) else everything
            next_check += STEPS_PER_CHECK if found.gap > certificate.worth_correcting else STEPS_PER_LATE_CHECK
        else:
            state.approach(labels, 1)
        state.advance(labels, accelerates=steps >= FIRST_STEPS)
        steps += 1


class _State:
    """The iterates W, Z and V (l, w) and M W G; the weights are Z."""

    def __init__(self, problem: Problem, work: WorkingSet, W: Matrix) -> None:
        self.work, self.equations = work, _Equations(problem, work)
        self.acceleration = _Acceleration(W.shape)
        self.threshold = problem.lambda1 / (self.equations.R * work.g)[0] / work.M.m[:, None]
        self.W = W.copy()
        self.set_gradient()
        self.V = W + np.clip((work.B - self.WGM) / self.equations.R, -self.threshold, self.threshold)
        self.Z = soft_threshold(self.V, self.threshold)

    def set_gradient(self) -> None:
        """M W G in double precision, which that of a step is not."""
        self.WGM = self.work.M @ (self.W @ self.work.G)

    def approach(self, labels: Labels, steps: int) -> None:
        """Move W of some labels towards the minimum that belongs to Z and U = V - Z."""
        R, M = self.equations.R, self.work.M.scaled[:, labels]
        right = self.work.B[labels] + R * (2 * self.Z[labels] - self.V[labels])
        for _ in range(steps):
            change, change_G = self.equations.solved(right - R * self.W[labels] - self.WGM[labels])
            self.W[labels] += change
            self.WGM += M @ change_G

    def advance(self, labels: Labels, accelerates: bool) -> None:
        """V and Z of some labels, from W."""
        before = self.V[labels]
        V = before + RELAXATION * (self.W[labels] - self.Z[labels])
        if accelerates:
            V = self.acceleration.extrapolated(before, V, np.arange(len(self.W))[labels])
        self.V[labels], self.Z[labels] = V, soft_threshold(V, self.threshold[labels])


class _Equations:
    """Those of W with m in the place of M, for features X scaled to length 1; R (w,)."""

    def __init__(self, problem: Problem, work: WorkingSet) -> None:
        self.run, m = work.run, work.M.largest_eigenvalue
        self.X = scipy.sparse.csr_array(problem.E @ scipy.sparse.diags_array(1 / work.g), dtype=np.float32)
        self.Xt = scipy.sparse.csr_array(self.X.T)
        R = problem.lambda1 / work.g
        penalty = max(PENALTY, m * _largest_eigenvalue(self.X, self.Xt, R) / LARGEST_EIGENVALUE)
        self.R = penalty * R
        self.m_over_R = (m / self.R).astype(np.float32)
        scaled = scipy.sparse.csr_array(self.X @ scipy.sparse.diags_array(np.sqrt(self.m_over_R)))
        self.factor = factor_of_products(scaled, self.run)

    def solved(self, right: Matrix) -> tuple[Matrix, Single]:
        """The x (l, w) with x (m G + R) = right, and x G."""
        x, xG = right / self.R, np.empty(right.shape, np.float32)
        rows = np.empty((self.X.shape[0], len(x)), np.float32)

        def to_rows(labels: slice) -> None:
            rows[:, labels] = self.X @ np.ascontiguousarray(x[labels].T, np.float32)

        def to_features(labels: slice) -> None:
            xG[labels] = (self.Xt @ np.ascontiguousarray(rows[:, labels])).T
            x[labels] -= self.m_over_R * xG[labels]

        parts = even_parts(len(x), LABELS_PER_PART)
        each(self.run, to_rows, parts)
        solve_in_place(self.factor, rows, self.run, COLUMNS_PER_PRODUCT)  # the X x of the solution, now
        each(self.run, to_features, parts)
        return x, xG


def _largest_eigenvalue(X: Any, Xt: Any, R: Matrix) -> float:
    """That of X R^-1 X', to a hundredth."""
    n = X.shape[0]
    products = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda x: X @ (Xt @ x / R), dtype=np.float64)
    found = scipy.sparse.linalg.eigsh(products, k=1, v0=np.linspace(1, 2, n), tol=1e-2, return_eigenvectors=False)
    return float(found[0])


class _Acceleration:
    """Anderson acceleration of type II of a fixed-point iteration on (l, w) numbers, each row by itself.

    Kept are the changes of the last values and of their residuals, the value less the one before, and the products of the latter;
    the combination of them that leaves the shortest residual is taken off.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.steps = 0
        self.changes, self.of_residual = (np.zeros((shape[0], REMEMBERED, shape[1]), np.float32) for _ in range(2))
        self.products = np.zeros((shape[0], REMEMBERED, REMEMBERED))
        self.value, self.residual, self.least = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])

    def extrapolated(self, before: Matrix, value: Matrix, rows: Indices) -> Matrix:
        """What follows from the value (r, w) that the iteration gives for the one before, of some rows.

        One after the other: a row takes a tenth of a millisecond, and threads would wait for each other.
        """
        found = np.empty_like(value)
        for place, row in enumerate(rows.tolist()):
            residual = value[place] - before[place]
            found[place] = value[place] - self._taken_off(row, value[place], residual)
            self.value[row], self.residual[row] = value[place], residual
        self.steps += 1
        return found

    def _taken_off(self, row: int, value: Matrix, residual: Matrix) -> Matrix | float:
        """(w,), or 0 where a row begins anew."""
        changes, of_residual, products = self.changes[row], self.of_residual[row], self.products[row]
        length = float(np.linalg.norm(residual))
        if length > TOO_LONG * self.least[row]:
            changes[:], of_residual[:], products[:], self.least[row] = 0, 0, 0, length
            return 0.0
        self.least[row] = min(self.least[row], length)
        slot = self.steps % REMEMBERED
        changes[slot], of_residual[slot] = value - self.value[row], residual - self.residual[row]
        products[slot] = products[:, slot] = of_residual @ of_residual[slot]
        ridge = 1e-6 * np.trace(products) + np.finfo(np.float32).tiny
        shares = np.linalg.solve(products + ridge * np.eye(REMEMBERED), of_residual @ residual.astype(np.float32))
        taken_off: Matrix = shares.astype(np.float32) @ changes
        return taken_off


class _Measured(NamedTuple):
    """M Z G of the weights Z (l, w), a dual point, F and its relative gap, and the labels whose gradients exceed the slack."""

    WGM: Matrix
    dual: DualPoint
    objective: float
    gap: float
    slack: float
    exceeding: Indices


class _Certificate:
    """What measures the gap: the dual point is the residual of W, corrected where that may bring the gap to the tolerance.

    worth_correcting: the gap from which on that is tried, as it takes as long as some twenty steps. After a correction that was
    not enough it is the gap at which one that lowers it by as much is, or half of the gap there was.
    """

    def __init__(self, problem: Problem, work: WorkingSet, tol: float) -> None:
        self.problem, self.work, self.tol = problem, work, tol
        self.bound = gradient_bound(problem, work)
        self.worth_correcting = FIRST_CORRECTED_WITHIN * tol

    def measured(self, state: _State) -> _Measured:
        Z, Y = state.Z, self.work.M @ (state.W - state.Z)
        WGM = self.work.M @ (Z @ self.work.G)
        found = self._rated(Z, WGM, Y)
        if not self.tol < found.gap <= self.worth_correcting:
            return found
        of_W, gradient = self.work.B - WGM, found.dual.negative_gradient
        corrected = self._rated(Z, WGM, corrected_by_label(self.work, of_W, self.bound, Y, gradient, found.slack))
        self.worth_correcting = found.gap * max(self.tol / max(corrected.gap, self.tol), 0.5)
        return min(found, corrected._replace(exceeding=found.exceeding), key=attrgetter("gap"))

    def _rated(self, Z: Matrix, WGM: Matrix, Y: Matrix) -> _Measured:
        dual = residual_of(self.work, self.work.B - WGM, Y)
        excess = excess_of_bound(dual.negative_gradient, self.bound)
        F, gap = objective_and_gap_by_label(self.problem, self.work, Z, WGM, dual, excess)
        slack = self._slack(Z, F)
        return _Measured(WGM, dual, F, gap, slack, np.flatnonzero(excess > slack))

    def _slack(self, Z: Matrix, F: float) -> float:
        """The share by which gradients may exceed lambda1: s raises the gap by s lambda1 |Z|_1 at most, half of the tolerance."""
        return self.tol / 2 * F / max(penalty_of(self.problem, self.work, Z), self.tol * F)
