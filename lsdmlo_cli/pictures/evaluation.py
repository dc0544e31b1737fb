"""Pictures of `evaluate`: figures by fold, differences to the reference, ranks, and figures against p.

Where a metric is better when it is lower, gains are turned, so that right is always better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from lsdmlo_cli.errors import DataError, hint
from lsdmlo_cli.evaluation.differences import Difference, of_comparison
from lsdmlo_cli.evaluation.metrics import METRICS, Metric, typed_name
from lsdmlo_cli.evaluation.results import LEVEL
from lsdmlo_cli.pictures.style import Spec, field, forest, named, picture, tooltips
from lsdmlo_cli.subject import Subject

DEFAULT_METRIC = "macro_f"
RANKED = ("macro_f", "minority_f", "macro_auc", "ranking_loss")
"""Of which ranks are drawn where no metric is asked for."""
MOST_DATA_SETS = 12
"""Panels above each other; of more the first ones are drawn."""


def _metric(subject: Subject, name: str | None) -> Metric:
    """The metric that was asked for. Errors: DataError for one that the results do not have."""
    held = [compared["metric"] for compared in subject.report["comparison"]]
    asked = typed_name(name or DEFAULT_METRIC)
    known = [metric for metric in dict.fromkeys(held) if metric in METRICS]
    if asked not in known:
        raise DataError(f"there is no metric {name or DEFAULT_METRIC!r} in the results{hint(asked, known)}: {', '.join(known)}")
    return METRICS[asked]


def _better(metric: Metric) -> str:
    return "higher is better" if metric.higher_is_better else "lower is better"


def _methods(subject: Subject) -> list[str]:
    return [named(method) for method in subject.report["experiment"]["methods"]]


def _data(subject: Subject) -> tuple[list[str], list[str]]:
    """The names of the data sets that are drawn, and a line that says which part of all they are."""
    names = [one["name"] for one in subject.report["datasets"]]
    shown = names[:MOST_DATA_SETS]
    return shown, [f"the first {len(shown)} of {len(names)} data sets"] if len(shown) < len(names) else []


def scores(subject: Subject, name: str | None = None) -> Spec:
    """Every fold of every method: a point a fold, a tick at the mean."""
    metric = _metric(subject, name)
    data, some = _data(subject)
    found = [row for row in subject.report["results"] if row["metric"] == metric.name and row["data"] in data]
    rows = [
        {
            "data": named(row["data"]),
            "learner": named(row["learner"]),
            "method": named(row["method"]),
            "fold": fold,
            "value": value,
            "mean": row["mean"],
        }
        for row in found
        for fold, value in enumerate(row["values"], start=1)
        if value is not None
    ]
    x = field("value", metric.title, scale={"zero": False})
    y = field("method", None, "nominal", sort=_methods(subject))
    points = {
        "mark": {"type": "point", "filled": True, "size": 35, "opacity": 0.6},
        "encoding": {"x": x, "y": y, "tooltip": _hints(fold=("fold", ""), value=(metric.title, ".4f"), mean=("mean", ".4f"))},
    }
    means = {
        "mark": {"type": "tick", "style": "line-of-mean", "strokeDash": [1, 0], "thickness": 2},
        "encoding": {"x": field("value", metric.title, aggregate="mean"), "y": y},
    }
    return picture(
        f"{metric.title} by fold",
        [f"{_better(metric)}; a point a fold, a line at the mean", *some],
        rows,
        f"{metric.title} of each method on each fold, by data set and learner.",
        facet=_grid("data", rows),
        spec={"width": 300, "height": {"step": 20}, "layer": [points, means]},
        resolve={"scale": {"x": "independent"}},
    )


def _grid(row: str, rows: list[Spec]) -> Spec:
    """Panels: a row for each value of one field, a column for each learner, both in the order of the report."""
    header = {"labelOrient": "top", "labelAngle": 0, "labelAnchor": "start", "title": None}
    order = {name: list(dict.fromkeys(one[name] for one in rows)) for name in (row, "learner")}
    return {
        "row": field(row, None, "nominal", sort=order[row], header=header),
        "column": field("learner", None, "nominal", sort=order["learner"], header={"title": None, "labelFontSize": 13}),
    }


def _hints(**more: tuple[str, str]) -> list[Spec]:
    return tooltips(method=("method", ""), data=("data", ""), learner=("learner", ""), **more)


def differences(subject: Subject, _: str | None = None) -> Spec:
    """How much better each method is than the reference, with twice the error, by metric and learner."""
    against = subject.report["experiment"]["against"]
    sets = len(subject.report["datasets"])
    rows = [
        _gain(compared, method, difference)
        for compared in subject.report["comparison"]
        if compared["metric"] in METRICS
        for method, difference in of_comparison(subject.report, compared).items()
        if difference.mean is not None
    ]
    if not rows:
        raise DataError(f"there is nothing to compare with {against}: only one method was evaluated")
    order = [method for method in _methods(subject) if method != named(against)]
    over = f"means over {sets} data sets" if sets > 1 else "means over the folds"
    return picture(
        f"How much better than {against}",
        [f"{over}, with twice the standard error", "right of the line is better, whichever way a metric goes"],
        rows,
        f"Differences to {against} by method, metric and learner; positive is better.",
        facet=_grid("metric", rows),
        spec={
            "width": 260,
            "height": {"step": 16},
            "layer": forest(field("method", None, "nominal", sort=order), _HINTS_OF_DIFFERENCE),
        },
        resolve={"scale": {"x": "independent"}},
    )


def _gain(compared: dict[str, Any], method: str, difference: Difference) -> Spec:
    metric = METRICS[compared["metric"]]
    gain = (difference.mean or 0.0) * (1 if metric.higher_is_better else -1)
    error = difference.error or 0.0
    return {
        "metric": metric.heading,
        "learner": named(compared["learner"]),
        "method": named(method),
        "difference": difference.mean,
        "error": difference.error,
        "gain": gain,
        "low": gain - 2 * error,
        "high": gain + 2 * error,
        "ahead": "ahead" if difference.is_ahead(metric.higher_is_better) else "not ahead",
        "won": difference.won,
        "lost": difference.lost,
    }


_HINTS_OF_DIFFERENCE = tooltips(
    method=("method", ""),
    learner=("learner", ""),
    metric=("metric", ""),
    difference=("difference", "+.4f"),
    error=("standard error", ".4f"),
    won=("won", ""),
    lost=("lost", ""),
)


def ranks(subject: Subject, name: str | None = None) -> Spec:
    """Average ranks, the best at the left; a bar joins methods of which no two differ significantly."""
    asked = RANKED if name is None else (_metric(subject, name).name,)
    rows = [
        row
        for compared in subject.report["comparison"]
        if compared["metric"] in METRICS and compared["average_rank"] and compared["metric"] in asked
        for row in _ranked(subject, compared)
    ]
    if not rows:
        raise DataError("there are no ranks: no data set has a figure of every method")
    sets = max(compared["data_sets"] for compared in subject.report["comparison"])
    tested = any(compared["adjusted_p"] for compared in subject.report["comparison"])
    joined = f"a bar joins methods of which no two differ (p >= {LEVEL:g}, Wilcoxon, Bergmann and Hommel)"
    return picture(
        "Average ranks",
        [f"over {sets} data set{'s' if sets != 1 else ''}, 1 is best; {joined if tested else 'not tested'}"],
        rows,
        "A critical difference diagram for each metric and learner: methods by average rank, bars over groups without a "
        "significant difference.",
        facet=_grid("metric", rows),
        spec=_diagram(len(_methods(subject)), max(row["y"] for row in rows)),
    )


def groups(order: list[str], differ: Callable[[str, str], bool]) -> list[list[str]]:
    """The longest runs of two or more methods, in the order of their ranks, of which no two differ.

    >>> groups(["a", "b", "c"], lambda one, other: {one, other} == {"a", "c"})
    [['a', 'b'], ['b', 'c']]
    """
    runs = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not any(differ(other, order[end]) for other in order[start:end]):
            end += 1
        runs.append((start, end))
    longest = [run for place, run in enumerate(runs) if place == 0 or runs[place - 1][1] < run[1]]
    return [order[start:end] for start, end in longest if end - start > 1]


def _ranked(subject: Subject, compared: dict[str, Any]) -> Iterator[Spec]:
    """The marks of one diagram: a point a method, from the top by rank, and under them a bar a group."""
    metric = METRICS[compared["metric"]]
    place = {"metric": metric.title, "learner": named(compared["learner"])}
    rank = compared["average_rank"]
    order = sorted(rank, key=lambda method: rank[method])
    for y, method in enumerate(order):
        yield {**place, "kind": "method", "method": named(method), "rank": rank[method], "y": y}
    if compared["adjusted_p"] is None:
        return
    number = {method: i for i, method in enumerate(subject.report["experiment"]["methods"])}
    p = compared["adjusted_p"]
    found = groups(order, lambda one, other: p[number[one]][number[other]] < LEVEL)
    for y, group in enumerate(found, start=len(order)):
        least = min((p[number[a]][number[b]] for a, b in combinations(group, 2)), default=1.0)
        ends = {"rank": rank[group[0]] - 0.04, "end": rank[group[-1]] + 0.04}
        yield {**place, "kind": "group", "method": named(", ".join(group)), **ends, "y": y, "p": least}


def _diagram(methods: int, lowest: int) -> Spec:
    x = field("rank", "average rank", scale={"domain": [0.8, methods + 0.9], "nice": False}, axis={"tickMinStep": 1})
    y = field("y", None, scale={"domain": [-0.6, lowest + 0.6], "reverse": True, "nice": False}, axis=None)
    one = {"filter": "datum.kind == 'method'"}
    hints = tooltips(method=("method", ""), rank=("average rank", ".3f"), metric=("metric", ""), learner=("learner", ""))
    return {
        "width": 300,
        "height": 20 * (lowest + 1),
        "layer": [
            {
                "transform": [{"filter": "datum.kind == 'group'"}],
                "mark": {"type": "rule", "style": "muted", "size": 6},
                "encoding": {
                    "x": x,
                    "x2": {"field": "end"},
                    "y": y,
                    "tooltip": tooltips(method=("do not differ", ""), p=("p", ".3g")),
                },
            },
            {
                "transform": [one],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"x": x, "y": y, "tooltip": hints},
            },
            {
                "transform": [one],
                "mark": {"type": "text", "style": "name", "align": "left", "dx": 8, "limit": 180},
                "encoding": {"x": x, "y": y, "text": {"field": "method"}},
            },
        ],
    }


def against_p(subject: Subject, name: str | None = None) -> Spec:
    """A metric against p, a line a method; the reference is a line across.

    Errors: DataError where no method was evaluated with two values of p.
    """
    metric = _metric(subject, name)
    given = {
        title: (one["sampler"], one["parameters"].get("p")) for title, one in subject.report["experiment"]["methods"].items()
    }
    values: dict[str, set[float]] = {}
    for sampler, p in given.values():
        values.setdefault(sampler, set()).update([] if p is None else [p])
    if all(len(found) < 2 for found in values.values()):
        raise DataError("no method was evaluated with two values of p: give --methods such as lsdmlo:p=0.1,lsdmlo:p=0.3")
    data, some = _data(subject)
    found = [
        row
        for row in subject.report["results"]
        if row["metric"] == metric.name and row["data"] in data and row["mean"] is not None
    ]
    rows = [{**_at(row), "p": given[row["method"]][1], "sampler": given[row["method"]][0]} for row in found]
    drawn = [row for row in rows if row["p"] is not None]
    across = [row for row in rows if row["sampler"] == "base"]
    return picture(
        f"{metric.title} against p",
        [f"{_better(metric)}; the dashed line is no sampling", *some],
        drawn,
        f"{metric.title} against the sampling ratio p, a line a method, by data set and learner.",
        facet=_grid("data", rows),
        spec={"width": 300, "height": 180, "layer": _lines(metric)},
        resolve={"scale": {"y": "independent"}},
    ) | {"data": {"values": [*drawn, *across]}}


def _at(row: dict[str, Any]) -> Spec:
    return {
        "data": named(row["data"]),
        "learner": named(row["learner"]),
        "method": named(row["method"]),
        "mean": row["mean"],
        "deviation": row["deviation"],
    }


def _lines(metric: Metric) -> list[Spec]:
    x = field("p", "p (new rows as a share of all)", scale={"zero": False, "padding": 12})
    y = field("mean", metric.title, scale={"zero": False})
    own, base = ({"filter": f"datum.sampler {sign} 'base'"} for sign in ("!=", "=="))
    colour = field("sampler", None, "nominal")
    hints = _hints(p=("p", ""), mean=(metric.title, ".4f"), deviation=("standard deviation", ".4f"))
    return [
        {"transform": [base], "mark": {"type": "rule", "style": "line-of-mean"}, "encoding": {"y": y, "tooltip": hints}},
        {"transform": [own], "mark": {"type": "line"}, "encoding": {"x": x, "y": y, "color": colour}},
        {
            "transform": [own],
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour, "tooltip": hints},
        },
    ]
