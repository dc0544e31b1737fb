"""Whether the text of a date fits the format of its attribute, as Weka judges it.

A format is a pattern of Java's SimpleDateFormat, which Weka uses with `setLenient(false)`: month 13, 30 February and 24:00 are
no dates. As there, blanks before a number are skipped, a number may have fewer digits than its field has letters, a field that
touches the next number has as many characters as letters, and whatever stands behind the last field is of no account.

Names of months, days, halves of the day and time zones depend on the language of the system that reads them: any word is taken
for one. That a weekday is the one of its date is not checked.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from itertools import zip_longest

DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_PIECE = re.compile(r"((?P<letter>[A-Za-z])(?P=letter)*)|'(?P<quoted>(?:[^']|'')*)'|(?P<literal>[^A-Za-z'])", re.DOTALL)
_WORD = r"[^\W\d_]+\.?"
_HOURS, _MINUTES = r"(?:0\d|1[0-4])", r"[0-5]\d"
_ISO_ZONES = [_HOURS, f"{_HOURS}{_MINUTES}", f"{_HOURS}:{_MINUTES}"]
_ZONE = rf"[ \t]*(?:[+-]{_HOURS}{_MINUTES}|GMT[+-](?:{_HOURS}|\d):{_MINUTES}|{_WORD}(?: {_WORD})*)"
_TEXTS = {"a": _WORD, "E": _WORD, "M": _WORD, "z": _ZONE, "Z": _ZONE}
_RANGES = {
    "y": (0, 10**9),
    "M": (1, 12),
    "d": (1, 31),
    "H": (0, 23),
    "k": (1, 24),
    "K": (0, 11),
    "h": (1, 12),
    "m": (0, 59),
    "s": (0, 59),
    "S": (0, 999),
}


def date_check(pattern: str) -> Callable[[str], bool] | None:
    """Tells whether a text fits the pattern; None for a pattern that is empty, broken or holds letters that are not known here.

    >>> fits = date_check("yyyy-MM-dd")
    >>> fits("2020-02-29"), fits("2021-02-29"), fits("29 February")
    (True, False, False)
    """
    pieces = list(_PIECE.finditer(pattern))
    if not pieces or "".join(piece[0] for piece in pieces) != pattern:
        return None
    letters: list[str] = []
    parts: list[str] = []
    for piece, following in zip_longest(pieces, pieces[1:]):
        part = _part(piece, following)
        if part is None:
            return None
        parts.append(part)
        letters += [piece["letter"]] if _is_number(piece) else []
    whole = re.compile("".join(parts), re.DOTALL)

    def fits(text: str) -> bool:
        found = whole.match(text)
        return found is not None and _is_date(dict(zip(letters, map(int, found.groups()), strict=True)))

    return fits


def _is_number(piece: re.Match[str]) -> bool:
    return piece["letter"] in _RANGES and not (piece["letter"] == "M" and len(piece[0]) > 2)


def _part(piece: re.Match[str], following: re.Match[str] | None) -> str | None:
    """What a piece of the pattern matches, as a regular expression; None where that is not known."""
    letter, width = piece["letter"], len(piece[0])
    if letter is None:
        return re.escape(piece["literal"] or (piece["quoted"] or "'").replace("''", "'"))
    if _is_number(piece):
        return _touching(width) if following and _is_number(following) else r"[ \t]*+(\d++)"
    if letter == "X" and width <= len(_ISO_ZONES):
        return rf"[ \t]*(?:Z|[+-]{_ISO_ZONES[width - 1]})"
    return _TEXTS.get(letter)


def _touching(width: int) -> str:
    """A number that ends within `width` characters, blanks before it included: the next one follows at once."""
    ways = [rf"[ \t]{{{blanks}}}\d{{1,{width - blanks}}}+" for blanks in range(width)]
    return rf"(?=.{{{width}}})({'|'.join(ways)})"


def _is_date(numbers: dict[str, int]) -> bool:
    if any(not low <= numbers[letter] <= high for letter, (low, high) in _RANGES.items() if letter in numbers):
        return False
    year = numbers.get("y", 1970)
    leap_cycle = 4 if year < 1582 else 400  # the Julian calendar, then the Gregorian, as in Java
    return numbers.get("d", 1) <= monthrange(2000 + year % leap_cycle, numbers.get("M", 1))[1]
