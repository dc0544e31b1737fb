"""From Parquet or Feather to a Dataset, group by group, and back with other rows; the schema says what columns hold.

Dictionaries are categories with their levels, truth values are `false` and `true`, text is looked at as in CSV. What pandas kept
as an index is carried.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset, Origin
from lsdmlo_cli.data.tables.cells import typed
from lsdmlo_cli.errors import FormatError, twin
from lsdmlo_cli.extras import optional
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.formats.arrow.groups import Groups, Sink, opened
from lsdmlo_cli.formats.csv.read import asked_categories
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.format import NewRows
from lsdmlo_cli.formats.label_codes import LabelCodes
from lsdmlo_cli.formats.labels import LabelSource, Untitled, find_labels, ignored_features
from lsdmlo_cli.formats.tables.build import Columns
from lsdmlo_cli.formats.tables.survey import Survey, carried_warnings, surveyed
from lsdmlo_cli.numeric.matrix import as_dense
from lsdmlo_cli.progress import Progress

LABELS_KEY = b"lsdmlo.labels"
"""In a schema's metadata: the names of the labels, as JSON."""


@dataclass(frozen=True)
class ArrowTable:
    """A file that was read."""

    dataset: Dataset
    labels: LabelSource
    parquet: bool

    def write(self, source: Source, target: Target, keep: np.ndarray | None = None, new: Iterable[NewRows] = ()) -> None:
        """See DataFile: the groups as they are, less the rows that go, then each batch of new rows as a group of its own."""
        import pyarrow as pa

        groups, row = opened(source, self.parquet), 0
        with groups.writer(pa.PythonFile(Sink(target), mode="w")) as writer:
            for table in groups.tables():
                stays = None if keep is None else keep[row : row + table.num_rows]
                row += table.num_rows
                kept = table if stays is None or stays.all() else table.filter(pa.array(stays))
                if kept.num_rows or not table.num_rows:
                    writer.write_table(kept, max(kept.num_rows, 1))
            carried = self._carried(groups) if new else None
            for batch in new:
                writer.write_table(self._table(batch, groups.schema, carried), max(len(batch.Y), 1))

    def _carried(self, groups: Groups) -> Any:
        """The columns of which new rows take the cells of their seed, whole."""
        import pyarrow as pa

        exact = {self.dataset.features[place].name for place in self.dataset.exact}
        names = [a.name for a in self.dataset.features if a.is_carried or a.name in exact]
        return pa.concat_tables([table.select(names) for table in groups.tables()] or [groups.schema.empty_table().select(names)])

    def _table(self, batch: NewRows, schema: Any, carried: Any) -> Any:
        """New rows as a table of the file's schema."""
        import pyarrow as pa

        X, seeds = as_dense(batch.X), pa.array(batch.seeds, mask=batch.seeds < 0)
        columns: dict[str, Any] = {}
        for place, feature in enumerate(self.dataset.features):
            type, own = schema.field(feature.name).type, None
            if feature.name in carried.column_names:
                own = carried.column(feature.name).take(seeds).combine_chunks()
            if own is not None and feature.is_carried:
                columns[feature.name] = own
                continue
            columns[feature.name] = cells(X[:, place], feature, type)
            if own is not None:
                same = pa.array(own.cast("float64", safe=False).to_numpy(zero_copy_only=False) == X[:, place])
                columns[feature.name] = pa.compute.if_else(same, own, columns[feature.name])
        codes = LabelCodes(self.dataset).of(batch.Y).astype(np.float64)
        for place, label in enumerate(self.dataset.labels):
            columns[label.name] = cells(codes[:, place], label, schema.field(label.name).type)
        return pa.table([columns[name] for name in schema.names], schema=schema)


def cells(values: np.ndarray, attribute: Attribute, type: Any) -> Any:
    """Numbers that stand for cells as an array of a type of pyarrow; NaN is null."""
    import pyarrow as pa

    missing = np.isnan(values)
    if attribute.is_number:
        if pa.types.is_integer(type):
            return pa.array(typed(np.where(missing, 0.0, values), type.to_pandas_dtype()), type, mask=missing)
        if pa.types.is_boolean(type):
            return pa.array(values == 1, type, mask=missing)
        return pa.array(values, mask=missing).cast(type)
    codes = pa.array(np.where(missing, 0, values).astype(np.int32), mask=missing)
    levels = pa.array(attribute.values, pa.string())
    if pa.types.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(codes.cast(type.index_type), levels.cast(type.value_type), ordered=type.ordered)
    return levels.cast(type).take(codes)


def read(
    source: Source, labels: str | None, parquet: bool, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
) -> ArrowTable:
    """Read a whole file; see Format."""
    optional("pyarrow", f"{source.path}: reading it needs pyarrow", "tables")
    groups = opened(source, parquet)
    header = Untitled(tuple(Attribute(name, "numeric") for name in groups.schema.names))
    _refuse(source.path, groups.schema)
    own = json.loads((groups.schema.metadata or {}).get(LABELS_KEY, b"[]"))
    found = find_labels(source.path, header, labels, own, "the schema")
    ignored = ignored_features(source.name, header, found.positions, ignore)
    asked = asked_categories(source.form, header.attributes, found.positions)
    survey, levels = Survey(len(header.attributes), asked), dict[int, dict[str, None]]()
    tables = surveyed(survey, lambda: _plain_tables(groups, asked, levels), most_bytes, progress)
    dates = [place for place, type in enumerate(groups.schema.types) if _is_date(type)]
    attributes = survey.attributes(groups.schema.names, found.positions, dates)
    attributes = tuple(_with_levels(a, levels.get(place)) for place, a in enumerate(attributes))
    columns = Columns(source.path, attributes, found.positions, lambda row: None)
    filled = columns.fill(tables, most_bytes, progress)
    features = tuple(attributes[place] for place in columns.features)
    index = {place for place, feature in enumerate(features) if feature.name in _index(groups.schema)}
    known = [features[place].name for place in (*ignored, *index)]
    data = Dataset(
        relation="",
        features=features,
        labels=tuple(attributes[place] for place in found.positions),
        X=filled.X,
        Y=filled.Y,
        parents=np.array(found.parents, dtype=np.intp),
        sparse_rows=np.zeros(survey.rows, dtype=bool),
        texts=filled.texts,
        exact=filled.exact,
        origin=Origin(source.name, found.found_in, "dense", source.sha256),
        warnings=(*found.warnings, *carried_warnings(features, {}, known)),
    )
    return ArrowTable(data.ignoring({*ignored, *index}), found, parquet)


def _index(schema: Any) -> list[str]:
    """The columns that pandas kept as an index."""
    kept = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    return [name for name in kept if isinstance(name, str)]


def _refuse(path: str, schema: Any) -> None:
    """FormatError for a type of column that stands for no cell, and for two columns of one name."""
    import pyarrow.types as of

    for name, type in zip(schema.names, schema.types, strict=True):
        if of.is_nested(type) or of.is_binary(type) or of.is_large_binary(type) or of.is_fixed_size_binary(type):
            raise FormatError(path, None, f"column {shown(name, 200)} holds {type}: leave it out, or make it numbers or text")
    found = twin(schema.names)
    if found is not None:
        raise FormatError(path, None, f"two columns are named {shown(found, 200)}: rename one")


def _with_levels(attribute: Attribute, levels: Iterable[str] | None) -> Attribute:
    """The attribute with the levels of its dictionary, where it has one."""
    return attribute if levels is None else replace(attribute, kind="nominal", values=tuple(levels))


def _is_date(type: Any) -> bool:
    import pyarrow.types as of

    return bool(of.is_temporal(type))


def _plain_tables(groups: Groups, as_text: Sequence[int], levels: dict[int, dict[str, None]]) -> Iterator[Any]:
    """The groups as `plain` has them; levels: where those of dictionaries are noted, by column."""
    last: dict[int, Any] = {}
    for table in groups.tables():
        _add_levels(levels, table, last)
        yield plain(table, as_text)


def _add_levels(levels: dict[int, dict[str, None]], table: Any, last: dict[int, Any]) -> None:
    """Note the levels of the dictionaries of a group; last: the last dictionary of each column, mostly that of the next, too."""
    import pyarrow.types as of

    for place, type in enumerate(table.schema.types):
        if not of.is_dictionary(type):
            continue
        own = levels.setdefault(place, {})
        for chunk in table.column(place).chunks:
            if place not in last or not chunk.dictionary.equals(last[place]):
                last[place] = chunk.dictionary
                own.update(dict.fromkeys(value for value in chunk.dictionary.cast("string").to_pylist() if value is not None))


def plain(table: Any, as_text: Sequence[int]) -> Any:
    """A group with columns that are numbers, text, dictionaries of text or nothing."""
    import pyarrow as pa

    return pa.table(list(_plain_columns(table, as_text)), [str(place) for place in range(table.num_columns)])


def _plain_columns(table: Any, as_text: Sequence[int]) -> Iterator[Any]:
    import pyarrow.types as of

    for place, type in enumerate(table.schema.types):
        column = table.column(place)
        if of.is_dictionary(type):
            yield column
        elif place in as_text or not (of.is_integer(type) or of.is_floating(type) or of.is_decimal(type) or of.is_null(type)):
            yield column.cast("string")
        elif of.is_float16(type) or of.is_decimal(type):
            yield column.cast("float64")
        else:
            yield column
