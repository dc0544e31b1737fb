"""Frames of polars, tables of pyarrow, and the index and types of pandas: what comes back is as it was given."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal

from lsdmlo_cli import LSDMLO, MLROS, MLRUS, MLSMOTE, REMEDIAL, DataError
from lsdmlo_cli.data.tables import table

N = 80
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 4))
Y = (NUMBERS[:, :3] + RNG.normal(size=(N, 3)) * 0.4 > [0, 0.7, 1.3]).astype(int)
FEW = (np.arange(N) % 5).tolist()
WORDS = [str(number) for number in FEW]
IDS = [2**53 + 1 + 2 * i for i in range(N)]
DAY = timedelta(days=1)
SOMETIMES = pytest.mark.filterwarnings("ignore::UserWarning")
METHODS = pytest.mark.parametrize("method", [LSDMLO, MLSMOTE, MLROS, REMEDIAL, MLRUS])


def gaps(values: list[Any]) -> list[Any]:
    return [None if i % 7 == 0 else value for i, value in enumerate(values)]


POLARS = pl.DataFrame(
    [
        *(pl.Series(str(of), gaps(NUMBERS[:, 0].tolist()), dtype=of) for of in (pl.Float32, pl.Float64)),
        *(pl.Series(str(of), gaps(FEW), dtype=of) for of in (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32)),
        *(pl.Series(str(of), gaps(IDS), dtype=of) for of in (pl.Int64, pl.UInt64)),
        *(pl.Series(str(of), gaps(WORDS), dtype=of) for of in (pl.String, pl.Categorical)),
        pl.Series("Enum", gaps(WORDS), dtype=pl.Enum(["4", "3", "2", "1", "0", "never"])),
        pl.Series("Boolean", gaps([number > 2 for number in FEW]), dtype=pl.Boolean),
        pl.Series("Binary", gaps([word.encode() for word in WORDS]), dtype=pl.Binary),
        pl.Series("Decimal", gaps([Decimal(number) / 4 for number in FEW]), dtype=pl.Decimal(10, 2)),
        pl.Series("Date", gaps([date(2020, 1, 1) + number * DAY for number in FEW]), dtype=pl.Date),
        pl.Series("Datetime", gaps([datetime(2020, 1, 1, tzinfo=UTC) + i * DAY for i in FEW]), dtype=pl.Datetime("ms", "UTC")),
        pl.Series("Duration", gaps([number * DAY for number in FEW]), dtype=pl.Duration("us")),
        pl.Series("Time", gaps([time(number) for number in FEW]), dtype=pl.Time),
        pl.Series("Null", [None] * N, dtype=pl.Null),
        pl.Series("plain", NUMBERS[:, 1]),
    ]
)
TIMES = ["Date", "Datetime", "Duration", "Time"]
LABELS = pl.DataFrame({"p": Y[:, 0], "q": Y[:, 1] > 0, "r": Y[:, 2].astype(np.uint8)})


def arrow() -> pa.Table:
    """The same cells, in two chunks, with metadata, and a dictionary of narrow indices whose order is that of its words."""
    codes = pa.array(gaps([4 - number for number in FEW]), pa.int8())
    words = pa.DictionaryArray.from_arrays(codes, pa.array(list("zyxwvu"), pa.large_string()), ordered=True)
    made = POLARS.to_arrow().append_column(pa.field("ordered", words.type, metadata={"unit": "words"}), words)
    made = made.append_column(pa.field("never null", pa.float64(), nullable=False), pa.array(NUMBERS[:, 2]))
    return pa.concat_tables([made[:30], made[30:]]).replace_schema_metadata({"source": "made up"})


ARROW, ARROW_LABELS = arrow(), LABELS.to_arrow()


@METHODS
@SOMETIMES
def test_a_frame_of_polars_comes_back_with_its_types(method: Any) -> None:
    estimator = method()
    new, labels = estimator.fit_resample(POLARS, LABELS)
    rows, seeds = estimator.sample_indices_, estimator.provenance_.seed
    assert (new.schema, labels.schema) == (POLARS.schema, LABELS.schema)
    assert (len(new), len(labels)) == 2 * (len(rows) + len(seeds),)
    assert_frame_equal(new[: len(rows)], POLARS[rows], check_exact=True)
    assert_frame_equal(labels[: len(rows)], LABELS[rows], check_exact=True)
    assert_frame_equal(new[len(rows) :].select(TIMES), POLARS.select(TIMES)[seeds], check_exact=True)


@METHODS
@SOMETIMES
def test_a_table_of_pyarrow_comes_back_with_its_schema(method: Any) -> None:
    estimator = method()
    new, labels = estimator.fit_resample(ARROW, ARROW_LABELS)
    rows, seeds = estimator.sample_indices_, estimator.provenance_.seed
    assert new.schema.equals(ARROW.schema, check_metadata=True)
    assert labels.schema.equals(ARROW_LABELS.schema, check_metadata=True)
    new.validate(full=True)
    assert new[: len(rows)].equals(ARROW.take(rows))
    assert labels[: len(rows)].equals(ARROW_LABELS.take(rows))
    assert new[len(rows) :].select(TIMES).to_pylist() == ARROW.select(TIMES).take(seeds).to_pylist()
    assert new["ordered"].unify_dictionaries().chunk(0).dictionary.to_pylist() == list("zyxwvu")


@pytest.mark.parametrize("X", [POLARS, ARROW], ids=["polars", "pyarrow"])
@SOMETIMES
def test_clones_have_the_cells_of_their_rows(X: Any) -> None:
    estimator = MLROS(p=0.4)
    new, _ = estimator.fit_resample(X, Y)
    cells = [getattr(part, "to_pylist", getattr(part, "to_dicts", None)) for part in (new, X)]
    made, given = (read() for read in cells)
    assert len(made) > N
    assert made[N:] == [given[seed] for seed in estimator.provenance_.seed]


@METHODS
@SOMETIMES
def test_all_kinds_of_frames_give_the_same_rows(method: Any) -> None:
    """Categories are left out: a pandas frame lists those that occur, a Categorical of polars none."""
    X = POLARS.select("Float64", "Int16", "Int64", "String", "Boolean", "Enum", "plain", "Date")
    others = X.to_pandas(use_pyarrow_extension_array=True).astype({"Enum": pd.CategoricalDtype(X["Enum"].dtype.categories)})
    expected_X, expected_Y = method().fit_resample(X, LABELS)
    tabled_X, tabled_Y = method().fit_resample(X.to_arrow(), Y)
    pandas_X, pandas_Y = method().fit_resample(others, sp.csr_array(Y))
    assert_frame_equal(pl.from_arrow(tabled_X).cast(X.schema), expected_X, check_exact=True)
    assert_frame_equal(pl.from_pandas(pandas_X).cast(X.schema), expected_X, check_exact=True)
    assert np.array_equal(tabled_Y, expected_Y.to_numpy())
    assert np.array_equal(pandas_Y.toarray(), tabled_Y)


def new_cells(X: Any, numbers: list[list[float]], seeds: list[int]) -> Any:
    return table(X, "X").joined(np.arange(0), np.array(numbers), np.array(seeds))


WHOLE = pl.DataFrame(
    {"Int8": pl.Series([1, None, 3], dtype=pl.Int8), "UInt64": pl.Series([2**63 + 1025, 2, 3], dtype=pl.UInt64)},
).with_columns(
    pl.Series("Decimal", [Decimal("0.10"), Decimal("0.30"), None], dtype=pl.Decimal(10, 2)),
    pl.Series("Float32", [0.5, 1, None], dtype=pl.Float32),
    pl.Series("Date", [date(2020, 1, 1), None, date(2020, 1, 3)]),
    pl.Series("String", ["b", None, "a"]),
)


@pytest.mark.parametrize(("X", "kind"), [(WHOLE, pl.DataFrame), (WHOLE.to_arrow(), pa.Table)], ids=["polars", "pyarrow"])
def test_new_cells_take_the_types_of_their_columns(X: Any, kind: type) -> None:
    numbers = [[2, 2.0**64, 0.25, 0.3, 1, 0], [np.nan, 5, np.nan, np.nan, np.nan, np.nan], [300, -1, 0.1, 0.5, 1, 1]]
    new = new_cells(X, numbers, [0, 0, -1])
    assert type(new) is kind
    assert new.schema == X.schema
    cells = pl.from_arrow(new) if kind is pa.Table else new
    assert cells["Int8"].to_list() == [2, None, 127]
    assert cells["UInt64"].to_list() == [2**64 - 1, 5, 0]
    assert cells["Decimal"].to_list() == [Decimal("0.25"), None, Decimal("0.10")]
    assert cells["Float32"].to_list() == [np.float32(0.3), None, 0.5]
    assert cells["Date"].to_list() == [date(2020, 1, 1), None, None]
    assert cells["String"].to_list() == ["a", None, "b"]


def test_whole_numbers_of_128_bits() -> None:
    X = pl.DataFrame({"wide": pl.Series([2**100 + 1, 2**101, None], dtype=pl.Int128)})
    new = new_cells(X, [[2.0**100], [2.0**100 + 2.0**60], [np.nan]], [0, 0, 1])
    assert new["wide"].to_list() == [2**100 + 1, 2**100 + 2**60, None]


def test_levels_are_those_of_the_type_or_what_occurs() -> None:
    taken = table(POLARS.select("Enum", "Categorical", "String", "Boolean"), "X")
    assert taken.levels == {0: ["4", "3", "2", "1", "0", "never"], 1: sorted(set(WORDS)), 2: sorted(set(WORDS)), 3: [False, True]}
    assert table(ARROW.select(["ordered"]), "X").levels == {0: list("zyxwvu")}


def test_nominal_columns_and_ignored_ones_are_named() -> None:
    new, _ = LSDMLO(p=0.5, categorical_features=["Int16"], ignore=["plain"]).fit_resample(
        POLARS.select("Float64", "Int16", "plain"), Y
    )
    assert set(new["Int16"]) == set(POLARS["Int16"])
    assert set(new["plain"]) == set(POLARS["plain"])
    assert not set(new["Float64"]) <= set(POLARS["Float64"])


@pytest.mark.parametrize(
    ("X", "remedy"),
    [
        (POLARS.lazy(), r"X is a LazyFrame, no table: give X.collect\(\)"),
        (POLARS["plain"], r"X is a Series, no table: give X.to_frame\(\)"),
        (ARROW["plain"], r"X is a ChunkedArray, no table: give pyarrow.table\(\[X\], names=\['name'\]\)"),
        (ARROW.to_batches()[0], r"X is a RecordBatch, no table: give pyarrow.Table.from_batches\(\[X\]\)"),
        (ARROW.to_reader(), r"X is a RecordBatchReader, no table: give X.read_all\(\)"),
        (pl.DataFrame({"a": [[1], [2]]}), r"column 'a' of X holds List\(Int64\): make it numbers or text"),
        (pa.table({"a": [[1], [2]]}), r"column 'a' of X holds list<.*>: make it numbers or text"),
        (pl.DataFrame({"a": [1.0, float("inf")]}), "column 'a' of X holds an infinite number"),
    ],
)
def test_what_is_no_table_of_cells_is_refused(X: Any, remedy: str) -> None:
    with pytest.raises(DataError, match=remedy):
        table(X, "X")


@pytest.mark.parametrize(
    ("labels", "remedy"),
    [
        (pl.DataFrame({"a": pl.Series(["1"] * N, dtype=pl.Enum(["1"]))}), "cast the column to an Enum that has '0', too"),
        (pa.table({"a": pa.array(["1"] * N).dictionary_encode()}), "add '0' to its dictionary"),
    ],
)
def test_a_category_that_is_needed_must_be_there(labels: Any, remedy: str) -> None:
    with pytest.raises(DataError, match=f"column 'a' needs the category '0': {remedy}"):
        table_of_labels(labels)


def table_of_labels(labels: Any) -> Any:
    from lsdmlo_cli.data.tables import labels as taken

    return taken(labels).joined(np.arange(N), np.zeros((1, 1)), np.array([0]))


# the index of pandas


def resampled(index: Any, method: Any = MLROS, **how: Any) -> tuple[Any, Any, Any]:
    estimator = method(**how)
    frame = pd.DataFrame(NUMBERS, index=index)
    new, labels = estimator.fit_resample(frame, pd.DataFrame(Y, index=index))
    assert new.index.equals(labels.index)
    assert new.index.is_unique
    kept = new.index[: len(estimator.sample_indices_)]
    assert kept.equals(frame.index[estimator.sample_indices_])
    return new.index, new.index[len(kept) :], estimator


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (pd.RangeIndex(N), [N, N + 1, N + 2]),
        (pd.RangeIndex(5 * N, 4 * N, -1), [5 * N + 1, 5 * N + 2, 5 * N + 3]),
        (pd.Index(np.arange(N)[::-1] + 100), [180, 181, 182]),
        (pd.Index(np.arange(N) + 48, dtype="int8"), [128, 129, 130]),
        (pd.Index(np.arange(N), dtype="uint64") + 2**63, [2**63 + N, 2**63 + N + 1, 2**63 + N + 2]),
        (pd.Index(np.arange(N) / 2, name="half"), [40.5, 41.5, 42.5]),
        (pd.Index([f"patient-{i}" for i in range(N)], name="id"), ["new-1", "new-2", "new-3"]),
        (pd.Index([f"new-{2 * i}" for i in range(N)]), ["new-1", "new-3", "new-5"]),
        (pd.CategoricalIndex([f"p{i}" for i in range(N)]), ["new-1", "new-2", "new-3"]),
        (pd.date_range("2020-01-05", periods=N, freq="W"), list(pd.date_range("2021-07-18", periods=3, freq="W"))),
        (pd.DatetimeIndex(pd.date_range("2020", periods=N, freq="h", tz="Europe/Madrid").to_list(), freq=None), None),
        (pd.timedelta_range("0h", periods=N, freq="h"), list(pd.timedelta_range("80h", periods=3, freq="h"))),
        (pd.period_range("2020-01", periods=N, freq="M"), list(pd.period_range("2026-09", periods=3, freq="M"))),
    ],
    ids=lambda value: getattr(getattr(value, "dtype", None), "name", ""),
)
@SOMETIMES
def test_new_rows_get_an_index_of_their_own(index: pd.Index, expected: list[Any] | None) -> None:
    whole, new, _ = resampled(index, rows=3)
    days = [index.max() + pd.Timedelta(days=place) for place in (1, 2, 3)] if expected is None else expected
    assert list(new) == days
    assert whole.names == index.names


@SOMETIMES
def test_a_plain_index_stays_a_plain_one() -> None:
    whole, _, _ = resampled(None, rows=3)
    assert whole.equals(pd.RangeIndex(N + 3))
    assert type(whole) is pd.RangeIndex


@SOMETIMES
def test_rows_that_stay_keep_their_index() -> None:
    _, new, estimator = resampled(pd.Index([f"p{i}" for i in range(N)]), MLRUS, rows=20)
    assert (len(new), len(estimator.sample_indices_)) == (0, N - 20)
    whole, _, _ = resampled(None, MLRUS, rows=20)
    assert set(whole) < set(range(N))


@SOMETIMES
def test_of_several_levels_the_last_is_new() -> None:
    index = pd.MultiIndex.from_arrays([np.arange(N) // 10, [f"v{i}" for i in range(N)]], names=["group", "visit"])
    whole, new, estimator = resampled(index, rows=3)
    assert new.get_level_values("group").tolist() == (estimator.provenance_.seed // 10).tolist()
    assert new.get_level_values("visit").tolist() == ["new-1", "new-2", "new-3"]
    assert whole.names == ["group", "visit"]


@METHODS
@SOMETIMES
def test_types_of_pandas_are_kept(method: Any) -> None:
    frame = pd.DataFrame(
        {
            "Int64": pd.array(gaps(IDS), dtype="Int64"),
            "UInt8": pd.array(gaps(FEW), dtype="UInt8"),
            "Float32": pd.array(gaps(NUMBERS[:, 0].tolist()), dtype="Float32"),
            "boolean": pd.array(gaps([number > 2 for number in FEW]), dtype="boolean"),
            "text": pd.array(gaps(WORDS), dtype="string[pyarrow]"),
            "category": pd.Categorical(gaps(WORDS), categories=["4", "3", "2", "1", "0", "never"], ordered=True),
            "zone": pd.Series(pd.date_range("2020", periods=N, tz="Europe/Madrid")).mask(np.arange(N) % 7 == 0),
            "lasted": pd.Series(pd.timedelta_range("1h", periods=N)),
            "sparse": pd.arrays.SparseArray(np.where(NUMBERS[:, 1] > 0, NUMBERS[:, 1], 0.0)),
            "sparse truths": pd.arrays.SparseArray(NUMBERS[:, 1] > 0),
            "arrow int": pd.array(gaps(FEW), dtype=pd.ArrowDtype(pa.int16())),
            "arrow float": pd.array(gaps(NUMBERS[:, 0].tolist()), dtype=pd.ArrowDtype(pa.float64())),
            "arrow text": pd.array(gaps(WORDS), dtype=pd.ArrowDtype(pa.string())),
            "arrow time": pd.array(gaps([time(number) for number in FEW]), dtype=pd.ArrowDtype(pa.time64("us"))),
            "arrow date": pd.array(gaps([date(2020, 1, 1 + number) for number in FEW]), dtype=pd.ArrowDtype(pa.date32())),
            "arrow decimal": pd.array(gaps([Decimal(number) for number in FEW]), dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
            "plain": NUMBERS[:, 2],
        },
        index=[f"p{i}" for i in range(N)],
    )
    estimator = method()
    new, _ = estimator.fit_resample(frame, Y)
    rows, seeds = estimator.sample_indices_, estimator.provenance_.seed
    carried = ["zone", "lasted", "arrow time", "arrow date"]
    assert new.dtypes.equals(frame.dtypes)
    pd.testing.assert_frame_equal(new.iloc[: len(rows)], frame.iloc[rows], check_exact=True)
    made = new[carried].iloc[len(rows) :].reset_index(drop=True)
    pd.testing.assert_frame_equal(made, frame[carried].iloc[seeds].reset_index(drop=True), check_exact=True)
