"""Y of 0 and 1 in every spelling that is taken, and what is said of all others."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsdmlo_cli import LSDMLO, REMEDIAL, DataError

pd = pytest.importorskip("pandas")

N = 60
RNG = np.random.default_rng(2)
X = RNG.normal(size=(N, 4))
Y = (X[:, :3] + RNG.normal(size=(N, 3)) * 0.4 > [0, 0.7, 1.3]).astype(int)
FRAME = pd.DataFrame(Y, columns=list("abc"))
EXPECTED_X, EXPECTED_Y = LSDMLO(p=0.5).fit_resample(X, Y)
TEXT = Y.astype(str)
REVERSED = pd.CategoricalDtype(["1", "0"])


@pytest.mark.parametrize(
    "labels",
    [
        *(Y.astype(dtype) for dtype in (bool, np.int8, np.uint64, np.float16, np.longdouble, object, str, "S1", "<U9")),
        Y.astype(bool).astype(object),
        TEXT.astype(object),
        np.array([[y if i % 2 else str(y) for y in row] for i, row in enumerate(Y.tolist())], dtype=object),
        *(kind(Y.astype(dtype)) for kind in (sp.csr_array, sp.csc_matrix, sp.lil_array) for dtype in (bool, float, np.uint8)),
        *(FRAME.astype(dtype) for dtype in (bool, float, object, "Int8", "Float64", "category", str)),
        FRAME.astype(bool).astype("boolean"),
        FRAME.astype(str).astype("string"),
        FRAME.astype(str).astype(object),
        FRAME.astype(str).astype(REVERSED),
        FRAME.astype(str).astype(pd.CategoricalDtype(["2", "1", "0"])),
        FRAME.astype({"a": bool, "b": str, "c": "category"}),
        FRAME.astype(pd.SparseDtype(int, 0)),
    ],
    ids=lambda labels: f"{type(labels).__name__} {getattr(labels, 'dtype', '')}",
)
def test_0_and_1_come_back_as_they_were_spelled(labels: Any) -> None:
    estimator = LSDMLO(p=0.5)
    new_X, new_Y = estimator.fit_resample(X, labels)
    assert np.array_equal(new_X, EXPECTED_X)
    assert type(new_Y) is type(labels)
    frame, given = (pd.DataFrame(sp.csr_array(t).toarray()) if sp.issparse(t) else pd.DataFrame(t) for t in (new_Y, labels))
    assert frame.dtypes.equals(given.dtypes)
    assert frame.columns.equals(given.columns)
    assert frame.iloc[:N].equals(given)
    numbers = frame.astype(object).replace({b"0": "0", b"1": "1"}).to_numpy().astype(float)
    assert np.array_equal(numbers, EXPECTED_Y)


def test_lists_of_rows_are_taken_as_well() -> None:
    for labels in (Y.tolist(), TEXT.tolist(), Y.astype(bool).tolist(), tuple(map(tuple, Y.tolist()))):
        _, new = LSDMLO(p=0.5).fit_resample(X, labels)
        assert new.dtype == np.asarray(labels).dtype
        assert np.array_equal(new.astype(int) if new.dtype != bool else new, EXPECTED_Y)


@pytest.mark.parametrize(
    ("zero", "one", "dtype"), [(0, 1, int), (False, True, bool), ("0", "1", str), (b"0", b"1", "S1"), (0.0, 1.0, float)]
)
def test_a_label_that_all_rows_have_can_be_lost(zero: Any, one: Any, dtype: Any) -> None:
    """remedial parts the rows of rare labels, and one half has the rare labels alone."""
    labels = Y.astype(dtype).astype(object)
    labels[:, 0] = one
    estimator = REMEDIAL()
    _, new = estimator.fit_resample(X, labels)
    column = new[len(estimator.sample_indices_) :, 0].tolist()
    assert set(column) == {zero, one}
    assert set(map(type, column)) == {type(one)}


def test_a_category_that_is_needed_must_be_there() -> None:
    labels = FRAME.astype(str).astype("category")
    labels["a"] = pd.Categorical(["1"] * N)
    with pytest.raises(DataError, match=r"column 'a' needs the category '0': add it by .cat.add_categories\(\['0'\]\)"):
        REMEDIAL().fit_resample(X, labels)
    labels["a"] = labels["a"].cat.add_categories(["0"])
    _, new = REMEDIAL().fit_resample(X, labels)
    assert set(new["a"]) == {"0", "1"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_more_labels_than_rows() -> None:
    wide = np.tile(Y, 30)
    _, new = LSDMLO(p=0.5).fit_resample(X, wide)
    assert new.shape == (90, 90)
    assert np.array_equal(new[:N], wide)


NAMES = [[name for name, y in zip("abc", row, strict=True) if y] for row in Y]
LISTS = "not a list of labels a row: .*MultiLabelBinarizer"
ALONE = "Y must have two dimensions, one column of 0 and 1 for each label; it has 1: .*reshape.*label_binarize"


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (NAMES, LISTS),
        (tuple(map(tuple, NAMES)), LISTS),
        (list(map(set, NAMES)), LISTS),
        (list(map(np.array, NAMES)), LISTS),
        (pd.Series(NAMES), LISTS),
        (np.array(NAMES, dtype=object), LISTS),
        ([[0, 2], [1], []] * 20, LISTS),
        ([["a", "b"], "c", ["a"]] * 20, LISTS),
        ([["a", "b"]] * N, "column 0 holds text, 'a': .*MultiLabelBinarizer"),
        (pd.DataFrame({"tags": [";".join(names) for names in NAMES]}), "column 'tags' holds text, '': .*MultiLabelBinarizer"),
        (Y[:, 1], ALONE),
        (Y[:, 1].tolist(), ALONE),
        (FRAME["b"], ALONE),
        (np.array(["cat", "dog"] * 30), ALONE),
        (["cat", "dog"] * 30, ALONE),
        (range(N), ALONE),
        ((row for row in Y), "Y must be a table .*, not generator"),
        (None, "Y must be a table .*, not NoneType"),
        ({"a": Y[:, 0]}, "Y must be a table .*, not dict"),
        (Y[:, :, np.newaxis], "Y must have two dimensions, rows and columns; it has 3"),
        (np.where(Y, "yes", "no"), "column 0 holds text, 'no': .*as .Y == 'yes'..astype.int. does"),
        (np.where(Y, b"t", b"f"), "column 0 holds text, b'f'"),
        (FRAME.replace({"c": {0: "no", 1: "yes"}}), "column 'c' holds text, 'no'"),
        (FRAME.astype({"b": float}).replace({"b": {1: np.nan}}), "column 'b' holds a missing value: make it 0 or"),
        (FRAME.astype("Int8").replace({"b": {1: None}}), "column 'b' holds a missing value"),
        (FRAME.astype(bool).astype(object).replace({"b": {True: None}}), "column 'b' holds a missing value"),
        (TEXT.astype(object) + np.where(np.arange(N) == 3, ".0", "")[:, np.newaxis], "column 0 holds text, '[01].0'"),
        (np.where(np.eye(N, 3), None, Y), "column 0 holds a missing value"),
        (np.where(np.eye(N, 3), None, TEXT), "column 0 holds a missing value"),
        (np.where(Y, np.nan, 0), "column 0 holds a missing value"),
        (sp.csr_array(np.where(Y, np.nan, 0)), "column 0 holds a missing value"),
        (2 * Y - 1, "column 0 holds the number -1: .*as .Y > 0..astype.int. does with 1 and -1"),
        (2 * Y, "column 0 holds the number 2: make it 1 where the label is set"),
        (Y * [1, 1, 0.5], "column 2 holds the number 0.5"),
        (sp.csr_array(Y * [1, 3, 1]), "column 1 holds the number 3"),
        (FRAME.astype(pd.CategoricalDtype([0, 1])).assign(b=pd.Categorical(Y[:, 1] + 1)), "column 'b' holds the number 2"),
        (FRAME.assign(b=[(1, 2)] * N), r"column 'b' holds \(1, 2\)"),
        (FRAME.assign(b=pd.Timestamp("2020-01-01")), "column 'b' holds dates: leave it out"),
        (Y * 1j, "column 0 of Y holds complex128"),
        (Y.T, "X has 60 rows and Y has 3: they must be rows of the same data, and Y of shape 3 x 60 may have to be turned: Y.T"),
        (Y[:9], "X has 60 rows and Y has 9: they must be rows of the same data$"),
        (Y[:, :0], "Y has no column"),
        ([], "Y must have two dimensions"),
    ],
)
def test_all_else_is_refused_with_what_to_do(labels: Any, says: str) -> None:
    with pytest.raises(DataError, match=says) as refused:
        LSDMLO().fit_resample(X, labels)
    assert "\n" not in str(refused.value)
