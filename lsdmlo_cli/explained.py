"""A new row explained: its parents, its values beside theirs, and where each of its labels came from.

d_j(a, b)^2 = sum_i theta_ij (E_ai - E_bi)^2        of labels on which the parents differ, those of the nearer one (Eq. 12)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.instance_weights import local_imbalance
from lsdmlo_cli.numeric.matrix import as_dense, take
from lsdmlo_cli.numeric.neighbors import pair_distances
from lsdmlo_cli.provenance import Made

REASONS = (
    "both parents have it",
    "the seed has it",
    "the reference has it",
    "neither parent has it: it comes from neighbours, or a nested label under it is set",
    "by this label's distance the new row is nearer to the seed ({} against {})",
    "by this label's distance the new row is nearer to the reference ({} against {})",
    "a nested label under it is set",
    "the method decides; the parents do not agree",
    "both parents have it, and the method leaves it out",
)
"""What is said of a label; the braces stand for the distances to the nearer and to the other parent."""
BOTH, SEED, REFERENCE, NEITHER, NEARER_SEED, NEARER_REFERENCE, NESTED, DECIDED, LEFT_OUT = range(len(REASONS))


LONGEST_TEXT = 80
"""Characters of a text that are shown."""


class Value(NamedTuple):
    """A feature of a new row beside its parents': as text, empty where a value is missing or there is no such parent.

    theta: the feature's share of the distance of the label that the row was made for, None where there is no such label.
    """

    feature: int
    new: str
    seed: str
    reference: str
    theta: float | None


class Label(NamedTuple):
    """A label that the new row or one of its parents has. reason: a place in REASONS. near, far: the distances it speaks of."""

    label: int
    new: bool
    seed: bool
    reference: bool
    reason: int
    near: float | None = None
    far: float | None = None

    @property
    def distances(self) -> list[float]:
        """Those that the reason speaks of."""
        return [distance for distance in (self.near, self.far) if distance is not None]

    @property
    def told(self) -> str:
        """The reason in words."""
        return REASONS[self.reason].format(*(f"{distance:.4g}" for distance in self.distances))


@dataclass(frozen=True)
class Row:
    """A new row. row: in OUT, from 1. seed, reference: in the input, from 1, None without one. label: it was made for.

    imbalance: the share of the seed's k neighbours, by that label's distance, that lack the label; None where not known.
    """

    row: int
    seed: int | None
    reference: int | None
    label: int | None
    imbalance: float | None
    values: list[Value]
    labels: list[Label]


class Explanations:
    """Explains the new rows of an output. features: how many features of a row are shown at most, 0 for all."""

    def __init__(self, made: Made, features: int = 12) -> None:
        if made.subject.analysis is None or made.subject.new is None:
            raise DataError("new rows cannot be explained without the data set they were made of")
        self.analysis, self.new = made.subject.analysis, made.subject.new
        self.output, self.first, self.features = made.output, made.first, features
        parameters = made.subject.report["parameters"]
        self.by_distance = parameters.get("assign") == "nearer"

    @property
    def count(self) -> int:
        return len(self.new.parents)

    def place(self, row: int) -> int:
        """Which of the new rows the row of OUT, counted from 1, is. Errors: DataError for any other row."""
        if not self.first < row <= self.first + self.count:
            known = f"rows {self.first + 1} to {self.first + self.count}" if self.count else "no row"
            raise DataError(f"row {row} is not synthetic: {known} of {self.output.origin.file} were made")
        return row - self.first - 1

    def explained(self, places: Sequence[int]) -> list[Row]:
        """Some of the new rows, by their place among these from 0."""
        chosen = np.asarray(places, dtype=np.int64)
        imbalance, labels = self._imbalance(chosen), self._labels(chosen)
        return [
            Row(
                self.first + place + 1,
                _number(seed),
                _number(reference),
                None if label < 0 else label,
                near,
                self._values(place, seed, reference, label),
                own,
            )
            for place, (seed, reference, label), near, own in zip(
                chosen.tolist(), self.new.parents[chosen].tolist(), imbalance, labels, strict=True
            )
        ]

    # features

    @cached_property
    def _column_of(self) -> np.ndarray:
        return self.analysis.encoding.attribute

    def _theta(self, label: int) -> np.ndarray | None:
        """(d,) the share of each attribute in a label's distance; None without a label."""
        if label < 0:
            return None
        found = np.zeros(self.analysis.dataset.d)
        np.add.at(found, self._column_of, self._of_label[label])
        return found

    @cached_property
    def _of_label(self) -> dict[int, np.ndarray]:
        wanted = np.unique(self.new.parents[:, 2])
        labels = wanted[wanted >= 0].tolist()
        return dict(zip(labels, self.analysis.thetas(labels), strict=True)) if labels else {}

    def _values(self, place: int, seed: int, reference: int, label: int) -> list[Value]:
        """The features that weigh most for the label first; of sparse data those that are not 0 in all rows."""
        theta = self._theta(label)
        own = (self.output, self.first + place)
        sides = [own, (self.analysis.dataset, seed), (self.analysis.dataset, reference)]
        cells = [None if row < 0 else as_dense(take(data.X, np.array([row])))[0] for data, row in sides]
        shown = np.arange(self.output.d)
        if not isinstance(self.output.X, np.ndarray):
            shown = np.flatnonzero(np.any([row != 0 for row in cells if row is not None], axis=0))
        weight = np.zeros(len(shown)) if theta is None else theta[shown]
        order = shown[np.argsort(-weight, kind="stable")]
        found = []
        for j in (order[: self.features] if self.features else order).tolist():
            texts = ("" if row is None else _text(data, j, row[j]) for (data, _), row in zip(sides, cells, strict=True))
            new, of_seed, of_reference = texts
            found.append(Value(j, new, of_seed, of_reference, None if theta is None else float(theta[j])))
        return found

    # labels

    def _imbalance(self, chosen: np.ndarray) -> list[float | None]:
        """The local imbalance of each seed under its row's label, None where the seed lacks the label or there is none."""
        found: list[float | None] = [None] * len(chosen)
        parents = self.new.parents[chosen]
        for j in np.unique(parents[:, 2][parents[:, 2] >= 0]).tolist():
            rows, neighbors = self.analysis.label_neighbors.of_labels([j])[j]
            share = local_imbalance(self.analysis.has_label(j), neighbors.index)
            for place in np.flatnonzero(parents[:, 2] == j).tolist():
                at = int(np.searchsorted(rows, parents[place, 0]))
                if at < len(rows) and rows[at] == parents[place, 0]:
                    found[place] = float(share[at])
        return found

    def _labels(self, chosen: np.ndarray) -> list[list[Label]]:
        parents = self.new.parents[chosen]
        Y = self.analysis.dataset.Y
        new = as_dense(self.new.Y[chosen]) != 0
        seed, reference = (_parent_labels(Y, parents[:, column]) for column in (0, 1))
        both = (parents[:, :2] >= 0).all(axis=1)
        differ = (seed != reference) & both[:, np.newaxis] & self.by_distance
        distances = self._distances(chosen, differ)
        found: list[list[Label]] = [[] for _ in chosen]
        for row, j in np.argwhere(new | seed | reference).tolist():
            facts = bool(new[row, j]), bool(seed[row, j]), bool(reference[row, j])
            found[row].append(_reasoned(j, *facts, distances.get((row, j))))
        return found

    def _distances(self, chosen: np.ndarray, differ: np.ndarray) -> dict[tuple[int, int], tuple[float, float]]:
        """The distances of new rows to seed and reference under the labels on which these differ."""
        rows, labels = np.nonzero(differ)
        E = self.analysis.E
        found: dict[tuple[int, int], tuple[float, float]] = {}
        for j in np.unique(labels).tolist():
            mine = rows[labels == j]
            own = take(self.new.E, chosen[mine])
            each, theta = np.arange(len(mine)), self.analysis.thetas([j])
            ends = [
                np.sqrt(pair_distances(own, each, take(E, self.new.parents[chosen[mine], column]), each, theta))
                for column in (0, 1)
            ]
            for row, to_seed, to_reference in zip(mine.tolist(), *ends, strict=True):
                found[row, j] = float(to_seed), float(to_reference)
        return found


def _reasoned(j: int, new: bool, seed: bool, reference: bool, distances: tuple[float, float] | None) -> Label:
    """Why a new row has a label or not."""
    if distances is not None:
        to_seed, to_reference = distances
        nearer_seed = to_seed <= to_reference
        if new != (seed if nearer_seed else reference):
            return Label(j, new, seed, reference, NESTED)
        reason = NEARER_SEED if nearer_seed else NEARER_REFERENCE
        return Label(j, new, seed, reference, reason, min(distances), max(distances))
    if seed and reference:
        return Label(j, new, seed, reference, BOTH if new else LEFT_OUT)
    if not new:
        return Label(j, new, seed, reference, DECIDED)
    return Label(j, new, seed, reference, SEED if seed else REFERENCE if reference else NEITHER)


def _number(row: int) -> int | None:
    """A row as people count, from 1."""
    return None if row < 0 else row + 1


def _text(data: Dataset, column: int, cell: float) -> str:
    """A cell of X as people read it; ? where it is missing."""
    attribute = data.features[column]
    if np.isnan(cell):
        return "?"
    if attribute.is_number:
        return f"{cell:.6g}"
    if attribute.kind == "nominal":
        return attribute.values[int(cell)]
    return data.texts[column][int(cell)].decode("utf-8", "replace")[:LONGEST_TEXT] if cell else ""


def _parent_labels(Y: Any, rows: np.ndarray) -> np.ndarray:
    """(m, q) bool: the labels of some rows, none for -1."""
    found = np.zeros((len(rows), Y.shape[1]), dtype=bool)
    known = rows >= 0
    found[known] = Y[rows[known]].toarray() != 0
    return found
