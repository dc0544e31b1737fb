"""A file that `resample` made is known by its report, and by nothing less."""

import json
import shutil
from pathlib import Path

import pytest

from lsdmlo_cli import LSDMLO, Settings, analyse, resample, stats
from lsdmlo_cli.augmented import FIGURES, SPLIT, augmented
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.folds.split import split
from lsdmlo_cli.formats import Source
from lsdmlo_cli.samplers import SAMPLERS

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
FAST = Settings(measures="fast")
SAYS = "its last 30 rows are synthetic, as out.report.json says: "


@pytest.fixture
def made(birds):
    """out.arff with 30 new rows, and its report."""
    resample("birds.arff", "out.arff", LSDMLO(p=0.1), FAST, report="out.report.json")
    return birds


def warnings_of(path):
    with Source(path) as source:
        list(source.blocks())
        return augmented(source, FIGURES)


def test_figures_of_an_augmented_file(made):
    assert stats("out.arff", FAST)["warnings"] == [SAYS + FIGURES]
    assert analyse("out.arff", FAST).warnings == (SAYS + FIGURES,)
    assert resample("out.arff", "2.arff", settings=FAST).report["warnings"] == [SAYS + FIGURES]
    assert stats("birds.arff", FAST)["warnings"] == []


def test_folds_of_an_augmented_file(made):
    assert split("out.arff", "parts").warnings == [SAYS + SPLIT]
    assert Place("out.arff").load().dataset.warnings == (SAYS + SPLIT,)
    assert split("birds.arff", "others").warnings == []
    assert Place("birds.arff").load().dataset.warnings == ()


def test_the_warning_of_the_command(made, here):
    run = here("stats", "out.arff", "--measures", "fast")
    assert run.stderr.decode() == f"lsdmlo: warning: out.arff: {SAYS}{FIGURES}\n"


@pytest.mark.parametrize("name", ["out.arff.gz", "out.arff.bz2", "deeper.out.xz"])
def test_a_compressed_file(made, name):
    report = name.replace(".arff", "").rpartition(".")[0] + ".report.json"
    resample("birds.arff", name, LSDMLO(p=0.1), FAST, report=report)
    assert warnings_of(name) == (f"its last 30 rows are synthetic, as {report} says: {FIGURES}",)


def test_a_file_that_was_made_in_place(made):
    resample("out.arff", "out.arff", LSDMLO(p=0.1), FAST, report="out.report.json", in_place=True)
    assert warnings_of("out.arff") == (f"its last 33 rows are synthetic, as out.report.json says: {FIGURES}",)


def test_an_edited_file_is_another(made):
    with Path("out.arff").open("ab") as file:
        file.write(b"% looked through\n")
    assert warnings_of("out.arff") == ()


def test_a_renamed_file_is_another(made):
    Path("out.arff").rename("new.arff")
    assert warnings_of("new.arff") == ()


def test_a_file_without_new_rows(made):
    resample("birds.arff", "out.arff", SAMPLERS["mlrus"](p=0.1), FAST, report="out.report.json")
    assert warnings_of("out.arff") == ()


def test_a_stream_has_no_report_beside_it(made, lsdmlo):
    shutil.copy("out.report.json", "-.report.json")
    run = lsdmlo("stats", "-", "--labels=-7", "--measures", "fast", stdin=(made / "out.arff").read_bytes())
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[1, 2]",
        '"text"',
        "{}",
        '{"output": null, "synthetic": null}',
        '{"output": {"sha256": null}, "synthetic": {"created": 30}}',
        '{"output": {"sha256": 5}, "synthetic": {"created": "many"}}',
        "[" * 100_000,
        "\xff\x00",
    ],
    ids=range(11),
)
def test_a_report_that_is_none_is_passed_over(made, text):
    Path("out.report.json").write_text(text, encoding="latin-1")
    assert warnings_of("out.arff") == ()


@pytest.mark.parametrize(
    ("part", "change"),
    [("synthetic", {"created": 0}), ("synthetic", {"created": None}), ("output", {}), ("output", {"sha256": "0" * 64})],
)
def test_a_report_that_says_something_else(made, part, change):
    report = json.loads(Path("out.report.json").read_bytes())
    Path("out.report.json").write_text(json.dumps({**report, part: change}))
    assert warnings_of("out.arff") == ()


def test_a_folder_or_nothing_in_the_report_s_place(made):
    Path("out.report.json").unlink()
    assert warnings_of("out.arff") == ()
    Path("out.report.json").mkdir()
    assert warnings_of("out.arff") == ()


def test_a_huge_report_is_not_read(made, monkeypatch):
    size = Path("out.report.json").stat().st_size
    monkeypatch.setattr("lsdmlo_cli.augmented.MOST_BYTES", size)
    assert len(warnings_of("out.arff")) == 1
    monkeypatch.setattr("lsdmlo_cli.augmented.MOST_BYTES", size - 1)
    assert warnings_of("out.arff") == ()
