"""`lsdmlo methods`: what `lsdmlo resample --method` can do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.method_options import METHOD_OPTIONS, MethodOption
from lsdmlo_cli.cli.options import write_out

WIDTH = 100
_JOIN = "\xa0"  # holds an option and its default together; becomes a blank


@click.command(cls=Command, short_help="List the sampling methods and their options.")
def methods() -> None:
    """List the methods of `lsdmlo resample --method`: what they do, where they were published, their options.

    Behind an option stands its default.

    \b
    Example:
      lsdmlo methods | grep smote
    """
    from lsdmlo_cli.samplers import SAMPLERS

    indent = max(map(len, SAMPLERS)) + 2
    blocks = ("\n".join(_lines(name, sampler.summary, sampler.reference, indent)) for name, sampler in SAMPLERS.items())
    write_out(("\n\n".join(blocks) + "\n").encode())


def _lines(name: str, summary: str, reference: str, indent: int) -> Iterator[str]:
    options = [_spelled(option, option.defaults[name]) for option in METHOD_OPTIONS if name in option.defaults]
    blank = " " * indent
    parts = summary, reference, ", ".join(options) or "no options of its own"
    for first, text in zip((name.ljust(indent), blank, blank), parts, strict=True):
        for line in textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=blank, break_on_hyphens=False, break_long_words=False
        ):
            yield line.replace(_JOIN, " ")


def _spelled(option: MethodOption, default: str) -> str:
    """The option as it is typed, with its default; a default in words stands in brackets, a switch has none."""
    if option.type is None:
        return option.spelled
    return f"{option.spelled} {f'({default})' if ' ' in default else default}".replace(" ", _JOIN)
