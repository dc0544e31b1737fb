"""Methods and learners as they are asked for: names, separated by commas, each perhaps with options; or objects.

    NAME:option=value:switch        mlsmote:strategy=union:p=0.2, lr:class_weight=balanced

Names, options and choices are taken in any letter case, and blanks around them are left out. A value ends at the next colon or
comma: no option needs one inside. A learner may also be the path of a class with arguments in brackets, as in
sklearn.ensemble:RandomForestClassifier(n_estimators=200), where commas are those of the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.evaluation.learners import LEARNERS, Learner, estimator, is_path
from lsdmlo_cli.evaluation.plan import BASE, Method
from lsdmlo_cli.parameters import Parameter, options, parameters
from lsdmlo_cli.samplers import SAMPLERS

MARKS = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[](),[{}]""")
"""What matters in a list: texts in quotes as a whole, brackets and commas."""
OPENING, CLOSING = (*"([{",), (*")]}",)


class Spec(NamedTuple):
    """A method as it was typed: its name, the options that were given, and both together as tables show them."""

    name: str
    given: dict[str, Any]
    title: str

    @property
    def takes_p(self) -> bool:
        """Whether the method has p, and it is not settled yet how many rows it makes."""
        return "p" in _options_of(self.name) and not {"p", "rows"} & self.given.keys()

    def method(self, p: Decimal | None = None) -> Method:
        """The method. Errors: ParameterError for a value out of range."""
        given = {"p": p, **self.given} if p is not None and self.takes_p else self.given
        try:
            return Method(self.title, None if self.name == BASE else SAMPLERS[self.name](**given), tuple(given))
        except ParameterError as error:
            raise ParameterError(f"{self.title}: {error}") from error


def methods(text: str, p: Decimal | None = None) -> tuple[Method, ...]:
    """All methods of a list; p is for those that have it and are not given rows or a p of their own.

    Errors: ParameterError for what cannot be understood, and for a p that no method takes.
    """
    if ";" in text:
        raise ParameterError(
            f"--methods {text}: separate methods by commas and options by colons, as in base,mlsmote:strategy=union:p=0.2; "
            "at a semicolon the shell ends the command"
        )
    specs = [spec(part) for part in listed(text)]
    if p is not None and not any(one.takes_p for one in specs):
        raise ParameterError(f"--p {p} does nothing: none of the methods ({text}) takes it: leave it out")
    return tuple(one.method(p) for one in specs)


def learners(text: str) -> tuple[Learner, ...]:
    """All learners of a list. Errors: ParameterError for what cannot be understood, and for a value out of range."""
    return tuple(map(_learner, listed(text)))


def _learner(text: str) -> Learner:
    if is_path(text):
        return estimator(text)
    name, *typed = (part.strip() for part in text.split(":"))
    name = name.lower()
    if name not in LEARNERS:
        raise ParameterError(f"there is no learner {name!r}{hint(name, LEARNERS)}: there are {', '.join(LEARNERS)}")
    given, _ = _options(text, Owner(name, _by_name(options(LEARNERS[name])), str), typed)
    try:
        return LEARNERS[name](**given)
    except ParameterError as error:
        raise ParameterError(f"{text}: {error}") from error


def spec(text: str) -> Spec:
    """A method as it is typed. Errors: ParameterError for an unknown name or option, and a value that is none for the option.

    >>> spec("MLSMOTE: Strategy=Union :p=0.2")
    Spec(name='mlsmote', given={'strategy': 'union', 'p': Decimal('0.2')}, title='mlsmote:strategy=union:p=0.2')
    """
    name, *typed = (part.strip() for part in text.split(":"))
    name = name.lower()
    known = (BASE, *SAMPLERS)
    if name not in known:
        spelling = "" if re.fullmatch(r"[a-z][a-z0-9-]*", name) else "; methods are separated by commas, numbers have a point"
        raise ParameterError(f"there is no method {name!r}{hint(name, known)}: there are {', '.join(known)}{spelling}")
    given, spelled = _options(text, Owner(name, _options_of(name), _spelled), typed)
    if {"p", "rows"} <= given.keys():
        raise ParameterError(f"{text}: p and rows exclude each other")
    return Spec(name, given, ":".join([name, *spelled]))


class Owner(NamedTuple):
    """A method or learner whose options are typed: its name, the options by name, and how their names are spelled."""

    name: str
    known: dict[str, Parameter]
    spelled: Callable[[str], str]


def _options(text: str, owner: Owner, typed: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The values of the options that were typed, and how tables show them."""
    given: dict[str, Any] = {}
    parts = []
    for part in filter(None, typed):
        option, value, spelled = _option(owner, part)
        if option in given:
            raise ParameterError(f"{text}: {owner.spelled(option)} is given twice: leave one out")
        given[option] = value
        parts.append(spelled)
    return given, parts


def listed(text: str) -> list[str]:
    """The parts of a list that is separated by commas, empty ones left out; commas in brackets or quotes are the part's own.

    >>> listed("br, ,m:C(a=(1, 2), b=',)'),et")
    ['br', "m:C(a=(1, 2), b=',)')", 'et']
    """
    depth, cuts = 0, [-1]
    for mark in MARKS.finditer(text):
        depth += (mark[0] in OPENING) - (mark[0] in CLOSING)
        if mark[0] == "," and depth <= 0:
            cuts.append(mark.start())
    parts = [text[start + 1 : end].strip() for start, end in pairwise([*cuts, len(text)])]
    return [part for part in parts if part]


def _options_of(method: str) -> dict[str, Parameter]:
    return {} if method == BASE else _by_name(parameters(SAMPLERS[method]))


def _by_name(known: Iterable[Parameter]) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in known}


def _option(owner: Owner, text: str) -> tuple[str, Any, str]:
    """option=value, or the name of a switch: the option's field, its value, and both as tables show them."""
    typed, equals, value = (part.strip() for part in text.partition("="))
    known = owner.known
    names = [owner.spelled(option) for option in known]
    option = typed.lower().replace("-", "_")
    if option not in known:
        has = f"it has {', '.join(names)}" if names else "it has none"
        raise ParameterError(f"{owner.name} has no option {typed!r}{hint(owner.spelled(option), names)}: {has}")
    parameter, spelled = known[option], owner.spelled(option)
    is_switch = parameter.kind == "switch"
    if is_switch == bool(equals):
        raise ParameterError(f"{owner.name}:{text} must be {f'{spelled} alone' if is_switch else f'{spelled}=value'}")
    if is_switch:
        return option, True, spelled
    try:
        converted = parameter.typed(value)
    except ValueError as error:
        near = hint(value, parameter.choices) if parameter.kind == "choice" else ""
        raise ParameterError(f"{owner.name}:{spelled} must be {parameter.expected}, not {value!r}{near}") from error
    return option, converted, f"{spelled}={converted if parameter.kind == 'choice' else value}"


def _spelled(option: str) -> str:
    return option.replace("_", "-")
