"""What a command says on standard error: lines for people, or with `--log json` an object a line for machines."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import Any

import click

from lsdmlo_cli.display.progress import write_object
from lsdmlo_cli.display.text import plain

_START = "lsdmlo.log"
"""In a context's meta: when the command began, where it speaks to machines."""
_KINDS = ("warning", "error")


def choose(ctx: click.Context, _param: click.Parameter, form: str) -> None:
    """Keep what --log says, for all that follows in this run of the command."""
    if form == "json":
        ctx.meta[_START] = time.monotonic()


def started(ctx: click.Context | None = None) -> float | None:
    """When the command began, by time.monotonic; None where it speaks to people."""
    ctx = ctx or click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(_START)


def say(line: str, **facts: Any) -> None:
    """A line on standard error; where it cannot be written, the work stays done.

    Of a line that begins with `warning: ` or `error: ` that is the kind of the object, which has the facts, too.
    """
    if started() is None:
        with suppress(OSError):
            click.echo(f"lsdmlo: {plain(line)}", err=True)
        return
    kind, colon, message = line.partition(": ")
    known = kind in _KINDS and bool(colon)
    tell(kind=kind if known else "note", message=message if known else line, **facts)


def tell(**facts: Any) -> None:
    """An object with facts, where the command speaks to machines."""
    start = started()
    if start is not None and sys.stderr is not None:
        write_object(sys.stderr, start, **facts)


def for_people() -> bool:
    """Whether standard error holds lines."""
    return started() is None


def close(about: str, line: str, outputs: list[str | None], rows: int, *, quiet: bool, **facts: Any) -> None:
    """Say how a run ended that is done, in a line for people, which may be empty, or an object.

    outputs: where something was written, None for what was not. rows: how many rows came of it.
    """
    if quiet:
        return
    written = [place for place in outputs if place is not None]
    tell(kind="result", input=about, outputs=written, rows=rows, **facts)
    if line and for_people():
        say(f"{about}: {line}")
