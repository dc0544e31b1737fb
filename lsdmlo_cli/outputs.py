"""Where the outputs of `resample` may go: what is refused before anything is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsdmlo_cli.errors import FileError, ParameterError
from lsdmlo_cli.formats.files import STREAM, Target, identity, is_regular, is_stdout
from lsdmlo_cli.formats.format import Format
from lsdmlo_cli.formats.labels import xml_candidates
from lsdmlo_cli.formats.names import FORMATS, claimed, format_of, stem, uncompressed

OTHER_FORMATS = frozenset(
    (
        *(".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".xml", ".xsl", ".yaml", ".yml", ".html", ".htm", ".md", ".pdf"),
        *(".xls", ".xlsx", ".ods", ".parquet", ".feather", ".arrow", ".avro", ".orc", ".h5", ".hdf5", ".db", ".sqlite"),
        *(".npy", ".npz", ".mat", ".pkl", ".pickle", ".rda", ".rdata", ".rds", ".sav", ".dta", ".svm", ".libsvm"),
        *(".zip", ".7z", ".rar", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".zst", ".lz4", ".lzma", ".lz", ".br", ".z"),
    )
)
"""Endings that promise a format, which is not ours unless a member of FORMATS claims it."""


def refuse_places(
    path: str,
    output: str,
    labels: str | None,
    sides: Mapping[str, str | None],
    in_place: bool = False,
    form: str | None = None,
    to: str | None = None,
) -> None:
    """Check the names that `resample` was given; sides: the other outputs, by what messages call them.

    form, to: the formats of the input and of OUT, None where their names say them.

    Errors: ParameterError where two outputs are one file or one stream, where an output would replace the input (without
    in_place), its labels' XML or the XML that comes with the output, and where its name promises a format that it will not have.
    """
    _refuse_one_stream(output, sides.get("the report"), sides.get("the provenance"))
    known = {identity(place, stream=0): what for what, place in reversed(_inputs(path, labels))}
    if in_place:
        _refuse_other_output(path, output)
    else:
        _claim(known, "OUT", output)
    if is_regular(output):
        known.setdefault(identity(f"{stem(output)}.xml", stream=1), "the labels' XML of OUT")
    for what, place in sides.items():
        _claim(known, what, place)
    _refuse_other_format(output, output_format(path, output, form, to))


def output_format(path: str, output: str, form: str | None = None, to: str | None = None) -> Format:
    """The format of an output: the one that was asked for, else that of its name, else that of the input.

    >>> output_format("a.csv", "b.arff").name, output_format("a.csv", "-").name, output_format("a.csv", "-", to="arff").name
    ('ARFF', 'CSV', 'ARFF')
    """
    found = claimed(output) if to is None else None
    return found[0] if found is not None else format_of(path if to is None else output, form if to is None else to)


def refuse_shared(outputs: Iterable[tuple[str, Iterable[str | None]]]) -> None:
    """ParameterError where two runs would write one file; outputs: the input of each and what is written, None for nothing."""
    known: dict[tuple[object, ...], tuple[int, str]] = {}
    for run, (path, places) in enumerate(outputs):
        for place in filter(None, places):
            file = identity(place, stream=1)
            other, taken_by = (run, path) if file is None else known.setdefault(file, (run, path))
            if other != run:
                raise ParameterError(f"{taken_by} and {path} would both be written to {place}: rename one, or use two folders")


def refuse_unwritable(place: str) -> None:
    """FileError where an output cannot be written, which is found by trying; nothing is left behind."""
    if Path(place).is_fifo():  # whoever opens it waits for a reader
        if not os.access(place, os.W_OK):
            raise FileError(f"cannot write {place}: permission denied")
        return
    with Target(place):
        pass


def _inputs(path: str, labels: str | None) -> list[tuple[str, str]]:
    """The files that are read, and those that would name the labels if none were given: what they are, and where."""
    given = [] if labels is None else [("--labels", labels)]
    found = [] if path == STREAM else [(f"the labels' XML of {path}", place) for place in xml_candidates(path)]
    return [("the input", path), *((what, place) for what, place in (*given, *found) if Path(place).is_file())]


def _claim(known: dict[tuple[object, ...] | None, str], what: str, place: str | None) -> None:
    """Note that an output goes to a place, if it does to a file. Errors: ParameterError where the place is taken."""
    file = None if place is None else identity(place, stream=1)
    if file is None or (taken := known.setdefault(file, what)) == what:
        return
    if (taken, what) == ("the input", "OUT"):
        raise ParameterError(f"OUT is the input itself, {place}: give another OUT, or --in-place to replace the input")
    raise ParameterError(f"{taken} and {what} are one file, {place}: give them different paths")


def _refuse_one_stream(output: str, report: str | None, provenance: str | None) -> None:
    if report is not None and is_stdout(report) and is_stdout(output):
        raise ParameterError("the report and the output cannot both go to standard output: give --report a path, or --no-report")
    others = [place for place in (output, report) if place is not None and is_stdout(place)]
    if provenance is not None and is_stdout(provenance) and others:
        raise ParameterError("the provenance and another output cannot both go to standard output: give --provenance a path")


def _refuse_other_output(path: str, output: str) -> None:
    if path == STREAM or not is_regular(path):
        raise ParameterError(f"--in-place needs a file as input, and {path} is none: name OUT, without --in-place")
    if identity(path, stream=0) != identity(output, stream=1):
        raise ParameterError(f"--in-place replaces the input, {path}, and OUT is {output}: leave out the one or the other")


def _refuse_other_format(output: str, format: Format) -> None:
    """ParameterError for an output whose name promises another format than that in which it is written."""
    found, end = claimed(output), Path(uncompressed(output)).suffix.lower()
    if not is_regular(output) or (end not in OTHER_FORMATS if found is None else found[0] is format):
        return
    own = f"{stem(Path(uncompressed(output)).stem)}{format.endings[0]}"
    advice = f"name OUT {own}, or {own}.gz, .bz2 or .xz"
    if found is None:
        known = ", ".join(known.name for known in FORMATS.values())
        raise ParameterError(f"{output}: {end} files cannot be written, only {known}: {advice}")
    raise ParameterError(f"{output}: OUT is to be written as {format.name}, and its name says {found[0].name}: {advice}")
