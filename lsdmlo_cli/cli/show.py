"""`lsdmlo show`: reports again, as tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from lsdmlo_cli.cli.command import DrawingCommand
from lsdmlo_cli.cli.faults import Faults
from lsdmlo_cli.cli.options import FILE, PLOT, add_options, refuse_idle_picture, warn
from lsdmlo_cli.cli.tables import VIEW, format_option, view_from, write_reports
from lsdmlo_cli.display.kinds import COMMANDS, kind_of
from lsdmlo_cli.display.labels import stats_document
from lsdmlo_cli.display.resampling import resample_document
from lsdmlo_cli.display.table import Document, Report, View
from lsdmlo_cli.errors import DataError, FileError, LsdmloError, reason


def _evaluation(reports: Sequence[Report], view: View) -> Document:
    from lsdmlo_cli.evaluation.shown import document  # loads numpy

    return document(reports, view)


def _recommendation(reports: Sequence[Report], view: View) -> Document:
    from lsdmlo_cli.evaluation.recommendation.report import document  # loads numpy

    return document(reports, view)


DOCUMENTS: dict[str, Callable[[Sequence[Report], View], Document]] = {
    "resample": resample_document,
    "stats": stats_document,
    "evaluate": _evaluation,
    "recommend": _recommendation,
}
"""What is shown of reports of a kind."""


@click.command(cls=DrawingCommand)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@add_options(format_option("table"), *VIEW, *PLOT)
@click.pass_context
def show(ctx: click.Context, /, reports: tuple[str, ...], **options: Any) -> None:
    """Print REPORTS of resample, stats, evaluate or recommend again: as tables for people, Markdown, LaTeX, CSV or JSON.

    REPORTS are the JSON that these commands write, of evaluate its results.json and of recommend its recommendation.json; - is
    standard input. Of a resampling the figures before and after stand side by side; of several, as of several data sets, a line
    each is printed.

    \b
    Examples:
      lsdmlo show out.report.json
      lsdmlo show evaluation/results.json --format latex
      lsdmlo show *.report.json --format csv
      lsdmlo show out.report.json --plot labels.svg
    """
    refuse_idle_picture(ctx)
    if options["plot"] is not None and len(reports) > 1:
        raise click.UsageError(f"--plot draws one report, and there are {len(reports)}: run it once for each", ctx)
    view = view_from(ctx, piped="table")
    faults = Faults(len(reports))
    found: list[tuple[str, Report]] = []
    for path in reports:
        with faults.of(path):
            found += ((kind_of(report, path), report) for report in loaded(path))
    kinds = [kind for kind in DOCUMENTS if any(kind == other for other, _ in found)]
    if view.format in ("csv", "json") and len(kinds) > 1:
        raise DataError(f"{view.format} holds reports of one kind, and these are of {' and '.join(kinds)}: show them one by one")
    if options["plot"] is not None:
        _draw(found, options["picture"], options["plot"])
    for number, kind in enumerate(kinds):
        if number:
            click.echo()
        _show(kind, [report for other, report in found if other == kind], view)
    ctx.exit(faults.status)


def _draw(found: Sequence[tuple[str, Report]], picture: str | None, place: str) -> None:
    """Draw the only report there is. Errors: DataError where a file holds several."""
    from lsdmlo_cli.pictures.drawing import draw

    if len(found) != 1:
        raise DataError(f"--plot draws one report, and there are {len(found)}")
    draw(dict(found[0][1]), picture, place)


def loaded(path: str) -> Iterator[Any]:
    """The reports in a file, which are one or a list of them. Errors: FileError; DataError for what is no JSON."""
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from error
    try:
        held = json.loads(content)
    except (ValueError, RecursionError) as error:
        arff = f"; for a data set type lsdmlo stats {path}" if ".arff" in path else ""
        raise DataError(f"{path}: found no JSON, expected a report of {COMMANDS}{arff}") from error
    yield from held if isinstance(held, list) and held else [held]


def _show(kind: str, reports: Sequence[Report], view: View) -> None:
    """Print reports of one kind. Errors: DataError for one that lacks what such a report has."""
    try:
        for report in reports:
            warn(_about(report), report.get("warnings", []))
        write_reports(reports, view, DOCUMENTS[kind])
    except LsdmloError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise DataError(f"found a report of {kind} that lacks something ({what}): make it again with this version") from error


def _about(report: Report) -> str:
    return str(report.get("dataset", {}).get("file", "results"))
