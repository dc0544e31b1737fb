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
    euclid = None if analysis.settings.measures == "sampled" else _everyone(analysis, E)
    stage = "neighbours by label" if E is None else "neighbours by label, new rows too"
    for j in track(analysis.progress, stage, labels, len(labels)):
        positives = columns.indices[columns.indptr[j] : columns.indptr[j + 1]]
        has_label = np.zeros(Y.shape[0], dtype=bool)
        has_label[positives] = True
        rows = _looked_at(analysis, j, positives)
        near = _around(analysis, rows, None, None, E) if euclid is None else Neighbors(*(part[rows] for part in euclid))
        for place, found in enumerate((near, _around(analysis, rows, j, analysis.theta(j), E))):
            shares = local_imbalance(has_label, found.index)
            figures[place, j], figures[place + 2, j] = shares.mean(), _standard_error(shares, len(positives))
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


def _everyone(analysis: Analysis, E: Matrix | None) -> Neighbors:
    """The Euclidean neighbours of every row."""
    found = analysis.euclid
    if E is None:
        return found
    old = merge(found, nearest(E, analysis.E, analysis.k, threads=analysis.threads), analysis.dataset.n, analysis.k)
    return _one_after_the_other(old, _of_new(analysis, np.arange(E.shape[0]), None, E))


def _around(analysis: Analysis, rows: np.ndarray, label: int | None, theta: np.ndarray | None, E: Matrix | None) -> Neighbors:
    """The neighbours of rows of the whole data, old and new; lists of the label that were found before are used again."""
    n = analysis.dataset.n
    is_old = rows < n
    old = rows[is_old]
    found = analysis.known_neighbors(label, old)
    if found is None:
        found = nearest(analysis.E, analysis.E[old], analysis.k, theta, exclude=old, threads=analysis.threads)
    if E is None:
        return found
    found = merge(found, nearest(E, analysis.E[old], analysis.k, theta, threads=analysis.threads), n, analysis.k)
    return found if is_old.all() else _one_after_the_other(found, _of_new(analysis, rows[~is_old] - n, theta, E))


def _of_new(analysis: Analysis, rows: np.ndarray, theta: np.ndarray | None, E: Matrix) -> Neighbors:
    """The neighbours of new rows among old and new ones."""
    k, threads = analysis.k, analysis.threads
    among_old = nearest(analysis.E, E[rows], k, theta, threads=threads)
    return merge(among_old, nearest(E, E[rows], k, theta, exclude=rows, threads=threads), analysis.dataset.n, k)


def _one_after_the_other(first: Neighbors, second: Neighbors) -> Neighbors:
    return Neighbors(*(np.concatenate(parts) for parts in zip(first, second, strict=True)))
