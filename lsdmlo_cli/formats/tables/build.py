"""The numbers of a Dataset from blocks of Arrow's columns, whose attributes are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.data import Attribute, ExactNumbers, truth
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.exact_numbers import LARGEST_EXACT
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.formats.label_codes import is_flipped
from lsdmlo_cli.formats.tables.survey import kind_of
from lsdmlo_cli.numeric.matrix import Matrix, Stack, in_form
from lsdmlo_cli.progress import Progress


class Filled(NamedTuple):
    """X (n, d) and Y (n, q); texts, exact: by feature, as in Dataset."""

    X: Matrix
    Y: scipy.sparse.csr_array
    texts: dict[int, list[bytes]]
    exact: dict[int, ExactNumbers]


@dataclass
class Columns:
    """Turns blocks into numbers.

    attributes: of all columns. labels: the places of the labels among them, rising. line_of: the line in which a row stands,
    which is counted from 0; None where a file has no lines.
    """

    path: str
    attributes: Sequence[Attribute]
    labels: Sequence[int]
    line_of: Callable[[int], int | None]

    def __post_init__(self) -> None:
        places = range(len(self.attributes))
        self.features = np.setdiff1d(np.arange(len(self.attributes)), np.array(self.labels, dtype=np.intp))
        self.numbers = [place for place in places if self.attributes[place].is_number]
        self.codes: dict[int, dict[str, float]] = {
            place: {value: float(code) for code, value in enumerate(self.attributes[place].values)}
            for place in places
            if self.attributes[place].kind == "nominal"
        }
        self.texts = {place: {"": 0.0} for place in places if self.attributes[place].is_carried}
        self.exact: dict[int, list[ExactNumbers]] = {}
        self.flipped = np.array([is_flipped(self.attributes[place]) for place in self.labels], dtype=bool)
        self.declared: dict[int, Any] = {}

    def fill(self, tables: Iterable[Any], most_bytes: int, progress: Progress) -> Filled:
        """X and Y of all blocks. Errors: FormatError for a label that is not 0 or 1, and for an infinite number."""
        self._check_labels()
        X, Y, rows = Stack(len(self.features), most_bytes), Stack(len(self.labels), dense=False), 0
        labels, features = as_slice(self.labels), as_slice(self.features.tolist())
        for table in tables:
            cells = self._cells(table, rows)
            if _largest(cells) >= LARGEST_EXACT:
                self._refuse_infinite(cells, rows)
                self._keep_exact(table, cells, rows)
            positive = self._positive(cells[:, labels], rows)
            X.append(cells[:, features])
            Y.append(in_form(positive, dense=False))
            rows += len(cells)
            progress("reading rows", rows, 0)
        place = {column: feature for feature, column in enumerate(self.features.tolist())}
        texts = {place[column]: [text.encode() for text in table] for column, table in self.texts.items()}
        exact = {
            place[column]: ExactNumbers(*map(np.concatenate, zip(*parts, strict=True)))
            for column, parts in sorted(self.exact.items())
            if column in place
        }
        return Filled(X.finish(), Y.finish(), texts, exact)

    def _check_labels(self) -> None:
        for place in self.labels:
            attribute = self.attributes[place]
            if not attribute.is_number and truth(attribute.values) is None:
                found = ", ".join(shown(value, 30) for value in attribute.values[:5])
                what = f"label {shown(attribute.name, 200)} must be 0 and 1, false and true or no and yes"
                raise FormatError(self.path, None, f"{what}; it holds {found or 'no value'}")

    def _cells(self, table: Any, first: int) -> np.ndarray:
        """The block's numbers (rows, columns), -0 as 0; first: the number of its first row."""
        import pyarrow.types as of

        cells = np.empty((table.num_rows, len(self.attributes)))
        types = table.schema.types
        plain = [place for place in self.numbers if is_plain(types[place])]
        if plain:
            numbers = table.select(plain).combine_chunks().to_batches()[0].to_tensor(null_to_nan=True).to_numpy()
            if isinstance(own := as_slice(plain), slice):
                np.add(numbers, 0.0, out=cells[:, own])
            else:
                cells[:, own] = numbers + 0.0
        for place in set(self.numbers) - set(plain):
            cells[:, place] = table.column(place).cast("float64").to_numpy() + 0.0
        encoded = [place for place in self.codes if of.is_dictionary(types[place])]
        if encoded:
            self._fill_encoded(table, encoded, cells)
        for place in self.codes.keys() - set(encoded):
            cells[:, place] = _coded(table.column(place), self.codes[place])
        for place, codes in self.texts.items():
            cells[:, place] = _coded(table.column(place), codes, grows=True)
        return cells

    def _fill_encoded(self, table: Any, places: Sequence[int], cells: np.ndarray) -> None:
        """The codes of columns that are dictionaries in the file, its own where the values have the same order."""
        import pyarrow as pa

        columns = [_whole(table.column(place)) for place in places]
        indices = pa.RecordBatch.from_arrays([column.indices for column in columns], list(map(str, places)))
        cells[:, as_slice(places)] = indices.to_tensor(null_to_nan=True).to_numpy()
        for place, column in zip(places, columns, strict=True):
            if place not in self.declared:
                self.declared[place] = pa.array(self.attributes[place].values, pa.string())
            if not column.dictionary.equals(self.declared[place]):
                codes = [self.codes[place].get(value, np.nan) for value in column.dictionary.cast("string").to_pylist()]
                own = np.nan_to_num(cells[:, place], nan=len(codes)).astype(np.intp)
                cells[:, place] = np.array([*codes, np.nan])[own]

    def _keep_exact(self, table: Any, cells: np.ndarray, first: int) -> None:
        """Note the whole numbers that a float64 rounds."""
        types = table.schema.types
        for place in (place for place in self.numbers if kind_of(types[place]) == "integer"):
            rows = np.flatnonzero(np.abs(cells[:, place]) >= LARGEST_EXACT)
            digits = zip(rows.tolist(), table.column(place).take(rows).to_pylist(), strict=True)
            rounded = [(row + first, b"%d" % value) for row, value in digits if int(float(value)) != value]
            if rounded:
                self.exact.setdefault(place, []).append(ExactNumbers(*map(np.array, zip(*rounded, strict=True))))

    def _refuse_infinite(self, cells: np.ndarray, first: int) -> None:
        infinite = np.isinf(cells)
        if infinite.any():
            row, column = np.argwhere(infinite)[0]
            raise FormatError(self.path, self.line_of(first + row), f"column {self._name(column)} holds an infinite number")

    def _positive(self, codes: np.ndarray, first: int) -> np.ndarray:
        """(rows, q) bool: which labels a block's rows have. Errors: FormatError for a code that is not 0 or 1."""
        ones = codes == 1.0
        if np.count_nonzero(codes) != np.count_nonzero(ones):
            row, label = np.argwhere((codes != 0.0) & ~ones)[0]
            value, name = codes[row, label], self._name(self.labels[label])
            what = "a missing value" if np.isnan(value) else f"{value:.15g}"
            raise FormatError(self.path, self.line_of(first + row), f"label {name}: {what}; a label must be 0 or 1")
        return ones ^ self.flipped if self.flipped.any() else ones

    def _name(self, place: int) -> str:
        return shown(self.attributes[place].name, 200)


def as_slice(places: Sequence[int]) -> slice | list[int]:
    """The places as a slice where they follow each other, which makes a view of columns and no copy.

    >>> as_slice([2, 3, 4]), as_slice([2, 4])
    (slice(2, 5, None), [2, 4])
    """
    found = list(places)
    follow = bool(found) and found == list(range(found[0], found[0] + len(found)))
    return slice(found[0], found[0] + len(found)) if follow else found


def _whole(column: Any) -> Any:
    """The only chunk of a column, or all of them in one."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _largest(cells: np.ndarray) -> float:
    """The largest absolute value, NaN left out; 0 where there is none."""
    found = float(max(cells.max(initial=0.0), -cells.min(initial=0.0)))
    return float(np.fmax.reduce(np.abs(cells), axis=None, initial=0.0)) if np.isnan(found) else found


def is_plain(type: Any) -> bool:
    """Whether columns of a type can be laid side by side by pyarrow."""
    import pyarrow.types as of

    return of.is_integer(type) or of.is_float32(type) or of.is_float64(type)


def _coded(column: Any, codes: dict[str, float], grows: bool = False) -> np.ndarray:
    """The codes (rows,) of a column of text, NaN where it is missing; grows: whether other values get a code."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    if grows:
        for value in values:
            codes.setdefault(value, float(len(codes)))
    table = np.array([*(codes[value] for value in values), np.nan])
    return table[encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)]
