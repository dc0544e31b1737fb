"""`lsdmlo stats`: how imbalanced files are."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.command import DrawingCommand
from lsdmlo_cli.cli.faults import Faults
from lsdmlo_cli.cli.log import close
from lsdmlo_cli.cli.options import (
    CLUSTER,
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
    searchers,
    settings_from,
    warn,
    warn_of_idle_sample,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cli.tables import VIEW, format_option, view_from, write_reports
from lsdmlo_cli.errors import listed


@click.command(cls=DrawingCommand)
@click.argument("datasets", type=FILE, nargs=-1, required=True)
@add_options(format_option("table on a terminal, else json"), *VIEW)
@add_options(LABELS, IGNORE, *FORM, *SETTINGS, *MEASURES, SEED, *PLOT, CLUSTER, *RESOURCES)
@click.pass_context
def stats(
    ctx: click.Context, /, datasets: tuple[str, ...], labels: str | None, ignore: list[str] | None, quiet: bool, **options: Any
) -> None:
    """Print how imbalanced DATASETS are: IRLbl, MeanIR, LImb, LImb_LSD and more, as a table or as JSON.

    DATASETS are files of any format, also .gz, .bz2 or .xz; - is standard input. Of one data set its measures and its labels are
    printed, of several a line each (as JSON: a list of reports). A file that cannot be read is told, and the others are printed.

    \b
    Examples:
      lsdmlo stats emotions.arff
      lsdmlo stats emotions.arff --sort name --top 0 --format latex
      lsdmlo stats emotions.arff --plot labels.svg
      lsdmlo stats *.arff --measures fast --format csv > imbalance.csv
      zcat big.arff.gz | lsdmlo stats - --labels 6 --measures fast
    """
    warn_of_idle_sample(ctx)
    view, plot = view_from(ctx), plot_from(ctx, options["plot"], options["picture"])
    if plot is not None and len(datasets) > 1:
        raise click.UsageError(f"--plot draws one data set, and there are {len(datasets)}: run it once for each", ctx)
    from lsdmlo_cli.display.labels import stats_document
    from lsdmlo_cli.functions.imbalance import stats as found_in

    settings = settings_from(options)
    how: dict[str, Any] = resources(options["threads"], options["memory"])
    how |= {"labels": labels, "ignore": ignore, "form": form_from(options), "plot": plot}
    reports: list[Any] = []
    faults = Faults(len(datasets))
    with searchers(options["cluster"], quiet) as cluster:
        for dataset in datasets:
            with faults.of(dataset), progress_line(quiet, dataset) as progress:
                reports.append(found_in(dataset, settings=settings, progress=progress, cluster=cluster, **how))
                warn(dataset, reports[-1]["warnings"])
    if reports:
        write_reports(reports, view, stats_document)
    rows = sum(report["dataset"]["n"] for report in reports)
    close(listed(datasets), "", ["-", options["plot"]], rows, quiet=quiet, status=faults.status)
    ctx.exit(faults.status)
