"""New rows as text under a file's header: values as the header spells them, numbers in their shortest form.

Cells are handled as in `dataset`: one number an attribute, labels included, in file order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import orjson
import scipy

from lsdmlo_cli.data import Attribute, Dataset
from lsdmlo_cli.formats.arff.tokens import quote
from lsdmlo_cli.formats.label_codes import LabelCodes
from lsdmlo_cli.numeric.matrix import Matrix, as_dense
from lsdmlo_cli.numeric.rows import entry_rows

_WHOLE_BELOW = 1e15
"""From here on the shortest form of a whole number may have an exponent."""

_POINT_ZERO = re.compile(rb"\.0(?=[,\]])")


class Spelling(NamedTuple):
    """How the cells of dense rows are spelled, beside their values.

    between: what stands between two. missing: what stands for one that is missing. point: the decimal mark. quote: a text as a
    cell. of_texts: the same for the texts of a Dataset, None where they are spelled as cells already. quoted: the places, among
    all columns, of numbers that stand in double quotes.
    """

    between: bytes = b","
    missing: bytes = b"?"
    point: bytes = b"."
    quote: Callable[[bytes], bytes] = quote
    of_texts: Callable[[bytes], bytes] | None = None
    quoted: Collection[int] = ()


ARFF_CELLS = Spelling()


class RowWriter:
    """Spells rows for one file.

    label_positions: places of the labels among the attributes of the file. encoding: the file's. spelled: see Header. spelling:
    of dense rows.

    A new number that is its seed's double is spelled as its seed's number, however many digits that has.
    """

    def __init__(
        self,
        dataset: Dataset,
        label_positions: list[int],
        encoding: str,
        line_end: bytes = b"\n",
        spelled: Mapping[int, tuple[bytes, ...]] | None = None,
        spelling: Spelling = ARFF_CELLS,
    ) -> None:
        self.spelling = spelling
        width = dataset.d + dataset.q
        self.label_columns = np.array(label_positions, dtype=np.intp)
        self.feature_columns = np.setdiff1d(np.arange(width), self.label_columns)
        self.dataset = dataset
        self.codes = LabelCodes(dataset)
        self.exact = {self.feature_columns[place]: numbers for place, numbers in dataset.exact.items()}
        self.line_end = line_end
        attributes: list[Attribute] = [*dataset.features, *dataset.labels]
        columns = [*self.feature_columns, *self.label_columns]
        self.tokens: dict[int, list[bytes]] = {}
        self.whole = np.zeros(width, dtype=bool)
        for column, attribute in zip(columns, attributes, strict=True):
            self.whole[column] = attribute.kind == "integer"
            if attribute.kind == "nominal":
                plain = [spelling.quote(value.encode(encoding)) for value in attribute.values]
                own = (spelled or {}).get(column, plain)
                tokens = [one or other for one, other in zip(own, plain, strict=True)]
                if any(token != b"%d" % code for code, token in enumerate(tokens)):
                    self.tokens[column] = tokens
        for place, texts in dataset.texts.items():
            cells = texts[1:] if spelling.of_texts is None else map(spelling.of_texts, texts[1:])
            self.tokens[self.feature_columns[place]] = [spelling.quote(b""), *cells]

    def rows(self, X: Matrix, Y: np.ndarray, sparse: np.ndarray, seeds: np.ndarray) -> bytes:
        """Rows X (m, d), Y (m, q) bool as lines; sparse (m,) bool: which take the sparse form; seeds (m,): -1 without one.

        Errors: DataError where a label would have another value than the only one that it declares.
        """
        cells = self._cells(X, Y)
        if sparse.all():
            return self._sparse_lines(scipy.sparse.csr_array(cells), seeds)
        if not sparse.any():
            return self._dense_lines(as_dense(cells), seeds)
        single = (slice(i, i + 1) for i in range(len(sparse)))
        return b"".join(self.rows(X[i], Y[i], sparse[i], seeds[i]) for i in single)

    def _cells(self, X: Matrix, Y: np.ndarray) -> Matrix:
        codes = self.codes.of(Y)
        if isinstance(X, np.ndarray):
            cells = np.empty((len(Y), X.shape[1] + Y.shape[1]))
            cells[:, self.feature_columns] = X
            cells[:, self.label_columns] = codes
            return cells
        rows, labels = np.nonzero(codes)
        row = np.concatenate([entry_rows(X), rows])
        column = np.concatenate([self.feature_columns[X.indices], self.label_columns[labels]])
        value = np.concatenate([X.data, np.ones(len(rows))])
        return scipy.sparse.csr_array((value, (row, column)), shape=(len(Y), X.shape[1] + Y.shape[1]))

    def _dense_lines(self, cells: np.ndarray, seeds: np.ndarray) -> bytes:
        between = self.spelling.between
        if not self.tokens and not self.exact and not self.spelling.quoted and not self._needs_care(cells, self.whole):
            lines = self._spell(cells)[2:-2].replace(b"],[", b"\n")
            lines = lines if between == b"," else lines.replace(b",", between)
            lines = lines if self.spelling.point == b"." else lines.replace(b".", self.spelling.point)
            return (lines if self.line_end == b"\n" else lines.replace(b"\n", self.line_end)) + self.line_end
        columns = [self._column(cells[:, j], j, seeds) for j in range(cells.shape[1])]
        return b"".join(between.join(row) + self.line_end for row in zip(*columns, strict=True))

    def _column(self, values: np.ndarray, column: int, seeds: np.ndarray) -> list[bytes]:
        if column in self.tokens:
            tokens = self.tokens[column]
            missing = self.spelling.missing
            return [missing if value != value else tokens[int(value)] for value in values.tolist()]
        spelled = self._numbers(values, np.broadcast_to(self.whole[column], values.shape))
        for place, digits in self._kept(column, values, seeds):
            spelled[place] = digits
        if self.spelling.point != b".":
            spelled = [number.replace(b".", self.spelling.point) for number in spelled]
        return [b'"%b"' % number for number in spelled] if column in self.spelling.quoted else spelled

    def _kept(self, column: int, values: np.ndarray, seeds: np.ndarray) -> Iterator[tuple[int, bytes]]:
        """The places among some values of a column that repeat a whole number which X rounds in their seeds, and its digits."""
        if column in self.exact:
            found, digits = self.exact[column].among(seeds)
            same = values[found] == digits.astype(np.float64)
            yield from zip(found[same].tolist(), digits[same].tolist(), strict=True)

    def _numbers(self, values: np.ndarray, whole: np.ndarray) -> list[bytes]:
        if not len(values):
            return []
        spelled = self._spell(values)[1:-1].split(b",")
        for place in np.flatnonzero(whole & (np.abs(values) >= _WHOLE_BELOW)):
            spelled[place] = b"%d" % int(values[place])
        return spelled

    @staticmethod
    def _needs_care(values: np.ndarray, whole: np.ndarray) -> bool:
        return bool(whole.any() and (np.abs(values[..., whole]) >= _WHOLE_BELOW).any())

    def _sparse_lines(self, cells: scipy.sparse.csr_array, seeds: np.ndarray) -> bytes:
        cells.sort_indices()
        tokens = self._numbers(cells.data, self.whole[cells.indices])
        special = np.zeros(cells.shape[1], dtype=bool)
        special[list(self.tokens)] = True
        for place in np.flatnonzero(special[cells.indices] & ~np.isnan(cells.data)):
            tokens[place] = self.tokens[cells.indices[place]][int(cells.data[place])]
        for column in self.exact:
            entries = np.flatnonzero(cells.indices == column)
            for entry, digits in self._kept(column, cells.data[entries], seeds[entry_rows(cells)[entries]]):
                tokens[entries[entry]] = digits
        pieces = [b""] * (2 * len(tokens))
        pieces[::2] = map(self._before_values.__getitem__, cells.indices.tolist())
        pieces[1::2] = tokens
        pairs = [b"".join(pieces[2 * start : 2 * stop])[1:] for start, stop in pairwise(cells.indptr.tolist())]
        return b"{" + (b"}" + self.line_end + b"{").join(pairs) + b"}" + self.line_end if pairs else b""

    @cached_property
    def _before_values(self) -> list[bytes]:
        """What stands before the value of each attribute in a sparse row, with the comma behind the value before."""
        return [b",%d " % column for column in range(len(self.whole))]

    def _spell(self, values: np.ndarray) -> bytes:
        """Numbers as JSON in their shortest form, whole ones without a point; NaN as it is spelled."""
        text = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)
        if np.isnan(values).any():
            text = text.replace(b"null", self.spelling.missing)
        return _POINT_ZERO.sub(b"", text)
