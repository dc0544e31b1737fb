"""Where the outputs of `resample` may go: never over what is read, never two on one place, never under a foreign ending."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lsdmlo_cli import LSDMLO, ParameterError, resample
from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.errors import FileError
from lsdmlo_cli.formats import Target

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
FAST = ("--measures", "fast", "--quiet")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(run, *words):
    lines = run.stderr.decode().splitlines()
    assert run.returncode == 2
    assert len(lines) == 1
    assert lines[0].startswith("lsdmlo: error: ")
    assert [word for word in words if word not in lines[0]] == []


# ---- the labels' XML is read


@pytest.mark.parametrize("labels", [(), ("--labels", "birds.xml"), ("--labels", "./birds.xml"), ("--labels=-7",)])
@pytest.mark.parametrize(
    "outputs",
    [
        ("birds.xml",),
        ("./birds.xml",),
        ("out.arff", "--report", "birds.xml"),
        ("out.arff", "--provenance", "birds.xml"),
        ("-", "--provenance", "link.xml"),
        ("out.arff", "--report", "hard.xml"),
    ],
    ids=" ".join,
)
def test_the_xml_of_the_labels_is_no_output(labels, outputs, here, birds):
    (birds / "link.xml").symlink_to("birds.xml")
    (birds / "hard.xml").hardlink_to(birds / "birds.xml")
    before = contents(birds)
    refused(here("resample", "birds.arff", *outputs, *labels), "one file", outputs[-1])
    assert contents(birds) == before


@pytest.mark.parametrize("place", ["birds.xml", "birds-train.xml"])
def test_the_xml_of_a_part_of_a_data_set(place, here, birds):
    """Both names are looked for, and both are found."""
    (birds / "birds-train.arff").write_bytes((birds / "birds.arff").read_bytes())
    (birds / "birds-train.xml").write_bytes((birds / "birds.xml").read_bytes())
    before = contents(birds)
    refused(here("resample", "birds-train.arff", "out.arff", "--report", place), "birds-train.arff", place)
    assert contents(birds) == before


def test_an_xml_of_another_name(here, birds):
    (birds / "birds.xml").rename(birds / "names.xml")
    before = contents(birds)
    run = here("resample", "birds.arff", "out.arff", "--labels", "names.xml", "--report", "names.xml")
    refused(run, "--labels", "names.xml")
    assert contents(birds) == before


@pytest.mark.parametrize("side", ["--report", "--provenance"])
def test_the_xml_that_comes_with_the_output_is_no_side_output(side, here, birds):
    before = contents(birds)
    refused(here("resample", "birds.arff", "out.arff", side, "./out.xml"), "out.xml", "one file")
    assert contents(birds) == before


# ---- the input as the output


SPELLINGS = ["birds.arff", "./birds.arff", "deeper/../birds.arff", "link.arff", "hard.arff"]


@pytest.fixture
def spelled(birds):
    (birds / "deeper").mkdir()
    (birds / "link.arff").symlink_to("birds.arff")
    (birds / "hard.arff").hardlink_to(birds / "birds.arff")
    return birds


@pytest.mark.parametrize("out", SPELLINGS)
def test_the_input_is_no_output(out, spelled):
    before = {path.name: path.read_bytes() for path in spelled.iterdir() if path.is_file()}
    with pytest.raises(ParameterError, match="--in-place"):
        resample("birds.arff", out)
    assert {path.name: path.read_bytes() for path in spelled.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("out", SPELLINGS)
def test_the_input_is_replaced_in_place(out, spelled):
    resample("birds.arff", "other.arff", LSDMLO(p=0.1), Settings(measures="fast"))
    resample("birds.arff", out, LSDMLO(p=0.1), Settings(measures="fast"), in_place=True)
    assert (spelled / out).read_bytes() == (spelled / "other.arff").read_bytes()
    assert (spelled / "link.arff").is_symlink()


def test_a_hard_link_keeps_the_old_bytes(spelled):
    resample("birds.arff", "birds.arff", LSDMLO(p=0.1), Settings(measures="fast"), in_place=True)
    assert (spelled / "hard.arff").read_bytes() == SAMPLE.read_bytes()


def test_in_place_needs_no_out(here, birds):
    refused(here("resample", "birds.arff", "birds.arff", *FAST), "--in-place", "birds.arff")
    assert here("resample", "birds.arff", "--in-place", *FAST).returncode == 0
    assert (birds / "birds.arff").read_bytes().startswith(SAMPLE.read_bytes())
    assert len((birds / "birds.arff").read_bytes()) > len(SAMPLE.read_bytes())
    assert sorted(contents(birds)) == ["birds.arff", "birds.report.json", "birds.xml"]


def test_in_place_of_another_file_is_a_contradiction(here, birds):
    before = contents(birds)
    refused(here("resample", "birds.arff", "out.arff", "--in-place"), "birds.arff", "out.arff")
    refused(here("resample", "-", "--in-place"), "--in-place needs a file")
    assert contents(birds) == before


@pytest.mark.parametrize("side", ["report", "provenance"])
@pytest.mark.parametrize("place", SPELLINGS)
def test_the_input_is_no_side_output(side, place, spelled):
    for how in ({"output": "out.arff"}, {"output": "birds.arff", "in_place": True}):
        with pytest.raises(ParameterError, match="one file"):
            resample("birds.arff", **how, **{side: place})
    assert (spelled / "birds.arff").read_bytes() == SAMPLE.read_bytes()


def test_streams_that_are_the_input(here, birds):
    """A shell opens the file for appending, and what is read would grow with what is written."""
    with (birds / "birds.arff").open("ab") as both:
        refused(run_to(both, "resample", "birds.arff", "-"), "--in-place")
    assert (birds / "birds.arff").read_bytes() == SAMPLE.read_bytes()


def run_to(file, *arguments):
    """The command with its standard output in a file."""
    command = [sys.executable, "-m", "lsdmlo_cli", *arguments]
    return subprocess.run(command, stdout=file, stderr=subprocess.PIPE, timeout=120, check=False)


# ---- two outputs on one place


def test_two_outputs_on_one_file(birds):
    (birds / "link.json").symlink_to("r.json")
    for report, provenance in (("r.json", "r.json"), ("r.json", "./r.json"), ("r.json", "link.json"), ("r.json", "out.arff")):
        with pytest.raises(ParameterError, match="one file"):
            resample("birds.arff", "out.arff", report=report, provenance=provenance)


@pytest.mark.parametrize("out", ["-", "/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("side", ["-", "/dev/stdout", "/proc/self/fd/1"])
def test_two_outputs_on_standard_output(out, side, birds):
    for how in ({"report": side}, {"provenance": side}):
        with pytest.raises(ParameterError, match="standard output"):
            resample("birds.arff", out, **how)


def test_nothing_is_wrong_with_two_outputs_that_are_thrown_away(birds):
    resample("birds.arff", "/dev/null", settings=Settings(measures="fast"), report="/dev/null", provenance="/dev/null")


# ---- what is no regular file


def test_nothing_is_written_beside_a_fifo(here, birds):
    os.mkfifo(birds / "fifo")
    seen = []
    reader = threading.Thread(target=lambda: seen.append((birds / "fifo").read_bytes()))
    reader.start()
    run = here("resample", "birds.arff", "fifo", *FAST)
    reader.join(10)
    assert (run.returncode, run.stderr) == (0, b"")
    assert seen[0].startswith(SAMPLE.read_bytes())
    assert sorted(path.name for path in birds.iterdir()) == ["birds.arff", "birds.xml", "fifo"]


def test_nothing_is_written_beside_a_device(here, birds):
    before = sorted(os.listdir("/dev"))
    run = here("resample", "birds.arff", "/dev/null", *FAST)
    assert (run.returncode, run.stderr) == (0, b"")
    assert sorted(os.listdir("/dev")) == before
    assert sorted(contents(birds)) == ["birds.arff", "birds.xml"]


def test_nothing_is_written_beside_standard_output_that_is_a_file(here, birds):
    before = sorted(os.listdir("/dev"))
    with (birds / "file").open("wb") as file:
        assert run_to(file, "resample", "birds.arff", "/dev/stdout", *FAST).returncode == 0
    assert sorted(os.listdir("/dev")) == before
    assert sorted(contents(birds)) == ["birds.arff", "birds.xml", "file"]


# ---- names


@pytest.mark.parametrize(
    "out",
    ["out.arff.zip", "out.XLSX", "out.json", "out.orc", "out.7z", "out.tar", "out.arff.zst"],
)
def test_an_output_that_promises_another_format(out, here, birds):
    before = contents(birds)
    refused(here("resample", "birds.arff", out), out, "only ARFF, CSV", f"{out.partition('.')[0]}.arff, or")
    assert contents(birds) == before


@pytest.mark.parametrize("out", ["out", "out.txt", "out.2024", "out.ARFF.GZ", "a.csv.arff", "out.p0.1"])
def test_any_other_name_will_do(out, birds):
    resample("birds.arff", out, settings=Settings(measures="fast"))
    assert (birds / out).is_file()


def test_another_file_is_replaced(here, birds):
    (birds / "out.arff").write_bytes(b"old")
    assert here("resample", "birds.arff", "out.arff", *FAST).returncode == 0
    assert (birds / "out.arff").read_bytes().startswith(SAMPLE.read_bytes())


def test_a_loop_of_links(birds):
    (birds / "loop").symlink_to("loop")
    with pytest.raises(FileError, match="cannot write loop: too many levels of symbolic links"):
        resample("birds.arff", "loop")
    assert os.readlink("loop") == "loop"


@pytest.mark.parametrize(("name", "words"), [("", "whose name is empty"), ("new/", "new/: it is a folder")])
def test_a_name_that_is_none(name, words, here, birds):
    with pytest.raises(FileError, match=f"cannot write .*{words}"):
        Target(name).__enter__()
    for arguments in (["stats", name], ["resample", "birds.arff", name], ["resample", "birds.arff", "o.arff", "--report", name]):
        run = here(*arguments)
        assert (run.returncode, run.stderr.count(b"\n")) == (1, 1)
        assert words in run.stderr.decode()
    assert sorted(contents(birds)) == ["birds.arff", "birds.xml"]
