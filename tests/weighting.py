"""Made data for the feature weights, and what they minimise: Eq. 2 and a lower bound of it, by dense matrices."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lsdmlo_cli.numeric.weights import Stop, certificate, cosine_similarity, gram, laplacian, solve, solver
from lsdmlo_cli.numeric.weights.problem import Problem, WorkingSet, distinct_and_scaled, working_set


def features_and_labels(n=60, e=12, q=4, seed=0):
    """Features with an offset, so that one direction of E'E dwarfs the rest, and labels that follow some."""
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(n, e)) + 2.0
    Y = (E[:, :q] + rng.normal(size=(n, q)) > 2.5).astype(float)
    return E, Y


def text(n=300, e=900, q=5, seed=3):
    """Sparse counts, many more features than matter: enough for several working sets."""
    rng = np.random.default_rng(seed)
    E = sp.random_array((n, e), density=0.02, rng=rng, data_sampler=lambda size: rng.integers(1, 4, size) * 1.0)
    E = sp.csr_array(E)
    scores = E[:, : 4 * q].toarray().reshape(n, q, 4).sum(axis=2)
    return E, ((scores + 0.3 * rng.normal(size=(n, q))) > 0.5).astype(float)


def fit(E, Y, tol=1e-4, max_iter=100_000, **parameters):
    G = gram(E, sp.csr_array(Y))
    return solve(G, laplacian(cosine_similarity(G.YtY)), stop=Stop(tol, max_iter), **parameters)


class Whole(NamedTuple):
    """The scaled problem on all labels and features, weights W (l, w), their M W G, and the bound of gradients."""

    problem: Problem
    work: WorkingSet
    W: np.ndarray
    WGM: np.ndarray
    bound: np.ndarray


def whole_after(E, Y, steps, lambda1, lambda2=1.0):
    """A problem with the weights of so many steps, and these weights as they were found."""
    G = gram(E, sp.csr_array(Y))
    problem, copy_of = distinct_and_scaled(G, laplacian(cosine_similarity(G.YtY)), lambda1, lambda2)
    found = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-12, max_iter=steps)
    labels, features = np.arange(Y.shape[1]), np.arange(len(problem.columns))
    part = solver._scaled(problem, found.W, copy_of)
    work = working_set(problem, labels, features)
    W = part.widened(labels, features, part.W)
    return Whole(problem, work, W, problem.M @ W @ work.G, certificate.gradient_bound(problem, work)), found


def label_metric(Y, lambda2):
    return np.eye(Y.shape[1]) + lambda2 * laplacian(cosine_similarity(Y.T @ Y))


def objective(E, Y, W, lambda1, lambda2):
    """F as the paper writes it, from E and Y themselves."""
    EW = E @ W
    Lap = laplacian(cosine_similarity(Y.T @ Y))
    return 0.5 * np.sum((EW - Y) ** 2) + lambda1 * np.abs(W).sum() + lambda2 / 2 * np.trace(EW @ Lap @ EW.T)


def lower_bound(E, Y, W, lambda1, lambda2):
    """What F is at least everywhere: the dual of the lasso in T = Y C'^-1 at the residual of W, from E and Y themselves."""
    C = np.linalg.cholesky(label_metric(Y, lambda2))
    T = Y @ np.linalg.inv(C).T
    R = T - E @ W @ C
    slope = np.abs(E.T @ R @ C.T).max()
    s = max(0.0, min(1.0, lambda1 / slope, np.vdot(T, R) / np.vdot(R, R)))
    return 0.5 * np.vdot(Y, Y) - 0.5 * np.sum((T - s * R) ** 2)
