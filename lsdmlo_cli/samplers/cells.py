"""Features of new rows, one kind of attribute at a time.

    numbers   between seed and reference                          between
    nominal   the most frequent among several rows, either
              parent's by the toss of a coin, or the seed's       voted, flipped, inherited
    carried   the seed's: texts, dates, and what is ignored       (done by new_features)

A Part holds the cells of one kind and their new values; new_features puts the parts together.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.synthesis import Cells, Interpolation, assemble, coin, gather, interpolate, vote
from lsdmlo_cli.parameters import Option

Part: TypeAlias = tuple[Cells, np.ndarray]

INTERPOLATION = Option("Draw one interpolation factor per attribute, or one per row.")


def of_kind(data: Dataset, *kinds: str) -> np.ndarray:
    """(d,) bool: the attributes of these kinds that are not carried."""
    return np.array([attribute.kind in kinds and not attribute.is_carried for attribute in data.features], dtype=bool)


def carried(data: Dataset) -> np.ndarray:
    """(d,) bool: the attributes of which a new row has its seed's value: texts, dates, and what is ignored."""
    return np.array([attribute.is_carried for attribute in data.features], dtype=bool)


def number_pairs(data: Dataset, seeds: np.ndarray, references: np.ndarray) -> tuple[Cells, np.ndarray]:
    """The numbers of seeds and references, and which cells are of an integer attribute."""
    pairs = gather(data.X, np.column_stack([seeds, references]), of_kind(data, "numeric", "integer"))
    return pairs, of_kind(data, "integer")[pairs.column]


def between(data: Dataset, seeds: np.ndarray, references: np.ndarray, mode: Interpolation, rng: np.random.Generator) -> Part:
    """Numbers between those of seed and reference (Eq. 11)."""
    pairs, whole = number_pairs(data, seeds, references)
    return pairs, interpolate(pairs, len(seeds), whole, mode, rng)


def voted(data: Dataset, members: np.ndarray) -> Part:
    """Nominal values by the vote of rows (m, g): ties to the first of them, then to the value declared first."""
    cells = gather(data.X, members, of_kind(data, "nominal"))
    return cells, vote(cells.values)


def flipped(data: Dataset, seeds: np.ndarray, references: np.ndarray, rng: np.random.Generator) -> Part:
    """Nominal values of seed or reference, by the toss of a coin for each cell in which they differ."""
    cells = gather(data.X, np.column_stack([seeds, references]), of_kind(data, "nominal"))
    return cells, coin(cells.values, rng)


def inherited(data: Dataset, seeds: np.ndarray) -> Part:
    """Nominal values of the seed."""
    cells = gather(data.X, seeds[:, np.newaxis], of_kind(data, "nominal"))
    return cells, cells.values[:, 0]


def new_features(data: Dataset, seeds: np.ndarray, *parts: Part) -> Matrix:
    """X of new rows (m, d), in the form of the data's, from cells of numbers and nominal values; all else is the seed's."""
    seeds_own = gather(data.X, seeds[:, np.newaxis], carried(data))
    return assemble([*parts, (seeds_own, seeds_own.values[:, 0])], (len(seeds), data.d), dense=isinstance(data.X, np.ndarray))
