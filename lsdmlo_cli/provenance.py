"""What lies beside an output of `resample`: its report, the parents of its new rows, and the data set they were made of.

The report names the parameters and the digests; the CSV of `--provenance` holds a line a new row: row, seed, reference, label.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, Analysis, Settings, matrix_bytes
from lsdmlo_cli.augmented import default_report
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.display.kinds import kind_of
from lsdmlo_cli.errors import DataError, FileError, FormatError, LsdmloError, reason
from lsdmlo_cli.formats import FORMATS, Source, read, stem
from lsdmlo_cli.formats.names import COMPRESSED
from lsdmlo_cli.progress import Progress, silent
from lsdmlo_cli.subject import NewRows, Subject

HEADER = ["row", "seed", "reference", "label"]
ENDINGS = (".provenance.csv", ".parents.csv")
"""Behind the name of OUT, where a CSV of provenance is looked for besides the place that the report names."""


class Made(NamedTuple):
    """What `resample` made: the subject of pictures, and OUT as it was read. first: the place of the first new row in it."""

    subject: Subject
    output: Dataset
    first: int


class Machine(NamedTuple):
    """What never changes a result: threads, memory, and who is told of progress."""

    threads: int = 1
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    progress: Progress = silent


def read_report(path: str) -> dict[str, Any]:
    """A report that a command wrote. Errors: FileError; FormatError for what is no JSON; DataError otherwise."""
    try:
        report = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from error
    except ValueError as error:
        raise FormatError(path, None, "this is no JSON, and a report was expected") from error
    kind_of(report, path)
    return dict(report)


def report_beside(path: str) -> dict[str, Any] | None:
    """The report of `resample` beside an output; None where there is none, or it is about other bytes than lie there."""
    place = default_report(path)
    if place is None or not Path(place).is_file() or not Path(path).is_file():
        return None
    try:
        report = read_report(place)
    except LsdmloError:
        return None
    return report if report.get("output", {}).get("sha256") == _digest(path) else None


def report_of(path: str, given: str | None = None) -> dict[str, Any]:
    """The report about an output, as given or beside it. Errors: FileError; DataError where it is not one of `resample`."""
    place = given or default_report(path)
    if place is None or not Path(place).is_file():
        raise FileError(f"{path}: no report of it was found (looked for {place}): name it with --report PATH")
    report = read_report(place)
    if kind_of(report) != "resample":
        raise DataError(f"{place} is a report of {kind_of(report)}, and one of resample was expected")
    return report


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def output_of(path: str) -> str | None:
    """The OUT that a report lies beside, None where there is none."""
    name = path.removesuffix(".report.json")
    endings = [ending for format in FORMATS.values() for ending in format.endings]
    places = (f"{name}{ending}{packed}" for ending, packed in product(endings, ("", *COMPRESSED)))
    return next((place for place in places if name != path and Path(place).is_file()), None)


def provenance_of(output: str, report: dict[str, Any], given: str | None = None) -> str:
    """Where the provenance of an output is: as given, where the report says, else beside it. Errors: FileError."""
    typed = (report.get("options") or {}).get("--provenance")
    folder = Path(output).parent
    named = [] if typed is None else [folder / Path(typed).name, Path(typed)]
    places = [Path(given)] if given is not None else [*(Path(f"{stem(output)}{end}") for end in ENDINGS), *named]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        looked = ", ".join(dict.fromkeys(map(str, places)))
        raise FileError(f"{output}: no provenance was found (looked for {looked}): write it with resample --provenance PATH")
    return str(found)


def read_provenance(path: str, data: Dataset) -> np.ndarray:
    """(m, 4) int64: row of OUT, seed, reference (all from 0) and label of each new row, -1 without one.

    Errors: FormatError with the line; FileError.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from error
    except ValueError as error:
        raise FormatError(path, None, "this is no text in UTF-8") from error
    lines = csv.reader(io.StringIO(text, newline=""))
    found = next(lines, [])
    if found != HEADER:
        raise FormatError(path, 1, f"expected {','.join(HEADER)}, found {','.join(found)[:80]}")
    names = {label.name: j for j, label in enumerate(data.labels)}
    rows = list(_rows(path, lines, names))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def _rows(path: str, lines: Any, names: dict[str, int]) -> Iterator[list[int]]:
    for words in lines:
        if len(words) != len(HEADER) or any(word and not word.isdecimal() for word in words[:3]):
            raise FormatError(path, lines.line_num, f"expected a row, its seed, its reference and a label, found {words}")
        if words[3] and words[3] not in names:
            raise FormatError(path, lines.line_num, f"there is no label {words[3]!r} in the data")
        yield [*(int(word) - 1 if word else -1 for word in words[:3]), names[words[3]] if words[3] else -1]


def made(output: str, report: dict[str, Any], provenance: str | None, machine: Machine | None = None) -> Made:
    """What `resample` made of a data set, from OUT, its report and its provenance (None: nothing is known of parents).

    Where no row was removed, the data set is the first rows of OUT; else the input must lie beside OUT. Errors: DataError where
    OUT is not the file of the report, or the provenance not that of OUT; FileError; FormatError.
    """
    machine = machine or Machine()
    if Path(output).is_file() and _digest(output) != report["output"]["sha256"]:
        raise DataError(f"{output} is not the file that its report is about: it was changed since, or the report is another's")
    found, created = _read(output, output, report, machine), report["synthetic"]["created"]
    first = found.n - created
    data = found.take(np.arange(first)) if not report["removed"] else _input(output, report, machine)
    data = replace(data, origin=replace(data.origin, file=report["dataset"]["file"]))
    analysis = Analysis(data, _settings(report), **machine._asdict())
    new = found.take(np.arange(first, found.n))
    parents = np.full((created, 3), -1, dtype=np.int64)
    if provenance is not None:
        parents = _parents(provenance, read_provenance(provenance, data), first, created, data.n)
    return Made(Subject(report, analysis, NewRows(analysis.encode(new.X), new.Y, parents)), found, first)


def _read(path: str, output: str, report: dict[str, Any], machine: Machine) -> Dataset:
    """A data file with the labels and the ignored features of a run; OUT's own XML names the labels where there is one."""
    typed = str((report.get("options") or {}).get("--labels", ""))
    xml = f"{stem(output)}.xml"
    gone = typed.lower().endswith(".xml") and not Path(typed).is_file()
    labels = xml if Path(xml).is_file() else None if gone else typed
    with Source(path) as source:
        how: Any = {"most_bytes": matrix_bytes(machine.memory_bytes), "progress": machine.progress}
        return read(source, labels or None, ignore=report["parameters"].get("ignore"), **how).dataset


def _input(output: str, report: dict[str, Any], machine: Machine) -> Dataset:
    """The input of a run that removed rows, which must lie beside OUT or in the present folder."""
    name = report["dataset"]["file"]
    place = next((place for place in (Path(output).parent / name, Path(name)) if place.is_file()), None)
    if place is None:
        raise FileError(f"{output}: rows were removed, so that its input {name} is needed, and it is not beside it: lay it there")
    data = _read(str(place), output, report, machine)
    if data.origin.sha256 != report["dataset"]["sha256"]:
        raise DataError(f"{place} is not the input that the report of {output} is about: it was changed since")
    return data


def _settings(report: dict[str, Any]) -> Settings:
    """The settings of a run, from its report."""
    given = report["parameters"]
    known = {field.name: given[field.name] for field in fields(Settings) if given.get(field.name) is not None}
    return Settings(**known)


def _parents(path: str, rows: np.ndarray, first: int, created: int, n: int) -> np.ndarray:
    """(m, 3): seed, reference and label, if the rows are those of OUT."""
    if not np.array_equal(rows[:, 0], np.arange(first, first + created)) or (rows[:, 1:3] >= n).any():
        raise DataError(f"{path} is not the provenance of this output: it tells of {len(rows)} rows, and {created} were made")
    return rows[:, 1:]
