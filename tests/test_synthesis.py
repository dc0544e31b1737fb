"""Synthetic cells against plain counting, bounds and identities."""

import numpy as np
import oracle
import pytest
from scipy.sparse import csr_array

from lsdmlo_cli.numeric.synthesis import Cells, by_falling_depth, gather, interpolate, roulette, vote, with_ancestors


def none_for_nan(values):
    return [None if np.isnan(v) else int(v) for v in values]


@pytest.mark.parametrize("missing", [0, 0.3, 1])
@pytest.mark.parametrize(("members", "values"), [(1, 3), (2, 2), (3, 2), (6, 2), (6, 4), (11, 3), (4, 40)])
def test_the_vote_is_the_oracles(members, values, missing):
    rng = np.random.default_rng(members * values)
    codes = rng.integers(0, values, (400, members)).astype(float)
    codes[rng.random(codes.shape) < missing] = np.nan
    won = none_for_nan(vote(codes))
    assert won == [oracle.nominal_vote(row[0], row[1:], list(range(values))) for row in map(none_for_nan, codes)]


def test_the_vote_of_nobody():
    assert vote(np.zeros((0, 4))).shape == (0,)


@pytest.mark.parametrize(
    "weights", [[1], [0, 1], [1, 0], [0.5, 0.5, 0, 2], [0, 0, 3, 1, 0, 0], [1e-300, 1e-300], [1e300, 1e300, 0], [1, 1e-17, 0]]
)
def test_roulette_draws_in_proportion(weights):
    """n evenly spaced numbers draw each index as often as its share says, up to one at each end."""
    weights = np.array(weights, dtype=float)
    n = 10_000
    drawn = np.bincount(roulette(weights, (np.arange(n) + 0.5) / n), minlength=len(weights))
    assert np.abs(drawn - n * (weights / weights.max()) / (weights / weights.max()).sum()).max() <= 2
    assert not drawn[weights == 0].any()


@pytest.mark.parametrize("uniform", [0.0, np.nextafter(1, 0), 0.5])
def test_roulette_never_draws_a_weight_of_0(uniform):
    rng = np.random.default_rng(7)
    for _ in range(300):
        weights = rng.random(9) * (rng.random(9) < 0.5) + np.eye(9)[rng.integers(9)] * 0.1
        assert weights[roulette(weights, np.array([uniform]))[0]] > 0


def test_roulette_needs_a_weight():
    with pytest.raises(ValueError, match="all weights are 0"):
        roulette(np.zeros(3), np.array([0.5]))


def random_matrix(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 5, (n, d)) * rng.random((n, d)) * (rng.random((n, d)) < 0.4)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("size", [1, 2, 6])
def test_gather_lists_every_cell_that_is_not_0(size):
    rng = np.random.default_rng(size)
    X, chosen = random_matrix(30, 12, seed=1), rng.random(12) < 0.6
    members = rng.integers(0, 30, (25, size))
    expected = [
        (g, j, [X[m, j] for m in group])
        for g, group in enumerate(members)
        for j in np.flatnonzero(chosen)
        if any(X[m, j] != 0 for m in group)
    ]
    for form in (np.asarray, csr_array):
        found = gather(form(X), members, chosen)
        assert found.row.tolist() == [g for g, _, _ in expected]
        assert found.column.tolist() == [j for _, j, _ in expected]
        assert np.array_equal(found.values, [values for _, _, values in expected], equal_nan=True)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(("groups", "columns"), [(0, 3), (5, 0)])
def test_gather_of_nothing(form, groups, columns):
    found = gather(form(random_matrix(6, 3, seed=2)), np.zeros((groups, 2), dtype=int), np.arange(3) < columns)
    assert (len(found.row), len(found.column), found.values.shape) == (0, 0, (0, 2))


@pytest.mark.parametrize("mode", ["attribute", "instance"])
def test_dense_and_sparse_draw_the_same(mode):
    X, members = random_matrix(40, 10, seed=3), np.random.default_rng(3).integers(0, 40, (60, 2))
    values = []
    for form in (np.asarray, csr_array):
        cells = gather(form(X), members, np.ones(10, dtype=bool))
        values.append(interpolate(cells, 60, cells.column % 2 == 0, mode, np.random.default_rng(5)))
    assert np.array_equal(*values, equal_nan=True)


def pairs(seeds, references):
    values = np.column_stack([seeds, references]).astype(float)
    return Cells(np.arange(len(values)), np.zeros(len(values), dtype=int), values)


@pytest.mark.parametrize("mode", ["attribute", "instance"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_new_number_lies_between_its_parents(mode, whole):
    rng = np.random.default_rng(8)
    parents = rng.choice([0.0, 0.1, -0.3, 5, 7, 1e-300, 1e150, -1e150, 1 / 3, 2.5, 9007199254740993, -4], (2, 20_000))
    value = interpolate(pairs(*parents), 20_000, np.full(20_000, whole), mode, rng)
    low, high = parents.min(axis=0), parents.max(axis=0)
    low, high = (np.where((low != high) & whole, np.rint(bound), bound) for bound in (low, high))
    assert ((low <= value) & (value <= high)).all()
    assert (value[low != high] == np.rint(value[low != high])).all() or not whole


@pytest.mark.parametrize("mode", ["attribute", "instance"])
def test_a_new_number_is_spread_evenly(mode):
    """alpha is uniform on [0, 1): its mean is 1/2 and its variance 1/12, to five standard errors."""
    value = interpolate(
        pairs(np.ones(100_000), np.zeros(100_000)), 100_000, np.zeros(100_000, dtype=bool), mode, np.random.default_rng(9)
    )
    assert value.mean() == pytest.approx(0.5, abs=5 / np.sqrt(12 * 100_000))
    assert value.var() == pytest.approx(1 / 12, rel=0.02)
    assert (value >= 0).all() and (value < 1).all()


@pytest.mark.parametrize("mode", ["attribute", "instance"])
@pytest.mark.parametrize("seed", [2.0, 2.5, -3.0])
def test_equal_parents_keep_their_value_and_missing_ones_give_way(mode, seed):
    cells = pairs([seed, seed, np.nan, np.nan], [seed, np.nan, seed, np.nan])
    value = interpolate(cells, 4, np.ones(4, dtype=bool), mode, np.random.default_rng(0))
    assert np.array_equal(value, [seed, seed, seed, np.nan], equal_nan=True)


def test_no_alpha_is_drawn_where_nothing_is_to_choose():
    rng, fresh = np.random.default_rng(4), np.random.default_rng(4)
    interpolate(pairs([1.0, np.nan, 3.0], [1.0, 2.0, np.nan]), 3, np.zeros(3, dtype=bool), "attribute", rng)
    assert rng.random() == fresh.random()


def test_an_alpha_for_each_attribute_or_for_each_row():
    row, column = np.repeat(np.arange(50), 3), np.tile(np.arange(3), 50)
    cells = Cells(row, column, np.column_stack([np.ones(150), np.zeros(150)]))
    shares = {
        mode: interpolate(cells, 50, np.zeros(150, dtype=bool), mode, np.random.default_rng(1)).reshape(50, 3)
        for mode in ("attribute", "instance")
    }
    assert all(len(set(row)) == 1 for row in shares["instance"].tolist())
    assert all(len(set(row)) == 3 for row in shares["attribute"].tolist())


def test_halves_are_rounded_to_even():
    """With parents 2^52 and 2^52 + 1 every value between is whole or ends in a half."""
    low = 2.0**51
    value = interpolate(pairs([low] * 999, [low + 1] * 999), 999, np.ones(999, dtype=bool), "attribute", np.random.default_rng(6))
    assert set(value) <= {low, low + 1}


@pytest.mark.parametrize("seed", range(5))
def test_ancestors_are_the_oracles(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(12)
    parents = np.full(12, -1)
    for place in range(1, 12):
        parents[order[place]] = rng.choice([-1, *order[:place]])
    Y = rng.random((50, 12)) < 0.2
    expected = [oracle.with_ancestors(row.astype(int).tolist(), [None if p < 0 else int(p) for p in parents]) for row in Y]
    before = Y.copy()
    assert with_ancestors(Y, parents).astype(int).tolist() == expected
    assert np.array_equal(Y, before)


def test_a_chain_is_closed_to_its_top():
    parents = np.arange(-1, 499)
    Y = np.zeros((1, 500), dtype=bool)
    Y[0, 321] = True
    assert np.flatnonzero(with_ancestors(Y, parents)[0]).tolist() == list(range(322))


@pytest.mark.parametrize("seed", range(3))
def test_a_label_comes_before_its_parent(seed):
    order = np.random.default_rng(seed).permutation(9)
    parents = np.full(9, -1)
    parents[order[1:]] = order[:-1]
    assert by_falling_depth(parents).tolist() == order[::-1].tolist()
