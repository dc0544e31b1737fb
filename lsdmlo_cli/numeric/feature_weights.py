"""Label-specific feature weights: the W (e x q) that minimises

    F(W) = 1/2 |E W - Y|^2 + lambda1 |W|_1 + lambda2/2 tr(E W Lap (E W)')

(appendix of the paper, eq. lsd_obj_appendix). With G = E'E, B = E'Y, S = Y'Y and M = I + lambda2 Lap
this is 1/2 <W, G W M> - <B, W> + 1/2 tr S + lambda1 |W|_1, and the gradient of its smooth part G W M - B.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lsdmlo_cli.numeric.gram import Gram

Matrix = NDArray[np.float64]
Watch = Callable[[int, float], None]


@dataclass(frozen=True)
class FeatureWeights:
    """W (e x q, a CSC array without stored zeros) and how near it came to the minimum of F.

    `relative_gap` bounds (F(W) - min F) / F(W); `converged` says that it reached the tolerance asked for.
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
    watch: Watch | None = None,
) -> FeatureWeights:
    with threadpool_limits(1, user_api="blas"):
        return _solve(gram, laplacian, lambda1, lambda2, tol, max_iter, watch)


def _solve(gram, laplacian, lambda1, lambda2, tol, max_iter, watch):  # type: ignore
    B, S = gram.EtY, gram.YtY
    q = len(S)
    M = np.eye(q) + lambda2 * laplacian
    if gram.EtE is not None:
        G = gram.EtE
        g = np.diag(G)
    else:
        G = gram.E
        g = np.asarray(G.multiply(G).sum(axis=0)).ravel()
    used = np.flatnonzero(g > 0)
    if gram.fingerprint is not None:
        _, first, inverse = np.unique(gram.fingerprint[used], return_index=True, return_inverse=True)
    else:
        first, inverse = np.arange(len(used)), np.arange(len(used))
    copies = np.bincount(inverse, minlength=len(first))
    kept = used[first]
    B, g = B[kept], g[kept]
    rg, rm = np.sqrt(g), np.sqrt(np.diag(M))
    if gram.EtE is not None:
        G = G[np.ix_(kept, kept)]
        lg = scipy.linalg.eigvalsh(G / np.outer(rg, rg))[-1] if len(rg) else 1.0
        def apply(W):  # type: ignore
            return G @ W @ M
    else:
        E = sp.csr_array(G.tocsc()[:, kept])
        Et = sp.csr_array(E.T)
        lo = sp.linalg.LinearOperator((len(kept), len(kept)), matvec=lambda v: (Et @ (E @ (v / rg))) / rg, dtype=float)
        val, vec = sp.linalg.eigsh(lo, k=1, v0=np.ones(len(kept)), tol=1e-4)
        lg = val[0] + np.linalg.norm(lo @ vec[:, 0] - val[0] * vec[:, 0])
        def apply(W):  # type: ignore
            return Et @ (E @ W) @ M
    lm = scipy.linalg.eigvalsh(M / np.outer(rm, rm))[-1] if q else 1.0
    step = 1 / (lg * lm * np.outer(g, np.diag(M)))
    T2 = float(np.vdot(np.linalg.inv(M), S))
    W = np.zeros_like(B)
    V, t, it = W, 1.0, 0
    while True:
        if it % 20 == 0 or it >= max_iter:
            F, gap = _certificate(W, apply(W), B, S, T2, lambda1)
            if watch is not None:
                watch(it, gap)
            if gap <= tol or it >= max_iter:
                break
        D = V - step * (apply(V) - B)
        new = np.sign(D) * np.maximum(np.abs(D) - lambda1 * step, 0)
        d = new - W
        if np.vdot((V - new) / step, d) > 0:
            t = 1.0
        tn = (1 + np.sqrt(1 + 4 * t * t)) / 2
        V, t, W = new + (t - 1) / tn * d, tn, new
        it += 1
    full = np.zeros((len(gram.EtY), q))
    full[used] = (W / copies[:, None])[inverse]
    out = sp.csc_array(full)
    out.sort_indices()
    return FeatureWeights(out, float(F), float(gap), it, bool(gap <= tol))


def _certificate(W, P, B, S, T2, lambda1):  # type: ignore
    BW, WP, l1 = np.vdot(B, W), np.vdot(W, P), lambda1 * np.abs(W).sum()
    RR, TR = T2 - 2 * BW + WP, T2 - BW
    slope = np.abs(B - P).max(initial=0)
    s = max(0.0, min(1.0, lambda1 / slope if slope > 0 else 1.0, TR / RR if RR > 0 else 1.0))
    gap = 0.5 * (1 - s) ** 2 * RR + l1 - s * (BW - WP)
    F = 0.5 * WP - BW + 0.5 * np.trace(S) + l1
    return F, max(gap, 0.0) / F if F > 0 else 0.0


def relevance(W: Any) -> Any:
    """theta_ij = exp|w_ij| / sum of exp|w| over the support of column j, on the support of W (e x q).

    The column's largest |w| is subtracted before exp, so nothing overflows. A column without a nonzero weight
    stays empty: its features count alike, which is for the caller to apply.

    >>> relevance(sp.csc_array([[3.0, 0.0], [-3.0, 0.0], [0.0, 0.0]])).toarray().tolist()
    [[0.5, 0.0], [0.5, 0.0], [0.0, 0.0]]
    """
    W = sp.csc_array(W)
    theta = np.abs(W.data)
    for j in range(W.shape[1]):
        support = slice(W.indptr[j], W.indptr[j + 1])
        if support.start < support.stop:
            shares = np.exp(theta[support] - theta[support].max())
            theta[support] = shares / shares.sum()
    return sp.csc_array((theta, W.indices.copy(), W.indptr.copy()), shape=W.shape)
