"""Results that are kept between runs: a small JSON file for each method with one learner on one fold.

    name = SHA-256 of all that can change the result: data, versions, seed, fold, method, learner, settings, rules, tuning

A file appears whole or not at all; one that is damaged, or does not hold what its name says, counts as missing.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lsdmlo_cli import __version__
from lsdmlo_cli.errors import FileError, ParameterError, reason
from lsdmlo_cli.evaluation.learners import Learner
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.units import Cell, Unit
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.report import to_json

LIBRARIES = ("numpy", "scipy", "scikit-learn", "iterative-stratification")

Key = dict[str, Any]


@cache
def versions() -> dict[str, str]:
    """The libraries on which results depend. Errors: ParameterError where one is missing."""
    try:
        return {name: version(name) for name in LIBRARIES}
    except PackageNotFoundError as error:
        raise ParameterError(
            "the experiment needs scikit-learn and iterative-stratification: pip install 'lsdmlo[evaluate]'"
        ) from error


def key(plan: Plan, unit: Unit, learner: Learner) -> Key:
    """All that can change the result of a unit with a learner."""
    method = unit.method
    tuning = None if plan.tuning is None else {**dataclasses.asdict(plan.tuning), "fixed": sorted(method.fixed)}
    return {
        "lsdmlo": __version__,
        "libraries": versions(),
        "data": unit.digest,
        "seed": plan.seed,
        "cv": plan.cv,
        "repeat": unit.repeat,
        "fold": unit.fold,
        "method": {"name": method.name, "parameters": method.parameters},
        "learner": {"name": learner.name, "parameters": dataclasses.asdict(learner)},
        "settings": plan.measured_settings,
        "rules": dataclasses.asdict(plan.rules),
        "tuning": tuning,
    }


class Cells:
    """The folder of results, made where it is missing. Errors: FileError where that cannot be done, or nothing can be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder {folder}: {reason(error)}") from error

    def path(self, key: Key) -> Path:
        text = json.dumps(key, sort_keys=True, allow_nan=False)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()}.json"

    def load(self, key: Key) -> Cell | None:
        """The result, None where there is none."""
        try:
            found = json.loads(self.path(key).read_bytes())
            cell = found["cell"]
            whole = found["key"] == key and (cell["error"] is not None or set(cell["values"]) == set(METRICS))
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return cell if whole else None

    def save(self, key: Key, cell: Cell) -> None:
        write_whole(str(self.path(key)), to_json({"key": key, "cell": cell}))
