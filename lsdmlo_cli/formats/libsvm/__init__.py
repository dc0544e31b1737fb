"""LibSVM's form of multi-label data: `1,3 4:0.5 9:1`, a row's labels and then its features that are not 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:
    from lsdmlo_cli.formats.files import Source
    from lsdmlo_cli.formats.libsvm.read import LibSvm


@dataclass(frozen=True)
class LibSvmFormat:
    """See Format."""

    name: str = "LibSVM"
    endings: tuple[str, ...] = (".svm", ".libsvm", ".svmlight")

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> LibSvm:
        """See `libsvm/read.py`, which is imported here for the reason that ARFF's is."""
        from lsdmlo_cli.formats.libsvm.read import read

        source.form.refuse_options(self.name)
        return read(source, labels, ignore=ignore, most_bytes=most_bytes, progress=progress)


LIBSVM = LibSvmFormat()
