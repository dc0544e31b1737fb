"""An output file: the input's bytes as they are, then new rows."""

from __future__ import annotations

from lsdmlo_cli.formats.files import Source, Target


def copy(source: Source, target: Target) -> tuple[bytes, bool]:
    """Copy the input's decompressed bytes.

    Returns the line end that its last line has (or the one before it has), and whether the last line has one.
    """
    line_end, last = b"\n", b"\n"
    for block in source.blocks():
        target.write(block)
        line_end = _last_line_end(last + block) or line_end
        last = block[-1:]
    return line_end, last in (b"\n", b"\r")


def _last_line_end(text: bytes) -> bytes | None:
    """The last line end in a text whose first byte belongs to what came before."""
    place = max(text.rfind(b"\n", 1), text.rfind(b"\r", 1))
    if place < 1:
        return None
    if text[place : place + 1] == b"\r":
        return b"\r"
    return b"\r\n" if text[place - 1 : place] == b"\r" else b"\n"
