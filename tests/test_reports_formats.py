"""Files after public reports of people who work with ARFF: what the command must make of each."""

import csv
import re
import shutil

import pytest
from conftest import SHARED, cells, label_rows, read

ALL_OF_WEKA = ["ctrl-z", "escape-b", "form-feed", "string-escape"]


@pytest.fixture
def report(shared, tmp_path):
    """Copies a report's files into tmp_path."""

    def copied(name):
        found = sorted((SHARED / "reports").glob(f"{name}-*"))
        if not found:
            pytest.skip(f"no report {name} in {shared}")
        for path in found[0].iterdir():
            shutil.copyfile(path, tmp_path / path.name)
        return tmp_path

    return copied


def added(folder, name, output):
    before, after = (folder / name).read_bytes(), (folder / output).read_bytes()
    assert after.startswith(before)
    return after[len(before) :].decode().split()


@pytest.mark.parametrize("name", ALL_OF_WEKA)
def test_what_weka_reads(report, lsdmlo, name):
    """Every row that is made here is the clone of another, so its bytes are those of a row of the file, blanks aside."""
    folder = report("30")
    run = lsdmlo("resample", f"{name}.arff", "out.arff", "--labels=-2", "--method", "mlros", "--p", "0.5", "--no-report")
    assert run.returncode == 0, run.stderr
    rows = [re.sub(r"[\0-\x1f]", "", line) for line in (folder / f"{name}.arff").read_text().split("\n")]
    new = added(folder, f"{name}.arff", "out.arff")
    assert len(new) == 1
    assert set(new) <= set(rows)
    old, made = read(folder / f"{name}.arff", "-2").dataset, read(folder / "out.arff", "-2").dataset
    assert cells(made)[: old.n] == cells(old)
    assert made.n == old.n + 1
    assert (cells(made)[-1], label_rows(made)[-1]) in list(zip(cells(old), label_rows(old), strict=True))


def test_the_values_that_weka_reads(report):
    folder = report("30")
    assert read(folder / "escape-b.arff", "-2").dataset.features[1].values == ("a\bc", "d")
    assert cells(read(folder / "string-escape.arff", "-2").dataset)[0] == [1, "C:\bin"]
    assert read(folder / "form-feed.arff", "-2").dataset.features[1].values == ("red", "blue")
    assert read(folder / "ctrl-z.arff", "-2").dataset.n == 3


def test_a_keyword_ends_with_a_blank(report, lsdmlo):
    folder = report("30")
    run = lsdmlo("resample", "keyword-without-blank.arff", "out.arff", "--labels=-2")
    assert run.returncode == 1
    assert run.stderr.startswith(b"lsdmlo: error: keyword-without-blank.arff:3: ")
    assert not (folder / "out.arff").exists()


def test_a_fold_without_a_label(report, lsdmlo):
    folder = report("10")
    run = lsdmlo("resample", "fold.arff", "out.arff", "--labels=-3", "--measures", "fast", "--p", "1", "--no-report")
    assert run.returncode == 0, run.stderr
    assert {line.split(",")[5] for line in added(folder, "fold.arff", "out.arff")} == {"0"}
    assert read(folder / "fold.arff", "-3").dataset.counts.tolist() == [14, 0, 5]


@pytest.mark.parametrize(("name", "option"), [("number", "-split-number 40"), ("percentage", "-split-percentage 66")])
def test_a_split_of_meka(report, lsdmlo, name, option):
    folder = report("13")
    run = lsdmlo("resample", f"{name}.arff", "out.arff", "--p", "0.2", "--measures", "fast", "--quiet")
    assert run.returncode == 0
    assert [option in line and "lsdmlo split" in line for line in run.stderr.decode().splitlines()] == [True]
    assert len(added(folder, f"{name}.arff", "out.arff")) == 12


@pytest.mark.parametrize("method", ["mlros", "lpros", "remedial"])
def test_clones_of_identifiers(report, lsdmlo, method):
    folder = report("03")
    options = ["--measures", "fast", "--no-report", "--provenance", "parents.csv", "--method", method]
    assert lsdmlo("resample", "ids.arff", "out.arff", *options).returncode == 0
    lines = [(folder / name).read_text().splitlines() for name in ("ids.arff", "out.arff")]
    rows, out = ([line for line in whole if line[0].isdigit()] for whole in lines)
    parents = list(csv.DictReader((folder / "parents.csv").open()))
    new = [out[int(line["row"]) - 1].split(",")[0] for line in parents]
    assert new == [rows[int(line["seed"]) - 1].split(",")[0] for line in parents]
    assert new
