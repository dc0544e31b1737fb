"""What is known by name: our own, and what other packages add as entry points.

A package adds a sampler, say, by one line in its pyproject.toml; the group is `lsdmlo.` and what it holds:

    [project.entry-points."lsdmlo.samplers"]
    toy = "my_package:Toy"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar

from lsdmlo_cli.errors import LsdmloError


class Named(Protocol):
    """What a registry holds: a class or an object with a name."""

    @property
    def name(self) -> str: ...


Member = TypeVar("Member", bound=Named)


class Registry(Mapping[str, Member]):
    """Our own members and those of other packages by name, as `by_name` gives them.

    Other packages are loaded when the first member is asked for. So a module of theirs can import the module that holds the
    registry, whichever of the two is imported first. Errors: those of `by_name`, at that time.
    """

    def __init__(self, group: str, own: Iterable[Member]) -> None:
        self.group = group
        self.own = tuple(own)

    @cached_property
    def _members(self) -> dict[str, Member]:
        return by_name(self.group, self.own)

    def __getitem__(self, name: str) -> Member:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def by_name(group: str, own: Iterable[Member]) -> dict[str, Member]:
    """Our own members, then those of other packages in the order of their names, each under its `name`.

    group: samplers, learners, metrics, measures or formats. Errors: LsdmloError for an entry point that cannot be loaded, that is
    nothing with a name (a function, say), or whose name is taken.
    """
    known = {member.name: member for member in own}
    for point in sorted(entry_points(group=f"lsdmlo.{group}"), key=lambda point: point.name):
        member = _loaded(point)
        if not isinstance(getattr(member, "name", None), str):
            raise LsdmloError(f"{_where(point)} has no name: it must be one of {group}, found {type(member).__name__}")
        if member.name in known:
            raise LsdmloError(f"{_where(point)}: there is already one of the name {member.name!r}: give it another name")
        known[member.name] = member
    return known


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise LsdmloError(f"{_where(point)} cannot be loaded ({reason}): mend or uninstall that package") from error


def _where(point: EntryPoint) -> str:
    package = f" of the package {point.dist.name}" if point.dist else ""
    return f"the entry point {point.name!r} in {point.group}{package}"
