"""The feature weights as a table: label, feature, weight, theta."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Attribute
from lsdmlo_cli.numeric.encoding import Encoding


class WeightRow(NamedTuple):
    """A weight that is not 0. theta: the feature's share of the label's distance."""

    label: str
    feature: str
    weight: float
    theta: float


def encoded_names(features: tuple[Attribute, ...], encoding: Encoding) -> list[str]:
    """A name for each column of E: the attribute's, or `attribute=value` for a value of three or more."""
    return [
        features[j].name if encoding.levels[j] < 3 else f"{features[j].name}={features[j].values[place - encoding.column[j]]}"
        for place, j in enumerate(encoding.attribute)
    ]


def weight_rows(features: Sequence[str], labels: Sequence[str], W: csc_array, Theta: csc_array) -> Iterator[WeightRow]:
    """The weights W (e, q) that are not 0, a label's strongest first, ties in column order; Theta has the same entries.

    features: the e names of E's columns. labels: the q names.
    """
    for j, label in enumerate(labels):
        part = slice(W.indptr[j], W.indptr[j + 1])
        order = np.argsort(-np.abs(W.data[part]), kind="stable")
        for place in (part.start + order).tolist():
            yield WeightRow(label, features[W.indices[place]], float(W.data[place]), float(Theta.data[place]))


def weights_table(analysis: Analysis) -> bytes:
    """CSV (RFC 4180) of `weight_rows`. Errors: DataError below two rows or without a feature."""
    analysis.require_neighbors()
    features = encoded_names(analysis.dataset.features, analysis.encoding)
    labels = [label.name for label in analysis.dataset.labels]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(WeightRow._fields)
    for row in weight_rows(features, labels, analysis.feature_weights.W, analysis.Theta):
        writer.writerow([row.label, row.feature, repr(row.weight), repr(row.theta)])
    return text.getvalue().encode("utf-8", "replace")
