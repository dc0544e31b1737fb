"""The cells of one column: what they are, the numbers that stand for them, and how they are spelled again.

A number stands for a cell, but may hold less information: whole numbers beyond 2^53 share one, 1 and 1.0 are one number,
and so are None and NaN. So a new cell whose number is the seed's becomes the seed's own cell (`like_seed`), and only other
numbers are spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix, as_dense


def kind_of(values: np.ndarray) -> Kind | None:
    """The kind of a column of numbers, by its type or (objects) by what it holds; None where it does not hold numbers."""
    if values.dtype.kind in "iu":
        return "integer"
    if values.dtype.kind == "f":
        return "numeric"
    types = set(map(type, values)) if values.dtype == object else {str}
    if all(issubclass(of, Real | Decimal) and not issubclass(of, bool) for of in types):
        return "integer" if types and all(issubclass(of, Integral) for of in types) else "numeric"
    return None


def missing_in(values: np.ndarray) -> np.ndarray:
    """(n,) bool: the cells that are NaN, or (objects) None or NA."""
    if values.dtype == object:
        return np.array([_is_missing(value) for value in values], dtype=bool)
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, float | np.floating | Decimal) and bool(value != value)
    return value is None or is_nan or type(value).__name__ == "NAType"


def as_floats(what: str, name: Any, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Numbers as float64, NaN where they are missing. Errors: DataError for a whole number that no float64 comes near."""
    try:
        return np.where(missing, np.nan, values).astype(np.float64)
    except OverflowError:
        raise DataError(f"column {name!r} of {what} holds a number beyond 1.8e308") from None


def coded(
    what: str, name: Any, values: np.ndarray, missing: np.ndarray, levels: list[Any] | None = None
) -> tuple[np.ndarray, list[Any]]:
    """Positions of values among the levels (NaN where missing), and the levels: those given, or what occurs."""
    present = values[~missing]
    codes = np.full(len(values), np.nan)
    if values.dtype.kind in "iuf":
        numbers = zero_first(np.unique(present))
        codes[~missing] = positions(present, numbers)
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


def zero_first(numbers: np.ndarray) -> np.ndarray:
    """Rising numbers with 0, where it is among them, before all others."""
    return np.concatenate([numbers[numbers == 0], numbers[numbers != 0]])


def _in_order(values: Iterable[Any]) -> list[Any]:
    """Rising, 0 first among numbers; as they come where they have no order."""
    listed = list(values)
    try:
        return sorted(listed, key=lambda value: (isinstance(value, Real) and value != 0, value))
    except TypeError:
        return listed


def positions(values: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The position of each value among distinct levels; NaN for NaN."""
    order = np.argsort(levels)
    missing = missing_in(values)
    place = np.searchsorted(levels[order], np.where(missing, levels[:1], values)) if len(levels) else np.zeros(len(values), int)
    return np.where(missing, np.nan, order[place] if len(levels) else np.nan)


def like_seed(new: np.ndarray, numbers: Matrix, seeds: np.ndarray) -> np.ndarray:
    """(m, columns) bool: the new cells (m, columns) whose number is that of the seed's cell; none without a seed (-1)."""
    own = as_dense(numbers[seeds])
    return ((new == own) | (np.isnan(new) & np.isnan(own))) & (seeds >= 0)[:, np.newaxis]


def decoded(codes: np.ndarray, levels: Sequence[Any], missing: Any) -> np.ndarray:
    """The values at some positions, `missing` where they are NaN."""
    return objects(codes, lambda code: levels[int(code)], missing)


def objects(values: np.ndarray, spell: Callable[[float], Any], missing: Any) -> np.ndarray:
    """Numbers as objects, `missing` where they are NaN."""
    spelled = np.empty(len(values), dtype=object)
    spelled[:] = [missing if value != value else spell(value) for value in values.tolist()]
    return spelled


def spelling(present: np.ndarray) -> Callable[[float], Any]:
    """How new numbers of a column of objects are spelled: as Python's int, Decimal or float, by what the column holds."""
    if kind_of(present) == "integer":
        return int
    return _decimal if set(map(type, present)) == {Decimal} else float


def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))


def typed(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Numbers in a type of numpy's; in one of whole numbers the nearest that it has.

    >>> typed(np.array([3.0, 2.0**63]), np.int64).tolist(), typed(np.array([-1.0, 300.0]), np.uint8).tolist()
    ([3, 9223372036854775807], [0, 255])
    """
    if np.dtype(dtype).kind not in "iu":
        return values.astype(dtype)
    bounds = np.iinfo(dtype)
    low, high = values <= float(bounds.min), values >= float(bounds.max)
    whole = np.where(low | high, 0.0, values).astype(dtype)
    whole[low], whole[high] = bounds.min, bounds.max
    return whole


def refuse_infinity(what: str, numbers: Matrix, names: list[Any]) -> None:
    """Raise DataError where a table holds an infinite number."""
    if isinstance(numbers, np.ndarray):
        columns = np.flatnonzero(np.isinf(numbers).any(axis=0))
    else:
        columns = np.unique(numbers.indices[np.isinf(numbers.data)])
    if len(columns):
        raise DataError(f"column {names[columns[0]]!r} of {what} holds an infinite number")


def refuse(what: str, name: Any, dtype: Any) -> NoReturn:
    """Raise the DataError of a column that is neither number nor nominal."""
    raise DataError(f"column {name!r} of {what} holds {dtype}: make it numbers or text, or leave it out")


def _example(values: np.ndarray) -> str:
    return next((type(value).__name__ for value in values if not isinstance(value, Hashable)), type(values[0]).__name__)
