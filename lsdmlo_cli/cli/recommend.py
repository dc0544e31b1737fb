"""`lsdmlo recommend`: whether to resample a file for a learner, and how."""

from __future__ import annotations

import sys
from math import isinf
from pathlib import Path
from typing import Any

import click

from lsdmlo_cli.cli.evaluate import EvaluateCommand
from lsdmlo_cli.cli.log import close, say
from lsdmlo_cli.cli.options import (
    CLUSTER,
    DURATION,
    FILE,
    FOLDER,
    FORM,
    IGNORE,
    LABELS,
    LOG,
    SEED,
    WholeNumber,
    add_options,
    crew,
    form_from,
    settings_from,
    settings_options,
    typed_options,
    warn,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cli.tables import seen, write_reports

FOR_RESAMPLE = (
    *("--labels", "--ignore", "--from", "--categories"),
    *("--k", "--lambda1", "--lambda2", "--tol", "--max-iter", "--max-seconds"),
)
"""Options that `lsdmlo resample` takes in the same way."""


@click.command(cls=EvaluateCommand)
@click.argument("dataset", type=FILE)
@click.option(
    "--learner",
    default="mlknn",
    show_default=True,
    metavar="NAME",
    help="The learner you train, listed below, perhaps with options as in lr:c=0.1.",
)
@click.option(
    "--metric",
    default="minority_aucpr",
    show_default=True,
    metavar="NAME",
    help="What should become better; the metrics are listed below.",
)
@click.option(
    "--budget",
    type=DURATION,
    default="5m",
    show_default=True,
    metavar="TIME",
    help="Time the comparison may take, such as 90s, 5m or 2h, or none for no limit. On large data fewer rows are used.",
)
@click.option(
    "--methods",
    default="mlros,mlsmote,mlsmote:strategy=union,mlsol,lsdmlo,lsdmlo-pos",
    show_default=True,
    metavar="NAMES",
    help="Methods to try, separated by commas, those with a sampling ratio at p = 0.1 and 0.3 unless one is given, "
    "as in mlsol:p=0.5.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the full report as JSON in place of the table.")
@click.option(
    "--out",
    type=FOLDER,
    default="recommendation",
    show_default=True,
    metavar="DIR",
    help="Folder for the results. Running again with the same folder resumes a stopped run, or goes on with a larger budget.",
)
@add_options(SEED, LABELS, IGNORE, *FORM, *settings_options(scale="std"))
@click.option(
    "--jobs",
    type=WholeNumber(min=1),
    metavar="N",
    help="Number of processes: more of them do more in time.  [default: all cores]",
)
@add_options(CLUSTER)
@click.option("--quiet", is_flag=True, help="Print no progress, only the recommendation, warnings and errors.")
@add_options(LOG)
@click.pass_context
def recommend(ctx: click.Context, /, dataset: str, budget: float, as_json: bool, out: str, **options: Any) -> None:
    """Say whether to resample DATASET for a learner, and how.

    Compares training without new rows (class weights, where the learner has them, and other thresholds, where the metric
    depends on one) with several methods, drops the losers early, and checks the choice on rows that had no part in it. Prints
    a table and the command to run, or that rows do not help: they are recommended only if they are better than anything
    without rows by more than chance explains. Results are kept in DIR. Needs the extra "evaluate".

    \b
    Examples:
      lsdmlo recommend emotions.arff
      lsdmlo recommend emotions.arff --learner lr --metric minority_f --budget 20m
    """
    from lsdmlo_cli.display.table import View
    from lsdmlo_cli.evaluation.versions import versions

    versions()
    from lsdmlo_cli.evaluation.metrics import typed_name
    from lsdmlo_cli.evaluation.recommendation import recommend
    from lsdmlo_cli.evaluation.recommendation.budget import Budget
    from lsdmlo_cli.evaluation.recommendation.report import document, report
    from lsdmlo_cli.evaluation.recommendation.request import Request
    from lsdmlo_cli.evaluation.sources import Place
    from lsdmlo_cli.formats.files import write_whole
    from lsdmlo_cli.report import to_json

    asked = Request(options["methods"], options["learner"], options["seed"], settings_from(options), typed=True)
    plan, folder = asked.plan(), Path(out)
    for line in plan.warnings:
        say(f"warning: {line}")
    place = Place(dataset, options["labels"], tuple(options["ignore"] or ()), form_from(options))
    allowed = Budget(None if isinf(budget) else budget, **crew(ctx))
    with progress_line(options["quiet"], dataset) as progress:
        found = recommend(plan, place, typed_name(options["metric"]), folder / "cells", allowed, progress)
    told = report(plan, found, dataset, _for_resample(ctx))
    write_whole(str(folder / "recommendation.json"), to_json(told))
    warn(dataset, [*found.about.warnings, *(f"{one['candidate']} failed: {one['error']}" for one in told["errors"])])
    view = View(format="json" if as_json else "table" if seen(sys.stdout) else "markdown")
    write_reports([told], view, document)
    close(dataset, "", [str(folder / "recommendation.json")], found.rows, quiet=options["quiet"])


def _for_resample(ctx: click.Context) -> dict[str, Any]:
    """The options that the recommended command needs too; --scale always, since its default is another there."""
    typed = {name: value for name, value in typed_options(ctx).items() if name in FOR_RESAMPLE}
    return {**typed, "--scale": ctx.params["scale"]}
