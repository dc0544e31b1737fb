"""The JSON Schema of the reports: what all methods have, and what samplers' `details` and further measures add."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from lsdmlo_cli.dataset_measures import MEASURES
from lsdmlo_cli.samplers import SAMPLERS


def report_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `stats` and `resample` write."""
    schema: dict[str, Any] = json.loads(files("lsdmlo_cli").joinpath("report.schema.json").read_text(encoding="utf-8"))
    for sampler in SAMPLERS.values():
        schema["properties"].update(sampler.details)
    measures = schema["$defs"]["measures"]["properties"]
    for measure in MEASURES.values():
        measures.setdefault(measure.name, {"type": ["number", "null"], "description": measure.title})
    return schema
