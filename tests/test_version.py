"""One version: what the command and the reports say, what is built, and what the changelog tells of."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from lsdmlo_cli import __version__

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"


def test_the_version_is_one_of_pep_440() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(a\d+|b\d+|rc\d+)?(\.post\d+)?(\.dev\d+)?", __version__)


def test_the_changelog_begins_with_the_version() -> None:
    """A version under development has the section of the release that it will be."""
    heading = re.search(r"^## \[(.+?)\](.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading is not None
    assert heading[1] == __version__.partition(".dev")[0]
    assert ("(unreleased)" in heading[2]) == (".dev" in __version__)


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [__version__]


def test_what_is_built_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    source = (ROOT / project["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE) == [__version__]


def test_command_and_report_tell_the_version_of_the_source_that_runs(tmp_path) -> None:
    """Whatever the metadata of an older installation says."""
    (tmp_path / "lsdmlo-9.9.dist-info").mkdir()
    (tmp_path / "lsdmlo-9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: lsdmlo\nVersion: 9.9\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    def told(*command: str) -> str:
        return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=True).stdout

    assert told("-c", "from importlib.metadata import version; print(version('lsdmlo'))") == "9.9\n"
    assert told("-m", "lsdmlo_cli", "--version") == f"lsdmlo {__version__}\n"
    assert json.loads(told("-m", "lsdmlo_cli", "stats", str(SAMPLE), "--measures", "fast"))["lsdmlo"] == __version__
