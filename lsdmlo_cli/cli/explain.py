"""`lsdmlo explain`: where one new row and each of its labels came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.log import close
from lsdmlo_cli.cli.options import FILE, RESOURCES, WholeNumber, add_options, resources, write_out
from lsdmlo_cli.cli.progress_line import progress_line
from lsdmlo_cli.display.text import plain

if TYPE_CHECKING:
    from lsdmlo_cli.explained import Explanations, Row

LONGEST_CELL = 40


@click.command(cls=Command)
@click.argument("out", type=FILE, metavar="OUT")
@click.option("--row", type=WholeNumber(min=1), metavar="N", required=True, help="A synthetic row of OUT, counted from 1.")
@click.option("--provenance", type=FILE, metavar="PATH", help="The CSV that resample wrote.  [default: beside OUT]")
@click.option("--report", type=FILE, metavar="PATH", help="The report that resample wrote.  [default: beside OUT]")
@click.option(
    "--features", type=WholeNumber(min=0), default=12, show_default=True, metavar="N", help="Features to show; 0 shows all."
)
@add_options(*RESOURCES)
def explain(out: str, row: int, provenance: str | None, report: str | None, features: int, quiet: bool, **options: Any) -> None:
    """Print where a synthetic row of OUT came from: seed, reference, values, and why it has each of its labels.

    OUT is what `lsdmlo resample` wrote with --provenance. OUT and its report must be as they were written.

    \b
    Example:
      lsdmlo resample in.arff out.arff --provenance out.provenance.csv
      lsdmlo explain out.arff --row 301
    """
    from lsdmlo_cli.explained import Explanations
    from lsdmlo_cli.provenance import Machine, made, provenance_of, report_of

    with progress_line(quiet, out) as progress:
        found = report_of(out, report)
        machine = Machine(**resources(options["threads"], options["memory"]), progress=progress)
        rows = Explanations(made(out, found, provenance_of(out, found, provenance), machine), features)
        told = "\n".join(_told(rows, rows.explained([rows.place(row)])[0]))
    write_out((told + "\n").encode("utf-8", "replace"))
    close(out, "", ["-"], 1, quiet=quiet)


def _told(rows: Explanations, row: Row) -> Iterator[str]:
    labels = [label.name for label in rows.analysis.dataset.labels]
    made_for = "" if row.label is None else f", made for {_shown(labels[row.label])}"
    yield f"Row {row.row} of {_shown(rows.output.origin.file)}{made_for}"
    yield ""
    yield from _table([["seed", *_parent(row.seed, _near(rows, row))], ["reference", *_parent(row.reference, "")]])
    yield ""
    yield from _table(
        [
            ["label", "new", "seed", "reference", "why"],
            *([labels[one.label], *map(_yes, (one.new, one.seed, one.reference)), one.told] for one in row.labels),
        ]
    )
    yield ""
    yield from _table(
        [
            ["feature", "new", "seed", "reference", "share of the label's distance"],
            *([rows.output.features[one.feature].name, *one[1:4], _share(one.theta)] for one in row.values),
        ]
    )
    hidden = rows.analysis.dataset.d - len(row.values)
    if hidden > 0:
        yield f"{hidden} more features, which weigh less or are 0 in all three rows: --features 0 shows those that are not 0"


def _near(rows: Explanations, row: Row) -> str:
    k = rows.analysis.k
    return "" if row.imbalance is None else f"{round(row.imbalance * k)} of its {k} nearest rows by that label's distance lack it"


def _parent(row: int | None, near: str) -> list[str]:
    return ["none", ""] if row is None else [f"row {row} of the input", near]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _share(theta: float | None) -> str:
    return "" if theta is None else f"{theta:.1%}"


def _shown(text: str) -> str:
    """A text as it may stand on a terminal, cut where it is long."""
    from lsdmlo_cli.display.terminal import cut

    return cut(plain(text), LONGEST_CELL)


def _table(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of cells in columns, whatever script they are in; the last one is not cut."""
    from rich.cells import cell_len, set_cell_size

    cells = [[*map(_shown, line[:-1]), line[-1]] for line in lines]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  ".join(map(set_cell_size, line, widths)).rstrip()
