"""Progress for people and for machines: a bar on a terminal, a line now and then elsewhere, or JSON objects.

Each is a context that yields a Progress and ends with the work. The bar shows after a second and is gone at the end.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TextIO

from lsdmlo_cli.checks import check_whole
from lsdmlo_cli.display.text import plain
from lsdmlo_cli.progress import Progress, duration, silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

SHOW_AFTER_SECONDS = 1.0
LINE_EVERY_SECONDS = 30.0
OBJECT_EVERY_SECONDS = 1.0
"""Within a stage; its beginning and its end are always told."""
RATE_AFTER_SECONDS = 1.0
ESTIMATE_AFTER_SECONDS = 5.0
"""Of a stage: before that its speed says little."""
NARROW = 80
"""Columns of a terminal below which the bar stands without the rate."""


@contextmanager
def spoken(verbose: Any, about: str, progress: Progress = silent) -> Iterator[Progress]:
    """The Progress of a caller's own, and where `verbose` is not 0 what `telling` writes to standard error besides.

    Errors: ParameterError where `verbose` is neither a whole number from 0 nor a truth value.
    """
    if not check_whole("verbose", int(verbose) if isinstance(verbose, bool) else verbose, 0):
        yield progress
        return
    with telling(sys.stderr, about) as tell:

        def both(stage: str, done: int, total: int) -> None:
            progress(stage, done, total)
            tell(stage, done, total)

        yield both


def telling(stream: TextIO | None, about: str = "", prefix: str = "") -> AbstractContextManager[Progress]:
    """A bar where the stream is a terminal that can draw one, else a line every half a minute; nothing without a stream.

    about: what the work is on, a file's name or empty. prefix: how lines begin.
    """
    if stream is None:
        return nullcontext(silent)
    if stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown"):
        return bar(stream, about)
    return lines(stream, about, prefix)


class Stage:
    """How far the stage is that was told last.

    A stage may say more of itself in brackets; that changes while it lasts.
    """

    def __init__(self) -> None:
        self.title, self.done, self.total = "", 0, 0
        self.begun, self._first = time.monotonic(), 0

    def told(self, title: str, done: int, total: int) -> bool:
        """Take what was told; whether a stage begins."""
        begins = title.partition(" (")[0] != self.title.partition(" (")[0] or done < self.done
        if begins:
            self.begun, self._first = time.monotonic(), done
        self.title, self.done, self.total = title, done, total
        return begins

    @property
    def amount(self) -> str:
        """As much as is known of it."""
        return f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,}" if self.done else ""

    @property
    def rate(self) -> str:
        """Units a second; nothing while that is not known."""
        seconds, done = time.monotonic() - self.begun, self.done - self._first
        if seconds < RATE_AFTER_SECONDS or done <= 0:
            return ""
        return f"{done / seconds:,.{0 if done > 10 * seconds else 1}f}/s"

    @property
    def left(self) -> str:
        """How long it will still take."""
        return time_left(time.monotonic() - self.begun, self.done, self.total)


def time_left(seconds: float, done: int, total: int) -> str:
    """How long the rest of a stage will take if it goes on as it did; nothing while that is not known.

    >>> time_left(6, 1, 3), time_left(600, 1, 3), time_left(6, 0, 3), time_left(6, 3, 0)
    ('about 12 s left', 'about 20 min left', '', '')
    """
    if not total or not done or seconds < ESTIMATE_AFTER_SECONDS:
        return ""
    return f"about {duration(seconds / done * (total - done))} left"


@contextmanager
def bar(stream: TextIO, about: str) -> Iterator[Progress]:
    """A bar with the stage, its rate and the time left, redrawn while it shows."""
    start, stage = time.monotonic(), Stage()
    name = plain(about.rpartition("/")[2])
    shown: list[Bar] = []

    def tell(title: str, done: int, total: int) -> None:
        stage.told(title, done, total)
        if not shown and time.monotonic() - start < SHOW_AFTER_SECONDS:
            return
        fields: dict[str, Any] = {"about": name, "amount": stage.amount, "rate": stage.rate, "left": stage.left}
        if not shown:
            shown.append(_started(stream))
            shown[0].add_task(plain(title), total=None, **fields)
        task = shown[0].tasks[0]
        task.description, task.completed, task.total = plain(title), done, total or None
        task.fields.update(fields)

    try:
        yield tell
    finally:
        for one in shown:
            one.stop()


def _started(stream: TextIO) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    console = Console(file=stream, highlight=False, markup=False, emoji=False)

    def text(field: str, **column: Any) -> TextColumn:
        return TextColumn(f"{{task.{field}}}", markup=False, table_column=Column(no_wrap=True, **column))

    parts = [text("fields[about]", overflow="ellipsis", max_width=24), text("description", overflow="ellipsis")]
    parts = parts if console.width >= NARROW else parts[1:]
    rate = [text("fields[rate]")] if console.width >= NARROW else []
    columns = (*parts, BarColumn(bar_width=min(40, console.width // 5)), text("fields[amount]"), *rate, text("fields[left]"))
    drawn = Bar(*columns, console=console, transient=True)
    drawn.start()
    return drawn


@contextmanager
def lines(stream: TextIO, about: str, prefix: str = "") -> Iterator[Progress]:
    """A line every half a minute that tells how far the work is."""
    stage = Stage()

    def tell(title: str, done: int, total: int) -> None:
        stage.told(title, done, total)

    def line() -> None:
        text = ", ".join(filter(None, (f"{stage.title} {stage.amount}".rstrip(), stage.left)))
        _write(stream, f"{prefix}{plain(about)}{': ' if about else ''}{plain(text)}\n")

    with _every(LINE_EVERY_SECONDS, line):
        yield tell


@contextmanager
def _every(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Call a function again and again while the work lasts, from a thread that ends with it."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            call()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def objects(stream: TextIO, about: str, start: float) -> Iterator[Progress]:
    """A JSON object a line: where a stage begins and ends, and every second between. start: by time.monotonic."""
    stage = Stage()
    last = -OBJECT_EVERY_SECONDS

    def tell(title: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        begins = stage.told(title, done, total)
        if begins or (total and done == total) or now - last >= OBJECT_EVERY_SECONDS:
            last = now
            write_object(stream, start, kind="progress", input=about, stage=title, done=done, total=total or None)

    yield tell


def write_object(stream: TextIO, start: float, **facts: Any) -> None:
    """A line with facts as a JSON object, and the seconds since a start; in ASCII, so that nothing in it acts on a terminal."""
    import json

    _write(stream, json.dumps({**facts, "seconds": round(time.monotonic() - start, 3)}) + "\n")


def _write(stream: TextIO, text: str) -> None:
    """Where it cannot be written the work goes on."""
    with suppress(OSError, ValueError):
        stream.write(text)
        stream.flush()
