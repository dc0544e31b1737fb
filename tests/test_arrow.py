"""Parquet and Feather: what the schema says, and that schema, metadata and row groups stay."""

import json
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from conftest import cells, label_rows
from pyarrow import feather, parquet

from lsdmlo_cli import formats, read, resample
from lsdmlo_cli.errors import DataError, FormatError
from lsdmlo_cli.samplers import SAMPLERS

BIG = 2**53 + 1
TABLE = pa.table(
    {
        "small": pa.array([1, None, 3, 4, 5], pa.int8()),
        "big": pa.array([BIG, BIG + 2, 1, 2, 3], pa.int64()),
        "half": pa.array([1.5, 2, None, 4, 5], pa.float32()),
        "hue": pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 0, 0], pa.int8()), ["red", "green", "blue"]),
        "flag": pa.array([True, False, True, None, False]),
        "day": pa.array([1, 2, 3, 4, 5], pa.date32()),
        "note": pa.array(["a", "b", "c", "d", "e"]),
        "l1": pa.array([1, 0, 0, 0, 0], pa.uint8()),
        "l2": pa.array([False, True, True, True, True]),
    }
).replace_schema_metadata({"maker": "a test"})


@dataclass(frozen=True)
class New:
    """A new row without a seed."""

    X: np.ndarray
    Y: np.ndarray

    @property
    def seeds(self):
        return np.full(len(self.Y), -1)


def written(path, table=TABLE):
    """Write a table with two rows a group."""
    if path.suffix == ".parquet":
        codecs = {**dict.fromkeys(table.column_names, "zstd"), "big": "none"}
        parquet.write_table(table, path, row_group_size=2, compression=codecs)
    else:
        feather.write_feather(table, str(path), chunksize=2)
    return str(path)


def whole(path):
    return parquet.read_table(path) if str(path).endswith("parquet") else feather.read_table(str(path))


@pytest.fixture(params=[".parquet", ".feather"])
def path(request, tmp_path):
    return written(tmp_path / f"in{request.param}")


def test_what_the_schema_says(path):
    data = read(path, "l1,l2")
    kinds = ["integer", "integer", "numeric", "nominal", "nominal", "date", "string"]
    assert [a.kind for a in data.features] == kinds
    assert data.features[3].values == ("red", "green", "blue")
    assert [row[:5] for row in cells(data)[:3]] == [
        [1, float(BIG), 1.5, "blue", "true"],
        [None, float(BIG + 2), 2, "red", "false"],
        [3, 1, None, None, "true"],
    ]
    assert label_rows(data) == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    assert ["note" in warning for warning in data.warnings] == [True, False]


def test_new_rows_are_a_group_of_the_same_schema(path, tmp_path):
    out = tmp_path / f"out.{path.rpartition('.')[2]}"
    resample(path, str(out), SAMPLERS["mlros"](rows=1), labels="l1,l2")
    made = whole(out)
    assert made.schema.equals(TABLE.schema, check_metadata=True)
    assert made.slice(0, 5).equals(TABLE)
    assert made.slice(5).to_pylist() == TABLE.slice(0, 1).to_pylist()


def test_row_groups_and_compression_stay(tmp_path):
    path, out = written(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    resample(path, str(out), SAMPLERS["mlros"](rows=1), labels="l1,l2")
    metadata = parquet.ParquetFile(out).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [2, 2, 1, 1]
    assert [metadata.row_group(0).column(i).compression for i in (0, 1)] == ["ZSTD", "UNCOMPRESSED"]


def test_rows_are_dropped(path, tmp_path):
    out = tmp_path / f"out.{path.rpartition('.')[2]}"
    keep = np.array([False, False, True, False, True])
    with formats.Source(path) as source, formats.Target(str(out)) as target:
        formats.read(source, "l1,l2").write(source, target, keep)
        target.commit()
    assert whole(out).equals(TABLE.filter(pa.array(keep)))


def test_labels_of_the_schema(tmp_path):
    named = TABLE.replace_schema_metadata({"lsdmlo.labels": json.dumps(["l2", "l1"])})
    assert [a.name for a in read(written(tmp_path / "in.parquet", named)).labels] == ["l1", "l2"]


def test_a_compressed_file(tmp_path):
    import gzip

    path = tmp_path / "in.feather.gz"
    path.write_bytes(gzip.compress((tmp_path / written(tmp_path / "x.feather")).read_bytes()))
    assert read(str(path), "l1").n == 5


def test_the_index_of_pandas_is_carried(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": [0, 1, 1]}, index=pd.Index(["p", "q", "r"], name="who"))
    frame.to_parquet(tmp_path / "in.parquet")
    data = read(str(tmp_path / "in.parquet"), "y")
    assert data.ignored == ["who"]
    assert data.warnings == ()


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@pytest.mark.parametrize("cut", [0, 10, -5])
def test_a_file_that_is_cut_short(tmp_path, ending, cut):
    path = tmp_path / f"in{ending}"
    content = (tmp_path / written(path)).read_bytes()
    path.write_bytes(content[:cut])
    with pytest.raises(FormatError, match="this is no whole") as raised:
        read(str(path), "l1")
    assert "\n" not in str(raised.value)


def test_columns_that_hold_no_cells(tmp_path):
    table = TABLE.append_column("lists", pa.array([[1]] * 5))
    with pytest.raises(FormatError, match="column 'lists' holds list"):
        read(written(tmp_path / "in.parquet", table), "l1")


@pytest.mark.parametrize(("declared", "Y"), [("1", [True]), ("0", [False])])
def test_a_label_of_one_level_keeps_it_and_a_row_that_needs_the_other_is_refused(tmp_path, declared, Y):
    table = pa.table({"x": [1.0, 2.0, 3.0], "a": ["1", "0", "0"], "b": pa.array([declared] * 3).dictionary_encode()})
    place = written(tmp_path / "in.parquet", table)
    with formats.Source(place) as source:
        file = formats.read(source, "a,b")
        with formats.Target(str(tmp_path / "out.parquet")) as target:
            file.write(source, target, new=[New(np.array([[1.5]]), np.array([[True, *Y]]))])
            target.finish()
            target.commit()
        assert whole(tmp_path / "out.parquet")["b"].to_pylist() == [declared] * 4
        with formats.Target(str(tmp_path / "no.parquet")) as target, pytest.raises(DataError, match="declare both"):
            file.write(source, target, new=[New(np.array([[1.5]]), np.array([[True, not Y[0]]]))])
    assert not (tmp_path / "no.parquet").exists()


def test_dictionaries_that_differ_from_group_to_group(tmp_path):
    """In the order of values and in what they hold."""
    groups = [([0, 1, None], ["red", "blue"]), ([1, 0, 0], ["green", "red"]), ([0, None, 1], ["blue", "red"])]
    labels = [[0, 1, 1], [1, 0, 0], [1, 1, 0]]
    tables = [
        pa.table(
            {
                "hue": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels),
                "x": pa.array([1.0, -0.0, None]),
                "y": pa.DictionaryArray.from_arrays(pa.array(own, pa.int16()), ["0", "1"]),
            }
        )
        for (codes, levels), own in zip(groups, labels, strict=True)
    ]
    place = tmp_path / "in.parquet"
    with parquet.ParquetWriter(place, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)
    data = read(str(place), "y")
    hues = ["red", "blue", None, "red", "green", "green", "blue", None, "red"]
    assert cells(data) == [[hue, x] for hue, x in zip(hues, [1.0, 0.0, None] * 3, strict=True)]
    assert data.features[0].values == ("red", "blue", "green")
    assert label_rows(data) == [[label] for own in labels for label in own]
    assert not np.signbit(data.X).any()


def test_a_dictionary_with_a_missing_value(tmp_path):
    hues = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int8()), ["blue", None, "red"])
    feather.write_feather(pa.table({"hue": hues, "y": [0, 1, 0, 1]}), str(tmp_path / "in.feather"))
    data = read(str(tmp_path / "in.feather"), "y")
    assert data.features[0].values == ("blue", "red")
    assert cells(data) == [["blue"], [None], ["red"], [None]]


@pytest.mark.parametrize("limit", [1, 1 << 30])
def test_groups_that_do_not_fit_are_read_again(path, limit):
    with formats.Source(path) as source:
        found = formats.read(source, "l1,l2", most_bytes=limit).dataset
    assert cells(found) == cells(read(path, "l1,l2"))
    assert found.exact[1].digits.tolist() == [b"%d" % BIG, b"%d" % (BIG + 2)]
