"""A data set written as a new file of each of our formats. What the format cannot hold is returned, a sentence for each kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.extras import optional
from lsdmlo_cli.formats.arff.new_rows import RowWriter, Spelling
from lsdmlo_cli.formats.arff.tokens import quote
from lsdmlo_cli.formats.csv.dialect import NULLS, Dialect, is_number
from lsdmlo_cli.formats.csv.write import quoting
from lsdmlo_cli.formats.files import Target
from lsdmlo_cli.formats.format import Format
from lsdmlo_cli.formats.label_codes import LabelCodes
from lsdmlo_cli.formats.libsvm.write import spelled
from lsdmlo_cli.formats.plain import Plain, lost
from lsdmlo_cli.numeric.encoding import columns_with_missing, observed_range
from lsdmlo_cli.numeric.matrix import in_form, walk

_RELATION = "the relation's name is not kept"
_LEVELS = "which values these categories may have, and their order, is not kept"


def create(form: Format, table: Plain, target: Target) -> list[str]:
    """Write a data set as a file of a format; what that cannot hold. Errors: ParameterError for a format of another package."""
    if form.name not in _WRITERS:
        raise ParameterError(f"{target.path}: {form.name} files cannot be made from others, only {', '.join(_WRITERS)}")
    return _WRITERS[form.name](table, target)


def _arff(table: Plain, target: Target) -> list[str]:
    data = table.data
    named = {place for place in range(data.d) if data.features[place].kind == "date" and place not in table.patterns}
    features = [replace(a, kind="string") if place in named else a for place, a in enumerate(data.features)]
    table = replace(table, data=replace(data, features=tuple(features)))
    patterns = {data.features[place].name: pattern for place, pattern in table.patterns.items()}
    lines = [f"@relation {_token(data.relation or 'data')}", ""]
    lines += [f"@attribute {_token(a.name)} {_arff_type(a, patterns)}" for a in table.attributes]
    target.write("\n".join([*lines, "", "@data", ""]).encode())
    writer = RowWriter(table.data, list(table.positions), "utf-8", spelling=Spelling(of_texts=quote))
    sparse = not isinstance(data.X, np.ndarray)
    for rows in table.rows():
        target.write(writer.rows(rows.X, rows.Y, np.full(len(rows.Y), sparse), rows.seeds))
    return lost([data.features[place].name for place in sorted(named)], "dates without a format are declared as strings")


def _token(text: str) -> str:
    return quote(text.encode()).decode()


def _arff_type(attribute: Attribute, patterns: dict[str, str]) -> str:
    if attribute.kind == "nominal":
        return "{" + ",".join(map(_token, attribute.values)) + "}"
    return f"date {_token(patterns[attribute.name])}" if attribute.kind == "date" else attribute.kind


def _keel(table: Plain, target: Target) -> list[str]:
    data = table.data
    carried = [place for place, a in enumerate(data.features) if a.kind in ("string", "date")]
    values = {place: tuple(text.decode() for text in data.texts[place][1:]) or ("none",) for place in carried}
    features = [replace(a, kind="nominal", values=values[j]) if j in values else a for j, a in enumerate(data.features)]
    X = data.X.toarray() if carried and not isinstance(data.X, np.ndarray) else data.X
    if carried:
        X = X.copy()
        X[:, carried] -= 1
        X[:, carried] = np.where(X[:, carried] < 0, np.nan, X[:, carried])
    table = replace(table, data=replace(data, features=tuple(features), X=X, texts={}))
    low, high = observed_range(X)
    ranges = {a.name: f" [{low[j]:.15g}, {high[j]:.15g}]" for j, a in enumerate(features) if a.is_number and low[j] <= high[j]}
    kinds = {"numeric": "real", "integer": "integer"}
    lines = [f"@relation {_token(data.relation or 'data')}"]
    for a in table.attributes:
        own = _arff_type(a, {}) if a.kind == "nominal" else kinds[a.kind] + ranges.get(a.name, "")
        lines.append(f"@attribute {_token(a.name)} {own}")
    lines.append("@inputs " + ", ".join(_token(a.name) for a in features))
    lines.append("@outputs " + ", ".join(_token(a.name) for a in data.labels))
    target.write("\n".join([*lines, "@data", ""]).encode())
    writer = RowWriter(table.data, list(table.positions), "utf-8", spelling=Spelling(missing=b"<null>"))
    _dense_rows(table, writer, target)
    return lost([data.features[place].name for place in carried], "text becomes categories in KEEL's form")


def _dense_rows(table: Plain, writer: RowWriter, target: Target) -> None:
    for rows in table.rows():
        target.write(writer.rows(rows.X, rows.Y, np.zeros(len(rows.Y), dtype=bool), rows.seeds))


def _text_table(delimiter: str) -> Callable[[Plain, Target], list[str]]:
    def write(table: Plain, target: Target) -> list[str]:
        data, own = table.data, quoting(Dialect(delimiter))
        target.write(delimiter.join(own(a.name.encode()).decode() for a in table.attributes).encode() + b"\n")
        spelling = Spelling(between=delimiter.encode(), missing=b"", quote=own, of_texts=own)
        _dense_rows(table, RowWriter(data, list(table.positions), "utf-8", spelling=spelling), target)
        nominal = [a for a in data.features if a.kind == "nominal"]
        numbers = [a.name for a in nominal if all(is_number(value, ".") or value in NULLS for value in a.values)]
        losses = [_RELATION] if data.relation else []
        if numbers:
            losses += lost(numbers, "these categories look like numbers, so that --categories must name them")
        losses += lost(_whole_numbers(data), "these numbers are whole throughout, and will be read as whole numbers")
        return losses + lost([a.name for a in nominal if list(a.values) != sorted(a.values)], _LEVELS)

    return write


def _whole_numbers(data: Dataset) -> list[str]:
    """The features that may hold fractions, and hold none."""
    numeric = np.array([a.kind == "numeric" for a in data.features], dtype=bool)
    for _, X in walk(data.X) if numeric.any() else ():
        cells: Any = in_form(X, dense=False)
        numeric[cells.indices[np.nan_to_num(cells.data) % 1 != 0]] = False
    return [data.features[place].name for place in np.flatnonzero(numeric)]


def _libsvm(table: Plain, target: Target) -> list[str]:
    data = table.data
    kept = [place for place, a in enumerate(data.features) if a.kind not in ("string", "date")]
    missing = np.flatnonzero(columns_with_missing(data.X))
    first, width = True, len(kept)
    for rows in table.rows():
        X = rows.X if width == data.d else rows.X[:, kept]
        if len(missing):
            X = X.copy()
            cells = X if isinstance(X, np.ndarray) else X.data
            cells[np.isnan(cells)] = 0.0
            X = X if isinstance(X, np.ndarray) else _without_zeros(X)
        lines = list(spelled(X, rows.Y, 1, 0))
        if first and lines and width and b" %d:" % width not in lines[0]:
            lines[0] = lines[0].rstrip() + b" %d:0" % width  # so that the number of features is known
        first = False
        target.write(b"".join(line + b"\n" for line in lines))
    features = [data.features[place] for place in kept]
    losses = ["the names of the features are not kept: they are numbers"] if width else []
    losses += ["nested labels are no longer nested"] if (data.parents >= 0).any() else []
    losses += lost([a.name for a in features if a.kind == "nominal"], "categories are written as numbers from 0")
    losses += lost([data.features[place].name for place in missing], "missing values are written as 0")
    return losses + lost([a.name for a in data.features if a.kind in ("string", "date")], "text is left out")


def _without_zeros(X: Any) -> Any:
    X.eliminate_zeros()
    return X


def _arrow(parquet: bool) -> Callable[[Plain, Target], list[str]]:
    def write(table: Plain, target: Target) -> list[str]:
        pa = optional("pyarrow", f"{target.path}: writing it needs pyarrow", "tables")
        from lsdmlo_cli.formats.arrow.groups import Groups, Sink
        from lsdmlo_cli.formats.arrow.read import LABELS_KEY

        names = json.dumps([label.name for label in table.data.labels])
        fields = [pa.field(a.name, _arrow_type(a)) for a in table.attributes]
        schema = pa.schema(fields, {LABELS_KEY: names.encode()})
        with Groups(parquet, None, schema, 0, {}).writer(pa.PythonFile(Sink(target), mode="w")) as writer:
            for part in _arrow_parts(table, schema):
                writer.write_table(part, max(part.num_rows, 1))
        return [_RELATION] if table.data.relation else []

    return write


def _arrow_type(attribute: Attribute) -> Any:
    import pyarrow as pa

    kinds = {"numeric": pa.float64(), "integer": pa.int64(), "nominal": pa.dictionary(pa.int32(), pa.string())}
    return kinds.get(attribute.kind, pa.string())


def _arrow_parts(table: Plain, schema: Any) -> Iterator[Any]:
    """The rows as tables of a schema."""
    import pyarrow as pa

    from lsdmlo_cli.formats.arrow.read import cells
    from lsdmlo_cli.numeric.matrix import as_dense

    data, codes = table.data, LabelCodes(table.data)
    for rows in table.rows():
        X, columns = as_dense(rows.X), dict[str, Any]()
        for place, feature in enumerate(data.features):
            type, own = schema.field(feature.name).type, X[:, place]
            if place in data.texts:
                missing = np.isnan(own)
                words = pa.array([text.decode() for text in data.texts[place]], pa.string())
                columns[feature.name] = words.take(pa.array(np.where(missing, 0, own).astype(np.int64), mask=missing))
                continue
            columns[feature.name] = cells(own, feature, type)
            if place in data.exact and feature.kind == "integer":
                found, digits = data.exact[place].among(rows.seeds)
                whole = columns[feature.name].to_pylist()
                for row, number in zip(found.tolist(), digits.tolist(), strict=True):
                    whole[row] = int(number)
                columns[feature.name] = pa.array(whole, type)
        own_codes = codes.of(rows.Y).astype(np.float64)
        for place, label in enumerate(data.labels):
            columns[label.name] = cells(own_codes[:, place], label, schema.field(label.name).type)
        yield pa.table([columns[name] for name in schema.names], schema=schema)


_WRITERS: dict[str, Callable[[Plain, Target], list[str]]] = {
    "ARFF": _arff,
    "CSV": _text_table(","),
    "TSV": _text_table("\t"),
    "LibSVM": _libsvm,
    "Parquet": _arrow(True),
    "Feather": _arrow(False),
    "KEEL": _keel,
}
