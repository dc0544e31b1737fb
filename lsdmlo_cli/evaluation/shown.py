"""Results as documents: of one data set a table a learner, of several the ranks first; in Markdown a table a learner and metric.

| Macro-F, br | base              | lsdmlo            |
|-------------|-------------------|-------------------|
| emotions    | 0.512 ± 0.021 (2) | 0.535 ± 0.018 (1) |

| Macro-F ↑, br, minus base | lsdmlo               |
|---------------------------|----------------------|
| emotions                  | +0.023 ± 0.006 (9/1) |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from lsdmlo_cli.display import records
from lsdmlo_cli.display.markdown import to_markdown as markdown
from lsdmlo_cli.display.table import Cell, Column, Document, Lines, Report, Table, View, cells
from lsdmlo_cli.evaluation.differences import Difference, of_comparison, of_row
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.folders import counted

DIFFERENCES = ("difference", "difference_error", "won", "lost")
COLUMNS = ("data", "learner", "metric", "method", "mean", "deviation", "rank", "folds", "undefined", *DIFFERENCES)

Row = dict[str, Any]
"""The results of one data set, learner, metric and method."""


def document(reports: Sequence[Report], view: View) -> Document:
    """Results as the format of a view has them; the records are those of results.csv."""
    parts = {"markdown": _by_metric, "latex": _for_paper}.get(view.format, _by_learner)
    records = [{name: one[name] for name in COLUMNS} for report in reports for one in report["results"]]
    return Document(tuple(chain.from_iterable(map(parts, reports))), tuple(records))


def to_csv(report: Report) -> bytes:
    """A line for each data set, learner, metric and method; what is not defined is empty."""
    return records.to_csv(report["results"], COLUMNS).encode("utf-8")


def to_markdown(report: Report) -> str:
    """The tables with what must be said of them; columns are aligned, so that it can be read as it is."""
    return markdown(document([report], View(format="markdown")))


def failures(report: Report) -> list[str]:
    """A line for each data set, method and message: on how many folds, with which learners it failed."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for error in report["errors"]:
        found.setdefault((error["data"], error["method"], error["error"]), []).append(error)
    return [
        f"{data}, {method}: {message} ({counted(len({(e['repeat'], e['fold']) for e in errors}), 'fold')}, "
        f"{', '.join(dict.fromkeys(e['learner'] for e in errors))})"
        for (data, method, message), errors in found.items()
    ]


def _by_metric(report: Report) -> Iterator[Table | Lines]:
    """The summary and the notes, then for each learner and metric the figures and the differences."""
    yield Lines((*report["summary"], *report["notes"]))
    for compared in report["comparison"]:
        yield _figures(report, compared)
        if compared["differences"]:
            yield _differences(report, compared)
    yield from _failed(report)


def _for_paper(report: Report) -> Iterator[Table | Lines]:
    """Tables of figures alone, the best one marked: of one data set a learner each, of several a learner and metric each."""
    yield Lines((*report["summary"], *report["notes"]))
    if len(report["datasets"]) == 1:
        yield from (_scores(report, of_learner) for of_learner in _learners(report))
        return
    yield from (_ranks(report, of_learner) for of_learner in _learners(report))
    yield from (_marked(report, compared) for compared in report["comparison"])


def _by_learner(report: Report) -> Iterator[Table | Lines]:
    """The summary, then of each learner the metrics with the methods side by side, and the notes at the end."""
    if report["summary"]:
        yield Lines(tuple(report["summary"]))
    for of_learner in _learners(report):
        yield _scores(report, of_learner) if len(report["datasets"]) == 1 else _ranks(report, of_learner)
        if any(compared["differences"] for compared in of_learner):
            yield _gains(report, of_learner)
    notes = report["notes"]
    if len(report["datasets"]) > 1:
        notes = [*notes, "lsdmlo show results.json --format markdown prints the figures of each data set"]
    yield Lines(tuple(f"- {note}" for note in notes))
    yield from _failed(report)


def _failed(report: Report) -> Iterator[Lines]:
    if report["errors"]:
        yield Lines(tuple(failures(report)), "Failed:")


def _learners(report: Report) -> list[list[Row]]:
    """What is compared, learner by learner."""
    return [list(found) for _, found in groupby(report["comparison"], key=lambda compared: compared["learner"])]


def _rows(report: Report, compared: Row) -> list[Row]:
    """The results of one learner and metric."""
    return [row for row in report["results"] if all(row[name] == compared[name] for name in ("learner", "metric"))]


def _columns(first: str, methods: Sequence[str]) -> tuple[Column, ...]:
    return (Column(first), *(Column(method) for method in methods))


def _methods(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in rows))


def _data(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each data set."""
    for name in dict.fromkeys(row["data"] for row in rows):
        yield name, [row for row in rows if row["data"] == name]


def _figures(report: Report, compared: Row) -> Table:
    """One learner and metric: data sets, and over several of them average ranks."""
    rows = _rows(report, compared)
    lines = [cells(data, *map(_figure, found)) for data, found in _data(rows)]
    return Table("", _columns(_head(compared), _methods(rows)), (*lines, *_rank_line(compared, len(lines))))


def _rank_line(compared: Row, sets: int) -> Iterator[tuple[Cell, ...]]:
    if compared["data_sets"] >= 2:
        some = "" if compared["data_sets"] == sets else f" of {compared['data_sets']}"
        yield cells(f"average rank{some}", *_average_ranks(compared))


def _marked(report: Report, compared: Row) -> Table:
    """The same with the best figure of each data set, and the best rank, marked."""
    rows = _rows(report, compared)
    lines = [cells(data, *_best(found)) for data, found in _data(rows)]
    ranks = ((line[0], *_lowest(compared, line[1:])) for line in _rank_line(compared, len(lines)))
    return Table(_head(compared), _columns("data set", _methods(rows)), (*lines, *ranks))


def _differences(report: Report, compared: Row) -> Table:
    """The differences to the reference, with the folds won and lost, and over several data sets these."""
    against = report["experiment"]["against"]
    lines = []
    for data, found in _data(_rows(report, compared)):
        lines.append(cells(data, *(_difference(of_row(one)) for one in found if one["method"] != against)))
    if len(lines) > 1:
        over = (_difference(Difference(**one)) for one in compared["differences"].values())
        lines.append(cells("mean over data sets", *over))
    return Table("", _columns(f"{_head(compared)}, minus {against}", list(compared["differences"])), tuple(lines))


def _scores(report: Report, of_learner: Sequence[Row]) -> Table:
    """One data set and learner: a metric a row, the best figure marked."""
    found = [_rows(report, compared) for compared in of_learner]
    rows = tuple(cells(_metric(compared), *_best(rows)) for compared, rows in zip(of_learner, found, strict=True))
    data = report["datasets"][0]["name"]
    return Table(f"{of_learner[0]['learner']} on {data}: mean ± deviation (rank)", _columns("metric", _methods(found[0])), rows)


def _ranks(report: Report, of_learner: Sequence[Row]) -> Table:
    """A learner over several data sets: a metric a row, average ranks, the best one marked."""
    methods = list(report["experiment"]["methods"])
    rows = []
    for compared in of_learner:
        ranks = list(map(Cell, _average_ranks(compared))) if compared["average_rank"] else [Cell("-")] * len(methods)
        rows.append((Cell(_metric(compared)), *_lowest(compared, ranks)))
    title = f"{of_learner[0]['learner']}: average rank over {counted(len(report['datasets']), 'data set')} (wins/losses)"
    return Table(title, _columns("metric", methods), tuple(rows))


def _gains(report: Report, of_learner: Sequence[Row]) -> Table:
    """The differences of a learner to the reference: over the folds of one data set, or over several data sets."""
    against, single = report["experiment"]["against"], len(report["datasets"]) == 1
    rows = []
    for compared in of_learner:
        higher = METRICS[compared["metric"]].higher_is_better
        rows.append(cells(_metric(compared), *(_judged(one, higher) for one in of_comparison(report, compared).values())))
    over = "folds" if single else "data sets"
    title = f"{of_learner[0]['learner']}: minus {against}, mean ± error ({over} better/worse)"
    notes = ("▲ ahead, ▼ behind by more than twice the error",)
    return Table(title, _columns("metric", list(of_learner[0]["differences"])), tuple(rows), notes)


def _judged(difference: Difference, higher: bool) -> Cell:
    """A difference with a mark where it is more than twice its error."""
    text = _difference(difference)
    if difference.is_ahead(higher):
        return Cell(f"{text} ▲", "better")
    return Cell(f"{text} ▼", "worse") if difference.is_ahead(not higher) else Cell(text)


def _best(rows: Sequence[Row]) -> list[Cell]:
    """The figures of one data set, the best one marked, or each of those that are equal."""
    known = [row["mean"] for row in rows if row["mean"] is not None]
    best = None
    if known:
        best = max(known) if METRICS[rows[0]["metric"]].higher_is_better else min(known)
    return [Cell(_figure(row), "best" if best is not None and row["mean"] == best else "") for row in rows]


def _lowest(compared: Row, cells: Sequence[Cell]) -> list[Cell]:
    """Cells of average ranks, the lowest one marked; as they are where there are no ranks."""
    if not compared["average_rank"]:
        return list(cells)
    ranks = compared["average_rank"].values()
    return [Cell(cell.text, "best" if rank == min(ranks) else "") for cell, rank in zip(cells, ranks, strict=True)]


def _metric(compared: Row) -> str:
    return METRICS[compared["metric"]].heading


def _head(compared: Row) -> str:
    return f"{_metric(compared)}, {compared['learner']}"


def _difference(difference: Difference) -> str:
    """Mean, error, won and lost."""
    return "-" if difference.mean is None else f"{difference.told} ({difference.won}/{difference.lost})"


def _figure(row: Row) -> str:
    """Mean, deviation and rank.

    >>> _figure({"mean": 0.5, "deviation": 0.0125, "rank": 1.0})
    '0.500 ± 0.013 (1)'
    """
    if row["mean"] is None:
        return "-"
    deviation = "" if row["deviation"] is None else f" ± {row['deviation']:.3f}"
    rank = "" if row["rank"] is None else f" ({row['rank']:g})"
    return f"{row['mean']:.3f}{deviation}{rank}"


def _average_ranks(compared: Row) -> Iterator[str]:
    """As the paper's main table has them: 4.62 (2/0) for 2 wins and no loss."""
    for method, rank in compared["average_rank"].items():
        counts = "" if compared["wins"] is None else f" ({compared['wins'][method]}/{compared['losses'][method]})"
        yield f"{rank:.2f}{counts}"
