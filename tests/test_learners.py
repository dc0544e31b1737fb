"""The learners of the experiment, against other libraries, slow versions and counts by hand; and all of them on awkward data."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from math import comb, exp
from typing import Any

import autograd
import numpy as np
import pytest
from conftest import public
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from skmultilearn import adapt
from skmultilearn.problem_transform import BinaryRelevance, LabelPowerset
from threadpoolctl import threadpool_limits

from lsdmlo_cli import Analysis, ParameterError
from lsdmlo_cli.evaluation.learners import BR, C2AE, CC, COCOA, ET, LEARNERS, LLSF, LR, MLkNN, RAkEL, title
from lsdmlo_cli.evaluation.learners.c2ae import gamma
from lsdmlo_cli.evaluation.learners.cocoa import best_threshold, three_classes, undersampled
from lsdmlo_cli.evaluation.learners.rakel import label_subsets
from lsdmlo_cli.evaluation.learners.tree import columns_to_learn, grow, probability, rows_to_predict
from lsdmlo_cli.numeric.weights import cosine_similarity, gram, laplacian, solve

QUICK: dict[str, dict[str, Any]] = {"c2ae": {"epochs": 2, "hidden": 16}, "llsf": {"max_iter": 1000}}


def made(n: int = 80, e: int = 6, q: int = 5, seed: int = 0) -> tuple[np.ndarray, csr_array]:
    """Features without ties, and labels that follow them with noise, rarer from one to the next."""
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(n, e))
    signal = E @ rng.normal(size=(e, q)) + rng.normal(size=(n, q))
    return E, csr_array((signal > np.linspace(-0.5, 2.5, q)).astype(np.float64))


def emotions() -> tuple[np.ndarray, csr_array]:
    dataset = public("emotions")
    return np.asarray(Analysis(dataset).E), dataset.Y


DATA = [pytest.param(made, id="made"), pytest.param(emotions, id="emotions", marks=pytest.mark.shared)]


def halves(E: np.ndarray, Y: csr_array) -> tuple[np.ndarray, csr_array, np.ndarray, np.ndarray]:
    """Training features and labels, test features and labels."""
    return E[::2], Y[::2], E[1::2], Y[1::2].toarray() != 0


def slow_tree(rng: np.random.Generator) -> Any:
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=int(rng.integers(2**31)))


def share(tree: Any, E: np.ndarray, value: int) -> np.ndarray:
    """The probability of a value, 0 where the tree does not know it."""
    known = {int(c): column for c, column in zip(tree.classes_, tree.predict_proba(E).T, strict=True)}
    return known.get(value, np.zeros(len(E)))


# the tree


@pytest.mark.parametrize("most", [0.0, 0.7, 1.9])
def test_a_tree_is_scikit_learns_whatever_the_form(most: float) -> None:
    E, Y = made()
    E[np.abs(E) < most] = 0.0  # all, half and one in twenty stay: only the last is learned from as sparse columns
    target = Y.toarray()[:, 1].astype(int)
    want = slow_tree(np.random.default_rng(3)).fit(E[::2], target[::2]).predict_proba(E[1::2])[:, 1]
    for form in (E, csr_array(E)):
        tree = grow(columns_to_learn(form[::2]), target[::2], np.random.default_rng(3))
        np.testing.assert_array_equal(probability(tree, rows_to_predict(form[1::2]), 1), want)


def test_numbers_beyond_float32_are_its_largest() -> None:
    E = np.array([[1e300], [-1e300], [1e200], [-1e39]] * 3)
    tree = grow(columns_to_learn(E), E[:, 0] > 0, np.random.default_rng(0))
    np.testing.assert_array_equal(probability(tree, rows_to_predict(E), 1), E[:, 0] > 0)


# BR


@pytest.mark.shared
def test_br_is_as_good_as_scikit_multilearns() -> None:
    E, Y = emotions()
    ours, theirs = [], []
    for train, test in KFold(10, shuffle=True, random_state=1).split(E):
        truth = Y[test].toarray().astype(int)
        mine = BR().fit(E[train], Y[train], np.random.default_rng(0))(E[test])
        other = BinaryRelevance(slow_tree(np.random.default_rng(0)), require_dense=[True, True])
        predicted = other.fit(E[train].astype(np.float32), Y[train].toarray().astype(int)).predict(E[test].astype(np.float32))
        ours.append(f1_score(truth, mine.relevant, average="macro"))
        theirs.append(f1_score(truth, predicted.toarray(), average="macro"))
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.02


def test_br_is_a_tree_a_label() -> None:
    E, Y, test, _ = halves(*made())
    rng = np.random.default_rng(4)
    want = np.column_stack([share(slow_tree(rng).fit(E, y), test, 1) for y in Y.toarray().T.astype(int)])
    found = BR().fit(E, Y, np.random.default_rng(4))(test)
    np.testing.assert_array_equal(found.scores, want)
    np.testing.assert_array_equal(found.relevant, want > 0.5)


def balanced(label: np.ndarray) -> np.ndarray:
    """The weight of each row: the rows with the label weigh half of all, and so do the others."""
    return np.array([len(label) / (2 * np.sum(label == value)) for value in label])


def test_a_balanced_br_is_a_tree_a_label_on_weighted_rows() -> None:
    E, Y, test, _ = halves(*made())
    rng = np.random.default_rng(4)
    want = [share(slow_tree(rng).fit(E, y, sample_weight=balanced(y)), test, 1) for y in Y.toarray().T.astype(int)]
    found = BR("balanced").fit(E, Y, np.random.default_rng(4))(test)
    np.testing.assert_allclose(found.scores, np.column_stack(want), atol=1e-12)
    assert not np.array_equal(found.scores, BR().fit(E, Y, np.random.default_rng(4))(test).scores)


# LR


@pytest.mark.parametrize("weights", ["none", "balanced"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_lr_is_the_minimum_of_the_penalised_loss(weights: Any, form: Callable[[Any], Any]) -> None:
    """At the minimum the gradient is 0: w_j / c + sum_i v_i (p_ij - y_ij) x_i, and without the penalty for the intercept."""
    E, Y = made(n=300)
    E = E * [1.0, 1e3, 1e-3, 1.0, 1.0, 1.0]
    p = LR(0.5, weights).fit(form(E), Y, np.random.default_rng(0))(form(E)).scores
    x, y = (E - E.mean(axis=0)) / E.std(axis=0), Y.toarray()
    v = {"none": lambda: np.ones(y.shape), "balanced": lambda: np.apply_along_axis(balanced, 0, y)}[weights]()
    logit = np.log(p / (1 - p))
    coefficients = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), logit, rcond=None)[0]
    gradient = coefficients[:-1] / 0.5 + x.T @ (v * (p - y))
    assert np.abs(gradient).max() < 0.5 < 5 < np.abs(x.T @ (v * y)).max()
    assert np.abs((v * (p - y)).sum(axis=0)).max() < 0.5


def test_lr_is_scikit_learns_on_standardised_columns() -> None:
    E, Y, test, _ = halves(*made())
    mean, spread = E.mean(axis=0), E.std(axis=0)
    slow = [LogisticRegression(max_iter=1000, tol=1e-6).fit((E - mean) / spread, y) for y in Y.toarray().T]
    want = np.column_stack([model.predict_proba((test - mean) / spread)[:, 1] for model in slow])
    found = LR().fit(E, Y, np.random.default_rng(0))(test)
    np.testing.assert_allclose(found.scores, want, atol=1e-6)
    np.testing.assert_array_equal(found.relevant, want > 0.5)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_lr_knows_no_units(unit: float) -> None:
    E, Y, test, _ = halves(*made())
    one, other = (LR().fit(E * u, Y, np.random.default_rng(0))(test * u).scores for u in (1.0, unit))
    np.testing.assert_allclose(one, other, atol=1e-6)


# ET


def slow_leaves(tree: Any, E: np.ndarray, Y: np.ndarray, test: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """For each test row and label the weighted share of the training rows in the same leaf that have the label."""
    leaves, scores = tree.apply(E), np.zeros((len(test), Y.shape[1]))
    for i, leaf in enumerate(tree.apply(test)):
        for j in range(Y.shape[1]):
            inside = leaves == leaf
            scores[i, j] = (weights[inside, j] * Y[inside, j]).sum() / weights[inside, j].sum()
    return scores


@pytest.mark.parametrize("weights", ["none", "balanced"])
def test_et_is_a_mean_over_leaves(weights: Any) -> None:
    E, Y, test, _ = halves(*made(n=200))
    E, test, y = E.astype(np.float32), test.astype(np.float32), Y.toarray()
    v = {"none": lambda: np.ones(y.shape), "balanced": lambda: np.apply_along_axis(balanced, 0, y)}[weights]()
    seeds = np.random.default_rng(6).integers(2**31, size=7)
    trees = [ExtraTreeClassifier(min_samples_leaf=2, random_state=int(seed)).fit(E, y) for seed in seeds]
    want = np.mean([slow_leaves(tree, E, y, test, v) for tree in trees], axis=0)
    found = ET(7, weights).fit(E, Y, np.random.default_rng(6))(test)
    np.testing.assert_allclose(found.scores, want, atol=1e-9)
    np.testing.assert_array_equal(found.relevant, found.scores > 0.5)


@pytest.mark.parametrize("learner", [LR, ET])
def test_balanced_classes_give_a_rare_label_more_often(learner: Any) -> None:
    E, Y, test, _ = halves(*made(n=400))
    plain, weighed = (learner(class_weight=how).fit(E, Y, np.random.default_rng(0))(test) for how in ("none", "balanced"))
    assert weighed.relevant[:, -1].sum() > plain.relevant[:, -1].sum()


# CC


@pytest.mark.parametrize("order", ["random", "natural"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_cc_is_a_loop_along_the_chain(order: Any, data: Callable[[], Any], form: Callable[[Any], Any]) -> None:
    E, Y, test, _ = halves(*data())
    q, rng = Y.shape[1], np.random.default_rng(5)
    chain = {"random": lambda: rng.permutation(q), "natural": lambda: np.arange(q)}[order]()
    truth, scores, given = Y.toarray().astype(int), np.zeros((len(test), q)), np.zeros((len(test), q))
    for t, j in enumerate(chain):
        before = chain[:t]
        tree = slow_tree(rng).fit(np.hstack([E, truth[:, before]]), truth[:, j])
        scores[:, j] = share(tree, np.hstack([test, given[:, before]]), 1)
        given[:, j] = scores[:, j] > 0.5
    found = CC(order).fit(form(E), Y, np.random.default_rng(5))(form(test))
    np.testing.assert_array_equal(found.scores, scores)
    np.testing.assert_array_equal(found.relevant, given)


# RAkEL


@pytest.mark.parametrize("q", [4, 5, 6, 9, 30, 150])
def test_label_sets_differ_and_cover(q: int) -> None:
    subsets = [tuple(subset.tolist()) for subset in label_subsets(q, np.random.default_rng(q))]
    assert len(set(subsets)) == len(subsets) == min(2 * q, comb(q, 3))
    assert all(a < b < c for a, b, c in subsets)
    assert {label for subset in subsets for label in subset} == set(range(q))


def test_every_label_set_comes_up_alike() -> None:
    drawn = [tuple(subset.tolist()) for seed in range(500) for subset in label_subsets(7, np.random.default_rng(seed))]
    counts = np.array([drawn.count(subset) for subset in sorted(set(drawn))])
    assert len(counts) == comb(7, 3)
    assert np.abs(counts - 200).max() < 60  # 14 of 35 in each draw: 200, deviation 11


def slow_rakel(E: np.ndarray, Y: csr_array, test: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of votes, and mean probabilities, counted row by row."""
    rng, q = np.random.default_rng(seed), Y.shape[1]
    votes, chances, trees = np.zeros((len(test), q)), np.zeros((len(test), q)), np.zeros(q)
    for subset in label_subsets(q, rng):
        codes = np.array([sum(2**place for place, j in enumerate(subset) if row[j]) for row in Y.toarray()])
        tree = slow_tree(rng).fit(E, codes)
        trees[subset] += 1
        for i, (code, shares) in enumerate(zip(tree.predict(test), tree.predict_proba(test), strict=True)):
            for place, j in enumerate(subset):
                votes[i, j] += bool(code & 2**place)
                chances[i, j] += sum(share for c, share in zip(tree.classes_, shares, strict=True) if c & 2**place)
    return votes / trees, chances / trees


@pytest.mark.parametrize("data", DATA)
def test_rakel_counts_votes(data: Callable[[], Any]) -> None:
    E, Y, test, _ = halves(*data())
    votes, chances = slow_rakel(E, Y, test, 6)
    found = RAkEL().fit(E, Y, np.random.default_rng(6))(test)
    np.testing.assert_allclose(found.scores, votes, rtol=1e-12)
    np.testing.assert_array_equal(found.relevant, found.scores >= 0.5)
    found = RAkEL("probabilities").fit(E, Y, np.random.default_rng(6))(test)
    np.testing.assert_allclose(found.scores, chances, rtol=1e-12)


def test_rakel_votes_by_hand() -> None:
    """The feature says which of two label sets a row has: all trees agree, and all four sets of three are used."""
    E = np.repeat([[0.0], [1.0]], 4, axis=0)
    Y = csr_array(np.repeat([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]], 4, axis=0))
    found = RAkEL().fit(E, Y, np.random.default_rng(0))(np.array([[0.0], [1.0]]))
    assert found.scores.tolist() == [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]]


def test_three_labels_are_one_label_powerset() -> None:
    E, Y, test, _ = halves(*made(q=3))
    other = LabelPowerset(slow_tree(np.random.default_rng(0)), require_dense=[True, True])
    want = other.fit(E.astype(np.float32), Y.toarray().astype(int)).predict(test.astype(np.float32)).toarray()
    # Classes are numbered in another order there, and ties of a leaf go to the first: most rows agree, not all.
    assert (RAkEL().fit(E, Y, np.random.default_rng(0))(test).relevant == want).mean() > 0.9


# MLkNN


@pytest.mark.parametrize("data", DATA)
def test_mlknn_is_scikit_multilearns(data: Callable[[], Any]) -> None:
    E, Y, test, _ = halves(*data())
    other = adapt.MLkNN(k=10, ignore_first_neighbours=1).fit(E, Y.toarray().astype(int))
    other.ignore_first_neighbours = 0  # the first neighbour of a training row is itself, that of a new row is not
    found = MLkNN().fit(E, Y, np.random.default_rng(0))(test)
    np.testing.assert_array_equal(found.relevant, other.predict(test).toarray())
    np.testing.assert_allclose(found.scores, other.predict_proba(test).toarray(), rtol=1e-9)


def slow_mlknn(E: np.ndarray, Y: np.ndarray, test: np.ndarray, k: int, s: float) -> np.ndarray:
    n, q = Y.shape
    squared = np.array([[np.square(a - b).sum() for b in E] for a in E]) + np.diag([np.inf] * n)
    near = [np.argsort(row, kind="stable")[:k] for row in squared]
    scores = np.zeros((len(test), q))
    for j in range(q):
        prior = (s + Y[:, j].sum()) / (2 * s + n)
        counts = np.zeros((2, k + 1))
        for i in range(n):
            counts[int(Y[i, j]), int(Y[near[i], j].sum())] += 1
        for i, row in enumerate(test):
            delta = int(Y[np.argsort([np.square(row - b).sum() for b in E], kind="stable")[:k], j].sum())
            for_0, for_1 = (s + counts[:, delta]) / (s * (k + 1) + counts.sum(axis=1)) * [1 - prior, prior]
            scores[i, j] = for_1 / (for_1 + for_0)
    return scores


@pytest.mark.parametrize(("k", "s"), [(10, 1.0), (3, 0.5)])
@pytest.mark.parametrize("digits", [9, 0])
def test_mlknn_is_the_loop(k: int, s: float, digits: int) -> None:
    E, Y, test, _ = halves(*made(n=60, e=3))
    E, test = E.round(digits), test.round(digits)  # whole numbers have equal rows and distances
    want = slow_mlknn(E, Y.toarray(), test, k, s)
    for form in (np.asarray, csr_array):
        found = MLkNN(k, s).fit(form(E), Y, np.random.default_rng(0))(form(test))
        np.testing.assert_allclose(found.scores, want, rtol=1e-12)
        np.testing.assert_array_equal(found.relevant, want > 0.5)


# COCOA


@pytest.mark.parametrize("counts", [[20, 5], [7, 30, 4], [3, 3], [9]])
def test_classes_are_cut_to_the_smallest(counts: list[int]) -> None:
    target = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    drawn = [undersampled(target, np.random.default_rng(seed)) for seed in range(100)]
    for rows in drawn:
        assert np.bincount(target[rows]).tolist() == [min(counts)] * len(counts)
        assert (np.diff(rows) > 0).all()
    assert len(np.unique(np.concatenate(drawn))) == len(target)


def test_three_classes_row_by_row() -> None:
    own, other = np.random.default_rng(0).random((2, 50)) < 0.4
    slow = [2 if a else 1 if b else 0 for a, b in zip(own, other, strict=True)]
    assert three_classes(own, other).tolist() == slow


def test_the_threshold_has_the_best_f1() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        scores, label = rng.random(40).round(2), rng.random(40) < 0.3
        F1 = {t / 20: f1_score(label, scores >= t / 20, zero_division=0) for t in range(1, 20)}
        assert best_threshold(scores, label) == max(F1, key=lambda t: (round(F1[t], 12), -t))


def test_without_any_f1_the_threshold_is_a_half() -> None:
    assert best_threshold(np.array([0.3, 0.0]), np.array([False, False])) == 0.5
    assert best_threshold(np.array([0.3, 0.0]), np.array([False, True])) == 0.5


@pytest.mark.parametrize("data", DATA)
def test_cocoa_is_a_loop_over_pairs(data: Callable[[], Any]) -> None:
    E, Y, test, _ = halves(*data())
    rng, truth = np.random.default_rng(7), Y.toarray() != 0
    q = truth.shape[1]
    fitted, scores = np.zeros(truth.shape), np.zeros((len(test), q))
    for j in range(q):
        others = [k for k in range(q) if k != j]
        targets = [(truth[:, j].astype(int), 1)]
        targets += [(three_classes(truth[:, j], truth[:, k]), 2) for k in rng.choice(others, min(q - 1, 10), replace=False)]
        for target, value in targets:
            rows = undersampled(target, rng)
            tree = slow_tree(rng).fit(E[rows], target[rows])
            fitted[:, j] += share(tree, E, value) / len(targets)
            scores[:, j] += share(tree, test, value) / len(targets)
    found = COCOA().fit(E, Y, np.random.default_rng(7))(test)
    np.testing.assert_allclose(found.scores, scores, atol=1e-12)
    thresholds = [best_threshold(fitted[:, j], truth[:, j]) for j in range(q)]
    apart = np.abs(scores - thresholds) > 1e-9
    np.testing.assert_array_equal(found.relevant[apart], (scores >= thresholds)[apart])


def test_cocoa_couples_as_many_labels_as_there_are() -> None:
    E, Y, test, _ = halves(*made(q=2))
    scores = COCOA().fit(E, Y, np.random.default_rng(0))(test).scores
    np.testing.assert_array_equal(scores, COCOA(coupled=1).fit(E, Y, np.random.default_rng(0))(test).scores)


# LLSF


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(("lambda1", "lambda2"), [(1.0, 1.0), (0.1, 0.0)])
def test_llsf_predicts_by_the_feature_weights(form: Callable[[Any], Any], lambda1: float, lambda2: float) -> None:
    E, Y, test, _ = halves(*made())
    sums = gram(E, Y)
    W = solve(sums, laplacian(cosine_similarity(sums.YtY)), lambda1=lambda1, lambda2=lambda2).W.toarray()
    found = LLSF(lambda1, lambda2).fit(form(E), Y, np.random.default_rng(0))(form(test))
    np.testing.assert_allclose(found.scores, test @ W, atol=1e-9)
    np.testing.assert_array_equal(found.relevant, found.scores > 0.5)


# C2AE


def single(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array if isinstance(array, np.ndarray) else array.toarray(), dtype=np.float32) for array in arrays]


def test_the_loss_of_c2ae_goes_down() -> None:
    E, Y = made(n=200)
    rng = np.random.default_rng(0)
    learner = C2AE(learning_rate=1e-3, epochs=30, hidden=64)
    _, losses = learner.train(learner.drawn(E.shape[1], Y.shape[1], rng), *single(E, Y), rng)
    assert losses[-1] < 0.8 * losses[0]
    assert np.mean(np.diff(losses) < 0) > 0.8


def test_c2ae_learns() -> None:
    E, Y, test, truth = halves(*made(n=400))
    found = C2AE(learning_rate=1e-3, epochs=60, hidden=64).fit(E, Y, np.random.default_rng(0))(test)
    assert f1_score(truth, found.relevant, average="micro") > 0.65
    assert (found.scores > 0).all() and (found.scores < 1).all()


def pairs(y: np.ndarray) -> Iterator[tuple[int, int, int, float]]:
    """Row, present label, absent label, and one over how many of these the row has."""
    for i, row in enumerate(y):
        for a in np.flatnonzero(row):
            for b in np.flatnonzero(1 - row):
                yield i, int(a), int(b), 1 / (row.sum() * (1 - row).sum())


def test_gamma_and_its_gradient_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    y, values = (rng.random((12, 5)) < 0.5).astype(float), rng.random((12, 5))
    y[0], y[1] = 0.0, 1.0  # without a pair
    want, slope = 0.0, np.zeros(y.shape)
    for i, a, b, part in pairs(y):
        term = part * exp(-5 * (values[i, a] - values[i, b]))
        want += term / 5
        slope[i, a] -= term
        slope[i, b] += term
    loss, gradient = autograd.value_and_grad(lambda p: gamma(y, p))(values)
    assert loss == pytest.approx(want)
    np.testing.assert_allclose(gradient, slope, atol=1e-12)


def slow_c2ae_loss(learner: C2AE, values: list[np.ndarray], E: np.ndarray, y: np.ndarray) -> float:
    def through(x: np.ndarray, *layers: int) -> np.ndarray:
        for layer in layers[:-1]:
            x = x @ values[2 * layer] + values[2 * layer + 1]
            x = np.where(x > 0, x, 0.1 * x)
        return 1 / (1 + np.exp(-(x @ values[2 * layers[-1]] + values[2 * layers[-1] + 1])))

    Fx, Fe = through(E, 0, 1, 2) - 0.5, through(y, 3, 4) - 0.5
    p = through(Fe, 5, 6)
    assert Fx.shape == (9, 4)  # round(0.8 * 5)
    apart = sum(np.square(F.T @ F - np.eye(4)).sum() for F in (Fx, Fe))
    Gamma = sum(part * exp(-5 * (p[i, a] - p[i, b])) / 5 for i, a, b, part in pairs(y))
    return np.square(Fx - Fe).sum() + 0.5 * apart + 0.5 * Gamma


def test_the_whole_loss_of_c2ae_and_its_slope() -> None:
    E, Y = made(n=9)
    y, rng, learner = Y.toarray(), np.random.default_rng(1), C2AE(hidden=8)
    networks = [parameter.astype(float) for parameter in learner.drawn(6, 5, rng)]
    loss, gradient = autograd.value_and_grad(learner.loss)(networks, E, y)
    assert loss == pytest.approx(slow_c2ae_loss(learner, networks, E, y), rel=1e-6)
    direction = [rng.normal(size=parameter.shape) for parameter in networks]
    ahead, behind = (
        slow_c2ae_loss(learner, [parameter + step * way for parameter, way in zip(networks, direction, strict=True)], E, y)
        for step in (1e-6, -1e-6)
    )
    slope = sum((one * way).sum() for one, way in zip(gradient, direction, strict=True))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-4)


def test_the_decay_of_c2ae_is_part_of_the_loss() -> None:
    """One step of training, against one by the loss with the decay in it: so long as Adam's first step is, so long is it."""
    E, Y = single(*made(n=9))
    learner = C2AE(learning_rate=1e-3, epochs=1, decay=5.0)
    first = learner.drawn(6, 5, np.random.default_rng(1))
    ours, _ = learner.train(first, E, Y, np.random.default_rng(2))
    decayed = autograd.grad(lambda P: learner.loss(P, E, Y) + 5.0 * sum((W * W).sum() for W in P[::2]))(first)
    for mine, before, gradient in zip(ours, first, decayed, strict=True):
        np.testing.assert_allclose(mine, before - 1e-3 * gradient / (np.abs(gradient) + 1e-8), atol=1e-5)


# all


def awkward() -> dict[str, tuple[np.ndarray, csr_array]]:
    E, Y = made()
    labels = Y.toarray()
    constant = labels.copy()
    constant[:, 0], constant[:, 1] = 0.0, 1.0
    one_in_one = np.zeros((80, 5))
    one_in_one[3, 2] = 1.0
    return {
        "constant labels": (E, csr_array(constant)),
        "no label at all": (E, csr_array((80, 5))),
        "every label everywhere": (E, csr_array(np.ones((80, 5)))),
        "one row with one label": (E, csr_array(one_in_one)),
        "one label": (E, csr_array(labels[:, :1])),
        "two labels": (E, csr_array(labels[:, :2])),
        "one feature": (E[:, :1], Y),
        "constant features": (np.ones((80, 2)), Y),
        "indicators": ((E > 0.3).astype(np.float64), Y),
        "one row": (E[:1], Y[:1]),
        "two rows": (E[:2], Y[:2]),
        "large numbers": (E * 1e100, Y),
    }


def learned(name: str, E: Any, Y: csr_array, seed: int = 0) -> Callable[[Any], Any]:
    predictor: Callable[[Any], Any] = LEARNERS[name](**QUICK.get(name, {})).fit(E, Y, np.random.default_rng(seed))
    return predictor


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("case", awkward())
@pytest.mark.parametrize("name", LEARNERS)
def test_awkward_data(name: str, case: str, form: Callable[[Any], Any]) -> None:
    E, Y = awkward()[case]
    before = E.copy(), Y.toarray()
    given = form(E)
    found = learned(name, given, Y)(form(E[:7]))
    assert found.scores.shape == found.relevant.shape == (min(7, len(E)), Y.shape[1])
    assert found.scores.dtype == np.float64
    assert found.relevant.dtype == bool
    assert np.isfinite(found.scores).all()
    np.testing.assert_array_equal(csr_array(given).toarray(), before[0])
    np.testing.assert_array_equal(Y.toarray(), before[1])


@pytest.mark.parametrize("name", ["br", "cc", "rakel", "cocoa", "mlknn", "lr", "et"])
def test_constant_labels_are_predicted(name: str) -> None:
    E, Y = awkward()["constant labels"]
    found = learned(name, E[::2], Y[::2])(E[1::2])
    assert not found.relevant[:, 0].any()
    assert found.relevant[:, 1].all()


@pytest.mark.parametrize("name", LEARNERS)
def test_no_rows_have_no_labels(name: str) -> None:
    E, Y = made()
    found = learned(name, E, Y)(E[:0])
    assert found.scores.shape == found.relevant.shape == (0, 5)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_seed_says_it_all(name: str) -> None:
    E, Y, test, _ = halves(*made(n=300))
    predictor = learned(name, E, Y, seed=3)
    first, again = predictor(test), predictor(test)
    with threadpool_limits(1):
        alone = learned(name, E, Y, seed=3)(test)
    for other in (again, alone):
        np.testing.assert_array_equal(first.scores, other.scores)
        np.testing.assert_array_equal(first.relevant, other.relevant)


@pytest.mark.parametrize("zeros", [0.5, 0.95])
@pytest.mark.parametrize(
    ("name", "most"), [*((name, 1e-12) for name in ("br", "cc", "rakel", "cocoa", "mlknn", "et")), ("lr", 1e-3)]
)
def test_sparse_is_dense(name: str, most: float, zeros: float) -> None:
    E, Y = made(n=200, e=30)
    E[np.random.default_rng(1).random(E.shape) < zeros] = 0.0
    dense = learned(name, E[::2], Y[::2])(E[1::2])
    sparse = learned(name, csr_array(E[::2]), Y[::2])(csr_array(E[1::2]))
    np.testing.assert_allclose(sparse.scores, dense.scores, atol=most)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_learn(name: str) -> None:
    E, Y, test, truth = halves(*made(n=400, q=4))
    learner = LEARNERS[name](**{"c2ae": {"learning_rate": 1e-3, "hidden": 64}}.get(name, {}))
    found = learner.fit(E, Y, np.random.default_rng(0))(test)
    assert roc_auc_score(truth, found.scores) > 0.7


@pytest.mark.parametrize("name", LEARNERS)
def test_what_a_learner_says_of_itself(name: str) -> None:
    learner = LEARNERS[name]
    assert learner.name == name
    assert learner.summary and learner.reference
    assert learner() == learner()


def test_titles_name_the_options_that_were_changed() -> None:
    learners = [BR(), BR("balanced"), LR(c=0.1), LR(1.0, "balanced"), MLkNN(k=3), ET(trees=10, class_weight="balanced")]
    assert [title(learner) for learner in learners] == [
        "br", "br:class_weight=balanced", "lr:c=0.1", "lr:class_weight=balanced", "mlknn:k=3",
        "et:trees=10:class_weight=balanced",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("learner", "wrong"),
    [
        (CC, {"order": "backwards"}),
        (RAkEL, {"scores": "mode"}),
        (MLkNN, {"k": 0}),
        (MLkNN, {"s": 0.0}),
        (COCOA, {"coupled": 0}),
        (BR, {"class_weight": "even"}),
        (LR, {"c": 0.0}),
        (LR, {"class_weight": "even"}),
        (ET, {"trees": 0}),
        (C2AE, {"epochs": 0}),
        (C2AE, {"learning_rate": -1.0}),
        (LLSF, {"lambda1": 0.0}),
        (LLSF, {"lambda2": -1.0}),
        (LLSF, {"max_iter": 0}),
    ],
)
def test_values_out_of_range(learner: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        learner(**wrong)


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [(name, "sklearn.tree", "evaluate") for name in ("br", "cc", "rakel", "cocoa", "et")]
    + [("lr", "sklearn.linear_model", "evaluate"), ("c2ae", "autograd", "deep")],
)
def test_what_is_missing_is_named(name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParameterError, match=rf"pip install 'lsdmlo\[{extra}\]'"):
        learned(name, *made())


def test_the_learners_load_nothing_before_they_learn() -> None:
    code = "import sys, lsdmlo_cli.evaluation.learners; print({'sklearn', 'autograd'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "set()\n"
