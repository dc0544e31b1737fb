"""Print what `lsdmlo resample` did: its report as a table, and the first new rows of its output.

python sample_data/demo.py out.report.json out.arff
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NEW_ROWS_SHOWN = 3


def table(report: dict[str, Any]) -> Iterator[str]:
    """A line a label, the minority labels marked, then a line a measure: before -> after."""
    before, after = report["before"], report["after"]
    yield f"{'label':<16} {'count':^14} {'IRLbl':^17}"
    for old, new in zip(before["labels"], after["labels"], strict=True):
        mark = "minority" if old["minority"] else ""
        yield f"{old['name']:<16} {old['count']:>5} -> {new['count']:<5} {change(old['IRLbl'], new['IRLbl'])}  {mark}".rstrip()
    yield ""
    for measure in ("MeanIR", "LImb", "LImb_LSD"):
        yield f"{measure:<16} {change(before['measures'][measure], after['measures'][measure])}".rstrip()


def change(old: float | None, new: float | None) -> str:
    """Two figures side by side; none where one is not defined."""
    one, two = ("none" if figure is None else f"{figure:.3f}" for figure in (old, new))
    return f"{one:>7} -> {two:<7}"


def main() -> None:
    report_path, output = map(Path, sys.argv[1:])
    report = json.loads(report_path.read_text(encoding="utf-8"))
    rows, created = report["dataset"]["n"], report["synthetic"]["created"]
    print(f"\n{report['dataset']['file']}: {rows} rows, {created} added\n", *table(report), sep="\n")
    if created:
        new_rows = output.read_text(encoding="utf-8").splitlines()[-created:]
        print(f"\nThe first new rows of {output}:", *new_rows[:NEW_ROWS_SHOWN], sep="\n")


if __name__ == "__main__":
    main()
