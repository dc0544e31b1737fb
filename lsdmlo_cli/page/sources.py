"""What a page is asked to show: a data file, an output of `resample`, or a report; and what lies beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.display.kinds import kind_of
from lsdmlo_cli.errors import FileError
from lsdmlo_cli.page.model import section
from lsdmlo_cli.page.tables import Section
from lsdmlo_cli.pipeline import analyse
from lsdmlo_cli.provenance import Machine, made, output_of, provenance_of, read_report, report_beside
from lsdmlo_cli.report import stats_report
from lsdmlo_cli.subject import Subject


class Asked(NamedTuple):
    """How data files are read, as for `stats`: these hold for every one of them. machine: see provenance.Machine."""

    settings: Settings
    labels: str | None = None
    ignore: Iterable[str | int] | None = None
    machine: Machine = Machine()


def section_of(place: str, asked: Asked) -> Section:
    """The section about a file. An output whose report lies beside it is shown with what was made of what."""
    if place.lower().endswith(".json"):
        report = read_report(place)
        output = output_of(place) if kind_of(report) == "resample" else None
        return section(Subject(report)) if output is None else _of_output(output, report, asked)
    beside = report_beside(place)
    if beside is not None:
        return _of_output(place, beside, asked)
    how: dict[str, Any] = {"labels": asked.labels, "ignore": asked.ignore, **asked.machine._asdict()}
    analysis = analyse(place, asked.settings, **how)
    return section(Subject(stats_report(analysis), analysis))


def _of_output(output: str, report: dict[str, Any], asked: Asked) -> Section:
    try:
        provenance = provenance_of(output, report)
    except FileError:
        provenance = None  # then nothing is said of parents
    found = made(output, report, provenance, asked.machine)
    return section(found.subject, found)
