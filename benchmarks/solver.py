"""The solver of the feature weights beside plain accelerated proximal gradient (APG).

The peer is the appendix's iteration in the best plain form there is: one step size per entry (the diagonals of
G and M, scaled to bound them), the momentum restarted, dense arrays, the gap looked at every 50 steps. Both
start from the Gram matrices and stop at a relative duality gap of 1e-4, on one thread of BLAS.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from threadpoolctl import threadpool_limits

from benchmarks import data
from lsdmlo_cli.numeric.feature_weights import solve
from lsdmlo_cli.numeric.gram import gram
from lsdmlo_cli.numeric.label_graph import cosine_similarity, laplacian

SHORT = ("emotions", "scene", "CAL500", "birds-train", "medical", "Corel5k")
LONG = ("bibtex", "rcv1subset1", "delicious")
PENALTIES = {"(1, 1)": (1.0, 1.0), "(1/16, 1/4)": (1 / 16, 1 / 4), "(1, 16)": (1.0, 16.0)}
TOL = 1e-4
STEPS_BETWEEN_LOOKS = 50
PATIENCE_SECONDS = 300.0
"""The peer is stopped after so long."""
NO_SLOWER = 0.9


@dataclass(frozen=True)
class Run:
    """What a solver came to."""

    relative_gap: float
    iterations: int


def table(full: bool) -> str:
    """CPU seconds and iterations to a relative gap of 1e-4."""
    rows = []
    for name in SHORT + (LONG if full else ()):
        E, Y = data.load(name)
        G = gram(E, Y)
        graph = laplacian(cosine_similarity(G.YtY))
        for penalties, (lambda1, lambda2) in PENALTIES.items():
            start = time.thread_time()
            ours = solve(G, graph, lambda1=lambda1, lambda2=lambda2, tol=TOL)
            took = time.thread_time() - start
            start = time.thread_time()
            theirs = plain(G, E, graph, lambda1, lambda2)
            peer = time.thread_time() - start
            late = theirs.relative_gap > TOL
            cells = [data.short(took), ours.iterations, "yes" if ours.converged else f"no: {ours.relative_gap:.0e}"]
            cells += [data.short(peer), theirs.iterations, f"no: {theirs.relative_gap:.0e}" if late else "yes"]
            ratio, wanted, met = data.verdict(peer / took, 2.0 if name in LONG else NO_SLOWER)
            rows.append([name, penalties, *cells, f"over {ratio}" if late else ratio, wanted, met])
    return data.markdown(
        f"Feature weights to a relative gap of {TOL:g}",
        [
            *("data set", "(lambda1, lambda2)", "s", "iterations", "converged"),
            *("peer s", "iterations", "converged", "ratio", "wanted", "met"),
        ],
        rows,
        "CPU seconds of one thread, without the Gram matrices. Peer: APG with a step size per entry and restart, "
        f"stopped after {PATIENCE_SECONDS:g} s.",
    )


def plain(G: Any, E: Any, graph: np.ndarray, lambda1: float, lambda2: float) -> Run:
    """APG with one step size per entry, from zeros; G of E, which takes its place where EtE was not formed."""
    with threadpool_limits(1, user_api="blas"):
        return _plain(G, E, np.eye(len(graph)) + lambda2 * graph, lambda1)


def _plain(G: Any, E: Any, M: np.ndarray, lambda1: float) -> Run:
    """In the scaled weights g_i w_ij m_j a step size per entry is one step size."""
    squares = np.diag(G.EtE) if G.EtE is not None else (E * E).sum(axis=0)
    used = np.flatnonzero(squares > 0)
    g, m = np.sqrt(squares[used]), np.sqrt(np.diag(M))
    lengths = np.outer(g, m)
    B, M_scaled, threshold = G.EtY[used] / lengths, M / np.outer(m, m), lambda1 / lengths
    gram_times, largest = _scaled_gram(G, E, used, g)
    step = 1 / (largest * scipy.linalg.eigvalsh(M_scaled)[-1])
    T_T, trace_S = np.trace(scipy.linalg.solve(M, G.YtY, assume_a="pos")), np.trace(G.YtY)
    W = V = np.zeros_like(B)
    b, iterations, began = 1.0, 0, time.thread_time()
    while True:
        D = V - step * (gram_times(V) @ M_scaled - B)
        new = np.sign(D) * np.maximum(np.abs(D) - step * threshold, 0.0)
        change = new - W
        iterations += 1
        if np.vdot(V - new, change) > 0:
            b = 1.0
        next_b = (1 + np.sqrt(4 * b * b + 1)) / 2
        V, W, b = new + (b - 1) / next_b * change, new, next_b
        if iterations % STEPS_BETWEEN_LOOKS == 0:
            GWM = gram_times(W) @ M_scaled
            B_W, W_GWM, penalty = np.vdot(B, W), np.vdot(W, GWM), np.vdot(threshold, np.abs(W))
            R_R = T_T - 2 * B_W + W_GWM
            s = max(0.0, min(1.0, lambda1 / np.abs((B - GWM) * lengths).max(), (T_T - B_W) / R_R))
            F = W_GWM / 2 - B_W + trace_S / 2 + penalty
            gap = float(((1 - s) ** 2 * R_R / 2 + penalty - s * (B_W - W_GWM)) / F)
            if gap <= TOL or time.thread_time() - began > PATIENCE_SECONDS:
                return Run(gap, iterations)


def _scaled_gram(G: Any, E: Any, used: np.ndarray, g: np.ndarray) -> tuple[Callable[[Any], Any], float]:
    """V -> G V with the columns of E scaled to length 1, and the largest eigenvalue."""
    if G.EtE is not None:
        scaled = G.EtE[np.ix_(used, used)] / np.outer(g, g)
        return (lambda V: scaled @ V), float(scipy.linalg.eigvalsh(scaled)[-1])
    E = sp.csr_array(sp.csc_array(E)[:, used] @ sp.diags_array(1 / g))
    Et = sp.csr_array(E.T)
    operator = scipy.sparse.linalg.LinearOperator((len(g),) * 2, matvec=lambda v: Et @ (E @ v), dtype=float)
    start = np.ones(len(g))
    value = scipy.sparse.linalg.eigsh(operator, k=1, v0=start, tol=1e-2, return_eigenvectors=False)[0]
    return (lambda V: Et @ (E @ V)), 1.01 * float(value)


if __name__ == "__main__":
    import sys

    print(table("--full" in sys.argv[1:]))
