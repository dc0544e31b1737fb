"""How imbalanced data is around its positives, before and after resampling: LImb_j and LImb_LSD_j of each label.

All positives are looked at (`--measures all`), none (`fast`), or a seeded sample of each label's (`sampled`), which
gives the means a standard error:

    LImb = mean_j LImb_j,   se^2 = sum_j se_j^2 / q'^2,   se_j^2 = s_j^2 / m_j (1 - m_j / n_j)

with m_j of label j's n_j positives sampled without replacement, s_j^2 the variance of their shares and q' labels with a positive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.instance_weights import local_imbalance
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import Neighbors, merge, nearest
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.progress import track


@dataclass(frozen=True)
class Picture:
    """Labels Y (n, q) and how imbalanced they are around their positives.

    limb, limb_lsd: (q,) LImb_j by Euclid and by the labels' own distances, NaN where not defined. limb_se, limb_lsd_se:
    (q,) standard errors of both, 0 where every positive was looked at. features: (q,) how many weights of a label are
    not 0, None where none were learned.
    """

    d: int
    Y: csr_array
    limb: np.ndarray
    limb_lsd: np.ndarray
    limb_se: np.ndarray
    limb_lsd_se: np.ndarray
    features: np.ndarray | None


def before(analysis: Analysis) -> Picture:
    """The data set as it is."""
    if analysis.settings.measures == "fast" or not analysis.has_neighbors:
        return _blank(analysis, analysis.dataset.Y)
    return _picture(analysis, analysis.dataset.Y, None)


def after(analysis: Analysis, E: Matrix | None, Y: csr_array) -> Picture:
    """The data set with new rows E (m, e), Y (m, q) behind it, under the encoding and the weights of before.

    The neighbours found before are merged with the new rows; the new rows are searched in full. E is None where nothing
    is measured.
    """
    every = csr_array(vstack([analysis.dataset.Y, Y], format="csr"))
    if E is None or analysis.settings.measures == "fast" or not analysis.has_neighbors:
        return _blank(analysis, every)
    return _picture(analysis, every, E)


def _blank(analysis: Analysis, Y: csr_array) -> Picture:
    undefined = np.full(Y.shape[1], np.nan)
    return Picture(analysis.dataset.d, Y, undefined, undefined, undefined, undefined, analysis.features_per_label)


def _picture(analysis: Analysis, Y: csr_array, E: Matrix | None) -> Picture:
    columns = csc_array(Y)
    figures = np.full((4, Y.shape[1]), np.nan)
    labels = np.flatnonzero(np.diff(columns.indptr)).tolist()
    positives = {j: columns.indices[columns.indptr[j] : columns.indptr[j + 1]] for j in labels}
    rows = {j: _looked_at(analysis, j, positives[j]) for j in labels}
    seen = np.unique(np.concatenate([*rows.values()])) if rows else np.zeros(0, dtype=np.int64)
    with mapping(1):
        euclid = _euclid(analysis, seen, E)

    def figures_of(label: int) -> list[float]:
        has_label = np.zeros(Y.shape[0], dtype=bool)
        has_label[positives[label]] = True
        by_euclid = local_imbalance(has_label, euclid.index[np.searchsorted(seen, rows[label])])
        by_label = local_imbalance(has_label, _around(analysis, rows[label], label, E).index)
        shares = (by_euclid, by_label)
        means = [float(share.mean()) for share in shares]
        errors = [_standard_error(share, len(positives[label])) for share in shares]
        return [*means, *errors]

    analysis.Theta  # noqa: B018  (found before the threads start)
    stage = "neighbours by label" if E is None else "neighbours by label, new rows too"
    with mapping(analysis.threads) as run:
        for label, found in zip(labels, track(analysis.progress, stage, run(figures_of, labels), len(labels)), strict=True):
            figures[:, label] = found
    limb, limb_lsd, limb_se, limb_lsd_se = figures
    return Picture(analysis.dataset.d, Y, limb, limb_lsd, limb_se, limb_lsd_se, analysis.features_per_label)


def _looked_at(analysis: Analysis, label: int, positives: np.ndarray) -> np.ndarray:
    """The positives that are measured: all, or a sample that depends on the seed, the label and their number alone."""
    size = analysis.settings.sample
    if analysis.settings.measures != "sampled" or len(positives) <= size:
        return positives
    rng = np.random.default_rng([analysis.settings.seed, label, len(positives)])
    return positives[np.sort(rng.choice(len(positives), size, replace=False))]


def _standard_error(shares: np.ndarray, positives: int) -> float:
    """Of the mean of a sample drawn without replacement; 0 if it holds all."""
    sampled = len(shares)
    return float(np.sqrt(shares.var(ddof=1) / sampled * (1 - sampled / positives))) if 1 < sampled < positives else 0.0


def _euclid(analysis: Analysis, rows: np.ndarray, E: Matrix | None) -> Neighbors:
    """The Euclidean neighbours of rising rows of the whole data, old and new."""
    old = rows[rows < analysis.dataset.n]
    if analysis.settings.measures == "sampled":
        found = nearest(analysis.E, analysis.E[old], analysis.k, exclude=old, threads=analysis.threads)
    else:
        found = Neighbors(*(part[old] for part in analysis.euclid))
    return found if E is None else _with_new(analysis, rows, found, None, E, analysis.threads)


def _around(analysis: Analysis, rows: np.ndarray, label: int, E: Matrix | None) -> Neighbors:
    """The neighbours of rising rows of the whole data by a label's own distance; lists found before are used again."""
    old = rows[rows < analysis.dataset.n]
    theta = analysis.theta(label)
    found = analysis.known_neighbors(label, old)
    if found is None:
        found = nearest(analysis.E, analysis.E[old], analysis.k, theta, exclude=old)
    return found if E is None else _with_new(analysis, rows, found, theta, E)


def _with_new(
    analysis: Analysis, rows: np.ndarray, found: Neighbors, theta: np.ndarray | None, E: Matrix, threads: int = 1
) -> Neighbors:
    """Lists of the old ones among `rows` merged with the new rows E, then the lists of the new ones, searched in full."""
    n, k = analysis.dataset.n, analysis.k
    old, new = rows[rows < n], rows[rows >= n] - n
    merged = merge(found, nearest(E, analysis.E[old], k, theta, threads=threads), n, k)
    if not len(new):
        return merged
    among_old = nearest(analysis.E, E[new], k, theta, threads=threads)
    fresh = merge(among_old, nearest(E, E[new], k, theta, exclude=new, threads=threads), n, k)
    return Neighbors(*(np.concatenate(parts) for parts in zip(merged, fresh, strict=True)))
