"""`lsdmlo weights`: which features matter for which label."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.options import labels_option, settings_from, settings_options, thread_count, warn, write_out
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(short_help="Print which features matter for which label, as CSV.")
@click.argument("dataset")
@labels_option
@settings_options(measures=False)
@click.option("--quiet", is_flag=True, help="No progress on the terminal.")
def weights(dataset: str, labels: str | None, threads: int | None, quiet: bool, **options: Any) -> None:
    """Print the feature weights of each label of DATASET as CSV: label,feature,weight,theta.

    Only weights that are not 0 are listed, the strongest of a label first; theta is the share in the label's distance.

    \b
    Example:
      lsdmlo weights emotions.arff > weights.csv
    """
    from lsdmlo_cli import pipeline
    from lsdmlo_cli.weights_table import weights_table

    with progress_line(quiet) as progress:
        analysis = pipeline.analyse(
            dataset, settings_from(options), labels=labels, threads=thread_count(threads), progress=progress
        )
        table = weights_table(analysis)
    warn(analysis.warnings)
    write_out(table)
