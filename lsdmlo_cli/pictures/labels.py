"""How frequent each label is: its positives and its IRLbl, before and after, with the line of MeanIR.

Up to MOST_ROWS labels have a line each, by IRLbl; more are points in the order of their IRLbl.
"""

from __future__ import annotations

from typing import Any

from lsdmlo_cli.pictures.style import Spec, field, named, picture, scale_of, tooltips
from lsdmlo_cli.subject import Subject

MOST_ROWS = 40
TIMES = ("before", "after")
IRLBL = "IRLbl (times rarer than the most frequent label)"


def measured(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The measured parts of a report: before and after; of `stats` before alone."""
    return {when: report[when] for when in TIMES} if "before" in report else {"before": report}


def is_repeated(report: dict[str, Any]) -> bool:
    """Whether there is an after."""
    return "after" in report


def labels(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a report of `stats` or `resample`."""
    report = subject.report
    parts = measured(report)
    known = [label for label in parts["before"]["labels"] if label["IRLbl"] is not None]
    order = {label["name"]: place for place, label in enumerate(sorted(known, key=lambda label: -label["IRLbl"]), start=1)}
    rows = [
        {
            "name": named(label["name"]),
            "place": order[label["name"]],
            "when": when,
            "count": label["count"],
            "irlbl": label["IRLbl"],
            "minority": "yes" if label["minority"] else "no",
        }
        for when, part in parts.items()
        for label in part["labels"]
        if label["IRLbl"] is not None and label["name"] in order
    ]
    means = {when: part["measures"]["MeanIR"] for when, part in parts.items()}
    subtitle = [_means(means), *_left_out(len(parts["before"]["labels"]) - len(known))]
    shape = _many(rows, means) if len(order) > MOST_ROWS else _few(rows, means, parts)
    return picture(
        f"How frequent the labels are: {report['dataset']['file']}",
        subtitle,
        rows,
        f"Positives and imbalance ratio IRLbl of {len(order)} labels{' before and after' if is_repeated(report) else ''}, "
        f"with MeanIR as a line. {_means(means)}",
        **shape,
    )


def _means(means: dict[str, float | None]) -> str:
    """The figures of MeanIR in words.

    >>> _means({"before": 5.0956, "after": 3.78}), _means({"before": None})
    ('MeanIR 5.096 before, 3.780 after', 'MeanIR is not defined')
    """
    known = {when: mean for when, mean in means.items() if mean is not None}
    if not known:
        return "MeanIR is not defined"
    both = len(means) > 1
    return "MeanIR " + ", ".join(f"{mean:.3f} {when}" if both else f"{mean:.3f}" for when, mean in known.items())


def _left_out(labels: int) -> list[str]:
    return [f"{labels} without a positive row {'is' if labels == 1 else 'are'} left out"] if labels else []


def colour() -> Spec:
    """Before and after in the colours of the whole package."""
    return field("when", None, "nominal", scale={"domain": list(TIMES)})


def one_colour(rows: list[Spec]) -> Spec:
    """The colour of before and after, without a legend where there is no after."""
    return {**colour(), **({} if any(row["when"] == "after" for row in rows) else {"legend": None})}


def _hints() -> list[Spec]:
    return tooltips(name=("label", ""), when=("", ""), count=("positives", ""), irlbl=("IRLbl", ".3f"), minority=("minority", ""))


def _mean_lines(means: dict[str, float | None], channel: str, title: str) -> Spec:
    """A line at each MeanIR, with its figure when one points at it; title: that of the axis, which layers share."""
    values = [{"mean": mean, "when": when} for when, mean in means.items() if mean is not None]
    return {
        "data": {"values": values},
        "mark": {"type": "rule", "style": "line-of-mean", "size": 1.5},
        "encoding": {
            channel: field("mean", title),
            "color": colour(),
            "tooltip": tooltips(when=("", ""), mean=("MeanIR", ".3f")),
        },
    }


def _few(rows: list[Spec], means: dict[str, float | None], parts: dict[str, Any]) -> Spec:
    """A line a label, most imbalanced first: positives at the left, IRLbl at the right."""
    names = list(dict.fromkeys(row["name"] for row in sorted(rows, key=lambda row: row["place"])))
    height = {"step": 18}

    def panel(what: str, title: str, with_names: bool, extra: list[Spec]) -> Spec:
        scale = scale_of(row[what] for row in rows)
        y = field("name", None, "nominal", sort=names, axis=None if not with_names else {"grid": True})
        x = field(what, title, scale=scale)
        change = {
            "mark": {"type": "line", "style": "muted", "size": 2, "opacity": 0.6},
            "encoding": {"x": x, "y": y, "detail": field("name", None, "nominal")},
        }
        points = {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": one_colour(rows), "tooltip": _hints()},
        }
        return {"width": 300, "height": height, "layer": [*extra, *([change] if len(parts) > 1 else []), points]}

    right = panel("irlbl", IRLBL, False, [_mean_lines(means, "x", IRLBL)])
    return {"hconcat": [panel("count", "positives", True, []), right], "spacing": 12}


def _many(rows: list[Spec], means: dict[str, float | None]) -> Spec:
    """A point a label, from the rarest to the most frequent; a line leads to what has changed."""
    highest = max(row["place"] for row in rows)
    x = field("place", "labels, the most imbalanced first", scale={"domain": [0, highest + 1], "nice": False})
    scale = {**scale_of(row["irlbl"] for row in rows), "nice": False}
    y = field("irlbl", IRLBL, scale=scale, axis={"tickCount": 6})
    change = {
        "mark": {"type": "line", "style": "muted", "size": 1, "opacity": 0.5},
        "encoding": {"x": x, "y": y, "detail": field("name", None, "nominal")},
    }
    points = {
        "mark": {"type": "point", "filled": True, "opacity": 0.8},
        "encoding": {
            "x": x,
            "y": y,
            "color": one_colour(rows),
            "size": field("when", None, "ordinal", legend=None, scale={"domain": list(TIMES), "range": [45, 14]}),
            "tooltip": _hints(),
        },
    }
    return {"width": 620, "height": 320, "layer": [_mean_lines(means, "y", IRLBL), change, points]}
