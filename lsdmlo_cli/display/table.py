"""What is to be shown, before it is drawn in some format: tables of text with what stands out in them.

A report becomes a Document: `parts` for people, in reading order, and `records` for programs, the same facts unrounded, a
dictionary a line. terminal.py, markdown.py, latex.py and records.py draw it; none of them knows what a report is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Emphasis = Literal["", "best", "better", "worse", "few", "minority"]
"""best: of the figures in a row. better, worse: than before, or than the reference. few: rests on few positives. minority: the
label is one."""

Report = Mapping[str, Any]
"""A report as JSON has it."""

Record = Mapping[str, str | float | int | bool | None]


@dataclass(frozen=True)
class Cell:
    """A text in a table. share: from 0 to 1, drawn as a bar where the column is one of bars."""

    text: str = ""
    emphasis: Emphasis = ""
    share: float | None = None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    right: numbers are aligned at the right. rank: where a terminal is narrow, the columns of the highest rank are left out first;
    those of rank 0 never are. bar: of bars, which a terminal alone draws, where it has room for them.
    """

    title: str
    right: bool = False
    rank: int = 0
    bar: bool = False


@dataclass(frozen=True)
class Table:
    """A table: the first column names the rows. notes: lines below it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def without_bars(self) -> Table:
        """The columns that hold text."""
        return self.only([place for place, column in enumerate(self.columns) if not column.bar])

    def only(self, places: Sequence[int]) -> Table:
        """Some of the columns."""
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return Table(self.title, tuple(self.columns[place] for place in places), rows, self.notes)


@dataclass(frozen=True)
class Lines:
    """Sentences, a line each, below a title that may be empty; copied: commands, which no line break may part."""

    lines: tuple[str, ...]
    title: str = ""
    copied: bool = False


@dataclass(frozen=True)
class Document:
    """What is known of some reports of one kind; all records have the same keys."""

    parts: tuple[Table | Lines, ...]
    records: tuple[Record, ...]


@dataclass(frozen=True)
class View:
    """How a report is to be shown.

    sort: a key of SORTS in choices.py. top: how many labels are shown, 0 all; None: 20 in tables, all in records. per: whether a
    line is for a label or for a data set; None: a label where there is one report. format: one of FORMATS. all: how to see all
    labels where some are left out.
    """

    sort: str = "irlbl"
    top: int | None = None
    per: str | None = None
    format: str = "table"
    all: str = "--top 0 shows all"

    def by_label(self, reports: Sequence[Report]) -> bool:
        """Whether these reports are shown label by label."""
        return self.per == "label" or (self.per is None and len(reports) == 1)


def cells(*texts: str | Cell) -> tuple[Cell, ...]:
    """A row of a table, of cells or their texts."""
    return tuple(text if isinstance(text, Cell) else Cell(text) for text in texts)
