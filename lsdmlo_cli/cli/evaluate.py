"""`lsdmlo evaluate`: what a sampling method does for learners, by cross-validation."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsdmlo_cli.cli.command import DrawingCommand
from lsdmlo_cli.cli.log import close, say
from lsdmlo_cli.cli.options import (
    CLUSTER,
    DECIMAL,
    FILE,
    FOLDER,
    FORM,
    IGNORE,
    LABELS,
    LOG,
    PLOT,
    QUIET,
    SEED,
    SETTINGS,
    NameType,
    WholeNumber,
    add_options,
    crew,
    form_from,
    plot_from,
    settings_from,
    was_given,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cli.tables import format_option, view_from, write_reports
from lsdmlo_cli.errors import ParameterError, listed
from lsdmlo_cli.parameters import option_name, options, repeats_and_folds

if TYPE_CHECKING:
    from lsdmlo_cli.evaluation.experiment import Found
    from lsdmlo_cli.evaluation.learners import Learner
    from lsdmlo_cli.evaluation.plan import Plan
    from lsdmlo_cli.subject import Plot


class FoldsType(click.ParamType):
    """Repeats and folds, as 5x2."""

    name = "repeats x folds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        try:
            return repeats_and_folds(value)
        except ParameterError as error:
            self.fail(str(error), param, ctx)


class EvaluateCommand(DrawingCommand):
    """A command whose help ends with the learners and the metrics, those of other packages too."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from lsdmlo_cli.evaluation.learners import LEARNERS
        from lsdmlo_cli.evaluation.metrics import METRICS

        with formatter.section("Learners"):
            formatter.write_dl([(learner.name, _with_options(learner)) for learner in LEARNERS.values()])
        for title, shown in (("Metrics", True), ("Further metrics, for --metrics", False)):
            with formatter.section(title):
                formatter.write_dl([(one.name, one.summary) for one in METRICS.values() if one.by_default is shown])
        super().format_epilog(ctx, formatter)


def _with_options(learner: type[Learner]) -> str:
    """What a learner does, and the names of its options in brackets."""
    return " ".join([learner.summary, *(f"[{option.name}]" for option in options(learner))])


@click.command(cls=EvaluateCommand)
@click.argument("datasets", type=FILE, nargs=-1, required=True)
@click.option(
    "--methods",
    default="base,lsdmlo",
    show_default=True,
    metavar="NAMES",
    help="Methods to compare, separated by commas: base (no sampling) and those of `lsdmlo methods`, "
    "with options as in mlsmote:strategy=union:p=0.2.",
)
@click.option(
    "--learners",
    default="br,mlknn",
    show_default=True,
    metavar="NAMES",
    help="Learners to train, separated by commas; they are listed below with their options, as in lr:class_weight=balanced; or "
    "classes by their path, as in sklearn.ensemble:RandomForestClassifier(n_estimators=200).",
)
@click.option(
    "--out",
    type=FOLDER,
    default="evaluation",
    show_default=True,
    metavar="DIR",
    help="Folder for the results. Running again with the same folder resumes a stopped run.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Overwrite results in DIR even if they cover data sets, methods, learners or metrics not asked for now.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="The method, as in --methods, that the others are compared with fold by fold.  [default: the first]",
)
@click.option("--cv", type=FoldsType(), default="5x2", show_default=True, metavar="RxF", help="Number of repeats and of folds.")
@add_options(SEED)
@click.option(
    "--p", type=DECIMAL, help="Sampling ratio for all methods; override for one with method:p=...  [default: the method's]"
)
@click.option(
    "--tune", is_flag=True, help="Choose p, and lambda1 and lambda2 of lsdmlo, by cross-validation within each training fold."
)
@click.option(
    "--metrics",
    metavar="NAMES",
    help="Metrics to show, separated by commas, or all; they are listed below.  [default: those listed first]",
)
@click.option("--tune-metric", metavar="NAME", help="The metric that chooses; they are listed below.  [default: macro_f]")
@click.option("--inner", type=WholeNumber(min=2), metavar="N", help="Number of inner folds for --tune.  [default: 3]")
@click.option(
    "--budget",
    type=WholeNumber(min=2),
    metavar="N",
    help="Number of grid points for --tune to try, drawn at random.  [default: all]",
)
@click.option(
    "--rules",
    type=NameType(["recommended", "authors"]),
    help="How ties and undefined metrics are scored: as recommended, or as in the published code.  [default: recommended]",
)
@click.option(
    "--ties",
    type=NameType(["half", "win", "loss"]),
    help="How a tie between two scores counts: as half, as a win, or as a loss.  [default: half]",
)
@click.option(
    "--undefined",
    type=NameType(["skip", "zero", "half"]),
    help="How an undefined metric counts: left out of the mean, as 0, or as 0.5.  [default: skip]",
)
@click.option(
    "--threshold",
    type=NameType(["half", "prior", "inner"]),
    default="half",
    show_default=True,
    help="Where scores are cut to give labels: as the learner does, so that each label has its share of the training rows, "
    "or where F is best on inner folds of the training rows. Metrics of scores stay as they are.",
)
@add_options(LABELS, IGNORE, *FORM, *SETTINGS)
@click.option(
    "--jobs", type=WholeNumber(min=1), metavar="N", help="Number of processes. Does not change any result.  [default: all cores]"
)
@add_options(CLUSTER, format_option("table on a terminal, else markdown"), *PLOT, QUIET, LOG)
@click.pass_context
def evaluate(ctx: click.Context, /, datasets: tuple[str, ...], **options: Any) -> None:
    """Compare methods on DATASETS: resample the training rows, train learners on the result, score them on the test rows.

    Prints who is ahead of the method that the others are compared with, then tables: on a terminal and as LaTeX the methods side
    by side, a metric a row; as Markdown, per learner and metric, one table with the mean, standard deviation and rank of each
    method, and one with the differences. Results are also written to DIR as results.json, .csv and .md. --k applies to the
    sampling methods; learners use their own number of neighbours (mlknn: 10).
    Needs the extra "evaluate": pip install '.[evaluate]' in a checkout.

    \b
    Examples:
      lsdmlo evaluate emotions.arff --methods base,lsdmlo,mlsol --learners br,mlknn --out results
      lsdmlo evaluate *.arff --methods base,mlsmote,mlsmote:strategy=union --tune --budget 20 --out tuned
    """
    from lsdmlo_cli.evaluation.versions import versions

    versions()
    from lsdmlo_cli.evaluation.experiment import experiment
    from lsdmlo_cli.evaluation.sources import Place
    from lsdmlo_cli.evaluation.tables import asked, refuse_loss

    plan, plot, form = _plan(ctx, options), plot_from(ctx, options["plot"], options["picture"]), form_from(options)
    places = [Place(path, options["labels"], tuple(options["ignore"] or ()), form) for path in datasets]
    folder = Path(options["out"])
    if not options["overwrite"]:
        refuse_loss(folder, asked(plan, [place.name for place in places]))
    for line in plan.warnings:
        say(f"warning: {line}")
    with progress_line(options["quiet"], listed(datasets)) as progress:
        found = experiment(plan, places, folder / "cells", **crew(ctx), progress=progress)
    _write(ctx, plan, found, plot)


def _plan(ctx: click.Context, options: dict[str, Any]) -> Plan:
    """What is to be compared, and how. Errors: ParameterError for what does not go together."""
    from lsdmlo_cli.evaluation.request import TUNED, Request

    typed = {field.name: options[field.name] for field in fields(Request) if field.name in options}
    given = tuple(name for name in TUNED if was_given(ctx, name))
    return Request(**typed, settings=settings_from(options), given=given, typed=True).plan()


def _write(ctx: click.Context, plan: Plan, found: Found, plot: Plot | None) -> None:
    """Write the results into the folder and print them, with warnings, a picture if one is asked for, and a line at the end."""
    from lsdmlo_cli.evaluation.results import results, timings
    from lsdmlo_cli.evaluation.shown import document
    from lsdmlo_cli.evaluation.tables import write_results
    from lsdmlo_cli.formats.files import write_whole
    from lsdmlo_cli.subject import Subject

    folder = Path(ctx.params["out"])

    report = results(plan, found)
    write_results(folder, report, timings(plan, found), overwrite=ctx.params["overwrite"])
    _warn(ctx, report, found)
    write_reports([report], view_from(ctx, piped="markdown"), document)
    if plot is not None:
        write_whole(plot.path, plot.render(Subject(report)))
    _close(ctx, report, found, folder / "results.json")


def _warn(ctx: click.Context, report: dict[str, Any], found: Found) -> None:
    from lsdmlo_cli.evaluation.cautions import OF_WEIGHTS, warnings_of

    given = (option_name(name) for name in OF_WEIGHTS if was_given(ctx, name))
    for line in warnings_of(report, found, given):
        say(f"warning: {line}")


def _close(ctx: click.Context, report: dict[str, Any], found: Found, place: Path) -> None:
    """Say how it ended. Errors: DataError where nothing came out."""
    from lsdmlo_cli.evaluation.cautions import refuse_nothing

    refuse_nothing(report, found, f"; in {place}")
    names = listed([about.name for about in found.data])
    failed = f", {len(report['errors'])} failed" if report["errors"] else ""
    known = f" ({found.known} known before)" if found.known else ""
    line = f"{len(found.cells)} results{known}{failed}; in {place}"
    rows = sum(about.n for about in found.data)
    done = {"results": len(found.cells), "failed": len(report["errors"])}
    close(names, line, [str(place), ctx.params["plot"]], rows, quiet=ctx.params["quiet"], **done)
