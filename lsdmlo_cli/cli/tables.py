"""Options of the commands that show reports, and how these come to standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lsdmlo_cli.cli.log import say
from lsdmlo_cli.cli.options import NameType, WholeNumber, was_given, write_out
from lsdmlo_cli.display.choices import FORMATS, SORTS
from lsdmlo_cli.display.text import plain

if TYPE_CHECKING:
    from lsdmlo_cli.display.table import Document, Report, View


def format_option(default: str) -> Callable[[Any], Any]:
    """--format, with what its help says of the default."""
    return click.option("--format", type=NameType(FORMATS), help=f"What to print.  [default: {default}]")


VIEW = (
    click.option(
        "--sort",
        type=NameType(tuple(SORTS)),
        default="irlbl",
        show_default=True,
        help="What labels are sorted by: the highest figure first, names by letters, or as in the file.",
    ),
    click.option(
        "--top", type=WholeNumber(min=0), metavar="N", help="Number of labels to print; 0: all.  [default: 20; of csv: all]"
    ),
    click.option(
        "--per",
        type=NameType(["label", "dataset"]),
        help="What a line is for.  [default: a label; with several files a data set]",
    ),
)


def view_from(ctx: click.Context, piped: str = "json") -> View:
    """How reports are to be shown; with a warning of options that do nothing. piped: the format where nobody looks on."""
    from lsdmlo_cli.display.table import View

    given = {name: ctx.params[name] for name in ("sort", "top", "per") if name in ctx.params}
    view = View(**given)
    chosen = ctx.params["format"] or ("table" if seen(sys.stdout) else piped)
    idle = [f"--{name}" for name in given if was_given(ctx, name)]
    if idle and chosen == "json":
        say(f"warning: {', '.join(idle)} changed nothing: JSON holds every label; type --format table, say")
    return replace(view, format=chosen)


def seen(stream: Any) -> bool:
    """Whether somebody looks on: the stream is a terminal."""
    return stream is not None and stream.isatty()


def write_reports(reports: Sequence[Report], view: View, document: Callable[[Sequence[Report], View], Document]) -> None:
    """To standard output, as the view says; as JSON one report is an object, several are a list."""
    from lsdmlo_cli.display.draw import drawn
    from lsdmlo_cli.display.records import to_json

    if view.format == "json":
        write_out(to_json(reports[0] if len(reports) == 1 else list(reports)))
    else:
        write_text(drawn(document(reports, view), view.format, sys.stdout), view.format)


def write_text(text: str, format: str) -> None:
    """Text in some format; on a terminal without what would act on it, which a table alone may."""
    if format != "table" and seen(sys.stdout):
        text = "".join(f"{plain(line)}\n" for line in text.splitlines())
    write_out(text.encode("utf-8", "replace"))
