"""Files: reading data with its labels in any format, and writing it again with other rows.

A format is a room or a file here and a member of FORMATS; one of another package is an entry point in the group
`lsdmlo.formats`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lsdmlo_cli.formats.arff.copy import copy
from lsdmlo_cli.formats.arff.new_rows import RowWriter
from lsdmlo_cli.formats.arff.read import Arff
from lsdmlo_cli.formats.files import STREAM, Source, Target
from lsdmlo_cli.formats.form import Form
from lsdmlo_cli.formats.format import DataFile, Format, NewRows
from lsdmlo_cli.formats.labels import LabelSource, find_labels, label_file_for
from lsdmlo_cli.formats.names import FORMATS, claimed, format_of, stem
from lsdmlo_cli.numeric.matrix import IN_MEMORY
from lsdmlo_cli.progress import Progress, silent

__all__ = [
    "FORMATS",
    "STREAM",
    "Arff",
    "DataFile",
    "Form",
    "Format",
    "LabelSource",
    "NewRows",
    "RowWriter",
    "Source",
    "Target",
    "claimed",
    "copy",
    "find_labels",
    "format_of",
    "label_file_for",
    "read",
    "stem",
]


def read(
    source: Source,
    labels: str | None = None,
    *,
    ignore: Iterable[Any] | None = None,
    most_bytes: int = IN_MEMORY,
    progress: Progress = silent,
) -> DataFile:
    """Read a whole file in the format that the source has, as Format says."""
    return source.format.read(source, labels, ignore=ignore, most_bytes=most_bytes, progress=progress)
