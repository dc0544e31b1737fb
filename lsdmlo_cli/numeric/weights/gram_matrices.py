"""The sufficient statistic of the feature weights: G = E'E, B = E'Y, S = Y'Y.

The objective of the paper (appendix, eq. lsd_obj_appendix) and its gradient G W M - B see the n rows of
the encoded features E and of the labels Y through these three matrices alone. They add up over blocks of
rows, so one pass over the data is enough and what follows costs the same for any n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from lsdmlo_cli.numeric.matrix import as_dense, release
from lsdmlo_cli.numeric.threads import one_blas_thread
from lsdmlo_cli.numeric.weights.graph import MOST_LABELS_DENSE, graph_form

ROWS_PER_BLOCK = 1024
"""Fixed, as the order of the sums decides their last bits. A dense block has 25 MB at most, at LARGEST_EtE_SIZE columns."""

LARGEST_EtE_SIZE = 3162
"""G, and the solver's scaled copies of it in double and in single precision, take 20 bytes an entry: 200 MB in all."""

DENSE_SHARE = 0.15
"""Share of nonzeros above which a block is multiplied as a dense array. The sparse product of 1,024 x 300 and x 1,500 cells took
as long as the dense one at a share of 0.05 and three times as long at 0.15, but the bits of G depend on the choice."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Gram:
    """Sums over the rows of E (n x e) and Y (n x q).

    EtE is (e, e), or None in the operator form, where E itself is kept and G is applied as E'(E .).
    EtY is (e, q), YtY is (q, q); of many labels both may be CSR arrays. `fingerprint` has one number a column of E, equal for
    equal columns; None means that no two columns are known to be equal.
    """

    EtE: Matrix | None
    EtY: Any
    YtY: Any
    E: Any = None
    fingerprint: NDArray[np.uint64] | None = None


def gram(E: Any, Y: Any) -> Gram:
    """The Gram matrices of features E (n x e) and labels Y (n x q of 0 and 1).

    E is a dense float64 array or a CSR array, Y a CSR array. The sums run over blocks of a fixed number of
    rows, in row order, on one BLAS thread: their bits do not depend on threads or memory. A sparse E is
    never dense as a whole; where G and the solver's copy of it would take more than 200 MB it is not formed
    either and E stands in for it. The products with many labels are dense only where they have few zeros.

    >>> E = np.array([[1.0, 2.0], [0.0, 1.0]])
    >>> G = gram(E, scipy.sparse.csr_array([[1.0], [1.0]]))
    >>> G.EtE.tolist(), G.EtY.tolist(), G.YtY.tolist()
    ([[1.0, 2.0], [2.0, 5.0]], [[1.0], [3.0]], [[2.0]])
    """
    n, e = E.shape
    q = Y.shape[1]
    operator_form = e > LARGEST_EtE_SIZE
    EtE = None if operator_form else np.zeros((e, e))
    EtY, YtY = _zeros(e, q), scipy.sparse.csr_array((q, q))
    fingerprint = np.zeros(e, np.uint64)
    with one_blas_thread():
        for start in range(0, n, ROWS_PER_BLOCK):
            E_block, Y_block = E[start : start + ROWS_PER_BLOCK], Y[start : start + ROWS_PER_BLOCK]
            EtY = _added(EtY, E_block.T @ Y_block)
            YtY = YtY + Y_block.T @ Y_block
            if EtE is not None:
                EtE += _squared(E_block)
            fingerprint += _column_fingerprints(E_block, start)
            release(E)
    return Gram(EtE, EtY, graph_form(YtY), E if operator_form else None, fingerprint)


def _zeros(e: int, q: int) -> Any:
    """0, to which E'Y is added up."""
    return np.zeros((e, q)) if q <= MOST_LABELS_DENSE else scipy.sparse.csr_array((e, q))


def _added(EtY: Any, product: Any) -> Any:
    """EtY + product; a CSR array only as long as all products are."""
    if isinstance(EtY, np.ndarray) or not scipy.sparse.issparse(product):
        EtY = as_dense(EtY)
        EtY += as_dense(product)
        return EtY
    return EtY + product


def _squared(E_block: Any) -> Matrix:
    if scipy.sparse.issparse(E_block) and E_block.nnz > DENSE_SHARE * E_block.shape[0] * E_block.shape[1]:
        E_block = E_block.toarray()
    return as_dense(E_block.T @ E_block)


def _column_fingerprints(E_block: Any, start: int) -> NDArray[np.uint64]:
    """Sum over the rows i of hash(i) hash(E_ij), modulo 2^64: zeros add nothing, so dense and CSR agree."""
    row_hashes = _hash(np.arange(start + 1, start + 1 + E_block.shape[0], dtype=np.uint64))
    if not scipy.sparse.issparse(E_block):
        values = np.ascontiguousarray(E_block, np.float64) + 0.0  # -0.0 becomes 0.0
        dense_sums: NDArray[np.uint64] = row_hashes @ _hash(values.view(np.uint64))
        return dense_sums
    sums = np.zeros(E_block.shape[1], np.uint64)
    row_of_entry = np.repeat(row_hashes, np.diff(E_block.indptr))
    np.add.at(sums, E_block.indices, row_of_entry * _hash((E_block.data + 0.0).view(np.uint64)))
    return sums


def _hash(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that leaves 0 alone (the finaliser of MurmurHash3)."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))
