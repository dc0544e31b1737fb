"""What other packages add by entry points; the packages are those of pages of docs/, written to disk.

A sampler of another package has its own tests: test_add_a_method.py.
"""

import gzip
import json
import lzma
import os
import re
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest

from lsdmlo_cli.evaluation.metrics import METRICS

ROOT = Path(__file__).resolve().parents[1]
OWN_METRICS = [metric.name for metric in METRICS.own if metric.by_default]
KINDS = ["format", "learner", "measure", "metric"]
PAGES = [ROOT / "docs" / f"add-a-{kind}.md" for kind in KINDS]


def blocks(page: Path) -> dict[str, str]:
    """The files that a page shows, by their titles."""
    found = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', page.read_text(encoding="utf-8"), re.DOTALL)
    return dict(found)


def installed(folder: Path, name: str, points: dict[str, dict[str, str]], files: dict[str, str]) -> None:
    """Put a package into a folder as an installer does: its files, its name, and its entry points by group."""
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [line for group, own in points.items() for line in (f"[{group}]", *(f"{key} = {own[key]}" for key in own))]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install_page(page: Path, folder: Path) -> None:
    files = blocks(page)
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    installed(folder, project["name"], project["entry-points"], files)


@pytest.fixture
def workplace(tmp_path: Path, fresh_python: Path) -> Path:
    """A folder with the sample data, the command and Python."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "python").symlink_to(fresh_python)
    (tmp_path / "lsdmlo").write_text(f'#!/bin/sh\nexec "{fresh_python}" -m lsdmlo_cli "$@"\n')
    (tmp_path / "lsdmlo").chmod(0o755)
    return tmp_path


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell with the packages in a folder installed."""
    paths = {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": f"{folder}:{ROOT}"}
    return subprocess.run(["bash", "-c", line], cwd=folder, env={**os.environ, **paths}, capture_output=True, text=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_print_what_is_shown(page: Path, workplace: Path) -> None:
    install_page(page, workplace)
    consoles = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = "".join(consoles).splitlines()
    ran = [run(workplace, line.removeprefix("$ ")) for line in lines if line.startswith("$ ")]
    shown = [line for line in lines if not line.startswith("$ ")]
    assert "".join(one.stdout + one.stderr for one in ran).splitlines() == shown
    assert shown


# ---- a package that has one of each kind

SPOTS = blocks(PAGES[0])["spots.grid"]
WHOLE = {
    "lsdmlo.formats": {"blanks": "toy:BLANKS"},
    "lsdmlo.learners": {"frequency": "toy:Frequency"},
    "lsdmlo.measures": {"MinPos": "toy:MIN_POS"},
    "lsdmlo.metrics": {"exact_match": "toy:EXACT_MATCH"},
}


def whole() -> str:
    """The modules of those pages as one: whatever loads a part of it meets the other parts too."""
    return "\n".join(content for files in map(blocks, PAGES) for name, content in files.items() if name.endswith(".py"))


@pytest.fixture
def toy(workplace: Path) -> Path:
    installed(workplace, "toy", WHOLE, {"toy.py": whole(), "spots.grid": SPOTS})
    return workplace


EVALUATE = "lsdmlo evaluate spots.grid --labels=-2 --methods base,mlros --learners br,frequency --cv 1x2 --out o"


def test_a_learner_and_a_metric_stand_in_the_results(toy: Path) -> None:
    ran = run(toy, f"{EVALUATE} --jobs 2 --tune --tune-metric exact_match --inner 2")
    assert ran.returncode == 0, ran.stderr
    report = json.loads((toy / "o" / "results.json").read_bytes())
    assert list(report["experiment"]["learners"]) == ["br", "frequency"]
    assert {row["metric"] for row in report["results"]} == {*OWN_METRICS, "exact_match"}
    assert "| Exact match ↑, frequency | base " in (toy / "o" / "results.md").read_text(encoding="utf-8")
    assert list(report["plugins"]) == ["toy"]


def test_results_are_worked_out_anew_where_a_package_has_changed(toy: Path) -> None:
    first, again = (run(toy, f"{EVALUATE} --jobs 1") for _ in range(2))
    assert first.stderr.splitlines()[-1] == "lsdmlo: spots: 8 results; in o/results.json"
    assert again.stderr.splitlines()[-1] == "lsdmlo: spots: 8 results (8 known before); in o/results.json"
    (toy / "toy.py").write_text(whole() + "\n# a change\n", encoding="utf-8")
    assert run(toy, f"{EVALUATE} --jobs 1").stderr.splitlines()[-1] == first.stderr.splitlines()[-1]


def test_the_help_of_evaluate_lists_both(toy: Path) -> None:
    shown = run(toy, "lsdmlo evaluate --help").stdout
    assert re.search(r"\n  et .*(\n {4,}.*)*\n  frequency  the labels of most training rows", shown)
    assert re.search(r"\n  minority_aucpr .*\n  exact_match +share of rows whose labels are all right\n", shown)


def test_a_measure_stands_in_reports(toy: Path) -> None:
    stats = json.loads(run(toy, "lsdmlo stats spots.grid --labels=-2").stdout)
    run(toy, "lsdmlo resample spots.grid out.grid --labels=-2 --method mlros --rows 2")
    report = json.loads((toy / "out.report.json").read_bytes())
    assert [found["measures"]["MinPos"] for found in (stats, report["before"], report["after"])] == [3, 3, 5]
    assert list(stats["measures"])[-1] == "MinPos"
    code = "import json, lsdmlo_cli; print(json.dumps(lsdmlo_cli.report_schema()))"
    schema = json.loads(run(toy, f"python -c '{code}'").stdout)
    jsonschema.validate(stats, schema)
    jsonschema.validate(report, schema)


def test_a_format_is_read_copied_and_added_to(toy: Path) -> None:
    (toy / "spots.grid.gz").write_bytes(gzip.compress(SPOTS.encode()))
    assert run(toy, "lsdmlo resample spots.grid.gz out.grid.xz --labels=-2 --method mlros --rows 2").returncode == 0
    out = lzma.decompress((toy / "out.grid.xz").read_bytes()).decode()
    assert out.startswith(SPOTS)
    assert set(out.removeprefix(SPOTS).splitlines()) <= set(SPOTS.splitlines()[1:])
    assert len(out.splitlines()) == len(SPOTS.splitlines()) + 2
    data = json.loads((toy / "out.report.json").read_bytes())["dataset"]
    assert (data["n"], data["d"], data["q"], data["labels_from"]) == (8, 2, 2, "--labels -2")


def test_a_format_is_read_from_python(toy: Path) -> None:
    code = "import lsdmlo_cli; data = lsdmlo_cli.read('spots.grid', '-2', ['width']); print(data.counts, data.ignored, data.X[7])"
    assert run(toy, f'python -c "{code}"').stdout == "[7 3] ['width'] [1. 1.]\n"


def test_rows_of_a_format_are_removed(toy: Path) -> None:
    assert run(toy, "lsdmlo resample spots.grid out.grid --labels=-2 --method mlrus --rows 2").returncode == 0
    left = (toy / "out.grid").read_text().splitlines()
    assert [line for line in SPOTS.splitlines() if line in left] == left
    assert len(left) == 7


def test_a_format_is_split(toy: Path) -> None:
    assert run(toy, "lsdmlo split spots.grid --labels=-2 --out parts --holdout 0.5").returncode == 0
    assert sorted(path.name for path in (toy / "parts").iterdir()) == ["spots-test.grid", "spots-train.grid"]
    names, *rows = SPOTS.splitlines()
    parts = [(toy / "parts" / f"spots-{part}.grid").read_text().splitlines() for part in ("test", "train")]
    assert [part[0] for part in parts] == [names, names]
    assert sorted(parts[0][1:] + parts[1][1:]) == sorted(rows)
    again = run(toy, "lsdmlo split spots.grid --labels=-2 --out parts")
    assert "spots-test.grid, spots-train.grid" in again.stderr
    assert again.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            "spots.grid out.arff --to blanks",
            "OUT is to be written as blanks, and its name says ARFF: name OUT out.grid",
        ),
        (
            "sample_data/garden-birds.arff out.grid",
            "out.grid: blanks files cannot be made from others, only ARFF,",
        ),
        (
            "spots.grid out.json",
            ".json files cannot be written, only ARFF, CSV, TSV, LibSVM, Parquet, Feather, KEEL, blanks: name",
        ),
        ("spot.grid.gz out.grid", "cannot read spot.grid.gz"),
        ("spots.arff out.arff", "cannot read spots.arff: no such file or directory; there is spots.grid"),
    ],
)
def test_what_is_said_of_names(arguments: str, told: str, toy: Path) -> None:
    ran = run(toy, f"lsdmlo resample {arguments}")
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("module", ["toy", *(f"lsdmlo_cli.{home}" for home in ("evaluation.learners", "report", "formats"))])
def test_the_package_can_be_imported_first_or_last(module: str, toy: Path) -> None:
    """A registry does not load other packages before it is asked, or half of their modules would be there."""
    names = "from toy import Frequency; from lsdmlo_cli.evaluation.learners import LEARNERS"
    code = f"import {module}; {names}; print(LEARNERS['frequency'] is Frequency)"
    assert run(toy, f'python -c "{code}"').stdout == "True\n"


# ---- what is said of an entry point that is at fault

COMMANDS = {
    "learners": "lsdmlo evaluate sample_data/garden-birds.arff --methods base",
    "metrics": "lsdmlo evaluate sample_data/garden-birds.arff --methods base",
    "measures": "lsdmlo stats sample_data/garden-birds.arff",
    "formats": "lsdmlo stats sample_data/garden-birds.arff",
}


@pytest.mark.parametrize(("kind", "command"), COMMANDS.items())
@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("toy:Gone", " cannot be loaded (AttributeError: module 'toy' has no attribute 'Gone'): mend or uninstall that package"),
        ("toy:plain", " has no name: it must be one of KIND, found function"),
        ("toy:Taken", ": there is already one of the name 'TAKEN': give it another name"),
    ],
)
def test_a_faulty_entry_point_is_named(kind: str, command: str, target: str, told: str, workplace: Path) -> None:
    taken = {"learners": "br", "metrics": "macro_f", "measures": "MeanIR", "formats": "ARFF"}[kind]
    source = f"class Taken:\n    name = {taken!r}\n    endings = ()\n\n\ndef plain():\n    pass\n"
    installed(workplace, "toy", {f"lsdmlo.{kind}": {"mine": target}}, {"toy.py": source})
    ran = run(workplace, command)
    told = told.replace("KIND", kind).replace("TAKEN", taken)
    assert ran.stderr == f"lsdmlo: error: the entry point 'mine' in lsdmlo.{kind} of the package toy{told}\n"
    assert ran.returncode == 1
