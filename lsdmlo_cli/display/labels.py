"""Reports of `stats` as tables: the measures of a data set with its labels, or a data set a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.resources import files
from itertools import chain
from operator import itemgetter
from typing import Any

from lsdmlo_cli.display.choices import SORTS
from lsdmlo_cli.display.table import Cell, Column, Document, Lines, Record, Report, Table, View, cells
from lsdmlo_cli.display.text import figure
from lsdmlo_cli.folders import counted

TOP = 20
"""Labels that tables show where nobody asks for more."""
FEW = 10
"""Positives below which what is said of a label rests on few rows."""
FEW_NOTE = f"* fewer than {FEW} positives: the figures of such a label rest on few rows"

Label = Report

LABEL_COLUMNS = (
    Column("label"),
    Column("positives", right=True),
    Column("share", right=True, rank=4),
    Column("IRLbl", right=True),
    Column("minority", rank=2),
    Column("LImb", right=True),
    Column("LImb_LSD", right=True, rank=1),
    Column("SCUMBLELbl", right=True, rank=5),
    Column("features", right=True, rank=6),
)
DATA_COLUMNS = (
    Column("data set"),
    Column("rows", right=True),
    Column("features", right=True, rank=1),
    Column("labels", right=True),
    *(
        Column(name, right=True, rank=rank)
        for name, rank in (
            ("Card", 3),
            ("Dens", 8),
            ("labelsets", 5),
            ("MeanIR", 0),
            ("MaxIR", 4),
            ("CVIR", 7),
            ("SCUMBLE", 2),
            ("TCS", 6),
            ("LImb", 0),
            ("LImb_LSD", 1),
        )
    ),
)


def stats_document(reports: Sequence[Report], view: View) -> Document:
    """The measures and the labels of each data set, or a line for each data set."""
    if not view.by_label(reports):
        return Document((_data_sets(reports),), tuple(map(_data_record, reports)))
    parts = chain.from_iterable(_one(report, view) for report in reports)
    return Document(tuple(parts), tuple(chain.from_iterable(_label_records(report, view) for report in reports)))


def in_order(labels: Sequence[Label], sort: str) -> list[Label]:
    """Labels sorted by a key of SORTS; those without a figure come last, equal ones as in the data set."""
    field, falls = SORTS[sort]
    if not field:
        return list(labels)
    known = sorted((label for label in labels if label[field] is not None), key=itemgetter(field), reverse=falls)
    return [*known, *(label for label in labels if label[field] is None)]


def positives(label: Label) -> Cell:
    """How many a label has, with a star where they are few."""
    few = label["count"] < FEW
    return Cell(f"{'*' * few}{label['count']}", "few" if few else "")


def label_notes(labels: Sequence[Label], shown: int, view: View) -> tuple[str, ...]:
    """What stands below a table of labels, of which so many are shown."""
    few = (FEW_NOTE,) if any(label["count"] < FEW for label in labels[:shown]) else ()
    more = (f"{len(labels) - shown} more: {view.all}",) if shown < len(labels) else ()
    return (*more, *few)


def shown_of(labels: Sequence[Label], view: View) -> int:
    """How many labels a table shows."""
    top = TOP if view.top is None else view.top
    return min(top, len(labels)) if top else len(labels)


def about(report: Report) -> str:
    """A data set in a line."""
    data = report["dataset"]
    amount = ", ".join(counted(data[key], what) for key, what in (("n", "row"), ("d", "feature"), ("q", "label")))
    return f"{data['file']}: {amount}; {data['format']}; labels from {data['labels_from']}"


def measure_titles() -> dict[str, str]:
    """What each measure is, in a line."""
    schema: dict[str, Any] = json.loads(files("lsdmlo_cli").joinpath("report.schema.json").read_text(encoding="utf-8"))
    return {name: field.get("description", "") for name, field in schema["$defs"]["measures"]["properties"].items()}


def _one(report: Report, view: View) -> Iterator[Table | Lines]:
    """A data set: what it is, its measures, its labels."""
    yield Lines((about(report),))
    titles = measure_titles()
    columns = (Column("measure"), Column("value", right=True), Column("meaning", rank=1))
    rows = (cells(name, figure(value), titles.get(name, "")) for name, value in report["measures"].items())
    yield Table("", columns, tuple(rows))
    yield _labels(report, view)


def _labels(report: Report, view: View) -> Table:
    labels = in_order(report["labels"], view.sort)
    shown = shown_of(labels, view)
    field, share = _bar_of(labels, view.sort)
    title = "positives" if field == "count" else field
    columns = (*LABEL_COLUMNS, Column(title, rank=3, bar=True))
    rows = tuple((*_label_row(label, report["dataset"]["n"]), _bar(label, share)) for label in labels[:shown])
    how = {"file": "in the file's order", "name": "by name"}.get(view.sort, f"by {title}")
    return _measured(Table(f"Labels {how}", columns, rows, label_notes(labels, shown, view)))


def _measured(table: Table) -> Table:
    """The table without the figures that no label has, as with --measures fast."""
    columns = zip(table.columns, zip(*table.rows, strict=True), strict=True) if table.rows else ()
    empty = [column.right and all(cell.text == "-" for cell in found) for column, found in columns]
    return table.only([place for place, is_empty in enumerate(empty) if not is_empty]) if empty else table


def _label_row(label: Label, n: int) -> tuple[Cell, ...]:
    return cells(
        Cell(label["name"], "minority" if label["minority"] else ""),
        positives(label),
        figure(label["count"] / n if n else None, 4),
        figure(label["IRLbl"], 2),
        "yes" if label["minority"] else "",
        *(figure(label[field]) for field in ("LImb", "LImb_LSD", "SCUMBLELbl", "features")),
    )


def _bar_of(labels: Sequence[Label], sort: str) -> tuple[str, Callable[[Label], float]]:
    """The figure whose bars stand beside the labels: what they are sorted by, IRLbl where that is no number."""
    field = "IRLbl" if sort in ("name", "file") else SORTS[sort][0]
    most = max((label[field] for label in labels if label[field] is not None), default=0)
    return field, partial(_share, field=field, most=most)


def _share(label: Label, field: str, most: float) -> float:
    return (label[field] or 0) / most if most else 0.0


def _bar(label: Label, share: Callable[[Label], float]) -> Cell:
    return Cell("", "minority" if label["minority"] else "", share(label))


def _data_sets(reports: Sequence[Report]) -> Table:
    measures = [column.title for column in DATA_COLUMNS[4:]]
    rows = tuple(
        cells(
            report["dataset"]["file"],
            *(figure(report["dataset"][key]) for key in "ndq"),
            *(figure(report["measures"][name]) for name in measures),
        )
        for report in reports
    )
    return Table("", DATA_COLUMNS, rows)


def _data_record(report: Report) -> Record:
    data = report["dataset"]
    return {"dataset": data["file"], "rows": data["n"], "features": data["d"], "labels": data["q"], **report["measures"]}


def _label_records(report: Report, view: View) -> Iterator[Record]:
    n = report["dataset"]["n"]
    for label in in_order(report["labels"], view.sort)[: view.top or None]:
        yield {
            "dataset": report["dataset"]["file"],
            "label": label["name"],
            "positives": label["count"],
            "share": label["count"] / n if n else None,
            **{field: label[field] for field in ("IRLbl", "minority", "LImb", "LImb_LSD", "SCUMBLELbl", "features")},
        }
