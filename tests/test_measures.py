"""Measures and instance weights against the oracle, on examples by hand and on random labels."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from lsdmlo_cli.numeric import measures
from lsdmlo_cli.numeric.instance_weights import correlated_labels
from lsdmlo_cli.numeric.labelsets import labelsets
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
    sets = labelsets(sparse)
    assert same(measures.card(sparse), oracle.card(Y))
    assert sets == oracle.labelsets(Y)
    assert same(measures.tcs(3, Y.shape[1], sets), oracle.tcs(Y, 3))


@given(LABELS)
def test_scumble(Y: np.ndarray) -> None:
    sparse = csr_array(Y.astype(np.float64))
    rows = measures.scumble_rows(sparse, measures.irlbl(Y.sum(axis=0)))
    assert same(rows, oracle.scumble_rows(Y))
    assert same(measures.scumble_labels(sparse, rows), oracle.scumblelbl(Y))


def test_a_label_that_lies_on_the_mean_is_no_minority_label() -> None:
    """28, 9, 21 and 4 rows: label 1 lies exactly on MeanIR, and rounding puts its ratio above it."""
    assert measures.minority_labels(np.array([28, 9, 21, 4])).tolist() == [False, False, False, True]


def test_nothing_is_defined_without_rows() -> None:
    empty = csr_array((0, 2))
    assert math.isnan(measures.card(empty))
    assert labelsets(empty) == 0
    assert math.isnan(measures.tcs(3, 2, 0))
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
