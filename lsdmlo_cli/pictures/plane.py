"""A plane for the rows of one label, in which its distance shows.

Two strongest features by theta, where both take more than FEW_VALUES values; else the two principal axes of the features that
the label's distance sees, each multiplied by sqrt(theta): squared differences in the plane are part of d_j^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.matrix import Matrix, as_dense
from lsdmlo_cli.weights_table import encoded_names

FEW_VALUES = 10
"""Features with no more values put many rows on one point."""
MOST_COLUMNS = 2000
"""Features among which axes are looked for, those with the largest theta: a dense block of them is held."""


@dataclass(frozen=True)
class Plane:
    """Two axes over columns of E. weights: (c, 2), what each column adds to each axis. titles: of the two axes."""

    columns: np.ndarray
    weights: np.ndarray
    titles: tuple[str, str]

    def places(self, E: Matrix) -> np.ndarray:
        """(m, 2): where encoded rows lie."""
        return np.asarray(as_dense(E[:, self.columns]) @ self.weights)


def plane(analysis: Analysis, label: int, rows: np.ndarray) -> Plane:
    """The plane of a label; its axes are found among some rows of the data set."""
    theta = analysis.thetas([label])[0]
    order = np.argsort(-theta, kind="stable")
    strongest = order[:2]
    if len(strongest) == 2 and all(_is_spread(analysis.E, column) for column in strongest.tolist()) and theta[strongest[1]] > 0:
        names = encoded_names(analysis.dataset.features, analysis.encoding)
        first, second = (f"{names[i]} ({theta[i]:.0%} of the label's distance)" for i in strongest.tolist())
        return Plane(strongest, np.eye(2), (first, second))
    columns = np.sort(order[: min(MOST_COLUMNS, max(2, int(np.count_nonzero(theta))))])
    return Plane(columns, *_axes(analysis.E[rows][:, columns], theta[columns]))


def _is_spread(E: Matrix, column: int) -> bool:
    return len(np.unique(as_dense(E[:, [column]]))) > FEW_VALUES


def _axes(E: Matrix, theta: np.ndarray) -> tuple[np.ndarray, tuple[str, str]]:
    """(c, 2) and titles: the first two principal axes of E (m, c) under theta (c,); an axis points to its largest weight."""
    scaled = as_dense(E) * np.sqrt(theta)
    centred = scaled - scaled.mean(axis=0)
    variance, vectors = scipy.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :2]
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    shares = np.append(variance[::-1], 0.0)[:2] / max(float(variance.sum()), np.finfo(float).tiny)
    first, second = (f"principal axis {i} ({share:.0%} of the variance)" for i, share in enumerate(shares.tolist(), start=1))
    return axes * np.sqrt(theta)[:, np.newaxis], (first, second)
