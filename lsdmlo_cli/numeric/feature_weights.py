"""Label-specific feature weights: the W (e x q) that minimises

    F(W) = 1/2 |E W - Y|^2 + lambda1 |W|_1 + lambda2/2 tr(E W Lap (E W)')

(appendix of the paper, eq. lsd_obj_appendix). With G = E'E, B = E'Y, S = Y'Y and M = I + lambda2 Lap this is

    F(W) = 1/2 <W, G W M> - <B, W> + 1/2 tr S + lambda1 |W|_1,      gradient of the smooth part: G W M - B.

The method is the accelerated proximal gradient of the appendix with changes that keep its minimum.

- Its quadratic model of the smooth part, one Lipschitz constant, is replaced by a closer one. With the
  columns of E scaled to length 1 and M to a diagonal of 1, M <= c I and G <= delta I + U U', where U holds
  the few largest eigenvalues of G. Raw features have some directions (their common mean, above all) that are
  a hundred times stronger than the rest; U takes those, and the steps grow by lmax(G) / delta.
- Features without a weight are left out while they stay so: the iteration runs on a working set of features
  that the gradient on all of them enlarges.
- It starts from 0 or from weights for other lambdas, not from a ridge solution, whose weights are all different from 0.
- It stops by a duality gap, not by a change of F, and the momentum restarts when it stops helping. The dual
  point is the residual of weights near W whose slopes are mended, since those of long columns come right last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lsdmlo_cli.numeric.duality_gap import certificate
from lsdmlo_cli.numeric.gram import Gram
from lsdmlo_cli.numeric.proximal_gradient import Watch, accelerated
from lsdmlo_cli.numeric.weights_problem import LARGEST_WORKING_GRAM, Matrix, Problem, distinct_and_scaled, working_set

FIRST_WORKING_SET = 256
FEATURES_PER_BLOCK = 2048
NEARLY = 100  # tolerances: a set that has just grown may be certified at once from here on
LEAST_SHARE = 0.01  # of the tolerance that a working set must be solved to


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
    laplacian: Matrix,
    *,
    lambda1: float = 1.0,
    lambda2: float = 1.0,
    tol: float = 1e-4,
    max_iter: int = 100_000,
    start: Any = None,
    watch: Watch | None = None,
) -> FeatureWeights:
    """The W that minimises F, to a relative duality gap of `tol`.

    gram: of E (n x e) and Y (n x q). laplacian: of the label graph, q x q. lambda1 > 0, lambda2 >= 0, tol > 0. start: weights
    (e x q, sparse) to begin with, such as those for other lambdas; None is 0. watch(iterations, relative gap) is
    called now and then.

    Features that are zero in every row get zero weights; identical columns of E get identical weights. From
    lambda1 = max |B| on, W is 0. Where the limit `max_iter` comes before the tolerance `converged` is False.
    The same input gives the same bits on any number of threads.

    >>> import scipy.sparse as sp
    >>> from lsdmlo_cli.numeric.gram import gram
    >>> E = np.array([[2.0, 0.0], [0.0, 1.0]])
    >>> fit = solve(gram(E, sp.csr_array([[1.0], [1.0]])), np.zeros((1, 1)), lambda1=0.5, tol=1e-9)
    >>> fit.W.toarray().round(6).tolist(), round(fit.objective, 6), fit.converged
    ([[0.375], [0.5]], 0.59375, True)
    """
    # With more threads BLAS would sum in another order.
    with threadpool_limits(1, user_api="blas"):
        problem, copy_of = distinct_and_scaled(gram, laplacian, lambda1, lambda2)
        begun = _scaled(problem, sp.csc_array(gram.EtY.shape) if start is None else start, copy_of)
        features, scaled_W, objective, gap, iterations = _descend(problem, *begun, tol, max_iter, watch or _silent)
        W = _unscaled(problem, features, scaled_W, copy_of)
    return FeatureWeights(W, objective, gap, iterations, gap <= tol)


def _silent(iterations: int, relative_gap: float) -> None: ...


def relevance(W: Any) -> Any:
    """theta_ij = exp|w_ij| / sum of exp|w| over the support of column j, on the support of W (e x q).

    The column's largest |w| is subtracted before exp, so nothing overflows. A column without a nonzero weight
    stays empty: its features count alike, which is for the caller to apply.

    >>> relevance(sp.csc_array([[3.0, 0.0], [-3.0, 0.0], [0.0, 0.0]])).toarray().tolist()
    [[0.5, 0.0], [0.5, 0.0], [0.0, 0.0]]
    """
    W = sp.csc_array(W)
    theta = np.abs(W.data)
    for start, stop in zip(W.indptr[:-1], W.indptr[1:], strict=True):
        if start < stop:
            shares = np.exp(theta[start:stop] - theta[start:stop].max())
            theta[start:stop] = shares / shares.sum()
    return sp.csc_array((theta, W.indices.copy(), W.indptr.copy()), shape=W.shape)


def _scaled(problem: Problem, W: Any, copy_of: NDArray[np.intp]) -> tuple[NDArray[np.intp], Matrix]:
    """The features that have a weight in W (e x q), and these weights as the iteration knows them (q, w)."""
    W = sp.coo_array(W)
    counts = copy_of[W.row] >= 0
    features, place = np.unique(copy_of[W.row[counts]], return_inverse=True)
    weights = np.zeros((len(problem.m), len(features)))
    np.add.at(weights, (W.col[counts], place), W.data[counts])
    return features, weights * problem.g[features] * problem.m[:, None]


def _unscaled(problem: Problem, features: NDArray[np.intp], W: Matrix, copy_of: NDArray[np.intp]) -> Any:
    """The weights of all columns of E as a CSC array."""
    e, q = len(copy_of), len(problem.m)
    copies = np.bincount(copy_of[copy_of >= 0], minlength=len(problem.columns))
    row = np.full(len(problem.columns) + 1, -1)  # the last: where the -1 of a zero column points
    row[features] = np.arange(len(features))
    place = row[copy_of]  # of every column of E in the working set
    rows = np.flatnonzero(place >= 0)
    place = place[rows]
    shares = problem.g[features[place]] * copies[features[place]]
    indptr, indices, data = [0], [], []
    for weights, m in zip(W, problem.m, strict=True):
        column = weights[place] / shares / m
        support = np.flatnonzero(column)
        indices.append(rows[support])
        data.append(column[support])
        indptr.append(indptr[-1] + len(support))
    if not q:
        return sp.csc_array((e, q))
    return sp.csc_array((np.concatenate(data), np.concatenate(indices), indptr), shape=(e, q))


def _descend(
    problem: Problem, features: NDArray[np.intp], W: Matrix, tol: float, max_iter: int, watch: Watch
) -> tuple[NDArray[np.intp], Matrix, float, float, int]:
    """Solve on a working set, look at the gradient on all features, enlarge the set, until the gap is closed.

    Begins with W (q, w) on `features`, rising. Returns the features of the last set, W on them, F, its relative gap
    and the iterations.
    """
    e, q, iterations = len(problem.columns), len(problem.m), 0
    slopes = _slopes(problem, features, W)
    settled = not len(features) and slopes.max(initial=0.0) <= problem.lambda1
    F, gap = problem.trace_S / 2, 0.0 if settled else np.inf  # the gap of other weights is looked at in the loop
    share, Z, part_gap = 0.9, np.zeros_like(W), np.inf
    while gap > tol and iterations < max_iter:
        enlarged = _enlarged(problem, features, W, slopes)
        start, near = np.zeros((2, q, len(enlarged)))
        start[:, np.searchsorted(enlarged, features)], near[:, np.searchsorted(enlarged, features)] = W, Z
        before, features, work = (iterations, len(features)), enlarged, working_set(problem, enlarged)
        # A part is solved only as well as the whole deserves so far.
        part_tol = tol if len(features) == e else max(share * tol, min(0.1 * gap, 0.05))
        is_far = iterations > 0 and (gap > NEARLY * tol or part_gap > part_tol)
        W, WGM, dual, iterations = accelerated(problem, work, start, part_tol, iterations, max_iter, watch, is_far, near)
        F, part_gap = certificate(problem, work, W, WGM, dual)
        if len(features) == e:
            gap = part_gap
            break
        Z = dual.Z
        slopes = _slopes(problem, features, W + Z)
        F, gap = certificate(problem, work, W, WGM, dual, float(slopes.max()))
        if before == (iterations, len(features)):
            share /= 4  # the set is solved well enough by its own features, not by all of them
            if share < LEAST_SHARE:
                break  # what is left of the gap is rounding
    watch(iterations, gap)
    return features, W, F, gap, iterations


def _enlarged(problem: Problem, features: NDArray[np.intp], W: Matrix, slopes: Matrix) -> NDArray[np.intp]:
    """The features of the set and the steepest others, about twice as many as have a weight now."""
    e = len(slopes)
    room = max(2 * int(W.any(axis=0).sum()), FIRST_WORKING_SET)
    if 2 * room >= e and e <= LARGEST_WORKING_GRAM:
        return np.arange(e)
    outside = np.setdiff1d(np.flatnonzero(slopes > problem.lambda1), features, assume_unique=True)
    steepest = outside[np.argsort(-slopes[outside], kind="stable")]
    return np.union1d(features, steepest[: max(room - len(features), room // 4)])


def _slopes(problem: Problem, features: NDArray[np.intp], W: Matrix) -> Matrix:
    """For every feature the largest |B - G W M| over the labels, of W (q, w) on a working set."""
    B, EtE, columns = problem.gram.EtY, problem.gram.EtE, problem.columns
    live = np.flatnonzero(W.any(axis=0))
    features = features[live]
    # Scaled M times scaled weights is M W times m on one side; W is divided by m g.
    WM = ((problem.M @ W[:, live]) * problem.m[:, None] / problem.g[features]).T
    right = WM if EtE is not None else problem.E[:, features] @ WM
    slopes = np.empty(len(columns))
    for start in range(0, len(columns), FEATURES_PER_BLOCK):
        block = slice(start, start + FEATURES_PER_BLOCK)
        left = problem.E[:, block].T if EtE is None else EtE[np.ix_(columns[block], columns[features])]
        slopes[block] = np.abs(B[columns[block]] - left @ right).max(axis=1, initial=0.0)
    return slopes
