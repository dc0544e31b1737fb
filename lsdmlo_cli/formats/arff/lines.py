"""A file's bytes as blocks of whole lines, with one kind of line end and a line number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsdmlo_cli.errors import FormatError

LINE_LIMIT_BYTES = 1 << 28
"""A line is held in memory, several times over while it is read. The longest line of the public sets (yahoo-Arts1) has 20 kB."""
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def whole_lines(path: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Cut blocks at line ends and write every line end (LF, CR LF, CR) as LF; a UTF-8 mark at the start is dropped.

    Each block that comes out ends with LF, but for the last one of a file without a final line end.

    >>> list(whole_lines("-", [b"a\r\nb\r", b"\nc"]))
    [b'a\n', b'b\n', b'c']
    """
    for number, lines in enumerate(raw_lines(path, blocks)):
        yield with_lf(lines if number else without_mark(path, lines))


def raw_lines(path: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Cut blocks at line ends, and change no byte.

    >>> list(raw_lines("-", [b"a\r\nb\r", b"\nc"]))
    [b'a\r\n', b'b\r\n', b'c']
    """
    pending: list[bytes] = []
    size = 0
    for block in blocks:
        cut = _last_line_end(block)
        if cut:
            yield b"".join([*pending, block[:cut]])
            pending, size = [], 0
        if len(block) > cut:
            pending.append(block[cut:])
            size += len(block) - cut
        if size > LINE_LIMIT_BYTES:
            raise FormatError(path, None, f"a line is longer than {LINE_LIMIT_BYTES >> 20} MB; this does not look like ARFF")
    if pending:
        yield b"".join(pending)


def _last_line_end(block: bytes) -> int:
    """Where to cut: behind the last line end that is whole. A CR at the very end may be half of a CR LF: it waits."""
    return max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) + 1


def with_lf(text: bytes) -> bytes:
    """The text with every line end written as LF."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def without_mark(path: str, block: bytes) -> bytes:
    """The start of a file without a UTF-8 mark."""
    if block.startswith(_UTF16_MARKS):
        raise FormatError(path, None, "this is UTF-16 text: convert it to UTF-8 first")
    return block.removeprefix(_UTF8_MARK)
