"""Columns and frames of polars (see frame.Library)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsdmlo_cli.data.dataset import Kind

MORE_CATEGORIES = "cast the column to an Enum that has {value}, too"


def names(frame: Any) -> list[Any]:
    return list(frame.columns)


def column(frame: Any, j: int) -> Any:
    return frame.to_series(j)


def kind(column: Any) -> Kind | None:
    import polars

    dtype = column.dtype
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric() or dtype == polars.Null:
        return "numeric"
    if dtype.is_temporal():
        return "date"
    nominal = (polars.Boolean, polars.String, polars.Categorical, polars.Enum, polars.Binary)
    return "nominal" if dtype in nominal else None


def levels(column: Any) -> list[Any] | None:
    """A Categorical has no values of its own: those of all columns of a session are kept together."""
    import polars

    if column.dtype == polars.Enum:
        return list(column.dtype.categories)
    return [False, True] if column.dtype == polars.Boolean else None


def missing(column: Any) -> np.ndarray:
    absent = column.is_null()
    return np.asarray((absent | column.is_nan().fill_null(True) if column.dtype.is_float() else absent).to_numpy())


def floats(column: Any) -> np.ndarray:
    import polars

    return np.asarray(column.cast(polars.Float64).to_numpy())


def objects(column: Any) -> np.ndarray:
    return np.fromiter(column.to_list(), dtype=object, count=len(column))


def number_type(column: Any) -> Any:
    """Whole numbers of 128 bits, for which numpy has no type, are given as they are."""
    narrow = column.dtype.is_integer() and not str(column.dtype).endswith("128")
    return np.dtype(str(column.dtype).lower()) if narrow else np.float64


def made(values: np.ndarray, missing: np.ndarray, column: Any) -> Any:
    import polars

    if values.dtype == object:
        return polars.Series(values.tolist(), dtype=column.dtype)
    present = polars.Series(values).set(polars.Series(missing), None) if missing.any() else polars.Series(values)
    return present.cast(column.dtype)


def chosen(column: Any, seeds: np.ndarray, others: Any, place: np.ndarray) -> Any:
    import polars

    return polars.concat([column[seeds], others.alias(column.name)])[place]


def joined(frame: Any, rows: np.ndarray, added: list[Any], seeds: np.ndarray) -> Any:
    import polars

    return polars.concat([frame[rows], polars.DataFrame(added)])
