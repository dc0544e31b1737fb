"""The header of an ARFF file: relation and attribute declarations, up to the line `@data`.

Lines are read as text of ASCII and surrogates (see `tokens`); the names are decoded at the end, as UTF-8 if the whole header is
UTF-8, else as latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from lsdmlo_cli.checks import DECIMAL
from lsdmlo_cli.data import Attribute, Kind
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.dates import DEFAULT_PATTERN
from lsdmlo_cli.formats.arff.tokens import (
    BLANK,
    PLAIN,
    QUOTED,
    as_bytes,
    as_text,
    blanked,
    has_rare_escape,
    names_between_commas,
    shown,
    unquote,
)

_KEYWORD = re.compile(r"""@([A-Za-z]+)(?=[ \t,'"%{}]|$)""", re.ASCII)
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
    """What a file declares before its rows.

    declared_at: the line of each attribute. weighted: whether an attribute carries a weight. patterns: by place, how a date is
    written. spelled: by place, for attributes that have such values, how a new row must spell each value to be read as here;
    empty for values that are spelled in the plain way. outputs: the attributes that KEEL's @outputs names.
    """

    relation: str
    attributes: tuple[Attribute, ...]
    declared_at: tuple[int, ...]
    encoding: str
    weighted: bool
    patterns: Mapping[int, str]
    spelled: Mapping[int, tuple[bytes, ...]]
    outputs: tuple[str, ...] = ()


class HeaderReader:
    """Takes the lines of a file one by one until `@data`. keel: whether @inputs and @outputs may stand among them."""

    def __init__(self, path: str, keel: bool = False) -> None:
        self.path, self.keel = path, keel
        self.outputs: list[str] = []
        self.line = 0
        self.relation: str | None = None
        self.attributes: list[Attribute] = []
        self.declared_at: list[int] = []
        self.weighted = False
        self.patterns: dict[int, str] = {}
        self.spelled: dict[int, tuple[bytes, ...]] = {}
        self.parts: list[bytes] = []

    def feed(self, lines: Sequence[bytes]) -> int | None:
        """Read lines; the number of them used up when `@data` came, None while the header goes on."""
        text = b"\n".join(lines)
        clean = blanked(text)
        for used, line in enumerate(lines if clean is text else clean.split(b"\n"), start=1):
            self.line += 1
            if not line.isascii():
                self.parts.append(line)
            declared = as_text(line).strip(BLANK)
            if declared and declared[0] != "%" and self._declaration(declared):
                return used
        return None

    def finish(self) -> Header:
        """The header as a whole; raises FormatError for faults that show only at the end."""
        if self.relation is None:
            self._fail("@relation is missing" if self.line else "the file is empty: expected @relation")
        if not self.attributes:
            self._fail("no @attribute stands before @data")
        encoding = self._encoding()
        attributes = tuple(_decode(a, encoding) for a in self.attributes) if self.parts else tuple(self.attributes)
        self._refuse_twins(attributes)
        relation = _decoded(self.relation, encoding)
        patterns = {place: _decoded(pattern, encoding) for place, pattern in self.patterns.items()}
        outputs = tuple(_decoded(name, encoding) for name in self.outputs)
        return Header(relation, attributes, tuple(self.declared_at), encoding, self.weighted, patterns, self.spelled, outputs)

    def _encoding(self) -> str:
        try:
            for part in self.parts:
                part.decode("utf-8")
        except UnicodeDecodeError:
            return "latin-1"
        return "utf-8"

    def _refuse_twins(self, attributes: Sequence[Attribute]) -> None:
        """Names, and the values of each attribute, must differ once they are decoded."""
        first: dict[str, int] = {}
        for attribute, line in zip(attributes, self.declared_at, strict=True):
            name, values = attribute.name, attribute.values
            if name in first:
                problem = f"attribute {_name(name)} is declared twice (first on line {first[name]}): rename one"
                raise FormatError(self.path, line, problem)
            first[name] = line
            if values and len(set(values)) < len(values):
                twin = next(v for i, v in enumerate(values) if v in values[:i])
                raise FormatError(self.path, line, f"attribute {_name(name)} declares the value {_name(twin)} twice")

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
        elif self.keel and word in ("input", "inputs", "output", "outputs"):
            self.outputs += names_between_commas(rest) if word.startswith("output") else []
        elif word == "data":
            self._nothing_behind(rest.strip(BLANK), "@data")
            return True
        else:
            self._fail(f"expected @relation, @attribute or @data (and a blank behind it), found {_shown(text)}")
        return False

    def _common(self, name: str, kind: str) -> bool:
        if kind == "{0,1}":
            self._declare(Attribute(name, "nominal", ("0", "1")))
        elif kind in KINDS and kind != "date":
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
            tokens, rest = self._values(name, rest)
            attribute = Attribute(name, "nominal", tuple(map(unquote, tokens)))
            if any(map(has_rare_escape, tokens)):
                self.spelled[len(self.attributes)] = tuple(as_bytes(t, "ascii") if has_rare_escape(t) else b"" for t in tokens)
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
            token = _TOKEN.match(behind)
            self.patterns[len(self.attributes)] = unquote(token[0]) if token else DEFAULT_PATTERN
            behind = behind[token.end() :].strip(BLANK) if token else behind
        elif KINDS[kind] != "string":
            bounds = _RANGE.match(behind)
            behind = behind[bounds.end() :].strip(BLANK) if bounds else behind
        return Attribute(name, KINDS[kind]), behind

    def _values(self, name: str, rest: str) -> tuple[list[str], str]:
        """The tokens of the declared values, and what stands behind the braces."""
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
                    f"attribute {_name(name)}: cannot read the values at {_shown(inner[place:], 30)}: "
                    "quote a value that holds blanks, quotes or commas"
                )
            values.append(value[1])
            place = value.end()
        if not values:
            self._fail(f"attribute {_name(name)} declares no value")
        return values, rest[braces.end() :].strip(BLANK)

    def _token(self, rest: str, of: str, what: str) -> tuple[str, str]:
        rest = rest.lstrip(BLANK)
        token = _TOKEN.match(rest)
        if not token:
            self._fail(f"{of}: expected {what}, found {_shown(rest) if rest else 'the end of the line'}")
        behind = rest[token.end() :]
        if behind and behind[0] not in " \t{%[(":
            self._fail(f"{of}: {what} that holds quotes or commas must be quoted, found {_shown(rest)}")
        return unquote(token[0]), behind.strip(BLANK)

    def _nothing_behind(self, rest: str, what: str, hint: str = "") -> None:
        if rest and rest[0] != "%":
            self._fail(f"unexpected {_shown(rest)} behind {what}{hint}")

    def _fail(self, problem: str) -> NoReturn:
        raise FormatError(self.path, self.line or None, problem)


def _decode(attribute: Attribute, encoding: str) -> Attribute:
    """The attribute with its texts as the file's encoding gives them."""
    if attribute.name.isascii() and all(map(str.isascii, attribute.values)):
        return attribute
    values = tuple(_decoded(value, encoding) for value in attribute.values)
    return replace(attribute, name=_decoded(attribute.name, encoding), values=values)


def _decoded(text: str, encoding: str) -> str:
    return text if text.isascii() else as_bytes(text, encoding).decode(encoding)


def _name(text: str) -> str:
    """A name for a message, whole and on one line."""
    return _shown(text, limit=200)


def _shown(text: str, limit: int = 60) -> str:
    return shown(as_bytes(text, "utf-8"), limit)
