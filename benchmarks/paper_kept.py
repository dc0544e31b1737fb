"""Figures that are kept between runs, beside the results of the learners: a small JSON file each, named after what it is of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsdmlo_cli import __version__
from lsdmlo_cli.evaluation.versions import source_digest
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.report import to_json

Figures = dict[str, Any]


def load(folder: Path, name: str) -> Figures | None:
    """What was kept; None where nothing was, or under another source of the package."""
    try:
        found = json.loads((folder / f"{name}.json").read_bytes())
    except (OSError, ValueError):
        return None
    return found["figures"] if found.get("source") == source_digest() else None


def keep(folder: Path, name: str, figures: Figures) -> None:
    """Write a file; the folder is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(str(folder / f"{name}.json"), to_json({"lsdmlo": __version__, "source": source_digest(), "figures": figures}))
