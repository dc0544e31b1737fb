"""Measures and parameters as strict JSON: what is not defined is null, and a rerun gives the same bytes."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli import __version__, cautions
from lsdmlo_cli.analysis import Analysis, LocalImbalance, before
from lsdmlo_cli.dataset_measures import Counted, measured
from lsdmlo_cli.display.records import to_json as to_json
from lsdmlo_cli.numeric import measures
from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.samplers import Sample, Sampler

SCHEMA = 4


def stats_report(analysis: Analysis) -> dict[str, Any]:
    """What `stats` prints."""
    imbalance = before(analysis)
    return {
        "lsdmlo": __version__,
        "schema": SCHEMA,
        "dataset": _dataset(analysis),
        **_measured(analysis, imbalance),
        "solver": _solver(analysis),
        "parameters": _settings(analysis),
        "warnings": [*analysis.warnings, *cautions.of_data(analysis)],
    }


class Run(NamedTuple):
    """What a run of `resample` was besides its method.

    created: the rows it made. sha256: the output's. options: those that were typed. parentage: see Parentage.figures.
    """

    created: int
    sha256: str | None
    options: Mapping[str, Any] | None
    parentage: Mapping[str, Any]


def resample_report(
    analysis: Analysis, sampler: Sampler, sample: Sample, run: Run, old: LocalImbalance, new: LocalImbalance
) -> dict[str, Any]:
    """What `resample` writes."""
    return {
        "lsdmlo": __version__,
        "schema": SCHEMA,
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__},
        "dataset": _dataset(analysis),
        "output": {"n": analysis.dataset.n - sample.removed + run.created, "sha256": run.sha256},
        "options": None if run.options is None else dict(run.options),
        "method": sampler.name,
        "parameters": {**parameters(sampler), **_settings(analysis), "seed": analysis.settings.seed},
        "solver": _solver(analysis),
        "synthetic": {
            "requested": sample.requested,
            "created": run.created,
            **run.parentage,
            "labels_without_seed": sample.labels_without_seed,
        },
        "removed": sample.removed,
        **sample.details,
        "before": _measured(analysis, old),
        "after": _measured(analysis, new),
        "warnings": [
            *analysis.warnings,
            *cautions.of_data(analysis),
            *cautions.of_request(sampler),
            *cautions.of_result(analysis.dataset, sampler, sample, run.created, label_counts(new.Y)),
        ],
    }


def parameters(sampler: Sampler) -> dict[str, Any]:
    """A sampler's hyper-parameters, numbers as Python's own; `rows` where it is given: then p, which it replaces, is null."""
    fields = {field.name: _plain(getattr(sampler, field.name)) for field in dataclasses.fields(sampler)}
    if fields.get("rows") is None:
        return {name: value for name, value in fields.items() if name != "rows"}
    return {**fields, "p": None}


def _plain(value: Any) -> Any:
    """A value as JSON takes it: decimals, fractions and numpy's numbers become Python's own."""
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, Decimal | Fraction) else value


def _dataset(analysis: Analysis) -> dict[str, Any]:
    data = analysis.dataset
    origin = data.origin
    return {
        "file": origin.file,
        "relation": data.relation,
        "n": data.n,
        "d": data.d_used,
        "q": data.q,
        "format": origin.format,
        "labels_from": origin.labels_from,
        "sha256": origin.sha256,
    }


def _measured(analysis: Analysis, imbalance: LocalImbalance) -> dict[str, Any]:
    data = Counted(imbalance)
    minority = measures.minority_labels(data.counts)
    scumble = measures.scumble_labels(data.Y, data.scumble_rows)
    scumble_cv = measures.scumble_label_variation(data.Y, data.scumble_rows)
    labels = [
        {
            "name": label.name,
            "count": int(data.counts[j]),
            "IRLbl": defined(data.irlbl[j]),
            "minority": bool(minority[j]),
            "LImb": defined(imbalance.limb[j]),
            "LImb_LSD": defined(imbalance.limb_lsd[j]),
            "SCUMBLELbl": defined(scumble[j]),
            "features": None if imbalance.features is None else int(imbalance.features[j]),
            "SCUMBLELbl_cv": defined(scumble_cv[j]),
        }
        for j, label in enumerate(analysis.dataset.labels)
    ]
    figures = measured(data, of_sample=analysis.measures == "sampled")
    return {"measures": {name: defined(figure) for name, figure in figures.items()}, "labels": labels}


def _solver(analysis: Analysis) -> dict[str, Any] | None:
    if not analysis.has_weights:
        return None
    found = analysis.feature_weights
    return {
        "objective": float(found.objective),
        "relative_gap": float(found.relative_gap),
        "iterations": int(found.iterations),
        "converged": bool(found.converged),
        "nonzero": int(found.W.nnz),
        "zero_columns": analysis.zero_columns,
    }


def _settings(analysis: Analysis) -> dict[str, Any]:
    decided = {"k": analysis.k if analysis.has_neighbors else None, "measures": analysis.measures}
    if analysis.measures == "sampled":
        decided["sample"] = analysis.sample
    values = {**dataclasses.asdict(analysis.settings), **decided}
    idle = set() if analysis.measures == "sampled" else {"sample", "seed"}
    if analysis.settings.max_seconds is None:
        idle.add("max_seconds")
    ignored = {"ignore": analysis.dataset.ignored} if analysis.dataset.ignored else {}
    return {**{name: value for name, value in values.items() if name not in idle}, **ignored}


def defined(value: float) -> float | int | None:
    """A number for JSON: None where it is NaN or infinite.

    >>> defined(float("nan")), defined(3), defined(0.5)
    (None, 3, 0.5)
    """
    if isinstance(value, int):
        return value
    return float(value) if np.isfinite(value) else None
