"""Many labels, few of which occur together: the graph as CSR and a working set of labels find what the dense graph finds."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits
from weighting import features_and_labels, fit, label_metric, lower_bound, objective, text

from lsdmlo_cli.numeric.weights import gram, gram_matrices
from lsdmlo_cli.numeric.weights import graph as label_graph
from lsdmlo_cli.numeric.weights import solver as feature_weights
from lsdmlo_cli.numeric.weights.graph import cosine_similarity, laplacian, scaled_metric


def few_together(n=150, e=20, q=40, seed=5):
    """Labels of which few occur together, some of them empty, and features that follow them."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((n, q))
    for row in Y:
        row[(0.9 * q * rng.random(rng.integers(1, 5)) ** 2).astype(int)] = 1
    E = rng.random((n, e)) * (rng.random((n, e)) < 0.4) + 0.5 * Y @ (rng.random((q, e)) * (rng.random((q, e)) < 0.2))
    return E, Y


@pytest.fixture
def many(monkeypatch):
    """One label is already too many for a dense graph."""
    for module in (gram_matrices, label_graph, feature_weights):
        monkeypatch.setattr(module, "MOST_LABELS_DENSE", 0)
    monkeypatch.setattr(label_graph, "DENSE_SHARE", 1.0)
    monkeypatch.setattr(feature_weights, "LABELS_PER_BLOCK", 3)


def graph_of(Y):
    return laplacian(cosine_similarity(gram(np.ones((len(Y), 1)), sp.csr_array(Y)).YtY))


def test_a_sparse_graph_is_the_dense_one(many):
    _, Y = few_together()
    found, expected = graph_of(Y), laplacian(cosine_similarity(Y.T @ Y))
    assert sp.issparse(found)
    assert found.nnz < Y.shape[1] ** 2 / 2
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-13)
    M = scaled_metric(label_graph.label_metric(found, 3.0))
    np.testing.assert_allclose(M.scaled.toarray() * np.outer(M.m, M.m), label_metric(Y, 3.0), atol=1e-12)


@pytest.mark.parametrize(("q", "together", "form"), [(1024, 0.0, np.ndarray), (1025, 0.0, sp.csr_array), (1025, 0.5, np.ndarray)])
def test_the_counts_alone_decide_the_form(q, together, form):
    Y = sp.csr_array(np.vstack([np.eye(q), np.arange(q) < together * q]))
    assert isinstance(gram(np.ones((q + 1, 1)), Y).YtY, form)


@pytest.mark.parametrize("lambda2", [0.5, 1e4])
def test_conjugate_gradients_solve_and_say_what_they_solved(many, lambda2):
    _, Y = few_together()
    M = scaled_metric(label_graph.label_metric(graph_of(Y), lambda2))
    V = np.random.default_rng(0).normal(size=(Y.shape[1], 5))
    V[:, 3] = 0
    Z, MZ = M.solve(V)
    np.testing.assert_allclose(MZ, M.scaled.toarray() @ Z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(MZ, V, atol=1e-6)
    assert M.largest_eigenvalue >= np.linalg.eigvalsh(M.scaled.toarray())[-1]


@pytest.mark.parametrize("make", [few_together, lambda: text(n=100, e=200, q=6), lambda: features_and_labels(q=9)])
@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (1 / 16, 0.25), (1.0, 64.0), (0.5, 0.0)])
def test_the_minimum_is_that_of_the_dense_graph(request, make, lambda1, lambda2):
    E, Y = make()
    expected = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-10)
    request.getfixturevalue("many")
    found = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-10)
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-9)
    # F(W) - min F is half of |E (W - W*)|^2 at least, and a gap of 1e-10 at most.
    difference = np.linalg.norm(E @ (found.W - expected.W).toarray())
    assert difference <= 2 * np.sqrt(2e-10 * expected.objective)


@pytest.mark.parametrize("max_iter", [1, 5, 100_000])
@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (0.2, 16.0), (0.2, 1e-3)])
def test_the_gap_reaches_down_to_the_minimum(many, max_iter, lambda1, lambda2):
    E, Y = few_together()
    found = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-5, max_iter=max_iter)
    W = found.W.toarray()
    minimum = objective(E, Y, fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-12).W.toarray(), lambda1, lambda2)
    assert found.objective == pytest.approx(objective(E, Y, W, lambda1, lambda2), rel=1e-10)
    assert 1 - minimum / found.objective <= found.relative_gap + 1e-12
    assert lower_bound(E, Y, W, lambda1, lambda2) <= minimum * (1 + 1e-12)


@pytest.mark.parametrize("max_iter", [2, 20, 100_000])
def test_the_lower_bound_is_below_the_minimum_of_lasso(many, max_iter):
    linear_model = pytest.importorskip("sklearn.linear_model")
    E, Y = few_together()
    lasso = linear_model.Lasso(alpha=0.4 / len(Y), fit_intercept=False, tol=1e-12, max_iter=100_000).fit(E, Y)
    minimum = objective(E, Y, lasso.coef_.T, 0.4, 0.0)
    found = fit(E, Y, lambda1=0.4, lambda2=0.0, tol=1e-4, max_iter=max_iter)
    assert found.objective * (1 - found.relative_gap) <= minimum * (1 + 1e-9)
    assert minimum <= found.objective * (1 + 1e-9)


def test_labels_join_as_others_pull_them(many):
    """A label whose own gradient is below lambda1 gets weights from one it occurs with, and an empty one none."""
    E, Y = few_together()
    found = fit(E, Y, lambda1=4.0, lambda2=4.0, tol=1e-9).W.toarray()
    pulled = np.abs(E.T @ Y).max(axis=0) <= 4.0
    assert found[:, pulled].any()
    assert not found[:, Y.sum(axis=0) == 0].any()


@pytest.mark.parametrize("lambda1", [1e-3, 1e9])
def test_lambda1_from_next_to_nothing_to_far_too_much(many, lambda1):
    E, Y = few_together()
    found = fit(E, Y, lambda1=lambda1, tol=1e-4)
    assert found.converged
    assert (found.W.nnz == 0) == (lambda1 > 1)


def test_a_start_changes_the_way_and_not_the_end(many):
    E, Y = few_together()
    start = fit(E, Y, lambda1=0.3, lambda2=2.0).W
    begun, expected = fit(E, Y, lambda1=0.9, tol=1e-10, start=start), fit(E, Y, lambda1=0.9, tol=1e-10)
    assert begun.objective == pytest.approx(expected.objective, rel=1e-9)
    np.testing.assert_allclose(begun.W.toarray(), expected.W.toarray(), atol=1e-4)


def test_the_bits_do_not_depend_on_threads(many):
    E, Y = few_together()
    with threadpool_limits(1):
        one = fit(E, Y)
    with threadpool_limits(2):
        two = fit(E, Y)
    np.testing.assert_array_equal(one.W.toarray(), two.W.toarray())
    assert (one.objective, one.relative_gap) == (two.objective, two.relative_gap)


def test_memory_does_not_grow_with_the_square_of_the_labels():
    """Everything from the rows to the weights takes less than a bit for each pair of labels."""
    q = 20_000
    rng = np.random.default_rng(0)
    row = np.repeat(np.arange(300), 6)
    Y = sp.csr_array((np.ones(len(row)), (row, (q * rng.random(len(row)) ** 3).astype(int))), shape=(300, q))
    Y.data[:] = 1
    E = sp.random_array((300, 100), density=0.1, rng=rng, format="csr")
    tracemalloc.start()
    G = gram(E, Y)
    found = fit_of(G)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.converged
    assert found.W.nnz > 0
    assert peak < q * q / 8


def fit_of(G):
    return feature_weights.solve(G, laplacian(cosine_similarity(G.YtY)))
