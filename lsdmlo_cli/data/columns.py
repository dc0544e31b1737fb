"""The columns of X that a parameter names: by index, by name, or by a mask of truth values, one for each column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Sized
from typing import Any

import numpy as np

from lsdmlo_cli.checks import is_truth, shown
from lsdmlo_cli.errors import ParameterError, hint


def chosen_columns(
    what: str, names: Sequence[Any], wanted: Iterable[Any] | None, parameter: str = "categorical_features"
) -> set[int]:
    """The columns that are wanted by a parameter, of those that the table `what` has.

    A name counts before an index. Truth values are a mask, never names or indices. Errors: ParameterError for a column that
    there is not, a mask of another length, and what is no list.
    """
    if wanted is None:
        return set()
    if isinstance(wanted, str | bytes) or not (isinstance(wanted, Iterable) and isinstance(wanted, Sized)):
        raise ParameterError(
            f"{parameter} must be a list of columns, a mask or None, not {shown(wanted)}: for one column write [{shown(wanted)}]"
        )
    listed = list(wanted)
    truths = sum(map(is_truth, listed))
    if truths == 0:
        places = {name: j for j, name in reversed(list(enumerate(names)))}
        return {_column(what, places, len(names), name, parameter) for name in listed}
    if truths < len(listed):
        odd = next(value for value in listed if not is_truth(value))
        raise ParameterError(f"{parameter} mixes truth values with {shown(odd)}: give a mask, or name columns")
    if len(listed) != len(names):
        raise ParameterError(f"{parameter} is a mask of length {len(listed)}, but {what} has {len(names)} columns")
    _refuse_other_order(what, names, wanted, parameter)
    return set(np.flatnonzero(listed).tolist())


def _column(what: str, places: dict[Any, int], columns: int, name: Any, parameter: str) -> int:
    """The first column of a name, else of an index, which may count from the end."""
    place = places.get(name) if isinstance(name, Hashable) else None
    if place is None and isinstance(name, int | np.integer) and -columns <= name < columns:
        place = int(name) % columns
    if place is None:
        near = hint(name, [known for known in places if isinstance(known, str)]) if isinstance(name, str) else ""
        raise ParameterError(f"{parameter} names {shown(name)}, which is no column of {what}{near}")
    return place


def _refuse_other_order(what: str, names: Sequence[Any], mask: Any, parameter: str) -> None:
    """A Series that is labelled with the columns, but in another order, would be misread."""
    labels = list(mask.index) if hasattr(mask, "iloc") else list(names)
    if labels != list(names) and set(labels) == set(names):
        raise ParameterError(
            f"{parameter} is a mask in another order than the columns of {what}: give mask.reindex({what}.columns)"
        )
