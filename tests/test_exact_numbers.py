"""Whole numbers beyond 2^53: a new row that takes its seed's number has all of its digits."""

import csv

import numpy as np
import pytest
from scipy.sparse import csr_array

from lsdmlo_cli import formats
from lsdmlo_cli.data import ExactNumbers
from lsdmlo_cli.formats import RowWriter
from lsdmlo_cli.formats.arff.fast_rows import FastRows

IDS = [9007199254740993, 9007199254740995, -9007199254740997, 18446744073709551615, 1152921504606846976, 7, 2**64 + 1]
IDS += [10**38 + 7, -(2**127) + 1, 123456789012345678901234567890]
HEAD = "@relation r\n@attribute id {}\n@attribute x numeric\n@attribute L {{0,1}}\n@attribute M {{0,1}}\n@data\n"


def rows_of(ids, sparse, spell=str):
    form = "{{0 {},1 {},2 {},3 {}}}" if sparse else "{},{},{},{}"
    return "".join(form.format(spell(own), place % 3, int(place % 4 == 0), 1) + "\n" for place, own in enumerate(ids))


def clones(arff, rows):
    """New rows that repeat rows of the data, as text."""
    data = arff.dataset
    writer = RowWriter(data, arff.labels.positions, arff.header.encoding)
    return writer.rows(data.X[rows], data.Y.toarray()[rows] != 0, data.sparse_rows[rows], rows).decode()


@pytest.mark.parametrize("kind", ["integer", "numeric"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("exact", [False, True], ids=["as shipped", "exact only"])
def test_a_clone_has_the_number_of_its_seed(arff, monkeypatch, kind, sparse, exact):
    monkeypatch.setattr(FastRows, "read", {True: lambda self, text: None, False: FastRows.read}[exact])
    lines = rows_of(IDS, sparse)
    data = arff(HEAD.format(kind) + lines, "-2")
    order = np.array([3, 0, 0, 9, 8, 7, 6, 5, 4, 2, 1])
    text = [line.replace(",1 0", "").replace(",2 0", "") for line in lines.splitlines()]
    assert clones(data, order).splitlines() == [text[row] for row in order]


@pytest.mark.parametrize(
    "spell",
    [
        "+{}".format,
        "00{}".format,
        "{}.0".format,
        "'{}'".format,
        '" {} "'.format,
        lambda own: f"{own}e0",
        lambda own: f"{str(own)[:4]}.{str(own)[4:]}E{len(str(own)) - 4}",
    ],
)
def test_the_number_counts_not_its_spelling(arff, spell):
    ids = [own for own in IDS if own > 2**53]
    data = arff(HEAD.format("integer") + rows_of(ids, False, spell), "-2")
    assert [line.split(",")[0] for line in clones(data, np.arange(len(ids))).split()] == list(map(str, ids))


@pytest.mark.parametrize("most_bytes", [0, 2**30])
def test_blocks_and_comments_do_not_shift_the_rows(tmp_path, monkeypatch, most_bytes):
    monkeypatch.setattr(formats.files, "BLOCK_BYTES", 40)
    ids = [2**53 + 2 * i + 1 for i in range(50)]
    lines = [f"{own},{place},1,0\n" + "% c\n\n" * (place % 3 == 0) for place, own in enumerate(ids)]
    path = tmp_path / "in.arff"
    path.write_text(HEAD.format("integer") + "7,7,1,1\n" + "".join(lines))
    with formats.Source(str(path)) as source:
        data = formats.read(source, "-2", most_bytes=most_bytes)
    assert data.dataset.exact[0].rows.tolist() == list(range(1, 51))
    assert [line.split(",")[0] for line in clones(data, np.arange(1, 51)).split()] == list(map(str, ids))


@pytest.mark.parametrize("own", [2**53 + 1, -(2**53) - 1, 2**60, -(2**60)])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_single_number_is_kept(arff, own, sparse):
    data = arff(HEAD.format("numeric") + rows_of([own], sparse), "-2").dataset
    assert data.exact[0].digits.tolist() == [str(own).encode()]


def test_only_what_x_rounds_is_kept(arff):
    kept = arff(HEAD.format("numeric") + rows_of([5, 2**53, 2**53 + 2, "1e300", "9007199254740993.5", "-1e22"], False), "-2")
    assert kept.dataset.exact == {}
    assert clones(kept, np.arange(6)).splitlines()[3].startswith("1e+300,")
    assert arff(HEAD.format("numeric") + rows_of(["1" * 41, "1" * 40], False), "-2").dataset.exact[0].rows.tolist() == [1]


def test_a_number_between_two_rows_is_not_the_seeds(arff):
    data = arff(HEAD.format("integer") + rows_of(IDS[:2], False), "-2")
    writer = RowWriter(data.dataset, data.labels.positions, data.header.encoding)
    X = np.array([[IDS[1], 0.5], [5.0, 0.5], [float(IDS[0]), 0.5], [float(IDS[0]), 0.5], [np.nan, 0.5]])
    seeds = np.array([0, 0, 0, -1, 0])
    for form in (np.asarray, csr_array):
        text = writer.rows(form(X), np.ones((5, 2), dtype=bool), np.zeros(5, dtype=bool), seeds)
        found = [line.split(",")[0] for line in text.decode().split()]
        assert found == ["9007199254740996", "5", "9007199254740993", "9007199254740992", "?"]


def test_some_rows_keep_their_numbers(arff):
    data = arff(HEAD.format("integer") + rows_of(IDS, False), "-2").dataset
    part = data.take(np.array([6, 5, 0, 0]))
    assert part.exact[0].rows.tolist() == [0, 2, 3]
    assert part.exact[0].digits.tolist() == [b"18446744073709551617", b"9007199254740993", b"9007199254740993"]
    assert data.take(np.array([5])).exact == {}


def test_rows_among_others():
    found, digits = ExactNumbers(np.array([1]), np.array([b"9"])).among(np.array([-1, 0, 1, 2]))
    assert (found.tolist(), digits.tolist()) == ([2], [b"9"])


@pytest.mark.parametrize("method", ["mlros", "lpros", "remedial", "lsdmlo"])
@pytest.mark.parametrize("kind", ["integer", "numeric"])
def test_the_command_keeps_identifiers(tmp_path, lsdmlo, method, kind):
    ids = [10**17 + 3 * i for i in range(40)]
    values = np.random.default_rng(4).random(40).round(3)
    cells = enumerate(zip(ids, values, strict=True))
    rows = [f"{own},{x},{int(i % 2)},{int(i % 8 == 1)},{int(i % 5 == 0)}" for i, (own, x) in cells]
    head = HEAD.format(kind).replace("@data", "@attribute N {0,1}\n@data")
    (tmp_path / "in.arff").write_text(head + "\n".join(rows) + "\n")
    options = ["--labels=-3", "--method", method, "--measures", "fast", "--provenance", "p.csv"]
    run = lsdmlo("resample", "in.arff", "out.arff", *options)
    assert run.returncode == 0, run.stderr
    warned = [line for line in run.stderr.decode().splitlines() if "2^53" in line]
    assert len(warned) == 1
    assert "new rows that take a value of their seed" in warned[0]
    rows_out = (tmp_path / "out.arff").read_text().splitlines()
    parents = list(csv.DictReader((tmp_path / "p.csv").open()))
    taken = [int(rows_out[int(line["row"]) + head.count("\n") - 1].split(",")[0]) for line in parents]
    seeds = [ids[int(line["seed"]) - 1] for line in parents]
    near = [own for own, seed in zip(taken, seeds, strict=True) if float(own) == float(seed)]
    assert near == [seed for own, seed in zip(taken, seeds, strict=True) if float(own) == float(seed)]
    assert near
