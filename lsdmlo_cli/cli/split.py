"""`lsdmlo split`: a file in stratified parts for training and testing."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.log import close
from lsdmlo_cli.cli.options import (
    FILE,
    FOLDER,
    FORM,
    LABELS,
    NUMBER,
    RESOURCES,
    SEED,
    WholeNumber,
    add_options,
    form_from,
    warn,
    was_given,
)
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(cls=Command)
@click.argument("dataset", type=FILE)
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="Folder for the files; made where it is missing.")
@click.option("--overwrite", is_flag=True, help="Remove parts of an earlier split from DIR, and what was made of them.")
@click.option("--folds", type=WholeNumber(min=2), metavar="N", default=2, show_default=True, help="Number of folds.")
@click.option(
    "--repeats",
    type=WholeNumber(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of times to repeat the split, each with another seed.",
)
@click.option(
    "--holdout",
    type=NUMBER,
    metavar="SHARE",
    help="Make a single train/test split instead of folds; this share of the rows is for testing.",
)
@add_options(SEED, LABELS, *FORM, *RESOURCES[1:])
@click.pass_context
def split(ctx: click.Context, /, dataset: str, out: str, holdout: float | None, quiet: bool, **options: Any) -> None:
    """Split DATASET into parts with nearly the same share of every label (iterative stratification).

    DATASET is a file of any format, also .gz, .bz2 or .xz; - is standard input. For each fold, writes NAME-r1f1-train.arff and
    NAME-r1f1-test.arff (repeat 1, fold 1; with the ending of DATASET) to DIR, with --holdout NAME-train.arff and
    NAME-test.arff; rows are copied as they are. Refuses a DIR with leftover parts of NAME, which would not match the new ones;
    --overwrite removes them.
    Needs the extra "evaluate": pip install '.[evaluate]' in a checkout.

    \b
    Examples:
      lsdmlo split emotions.arff --out folds --folds 2 --repeats 5 --seed 1
      lsdmlo split emotions.arff --out parts --holdout 0.3
    """
    if holdout is not None:
        _refuse_given(ctx, "folds", "repeats")
    from lsdmlo_cli.folds import split as files

    with progress_line(quiet, dataset) as progress:
        memory = options.pop("memory")
        how = {name: options.pop(name) for name in ("labels", "overwrite")}
        how["form"] = form_from(options)
        scheme = files.Scheme(share=holdout, **options)
        done = files.split(dataset, out, scheme, memory_bytes=memory, progress=progress, **how)
    warn(dataset, done.warnings)
    close(dataset, f"{done.rows} rows; {len(done.files)} files in {out}", list(map(str, done.files)), done.rows, quiet=quiet)


def _refuse_given(ctx: click.Context, *names: str) -> None:
    for name in names:
        if was_given(ctx, name):
            raise click.UsageError(f"--holdout and --{name} exclude each other", ctx)
