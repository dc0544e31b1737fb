"""The feature weights as a table: label, feature, weight, theta."""

from __future__ import annotations

import csv
import io

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Attribute
from lsdmlo_cli.numeric.encoding import Encoding


def encoded_names(features: tuple[Attribute, ...], encoding: Encoding) -> list[str]:
    """A name for each column of E: the attribute's, or `attribute=value` for a value of three or more."""
    return [
        features[j].name if encoding.levels[j] < 3 else f"{features[j].name}={features[j].values[place - encoding.column[j]]}"
        for place, j in enumerate(encoding.attribute)
    ]


def weights_table(analysis: Analysis) -> bytes:
    """CSV (RFC 4180) of the weights that are not 0, a label's strongest first, ties in column order.

    Errors: DataError below two rows or without a feature.
    """
    analysis.require_neighbors()
    names = encoded_names(analysis.dataset.features, analysis.encoding)
    W, Theta = analysis.feature_weights.W, analysis.Theta
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["label", "feature", "weight", "theta"])
    for j, label in enumerate(analysis.dataset.labels):
        part = slice(W.indptr[j], W.indptr[j + 1])
        order = np.argsort(-np.abs(W.data[part]), kind="stable")
        for place in (part.start + order).tolist():
            writer.writerow([label.name, names[W.indices[place]], repr(float(W.data[place])), repr(float(Theta.data[place]))])
    return text.getvalue().encode("utf-8", "replace")
