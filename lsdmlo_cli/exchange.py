"""Data sets of other libraries as ours, and back: dictionaries of liac-arff, and what scikit-multilearn loads.

    data = from_arff(arff.load(open("emotions.arff")), labels=-6)
    arff.dump(to_arff(data), open("again.arff", "w"))
    data = from_skmultilearn(*load_dataset("emotions", "train"))

Neither library is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset, Kind
from lsdmlo_cli.data.tables import dataset, table
from lsdmlo_cli.data.tables import labels as label_table
from lsdmlo_cli.errors import DataError, FormatError
from lsdmlo_cli.formats import Source, read
from lsdmlo_cli.formats.arff.tokens import quote, unquoted
from lsdmlo_cli.formats.label_codes import LabelCodes
from lsdmlo_cli.numeric.matrix import Matrix, as_dense

BLOCK = 1024
"""Rows that are made dense at a time."""
_TYPES = {"numeric": "NUMERIC", "integer": "INTEGER", "string": "STRING", "date": "STRING"}
_KINDS: dict[str, Kind] = {"NUMERIC": "numeric", "REAL": "numeric", "INTEGER": "integer"}


def from_arff(dictionary: Mapping[str, Any], labels: str | int | Sequence[str] | None = None) -> Dataset:
    """The data set of a dictionary as `arff.load` gives it, dense, COO or a list of dictionaries, nominal values encoded or not.

    labels: as --labels has them, a count or a list of names; None: the relation's -C. Types may also be those of dates, `DATE
    "yyyy-MM-dd"`. Errors: DataError for what an ARFF file may not hold, or where there are no labels.
    """
    if labels is None and not re.search(r"-C\s+-?\d", str(dictionary["relation"])):
        raise DataError("the relation of the dictionary names no labels by -C n: give labels=-6 (the last six) or their names")
    with TemporaryDirectory(prefix="lsdmlo-") as folder:
        place, chosen = Path(folder) / "dictionary.arff", labels if labels is None else str(labels)
        if labels is not None and not isinstance(labels, str | int):
            names = Path(folder) / "labels.txt"
            names.write_text("".join(f"{name}\n" for name in labels), encoding="utf-8")
            chosen = str(names)
        with place.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in _lines(dictionary))
        try:
            with Source(str(place)) as source:
                found = read(source, chosen).dataset
        except FormatError as error:
            raise DataError(f"the dictionary, {error.problem}") from error
    return replace(found, origin=replace(found.origin, file=found.relation, sha256=None))


def to_arff(data: Dataset) -> dict[str, Any]:
    """The dictionary of a data set that `arff.dump` takes: features, then labels; sparse rows as dictionaries.

    Dates become strings, since liac-arff has no dates; which attributes are labels the relation says only where it did before.
    """
    attributes = [(one.name, list(one.values) or _TYPES[one.kind]) for one in (*data.features, *data.labels)]
    rows = list(_dictionary_rows(data))
    return {"description": "", "relation": data.relation or "data", "attributes": attributes, "data": rows}


def from_skmultilearn(X: Any, y: Any, feature_names: Sequence[Any], label_names: Sequence[Any]) -> Dataset:
    """The data set of what `load_dataset` or `load_from_arff` (with return_attribute_definitions) of scikit-multilearn gives.

    feature_names, label_names: of the columns, (name, type) or a name alone; where the type is a list of values, X holds their
    positions in it. Errors: DataError where they do not fit X and y.
    """
    for what, names, columns in (("feature", feature_names, X.shape[1]), ("label", label_names, y.shape[1])):
        if len(names) != columns:
            raise DataError(f"there are {len(names)} {what} names for {columns} columns")
    found = dataset(table(X, "X"), label_table(y))
    features = [_attribute(one, found.X[:, [j]]) for j, one in enumerate(feature_names)]
    labels = [replace(label, name=_name_type(one)[0]) for label, one in zip(found.labels, label_names, strict=True)]
    return replace(found, features=tuple(features), labels=tuple(labels))


def _name_type(one: Any) -> tuple[str, Any]:
    """The name of a column and its type; a name alone is that of numbers."""
    return (one, "NUMERIC") if isinstance(one, str) else (str(one[0]), one[1])


def _attribute(one: Any, column: Matrix) -> Attribute:
    name, type = _name_type(one)
    if isinstance(type, str):
        if type.upper() not in _KINDS:
            raise DataError(f"feature {name!r} is of the type {type}: leave it out, or make it numbers")
        return Attribute(name, _KINDS[type.upper()])
    codes = column.ravel() if isinstance(column, np.ndarray) else column.data
    wrong = codes[~(np.isnan(codes) | np.isin(codes, np.arange(len(type))))]
    if len(wrong):
        raise DataError(f"feature {name!r} has {len(type)} values, and X holds {wrong[0]:g}, which is no position among them")
    return Attribute(name, "nominal", tuple(map(str, type)))


def _lines(dictionary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an ARFF file of the same content."""
    attributes = list(dictionary["attributes"])
    yield f"@relation {_quoted(dictionary['relation'])}"
    for name, type in attributes:
        yield f"@attribute {_quoted(name)} {type if isinstance(type, str) else '{' + ','.join(map(_quoted, type)) + '}'}"
    yield "@data"
    types = [type for _, type in attributes]
    for row in _rows(dictionary["data"]):
        if isinstance(row, Mapping):
            yield "{" + ",".join(f"{j} {_cell(row[j], types[j])}" for j in sorted(row)) + "}"
        else:
            yield ",".join(_cell(value, type) for value, type in zip(row, types, strict=True))


def _rows(data: Any) -> Iterator[Any]:
    """Rows as lists, or as dictionaries by column; COO is values, rows and columns."""
    if not isinstance(data, tuple) or len(data) != 3:
        yield from data
        return
    entries = sorted(zip(data[1], data[2], data[0], strict=True), key=itemgetter(0, 1))
    filled = 0
    for row, cells in groupby(entries, key=itemgetter(0)):
        yield from ({} for _ in range(filled, row))
        yield {column: value for _, column, value in cells}
        filled = row + 1


def _cell(value: Any, type: Any) -> str:
    if value is None or value != value:
        return "?"
    if not isinstance(type, str):
        return _quoted(value if isinstance(value, str) else type[int(value)])
    if type.upper() not in _KINDS:
        return _quoted(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def _quoted(text: Any) -> str:
    return quote(str(text).encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _dictionary_rows(data: Dataset) -> Iterator[Any]:
    """Rows as lists of cells, or (where all were sparse) as dictionaries, which leave out what is 0."""
    own = [_values(data, j, one) for j, one in enumerate((*data.features, *data.labels))]
    codes, is_sparse = LabelCodes(data), data.n > 0 and bool(data.sparse_rows.all())
    for start in range(0, data.n, BLOCK):
        rows = slice(start, start + BLOCK)
        cells = np.hstack([as_dense(data.X[rows]), codes.of(data.Y[rows].toarray() != 0)])
        for row in cells:
            places = np.flatnonzero(row) if is_sparse else np.arange(len(row))
            pairs = ((j, row[j]) for j in places.tolist())
            spelled = {j: None if np.isnan(value) else own[j](value) for j, value in pairs}
            yield spelled if is_sparse else list(spelled.values())


def _values(data: Dataset, j: int, attribute: Attribute) -> Callable[[float], Any]:
    """From a number of X to what stands for it in a dictionary."""
    if attribute.kind == "nominal":
        return lambda code: attribute.values[int(code)]
    if j in data.texts:
        texts = [unquoted(text, "utf-8").decode("utf-8", "replace") for text in data.texts[j]]
        return lambda code: texts[int(code)]
    return int if attribute.kind == "integer" else float
