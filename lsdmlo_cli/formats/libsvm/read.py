"""From LibSVM's multi-label form to a Dataset, block by block through scikit-learn's reader.

Features are numbered from 1, or from 0 where an index 0 occurs, and have their numbers as names. Labels are numbered, too; where
a file or an XML names q labels, these are the numbers 0 to q - 1, or 1 to q where q occurs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.data import Attribute, Dataset, Origin
from lsdmlo_cli.errors import FormatError, ParameterError
from lsdmlo_cli.extras import optional
from lsdmlo_cli.formats.arff.copy import line_ends
from lsdmlo_cli.formats.arff.lines import raw_lines, without_mark
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.formats.files import STREAM, Source, Target
from lsdmlo_cli.formats.format import NewRows
from lsdmlo_cli.formats.labels import (
    LabelSource,
    Untitled,
    ignored_features,
    is_label_file,
    names_xml,
    read_names,
    read_xml,
    refuse_twins,
    xml_candidates,
)
from lsdmlo_cli.formats.libsvm.write import write
from lsdmlo_cli.numeric.matrix import Stack, settle
from lsdmlo_cli.progress import Progress


@dataclass(frozen=True)
class LibSvm:
    """A file that was read. first_feature, first_label: the number of the first feature and of the first label."""

    dataset: Dataset
    labels: LabelSource
    first_feature: int
    first_label: int

    def write(self, source: Source, target: Target, keep: np.ndarray | None = None, new: Iterable[NewRows] = ()) -> None:
        """See DataFile and `libsvm/write.py`."""
        write(source, target, self.first_feature, self.first_label, keep, new)


@dataclass(frozen=True)
class _Names:
    """The labels as a file names them: the names, parents, where they were found, and the XML if it was one."""

    names: list[str]
    parents: list[int]
    found_in: str
    xml: str | None = None


def read(source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress) -> LibSvm:
    """Read a whole file; labels: the path of a file that names them, or None: then an XML beside the file does, or nothing."""
    optional("sklearn.datasets", f"{source.path}: reading it needs scikit-learn", "tables")
    named = _names(source.path, labels)
    X, label_rows, label_numbers, n = _rows(source, most_bytes, progress)
    first_label = _first_label(source.path, label_numbers, named)
    q = int(label_numbers.max(initial=first_label - 1)) + 1 - first_label if named is None else len(named.names)
    if not q:
        raise FormatError(source.path, None, "no row has a label: expected rows such as 1,3 4:0.5 9:1")
    Y = scipy.sparse.csr_array((np.ones(len(label_rows)), (label_rows, label_numbers - first_label)), shape=(n, q))
    Y.data[:] = 1.0
    named = named or _Names([str(number + first_label) for number in range(q)], [-1] * q, "numbers in the file")
    first_feature = int(not (X.indices == 0).any())
    X = settle(scipy.sparse.csr_array((X.data, X.indices - first_feature, X.indptr), (n, max(X.shape[1] - first_feature, 0))))
    features = tuple(Attribute(str(number + first_feature), "numeric") for number in range(X.shape[1]))
    found = LabelSource(list(range(q)), named.parents, named.found_in, named.xml)
    header = Untitled(tuple(Attribute(f"label {name}", "nominal", ("0", "1")) for name in named.names) + features)
    data = Dataset(
        relation="",
        features=features,
        labels=tuple(Attribute(name, "nominal", ("0", "1")) for name in named.names),
        X=X,
        Y=Y,
        parents=np.array(named.parents, dtype=np.intp),
        sparse_rows=np.ones(n, dtype=bool),
        origin=Origin(source.name, named.found_in, "sparse", source.sha256),
    )
    ignored = ignored_features(source.name, header, found.positions, ignore)
    return LibSvm(data.ignoring(ignored), found, first_feature, first_label)


def _names(path: str, option: str | None) -> _Names | None:
    """What names the labels, if anything does. Errors: ParameterError for a value of --labels that is no file."""
    if option is None:
        places = [] if path == STREAM else xml_candidates(path)
        option = next((place for place in places if Path(place).is_file()), None)
        if option is None:
            return None
    if not is_label_file(option):
        raise ParameterError(f"--labels {option}: {path} says itself which labels a row has; a file may name them, a name a line")
    if names_xml(option):
        names, parents = read_xml(option)
        return _Names(names, parents, Path(option).name, option)
    names = read_names(option)
    refuse_twins(option, names)
    return _Names(names, [-1] * len(names), Path(option).name)


def _first_label(path: str, numbers: np.ndarray, named: _Names | None) -> int:
    """The number of the first label, 0 or 1. Errors: FormatError for numbers that the names do not cover."""
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if named is None:
        return min(low, 1)
    count = len(named.names)
    if high > count or (high == count and low == 0):
        raise FormatError(path, None, f"it has labels numbered {low} to {high}, and {named.found_in} names {count}")
    return int(high == count)


def _rows(source: Source, most_bytes: int, progress: Progress) -> tuple[Any, np.ndarray, np.ndarray, int]:
    """X, sparse, with a column for the index 0, the row and the number of each label, and the number of rows."""
    from sklearn.datasets import load_svmlight_file

    stack, rows, labels, n, line = Stack(0, most_bytes, dense=False), [], [], 0, 1
    for number, lines in enumerate(raw_lines(source.path, source.blocks())):
        text = lines if number else without_mark(source.path, lines)
        try:
            X, own = load_svmlight_file(io.BytesIO(text.replace(b"\r", b"\n")), multilabel=True, zero_based=True)
            numbers = np.fromiter(chain.from_iterable(own), dtype=np.float64)
            if (numbers != np.floor(numbers)).any() or (numbers < 0).any() or not np.isfinite(X.data).all():
                raise ValueError("a label is no whole number from 0 on, or a feature is no finite number")
        except (ValueError, OverflowError) as error:
            raise _fault(source.path, text, line, error) from error
        if own:
            stack.columns = max(stack.columns, X.shape[1])
            X.eliminate_zeros()
            stack.append(scipy.sparse.csr_array(X))
        rows.append(np.repeat(np.arange(n, n + len(own)), np.fromiter(map(len, own), dtype=np.int64, count=len(own))))
        labels.append(numbers.astype(np.int64))
        n += len(own)
        line += len(line_ends(text))
        progress("reading rows", n, 0)
    return stack.finish(), np.concatenate([*rows, np.zeros(0, int)]), np.concatenate([*labels, np.zeros(0, int)]), n


def _fault(path: str, text: bytes, first_line: int, error: Exception) -> FormatError:
    """The error of a block that was refused, with the first line that is not as rows are."""
    for line, row in enumerate(re.split(rb"\r\n|\r|\n", text), first_line):
        problem = _problem(row.partition(b"#")[0].strip(b" \t"))
        if problem:
            return FormatError(path, line, problem)
    return FormatError(path, None, " ".join(str(error).split())[:200])


def _problem(row: bytes) -> str | None:
    """What is wrong with a row, None where nothing is."""
    first, *pairs = row.split() or [b""]
    if b":" in first:
        first, pairs = b"", [first, *pairs]
    if first and not re.fullmatch(rb"\d+(\.0*)?(,\d+(\.0*)?)*", first):
        return f"expected labels as whole numbers, such as 1,3, found {shown(first)}"
    last = -1
    for pair in pairs:
        match = re.fullmatch(rb"(\d{1,10}):([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", pair)
        if pair.startswith(b"qid:"):
            continue
        if not match:
            return f"expected index:value, found {shown(pair)}"
        if int(match[1]) <= last:
            return f"index {int(match[1])} stands behind index {last}: indices must rise"
        last = int(match[1])
    return None
