"""A file in another format: what `lsdmlo convert` does."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats import Form, Source, Target, format_of, label_file_for, read, stem
from lsdmlo_cli.formats.create import create
from lsdmlo_cli.formats.files import is_regular, write_whole
from lsdmlo_cli.formats.form import PLAIN
from lsdmlo_cli.formats.labels import read_xml, xml_candidates
from lsdmlo_cli.formats.plain import label_xml, plain
from lsdmlo_cli.outputs import refuse_places
from lsdmlo_cli.progress import Progress, silent

HOLD_LABELS = ("Parquet", "Feather", "KEEL")
"""Formats whose files say which columns are labels."""


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
    format = format_of(output, to)
    refuse_places(path, output, labels, {}, form=format.name)
    with ExitStack() as stack:
        source, target = stack.enter_context(Source(path, form)), stack.enter_context(Target(output))
        found = read(source, labels, most_bytes=matrix_bytes(memory_bytes), progress=progress)
        table = plain(found)
        warnings = [*table.data.warnings, *create(format, table, target)]
        target.finish()
        if is_regular(output) and (format.name not in HOLD_LABELS or (table.data.parents >= 0).any()):
            warnings += _write_labels(table.data, output, found.labels.xml, in_order=format.name == "LibSVM")
        target.commit()
    return table.data, warnings


def _write_labels(data: Dataset, output: str, xml: str | None, in_order: bool) -> list[str]:
    """Write the XML that names the labels beside the output, unless there is one. in_order: whether their order counts.

    Errors: ParameterError where the order counts and an XML with another one is in the way.
    """
    names = [label.name for label in data.labels]
    place = next((place for place in xml_candidates(output) if Path(place).is_file()), f"{stem(output)}.xml")
    if in_order and Path(place).is_file() and read_xml(place)[0] != names:
        raise ParameterError(f"{place} names labels in another order than {output} would number them: give OUT another name")
    if Path(place).is_file() and (sorted(read_xml(place)[0]) != sorted(names)):
        return [f"{place} names other labels and is left as it is; {output} needs --labels"]
    if xml is not None and not in_order:
        own, _ = label_file_for(output, xml)
        if own is not None:
            write_whole(own, Path(xml).read_bytes())
    elif not Path(place).is_file():
        write_whole(place, label_xml(data, flat=in_order))
    return []
