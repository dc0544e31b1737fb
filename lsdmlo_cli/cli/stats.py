"""`lsdmlo stats`: how imbalanced a file is."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.options import (
    FILE,
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
    warn_of_idle_sample,
    write_out,
)
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(cls=Command)
@click.argument("dataset", type=FILE)
@add_options(LABELS, IGNORE, *SETTINGS, *MEASURES, SEED, *RESOURCES)
@click.pass_context
def stats(ctx: click.Context, /, dataset: str, labels: str | None, ignore: list[str] | None, quiet: bool, **options: Any) -> None:
    """Print how imbalanced DATASET is: IRLbl, MeanIR, LImb, LImb_LSD and more, as JSON.

    DATASET is an ARFF file, also .gz, .bz2 or .xz; - is standard input.

    \b
    Examples:
      lsdmlo stats emotions.arff
      zcat big.arff.gz | lsdmlo stats - --labels 6 --measures fast
    """
    warn_of_idle_sample(ctx)
    from lsdmlo_cli import pipeline
    from lsdmlo_cli.report import to_json

    with progress_line(quiet) as progress:
        of_machine = resources(options["threads"], options["memory"])
        report = pipeline.stats(dataset, settings_from(options), labels=labels, ignore=ignore, progress=progress, **of_machine)
    warn(dataset, report["warnings"])
    write_out(to_json(report))
