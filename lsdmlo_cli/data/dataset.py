"""Multi-label data in memory: n rows, d feature attributes, q labels.

X (n x d) holds one float64 a cell, whatever the attribute's kind:

- numeric, integer: the number; NaN where it is missing.
- nominal: the position of the value in the declaration (0, 1, ...); NaN where it is missing.
- string, date: a position in `texts` (1, 2, ...); 0 where a sparse row leaves the cell out; NaN where it is missing.

So a cell that a sparse ARFF row leaves out is 0 for every kind, and X is sparse where the file is. Y (n x q) holds 0 and 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.numeric.matrix import Matrix, take

Kind = Literal["numeric", "integer", "nominal", "string", "date"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as the header declares it; `values` are the declared values of a nominal one, in order.

    ignored: whether it stays out of every distance and figure.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    ignored: bool = False

    @property
    def is_number(self) -> bool:
        return self.kind in ("numeric", "integer")

    @property
    def is_carried(self) -> bool:
        """Whether nothing is learned from it: a new row takes its seed's value."""
        return self.ignored or self.kind in ("string", "date")


class ExactNumbers(NamedTuple):
    """Whole numbers of a column that float64 rounds: the rows (m,) that hold them, rising, and their digits (m,) as bytes."""

    rows: np.ndarray
    digits: np.ndarray

    def among(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where in a list of rows (any order, -1 for none) there is a row of these, and the digits of each.

        >>> ExactNumbers(np.array([2, 5]), np.array([b"9007199254740993", b"-9007199254740995"])).among(np.array([5, 1, 2]))
        (array([0, 2]), array([b'-9007199254740995', b'9007199254740993'], dtype='|S17'))
        """
        place = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        found = np.flatnonzero(self.rows[place] == rows)
        return found, self.digits[place[found]]


@dataclass(frozen=True)
class Origin:
    """Where a data set came from, as the report tells it.

    `labels_from` is the XML's base name, `-C n` or the count on the command line; `format` is dense, sparse or mixed. `sha256`
    is that of the file as it lies on the disk, in hexadecimal.
    """

    file: str = "-"
    labels_from: str = ""
    format: Literal["dense", "sparse", "mixed"] = "dense"
    sha256: str | None = None


@dataclass(frozen=True)
class Dataset:
    """A multi-label data set.

    features, labels: the attributes of X's and Y's columns, in file order. X: (n, d) as the module says. Y: (n, q) CSR of 0
    and 1. parents: for each label the column of its parent label, -1 without one. sparse_rows: (n,) bool, the rows spelled in
    sparse form. texts: for each string or date column of X the texts behind its codes, as the file spells them. exact: for the
    columns of X that hold some, the whole numbers beyond 2^53 that X rounds.
    """

    relation: str
    features: tuple[Attribute, ...]
    labels: tuple[Attribute, ...]
    X: Matrix
    Y: scipy.sparse.csr_array
    parents: np.ndarray
    sparse_rows: np.ndarray
    texts: Mapping[int, list[bytes]] = field(default_factory=dict)
    exact: Mapping[int, ExactNumbers] = field(default_factory=dict)
    origin: Origin = Origin()
    warnings: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return int(self.Y.shape[0])

    @property
    def d(self) -> int:
        return len(self.features)

    @property
    def ignored(self) -> list[str]:
        """The names of the features that are ignored, in order."""
        return [attribute.name for attribute in self.features if attribute.ignored]

    @property
    def d_used(self) -> int:
        """The features that are not ignored."""
        return self.d - len(self.ignored)

    def ignoring(self, columns: Collection[int]) -> Dataset:
        """The data set with some columns of X ignored, beside those that are already.

        >>> from lsdmlo_cli.data.tables import dataset, labels, table
        >>> data = dataset(table(np.eye(3), "X"), labels(np.eye(3)))
        >>> data.ignoring([1]).ignored, data.ignoring([1]).d_used
        (['1'], 2)
        """
        marked = (replace(a, ignored=True) if j in columns else a for j, a in enumerate(self.features))
        return replace(self, features=tuple(marked))

    @property
    def q(self) -> int:
        return len(self.labels)

    @cached_property
    def counts(self) -> np.ndarray:
        """n_j, the positives of each label, (q,) int64."""
        return label_counts(self.Y)

    def take(self, rows: np.ndarray) -> Dataset:
        """The data set of some rows: (m,) positions, or (n,) bool. The warnings, which are about the file, are not taken along.

        >>> from lsdmlo_cli.data.tables import dataset, labels, table
        >>> data = dataset(table(np.arange(6.0).reshape(3, 2), "X"), labels(np.eye(3)))
        >>> part = data.take(np.array([True, False, True]))
        >>> part.X.tolist(), part.counts.tolist()
        ([[0.0, 1.0], [4.0, 5.0]], [1, 0, 1])
        """
        place = np.flatnonzero(rows) if rows.dtype == bool else rows
        exact = {column: ExactNumbers(*numbers.among(place)) for column, numbers in self.exact.items()}
        exact = {column: numbers for column, numbers in exact.items() if len(numbers.rows)}
        return replace(
            self, X=take(self.X, place), Y=self.Y[place], sparse_rows=self.sparse_rows[place], exact=exact, warnings=()
        )
