"""A table of text with other rows: the bytes of the rows that stay, then new rows in the file's own form."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from lsdmlo_cli.formats.arff.copy import lines_that_stay
from lsdmlo_cli.formats.arff.new_rows import RowWriter, Spelling
from lsdmlo_cli.formats.csv.dialect import NULLS, Dialect
from lsdmlo_cli.formats.csv.rows import is_blank, row_blocks, row_ends
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.format import NewRows

if TYPE_CHECKING:
    from lsdmlo_cli.formats.csv.read import Csv, Layout

_WIDE = ("utf-16", "utf-32")
"""Encodings in which a line end is no single byte."""
_BLOCK_BYTES = 1 << 22


def write(file: Csv, source: Source, target: Target, keep: np.ndarray | None, new: Iterable[NewRows]) -> None:
    """See DataFile. Text in an encoding of wide characters is decoded to find its rows, and encoded again as it was."""
    layout, end, last = file.layout, b"\n", b"\n"
    encoding = encoded(source, layout)
    for rows in _kept(source, layout, keep):
        end, last = _line_end(rows) or end, rows[-1:]
        target.write(encoding(rows))
    writer = row_writer(file, end)
    for batch in new:
        rows = writer.rows(batch.X, batch.Y, np.zeros(len(batch.Y), dtype=bool), batch.seeds)
        target.write(encoding(rows if last in (b"\n", b"\r") else end + rows))
        last = b"\n"


def encoded(source: Source, layout: Layout) -> Callable[[bytes], bytes]:
    """From UTF-8 to the file's encoding; where that is wide, in the byte order of the file."""
    if not is_wide(layout):
        return lambda text: text
    start = next(source.blocks(), b"")[:4]
    marks = {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be", codecs.BOM_UTF16_BE: "utf-16-be"}
    own = next((own for mark, own in marks.items() if start.startswith(mark)), layout.encoding)
    own = "utf-16-le" if own == "utf-16" else own
    return lambda text: text.decode().encode(own)


def is_wide(layout: Layout) -> bool:
    """Whether a line end of the file is no single byte."""
    return layout.encoding.startswith(_WIDE)


def _blocks(source: Source, layout: Layout) -> Iterator[bytes]:
    """The file's bytes; of wide characters as UTF-8, with the mark at their start."""
    if not is_wide(layout):
        yield from source.blocks()
        return
    decoder = codecs.getincrementaldecoder(layout.encoding)()
    for number, block in enumerate(source.blocks()):
        marked = number == 0 and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
        text = decoder.decode(block)
        yield ("\ufeff" + text.removeprefix("\ufeff") if marked else text).encode()


def _kept(source: Source, layout: Layout, keep: np.ndarray | None) -> Iterator[bytes]:
    """The file less the rows that `keep` (n,) bool leaves out, in the encoding of `_blocks`."""
    blocks = _blocks(source, layout)
    if keep is None:
        yield from blocks
        return
    waiting, row = layout.dialect.header, 0
    for block in row_blocks(source.path, blocks, layout.dialect, _BLOCK_BYTES):
        ends = row_ends(block, layout.dialect)[0]
        solid = np.flatnonzero(~is_blank(block, ends))
        solid, waiting = (solid[1:], False) if waiting and len(solid) else (solid, waiting)
        stays = np.ones(len(ends), dtype=bool)
        stays[solid] = keep[row : row + len(solid)]
        row += len(solid)
        yield lines_that_stay(block[: int(ends[-1])], ends, stays)


def _line_end(text: bytes) -> bytes | None:
    """The last line end in a text, None where it has none."""
    found = re.findall(rb"\r\n|\n|\r", text[-(1 << 16) :])
    return found[-1] if found else None


def row_writer(file: Csv, line_end: bytes) -> RowWriter:
    """The writer of new rows in the file's form."""
    data, dialect = file.dataset, file.layout.dialect
    encoding = "utf-8" if is_wide(file.layout) else file.layout.encoding
    quote = quoting(dialect)
    spelling = Spelling(
        between=dialect.delimiter.encode(),
        missing=dialect.missing.encode(),
        point=dialect.decimal.encode(),
        quote=quote,
        of_texts=lambda text: quote(text.decode().encode(encoding)),
        quoted=dialect.quoted,
    )
    return RowWriter(data, file.labels.positions, encoding, line_end, spelling=spelling)


def quoting(dialect: Dialect) -> Callable[[bytes], bytes]:
    """How a text becomes a cell: in quotes where it must be, and everywhere where the file quotes its cells."""
    if not dialect.quote:
        return lambda text: text
    mark = dialect.quote.encode()
    special = re.compile(b"[" + re.escape(mark + dialect.delimiter.encode()) + rb"\r\n]|^[ \t]|[ \t]$")
    nulls = {null.encode() for null in NULLS}

    def quote(text: bytes) -> bytes:
        plain = not dialect.quoted and not special.search(text) and text not in nulls
        return text if plain else mark + text.replace(mark, mark + mark) + mark

    return quote
