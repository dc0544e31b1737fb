"""What the columns of a table hold, learned block by block: numbers, whole numbers, categories, text or dates.

Text is a category where it has few values: at most MOST_LEVELS or the square root of the rows, and each of them twice on
average. Which other columns are categories the user says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.data.dataset import Kind
from lsdmlo_cli.errors import listed
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.progress import Progress

MOST_LEVELS = 10
"""Values that text in a small file may have to be a category."""
MOST_COUNTED = 20_000
"""Values that are kept of a column that may turn out to be text: as many as a category of 400 million rows can have."""


@dataclass
class Survey:
    """Takes the blocks of a table.

    width: the columns. asked: those that hold categories by the user's word. schema: of the last block. text: its columns
    of text.
    """

    width: int
    asked: Collection[int] = ()
    rows: int = 0
    seen: dict[int, set[str]] = field(default_factory=dict)
    levels: dict[int, dict[str, None]] = field(default_factory=dict)
    too_many: set[int] = field(default_factory=set)
    schema: Any = None
    text: list[int] = field(default_factory=list)

    def add(self, table: Any) -> None:
        """Learn from a block of rows, a pyarrow.Table."""
        self.rows += table.num_rows
        if self.schema is None or not table.schema.equals(self.schema):
            self._add_schema(table.schema)
        for place in self.text:
            if place not in self.too_many:
                self._add_levels(place, table.column(place))

    def _add_schema(self, schema: Any) -> None:
        """Note the types of the columns; a dictionary tells its levels elsewhere."""
        import pyarrow.types as of

        self.schema, self.text = schema, []
        for place, type in enumerate(schema.types):
            name = kind_of(type)
            self.seen.setdefault(place, set()).add(name)
            if name == "text" and not of.is_dictionary(type):
                self.text.append(place)

    def _add_levels(self, place: int, column: Any) -> None:
        own = self.levels.setdefault(place, {})
        own.update(dict.fromkeys(value for value in column.unique().to_pylist() if value is not None))
        if len(own) > MOST_COUNTED and place not in self.asked:
            self.too_many.add(place)
            del self.levels[place]

    @property
    def as_text(self) -> list[int]:
        """Columns that hold text in some blocks and were read as something else in others, and columns of dates."""
        other = {place for place, names in self.seen.items() if names - {"text", "empty"}}
        return sorted(place for place in other if self.kind(place) in ("text", "date"))

    def kind(self, place: int) -> str:
        """What a column holds: integer, numeric, date or text."""
        found = self.seen.get(place, set()) - {"empty"}
        if found <= {"integer"} and found:
            return "integer"
        if found <= {"integer", "numeric"}:
            return "numeric"
        return "date" if found == {"date"} else "text"

    def attributes(self, names: Sequence[str], labels: Collection[int], dates: Collection[int]) -> tuple[Attribute, ...]:
        """The columns as attributes; those of labels are nominal where they hold text. dates: the columns of dates."""
        few = min(max(MOST_LEVELS, isqrt(self.rows)), self.rows // 2)
        return tuple(self._attribute(place, name, few, place in labels, place in dates) for place, name in enumerate(names))

    def _attribute(self, place: int, name: str, few: int, label: bool, date: bool) -> Attribute:
        kind = self.kind(place)
        if kind in ("integer", "numeric"):
            return Attribute(name, "integer" if kind == "integer" else "numeric")
        levels = self.levels.get(place, {})
        if place in self.asked or label or (levels and len(levels) <= few and not date):
            return Attribute(name, "nominal", tuple(sorted(levels, key=_order)))
        carried: Kind = "date" if date else "string"
        return Attribute(name, carried)


def _order(text: str) -> tuple[bool, float, str]:
    """Numbers first and rising, then text."""
    try:
        return False, float(text), text
    except ValueError:
        return True, 0.0, text


def surveyed(survey: Survey, tables: Callable[[], Iterable[Any]], most_bytes: int, progress: Progress) -> Iterator[Any]:
    """Let a survey take all blocks of a table; then the blocks once more, read again where they take more than most_bytes."""
    kept: list[Any] = []
    held = 0
    for table in tables():
        survey.add(table)
        held += table.nbytes
        kept.append(table)
        if held > most_bytes:
            kept.clear()
        progress("reading rows", survey.rows, 0)
    return _handed_out(kept) if held <= most_bytes else iter(tables())


def _handed_out(tables: list[Any]) -> Iterator[Any]:
    """The tables of a list, which lets go of each."""
    tables.reverse()
    while tables:
        yield tables.pop()


def kind_of(type: Any) -> str:
    """What a column of a type of pyarrow holds: empty, integer, numeric, date or text.

    >>> import pyarrow
    >>> [kind_of(type) for type in (pyarrow.int8(), pyarrow.float32(), pyarrow.date32(), pyarrow.null(), pyarrow.string())]
    ['integer', 'numeric', 'date', 'empty', 'text']
    """
    import pyarrow.types as of

    if of.is_null(type):
        return "empty"
    if of.is_integer(type):
        return "integer"
    if of.is_floating(type) or of.is_decimal(type):
        return "numeric"
    return "date" if of.is_temporal(type) else "text"


def carried_warnings(attributes: Sequence[Attribute], mixed: dict[str, str], ignored: Collection[str]) -> tuple[str, ...]:
    """What is told of columns that have no part in distances: of text which option settles what it is; of dates that they are.

    mixed: by column, an example of text in it beside numbers.
    """
    text = [a.name for a in attributes if a.kind == "string" and a.name not in ignored]
    dates = [a.name for a in attributes if a.kind == "date" and a.name not in ignored]
    warnings = []
    for name in text[:1]:
        others = f" (so do {len(text) - 1} more columns: {listed(text[1:])})" if len(text) > 1 else ""
        what = f"numbers, and text such as {shown(mixed[name], 30)}" if name in mixed else "text with many values"
        warnings.append(
            f"column {shown(name, 200)} holds {what}{others}: new rows take it from their seed, and it has no part in distances; "
            f"--categories {name} makes it a category, --ignore {name} says that it is none"
        )
    if dates:
        several = "columns of dates have" if len(dates) > 1 else "a column of dates has"
        warnings.append(f"{several} no part in distances, and new rows take the dates of their seed: {listed(dates)}")
    return tuple(warnings)
