"""`lsdmlo resample`: a file with new rows for its rare labels."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import click

from lsdmlo_cli.cli.options import (
    DECIMAL,
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


@click.command(short_help="Add synthetic rows for the rare labels of a file.")
@click.argument("in", metavar="IN")
@click.argument("out", metavar="OUT")
@click.option(
    "--p", type=DECIMAL, default=Decimal("0.1"), show_default=True, help="New rows as a share of the rows of IN, 0 or more."
)
@add_options(SEED, LABELS)
@click.option(
    "--tr", type=DECIMAL, default=Decimal("0.1"), show_default=True, help="Share of label pairs that count as correlated."
)
@click.option(
    "--interpolation",
    type=click.Choice(["attribute", "instance"]),
    default="attribute",
    show_default=True,
    help="One alpha for each attribute, or one for the row.",
)
@click.option(
    "--outliers",
    type=click.Choice(["keep", "drop"]),
    default="keep",
    show_default=True,
    help="Whether outliers keep their label correlation weight.",
)
@add_options(*SETTINGS, *MEASURES)
@click.option("--report", metavar="PATH", help="Where the JSON report goes (-: standard output).  [default: beside OUT]")
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--provenance", metavar="PATH", help="Write a CSV of each new row's seed, reference and label.")
@add_options(*RESOURCES)
def resample(
    out: str,
    p: Decimal,
    labels: str | None,
    seed: int,
    tr: Decimal,
    interpolation: Any,
    outliers: Any,
    threads: int | None,
    memory: int,
    report: str | None,
    no_report: bool,
    provenance: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Write to OUT the rows of IN as they are and floor(p n) synthetic rows for its rare labels.

    IN and OUT are ARFF files, also .gz, .bz2 or .xz; - is standard input or output. A JSON report of the imbalance
    before and after is written beside OUT.

    \b
    Examples:
      lsdmlo resample in.arff out.arff --p 0.05
      zcat in.arff.gz | lsdmlo resample - - --labels 6 --p 0.1 | gzip > out.arff.gz
    """
    from lsdmlo_cli import pipeline
    from lsdmlo_cli.samplers import LSDMLO

    if report is not None and no_report:
        raise click.UsageError("--report and --no-report exclude each other")
    sampler = LSDMLO(p=p, tr=tr, interpolation=interpolation, outliers=outliers)
    with progress_line(quiet) as progress:
        outcome = pipeline.resample(
            options.pop("in"),
            out,
            sampler,
            settings_from(options),
            labels=labels,
            seed=seed,
            report=None if no_report else report or pipeline.default_report(out),
            provenance=provenance,
            progress=progress,
            **resources(threads, memory),
        )
    warn(outcome.report["warnings"])
    if not quiet:
        click.echo(f"lsdmlo: {pipeline.closing_line(outcome)}", err=True)
