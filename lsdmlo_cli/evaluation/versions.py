"""What results depend on beside plan and data: the source of this package and of plug-ins, and the versions of libraries."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter
from typing import Any

from lsdmlo_cli.errors import ParameterError

LIBRARIES = ("numpy", "scipy", "scikit-learn", "iterative-stratification")


def source_digest() -> str:
    """SHA-256 of the names and contents of all Python files of the package, in a folder or in a zip file."""
    return _digest("lsdmlo_cli")


def plugin_digests(*used: Any) -> dict[str, dict[str, str]]:
    """`plugins`: SHA-256 of the Python files of each other package that samplers, learners and metrics come from, by its name.

    Empty where all of them are our own.
    """
    homes = (inspect.getmodule(_code(one)) for one in used if one is not None)
    packages = {home.__name__.partition(".")[0] for home in homes if home is not None}
    digests = {package: _digest(package) for package in sorted(packages - {"lsdmlo_cli"})}
    return {"plugins": digests} if digests else {}


def _code(one: Any) -> Any:
    """What a sampler, learner or metric is made of; a class of another library stands behind an Estimator."""
    return getattr(one, "code", None) or getattr(one, "compute", type(one))


@cache
def _digest(package: str) -> str:
    digest = hashlib.sha256()
    for name, content in _sources(package):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    """The names and contents of the Python files of a package, in order; a module alone has one, or none where it was typed."""
    module = sys.modules[package]
    if hasattr(module, "__path__"):
        for name, file in sorted(_python_files(files(package)), key=itemgetter(0)):
            yield name, file.read_bytes()
    elif hasattr(module, "__file__"):
        yield package, inspect.getsource(module).encode()


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
