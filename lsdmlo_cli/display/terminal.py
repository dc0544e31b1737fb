"""A document as a terminal shows it, drawn by rich; imported only where something is drawn.

A table keeps to the width: first the columns that are dispensable are left out, then names are cut in their middle, at last the
columns are shown in several tables below each other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TextIO

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from lsdmlo_cli.display.table import Cell, Column, Document, Emphasis, Lines, Table
from lsdmlo_cli.display.text import plain

GAP = 2
"""Cells between columns."""
SHORTEST_NAME, SHORTEST_BAR, LONGEST_BAR = 16, 8, 30
"""In cells. A name is cut to no less, and a bar is drawn at no less and no more."""
STYLES: dict[Emphasis, str] = {
    "": "",
    "best": "bold",
    "better": "green",
    "worse": "red",
    "few": "yellow",
    "minority": "bold cyan",
}
_EIGHTHS = " ▏▎▍▌▋▊▉"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_LEFT_MARK = "\u200e"


def to_terminal(document: Document, stream: TextIO) -> str:
    """The document for the terminal behind a stream, or for a file: then without colours, 80 cells wide, or COLUMNS of them.

    NO_COLOR, FORCE_COLOR and TERM=dumb are honoured as rich does.
    """
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        for number, part in enumerate(document.parts):
            if number:
                console.print()
            for drawn in _lines(part) if isinstance(part, Lines) else _table(part, console.width):
                console.print(drawn, soft_wrap=isinstance(part, Lines) and part.copied)
    return "".join(f"{line.rstrip(' ')}\n" for line in captured.get().splitlines())


def fitted(table: Table, width: int) -> Iterator[Table]:
    """The table with the columns that fit into a width, its names cut where they must be; several where not all fit."""
    table = _safe(table)
    while _wanted(table, width) > width and (most := max(column.rank for column in table.columns)):
        table = table.only([place for place, column in enumerate(table.columns) if column.rank != most])
    table = _named(table, max(SHORTEST_NAME, width - _width(table) + _widths(table)[0]))
    for number, places in enumerate(_together(_widths(table), width)):
        part = table.only(places)
        yield part if not number else replace(part, title="")


def _wanted(table: Table, width: int) -> int:
    """The cells that a table takes; of names no more than a third of the width counts, so that long ones leave columns room."""
    names = _widths(table)[0]
    return _width(table) - names + min(names, max(SHORTEST_NAME, width // 3))


def _named(table: Table, width: int) -> Table:
    """The table with names of at most so many cells."""
    first, *others = table.columns
    rows = tuple((replace(name, text=cut(name.text, width)), *cells) for name, *cells in table.rows)
    return replace(table, columns=(replace(first, title=cut(first.title, width)), *others), rows=rows)


def cut(text: str, width: int) -> str:
    """A text of at most so many cells: of a longer one the beginning and the end.

    >>> cut("Emotion-Angry-Aggressive", 16), cut("short", 16)
    ('Emotion…gressive', 'short')
    """
    if cell_len(text) <= width:
        return text
    end = width // 2
    start = set_cell_size(text, width - 1 - end).rstrip()
    tail = text
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{start}…{tail}"


def _safe(table: Table) -> Table:
    """The table with text as it may stand on a terminal; names written from right to left do not turn what follows."""
    rows = tuple((replace(line[0], text=_level(plain(line[0].text))), *map(_plain, line[1:])) for line in table.rows)
    columns = tuple(replace(column, title=plain(column.title)) for column in table.columns)
    return replace(table, title=plain(table.title), columns=columns, rows=rows)


def _plain(cell: Cell) -> Cell:
    return replace(cell, text=plain(cell.text))


def _level(text: str) -> str:
    """The text between marks of writing from left to right where it is written the other way."""
    turned = not text.isascii() and any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
    return f"{_LEFT_MARK}{text}{_LEFT_MARK}" if turned else text


def _widths(table: Table) -> list[int]:
    """The cells that each column takes at least."""
    texts = zip(*((cell.text for cell in line) for line in table.rows), strict=True) if table.rows else [()] * len(table.columns)
    return [
        max(SHORTEST_BAR * column.bar, *map(cell_len, (column.title, *lines)))
        for column, lines in zip(table.columns, texts, strict=True)
    ]


def _width(table: Table) -> int:
    return sum(_widths(table)) + GAP * (len(table.columns) - 1)


def _together(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """The places of the columns that stand in one table, each time with the first."""
    places, used = [0], widths[0]
    for place, width in enumerate(widths[1:], start=1):
        if len(places) > 1 and used + GAP + width > room:
            yield places
            places, used = [0], widths[0]
        places.append(place)
        used += GAP + width
    yield places


def _lines(part: Lines) -> Iterator[RenderableType]:
    if part.title:
        yield Text(plain(part.title), style="bold")
    for line in part.lines:
        yield Text(f"{'  ' * part.copied}{plain(line)}")


def _table(table: Table, width: int) -> Iterator[RenderableType]:
    for number, part in enumerate(fitted(table, width)):
        if part.title:
            yield Text(part.title, style="bold")
        elif number:
            yield Text()
        yield _grid(part, width)
    for note in table.notes:
        yield Padding(Text(plain(note), style="dim"), (0, 0, 0, 2))


def _grid(table: Table, width: int) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    bar = min(LONGEST_BAR, width - _width(table) + SHORTEST_BAR)
    for column, most in zip(table.columns, _widths(table), strict=True):
        grid.add_column(Text(_aligned(column.title, column, most)), no_wrap=True)
    for line in table.rows:
        drawn = zip(line, table.columns, _widths(table), strict=True)
        grid.add_row(*(_drawn(cell, column, bar if column.bar else most) for cell, column, most in drawn))
    return grid


def _drawn(cell: Cell, column: Column, width: int) -> Text:
    return Text(_bar(cell.share or 0.0, width) if column.bar else _aligned(cell.text, column, width), style=STYLES[cell.emphasis])


def _aligned(text: str, column: Column, width: int) -> str:
    """The text with blanks before it where it belongs at the right; rich itself would leave out those that it ends with."""
    return " " * (column.right * (width - cell_len(text))) + text


def _bar(share: float, width: int) -> str:
    """A bar in eighths of a cell; something is seen of what is not 0."""
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
