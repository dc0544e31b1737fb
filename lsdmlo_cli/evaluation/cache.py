"""Results that are kept between runs: a small JSON file for each method with one learner on one fold.

    name = SHA-256 of all that can change the result: data, the package's source, versions of libraries, seed, fold, method,
           learner, settings, rules, threshold, tuning

A file appears whole or not at all; one that is damaged, or does not hold what its name says, is told and counts as missing.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from lsdmlo_cli import __version__
from lsdmlo_cli.errors import FileError, reason
from lsdmlo_cli.evaluation.learners import Learner, described
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.units import Cell, Unit
from lsdmlo_cli.evaluation.versions import plugin_digests, source_digest, versions_for
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.report import to_json

Key = dict[str, Any]


def key(plan: Plan, unit: Unit, learner: Learner) -> Key:
    """All that can change the result of a unit with a learner."""
    method = unit.method
    tuning = None if plan.tuning is None else {**dataclasses.asdict(plan.tuning), "fixed": sorted(method.fixed)}
    return {
        "lsdmlo": __version__,
        "source": source_digest(),
        "libraries": versions_for(method.sampler, learner),
        **plugin_digests(method.sampler, learner, *METRICS.values()),
        "data": unit.digest,
        "seed": plan.seed,
        "cv": plan.cv,
        "repeat": unit.repeat,
        "fold": unit.fold,
        "method": {"name": method.name, "parameters": method.parameters},
        "learner": {"name": learner.name, "parameters": described(learner)},
        "settings": plan.measured_settings,
        "rules": dataclasses.asdict(plan.rules),
        "threshold": plan.threshold,
        "tuning": tuning,
    }


class Cells:
    """The folder of results. damaged: the names of files that were found to hold something else than their result."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: list[str] = []

    def path(self, key: Key) -> Path:
        text = json.dumps(key, sort_keys=True, allow_nan=False)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()}.json"

    def load(self, key: Key) -> Cell | None:
        """The result, None where there is none. Errors: FileError where the file cannot be read."""
        path = self.path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FileError(f"cannot read {path}: {reason(error)}") from error
        cell = _cell(content, key)
        if cell is None:
            self.damaged.append(path.name)
        return cell

    def save(self, key: Key, cell: Cell) -> None:
        """Keep a result. Errors: FileError where it cannot be written."""
        write_whole(str(self.path(key)), to_json({"key": key, "cell": cell}))


def _cell(content: bytes, key: Key) -> Cell | None:
    """The result in a file's content, None where it is not whole, or another's."""
    try:
        found = json.loads(content)
        cell: Cell = found["cell"]
        whole = found["key"] == key and (cell["error"] is not None or set(cell["values"]) == set(METRICS))
    except (ValueError, TypeError, KeyError):
        return None
    return cell if whole else None
