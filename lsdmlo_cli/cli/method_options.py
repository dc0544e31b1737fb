"""The options of the sampling methods, made from the fields of the samplers.

A command line is read with the options of the method that it names alone, so that no other method is loaded. Help, completion,
--config and the messages about a wrong line know those of all methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import click

from lsdmlo_cli.cli.command import DrawingCommand
from lsdmlo_cli.cli.options import DECIMAL, NUMBER, NameType, WholeNumber, was_given
from lsdmlo_cli.errors import LsdmloError
from lsdmlo_cli.parameters import SIZE, Parameter, parameters
from lsdmlo_cli.samplers import SAMPLERS, Sampler

DEFAULT_METHOD = "lsdmlo"
_METHOD = f"{__name__}.method"  # in the `meta` of a context: the method with whose options alone its command line is read


@dataclass(frozen=True)
class MethodOption:
    """An option of some methods: the hyper-parameter of that name, by method."""

    of: Mapping[str, Parameter]

    @property
    def parameter(self) -> Parameter:
        """That of the first method, which speaks for all."""
        return next(iter(self.of.values()))

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def spelled(self) -> str:
        return self.parameter.spelled

    @property
    def methods(self) -> str:
        """The methods that have it, as a list to read."""
        return ", ".join(self.of)

    @property
    def defaults(self) -> str:
        """The methods that have it with their defaults, as in "most methods: 0.1; mlsmote: one row per seed"."""
        texts = {method: parameter.default_text for method, parameter in self.of.items()}
        if not any(texts.values()):
            return self.methods
        groups = {value: [method for method, text in texts.items() if text == value] for value in texts.values()}
        return "; ".join(f"{_listed(methods)}: {value}" for value, methods in groups.items())

    def click(self) -> click.Option:
        """The option of the command."""
        text = f"{self.parameter.option.help}  [{self.defaults}]"
        kind = value_type(self.parameter)
        if kind is None:
            return click.Option([self.spelled, self.name], is_flag=True, help=text)
        metavar = "N" if isinstance(kind, WholeNumber) else None
        return click.Option([self.spelled, self.name], type=kind, metavar=metavar, help=text)


def _listed(methods: list[str]) -> str:
    return ", ".join(methods) if len(methods) <= len(SAMPLERS) / 2 else "most methods"


def value_type(parameter: Parameter) -> click.ParamType | None:
    """The type of a hyper-parameter's values on the command line; None for a switch, which has none."""
    if parameter.kind == "switch":
        return None
    if parameter.kind == "choice":
        return NameType(parameter.choices)
    if parameter.kind == "ratio":
        return DECIMAL
    if parameter.kind == "number":
        return NUMBER
    if parameter.choices:
        return WholeNumber(min(parameter.choices), max(parameter.choices))
    return WholeNumber(min=int(parameter.option.least))


def options_of(samplers: Mapping[str, type[Sampler]]) -> Iterator[MethodOption]:
    """The options of some methods, p and rows first.

    Errors: LsdmloError where two methods have different kinds of values under one name, which no command line could tell apart.
    """
    found: dict[str, dict[str, Parameter]] = {name: {} for name in SIZE}
    for method, sampler in samplers.items():
        for parameter in parameters(sampler):
            others = found.setdefault(parameter.name, {})
            for other, known in others.items():
                if (known.kind, known.choices) != (parameter.kind, parameter.choices):
                    raise LsdmloError(f"{method} and {other} take different values of {parameter.spelled}: rename it in {method}")
            others[method] = parameter
    return (MethodOption(of) for of in found.values() if of)


@cache
def method_options(methods: tuple[str, ...]) -> tuple[MethodOption, ...]:
    """`options_of` methods by their names."""
    return tuple(options_of({method: SAMPLERS[method] for method in methods}))


@cache
def _click_options(methods: tuple[str, ...]) -> tuple[click.Option, ...]:
    return tuple(option.click() for option in method_options(methods))


METHOD = click.option(
    "--method",
    type=NameType(SAMPLERS),
    default=DEFAULT_METHOD,
    show_default=True,
    metavar="NAME",
    help="The sampling method, one of `lsdmlo methods`.",
)


class MethodCommand(DrawingCommand):
    """A command with the options of the sampling methods: --p and --rows behind --method, the others behind --to."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters, with the options of the one method that a command line is read with, else of all methods."""
        own = _click_options(_read_with(ctx))
        behind = {"method": [one for one in own if one.name in SIZE], "to": [one for one in own if one.name not in SIZE]}
        return [each for param in super().get_params(ctx) for each in (param, *behind.get(str(param.name), ()))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        method, asks_for_help = _named_method(args), not args or not set(ctx.help_option_names).isdisjoint(args)
        if method is not None and not asks_for_help and not ctx.resilient_parsing:
            ctx.meta[_METHOD] = method
            if not self._is_enough(ctx, args, method):
                del ctx.meta[_METHOD]
        return super().parse_args(ctx, args)

    def _is_enough(self, ctx: click.Context, args: list[str], method: str) -> bool:
        """Whether a command line can be read with the options of its method alone."""
        try:
            typed, _, _ = self.make_parser(ctx).parse_args(list(args))
        except click.UsageError:
            return False
        return "config" not in typed and typed.get("method", DEFAULT_METHOD).casefold() == method.casefold()


def _named_method(args: Sequence[str]) -> str | None:
    """The method that a command line seems to name, as SAMPLERS has it; None where there is none of the name."""
    name = DEFAULT_METHOD
    for word, following in pairwise([*args, ""]):
        option, equals, value = word.partition("=")
        if option == "--method":
            name = value if equals else following
    return next((method for method in SAMPLERS if method.casefold() == name.casefold()), None)


def _read_with(ctx: click.Context) -> tuple[str, ...]:
    """The methods with whose options a command line is read."""
    return (ctx.meta[_METHOD],) if _METHOD in ctx.meta else tuple(SAMPLERS)


def given_options(ctx: click.Context, method: str, options: dict[str, Any]) -> dict[str, Any]:
    """Take the methods' options out of all: those that were typed. Raises UsageError for one that is not for the method."""
    given = {}
    for option in method_options(_read_with(ctx)):
        value = options.pop(option.name)
        if not was_given(ctx, option.name):
            continue
        if method not in option.of:
            raise click.UsageError(f"{option.spelled} is not for --method {method}: it is for {option.methods}", ctx)
        given[option.name] = value
    if given.keys() >= set(SIZE):
        raise click.UsageError("--p and --rows exclude each other", ctx)
    return given
