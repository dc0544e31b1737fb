"""Columns and tables of pyarrow (see frame.Library)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsdmlo_cli.data.dataset import Kind

MORE_CATEGORIES = "add {value} to its dictionary"


def names(table: Any) -> list[Any]:
    return list(table.column_names)


def column(table: Any, j: int) -> Any:
    return table.column(j)


def kind(column: Any) -> Kind | None:
    return kind_of_type(column.type)


def kind_of_type(of: Any) -> Kind | None:
    """The kind of a column by its type."""
    from pyarrow import types

    if types.is_dictionary(of):
        return "nominal" if kind_of_type(of.value_type) else None
    if types.is_integer(of):
        return "integer"
    if types.is_floating(of) or types.is_decimal(of) or types.is_null(of):
        return "numeric"
    if types.is_temporal(of):
        return "date"
    texts = (types.is_boolean, types.is_string, types.is_large_string, types.is_string_view)
    bytes_ = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    return "nominal" if any(is_it(of) for is_it in (*texts, *bytes_)) else None


def levels(column: Any) -> list[Any] | None:
    from pyarrow import types

    if types.is_dictionary(column.type):
        chunks = column.unify_dictionaries().chunks
        return [value for value in (chunks[0].dictionary.to_pylist() if chunks else []) if value is not None]
    return [False, True] if types.is_boolean(column.type) else None


def missing(column: Any) -> np.ndarray:
    return np.asarray(_plain(column).is_null(nan_is_null=True).to_numpy())


def floats(column: Any) -> np.ndarray:
    return np.asarray(column.cast("float64", safe=False).to_numpy())


def objects(column: Any) -> np.ndarray:
    return np.fromiter(_plain(column).to_pylist(), dtype=object, count=len(column))


def _plain(column: Any) -> Any:
    """The values of a column of a dictionary, which may hold null itself."""
    from pyarrow import types

    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def number_type(column: Any) -> Any:
    from pyarrow import types

    if types.is_null(column.type):
        return object
    return np.dtype(str(column.type)) if types.is_integer(column.type) else np.float64


def made(values: np.ndarray, missing: np.ndarray, column: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        known = levels(column) or []
        place = {value: code for code, value in enumerate(known)}
        codes = pyarrow.array([place.get(value) for value in values.tolist()], column.type.index_type)
        words = pyarrow.array(known, column.type.value_type)
        return pyarrow.DictionaryArray.from_arrays(codes, words, ordered=column.type.ordered)
    if values.dtype == object:
        return pyarrow.array(values.tolist(), type=column.type)
    return pyarrow.array(values, mask=missing).cast(column.type, safe=False)


def chosen(column: Any, seeds: np.ndarray, others: Any, place: np.ndarray) -> Any:
    import pyarrow

    pool = pyarrow.chunked_array([*column.take(pyarrow.array(seeds)).chunks, others], type=column.type)
    return pool.unify_dictionaries().take(pyarrow.array(place))


def joined(table: Any, rows: np.ndarray, added: list[Any], seeds: np.ndarray) -> Any:
    import pyarrow

    new = pyarrow.Table.from_arrays(added, schema=table.schema)
    return pyarrow.concat_tables([table.take(pyarrow.array(rows)), new])
