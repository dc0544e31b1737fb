"""`lsdmlo resample`: files with new rows for their rare labels."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lsdmlo_cli.cli.command import ending, too_many
from lsdmlo_cli.cli.faults import Faults
from lsdmlo_cli.cli.log import close, for_people, say, tell
from lsdmlo_cli.cli.method_options import METHOD, MethodCommand, given_options
from lsdmlo_cli.cli.options import (
    CLUSTER,
    FILE,
    FOLDER,
    FORM,
    IGNORE,
    LABELS,
    MEASURES,
    PLOT,
    RESOURCES,
    SEED,
    SETTINGS,
    TO,
    add_options,
    form_from,
    plot_from,
    resources,
    searchers,
    settings_from,
    typed_options,
    warn,
    warn_of_idle_sample,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cli.tables import seen
from lsdmlo_cli.errors import listed
from lsdmlo_cli.folders import counted, made_folder
from lsdmlo_cli.samplers import SAMPLERS, Sampler

if TYPE_CHECKING:
    from lsdmlo_cli.analysis import Settings
    from lsdmlo_cli.formats import Form
    from lsdmlo_cli.pipeline import Outcome
    from lsdmlo_cli.subject import Plot


class Run(NamedTuple):
    """A data set and what is written of it; None for what is not."""

    path: str
    out: str
    report: str | None
    provenance: str | None
    plot: Plot | None

    @property
    def sides(self) -> dict[str, Any]:
        """Where outputs beside OUT go, as `pipeline.resample` takes it."""
        return {"report": self.report, "provenance": self.provenance, "plot": self.plot}

    @property
    def outputs(self) -> dict[str, str | None]:
        """OUT and what lies beside it, by what messages call them."""
        picture = None if self.plot is None else self.plot.path
        return {"OUT": self.out, "the report": self.report, "the provenance": self.provenance, "the picture": picture}


@click.command(cls=MethodCommand)
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="IN... [OUT]")
@click.option("--dry-run", is_flag=True, help="Say what would be made and written, and write nothing.")
@click.option("--in-place", is_flag=True, help="Replace IN itself when the run has succeeded; do not give OUT.")
@click.option(
    "--out-dir",
    type=FOLDER,
    metavar="DIR",
    help="Resample each IN into this folder, under its own name; do not give OUT. --report, --provenance and --plot then take "
    "the end of a name: --provenance parents.csv writes DIR/NAME.parents.csv.",
)
@add_options(METHOD, SEED, LABELS, IGNORE, *FORM, TO, *SETTINGS, *MEASURES)
@click.option(
    "--report", type=FILE, metavar="PATH", help="Where the JSON report goes (-: standard output).  [default: beside OUT]"
)
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--provenance", type=FILE, metavar="PATH", help="Write a CSV of each new row's seed, reference and label.")
@add_options(*PLOT, CLUSTER, *RESOURCES)
@click.pass_context
def resample(ctx: click.Context, /, files: tuple[str, ...], out_dir: str | None, dry_run: bool, **options: Any) -> None:
    """Copy IN to OUT unchanged and append synthetic rows for the rare labels: a share --p of the n rows, or exactly --rows.

    IN and OUT are files of any format, plain or compressed (.gz, .bz2, .xz); - is standard input or output. Where OUT has another
    format than IN its rows are converted, and a warning says what is lost. A JSON report of the imbalance before and after is
    written beside OUT. An existing OUT is overwritten; use --in-place to overwrite IN itself. Several data sets need --out-dir;
    one that cannot be resampled is told, and the others are done.

    Other methods (--method) add or remove rows differently. Rows that are kept are never changed. Square brackets
    list the methods an option applies to, with its default for each; an option without such a list applies to all methods.

    \b
    Examples:
      lsdmlo resample in.arff out.arff --p 0.05
      lsdmlo resample in.csv out.csv --labels 'label_*' --rows 25
      lsdmlo resample in.arff out.parquet --method mlsmote --strategy union
      lsdmlo resample in.arff --in-place
      lsdmlo resample *.arff --out-dir resampled --p 0.1
      zcat in.arff.gz | lsdmlo resample - - --labels 6 --p 0.1 | gzip > out.arff.gz
    """
    method = options.pop("method")
    sampler = SAMPLERS[method](**given_options(ctx, method, options))
    warn_of_idle_sample(ctx)
    runs, in_place = _runs(ctx, files, out_dir, options), options.pop("in_place")
    how = {name: options.pop(name) for name in ("labels", "ignore", "seed", "to")}
    how |= {"form": form_from(options), "in_place": in_place}
    how |= {**resources(options.pop("threads"), options.pop("memory")), "options": typed_options(ctx)}
    if len(runs) > 1:
        _refuse_clashes(runs, how)
    faults, settings, do = Faults(len(runs)), settings_from(options), _plan if dry_run else _do
    folder = nullcontext() if out_dir is None else made_folder(out_dir, keep=not dry_run)
    with folder, searchers(options.pop("cluster"), options["quiet"]) as cluster:
        for run in runs:
            with faults.of(run.path):
                do(run, sampler, settings, {**how, "cluster": cluster}, options["quiet"])
        ctx.exit(faults.status)


def _do(run: Run, sampler: Sampler, settings: Settings, how: Mapping[str, Any], quiet: bool) -> None:
    """Resample a data set."""
    from lsdmlo_cli import pipeline

    with progress_line(quiet, run.path) as progress:
        outcome = pipeline.resample(run.path, run.out, sampler, settings, **how, **run.sides, progress=progress)
    warn(run.path, outcome.report["warnings"])
    _close(run, outcome, quiet)


def _plan(run: Run, sampler: Sampler, settings: Settings, how: Mapping[str, Any], quiet: bool) -> None:
    """Say what resampling a data set would make, and write nothing."""
    from lsdmlo_cli import pipeline

    with progress_line(quiet, run.path) as progress:
        plan = pipeline.dry_run(run.path, run.out, sampler, settings, **how, **run.sides, progress=progress)
    warn(run.path, plan.warnings)
    if quiet:
        return
    data, made = plan.data, {"added": plan.added, "removed": plan.removed}
    shape = {"n": data.n, "d": data.d, "q": data.q}
    tell(kind="plan", input=run.path, **shape, minority=plan.minority, method=sampler.name, **made, outputs=plan.outputs)
    if for_people():
        minority = (
            f"{counted(len(plan.minority), 'minority label')} ({listed(plan.minority)})" if plan.minority else "no minority label"
        )
        say(f"{run.path}: {data.n} rows, {data.d} features, {data.q} labels; {minority}")
        say(f"{run.path}: {sampler.name} would add {'up to ' * bool(plan.added)}{plan.added} rows and remove {plan.removed}")
        places = [f"{place} (replaced)" if Path(place).is_file() else place for place in plan.outputs]
        say(f"{run.path}: would write {', '.join(places)}; nothing was written")


def _close(run: Run, outcome: Outcome, quiet: bool) -> None:
    """Say how it ended; on a terminal with tables of what rose and what fell."""
    from lsdmlo_cli.pipeline import closing_line

    report = outcome.report
    made = {"added": report["synthetic"]["created"], "removed": report["removed"]}
    close(run.path, closing_line(outcome), list(run.outputs.values()), report["output"]["n"], quiet=quiet, **made)
    if not quiet and for_people() and seen(sys.stderr):
        from lsdmlo_cli.display.draw import drawn
        from lsdmlo_cli.display.resampling import short_document

        place = None if outcome.report_path == "-" else outcome.report_path
        sys.stderr.write(f"\n{drawn(short_document(report, place), 'table', sys.stderr)}")


def _runs(ctx: click.Context, files: tuple[str, ...], out_dir: str | None, options: dict[str, Any]) -> list[Run]:
    """What is to be done, and where its outputs go; the options that say so are taken out."""
    report, no_report, provenance = (options.pop(name) for name in ("report", "no_report", "provenance"))
    plot = plot_from(ctx, options.pop("plot"), options.pop("picture"))
    if report is not None and no_report:
        raise click.UsageError("--report and --no-report exclude each other")
    from lsdmlo_cli.augmented import default_report

    if out_dir is None:
        out = _output(ctx, files, options["in_place"])
        return [Run(files[0], out, default_report(out) if report is None and not no_report else report, provenance, plot)]
    _refuse_places_in_folder(ctx, files, options["in_place"])
    runs = []
    for path in files:
        out = os.path.join(out_dir, _name_in_folder(path, options["to"]))
        own = _beside(out, report) or (None if no_report else default_report(out))
        picture = None if plot is None else replace(plot, path=str(_beside(out, plot.path)))
        runs.append(Run(path, out, own, _beside(out, provenance), picture))
    return runs


def _output(ctx: click.Context, files: tuple[str, ...], in_place: bool) -> str:
    """OUT, or the input that it replaces."""
    path, *rest = files
    if len(rest) > 1:
        advice = ": run it once for each file, or give --out-dir DIR in place of OUT"
        raise click.UsageError(too_many(ctx, ["IN", "OUT"], rest[1:], advice), ctx)
    if not rest and not in_place:
        raise click.UsageError(
            f"OUT is missing: type lsdmlo resample {path} OUT{ending(path)}, or --in-place to replace {path}, or --out-dir DIR",
            ctx,
        )
    return rest[0] if rest else path


def _name_in_folder(path: str, to: str | None) -> str:
    """The name of OUT in --out-dir: that of IN, with the ending of another format where one is asked for."""
    from lsdmlo_cli.formats import format_of, stem
    from lsdmlo_cli.formats.names import ending_of, suffix

    name = os.path.basename(path)
    return name if to is None else f"{stem(name)}{ending_of(name, format_of(name, to))}{suffix(name)}"


def _refuse_places_in_folder(ctx: click.Context, files: Sequence[str], in_place: bool) -> None:
    """UsageError for what does not go together with --out-dir."""
    if in_place:
        raise click.UsageError("--in-place and --out-dir exclude each other", ctx)
    if "-" in files:
        raise click.UsageError(
            "standard input has no name for a file in --out-dir: name the file, or OUT in place of --out-dir", ctx
        )
    for option in ("report", "provenance", "plot"):
        end = ctx.params[option]
        if end is not None and (end == "-" or os.path.basename(end) != end):
            raise click.UsageError(
                f"--{option} {end}: with --out-dir it is the end of names, such as parents.csv for DIR/NAME.parents.csv", ctx
            )


def _beside(out: str, end: str | None) -> str | None:
    """The path of an output beside OUT; None where none is asked for."""
    from lsdmlo_cli.formats import stem

    return None if end is None else f"{stem(out)}.{end}"


def _refuse_clashes(runs: Sequence[Run], how: Mapping[str, Any]) -> None:
    """ParameterError where the outputs of several runs cannot be written beside each other or their inputs."""
    from lsdmlo_cli.formats import stem
    from lsdmlo_cli.outputs import refuse_places, refuse_shared

    refuse_shared((run.path, (*run.outputs.values(), f"{stem(run.out)}.xml")) for run in runs)
    form: Form = how["form"]
    for run in runs:
        out, *sides = run.outputs.items()
        refuse_places(run.path, str(out[1]), how["labels"], dict(sides), how["in_place"], form.name, how["to"])
