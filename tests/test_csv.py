"""Tables of text: what is found in them, what is refused, and that they are written as they were."""

import csv
import io

import numpy as np
import pytest
from conftest import cells, label_rows, public

from lsdmlo_cli import formats, read, resample
from lsdmlo_cli.errors import FormatError, ParameterError
from lsdmlo_cli.formats import Form
from lsdmlo_cli.formats.csv import read as csv_read
from lsdmlo_cli.samplers import SAMPLERS

ROWS = [("1.5", "red", "0", "1"), ("2.25", "blue", "1", "0"), ("", "red", "0", "1"), ("-3e2", "blue", "1", "0")]
VALUES = [[1.5, "red"], [2.25, "blue"], [None, "red"], [-300.0, "blue"]]
NAMES = ("size", "hue", "l1", "l2")


def text(rows, between=",", end="\n", names=NAMES):
    return "".join(between.join(row) + end for row in [names, *rows])


@pytest.fixture
def file(tmp_path):
    """Write bytes to a file and return its path."""

    def write(content, name="in.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def resampled(path, tmp_path, rows=2, labels="l1,l2", form=None):
    """Return the bytes of the file at a path with clones of rows."""
    out = tmp_path / "out.csv"
    resample(path, str(out), SAMPLERS["mlros"](rows=rows), labels=labels, form=Form.of(form))
    return out.read_bytes()


@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_is_found(file, between, end):
    data = read(file(text(ROWS, between, end)), "l1,l2")
    assert (cells(data), label_rows(data)) == (VALUES, [[0, 1], [1, 0], [0, 1], [1, 0]])
    assert [a.kind for a in data.features] == ["numeric", "nominal"]
    assert data.features[1].values == ("blue", "red")


@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_new_rows_stand_in_the_form_of_the_file(file, tmp_path, between, end):
    content = text([*ROWS, ("7", "red", "0", "1")], between, end)
    made = resampled(file(content), tmp_path, rows=1)
    assert made.startswith(content.encode())
    new = made[len(content) :].decode()
    assert new.endswith(end)
    assert new.removesuffix(end).split(between) in [["2.25", "blue", "1", "0"], ["-300", "blue", "1", "0"]]


ENCODINGS = {
    "utf-8": None,
    "utf-8-sig": None,
    "utf-16": None,
    "cp1252": "csv:encoding=cp1252",
    "utf-16-be": "csv:encoding=utf-16-be",
    "utf-32": None,
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoding(file, tmp_path, encoding):
    rows = [(number, hue.replace("blue", "grün"), *labels) for number, hue, *labels in [*ROWS, ("1", "red", "0", "1")]]
    content = text(rows).encode(encoding)
    path = file(content)
    assert [row[1] for row in cells(read(path, "l1,l2", form=ENCODINGS[encoding]))] == ["red", "grün", "red", "grün", "red"]
    made = resampled(path, tmp_path, rows=1, form=ENCODINGS[encoding])
    assert made.startswith(content)
    assert made.decode(encoding)[len(text(rows)) :] in ("2.25,grün,1,0\n", "-300,grün,1,0\n")


def test_rows_are_dropped_in_any_encoding(file, tmp_path):
    content = text([*ROWS, ("9", '"a\nb"', "1", "1")])
    keep = np.array([True, False, True, False, True])
    kept = text([ROWS[0], ROWS[2], ("9", '"a\nb"', "1", "1")])
    for encoding in ("utf-8", "utf-16", "utf-8-sig"):
        path = file(content.encode(encoding))
        with formats.Source(path) as source, formats.Target(str(tmp_path / "out.csv")) as target:
            formats.read(source, "l1,l2").write(source, target, keep)
            target.commit()
        assert (tmp_path / "out.csv").read_bytes() == kept.encode(encoding)


def test_a_byte_that_is_no_utf8_names_its_line_and_the_option(file):
    rows = [*ROWS, ("1", "grün", "0", "0")]
    with pytest.raises(FormatError, match=r"in.csv:6: the byte 0xfc is no utf-8: .*encoding=cp1252"):
        read(file(text(rows).encode("cp1252")), "l1,l2")


def test_quotes_and_separators_in_values(file, tmp_path):
    hues = ["a,b", 'say "no"', "two\nlines", " blank "]
    rows = [(number, hue, *labels) for (number, _, *labels), hue in zip(ROWS, hues, strict=True)]
    own = io.StringIO()
    csv.writer(own, lineterminator="\n").writerows([NAMES, *rows, *rows, *rows])
    path = file(own.getvalue())
    data = read(path, "l1,l2")
    assert [row[1] for row in cells(data)] == hues * 3
    made = resampled(path, tmp_path, rows=4, labels="l1")
    assert made.startswith(own.getvalue().encode())
    parsed = list(csv.reader(io.StringIO(made.decode(), newline="")))
    assert {row[1] for row in parsed[1:]} == set(hues)


def test_a_quote_inside_a_value_is_an_ordinary_character(file):
    rows = [(number, hue.replace("red", '5" pipe'), *labels) for number, hue, *labels in ROWS]
    assert [row[1] for row in cells(read(file(text(rows)), "l1,l2"))] == ['5" pipe', "blue", '5" pipe', "blue"]


def test_a_file_that_quotes_everything_is_written_so(file, tmp_path):
    rows = [tuple(f'"{cell}"' for cell in row) for row in [*ROWS, ("1", "red", "0", "1")]]
    content = text(rows, names=[f'"{name}"' for name in NAMES])
    path = file(content)
    assert cells(read(path, "l1,l2"))[:4] == VALUES
    new = resampled(path, tmp_path, rows=1)[len(content) :].decode()
    assert new in ('"2.25","blue","1","0"\n', '"-300","blue","1","0"\n')


def test_decimal_commas(file, tmp_path):
    rows = [(number.replace(".", ","), *others) for number, *others in [*ROWS, ("0,5", "red", "0", "1")]]
    content = text(rows, ";")
    path = file(content)
    assert cells(read(path, "l1,l2")) == [*VALUES, [0.5, "red"]]
    new = resampled(path, tmp_path, rows=1)[len(content) :].decode()
    assert new in ("2,25;blue;1;0\n", "-300;blue;1;0\n")


@pytest.mark.parametrize("missing", ["", "NA", "?", "NaN", "null"])
def test_missing_values_are_spelled_as_in_the_file(file, tmp_path, missing):
    rows = [(missing, missing, "1", "0"), ("1", "red", "0", "1"), ("2", "red", "0", "1"), ("3", "red", "0", "1")]
    content = text(rows)
    path = file(content)
    assert cells(read(path, "l1,l2"))[0] == [None, None]
    assert resampled(path, tmp_path, rows=1)[len(content) :].decode() == f"{missing},{missing},1,0\n"


def test_kinds_of_columns(file):
    names = ["whole", "number", "truth", "category", "id", "day", "none", "mixed", "y"]
    truths, mixed = ("true", "FALSE"), [f"{i}" if i % 7 else "x" for i in range(28)]
    days = [f"2020-01-{i + 1:02}" for i in range(28)]
    rows = [(f"{i}", f"{i}.5", truths[i % 2], "abc"[i % 3], f"id{i}", days[i], "", mixed[i], f"{i % 2}") for i in range(28)]
    data = read(file(text(rows, names=names)), "y")
    assert [a.kind for a in data.features] == ["integer", "numeric", "nominal", "nominal", "string", "date", "numeric", "string"]
    assert data.features[2].values == ("FALSE", "true")
    of_text, of_dates = data.warnings
    assert "'id'" in of_text
    assert "--categories id" in of_text
    assert "--ignore id" in of_text
    assert "dates" in of_dates
    assert "day" in of_dates


def test_a_mixed_column_is_told_with_an_example(file):
    rows = [(f"{i}" if i else "n.a.", "r", "0", "1") for i in range(30)]
    (warning,) = read(file(text(rows)), "l1,l2").warnings
    assert "column 'size' holds numbers, and text such as 'n.a.'" in warning


def test_a_column_that_turns_out_to_be_text_is_read_again(file, monkeypatch):
    monkeypatch.setattr(csv_read, "BLOCK_BYTES", 64)
    rows = [("007" if i < 40 else "x", "r", f"{i % 2}", "1") for i in range(50)]
    data = read(file(text(rows)), "l1,l2")
    assert [row[0] for row in cells(data)] == [row[0] for row in rows]


@pytest.mark.parametrize("most_bytes", [1, 1 << 40])
def test_blocks_of_any_size_give_the_same(file, monkeypatch, most_bytes):
    rows = [(f"{i}.25", ["red", "blue", ""][i % 3] and f'"a\n{i % 3}"', f"{i % 2}", "1") for i in range(300)]
    path = file(text(rows))
    whole = read(path, "l1,l2")
    monkeypatch.setattr(csv_read, "BLOCK_BYTES", 100)
    monkeypatch.setattr(formats.files, "BLOCK_BYTES", 7)
    with formats.Source(path) as source:
        parts = formats.read(source, "l1,l2", most_bytes=most_bytes).dataset
    assert cells(parts) == cells(whole)
    assert label_rows(parts) == label_rows(whole)


def test_categories_and_ignored_columns_settle_what_text_is(file):
    rows = [(f"{i}", f"t{i}", "0", "1") for i in range(30)]
    path = file(text(rows))
    data = read(path, "l1,l2", categories=["size", "hue"])
    assert [(a.kind, len(a.values)) for a in data.features] == [("nominal", 30), ("nominal", 30)]
    assert data.features[0].values[:3] == ("0", "1", "2")
    assert read(path, "l1,l2", ignore=["hue"]).warnings == ()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"categories": ["hu"]}, r"--categories: there is no feature 'hu' \(did you mean hue\?\)"),
        ({"categories": ["l1"]}, r"--categories: there is no feature 'l1'"),
        ({"form": "csv:delimter=tab"}, r"there is no option 'delimter' \(did you mean delimiter\?\)"),
        ({"form": "csv:decimal=colon"}, r"decimal must be one of point, comma"),
        ({"form": "csv:delimiter"}, r"expected each option once"),
        ({"form": "csb"}, r"there is no format 'csb' \(did you mean csv\?\)"),
        ({"form": "csv:encoding=utf-99"}, r"there is no encoding 'utf-99'"),
    ],
)
def test_a_faulty_option(file, options, problem):
    with pytest.raises(ParameterError, match=problem):
        read(file(text(ROWS)), "l1,l2", **options)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "in.csv: the file is empty"),
        (text(ROWS) + "1,red\n", "in.csv:6: expected 4 values, found 2"),
        (text(ROWS) + "\n1,red,0,1,5\n", "in.csv:7: expected 4 values, found 5"),
        (text(ROWS) + '1,"red,0,1\n', "in.csv:6: a quote is not closed"),
        (text(ROWS) + "1,red,0,2\n", "in.csv:6: label 'l2': 2; a label must be 0 or 1"),
        (text(ROWS) + "1,red,0,\n", "in.csv:6: label 'l2': a missing value; a label must be 0 or 1"),
        (text(ROWS) + "inf,red,0,1\n", "in.csv:6: column 'size' holds an infinite number"),
        (text(ROWS, names=("a", "a", "l1", "l2")), "in.csv:1: two columns are named 'a'"),
        (text([(n, h, "x", b) for n, h, _, b in ROWS]), "label 'l1' must be 0 and 1, false and true or no and yes; it holds 'x'"),
        (
            text(ROWS, names=("a", "b", "L1", "l2")),
            "in.csv: --labels: there is no attribute 'l1'; the nearest name there is 'L1'",
        ),
    ],
)
def test_a_faulty_file(file, content, problem):
    with pytest.raises(FormatError) as raised:
        read(file(content), "l1,l2")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_utf16_that_is_cut_within_a_character(file):
    with pytest.raises(FormatError, match="cut short"):
        read(file(text(ROWS).encode("utf-16")[:-1]), "l1,l2")


def test_a_file_without_names(file):
    data = read(file(text(ROWS[1:], names=ROWS[0])), "-2")
    assert [a.name for a in (*data.features, *data.labels)] == ["1", "2", "3", "4"]
    assert cells(data) == VALUES
    assert "header=yes" in data.warnings[0]


def test_numbered_columns_have_names(file):
    assert [a.name for a in read(file(text(ROWS, names=("0", "1", "2", "3"))), "-2").features] == ["0", "1"]


def test_words_for_truth_are_labels(file, tmp_path):
    rows = [(n, h, "Yes" if a == "1" else "No", "1.0" if b == "1" else "0.0") for n, h, a, b in ROWS]
    content = text(rows)
    path = file(content)
    assert label_rows(read(path, "l1,l2")) == [[0, 1], [1, 0], [0, 1], [1, 0]]


def test_whole_numbers_beyond_doubles_are_kept(file, tmp_path):
    rows = [(f"{9007199254740993 + 2 * i}", "r", f"{int(i == 0)}", "1") for i in range(6)]
    content = text(rows)
    assert resampled(file(content), tmp_path, labels="l1,l2", rows=1)[len(content) :] == b"9007199254740993,r,1,1\n"


def test_the_tab_of_tsv_wins_over_commas(file):
    rows = [(n, f"a,b,{n}", a, b) for n, _, a, b in ROWS]
    assert len(read(file(text(rows, "\t"), "in.tsv"), "l1,l2").features) == 2


@pytest.mark.slow
def test_many_columns(file):
    width = 100_000
    grid = np.random.default_rng(0).integers(0, 2, (5, width))
    lines = [",".join(f"c{i}" for i in range(width)), *(",".join(map(str, row)) for row in grid.tolist())]
    data = read(file("\n".join(lines) + "\n"), "-2")
    X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
    assert np.array_equal(X, grid[:, :-2])


@pytest.mark.shared
@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_real_data_as_a_table(file, name):
    """Written by numpy, read as from ARFF."""
    data = public(name)
    rows = np.hstack([data.X, data.Y.toarray()])
    names = [a.name for a in (*data.features, *data.labels)]
    lines = [",".join(names), *(",".join(map(repr, row)) for row in rows.tolist())]
    found = read(file("\n".join(lines)), str(-data.q))
    assert np.array_equal(found.X, data.X)
    assert (found.Y != data.Y).nnz == 0


KINDS = {
    "whole numbers, then fractions": (["1", "2", "3", "4.5", "5", "6"], "numeric"),
    "fractions, then whole numbers": (["1.5", "2.5", "3", "4", "5", "6"], "numeric"),
    "numbers, then text": (["1", "1", "01", "x", "1", "x"], "nominal"),
    "text, then numbers": (["x", "01", "2", "2", "x", "01"], "nominal"),
    "nothing, then numbers": (["", "", "", "4", "5", "6"], "integer"),
    "numbers, then nothing": (["1", "2", "3", "", "", ""], "integer"),
    "dates": (["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "2020-01-05", "2020-01-06"], "date"),
    "dates, then text": (["2020-01-01", "2020-01-01", "x", "x", "x", "2020-01-01"], "nominal"),
    "large, then small": (["9007199254740993", "9007199254740995", "1", "2", "3", "4"], "integer"),
}


@pytest.mark.parametrize(("values", "kind"), KINDS.values(), ids=KINDS)
def test_a_column_is_the_same_in_one_block_and_in_many(file, monkeypatch, values, kind):
    rows = [f"{value},{number % 2}\n" for value in values for number in range(50)]
    path = file("x,y\n" + "".join(rows))
    whole = read(path, "y")
    monkeypatch.setattr(csv_read, "BLOCK_BYTES", 64)
    monkeypatch.setattr(formats.files, "BLOCK_BYTES", 50)
    found = read(path, "y")
    assert [a.kind for a in found.features] == [kind]
    assert (found.features, cells(found), label_rows(found)) == (whole.features, cells(whole), label_rows(whole))
    assert [exact.digits.tolist() for exact in found.exact.values()] == [exact.digits.tolist() for exact in whole.exact.values()]
