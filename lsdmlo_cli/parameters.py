"""Hyper-parameters: each is a field of a sampler or a learner, with all that the command, the checks and the documents say of it.

    k_b: Annotated[int, Option("Number of neighbours that decide whether a row is borderline.", least=1)] = 3

The type gives the kind of value: bool a switch, a Literal its choices, int a whole number, float a number, Ratio a number that is
kept as it was typed. None is allowed where it is the default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import inf
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from lsdmlo_cli.checks import check_choice, check_number, check_truth, check_whole
from lsdmlo_cli.errors import ParameterError

Ratio: TypeAlias = float | Decimal | Fraction
"""A share, as the number that was typed or computed."""

TYPED_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?", re.IGNORECASE | re.ASCII)
"""A number as it is typed: its exponent has four digits or fewer, so that it can be computed with exactly."""

_CV = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})", re.ASCII | re.IGNORECASE)

SIZE = ("p", "rows")
"""How many rows to add or to remove; the one excludes the other."""

Kind: TypeAlias = Literal["switch", "choice", "whole", "number", "ratio"]


@dataclass(frozen=True)
class Option:
    """What an annotation says of a hyper-parameter.

    help: a sentence. least, most: the range of a number; above: `least` itself is not allowed. none: what None stands for, in two
    words or more.
    """

    help: str
    least: float = 0
    most: float = inf
    above: bool = False
    none: str = ""


@dataclass(frozen=True)
class Parameter:
    """A hyper-parameter of a sampler or a learner. choices: all values there are, where they can be listed."""

    name: str
    kind: Kind
    default: Any
    option: Option
    choices: tuple[Any, ...] = ()

    @property
    def spelled(self) -> str:
        """The option of the command.

        >>> Parameter("k_b", "whole", 3, Option("")).spelled
        '--k-b'
        """
        return option_name(self.name)

    @property
    def default_text(self) -> str:
        """The default as it would be typed, in words where it is None; empty for a switch, which is off.

        >>> Parameter("rate", "number", 1e-4, Option("")).default_text
        '0.0001'
        """
        if self.kind == "switch":
            return ""
        if self.default is None:
            return self.option.none
        return f"{self.default:g}" if self.kind in ("number", "ratio") else str(self.default)

    @property
    def expected(self) -> str:
        """What its values are, for a message.

        >>> Parameter("k_b", "whole", 3, Option("", least=1)).expected
        'a whole number from 1 on'
        """
        if self.kind == "choice":
            return " or ".join(self.choices)
        if self.kind != "whole":
            return "a number"
        least = min(self.choices, default=int(self.option.least))
        return f"a whole number from {least} {f'to {max(self.choices)}' if self.choices else 'on'}"

    def typed(self, text: str) -> Any:
        """The value that was typed; switches have none. Errors: ValueError for a text that is no value, as `expected` says.

        >>> Parameter("rate", "ratio", None, Option("")).typed("0.30")
        Decimal('0.30')
        """
        if self.kind == "choice":
            known = {choice.casefold(): choice for choice in self.choices}
            if text.casefold() not in known:
                raise ValueError(text)
            return known[text.casefold()]
        if self.kind != "whole":
            if not TYPED_NUMBER.fullmatch(text):
                raise ValueError(text)
            return Decimal(text) if self.kind == "ratio" else float(text)
        if not re.fullmatch(r"[+-]?\d{1,4000}", text, re.ASCII):
            raise ValueError(text)
        number, least = int(text), min(self.choices, default=int(self.option.least))
        if number < least or (self.choices and number > max(self.choices)):
            raise ValueError(text)
        return number

    def check(self, value: Any) -> None:
        """Raise ParameterError for a value that is not allowed."""
        if value is None and self.default is None:
            return
        if self.kind == "switch":
            check_truth(self.name, value)
        elif self.choices:
            check_choice(self.name, value, *self.choices)
        elif self.kind == "whole":
            check_whole(self.name, value, int(self.option.least))
        else:
            check_number(self.name, value, least=self.option.least, most=self.option.most, above=self.option.above)


def option_name(name: str) -> str:
    """The option of a command that stands for a parameter.

    >>> option_name("tune_metric")
    '--tune-metric'
    """
    return f"--{name.replace('_', '-')}"


def repeats_and_folds(cv: Any) -> tuple[int, int]:
    """The numbers of repeats and of folds, which are typed as one text. Errors: ParameterError for what are none.

    >>> repeats_and_folds("5x2"), repeats_and_folds((1, 10))
    ((5, 2), (1, 10))
    """
    match = _CV.fullmatch("x".join(map(str, cv)) if isinstance(cv, tuple | list) else str(cv))
    if not match or int(match[2]) < 2:
        raise ParameterError(f"{cv!r} is not a number of repeats and of folds (2 or more), such as 5x2")
    return int(match[1]), int(match[2])


def seconds_in(duration: Any) -> float:
    """The seconds of a time as it is typed; infinite for `none`. Errors: ParameterError for what is no time above 0.

    >>> seconds_in("90s"), seconds_in("2h"), seconds_in(5.5), seconds_in(None)
    (90.0, 7200.0, 5.5, inf)
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?) ?(s|min|m|h|)", str(duration), re.IGNORECASE | re.ASCII)
    if str(duration).casefold() != "none" and not (match and float(match[1])):
        raise ParameterError(f"{duration!r} is not a time above 0 such as 90s, 5m or 2h, or none for no limit")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[match[2].lower()] if match else inf


@cache
def parameters(sampler: type) -> tuple[Parameter, ...]:
    """The hyper-parameters of a sampler's class: p and rows, then the others in the order of its fields.

    Errors: TypeError for a field without an Option.
    """
    hints = get_type_hints(sampler, include_extras=True)
    found = [_parameter(field.name, hints[field.name], field.default) for field in fields(sampler)]
    return tuple(sorted(found, key=lambda parameter: (parameter.name not in SIZE, parameter.name != "p")))


@cache
def options(learner: type) -> tuple[Parameter, ...]:
    """The hyper-parameters of a learner's class that can be typed: its fields with an Option, in their order."""
    hints = get_type_hints(learner, include_extras=True)
    return tuple(
        _parameter(field.name, hints[field.name], field.default) for field in fields(learner) if _option(hints[field.name])
    )


def _option(hint: Any) -> Option | None:
    return next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Option)), None)


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    option = _option(hint)
    if get_origin(hint) is not Annotated or option is None:
        raise TypeError(f"the field {name} must be annotated as Annotated[TYPE, Option(...)]")
    of = get_args(hint)[0]
    types = set(get_args(of) or (of,)) - {type(None)}
    if get_origin(of) is Literal:
        choices = get_args(of)
        return Parameter(name, "choice" if isinstance(choices[0], str) else "whole", default, option, choices)
    kinds: dict[type, Kind] = {bool: "switch", Decimal: "ratio", float: "number", int: "whole"}
    kind = next((kind for known, kind in kinds.items() if known in types), None)
    if kind is None:
        raise TypeError(f"the field {name} must be a bool, an int, a float, a Ratio or a Literal")
    return Parameter(name, kind, default, option)


P = Option("Rows to add (or to remove), as a share of the rows, 0 or more.")
ROWS = Option("Number of rows to add (or to remove), instead of --p.", none="floor(p n)")
P_OR_EACH_SEED = Option(P.help, none="one row per seed")
ROWS_OR_EACH_SEED = Option(ROWS.help, none=P_OR_EACH_SEED.none)
P_TO_REMOVE = Option(P.help, most=1)
"""The options of samplers that can be told how many rows to add or to remove."""
