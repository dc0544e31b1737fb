"""Methods and learners as they are asked for: names, separated by commas, each perhaps with options; or objects.

    NAME:option=value:switch        mlsmote:strategy=union:p=0.2, lr:class_weight=balanced

Names, options and choices are taken in any letter case, and blanks around them are left out. A value ends at the next colon or
comma: no option needs one inside. A learner may also be the path of a class with arguments in brackets, as in
sklearn.ensemble:RandomForestClassifier(n_estimators=200), where commas are those of the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple, cast

from lsdmlo_cli.checks import shown
from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.estimators import Estimator
from lsdmlo_cli.evaluation.learners import LEARNERS, Learner, estimator, is_path, of_object
from lsdmlo_cli.evaluation.plan import BASE, Method
from lsdmlo_cli.parameters import Parameter, option_name, options, parameters
from lsdmlo_cli.samplers import SAMPLERS, Sampler

MARKS = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[](),[{}]""")
"""What matters in a list: texts in quotes as a whole, brackets and commas."""
OPENING, CLOSING = (*"([{",), (*")]}",)


class Spec(NamedTuple):
    """A method as it is asked for: its sampler's class, the options that were given, and both together as tables show them.

    kind: None for no sampling.
    """

    kind: type[Sampler] | None
    given: dict[str, Any]
    title: str

    @property
    def takes_p(self) -> bool:
        """Whether the method has p, and it is not settled yet how many rows it makes."""
        return "p" in _options_of(self.kind) and not {"p", "rows"} & self.given.keys()

    def at(self, p: str) -> Spec:
        """With p given too, as it would be typed."""
        return Spec(self.kind, {**self.given, "p": Decimal(p)}, f"{self.title}:p={p}")

    def method(self, p: Any = None) -> Method:
        """The method. Errors: ParameterError for a value out of range."""
        given = {"p": p, **self.given} if p is not None and self.takes_p else self.given
        try:
            return Method(self.title, None if self.kind is None else self.kind(**given), tuple(given))
        except ParameterError as error:
            raise ParameterError(f"{self.title}: {error}") from error


def methods(asked: Any, p: Any = None, called: Callable[[str], str] = option_name) -> tuple[Method, ...]:
    """All methods that are asked for; p is for those that have it and are not given rows or a p of their own.

    asked: see `specs`. called: how messages call options. Errors: those of `specs`; ParameterError for a p that no method takes.
    """
    found = specs(asked, called)
    if p is not None and not any(one.takes_p for one in found):
        listed_titles = asked if isinstance(asked, str) else ",".join(one.title for one in found)
        raise ParameterError(f"{called('p')} {p} does nothing: none of the methods ({listed_titles}) takes it: leave it out")
    return tuple(one.method(p) for one in found)


def specs(asked: Any, called: Callable[[str], str] = option_name) -> list[Spec]:
    """Methods as a text with names between commas, or as one or a list of what `of_method` takes.

    Errors: ParameterError for what cannot be understood.
    """
    if isinstance(asked, str) and ";" in asked:
        raise ParameterError(
            f"{called('methods')} {asked}: separate methods by commas and options by colons, as in "
            "base,mlsmote:strategy=union:p=0.2; at a semicolon the shell ends the command"
        )
    return [of_method(one) for one in _each(asked)]


def of_method(one: Any) -> Spec:
    """A method as it is typed, a sampler, or an estimator; None is no sampling. Errors: ParameterError."""
    if isinstance(one, str):
        return spec(one)
    sampler = _sampler_of(one) if isinstance(one, Estimator) else one
    if sampler is None:
        return Spec(None, {}, BASE)
    if isinstance(sampler, type) or not isinstance(getattr(sampler, "name", None), str) or not hasattr(sampler, "sample"):
        raise ParameterError(f"a method must be a name, a sampler or an estimator such as LSDMLO(p=0.3), not {shown(one)}")
    kind: type[Sampler] = type(sampler)
    given = _changed(sampler, parameters(kind))
    return Spec(kind, given, ":".join([sampler.name, *(_as_typed(_spelled(name), given[name]) for name in given)]))


def _sampler_of(estimator: Estimator) -> Sampler:
    """Its sampler. Errors: ParameterError for a parameter that would have to hold for one method alone."""
    for name, value in estimator.get_params().items():
        is_own = name in {parameter.name for parameter in parameters(estimator.of)} or name in ("n_jobs", "verbose")
        if not is_own and repr(value) != repr(estimator.defaults[name]):
            common = "seed" if name == "random_state" else name
            raise ParameterError(f"{estimator}: {common} holds for all methods: give {common}={value!r} beside them instead")
    return estimator.sampler()


def _changed(one: Any, known: Iterable[Parameter]) -> dict[str, Any]:
    """The options that are not at their defaults."""
    values = {parameter.name: (getattr(one, parameter.name), parameter.default) for parameter in known}
    return {name: value for name, (value, default) in values.items() if value != default}


def _as_typed(name: str, value: Any) -> str:
    return name if value is True else f"{name}={value}"


def learners(asked: Any) -> tuple[Learner, ...]:
    """Learners as a text with names between commas, or as one or a list of names, paths and objects.

    Errors: ParameterError for what cannot be understood, and for a value out of range.
    """
    return tuple(_learner(one) if isinstance(one, str) else _of_object(one) for one in _each(asked))


def _of_object(one: Any) -> Learner:
    """A learner as it is, or an object of another library. Errors: ParameterError."""
    if isinstance(one, type):
        raise ParameterError(f"a learner must be an object, not the class: give {one.__name__}()")
    if is_dataclass(one) and isinstance(getattr(one, "name", None), str):
        return cast(Learner, one)
    return of_object(one)


def _each(asked: Any) -> list[Any]:
    """What is asked for, one by one; a text is taken apart at its commas."""
    if isinstance(asked, str):
        return listed(asked)
    return list(asked) if isinstance(asked, list | tuple) else [asked]


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

    >>> spec("MLSMOTE: Strategy=Union :p=0.2")[1:]
    ({'strategy': 'union', 'p': Decimal('0.2')}, 'mlsmote:strategy=union:p=0.2')
    """
    name, *typed = (part.strip() for part in text.split(":"))
    name = name.lower()
    known = (BASE, *SAMPLERS)
    if name not in known:
        spelling = "" if re.fullmatch(r"[a-z][a-z0-9-]*", name) else "; methods are separated by commas, numbers have a point"
        raise ParameterError(f"there is no method {name!r}{hint(name, known)}: there are {', '.join(known)}{spelling}")
    kind = None if name == BASE else SAMPLERS[name]
    given, spelled = _options(text, Owner(name, _options_of(kind), _spelled), typed)
    if {"p", "rows"} <= given.keys():
        raise ParameterError(f"{text}: p and rows exclude each other")
    return Spec(kind, given, ":".join([name, *spelled]))


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


def _options_of(kind: type[Sampler] | None) -> dict[str, Parameter]:
    return {} if kind is None else _by_name(parameters(kind))


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
