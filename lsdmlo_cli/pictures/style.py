"""How pictures look: colours and type in one place, light and dark; and what every specification begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

Spec = dict[str, Any]
"""A specification in Vega-Lite (https://vega.github.io/vega-lite)."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
LONGEST_NAME = 180
"""Pixels of a name at an axis; the rest is cut, and shown when one points at it."""
_INK = {False: ("#1f2933", "#55616d", "#d9dee3", "#8a949e"), True: ("#e6e9ec", "#a3adb7", "#3a444e", "#7d8892")}
"""Text, lesser text, grid and what stays in the background; light, then dark."""
_COLOURS = {
    False: ("#0a6c74", "#d1560f", "#6a4fb3", "#3d8b37", "#b0306a", "#8a6d1d", "#2f6fb7", "#555f69"),
    True: ("#4fb8bf", "#f2924f", "#a993e6", "#7cc274", "#e57ba9", "#d0b35a", "#7fb0ea", "#aab4bd"),
}
"""Told apart with the common defects of colour vision, by brightness too; the first two are before and after."""


def theme(dark: bool = False) -> Spec:
    """The configuration of all pictures, on a light or a dark ground."""
    text, quiet, grid, muted = _INK[dark]
    colours = _COLOURS[dark]
    font = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
    plain = {"labelColor": text, "titleColor": text, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"}
    names = {"labelLimit": LONGEST_NAME, "titleLimit": 400}
    symbols = {"symbolBaseFillColor": muted, "symbolBaseStrokeColor": muted, "symbolOpacity": 1}
    return {
        "background": "transparent" if dark else "white",
        "font": font,
        "title": {"color": text, "subtitleColor": quiet, "anchor": "start", "fontSize": 14, "offset": 12, "limit": 520},
        "axis": {
            **plain,
            **names,
            "labelFlush": False,
            "labelSeparation": 4,
            "gridColor": grid,
            "domainColor": grid,
            "tickColor": grid,
        },
        "header": {**plain, "labelLimit": 300, "labelFontWeight": "bold", "labelPadding": 4},
        "legend": {**plain, **names, "orient": "top", "title": None, "symbolLimit": 20, **symbols},
        "view": {"stroke": None},
        "range": {
            "category": list(colours),
            "heatmap": [_ground(dark), colours[0]],
            "ramp": [_ground(dark), colours[0]],
            "diverging": [colours[1], _ground(dark), colours[0]],
        },
        "text": {"color": text},
        **{mark: {"color": colours[0]} for mark in ("bar", "line", "point", "rule")},
        "facet": {"spacing": 16},
        "style": {
            "muted": {"color": muted, "stroke": muted},
            "line-of-mean": {"color": text, "strokeDash": [4, 3]},
            "name": {"fill": text, "fontSize": 11, "limit": 260},
        },
    }


def _ground(dark: bool) -> str:
    """The colour of nothing in a matrix."""
    return "#222b33" if dark else "#f1f4f6"


def named(name: str) -> str:
    """A name as pictures show it: control characters, which an SVG cannot hold or which turn what follows, are replaced."""
    return _CONTROL.sub("\ufffd", name)


def picture(title: str, subtitle: str | Sequence[str], rows: Iterable[Spec], description: str, **rest: Any) -> Spec:
    """A specification with its data in it.

    title, subtitle: above the picture. rows: an object a mark. description: what is to be seen, for people who hear it.
    """
    lines = [subtitle] if isinstance(subtitle, str) else list(subtitle)
    heading = {"text": named(title), **({"subtitle": [named(line) for line in lines]} if any(lines) else {})}
    return {"description": named(description), "title": heading, "data": {"values": list(rows)}, **rest}


def field(name: str, title: str | None = None, kind: str = "quantitative", **rest: Any) -> Spec:
    """One channel of an encoding: a field of the data, its title (None: it has none) and its kind."""
    return {"field": name, "type": kind, "title": title, **rest}


def tooltips(**fields: tuple[str, str]) -> list[Spec]:
    """What is shown of a mark that one points at: field = (title, format); an empty format shows it as it is.

    >>> tooltips(n=("rows", "")), tooltips(x=("share", ".2f"))
    ([{'field': 'n', 'title': 'rows'}], [{'field': 'x', 'title': 'share', 'format': '.2f', 'type': 'quantitative'}])
    """
    return [
        {"field": name, "title": title, **({"format": form, "type": "quantitative"} if form else {})}
        for name, (title, form) in fields.items()
    ]


def scale_of(values: Iterable[float]) -> Spec:
    """A logarithmic scale where positive values span more than a factor of 30, else a linear one that may begin anywhere.

    >>> scale_of([1, 40]), scale_of([1, 20])
    ({'type': 'log'}, {'zero': False})
    """
    known = [value for value in values if value > 0]
    return {"type": "log"} if known and max(known) > 30 * min(known) else {"zero": False}


def forest(y: Spec, hints: list[Spec]) -> list[Spec]:
    """The layers of a forest plot: a line at 0, and points at `gain` between `low` and `high`, coloured by `ahead`."""
    colour = field("ahead", None, "nominal", scale={"domain": ["ahead", "not ahead"], "range": ["#0a8088", "#8f99a3"]})
    zero = {"mark": {"type": "rule", "style": "line-of-mean"}, "encoding": {"x": {"datum": 0, "title": None}}}
    ends = {"x": field("low"), "x2": {"field": "high"}, "y": y, "color": colour}
    bars = {"mark": {"type": "rule", "size": 1.5}, "encoding": ends}
    points = {
        "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
        "encoding": {"x": field("gain"), "y": y, "color": colour, "tooltip": hints},
    }
    return [zero, bars, points]
