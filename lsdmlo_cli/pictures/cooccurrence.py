"""Which labels occur together: of the rows with one label, the share that has the other as well.

    s_ij = n_ij / n_i      n_ij rows with both labels i and j, n_i rows with i

Labels are ordered by SCUMBLELbl, those first that frequent labels accompany most. Of more than MOST_LABELS half are those with
the highest SCUMBLELbl, and half the labels that share most rows with one of these.
"""

from __future__ import annotations

import numpy as np
import scipy

from lsdmlo_cli.pictures.data import analysed, label_figures
from lsdmlo_cli.pictures.style import Spec, field, named, picture, tooltips
from lsdmlo_cli.subject import Subject

MOST_LABELS = 40


def cooccurrence(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a data set, without its new rows."""
    data = analysed(subject).dataset
    order = _shown(data.Y, [label["SCUMBLELbl"] for label in label_figures(subject)])
    together = (data.Y[:, order].T @ data.Y[:, order]).toarray()
    names = [named(data.labels[j].name) for j in order]
    rows = [
        {
            "one": names[a],
            "other": names[b],
            "both": int(together[a, b]),
            "share": round(float(together[a, b] / together[a, a]), 4),
        }
        for a, b in np.argwhere(together > 0).tolist()
        if a != b
    ]
    some = f"{len(order)} of {data.q} labels" if len(order) < data.q else f"{data.q} labels"
    return picture(
        f"Labels that occur together: {data.origin.file}",
        [f"{some} by SCUMBLELbl, highest first:", "where it is high, rows of the label carry frequent labels too"],
        rows,
        f"A matrix of {some}: the share of the rows with the label at the left that have the label at the bottom as well.",
        width={"step": 14 if len(order) > 12 else 28},
        height={"step": 14 if len(order) > 12 else 28},
        mark={"type": "rect"},
        encoding=_encoding(names),
    )


def _shown(Y: scipy.sparse.csr_array, scumble: list[float | None]) -> list[int]:
    """The labels that are drawn, in order."""
    known = [(-value, j) for j, value in enumerate(scumble) if value is not None]
    ordered = [j for _, j in sorted(known)]
    if len(ordered) <= MOST_LABELS:
        return ordered
    first = ordered[: MOST_LABELS // 2]
    shared = (Y[:, first].T @ Y).toarray().max(axis=0)
    shared[first] = -1
    beside = np.argsort(-shared, kind="stable")[: MOST_LABELS - len(first)].tolist()
    return [j for j in ordered if j in {*first, *beside}]


def _encoding(names: list[str]) -> Spec:
    legend = {"format": ".0%", "title": "share", "orient": "right"}
    hints = tooltips(one=("rows with", ""), other=("also with", ""), both=("rows with both", ""), share=("share", ".1%"))
    return {
        "y": field("one", "of the rows with", "nominal", scale={"domain": names}),
        "x": field("other", "these have also", "nominal", scale={"domain": names}, axis={"labelAngle": -50, "labelLimit": 110}),
        "color": field("share", "share", scale={"domain": [0, 1], "interpolate": "rgb"}, legend=legend),
        "tooltip": hints,
    }
