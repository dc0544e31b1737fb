"""Tests between methods: against scipy's, against all choices of signs, and against all partitions of the methods."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.evaluation.statistics import MOST_METHODS, bergmann_hommel, ranks, wilcoxon, wins_and_losses

DIFFERENCES = arrays(np.float64, st.integers(1, 9), elements=st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0]))


def partitions(methods):
    """All partitions of a list into blocks."""
    if not methods:
        yield []
        return
    for rest in partitions(methods[1:]):
        yield [methods[:1], *rest]
        for i, block in enumerate(rest):
            yield [*rest[:i], [methods[0], *block], *rest[i + 1 :]]


def exhaustive_sets(m):
    """The sets of pairs inside the blocks of a partition, without the empty one."""
    found = {tuple(pair for block in blocks for pair in combinations(sorted(block), 2)) for blocks in partitions(list(range(m)))}
    return [pairs for pairs in found if pairs]


def by_brute_force(p):
    """Bergmann and Hommel's adjusted p by their definition."""
    adjusted = np.zeros_like(p)
    for pairs in exhaustive_sets(len(p)):
        value = min(1.0, len(pairs) * min(p[pair] for pair in pairs))
        for pair in pairs:
            adjusted[pair] = adjusted[pair[::-1]] = max(adjusted[pair], value)
    np.fill_diagonal(adjusted, 1.0)
    return adjusted


def symmetric(values, m):
    """A symmetric matrix with these values above the diagonal."""
    p = np.ones((m, m))
    for value, (a, b) in zip(values, combinations(range(m), 2), strict=True):
        p[a, b] = p[b, a] = value
    return p


def upper(p):
    """The values above the diagonal."""
    return p[np.triu_indices(len(p), 1)]


@st.composite
def p_values(draw, elements):
    """A symmetric matrix of p for two to six methods."""
    m = draw(st.integers(2, 6))
    return symmetric(draw(arrays(np.float64, m * (m - 1) // 2, elements=elements)), m)


def test_ranks_share_their_mean_where_values_are_equal():
    values = np.array([[0.9, 0.5, 0.9, 0.1], [0.2, 0.2, 0.2, 0.2]])
    assert ranks(values, higher_is_better=True).tolist() == [[1.5, 3, 1.5, 4], [2.5, 2.5, 2.5, 2.5]]
    assert ranks(values, higher_is_better=False).tolist() == [[3.5, 2, 3.5, 1], [2.5, 2.5, 2.5, 2.5]]


@given(arrays(np.float64, (13, 12), elements=st.integers(0, 9).map(float)))
def test_ranks_of_twelve_methods_sum_to_78(values):
    assert (ranks(values, higher_is_better=True).sum(axis=1) == 78).all()


@pytest.mark.parametrize("n", [1, 2, 5, 13, 30])
def test_wilcoxon_is_that_of_scipy(n):
    rng = np.random.default_rng(n)
    for shift in (0.0, 0.3, 1.0):
        x, y = rng.normal(size=(2, n)) + np.array([[shift], [0.0]])
        assert wilcoxon(x, y) == pytest.approx(stats.wilcoxon(x, y, method="exact").pvalue, abs=1e-14)


@given(difference=DIFFERENCES)
def test_wilcoxon_over_all_signs(difference):
    """Without the pairs that do not differ."""
    used = difference[difference != 0]
    rank = stats.rankdata(np.abs(used))
    side = lambda signs: float(((np.asarray(signs) - 0.5) * rank).sum())  # noqa: E731
    seen = abs(side(used > 0))
    share = np.mean([abs(side(signs)) >= seen - 1e-9 for signs in product((0, 1), repeat=len(used))])
    assert wilcoxon(difference, np.zeros(len(difference))) == pytest.approx(share, abs=1e-14)


def test_wilcoxon_of_a_table_by_hand():
    """Ranks 1.5, 1.5, 3 with one minus at 1.5: sums of 1.5 or less on a side arise from 0, 1.5, 1.5 of 8 choices, both sides."""
    assert wilcoxon(np.array([1.0, -1.0, 2.0]), np.zeros(3)) == 6 / 8


def test_wilcoxon_without_a_difference():
    assert wilcoxon(np.ones(4), np.ones(4)) == 1.0


def test_the_smallest_p_of_thirteen_data_sets():
    assert wilcoxon(np.arange(13) + 1.0, np.zeros(13)) == 2 / 8192


@settings(max_examples=40)
@given(p_values(st.floats(0, 1)) | p_values(st.sampled_from([0.0, 0.001, 0.01, 0.03, 0.2, 1.0])))
def test_bergmann_hommel_over_all_partitions(p):
    found = bergmann_hommel(p)
    assert found == pytest.approx(by_brute_force(p), abs=1e-15)
    assert (found == found.T).all()


@pytest.mark.parametrize("seed", range(3))
def test_bergmann_hommel_between_raw_and_holm(seed):
    rng = np.random.default_rng(seed)
    p = symmetric(rng.random(45) ** 6, 10)
    raw, adjusted = upper(p), upper(bergmann_hommel(p))
    order = np.argsort(raw)
    holm = np.minimum(1.0, np.maximum.accumulate(raw[order] * np.arange(45, 0, -1)))
    assert (adjusted >= raw).all()
    assert (adjusted[order] <= holm + 1e-15).all()
    assert (adjusted <= np.minimum(1.0, 45 * raw)).all()  # Nemenyi
    assert (adjusted < np.minimum(1.0, 45 * raw)).any()


@given(p_values(st.floats(0, 1)), st.data())
def test_bergmann_hommel_rises_with_p(p, data):
    """A larger p for one pair makes no adjusted p smaller."""
    a, b = data.draw(st.sampled_from(list(combinations(range(len(p)), 2))))
    higher = p.copy()
    higher[a, b] = higher[b, a] = data.draw(st.floats(p[a, b], 1))
    assert (bergmann_hommel(higher) >= bergmann_hommel(p) - 1e-15).all()


def test_bergmann_hommel_of_three_methods():
    """All three hypotheses, or one: the smallest p counts three times, the others once, but not below what is smaller."""
    found = upper(bergmann_hommel(symmetric([0.01, 0.02, 0.04], 3)))
    assert found.tolist() == pytest.approx([0.03, 0.03, 0.04])


@pytest.mark.parametrize("m", [0, 1])
def test_nothing_to_adjust(m):
    assert (bergmann_hommel(np.ones((m, m))) == np.ones((m, m))).all()


def test_too_many_methods_are_refused():
    with pytest.raises(ParameterError, match=f"up to {MOST_METHODS} methods"):
        bergmann_hommel(np.ones((MOST_METHODS + 1, MOST_METHODS + 1)))


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_wins_and_losses(higher_is_better):
    """Method 0 is the best on all of 13 data sets, 1 and 2 cannot be told apart."""
    rng = np.random.default_rng(0)
    values = rng.random((13, 3)) + [[5.0, 0.0, 0.0]]
    signed = values * {True: 1, False: -1}[higher_is_better]
    wins, losses, adjusted = wins_and_losses(signed, higher_is_better, 0.05)
    assert wins.tolist() == [2, 0, 0]
    assert losses.tolist() == [0, 1, 1]
    p = stats.wilcoxon(values[:, 1], values[:, 2], method="exact").pvalue
    assert upper(adjusted).tolist() == pytest.approx([3 * 2 / 8192, 3 * 2 / 8192, p])
    assert wins_and_losses(signed, higher_is_better, 1e-4)[0].tolist() == [0, 0, 0]


def test_wins_and_losses_with_zeros():
    """Three differences of one sign, without the zero: 2 of 8 choices of signs are as extreme."""
    values = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 0.0]])
    assert wins_and_losses(values, True, 0.3)[2][0, 1] == 2 / 8
    assert wins_and_losses(values, True, 0.3)[0].tolist() == [1, 0]


def test_missing_values_are_refused():
    values = np.array([[0.5, np.nan], [0.1, 0.2]])
    for ask in (lambda: ranks(values, True), lambda: wins_and_losses(values, True), lambda: bergmann_hommel(values * np.nan)):
        with pytest.raises(DataError, match="a value is missing"):
            ask()
