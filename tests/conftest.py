"""What several test modules share: the command, the shared data, and reading a few lines of ARFF."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import fresh
import numpy as np
import pytest
from forked import forked
from hypothesis import settings

from lsdmlo_cli import formats, report_schema
from lsdmlo_cli import read as read_file
from lsdmlo_cli.cli import main
from lsdmlo_cli.formats.arff.tokens import unquoted

settings.register_profile("quick", max_examples=25, deadline=None)  # a test that needs more examples says so
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "quick")
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
NOT_HERE = "needs ../shared"
SCHEMA = report_schema()
OMITTED = "(left out)"
"""Stands in `cells` for a text that a sparse row leaves out."""


def read(path, labels="-1"):
    """Return the Arff at a path."""
    with formats.Source(str(path)) as source:
        return formats.read(source, labels)


def cells(dataset):
    """Return the feature rows as values: float, str (nominal and text), None where missing."""
    X = dataset.X if isinstance(dataset.X, np.ndarray) else dataset.X.toarray()
    columns = [_column(X[:, j], j, attribute, dataset) for j, attribute in enumerate(dataset.features)]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(dataset.n)]


def _column(codes, j, attribute, dataset):
    if attribute.is_number:
        return [None if np.isnan(x) else float(x) for x in codes]
    if attribute.kind == "nominal":
        return [None if np.isnan(x) else attribute.values[int(x)] for x in codes]
    return [None if np.isnan(x) else unquoted(dataset.texts[j][int(x)], "utf-8").decode() if x else OMITTED for x in codes]


def label_rows(dataset):
    """Return Y as lists of 0 and 1."""
    return dataset.Y.toarray().astype(int).tolist()


@cache
def public(name):
    """The Dataset of a public data set of ../shared/data, read once; its test is marked `shared`."""
    return read_file(str(SHARED / "data" / f"{name}.arff.xz"))


@pytest.fixture(scope="session")
def shared():
    """The folder of public data sets and cases; a test that asks for it is skipped where it is missing."""
    if not SHARED.is_dir():
        pytest.skip(NOT_HERE)
    return SHARED


def pytest_runtest_setup(item):
    if item.get_closest_marker("shared") and not SHARED.is_dir():
        pytest.skip(NOT_HERE)


def pytest_terminal_summary(terminalreporter):
    """Say in one line what was not tested for want of the shared data."""
    skipped = sum(NOT_HERE in str(report.longrepr) for report in terminalreporter.getreports("skipped"))
    if skipped:
        terminalreporter.write_line(f"{skipped} tests were skipped: lay the folder of public data sets and cases at {SHARED}")


@pytest.fixture
def arff(tmp_path):
    """Write the content of a file, text or bytes, and read it; by default the last attribute is the label."""

    def read_content(content, labels="-1", name="in.arff"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path, labels)

    return read_content


@pytest.fixture(scope="session")
def fresh_python(tmp_path_factory):
    """The path of a Python that has loaded nothing of the package yet; see fresh.py for what it can do."""
    with fresh.python(tmp_path_factory.mktemp("fresh") / "python") as script:
        yield script


@pytest.fixture
def lsdmlo(tmp_path, request):
    """Run the command in tmp_path; standard input is bytes, the answer holds bytes.

    A run that has processes is one of a fresh Python, one that has an environment or other options of its own starts Python anew.
    """

    def run(*arguments, stdin=b"", timeout=120, **options):
        words = [str(argument) for argument in arguments]
        has_processes = {"evaluate", "recommend"} & set(words)
        if not options and not has_processes:
            return forked(words, tmp_path, stdin, timeout)
        python = sys.executable if options else request.getfixturevalue("fresh_python")
        command = [python, "-m", "lsdmlo_cli", *words]
        return subprocess.run(command, cwd=tmp_path, input=stdin, capture_output=True, timeout=timeout, **options)

    return run


@pytest.fixture
def birds(tmp_path, monkeypatch):
    """The folder that paths start from, with a Mulan data set: birds.arff and birds.xml, which are the sample data."""
    for end in (".arff", ".xml"):
        shutil.copy(ROOT / "sample_data" / f"garden-birds{end}", tmp_path / f"birds{end}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(capfd):
    """Run the command in this process and in the present folder; as fast as that, and the answer is that of `lsdmlo`."""

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, left.value.code, out.encode(), err.encode())

    return run
