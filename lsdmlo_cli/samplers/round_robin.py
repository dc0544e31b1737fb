"""One row at a time from the bags of labels in turn, until enough are drawn or no label asks for more.

The labels of MLROS ask while n_max / c_j > MeanIR, those of MLRUS while n_max / c_j < MeanIR, where the counts c_j
follow what is drawn. MeanIR is a fraction, so that no rounding decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction


def in_turn(labels: list[int]) -> Iterator[tuple[int, list[int]]]:
    """The labels again and again, each with the list of those still active: who removes a label from it ends its turns."""
    active = list(labels)
    while active:
        for j in list(active):
            yield j, active


def compare(n_max: int, count: int, mean_ir: Fraction) -> int:
    """The sign of n_max / count - MeanIR, exact; 1 for a count of 0.

    >>> compare(6, 3, Fraction(2)), compare(6, 2, Fraction(2)), compare(6, 4, Fraction(2))
    (0, 1, -1)
    """
    difference = n_max * mean_ir.denominator - mean_ir.numerator * count
    return (difference > 0) - (difference < 0)
