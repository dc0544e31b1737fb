"""Which attributes are the labels: named by an XML (Mulan), by names, by a count, or by `-C n` in the relation (MEKA).

Mulan: <labels><label name="..."/>...</labels>, possibly nested (a hierarchy: every level is a label). MEKA: behind the
first colon of the relation's name, `-C n`: the first n attributes, or the last -n.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol
from xml.etree.ElementTree import Element, ParseError

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.errors import FileError, FormatError, ParameterError, closest, listed, reason, twin
from lsdmlo_cli.formats.arff.tokens import names_between_commas, shown, unescape
from lsdmlo_cli.formats.files import STREAM, is_regular
from lsdmlo_cli.formats.names import stem

_PART_OF_A_SET = re.compile(r"-(?:train|test|sparse|r\d+f\d+|fold\d+)$", re.IGNORECASE | re.ASCII)
_COUNT = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_SPLITS = ("-split-percentage", "-split-number")
_WAYS = (
    "name them with --labels FILE.xml, --labels NAME,... (or 'label_*'), --labels N (the first N attributes) or "
    "--labels=-N (the last N)"
)


class Columns(Protocol):
    """What a file says of its columns. relation: its title, in which MEKA keeps options; empty where a format has none."""

    @property
    def relation(self) -> str: ...

    @property
    def attributes(self) -> Sequence[Attribute]: ...


@dataclass(frozen=True)
class Untitled:
    """The Columns of a file without a title."""

    attributes: tuple[Attribute, ...]
    relation: str = ""


@dataclass(frozen=True)
class LabelSource:
    """The label attributes of a file, in file order.

    positions: their places among the attributes. parents: for each the place of its parent in `positions`, -1 without one.
    found_in: what the report says. xml: the XML's path, if the labels came from one.
    """

    positions: list[int]
    parents: list[int]
    found_in: str
    xml: str | None = None
    warnings: tuple[str, ...] = ()


def find_labels(path: str, header: Columns, option: str | None, own: Sequence[str] = (), found_in: str = "") -> LabelSource:
    """The labels of the file at `path`; `option` says which they are, None: they are looked for.

    option: a whole number is a count; what is no attribute's name and is the path of a file (or ends as one, in .xml or .txt)
    is an XML, or a file of names, a name a line; all else is names and patterns, separated by commas. own: the labels that the
    file itself names, in found_in; an XML beside it comes before them, as it knows which labels are nested.
    """
    if option is None and own and not has_xml(path):
        return named_labels(path, header, own, found_in)
    if option is None:
        return _looked_for(path, header)
    if _COUNT.fullmatch(option):
        return _counted(path, header, option)
    if any(attribute.name == option for attribute in header.attributes):
        return named_labels(path, header, [option], f"--labels {option}")
    if not is_label_file(option):
        names = names_between_commas(option)
        return named_labels(path, header, names, f"--labels {listed(names)}")
    if names_xml(option):
        return _from_xml(path, header, option)
    return named_labels(path, header, read_names(option), Path(option).name, option)


def _looked_for(path: str, header: Columns) -> LabelSource:
    """The labels by the XML beside the file, else by MEKA's `-C n`."""
    places = [] if path == STREAM else xml_candidates(path)
    xml = next((place for place in places if Path(place).is_file()), None)
    if xml is not None:
        found = _from_xml(path, header, xml)
        return LabelSource(found.positions, found.parents, found.found_in, xml, _contradiction(path, header, found))
    count = meka_count(path, header)
    if count is not None:
        return _block(header, count, f"-C {count}")
    looked = [*(f"no {place}" for place in places), "no -C n in the relation's name"]
    raise FormatError(path, None, f"which attributes are the labels? There is {', '.join(looked)}: {_WAYS}")


def has_xml(path: str) -> bool:
    """Whether an XML lies beside a file."""
    return path != STREAM and any(Path(place).is_file() for place in xml_candidates(path))


def is_label_file(option: str) -> bool:
    """Whether a value of --labels is the path of a file: there is one, or its name ends in .xml or .txt."""
    return option.lower().endswith((".xml", ".txt")) or os.path.exists(option)


def names_xml(file: str) -> bool:
    """Whether a file of labels is an XML: by its ending where that says so, else unless it is UTF-8 that does not begin with <.

    Errors: FileError where it cannot be read.
    """
    if file.lower().endswith((".xml", ".txt")):
        return file.lower().endswith(".xml")
    return not is_regular(file) or _content(file).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"<", b"", b"\xff", b"\xfe")


def read_names(file: str) -> list[str]:
    """The names in a file, a name a line, without blanks around them. Errors: FileError; FormatError where there is none."""
    try:
        text = _content(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(file, None, "this is no file of names: expected UTF-8 text with a label's name on each line") from error
    names = [name.strip() for name in text.splitlines() if name.strip()]
    if not names:
        raise FormatError(file, None, "there are no names in it: expected a label's name on each line")
    return names


def named_labels(path: str, header: Columns, names: Sequence[str], found_in: str, file: str | None = None) -> LabelSource:
    """The labels that have one of some names, or match one that is a pattern; file: where the names stand."""
    place = {attribute.name: i for i, attribute in enumerate(header.attributes)}
    positions: set[int] = set()
    for name in names:
        found = [place[name]] if name in place else [i for other, i in place.items() if fnmatchcase(other, name)]
        if not found:
            what = f"label {shown(name, 200)} is not an attribute of {path}{_nearest(name, list(place))}"
            raise FormatError(file, None, what) if file else FormatError(path, None, f"--labels: {_no_such(name, place)}")
        positions.update(found)
    return LabelSource(sorted(positions), [-1] * len(positions), found_in)


def _no_such(name: str, known: Collection[str]) -> str:
    """What is told of a name or a pattern that no attribute has."""
    if any(sign in name for sign in "*?["):
        return f"no attribute matches {shown(name, 200)}{_nearest(name, list(known))}"
    return f"there is no attribute {shown(name, 200)}{_nearest(name, list(known))}"


def ignored_features(file: str, header: Columns, labels: Collection[int], ignore: Iterable[Any] | None) -> set[int]:
    """The places, among the features, of those that are to be ignored; labels: the places of the labels among the attributes.

    Errors: ParameterError for a name that is no feature's.
    """
    asked = list(ignore) if isinstance(ignore, Iterable) and not isinstance(ignore, str) else []
    for name in (header.attributes[place].name for place in sorted(labels)):
        if name in asked:
            raise ParameterError(f"ignore names {shown(name)}, which is a label of {file}: only features can be ignored")
    features = [attribute.name for place, attribute in enumerate(header.attributes) if place not in labels]
    return chosen_columns(file, features, ignore, "ignore")


def xml_candidates(path: str) -> list[str]:
    """Where the XML of a file may lie, in the order of looking.

    >>> xml_candidates("birds-train.arff.xz")
    ['birds-train.xml', 'birds.xml']
    """
    name = stem(path)
    names = [name]
    while (name := _PART_OF_A_SET.sub("", name)) != names[-1]:
        names.append(name)
    return [f"{name}.xml" for name in names]


def meka_count(path: str, header: Columns) -> int | None:
    """n of `-C n` behind the first colon of the relation's name, None without one; FormatError where it makes no sense."""
    words = meka_options(header)
    flag = "-C" if "-C" in words else "-c"
    if flag not in words:
        return None
    value = words[words.index(flag) + 1 :][:1]
    attributes = len(header.attributes)
    if not value or not _COUNT.fullmatch(value[0]) or not 0 < abs(int(value[0])) <= attributes:
        raise FormatError(
            path,
            None,
            f"the relation {shown(header.relation, 200)} must give {flag} a number of labels from 1 (or -1) to "
            f"{attributes} (or -{attributes}), the number of attributes; or {_WAYS}",
        )
    return int(value[0])


def split_warning(header: Columns) -> tuple[str, ...]:
    """A warning where the options in the relation's name split the rows: new rows would stand among those for the test."""
    words = meka_options(header)
    split = next((word for word in words if word in _SPLITS), None)
    if split is None:
        return ()
    option = " ".join(words[words.index(split) :][:2])
    return (
        f"the relation {shown(header.relation, 200)} says {option}: MEKA trains on the first rows and tests on the rest, so new "
        "rows fall into the test part, and test rows may be their parents; resample a file of training rows without this option "
        "(lsdmlo split makes one)",
    )


def meka_options(header: Columns) -> list[str]:
    """The words behind the first colon of the relation's name, where MEKA keeps its options."""
    return header.relation.partition(":")[2].split()


def _counted(path: str, header: Columns, option: str) -> LabelSource:
    count = int(option)
    if count == 0:
        raise ParameterError("--labels 0: a count of labels must not be 0")
    if abs(count) > len(header.attributes):
        raise FormatError(path, None, f"--labels {count}: there are only {len(header.attributes)} attributes")
    return _block(header, count, f"--labels {count}")


def _block(header: Columns, count: int, found_in: str) -> LabelSource:
    every = range(len(header.attributes))
    positions = list(every[:count] if count > 0 else every[count:])
    return LabelSource(positions, [-1] * len(positions), found_in)


def _contradiction(path: str, header: Columns, found: LabelSource) -> tuple[str, ...]:
    try:
        count = meka_count(path, header)
    except FormatError:
        count = 0
    if count is None or (count and _block(header, count, "").positions == found.positions):
        return ()
    return (f"{found.found_in} and -C in the relation {shown(header.relation)} name different labels; the XML is followed",)


def _from_xml(path: str, header: Columns, xml: str) -> LabelSource:
    names, above = read_xml(xml)
    place = {attribute.name: i for i, attribute in enumerate(header.attributes)}
    found = [place.get(name, place.get(unescape(name), -1)) for name in names]
    for name, position in zip(names, found, strict=True):
        if position < 0:
            raise FormatError(xml, None, f"label {shown(name, 200)} is not an attribute of {path}{_nearest(name, list(place))}")
    positions = sorted(found)
    for one, two in pairwise(positions):
        if one == two:
            raise FormatError(xml, None, f"label {shown(header.attributes[one].name, 200)} is listed twice: remove one")
    rank = {position: i for i, position in enumerate(positions)}
    parents = [-1] * len(positions)
    for position, parent in zip(found, above, strict=True):
        if parent >= 0:
            parents[rank[position]] = rank[found[parent]]
    return LabelSource(positions, parents, Path(xml).name, xml)


def _nearest(name: str, known: list[str]) -> str:
    close = closest(name, known)
    return "" if close is None else f"; the nearest name there is {shown(close, 200)}"


def read_xml(xml: str) -> tuple[list[str], list[int]]:
    """The labels' names in an XML, and for each the place of the label it is nested in (-1: none).

    Errors: FileError where it cannot be read, FormatError where it is not well formed, holds entities, no label, a
    label without a name or one twice.
    """
    names: list[str] = []
    parents: list[int] = []
    for element, parent in _label_elements(_parse(xml)):
        name = element.get("name")
        if not name:
            raise FormatError(xml, None, f"label {len(names) + 1} has no name")
        names.append(name)
        parents.append(parent)
    if not names:
        raise FormatError(xml, None, 'there are no labels in it: expected <labels><label name="..."/>...</labels>')
    refuse_twins(xml, names)
    return names, parents


def refuse_twins(file: str, names: Sequence[str]) -> None:
    """Raise FormatError for a label that a file lists twice."""
    found = twin(names)
    if found is not None:
        raise FormatError(file, None, f"label {shown(found, 200)} is listed twice: remove one")


def _parse(xml: str) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    content = _content(xml)
    try:
        root: Element = fromstring(content)
    except ParseError as error:
        what = str(error).partition(": line")[0]
        raise FormatError(xml, error.position[0], f"the XML is not well formed ({what})") from error
    except DefusedXmlException as error:
        raise FormatError(xml, None, "the XML declares entities; that is not allowed here: remove them") from error
    except (ValueError, LookupError) as error:  # an encoding that does not exist
        raise FormatError(xml, None, f"the XML cannot be read ({error})") from error
    return root


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {file}: {reason(error)}") from error


def _label_elements(root: Element) -> Iterator[tuple[Element, int]]:
    """The label elements in document order, each with the number of the nearest label around it."""
    stack = [(root, -1)]
    count = 0
    while stack:
        element, parent = stack.pop()
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "label":
            yield element, parent
            parent, count = count, count + 1
        stack.extend((child, parent) for child in reversed(element))


def label_file_for(output: str, xml: str) -> tuple[str | None, str | None]:
    """Where the XML must be copied for `output` to find its labels (None: nowhere), and a warning where a file is in the way."""
    found = next((place for place in xml_candidates(output) if Path(place).is_file()), None)
    if found is not None and _same_labels(found, xml):
        return None, None
    own = xml_candidates(output)[0]
    if Path(own).exists():
        return None, f"{own} names other labels than {xml} and is left as it is; {output} needs --labels {xml}"
    return own, None


def _same_labels(one: str, other: str) -> bool:
    try:
        return sorted(_with_parents(one)) == sorted(_with_parents(other))
    except (FileError, FormatError):
        return False


def _with_parents(xml: str) -> list[tuple[str, str]]:
    names, parents = read_xml(xml)
    return [(name, names[parent] if parent >= 0 else "") for name, parent in zip(names, parents, strict=True)]
