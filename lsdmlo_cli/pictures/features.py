"""Which features matter for which label: the strongest weights of W, each label's scaled to its largest.

The labels are the most imbalanced ones that have a weight; the features are the first of each of them in turn.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.pictures.data import analysed, label_figures
from lsdmlo_cli.pictures.style import Spec, field, named, picture, tooltips
from lsdmlo_cli.subject import Subject
from lsdmlo_cli.weights_table import encoded_names

MOST_LABELS = 25
MOST_FEATURES = 30


def features(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a data set. Errors: DataError where there is no feature, or W is 0."""
    analysis = analysed(subject)
    analysis.require_neighbors()
    labels = _labels(subject, analysis)
    columns = _strongest(analysis, labels)
    if not columns:
        raise DataError(f"{analysis.dataset.origin.file}: every feature weight is 0: lower --lambda1")
    names = [named(name) for name in encoded_names(analysis.dataset.features, analysis.encoding)]
    titles = [named(analysis.dataset.labels[j].name) for j in labels]
    rows = _cells(analysis, labels, columns, titles, names)
    some = f"{len(columns)} of {analysis.encoding.width} features, {len(labels)} of {analysis.dataset.q} labels"
    return picture(
        f"Which features matter: {analysis.dataset.origin.file}",
        [some, "a weight's share of the label's largest, its sign as a colour"],
        rows,
        f"A matrix of feature weights by label: {some}.",
        width={"step": 18},
        height={"step": 18},
        mark={"type": "rect"},
        encoding=_encoding(titles, [names[i] for i in columns]),
    )


def _labels(subject: Subject, analysis: Analysis) -> list[int]:
    """The most imbalanced labels with a weight."""
    weights = np.diff(analysis.feature_weights.W.indptr)
    ratio = [label["IRLbl"] or 0.0 for label in label_figures(subject)]
    return sorted(np.flatnonzero(weights).tolist(), key=lambda j: (-ratio[j], j))[:MOST_LABELS]


def _strongest(analysis: Analysis, labels: list[int]) -> list[int]:
    """Columns of E: each label's strongest, then each label's second, and so on."""
    W = analysis.feature_weights.W
    lists = [W.indices[W.indptr[j] + np.argsort(-np.abs(W.data[W.indptr[j] : W.indptr[j + 1]]), kind="stable")] for j in labels]
    longest = max(map(len, lists), default=0)
    turns = [int(own[turn]) for turn in range(min(longest, MOST_FEATURES)) for own in lists if turn < len(own)]
    return list(dict.fromkeys(turns))[:MOST_FEATURES]


def _cells(analysis: Analysis, labels: list[int], columns: list[int], titles: list[str], names: list[str]) -> list[Spec]:
    """An object for each weight that is not 0."""
    W, Theta = (part[:, labels].toarray() for part in (analysis.feature_weights.W, analysis.Theta))
    largest = np.abs(W).max(axis=0)
    return [
        {
            "label": titles[j],
            "feature": names[i],
            "weight": float(W[i, j]),
            "strength": round(float(W[i, j] / largest[j]), 4),
            "theta": round(float(Theta[i, j]), 5),
        }
        for j in range(len(labels))
        for i in columns
        if W[i, j]
    ]


def _encoding(labels: list[str], features: list[str]) -> Spec:
    hints = tooltips(label=("label", ""), feature=("feature", ""), weight=("weight", ".3g"), theta=("share of distance", ".1%"))
    scale = {"domain": [-1, 0, 1], "range": "diverging", "type": "linear", "interpolate": "rgb"}
    return {
        "y": field("feature", None, "nominal", scale={"domain": features}, axis={"labelLimit": 240}),
        "x": field("label", None, "nominal", scale={"domain": labels}, axis={"labelAngle": -50, "labelLimit": 110}),
        "color": field("strength", "strength", scale=scale, legend={"title": "strength", "orient": "right"}),
        "tooltip": hints,
    }
