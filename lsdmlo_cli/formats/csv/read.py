"""From a table of text to a Dataset: the dialect and the names from the first rows, then blocks of rows through pyarrow.

A column's type is known at the end: a block is read with the types that its own cells have. Blocks are kept for a second pass as
long as they fit, and read again where they do not, or where a column that looked like numbers holds text after all.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset, Origin
from lsdmlo_cli.errors import FormatError, ParameterError, hint, twin
from lsdmlo_cli.extras import optional
from lsdmlo_cli.formats.arff.lines import without_mark
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.formats.csv.dialect import NULLS, Dialect, cells_of, dialect, is_number
from lsdmlo_cli.formats.csv.rows import is_blank, row_blocks, row_ends
from lsdmlo_cli.formats.csv.write import write
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.form import Form
from lsdmlo_cli.formats.format import NewRows
from lsdmlo_cli.formats.labels import LabelSource, find_labels, ignored_features
from lsdmlo_cli.formats.tables.build import Columns
from lsdmlo_cli.formats.tables.survey import Survey, carried_warnings, surveyed
from lsdmlo_cli.progress import Progress

BLOCK_BYTES = 1 << 22
HEAD_BYTES = 1 << 16
"""Of the file, from which the dialect is found; more where a row is longer."""
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Layout:
    """What the first rows say. encoding: of the file. names: of the columns. relation: empty, as there is no title."""

    dialect: Dialect
    encoding: str
    attributes: tuple[Attribute, ...]
    relation: str = ""


@dataclass(frozen=True)
class Csv:
    """A file that was read."""

    dataset: Dataset
    labels: LabelSource
    layout: Layout

    def write(self, source: Source, target: Target, keep: np.ndarray | None = None, new: Iterable[NewRows] = ()) -> None:
        """See DataFile and `csv/write.py`."""
        write(self, source, target, keep, new)


def read(
    source: Source,
    labels: str | None,
    delimiter: str | None,
    *,
    ignore: Iterable[Any] | None,
    most_bytes: int,
    progress: Progress,
) -> Csv:
    """Read a whole file; delimiter: that of the format, None where it has none. See Format."""
    optional("pyarrow", f"{source.path}: reading it needs pyarrow", "tables")
    layout = layout_of(source, delimiter)
    found = find_labels(source.path, layout, labels)
    ignored = ignored_features(source.name, layout, found.positions, ignore)
    asked = asked_categories(source.form, layout.attributes, found.positions)
    survey, dates, tables = _surveyed(source, layout, asked, most_bytes, progress)
    names = [attribute.name for attribute in layout.attributes]
    attributes = survey.attributes(names, found.positions, dates)
    columns = Columns(source.path, attributes, found.positions, partial(line_of, source, layout))
    filled = columns.fill(tables, most_bytes, progress)
    features = [attributes[place] for place in columns.features]
    told = carried_warnings(features, _mixed(features, filled.texts, layout), [features[place].name for place in ignored])
    data = Dataset(
        relation="",
        features=tuple(features),
        labels=tuple(attributes[place] for place in found.positions),
        X=filled.X,
        Y=filled.Y,
        parents=np.array(found.parents, dtype=np.intp),
        sparse_rows=np.zeros(survey.rows, dtype=bool),
        texts=filled.texts,
        exact=filled.exact,
        origin=Origin(source.name, found.found_in, "dense", source.sha256),
        warnings=(*found.warnings, *_no_header(layout), *told),
    )
    return Csv(data.ignoring(ignored), found, layout)


def asked_categories(form: Form, attributes: Iterable[Attribute], labels: Collection[int]) -> list[int]:
    """The places of the columns that --categories names. Errors: ParameterError for one that is no feature's."""
    place = {attribute.name: i for i, attribute in enumerate(attributes) if i not in labels}
    for name in form.categories:
        if name not in place:
            raise ParameterError(f"--categories: there is no feature {shown(name, 200)}{hint(name, place)}")
    return [place[name] for name in form.categories]


def _no_header(layout: Layout) -> tuple[str, ...]:
    if layout.dialect.header:
        return ()
    return ("its first row is taken for data, as numbers stand in it: columns are named 1 and so on (--from csv:header=yes)",)


def _mixed(features: Iterable[Attribute], texts: dict[int, list[bytes]], layout: Layout) -> dict[str, str]:
    """By name, the first text of each column that holds numbers, too."""
    found = {}
    for place, feature in enumerate(features):
        values = [text.decode() for text in texts.get(place, ())[1:]]
        other = [value for value in values if not is_number(value, layout.dialect.decimal)]
        if other and len(other) < len(values):
            found[feature.name] = other[0]
    return found


def layout_of(source: Source, delimiter: str | None) -> Layout:
    """The dialect and the columns' names. Errors: FormatError for an empty file, and for names that are not told apart."""
    encoding = _encoding(source)
    text = _head(source, encoding)
    found = dialect(text, _without_encoding(source.form), delimiter)
    rows = cells_of(text, found.delimiter, found.quote)
    if not rows:
        raise FormatError(source.path, None, "the file is empty: expected a row of names")
    names = [name.strip() for name in rows[0]] if found.header else [str(i) for i in range(1, len(rows[0]) + 1)]
    names = [name or f"column {i}" for i, name in enumerate(names, 1)]
    same = twin(names)
    if same is not None:
        problem = f"two columns are named {shown(same, 200)}: rename one (or say --from csv:header=no)"
        raise FormatError(source.path, 1, problem)
    return Layout(found, encoding, tuple(Attribute(name, "numeric") for name in names))


def _without_encoding(form: Form) -> Form:
    return replace(form, options=tuple(pair for pair in form.options if pair[0] != "encoding"))


def _encoding(source: Source) -> str:
    """The encoding that the user or a mark at the file's start names, else UTF-8. Errors: ParameterError for an unknown one."""
    start = next(source.blocks(), b"")[:4]
    given = dict(source.form.options).get("encoding")
    if given is None:
        return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "utf-8")
    try:
        return codecs.lookup(given).name
    except LookupError:
        raise ParameterError(f"--from: there is no encoding {given!r}: try utf-8, utf-16 or cp1252") from None


def _head(source: Source, encoding: str) -> str:
    """Text from the start of the file: about HEAD_BYTES, whole lines; a row that is longer than that is whole."""
    text = b""
    for block in utf8_blocks(source, encoding):
        text += block
        if len(text) > HEAD_BYTES and text.count(b"\n") + text.count(b"\r") > 2:
            break
    cut = max(text.rfind(b"\n", 0, HEAD_BYTES), text.rfind(b"\r", 0, HEAD_BYTES)) + 1
    if text.count(b"\n", 0, cut) + text.count(b"\r", 0, cut) <= 2:
        cut = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 if len(text) > HEAD_BYTES else len(text)
    cut = cut if len(text) > HEAD_BYTES else len(text)
    return text[:cut].decode("utf-8", "replace")


def utf8_blocks(source: Source, encoding: str) -> Iterator[bytes]:
    """The blocks of a file as UTF-8 without a mark. Errors: FormatError for bytes that are no text in the encoding."""
    if encoding == "utf-8":
        for number, block in enumerate(source.blocks()):
            yield block if number else without_mark(source.path, block)
        return
    decoder, lines = codecs.getincrementaldecoder(encoding)(), 1
    for number, block in enumerate(source.blocks()):
        try:
            text = decoder.decode(block)
        except UnicodeDecodeError as error:
            raise not_text(source.path, encoding, None, error) from error
        lines += text.count("\n")
        yield (text if number else text.removeprefix("\ufeff")).encode()
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise FormatError(source.path, lines, f"the file ends within a character of {encoding}: it is cut short") from error


def not_text(path: str, encoding: str, line: int | None, error: UnicodeDecodeError) -> FormatError:
    """The error of bytes that are no text in an encoding."""
    found = error.object[error.start : error.start + 1].hex()
    return FormatError(path, line, f"the byte 0x{found} is no {encoding}: name the encoding, as in --from csv:encoding=cp1252")


def _surveyed(
    source: Source, layout: Layout, asked: Collection[int], most_bytes: int, progress: Progress
) -> tuple[Survey, set[int], Iterable[Any]]:
    """What the columns hold, those that hold dates, and the blocks of the file, read anew where they must be."""
    width = len(layout.attributes)
    survey = Survey(width, asked)
    tables = surveyed(survey, partial(tables_of, source, layout, asked), most_bytes, progress)
    again = survey.as_text
    if not again:
        return survey, set(), tables
    dates = {place for place in again if survey.kind(place) == "date"}
    survey = Survey(width, asked)
    return survey, dates, surveyed(survey, partial(tables_of, source, layout, [*asked, *again]), most_bytes, progress)


def tables_of(source: Source, layout: Layout, text: Collection[int]) -> Iterator[Any]:
    """The rows of the file in blocks, each a pyarrow.Table of its columns by place; text: the columns to read as text.

    A block is tried with the types of the one before, which is faster than to find them.
    """
    import pyarrow as pa

    rows, known, forced = 0, dict[str, Any](), {str(place): pa.string() for place in text}
    for block in data_blocks(source, layout):
        try:
            table = _parsed(block, layout, known) if known else _parsed(block, layout, forced)
        except pa.ArrowInvalid:
            try:
                table = _parsed(block, layout, forced)
            except pa.ArrowInvalid as error:
                raise _fault(source.path, block, layout, line_of(source, layout, rows) or 1, error) from error
        yield table
        rows += table.num_rows
        known = {name: type for name, type in zip(table.schema.names, table.schema.types, strict=True) if type != pa.null()}


def _parsed(block: bytes, layout: Layout, types: Mapping[str, Any]) -> Any:
    """A block of whole rows as a table; types: of columns that are known, by name; those of others are found.

    Errors: ArrowInvalid where a row does not fit, or a column does not fit its type.
    """
    import pyarrow as pa
    from pyarrow import csv

    dialect, names = layout.dialect, [str(place) for place in range(len(layout.attributes))]
    convert = csv.ConvertOptions(
        column_types=types,
        null_values=list(NULLS),
        true_values=[],
        false_values=[],
        strings_can_be_null=True,
        quoted_strings_can_be_null=dialect.all_quoted,
        decimal_point=dialect.decimal,
    )
    parse = csv.ParseOptions(
        delimiter=dialect.delimiter, quote_char=dialect.quote or False, newlines_in_values=True, ignore_empty_lines=True
    )
    options = csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1)
    table = csv.read_csv(pa.BufferReader(block), options, parse, convert)
    if pa.binary() in table.schema.types:
        raise pa.ArrowInvalid("it is no UTF-8")
    return table


def data_blocks(source: Source, layout: Layout) -> Iterator[bytes]:
    """The rows behind the header in blocks of UTF-8."""
    waiting = layout.dialect.header
    size = max(BLOCK_BYTES, 64 * len(layout.attributes))
    for block in row_blocks(source.path, utf8_blocks(source, layout.encoding), layout.dialect, size):
        rest = block[header_end(block, layout.dialect) :] if waiting else block
        waiting = False
        if rest.strip(b"\r\n"):
            yield rest


def header_end(block: bytes, dialect: Dialect) -> int:
    """Where the rows behind the first row that is not blank begin, in a block from the start of the file."""
    for start in (block[:HEAD_BYTES], block):
        ends = row_ends(start, dialect)[0]
        solid = np.flatnonzero(~is_blank(start, ends))
        if len(solid) and (end := int(ends[solid[0]])) < len(start):
            return end
    return len(block)


def line_of(source: Source, layout: Layout, row: int) -> int | None:
    """The line in which a row of the data begins, counted from 1; the file is read again."""
    line, skip = 1, row + layout.dialect.header
    for block in row_blocks(source.path, utf8_blocks(source, layout.encoding), layout.dialect, BLOCK_BYTES):
        ends = row_ends(block, layout.dialect)[0]
        solid = np.flatnonzero(~is_blank(block, ends))
        if skip < len(solid):
            return line + _lines(block[: int(np.concatenate([[0], ends])[solid[skip]])])
        skip -= len(solid)
        line += _lines(block)
    return None


def _lines(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _fault(path: str, block: bytes, layout: Layout, line: int, error: Exception) -> FormatError:
    """The error of a block that pyarrow refuses: the first row that is not text or has another number of cells."""
    width, start = len(layout.attributes), 0
    for end in row_ends(block, layout.dialect)[0].tolist():
        row = block[start:end]
        try:
            cells = cells_of(row.decode(), layout.dialect.delimiter, layout.dialect.quote)
        except UnicodeDecodeError as problem:
            return not_text(path, "utf-8", line, problem)
        if cells and len(cells[0]) != width:
            return FormatError(path, line, f"expected {width} values, found {len(cells[0])}")
        line += max(_lines(row), 1)
        start = end
    return FormatError(path, None, " ".join(str(error).split())[:200])
