"""Tables of text: CSV, with whatever delimiter, and TSV."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:
    from lsdmlo_cli.formats.csv.read import Csv
    from lsdmlo_cli.formats.files import Source


@dataclass(frozen=True)
class CsvFormat:
    """See Format."""

    name: str
    endings: tuple[str, ...]
    delimiter: str | None = None

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> Csv:
        """See `csv/read.py`, which is imported here for the reason that ARFF's is."""
        from lsdmlo_cli.formats.csv.read import read

        return read(source, labels, self.delimiter, ignore=ignore, most_bytes=most_bytes, progress=progress)


CSV = CsvFormat("CSV", (".csv",))
TSV = CsvFormat("TSV", (".tsv", ".tab"), "\t")
