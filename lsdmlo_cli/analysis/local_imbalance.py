"""How imbalanced data is around its positives, before and after resampling: LImb_j and LImb_LSD_j of each label.

LImb_j is the mean share of the neighbours of j's positives that lack j, by Euclidean distance; LImb_LSD_j by j's own distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy

from lsdmlo_cli.analysis.analysis import Analysis
from lsdmlo_cli.analysis.neighbors_after import NeighborsAfter
from lsdmlo_cli.analysis.neighbors_before import Asked, NeighborsBefore
from lsdmlo_cli.analysis.sampled_positives import looked_at, mean_shares
from lsdmlo_cli.numeric.labelsets import by_label, positives
from lsdmlo_cli.numeric.matrix import Matrix, stacked
from lsdmlo_cli.numeric.neighbors import WORTH_THREADS
from lsdmlo_cli.numeric.rows import grouped
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.progress import track


@dataclass(frozen=True)
class LocalImbalance:
    """Labels Y (n, q) and how imbalanced they are around their positives.

    limb, limb_lsd: (q,) LImb_j by Euclidean and by the labels' own distances, NaN where not defined. limb_se, limb_lsd_se:
    (q,) standard errors of both, 0 where every positive was looked at. features: (q,) how many weights of a label are
    not 0, None where none were learned.
    """

    d: int
    Y: scipy.sparse.csr_array
    limb: np.ndarray
    limb_lsd: np.ndarray
    limb_se: np.ndarray
    limb_lsd_se: np.ndarray
    features: np.ndarray | None


def before(analysis: Analysis) -> LocalImbalance:
    """The data set as it is."""
    return _measured(analysis, analysis.dataset.Y)


def after(analysis: Analysis, E: Matrix | None, Y: scipy.sparse.csr_array, keep: np.ndarray | None = None) -> LocalImbalance:
    """The rows of the data set that stay, new rows E (m, e), Y (m, q) behind them, under the encoding and weights of before.

    keep: (n,) bool, None for all. E is None where there is no new row, or where nothing is measured.
    """
    old = analysis.dataset.Y if keep is None else analysis.dataset.Y[np.flatnonzero(keep)]
    Y = stacked([old, Y])  # in the place of the new rows' own
    return _measured(analysis, Y, keep, E)


def _measured(
    analysis: Analysis, Y: scipy.sparse.csr_array, keep: np.ndarray | None = None, E: Matrix | None = None
) -> LocalImbalance:
    figures = np.full((4, Y.shape[1]), np.nan)
    if analysis.measures != "fast" and analysis.has_neighbors and Y.shape[0] >= 2:
        columns = analysis.by_column if Y is analysis.dataset.Y else by_label(Y)
        rows = {label: positives(columns, label) for label in np.flatnonzero(np.diff(columns.indptr)).tolist()}
        old = NeighborsBefore.of(analysis, rows)
        around = old if keep is None and E is None else NeighborsAfter.of(old, keep, E)
        for label, found in _figures(analysis, around, rows, Y.shape[0]).items():
            figures[:, label] = found
    limb, limb_lsd, limb_se, limb_lsd_se = figures
    return LocalImbalance(analysis.dataset.d_used, Y, limb, limb_lsd, limb_se, limb_lsd_se, analysis.features_per_label)


def _figures(
    analysis: Analysis, around: NeighborsBefore | NeighborsAfter, of_label: dict[int, np.ndarray], n: int
) -> dict[int, np.ndarray]:
    """(4,) LImb_j, LImb_LSD_j and their standard errors of each label; of_label: its positives, one at least, among n rows."""
    if not of_label:
        return {}
    rows = {label: looked_at(analysis, label, own) for label, own in of_label.items()}
    seen = np.unique(np.concatenate(list(rows.values())))
    together = around.batches(list(rows), np.array([len(own) for own in rows.values()]))
    labels = list(chain.from_iterable(together))

    def shares(batch: list[int], which: np.ndarray, near: np.ndarray) -> np.ndarray:
        return np.column_stack(mean_shares(which, near, [of_label[label] for label in batch], n))

    def limb(_: None) -> np.ndarray:
        near, found = around.euclidean(seen).index, []
        for batch in together:
            own, which = grouped([rows[label] for label in batch])
            found.append(shares(batch, which, near[np.searchsorted(seen, own)]))
        return np.vstack(found)

    def limb_lsd(batch: list[int]) -> np.ndarray:
        asked = Asked(*grouped([rows[label] for label in batch]), tuple(batch))
        return shares(batch, asked.which, around.by_label(asked).index)

    with mapping(analysis.searches.threads) as run:
        # A long search has the threads to itself, a short one is one of the things done side by side.
        euclidean = [limb(None)] if around.pairs > WORTH_THREADS else run(limb, [None])
        found = track(analysis.progress, around.stage, chain.from_iterable(run(limb_lsd, together)), len(labels))
        own = np.vstack(list(found))
        plain = np.vstack(list(euclidean))
    figures = np.column_stack([plain[:, 0], own[:, 0], plain[:, 1], own[:, 1]])
    return dict(zip(labels, figures, strict=True))
