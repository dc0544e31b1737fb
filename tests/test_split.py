"""`lsdmlo split`: the parts together are the input, byte for byte, and each of them reads back with its labels."""

import bz2
import gzip
import lzma
import os
import resource
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import read
from scipy.sparse import csr_array

from lsdmlo_cli.errors import FileError, ParameterError
from lsdmlo_cli.folds import folds as stratified_folds
from lsdmlo_cli.folds.split import Scheme, split
from lsdmlo_cli.formats import copy

SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
BIRDS = SAMPLES / "garden-birds.arff"
XML = BIRDS.with_suffix(".xml")
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
UNPACK = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
OTHER = b'<labels><label name="habitat"/></labels>'
HEAD = b"% toy\r\n@relation toy\r\n@attribute x numeric\r\n@attribute 'A b' {0,1}\r\n@attribute B {0,1}\r\n@data\r\n"
ROWS = [b" 1.50 , 0,1", b"{0 2, 1 1}", b"+3,'1',0", b"4,\t1 ,1 % odd", b"{}", b"6,0,1 ,{2}"]
TOY = HEAD + b"\r\n".join([*ROWS[:3], b"", b"% between", *ROWS[3:]])
as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def cut(content):
    """The header with @data, and the lines behind it that are rows, without their ends."""
    head, mark, body = content.partition(b"@data")
    return head + mark, [line for line in body.splitlines() if line.strip() and not line.lstrip().startswith(b"%")]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def one_line(run, status):
    lines = run.stderr.decode().splitlines()
    assert run.returncode == status
    assert len(lines) == 1
    assert lines[0].startswith("lsdmlo: error: ")
    return lines[0]


@pytest.mark.parametrize("end", PACK)
@pytest.mark.parametrize("sample", ["garden-birds", "garden-birds-sparse", "garden-birds-meka"])
def test_train_and_test_together_are_the_input(sample, end, tmp_path):
    content = (SAMPLES / f"{sample}.arff").read_bytes()
    (tmp_path / f"{sample}.arff{end}").write_bytes(PACK[end](content))
    (tmp_path / "garden-birds.xml").write_bytes(XML.read_bytes())
    done = split(str(tmp_path / f"{sample}.arff{end}"), str(tmp_path / "out"), Scheme(folds=3, repeats=2, seed=4))
    parts = {Path(file).name: cut(UNPACK[end](Path(file).read_bytes())) for file in done.files}
    assert sorted(parts) == sorted(
        f"{sample}-r{r}f{f}-{part}.arff{end}" for r in (1, 2) for f in (1, 2, 3) for part in ("train", "test")
    )
    head, rows = cut(content)
    assert {part for part, _ in parts.values()} == {head}
    for start in (f"{sample}-r{r}f{f}" for r in (1, 2) for f in (1, 2, 3)):
        train, test = (parts[f"{start}-{part}.arff{end}"][1] for part in ("train", "test"))
        assert Counter(train + test) == Counter(rows)
    for r in (1, 2):
        tested = [row for f in (1, 2, 3) for row in parts[f"{sample}-r{r}f{f}-test.arff{end}"][1]]
        assert Counter(tested) == Counter(rows)


@pytest.mark.parametrize("sample", ["garden-birds", "garden-birds-sparse", "garden-birds-meka"])
def test_the_parts_read_back_with_their_labels(sample, tmp_path):
    """In a folder without the input's XML; they are the rows of the folds, in order."""
    whole = read(SAMPLES / f"{sample}.arff", None)
    done = split(str(SAMPLES / f"{sample}.arff"), str(tmp_path), Scheme(folds=2, seed=3))
    keeps = [keep for fold in stratified_folds(whole.dataset.Y, 2, 1, 3) for keep in (~fold.test, fold.test)]
    assert len(done.files) == len(keeps) == 4
    for file, keep in zip(done.files, keeps, strict=True):
        part = read(file, None).dataset
        assert part.labels == whole.dataset.labels
        assert part.features == whole.dataset.features
        assert (part.Y.toarray() == whole.dataset.Y.toarray()[keep]).all()
        X, expected = (csr_array(x).toarray() for x in (part.X, whole.dataset.X))
        assert np.array_equal(X, expected[keep], equal_nan=True)


def test_odd_rows_keep_their_bytes(tmp_path):
    (tmp_path / "toy.arff").write_bytes(TOY)
    done = split(str(tmp_path / "toy.arff"), str(tmp_path), Scheme(share=0.4), labels="-2")
    train, test = (Path(file).read_bytes() for file in done.files)
    assert [Path(file).name for file in done.files] == ["toy-train.arff", "toy-test.arff"]
    assert train.startswith(HEAD) and test.startswith(HEAD)
    assert b"\r\n\r\n% between\r\n" in train and b"\r\n% between\r\n" in test
    assert sorted(cut(train)[1] + cut(test)[1]) == sorted(ROWS)
    assert min(len(cut(train)[1]), len(cut(test)[1])) > 0


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    folders = [tmp_path / name for name in "abc"]
    for folder, seed in zip(folders, (1, 1, 2), strict=True):
        split(str(BIRDS), str(folder), Scheme(share=0.3, seed=seed))
    one, again, other = ((folder / "garden-birds-test.arff").read_bytes() for folder in folders)
    assert one == again != other
    assert len(cut(one)[1]) == pytest.approx(90, abs=5)


def test_an_xml_given_by_path_lies_beside_the_parts(tmp_path, lsdmlo):
    (tmp_path / "data.arff").write_bytes(BIRDS.read_bytes())
    run = lsdmlo("split", "data.arff", "--labels", XML, "--out", "deep/er", "--repeats", "2")
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"lsdmlo: data.arff: 300 rows; 8 files in deep/er\n")
    assert (tmp_path / "deep/er/data.xml").read_bytes() == XML.read_bytes()
    assert len(names(tmp_path / "deep/er")) == 9
    assert read(tmp_path / "deep/er/data-r2f1-train.arff", None).dataset.q == 7


def test_an_xml_in_the_way_stays_and_each_part_gets_its_own(tmp_path):
    (tmp_path / "garden-birds.xml").write_bytes(OTHER)
    (tmp_path / "garden-birds-r1f1-test.xml").write_bytes(OTHER)
    done = split(str(BIRDS), str(tmp_path))
    assert (tmp_path / "garden-birds.xml").read_bytes() == OTHER
    assert [warning.partition(" names ")[0] for warning in done.warnings] == [str(tmp_path / "garden-birds-r1f1-test.xml")]
    parts = [file for file in done.files if not file.endswith("r1f1-test.arff")]
    assert {read(file, None).dataset.q for file in parts} == {7}


def test_an_input_that_is_a_part_itself(tmp_path):
    """The XML of emotions-train.arff may be emotions.xml; a part of it finds it too."""
    (tmp_path / "birds-train.arff").write_bytes(BIRDS.read_bytes())
    (tmp_path / "birds.xml").write_bytes(XML.read_bytes())
    done = split(str(tmp_path / "birds-train.arff"), str(tmp_path / "out"))
    assert names(tmp_path / "out") == sorted([*(Path(file).name for file in done.files), "birds-train.xml"])
    assert {read(file, None).dataset.q for file in done.files} == {7}


def test_standard_input(tmp_path, lsdmlo):
    run = lsdmlo("split", "-", "--labels=-2", "--holdout", "0.5", "--out", ".", "--quiet", stdin=TOY)
    assert run.returncode == 0
    assert run.stderr.startswith(b"lsdmlo: warning: -: the file gives weights") and run.stderr.count(b"\n") == 1
    assert names(tmp_path) == ["stdin-test.arff", "stdin-train.arff"]
    assert sorted(row for name in names(tmp_path) for row in cut((tmp_path / name).read_bytes())[1]) == sorted(ROWS)


def test_an_earlier_run_is_replaced(tmp_path):
    split(str(BIRDS), str(tmp_path), Scheme(seed=1))
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    split(str(BIRDS), str(tmp_path), Scheme(seed=2))
    assert names(tmp_path) == list(before)
    assert (tmp_path / "garden-birds-r1f1-test.arff").read_bytes() != before["garden-birds-r1f1-test.arff"]


OTHERS = (
    "garden-birds.xml", "garden-birds.arff", "garden-birds-sparse-train.arff", "other-r1f1-train.arff", "notes.txt",
    "garden-birds-train.csv", "garden-birds-train-notes.txt", "garden-birds-r1f1-trainer.arff", "my-garden-birds-test.arff",
)  # fmt: skip
"""What is no part of garden-birds, nor made of one."""


@pytest.mark.parametrize(
    ("earlier", "now", "left"),
    [
        ({"folds": 3}, {"seed": 1}, ["r1f3-test.arff", "r1f3-train.arff"]),
        ({"repeats": 2}, {}, ["r2f1-test.arff", "r2f1-train.arff", "r2f2-test.arff", "r2f2-train.arff"]),
        ({"share": 0.5}, {}, ["test.arff", "train.arff"]),
        ({}, {"share": 0.5}, ["r1f1-test.arff", "r1f1-train.arff", "r1f2-test.arff", "r1f2-train.arff"]),
    ],
)
def test_parts_that_would_stay_beside_the_new_ones_are_refused_then_removed(earlier, now, left, tmp_path):
    for name in OTHERS:
        (tmp_path / name).write_bytes(XML.read_bytes())
    split(str(BIRDS), str(tmp_path), Scheme(**earlier))
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    told = ", ".join(f"garden-birds-{name}" for name in left)
    with pytest.raises(ParameterError, match=rf"holds parts of garden-birds that would stay .* \({told}\): give"):
        split(str(BIRDS), str(tmp_path), Scheme(**now))
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before
    done = split(str(BIRDS), str(tmp_path), Scheme(**now), overwrite=True)
    assert names(tmp_path) == sorted([*OTHERS, *(Path(file).name for file in done.files)])
    assert {name: (tmp_path / name).read_bytes() for name in OTHERS} == dict.fromkeys(OTHERS, XML.read_bytes())


def test_what_was_made_of_a_part_is_refused_then_removed(tmp_path, lsdmlo):
    """An augmented part may hold rows that are test rows now; parts under another compression are parts, too."""
    made = [f"garden-birds-{name}" for name in (
        "r1f1-train-aug.arff", "r1f1-train-aug.report.json", "r1f1-train-aug.xml", "r1f1-train.arff.gz", "r1f1-train.mlros.arff",
        "r1f1-train.report.json", "r1f1-train_2.arff.xz",
    )]  # fmt: skip
    split(str(BIRDS), str(tmp_path))
    parts = names(tmp_path)
    for name in made:
        (tmp_path / name).write_bytes(b"made")
    line = one_line(lsdmlo("split", BIRDS, "--out", "."), 2)
    assert f"({', '.join(made[:5])} and 2 more): give --out another folder, or --overwrite to remove them" in line
    assert lsdmlo("split", BIRDS, "--out", ".", "--overwrite").returncode == 0
    assert names(tmp_path) == parts


def test_a_split_that_fails_removes_nothing(tmp_path, monkeypatch):
    def fails(*given):
        raise FileError("no more room")

    split(str(BIRDS), str(tmp_path / "out"), Scheme(folds=3))
    before = {name: (tmp_path / "out" / name).read_bytes() for name in names(tmp_path / "out")}
    monkeypatch.setattr("lsdmlo_cli.formats.arff.read.copy", fails)
    with pytest.raises(FileError, match="no more room"):
        split(str(BIRDS), str(tmp_path / "out"), overwrite=True)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in names(tmp_path / "out")} == before


def test_a_part_that_is_the_input_itself_is_never_removed(tmp_path):
    (tmp_path / "toy-train.arff").write_bytes(TOY)
    (tmp_path / "toy.arff").symlink_to("toy-train.arff")
    with pytest.raises(ParameterError, match=r"toy-train.arff is a file that the rows or labels are read from"):
        split(str(tmp_path / "toy.arff"), str(tmp_path), labels="-2", overwrite=True)
    assert (tmp_path / "toy-train.arff").read_bytes() == TOY


def test_the_input_is_never_written_over(tmp_path):
    (tmp_path / "toy.arff").write_bytes(TOY)
    (tmp_path / "toy-test.arff").symlink_to("toy.arff")
    with pytest.raises(ParameterError, match="read from: give --out another folder"):
        split(str(tmp_path / "toy.arff"), str(tmp_path), Scheme(share=0.5), labels="-2")
    assert (tmp_path / "toy.arff").read_bytes() == TOY
    assert names(tmp_path) == ["toy-test.arff", "toy.arff"]


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--folds", "1"], 2, "'--folds'"),
        (["--folds", "301"], 2, "garden-birds.arff: 301 folds need at least as many rows, and there are 300"),
        (["--repeats", "0"], 2, "'--repeats'"),
        (["--holdout", "1"], 2, "must lie between 0 and 1 (0.3 for 30 %), found 1"),
        (["--out", ""], 2, "the name of the folder is empty"),
        (["--holdout", "0.3", "--folds", "2"], 2, "--holdout and --folds exclude each other"),
        (["--holdout", "0.3", "--repeats", "2"], 2, "--holdout and --repeats exclude each other"),
        (["--labels", "no.xml"], 1, "cannot read no.xml"),
    ],
)
def test_what_cannot_be_done_leaves_nothing(arguments, status, told, tmp_path, lsdmlo):
    assert told in one_line(lsdmlo("split", BIRDS, "--out", "new/folder", *arguments), status)
    assert names(tmp_path) == []


@pytest.mark.parametrize("limit", [0, 15_000])
def test_no_space_left(limit, tmp_path, lsdmlo):
    """A limit on file sizes stands in for a full disk: in the first file, or in the second, which is larger."""

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    run = lsdmlo("split", BIRDS, "--out", "parts", "--holdout", "0.7", preexec_fn=small_files)
    part = {0: "train", 15_000: "test"}[limit]
    assert f"cannot write parts/garden-birds-{part}.arff: file too large" in one_line(run, 1)
    assert names(tmp_path) == []


def test_a_file_where_the_folder_should_be(tmp_path, lsdmlo):
    (tmp_path / "file").write_bytes(b"")
    assert "cannot make the folder file: file exists" in one_line(lsdmlo("split", BIRDS, "--out", "file"), 1)
    assert "cannot make the folder file/in: not a directory" in one_line(lsdmlo("split", BIRDS, "--out", "file/in"), 1)


@as_root
def test_a_folder_that_may_not_be_written_into(tmp_path, lsdmlo):
    (tmp_path / "out").mkdir(mode=0o555)
    assert "cannot write into out: permission denied" in one_line(lsdmlo("split", BIRDS, "--out", "out"), 1)


def test_without_the_library_one_line_names_the_extra(tmp_path, lsdmlo):
    (tmp_path / "iterstrat").mkdir()
    (tmp_path / "iterstrat/__init__.py").write_text("raise ImportError")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    run = lsdmlo("split", BIRDS, "--out", "folds", env={**os.environ, "PYTHONPATH": paths})
    assert "stratified folds need iterative-stratification: pip install 'lsdmlo[evaluate]'" in one_line(run, 2)
    assert not (tmp_path / "folds").exists()


def test_two_readings_of_the_input_must_agree(tmp_path, monkeypatch):
    """Each file is a reading of its own; a source that changes meanwhile leaves nothing behind."""
    (tmp_path / "toy.arff").write_bytes(TOY)

    def changes(*given):
        with (tmp_path / "toy.arff").open("ab") as file:
            file.write(b"\r\n7,1,0")
        return copy(*given)

    monkeypatch.setattr("lsdmlo_cli.formats.arff.read.copy", changes)
    with pytest.raises(FileError, match="changed while it was read"):
        split(str(tmp_path / "toy.arff"), str(tmp_path / "out"), labels="-2")
    assert names(tmp_path) == ["toy.arff"]
