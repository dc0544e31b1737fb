"""Numpy arrays, and what becomes one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lsdmlo_cli.dataset import Kind
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.tables.cells import coded, decoded, is_missing, kind_of, nan_in, objects, refuse, refuse_infinity
from lsdmlo_cli.tables.columns import chosen_columns


class Dense:
    """A numpy array, or what becomes one."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        self.array = np.asarray(data)
        if self.array.ndim != 2:
            raise DataError(f"{what} must have two dimensions, rows and columns; it has {self.array.ndim}")
        self.names = list(range(self.array.shape[1]))
        chosen = chosen_columns(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.missing: dict[int, Any] = {}
        self.numbers = np.empty(self.array.shape)
        for j in self.names:
            self.kinds.append(self._take(what, j, j in chosen))
        refuse_infinity(what, self.numbers, self.names)

    def _take(self, what: str, j: int, nominal: bool) -> Kind:
        column = self.array[:, j]
        missing = np.array([is_missing(value) for value in column], dtype=bool) if column.dtype == object else nan_in(column)
        self.missing[j] = column[missing][0] if missing.any() else np.nan
        if not nominal and (kind := kind_of(column[~missing])) is not None:
            self.numbers[:, j] = np.where(missing, np.nan, column).astype(np.float64)
            return kind
        if column.dtype.kind not in "biufOUS":
            refuse(what, j, column.dtype)
        self.numbers[:, j], self.levels[j] = coded(what, j, column, missing)
        return "nominal"

    def joined(self, rows: np.ndarray, new: Matrix) -> np.ndarray:
        cells = new if isinstance(new, np.ndarray) else new.toarray()
        spelled = np.empty(cells.shape, dtype=self.array.dtype)
        for j in self.names:
            if j in self.levels:
                spelled[:, j] = decoded(cells[:, j], self.levels[j], self.missing[j])
            elif self.array.dtype == object:
                spelled[:, j] = objects(cells[:, j], int if self.kinds[j] == "integer" else float, self.missing[j])
            else:
                spelled[:, j] = cells[:, j]
        return np.concatenate([self.array[rows], spelled])
