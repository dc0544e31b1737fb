"""A file in another format: what `lsdmlo convert` does, and `lsdmlo resample` where OUT has another format than IN."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats import DataFile, Form, Format, NewRows, Source, Target, format_of, label_file_for, read, stem
from lsdmlo_cli.formats.files import is_regular, write_whole
from lsdmlo_cli.formats.form import PLAIN
from lsdmlo_cli.formats.labels import read_xml, xml_candidates
from lsdmlo_cli.outputs import refuse_places
from lsdmlo_cli.progress import Progress, silent

HOLD_LABELS = ("Parquet", "Feather", "KEEL")
"""Formats whose files say which columns are labels."""
NUMBER_LABELS = ("LibSVM",)
"""Formats whose files number the labels, so that the order of their names counts."""


class LabelFile(NamedTuple):
    """The XML that is due beside an output: where (None: none is), what it holds, and a warning where a file is in the way."""

    place: str | None
    content: bytes = b""
    warning: str | None = None

    @property
    def warnings(self) -> list[str]:
        return [self.warning] if self.warning else []


def convert(
    path: str,
    output: str,
    *,
    labels: str | None = None,
    form: Form = PLAIN,
    to: str | None = None,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = silent,
) -> tuple[Dataset, list[str]]:
    """Write the file at `path` as one of another format, that of the name of `output` or `to`; warnings say what is lost.

    Where the format does not say which columns are labels, an XML beside the output does. Errors: any LsdmloError.
    """
    from lsdmlo_cli.formats.create import create
    from lsdmlo_cli.formats.plain import plain

    format = format_of(output, to)
    refuse_places(path, output, labels, {}, form=form.name, to=format.name)
    with ExitStack() as stack:
        source, target = stack.enter_context(Source(path, form)), stack.enter_context(Target(output))
        found = read(source, labels, most_bytes=matrix_bytes(memory_bytes), progress=progress)
        table = plain(found)
        warnings = [*table.data.warnings, *create(format, table, target)]
        target.finish()
        beside = label_file(found, format, output)
        if beside.place is not None:
            write_whole(beside.place, beside.content)
        target.commit()
    return table.data, warnings + beside.warnings


def write(
    found: DataFile,
    source: Source,
    target: Target,
    format: Format,
    keep: np.ndarray | None,
    new: Iterable[NewRows],
    most_bytes: int,
) -> list[str]:
    """Write a file's rows that stay and new ones, as DataFile.write does, in any format; returned is what that loses.

    In another format than their own they are written in their own first, as a temporary file, and read again; most_bytes: as of
    Format.read. Errors: those of DataFile.write and of `create`.
    """
    if format is source.format:
        found.write(source, target, keep, new)
        return []
    from lsdmlo_cli.formats.create import create
    from lsdmlo_cli.formats.plain import label_xml, plain

    with TemporaryDirectory(prefix="lsdmlo-") as folder:
        between, labels = Path(folder) / f"rows{source.format.endings[0]}", Path(folder) / "labels.xml"
        labels.write_bytes(label_xml(found.dataset, flat=source.format.name in NUMBER_LABELS))
        with Target(str(between)) as whole:
            found.write(source, whole, keep, new)
            whole.finish()
            whole.commit()
        with Source(str(between), source.form) as again:
            return create(format, plain(read(again, str(labels), most_bytes=most_bytes)), target)


def label_file(found: DataFile, format: Format, output: str) -> LabelFile:
    """The XML that names the labels of a file that is written in a format.

    Errors: ParameterError where the order of labels counts and an XML with another one is in the way.
    """
    data, xml, in_order = found.dataset, found.labels.xml, format.name in NUMBER_LABELS
    if not is_regular(output) or (format.name in HOLD_LABELS and not (data.parents >= 0).any()):
        return LabelFile(None)
    names = [label.name for label in data.labels]
    place = next((place for place in xml_candidates(output) if Path(place).is_file()), f"{stem(output)}.xml")
    if in_order and Path(place).is_file() and read_xml(place)[0] != names:
        raise ParameterError(f"{place} names labels in another order than {output} would number them: give OUT another name")
    if Path(place).is_file() and (sorted(read_xml(place)[0]) != sorted(names)):
        return LabelFile(None, warning=f"{place} names other labels and is left as it is; {output} needs --labels")
    if xml is not None and not in_order:
        return LabelFile(label_file_for(output, xml)[0], Path(xml).read_bytes())
    from lsdmlo_cli.formats.plain import label_xml

    return LabelFile(None if Path(place).is_file() else place, label_xml(data, flat=in_order))
