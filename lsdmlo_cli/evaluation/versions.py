"""What results depend on beside plan and data: the package's own source, and the versions of the libraries it uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter
from typing import Any

from lsdmlo_cli.errors import ParameterError

LIBRARIES = ("numpy", "scipy", "scikit-learn", "iterative-stratification")


@cache
def source_digest() -> str:
    """SHA-256 of the names and contents of all Python files of the package, in a folder or in a zip file."""
    digest = hashlib.sha256()
    for name, file in sorted(_python_files(files("lsdmlo_cli")), key=itemgetter(0)):
        content = file.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _python_files(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _python_files(entry, f"{above}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield above + entry.name, entry


@cache
def versions() -> dict[str, str]:
    """The libraries of every result. Errors: ParameterError where one is missing."""
    try:
        return {name: version(name) for name in LIBRARIES}
    except PackageNotFoundError as error:
        raise ParameterError(
            "the experiment needs scikit-learn and iterative-stratification: pip install 'lsdmlo[evaluate]'"
        ) from error


def versions_for(*used: Any) -> dict[str, str]:
    """The libraries of results of some samplers and learners, those that they name in `packages` included.

    Errors: ParameterError where one is missing.
    """
    further = {package: _version(package, one.name) for one in used for package in getattr(one, "packages", ())}
    return {**versions(), **further}


@cache
def _version(package: str, user: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise ParameterError(f"{user} needs {package}: pip install 'lsdmlo[deep]'") from error
