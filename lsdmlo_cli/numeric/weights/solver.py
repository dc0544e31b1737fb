"""Label-specific feature weights: the W (e x q) that minimises

    F(W) = 1/2 |E W - Y|^2 + lambda1 |W|_1 + lambda2/2 tr(E W Lap (E W)')

(appendix of the paper, eq. lsd_obj_appendix). With G = E'E, B = E'Y, S = Y'Y and M = I + lambda2 Lap this is

    F(W) = 1/2 <W, G W M> - <B, W> + 1/2 tr S + lambda1 |W|_1,      gradient of the smooth part: G W M - B.

The method is the accelerated proximal gradient of the appendix with changes that keep its minimum.

- Its quadratic model of the smooth part, one Lipschitz constant, is replaced by a closer one. With the
  columns of E scaled to length 1 and M to a diagonal of 1, M <= c I and G <= delta I + U U', where U holds
  the few largest eigenvalues of G. Raw features have some directions (their common mean, above all) that are
  a hundred times stronger than the rest; U takes those, and the steps grow by lmax(G) / delta.
- Features without a weight are left out while they stay so, and of many labels those without a weight, too: the iteration
  runs on a working set that the gradient on all of them enlarges.
- A problem whose working set outgrows the descent, or is about to, is handed to the alternating direction method of multipliers
  (splitting).
- It starts from 0 or from weights for other lambdas, not from a ridge solution, whose weights are all different from 0.
- It stops by a duality gap, not by a change of F, and the momentum restarts when it stops helping. The dual point is the
  residual at W after a feasibility correction, since the gradient of long columns converges last.

Four tolerances, each relative to F or to lambda1, follow from the one that is asked for:

    tol                         the gap of the whole problem at which the weights count as found
    _working_tolerance          the gap to which a working set is solved: below tol at the end, larger before
    CERTIFY_WITHIN tol          a gap beyond this is not worth a feasibility correction when the set has just grown
    certificate.SLACK tol       how far the gradient may exceed lambda1 after the correction
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.matrix import as_dense
from lsdmlo_cli.numeric.threads import mapping, spread
from lsdmlo_cli.numeric.weights import descent, splitting
from lsdmlo_cli.numeric.weights.certificate import objective_and_gap
from lsdmlo_cli.numeric.weights.descent import Start, Stop
from lsdmlo_cli.numeric.weights.gram_matrices import Gram
from lsdmlo_cli.numeric.weights.graph import MOST_LABELS_DENSE
from lsdmlo_cli.numeric.weights.problem import LARGEST_WORKING_GRAM, Matrix, Problem, distinct_and_scaled, working_set

FIRST_WORKING_SET = 256
"""Features. With 1,024, or all at once, medical took about twice the time; with 64, enron and scene took over 30 % more steps."""

MOST_FEATURES_TO_DESCEND = 7168
"""Of a working set. Where the descent converges within 300 steps its sets end at up to 6,100 features; those of the problems that
take it minutes double from 4,096 to 8,192."""

MOST_EXCEEDING = 14_000
"""Features whose gradient exceeds lambda1 when two working sets have been solved. Of yahoo-Arts1 and rcv1subset1, at three scales
with three pairs of lambda, those that outgrow the descent have 15,300 to 22,100 then, the others 400 to 12,800."""

FEATURES_PER_BLOCK = 2048
LABELS_PER_BLOCK = MOST_LABELS_DENSE
"""A block of the gradient has 16 MB. With blocks of 256 or of 16,384 features the time was the same within the noise."""

CERTIFY_WITHIN = 100
"""Tolerances. The steps are the same from 1 to 10,000 on seven data sets, but for one with fewer at 10,000 (medical, 70 of 90):
what is saved is the correction of a dual point that is dropped."""

FIRST_SHARE = 0.9
LEAST_SHARE = 0.01
"""Of the tolerance to which a working set is solved. The first leaves something for the features outside of it, the last is where
their part of the gap can be nothing but rounding. With a first one of 0.5 medical took 100 steps in place of 90; else it was
equal."""


@dataclass(frozen=True)
class FeatureWeights:
    """W (e x q, a CSC array without stored zeros) and how near it came to the minimum of F.

    `relative_gap` bounds (F(W) - min F) / F(W), `objective` is F(W), and `converged` says whether the gap
    reached the tolerance within the iteration limit.
    """

    W: Any
    objective: float
    relative_gap: float
    iterations: int
    converged: bool


def solve(
    gram: Gram,
    laplacian: Any,
    *,
    lambda1: float = 1.0,
    lambda2: float = 1.0,
    stop: Stop | None = None,
    start: Any = None,
    threads: int = 1,
) -> FeatureWeights:
    """The W that minimises F, to a relative duality gap of `stop.tol`.

    gram: of E (n x e) and Y (n x q). laplacian: of the label graph, q x q, dense or CSR. lambda1 > 0, lambda2 >= 0.
    stop: None is a gap of 1e-4 within 100,000 iterations, however long they take. start: weights (e x q, sparse) to begin with,
    such as those for other lambdas; None is 0.

    Features that are zero in every row get zero weights; identical columns of E get identical weights. From
    lambda1 = max |B| on, W is 0. Where `stop.max_iter` iterations or `stop.is_late()` come before the tolerance, `converged` is
    False. The same input gives the same bits on any number of threads, unless it was late.

    >>> import scipy
    >>> from lsdmlo_cli.numeric.weights.gram_matrices import gram
    >>> E = np.array([[2.0, 0.0], [0.0, 1.0]])
    >>> fit = solve(gram(E, scipy.sparse.csr_array([[1.0], [1.0]])), np.zeros((1, 1)), lambda1=0.5, stop=Stop(1e-9))
    >>> fit.W.toarray().round(6).tolist(), round(fit.objective, 6), fit.converged
    ([[0.375], [0.5]], 0.59375, True)
    """
    import scipy.linalg  # with the BLAS of its own, which is limited like that of numpy

    stop = stop or Stop()
    # BLAS has one thread, since with more it would sum in another order; parts that share no sum are spread over threads.
    with mapping(threads) as run:
        problem, copy_of = distinct_and_scaled(gram, laplacian, lambda1, lambda2, run)
        begun = _scaled(problem, scipy.sparse.csc_array(gram.EtY.shape) if start is None else start, copy_of)
        active, objective, gap, iterations = _solve_on_working_sets(problem, begun, stop)
        W = _unscaled(problem, active, copy_of)
    return FeatureWeights(W, objective, gap, iterations, gap <= stop.tol)


def relevance(W: Any) -> Any:
    """theta_ij = exp|w_ij| / sum of exp|w| over the support of column j, on the support of W (e x q).

    The column's largest |w| is subtracted before exp, so nothing overflows. A column without a nonzero weight
    stays empty: its features count alike, which is for the caller to apply.

    >>> relevance(scipy.sparse.csc_array([[3.0, 0.0], [-3.0, 0.0], [0.0, 0.0]])).toarray().tolist()
    [[0.5, 0.0], [0.5, 0.0], [0.0, 0.0]]
    """
    W = scipy.sparse.csc_array(W)
    theta = np.abs(W.data)
    for start, stop in zip(W.indptr[:-1], W.indptr[1:], strict=True):
        if start < stop:
            shares = np.exp(theta[start:stop] - theta[start:stop].max())
            theta[start:stop] = shares / shares.sum()
    return scipy.sparse.csc_array((theta, W.indices.copy(), W.indptr.copy()), shape=W.shape)


class _ActiveWeights(NamedTuple):
    """The scaled weights W (l, w) of some labels and features, both rising; all others are 0."""

    labels: NDArray[np.intp]
    features: NDArray[np.intp]
    W: Matrix

    def widened(self, labels: NDArray[np.intp], features: NDArray[np.intp], W: Matrix) -> Matrix:
        """W (l, w), on these labels and features, on more of both."""
        wide = np.zeros((len(labels), len(features)))
        wide[np.ix_(np.searchsorted(labels, self.labels), np.searchsorted(features, self.features))] = W
        return wide


class _LargestGradients(NamedTuple):
    """The largest |B - G W M| of every feature (e,) over the labels, and of every label (q,) over the features."""

    of_features: Matrix
    of_labels: Matrix

    @property
    def largest(self) -> float:
        return float(self.of_features.max(initial=0.0))


def _scaled(problem: Problem, W: Any, copy_of: NDArray[np.intp]) -> _ActiveWeights:
    """The weights of W (e x q), on the features that have any, and on the labels that do where there are many."""
    W, q = scipy.sparse.coo_array(W), len(problem.M.m)
    counts = copy_of[W.row] >= 0
    features, column = np.unique(copy_of[W.row[counts]], return_inverse=True)
    labels = np.arange(q) if q <= MOST_LABELS_DENSE else np.unique(W.col[counts])
    weights = np.zeros((len(labels), len(features)))
    np.add.at(weights, (np.searchsorted(labels, W.col[counts]), column), W.data[counts])
    return _ActiveWeights(labels, features, weights * problem.g[features] * problem.M.m[labels, None])


def _unscaled(problem: Problem, active: _ActiveWeights, copy_of: NDArray[np.intp]) -> Any:
    """The weights of all columns of E as a CSC array."""
    e, q = len(copy_of), len(problem.M.m)
    copies = np.bincount(copy_of[copy_of >= 0], minlength=len(problem.columns))
    row = np.full(len(problem.columns) + 1, -1)  # the last: where the -1 of a zero column points
    row[active.features] = np.arange(len(active.features))
    place = row[copy_of]  # of every column of E in the working set
    rows = np.flatnonzero(place >= 0)
    place = place[rows]
    shares = problem.g[active.features[place]] * copies[active.features[place]]
    nonzero = np.zeros(q, np.int64)
    indices, data = [rows[:0]], [shares[:0]]
    for label, weights in zip(active.labels, active.W, strict=True):
        column = weights[place] / shares / problem.M.m[label]
        support = np.flatnonzero(column)
        indices.append(rows[support])
        data.append(column[support])
        nonzero[label] = len(support)
    indptr = np.concatenate([[0], np.cumsum(nonzero)])
    return scipy.sparse.csc_array((np.concatenate(data), np.concatenate(indices), indptr), shape=(e, q))


def _solve_on_working_sets(problem: Problem, active: _ActiveWeights, stop: Stop) -> tuple[_ActiveWeights, float, float, int]:
    """Solve on a working set, take the gradient on everything, enlarge the set, until the gap is closed.

    Begins with the active weights given. Returns those of the last set, F, its relative gap and the iterations.
    """
    whole, iterations = (len(problem.M.m), len(problem.columns)), 0
    gradients = _largest_gradients(problem, active, active.W)
    is_minimum = not len(active.features) and gradients.largest <= problem.lambda1
    F, gap = problem.trace_S / 2, 0.0 if is_minimum else np.inf  # the loop measures the gap of weights that are not 0
    share, Z, set_gap = FIRST_SHARE, np.zeros_like(active.W), np.inf
    while gap > stop.tol and iterations < stop.max_iter:
        labels, features = _enlarged(problem, active, gradients)
        splits = _outgrows_descent(problem, active, features, gradients)
        if splits:
            labels, features = (np.arange(size) for size in whole)
        first_W, first_Z = (active.widened(labels, features, weights) for weights in (active.W, Z))
        before, work = (iterations, active.W.shape), working_set(problem, labels, features)
        is_whole = first_W.shape == whole
        tol = stop.tol if is_whole else _working_tolerance(stop.tol, gap, share)
        is_far = iterations > 0 and (gap > CERTIFY_WITHIN * stop.tol or set_gap > tol)
        start = Start(first_W, first_Z, iterations, is_far)
        way = splitting if splits else descent
        W, WGM, dual, F, set_gap, iterations = way.minimize(problem, work, start, replace(stop, tol=tol))
        active, Z = _ActiveWeights(labels, features, W), dual.Z
        if is_whole:
            gap = set_gap
            break
        late = stop.is_late()
        gradients = _largest_gradients(problem, active, W + Z)
        F, gap = objective_and_gap(problem, work, W, WGM, dual, gradients.largest)
        if late:
            break
        if before == (iterations, W.shape):  # the set meets its tolerance, and the whole does not meet its own
            share /= 4
            if share < LEAST_SHARE:
                break  # what remains of the gap is rounding
    stop.watch(iterations, gap)
    return active, F, gap, iterations


def _outgrows_descent(problem: Problem, active: _ActiveWeights, features: NDArray[np.intp], gradients: _LargestGradients) -> bool:
    """Whether a working set of these features, or one of those that follow, is left to the method of multipliers."""
    is_about_to = (
        len(active.features) >= 2 * FIRST_WORKING_SET
        and np.count_nonzero(gradients.of_features > problem.lambda1) > MOST_EXCEEDING
    )
    return (is_about_to or len(features) > MOST_FEATURES_TO_DESCEND) and splitting.serves(problem)


def _working_tolerance(tol: float, gap: float, share: float) -> float:
    """The gap to which a working set is solved: a tenth of the whole problem's gap, and at last a share of its tolerance."""
    return max(share * tol, min(0.1 * gap, 0.05))


def _enlarged(
    problem: Problem, active: _ActiveWeights, gradients: _LargestGradients
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The labels and features of the next working set: those that are active, and those whose gradient exceeds lambda1.

    Of such features only the largest gradients, so that the set has about twice as many features as have a weight now.
    """
    labels = np.union1d(active.labels, np.flatnonzero(gradients.of_labels > problem.lambda1))
    e = len(gradients.of_features)
    room = max(2 * int(active.W.any(axis=0).sum()), FIRST_WORKING_SET)
    if 2 * room >= e and e <= LARGEST_WORKING_GRAM:
        return labels, np.arange(e)
    outside = np.setdiff1d(np.flatnonzero(gradients.of_features > problem.lambda1), active.features, assume_unique=True)
    by_gradient = outside[np.argsort(-gradients.of_features[outside], kind="stable")]
    return labels, np.union1d(active.features, by_gradient[: max(room - len(active.features), room // 4)])


def _largest_gradients(problem: Problem, active: _ActiveWeights, W: Matrix) -> _LargestGradients:
    """Of the smooth part at W (l, w), which is on the labels and features of the active weights."""
    B, EtE, columns, M = problem.gram.EtY, problem.gram.EtE, problem.columns, problem.M
    live = np.flatnonzero(W.any(axis=0))
    features = active.features[live]
    of_features, of_labels = np.zeros(len(columns)), np.zeros(len(M.m))
    starts = range(0, len(columns), FEATURES_PER_BLOCK)

    def of_block(labels: NDArray[np.intp], right: Matrix, start: int) -> Matrix:
        """Set the largest of a block of features; returned are the largest of the labels in the block."""
        block = slice(start, start + FEATURES_PER_BLOCK)
        left = problem.E[:, block].T if EtE is None else EtE[np.ix_(columns[block], columns[features])]
        gradient = np.abs(as_dense(B[columns[block]][:, labels[0] : labels[-1] + 1]) - left @ right)
        of_features[block] = np.maximum(of_features[block], gradient.max(axis=1, initial=0.0))
        largest: Matrix = gradient.max(axis=0, initial=0.0)
        return largest

    for first in range(0, len(M.m), LABELS_PER_BLOCK):
        labels = np.arange(first, min(first + LABELS_PER_BLOCK, len(M.m)))
        # Scaled M times scaled weights is M W times m on one side; W is divided by m g.
        WM = ((M.between(labels, active.labels) @ W[:, live]) * M.m[labels, None] / problem.g[features]).T
        right = WM if EtE is not None else problem.E[:, features] @ WM
        for found in spread(problem.run, partial(of_block, labels, right), starts):
            of_labels[labels] = np.maximum(of_labels[labels], found)
    return _LargestGradients(of_features, of_labels)
