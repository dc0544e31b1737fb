"""Data frames of pandas, which is never imported: where a frame was made, it is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lsdmlo_cli.dataset import Kind
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.tables.cells import coded, decoded, kind_of, refuse, refuse_infinity
from lsdmlo_cli.tables.columns import chosen_columns


class Frame:
    """A data frame of pandas; its index begins anew."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None, pandas: Any) -> None:
        self.frame, self.pandas = data, pandas
        self.names = list(data.columns)
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
        if kind is not None and not nominal:
            self.numbers[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            return kind
        types = self.pandas.api.types
        is_truth = types.is_bool_dtype(column.dtype)
        if not (nominal or is_truth or types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype)):
            refuse(what, name, column.dtype)
        values = column.to_numpy(dtype=object)
        self.numbers[:, j], self.levels[j] = coded(what, name, values, missing, [False, True] if is_truth else None)
        return "nominal"

    def _kind(self, column: Any, missing: np.ndarray) -> Kind | None:
        types = self.pandas.api.types
        if types.is_bool_dtype(column.dtype):
            return None
        if types.is_integer_dtype(column.dtype):
            return "integer"
        if types.is_float_dtype(column.dtype):
            return "numeric"
        return kind_of(column.to_numpy(dtype=object)[~missing]) if column.dtype == object else None

    def joined(self, rows: np.ndarray, new: Matrix) -> Any:
        cells = new if isinstance(new, np.ndarray) else new.toarray()
        columns = {j: self._spelled(cells[:, j], j) for j in range(len(self.names))}
        added = self.pandas.DataFrame(columns, index=range(len(cells)))
        added.columns = self.frame.columns
        kept = self.frame.iloc[rows]
        return self.pandas.concat([kept, added] if len(added) else [kept], ignore_index=True)

    def _spelled(self, values: np.ndarray, j: int) -> Any:
        dtype = self.frame.dtypes.iloc[j]
        if j in self.levels:
            return self.pandas.Series(decoded(values, self.levels[j], None), dtype=dtype)
        column = self.pandas.Series(values)
        if np.isnan(values).any() and not self.pandas.api.types.is_float_dtype(dtype):
            column = column.astype("Float64")
        return column.astype(dtype)
