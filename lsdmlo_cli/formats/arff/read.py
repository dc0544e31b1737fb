"""From a file to a Dataset: header, labels, then the rows block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.data import Dataset, ExactNumbers, Origin
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.columns import Column, Texts, check_labels, columns
from lsdmlo_cli.formats.arff.copy import copy
from lsdmlo_cli.formats.arff.exact_numbers import exact_numbers
from lsdmlo_cli.formats.arff.fast_rows import FastRows
from lsdmlo_cli.formats.arff.header import Header, HeaderReader
from lsdmlo_cli.formats.arff.lines import whole_lines
from lsdmlo_cli.formats.arff.new_rows import RowWriter
from lsdmlo_cli.formats.arff.rows import Block, Rules, exact_rows
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.format import NewRows
from lsdmlo_cli.formats.label_codes import is_flipped
from lsdmlo_cli.formats.labels import LabelSource, find_labels, ignored_features, split_warning
from lsdmlo_cli.numeric.matrix import IN_MEMORY, Matrix, Stack
from lsdmlo_cli.progress import Progress, silent


@dataclass(frozen=True)
class Arff:
    """A file that was read: its data, and what writing needs to know of it."""

    dataset: Dataset
    header: Header
    labels: LabelSource
    keel: bool = False

    def write(self, source: Source, target: Target, keep: np.ndarray | None = None, new: Iterable[NewRows] = ()) -> None:
        """Copy the bytes of the rows that stay, and write new ones, each in the form (dense or sparse) of its seed.

        Without a seed it has the form of the first row. See DataFile.
        """
        line_end, complete = copy(source, target, keep, self.keel)
        writer = RowWriter(self.dataset, self.labels.positions, self.header.encoding, line_end, self.header.spelled)
        for batch in new:
            rows = writer.rows(batch.X, batch.Y, self.dataset.sparse_rows[np.maximum(batch.seeds, 0)], batch.seeds)
            target.write(rows if complete else line_end + rows)
            complete = True


class _Rows(NamedTuple):
    """What stands in the data section: X (n, d), Y (n, q); sparse: (n,) bool; exact: by attribute; weighted: whether a row is."""

    X: Matrix
    Y: scipy.sparse.csr_array
    sparse: np.ndarray
    exact: Mapping[int, ExactNumbers]
    weighted: bool


def read(
    source: Source,
    labels: str | None = None,
    keel: bool = False,
    *,
    ignore: Iterable[Any] | None = None,
    most_bytes: int = IN_MEMORY,
    progress: Progress = silent,
) -> Arff:
    """Read a whole file; `labels` is what --labels takes, or None: then they are looked for. keel: see ArffFormat.

    See Format for what the arguments mean, and for errors.
    """
    blocks = whole_lines(source.path, source.blocks())
    header, rest, line = read_header(source.path, blocks, keel)
    found = find_labels(source.path, header, labels, header.outputs, "@outputs")
    check_labels(source.path, header, found.positions, mulan=found.xml is not None)
    chosen = frozenset(found.positions)
    ignored = ignored_features(source.name, header, chosen, ignore)
    readers = columns(header.attributes, header.encoding, chosen, header.patterns)
    rules = Rules(source.path, header.attributes, readers, chosen)
    parts = _row_blocks(line, _with_marks(_chain(rest, blocks), keel), rules)
    rows = _collect(parts, header, found.positions, most_bytes, progress)
    dataset = _dataset(source, header, found, rows, _texts(readers))
    return Arff(dataset.ignoring(ignored), header, found, keel)


def _texts(readers: Iterable[Column]) -> dict[int, list[bytes]]:
    """The tables of the string and date attributes, by place."""
    return {i: own.table for i, read in enumerate(readers) if isinstance(own := getattr(read, "__self__", None), Texts)}


def _dataset(source: Source, header: Header, found: LabelSource, rows: _Rows, texts: Mapping[int, list[bytes]]) -> Dataset:
    labels = set(found.positions)
    features = [i for i in range(len(header.attributes)) if i not in labels]
    return Dataset(
        relation=header.relation,
        features=tuple(header.attributes[i] for i in features),
        labels=tuple(header.attributes[i] for i in found.positions),
        X=rows.X,
        Y=rows.Y,
        parents=np.array(found.parents, dtype=np.intp),
        sparse_rows=rows.sparse,
        texts={place: texts[i] for place, i in enumerate(features) if i in texts},
        exact={place: rows.exact[i] for place, i in enumerate(features) if i in rows.exact},
        origin=Origin(source.name, found.found_in, _form(rows.sparse), source.sha256),
        warnings=_warnings(header, found, rows),
    )


def _warnings(header: Header, found: LabelSource, rows: _Rows) -> tuple[str, ...]:
    """What the user should know of the file."""
    warnings = found.warnings + split_warning(header)
    if rows.weighted or header.weighted:
        warnings += ("the file gives weights to instances or attributes; they stay in it and are ignored in every figure",)
    return warnings + _nesting_warning(rows.Y, found, header)


def read_header(path: str, blocks: Iterator[bytes], keel: bool = False) -> tuple[Header, bytes, int]:
    """The header, the bytes that follow it in its last block, and the number of the line that they start with."""
    reader = HeaderReader(path, keel)
    for block in blocks:
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        used = reader.feed(lines)
        if used is not None:
            return reader.finish(), block[sum(map(len, lines[:used])) + used :], reader.line + 1
    reader.finish()
    raise FormatError(path, None, "@data is missing: there are declarations, and no rows")


def _row_blocks(line: int, blocks: Iterator[bytes], rules: Rules) -> Iterator[tuple[Block, Mapping[int, ExactNumbers]]]:
    fast = FastRows(rules.attributes, rules.labels)
    for text in blocks:
        block = fast.read(text)
        if block is None:
            block = exact_rows(text.removesuffix(b"\n").split(b"\n"), line, rules)
        yield block, exact_numbers(block.cells, text, rules)
        line += text.count(b"\n")


def _with_marks(blocks: Iterator[bytes], keel: bool) -> Iterator[bytes]:
    """Whole lines with the mark of ARFF in place of KEEL's where a value is missing."""
    return (block.replace(b"<null>", b"?") for block in blocks) if keel else blocks


def _chain(rest: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    if rest:
        yield rest
    yield from blocks


def _collect(
    blocks: Iterator[tuple[Block, Mapping[int, ExactNumbers]]],
    header: Header,
    labels: list[int],
    most_bytes: int,
    progress: Progress,
) -> _Rows:
    split = _Split(header, labels)
    X = Stack(len(header.attributes) - len(labels), most_bytes)
    Y = Stack(len(labels), dense=False)
    sparse = [np.zeros(0, dtype=bool)]
    exact: dict[int, list[ExactNumbers]] = {}
    weighted, rows = False, 0
    for block, numbers in blocks:
        X.append(split.features(block.cells))
        Y.append(split.labels(block.cells))
        sparse.append(block.sparse)
        for column, own in numbers.items():
            exact.setdefault(column, []).append(ExactNumbers(own.rows + rows, own.digits))
        weighted |= block.weighted
        rows += len(block.sparse)
        progress("reading rows", rows, 0)
    together = {column: ExactNumbers(*map(np.concatenate, zip(*parts, strict=True))) for column, parts in sorted(exact.items())}
    return _Rows(X.finish(), Y.finish(), np.concatenate(sparse), together, weighted)


class _Split:
    """Splits a block of cells into the features' columns and the labels' 0 and 1."""

    def __init__(self, header: Header, labels: list[int]) -> None:
        self.label_columns = np.array(labels, dtype=np.intp)
        self.feature_columns = np.setdiff1d(np.arange(len(header.attributes)), self.label_columns)
        self.is_label = np.zeros(len(header.attributes), dtype=bool)
        self.is_label[self.label_columns] = True
        self.place = np.empty(len(header.attributes), dtype=np.int32)
        self.place[self.label_columns] = np.arange(len(labels))
        self.place[self.feature_columns] = np.arange(len(self.feature_columns))
        self.flipped = np.array([is_flipped(header.attributes[i]) for i in labels], dtype=bool)

    def features(self, cells: Matrix) -> Matrix:
        if isinstance(cells, np.ndarray):
            return cells[:, _slice_or(self.feature_columns)]
        return self._chosen(cells, ~self.is_label[cells.indices], len(self.feature_columns))

    def labels(self, cells: Matrix) -> scipy.sparse.csr_array:
        if isinstance(cells, np.ndarray):
            return scipy.sparse.csr_array(
                np.where(self.flipped, 1.0 - cells[:, self.label_columns], cells[:, self.label_columns])
            )
        set_to_one = self._chosen(cells, self.is_label[cells.indices], len(self.label_columns))
        return self._flip(set_to_one) if self.flipped.any() else set_to_one

    def _chosen(self, cells: scipy.sparse.csr_array, kept: np.ndarray, width: int) -> scipy.sparse.csr_array:
        kept &= cells.data != 0
        starts = np.concatenate([[0], np.cumsum(kept)])[cells.indptr]
        return scipy.sparse.csr_array((cells.data[kept], self.place[cells.indices[kept]], starts), shape=(cells.shape[0], width))

    def _flip(self, codes: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """Where the first declared value means 1, an omitted cell is 1."""
        ones = np.zeros(codes.shape)
        ones[:, self.flipped] = 1.0
        return scipy.sparse.csr_array(scipy.sparse.coo_array(np.abs(ones - codes.toarray())))


def _slice_or(columns: np.ndarray) -> slice | np.ndarray:
    """Columns that follow each other as a slice, which copies nothing."""
    first, count = (int(columns[0]), len(columns)) if len(columns) else (0, 0)
    return slice(first, first + count) if np.array_equal(columns, np.arange(first, first + count)) else columns


def _nesting_warning(Y: scipy.sparse.csr_array, labels: LabelSource, header: Header) -> tuple[str, ...]:
    """A warning where a row of Y (n, q) has a label and not the one it is nested in."""
    parents = np.array(labels.parents, dtype=np.intp)
    nested = np.flatnonzero(parents >= 0)
    if not len(nested):
        return ()
    child = Y[:, nested]
    alone = scipy.sparse.csr_array(child - child.multiply(Y[:, parents[nested]]))
    alone.eliminate_zeros()
    rows = np.flatnonzero(np.diff(alone.indptr))
    if not len(rows):
        return ()
    label = nested[alone.indices[alone.indptr[rows[0]]]]
    name, above = (shown(header.attributes[labels.positions[place]].name, 200) for place in (label, parents[label]))
    return (
        f"{len(rows)} of {Y.shape[0]} rows have a nested label without the label around it (first row {rows[0] + 1}: {name} "
        f"without {above}); Mulan refuses such a file: set the outer labels too",
    )


def _form(sparse: np.ndarray) -> Literal["dense", "sparse", "mixed"]:
    if not sparse.any():
        return "dense"
    return "sparse" if sparse.all() else "mixed"
