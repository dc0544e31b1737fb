"""The lowest versions that pyproject.toml admits, as constraints of pip: `python release/lowest.py > constraints.txt`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[.*\])?>=(?P<version>[0-9][0-9a-z.]*)")


def lowest(project: dict, extra: str = "test") -> Iterator[str]:
    """`name==version` for each requirement of the package and of an extra, at its lower bound.

    Raises ValueError for a requirement that is not a plain lower bound, which could not be tested here.

    >>> list(lowest({"dependencies": ["numpy>=1.26"], "optional-dependencies": {"test": ["pytest>=8"]}}))
    ['numpy==1.26', 'pytest==8']
    """
    for requirement in [*project["dependencies"], *project["optional-dependencies"][extra]]:
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"pyproject.toml: found {requirement!r}, expected NAME>=VERSION")
        yield f"{match['name']}=={match['version']}"


if __name__ == "__main__":
    print(*lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]), sep="\n")
