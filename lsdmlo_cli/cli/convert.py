"""`lsdmlo convert`: a file in another format."""

from __future__ import annotations

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.log import close
from lsdmlo_cli.cli.options import FILE, FORM, LABELS, RESOURCES, TO, add_options, form_from, warn
from lsdmlo_cli.cli.progress_line import progress_line


@click.command(cls=Command)
@click.argument("in", type=FILE, metavar="IN")
@click.argument("out", type=FILE, metavar="OUT")
@add_options(LABELS, *FORM, TO, *RESOURCES[1:])
def convert(out: str, to: str | None, labels: str | None, memory: int, quiet: bool, **options: str) -> None:
    """Write IN as a file of another format: the one that the ending of OUT says, or --to.

    Formats are arff, csv, tsv, libsvm, parquet, feather and keel. A line on standard error says what OUT cannot hold. Where a
    format does not say which columns are labels, an XML beside OUT does.

    \b
    Examples:
      lsdmlo convert emotions.arff emotions.parquet
      lsdmlo convert flags.csv flags.arff --labels red,green,blue --categories landmass,zone
    """
    from lsdmlo_cli.conversion import convert as converted

    path = options.pop("in")
    with progress_line(quiet, path) as progress:
        form = form_from(options)
        data, warnings = converted(path, out, labels=labels, form=form, to=to, memory_bytes=memory, progress=progress)
    warn(path, warnings)
    close(path, f"{data.n} rows, {data.d} features and {data.q} labels in {out}", [out], data.n, quiet=quiet)
