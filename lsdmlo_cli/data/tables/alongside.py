"""Arrays of one value or row for each row of X, such as weights and groups, which go with the rows that stay and the new ones."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.data.tables.pandas_columns import joined_index
from lsdmlo_cli.errors import DataError


def refuse_other_lengths(arrays: dict[str, Any], n: int) -> None:
    """Raise DataError for what has not a value for each of n rows, None aside."""
    for name, data in arrays.items():
        length = _length(data)
        if data is not None and length != n:
            found = f"a {type(data).__name__}" if length is None else f"{length}"
            raise DataError(
                f"{name} must have a value for each of the {n} rows of X, in an array, a list or a frame, not {found}"
            )


def _length(data: Any) -> int | None:
    """The number of rows; None for what has none."""
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    listed = isinstance(data, list | tuple) or hasattr(data, "take")
    return len(data) if listed and isinstance(data, Sized) else None


def carried(arrays: dict[str, Any], rows: np.ndarray, seeds: np.ndarray) -> dict[str, Any]:
    """The arrays, each of its own kind: the values of the rows that stay, then of each new row its seed's (m,).

    Errors: DataError where a new row has no seed (-1).
    """
    without = int((seeds < 0).sum())
    if arrays and without:
        raise DataError(
            f"{', '.join(arrays)} cannot go along: {without} of {len(seeds)} new rows have no seed to take a value from"
        )
    return {name: _carried(data, rows, seeds) for name, data in arrays.items()}


def _carried(data: Any, rows: np.ndarray, seeds: np.ndarray) -> Any:
    places = np.concatenate([rows, seeds])
    if data is None:
        return None
    if isinstance(data, list | tuple):
        return type(data)([data[place] for place in places.tolist()])
    if scipy.sparse.issparse(data):
        return data.tocsr()[places].asformat(data.format)
    if hasattr(data, "iloc"):
        return data.iloc[places].set_axis(joined_index(data.index, rows, seeds))
    return data.take(places) if type(data).__module__.startswith("pyarrow") else data[places]
