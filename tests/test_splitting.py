"""The method of multipliers against the descent, its factor against numpy, its acceleration against the plain iteration."""

import numpy as np
import pytest
import scipy.sparse as sp
from weighting import text

from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.numeric.weights import Gram, Stop, cholesky, cosine_similarity, gram, laplacian, solve, splitting
from lsdmlo_cli.numeric.weights import solver as feature_weights


@pytest.fixture
def splits_early(monkeypatch):
    monkeypatch.setattr(feature_weights, "MOST_FEATURES_TO_DESCEND", 8)
    monkeypatch.setattr(cholesky, "ROWS_PER_BLOCK", 64)


def counts(seed=3):
    """Texts whose words differ in how often they occur, and labels of some of them."""
    E, Y = text(n=200, e=500, q=5, seed=seed)
    lengths = np.random.default_rng(seed).choice([1.0, 3.0, 100.0], E.shape[1])
    return sp.csr_array(E * lengths), Y


def problem_of(E, Y):
    G = gram(E, sp.csr_array(Y))
    return Gram(None, G.EtY, G.YtY, E, G.fingerprint), laplacian(cosine_similarity(G.YtY))


@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (1 / 16, 1 / 4), (1.0, 16.0)])
def test_the_minimum_is_that_of_the_descent(splits_early, monkeypatch, lambda1, lambda2):
    G, lap = problem_of(*counts())
    steps = []
    minimize = splitting.minimize
    monkeypatch.setattr(splitting, "minimize", lambda *given: steps.append(minimize(*given)) or steps[-1])
    found = solve(G, lap, lambda1=lambda1, lambda2=lambda2, stop=Stop(1e-6))
    assert len(steps) == 1
    monkeypatch.setattr(feature_weights, "MOST_FEATURES_TO_DESCEND", 10_000)
    expected = solve(G, lap, lambda1=lambda1, lambda2=lambda2, stop=Stop(1e-8))
    assert len(steps) == 1
    assert found.converged and expected.converged
    assert found.objective == pytest.approx(expected.objective, rel=1.1e-6)
    assert found.objective >= expected.objective * (1 - 1e-8)


def test_threads_change_no_bit(splits_early, monkeypatch):
    monkeypatch.setattr(splitting, "LABELS_PER_PART", 2)
    monkeypatch.setattr(splitting, "COLUMNS_PER_PRODUCT", 20)
    G, lap = problem_of(*counts())
    one, three = (solve(G, lap, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one.W.toarray(), three.W.toarray())
    assert (one.objective, one.relative_gap, one.iterations) == (three.objective, three.relative_gap, three.iterations)


def test_it_ends_with_the_gap_it_has(splits_early):
    G, lap = problem_of(*counts())
    begun = solve(G, lap, lambda1=1 / 16, stop=Stop(1e-6))
    ended = solve(G, lap, lambda1=1 / 16, stop=Stop(1e-6, max_iter=20))
    assert not ended.converged
    assert 1e-6 < ended.relative_gap < 1
    assert ended.iterations == 20 < begun.iterations
    assert begun.objective <= ended.objective * (1 + 1e-6)
    assert (ended.objective - begun.objective) / ended.objective <= ended.relative_gap


def test_long_columns_raise_the_penalty_and_not_the_rounding(splits_early):
    E, Y = counts()
    E = sp.csr_array(E * np.where(np.arange(E.shape[1]) % 50, 1.0, 1e5))
    found = solve(*problem_of(E, Y), stop=Stop(1e-3))
    assert found.converged


@pytest.mark.parametrize(("exceeding", "is_early"), [(100, True), (500, False)])
def test_it_takes_over_early_where_many_gradients_exceed_their_bound(splits_early, monkeypatch, exceeding, is_early):
    monkeypatch.setattr(feature_weights, "MOST_FEATURES_TO_DESCEND", 10_000)
    monkeypatch.setattr(feature_weights, "FIRST_WORKING_SET", 8)
    monkeypatch.setattr(feature_weights, "MOST_EXCEEDING", exceeding)
    begun = []
    minimize = splitting.minimize
    monkeypatch.setattr(splitting, "minimize", lambda *given: begun.append(given[2]) or minimize(*given))
    assert solve(*problem_of(*counts())).converged
    assert [int(start.W.any(axis=0).sum()) <= 16 for start in begun] == [True] * is_early


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_WEIGHTS"])
def test_what_is_too_large_for_it_is_left_to_the_descent(splits_early, monkeypatch, limit):
    monkeypatch.setattr(splitting, limit, 10)
    monkeypatch.setattr(splitting, "minimize", None)
    assert solve(*problem_of(*counts())).converged


@pytest.mark.parametrize("n", [1, 64, 150])
def test_the_factor_of_products_solves(monkeypatch, n):
    monkeypatch.setattr(cholesky, "ROWS_PER_BLOCK", 64)
    rng = np.random.default_rng(n)
    X = sp.random_array((n, 90), density=0.2, rng=rng, dtype=np.float32, format="csr")
    right = rng.normal(size=(n, 3)).astype(np.float32)
    with mapping(1) as run:
        factor = cholesky.factor_of_products(X, run)
    with mapping(3) as run:
        for one, three in zip(factor, cholesky.factor_of_products(X, run), strict=True):
            np.testing.assert_array_equal(one.before, three.before)
            np.testing.assert_array_equal(np.tril(one.own), np.tril(three.own))
        solutions = [right.copy() for _ in range(3)]
        for x, (how, most) in zip(solutions, [(map, None), (map, 20), (run, 20)], strict=True):
            cholesky.solve_in_place(factor, x, how, most)
    expected = np.linalg.solve(np.eye(n) + (X @ X.T).toarray().astype(float), right)
    for x in solutions:
        np.testing.assert_allclose(x, expected, atol=1e-5)
    np.testing.assert_array_equal(solutions[1], solutions[2])


def distance_after(steps, iteration, fixed_point):
    x = np.zeros_like(fixed_point)
    for _ in range(steps):
        x = iteration(x)
    return np.abs(x - fixed_point).max(axis=1)


def test_acceleration_shortens_a_slow_iteration():
    rates = np.array([np.linspace(0, 0.99, 8), np.linspace(0.5, 0.9, 8)])
    fixed_point = np.random.default_rng(0).normal(size=rates.shape)
    acceleration = splitting._Acceleration(rates.shape)

    def plain(x):
        return fixed_point + rates * (x - fixed_point)

    slow = distance_after(60, plain, fixed_point)
    fast = distance_after(60, lambda x: acceleration.extrapolated(x, plain(x), np.arange(2)), fixed_point)
    assert (fast < slow / 10).all()


def test_acceleration_begins_anew_where_steps_grow():
    acceleration = splitting._Acceleration((1, 3))
    x = np.zeros((1, 3))
    acceleration.extrapolated(x, x + 1.0, np.arange(1))
    acceleration.extrapolated(x, x + [0.5, 0.25, 0.125], np.arange(1))
    far = acceleration.extrapolated(x, x + 100.0, np.arange(1))
    np.testing.assert_array_equal(far, x + 100.0)
    assert not acceleration.changes.any()


def test_labels_within_the_tolerance_wait(splits_early, monkeypatch):
    monkeypatch.setattr(splitting, "FIRST_CORRECTED_WITHIN", 0)
    moved = []
    approach = splitting._State.approach

    def recorded(state, labels, steps):
        moved.append((len(state.W[labels]), steps))
        approach(state, labels, steps)

    monkeypatch.setattr(splitting._State, "approach", recorded)
    E, Y = counts()
    found = solve(*problem_of(E, Y), lambda1=0.3, stop=Stop(1e-7))
    assert found.converged
    assert min(moved)[0] < 5
    assert {labels for labels, steps in moved if steps > 1} == {5}
