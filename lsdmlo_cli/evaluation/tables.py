"""The folder of results: results.json, .csv and .md, and timings.json, and what must not be lost of an earlier run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lsdmlo_cli.errors import FileError, ParameterError, listed, reason
from lsdmlo_cli.evaluation.learners import title
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.results import Report
from lsdmlo_cli.evaluation.shown import to_csv, to_markdown
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.report import to_json

RESULTS = "results.json"
REMEDY = "give --out another folder, or --overwrite to replace them"

Names = Mapping[str, Sequence[str]]
"""The names of the data sets, methods, learners and metrics of results."""


def asked(plan: Plan, data: Sequence[str]) -> Names:
    """What the results of a plan on some data sets will hold."""
    methods, learners = ([one.title for one in plan.methods], [title(one) for one in plan.learners])
    return {"data set": data, "method": methods, "learner": learners, "metric": plan.metrics}


def _held(report: Report) -> Names:
    plan = report["experiment"]
    return {
        "data set": [one["name"] for one in report["datasets"]],
        "method": list(plan["methods"]),
        "learner": list(plan["learners"]),
        "metric": list(dict.fromkeys(compared["metric"] for compared in report["comparison"])),
    }


def refuse_loss(folder: Path, names: Names) -> None:
    """Raise ParameterError where the results in a folder hold a data set, method, learner or metric that is not among the names.

    What lies there under the name of the results and is something else is not replaced either.
    """
    place = folder / RESULTS
    try:
        held = _held(json.loads(place.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise FileError(f"cannot read {place}: {reason(error)}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ParameterError(f"{place} holds no results of evaluate: {REMEDY}") from error
    lost = [f"{what} {name}" for what in names for name in held[what] if name not in names[what]]
    if lost:
        raise ParameterError(f"{place} holds results that would be lost ({listed(lost)}): ask for them too, {REMEDY}")


def write_results(folder: Path, report: Report, timings: Report, *, overwrite: bool = False) -> None:
    """Write results.json, results.csv, results.md and timings.json, each whole or not at all.

    Errors: ParameterError where results in the folder would be lost, which `overwrite` allows; FileError.
    """
    if not overwrite:
        refuse_loss(folder, _held(report))
    for name, content in (
        ("timings.json", to_json(timings)),
        ("results.md", to_markdown(report).encode("utf-8")),
        ("results.csv", to_csv(report)),
        (RESULTS, to_json(report)),
    ):
        write_whole(str(folder / name), content)
