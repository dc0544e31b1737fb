"""The problem of the feature weights: on the distinct columns of E, scaled, and on a working set of these and of labels.

The columns of E have length 1 and M has a diagonal of 1 there, so that lambda1 differs from weight to weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.matrix import as_dense, rows_of
from lsdmlo_cli.numeric.threads import each
from lsdmlo_cli.numeric.weights.gram_matrices import Gram
from lsdmlo_cli.numeric.weights.graph import LabelMetric, label_metric, scaled_metric, trace_of_solved

LARGEST_WORKING_GRAM = 4096
"""A working set of up to this many features has its own Gram matrix, in single precision: 64 MB."""

FEATURES_PER_PRODUCT = 128
"""A block of the Gram matrix is 128 x 4,096 doubles at most, 4 MB, before it is rounded to single precision."""

ROWS_PER_PRODUCT = 1024
"""A block of rows of a sparse product, which a thread works out at a time."""

Matrix = NDArray[np.float64]
Single = NDArray[np.float32]


@dataclass(frozen=True)
class Problem:
    """The problem on the distinct nonzero columns of E, and what of it no restriction changes.

    run: `map`, or its equivalent over threads, for parts of the work that do not depend on each other.
    """

    gram: Gram
    columns: NDArray[np.intp]  # of E, one of each kind
    E: Any  # those columns in the operator form, else None
    g: Matrix  # their lengths
    M: LabelMetric
    T_T: float  # |T|^2 = tr(M^-1 S), or a bound of it
    trace_S: float
    lambda1: float
    run: Callable[..., Any] = map


@dataclass(frozen=True)
class WorkingSet:
    """The scaled problem on w features and l labels. A row is a label here: the proximal step falls apart by label."""

    B: Matrix  # (l, w)
    g: Matrix  # (w,)
    G: Any  # (w, w), or an operator
    G_single: Any
    E: Any  # (n, w) where G_single is an operator, stored by columns if sparse; else None
    M: LabelMetric
    run: Callable[..., Any] = map

    def gram_of(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Single:
        """G between some of the features and others."""
        if self.E is None:
            return self.G_single[np.ix_(rows, columns)]
        left = self.E[:, rows]
        return gram_single(left, left if columns is rows else self.E[:, columns])


def distinct_and_scaled(
    gram: Gram, laplacian: Any, lambda1: float, lambda2: float, run: Callable[..., Any] = map
) -> tuple[Problem, NDArray[np.intp]]:
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
    E = scipy.sparse.csc_array(gram.E) if scipy.sparse.issparse(gram.E) else gram.E
    M = label_metric(laplacian, lambda2)
    problem = Problem(
        gram=gram,
        columns=columns,
        E=None if E is None else E[:, columns],
        g=np.sqrt(squares[columns]),
        M=scaled_metric(M),
        T_T=trace_of_solved(M, gram.YtY),
        trace_S=float(gram.YtY.trace()),
        lambda1=lambda1,
        run=run,
    )
    return problem, copy_of


def _column_squares(E: Any) -> Matrix:
    if scipy.sparse.issparse(E):
        return np.asarray(np.bincount(E.indices, E.data**2, minlength=E.shape[1]), np.float64)
    squares: Matrix = np.einsum("ij,ij->j", E, E)
    return squares


def working_set(problem: Problem, labels: NDArray[np.intp], features: NDArray[np.intp]) -> WorkingSet:
    g, columns, M, run = problem.g[features], problem.columns[features], problem.M.of(labels), problem.run
    B = np.ascontiguousarray(as_dense(problem.gram.EtY[np.ix_(columns, labels)]).T)
    B /= g
    B /= M.m[:, None]
    if problem.gram.EtE is not None:
        G = problem.gram.EtE[np.ix_(columns, columns)]
        G /= g
        G /= g[:, None]
        return WorkingSet(B, g, G, G.astype(np.float32), None, M, run)
    E = problem.E[:, features]
    E = scipy.sparse.csr_array(E @ scipy.sparse.diags_array(1 / g)) if scipy.sparse.issparse(E) else E / g
    G = _product_operator(E, _transposed(E), run)
    if len(features) > LARGEST_WORKING_GRAM:
        E_single = E.astype(np.float32)
        Et = _transposed(E_single)
        return WorkingSet(B, g, G, _product_operator(E_single, Et, run), Et.T, M, run)
    return WorkingSet(B, g, G, gram_single(E, E, run), None, M, run)


def gram_single(left: Any, right: Any, run: Callable[..., Any] = map) -> Single:
    """left' right in single precision, a block of features at a time; half of it where both are one."""
    G = np.empty((left.shape[1], right.shape[1]), np.float32)
    left_t, columns = _transposed(left), right.tocsr() if scipy.sparse.issparse(right) else right

    def fill(start: int) -> None:
        block, first = slice(start, start + FEATURES_PER_PRODUCT), start if left is right else 0
        part = rows_of(left_t, block) @ columns[:, first:]
        G[block, first:] = part.toarray() if scipy.sparse.issparse(part) else part
        if left is right:
            G[first:, block] = G[block, first:].T

    each(run, fill, range(0, len(G), FEATURES_PER_PRODUCT))
    return G


def _transposed(E: Any) -> Any:
    return E.T.tocsr() if scipy.sparse.issparse(E) else E.T


def _product_operator(E: Any, Et: Any, run: Callable[..., Any]) -> Any:
    """G = E'E as an operator that is never formed; Et: E', stored by rows."""

    def product(V: Any) -> Any:
        return _by_rows(Et, _by_rows(E, V, run), run)

    e = E.shape[1]
    return scipy.sparse.linalg.LinearOperator(
        (e, e), matvec=product, rmatvec=product, matmat=product, rmatmat=product, dtype=E.dtype
    )


def _by_rows(A: Any, V: Any, run: Callable[..., Any]) -> Any:
    """A V, several rows of a sparse A at a time where V has several columns; the bits are those of A @ V."""
    if not scipy.sparse.issparse(A) or V.ndim == 1 or V.shape[1] == 1:
        return A @ V
    V, product = np.ascontiguousarray(V), np.empty((A.shape[0], V.shape[1]), np.result_type(A, V))

    def fill(start: int) -> None:
        rows = slice(start, start + ROWS_PER_PRODUCT)
        product[rows] = rows_of(A, rows) @ V

    each(run, fill, range(0, len(product), ROWS_PER_PRODUCT))
    return product
