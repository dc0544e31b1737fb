"""How long work is told: a callback (stage, done, total) that the owner of a loop calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, the units done and the units in all (0: not known beforehand)."""

T = TypeVar("T")


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def track(progress: Progress, stage: str, items: Iterable[T], total: int) -> Iterator[T]:
    """Yield the items and report after each one.

    >>> told = []
    >>> list(track(lambda *call: told.append(call), "rows", "ab", 2)), told
    (['a', 'b'], [('rows', 0, 2), ('rows', 1, 2), ('rows', 2, 2)])
    """
    progress(stage, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        progress(stage, done, total)


def duration(seconds: float) -> str:
    """A time in the unit that suits it, without a fraction.

    >>> duration(12.3), duration(110), duration(3 * 3600)
    ('12 s', '110 s', '3 h')
    """
    unit, name = next((size, name) for size, name in ((3600, "h"), (60, "min"), (1, "s")) if seconds >= 2 * size or size == 1)
    return f"{seconds / unit:.0f} {name}"
