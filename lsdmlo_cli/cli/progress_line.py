"""One line on a terminal that tells what is being done; it shows after a second and is gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lsdmlo_cli.progress import Progress, silent

SHOW_AFTER_SECONDS = 1.0
REFRESH_SECONDS = 0.1
ESTIMATE_AFTER_SECONDS = 5.0
"""Of a stage: before that its speed says little."""


@contextmanager
def progress_line(quiet: bool = False) -> Iterator[Progress]:
    """A Progress that writes to standard error if that is a terminal, and to nowhere else."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    start = begun = time.monotonic()
    shown = 0.0
    current = ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal begun, current, shown
        now = time.monotonic()
        if stage != current or done == 0:
            begun, current = now, stage
        if now - start < SHOW_AFTER_SECONDS or now - shown < REFRESH_SECONDS:
            return
        shown = now
        amount = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
        sys.stderr.write(f"\r\x1b[K{stage}{amount}{time_left(now - begun, done, total)}")
        sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def time_left(seconds: float, done: int, total: int) -> str:
    """How long the rest of a stage will take if it goes on as it did; nothing while that is not known.

    >>> time_left(6, 1, 3), time_left(600, 1, 3), time_left(6, 0, 3), time_left(6, 3, 0)
    (', about 12 s left', ', about 20 min left', '', '')
    """
    if not total or not done or seconds < ESTIMATE_AFTER_SECONDS:
        return ""
    left = seconds / done * (total - done)
    unit, name = next((size, name) for size, name in ((3600, "h"), (60, "min"), (1, "s")) if left >= 2 * size or size == 1)
    return f", about {left / unit:.0f} {name} left"
