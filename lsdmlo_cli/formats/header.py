"""The header of an ARFF file: relation and attribute declarations, up to the line `@data`.

Lines are read as latin-1 text, which stands for bytes one to one; the names are decoded at the end, as UTF-8 if the
whole header is UTF-8, else as latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from lsdmlo_cli.dataset import Attribute, Kind
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.tokens import BLANK, DECIMAL, PLAIN, QUOTED, shown, unquote

_KEYWORD = re.compile(r"@([A-Za-z]+)", re.ASCII)
_TOKEN = re.compile(f"{QUOTED}|{PLAIN}")
_VALUES = re.compile(rf"\{{[ \t]*((?:(?<=\\)['\"]|{QUOTED}|[^'\"{{}}%])*+)\}}")
_TYPE = re.compile(r"[^ \t%{\[(]+")
_VALUE = re.compile(rf"[ \t]*({QUOTED}|{PLAIN})[ \t]*(,|$)")
_COMMON = re.compile(r"@attribute[ \t]+([^ \t,'\"%{}\\]+)[ \t]+(\{0,1\}|[A-Za-z]+)[ \t]*", re.IGNORECASE | re.ASCII)
_RANGE = re.compile(r"[\[(][^\])%]*[\])]")
_WEIGHT = re.compile(r"\{[ \t]*([^{} \t]+)[ \t]*\}")
KINDS: dict[str, Kind] = {"numeric": "numeric", "real": "numeric", "integer": "integer", "string": "string", "date": "date"}
_TYPES = "numeric, real, integer, string, date and {value, ...}"


@dataclass(frozen=True)
class Header:
    """What stands before the rows.

    declared_at: the line of each attribute. weighted: whether an attribute carries a weight.
    """

    relation: str
    attributes: tuple[Attribute, ...]
    declared_at: tuple[int, ...]
    encoding: str
    weighted: bool


class HeaderReader:
    """Takes the lines of a file one by one until `@data`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.line = 0
        self.relation: str | None = None
        self.attributes: list[Attribute] = []
        self.declared_at: list[int] = []
        self.weighted = False
        self.ascii = True
        self.parts: list[bytes] = []

    def feed(self, lines: Iterable[bytes]) -> int | None:
        """Read lines; the number of them used up when `@data` came, None while the header goes on."""
        for used, line in enumerate(lines, start=1):
            self.line += 1
            if not line.isascii():
                self.parts.append(line)
            text = line.decode("latin-1").strip(BLANK)
            if text and text[0] != "%" and self._declaration(text):
                return used
        return None

    def finish(self) -> Header:
        """The header as a whole; raises FormatError for what only shows at the end."""
        if self.relation is None:
            self._fail("@relation is missing" if self.line else "the file is empty: expected @relation")
        if not self.attributes:
            self._fail("no @attribute stands before @data")
        encoding = self._encoding()
        attributes = self.attributes if encoding == "latin-1" else [_recode(a) for a in self.attributes]
        self._refuse_twins()
        relation = _utf8(self.relation) if encoding == "utf-8" else self.relation
        return Header(relation, tuple(attributes), tuple(self.declared_at), encoding, self.weighted)

    def _encoding(self) -> str:
        try:
            for part in self.parts:
                part.decode("utf-8")
        except UnicodeDecodeError:
            return "latin-1"
        return "utf-8"

    def _refuse_twins(self) -> None:
        first: dict[str, int] = {}
        for attribute, line in zip(self.attributes, self.declared_at, strict=True):
            if attribute.name in first:
                raise FormatError(
                    self.path,
                    line,
                    f"attribute {_name(attribute.name)} is declared twice (first on line {first[attribute.name]}): rename one",
                )
            first[attribute.name] = line

    def _declaration(self, text: str) -> bool:
        """Take one line that holds something; True for `@data`."""
        common = _COMMON.fullmatch(text)
        if common and self.relation is not None and self._common(common[1], common[2].lower()):
            return False
        keyword = _KEYWORD.match(text)
        word = keyword[1].lower() if keyword else ""
        rest = text[keyword.end() :] if keyword else ""
        if word == "attribute":
            self._attribute(rest)
        elif word == "relation":
            self._relation(rest)
        elif word == "data":
            self._nothing_behind(rest.strip(BLANK), "@data")
            return True
        else:
            self._fail(f"expected @relation, @attribute or @data, found {shown(text.encode('latin-1'))}")
        return False

    def _common(self, name: str, kind: str) -> bool:
        if kind == "{0,1}":
            self._declare(Attribute(name, "nominal", ("0", "1")))
        elif kind in KINDS:
            self._declare(Attribute(name, KINDS[kind]))
        else:
            return False
        return True

    def _declare(self, attribute: Attribute) -> None:
        self.attributes.append(attribute)
        self.declared_at.append(self.line)

    def _relation(self, rest: str) -> None:
        if self.relation is not None:
            self._fail("a second @relation")
        name, rest = self._token(rest, "@relation", "a name")
        self._nothing_behind(rest, f"the relation's name {_name(name)}", hint=": quote a name that holds blanks")
        self.relation = name

    def _attribute(self, rest: str) -> None:
        if self.relation is None:
            self._fail("@relation must stand before the first @attribute")
        name, rest = self._token(rest, "@attribute", "a name")
        if not rest or rest[0] == "%":
            self._fail(f"attribute {_name(name)} has no type; types are {_TYPES}")
        if rest[0] == "{":
            values, rest = self._values(name, rest)
            attribute = Attribute(name, "nominal", values)
        else:
            attribute, rest = self._typed(name, rest)
        weight = _WEIGHT.match(rest)
        if weight and DECIMAL.fullmatch(weight[1]):
            self.weighted, rest = True, rest[weight.end() :].strip(BLANK)
        self._nothing_behind(
            rest, f"the declaration of attribute {_name(name)}", hint=": quote a name or a value that holds blanks"
        )
        self._declare(attribute)

    def _typed(self, name: str, rest: str) -> tuple[Attribute, str]:
        found = _TYPE.match(rest)
        word = found[0] if found else rest
        kind, behind = word.lower(), rest[len(word) :].strip(BLANK)
        if kind == "relational":
            self._fail(f"attribute {_name(name)} is relational; relational attributes are not supported: remove it or flatten it")
        if kind not in KINDS:
            self._fail(
                f"attribute {_name(name)} has the unknown type {_name(word)}: types are {_TYPES}; quote a name that holds blanks"
            )
        if kind == "date":
            pattern = _TOKEN.match(behind)
            behind = behind[pattern.end() :].strip(BLANK) if pattern else behind
        elif KINDS[kind] != "string":
            bounds = _RANGE.match(behind)
            behind = behind[bounds.end() :].strip(BLANK) if bounds else behind
        return Attribute(name, KINDS[kind]), behind

    def _values(self, name: str, rest: str) -> tuple[tuple[str, ...], str]:
        braces = _VALUES.match(rest)
        if not braces:
            self._fail(
                f"the values of attribute {_name(name)} are not well formed: "
                "expected {value, ...} with every quote and brace closed"
            )
        values, place, inner = [], 0, braces[1].strip(BLANK)
        inner = inner[:-1] if inner.endswith(",") else inner
        while place < len(inner):
            value = _VALUE.match(inner, place)
            if not value:
                self._fail(
                    f"attribute {_name(name)}: cannot read the values at {shown(inner[place:].encode('latin-1'), 30)}: "
                    "quote a value that holds blanks, quotes or commas"
                )
            values.append(_unquoted(value[1]))
            place = value.end()
        if not values:
            self._fail(f"attribute {_name(name)} declares no value")
        if len(set(values)) < len(values):
            twin = next(v for i, v in enumerate(values) if v in values[:i])
            self._fail(f"attribute {_name(name)} declares the value {_name(twin)} twice")
        return tuple(values), rest[braces.end() :].strip(BLANK)

    def _token(self, rest: str, of: str, what: str) -> tuple[str, str]:
        rest = rest.lstrip(BLANK)
        token = _TOKEN.match(rest)
        if not token:
            self._fail(f"{of}: expected {what}, found {shown(rest.encode('latin-1')) if rest else 'the end of the line'}")
        behind = rest[token.end() :]
        if behind and behind[0] not in " \t{%[(":
            self._fail(f"{of}: {what} that holds quotes or commas must be quoted, found {shown(rest.encode('latin-1'))}")
        return _unquoted(token[0]), behind.strip(BLANK)

    def _nothing_behind(self, rest: str, what: str, hint: str = "") -> None:
        if rest and rest[0] != "%":
            self._fail(f"unexpected {shown(rest.encode('latin-1'))} behind {what}{hint}")

    def _fail(self, problem: str) -> NoReturn:
        raise FormatError(self.path, self.line or None, problem)


def _unquoted(token: str) -> str:
    return unquote(token.encode("latin-1")).decode("latin-1")


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode("utf-8")


def _recode(attribute: Attribute) -> Attribute:
    if attribute.name.isascii() and all(map(str.isascii, attribute.values)):
        return attribute
    return replace(attribute, name=_utf8(attribute.name), values=tuple(map(_utf8, attribute.values)))


def _name(text: str) -> str:
    """A name for a message, whole and on one line."""
    return shown(text.encode("latin-1"), limit=200)
