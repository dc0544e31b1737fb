"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lsdmlo_cli.errors import FileError, reason

if TYPE_CHECKING:
    from lsdmlo_cli.analysis import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?", re.IGNORECASE | re.ASCII)


class DecimalType(click.ParamType):
    """A number kept as the decimal that was typed."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        if isinstance(value, Decimal):
            return value
        if not _DECIMAL.fullmatch(str(value)):
            self.fail(f"{value!r} is not a number", param, ctx)
        return Decimal(str(value))


class NumberType(DecimalType):
    """A number as a double."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # type: ignore[override]
        return float(super().convert(value, param, ctx))


DECIMAL = DecimalType()
NUMBER = NumberType()


def labels_option(command: Command) -> Command:
    return click.option(
        "--labels",
        metavar="XML|N",
        help="The labels: a Mulan XML, or a count (6: the first six attributes; --labels=-6: the last six). Without it they are "
        "looked for: the XML of the same name, then -C n in the relation.",
    )(command)


def settings_options(measures: bool = True) -> Callable[[Command], Command]:
    """The options of Settings, and --threads."""

    def add(command: Command) -> Command:
        options = [
            click.option(
                "--k",
                type=click.IntRange(min=1),
                default=None,
                metavar="K",
                help="Neighbours.  [default: 5, or n-1 in small data]",
            ),
            click.option("--lambda1", type=NUMBER, default=1.0, show_default=True, help="Weight of the l1 norm, above 0."),
            click.option("--lambda2", type=NUMBER, default=1.0, show_default=True, help="Weight of the label graph, 0 or more."),
            click.option(
                "--scale",
                type=click.Choice(["none", "range", "std"]),
                default="none",
                show_default=True,
                help="Divide numbers by this.",
            ),
            click.option(
                "--tol", type=NUMBER, default=1e-4, show_default=True, help="Relative duality gap at which the weights are found."
            ),
            click.option(
                "--max-iter",
                type=click.IntRange(min=1),
                default=100_000,
                show_default=True,
                help="Steps of the solver at the most.",
            ),
            click.option(
                "--measures",
                type=click.Choice(["all", "fast"]),
                default="all",
                show_default=True,
                help="fast leaves out LImb and LImb_LSD.",
            ),
            click.option(
                "--threads",
                type=click.IntRange(min=1),
                default=None,
                metavar="N",
                help="Threads; they never change a result.  [default: all cores]",
            ),
        ]
        for option in reversed(options if measures else [o for o in options if o is not options[-2]]):
            command = option(command)
        return command

    return add


def settings_from(options: dict[str, Any]) -> Settings:
    """Settings from the options of a command; what it does not have keeps its default."""
    from dataclasses import fields

    from lsdmlo_cli.analysis import Settings

    return Settings(**{field.name: options[field.name] for field in fields(Settings) if field.name in options})


def thread_count(asked: int | None) -> int:
    """As many as were asked for, else the cores this process may use."""
    if asked is not None:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_out(content: bytes) -> None:
    """To standard output, as bytes: no locale changes them."""
    if sys.stdout is None:
        raise FileError("cannot write: standard output is closed")
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"cannot write to standard output: {reason(error)}") from error


def warn(warnings: list[str]) -> None:
    """One line each on standard error."""
    for warning in warnings:
        click.echo(f"lsdmlo: warning: {warning}", err=True)
