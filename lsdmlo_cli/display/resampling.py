"""Reports of `resample` as tables: before and after side by side, what rose and what fell; or a run a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from lsdmlo_cli.display.labels import in_order, label_notes, positives, shown_of
from lsdmlo_cli.display.table import Cell, Column, Document, Emphasis, Lines, Record, Report, Table, View, cells
from lsdmlo_cli.display.text import changed, figure
from lsdmlo_cli.folders import counted

IMBALANCE = ("MeanIR", "MaxIR", "CVIR", "SCUMBLE", "LImb", "LImb_LSD")
"""Measures that are better where they are lower."""
OF_LABELS = ("IRLbl", "LImb", "LImb_LSD")
SHORT_TOP = 8
"""Labels in what `resample` shows at its end."""

LABEL_COLUMNS = (
    Column("label"),
    Column("positives", right=True),
    Column("added", right=True, rank=1),
    Column("IRLbl", right=True),
    Column("LImb", right=True, rank=2),
    Column("LImb_LSD", right=True, rank=3),
)
RUN_COLUMNS = (
    Column("data set"),
    Column("method"),
    Column("rows", right=True),
    Column("added", right=True),
    Column("removed", right=True, rank=1),
    Column("MeanIR", right=True),
    Column("LImb", right=True),
    Column("LImb_LSD", right=True, rank=2),
    Column("SCUMBLE", right=True, rank=3),
)

Pair = tuple[Report, Report]
"""A label before and after."""


def resample_document(reports: Sequence[Report], view: View) -> Document:
    """What became of each data set and its labels, or a line for each run."""
    if not view.by_label(reports):
        return Document((_runs(reports),), tuple(map(_run_record, reports)))
    parts = chain.from_iterable(_one(report, view) for report in reports)
    return Document(tuple(parts), tuple(chain.from_iterable(_label_records(report, view) for report in reports)))


def short_document(report: Report, place: str | None) -> Document:
    """What `resample` shows at its end: the measures of imbalance, and the rarest labels. place: of the report, None without."""
    rest = "in the report" if place is None else f"lsdmlo show {place}"
    return Document((_measures(report, IMBALANCE), *_labels(report, View(top=SHORT_TOP, all=rest))), ())


def _one(report: Report, view: View) -> Iterator[Table | Lines]:
    data = report["dataset"]
    removed = f", {report['removed']} removed" if report["removed"] else ""
    made = f"{counted(data['n'], 'row')}, {report['synthetic']['created']} added{removed}, {report['output']['n']} now"
    yield Lines((f"{data['file']}, {report['method']}: {made}",))
    yield _measures(report, tuple(report["before"]["measures"]))
    yield from _labels(report, view)


def _measures(report: Report, names: Sequence[str]) -> Table:
    old, new = (report[when]["measures"] for when in ("before", "after"))
    columns = (Column("measure"), *(Column(title, right=True) for title in ("before", "after", "change")), Column(""))
    return Table("", columns, tuple(cells(*_measure(name, old[name], new[name])) for name in names))


def _measure(name: str, old: float | None, new: float | None) -> tuple[str | Cell, ...]:
    verdict = _verdict(old, new) if name in IMBALANCE else ""
    change = Cell(changed(old, new), verdict)
    return name, figure(old), figure(new), change, Cell(_arrow(old, new), verdict)


def _verdict(old: float | None, new: float | None) -> Emphasis:
    """Of a measure of imbalance."""
    if old is None or new is None or old == new:
        return ""
    return "better" if new < old else "worse"


def _arrow(old: float | None, new: float | None) -> str:
    if old is None or new is None or old == new:
        return ""
    return "▼" if new < old else "▲"


def _pairs(report: Report, sort: str) -> list[Pair]:
    """The labels before and after, in the order of those before."""
    after = {label["name"]: label for label in report["after"]["labels"]}
    return [(label, after[label["name"]]) for label in in_order(report["before"]["labels"], sort)]


def _labels(report: Report, view: View) -> Iterator[Table | Lines]:
    pairs = _pairs(report, view.sort)
    labels = [old for old, _ in pairs]
    shown = shown_of(labels, view)
    widths = {field: _digits(pairs[:shown], field) for field in ("count", *OF_LABELS)}
    rows = tuple(_label_row(old, new, widths) for old, new in pairs[:shown])
    yield Table("Labels, before → after", LABEL_COLUMNS, rows, label_notes(labels, shown, view))
    yield Lines(tuple(_moved(pairs, field) for field in OF_LABELS if any(old[field] is not None for old in labels)))


def _label_row(old: Report, new: Report, widths: dict[str, tuple[int, int]]) -> tuple[Cell, ...]:
    few = positives(old)
    _, most = widths["count"]
    return cells(
        Cell(old["name"], "minority" if old["minority"] else ""),
        Cell(f"{few.text} → {new['count']:>{most}}", few.emphasis),
        changed(old["count"], new["count"]),
        *(
            Cell(f"{_both(old, new, field, widths)} {_arrow(old[field], new[field])}", _verdict(old[field], new[field]))
            for field in OF_LABELS
        ),
    )


def _spelled(label: Report, field: str) -> str:
    return figure(label[field], 2 if field == "IRLbl" else 3)


def _digits(pairs: Sequence[Pair], field: str) -> tuple[int, int]:
    """How many characters the figures before and after take."""
    before, after = zip(*((_spelled(old, field), _spelled(new, field)) for old, new in pairs), strict=True) if pairs else ((), ())
    return max(map(len, before), default=0), max(map(len, after), default=0)


def _both(old: Report, new: Report, field: str, widths: dict[str, tuple[int, int]]) -> str:
    """A figure before and after, arrows below each other."""
    before, after = widths[field]
    return f"{_spelled(old, field):>{before}} → {_spelled(new, field):>{after}}"


def _moved(pairs: Sequence[Pair], field: str) -> str:
    """How many labels fell and rose in a figure."""
    arrows = [_arrow(old[field], new[field]) for old, new in pairs]
    fell, rose = arrows.count("▼"), arrows.count("▲")
    return f"{field} fell for {counted(fell, 'label')}, rose for {rose}, stayed for {len(pairs) - fell - rose}"


def _runs(reports: Sequence[Report]) -> Table:
    return Table("", RUN_COLUMNS, tuple(map(_run_row, reports)))


def _run_row(report: Report) -> tuple[Cell, ...]:
    old, new = (report[when]["measures"] for when in ("before", "after"))
    made = (report["dataset"]["n"], report["synthetic"]["created"], report["removed"])
    both = (Cell(f"{figure(old[name])} → {figure(new[name])}", _verdict(old[name], new[name])) for name in _RUN_MEASURES)
    return cells(report["dataset"]["file"], report["method"], *map(str, made), *both)


_RUN_MEASURES = tuple(column.title for column in RUN_COLUMNS[5:])


def _run_record(report: Report) -> Record:
    old, new = (report[when]["measures"] for when in ("before", "after"))
    return {
        "dataset": report["dataset"]["file"],
        "method": report["method"],
        "rows": report["dataset"]["n"],
        "requested": report["synthetic"]["requested"],
        "added": report["synthetic"]["created"],
        "removed": report["removed"],
        **{f"{name}_{when}": one[name] for name in old for when, one in (("before", old), ("after", new))},
    }


def _label_records(report: Report, view: View) -> Iterator[Record]:
    for old, new in _pairs(report, view.sort)[: view.top or None]:
        figures = (("positives", "count"), *((field, field) for field in (*OF_LABELS, "SCUMBLELbl", "minority")))
        yield {
            "dataset": report["dataset"]["file"],
            "method": report["method"],
            "label": old["name"],
            **{f"{name}_{when}": one[field] for name, field in figures for when, one in (("before", old), ("after", new))},
        }
