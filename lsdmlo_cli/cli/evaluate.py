"""`lsdmlo evaluate`: what a sampling method does for learners, by cross-validation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsdmlo_cli.cli.command import Command, did_you_mean, say
from lsdmlo_cli.cli.method_options import METHOD_OPTIONS, METHODS
from lsdmlo_cli.cli.options import (
    DECIMAL,
    IGNORE,
    LABELS,
    SEED,
    SETTINGS,
    NameType,
    WholeNumber,
    add_options,
    settings_from,
    warn,
    was_given,
    write_out,
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.cores import allowed_cores
from lsdmlo_cli.errors import ParameterError

if TYPE_CHECKING:
    from lsdmlo_cli.evaluation.learners import Learner
    from lsdmlo_cli.evaluation.metrics import Rules
    from lsdmlo_cli.evaluation.plan import Method, Tuning

BASE = "base"
LEARNERS = ("br", "mlknn", "cc", "rakel", "cocoa", "c2ae", "llsf")
"""As the help needs them; a test holds this against the truth."""
TUNED = ("lambda1", "lambda2")


class FoldsType(click.ParamType):
    """Repeats and folds, as 5x2."""

    name = "repeats x folds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        match = re.fullmatch(r"([1-9]\d{0,3})x([1-9]\d{0,3})", str(value), re.ASCII)
        if not match or int(match[2]) < 2:
            self.fail(f"{value!r} is not a number of repeats and of folds (2 or more), such as 5x2", param, ctx)
        return int(match[1]), int(match[2])


@click.command(cls=Command, short_help="Compare sampling methods by what learners make of them.")
@click.argument("datasets", nargs=-1, required=True)
@click.option(
    "--methods",
    default="base,lsdmlo",
    show_default=True,
    metavar="NAMES",
    help="Methods to compare, separated by commas: base (no sampling) and those of `lsdmlo methods`, "
    "with options as in mlsmote:strategy=union;p=0.2.",
)
@click.option(
    "--learners", default="br,mlknn", show_default=True, metavar="NAMES", help=f"Learners: some of {', '.join(LEARNERS)}."
)
@click.option(
    "--out", default="evaluation", show_default=True, metavar="DIR", help="Folder of the results; a stopped run goes on in it."
)
@click.option("--cv", type=FoldsType(), default="5x2", show_default=True, metavar="RxF", help="Repeats and folds.")
@add_options(SEED)
@click.option("--p", type=DECIMAL, help="Of every method that has it, unless the method is given its own.  [default: its own]")
@click.option("--tune", is_flag=True, help="Choose p, and lambda1 and lambda2 of lsdmlo, inside each training part.")
@click.option("--tune-metric", metavar="NAME", help="The metric that chooses.  [default: macro_f]")
@click.option("--inner", type=WholeNumber(min=2), metavar="N", help="Folds inside a training part.  [default: 3]")
@click.option("--budget", type=WholeNumber(min=1), metavar="N", help="Grid points to try, drawn at random.  [default: all]")
@click.option("--rules", type=NameType(["recommended", "authors"]), help="Rules of the metrics.  [default: recommended]")
@click.option("--ties", type=NameType(["half", "win", "loss"]), help="What equal scores count.  [default: half]")
@click.option(
    "--undefined", type=NameType(["skip", "zero", "half"]), help="What an undefined metric counts.  [default: skip]"
)
@add_options(LABELS, IGNORE, *SETTINGS)
@click.option(
    "--jobs", type=WholeNumber(min=1), metavar="N", help="Processes; they change no result.  [default: all cores]"
)
@click.option("--quiet", is_flag=True, help="No progress and no closing line; warnings stay.")
@click.pass_context
def evaluate(
    ctx: click.Context,
    /,
    datasets: tuple[str, ...],
    methods: str,
    learners: str,
    out: str,
    cv: tuple[int, int],
    seed: int,
    p: Decimal | None,
    tune: bool,
    tune_metric: str | None,
    inner: int | None,
    budget: int | None,
    rules: str | None,
    ties: str | None,
    undefined: str | None,
    labels: str | None,
    ignore: list[str] | None,
    jobs: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare methods on DATASETS: sample the training rows, train learners on them, measure the test rows.

    Prints a table for each learner and metric: mean, deviation and rank of each method. DIR gets results.json, .csv and
    .md. Needs the extra: pip install 'lsdmlo[evaluate]'.

    \b
    Examples:
      lsdmlo evaluate emotions.arff --methods base,lsdmlo,mlsol --learners br,mlknn --out results
      lsdmlo evaluate *.arff --methods base,mlsmote,mlsmote:strategy=union --tune --budget 20 --out tuned
    """
    _refuse_mixed(ctx, tune, {"--tune-metric": tune_metric, "--inner": inner, "--budget": budget})
    from lsdmlo_cli.evaluation.cache import versions

    versions()
    from lsdmlo_cli.evaluation.experiment import experiment
    from lsdmlo_cli.evaluation.plan import Plan
    from lsdmlo_cli.evaluation.results import results, timings
    from lsdmlo_cli.evaluation.sources import Place
    from lsdmlo_cli.evaluation.tables import failures, write_results

    plan = Plan(
        tuple(_method(text, p) for text in _listed(methods)),
        tuple(_learner(name) for name in _listed(learners)),
        settings=replace(settings_from(options), measures="fast"),
        rules=_rules(ctx, rules, ties, undefined),
        repeats=cv[0],
        folds=cv[1],
        seed=seed,
        tuning=_tuning(tune, tune_metric, inner, budget),
    )
    places = [Place(path, labels, tuple(ignore or ())) for path in datasets]
    folder = Path(out)
    with progress_line(quiet) as progress:
        found = experiment(plan, places, folder / "cells", jobs=jobs or allowed_cores(), progress=progress)
    report = results(plan, found)
    text = write_results(folder, report, timings(plan, found))
    for about in found.data:
        warn(about.file, about.warnings)
        warn(about.file, _sampling_warnings(report, about.name))
    warn("failed", failures(report))
    write_out(text.encode("utf-8"))
    if not quiet:
        failed = f", {len(report['errors'])} failed" if report["errors"] else ""
        known = f" ({found.known} known before)" if found.known else ""
        say(f"{len(found.cells)} results{known}{failed}; in {folder / 'results.json'}")


def _sampling_warnings(report: dict[str, Any], data: str) -> Iterator[str]:
    """The first warning of each method on a data set, and how many more there are."""
    for sampling in report["sampling"]:
        if sampling["data"] == data and sampling["warnings"]:
            first, *others = sampling["warnings"]
            more = f" (and {len(others)} more, see results.json)" if others else ""
            yield f"{sampling['method']}: {first}{more}"


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _method(text: str, p: Decimal | None) -> Method:
    """A method as it is typed: name, then perhaps a colon and options, separated by semicolons."""
    from lsdmlo_cli.evaluation.plan import Method
    from lsdmlo_cli.samplers import SAMPLERS

    name, colon, typed = text.partition(":")
    name = name.strip().lower()
    if name not in (BASE, *METHODS):
        hint = did_you_mean(name, (BASE, *METHODS))
        raise ParameterError(f"there is no method {name!r}: there are {BASE}, {', '.join(METHODS)}.{hint}")
    given = dict(_option(name, part) for part in typed.split(";") if part.strip())
    if {"p", "rows"} <= given.keys():
        raise ParameterError(f"{text}: p and rows exclude each other")
    if p is not None and "p" in _options_of(name) and "rows" not in given:
        given.setdefault("p", p)
    return Method(f"{name}{colon}{typed}", None if name == BASE else SAMPLERS[name](**given), tuple(given))


def _options_of(method: str) -> dict[str, click.ParamType | None]:
    return {option.name: option.type for option in METHOD_OPTIONS if method in option.defaults}


def _option(method: str, text: str) -> tuple[str, Any]:
    """name=value, or the name of a switch."""
    name, equals, value = (part.strip() for part in text.partition("="))
    known = _options_of(method)
    name = name.replace("-", "_")
    if name not in known:
        raise ParameterError(f"{method} has no option {name!r}: it has {', '.join(known) or 'none'}")
    kind = known[name]
    if (kind is None) == bool(equals):
        raise ParameterError(f"{method}:{text} must be {f'{name}=value' if kind else f'{name} alone'}")
    try:
        return name, True if kind is None else kind.convert(value, None, None)
    except click.UsageError as error:
        raise ParameterError(f"{method}:{text}: {error.message}") from error


def _learner(name: str) -> Learner:
    from lsdmlo_cli.evaluation.learners import LEARNERS

    if name.lower() not in LEARNERS:
        raise ParameterError(f"there is no learner {name!r}: there are {', '.join(LEARNERS)}.{did_you_mean(name, LEARNERS)}")
    return LEARNERS[name.lower()]()


def _rules(ctx: click.Context, rules: str | None, ties: str | None, undefined: str | None) -> Rules:
    from lsdmlo_cli.evaluation.metrics import AUTHORS, RECOMMENDED

    given: dict[str, Any] = {name: value for name, value in (("ties", ties), ("undefined", undefined)) if value is not None}
    if rules is not None and given:
        raise click.UsageError(f"--rules and --{next(iter(given))} exclude each other", ctx)
    return AUTHORS if rules == "authors" else replace(RECOMMENDED, **given)


def _tuning(tune: bool, metric: str | None, inner: int | None, budget: int | None) -> Tuning | None:
    from lsdmlo_cli.evaluation.plan import Tuning

    given = (("metric", metric), ("inner", inner), ("budget", budget))
    values: dict[str, Any] = {name: value for name, value in given if value is not None}
    return Tuning(**values) if tune else None


def _refuse_mixed(ctx: click.Context, tune: bool, options: dict[str, Any]) -> None:
    """Raise UsageError for options of tuning without it, and for what tuning chooses itself."""
    for name, value in options.items():
        if not tune and value is not None:
            raise click.UsageError(f"{name} is for --tune", ctx)
    for name in TUNED:
        if tune and was_given(ctx, name):
            raise click.UsageError(f"--tune chooses {name} itself: leave --{name} out", ctx)
