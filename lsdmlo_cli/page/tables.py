"""Tables of a page, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Section = dict[str, Any]


class Column(NamedTuple):
    """A column of a table. digits: behind the point of its numbers, None for text and whole numbers. hint: what it is."""

    title: str
    digits: int | None = None
    hint: str = ""


def table(title: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], order: int | None = None) -> Section:
    """A table that can be sorted and filtered; order: the column by which it is sorted at first, falling."""
    return {
        "title": title,
        "columns": [column._asdict() for column in columns],
        "rows": [list(row) for row in rows],
        "order": order,
    }
