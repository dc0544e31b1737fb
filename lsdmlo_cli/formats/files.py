"""Files as the user names them: `-` for a stream, compression by suffix, outputs that appear whole or not at all.

An input may be read twice (once to learn from, once to copy) and is checked to be the same both times; standard input is kept
in a temporary file for that. An output is written beside its target and renamed at the end.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import secrets
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO, cast

from lsdmlo_cli.errors import FileError, FormatError, reason

BLOCK_BYTES = 1 << 20
STREAM = "-"
COMPRESSED = (".gz", ".bz2", ".xz")
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
_OPEN_FILE = re.compile(r"/(?:dev|proc/self)/fd/(\d+)", re.ASCII)
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}


def suffix(path: str) -> str:
    """The compression that the name asks for: `.gz`, `.bz2`, `.xz` or nothing."""
    return next((end for end in COMPRESSED if path.lower().endswith(end)), "")


def stem(path: str) -> str:
    """The path without a compression's suffix and then without `.arff`: what other names are made from.

    >>> stem("data/emotions.arff.xz"), stem("out.arff"), stem("plain")
    ('data/emotions', 'out', 'plain')
    """
    bare = path[: len(path) - len(suffix(path))]
    return bare[:-5] if bare.lower().endswith(".arff") else bare


class Source:
    """An input that can be read more than once, in blocks of decompressed bytes.

    Errors: FileError where it cannot be opened or read, FormatError where its compression is damaged, FileError where a later
    reading differs from the first (another program wrote to it meanwhile).
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen: tuple[int, int] | None = None
        self.file = self._spool() if path == STREAM else self._open(path)

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exception: object) -> None:
        self.file.close()

    @property
    def name(self) -> str:
        """The base name, `-` for standard input."""
        return STREAM if self.path == STREAM else os.fsencode(os.path.basename(self.path)).decode("utf-8", "replace")

    def blocks(self) -> Iterator[bytes]:
        """Blocks of decompressed bytes from the start of the input."""
        length, checksum = 0, 0
        try:
            self.file.seek(0)
            with _unpack(self.file, suffix(self.path)) as plain:
                while block := plain.read(BLOCK_BYTES):
                    if not length:
                        self._refuse_disguise(block)
                    length, checksum = length + len(block), zlib.crc32(block, checksum)
                    yield block
        except DAMAGE as error:
            raise FormatError(self.path, None, f"the compressed data is damaged or cut short ({error})") from error
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {reason(error)}") from error
        if self.seen is None:
            self.seen = length, checksum
        elif self.seen != (length, checksum):
            raise FileError(f"{self.path} changed while it was read; nothing was written, run again")

    def _refuse_disguise(self, block: bytes) -> None:
        for magic, end in MAGIC.items():
            if block.startswith(magic):
                where = "pipe it through a decompressor first" if self.path == STREAM else f"end its name in {end}"
                raise FormatError(self.path, None, f"this is compressed data ({end[1:]}): {where}")

    @staticmethod
    def _open(path: str) -> BinaryIO:
        try:
            file = Path(path).open("rb")  # closed by the source
        except OSError as error:
            raise FileError(f"cannot read {path}: {reason(error)}") from error
        if file.seekable():
            return file
        with file:
            return Source._spool(file)

    @staticmethod
    def _spool(stream: BinaryIO | None = None) -> BinaryIO:
        spool = cast(BinaryIO, tempfile.TemporaryFile(prefix="lsdmlo-"))  # closed by the source
        try:
            stream = stream or _standard_input()
            while block := stream.read(BLOCK_BYTES):
                spool.write(block)
        except OSError as error:
            spool.close()
            raise FileError(f"cannot keep a copy of the input in {tempfile.gettempdir()}: {reason(error)}") from error
        return spool


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise FileError("standard input is closed")
    if sys.stdin.isatty():
        raise FileError("standard input is a terminal: pipe a file into it, or name one")
    return cast(BinaryIO, sys.stdin.buffer)


def _unpack(file: BinaryIO, end: str) -> AbstractContextManager[IO[bytes]]:
    if end == ".gz":
        return cast(AbstractContextManager[IO[bytes]], gzip.GzipFile(fileobj=file, mode="rb"))
    if end == ".bz2":
        return bz2.BZ2File(file)
    if end == ".xz":
        return lzma.LZMAFile(file)
    return nullcontext(file)


def _pack(file: BinaryIO, end: str) -> IO[bytes]:
    if end == ".gz":  # neither time nor name, so that the same content gives the same bytes
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0))
    if end == ".bz2":
        return bz2.BZ2File(file, "wb")
    if end == ".xz":
        return lzma.LZMAFile(file, "wb")
    return file


def _descriptor(path: str) -> int | None:
    """The number behind `-`, /dev/stdout or /dev/fd/N, which are written to as they are; None for a path in the file system."""
    if path == STREAM:
        if sys.stdout is None:
            raise FileError("cannot write: standard output is closed")
        return sys.stdout.fileno()
    while not (number := _OPEN_FILE.fullmatch(path)) and os.path.islink(path):
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return int(number[1]) if number else None


class Target:
    """An output that is there whole or not at all.

    Written to `.NAME.*.lsdmlo-tmp` in the target's folder, compressed as the name says; `commit` flushes it to the disk and
    renames it. A symbolic link is followed, the mode of a file that is replaced is kept, and what is no regular file (a FIFO,
    /dev/stdout, `-`) is written straight through. Leaving the context without `commit` removes what was written.

    Errors: FileError where the folder is missing or nothing can be written there; it is raised on entering.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.place = Path(path) if path == STREAM else Path(os.path.realpath(path))
        self.scratch: Path | None = None

    def __enter__(self) -> Target:
        with self.faults():
            descriptor = _descriptor(self.path)
            if descriptor is not None:
                self.raw = cast(BinaryIO, os.fdopen(os.dup(descriptor), "wb"))
            elif self.place.exists() and not self.place.is_file():
                if self.place.is_dir():
                    raise FileError(f"cannot write {self.path}: it is a folder")
                self.raw = self.place.open("wb")
            else:
                self._open_scratch()
        self.file = _pack(self.raw, suffix(self.path))
        return self

    def _open_scratch(self) -> None:
        if self.place.exists() and not os.access(self.place, os.W_OK):
            raise FileError(f"cannot write {self.path}: it is read-only")
        start = os.fsdecode(os.fsencode(self.place.name)[:200])  # a name may have 255 bytes
        scratch = self.place.with_name(f".{start}.{secrets.token_hex(4)}.lsdmlo-tmp")
        descriptor = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        self.scratch = scratch
        self.raw = cast(BinaryIO, os.fdopen(descriptor, "wb"))
        if self.place.exists():
            os.chmod(scratch, stat.S_IMODE(self.place.stat().st_mode))

    def write(self, block: bytes) -> None:
        with self.faults():
            self.file.write(block)

    def finish(self) -> None:
        """Bring everything to the disk; after this only the renaming is left."""
        with self.faults():
            if self.file is not self.raw:
                self.file.close()
            self.raw.flush()
            if self.scratch is not None:
                os.fsync(self.raw.fileno())
            self.raw.close()

    def commit(self) -> None:
        """Put the finished file in its place."""
        if not self.raw.closed:
            self.finish()
        if self.scratch is not None:
            with self.faults():
                os.replace(self.scratch, self.place)
            self.scratch = None

    def __exit__(self, *exception: object) -> None:
        if self.scratch is None and self.raw.closed:
            return
        try:
            if self.scratch is None and exception[0] is None:
                self.finish()
            else:
                self.raw.close()
        except OSError:
            pass  # the fault that ended the work has been told
        finally:
            if self.scratch is not None:
                self.scratch.unlink(missing_ok=True)
                self.scratch = None

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Turn the system's faults into a FileError that names the output; a closed pipe stays what it is."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {reason(error)}") from error


def write_whole(path: str, content: bytes) -> None:
    """Write a small file atomically."""
    with Target(path) as target:
        target.write(content)
        target.commit()
