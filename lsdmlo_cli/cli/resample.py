"""`lsdmlo resample`: a file with new rows for its rare labels."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from lsdmlo_cli.cli.command import DrawingCommand
from lsdmlo_cli.cli.log import close, for_people
from lsdmlo_cli.cli.method_options import METHOD, METHOD_OPTIONS, given_options
from lsdmlo_cli.cli.options import (
    FILE,
    FORM,
    IGNORE,
    LABELS,
    MEASURES,
    PLOT,
    RESOURCES,
    SEED,
    SETTINGS,
    add_options,
    form_from,
    plot_from,
    resources,
    settings_from,
    typed_options,
    warn,
    warn_of_idle_sample,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cli.tables import seen
from lsdmlo_cli.samplers import SAMPLERS

if TYPE_CHECKING:
    from lsdmlo_cli.pipeline import Outcome


@click.command(cls=DrawingCommand)
@click.argument("in", type=FILE, metavar="IN")
@click.argument("out", type=FILE, metavar="[OUT]", required=False)
@click.option("--in-place", is_flag=True, help="Replace IN itself when the run has succeeded; do not give OUT.")
@add_options(METHOD, *(option.click() for option in METHOD_OPTIONS[:2]), SEED, LABELS, IGNORE, *FORM)
@add_options(*(option.click() for option in METHOD_OPTIONS[2:]))
@add_options(*SETTINGS, *MEASURES)
@click.option(
    "--report", type=FILE, metavar="PATH", help="Where the JSON report goes (-: standard output).  [default: beside OUT]"
)
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--provenance", type=FILE, metavar="PATH", help="Write a CSV of each new row's seed, reference and label.")
@add_options(*PLOT, *RESOURCES)
@click.pass_context
def resample(ctx: click.Context, /, out: str | None, in_place: bool, method: str, quiet: bool, **options: Any) -> None:
    """Copy IN to OUT unchanged and append synthetic rows for the rare labels: a share --p of the n rows, or exactly --rows.

    IN and OUT are ARFF files, plain or compressed (.gz, .bz2, .xz); - is standard input or output. A JSON report of the
    imbalance before and after is written beside OUT. An existing OUT is overwritten; use --in-place to overwrite IN itself.

    Other methods (--method) add or remove rows differently. Rows that are kept are never changed. Square brackets
    list the methods an option applies to, with its default for each; an option without such a list applies to all methods.

    \b
    Examples:
      lsdmlo resample in.arff out.arff --p 0.05
      lsdmlo resample in.arff out.arff --rows 25
      lsdmlo resample in.arff out.arff --method mlsmote --strategy union
      lsdmlo resample in.arff --in-place
      zcat in.arff.gz | lsdmlo resample - - --labels 6 --p 0.1 | gzip > out.arff.gz
    """
    path = options.pop("in")
    out = _output(ctx, path, out, in_place)
    report = _report(out, options.pop("report"), options.pop("no_report"))
    sampler = SAMPLERS[method](**given_options(ctx, method, options))
    warn_of_idle_sample(ctx)
    plot = plot_from(ctx, options.pop("plot"), options.pop("picture"))
    from lsdmlo_cli import pipeline

    how = {name: options.pop(name) for name in ("labels", "ignore", "seed", "provenance")} | {"plot": plot}
    how["form"] = form_from(options)
    how |= resources(options.pop("threads"), options.pop("memory"))
    typed = typed_options(ctx)
    with progress_line(quiet, path) as progress:
        settings = settings_from(options)
        outcome = pipeline.resample(
            path, out, sampler, settings, report=report, in_place=in_place, options=typed, progress=progress, **how
        )
    warn(path, outcome.report["warnings"])
    _close(path, out, outcome, [how["provenance"], plot.path if plot else None], quiet)


def _close(path: str, out: str, outcome: Outcome, beside: list[str | None], quiet: bool) -> None:
    """Say how it ended; on a terminal with tables of what rose and what fell."""
    from lsdmlo_cli.pipeline import closing_line

    report = outcome.report
    made = {"added": report["synthetic"]["created"], "removed": report["removed"]}
    close(path, closing_line(outcome), [out, outcome.report_path, *beside], report["output"]["n"], quiet=quiet, **made)
    if not quiet and for_people() and seen(sys.stderr):
        from lsdmlo_cli.display.draw import drawn
        from lsdmlo_cli.display.resampling import short_document

        place = None if outcome.report_path == "-" else outcome.report_path
        sys.stderr.write(f"\n{drawn(short_document(report, place), 'table', sys.stderr)}")


def _output(ctx: click.Context, path: str, out: str | None, in_place: bool) -> str:
    """OUT, or the input that it replaces."""
    if out is None and not in_place:
        raise click.UsageError(f"OUT is missing: type lsdmlo resample {path} OUT.arff, or --in-place to replace {path}", ctx)
    return path if out is None else out


def _report(out: str, report: str | None, no_report: bool) -> str | None:
    """Where the report goes; None where there is none."""
    if report is not None and no_report:
        raise click.UsageError("--report and --no-report exclude each other")
    from lsdmlo_cli.augmented import default_report

    return default_report(out) if report is None and not no_report else report
