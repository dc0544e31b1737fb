"""From every format to every other and back: values, names and labels stay, and what does not is told."""

import hashlib
import json
from functools import cache

import numpy as np
import pytest
from conftest import ROOT, SHARED, cells, label_rows, public

from lsdmlo_cli import read
from lsdmlo_cli.cli import main
from lsdmlo_cli.conversion import convert
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats import Form

ENDINGS = [".arff", ".csv", ".tsv", ".parquet", ".feather", ".dat", ".csv.gz"]
CATEGORIES = {ending: ["size", "hue"] for ending in (".csv", ".tsv", ".csv.gz")}
EVERYTHING = """@relation 'a set'
@attribute 'a, b' numeric
@attribute whole integer
@attribute y1 {0,1}
@attribute hue {red,'dark \\'blue\\'',green}
@attribute size {2,10,1}
@attribute note string
@attribute day date yyyy-MM-dd
@attribute y2 {NO,YES}
@data
1.5,9007199254740993,0,red,2,'it is, "so"',2020-01-31,NO
?,-3,1,?,10,?,?,YES
1e300,0,0,'dark \\'blue\\'',1,plain,1999-12-01,YES
"""


def features(data):
    return [attribute.name for attribute in data.features]


@pytest.fixture
def everything(tmp_path):
    (tmp_path / "in.arff").write_text(EVERYTHING)
    return str(tmp_path / "in.arff")


@pytest.mark.parametrize("ending", ENDINGS)
def test_there_and_back(everything, tmp_path, ending):
    there, back = str(tmp_path / f"there{ending}"), str(tmp_path / "back.arff")
    convert(everything, there, labels="y1,y2")
    convert(
        there,
        back,
        form=Form.of(None, CATEGORIES.get(ending)),
    )
    old, new = read(everything, "y1,y2"), read(back)
    assert cells(new) == cells(old)
    assert label_rows(new) == label_rows(old)
    assert features(new) == features(old)
    assert [a.name for a in new.labels] == ["y1", "y2"]


@pytest.mark.parametrize("method", ["lsdmlo", "mlrus"])
@pytest.mark.parametrize("ending", [*ENDINGS[1:], ".svm"])
def test_resampled_into_another_format_is_converted(ending, method, here, birds):
    """The bytes are those of `convert` after a `resample` in the format of the input, and so is the labels' XML."""
    for out in ("own.arff", f"one{ending}"):
        assert here("resample", "birds.arff", out, "--method", method, "--rows", "7", "--quiet").returncode == 0
    (_, warnings), report = convert("own.arff", f"two{ending}"), json.loads((birds / "one.report.json").read_text())
    one, two = (birds / f"{name}{ending}" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert set(warnings) - {"birds"} <= set(report["warnings"])
    assert (birds / "one.xml").exists() == (birds / "two.xml").exists()
    assert report["output"]["sha256"] == hashlib.sha256(one.read_bytes()).hexdigest()


def test_the_format_of_out_is_said_by_its_name_or_by_to(here, birds):
    assert here("resample", "birds.arff", "-", "--to", "csv", "--rows", "3", "--quiet", "--no-report").stdout.count(b"\n") == 304
    assert here("resample", "birds.arff", "--out-dir", "out", "--to", "Parquet", "--rows", "3", "--quiet").returncode == 0
    assert sorted(path.name for path in (birds / "out").iterdir()) == ["birds.parquet", "birds.report.json"]
    done = here("resample", "birds.arff", "out.csv", "--to", "arff")
    assert (done.returncode, b"OUT is to be written as ARFF, and its name says CSV: name OUT out.arff" in done.stderr) == (
        2,
        True,
    )


def test_whole_numbers_keep_their_digits(everything, tmp_path):
    for one, other in [("in.arff", "a.csv"), ("a.csv", "a.parquet"), ("a.parquet", "a.feather"), ("a.feather", "b.arff")]:
        convert(str(tmp_path / one), str(tmp_path / other), labels="y1,y2")
    assert "9007199254740993" in (tmp_path / "b.arff").read_text()


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (".csv", ["relation", "look like numbers, so that --categories must name them: size", "order, is not kept: hue, size"]),
        (".parquet", ["relation"]),
        (".dat", ["text becomes categories in KEEL's form: note, day"]),
        (
            ".svm",
            [
                "names of the features",
                "hue, size",
                "missing values are written as 0: a, b, hue, note, day",
                "text is left out: note, day",
            ],
        ),
    ],
)
def test_losses_are_told_in_a_line_each(everything, tmp_path, ending, words):
    _, warnings = convert(everything, str(tmp_path / f"out{ending}"), labels="y1,y2")
    assert [word for word, warning in zip(words, warnings, strict=True) if word not in warning] == []


def test_numbers_that_are_whole_throughout_are_told(tmp_path):
    (tmp_path / "in.arff").write_text(
        "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c integer\n@attribute y {0,1}\n@data\n"
        "1,1,1,0\n?,2,2,1\n{0 -3,1 1.5}\n"
    )
    _, warnings = convert(str(tmp_path / "in.arff"), str(tmp_path / "out.csv"), labels="y")
    assert "these numbers are whole throughout, and will be read as whole numbers: a" in warnings
    kinds = [a.kind for a in read(str(tmp_path / "out.csv"), labels="y").features]
    assert kinds == ["integer", "numeric", "integer"]


def test_dates_from_a_table_are_strings(tmp_path):
    (tmp_path / "in.csv").write_text("day,y\n2020-01-01,0\n2020-01-02,1\n")
    _, warnings = convert(str(tmp_path / "in.csv"), str(tmp_path / "out.arff"), labels="y")
    assert "dates without a format are declared as strings: day" in warnings
    assert "@attribute day string" in (tmp_path / "out.arff").read_text()


def test_libsvm_numbers_labels_in_order(tmp_path):
    kinds = {"a": "numeric", "x": "{0,1}", "b": "numeric", "y": "{0,1}"}
    header = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
    (tmp_path / "in.arff").write_text(f"@relation r\n{header}@data\n2,1,0,1\n0,0,0,0\n0,0,1.5,1\n")
    convert(str(tmp_path / "in.arff"), str(tmp_path / "out.svm"), labels="x,y")
    assert (tmp_path / "out.svm").read_text() == "0,1 1:2 2:0\n 1:0\n1 2:1.5\n"
    data = read(str(tmp_path / "out.svm"))
    assert [a.name for a in data.labels] == ["x", "y"]
    assert label_rows(data) == [[1, 1], [0, 0], [0, 1]]
    assert data.d == 2


def test_an_xml_in_another_order_is_in_the_way_of_libsvm(everything, tmp_path):
    (tmp_path / "out.xml").write_text('<labels><label name="y2"/><label name="y1"/></labels>')
    with pytest.raises(ParameterError, match=r"out.xml names labels in another order"):
        convert(everything, str(tmp_path / "out.svm"), labels="y1,y2")
    assert not (tmp_path / "out.svm").exists()


def test_nested_labels_stay_nested(tmp_path):
    (tmp_path / "in.xml").write_text('<labels><label name="y2"><label name="y1"/></label></labels>')
    (tmp_path / "in.arff").write_text(EVERYTHING.replace("0,red,2", "0,red,2").replace("NO\n", "YES\n"))
    for ending in (".csv", ".parquet", ".dat"):
        convert(str(tmp_path / "in.arff"), str(tmp_path / f"out{ending[1:]}{ending}"))
        assert read(str(tmp_path / f"out{ending[1:]}{ending}")).parents.tolist() == [1, -1]
    _, warnings = convert(str(tmp_path / "in.arff"), str(tmp_path / "other.svm"))
    assert "nested labels are no longer nested" in warnings
    assert [a.name for a in read(str(tmp_path / "other.svm")).labels] == ["y1", "y2"]


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["convert", str(ROOT / "sample_data" / "garden-birds.arff"), "out", "--to", "parquet"])
    assert left.value.code == 0
    assert "300 rows" in capsys.readouterr().err
    assert read("out", form="parquet").n == 300


@cache
def cells_of(name):
    return cells(public(name))


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".svm", ".parquet", ".feather", ".dat"])
@pytest.mark.parametrize("name", ["emotions", "yeast", "flags", "genbase"])
def test_real_data_there_and_back(tmp_path, name, ending):
    path, there, back = str(SHARED / "data" / f"{name}.arff.xz"), str(tmp_path / f"there{ending}"), str(tmp_path / "back.arff")
    convert(path, there)
    old = public(name)
    nominal = [a.name for a in old.features if a.kind == "nominal"] if ending == ".csv" else []
    convert(there, back, form=Form.of(None, nominal))
    new = read(back)
    numbers = ending == ".svm" and isinstance(old.X, np.ndarray) and isinstance(new.X, np.ndarray)
    assert {True: lambda: np.array_equal(old.X, new.X), False: lambda: cells_of(name) == cells(new)}[numbers]()
    assert (old.Y != new.Y).nnz == 0
    assert [a.name for a in old.labels] == [a.name for a in new.labels]
