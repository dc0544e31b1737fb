"""Sampling time of each method, as in the paper's appendix: from encoded features to the last new row."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from benchmarks import data
from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import LsdmloError
from lsdmlo_cli.samplers import SAMPLERS, Sampler

NAMES, NAMES_FULL = ("Corel5k",), ("Corel5k", "scene")
P = 0.1


def table(full: bool) -> str:
    """Seconds of each method, and how many times LSDMLO's they are."""
    names = NAMES_FULL if full else NAMES
    times = {name: _times(data.dataset(name)) for name in names}
    rows = [[method, *(cell for name in names for cell in _cells(times[name], method))] for method in SAMPLERS]
    columns = ["method", *(column for name in names for column in (f"{name} s", "LSDMLO / method"))]
    return data.markdown(f"Sampling time of each method, p = {P}", columns, rows, "A dash: an optional package is not installed.")


def at_ratio(sampler: type[Sampler], p: float = P) -> Sampler:
    """The sampler with the ratio p, where it has one."""
    has_ratio = any(field.name == "p" for field in fields(sampler))  # type: ignore[arg-type]  (samplers are dataclasses)
    return sampler(p=p) if has_ratio else sampler()  # type: ignore[call-arg]


def _times(dataset: Dataset) -> dict[str, float | None]:
    return {method: _seconds(dataset, sampler) for method, sampler in SAMPLERS.items()}


def _seconds(dataset: Dataset, sampler: type[Sampler]) -> float | None:
    """Weights and neighbours that the method needs are counted in; encoding is not."""
    analysis = Analysis(dataset, Settings(measures="fast"), threads=data.THREADS)
    analysis.E  # noqa: B018  (encoded beforehand)
    try:
        took, _ = data.seconds(lambda: list(at_ratio(sampler).sample(analysis, np.random.default_rng(0)).batches))
    except LsdmloError:
        return None
    return took


def _cells(times: dict[str, float | None], method: str) -> tuple[str, str]:
    took, lsdmlo = times[method], times["lsdmlo"]
    return ("-", "-") if took is None or lsdmlo is None else (data.short(took), data.short(lsdmlo / took))
