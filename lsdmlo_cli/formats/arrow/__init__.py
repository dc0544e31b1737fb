"""Tables with a schema: Parquet, and Arrow's own files (Feather)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:
    from lsdmlo_cli.formats.arrow.read import ArrowTable
    from lsdmlo_cli.formats.files import Source


@dataclass(frozen=True)
class ArrowFormat:
    """See Format."""

    name: str
    endings: tuple[str, ...]

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> ArrowTable:
        """See `arrow/read.py`, which is imported here for the reason that ARFF's is."""
        from lsdmlo_cli.formats.arrow.read import read

        source.form.refuse_options(self.name, categories=True)
        return read(source, labels, self.name == "Parquet", ignore=ignore, most_bytes=most_bytes, progress=progress)


PARQUET = ArrowFormat("Parquet", (".parquet", ".pq"))
FEATHER = ArrowFormat("Feather", (".feather", ".arrow"))
