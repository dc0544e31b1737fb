"""Numpy arrays, and what becomes one: lists of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.data.tables.cells import (
    as_floats,
    coded,
    decoded,
    kind_of,
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


class Dense:
    """A numpy array (n, columns)."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        self.array = _array(data, what)
        self.names = list(range(self.array.shape[1]))
        chosen = chosen_columns(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.missing: dict[int, Any] = {}
        self.spelling: dict[int, Callable[[float], Any]] = {}
        self.numbers = np.empty(self.array.shape)
        for j in self.names:
            self.kinds.append(self._take(what, j, j in chosen))
        refuse_infinity(what, self.numbers, self.names)

    def _take(self, what: str, j: int, nominal: bool) -> Kind:
        column = self.array[:, j]
        missing = missing_in(column)
        self.missing[j] = column[missing][0] if missing.any() else np.nan
        if not nominal and (kind := kind_of(column[~missing])) is not None:
            self.numbers[:, j] = as_floats(what, j, column, missing)
            self.spelling[j] = spelling(column[~missing])
            return kind
        if column.dtype.kind not in "biufOUS":
            refuse(what, j, column.dtype)
        self.numbers[:, j], self.levels[j] = coded(what, j, column, missing)
        return "nominal"

    def joined(self, rows: np.ndarray, new: Matrix, seeds: np.ndarray) -> np.ndarray:
        cells = as_dense(new)
        spelled = np.empty(cells.shape, dtype=self.array.dtype)
        for j in self.names:
            spelled[:, j] = self._spelled(cells[:, j], j)
        np.copyto(spelled, self.array[seeds], where=like_seed(cells, self.numbers, seeds))
        return np.concatenate([self.array[rows], spelled])

    def _spelled(self, values: np.ndarray, j: int) -> np.ndarray:
        if j in self.levels:
            return decoded(values, self.levels[j], self.missing[j])
        if self.array.dtype == object:
            return objects(values, self.spelling[j], self.missing[j])
        return typed(values, self.array.dtype)


def _array(data: Any, what: str) -> np.ndarray:
    if isinstance(data, np.ma.MaskedArray):
        raise DataError(f"{what} is a masked array: give {what}.astype(float).filled(np.nan)")
    array = np.asarray(data) if hasattr(data, "__array__") else _from_rows(data, what)
    if array.ndim == 0:
        raise DataError(
            f"{what} must be a table (a numpy array, a sparse array, a data frame of pandas or polars, a table of pyarrow, or a "
            f"list of rows), not {type(data).__name__}"
        )
    if array.ndim != 2:
        raise DataError(f"{what} must have two dimensions, rows and columns; it has {array.ndim}")
    return array


def _from_rows(rows: Any, what: str) -> np.ndarray:
    """A list of rows as numpy takes it, but as objects where numbers, text and truth values are mixed, so that each stays one."""
    try:
        array = np.asarray(rows)
    except ValueError:
        raise DataError(f"{what} must be a table: its rows do not all have the same number of cells") from None
    if array.ndim == 2 and array.dtype.kind in "iufUS":
        cells = np.array(rows, dtype=object)
        if len({_family(kind) for kind in set(map(type, cells.flat))}) > 1:
            return cells
    return array


def _family(kind: type) -> type:
    return next((family for family in (str, bytes, bool, np.bool_) if issubclass(kind, family)), float)
