"""Where new rows come from: seeds, references and new rows of one label, before its old positives and negatives.

The rows lie in the label's own plane (plane.py). Of many rows every so many-th is drawn.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.errors import DataError, hint
from lsdmlo_cli.pictures.data import analysed
from lsdmlo_cli.pictures.plane import Plane, plane
from lsdmlo_cli.pictures.style import Spec, field, named, picture, tooltips
from lsdmlo_cli.subject import NewRows, Subject

MOST_BEHIND = 800
"""Positives, and as many negatives, that stand behind."""
MOST_NEW = 300
KINDS = ("negative", "positive", "seed", "reference", "new row")
SHAPES = ("circle", "circle", "triangle-up", "square", "diamond")
SIZES = (16, 26, 60, 45, 55)
COLOURS = ("#98a2ab", "#2f8f96", "#7a5fc7", "#4c9a43", "#e06a1b")
"""Seen on a light and on a dark ground."""


def parents(subject: Subject, name: str | None = None) -> Spec:
    """The picture of the new rows of one label: the one that is named, else that with most new rows.

    Errors: DataError where the new rows are not at hand, and for a name that is no label's.
    """
    analysis = analysed(subject)
    if subject.new is None or (len(subject.new.parents) and (subject.new.parents < 0).all()):
        raise DataError("this picture needs the new rows with their parents: write them with --provenance")
    label = _default(subject.new, analysis) if name is None else _of_name(analysis, name)
    made = np.flatnonzero(subject.new.parents[:, 2] == label)
    shown = spread(made, MOST_NEW)
    seen = plane(analysis, label, spread(np.arange(analysis.dataset.n), 4 * MOST_BEHIND))
    first = analysis.dataset.n - subject.report["removed"]
    rows = [*_behind(analysis, label, seen), *_made(analysis, subject.new, shown, seen, first)]
    title = analysis.dataset.labels[label].name
    subtitle = f"{len(made)} new rows" + (f", {len(shown)} of them drawn" if len(shown) < len(made) else "")
    return picture(
        f"New rows for {title}",
        f"{subtitle}; a line leads from each seed to its reference",
        rows,
        f"Seeds, references and new rows of the label {title} in a plane of two axes, before old positives and negatives.",
        width=440,
        height=360,
        layer=_layers(_links(analysis, subject.new, shown, seen), seen),
    )


def most_first(new: NewRows) -> list[int]:
    """The labels for which rows were made, those with most of them first."""
    made = np.bincount(new.parents[new.parents[:, 2] >= 0, 2])
    return [j for j in np.argsort(-made, kind="stable").tolist() if made[j]]


def _default(new: NewRows, analysis: Analysis) -> int:
    """The label for which most rows were made; without any the most imbalanced one with a positive."""
    for label in most_first(new):
        return label
    counts = analysis.dataset.counts
    return int(np.where(counts > 0, counts, np.iinfo(np.int64).max).argmin())


def spread(rows: np.ndarray, most: int) -> np.ndarray:
    """No more than so many of some rows, evenly spread.

    >>> spread(np.arange(10), 3).tolist(), spread(np.arange(2), 3).tolist()
    ([0, 3, 6], [0, 1])
    """
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def _of_name(analysis: Analysis, name: str) -> int:
    names = [label.name for label in analysis.dataset.labels]
    if name not in names:
        raise DataError(f"{analysis.dataset.origin.file}: there is no label {name!r}{hint(name, names)}")
    return names.index(name)


def _points(kind: str, places: np.ndarray, numbers: np.ndarray) -> list[Spec]:
    return [
        {"what": kind, "x": x, "y": y, "row": row}
        for (x, y), row in zip(np.round(places, 5).tolist(), numbers.tolist(), strict=True)
    ]


def _behind(analysis: Analysis, label: int, seen: Plane) -> list[Spec]:
    """Old negatives and positives; rows count from 1."""
    has = analysis.has_label(label)
    found = []
    for kind, rows in (("negative", np.flatnonzero(~has)), ("positive", np.flatnonzero(has))):
        drawn = spread(rows, MOST_BEHIND)
        found += _points(kind, seen.places(analysis.E[drawn]), drawn + 1)
    return found


def _made(analysis: Analysis, new: NewRows, made: np.ndarray, seen: Plane, first: int) -> list[Spec]:
    """Seeds, references and new rows, each row once; first: the place of the first new row in the output."""
    found = []
    for kind, column in (("reference", 1), ("seed", 0)):
        own = np.unique(new.parents[made, column])
        own = own[own >= 0]
        found += _points(kind, seen.places(analysis.E[own]), own + 1)
    return found + _points("new row", seen.places(new.E[made]), first + made + 1)


def _links(analysis: Analysis, new: NewRows, made: np.ndarray, seen: Plane) -> list[Spec]:
    """A line for each new row that has both parents."""
    both = made[(new.parents[made, :2] >= 0).all(axis=1)]
    ends = [seen.places(analysis.E[new.parents[both, column]]) for column in (0, 1)]
    return [
        {"x": a, "y": b, "x2": c, "y2": d} for (a, b), (c, d) in zip(*(np.round(end, 5).tolist() for end in ends), strict=True)
    ]


def _layers(links: list[Spec], seen: Plane) -> list[Spec]:
    loose = {"zero": False}
    x, y = (field(axis, named(title), scale=loose) for axis, title in zip("xy", seen.titles, strict=True))
    lines = {
        "data": {"values": links},
        "mark": {"type": "rule", "style": "muted", "opacity": 0.7},
        "encoding": {"x": x, "y": y, "x2": {"field": "x2"}, "y2": {"field": "y2"}},
    }
    kinds = list(KINDS)
    encoding = {
        "x": x,
        "y": y,
        "shape": field("what", None, "nominal", scale={"domain": kinds, "range": list(SHAPES)}),
        "color": field("what", None, "nominal", scale={"domain": kinds, "range": list(COLOURS)}),
        "tooltip": tooltips(what=("", ""), row=("row", ""), x=("x", ".4g"), y=("y", ".4g")),
    }

    def points(kind: str) -> Spec:
        mark = {"type": "point", "filled": True, "size": SIZES[KINDS.index(kind)], "opacity": 0.6 if kind in KINDS[:2] else 1}
        return {"transform": [{"filter": {"field": "what", "equal": kind}}], "mark": mark, "encoding": encoding}

    return [*map(points, KINDS[:2]), lines, *map(points, ("reference", "seed", "new row"))]
