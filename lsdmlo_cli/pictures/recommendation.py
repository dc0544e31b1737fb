"""The picture of `recommend`: what the choice is worth on test rows, and the candidates on inner folds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsdmlo_cli.errors import DataError
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.recommendation.answer import Gain
from lsdmlo_cli.evaluation.recommendation.report import WORTH, ordered
from lsdmlo_cli.pictures.style import Spec, field, forest, named, picture, tooltips
from lsdmlo_cli.subject import Subject

ON_TEST_ROWS, ON_INNER_FOLDS = "the choice, on test rows that it has not seen", "candidates against base, on inner folds"


def gains(subject: Subject, _: str | None = None) -> Spec:
    """Gains with twice their errors. Errors: DataError where nothing was compared."""
    report = subject.report
    rows = [*_worth(report), *_candidates(report)]
    if not rows:
        raise DataError("nothing was compared: the budget was too small")
    return picture(
        f"Gains in {METRICS[report['metric']].title}",
        [
            f"{report['dataset']['name']}, {report['learner']['title']}; with twice the standard error",
            "right of the line is better, whichever way the metric goes",
        ],
        rows,
        "What the choice is worth on test rows, and how much better each candidate is than base on inner folds.",
        vconcat=[_panel(panel) for panel in dict.fromkeys(row["panel"] for row in rows)],
        resolve={"scale": {"x": "shared"}},
    )


def _panel(panel: str) -> Spec:
    """The gains of one kind, in the order of the data."""
    y = field("what", None, "nominal", sort=None, axis={"labelLimit": 320})
    hints = tooltips(what=("", ""), gain=("gain", "+.4f"), error=("standard error", ".4f"), count=("of", ""))
    return {
        "title": {"text": panel, "fontSize": 11, "offset": 6},
        "transform": [{"filter": {"field": "panel", "equal": panel}}],
        "width": 320,
        "height": {"step": 18},
        "layer": forest(y, hints),
    }


def _worth(report: dict[str, Any]) -> Iterator[Spec]:
    for name, (choice, other) in WORTH.items():
        yield from _gain(ON_TEST_ROWS, f"{choice} over {other}", report["gains"][name])


def _candidates(report: dict[str, Any]) -> Iterator[Spec]:
    """The candidates but base, the best first."""
    for one in ordered(report):
        if one["title"] != "base":
            yield from _gain(ON_INNER_FOLDS, named(one["title"]), one["gain"])


def _gain(panel: str, what: str, measured: dict[str, Any]) -> Iterator[Spec]:
    gain = Gain(**measured)
    if gain.mean is not None:
        error = gain.error or 0.0
        ends = {"low": gain.mean - 2 * error, "high": gain.mean + 2 * error}
        ahead = "ahead" if gain.is_shown else "not ahead"
        yield {"panel": panel, "what": what, "gain": gain.mean, "error": gain.error, "count": gain.count, **ends, "ahead": ahead}
