"""Columns and frames of pandas (see frame.Library), and the index of new rows."""

from __future__ import annotations

from itertools import count, islice
from typing import Any

import numpy as np

from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.data.tables.cells import kind_of

MORE_CATEGORIES = "add it by .cat.add_categories([{value}])"


def names(frame: Any) -> list[Any]:
    return list(frame.columns.tolist())


def column(frame: Any, j: int) -> Any:
    return frame.iloc[:, j]


def kind(column: Any) -> Kind | None:
    from pandas.api import types

    dtype = column.dtype
    by_letter: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "numeric", "b": "nominal", "M": "date", "m": "date"}
    if dtype.kind in by_letter:
        return by_letter[dtype.kind]
    if column.dtype == object:
        return kind_of(objects(column)[~missing(column)]) or "nominal"
    return "nominal" if types.is_string_dtype(dtype) or _is_categorical(dtype) else _kind_of_arrow(dtype)


def _is_categorical(dtype: Any) -> bool:
    from pandas import CategoricalDtype

    return isinstance(dtype, CategoricalDtype)


def _kind_of_arrow(dtype: Any) -> Kind | None:
    """The kind of a column that pandas keeps in a type of pyarrow's for which numpy has none."""
    if not hasattr(dtype, "pyarrow_dtype"):
        return None
    from lsdmlo_cli.data.tables import arrow_columns

    return arrow_columns.kind_of_type(dtype.pyarrow_dtype)


def levels(column: Any) -> list[Any] | None:
    if _is_categorical(column.dtype):
        return list(column.cat.categories.tolist())
    return [False, True] if column.dtype.kind == "b" else None


def missing(column: Any) -> np.ndarray:
    return np.asarray(column.isna().to_numpy(dtype=bool))


def floats(column: Any) -> np.ndarray:
    return np.asarray(column if column.dtype == object else column.to_numpy(dtype=np.float64, na_value=np.nan))


def objects(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy(dtype=object))


def number_type(column: Any) -> Any:
    numpy_type = getattr(column.dtype, "numpy_dtype", column.dtype)
    return numpy_type.type if numpy_type.kind in "iu" else object if column.dtype == object else np.float64


def made(values: np.ndarray, missing: np.ndarray, column: Any) -> Any:
    import pandas

    if values.dtype == object:
        return pandas.Series(values, dtype=column.dtype)
    filled = pandas.Series(values).astype(column.dtype)
    return filled.mask(missing, pandas.NA) if missing.any() and column.dtype.kind in "iu" else filled


def chosen(column: Any, seeds: np.ndarray, others: Any, place: np.ndarray) -> Any:
    import pandas

    return pandas.concat([column.take(seeds), others], ignore_index=True).take(place).reset_index(drop=True)


def joined(frame: Any, rows: np.ndarray, added: list[Any], seeds: np.ndarray) -> Any:
    import pandas

    new = pandas.DataFrame(dict(enumerate(added)))
    new.columns = frame.columns
    kept = frame if len(rows) == len(frame) else frame.iloc[rows]
    whole = pandas.concat([kept, new] if len(new) else [kept], ignore_index=True)
    whole.index = joined_index(frame.index, rows, seeds)
    return whole


def joined_index(index: Any, rows: np.ndarray, seeds: np.ndarray) -> Any:
    """The index of some rows, then that of new ones (m,)."""
    kept = index if len(rows) == len(index) else index[rows]
    return kept.append(new_index(index, seeds)) if len(seeds) else kept


def new_index(index: Any, seeds: np.ndarray) -> Any:
    """What new rows (m,) are called: something that the index (n,) does not hold yet.

    Numbers, dates and periods go on behind the greatest: by 1, by the index's own frequency, else by a day. All else is called
    new-1, new-2 and so on. Of an index of several levels a new row has its seed's values (n,), the last level aside.
    """
    import pandas

    if index.nlevels > 1:
        outer = [index.get_level_values(level).take(seeds) for level in range(index.nlevels - 1)]
        last = new_index(index.get_level_values(index.nlevels - 1), seeds)
        return pandas.MultiIndex.from_arrays([*outer, last], names=index.names)
    present = index.dropna()
    if (step := _step(index)) is None or not len(present):
        return _numbered(set(present), len(seeds), index.name)
    greatest = int(present.max()) if index.dtype.kind in "iu" else present.max()
    if index.dtype.kind == "i":
        return pandas.RangeIndex(greatest + 1, greatest + 1 + len(seeds), name=index.name)
    values = [greatest + place * step for place in range(1, len(seeds) + 1)]
    return pandas.Index(values, name=index.name, dtype=np.uint64 if index.dtype.kind == "u" else None)


def _step(index: Any) -> Any:
    """From one value of an index to the next; None where they have no order of their own."""
    import pandas

    if index.dtype.kind in "Mm":
        return getattr(index, "freq", None) or pandas.Timedelta(days=1)
    return 1 if index.dtype.kind in "iuf" or isinstance(index, pandas.PeriodIndex) else None


def _numbered(known: set[Any], rows: int, name: Any) -> Any:
    import pandas

    free = (value for place in count(1) if (value := f"new-{place}") not in known)
    return pandas.Index(list(islice(free, rows)), name=name, dtype=object)
