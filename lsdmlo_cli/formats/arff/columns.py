"""What a cell of each kind of attribute may hold, and the number that stands for it (see `dataset`).

A column is a callable from a token as it stands in the file (quotes and all) to a float; it raises ValueError with the problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from lsdmlo_cli.data import Attribute, truth
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.dates import date_check
from lsdmlo_cli.formats.arff.header import Header
from lsdmlo_cli.formats.arff.tokens import quote, shown, unquoted

Column = Callable[[bytes], float]

MISSING = b"?"
_DECIMAL = b"0123456789.+-eE"
_DECIMAL_ROW = _DECIMAL + b" ?"
_BLANKS = bytes(range(33))


def number(token: bytes) -> float:
    """A decimal number, quoted or not; NaN for `?`.

    >>> number(b"+5"), number(b"'.5'")
    (5.0, 0.5)
    """
    if token == MISSING:
        return math.nan
    text = number_text(token)
    if text.translate(None, _DECIMAL):
        raise ValueError(f"{shown(token)} is not a number (a missing value is written ?)")
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{shown(token)} is not a number (a missing value is written ?)") from None
    if math.isinf(value):
        raise ValueError(f"{shown(token)} is beyond the largest double, 1.8e308")
    return value + 0.0  # so that -0 is 0, as in a sparse row that leaves it out


def number_text(token: bytes) -> bytes:
    """The digits of a number without the quotes and the blanks in them."""
    return unquoted(token, "utf-8").strip(_BLANKS) if token[:1] in (b"'", b'"') else token


def number_list(tokens: list[bytes]) -> list[float] | None:
    """`number` of many tokens, but for the sign of a 0; None where one needs a closer look (quotes, a fault)."""
    text = b" ".join(tokens)
    if text.translate(None, _DECIMAL_ROW):
        return None
    if MISSING in text:
        tokens = [b"nan" if token == MISSING else token for token in tokens]
    try:
        values = list(map(float, tokens))
    except ValueError:
        return None
    return None if math.inf in values or -math.inf in values else values


def label_number(token: bytes) -> float:
    """0 or 1 in a label that is declared numeric."""
    if token == MISSING:
        raise ValueError("a missing value; a label must be 0 or 1")
    value = number(token)
    if value not in (0.0, 1.0):
        raise ValueError(f"{shown(token)}; a label must be 0 or 1")
    return value


class Codes(dict[bytes, float]):
    """The tokens of a nominal attribute, each with the position of its value; other spellings are added when they first occur."""

    def __init__(self, attribute: Attribute, encoding: str, missing: bool) -> None:
        self.encoding = encoding
        self.declared = {value.encode(encoding): float(i) for i, value in enumerate(attribute.values)}
        super().__init__((quote(value), code) for value, code in self.declared.items())
        if missing:
            self[MISSING] = math.nan

    def __missing__(self, token: bytes) -> float:
        if token == MISSING:
            raise ValueError("a missing value; a label must be 0 or 1")
        text = unquoted(token, self.encoding)
        if text not in self.declared:
            values = [shown(value, 30) for value in self.declared]
            known = ", ".join(values[:10]) + (f", ... ({len(values)} values)" if len(values) > 10 else "")
            raise ValueError(f"the value {shown(text)} is not declared; declared: {known}")
        if len(self) < 4 * len(self.declared) + 1000:  # many spellings must not fill the memory
            self[token] = self.declared[text]
        return self.declared[text]


class Texts(dict[bytes, float]):
    """The distinct tokens of a string or date attribute, numbered from 1 as they occur; `table` holds them as they are spelled.

    pattern: what a date must fit, empty for other texts.
    """

    def __init__(self, encoding: str, pattern: str = "") -> None:
        super().__init__({MISSING: math.nan})
        self.table: list[bytes] = [b""]
        self.encoding, self.pattern = encoding, pattern
        self.fits = date_check(pattern)

    def __missing__(self, token: bytes) -> float:
        if self.fits is not None:
            text = unquoted(token, self.encoding).decode(self.encoding, "replace")
            if not self.fits(text):
                raise ValueError(f"{shown(text)} is no date of the format {shown(self.pattern)} (a missing value is written ?)")
        self[token] = code = float(len(self.table))
        self.table.append(token)
        return code


def check_labels(path: str, header: Header, labels: list[int], mulan: bool) -> None:
    """Raise FormatError for the first label that is not binary; mulan: or does not declare both values, as Mulan wants it.

    A label may declare one value alone, as R does where no other occurs: it is constant.
    """
    for position in labels:
        attribute = header.attributes[position]
        known = (0, 1) if attribute.is_number else truth(attribute.values)
        alone = known is not None and len(known) == 1
        if known is None or (mulan and alone):
            values = ",".join(shown(value, 30)[1:-1] for value in attribute.values[:10])
            kind = f"{{{values}}}" if attribute.kind == "nominal" else attribute.kind
            remedy = ": declare both values, as Mulan wants it" if alone else ""
            raise FormatError(
                path,
                header.declared_at[position],
                f"label {shown(attribute.name)} must be {{0,1}}, {{FALSE,TRUE}}, {{NO,YES}} or numeric; it is {kind}{remedy}",
            )


def columns(attributes: Sequence[Attribute], encoding: str, labels: frozenset[int], patterns: Mapping[int, str]) -> list[Column]:
    """The reader of each attribute's cells; nominal attributes with the same values share one. patterns: of dates, by place."""
    shared: dict[tuple[bool, tuple[str, ...]], Column] = {}
    found: list[Column] = []
    for place, attribute in enumerate(attributes):
        label = place in labels
        if attribute.is_number:
            found.append(label_number if label else number)
        elif attribute.kind == "nominal":
            key = (label, attribute.values)
            if key not in shared:
                shared[key] = Codes(attribute, encoding, missing=not label).__getitem__
            found.append(shared[key])
        else:
            found.append(Texts(encoding, patterns.get(place, "")).__getitem__)
    return found
