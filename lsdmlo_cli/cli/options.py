"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click
from click.shell_completion import CompletionItem

from lsdmlo_cli.cli.log import choose, say
from lsdmlo_cli.cores import allowed_cores
from lsdmlo_cli.errors import FileError, ParameterError, hint, reason
from lsdmlo_cli.parameters import TYPED_NUMBER, seconds_in

if TYPE_CHECKING:
    from lsdmlo_cli.analysis import Settings
    from lsdmlo_cli.formats import Form
    from lsdmlo_cli.subject import Plot

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class DecimalType(click.ParamType):
    """A number kept as the decimal that was typed."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        if isinstance(value, Decimal):
            return value
        if not TYPED_NUMBER.fullmatch(str(value)):
            self.fail(f"{value!r} is not a number{_meant(str(value))}", param, ctx)
        return Decimal(str(value))


def _meant(text: str) -> str:
    """What to type in place of a percentage or a number with a decimal comma.

    >>> _meant("10%"), _meant("0,5"), _meant("five")
    (': type 0.1', ': type 0.5', '')
    """
    number = text.strip().removesuffix("%").rstrip().replace(",", ".")
    if not re.fullmatch(r"[+-]?\d+(\.\d*)?|\.\d+", number, re.ASCII):
        return ""
    value = Decimal(number) / (100 if "%" in text else 1)
    return f": type {value.normalize():f}"


class SizeType(click.ParamType):
    """An amount of memory: bytes, or with K, M or G behind the number."""

    name = "size"
    units: ClassVar[dict[str, int]] = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMG]?)(?:i?B)?", str(value), re.IGNORECASE | re.ASCII)
        if not match:
            self.fail(f"{value!r} is not a size such as 500M or 2G", param, ctx)
        return int(float(match[1]) * self.units[match[2].upper()])


class DurationType(click.ParamType):
    """A time: seconds, or minutes or hours with m or h behind the number; none for no end."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return seconds_in(value)
        except ParameterError as error:
            self.fail(str(error), param, ctx)


class NumberType(DecimalType):
    """A number as a double."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # type: ignore[override]
        return float(super().convert(value, param, ctx))


class NamesType(click.ParamType):
    """Names, separated by commas; one that holds commas stands in quotes, as in the file."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        from lsdmlo_cli.formats.arff.tokens import names_between_commas

        names = names_between_commas(value)
        if not names or "" in names:
            self.fail(f"{value!r} must be names of features, separated by commas", param, ctx)
        return names


class FileType(click.ParamType):
    """The path of a file, which a shell completes; whether there is one is found out by whoever opens it."""

    name = "path"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


class FolderType(click.ParamType):
    """The name of a folder."""

    name = "folder"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="dir")]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not str(value):
            self.fail("the name of the folder is empty (. is the present folder)", param, ctx)
        return str(value)


class WholeNumber(click.IntRange):
    """A whole number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        at_least, at_most = self.min or 0, self.max
        digits = re.fullmatch(r"[+-]?\d{1,4000}", str(value), re.ASCII)
        if not digits or int(str(value)) < at_least or (at_most is not None and int(str(value)) > at_most):
            span = f"of {at_least} or more" if at_most is None else f"from {at_least} to {at_most}"
            self.fail(f"{value!r} is not a whole number {span}", param, ctx)
        return int(str(value))


class NameType(click.Choice):
    """One of some names, in any letter case."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = {name.casefold(): name for name in self.choices}
        if str(value).casefold() not in known:
            near = hint(str(value), list(known.values()))
            self.fail(f"{str(value)!r} is not one of {', '.join(known.values())}{near}", param, ctx)
        return str(known[str(value).casefold()])


DECIMAL = DecimalType()
NUMBER = NumberType()
SIZE = SizeType()
DURATION = DurationType()
FILE = FileType()
FOLDER = FolderType()


LABELS = click.option(
    "--labels",
    type=FILE,
    metavar="LABELS",
    help="The labels: a Mulan XML, a .txt with a name on each line, names or patterns (y1,y2 or 'label_*'), or a count (6: the "
    "first six attributes; --labels=-6: the last six). By default: the XML of the same name, else MEKA's -C n in the "
    "@relation line.",
)
IGNORE = click.option(
    "--ignore",
    type=NamesType(),
    multiple=True,
    callback=lambda _ctx, _param, lists: list(chain.from_iterable(lists)) or None,
    metavar="NAME,...",
    help="Features to leave out of all distances and measures, such as ids; new rows copy them from their seed.",
)
FORM = (
    click.option(
        "--from",
        "form",
        metavar="FORMAT",
        help="The format, where the file's name does not say it; behind a colon how its text is written, where that is not found "
        "out, as in csv:encoding=cp1252. Options of csv: delimiter, decimal, quote, header, encoding.",
    ),
    click.option(
        "--categories",
        type=NamesType(),
        metavar="NAME,...",
        help="Columns of a table that hold categories though they look like numbers, or like text with many values.",
    ),
)

_OF_METHODS = (
    click.option("--k", type=WholeNumber(min=1), metavar="K", help="Number of neighbours.  [default: 5, or n-1 in small data]"),
    click.option(
        "--lambda1",
        type=NUMBER,
        default=1.0,
        show_default=True,
        help="Weight of the l1 penalty, above 0: the larger, the fewer features per label.",
    ),
    click.option(
        "--lambda2",
        type=NUMBER,
        default=1.0,
        show_default=True,
        help="Weight of the label graph, 0 or more: the larger, the more alike the weights of correlated labels.",
    ),
)
_OF_SOLVER = (
    click.option(
        "--tol",
        type=NUMBER,
        default=1e-4,
        show_default=True,
        help="Relative duality gap at which the solver stops; smaller is more exact.",
    ),
    click.option(
        "--max-iter",
        type=WholeNumber(min=1),
        default=100_000,
        show_default=True,
        metavar="N",
        help="Maximum number of solver iterations.",
    ),
    click.option(
        "--max-seconds",
        type=NUMBER,
        metavar="S",
        help="End the solver after this many seconds, with the weights it has and a warning; such a run is not reproducible.",
    ),
)


def settings_options(scale: str = "none") -> tuple[Callable[[Decorated], Decorated], ...]:
    """The options of Settings; scale: the default of --scale."""
    of_scale = click.option(
        "--scale",
        type=NameType(["none", "range", "std"]),
        default=scale,
        show_default=True,
        help="Scale numeric features by their range or standard deviation.",
    )
    return (*_OF_METHODS, of_scale, *_OF_SOLVER)


SETTINGS = settings_options()
MEASURES = (
    click.option(
        "--measures",
        type=NameType(["auto", "all", "sampled", "fast"]),
        default="auto",
        show_default=True,
        help="Compute LImb and LImb_LSD from all positives, from a sample of them (with standard errors), or not at all (fast); "
        "auto: from all where that takes a few seconds at most, else from a sample.",
    ),
    click.option(
        "--sample",
        type=WholeNumber(min=2),
        metavar="N",
        help="Positives per label where they are sampled.  [default: 200; with auto as many as take a few seconds]",
    ),
)
SEED = click.option("--seed", type=WholeNumber(min=0), default=0, show_default=True, metavar="N", help="Random seed.")
TO = click.option("--to", metavar="FORMAT", help="The format of OUT, where its name does not say it.")
QUIET = click.option("--quiet", is_flag=True, help="Print no progress and no summary, only warnings and errors.")
LOG = click.option(
    "--log",
    type=NameType(["text", "json"]),
    default="text",
    show_default=True,
    callback=choose,
    expose_value=False,
    help="What standard error holds: lines for people, or a JSON object a line with progress, warnings and the end result.",
)
CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on a Dask cluster: the address of its scheduler, or local:N for N processes of this machine. Does not change any "
    'result. Needs the extra "cluster".',
)
PLOT = (
    click.option("--plot", type=FILE, metavar="FILE", help="Draw a picture: .svg, .png, .pdf or .html, by the end of its name."),
    click.option("--picture", metavar="NAME", help="What --plot draws; the pictures are listed below.  [default: the first]"),
)
RESOURCES = (
    click.option(
        "--threads",
        type=WholeNumber(min=1),
        metavar="N",
        help="Number of threads. Does not change any result.  [default: all cores]",
    ),
    click.option(
        "--memory",
        type=SIZE,
        default="2G",
        show_default=True,
        help="Memory to use; larger data is kept in temporary files. Does not change any result.",
    ),
    QUIET,
    LOG,
)


def add_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """A decorator that gives a command several options, in this order."""

    def add(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def settings_from(options: dict[str, Any]) -> Settings:
    """Settings from the options of a command; what it does not have keeps its default."""
    from dataclasses import fields

    from lsdmlo_cli.analysis import Settings

    return Settings(**{field.name: options[field.name] for field in fields(Settings) if field.name in options})


def form_from(options: dict[str, Any]) -> Form:
    """The Form from the options of a command, which are taken out. Errors: ParameterError."""
    from lsdmlo_cli.formats import Form

    return Form.of(options.pop("form"), options.pop("categories"))


def resources(threads: int | None, memory: int) -> dict[str, int]:
    """The arguments of the pipeline: threads as many as were asked for, else the cores this process may use."""
    return {"threads": threads or allowed_cores(), "memory_bytes": memory}


@contextmanager
def searchers(cluster: str | None, quiet: bool) -> Iterator[Any]:
    """The cluster of a command, which it reaches once for all of its files; None without one."""
    if cluster is None:
        yield None
        return
    from tempfile import gettempdir

    from lsdmlo_cli.cluster import blind, opened

    with opened(cluster) as client:
        unseen = [] if quiet else blind(client)
        if unseen:
            folder = gettempdir()
            say(f"{unseen[0]} does not see {folder}: rows are sent; let TMPDIR name a folder that all workers see, to save that")
        yield client


def crew(ctx: click.Context) -> dict[str, Any]:
    """Who works on an experiment: a cluster, or so many processes. Raises UsageError where both are asked for."""
    jobs, cluster = ctx.params["jobs"], ctx.params["cluster"]
    if jobs is not None and cluster is not None:
        raise click.UsageError("--jobs and --cluster exclude each other: a cluster has workers of its own", ctx)
    return {"jobs": jobs or (allowed_cores() if cluster is None else 1), "cluster": cluster}


def refuse_idle_picture(ctx: click.Context) -> None:
    """Raise UsageError for --picture without --plot."""
    if ctx.params["picture"] is not None and ctx.params["plot"] is None:
        raise click.UsageError("--picture says what --plot draws: give --plot FILE, too", ctx)


def plot_from(ctx: click.Context, path: str | None, picture: str | None) -> Plot | None:
    """The picture that a command is to draw, None for none. Raises UsageError for --picture without --plot."""
    refuse_idle_picture(ctx)
    if path is None:
        return None
    from lsdmlo_cli.pictures.drawing import plot
    from lsdmlo_cli.pictures.names import chosen

    command = str(ctx.command.name)
    drawn, _ = chosen(picture, command)
    if drawn.of_local_imbalance and ctx.params.get("measures") == "fast":
        raise click.UsageError(f"--picture {drawn.name} needs LImb, which --measures fast leaves out", ctx)
    return plot(path, picture, command)


def was_given(ctx: click.Context, name: str) -> bool:
    """Whether an option was typed, and does not hold its default."""
    return ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def typed_options(ctx: click.Context) -> dict[str, Any]:
    """The options that were typed with their values, as the report keeps them; not those that never change a result."""
    idle = {"threads", "memory", "cluster", "quiet", "log", "plot", "picture", "out_dir", "dry_run", "config"}
    typed = {
        param.opts[0]: ctx.params[param.name]
        for param in ctx.command.get_params(ctx)
        if isinstance(param, click.Option) and param.name and param.name not in idle and was_given(ctx, param.name)
    }
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in typed.items()}


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


def warn(about: str, warnings: Iterable[str]) -> None:
    """A line each on standard error; it begins with what the warnings are about, which is a file."""
    for warning in warnings:
        say(f"warning: {about}: {warning}")


def warn_of_idle_sample(ctx: click.Context) -> None:
    """A warning where --sample was typed and nothing is sampled."""
    if was_given(ctx, "sample") and ctx.params["measures"] in ("all", "fast"):
        say(f"warning: --sample has no effect with --measures {ctx.params['measures']}")
