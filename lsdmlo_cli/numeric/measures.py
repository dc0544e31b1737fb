"""How imbalanced multi-label data is: Y (n x q), n_j positives of label j.

    IRLbl_j = max_h n_h / n_j,  MeanIR, MaxIR, CVIR                 Charte et al., 2015
    SCUMBLE_i = 1 - (geometric / arithmetic mean of IRLbl over the labels of row i)      Charte et al., 2014
    TCS = ln(d q labelsets)                                         Charte et al., 2016
    Div = labelsets / min(2^q, n),  PDL = labelsets / n             Moyano et al., 2017 (MLDA)
    skewness G1 and excess kurtosis G2 of the labels per row        Joanes and Gill, 1998
    LImb_j = mean over the positives of b_ij                        Liu & Tsoumakas, 2019; the paper's Eq. 3 and 12

What is not defined is NaN here and null in a report. A label without a positive has no IRLbl and stays out of every mean.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import scipy

from lsdmlo_cli.numeric.labelsets import by_label, label_counts, positives
from lsdmlo_cli.numeric.rows import blocks


def irlbl(counts: np.ndarray) -> np.ndarray:
    """Imbalance ratio per label, (q,); NaN for a label without a positive.

    >>> irlbl(np.array([4, 2, 0]))
    array([ 1.,  2., nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = counts.max(initial=0) / counts
    return np.where(counts > 0, ratio, np.nan)


def mean_ir(ratios: np.ndarray) -> float:
    """Mean of the finite ratios; NaN without one.

    >>> mean_ir(np.array([1.0, 2.0, np.nan]))
    1.5
    """
    finite = ratios[np.isfinite(ratios)]
    return float(finite.mean()) if len(finite) else math.nan


def max_ir(ratios: np.ndarray) -> float:
    """Largest of the finite ratios; NaN without one."""
    finite = ratios[np.isfinite(ratios)]
    return float(finite.max()) if len(finite) else math.nan


def cvir(ratios: np.ndarray) -> float:
    """Coefficient of variation of the finite ratios."""
    return variation(ratios[np.isfinite(ratios)])


def variation(values: np.ndarray) -> float:
    """Coefficient of variation, standard deviation (divisor count - 1) / mean, of values of 0 or more; NaN below two of them.

    0 where all are 0, as mldr has it.
    """
    if len(values) < 2:
        return math.nan
    mean = values.mean()
    return float(values.std(ddof=1) / mean) if mean > 0 else 0.0


def minority_labels(counts: np.ndarray) -> np.ndarray:
    """(q,) bool: IRLbl_j > MeanIR, strict, and exact where rounding could decide.

    >>> minority_labels(np.array([6, 2, 0]))
    array([False,  True, False])
    """
    ratios = irlbl(counts)
    level = mean_ir(ratios)
    above = np.nan_to_num(ratios, nan=-1.0) > level
    for j in np.flatnonzero(np.abs(ratios - level) <= 1e-9 * level).tolist():
        above[j] = _above_mean(counts, j)
    return above


def _above_mean(counts: np.ndarray, j: int) -> bool:
    return Fraction(int(counts.max()), int(counts[j])) > exact_mean_ir(counts)


def exact_mean_ir(counts: np.ndarray) -> Fraction:
    """MeanIR without rounding; 0 where no label has a positive.

    >>> exact_mean_ir(np.array([6, 3, 2, 0]))
    Fraction(2, 1)
    """
    sizes, times = np.unique(counts[counts > 0], return_counts=True)
    total = sum((Fraction(int(t), int(s)) for s, t in zip(sizes, times, strict=True)), Fraction(0))
    return total * int(counts.max(initial=0)) / max(1, int(times.sum()))


def card(Y: scipy.sparse.csr_array) -> float:
    """Labels per row; NaN without rows."""
    return Y.nnz / Y.shape[0] if Y.shape[0] else math.nan


def scumble_rows(Y: scipy.sparse.csr_array, ratios: np.ndarray) -> np.ndarray:
    """SCUMBLE_i, (n,): 0 for a row with fewer than two labels."""
    found, logarithms = np.empty(Y.shape[0]), np.log(ratios)
    for part in blocks(found):
        labels = Y[part]
        per_row = np.diff(labels.indptr)
        several, divisor = per_row > 1, np.maximum(per_row, 1)
        arithmetic, geometric = (labels @ ratios) / divisor, np.exp((labels @ logarithms) / divisor)
        found[part] = np.where(several, np.maximum(0.0, 1.0 - geometric / np.where(several, arithmetic, 1.0)), 0.0)
    return found


def scumble_labels(Y: scipy.sparse.csr_array, rows: np.ndarray) -> np.ndarray:
    """SCUMBLELbl_j, (q,): the mean of SCUMBLE_i over the rows with the label; NaN for an empty label."""
    sums = Y.T @ rows
    counts = label_counts(Y)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def scumble_variation(rows: np.ndarray) -> float:
    """The coefficient of variation of SCUMBLE_i, as `variation` gives it."""
    return variation(_without_rounding(rows))


def scumble_label_variation(Y: scipy.sparse.csr_array, rows: np.ndarray) -> np.ndarray:
    """The same over the rows with each label, (q,)."""
    columns, values = by_label(Y), _without_rounding(rows)
    return np.array([variation(values[positives(columns, j)]) for j in range(Y.shape[1])])


def _without_rounding(rows: np.ndarray) -> np.ndarray:
    """SCUMBLE_i of labels of one IRLbl is 0, and 1 - 1 rounded is not: what varies then is the rounding."""
    return np.where(rows < 1e-12, 0.0, rows)


def diversity(sets: int, n: int, q: int) -> float:
    """The labelsets there are, as a share of those there could be in n rows of q labels; NaN without rows."""
    return sets / (n if q >= n.bit_length() else min(n, 2**q)) if n else math.nan


def skewness(values: np.ndarray) -> float:
    """G1 = n^2 m3 / ((n - 1) (n - 2) s^3), s of divisor n - 1, m3 the third central moment; NaN below three, or without spread.

    >>> round(skewness(np.array([1, 1, 1, 5])), 6)
    2.0
    """
    n, away = len(values), values - values.mean() if len(values) else values
    if n < 3 or not away.any():
        return math.nan
    m2, m3 = np.mean(away**2), np.mean(away**3)
    return float(math.sqrt(n * (n - 1)) / (n - 2) * m3 / m2**1.5)


def kurtosis(values: np.ndarray) -> float:
    """Excess G2 = (n - 1) / ((n - 2) (n - 3)) ((n + 1) g2 + 6), g2 = m4 / m2^2 - 3; NaN below four, or without spread.

    >>> round(kurtosis(np.array([1, 1, 1, 5])), 6)
    4.0
    """
    n, away = len(values), values - values.mean() if len(values) else values
    if n < 4 or not away.any():
        return math.nan
    excess = np.mean(away**4) / np.mean(away**2) ** 2 - 3
    return float((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6))


def tcs(d: int, q: int, sets: int) -> float:
    """Theoretical complexity score, natural logarithm; NaN where a factor is 0."""
    return math.log(d * q * sets) if d and q and sets else math.nan


def limb(by_label: np.ndarray) -> float:
    """LImb: the mean of LImb_j over the labels with a positive; NaN without one."""
    defined = by_label[np.isfinite(by_label)]
    return float(defined.mean()) if len(defined) else math.nan


def limb_error(by_label: np.ndarray) -> float:
    """The standard error of LImb from those of the labels' LImb_j, which are independent; NaN without one."""
    defined = by_label[np.isfinite(by_label)]
    return float(np.sqrt(np.square(defined).sum()) / len(defined)) if len(defined) else math.nan
