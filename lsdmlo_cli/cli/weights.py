"""`lsdmlo weights`: which features matter for which label."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.log import close
from lsdmlo_cli.cli.options import (
    FILE,
    FORM,
    IGNORE,
    LABELS,
    RESOURCES,
    SETTINGS,
    add_options,
    form_from,
    resources,
    settings_from,
    warn,
    write_out,
)
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(cls=Command)
@click.argument("dataset", type=FILE)
@add_options(LABELS, IGNORE, *FORM, *SETTINGS, *RESOURCES)
def weights(
    dataset: str,
    labels: str | None,
    ignore: list[str] | None,
    threads: int | None,
    memory: int,
    quiet: bool,
    **options: Any,
) -> None:
    """Print the feature weights of each label of DATASET as CSV: label,feature,weight,theta.

    Only weights that are not 0 are listed, the strongest of a label first; theta is the feature's share of the label's distance.

    \b
    Example:
      lsdmlo weights emotions.arff > weights.csv
    """
    from lsdmlo_cli import cautions, pipeline
    from lsdmlo_cli.weights_table import weights_table

    with progress_line(quiet, dataset) as progress:
        how: dict[str, Any] = {"labels": labels, "ignore": ignore, "form": form_from(options), "progress": progress}
        how |= resources(threads, memory)
        analysis = pipeline.analyse(dataset, settings_from(options), **how)
        table = weights_table(analysis)
    warn(dataset, [*analysis.warnings, *cautions.empty_labels(analysis.dataset)])
    write_out(table)
    close(dataset, "", ["-"], analysis.dataset.n, quiet=quiet)
