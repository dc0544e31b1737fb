"""`lsdmlo page`: data sets, resamplings and experiments as one file of HTML."""

from __future__ import annotations

from typing import Any

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.log import close
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
)
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.errors import listed


@click.command(cls=Command)
@click.argument("sources", type=FILE, nargs=-1, required=True, metavar="DATASET|REPORT...")
@click.option("-o", "--out", type=FILE, metavar="FILE", required=True, help="The page, a file that ends in .html.")
@add_options(LABELS, IGNORE, *SETTINGS, *MEASURES, SEED, *RESOURCES)
@click.pass_context
def page(ctx: click.Context, /, sources: tuple[str, ...], out: str, quiet: bool, **options: Any) -> None:
    """Write one page of HTML about data sets and reports, to look at in a browser; everything is in the file.

    It shows the measures, a table of labels that sorts and filters, pictures, and what was made. DATASET is a data file, as for
    `lsdmlo stats`; beside an output of `lsdmlo resample` its report and provenance are found, and new rows are explained.
    REPORT is the JSON of resample, stats, evaluate or recommend. Needs the extra "plots".

    \b
    Examples:
      lsdmlo page emotions.arff -o emotions.html
      lsdmlo resample in.arff out.arff --provenance out.provenance.csv
      lsdmlo page out.arff -o out.html
      lsdmlo page evaluation/results.json -o results.html
    """
    if not out.lower().endswith((".html", ".htm")):
        raise click.UsageError(f"a page ends in .html, found {out}", ctx)
    warn_of_idle_sample(ctx)
    from lsdmlo_cli.formats.files import write_whole
    from lsdmlo_cli.page.sources import Asked, section_of
    from lsdmlo_cli.page.write import rendered
    from lsdmlo_cli.pictures.files import converter
    from lsdmlo_cli.provenance import Machine

    converter()
    with progress_line(quiet, listed(sources)) as progress:
        machine = Machine(**resources(options["threads"], options["memory"]), progress=progress)
        asked = Asked(settings_from(options), options["labels"], options["ignore"], machine)
        sections = [section_of(source, asked) for source in sources]
        content = rendered(sections)
    for source, section in zip(sources, sections, strict=True):
        warn(source, section["warnings"] if section["kind"] == "stats" else [])
    write_whole(out, content)
    close(out, f"{len(content) / 1e6:.1f} MB", [out], len(sections), quiet=quiet)
