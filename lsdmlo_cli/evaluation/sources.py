"""The data sets of an experiment: where they lie, what they hold, and a digest by which a result knows its data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from lsdmlo_cli.augmented import SPLIT, augmented
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats import STREAM, Form, Source, read, stem
from lsdmlo_cli.formats.form import PLAIN


class Place(NamedTuple):
    """A path, its labels, the features to ignore and the form of the file, as `read` takes them."""

    path: str
    labels: str | None = None
    ignore: tuple[str, ...] = ()
    form: Form = PLAIN

    @property
    def name(self) -> str:
        """How tables name it.

        >>> Place("data/emotions.arff.xz").name
        'emotions'
        """
        return Path(stem(self.path)).name


@dataclass(frozen=True)
class Loaded:
    """A data set with the SHA-256 of its file's (decompressed) bytes, its labels' names and parents, and what is ignored."""

    dataset: Dataset
    digest: str


def load(place: Place) -> Loaded:
    """Read a data set. Errors: FormatError, FileError, ParameterError for standard input, which can be read once only."""
    if place.path == STREAM:
        raise ParameterError("the data is read more than once: give a file, not standard input")
    with Source(place.path, place.form) as source:
        data = read(source, place.labels, ignore=place.ignore).dataset
        data = replace(data, warnings=(*data.warnings, *augmented(source, SPLIT)))
        digest = hashlib.sha256()
        for block in source.blocks():
            digest.update(block)
    if place.form != PLAIN:
        digest.update(repr(place.form).encode())
    digest.update(repr(([label.name for label in data.labels], data.parents.tolist(), *data.ignored)).encode())
    return Loaded(data, digest.hexdigest())
