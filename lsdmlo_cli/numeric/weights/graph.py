"""The label graph: A_jh = cosine of the columns j and h of Y, its Laplacian A' - A, and the metric M = I + lambda2 (A' - A).

A' is the diagonal matrix of the row sums of A (section 3.1 of the paper, the third term of the objective).

A graph of few labels is a dense array. One of many labels, few of which occur together, is a CSR array, and nothing that is
made of it has an entry for each pair of labels. `graph_form` decides, by the counts Y'Y alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.rows import entry_rows

MOST_LABELS_DENSE = 1024
"""A dense graph of this many labels takes 8 MB, and its inverse and eigenvalues, of order q^3, take 0.6 s."""

DENSE_SHARE = 0.1
"""Share of nonzeros above which the graph is dense: of 512 to 2,048 labels the sparse product took 0.9 of the time of the dense
one at a share of 0.1, and 1.5 at 0.2."""

RESIDUAL = 1e-7
"""Relative length of the residual at which conjugate gradients end: a dual point needs no more, as its gap is taken at the M Z
that was reached."""

MOST_STEPS = 300
"""Conjugate gradients need about sqrt(condition) ln(2 / RESIDUAL) / 2 steps: 300 are enough up to a condition of 1,000."""

COLUMNS_PER_SOLVE = 256
"""Columns solved side by side: four arrays of 256 x q, 8 MB each with 4,096 labels."""

Matrix = NDArray[np.float64]


def graph_form(YtY: Any) -> Any:
    """Counts (q x q, CSR) in the form in which the label graph is held: a dense array, or CSR with sorted indices."""
    q = YtY.shape[0]
    if q <= MOST_LABELS_DENSE or YtY.nnz > DENSE_SHARE * q * q:
        return YtY.toarray()
    YtY.sort_indices()
    return YtY


def cosine_similarity(YtY: Any) -> Any:
    """A (q x q) from Y'Y (q x q), in its form: symmetric to the bit, diagonal 1; an empty label has a row and column of 0.

    >>> cosine_similarity(np.array([[4.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    positives = YtY.diagonal()
    # One square root of the exact product n_j n_h, not a product of two rounded roots.
    if scipy.sparse.issparse(YtY):
        return _like(YtY, YtY.data / np.sqrt(positives[entry_rows(YtY)] * positives[YtY.indices]))
    norms = np.sqrt(np.outer(positives, positives))
    return np.divide(YtY, norms, out=np.zeros_like(norms), where=norms > 0)


def laplacian(A: Any) -> Any:
    """diag(row sums of A) - A, q x q, in the form of A. An empty label has a row of zeros.

    >>> laplacian(np.array([[1.0, 0.5], [0.5, 1.0]])).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    if scipy.sparse.issparse(A):
        return scipy.sparse.csr_array(scipy.sparse.diags_array(A.sum(axis=1)) - A)
    return np.diag(A.sum(axis=1)) - A


@dataclass(frozen=True)
class LabelMetric:
    """M of some labels, scaled: M_jh / (m_j m_h), with m the square roots of its diagonal."""

    scaled: Any  # (l, l), dense or CSR
    m: Matrix  # (l,)

    def __matmul__(self, V: Any) -> Any:
        return self.scaled @ V

    def single(self) -> Any:
        """The scaled M in single precision."""
        return self.scaled.astype(np.float32)

    def of(self, labels: NDArray[np.intp]) -> LabelMetric:
        """That of some labels, rising."""
        if len(labels) == len(self.m):
            return self
        return LabelMetric(self.scaled[np.ix_(labels, labels)], self.m[labels])

    def between(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
        """The scaled M between some labels and others."""
        return self.scaled[np.ix_(rows, columns)]

    @cached_property
    def largest_eigenvalue(self) -> float:
        """Of the scaled M; for a CSR array Gershgorin's bound, since a diagonal entry of M exceeds the sum of the others."""
        return 2.0 if scipy.sparse.issparse(self.scaled) else float(scipy.linalg.eigvalsh(self.scaled)[-1])

    @cached_property
    def _inverse(self) -> Matrix:
        inverse: Matrix = np.linalg.inv(self.scaled)
        return inverse

    def solve(self, V: Matrix) -> tuple[Matrix, Matrix]:
        """Z (l, w) with M Z = V, or nearly so, and this M Z."""
        if not scipy.sparse.issparse(self.scaled):
            return self._inverse @ V, V
        Z = np.zeros_like(V)
        used = np.flatnonzero(V.any(axis=0))
        for start in range(0, len(used), COLUMNS_PER_SOLVE):
            columns = used[start : start + COLUMNS_PER_SOLVE]
            Z[:, columns] = _conjugate_gradients(self.scaled, V[:, columns])
        return Z, self.scaled @ Z


def label_metric(laplacian: Any, lambda2: float) -> Any:
    """M = I + lambda2 Lap, q x q, in the form of the Laplacian."""
    q = laplacian.shape[0]
    if scipy.sparse.issparse(laplacian):
        return scipy.sparse.csr_array(scipy.sparse.eye_array(q) + lambda2 * laplacian)
    return np.eye(q) + lambda2 * laplacian


def scaled_metric(M: Any) -> LabelMetric:
    """M (q x q) with a diagonal of 1."""
    m = np.sqrt(M.diagonal())
    if scipy.sparse.issparse(M):
        return LabelMetric(_like(M, M.data / (m[entry_rows(M)] * m[M.indices])), m)
    return LabelMetric(M / np.outer(m, m), m)


def trace_of_solved(M: Any, S: Any) -> float:
    """tr(M^-1 S) of dense arrays, and a bound of it of CSR ones: tr(S), as M is not below I."""
    return float(S.trace() if scipy.sparse.issparse(M) else np.trace(scipy.linalg.solve(M, S, assume_a="pos")))


def _like(pattern: Any, data: Matrix) -> Any:
    return scipy.sparse.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)


def _conjugate_gradients(M: Any, V: Matrix) -> Matrix:
    """M^-1 V for each column of V (l, w) on its own, with M (l, l) positive definite and a diagonal of 1."""
    Z, R, P = np.zeros_like(V), V.copy(), V.copy()
    lengths = np.einsum("ij,ij->j", R, R)
    goal = RESIDUAL**2 * lengths
    for _ in range(MOST_STEPS):
        going = lengths > goal
        if not going.any():
            break
        MP = M @ P
        step = np.divide(lengths, np.einsum("ij,ij->j", P, MP), out=np.zeros_like(lengths), where=going)
        Z += step * P
        R -= step * MP
        before, lengths = lengths, np.einsum("ij,ij->j", R, R)
        P = R + np.divide(lengths, before, out=np.zeros_like(lengths), where=going) * P
    return Z
