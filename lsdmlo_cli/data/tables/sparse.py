"""Sparse arrays and matrices of scipy; a cell that is left out is 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.data.tables.cells import kind_of, missing_in, positions, refuse_infinity, typed, zero_first
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.rows import entry_rows


class Sparse:
    """A sparse array or matrix (n, columns). values: its entries with sorted indices and without duplicates, in its own type."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        if data.ndim != 2:
            raise DataError(f"{what} must have two dimensions, rows and columns; it has {data.ndim}")
        self.of = scipy.sparse.csr_array if isinstance(data, scipy.sparse.sparray) else scipy.sparse.csr_matrix
        self.format, self.dtype = data.format, data.dtype
        self.rows = data.tocsr()
        self.names = list(range(data.shape[1]))
        chosen = chosen_columns(what, self.names, categorical)
        kind = kind_of(np.zeros(0, dtype=data.dtype))
        if kind is None and data.dtype != bool:
            raise DataError(f"{what} holds {data.dtype}: make it numbers")
        self.values = scipy.sparse.csr_array(self.rows, copy=True)
        self.values.sum_duplicates()
        self.numbers = scipy.sparse.csr_array(self.values, dtype=np.float64, copy=True)
        self.levels: dict[int, list[Any]] = {j: [False, True] for j in self.names} if kind is None else {}
        for j in sorted(chosen) if kind is not None else ():
            mine = self.values.indices == j
            self.numbers.data[mine], self.levels[j] = self._codes(self.values.data[mine])
        self.kinds: list[Kind] = ["nominal" if kind is None or j in chosen else kind for j in self.names]
        self.numbers.eliminate_zeros()
        refuse_infinity(what, self.numbers, self.names)

    def _codes(self, values: np.ndarray) -> tuple[np.ndarray, list[Any]]:
        """The positions of a nominal column's entries among its levels, and the levels: 0 too where a cell is left out."""
        left_out = np.zeros(int(len(values) < self.rows.shape[0]), dtype=self.dtype)
        levels = zero_first(np.unique(np.append(values[~missing_in(values)], left_out)))
        return positions(values, levels), list(levels)

    def joined(self, rows: np.ndarray, new: Matrix, seeds: np.ndarray) -> Any:
        cells = scipy.sparse.csr_array(new, copy=True)
        cells.eliminate_zeros()
        cells.sort_indices()
        spelled = scipy.sparse.csr_array((typed(cells.data, self.dtype), cells.indices, cells.indptr), shape=cells.shape)
        for j, levels in self.levels.items():
            if self.dtype != bool:
                mine = cells.indices == j
                spelled.data[mine] = [levels[int(code)] if code == code else np.nan for code in cells.data[mine].tolist()]
        self._copy_like_seed(cells, spelled, seeds)
        for j, levels in self.levels.items():
            if levels and levels[0] != 0:
                spelled = spelled + _first_values(cells, j, levels[0])
        return self.of(scipy.sparse.vstack([self.rows[rows], spelled], format="csr", dtype=self.dtype)).asformat(self.format)

    def _copy_like_seed(self, cells: scipy.sparse.csr_array, spelled: scipy.sparse.csr_array, seeds: np.ndarray) -> None:
        """Put the seed's own value where an entry of the new cells has its number."""
        columns = cells.shape[1]
        numbers, values = self.numbers[seeds], self.values[seeds]
        new, known, held = (entry_rows(rows) * columns + rows.indices for rows in (cells, numbers, values))
        same = _at(new, known, numbers.data, np.nan) == cells.data
        same &= (seeds >= 0)[entry_rows(cells)]
        spelled.data[same] = _at(new[same], held, values.data, 0)


def _at(keys: np.ndarray, known: np.ndarray, values: np.ndarray, absent: float) -> np.ndarray:
    """The values at keys, which are rising in `known`; `absent` where a key is not."""
    place = np.searchsorted(known, keys)
    place[place == len(known)] = 0
    if not len(known):
        return np.full(len(keys), absent, dtype=values.dtype)
    return np.where(known[place] == keys, values[place], np.asarray(absent, dtype=values.dtype))


def _first_values(cells: scipy.sparse.csr_array, column: int, value: Any) -> scipy.sparse.csr_array:
    """`value` in the cells of a column that are left out: where 0 stands for the first of the column's values."""
    left_out = np.ones(cells.shape[0], dtype=bool)
    left_out[entry_rows(cells)[cells.indices == column]] = False
    rows = np.flatnonzero(left_out)
    return scipy.sparse.csr_array((np.full(len(rows), value), (rows, np.full(len(rows), column))), shape=cells.shape)
