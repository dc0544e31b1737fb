"""A document as LaTeX to be pasted into a paper; its tables need the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from lsdmlo_cli.display.table import Cell, Document, Lines, Table
from lsdmlo_cli.display.text import plain

_SPELLED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "→": r"$\to$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "--": "-{}-",
    **{character: f"\\{character}" for character in "{}$&#%_"},
    **{character: f"{{{character}}}" for character in "[]*"},  # which belong to the \\\\ of the line before, if they can
}
_SPECIAL = re.compile("|".join(map(re.escape, _SPELLED)))
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
_HEAD = r"""% \usepackage{booktabs,amssymb}
% Names in other scripts than Latin need LuaLaTeX or XeLaTeX, and a font that has them."""


def to_latex(document: Document) -> str:
    """The tables, each as a float with its title as the caption; lines as comments, since they are no part of a table."""
    parts = [_comment(part) if isinstance(part, Lines) else _table(part.without_bars()) for part in document.parts]
    return "\n\n".join([_HEAD, *parts]) + "\n"


def escaped(text: str) -> str:
    r"""A text as LaTeX prints it.

    >>> escaped("50%_a ± 3"), escaped("-0.5 x-1")
    ('50\\%\\_a $\\pm$ 3', '$-$0.5 x-1')
    """
    return _MINUS.sub("$-$", _SPECIAL.sub(lambda found: _SPELLED[found[0]], plain(text)))


def _comment(part: Lines) -> str:
    return "\n".join(f"% {plain(line)}" for line in chain([part.title] if part.title else [], part.lines))


def _table(table: Table) -> str:
    columns = "".join("r" if column.right else "l" for column in table.columns)
    notes = [rf"\par\smallskip\footnotesize {escaped(note)}" for note in table.notes]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{escaped(table.title)}}}"] if table.title else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row(Cell(column.title) for column in table.columns),
            r"\midrule",
            *(_row(row) for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
    )


def _row(cells: Iterable[Cell]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: Cell) -> str:
    text = escaped(cell.text.strip())
    return rf"\textbf{{{text}}}" if cell.emphasis == "best" else text
