"""How long a search for neighbours will take, about, before it begins: from the size of the data alone, never from a clock.

    seconds = a pairs + b products

A pair is a row whose neighbours are asked for and a row of E; a product belongs to a pair and a column where both are stored. Of
sparse rows those are counted as if columns were independent: sum_c n_c^2 / n a row, with n_c entries stored in column c.
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix

DENSE, SPARSE = (3e-9, 1e-10), (5e-9, 1.5e-9)
"""Seconds a pair and a product, on one thread. Measured on 14 data sets: the estimate of whatever took longer than 0.1 s was
between half and twice the time."""


def search_seconds(E: Matrix, rows: int) -> float:
    """Seconds for the neighbours of so many rows among those of E (n, e).

    >>> round(search_seconds(np.zeros((20_000, 300)), 20_000))
    13
    """
    n, columns = E.shape
    if isinstance(E, np.ndarray):
        (pair, product), products = DENSE, float(n * columns)
    else:
        stored = np.bincount(E.indices, minlength=columns).astype(np.float64)
        (pair, product), products = SPARSE, float(stored @ stored) / max(n, 1)
    return rows * (pair * n + product * products)
