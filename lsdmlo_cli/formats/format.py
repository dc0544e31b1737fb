"""What a file format is: how a file of it is read, and how it is written again with other rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:  # both need the endings of the formats to read names
    from lsdmlo_cli.formats.files import Source, Target
    from lsdmlo_cli.formats.labels import LabelSource


class NewRows(Protocol):
    """Rows to write behind those of a file.

    X: (m, d) as in Dataset. Y: (m, q) bool. seeds: (m,) the row of the data set that each was made of, -1 without one.
    """

    @property
    def X(self) -> Matrix: ...

    @property
    def Y(self) -> np.ndarray: ...

    @property
    def seeds(self) -> np.ndarray: ...


class DataFile(Protocol):
    """A file that was read.

    dataset: what is in it. labels: which columns are the labels, and the XML that said so.
    """

    @property
    def dataset(self) -> Dataset: ...

    @property
    def labels(self) -> LabelSource: ...

    def write(self, source: Source, target: Target, keep: np.ndarray | None = None, new: Iterable[NewRows] = ()) -> None:
        """Write the file's rows that stay, as they are in the source, then new ones, each batch as it comes.

        source: the file itself, which can be read again. keep: (n,) bool, the rows that stay, None for all.
        Errors: DataError where the format cannot hold a new row.
        """
        ...


class Format(Protocol):
    """A file format.

    name: as messages have it. endings: of the names of its files, with the dot, in lower case and without that of a
    compression; the first is the one that new files get.
    """

    @property
    def name(self) -> str: ...

    @property
    def endings(self) -> tuple[str, ...]: ...

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> DataFile:
        """Read a whole file.

        labels: what --labels takes, or None: then they are looked for; `find_labels` does both. ignore: names, or
        places among the features, of those that stay out of every distance and figure. most_bytes: a larger X lies in a
        temporary file, as a Stack makes it. Errors: FormatError, with the line where there is one; FileError; ParameterError
        for a name in `ignore` that is no feature's.
        """
        ...
