"""How many labels the rows have: rows by the number of their labels."""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.pictures.data import analysed, old_and_new
from lsdmlo_cli.pictures.style import Spec, field, picture, tooltips
from lsdmlo_cli.subject import Subject


def cardinality(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a data set; its new rows stand on top where they are at hand."""
    rows = [
        {"labels": labels, "rows": rows, "what": what}
        for what, Y in old_and_new(subject)
        for labels, rows in enumerate(np.bincount(np.diff(Y.indptr), minlength=1).tolist())
        if rows
    ]
    data = analysed(subject).dataset
    mean = data.Y.nnz / data.n if data.n else 0.0
    legend = {} if len(old_and_new(subject)) > 1 else {"legend": None}
    return picture(
        f"Labels a row: {data.origin.file}",
        f"Card {mean:.3f}: the mean number of labels of a row of the data set",
        rows,
        f"Rows by the number of their labels; the mean is {mean:.3f}.",
        width=420,
        height=240,
        mark={"type": "bar"},
        encoding={
            "x": field("labels", "labels of a row", "ordinal", axis={"labelAngle": 0, "labelOverlap": True}),
            "y": field("rows", "rows"),
            "color": field("what", None, "nominal", sort=None, **legend),
            "order": field("what", None, "ordinal", sort="descending"),
            "tooltip": tooltips(what=("", ""), labels=("labels", ""), rows=("rows", "")),
        },
    )
