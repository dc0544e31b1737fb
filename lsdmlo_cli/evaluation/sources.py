"""The data sets of an experiment: where they lie, what they hold, and a digest by which a result knows its data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from lsdmlo_cli.augmented import SPLIT, augmented
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats import STREAM, Form, Source, read, stem
from lsdmlo_cli.formats.form import PLAIN
from lsdmlo_cli.numeric.rows import blocks


@dataclass(frozen=True)
class Loaded:
    """A data set with a digest of all in it that can change a figure.

    digest: of a file the SHA-256 of its (decompressed) bytes, its labels' names and parents, and what is ignored; of arrays that
    of their numbers and columns.
    """

    dataset: Dataset
    digest: str


class Place(NamedTuple):
    """A path, its labels, the features to ignore and the form of the file, as `read` takes them; and a title of its own."""

    path: str
    labels: str | None = None
    ignore: tuple[str | int, ...] = ()
    form: Form = PLAIN
    title: str = ""

    @property
    def name(self) -> str:
        """How tables name it: by its title, else its path.

        >>> Place("data/emotions.arff.xz").name
        'emotions'
        """
        return self.title or Path(stem(self.path)).name

    def load(self) -> Loaded:
        """Read a file. Errors: FormatError, FileError, ParameterError for standard input, which can be read once only."""
        if self.path == STREAM:
            raise ParameterError("the data is read more than once: give a file, not standard input")
        with Source(self.path, self.form) as source:
            data = read(source, self.labels, ignore=self.ignore).dataset
            data = replace(data, warnings=(*data.warnings, *augmented(source, SPLIT)))
            digest = hashlib.sha256()
            for block in source.blocks():
                digest.update(block)
        if self.form != PLAIN:
            digest.update(repr(self.form).encode())
        digest.update(repr(([label.name for label in data.labels], data.parents.tolist(), *data.ignored)).encode())
        return Loaded(data, digest.hexdigest())


@dataclass(frozen=True, eq=False)
class Arrays:
    """A data set in memory under a name; it is the same as another of that name and digest, which is made when it is needed."""

    name: str
    dataset: Dataset = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """See Loaded."""
        return _digest(self.dataset)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arrays) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @property
    def path(self) -> str:
        return self.name

    def load(self) -> Loaded:
        return Loaded(self.dataset, self.digest)


DataSource: TypeAlias = Place | Arrays
"""Where a data set comes from: it can be compared and sent to another process. path: what messages call it."""


def _digest(data: Dataset) -> str:
    """SHA-256 of the numbers of X and Y and of what the columns are."""
    X = data.X
    arrays = [X] if isinstance(X, np.ndarray) else [X.indptr, X.indices, X.data]
    digest = hashlib.sha256(repr((data.features, data.labels, X.shape)).encode())
    for part in _bytes([*arrays, data.Y.indptr, data.Y.indices, data.Y.data, data.parents]):
        digest.update(part)
    return digest.hexdigest()


def _bytes(arrays: Iterable[np.ndarray]) -> Iterable[bytes]:
    """The type, the shape and the numbers of arrays, block by block; whole numbers of any size are the same."""
    for array in arrays:
        whole = array.dtype.kind in "iu"
        yield f"{'whole' if whole else array.dtype.str} {array.shape}".encode()
        for part in blocks(array):
            yield np.ascontiguousarray(array[part], dtype=np.int64 if whole else None).tobytes()
