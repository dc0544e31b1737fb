"""Stratified folds: every row once, labels in proportion, the same again from the same seed."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
from scipy.sparse import csr_array

from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.folds.stratified import folds, holdout

LABELS = arrays(np.bool_, st.tuples(st.integers(5, 25), st.integers(1, 4)))
"""Also labels that no row has or one row has, and rows without a label."""


def sparse(Y):
    """Y as the package holds it."""
    return csr_array(np.asarray(Y, dtype=np.float64))


def rare(seed, n=200):
    """Labels of 3 to 60 rows in 200."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((n, 6), dtype=bool)
    for j, count in enumerate((3, 4, 6, 10, 25, 60)):
        Y[rng.choice(n, count, replace=False), j] = True
    return Y


def unevenness(Y, tests):
    """Mean distance of the labels' rows in the folds from an even share, as a share of the label's rows."""
    shares = np.array([Y[test].sum(axis=0) / Y.sum(axis=0) for test in tests])
    return np.abs(shares - 1 / len(tests)).mean()


@given(LABELS, st.integers(2, 5), st.integers(1, 3), st.integers(0, 2**70))
def test_every_row_is_tested_once_in_a_repeat(Y, count, repeats, seed):
    found = list(folds(sparse(Y), count, repeats, seed))
    assert [(fold.repeat, fold.fold) for fold in found] == [(r + 1, f + 1) for r in range(repeats) for f in range(count)]
    tested = np.array([fold.test for fold in found]).reshape(repeats, count, len(Y))
    assert (tested.sum(axis=1) == 1).all()
    assert tested.any(axis=2).all()


@given(LABELS, st.floats(0.05, 0.75), st.integers(0, 9))
def test_a_holdout_marks_the_rows_of_the_test(Y, share, seed):
    Y = np.vstack([Y, Y, Y, Y])  # with few rows the labels may pull all of them to one side
    fold = holdout(sparse(Y), share, seed)
    assert (fold.repeat, fold.fold, fold.test.shape, fold.test.dtype) == (1, 1, (len(Y),), np.dtype(bool))
    assert 0 < fold.test.sum() < len(Y)


def test_folds_are_those_of_the_library():
    """With the seed that belongs to (4, 2): one column more, without a positive, changes nothing."""
    Y = rare(0)
    seed = int(np.random.SeedSequence([4, 2]).generate_state(1)[0])
    expected = [test.tolist() for _, test in MultilabelStratifiedKFold(3, shuffle=True, random_state=seed).split(Y, Y)]
    assert [np.flatnonzero(fold.test).tolist() for fold in list(folds(sparse(Y), 3, 2, 4))[3:]] == expected


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_closer_to_their_proportion_than_in_random_folds(seed):
    Y = rare(seed)
    rng = np.random.default_rng(seed)
    drawn = [[part == f for f in range(2)] for part in (rng.permutation(len(Y)) % 2 for _ in range(20))]
    stratified = unevenness(Y, [fold.test for fold in folds(sparse(Y), 2, 1, seed)])
    assert stratified < min(unevenness(Y, tests) for tests in drawn)
    assert stratified < 1.05 * (1 / 6 + 1 / 50) / 6  # the best there is: 3 and 25 rows cannot be halved


@pytest.mark.parametrize("share", [0.2, 0.3, 0.5])
def test_a_holdout_has_its_share_of_rows_and_labels(share):
    Y = rare(1)
    test = holdout(sparse(Y), share, 3).test
    assert test.mean() == pytest.approx(share, abs=0.02)
    assert Y[test].sum(axis=0) == pytest.approx(share * Y.sum(axis=0), abs=1)


def test_the_same_seed_gives_the_same_folds_and_each_repeat_others():
    Y = sparse(rare(2))
    one, again, more, other = (
        [fold.test.tolist() for fold in folds(Y, 2, repeats, seed)] for repeats, seed in ((2, 5), (2, 5), (3, 5), (2, 6))
    )
    assert one == again == more[:4]
    assert one != other
    assert len({tuple(test) for test in more}) == 6
    assert holdout(Y, 0.3, 5).test.tolist() == holdout(Y, 0.3, 5).test.tolist() != holdout(Y, 0.3, 6).test.tolist()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [((1, 1), "at least 2 folds"), ((4, 1), "4 folds need at least as many rows, and there are 3"), ((2, 0), "1 repeat")],
)
def test_impossible_folds_are_refused(arguments, told):
    with pytest.raises(ParameterError, match=told):
        folds(sparse(np.eye(3)), *arguments)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.3, 30.0, float("nan")])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(ParameterError, match="must lie between 0 and 1"):
        holdout(sparse(np.eye(3)), share)


def test_a_holdout_that_takes_every_row_is_refused():
    with pytest.raises(ParameterError, match="of 2 rows leaves none for training"):
        holdout(sparse(np.eye(2)), 0.6)


def test_without_the_library_one_line_names_the_extra():
    code = (
        "import sys; sys.modules['iterstrat.ml_stratifiers'] = None\n"
        "from scipy.sparse import csr_array\nfrom lsdmlo_cli.folds.stratified import folds\nfolds(csr_array((3, 1)), 2)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert told.splitlines()[-1].endswith("stratified folds need iterative-stratification: pip install 'lsdmlo[evaluate]'")
