"""How far labels depend on each other: Y (n x q) of 0 and 1, n_j positives of label j, S = Y'Y.

    phi_jh = (n S_jh - n_j n_h) / sqrt(n_j (n - n_j) n_h (n - n_h)),  chi2_jh = n phi_jh^2

Both as Chekina et al. (Machine Learning 91, 2013) and MLDA (Moyano et al., 2017) have them; a pair is dependent where chi2 is
above 6.635, the 0.99 quantile of one degree of freedom. Only pairs of labels that some rows have and others lack are counted.

Most pairs of many labels share no row, and then phi_jh = -a_j a_h with a_j = sqrt(n_j / (n - n_j)). Sums over these pairs need no
list of them, so that the work grows with q log q and the pairs that do share a row.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.numeric.labelsets import label_counts

CRITICAL = 6.635


class Dependence(NamedTuple):
    """share: how many pairs of labels are dependent, of all. mean_phi: mean of |phi| over the pairs. Both NaN without a pair."""

    share: float
    mean_phi: float


def label_dependence(Y: scipy.sparse.csr_array) -> Dependence:
    """The dependence of the pairs of labels of Y (n, q).

    >>> label_dependence(scipy.sparse.csr_array(np.repeat([[1, 1, 0], [0, 0, 1]], 4, axis=0)))
    Dependence(share=1.0, mean_phi=1.0)
    """
    n, counts = Y.shape[0], label_counts(Y)
    varied = np.flatnonzero((counts > 0) & (counts < n))
    pairs = len(varied) * (len(varied) - 1) // 2
    if not pairs:
        return Dependence(math.nan, math.nan)
    n_j = counts[varied].astype(np.float64)
    odds = n_j / (n - n_j)
    j, h, shared = _that_share_rows(Y[:, varied])
    phi = (n * shared - n_j[j] * n_j[h]) / np.sqrt(n_j[j] * (n - n_j[j]) * n_j[h] * (n - n_j[h]))
    apart, critical = np.sqrt(odds[j] * odds[h]), CRITICAL / n
    dependent = _above(odds, critical) - np.count_nonzero(_is_above(odds[j], odds[h], critical))
    sum_apart = (np.sqrt(odds).sum() ** 2 - odds.sum()) / 2 - apart.sum()
    return Dependence(
        float(dependent + np.count_nonzero(phi**2 > critical)) / pairs,
        min(1.0, float(max(0.0, sum_apart) + np.abs(phi).sum()) / pairs),
    )


def _that_share_rows(Y: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs j < h of labels that a row has both of, and how many rows have."""
    together = scipy.sparse.triu(Y.T @ Y, k=1, format="coo")
    return together.row, together.col, together.data


def _above(odds: np.ndarray, critical: float) -> int:
    """For how many pairs the product of the odds is above the critical value."""
    rising = np.sort(odds)
    first = np.maximum(np.searchsorted(rising, critical / rising, side="right"), np.arange(1, len(rising) + 1))
    return int((len(rising) - first).sum())


def _is_above(odds: np.ndarray, others: np.ndarray, critical: float) -> np.ndarray:
    """The same pair by pair, by the same comparison of the larger to the smaller."""
    above: np.ndarray = np.maximum(odds, others) > critical / np.minimum(odds, others)
    return above
