"""The columns that `categorical_features` names: indices, names and masks."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsdmlo_cli import LSDMLO, ParameterError

pd = pytest.importorskip("pandas")

MASK = [False, False, True, True]


def codes() -> tuple[np.ndarray, np.ndarray]:
    """Two columns of numbers, then two of codes, and three labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = (X[:, :3] + rng.normal(size=(80, 3)) * 0.4 > [0, 0.7, 1.3]).astype(int)
    X[:, 2:] = rng.integers([0, 5], [3, 8], size=(80, 2))
    return X, Y


X, Y = codes()
FRAME = pd.DataFrame(X, columns=list("wxyz"))


@pytest.mark.parametrize(
    ("data", "mask"),
    [
        (X, MASK),
        (X, tuple(MASK)),
        (X, np.array(MASK)),
        (X, np.array(MASK, dtype=object)),
        (X, [np.False_, False, np.True_, True]),
        (X, pd.Series(MASK)),
        (X, pd.array(MASK, dtype="boolean")),
        (X, {2, 3}),
        (X, np.array([2, 3])),
        (X, [-1, np.int64(2)]),
        (sp.csr_array(X), MASK),
        (sp.csc_matrix(X), np.array(MASK)),
        (FRAME, MASK),
        (FRAME, np.array(MASK)),
        (FRAME, pd.Series(MASK, index=FRAME.columns)),
        (FRAME, FRAME.columns.isin(["y", "z"])),
        (FRAME, FRAME.columns[2:]),
        (FRAME, ["y", 3]),
        (FRAME.set_axis([False, True, 0, 1], axis=1), MASK),
    ],
)
def test_a_mask_is_the_indices_of_its_true_columns(data: Any, mask: Any) -> None:
    expected, _ = LSDMLO(p=0.4, categorical_features=[2, 3]).fit_resample(X, Y)
    given, _ = LSDMLO(p=0.4, categorical_features=mask).fit_resample(data, Y)
    new = sp.csr_array(given).toarray()
    assert np.array_equal(new, expected)
    assert (new[:, 2:] % 1 == 0).all()
    assert not np.isin(new[80:, 0], X[:, 0]).all()


@pytest.mark.parametrize(
    ("data", "wrong", "says"),
    [
        (X, MASK[1:], "categorical_features is a mask of length 3, but X has 4 columns"),
        (FRAME, np.ones(5, dtype=bool), "categorical_features is a mask of length 5, but X has 4 columns"),
        (sp.csr_array(X), [True], "categorical_features is a mask of length 1, but X has 4 columns"),
        (X, [True, 3], "categorical_features mixes truth values with 3: give a mask, or name columns"),
        (FRAME, ["y", False], "categorical_features mixes truth values with 'y'"),
        (X, pd.array([True, None, True, False], dtype="boolean"), "categorical_features mixes truth values with <NA>"),
        (FRAME, pd.Series(MASK, index=list("zyxw")), "is a mask in another order than the columns of X"),
        (X, 3, r"categorical_features must be a list of columns, a mask or None, not 3: for one column write \[3\]"),
        (FRAME, "wx", r"must be a list of columns, a mask or None, not 'wx': for one column write \['wx'\]"),
        (X, True, "categorical_features must be a list of columns, a mask or None, not True"),
        (X, iter([2, 3]), "categorical_features must be a list of columns, a mask or None, not <list_iterator"),
        (X, [4], "categorical_features names 4, which is no column of X"),
        (X, [-5], "categorical_features names -5, which is no column of X"),
        (X, [1.5], "categorical_features names 1.5, which is no column of X"),
        (X, [None], "categorical_features names None, which is no column of X"),
        (FRAME, ["q"], "categorical_features names 'q', which is no column of X"),
        (X, np.array([MASK]), r"categorical_features names array\(\[False, False, True, True\]\), which is no column of X"),
    ],
)
def test_what_names_no_columns_is_refused(data: Any, wrong: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says) as refused:
        LSDMLO(categorical_features=wrong).fit_resample(data, Y)
    assert "\n" not in str(refused.value)


def test_no_column_is_an_empty_list() -> None:
    none, _ = LSDMLO(p=0.4).fit_resample(X, Y)
    for empty in ([], (), np.array([], dtype=int), [False] * 4):
        assert np.array_equal(LSDMLO(p=0.4, categorical_features=empty).fit_resample(X, Y)[0], none)
