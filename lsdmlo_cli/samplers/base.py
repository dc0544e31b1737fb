"""What every sampler is and gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any, ClassVar, Protocol

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.numeric.matrix import Matrix

BATCH_ROWS = 256
"""New rows made at a time; fixed, since each batch draws from a generator of its own."""


@dataclass(frozen=True)
class Batch:
    """New rows with their parents.

    X: (m, d) as in Dataset. Y: (m, q) bool. seeds, references: (m,) rows of the original data, -1 without one. labels:
    (m,) the label under which the reference was chosen, -1 without one.
    """

    X: Matrix
    Y: np.ndarray
    seeds: np.ndarray
    references: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Sample:
    """A sampler's answer.

    keep: (n,) bool, the original rows that stay, None for all. batches: the new rows, made as they are asked for.
    requested: how many new rows were wanted. details: what else the report should say.
    """

    batches: Iterable[Batch]
    requested: int
    keep: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Sampler(Protocol):
    """A frozen dataclass of hyper-parameters: its fields are constructor, options of the command and report's parameters."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample: ...


def exact(value: float | Decimal) -> Fraction:
    """A decimal as it was typed.

    >>> exact(0.29) * 100
    Fraction(29, 1)
    """
    return Fraction(str(value))


def rows_for(p: float | Decimal, n: int) -> int:
    """floor(p n), with p as the decimal that was typed.

    >>> rows_for(0.29, 100), rows_for(Decimal("0.07"), 100), rows_for(1.5, 3)
    (29, 7, 4)
    """
    return 0 if p < 1e-18 else floor(exact(p) * n)


def check_ratio(name: str, value: float | Decimal, most: float) -> None:
    """Raise ParameterError where a ratio is not a number between 0 and `most`."""
    if not 0 <= value <= most:
        bound = "0 or more" if most >= 1e6 and value < 0 else f"between 0 and {most:g}"
        raise ParameterError(f"{name} must be {bound}, not {value}")


def batch_sizes(rows: int) -> Iterator[int]:
    """Sizes of the batches that make `rows` rows.

    >>> list(batch_sizes(600))
    [256, 256, 88]
    """
    for start in range(0, rows, BATCH_ROWS):
        yield min(BATCH_ROWS, rows - start)
