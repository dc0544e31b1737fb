"""Whether the checkout may be released: `python release/check.py` names what is in the way, `--publish` says what to type.

Version, changelog, citation and tag have to agree, and nothing may be uncommitted.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version(root: Path) -> str:
    """The version of the package; its source is read and not imported."""
    source = (root / "lsdmlo_cli" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)[0]


def problems(root: Path) -> Iterator[str]:
    """What is in the way of a release, a line each: the place, what was found, and what is expected."""
    number = version(root).partition(".dev")[0]
    if version(root) != number:
        yield f"lsdmlo_cli/__init__.py: found version {version(root)}, expected that of a release: {number}"
    heading = re.search(r"^## .*$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    title = heading[0] if heading else "no section"
    dated = re.fullmatch(rf"## \[{re.escape(number)}\] - (\d{{4}}-\d\d-\d\d)", title)
    if dated is None:
        yield f"CHANGELOG.md: found {title}, expected ## [{number}] - YYYY-MM-DD at the top"
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    for key, expected in (("version", number), ("date-released", dated[1] if dated else None)):
        found = re.search(rf"^{key}: *['\"]?([^'\"\n]+)", citation, re.MULTILINE)
        if expected and (found is None or found[1] != expected):
            yield f"CITATION.cff: found {key} {found[1] if found else 'nowhere'}, expected {expected}"
    if _git(root, "status", "--porcelain"):
        yield "work tree: found changes that are not committed (git status): commit or remove them"
    if f"v{number}" not in _git(root, "tag", "--points-at", "HEAD").split():
        yield f"git: found no tag v{number} at this commit: type git tag -a v{number} -m 'lsdmlo {number}'"


def publish(root: Path) -> Iterator[str]:
    """What to type to publish dist/, a command a line."""
    number = version(root)
    remotes = _git(root, "remote").split()
    for remote in remotes or ["REMOTE"]:
        yield f"git push {remote} v{number}"
    yield f"python -m twine upload dist/lsdmlo-{number}.tar.gz dist/lsdmlo-{number}-py3-none-any.whl"


def main() -> None:
    if "--publish" in sys.argv[1:]:
        print("To publish, type:", *(f"  {line}" for line in publish(ROOT)), sep="\n")
        return
    found = list(problems(ROOT))
    print(*(f"release: {line}" for line in found), sep="\n", file=sys.stderr, end="\n" if found else "")
    sys.exit(bool(found))


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
