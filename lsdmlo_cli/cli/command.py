"""What every command says of a command line that it cannot follow: what was meant, and what to type."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from lsdmlo_cli.cli.config import CONFIG, options_of
from lsdmlo_cli.cli.log import started, tell
from lsdmlo_cli.errors import LsdmloError, hint, reason

WRONG_COMMAND_LINE = 2
INTERRUPTED = 130


class ClosedPipe(Exception):
    """Nobody reads the output any more."""


class Fault(NamedTuple):
    """What is said of an error, in a line, and the exit status; nothing is said of an interruption."""

    message: str
    status: int


def fault(error: BaseException) -> Fault | None:
    """What an error means to people; None for one that is a bug of ours, and for what is no error."""
    if isinstance(error, click.UsageError):
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return Fault(_in_a_line(f"{error.format_message()}{hint}"), error.exit_code)
    if isinstance(error, click.ClickException):
        return Fault(_in_a_line(error.format_message()), error.exit_code)
    if isinstance(error, LsdmloError):
        return Fault(_in_a_line(str(error)), error.exit_status)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Fault("", INTERRUPTED)
    if isinstance(error, OSError):
        return Fault(_in_a_line(f"{error.filename or 'standard output'}: {reason(error)}"), 1)
    return Fault("not enough memory", 1) if isinstance(error, MemoryError) else None


def _in_a_line(problem: str) -> str:
    return re.sub(r"\s*[\r\n]\s*", " ", problem)


class Command(click.Command):
    """A command that shows its help where nothing is typed, and says what to type in place of what it does not know.

    It has the option --config: what a file says of its options holds where they are not typed.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.append(CONFIG)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and any(param.required for param in self.params) and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(WRONG_COMMAND_LINE)
        ctx.allow_extra_args = True  # so that they are told here
        file = None
        try:
            file = self._configure(ctx, args)
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _no_such_option(error, ctx) from error
        except click.BadParameter as error:
            if error.param is None or ctx.get_parameter_source(str(error.param.name)) is not ParameterSource.DEFAULT_MAP:
                raise
            problem = f"{file}: {error.param.opts[0].removeprefix('--')}: {error.message}"
            raise click.UsageError(problem, ctx) from error
        if ctx.args and not ctx.resilient_parsing:
            raise click.UsageError(self._too_many(ctx), ctx)
        return rest

    def _configure(self, ctx: click.Context, args: list[str]) -> str | None:
        """Take the options of the file that --config names, if it is typed, as defaults; the file."""
        if ctx.resilient_parsing or not any(word.partition("=")[0] == "--config" for word in args):
            return None
        typed, _, _ = self.make_parser(ctx).parse_args(list(args))
        file = typed.get("config")
        if file is not None:
            group = ctx.find_root().command
            names = group.list_commands(ctx) if isinstance(group, click.Group) else [str(self.name)]
            ctx.default_map = options_of(file, ctx, names, typed)
        return file

    def _too_many(self, ctx: click.Context) -> str:
        arguments = [param for param in self.params if isinstance(param, click.Argument)]
        wanted = [str(param.metavar or param.name).strip("[]").upper() for param in arguments]
        kind = "name" if any(isinstance(param.type, click.Choice) for param in arguments) else "file"
        return too_many(ctx, wanted, ctx.args, f": run it once for each {kind}" if wanted else "")


def too_many(ctx: click.Context, wanted: Sequence[str], found: Sequence[str], advice: str) -> str:
    """What is told of arguments behind those that a command takes; an option without its dashes is shown as it is typed."""
    option, equals, value = found[0].partition("=")
    if equals and f"--{option}" in _options(ctx.command, ctx):
        advice = f": type --{option} {value}"
    takes = f"one {' and one '.join(wanted)}" if wanted else "no file"
    return f"{ctx.command.name} takes {takes}, found also {' '.join(found)}{advice}"


class DrawingCommand(Command):
    """A command whose help ends with the pictures that it draws, if any."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from lsdmlo_cli.pictures.names import PICTURES

        found = [(picture.typed, picture.summary) for picture in PICTURES if self.name in picture.commands]
        if found:
            with formatter.section("Pictures"):
                formatter.write_dl(found)


class Commands(click.Group):
    """The group: it loads a command when it is asked for, and knows a file where a command should stand.

    lines: the commands by name with what the help says of each. A command is the function of its name in the module of its name.
    A closed pipe passes through under another name, since click has an exit of its own for it. Where a command speaks to machines
    an error is told to them here.
    """

    def __init__(self, *args: Any, lines: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.lines = dict(lines)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.lines:
            return None
        command: click.Command = getattr(import_module(f"lsdmlo_cli.cli.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [CompletionItem(name, help=line) for name, line in self.lines.items() if name.startswith(incomplete)]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return result
        except BrokenPipeError:
            raise ClosedPipe from None
        except BaseException as error:
            found = fault(error) if started(ctx) is not None else None
            if found is None:
                raise
            tell(kind="error", message=found.message or "interrupted", status=found.status)
            ctx.exit(found.status)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _no_such_option(error, ctx) from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            if os.path.sep in name or Path(name).is_file() or _is_data(name):
                raise click.UsageError(
                    f"{name} is a file, and a command is expected first: "
                    f"type lsdmlo stats {name}, or lsdmlo resample {name} OUT{ending(name)}",
                    ctx,
                )
            near = hint(name, self.lines) or hint(f"--{name}", _options(self, ctx))
            raise click.UsageError(f"there is no command {name!r}{near}: there are {', '.join(self.lines)}", ctx)
        return super().resolve_command(ctx, args)


def _is_data(name: str) -> bool:
    """Whether a name ends as those of data sets do."""
    from lsdmlo_cli.formats import claimed

    return claimed(name) is not None


def ending(name: str) -> str:
    """The ending of a name in the format that it says, without that of a compression; that of ARFF where it says none."""
    from lsdmlo_cli.formats.names import ending_of, format_of

    return ending_of(name, format_of(name))


def _no_such_option(error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    name = error.option_name
    elsewhere = [str(command.name) for command in _all_commands(ctx) if name in _options(command, ctx)]
    place = "" if ctx.parent else ", and stands behind the command"
    advice = f": it is an option of {', '.join(elsewhere)}{place}" if elsewhere else hint(name, _options(ctx.command, ctx))
    return click.UsageError(f"there is no option {name}{advice}", ctx)


def _all_commands(ctx: click.Context) -> Iterator[click.Command]:
    group = ctx.find_root().command
    if isinstance(group, click.Group):
        yield from filter(None, (group.get_command(ctx, name) for name in group.list_commands(ctx)))


def _options(command: click.Command, ctx: click.Context) -> list[str]:
    """The options of a command, whatever line of it is being read."""
    params = command.get_params(click.Context(command, help_option_names=ctx.help_option_names))
    return [name for param in params if isinstance(param, click.Option) for name in param.opts]
