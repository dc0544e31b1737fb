"""Measures and instance weights against the oracle, on examples by hand and on random labels."""

import math
from itertools import combinations
from statistics import fmean, stdev

import numpy as np
import oracle
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from lsdmlo_cli.numeric import measures
from lsdmlo_cli.numeric.instance_weights import correlated_labels
from lsdmlo_cli.numeric.label_dependence import CRITICAL, label_dependence
from lsdmlo_cli.numeric.labelsets import labelset_sizes
from lsdmlo_cli.samplers.base import exact, rows_for

LABELS = arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.integers(0, 1))


def same(found: float | np.ndarray, expected: object) -> bool:
    """Equal to rounding; None of the oracle is NaN of the product."""
    wanted = np.array(expected, dtype=np.float64)
    return bool(np.allclose(np.asarray(found, dtype=np.float64), wanted, rtol=1e-12, atol=1e-14, equal_nan=True))


@given(LABELS)
def test_imbalance_ratios(Y: np.ndarray) -> None:
    ratios = measures.irlbl(Y.sum(axis=0))
    assert same(ratios, oracle.irlbl(Y))
    assert same(measures.mean_ir(ratios), oracle.meanir(Y))
    assert same(measures.max_ir(ratios), oracle.maxir(Y))
    assert same(measures.cvir(ratios), oracle.cvir(Y))
    assert np.flatnonzero(measures.minority_labels(Y.sum(axis=0))).tolist() == list(oracle.minority_labels(Y))


@given(LABELS)
def test_labels_per_row(Y: np.ndarray) -> None:
    sparse = csr_array(Y.astype(np.float64))
    sets = len(labelset_sizes(sparse))
    assert same(measures.card(sparse), oracle.card(Y))
    assert sets == oracle.labelsets(Y)
    assert same(measures.tcs(3, Y.shape[1], sets), oracle.tcs(Y, 3))


@given(LABELS)
def test_scumble(Y: np.ndarray) -> None:
    sparse = csr_array(Y.astype(np.float64))
    rows = measures.scumble_rows(sparse, measures.irlbl(Y.sum(axis=0)))
    assert same(rows, oracle.scumble_rows(Y))
    assert same(measures.scumble_labels(sparse, rows), oracle.scumblelbl(Y))


@given(LABELS)
def test_labelsets(Y: np.ndarray) -> None:
    n, q = Y.shape
    rows = [tuple(row) for row in Y.tolist()]
    assert sorted(labelset_sizes(csr_array(Y.astype(np.float64))).tolist()) == sorted(rows.count(one) for one in set(rows))
    assert measures.diversity(len(set(rows)), n, q) == len(set(rows)) / min(n, 2**q)


def test_more_labels_than_a_power_can_tell() -> None:
    """With 5,000 labels there could be as many sets as rows; with 2 labels four, and with 3 rows three."""
    assert (measures.diversity(3, 12, 5000), measures.diversity(3, 12, 2), measures.diversity(3, 3, 2)) == (3 / 12, 3 / 4, 1)


@given(LABELS)
def test_variation_of_scumble(Y: np.ndarray) -> None:
    """mldr: of two values or more, and 0 where their mean is."""
    rows = np.round(oracle.scumble_rows(Y), 12)
    own = [rows[column == 1].tolist() for column in Y.T]

    def variation(values: list[float]) -> float | None:
        mean = fmean(values) if len(values) > 1 else None
        return stdev(values) / mean if mean else mean

    assert same(measures.scumble_variation(rows), variation(rows.tolist()))
    assert same(measures.scumble_label_variation(csr_array(Y.astype(np.float64)), rows), [variation(values) for values in own])


@given(st.lists(st.integers(0, 6), min_size=1, max_size=15))
def test_skewness_and_kurtosis_are_those_of_scipy(labels: list[int]) -> None:
    values = np.array(labels)
    varied = len(set(labels)) > 1
    skewness = float(scipy.stats.skew(values, bias=False)) if varied and len(labels) > 2 else None
    kurtosis = float(scipy.stats.kurtosis(values, bias=False)) if varied and len(labels) > 3 else None
    assert measures.skewness(values) == pytest.approx(math.nan if skewness is None else skewness, abs=1e-9, nan_ok=True)
    assert measures.kurtosis(values) == pytest.approx(math.nan if kurtosis is None else kurtosis, abs=1e-9, nan_ok=True)


def chi_square(one: np.ndarray, other: np.ndarray) -> float:
    """Of two labels, by scipy."""
    table = [[np.sum((one == a) & (other == b)) for b in (0, 1)] for a in (0, 1)]
    return float(scipy.stats.chi2_contingency(table, correction=False).statistic)


@settings(max_examples=50)
@given(arrays(np.int64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.sampled_from([0, 0, 0, 1])))
def test_dependence_is_that_of_chi_square_tests(Y: np.ndarray) -> None:
    varied = [column for column in Y.T if 0 < column.sum() < len(column)]
    figures = [chi_square(one, other) for one, other in combinations(varied, 2)]
    found = label_dependence(csr_array(Y.astype(np.float64)))
    assert same(
        found, [fmean(one > CRITICAL for one in figures), fmean(np.sqrt(np.array(figures) / len(Y)))] if figures else [None] * 2
    )


def test_dependence_of_many_labels_of_which_few_share_rows() -> None:
    """Every other row has a label and the next one as well: these pairs are dependent, and hardly any of the others."""
    rng = np.random.default_rng(0)
    Y = np.zeros((400, 60), dtype=np.int64)
    for row, label in enumerate(rng.integers(0, 60, 400)):
        Y[row, [label, (label + 1) % 60][: 1 + row % 2]] = 1
    figures = np.array([chi_square(one, other) for one, other in combinations(Y.T, 2)])
    found = label_dependence(csr_array(Y.astype(np.float64)))
    assert same(found, [(figures > CRITICAL).mean(), np.sqrt(figures / 400).mean()])
    assert 0.02 < found.share < 0.2


def test_rounding_does_not_vary() -> None:
    """Three labels of three rows each: every SCUMBLE_i is 0, as it is rounded 0 or 2e-16."""
    rows = np.array([0.0, 2.2e-16, 0.0])
    assert measures.scumble_variation(rows) == 0.0
    assert measures.scumble_label_variation(csr_array(np.ones((3, 3))), rows).tolist() == [0.0] * 3


def test_a_label_that_lies_on_the_mean_is_no_minority_label() -> None:
    """28, 9, 21 and 4 rows: label 1 lies exactly on MeanIR, and rounding puts its ratio above it."""
    assert measures.minority_labels(np.array([28, 9, 21, 4])).tolist() == [False, False, False, True]


def test_nothing_is_defined_without_rows() -> None:
    empty = csr_array((0, 2))
    assert math.isnan(measures.card(empty))
    assert len(labelset_sizes(empty)) == 0
    assert math.isnan(measures.tcs(3, 2, 0))
    assert math.isnan(measures.diversity(0, 0, 2))
    assert all(math.isnan(figure(np.zeros(0))) for figure in (measures.variation, measures.skewness, measures.kurtosis))
    assert np.isnan(label_dependence(empty)).all()
    assert np.isnan(measures.scumble_label_variation(empty, np.zeros(0))).all()
    assert not measures.minority_labels(np.zeros(2, dtype=np.int64)).any()


@settings(max_examples=200)
@given(LABELS, st.integers(0, 10), st.sampled_from([np.asarray, csr_array]))
def test_correlated_labels(Y: np.ndarray, tenths: int, form: type) -> None:
    found = correlated_labels(form((Y.T @ Y).astype(np.float64)), exact(tenths / 10))
    expected = oracle.correlated_labels(Y, tenths / 10)
    assert [sorted(map(int, others)) for others in found] == [sorted(map(int, others)) for others in expected]


@given(st.decimals(0, 3, places=3), st.integers(0, 2000))
def test_rows_are_counted_with_the_decimal_that_was_typed(p: object, n: int) -> None:
    assert rows_for(p, n) == oracle.synthetic_count(p, n)  # type: ignore[arg-type]


def test_the_error_of_a_mean_over_labels():
    """Of 0.3, 0.4 and a label without one: sqrt(0.09 + 0.16) / 2."""
    assert measures.limb_error(np.array([0.3, np.nan, 0.4])) == pytest.approx(0.25)
    assert np.isnan(measures.limb_error(np.array([np.nan])))
