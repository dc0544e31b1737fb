"""What is known by name: our own, and what other packages add as entry points.

A package adds a sampler, say, by one line in its pyproject.toml; the group is `lsdmlo.` and what it holds:

    [project.entry-points."lsdmlo.samplers"]
    toy = "my_package:Toy"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, distribution, distributions
from typing import Any, Protocol, TypeVar, cast

from lsdmlo_cli.errors import LsdmloError


class Named(Protocol):
    """What a registry holds: a class or an object with a name."""

    @property
    def name(self) -> str: ...


Member = TypeVar("Member", bound=Named)


class Registry(Mapping[str, Member]):
    """Our own members, then those of other packages in the order of their names, each under its `name`.

    group: samplers, learners, metrics, measures or formats. own: our members, or the place of each by its name,
    `package.module:member`: it is loaded when it is asked for.

    Other packages are loaded when the first name or member is asked for. So a module of theirs can import the module that holds
    the registry, whichever of the two is imported first. Errors, at that time: LsdmloError for an entry point that cannot be
    loaded, that is nothing with a name (a function, say), or whose name is taken.
    """

    def __init__(self, group: str, own: Iterable[Member] | Mapping[str, str]) -> None:
        self.group = group
        self.own = own if isinstance(own, Mapping) else tuple(own)

    @cached_property
    def _members(self) -> dict[str, Member | str]:
        """The members by name; a place is that of one of our own."""
        known: dict[str, Member | str] = {}
        known.update(self.own if isinstance(self.own, Mapping) else {member.name: member for member in self.own})
        points = (point for point in _entry_points() if point.group == f"lsdmlo.{self.group}")
        for point in sorted(points, key=lambda point: point.name):
            member = _loaded(point)
            if not isinstance(getattr(member, "name", None), str):
                raise LsdmloError(f"{_where(point)} has no name: it must be one of {self.group}, found {type(member).__name__}")
            if member.name in known:
                raise LsdmloError(f"{_where(point)}: there is already one of the name {member.name!r}: give it another name")
            known[member.name] = member
        return known

    def __getitem__(self, name: str) -> Member:
        member = self._members[name]
        if isinstance(member, str):
            module, _, within = member.partition(":")
            return cast(Member, getattr(import_module(module), within))
        return member

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    """Those of the packages that name a group of ours. Only their lists are parsed; all others are read, and only once."""
    named = {package.name for package in distributions() if "[lsdmlo." in (package.read_text("entry_points.txt") or "")}
    return tuple(point for name in sorted(named) for point in distribution(name).entry_points)


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise LsdmloError(f"{_where(point)} cannot be loaded ({reason}): mend or uninstall that package") from error


def _where(point: EntryPoint) -> str:
    package = f" of the package {point.dist.name}" if point.dist else ""
    return f"the entry point {point.name!r} in {point.group}{package}"
