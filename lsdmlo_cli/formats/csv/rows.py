"""Where the rows of a table of text end: at line ends outside quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.copy import line_ends
from lsdmlo_cli.formats.csv.dialect import Dialect

LONGEST_ROW_BYTES = 1 << 28
"""A row is held in memory, several times over while it is read."""


def row_ends(text: bytes, dialect: Dialect) -> tuple[np.ndarray, bool]:
    """The place behind each row of a text that begins with one, and whether the last line is inside quotes, which is no row.

    >>> row_ends(b'a,"b\\n1"\\nc,d\\n', Dialect(","))
    (array([ 8, 12]), False)
    """
    ends = line_ends(text)
    quote = dialect.quote.encode()
    if not quote or quote not in text:
        return ends, False
    quotes = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == quote[0])
    odd = np.searchsorted(quotes, ends) & 1
    if not odd.any():
        return ends, False
    between = re.escape(dialect.delimiter.encode())
    opened = re.compile(rb"(?:(?<=[\r\n%b])|\A)%b((?:[^%b]|%b%b)*+)(%b?)" % (between, quote, quote, quote, quote, quote))
    spans = [(found.start(1), found.end(1), bool(found[2])) for found in opened.finditer(text)]
    if not spans:
        return ends, False
    starts, stops = (np.array([span[i] for span in spans], dtype=np.int64) for i in (0, 1))
    before = np.searchsorted(starts, ends - 1, side="right") - 1
    inside = (before >= 0) & (ends - 1 < stops[np.maximum(before, 0)])
    return ends[~inside], not spans[-1][2]


def row_blocks(path: str, blocks: Iterable[bytes], dialect: Dialect, size: int) -> Iterator[bytes]:
    """Whole rows, about `size` bytes at a time. Errors: FormatError for a quote that is not closed."""
    pending: list[bytes] = []
    held, wanted, line = 0, size, 1
    for block in blocks:
        pending.append(block)
        held += len(block)
        if held < wanted:
            continue
        text = b"".join(pending)
        ends, _ = row_ends(text[: _before_last_line(text)], dialect)
        cut = int(ends[-1]) if len(ends) else 0
        if cut:
            yield text[:cut]
            line += len(line_ends(text[:cut]))
        pending, held = [text[cut:]], len(text) - cut
        wanted = max(size, 2 * held)
        if held > LONGEST_ROW_BYTES:
            raise FormatError(path, line, f"a row is longer than {LONGEST_ROW_BYTES >> 20} MB: is a quote not closed?")
    text = b"".join(pending)
    if text:
        ends, is_open = row_ends(text, dialect)
        if is_open:
            begun = int(ends[-1]) if len(ends) else 0
            raise FormatError(
                path,
                line + len(line_ends(text[:begun])) if begun else line,
                "a quote is not closed before the end of the file (quotes that are ordinary characters: --from csv:quote=none)",
            )
        yield text


def _before_last_line(text: bytes) -> int:
    """Where the last line that may go on begins. A CR at the very end may be half of a CR LF."""
    return max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1


def is_blank(text: bytes, ends: np.ndarray) -> np.ndarray:
    """(rows,) bool: which of some rows, by the places behind them, are no more than a line end."""
    view = np.frombuffer(text, dtype=np.uint8)
    starts = np.concatenate([[0], ends[:-1]])
    return np.isin(view[starts], (10, 13))
