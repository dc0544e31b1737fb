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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lsdmlo_cli.numeric.gram import Gram

# Eigenvectors of G in the metric. More of them cost more per step than they save in steps.
METRIC_RANK = 12
# Up to here all eigenvalues of G cost less than a Lanczos iteration.
DENSE_EIGENSOLVER_SIZE = 400
# A working set of up to this many features has its own Gram matrix, in single precision.
LARGEST_WORKING_GRAM = 4096
FIRST_WORKING_SET = 256
# A block of labels in the proximal step: small enough for the cache, but not so few labels that reading the
# metric costs more than they do.
WEIGHTS_PER_BLOCK = 1 << 15
LEAST_LABELS_PER_BLOCK = 32
FEATURES_PER_BLOCK = 2048
NEARLY = 100  # tolerances: a set that has just grown may be certified at once from here on
LEAST_SHARE = 0.01  # of the tolerance that a working set must be solved to
NEWTON_STEPS = 12
# Rounds of mending a dual point, of how many features at a time, and what is added to the diagonal of their G.
MENDS = 12
MOST_IDLE_MENDS = 3
MOST_MENDED = 4096
LEAST_RIDGE = 1e-6
# The least delta / lmax, before an equation that Newton's method does not solve raises it.
SHARPEST_METRIC = 1e-3

Matrix = NDArray[np.float64]
Single = NDArray[np.float32]
Watch = Callable[[int, float], None]


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


@dataclass(frozen=True)
class _Problem:
    """The problem on the distinct nonzero columns of E, and what of it no restriction changes."""

    gram: Gram
    columns: NDArray[np.intp]  # of E, one of each kind
    E: Any  # those columns in the operator form, else None
    g: Matrix  # their lengths
    m: Matrix  # square roots of the diagonal of M
    M: Matrix  # scaled: M_jh / (m_j m_h)
    M_inverse: Matrix  # of the scaled M
    T_T: float  # |T|^2 = tr(M^-1 S)
    trace_S: float
    lambda1: float


@dataclass(frozen=True)
class _WorkingSet:
    """The scaled problem on w features. A row is a label here: the proximal step falls apart by label."""

    B: Matrix  # (q, w)
    g: Matrix  # (w,)
    G: Any  # (w, w), or an operator
    G_single: Any
    E: Any  # (n, w) where G_single is an operator, else None

    def gram_of(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Single:
        """G between some of the features and others."""
        if self.E is None:
            return self.G_single[np.ix_(rows, columns)]
        return _gram_single(self.E[:, rows], self.E[:, columns])


@dataclass(frozen=True)
class _Metric:
    """delta I + U U', an upper bound of the scaled G."""

    delta: float
    U: Matrix  # (w, r)
    tilt: Matrix  # U' / delta
    U_products: Single  # (w, r r): u_ia u_ib / delta
    identity: Matrix  # (r, r)


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

    gram: of E (n x e) and Y (n x q). laplacian: of the label graph, q x q. lambda1 > 0, lambda2 >= 0. start: weights
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
        problem, copy_of = _distinct_and_scaled(gram, laplacian, lambda1, lambda2)
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


def _distinct_and_scaled(
    gram: Gram, laplacian: Matrix, lambda1: float, lambda2: float
) -> tuple[_Problem, NDArray[np.intp]]:
    """The problem, and for every column of E which distinct one it is a copy of (-1: it is zero).

    A weight v on one column does the same to F as v/c on each of its c copies.
    """
    squares = np.diag(gram.EtE) if gram.EtE is not None else _column_squares(gram.E)
    used = np.flatnonzero(squares > 0)
    kinds = used if gram.fingerprint is None else gram.fingerprint[used]
    _, first, inverse = np.unique(kinds, return_index=True, return_inverse=True)
    copy_of = np.full(len(squares), -1)
    copy_of[used] = inverse
    columns = used[first]
    E = sp.csc_array(gram.E) if sp.issparse(gram.E) else gram.E
    M = np.eye(len(laplacian)) + lambda2 * laplacian
    m = np.sqrt(np.diag(M))
    scaled_M = M / np.outer(m, m)
    T_T = float(np.trace(scipy.linalg.solve(M, gram.YtY, assume_a="pos")))
    problem = _Problem(
        gram=gram,
        columns=columns,
        E=None if E is None else E[:, columns],
        g=np.sqrt(squares[columns]),
        m=m,
        M=scaled_M,
        M_inverse=np.linalg.inv(scaled_M),
        T_T=T_T,
        trace_S=float(np.trace(gram.YtY)),
        lambda1=lambda1,
    )
    return problem, copy_of


def _column_squares(E: Any) -> Matrix:
    if sp.issparse(E):
        return np.asarray(np.bincount(E.indices, E.data**2, minlength=E.shape[1]), np.float64)
    squares: Matrix = np.einsum("ij,ij->j", E, E)
    return squares


def _scaled(problem: _Problem, W: Any, copy_of: NDArray[np.intp]) -> tuple[NDArray[np.intp], Matrix]:
    """The features that have a weight in W (e x q), and these weights as the iteration knows them (q, w)."""
    W = sp.coo_array(W)
    counts = copy_of[W.row] >= 0
    features, place = np.unique(copy_of[W.row[counts]], return_inverse=True)
    weights = np.zeros((len(problem.m), len(features)))
    np.add.at(weights, (W.col[counts], place), W.data[counts])
    return features, weights * problem.g[features] * problem.m[:, None]


def _unscaled(problem: _Problem, features: NDArray[np.intp], W: Matrix, copy_of: NDArray[np.intp]) -> Any:
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


# ---- The working set of features


def _descend(
    problem: _Problem, features: NDArray[np.intp], W: Matrix, tol: float, max_iter: int, watch: Watch
) -> tuple[NDArray[np.intp], Matrix, float, float, int]:
    """Solve on a working set, look at the gradient on all features, enlarge the set, until the gap is closed.

    Begins with W (q, w) on `features`, rising. Returns the features of the last set, W on them, F, its relative gap
    and the iterations.
    """
    e, q, iterations = len(problem.columns), len(problem.m), 0
    slopes = _slopes(problem, features, W)
    settled = not len(features) and slopes.max(initial=0.0) <= problem.lambda1
    F, gap = problem.trace_S / 2, 0.0 if settled else np.inf  # the gap of other weights is looked at in the loop
    share = 0.9
    while gap > tol and iterations < max_iter:
        enlarged = _enlarged(problem, features, W, slopes)
        start = np.zeros((q, len(enlarged)))
        start[:, np.searchsorted(enlarged, features)] = W
        before, features, work = (iterations, len(features)), enlarged, _working_set(problem, enlarged)
        is_far = iterations > 0 and len(features) > before[1] and gap > NEARLY * tol
        # A part is solved only as well as the whole deserves so far.
        part_tol = tol if len(features) == e else max(share * tol, min(0.1 * gap, 0.05))
        W, WGM, dual, iterations = _accelerated(problem, work, start, part_tol, iterations, max_iter, watch, is_far)
        if len(features) == e:
            F, gap = _certificate(problem, work, W, WGM, dual, _steepest(problem, work, dual.slopes))
            break
        slopes = _slopes(problem, features, W + dual.Z)
        F, gap = _certificate(problem, work, W, WGM, dual, float(slopes.max()))
        if before == (iterations, len(features)):
            share /= 4  # the set is solved well enough by its own features, not by all of them
            if share < LEAST_SHARE:
                break  # what is left of the gap is rounding
    watch(iterations, gap)
    return features, W, F, gap, iterations


def _enlarged(problem: _Problem, features: NDArray[np.intp], W: Matrix, slopes: Matrix) -> NDArray[np.intp]:
    """The features of the set and the steepest others, about twice as many as have a weight now."""
    e = len(slopes)
    room = max(2 * int(W.any(axis=0).sum()), FIRST_WORKING_SET)
    if 2 * room >= e and e <= LARGEST_WORKING_GRAM:
        return np.arange(e)
    outside = np.setdiff1d(np.flatnonzero(slopes > problem.lambda1), features, assume_unique=True)
    steepest = outside[np.argsort(-slopes[outside], kind="stable")]
    return np.union1d(features, steepest[: max(room - len(features), room // 4)])


def _slopes(problem: _Problem, features: NDArray[np.intp], W: Matrix) -> Matrix:
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


def _working_set(problem: _Problem, features: NDArray[np.intp]) -> _WorkingSet:
    g, columns = problem.g[features], problem.columns[features]
    B = np.ascontiguousarray(problem.gram.EtY[columns].T)
    B /= g
    B /= problem.m[:, None]
    if problem.gram.EtE is not None:
        G = problem.gram.EtE[np.ix_(columns, columns)]
        G /= g
        G /= g[:, None]
        return _WorkingSet(B, g, G, G.astype(np.float32), None)
    E = problem.E[:, features]
    E = sp.csr_array(E @ sp.diags_array(1 / g)) if sp.issparse(E) else E / g
    G = _product_operator(E)
    if len(features) > LARGEST_WORKING_GRAM:
        E_single = E.astype(np.float32)
        return _WorkingSet(B, g, G, _product_operator(E_single), E_single)
    return _WorkingSet(B, g, G, _gram_single(E, E), None)


def _gram_single(left: Any, right: Any) -> Single:
    """left' right in single precision, a block of features at a time."""
    G = np.empty((left.shape[1], right.shape[1]), np.float32)
    left_t = left.T.tocsr() if sp.issparse(left) else left.T
    for start in range(0, len(G), 512):
        part = left_t[start : start + 512] @ right
        G[start : start + 512] = part.toarray() if sp.issparse(part) else part
    return G


def _product_operator(E: Any) -> Any:
    """G = E'E as an operator that is never formed."""
    Et = E.T.tocsr() if sp.issparse(E) else E.T

    def product(V: Any) -> Any:
        return Et @ (E @ V)

    e = E.shape[1]
    return sp.linalg.LinearOperator(
        (e, e), matvec=product, rmatvec=product, matmat=product, rmatmat=product, dtype=E.dtype
    )


# ---- The certificate


@dataclass(frozen=True)
class _DualPoint:
    """The residual T - E (W + Z) C, a point of the dual once it is scaled; see _certificate.

    slopes: B - G (W + Z) M. change: Z M G, what Z takes from the slopes of W.
    """

    Z: Matrix  # (q, w)
    slopes: Matrix  # (q, w)
    change: Matrix  # (q, w)


def _dual_point(
    problem: _Problem, work: _WorkingSet, W: Matrix, WGM: Matrix, rounds: int, tol: float
) -> tuple[_DualPoint, float]:
    """Z = 0, or the best of that and the Z of some rounds that mend the slopes beyond lambda1; and the relative gap.

    Z M = Y takes Y G from the slopes, so that each label is mended apart. Let K be the features of a label whose slopes are
    beyond lambda1 or were so before, and x the part beyond. Then Y_K grows by G_KK^-1 x, which brings the slopes on K to
    lambda1; those of other features change little where W is near the minimum, and join K in the next round. It ends
    where some rounds bring next to nothing.
    """
    bound = problem.lambda1 / np.multiply.outer(problem.m, work.g)
    slopes = work.B - WGM
    Y = np.zeros_like(slopes)
    last = best = _DualPoint(Y, slopes, Y)
    least, idle = _certificate(problem, work, W, WGM, best, _steepest(problem, work, slopes))[1], 0
    K = np.zeros(slopes.shape, dtype=bool)
    at_once = 1 if work.E is None else rounds  # where G has to be made, its factor should serve all rounds
    while rounds and least > tol:
        rounds -= at_once
        K |= np.abs(last.slopes) > bound
        for mended in _mended(work, K, slopes, last.slopes, bound, Y, at_once):
            Y = mended
            change = Y @ work.G
            last = _DualPoint(problem.M_inverse @ Y, slopes - change, change)
            gap = _certificate(problem, work, W, WGM, last, _steepest(problem, work, last.slopes))[1]
            idle = 0 if gap < 0.9 * least else idle + 1
            if gap < least:
                best, least = last, gap
            if least <= tol or idle == MOST_IDLE_MENDS:
                return best, least
    return best, least


def _mended(
    work: _WorkingSet, K: NDArray[np.bool_], slopes: Matrix, last: Matrix, bound: Matrix, Y: Matrix, rounds: int
) -> Iterator[Matrix]:
    """Y (q, w) after each of some further rounds. slopes: (q, w) of Y = 0. last: those of Y now.

    One K serves all labels where that is less work.
    """
    found = np.zeros((rounds, *Y.shape), np.float32)
    sizes = K.sum(axis=1)
    together = np.count_nonzero(K.any(axis=0))
    one_by_one = together > MOST_MENDED or together**3 > (sizes.astype(np.float64) ** 3).sum()
    for labels in [slice(label, label + 1) for label in np.flatnonzero(sizes)] if one_by_one else [slice(None)]:
        of_rounds = _mended_label(work, K[labels], slopes[labels], last[labels], bound[labels], Y[labels])
        for place, mended in enumerate(islice(of_rounds, rounds)):
            found[place, labels] = mended
    return (each.astype(np.float64) for each in found)


def _mended_label(
    work: _WorkingSet, K: NDArray[np.bool_], slopes: Matrix, last: Matrix, bound: Matrix, Y: Matrix
) -> Iterator[Matrix]:
    """`_mended` for a label, or for some of which the K serve all. Where these are too many features Y stays as it is."""
    factor = _Factor(work)
    while True:
        beyond = last - np.clip(last, -bound, bound)
        if factor.extend(np.flatnonzero(K.any(axis=0))):
            Y = Y.copy()
            Y[:, factor.features] += factor.solve(beyond[:, factor.features].T).T
        yield Y
        last = slopes - Y @ work.G
        K = np.abs(last) > bound


class _Factor:
    """The Cholesky factor of G_KK (scaled, diagonal 1) in single precision, with a ridge; it grows with K."""

    def __init__(self, work: _WorkingSet) -> None:
        self.work = work
        self.features = np.zeros(0, dtype=np.intp)
        self.L = np.zeros((0, 0), np.float32)
        self.ridge = LEAST_RIDGE

    def extend(self, features: NDArray[np.intp]) -> bool:
        """Put features into K, unless it becomes too large."""
        new = np.setdiff1d(features, self.features)
        if len(self.features) + len(new) > MOST_MENDED:
            return False
        if not len(new):
            return True
        old = len(self.features)
        self.features = np.concatenate([self.features, new])
        below = self.work.gram_of(new, self.features)
        try:
            self._border(below[:, :old], below[:, old:])
        except scipy.linalg.LinAlgError:
            self._anew()
        return True

    def _border(self, across: Single, corner: Single) -> None:
        old = len(self.L)
        L = np.zeros((old + len(corner),) * 2, np.float32, order="F")
        L[:old, :old] = self.L
        L[old:, :old] = scipy.linalg.solve_triangular(self.L, across.T, lower=True, check_finite=False).T if old else 0
        corner = corner - L[old:, :old] @ L[old:, :old].T
        corner[np.diag_indices(len(corner))] += self.ridge
        L[old:, old:] = scipy.linalg.cholesky(corner, lower=True, check_finite=False)
        self.L = L

    def _anew(self) -> None:
        """With as little more on the diagonal as it takes."""
        G, self.L = self.work.gram_of(self.features, self.features), np.zeros((0, 0), np.float32)
        while True:
            self.ridge *= 10
            try:
                return self._border(np.zeros((len(G), 0), np.float32), G)
            except scipy.linalg.LinAlgError:
                if self.ridge > 1:
                    raise

    def solve(self, right: Matrix) -> Single:
        """G_KK^-1 right, nearly; right (|K|, l)."""
        solved: Single = scipy.linalg.cho_solve((self.L, True), right.astype(np.float32), check_finite=False)
        return solved


def _certificate(
    problem: _Problem, work: _WorkingSet, W: Matrix, WGM: Matrix, dual: _DualPoint, steepest: float
) -> tuple[float, float]:
    """F(W) and its relative duality gap; `steepest` is the largest slope of the dual point, unscaled.

    With M = C C' and T = Y C'^-1, F is the lasso 1/2 |E W C - T|^2 + lambda1 |W|_1 plus a constant. The
    residual of any weights, here R - H with R = T - E W C and H = E Z C, shrunk by s until no slope exceeds
    lambda1, is a point of the dual:

        gap = 1/2 |R|^2 + lambda1 |W|_1 - <T, s (R - H)> + 1/2 |s (R - H)|^2.

    It is written below as a sum of terms that are small near the minimum, so that a gap of 1e-9 is not
    rounding. Where F is 0 (no positive label) so is the gap.
    """
    penalty = float(problem.lambda1 * ((1 / problem.m) @ np.abs(W) @ (1 / work.g)))
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


def _steepest(problem: _Problem, work: _WorkingSet, slopes: Matrix) -> float:
    """The largest of the slopes of a working set, unscaled."""
    return float((np.abs(slopes) * work.g * problem.m[:, None]).max(initial=0.0))


# ---- The accelerated proximal gradient


def _accelerated(
    problem: _Problem,
    work: _WorkingSet,
    W: Matrix,
    tol: float,
    iterations: int,
    max_iter: int,
    watch: Watch,
    is_far: bool,
    sharpest: float = SHARPEST_METRIC,
) -> tuple[Matrix, Matrix, _DualPoint, int]:
    """From W (q, w) to a relative gap of `tol` on the working set: W, its G W M, its dual point, iterations so far.

    is_far: that there is nothing to certify at first.

    The gradient at V is taken in double precision at a reference (W, whenever the gap is measured) and in
    single precision for V - reference, which vanishes as the iteration converges: half the time, and
    nothing lost in the end.
    """
    M, M_single = problem.M, problem.M.astype(np.float32)
    # With M <= c I the smooth part lies below a quadratic in c (delta I + U U').
    c = float(scipy.linalg.eigvalsh(M)[-1])
    metric = _metric(work.G_single, len(M), sharpest)
    step = 1 / (c * metric.delta)
    threshold = problem.lambda1 * step / np.multiply.outer(problem.m, work.g)
    blocks = _label_blocks(*W.shape)
    W, V, new_W = W.copy(), W.copy(), np.empty_like(W)
    WU = W @ metric.U
    VU, new_WU, turn = WU.copy(), WU.copy(), np.zeros_like(WU)
    difference, slope = np.zeros(W.shape, np.float32), np.empty(W.shape, np.float32)
    b, next_look, rounds = 1.0, iterations, 0 if is_far else MENDS
    while True:
        if iterations >= min(next_look, max_iter):
            WGM = M @ (W @ work.G)
            dual, gap = _dual_point(problem, work, W, WGM, rounds, tol)
            watch(iterations, gap)
            if gap <= tol or iterations >= max_iter:
                return W, WGM, dual, iterations
            reference, reference_step = W.copy(), step * (WGM - work.B)
            np.subtract(V, reference, out=difference, casting="same_kind")
            next_look, rounds = iterations + _interval(work, iterations), MENDS
        np.matmul(M_single, difference @ work.G_single, out=slope)
        uphill = 0.0
        for block in blocks:
            target = V[block] - reference_step[block] - step * slope[block]
            found = _proximal_step(metric, target, VU[block], turn[block], threshold[block])
            if found is None:
                return _accelerated(problem, work, W, tol, iterations, max_iter, watch, is_far, 10 * sharpest)
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


def _interval(work: _WorkingSet, iterations: int) -> int:
    """Steps to the next look at the gap, which costs many of them where there is no Gram matrix."""
    return min(max(20, iterations // 4), 100) if work.E is None else min(max(20, iterations // 3), 1000)


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
        G = sp.linalg.aslinearoperator(G)
        start = np.linspace(1, 2, w, dtype=np.float32)
        values, Q = sp.linalg.eigsh(G, k=rank + 1, v0=start, which="LA", tol=1e-2)
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
