"""What neighbours, feature weights and measures rest on, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from lsdmlo_cli.checks import check_choice, check_number, check_whole
from lsdmlo_cli.numeric.encoding import Scale

Measures: TypeAlias = Literal["auto", "all", "sampled", "fast"]

DEFAULT_K = 5
"""Neighbours where no number is given, as in the paper."""
DEFAULT_SAMPLE, LEAST_SAMPLE = 200, 30
"""Positives a label where no number is given: as many with `sampled`, and from so many on with `auto`."""


@dataclass(frozen=True)
class Settings:
    """What the measures rest on, whatever the method.

    k: neighbours; None is 5, or n - 1 where there are fewer rows. lambda1 > 0 and lambda2 >= 0 of the feature weights
    (Eq. 2). scale: how numbers are encoded. tol: relative gap at which the weights count as found. max_iter: steps of
    the solver. measures: whether LImb and LImb_LSD look at all positives, at a sample of `sample` a label drawn with `seed`
    (`sampled`), or at none (`fast`); `auto` is all where that takes a few seconds at most, else a sample. sample: None is 200,
    with `auto` as many as take a few seconds, from 30 to 200. max_seconds: None, or the time after which the solver ends with the
    weights it has; such a result is not reproducible.
    Numbers are kept as Python's own int and float. Errors: ParameterError for a value of another type or out of range.
    """

    k: int | None = None
    lambda1: float = 1.0
    lambda2: float = 1.0
    scale: Scale = "none"
    tol: float = 1e-4
    max_iter: int = 100_000
    measures: Measures = "auto"
    sample: int | None = None
    seed: int = 0
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        checked = {
            "k": None if self.k is None else check_whole("k", self.k, 1, ", or None"),
            "lambda1": check_number("lambda1", self.lambda1, above=True),
            "lambda2": check_number("lambda2", self.lambda2),
            "scale": check_choice("scale", self.scale, *get_args(Scale)),
            "tol": check_number("tol", self.tol, above=True),
            "max_iter": check_whole("max_iter", self.max_iter, 1),
            "max_seconds": None if self.max_seconds is None else check_number("max_seconds", self.max_seconds, above=True),
            "measures": check_choice("measures", self.measures, *get_args(Measures)),
            "sample": None if self.sample is None else check_whole("sample", self.sample, 2, ", or None"),
            "seed": check_whole("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


OF_LEARNING = tuple(field.name for field in fields(Settings) if field.name not in ("measures", "sample", "seed"))
"""The settings that neighbours and feature weights rest on; the others say which positives the measures look at."""
