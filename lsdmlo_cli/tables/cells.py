"""The cells of one column: what they are, the numbers that stand for them, and how they are spelled again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from lsdmlo_cli.dataset import Kind
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix


def kind_of(values: np.ndarray) -> Kind | None:
    """The kind of a column of numbers, by its type or (objects) by what it holds; None where it does not hold numbers."""
    if values.dtype.kind in "iu":
        return "integer"
    if values.dtype.kind == "f":
        return "numeric"
    if values.dtype == object and all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in values):
        return "integer" if len(values) and all(isinstance(value, Integral) for value in values) else "numeric"
    return None


def nan_in(values: np.ndarray) -> np.ndarray:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(value != value))


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
    missing = nan_in(values)
    place = np.searchsorted(levels[order], np.where(missing, levels[:1], values)) if len(levels) else np.zeros(len(values), int)
    return np.where(missing, np.nan, order[place] if len(levels) else np.nan)


def decoded(codes: np.ndarray, levels: Sequence[Any], missing: Any) -> np.ndarray:
    """The values at some positions, `missing` where they are NaN."""
    values = np.empty(len(codes), dtype=object)
    values[:] = [missing if code != code else levels[int(code)] for code in codes.tolist()]
    return values


def objects(values: np.ndarray, kind: Callable[[float], Any], missing: Any) -> np.ndarray:
    """Numbers as Python's own, `missing` where they are NaN."""
    spelled = np.empty(len(values), dtype=object)
    spelled[:] = [missing if value != value else kind(value) for value in values.tolist()]
    return spelled


def refuse_infinity(what: str, numbers: Matrix, names: list[Any]) -> None:
    if isinstance(numbers, np.ndarray):
        columns = np.flatnonzero(np.isinf(numbers).any(axis=0))
    else:
        columns = np.unique(numbers.indices[np.isinf(numbers.data)])
    if len(columns):
        raise DataError(f"column {names[columns[0]]!r} of {what} holds an infinite number")


def refuse(what: str, name: Any, dtype: Any) -> NoReturn:
    raise DataError(f"column {name!r} of {what} holds {dtype}: make it numbers or text, or leave it out")


def _example(values: np.ndarray) -> str:
    return next((type(value).__name__ for value in values if not isinstance(value, Hashable)), type(values[0]).__name__)
