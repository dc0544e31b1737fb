"""The two forms of a matrix, dense and CSR, and when each is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

Matrix: TypeAlias = np.ndarray | csr_array
"""A dense float64 array or a CSR array."""

DENSE_FROM = 0.25
"""Share of cells that are not 0 from which a matrix is held dense: there both forms take about the same time."""

_BLOCK_CELLS = 1 << 22


def settle(matrix: Matrix) -> Matrix:
    """The form in which a matrix is held: dense from a density of DENSE_FROM on, else CSR with sorted indices.

    Only the density decides, so that the same data is held in the same form however it was spelled.

    >>> type(settle(np.eye(3))).__name__, type(settle(np.eye(9))).__name__
    ('ndarray', 'csr_array')
    """
    rows, columns = matrix.shape
    filled = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz
    dense = filled >= DENSE_FROM * rows * columns
    if isinstance(matrix, np.ndarray):
        return np.ascontiguousarray(matrix) if dense else csr_array(matrix)
    matrix.sort_indices()
    return matrix.toarray() if dense else matrix


def row_blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of rows that hold about four million cells each."""
    step = max(1, _BLOCK_CELLS // max(1, width))
    for start in range(0, n, step):
        yield slice(start, min(n, start + step))
