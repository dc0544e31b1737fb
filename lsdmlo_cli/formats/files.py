"""Files as the user names them: `-` for a stream, compression by suffix, outputs that appear whole or not at all.

An input may be read twice (once to learn from, once to copy) and is checked to be the same both times; standard input is kept
in a temporary file for that. An output is written beside its target and renamed at the end. Both know the SHA-256 of the bytes
that lie on the disk (compressed ones where the name says so), which is taken as the bytes pass.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
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
from lsdmlo_cli.formats.form import PLAIN, Form
from lsdmlo_cli.formats.names import COMPRESSED, FORMATS, format_of, stem, suffix

BLOCK_BYTES = 1 << 20
"""Some 100,000 numbers: enough for operations on arrays, and little memory."""
STREAM = "-"
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
_OPEN_FILE = re.compile(r"/(?:dev|proc/self)/fd/(\d+)", re.ASCII)
MOST_LINKS = 40
"""Symbolic links that are followed from one name, as on Linux; a loop of them ends there."""
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}


class _Hashed:
    """A file whose bytes pass through SHA-256 on their way in or out."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.sha256, self.length = file, hashlib.sha256(), 0

    def read(self, size: int = -1) -> bytes:
        block = self.file.read(size)
        self.sha256.update(block)
        return block

    def write(self, block: bytes) -> int:
        self.sha256.update(block)
        self.length += len(block)
        return self.file.write(block)

    def flush(self) -> None:
        self.file.flush()


class Source:
    """An input that can be read more than once, in blocks of decompressed bytes.

    form: what is known of it beside its name. sha256: of the bytes as they lie on the disk, in hexadecimal; None until they
    were read to the end.
    Errors: FileError where it cannot be opened or read, FormatError where its compression is damaged, FileError where a later
    reading differs from the first (another program wrote to it meanwhile).
    """

    def __init__(self, path: str, form: Form = PLAIN) -> None:
        self.path, self.form = path, form
        self.format = format_of(path, form.name)
        self.sha256: str | None = None
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
        raw, begun = _Hashed(self.file), False
        try:
            self.file.seek(0)
            with _unpack(raw, suffix(self.path)) as plain:
                while block := plain.read(BLOCK_BYTES):
                    if not begun:
                        self._refuse_disguise(block)
                    begun = True
                    yield block
            while raw.read(BLOCK_BYTES):
                pass  # what follows the compressed data belongs to the file
        except (*DAMAGE, OSError) as error:
            raise self._fault(error) from error
        found = raw.sha256.hexdigest()
        if self.sha256 not in (None, found):
            raise FileError(f"{self.path} changed while it was read; nothing was written, run again")
        self.sha256 = found

    def _refuse_disguise(self, block: bytes) -> None:
        for magic, end in MAGIC.items():
            if block.startswith(magic):
                where = "pipe it through a decompressor first" if self.path == STREAM else f"end its name in {end}"
                raise FormatError(self.path, None, f"this is compressed data ({end[1:]}): {where}")

    def _fault(self, error: Exception) -> FileError | FormatError:
        """What is told of a fault of the system, of damaged data, and of data that is not compressed as the name says."""
        if isinstance(error, OSError) and error.errno is not None:
            return FileError(f"cannot read {self.path}: {reason(error)}")
        end = suffix(self.path)
        self.file.seek(0)
        start = self.file.read(8)
        if not any(start.startswith(magic) for magic, other in MAGIC.items() if other == end):
            return FormatError(self.path, None, f"its name ends in {end}, but its data is not compressed that way: rename it")
        return FormatError(self.path, None, f"the compressed data is damaged or cut short ({error})")

    @staticmethod
    def _open(path: str) -> BinaryIO:
        _refuse_folder(path, "read")
        try:
            file = Path(path).open("rb")  # closed by Source
        except OSError as error:
            raise FileError(f"cannot read {path}: {reason(error)}{_there_is(path, error)}") from error
        if file.seekable():
            return file
        with file:
            return Source._spool(file)

    @staticmethod
    def _spool(stream: BinaryIO | None = None) -> BinaryIO:
        spool = cast(BinaryIO, tempfile.TemporaryFile(prefix="lsdmlo-"))  # closed by Source
        try:
            stream = stream or _standard_input()
            while block := stream.read(BLOCK_BYTES):
                spool.write(block)
        except OSError as error:
            spool.close()
            raise FileError(f"cannot keep a copy of the input in {tempfile.gettempdir()}: {reason(error)}") from error
        return spool


def _refuse_folder(path: str, verb: str) -> None:
    """FileError for a name that is empty, as that of a variable of the shell that is not set, or ends as a folder's does."""
    if not path:
        raise FileError(f"cannot {verb} a file whose name is empty")
    if path.endswith(os.path.sep):
        raise FileError(f"cannot {verb} {path}: it is a folder")


def _there_is(path: str, error: OSError) -> str:
    """A hint at a file that is there under the same name with another ending."""
    endings = [ending for format in FORMATS.values() for ending in format.endings]
    others = [f"{stem(path)}{ending}{end}" for ending in endings for end in ("", *COMPRESSED)]
    found = next((other for other in others if Path(other).is_file()), None) if isinstance(error, FileNotFoundError) else None
    return f"; there is {found}" if found else ""


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise FileError("standard input is closed")
    if sys.stdin.isatty():
        raise FileError("standard input is a terminal: pipe a file into it, or name one")
    return cast(BinaryIO, sys.stdin.buffer)


def _unpack(raw: _Hashed, end: str) -> AbstractContextManager[IO[bytes]]:
    file = cast(BinaryIO, raw)
    if end == ".gz":
        return cast(AbstractContextManager[IO[bytes]], gzip.GzipFile(fileobj=file, mode="rb"))
    if end == ".bz2":
        return bz2.BZ2File(file)
    if end == ".xz":
        return lzma.LZMAFile(file)
    return nullcontext(file)


def _pack(raw: _Hashed, end: str) -> IO[bytes]:
    file = cast(BinaryIO, raw)
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
    for _ in range(MOST_LINKS):
        if number := _OPEN_FILE.fullmatch(path):
            return int(number[1])
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return None


def is_stdout(path: str) -> bool:
    """Whether an output of this name goes to standard output: `-`, /dev/stdout, /dev/fd/1."""
    return path == STREAM or _descriptor(path) == 1


def is_regular(path: str) -> bool:
    """Whether a path names a regular file, or nothing yet: no stream, device, FIFO or folder, beside which nothing is written.

    >>> is_regular("-"), is_regular("/dev/null"), is_regular("/dev/stdout")
    (False, False, False)
    """
    return path != STREAM and _descriptor(path) is None and (not os.path.exists(path) or os.path.isfile(path))


def identity(path: str, stream: int) -> tuple[object, ...] | None:
    """What two names of one file have in common, however they are spelled, through symbolic and hard links too.

    stream: the descriptor that `-` stands for. None for a device, a folder or a closed stream: they are no one file.
    """
    descriptor = stream if path == STREAM else _descriptor(path)
    try:
        found = os.stat(path if descriptor is None else descriptor)
    except (OSError, ValueError):
        return ("absent", os.path.realpath(path)) if descriptor is None else None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) or stat.S_ISFIFO(found.st_mode) else None


class Target:
    """An output that is there whole or not at all.

    Written to `.NAME.*.lsdmlo-tmp` in the target's folder, compressed as the name says; `commit` flushes it to the disk and
    renames it. A symbolic link is followed, the mode of a file that is replaced is kept, and what is no regular file (a FIFO,
    /dev/stdout, `-`) is written straight through. Leaving the context without `commit` removes what was written.

    sha256: of the output's bytes once it is finished, in hexadecimal; None where it is appended to what others wrote.
    Errors: FileError where the folder is missing or nothing can be written there; it is raised on entering.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.place = Path(path) if path == STREAM else Path(os.path.realpath(path))
        self.scratch: Path | None = None
        self.sha256: str | None = None

    def __enter__(self) -> Target:
        _refuse_folder(self.path, "write")
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
        self.hashed = _Hashed(self.raw)
        self.file = _pack(self.hashed, suffix(self.path))
        return self

    def _open_scratch(self) -> None:
        if self.place.is_symlink():  # else its end would have been found
            raise FileError(f"cannot write {self.path}: too many levels of symbolic links")
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
            if suffix(self.path):
                self.file.close()
            self.raw.flush()
            if self.scratch is not None:
                os.fsync(self.raw.fileno())
            found = os.fstat(self.raw.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size == self.hashed.length:
                self.sha256 = self.hashed.sha256.hexdigest()
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
            pass  # the error that ended the work is already raised
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
