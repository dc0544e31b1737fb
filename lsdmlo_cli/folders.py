"""Folders to write into, and how messages count what lies in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lsdmlo_cli.errors import FileError, reason


@contextmanager
def made_folder(folder: str | Path, keep: bool = True) -> Iterator[None]:
    """A folder to write into; if the work fails, folders that had to be made for it and hold nothing are removed.

    keep: False removes them in the end, too. Errors: FileError where the folder cannot be made or written into.
    """
    missing = [place for place in (Path(folder), *Path(folder).parents) if not place.exists()]
    done = False
    try:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder {folder}: {reason(error)}") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FileError(f"cannot write into {folder}: permission denied")
        yield
        done = keep
    finally:
        for place in () if done else missing:
            with suppress(OSError):
                place.rmdir()


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "fold"), counted(2, "fold")
    ('1 fold', '2 folds')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
