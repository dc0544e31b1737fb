"""Tables as people hold them in memory, and the numbers of a Dataset: numpy arrays, scipy's sparse ones, pandas frames.

A Table knows the numbers of its cells (see `dataset`: a nominal cell is the position of its value) and how rows are spelled
again as its own kind, with its column names and types. What a cell may hold:

    numbers            as they are; of an integer type: an integer attribute; NaN, None or NA is missing
    truth values       nominal, False before True
    text, categories   nominal: the categories in their order, else the values in rising order, else as they come
    numbers that are named in `categorical`: nominal, 0 first, then in rising order

pandas is never imported: where a frame was made, it is there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, NoReturn, Protocol

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse, sparray, vstack

from lsdmlo_cli.dataset import Attribute, Dataset, Kind, Origin
from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.numeric.matrix import Matrix, settle
from lsdmlo_cli.numeric.rows import entry_rows


class Table(Protocol):
    """Rows and columns of one kind.

    names: of the columns. kinds: numeric, integer or nominal. levels: the values of the nominal columns. numbers: (n, columns).
    """

    names: list[Any]
    kinds: list[Kind]
    levels: dict[int, list[Any]]
    numbers: Matrix

    def joined(self, rows: np.ndarray, new: Matrix) -> Any:
        """Some of the own rows, then new ones (m, columns) given as numbers: a table of the own kind."""
        ...


def table(data: Any, what: str, categorical: Iterable[Any] | None = None) -> Table:
    """Take a table in; `what` names it in messages, `categorical` its nominal columns, by index or (in a frame) by name.

    Errors: DataError where it is no table or holds what is neither number nor nominal, ParameterError for a column that
    it does not have.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _Frame(data, what, categorical, pandas)
    return _Sparse(data, what, categorical) if issparse(data) else _Dense(data, what, categorical)


def dataset(X: Table, Y: Table) -> Dataset:
    """The data set of features X (n, d) and labels Y (n, q). Errors: DataError where they do not fit, or Y is not of 0 and 1."""
    n = X.numbers.shape[0]
    if Y.numbers.shape[0] != n:
        raise DataError(f"X has {n} rows and Y has {Y.numbers.shape[0]}: they must be rows of the same data")
    if not Y.names:
        raise DataError("Y has no column: there must be a label")
    labels = csr_array(Y.numbers)
    labels.eliminate_zeros()
    if (labels.data != 1).any() or any(levels != [0, 1] for levels in Y.levels.values()):
        raise DataError("Y must hold 0 and 1 alone: one column a label")
    return Dataset(
        relation="X",
        features=tuple(_attribute(X, j) for j in range(len(X.names))),
        labels=tuple(Attribute(str(name), "nominal", ("0", "1")) for name in Y.names),
        X=settle(X.numbers),
        Y=labels,
        parents=np.full(len(Y.names), -1, dtype=np.intp),
        sparse_rows=np.zeros(n, dtype=bool),
        origin=Origin(file="X", labels_from="Y"),
    )


def _attribute(X: Table, column: int) -> Attribute:
    """A nominal column that is missing throughout has one value, which nobody has."""
    values = tuple(map(str, X.levels[column])) or ("",) if column in X.levels else ()
    return Attribute(str(X.names[column]), X.kinds[column], values)


class _Dense:
    """A numpy array, or what becomes one."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        self.array = np.asarray(data)
        if self.array.ndim != 2:
            raise DataError(f"{what} must have two dimensions, rows and columns; it has {self.array.ndim}")
        self.names = list(range(self.array.shape[1]))
        chosen = _chosen(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.missing: dict[int, Any] = {}
        self.numbers = np.empty(self.array.shape)
        for j in self.names:
            self.kinds.append(self._take(what, j, j in chosen))
        _refuse_infinity(what, self.numbers, self.names)

    def _take(self, what: str, j: int, nominal: bool) -> Kind:
        column = self.array[:, j]
        missing = np.array([_is_missing(value) for value in column], dtype=bool) if column.dtype == object else _nan(column)
        self.missing[j] = column[missing][0] if missing.any() else np.nan
        if not nominal and (kind := _kind(column[~missing])) is not None:
            self.numbers[:, j] = np.where(missing, np.nan, column).astype(np.float64)
            return kind
        if column.dtype.kind not in "biufOUS":
            _refuse(what, j, column.dtype)
        self.numbers[:, j], self.levels[j] = _coded(what, j, column, missing)
        return "nominal"

    def joined(self, rows: np.ndarray, new: Matrix) -> np.ndarray:
        cells = new if isinstance(new, np.ndarray) else new.toarray()
        spelled = np.empty(cells.shape, dtype=self.array.dtype)
        for j in self.names:
            if j in self.levels:
                spelled[:, j] = _decoded(cells[:, j], self.levels[j], self.missing[j])
            elif self.array.dtype == object:
                spelled[:, j] = _objects(cells[:, j], int if self.kinds[j] == "integer" else float, self.missing[j])
            else:
                spelled[:, j] = cells[:, j]
        return np.concatenate([self.array[rows], spelled])


class _Sparse:
    """A sparse array or matrix of scipy; a cell that is left out is 0."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None) -> None:
        if data.ndim != 2:
            raise DataError(f"{what} must have two dimensions, rows and columns; it has {data.ndim}")
        self.of, self.format, self.dtype = (csr_array if isinstance(data, sparray) else csr_matrix), data.format, data.dtype
        self.rows = data.tocsr()
        self.names = list(range(data.shape[1]))
        chosen = _chosen(what, self.names, categorical)
        kind = _kind(np.zeros(0, dtype=data.dtype))
        if kind is None and data.dtype != bool:
            raise DataError(f"{what} holds {data.dtype}: make it numbers")
        self.numbers = csr_array(self.rows, dtype=np.float64, copy=True)
        self.numbers.sum_duplicates()
        self.levels: dict[int, list[Any]] = {j: [0.0, 1.0] for j in self.names} if kind is None else {}
        for j in sorted(chosen) if kind is not None else ():
            mine = self.numbers.indices == j
            values = self.numbers.data[mine]
            left_out = np.zeros(int(len(values) < data.shape[0]))
            levels = _zero_first(np.unique(np.append(values[~np.isnan(values)], left_out)))
            self.numbers.data[mine], self.levels[j] = _positions(values, levels), levels.tolist()
        self.kinds: list[Kind] = ["nominal" if kind is None or j in chosen else kind for j in self.names]
        self.numbers.eliminate_zeros()
        _refuse_infinity(what, self.numbers, self.names)

    def joined(self, rows: np.ndarray, new: Matrix) -> Any:
        cells = csr_array(new, copy=True)
        cells.eliminate_zeros()
        first = [_first_values(cells, j, levels[0]) for j, levels in self.levels.items() if levels and levels[0] != 0]
        for j, levels in self.levels.items():
            if len(levels) > 2 or levels != [0.0, 1.0][: len(levels)]:
                mine = cells.indices == j
                cells.data[mine] = _decoded(cells.data[mine], levels, np.nan)
        for column in first:
            cells = cells + column
        return self.of(vstack([self.rows[rows], cells.astype(self.dtype)], format="csr")).asformat(self.format)


class _Frame:
    """A data frame of pandas; its index begins anew."""

    def __init__(self, data: Any, what: str, categorical: Iterable[Any] | None, pandas: Any) -> None:
        self.frame, self.pandas = data, pandas
        self.names = list(data.columns)
        chosen = _chosen(what, self.names, categorical)
        self.kinds: list[Kind] = []
        self.levels: dict[int, list[Any]] = {}
        self.numbers = np.empty(data.shape)
        for j, name in enumerate(self.names):
            self.kinds.append(self._take(what, j, name, j in chosen))
        _refuse_infinity(what, self.numbers, self.names)

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
            _refuse(what, name, column.dtype)
        values = column.to_numpy(dtype=object)
        self.numbers[:, j], self.levels[j] = _coded(what, name, values, missing, [False, True] if is_truth else None)
        return "nominal"

    def _kind(self, column: Any, missing: np.ndarray) -> Kind | None:
        types = self.pandas.api.types
        if types.is_bool_dtype(column.dtype):
            return None
        if types.is_integer_dtype(column.dtype):
            return "integer"
        if types.is_float_dtype(column.dtype):
            return "numeric"
        return _kind(column.to_numpy(dtype=object)[~missing]) if column.dtype == object else None

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
            return self.pandas.Series(_decoded(values, self.levels[j], None), dtype=dtype)
        column = self.pandas.Series(values)
        if np.isnan(values).any() and not self.pandas.api.types.is_float_dtype(dtype):
            column = column.astype("Float64")
        return column.astype(dtype)


def _chosen(what: str, names: list[Any], categorical: Iterable[Any] | None) -> set[int]:
    """The columns that are named, by name or else by index."""
    wanted: list[Any] = [] if categorical is None else list(categorical)
    places = {name: j for j, name in reversed(list(enumerate(names)))}
    found = set()
    for name in wanted:
        place = places.get(name) if isinstance(name, Hashable) else None
        if place is None and isinstance(name, int | np.integer) and -len(names) <= name < len(names):
            place = int(name) % len(names)
        if place is None:
            raise ParameterError(f"categorical_features names {name!r}, which is no column of {what}")
        found.add(place)
    return found


def _kind(values: np.ndarray) -> Kind | None:
    """The kind of a column of numbers, by its type or (objects) by what it holds; None where it does not hold numbers."""
    if values.dtype.kind in "iu":
        return "integer"
    if values.dtype.kind == "f":
        return "numeric"
    if values.dtype == object and all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in values):
        return "integer" if len(values) and all(isinstance(value, Integral) for value in values) else "numeric"
    return None


def _nan(values: np.ndarray) -> np.ndarray:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(value != value))


def _coded(
    what: str, name: Any, values: np.ndarray, missing: np.ndarray, levels: list[Any] | None = None
) -> tuple[np.ndarray, list[Any]]:
    """Positions of values among the levels (NaN where missing), and the levels: those given, or what occurs."""
    present = values[~missing]
    codes = np.full(len(values), np.nan)
    if values.dtype.kind in "iuf":
        numbers = _zero_first(np.unique(present))
        codes[~missing] = _positions(present, numbers)
        return codes, list(numbers)
    if values.dtype == bool:
        return values.astype(np.float64), [False, True]
    try:
        found = levels or _in_order(dict.fromkeys(present.tolist()))
    except TypeError:
        raise DataError(f"column {name!r} of {what} holds values that cannot be compared: {_example(present)}") from None
    place = {value: code for code, value in enumerate(found)}
    codes[~missing] = [place[value] for value in present.tolist()]
    return codes, found


def _zero_first(numbers: np.ndarray) -> np.ndarray:
    """Rising numbers with 0, where it is among them, before all others."""
    return np.concatenate([numbers[numbers == 0], numbers[numbers != 0]])


def _first_values(cells: csr_array, column: int, value: float) -> csr_array:
    """`value` in the cells of a column that are left out: where 0 stands for the first of the column's values."""
    left_out = np.ones(cells.shape[0], dtype=bool)
    left_out[entry_rows(cells)[cells.indices == column]] = False
    rows = np.flatnonzero(left_out)
    return csr_array((np.full(len(rows), value), (rows, np.full(len(rows), column))), shape=cells.shape)


def _in_order(values: Iterable[Any]) -> list[Any]:
    """Rising, 0 first among numbers; as they come where they have no order."""
    listed = list(values)
    try:
        return sorted(listed, key=lambda value: (isinstance(value, Real) and value != 0, value))
    except TypeError:
        return listed


def _positions(values: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The position of each value among distinct levels; NaN for NaN."""
    order = np.argsort(levels)
    missing = _nan(values)
    place = np.searchsorted(levels[order], np.where(missing, levels[:1], values)) if len(levels) else np.zeros(len(values), int)
    return np.where(missing, np.nan, order[place] if len(levels) else np.nan)


def _decoded(codes: np.ndarray, levels: Sequence[Any], missing: Any) -> np.ndarray:
    """The values at some positions, `missing` where they are NaN."""
    values = np.empty(len(codes), dtype=object)
    values[:] = [missing if code != code else levels[int(code)] for code in codes.tolist()]
    return values


def _objects(values: np.ndarray, kind: Callable[[float], Any], missing: Any) -> np.ndarray:
    """Numbers as Python's own, `missing` where they are NaN."""
    spelled = np.empty(len(values), dtype=object)
    spelled[:] = [missing if value != value else kind(value) for value in values.tolist()]
    return spelled


def _refuse_infinity(what: str, numbers: Matrix, names: list[Any]) -> None:
    if isinstance(numbers, np.ndarray):
        columns = np.flatnonzero(np.isinf(numbers).any(axis=0))
    else:
        columns = np.unique(numbers.indices[np.isinf(numbers.data)])
    if len(columns):
        raise DataError(f"column {names[columns[0]]!r} of {what} holds an infinite number")


def _refuse(what: str, name: Any, dtype: Any) -> NoReturn:
    raise DataError(f"column {name!r} of {what} holds {dtype}: make it numbers or text, or leave it out")


def _example(values: np.ndarray) -> str:
    return next((type(value).__name__ for value in values if not isinstance(value, Hashable)), type(values[0]).__name__)
