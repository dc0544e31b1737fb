"""What several test modules share: the command, the shared data, and reading a few lines of ARFF."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from lsdmlo_cli import formats
from lsdmlo_cli.cli import main
from lsdmlo_cli.formats.tokens import unquoted

settings.register_profile("quick", max_examples=25, deadline=None)
settings.load_profile("quick")  # a test that needs more examples says so
SHARED = Path(__file__).resolve().parents[2] / "shared"
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


@pytest.fixture(scope="session")
def shared():
    """The folder of shared data and cases."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared data at {SHARED}")
    return SHARED


@pytest.fixture
def arff(tmp_path):
    """Write the content of a file, text or bytes, and read it; by default the last attribute is the label."""

    def read_content(content, labels="-1", name="in.arff"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path, labels)

    return read_content


@pytest.fixture
def lsdmlo(tmp_path):
    """Run the command in tmp_path; standard input is bytes, the answer holds bytes."""

    def run(*arguments, stdin=b"", timeout=120, **options):
        command = [sys.executable, "-m", "lsdmlo_cli", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, input=stdin, capture_output=True, timeout=timeout, **options)

    return run


@pytest.fixture
def here(capfd):
    """Run the command in this process and in the present folder; as fast as that, and the answer is that of `lsdmlo`."""

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, left.value.code, out.encode(), err.encode())

    return run
