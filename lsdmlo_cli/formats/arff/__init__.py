"""ARFF, the format of Weka, Mulan and MEKA; and KEEL's form of it, `.dat`, where `@outputs` name the labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:
    from lsdmlo_cli.formats.arff.read import Arff
    from lsdmlo_cli.formats.files import Source


@dataclass(frozen=True)
class ArffFormat:
    """See Format. keel: whether @inputs and @outputs are known, and `<null>` is missing."""

    name: str = "ARFF"
    endings: tuple[str, ...] = (".arff",)
    keel: bool = False

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> Arff:
        """See `arff/read.py`, which needs the names of files, and they the endings of formats: so it is imported here."""
        from lsdmlo_cli.formats.arff.read import read

        source.form.refuse_options(self.name)
        return read(source, labels, self.keel, ignore=ignore, most_bytes=most_bytes, progress=progress)


ARFF = ArffFormat()
KEEL = ArffFormat("KEEL", (".dat",), keel=True)
