"""How mixed the neighbours of each label's positives are: LImb against LImb_LSD, before and after.

Below the diagonal a label's own distance finds more neighbours with the label than the Euclidean one does.
"""

from __future__ import annotations

from lsdmlo_cli.errors import DataError
from lsdmlo_cli.pictures.labels import is_repeated, measured, one_colour
from lsdmlo_cli.pictures.style import Spec, field, named, picture, tooltips
from lsdmlo_cli.subject import Subject

MANY = 200
"""Points that would cover each other."""


def local_imbalance(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a report of `stats` or `resample`. Errors: DataError where LImb was not measured."""
    parts = measured(subject.report)
    rows = [
        {
            "name": named(label["name"]),
            "when": when,
            "limb": label["LImb"],
            "own": label["LImb_LSD"],
            "count": label["count"],
            "minority": "yes" if label["minority"] else "no",
        }
        for when, part in parts.items()
        for label in part["labels"]
        if label["LImb"] is not None and label["LImb_LSD"] is not None
    ]
    if not rows:
        raise DataError("LImb was not measured, so there is nothing to draw: leave out --measures fast")
    figures = [(when, part["measures"]["LImb"], part["measures"]["LImb_LSD"]) for when, part in parts.items()]
    both = is_repeated(subject.report)
    means = "; ".join(f"LImb {one:.3f}, LImb_LSD {own:.3f}{f' {when}' if both else ''}" for when, one, own in figures)
    return picture(
        f"Local imbalance by label: {subject.report['dataset']['file']}",
        [
            means,
            "Right and top: neighbours that lack the label.",
            "Below the line the label's own distance finds more that have it.",
        ],
        rows,
        f"LImb against LImb_LSD, a point a label. Means: {means}",
        width=380,
        height=380,
        layer=_layers(rows, both),
    )


def _layers(rows: list[Spec], both: bool) -> list[Spec]:
    share = {"domain": [0, 1]}
    x = field("limb", "LImb (by Euclidean distance)", scale=share)
    y = field("own", "LImb_LSD (by the label's own distance)", scale=share)
    diagonal = {
        "data": {"values": [{"limb": 0, "own": 0}, {"limb": 1, "own": 1}]},
        "mark": {"type": "line", "style": "line-of-mean", "size": 1},
        "encoding": {"x": x, "y": y},
    }
    change = {
        "mark": {"type": "line", "style": "muted", "size": 1, "opacity": 0.5},
        "encoding": {"x": x, "y": y, "detail": field("name", None, "nominal"), "order": field("when", None, "ordinal")},
    }
    hints = tooltips(
        name=("label", ""),
        when=("", ""),
        limb=("LImb", ".3f"),
        own=("LImb_LSD", ".3f"),
        count=("positives", ""),
        minority=("minority", ""),
    )
    shape = field("minority", "minority", "nominal", scale={"domain": ["yes", "no"], "range": ["triangle-up", "circle"]})
    points = {
        "mark": {"type": "point", "filled": True, "opacity": 0.8, "size": 25 if len(rows) > MANY else 55},
        "encoding": {
            "x": x,
            "y": y,
            "color": one_colour(rows),
            "shape": {**shape, "legend": {"title": "minority label"}},
            "tooltip": hints,
        },
    }
    return [diagonal, *([change] if both else []), points]
