"""Tables in memory: clones have the cells of their rows, and new rows the kinds and types of the table."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsdmlo_cli import LPROS, LSDMLO, MLROS, REMEDIAL, DataError
from lsdmlo_cli.data.tables import Table, table

pd = pytest.importorskip("pandas")

N = 80
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 4))
Y = (NUMBERS[:, :3] + RNG.normal(size=(N, 3)) * 0.4 > [0, 0.7, 1.3]).astype(int)
IDS = 2**53 + 1 + 2 * np.arange(N)
FEW = np.arange(N) % 5
CLONING = pytest.mark.parametrize("method", [MLROS, LPROS, REMEDIAL])


def clones(method: Any, X: Any) -> tuple[Any, np.ndarray]:
    """The clones, and the seed of each."""
    estimator = method()
    new, _ = estimator.fit_resample(X, Y)
    kept = len(estimator.sample_indices_)
    assert len(new) > kept
    return new[kept:], estimator.provenance_.seed


@CLONING
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([IDS, FEW]),
        np.column_stack([IDS, FEW]).astype(np.uint64) * 1024,
        np.column_stack([-IDS, np.full(N, np.iinfo(np.int64).max)]),
        np.array([[int(i) * 10**6, int(f)] for i, f in zip(IDS, FEW, strict=True)], dtype=object),
        np.array([[[1, 1.0, True, "a"][i % 4], i % 3, -0.0] for i in range(N)], dtype=object),
        np.array([[[None, 1.5, np.nan, Decimal("0.10")][i % 4], Decimal(i % 3)] for i in range(N)], dtype=object),
        np.array([[date(2020, 1, 1 + i % 5), i % 3] for i in range(N)], dtype=object),
        np.column_stack([np.longdouble(1) / 3 + FEW, FEW]),
        np.where(NUMBERS > 0, np.float32(1.1), np.nan).astype(np.float32),
        np.array([["a", b"b".decode()], ["c", "longer"]])[RNG.integers(2, size=(N, 2)), [0, 1]],
    ],
    ids=["int64", "uint64", "extremes", "large objects", "mixed", "missing", "dates", "longdouble", "float32", "text"],
)
def test_clones_of_arrays_are_their_rows(method: Any, X: np.ndarray) -> None:
    new, seeds = clones(method, X)
    assert new.dtype == X.dtype
    assert repr(new.tolist()) == repr(X[seeds].tolist())


@CLONING
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("categorical", [None, [0], [1], [0, 1]])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int16, np.float64, np.longdouble])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_clones_of_sparse_rows_are_their_rows(method: Any, categorical: list[int] | None, dtype: Any, kind: Any) -> None:
    X = np.column_stack([IDS.astype(dtype), (FEW * (FEW > 2)).astype(dtype), np.ones(N, dtype=dtype)])
    estimator = method(categorical_features=categorical)
    new, _ = estimator.fit_resample(kind(X), Y)
    assert (type(new), new.dtype) == (kind, dtype)
    assert np.array_equal(new.toarray()[len(estimator.sample_indices_) :], X[estimator.provenance_.seed])


@CLONING
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_clones_of_frames_are_their_rows(method: Any) -> None:
    some = np.arange(N) % 7 == 0
    frame = pd.DataFrame(
        {
            "int64": IDS,
            "uint64": IDS.astype(np.uint64) * 1024,
            "Int64": pd.Series(IDS, dtype="Int64").mask(some),
            "UInt64": pd.Series(IDS.astype(np.uint64) * 1024, dtype="UInt64").mask(some),
            "Float32": pd.Series(NUMBERS[:, 0], dtype="Float32").mask(some),
            "category": pd.Series(FEW.astype(str), dtype="category").mask(some),
            "ids": pd.Categorical(IDS),
            "string": pd.Series(FEW.astype(str), dtype="string").mask(some),
            "str": FEW.astype(str),
            "object": pd.Series([[None, 1, 1.0, Decimal("1.50"), 2**70][i % 5] for i in range(N)], dtype=object),
            "boolean": pd.Series(FEW > 2, dtype="boolean").mask(some),
            "date": pd.Series(pd.date_range("2020-01-01", periods=N)).mask(some),
            "zone": pd.date_range("2020-01-01", periods=N, tz="Europe/Madrid"),
            "sparse": pd.arrays.SparseArray(IDS * some),
        },
        index=range(500, 500 + N),
    )
    new, seeds = clones(method, frame)
    pd.testing.assert_frame_equal(new.reset_index(drop=True), frame.iloc[seeds].reset_index(drop=True), check_exact=True)
    assert list(map(type, new["object"])) == list(map(type, frame["object"].iloc[seeds]))


def test_dates_of_a_frame_come_from_the_seed() -> None:
    days = pd.Series(pd.date_range("2020-01-01", periods=N)).mask(FEW == 1)
    frame = pd.DataFrame({"number": NUMBERS[:, 0], "day": days, "other": NUMBERS[:, 1]})
    estimator = LSDMLO(p=0.5)
    new, _ = estimator.fit_resample(frame, Y)
    seeds = estimator.provenance_.seed
    assert new["day"].iloc[N:].reset_index(drop=True).equals(days.iloc[seeds].reset_index(drop=True))
    undated, _ = LSDMLO(p=0.5).fit_resample(frame.drop(columns="day"), Y)
    assert new.drop(columns="day").equals(undated)
    assert not np.isin(new["number"].iloc[N:], frame["number"]).all()


def joined(data: Any, new: list[list[float]], seeds: list[int]) -> Any:
    taken: Table = table(data, "X")
    return taken.joined(np.arange(0), np.array(new), np.array(seeds))


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_a_number_of_its_own_is_spelled_and_without_a_seed_all_are(make: Any) -> None:
    rows = make(np.array([[2**53 + 1, 5], [2**53 + 3, 0]], dtype=np.int64))
    new = joined(rows, [[2.0**53, 3.0], [2.0**53 + 4, 0.0], [2.0**53, 5.0], [2.0**63, -(2.0**63)]], [0, 1, -1, 0])
    expected = [[2**53 + 1, 3], [2**53 + 3, 0], [2**53, 5], [2**63 - 1, -(2**63)]]
    assert sp.csr_array(new).toarray().tolist() == expected


def test_new_cells_of_a_frame_take_its_types() -> None:
    frame = pd.DataFrame(
        {
            "Int8": pd.Series([1, None, 3], dtype="Int8"),
            "uint64": np.array([2**63 + 1025, 2, 3], dtype=np.uint64),
            "object": pd.Series([1, 2, None], dtype=object),
            "money": pd.Series([Decimal("0.10"), Decimal("0.30"), None], dtype=object),
            "half": np.array([0.5, 1, 2], dtype=np.float16),
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
        }
    )
    numbers = [[2, 2.0**64, 2, 0.25, 0.3, 1], [np.nan, 5, np.nan, np.nan, np.nan, 1], [1, 2, 1, 0.1, 0.5, 1]]
    new = joined(frame, numbers, [0, 0, -1])
    assert new.dtypes.equals(frame.dtypes)
    assert new["Int8"].tolist() == [2, pd.NA, 1]
    assert new["uint64"].tolist() == [2**64 - 1, 5, 2]
    assert list(map(repr, new["object"])) == ["2", "None", "1"]
    assert list(map(repr, new["money"])) == ["Decimal('0.25')", "None", "Decimal('0.1')"]
    assert new["half"].tolist()[::2] == [np.float16(0.3), 0.5]
    assert new["day"].isna().tolist() == [False, False, True]


# lists of rows


MIXED = [[round(a, 3), round(b, 3), "uv"[i % 2], i % 3 == 0] for i, (a, b) in enumerate(NUMBERS[:, :2].tolist())]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_as_lists_of_numbers_and_text_are_a_table_of_objects() -> None:
    expected, _ = LSDMLO(p=0.4).fit_resample(np.array(MIXED, dtype=object), Y)
    for rows in (MIXED, list(map(tuple, MIXED)), tuple(MIXED)):
        new, labels = LSDMLO(p=0.4).fit_resample(rows, Y.tolist())
        assert new.dtype == object
        assert new.tolist() == expected.tolist()
        assert np.array_equal(labels[:N], Y)
    assert {tuple(map(type, row)) for row in new.tolist()} == {(float, float, str, bool)}
    assert not set(new[N:, 0]) <= set(new[:N, 0])
    assert set(new[N:, 2]) <= {"u", "v"}


@pytest.mark.parametrize(
    ("rows", "dtype", "kinds"),
    [
        ([[0.5, 1], [2, 3]], np.float64, ["numeric", "numeric"]),
        ([[4, 1], [2, 3]], np.int64, ["integer", "integer"]),
        ([[True, False], [False, True]], np.bool_, ["nominal", "nominal"]),
        ([["a", "b"], ["c", "d"]], np.dtype("<U1"), ["nominal", "nominal"]),
        ([[b"a", b"b"], [b"c", b"d"]], np.dtype("S1"), ["nominal", "nominal"]),
        ([[0.5, True], [2, False]], object, ["numeric", "nominal"]),
        ([[4, np.True_], [2, np.False_]], object, ["integer", "nominal"]),
        ([[4, "a"], [2.5, "b"]], object, ["numeric", "nominal"]),
        ([[4, b"a"], [2, b"b"]], object, ["integer", "nominal"]),
        ([["b", b"a"], ["c", b"b"]], object, ["nominal", "nominal"]),
        ([[4, None], [2, 0.5]], object, ["integer", "numeric"]),
        ([[Decimal("0.1"), 1], [Decimal("0.2"), 2]], object, ["numeric", "integer"]),
        ([np.array([0.5, 1]), np.array([2, 3])], np.float64, ["numeric", "numeric"]),
    ],
)
def test_a_list_is_what_numpy_makes_of_it_unless_it_is_mixed(rows: Any, dtype: Any, kinds: list[str]) -> None:
    taken = table(rows, "X")
    assert taken.joined(np.arange(2), np.empty((0, 2)), np.arange(0)).dtype == dtype
    assert taken.kinds == kinds


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([[1, 2], [3]], "X must be a table: its rows do not all have the same number of cells"),
        ((row for row in MIXED), "X must be a table .*, not generator"),
        ({"a": [1, 2]}, "X must be a table .*, not dict"),
        (None, "X must be a table .*, not NoneType"),
        ("text", "X must be a table .*, not str"),
        (pd.Series([1.0, 2.0]), "X must have two dimensions, rows and columns; it has 1"),
        (np.zeros((2, 2, 2)), "X must have two dimensions, rows and columns; it has 3"),
        (np.ma.masked_array(np.eye(2), mask=np.eye(2)), r"X is a masked array: give X.astype\(float\).filled\(np.nan\)"),
        ([[10**400, 1], [2, 3]], "column 0 of X holds a number beyond"),
        (pd.DataFrame({"big": pd.Series([10**400, 1], dtype=object)}), "column 'big' of X holds a number beyond"),
    ],
)
def test_what_is_no_table_is_refused(X: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        table(X, "X")


def test_missing_cells_of_objects_may_be_na() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, None, 3], dtype="Int64"), "b": pd.Series([0.5, None, 2], dtype="Float64")})
    taken = table(frame.astype(object).to_numpy(), "X")
    assert taken.kinds == ["integer", "numeric"]
    assert np.isnan(taken.numbers[1]).all()
