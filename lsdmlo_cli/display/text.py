"""Text of strangers as it may stand on a terminal, and numbers as people read them."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, marks that turn the direction of writing for what follows, and halves of characters."""


def plain(text: str) -> str:
    r"""The text with everything that would act on a terminal, in place of being shown, spelled out.

    >>> plain("a\x1b[2Jb\tc\u202e"), plain("[bold]ä 鳥[/]")
    ('a\\x1b[2Jb\\tc\\u202e', '[bold]ä 鳥[/]')
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def figure(value: float | None, digits: int = 3) -> str:
    """A figure: whole numbers as they are, else with some digits behind the point; a dash where it is not defined.

    >>> figure(0.53392), figure(40), figure(None), figure(13.818, 2)
    ('0.534', '40', '-', '13.82')
    """
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def changed(old: float | None, new: float | None, digits: int = 3) -> str:
    """How far a figure moved, with its sign; nothing where it did not, or is not defined.

    >>> changed(5.096, 3.78), changed(40, 43), changed(0.5, 0.49996), changed(0.5, 0.5), changed(None, 1.0)
    ('-1.316', '+3', '-4e-05', '', '')
    """
    if old is None or new is None or old == new:
        return ""
    if isinstance(old, int) and isinstance(new, int):
        return f"{new - old:+d}"
    return f"{new - old:+.1g}" if abs(new - old) < 0.5 * 10**-digits else f"{new - old:+.{digits}f}"
