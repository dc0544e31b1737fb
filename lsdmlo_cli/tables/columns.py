"""The columns of X that `categorical_features` names: by index, by name, or by a mask of truth values, one for each column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sized
from typing import Any

import numpy as np

from lsdmlo_cli.checks import is_truth, shown
from lsdmlo_cli.errors import ParameterError


def chosen_columns(what: str, names: list[Any], categorical: Iterable[Any] | None) -> set[int]:
    """The columns that are named, of those that the table `what` has.

    A name counts before an index. Truth values are a mask, never names or indices. Errors: ParameterError for a column that
    there is not, a mask of another length, and what is no list.
    """
    if categorical is None:
        return set()
    if isinstance(categorical, str | bytes) or not (isinstance(categorical, Iterable) and isinstance(categorical, Sized)):
        raise ParameterError(
            f"categorical_features must be a list of columns, a mask or None, not {shown(categorical)}: "
            f"for one column write [{shown(categorical)}]"
        )
    wanted = list(categorical)
    truths = sum(map(is_truth, wanted))
    if truths == 0:
        places = {name: j for j, name in reversed(list(enumerate(names)))}
        return {_column(what, places, len(names), name) for name in wanted}
    if truths < len(wanted):
        odd = next(value for value in wanted if not is_truth(value))
        raise ParameterError(f"categorical_features mixes truth values with {shown(odd)}: give a mask, or name columns")
    if len(wanted) != len(names):
        raise ParameterError(f"categorical_features is a mask of length {len(wanted)}, but {what} has {len(names)} columns")
    _refuse_other_order(what, names, categorical)
    return set(np.flatnonzero(wanted).tolist())


def _column(what: str, places: dict[Any, int], columns: int, name: Any) -> int:
    """The first column of a name, else of an index, which may count from the end."""
    place = places.get(name) if isinstance(name, Hashable) else None
    if place is None and isinstance(name, int | np.integer) and -columns <= name < columns:
        place = int(name) % columns
    if place is None:
        raise ParameterError(f"categorical_features names {shown(name)}, which is no column of {what}")
    return place


def _refuse_other_order(what: str, names: list[Any], mask: Any) -> None:
    """A Series that is labelled with the columns, but in another order, would be misread."""
    labels = list(mask.index) if hasattr(mask, "iloc") else names
    if labels != names and set(labels) == set(names):
        raise ParameterError(
            f"categorical_features is a mask in another order than the columns of {what}: give mask.reindex({what}.columns)"
        )
