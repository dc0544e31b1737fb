"""Sparse arrays and matrices of scipy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, sparray, vstack

from lsdmlo_cli.dataset import Kind
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.rows import entry_rows
from lsdmlo_cli.tables.cells import decoded, kind_of, positions, refuse_infinity, zero_first
from lsdmlo_cli.tables.columns import chosen_columns


class Sparse:
    """A sparse array or matrix of scipy; a cell that is left out is 0."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        if data.ndim != 2:
            raise DataError(f"{what} must have two dimensions, rows and columns; it has {data.ndim}")
        self.of, self.format, self.dtype = (csr_array if isinstance(data, sparray) else csr_matrix), data.format, data.dtype
        self.rows = data.tocsr()
        self.names = list(range(data.shape[1]))
        chosen = chosen_columns(what, self.names, categorical)
        kind = kind_of(np.zeros(0, dtype=data.dtype))
        if kind is None and data.dtype != bool:
            raise DataError(f"{what} holds {data.dtype}: make it numbers")
        self.numbers = csr_array(self.rows, dtype=np.float64, copy=True)
        self.numbers.sum_duplicates()
        self.levels: dict[int, list[Any]] = {j: [0.0, 1.0] for j in self.names} if kind is None else {}
        for j in sorted(chosen) if kind is not None else ():
            mine = self.numbers.indices == j
            values = self.numbers.data[mine]
            left_out = np.zeros(int(len(values) < data.shape[0]))
            levels = zero_first(np.unique(np.append(values[~np.isnan(values)], left_out)))
            self.numbers.data[mine], self.levels[j] = positions(values, levels), levels.tolist()
        self.kinds: list[Kind] = ["nominal" if kind is None or j in chosen else kind for j in self.names]
        self.numbers.eliminate_zeros()
        refuse_infinity(what, self.numbers, self.names)

    def joined(self, rows: np.ndarray, new: Matrix) -> Any:
        cells = csr_array(new, copy=True)
        cells.eliminate_zeros()
        first = [_first_values(cells, j, levels[0]) for j, levels in self.levels.items() if levels and levels[0] != 0]
        for j, levels in self.levels.items():
            if len(levels) > 2 or levels != [0.0, 1.0][: len(levels)]:
                mine = cells.indices == j
                cells.data[mine] = decoded(cells.data[mine], levels, np.nan)
        for column in first:
            cells = cells + column
        return self.of(vstack([self.rows[rows], cells.astype(self.dtype)], format="csr")).asformat(self.format)


def _first_values(cells: csr_array, column: int, value: float) -> csr_array:
    """`value` in the cells of a column that are left out: where 0 stands for the first of the column's values."""
    left_out = np.ones(cells.shape[0], dtype=bool)
    left_out[entry_rows(cells)[cells.indices == column]] = False
    rows = np.flatnonzero(left_out)
    return csr_array((np.full(len(rows), value), (rows, np.full(len(rows), column))), shape=cells.shape)
