"""What several pictures take from a data set: its analysis, its labels, and which of its rows are old and new."""

from __future__ import annotations

from typing import Any

import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.pictures.labels import measured
from lsdmlo_cli.subject import Subject


def analysed(subject: Subject) -> Analysis:
    """The analysis of the data set. Errors: DataError where only the report is at hand."""
    if subject.analysis is None:
        raise DataError("this picture needs the data set, and only its report is at hand")
    return subject.analysis


def label_figures(subject: Subject) -> list[dict[str, Any]]:
    """The labels of the data set as the report has them, in file order."""
    return list(measured(subject.report)["before"]["labels"])


def new_labels(subject: Subject) -> scipy.sparse.csr_array:
    """(m, q) the labels of the new rows, none where there are none or they are not at hand."""
    q = analysed(subject).dataset.q
    return scipy.sparse.csr_array((0, q)) if subject.new is None else subject.new.Y


def old_and_new(subject: Subject) -> list[tuple[str, scipy.sparse.csr_array]]:
    """The labels of the rows of the data set, and of the new ones where there are some: (what, rows as a CSR array)."""
    new = new_labels(subject)
    parts = [("the data set", analysed(subject).dataset.Y), ("new rows", new)]
    return [(what, Y) for what, Y in parts if what != "new rows" or Y.shape[0]]
