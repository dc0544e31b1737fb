"""KEEL's form of ARFF: `.dat`, with a range behind each type, and `@outputs` that name the labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsdmlo_cli.progress import Progress

if TYPE_CHECKING:
    from lsdmlo_cli.formats.arff.read import Arff
    from lsdmlo_cli.formats.files import Source


@dataclass(frozen=True)
class KeelFormat:
    """See Format."""

    name: str = "KEEL"
    endings: tuple[str, ...] = (".dat",)

    def read(
        self, source: Source, labels: str | None, *, ignore: Iterable[Any] | None, most_bytes: int, progress: Progress
    ) -> Arff:
        """Read by ARFF's reader, which takes @inputs and @outputs, and `<null>` as missing, in a file of this format."""
        from lsdmlo_cli.formats.arff.read import read

        source.form.refuse_options(self.name)
        return read(source, labels, ignore=ignore, most_bytes=most_bytes, progress=progress)


KEEL = KeelFormat()
