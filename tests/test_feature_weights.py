"""Feature weights against the paper's own iteration, scikit-learn's Lasso and the optimality conditions."""

from functools import partial
from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Lasso
from threadpoolctl import threadpool_limits
from weighting import features_and_labels, fit, label_metric, lower_bound, objective, text, whole_after

from lsdmlo_cli.numeric.weights import Gram, Stop, cholesky, cosine_similarity, gram, laplacian, late_after, relevance, solve
from lsdmlo_cli.numeric.weights import certificate as duality_gap
from lsdmlo_cli.numeric.weights import descent as proximal_gradient
from lsdmlo_cli.numeric.weights import problem as weights_problem
from lsdmlo_cli.numeric.weights import solver as feature_weights


def solved_on_the_support(E, Y, W, lambda1, lambda2):
    """The W with the support and the signs of another whose gradient there is lambda1 to the last digits."""
    length = np.maximum(np.linalg.norm(E, axis=0), 1e-300)
    row, label = np.nonzero(W)
    G, M = (E / length).T @ (E / length), label_metric(Y, lambda2)
    right = (E.T @ Y - lambda1 * np.sign(W))[row, label] / length[row]
    exact = np.zeros_like(W)
    exact[row, label] = np.linalg.solve(G[np.ix_(row, row)] * M[np.ix_(label, label)], right) / length[row]
    return exact


def gap_by_the_support(E, Y, W, lambda1, lambda2):
    """How far F(W) is from a bound of its minimum, over F(W)."""
    exact = solved_on_the_support(E, Y, W, lambda1, lambda2)
    return 1 - lower_bound(E, Y, exact, lambda1, lambda2) / objective(E, Y, W, lambda1, lambda2)


def papers_iteration(E, Y, lambda1, lambda2, steps=20_000):
    """Appendix Algorithm 1 with the exact Lipschitz constant and the threshold lambda1 / L."""
    G, B, M = E.T @ E, E.T @ Y, label_metric(Y, lambda2)
    L = np.linalg.eigvalsh(G)[-1] * np.linalg.eigvalsh(M)[-1]
    W = previous = np.zeros_like(B)
    b = previous_b = 1.0
    for _ in range(steps):
        V = W + (previous_b - 1) / b * (W - previous)
        D = V - (G @ V @ M - B) / L
        previous, W = W, np.sign(D) * np.maximum(np.abs(D) - lambda1 / L, 0)
        previous_b, b = b, (1 + np.sqrt(4 * b * b + 1)) / 2
    return W


@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (1 / 16, 0.25), (1.0, 16.0), (5.0, 0.0)])
def test_agrees_with_the_papers_iteration(lambda1, lambda2):
    E, Y = features_and_labels()
    found = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-12)
    expected = papers_iteration(E, Y, lambda1, lambda2)
    assert found.converged
    np.testing.assert_allclose(found.W.toarray(), expected, atol=1e-6)
    assert found.objective == pytest.approx(objective(E, Y, expected, lambda1, lambda2), rel=1e-9)


@pytest.mark.parametrize("max_iter", [1, 3, 10, 100_000])
@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (0.1, 4.0)])
def test_objective_and_gap_are_those_of_the_returned_weights(max_iter, lambda1, lambda2):
    E, Y = features_and_labels()
    found = fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-6, max_iter=max_iter)
    W = found.W.toarray()
    assert found.objective == pytest.approx(objective(E, Y, W, lambda1, lambda2), rel=1e-10)
    minimum = objective(E, Y, fit(E, Y, lambda1=lambda1, lambda2=lambda2, tol=1e-12).W.toarray(), lambda1, lambda2)
    plain = 1 - lower_bound(E, Y, W, lambda1, lambda2) / found.objective
    assert 1 - minimum / found.objective <= found.relative_gap + 1e-12
    assert found.relative_gap <= plain + 1e-12


def test_agrees_with_lasso_where_labels_are_independent():
    E, Y = features_and_labels(n=80, e=20)
    lasso = Lasso(alpha=2.0 / 80, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(E, Y)
    found = fit(E, Y, lambda1=2.0, lambda2=0.0, tol=1e-11)
    np.testing.assert_allclose(found.W.toarray(), lasso.coef_.T, atol=1e-6)


@pytest.mark.parametrize("make", [features_and_labels, text])
def test_the_gradient_is_lambda1_on_the_support_and_not_above_it_elsewhere(make):
    E, Y = make()
    found = fit(E, Y, lambda1=0.7, lambda2=2.0, tol=1e-11)
    W = found.W.toarray()
    gradient = E.T @ Y - E.T @ (E @ W) @ label_metric(Y, 2.0)
    np.testing.assert_allclose(gradient[W != 0], 0.7 * np.sign(W[W != 0]), atol=1e-4)
    assert np.abs(gradient).max() <= 0.7 + 1e-4
    assert 0 < found.W.nnz < W.size


@pytest.mark.parametrize("scales", ["raw", "unit"])
def test_raw_features_of_any_scale_converge(scales):
    E, Y = features_and_labels(n=150, e=30, q=6)
    E = E * {"raw": np.logspace(-3, 4, 30), "unit": np.ones(30)}[scales]
    found = fit(E, Y, tol=1e-9)
    assert found.converged
    assert gap_by_the_support(E, Y, found.W.toarray(), 1.0, 1.0) <= 1.1e-9


def test_weights_vanish_from_the_largest_gradient_on():
    E, Y = features_and_labels()
    largest = np.abs(E.T @ Y).max()
    at = fit(E, Y, lambda1=largest)
    below = fit(E, Y, lambda1=0.99 * largest, tol=1e-9)
    assert (at.W.nnz, at.relative_gap, at.iterations, at.converged) == (0, 0.0, 0, True)
    assert below.W.nnz > 0


def furthest_from_the_minimum(E, Y, found, lambda2=1.0):
    """How far found weights may be from the best ones: F grows by half its least curvature times the squared distance at least,
    and at the weights it is no further above its minimum than the duality gap says."""
    curvature = np.linalg.eigvalsh(E.T @ E)[0] * np.linalg.eigvalsh(label_metric(Y, lambda2))[0]
    return np.sqrt(2 * found.relative_gap * found.objective / curvature)


def test_zero_columns_get_no_weight_and_change_no_other():
    """Up to the duality gap: BLAS may add up in another order where there are more columns."""
    E, Y = features_and_labels()
    padded = fit(np.insert(E, [0, 5, 12], 0.0, axis=1), Y, tol=1e-12)
    plain = fit(E, Y, tol=1e-12)
    W = padded.W.toarray()
    np.testing.assert_array_equal(W[[0, 6, 14]], 0)
    apart = np.linalg.norm(np.delete(W, [0, 6, 14], axis=0) - plain.W.toarray())
    assert apart <= furthest_from_the_minimum(E, Y, padded) + furthest_from_the_minimum(E, Y, plain) < 1e-5


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_identical_columns_share_a_weight(form):
    E, Y = features_and_labels()
    copied = E[:, [3, *range(12), 3, 3, 0]]
    found = fit(form(copied), Y, tol=1e-10)
    W = found.W.toarray()
    np.testing.assert_array_equal(W[[0, 4, 13]], W[[14, 14, 14]])
    np.testing.assert_array_equal(W[1], W[15])
    single = fit(E, Y, tol=1e-10)
    np.testing.assert_allclose(4 * W[0], single.W.toarray()[3], atol=1e-6)
    assert found.objective == pytest.approx(single.objective, rel=1e-9)


def test_more_features_than_rows():
    E, Y = features_and_labels(n=10, e=30, q=3)
    found = fit(E, Y, lambda1=0.5, tol=1e-9)
    assert found.converged
    assert gap_by_the_support(E, Y, found.W.toarray(), 0.5, 1.0) <= 1.1e-9


def test_columns_that_depend_on_each_other():
    E, Y = features_and_labels()
    E[:, 11] = E[:, 0] + E[:, 1]
    E[:, 10] = -E[:, 2]
    E[:, 9] = 3 * E[:, 4]
    found = fit(E, Y, tol=1e-9)
    assert found.converged
    expected = objective(E, Y, papers_iteration(E, Y, 1.0, 1.0), 1.0, 1.0)
    assert found.objective == pytest.approx(expected, rel=1e-8)


def test_one_feature_one_label_by_hand():
    E = np.array([[1.0], [2.0], [3.0]])
    Y = np.array([[0.0], [1.0], [1.0]])
    # The gradient at 0 is 5, the curvature 14, and one label alone has no neighbour in the graph.
    found = fit(E, Y, lambda1=1.5, lambda2=3.0, tol=1e-15)
    assert found.W.toarray().item() == pytest.approx((5 - 1.5) / 14, rel=1e-9)


def test_labels_without_positives():
    E, Y = features_and_labels()
    empty = np.zeros_like(Y)
    nothing = fit(E, empty)
    assert (nothing.W.shape, nothing.W.nnz, nothing.objective, nothing.relative_gap, nothing.converged) == (
        (12, 4), 0, 0.0, 0.0, True,
    )  # fmt: skip
    widened = fit(E, np.insert(Y, [0, 2], 0.0, axis=1), tol=1e-9).W.toarray()
    np.testing.assert_array_equal(widened[:, [0, 3]], 0)
    np.testing.assert_allclose(widened[:, [1, 2, 4, 5]], fit(E, Y, tol=1e-9).W.toarray(), atol=1e-5)


def test_features_that_are_all_zero():
    _, Y = features_and_labels()
    found = fit(np.zeros((60, 3)), Y)
    assert (found.W.shape, found.W.nnz, found.relative_gap, found.converged) == ((3, 4), 0, 0.0, True)
    assert found.objective == 0.5 * Y.sum()


def test_the_iteration_limit_is_reported_not_raised():
    E, Y = features_and_labels()
    found = fit(E, Y, tol=1e-12, max_iter=5)
    assert (found.iterations, found.converged) == (5, False)
    assert found.relative_gap > 1e-12
    at_once = fit(E, Y, max_iter=0)
    assert (at_once.iterations, at_once.converged, at_once.W.nnz) == (0, False, 0)


def rising(per_look):
    """A clock that goes on by so many seconds each time it is read."""
    return partial(next, count(0.0, per_look))


@pytest.mark.parametrize("seconds", [0.5, 30.0, 90.0])
@pytest.mark.parametrize("make", [features_and_labels, text])
def test_a_clock_ends_the_iteration_with_a_gap_that_holds(make, seconds):
    E, Y = make()
    G = gram(E, sp.csr_array(Y))
    stop = Stop(1e-14, is_late=late_after(seconds, rising(1.0)))
    found = solve(G, laplacian(cosine_similarity(G.YtY)), lambda1=0.3, stop=stop)
    assert not found.converged
    assert found.iterations <= seconds
    minimum = fit(E, Y, lambda1=0.3, tol=1e-10).objective
    assert minimum <= found.objective * (1 + 1e-9)
    assert 1 - minimum / found.objective <= found.relative_gap < np.inf


def test_an_hour_that_is_not_over_changes_no_bit():
    E, Y = text()
    G = gram(E, sp.csr_array(Y))
    found = solve(G, laplacian(cosine_similarity(G.YtY)), stop=Stop(1e-9, is_late=late_after(3600, lambda: 0.0)))
    np.testing.assert_array_equal(found.W.toarray(), fit(E, Y, tol=1e-9).W.toarray())


def test_weights_are_stored_without_zeros_and_in_order():
    W = fit(*text()).W
    assert isinstance(W, sp.csc_array)
    assert W.shape == (900, 5)
    assert np.all(W.data != 0)
    assert W.has_sorted_indices


@pytest.mark.parametrize("make", [features_and_labels, text])
def test_the_bits_do_not_depend_on_threads(make):
    E, Y = make()
    with threadpool_limits(1):
        one = fit(E, Y)
    with threadpool_limits(2):
        two = fit(E, Y)
    np.testing.assert_array_equal(one.W.toarray(), two.W.toarray())
    assert (one.objective, one.relative_gap, one.iterations) == (two.objective, two.relative_gap, two.iterations)


def in_operator_form(E, Y):
    G = gram(E, sp.csr_array(Y))
    return Gram(None, G.EtY, G.YtY, E, G.fingerprint)


@pytest.mark.parametrize("largest_working_gram", [4096, 8])
@pytest.mark.parametrize("form", [sp.csr_array, lambda E: E.toarray()])
def test_the_operator_form_agrees_with_the_gram_form(monkeypatch, form, largest_working_gram):
    for module in (feature_weights, weights_problem):
        monkeypatch.setattr(module, "LARGEST_WORKING_GRAM", largest_working_gram)
    E, Y = text()
    G = in_operator_form(form(E), Y)
    found = solve(G, laplacian(cosine_similarity(G.YtY)), stop=Stop(1e-9))
    expected = fit(E, Y, tol=1e-9)
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    assert gap_by_the_support(E.toarray(), Y, found.W.toarray(), 1.0, 1.0) <= 1.1e-9


@pytest.mark.parametrize("largest_working_gram", [4096, 8])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_threads_of_its_own_change_no_bit(monkeypatch, largest_working_gram, one_by_one):
    for module in (feature_weights, weights_problem):
        monkeypatch.setattr(module, "LARGEST_WORKING_GRAM", largest_working_gram)
    monkeypatch.setattr(weights_problem, "ROWS_PER_PRODUCT", 64)
    monkeypatch.setattr(feature_weights, "FEATURES_PER_BLOCK", 100)
    monkeypatch.setattr(duality_gap, "LARGEST_CORRECTION", 60 if one_by_one else 4096)
    E, Y = text(n=120, e=300, q=40)
    G = in_operator_form(E, Y)
    one, three = (solve(G, laplacian(cosine_similarity(G.YtY)), lambda1=0.3, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one.W.toarray(), three.W.toarray())
    assert (one.objective, one.relative_gap, one.iterations) == (three.objective, three.relative_gap, three.iterations)
    assert one.converged


@pytest.mark.parametrize("lambda1", [1.0, 0.3])
def test_working_sets_reach_the_minimum_of_the_whole(monkeypatch, lambda1):
    E, Y = text()
    whole = fit(E, Y, lambda1=lambda1, tol=1e-9)
    monkeypatch.setattr(feature_weights, "FIRST_WORKING_SET", 4)
    grown = fit(E, Y, lambda1=lambda1, tol=1e-9)
    assert grown.converged
    assert grown.objective == pytest.approx(whole.objective, rel=1e-8)
    assert gap_by_the_support(E.toarray(), Y, grown.W.toarray(), lambda1, 1.0) <= 1.1e-9


@pytest.mark.parametrize("w", [1, 5, 60, 450])
def test_the_metric_bounds_the_gram_matrix(w):
    rng = np.random.default_rng(w)
    E = rng.normal(size=(500, w)) + rng.exponential(2.0, size=w)
    E /= np.linalg.norm(E, axis=0)
    G = E.T @ E
    metric = proximal_gradient._metric(G.astype(np.float32), 1000, 1e-3)
    excess = metric.delta * np.eye(w) + metric.U @ metric.U.T - G
    assert np.linalg.eigvalsh(excess)[0] > -1e-6
    assert metric.delta <= 1.1 * np.linalg.eigvalsh(G)[-1]


def test_a_step_without_a_solution_begins_anew_with_a_larger_delta(monkeypatch):
    E, Y = text()
    expected = fit(E, Y, lambda1=0.1, tol=1e-9)
    deltas = []
    metric = proximal_gradient._metric
    monkeypatch.setattr(proximal_gradient, "_metric", lambda G, q, least: deltas.append(least) or metric(G, q, least))
    monkeypatch.setattr(proximal_gradient, "NEWTON_STEPS", 1)
    found = fit(E, Y, lambda1=0.1, tol=1e-9)
    assert {1e-3, 1e-2} <= set(deltas)
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)


def test_the_factor_grows_with_its_features():
    rng = np.random.default_rng(3)
    E = rng.normal(size=(300, 120))
    G = E.T @ E / np.outer(*[np.linalg.norm(E, axis=0)] * 2)
    factor = cholesky.GrowingFactor(blocks_of(G))
    for features in (range(40, 70), range(50, 71), range(20), range(100)):
        assert factor.extend(np.array(features), 100)
    K, right = factor.features, rng.normal(size=(100, 4))
    assert sorted(K) == list(range(100))
    assert np.allclose(factor.solve(right), np.linalg.solve(G[np.ix_(K, K)], right), atol=1e-4)


def test_the_factor_of_equal_features_gets_a_larger_ridge():
    factor = cholesky.GrowingFactor(blocks_of(np.ones((6, 6))))
    factor.ridge = 1e-9  # vanishes beside 1
    assert factor.extend(np.arange(2), 6) and factor.extend(np.arange(6), 6)
    assert factor.ridge > 1e-9
    assert np.isfinite(factor.solve(np.ones((6, 1)))).all()


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("steps", [60, 120])
def test_the_correction_brings_gradients_to_their_bound_and_the_gap_down(monkeypatch, steps, one_by_one):
    (problem, work, W, WGM, bound), _ = whole_after(*text(), steps, lambda1=0.1)
    if one_by_one:
        monkeypatch.setattr(duality_gap, "LARGEST_CORRECTION", int((W != 0).sum(axis=1).max()) + 60)
    plain, first = duality_gap.dual_point(problem, work, W, WGM, 0, 1e-8)
    corrected, gap = duality_gap.dual_point(problem, work, W, WGM, 12, 1e-8)
    assert (np.abs(plain.negative_gradient) / bound).max() > 1.001
    assert (np.abs(corrected.negative_gradient) / bound).max() <= 1 + 1e-6
    np.testing.assert_allclose(corrected.negative_gradient, work.B - problem.M @ (W + corrected.Z) @ work.G, atol=1e-9)
    assert gap < first / 2
    _, again = duality_gap.dual_point(problem, work, W, WGM, 0, 1e-8, corrected.Z)
    assert again == pytest.approx(gap, rel=1e-6)
    monkeypatch.setattr(duality_gap, "ACTIVE_SET_WEIGHT", 0.0)
    assert duality_gap.dual_point(problem, work, W, WGM, 12, 1e-8)[1] > gap


def blocks_of(G):
    return lambda rows, columns: G[np.ix_(rows, columns)].astype(np.float32)


def test_watch_sees_the_iterations_and_the_last_gap():
    seen = []
    E, Y = features_and_labels()
    G = gram(E, sp.csr_array(Y))
    stop = Stop(1e-9, watch=lambda iterations, gap: seen.append((iterations, gap)))
    found = solve(G, laplacian(cosine_similarity(G.YtY)), stop=stop)
    steps = [iterations for iterations, _ in seen]
    assert steps == sorted(steps)
    assert len(seen) > 2
    assert seen[-1] == (found.iterations, found.relative_gap)


def test_arguments_are_not_written_to():
    E, Y = features_and_labels()
    G = gram(E, sp.csr_array(Y))
    Lap = laplacian(cosine_similarity(G.YtY))
    copies = [G.EtE.copy(), G.EtY.copy(), G.YtY.copy(), Lap.copy()]
    W = solve(G, Lap).W
    before = W.copy()
    relevance(W)
    for now, then in zip([G.EtE, G.EtY, G.YtY, Lap], copies, strict=True):
        np.testing.assert_array_equal(now, then)
    np.testing.assert_array_equal(W.toarray(), before.toarray())


def test_relevance_is_a_softmax_over_the_support():
    W = np.array([[1.0, 0.0, 800.0], [-2.0, 0.0, 0.0], [0.0, 0.0, -799.0]])
    theta = relevance(sp.csc_array(W))
    weights = np.exp([1.0, 2.0])
    np.testing.assert_allclose(theta.toarray()[:2, 0], weights / weights.sum(), rtol=1e-15)
    np.testing.assert_allclose(theta.toarray()[[0, 2], 2], [1 / (1 + np.exp(-1)), 1 / (1 + np.e)], rtol=1e-15)
    np.testing.assert_array_equal(theta.toarray() != 0, W != 0)
    assert np.diff(theta.indptr).tolist() == [2, 0, 2]


@pytest.mark.parametrize("start", [(1.0, 1.0), (0.2, 4.0), (50.0, 1.0)])
@pytest.mark.parametrize("make", [features_and_labels, text])
def test_a_start_changes_the_way_and_not_the_end(make, start):
    E, Y = make()
    E = sp.csr_array(sp.hstack([E, E[:, :2], sp.csr_array((E.shape[0], 1))]))  # copies, and a zero column
    other = fit(E, Y, lambda1=start[0], lambda2=start[1])
    begun = fit(E, Y, lambda1=0.9, tol=1e-10, start=other.W)
    expected = fit(E, Y, lambda1=0.9, tol=1e-10)
    assert begun.converged
    np.testing.assert_allclose(begun.W.toarray(), expected.W.toarray(), atol=1e-5)
    assert begun.objective == pytest.approx(expected.objective, rel=1e-9)


def test_a_start_at_the_minimum_is_left_at_once():
    E, Y = features_and_labels()
    found = fit(E, Y, tol=1e-9)
    again = fit(E, Y, tol=1e-8, start=found.W)
    assert (again.iterations, again.converged) == (0, True)
    np.testing.assert_allclose(again.W.toarray(), found.W.toarray(), rtol=1e-12)
