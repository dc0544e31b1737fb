"""`lsdmlo resample`: a file with new rows for its rare labels."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.method_options import METHOD, METHOD_OPTIONS, given_options
from lsdmlo_cli.cli.options import (
    IGNORE,
    LABELS,
    MEASURES,
    RESOURCES,
    SEED,
    SETTINGS,
    add_options,
    resources,
    settings_from,
    warn,
)
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(short_help="Write a file anew with rows added or removed for its rare labels.")
@click.argument("in", metavar="IN")
@click.argument("out", metavar="OUT")
@add_options(METHOD, *(option.click() for option in METHOD_OPTIONS[:2]), SEED, LABELS, IGNORE)
@add_options(*(option.click() for option in METHOD_OPTIONS[2:]))
@add_options(*SETTINGS, *MEASURES)
@click.option("--report", metavar="PATH", help="Where the JSON report goes (-: standard output).  [default: beside OUT]")
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--provenance", metavar="PATH", help="Write a CSV of each new row's seed, reference and label.")
@add_options(*RESOURCES)
@click.pass_context
def resample(
    ctx: click.Context,
    /,
    out: str,
    method: str,
    labels: str | None,
    ignore: list[str] | None,
    seed: int,
    threads: int | None,
    memory: int,
    report: str | None,
    no_report: bool,
    provenance: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Write to OUT the rows of IN as they are and floor(p n) synthetic rows, or --rows N, for its rare labels.

    IN and OUT are ARFF files, also .gz, .bz2 or .xz; - is standard input or output. A JSON report of the imbalance
    before and after is written beside OUT.

    Other methods add rows in other ways, or remove some; the rows that stay are never changed. In brackets stand the
    methods that an option is for, with its defaults; an option without such a list is for all methods.

    \b
    Examples:
      lsdmlo resample in.arff out.arff --p 0.05
      lsdmlo resample in.arff out.arff --rows 25
      lsdmlo resample in.arff out.arff --method mlsmote --strategy union
      zcat in.arff.gz | lsdmlo resample - - --labels 6 --p 0.1 | gzip > out.arff.gz
    """
    if report is not None and no_report:
        raise click.UsageError("--report and --no-report exclude each other")
    given = given_options(ctx, method, options)
    from lsdmlo_cli import pipeline
    from lsdmlo_cli.samplers import SAMPLERS

    sampler = SAMPLERS[method](**given)
    with progress_line(quiet) as progress:
        outcome = pipeline.resample(
            options.pop("in"),
            out,
            sampler,
            settings_from(options),
            labels=labels,
            ignore=ignore,
            seed=seed,
            report=None if no_report else report or pipeline.default_report(out),
            provenance=provenance,
            progress=progress,
            **resources(threads, memory),
        )
    warn(outcome.report["warnings"])
    if not quiet:
        click.echo(f"lsdmlo: {pipeline.closing_line(outcome)}", err=True)
