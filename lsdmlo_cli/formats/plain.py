"""A data set on its way from one format to another: its texts as they are meant, not as a file spells them; and labels as XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import quoteattr

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset
from lsdmlo_cli.errors import listed
from lsdmlo_cli.formats.arff.read import Arff
from lsdmlo_cli.formats.arff.tokens import unquoted
from lsdmlo_cli.formats.format import DataFile, NewRows
from lsdmlo_cli.numeric.matrix import Matrix, walk


@dataclass(frozen=True)
class Rows:
    """Rows of a data set, as NewRows has them."""

    X: Matrix
    Y: np.ndarray
    seeds: np.ndarray


@dataclass(frozen=True)
class Plain:
    """data: with texts as UTF-8. positions: of the labels among all attributes. patterns: of ARFF's dates, by feature."""

    data: Dataset
    positions: Sequence[int]
    patterns: Mapping[int, str] = field(default_factory=dict)

    @property
    def attributes(self) -> list[Attribute]:
        """All attributes, in the order of the file."""
        labels, features = iter(self.data.labels), iter(self.data.features)
        chosen = set(self.positions)
        return [next(labels) if place in chosen else next(features) for place in range(self.data.d + self.data.q)]

    def rows(self) -> Iterator[NewRows]:
        """The rows in blocks; each is its own seed, so that whole numbers keep their digits."""
        for part, X in walk(self.data.X, self.data.d + self.data.q):
            Y = self.data.Y[part].toarray().astype(bool)
            yield Rows(X, Y, np.arange(part.start, part.stop))


def plain(file: DataFile) -> Plain:
    """The data set of a file that was read."""
    data, patterns = file.dataset, {}
    if isinstance(file, Arff):
        encoding = file.header.encoding
        texts = {
            place: [b"", *(unquoted(text, encoding).decode(encoding).encode() for text in own[1:])]
            for place, own in data.texts.items()
        }
        data = replace(data, texts=texts)
        features = np.setdiff1d(np.arange(data.d + data.q), np.array(file.labels.positions, dtype=np.intp)).tolist()
        known = file.header.patterns
        patterns = {place: known[column] for place, column in enumerate(features) if column in known}
    return Plain(data, file.labels.positions, patterns)


def label_xml(data: Dataset, flat: bool = False) -> bytes:
    """The labels as Mulan's XML, in the order of the file but for nested ones, which stand in their parents unless it is flat."""
    inside: dict[int, list[int]] = {}
    for label, parent in enumerate([-1] * data.q if flat else data.parents.tolist()):
        inside.setdefault(parent, []).append(label)

    def lines(parent: int, depth: int) -> Iterator[str]:
        for label in inside.get(parent, ()):
            start = f"{'  ' * depth}<label name={quoteattr(data.labels[label].name)}"
            if label in inside:
                yield from (f"{start}>", *lines(label, depth + 1), f"{'  ' * depth}</label>")
            else:
                yield f"{start}/>"

    body = "\n".join(lines(-1, 1))
    return f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n{body}\n</labels>\n'.encode()


def lost(count_of: Sequence[str], what: str) -> list[str]:
    """A sentence about some columns, none where there are none."""
    return [f"{what}: {listed(list(count_of))}"] if count_of else []
