"""Results for readers: CSV with a line a figure, and a table for each learner and metric, as Markdown and on the terminal.

| Macro-F, br | base              | lsdmlo            |
|-------------|-------------------|-------------------|
| emotions    | 0.512 ± 0.021 (2) | 0.535 ± 0.018 (1) |

| Macro-F ↑, br, minus base | lsdmlo               |
|---------------------------|----------------------|
| emotions                  | +0.023 ± 0.006 (9/1) |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lsdmlo_cli.errors import FileError, ParameterError, listed, reason
from lsdmlo_cli.evaluation.differences import Difference, of_row
from lsdmlo_cli.evaluation.learners import title
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.results import Report
from lsdmlo_cli.folders import counted
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.report import to_json

DIFFERENCES = ("difference", "difference_error", "won", "lost")
COLUMNS = ("data", "learner", "metric", "method", "mean", "deviation", "rank", "folds", "undefined", *DIFFERENCES)
RESULTS = "results.json"
REMEDY = "give --out another folder, or --overwrite to replace them"

Names = Mapping[str, Sequence[str]]
"""The names of the data sets, methods and learners of results."""


def asked(plan: Plan, data: Sequence[str]) -> Names:
    """What the results of a plan on some data sets will hold."""
    methods, learners = ([one.title for one in plan.methods], [title(one) for one in plan.learners])
    return {"data set": data, "method": methods, "learner": learners}


def _held(report: Report) -> Names:
    plan = report["experiment"]
    return {
        "data set": [one["name"] for one in report["datasets"]],
        "method": list(plan["methods"]),
        "learner": list(plan["learners"]),
    }


def refuse_loss(folder: Path, names: Names) -> None:
    """Raise ParameterError where the results in a folder hold a data set, method or learner that is not among the names.

    What lies there under the name of the results and is something else is not replaced either.
    """
    place = folder / RESULTS
    try:
        held = _held(json.loads(place.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise FileError(f"cannot read {place}: {reason(error)}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ParameterError(f"{place} holds no results of evaluate: {REMEDY}") from error
    lost = [f"{what} {name}" for what in names for name in held[what] if name not in names[what]]
    if lost:
        raise ParameterError(f"{place} holds results that would be lost ({listed(lost)}): ask for them too, {REMEDY}")


def write_results(folder: Path, report: Report, timings: Report, *, overwrite: bool = False) -> str:
    """Write results.json, results.csv, results.md and timings.json, each whole or not at all; the Markdown is returned.

    Errors: ParameterError where results in the folder would be lost, which `overwrite` allows; FileError.
    """
    if not overwrite:
        refuse_loss(folder, _held(report))
    text = to_markdown(report)
    for name, content in (
        ("timings.json", to_json(timings)),
        ("results.md", text.encode("utf-8")),
        ("results.csv", to_csv(report)),
        (RESULTS, to_json(report)),
    ):
        write_whole(str(folder / name), content)
    return text


def to_csv(report: Report) -> bytes:
    """A line for each data set, learner, metric and method; what is not defined is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(report["results"])
    return text.getvalue().encode("utf-8")


def to_markdown(report: Report) -> str:
    """The tables with what must be said of them; columns are aligned, so that it can be read as it is."""
    parts = ["\n".join(f"- {line}" for line in (*report["summary"], *report["notes"]))]
    against = report["experiment"]["against"]
    for compared in report["comparison"]:
        rows = [row for row in report["results"] if all(row[name] == compared[name] for name in ("learner", "metric"))]
        parts.append(markdown_table(_cells(compared, rows)))
        if compared["differences"]:
            parts.append(markdown_table(_difference_cells(compared, rows, against)))
    if report["errors"]:
        parts.append("\n".join(["Failed:", "", *(f"- {line}" for line in failures(report))]))
    return "\n\n".join(parts) + "\n"


def failures(report: Report) -> list[str]:
    """A line for each data set, method and message: on how many folds, with which learners it failed."""
    found: dict[tuple[str, str, str], list[Report]] = {}
    for error in report["errors"]:
        found.setdefault((error["data"], error["method"], error["error"]), []).append(error)
    return [
        f"{data}, {method}: {message} ({counted(len({(e['repeat'], e['fold']) for e in errors}), 'fold')}, "
        f"{', '.join(dict.fromkeys(e['learner'] for e in errors))})"
        for (data, method, message), errors in found.items()
    ]


def _cells(compared: Report, rows: list[Report]) -> list[list[str]]:
    """The table of one learner and metric as text: header, data sets, average ranks."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = [[_head(compared), *methods]]
    for data in dict.fromkeys(row["data"] for row in rows):
        lines.append([data, *(_figure(row) for row in rows if row["data"] == data)])
    if compared["data_sets"] >= 2:
        some = "" if compared["data_sets"] == len(lines) - 1 else f" of {compared['data_sets']}"
        lines.append([f"average rank{some}", *_average_ranks(compared)])
    return lines


def _head(compared: Report) -> str:
    metric = METRICS[compared["metric"]]
    return f"{metric.title} {'↑' if metric.higher_is_better else '↓'}, {compared['learner']}"


def _difference_cells(compared: Report, rows: list[Report], against: str) -> list[list[str]]:
    """The table of the differences to the reference, with the folds won and lost, and over several data sets these."""
    lines = [[f"{_head(compared)}, minus {against}", *compared["differences"]]]
    for data in dict.fromkeys(row["data"] for row in rows):
        mine = {row["method"]: of_row(row) for row in rows if row["data"] == data and row["method"] != against}
        lines.append([data, *map(_difference, mine.values())])
    if len(lines) > 2:
        lines.append(["mean over data sets", *(_difference(Difference(**one)) for one in compared["differences"].values())])
    return lines


def _difference(difference: Difference) -> str:
    """Mean, error, won and lost."""
    return "-" if difference.mean is None else f"{difference.told} ({difference.won}/{difference.lost})"


def _figure(row: Report) -> str:
    """Mean, deviation and rank.

    >>> _figure({"mean": 0.5, "deviation": 0.0125, "rank": 1.0})
    '0.500 ± 0.013 (1)'
    """
    if row["mean"] is None:
        return "-"
    deviation = "" if row["deviation"] is None else f" ± {row['deviation']:.3f}"
    rank = "" if row["rank"] is None else f" ({row['rank']:g})"
    return f"{row['mean']:.3f}{deviation}{rank}"


def _average_ranks(compared: Report) -> Iterator[str]:
    """As the paper's main table has them: 4.62 (2/0) for 2 wins and no loss."""
    for method, rank in compared["average_rank"].items():
        counts = "" if compared["wins"] is None else f" ({compared['wins'][method]}/{compared['losses'][method]})"
        yield f"{rank:.2f}{counts}"


def markdown_table(lines: list[list[str]]) -> str:
    """Lines of cells, the header first, as a Markdown table with aligned columns."""
    lines = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width for width in widths]
    spelled = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(f"| {line} |" for line in [spelled[0], " | ".join(rule), *spelled[1:]])
