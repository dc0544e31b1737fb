"""Data frames of pandas and polars, and tables of pyarrow: one way through all three.

What differs between the libraries is a module of functions each (see Library), which imports its library where it is used: where
a frame was made, the library is loaded already.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.data.tables.cells import (
    as_floats,
    coded,
    decoded,
    like_seed,
    missing_in,
    objects,
    refuse,
    refuse_infinity,
    spelling,
    typed,
)
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix, as_dense


class Library(Protocol):
    """Columns of one library of data frames, and frames of its columns."""

    MORE_CATEGORIES: str
    """How a column gets a category that it lacks, {value} put in."""

    def names(self, frame: Any) -> list[Any]:
        """The names of the columns."""
        ...

    def column(self, frame: Any, j: int) -> Any:
        """The column at position j."""
        ...

    def kind(self, column: Any) -> Kind | None:
        """The kind of a column by its type; None where there is none for it."""
        ...

    def levels(self, column: Any) -> list[Any] | None:
        """The values that a type of categories or truth values lists; None for all other types."""
        ...

    def missing(self, column: Any) -> np.ndarray:
        """(n,) bool: the cells that are null or NaN."""
        ...

    def floats(self, column: Any) -> np.ndarray:
        """(n,) numbers, as float64, or as the objects that the column holds."""
        ...

    def objects(self, column: Any) -> np.ndarray:
        """(n,) the cells as Python's own values."""
        ...

    def number_type(self, column: Any) -> Any:
        """The type of numpy's in which new numbers of a column are given to `made`."""
        ...

    def made(self, values: np.ndarray, missing: np.ndarray, column: Any) -> Any:
        """A column of values (m,), null where they are missing (m,), of the type of another column."""
        ...

    def chosen(self, column: Any, seeds: np.ndarray, others: Any, place: np.ndarray) -> Any:
        """The cells at some places of: the column's cells at the seeds (m,), then the others, a column of the same type."""
        ...

    def joined(self, frame: Any, rows: np.ndarray, added: list[Any], seeds: np.ndarray) -> Any:
        """Some rows of a frame, then as many new ones as there are seeds, given as columns."""
        ...


class Frame:
    """A data frame or table of some library."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None, library: Library) -> None:
        self.frame, self.library = data, library
        self.names = library.names(data)
        chosen = chosen_columns(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.numbers = np.empty(data.shape)
        for j, name in enumerate(self.names):
            self.kinds.append(self._take(what, j, name, j in chosen))
        refuse_infinity(what, self.numbers, self.names)

    def _take(self, what: str, j: int, name: Any, nominal: bool) -> Kind:
        column = self.library.column(self.frame, j)
        kind, missing = self.library.kind(column), self.library.missing(column)
        if kind is None:
            refuse(what, name, column.type if hasattr(column, "type") else column.dtype)
        if nominal or kind == "nominal":
            levels = self.library.levels(column)
            self.numbers[:, j], self.levels[j] = coded(what, name, self.library.objects(column), missing, levels)
            return "nominal"
        if kind == "date":
            self.numbers[:, j] = np.where(missing, np.nan, 1.0)
        else:
            self.numbers[:, j] = as_floats(what, name, self.library.floats(column), missing)
        return kind

    def joined(self, rows: np.ndarray, new: Matrix, seeds: np.ndarray) -> Any:
        cells = as_dense(new)
        same = like_seed(cells, self.numbers, seeds)
        added = [self._added(j, cells[:, j], seeds, same[:, j]) for j in range(len(self.names))]
        return self.library.joined(self.frame, rows, added, seeds)

    def _added(self, j: int, values: np.ndarray, seeds: np.ndarray, same: np.ndarray) -> Any:
        """The new cells of a column: those of the seeds, and what is spelled where they are not the same."""
        column = self.library.column(self.frame, j)
        other = values[~same]
        spelled = self.library.made(self._spelled(other, j, column), np.isnan(other), column)
        place = np.where(same, np.arange(len(seeds)), len(seeds) + np.cumsum(~same) - 1)
        return self.library.chosen(column, np.maximum(seeds, 0), spelled, place)

    def _spelled(self, values: np.ndarray, j: int, column: Any) -> np.ndarray:
        """A date that is not the seed's is missing."""
        if self.kinds[j] == "date":
            return np.full(len(values), None)
        if j in self.levels:
            cells = decoded(values, self.levels[j], None)
            self._refuse_other_categories(cells, j, column)
            return cells
        wanted = self.library.number_type(column)
        if wanted is object:
            present = self.library.objects(column)
            return objects(values, spelling(present[~missing_in(present)]), None)
        whole = np.dtype(wanted).kind in "iu"
        return typed(np.where(np.isnan(values), 0.0, values), wanted) if whole else values.astype(wanted)

    def _refuse_other_categories(self, cells: np.ndarray, j: int, column: Any) -> None:
        """A label that no row has, or all have, may be spelled by one category alone."""
        levels = self.library.levels(column)
        for value in set(cells) - set(cells if levels is None else levels) - {None}:
            remedy = self.library.MORE_CATEGORIES.format(value=repr(value))
            raise DataError(f"column {self.names[j]!r} needs the category {value!r}: {remedy}")
