"""One line on a terminal that tells what is being done; it shows after a second and is gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lsdmlo_cli.progress import Progress, silent

SHOW_AFTER_SECONDS = 1.0
REFRESH_SECONDS = 0.1


@contextmanager
def progress_line(quiet: bool = False) -> Iterator[Progress]:
    """A Progress that writes to standard error if that is a terminal, and to nowhere else."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    start = time.monotonic()
    shown = 0.0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - start < SHOW_AFTER_SECONDS or now - shown < REFRESH_SECONDS:
            return
        shown = now
        amount = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
        sys.stderr.write(f"\r\x1b[K{stage}{amount}")
        sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
