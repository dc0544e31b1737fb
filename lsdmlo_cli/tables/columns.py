"""The columns of a table that are named to be nominal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from lsdmlo_cli.errors import ParameterError


def chosen_columns(what: str, names: list[Any], categorical: Iterable[Any] | None) -> set[int]:
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
