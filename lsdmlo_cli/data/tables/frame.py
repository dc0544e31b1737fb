"""Data frames of pandas, which is never imported: where a frame was made, it is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

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
from lsdmlo_cli.data.tables.columns import chosen_columns
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix, as_dense


class Frame:
    """A data frame; its index begins anew in what is made of it."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None, pandas: Any) -> None:
        self.frame, self.pandas, self.types = data, pandas, pandas.api.types
        self.names = data.columns.tolist()
        chosen = chosen_columns(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.numbers = np.empty(data.shape)
        for j, name in enumerate(self.names):
            self.kinds.append(self._take(what, j, name, j in chosen))
        refuse_infinity(what, self.numbers, self.names)

    def _take(self, what: str, j: int, name: Any, nominal: bool) -> Kind:
        column = self.frame.iloc[:, j]
        missing = column.isna().to_numpy(dtype=bool)
        if isinstance(column.dtype, self.pandas.CategoricalDtype):
            self.levels[j] = column.cat.categories.tolist()
            self.numbers[:, j] = np.where(missing, np.nan, column.cat.codes.to_numpy())
            return "nominal"
        kind = self._kind(column, missing)
        if kind == "date" and not nominal:
            self.numbers[:, j] = np.where(missing, np.nan, 1.0)
            return kind
        if kind is not None and not nominal:
            values = column if column.dtype == object else column.to_numpy(dtype=np.float64, na_value=np.nan)
            self.numbers[:, j] = as_floats(what, name, np.asarray(values), missing)
            return kind
        types = self.types
        is_truth = types.is_bool_dtype(column.dtype)
        if not (nominal or is_truth or types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype)):
            refuse(what, name, column.dtype)
        values = column.to_numpy(dtype=object)
        self.numbers[:, j], self.levels[j] = coded(what, name, values, missing, [False, True] if is_truth else None)
        return "nominal"

    def _kind(self, column: Any, missing: np.ndarray) -> Kind | None:
        """numeric, integer or date; None for what is nominal, or nothing that is known."""
        types = self.types
        if types.is_bool_dtype(column.dtype):
            return None
        if types.is_integer_dtype(column.dtype):
            return "integer"
        if types.is_float_dtype(column.dtype):
            return "numeric"
        if types.is_datetime64_any_dtype(column.dtype):
            return "date"
        return kind_of(column.to_numpy(dtype=object)[~missing]) if column.dtype == object else None

    def joined(self, rows: np.ndarray, new: Matrix, seeds: np.ndarray) -> Any:
        cells = as_dense(new)
        same = like_seed(cells, self.numbers, seeds)
        columns = {j: self._added(cells[:, j], j, seeds, same[:, j]) for j in range(len(self.names))}
        added = self.pandas.DataFrame(columns, index=range(len(cells)))
        added.columns = self.frame.columns
        kept = self.frame.iloc[rows]
        return self.pandas.concat([kept, added] if len(added) else [kept], ignore_index=True)

    def _added(self, values: np.ndarray, j: int, seeds: np.ndarray, same: np.ndarray) -> Any:
        """The new cells of a column: those of the seeds, and what is spelled where they are not the same."""
        column = self.frame.iloc[:, j]
        cells = self.pandas.concat([column.take(seeds), self._spelled(values[~same], j, column)], ignore_index=True)
        place = np.where(same, np.arange(len(seeds)), len(seeds) + np.cumsum(~same) - 1)
        return cells.take(place).reset_index(drop=True)

    def _spelled(self, values: np.ndarray, j: int, column: Any) -> Any:
        series, missing = self.pandas.Series, np.isnan(values)
        if self.kinds[j] == "date":
            return series(index=range(len(values)), dtype=column.dtype)
        if j in self.levels:
            cells = decoded(values, self.levels[j], None)
            self._refuse_other_categories(cells, j, column.dtype)
            return series(cells, dtype=column.dtype)
        if column.dtype == object:
            present = column.to_numpy()[~missing_in(column.to_numpy())]
            return series(objects(values, spelling(present), None), dtype=object)
        if not self.types.is_integer_dtype(column.dtype):
            return series(values).astype(column.dtype)
        whole = typed(np.where(missing, 0.0, values), getattr(column.dtype, "numpy_dtype", column.dtype).type)
        filled = series(whole).astype(column.dtype)
        return filled.mask(missing, self.pandas.NA) if missing.any() else filled

    def _refuse_other_categories(self, cells: np.ndarray, j: int, dtype: Any) -> None:
        """A label that no row has, or all have, may be spelled by one category alone."""
        known = set(dtype.categories) if isinstance(dtype, self.pandas.CategoricalDtype) else set(cells)
        for value in set(cells) - known - {None}:
            raise DataError(f"column {self.names[j]!r} needs the category {value!r}: add it by .cat.add_categories([{value!r}])")
