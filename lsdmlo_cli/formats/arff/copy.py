"""An output file: the input's bytes as they are, less the rows that are dropped, then new rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from lsdmlo_cli.formats.arff.header import HeaderReader
from lsdmlo_cli.formats.arff.lines import raw_lines, with_lf, without_mark
from lsdmlo_cli.formats.files import Source, Target

_LF, _CR, _PERCENT = b"\n\r%"
_BLANK = np.isin(np.arange(256), list(set(range(33)) - {_LF, _CR}))
_NO_ROW = np.isin(np.arange(256), [_LF, _CR, _PERCENT])
"""The first bytes, after blanks, of lines that hold no row."""


def copy(source: Source, target: Target, keep: np.ndarray | None = None, keel: bool = False) -> tuple[bytes, bool]:
    """Copy the input's decompressed bytes, without the rows that `keep` (n,) bool leaves out (None: all are kept).

    Rows are counted as the reader counts them: the lines behind `@data` that are neither blank nor a comment. A row goes
    with its line end; every other byte stays. keel: whether the header is KEEL's.

    Returns the line end that the input's last line has (or the one before it has), and whether what was written ends with one.
    """
    ends = _LineEnds()
    blocks = ends.watch(source.blocks())
    last = b"\n"
    for block in blocks if keep is None else _without_rows(HeaderReader(source.path, keel), blocks, keep):
        target.write(block)
        last = block[-1:] or last
    return ends.kind, last in (b"\n", b"\r")


class _LineEnds:
    """The kind of the last line end seen."""

    def __init__(self) -> None:
        self.kind = b"\n"

    def watch(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        last = b"\n"
        for block in blocks:
            self.kind = _last_line_end(last + block) or self.kind
            last = block[-1:]
            yield block


def _last_line_end(text: bytes) -> bytes | None:
    """The last line end in a text whose first byte belongs to what came before."""
    place = max(text.rfind(b"\n", 1), text.rfind(b"\r", 1))
    if place < 1:
        return None
    if text[place : place + 1] == b"\r":
        return b"\r"
    return b"\r\n" if text[place - 1 : place] == b"\r" else b"\n"


def _without_rows(header: HeaderReader, blocks: Iterable[bytes], keep: np.ndarray) -> Iterator[bytes]:
    path = header.path
    in_header, rows = True, 0
    for number, lines in enumerate(raw_lines(path, blocks)):
        if in_header:
            used = header.feed(with_lf(lines if number else without_mark(path, lines)).split(b"\n"))
            cut = len(lines) if used is None else int(line_ends(lines)[used - 1])
            in_header = used is None
            yield lines[:cut]
            lines = lines[cut:]
        kept, found = cut_rows(lines, keep[rows:])
        rows += found
        yield kept


def cut_rows(lines: bytes, keep: np.ndarray, no_row: np.ndarray = _NO_ROW) -> tuple[bytes, int]:
    """Whole lines without the rows that are dropped, and how many rows they held; keep starts with the first of them.

    no_row: (256,) bool, the first bytes, after blanks, of lines that hold no row.
    """
    ends = line_ends(lines)
    is_row = np.flatnonzero(~no_row[_first_bytes(lines, np.concatenate([[0], ends])[:-1])])
    dropped = is_row[: len(keep)][~keep[: len(is_row)]]
    if not len(dropped):
        return lines, len(is_row)
    stays = np.ones(len(ends), dtype=bool)
    stays[dropped] = False
    return lines_that_stay(lines, ends, stays), len(is_row)


def lines_that_stay(lines: bytes, ends: np.ndarray, stays: np.ndarray) -> bytes:
    """Some of the lines, or rows, of a text; ends: the place behind each. stays: bool, whether it is one of them.

    >>> lines_that_stay(b"a\\nbb\\n", np.array([2, 5]), np.array([False, True]))
    b'bb\\n'
    """
    return np.frombuffer(lines, dtype=np.uint8)[np.repeat(stays, np.diff(ends, prepend=0))].tobytes()


def line_ends(lines: bytes) -> np.ndarray:
    r"""Where each line ends: the place behind its line end, or the end of the text.

    >>> line_ends(b"a\r\n\rb").tolist()
    [3, 4, 5]
    """
    view = np.frombuffer(lines, dtype=np.uint8)
    at_end = view == _LF
    returns = np.flatnonzero(view == _CR)
    at_end[returns[view[np.minimum(returns + 1, len(view) - 1)] != _LF]] = True
    at_end[-1:] = True
    return np.flatnonzero(at_end) + 1


def _first_bytes(lines: bytes, starts: np.ndarray) -> np.ndarray:
    """The first byte of each line that is no blank; that of its line end where there is none."""
    view = np.frombuffer(lines + b"\n", dtype=np.uint8)
    first = view[starts]
    indented = np.flatnonzero(_BLANK[first])
    if len(indented):
        solid = np.flatnonzero(~_BLANK[view])
        first[indented] = view[solid[np.searchsorted(solid, starts[indented])]]
    return first
