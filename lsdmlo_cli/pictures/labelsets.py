"""Which sets of labels occur: the most frequent ones by their rows."""

from __future__ import annotations

import numpy as np
import scipy

from lsdmlo_cli.numeric.labelsets import labelset_numbers
from lsdmlo_cli.numeric.matrix import stacked
from lsdmlo_cli.pictures.data import analysed, new_labels
from lsdmlo_cli.pictures.style import Spec, field, named, picture, tooltips
from lsdmlo_cli.subject import Subject

MOST_SETS = 25


def labelsets(subject: Subject, _: str | None = None) -> Spec:
    """The picture of a data set; new rows with the same labels stand behind where they are at hand."""
    data = analysed(subject).dataset
    counts, first = _counted(data.Y, new_labels(subject))
    old, new = counts["the data set"], counts["new rows"]
    names = [named(label.name) for label in data.labels]
    sets = [j for j in np.argsort(-old, kind="stable")[:MOST_SETS].tolist() if old[j]]
    titles = [_title(data.Y[[first[j]]].indices.tolist(), names) for j in sets]
    rows = [
        {"set": title, "rows": int(found[j]), "what": what}
        for what, found in counts.items()
        for j, title in zip(sets, titles, strict=True)
        if found[j]
    ]
    all_sets, single = np.count_nonzero(old), np.count_nonzero(old == 1)
    some = f"the {len(sets)} most frequent of {all_sets} sets" if len(sets) < all_sets else f"{all_sets} sets"
    unseen = int(new[old == 0].sum())
    lines = [f"{some}; {single} occur in one row only", *([f"{unseen} new rows have a set that no row had"] if unseen else [])]
    return picture(
        f"Sets of labels: {data.origin.file}",
        lines,
        rows,
        f"Rows by their set of labels: {some}.",
        width=420,
        height={"step": 18},
        mark={"type": "bar"},
        encoding=_encoding(titles, bool(new.any())),
    )


def _counted(old: scipy.sparse.csr_array, new: scipy.sparse.csr_array) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """How many old and new rows have each set of labels, and the first row that has it; sets in the order of these rows."""
    number = labelset_numbers(stacked([old, new]))
    sets, first = np.unique(number, return_index=True)
    parts = {"the data set": number[: old.shape[0]], "new rows": number[old.shape[0] :]}
    return {what: np.bincount(part, minlength=len(sets)) for what, part in parts.items()}, first


def _title(labels: list[int], names: list[str]) -> str:
    """The names of a set.

    >>> _title([0, 2], ["a", "b", "c"]), _title([], [])
    ('a + c', '(no label)')
    """
    return " + ".join(names[j] for j in labels) or "(no label)"


def _encoding(order: list[str], both: bool) -> Spec:
    return {
        "y": field("set", None, "nominal", sort=order, axis={"labelLimit": 300}),
        "x": field("rows", "rows"),
        "color": field("what", None, "nominal", sort=None, **({} if both else {"legend": None})),
        "order": field("what", None, "ordinal", sort="descending"),
        "tooltip": tooltips(set=("labels", ""), what=("", ""), rows=("rows", "")),
    }
