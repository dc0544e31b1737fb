"""Which positives the local imbalance is measured on, and what that leaves unknown.

All positives are looked at (`--measures all`), none (`fast`), or a seeded sample of each label's (`sampled`), which
gives the means a standard error:

    LImb = mean_j LImb_j,   se^2 = sum_j se_j^2 / q'^2,   se_j^2 = s_j^2 / m_j (1 - m_j / n_j)

with m_j of label j's n_j positives sampled without replacement, s_j^2 the variance of their shares and q' labels with a positive.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.analysis.analysis import Analysis
from lsdmlo_cli.numeric.instance_weights import lacking_neighbors


def looked_at(analysis: Analysis, label: int, positives: np.ndarray) -> np.ndarray:
    """The positives that are measured: all, or a sample that depends on the seed, the label and their number alone."""
    if analysis.measures != "sampled" or len(positives) <= analysis.sample:
        return positives
    rng = np.random.default_rng([analysis.settings.seed, label, len(positives)])
    return positives[np.sort(rng.choice(len(positives), analysis.sample, replace=False))]


def mean_shares(which: np.ndarray, near: np.ndarray, positives: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each label (l,) the mean share of its rows' neighbours that lack it, and the standard error of that mean.

    which: (m,) the label of each row. near: (m, k) its neighbours. positives: of each label, among n rows. The error is that of
    a mean of rows drawn without replacement: 0 where they are all positives.

    >>> mean_shares(np.array([0, 0]), np.array([[1], [2]]), [np.array([0, 1])], 3)
    (array([0.5]), array([0.]))
    """
    lacking, k = lacking_neighbors(which, near, positives, n), near.shape[1]
    rows, total, squares = (np.bincount(which, weights, len(positives)) for weights in (None, lacking, lacking**2))
    variance = np.maximum(squares - total**2 / rows, 0) / np.maximum(rows - 1, 1)
    left_out = 1 - rows / [len(own) for own in positives]
    return total / (k * rows), np.sqrt(variance / rows * left_out) / k
