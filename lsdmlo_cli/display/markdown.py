"""A document as Markdown whose columns are aligned, so that it can be read as it is."""

from __future__ import annotations

import re

from lsdmlo_cli.display.table import Column, Document, Lines, Table
from lsdmlo_cli.display.text import plain

_SPECIAL = re.compile(r"[\\|`*<\[\]]|(?<!\w)_|_(?!\w)")
"""What Markdown may take for something else than itself; within a word an underscore is one."""


def to_markdown(document: Document) -> str:
    """The parts, an empty line between them."""
    parts = [_lines(part) if isinstance(part, Lines) else markdown_table(part.without_bars()) for part in document.parts]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""A text as it stands in a cell.

    >>> escaped("a|b *c* great_tit _x")
    'a\\|b \\*c\\* great_tit \\_x'
    """
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", plain(text))


def _lines(part: Lines) -> str:
    title = [part.title, ""] if part.title else []
    mark = "    " if part.copied else "- "
    return "\n".join([*title, *(f"{mark}{plain(line)}" for line in part.lines)])


def markdown_table(table: Table) -> str:
    """One table, its title and its notes."""
    title = [f"**{escaped(table.title)}**", ""] if table.title else []
    cells = [[escaped(column.title) for column in table.columns]]
    cells += [[escaped(cell.text.strip()) for cell in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    header, *rows = [
        " | ".join(_aligned(text, column, width) for text, column, width in zip(line, table.columns, widths, strict=True))
        for line in cells
    ]
    rule = " | ".join(_rule(column, width) for column, width in zip(table.columns, widths, strict=True))
    notes = ["", *(plain(note).replace("*", "\\*") for note in table.notes)] if table.notes else []
    return "\n".join([*title, *(f"| {line} |" for line in (header, rule, *rows)), *notes])


def _aligned(text: str, column: Column, width: int) -> str:
    return text.rjust(width) if column.right else text.ljust(width)


def _rule(column: Column, width: int) -> str:
    return "-" * (width - 1) + ":" if column.right else "-" * width
