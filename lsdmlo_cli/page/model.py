"""What a page says, as plain data: sections with facts, tables, pictures, warnings, and new rows explained.

Names and texts go into it as they are: the page shows them as text, whatever is in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lsdmlo_cli.dataset_measures import MEASURES
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.explained import BOTH, REASONS, Explanations, Row
from lsdmlo_cli.folders import counted
from lsdmlo_cli.page.comparisons import of_experiment, of_recommendation
from lsdmlo_cli.page.tables import Column, Section, table
from lsdmlo_cli.pictures.drawing import specification
from lsdmlo_cli.pictures.labels import measured
from lsdmlo_cli.pictures.names import pictures_of
from lsdmlo_cli.pictures.parents import most_first
from lsdmlo_cli.provenance import Made
from lsdmlo_cli.subject import Subject

MOST_ROWS = 5000
"""New rows that a page explains."""
MOST_VALUES = 60_000
"""Cells of new rows and parents on a page, about a megabyte."""
FEATURES = (4, 12)
"""Of a new row, at least and at most."""
LABELS_DRAWN = 3
"""Labels whose new rows are drawn, those with most of them."""

TOLD = {
    "requested": "new rows asked for",
    "created": "new rows made",
    "own_label": "share of them with the label they were made for",
    "reference_has_label": "share of references with that label",
    "seeds": "different seeds",
    "labels_without_seed": "minority labels without a seed",
}
"""The figures of a report's `synthetic` in words."""


def section(subject: Subject, made: Made | None = None) -> Section:
    """The part of a page about one subject; made: what is known of its new rows."""
    content = _CONTENTS[subject.kind](subject)
    return {"kind": subject.kind, "made": [], **content, "pictures": list(_pictures(subject)), "rows": _rows(made)}


# ---- stats and resample


def _of_data(subject: Subject) -> Section:
    report = subject.report
    parts = measured(report)
    return {
        "title": report["dataset"]["file"],
        "lead": [_lead(report)],
        "facts": _facts(report),
        "tables": [_measures(parts), _labels(parts)],
        "made": list(_made_by_label(subject)),
        "warnings": list(report["warnings"]),
    }


def _lead(report: dict[str, Any]) -> str:
    """What it is about, in a sentence."""
    data = report["dataset"]
    size = f"{data['n']:,} rows, {data['d']:,} features, {data['q']:,} labels"
    if "method" not in report:
        return f"{size}."
    synthetic = report["synthetic"]
    removed = f", {report['removed']:,} removed" if report["removed"] else ""
    return f"{size}; {synthetic['created']:,} rows added{removed} by {report['method']}."


def _facts(report: dict[str, Any]) -> list[list[Any]]:
    """Names and figures that are told once."""
    data = report["dataset"]
    facts = [["relation", data["relation"]], ["format", data["format"]], ["labels from", data["labels_from"]]]
    if "method" in report:
        facts += [["method", report["method"]]]
        facts += [[TOLD.get(name, name), value] for name, value in report["synthetic"].items() if value is not None]
    given = {name: value for name, value in report["parameters"].items() if value is not None}
    return [*facts, ["parameters", ", ".join(f"{name}={value}" for name, value in given.items())]]


def _measures(parts: dict[str, dict[str, Any]]) -> Section:
    columns = [Column("measure"), *map(Column, parts), Column("what it says")]
    rows = [
        [name, *(part["measures"].get(name) for part in parts.values()), MEASURES[name].title if name in MEASURES else ""]
        for name in parts["before"]["measures"]
    ]
    return table("Measures", columns if len(parts) > 1 else [columns[0], Column("value"), columns[-1]], rows)


def _labels(parts: dict[str, dict[str, Any]]) -> Section:
    old, new = parts["before"]["labels"], parts.get("after", parts["before"])["labels"]
    both = len(parts) > 1
    columns, take = [Column("label")], []
    for key, title, digits, hint in (
        ("count", "positives", None, "rows with the label"),
        ("IRLbl", "IRLbl", 3, "times rarer than the most frequent label"),
        ("LImb", "LImb", 3, "share of a positive's neighbours that lack the label"),
        ("LImb_LSD", "LImb_LSD", 3, "the same by the label's own distance"),
    ):
        columns.append(Column(title, digits, hint))
        take.append((old, key))
        if both:
            columns.append(Column(f"{title} after", digits, hint))
            take.append((new, key))
    columns += [Column("SCUMBLELbl", 3, "how far frequent labels share its rows"), Column("features", None, "with a weight")]
    take += [(old, "SCUMBLELbl"), (old, "features")]
    columns.append(Column("minority", None, "IRLbl above MeanIR"))
    rows = [
        [label["name"], *(source[j][key] for source, key in take), "minority" if label["minority"] else ""]
        for j, label in enumerate(old)
    ]
    return table("Labels", columns, rows, order=columns.index(Column("IRLbl", 3, "times rarer than the most frequent label")))


def _made_by_label(subject: Subject) -> Iterator[Section]:
    """New rows by the label that they were made for: how many, of how many seeds, how many carry it."""
    if subject.analysis is None or subject.new is None or not (subject.new.parents[:, 2] >= 0).any():
        return
    names = [label.name for label in subject.analysis.dataset.labels]
    rows = []
    for j in most_first(subject.new):
        own = np.flatnonzero(subject.new.parents[:, 2] == j)
        seeds = np.unique(subject.new.parents[own, 0])
        carry = int(subject.new.Y[own][:, [j]].sum())
        rows.append([names[j], len(own), int(np.count_nonzero(seeds >= 0)), carry, carry / len(own)])
    columns = [Column("made for"), Column("new rows"), Column("seeds"), Column("carry the label"), Column("share", 3)]
    yield table("What was made", columns, rows, order=1)


def _pictures(subject: Subject) -> Iterator[Section]:
    """The pictures that can be drawn of what is at hand."""
    for picture in pictures_of(subject.kind):
        for detail in _details(subject, picture.name):
            name = f"{picture.name}:{detail}" if detail else picture.name
            try:
                yield {"name": name, "summary": picture.summary, "spec": shortened(specification(subject, name))}
            except DataError:
                continue  # what was not measured, or is not at hand


def shortened(value: Any) -> Any:
    """A specification whose figures have six digits, more than anybody sees.

    >>> shortened({"x": [0.123456789, 3, "a"]})
    {'x': [0.123457, 3, 'a']}
    """
    if isinstance(value, dict):
        return {name: shortened(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shortened(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _details(subject: Subject, name: str) -> list[str]:
    """What stands behind the colon of a picture's name: once nothing, or the labels with most new rows."""
    if name != "parents" or subject.new is None or subject.analysis is None:
        return [""]
    return [subject.analysis.dataset.labels[j].name for j in most_first(subject.new)[:LABELS_DRAWN]]


_CONTENTS = {"stats": _of_data, "resample": _of_data, "evaluate": of_experiment, "recommend": of_recommendation}
"""What a page says about a report, by the command that wrote it."""


# ---- new rows


def _rows(made: Made | None) -> Section | None:
    """The new rows explained, as small as can be: names once, figures in lists. None where nothing is known of parents."""
    if made is None or made.subject.new is None or made.subject.analysis is None:
        return None
    parents = made.subject.new.parents
    if not len(parents) or (parents < 0).all():
        return None
    shown = min(len(parents), MOST_ROWS)
    features = int(np.clip(MOST_VALUES // (3 * shown), *FEATURES))
    rows = Explanations(made, features).explained(range(shown))
    data = made.subject.analysis.dataset
    used = sorted({value.feature for row in rows for value in row.values})
    place = {j: i for i, j in enumerate(used)}
    some = f" The first {shown:,} of {len(parents):,} are here; lsdmlo explain has them all." if shown < len(parents) else ""
    return {
        "lead": f"{counted(len(parents), 'row')} were made of seeds and references of {data.origin.file}.{some}",
        "k": made.subject.analysis.k,
        "labels": [label.name for label in data.labels],
        "features": [data.features[j].name for j in used],
        "thetas": _thetas(rows, place),
        "reasons": list(REASONS),
        "both": BOTH,
        "made_for": sorted(Counter(row.label for row in rows if row.label is not None).items()),
        "rows": [_packed(row, place) for row in rows],
    }


def _packed(row: Row, place: dict[int, int]) -> list[Any]:
    """row, seed, reference, label, imbalance, values, labels.

    A value is feature, new, seed, reference, the latter two left out where they equal the first. A label is its number where both
    parents have it, else number, bits of new, seed and reference, reason, and the distances that the reason speaks of.
    """
    values = [
        [place[value.feature], *([value.new] if value.new == value.seed == value.reference else value[1:4])]
        for value in row.values
    ]
    labels = [
        label.label
        if label.reason == BOTH
        else [label.label, label.new + 2 * label.seed + 4 * label.reference, label.reason, *map(_short, label.distances)]
        for label in row.labels
    ]
    return [row.row, row.seed, row.reference, row.label, _short(row.imbalance), values, labels]


def _thetas(rows: Sequence[Row], place: dict[int, int]) -> dict[int, dict[int, float | None]]:
    """For each label that a row was made for, the features that are shown with their share of its distance."""
    found: dict[int, dict[int, float | None]] = {}
    for row in rows:
        for value in row.values if row.label is not None else ():
            found.setdefault(int(row.label or 0), {})[place[value.feature]] = _short(value.theta)
    return found


def _short(value: float | None) -> float | None:
    """A figure with four digits, which is what is shown of it."""
    return None if value is None else float(f"{value:.4g}")
