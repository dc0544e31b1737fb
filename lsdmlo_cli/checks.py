"""Checks of parameters: each gives the value as Python's own, or says in one line what is allowed and what was given.

Numbers of numpy, and Decimal and Fraction where a number need not be whole, are taken like Python's own. A truth value is no
number, and text is none either.
"""

from __future__ import annotations

import operator
import re
from decimal import Decimal
from math import inf, nan
from numbers import Integral, Real
from typing import Any

from lsdmlo_cli.errors import ParameterError

DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A number in decimal notation, of any length: not inf, nan, 0x1 or 1_000, which Python's float() or int() would take."""

_LONGEST_SHOWN = 60


def check_whole(name: str, value: Any, least: int, also: str = "") -> int:
    """A whole number from `least` on; `also` says what else is allowed. Errors: ParameterError.

    >>> check_whole("k", 5, 1)
    5
    >>> check_whole("k", 2.5, 1, ", or None")
    Traceback (most recent call last):
    lsdmlo_cli.errors.ParameterError: k must be a whole number from 1, or None, not 2.5
    """
    try:
        whole = None if is_truth(value) else operator.index(value)
    except TypeError:
        whole = None
    if whole is None or whole < least:
        raise refusal(name, f"a whole number from {least}{also}", value)
    return whole


def check_number(name: str, value: Any, *, least: float = 0, most: float = inf, above: bool = False) -> float:
    """A finite number from `least` (`above`: not `least` itself) to `most`, as a float. Errors: ParameterError.

    >>> check_number("lambda1", Decimal("0.5"), above=True)
    0.5
    >>> check_number("tr", 2, most=1)
    Traceback (most recent call last):
    lsdmlo_cli.errors.ParameterError: tr must be between 0 and 1, not 2
    """
    bound = f"above {least:g}" if above else f"{least:g} or more" if most == inf else f"between {least:g} and {most:g}"
    if not is_number(value):
        raise refusal(name, f"a number {bound}", value)
    number = as_float(value)
    if not (least < number if above else least <= number) or not number <= most or number == inf:
        raise refusal(name, bound, value)
    return number


def check_choice(name: str, value: Any, *choices: Any) -> Any:
    """The one of the choices, words or whole numbers, that equals the value; 1.0 is not 1. Errors: ParameterError.

    >>> check_choice("scale", "minmax", "none", "range", "std")
    Traceback (most recent call last):
    lsdmlo_cli.errors.ParameterError: scale must be 'none', 'range' or 'std', not 'minmax'
    """
    for choice in choices:
        if isinstance(value, str | Integral) and not is_truth(value) and value == choice:
            return choice
    *others, last = map(repr, choices)
    raise refusal(name, f"{', '.join(others)} or {last}", value)


def check_truth(name: str, value: Any) -> bool:
    """True or False. Errors: ParameterError.

    >>> check_truth("see_new", "no")
    Traceback (most recent call last):
    lsdmlo_cli.errors.ParameterError: see_new must be True or False, not 'no'
    """
    if not is_truth(value):
        raise refusal(name, "True or False", value)
    return bool(value)


def is_truth(value: Any) -> bool:
    """Whether a value is True or False, of Python or of numpy, which need not be loaded."""
    return isinstance(value, bool) or (getattr(getattr(value, "dtype", None), "kind", "") == "b" and value.shape == ())


def is_number(value: Any) -> bool:
    """Whether a value is a real number: an integer, float, Fraction or Decimal, and no truth value."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def as_float(value: Any) -> float:
    """A real number as a float; infinite where it is too large for one, and NaN for a Decimal that signals.

    >>> as_float(-(10**400))
    -inf
    """
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
    except ValueError:
        return nan


def refusal(name: str, allowed: str, value: Any) -> ParameterError:
    """The error of a value that is not allowed."""
    return ParameterError(f"{name} must be {allowed}, not {shown(value)}")


def shown(value: Any) -> str:
    """A value in a message: a number plainly, all else as Python spells it, on one line and shortened.

    >>> shown(Decimal("0.5")), shown("one\\ntwo"), shown("a" * 99)
    ('0.5', "'one\\\\ntwo'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...")
    """
    text = str(value) if is_number(value) else " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
