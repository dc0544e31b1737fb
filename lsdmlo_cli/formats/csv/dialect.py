"""How a table of text is written: its delimiter, decimal mark, quotes, and whether its first row holds names.

What the user does not say is found in the first rows. The delimiter is the one at which all of them fall into the same number of
cells, and of several the one that leaves more numbers, then more cells. With another delimiter than the comma, numbers such as
1,5 and none such as 1.5 mean decimal commas. The first row holds names unless one of its cells is a number; whole numbers that
rise by 1, as pandas numbers columns, are names.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lsdmlo_cli.formats.form import Form

OPTIONS = {
    "delimiter": {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "},
    "decimal": {"point": ".", "comma": ","},
    "quote": {"double": '"', "single": "'", "none": ""},
    "header": {"yes": "yes", "no": "no"},
}
"""What --from may say, beside the encoding: by option, the values by name."""
FOUND = (",", ";", "\t", "|")
"""Delimiters that are looked for, in the order of preference."""
NULLS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?")
"""What stands for a missing value where it is not in quotes."""
MOST_ROWS = 200
_LONGEST_CELL = 1 << 28
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WITH_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
_WITH_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True)
class Dialect:
    """How the rows of a file are written.

    quote: empty where quotes are ordinary characters. quoted: the columns of which every cell in the first rows stands in quotes.
    missing: what stands for a missing value.
    """

    delimiter: str
    decimal: str = "."
    quote: str = '"'
    header: bool = True
    quoted: frozenset[int] = frozenset()
    missing: str = ""

    @property
    def all_quoted(self) -> bool:
        """Whether an empty cell stands in quotes like all others."""
        return bool(self.quoted)


def dialect(text: str, form: Form, delimiter: str | None) -> Dialect:
    """The dialect of a file that begins with some whole rows; delimiter: the one of its format, None where it has none.

    Errors: ParameterError for options that there are not.
    """
    chosen = form.chosen(OPTIONS)
    quote = chosen.get("quote", '"')
    between = chosen.get("delimiter") or delimiter or _delimiter(text, quote)
    rows = cells_of(text, between, quote)[:MOST_ROWS]
    decimal = chosen.get("decimal") or _decimal(rows, between)
    header = chosen["header"] == "yes" if "header" in chosen else not rows or _is_header(rows[0], decimal)
    quoted = _quoted(text, between, quote, len(rows[0]) if rows else 0)
    return Dialect(between, decimal, quote, header, quoted, _missing(rows[1:]))


def cells_of(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """The cells of the rows in a text; blank lines are left out."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))  # text without any delimiter is one cell
    lines = text.splitlines(keepends=True) if "\x0b" not in text and "\x0c" not in text else re.split(r"(?<=\n)", text)
    if quote:
        return [row for row in csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=False) if row]
    return [row for row in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE) if row]


def _delimiter(text: str, quote: str) -> str:
    return max(FOUND, key=lambda between: _fitness(cells_of(text, between, quote)[:MOST_ROWS], between))


def _fitness(rows: Sequence[Sequence[str]], between: str) -> tuple[bool, float, int]:
    """How well some rows fit a delimiter: whether all have as many cells, the share of numbers, the number of cells."""
    width = len(rows[0]) if rows else 0
    cells = [cell for row in rows[1:] or rows for cell in row]
    numbers = sum(bool(_NUMBER.fullmatch(cell) or (between != "," and _WITH_COMMA.fullmatch(cell))) for cell in cells)
    share = numbers / len(cells) if cells else 0.0
    return width > 1 and all(len(row) == width for row in rows), share if width > 1 else -1.0, width


def _decimal(rows: Sequence[Sequence[str]], between: str) -> str:
    cells = [cell for row in rows for cell in row]
    commas = between != "," and any(_WITH_COMMA.fullmatch(cell) for cell in cells)
    return "," if commas and not any(_WITH_POINT.fullmatch(cell) for cell in cells) else "."


def is_number(text: str, decimal: str) -> bool:
    """Whether a cell is a number."""
    return bool(_NUMBER.fullmatch(text.replace(",", ".") if decimal == "," else text))


def _is_header(row: Sequence[str], decimal: str) -> bool:
    whole = [int(cell) for cell in row if cell.strip().isdecimal()]
    if len(whole) == len(row) and whole == list(range(whole[0], whole[0] + len(row))):
        return True
    return not any(is_number(cell, decimal) for cell in row)


def _quoted(text: str, between: str, quote: str, width: int) -> frozenset[int]:
    """The columns of which every cell of the first rows behind the header stands in quotes."""
    if not quote or quote not in text:
        return frozenset()
    cell = re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{re.escape(between)}\r\n]*")
    bare: set[int] = set()
    place, seen = 0, 0
    for _ in range(MOST_ROWS):
        column, inside = 0, True
        while inside and place < len(text):
            found = cell.match(text, place)
            assert found is not None  # an empty cell fits, too
            if seen and not found[0].startswith(quote):
                bare.add(column)
            place, column = found.end() + 1, column + 1
            inside = text[place - 1 : place] == between
        place += text[place - 1 : place + 1] == "\r\n"
        seen += 1
    return frozenset(range(width)) - bare if seen > 1 else frozenset()


def _missing(rows: Sequence[Sequence[str]]) -> str:
    """What the first rows have for a missing value: a word if they have one, else nothing."""
    found = [cell for row in rows for cell in row if cell in NULLS]
    return max(NULLS, key=lambda null: (found.count(null), null == "")) if found else ""
