"""The two forms of a matrix, dense and CSR: which is used, how it grows row by row, how it is walked in a file."""

from __future__ import annotations

import ctypes
import mmap
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
import scipy

Matrix: TypeAlias = "np.ndarray | scipy.sparse.csr_array"
"""A dense float64 array or a CSR array; its arrays may be memory-mapped."""

DENSE_FROM = 0.25
"""Share of cells that are not 0 from which a matrix is held dense. CSR then takes 3/8 of the memory; of 5,000 x 400 cells it took
0.6 of the time for a product with 8 columns, and 0.4 for a copy of rows (at a share of 0.5: 1.4 and 1.2). The figures of a data
set depend on its form in their last bits, so that this is not to be changed lightly."""

IN_MEMORY = 2**63
"""Bytes that no matrix reaches."""
ROWS_AT_ONCE = 128
"""Rows that are taken out of a file before what was read with them is given back: up to half a megabyte a row, 64 MB in all."""
_BLOCK_CELLS = 1 << 22
"""Of a block of rows: 32 MB dense, little beside the 400 MB that are set aside for the program itself."""
_DOUBLED_UP_TO = 1 << 22
"""Values, 32 MB of float64: doubling copies each value about once; beyond, an eighth more wastes less memory."""


def settle(matrix: Matrix) -> Matrix:
    """The form in which a matrix is held: dense from a density of DENSE_FROM on, else CSR with sorted indices.

    Only the density decides, so that the same data is held in the same form however it was spelled.

    >>> type(settle(np.eye(3))).__name__, type(settle(np.eye(9))).__name__
    ('ndarray', 'csr_array')
    """
    rows, columns = matrix.shape
    filled = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz
    return in_form(matrix, dense=filled >= DENSE_FROM * rows * columns)


def in_form(matrix: Matrix, dense: bool) -> Matrix:
    """The matrix dense or as CSR with sorted indices; itself where it is that already."""
    if isinstance(matrix, np.ndarray):
        return matrix if dense else _compressed(matrix)
    matrix.sort_indices()
    return matrix.toarray() if dense else matrix


def _compressed(matrix: np.ndarray) -> scipy.sparse.csr_array:
    """A dense block as CSR, faster than through coordinates."""
    rows, columns = matrix.shape
    flat = np.flatnonzero(np.ascontiguousarray(matrix != 0))
    row = flat // max(columns, 1)
    starts = np.searchsorted(row, np.arange(rows + 1))
    column = (flat - row * columns).astype(np.int32)
    return scipy.sparse.csr_array((np.asarray(matrix[row, column], dtype=np.float64), column, starts), shape=matrix.shape)


def as_dense(matrix: Any) -> np.ndarray:
    """A dense or sparse matrix as a dense array; itself where it is one.

    >>> as_dense(scipy.sparse.csr_array([[0.0, 2.0]])).tolist()
    [[0.0, 2.0]]
    """
    return matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix)


def label_matrix(Y: np.ndarray) -> scipy.sparse.csr_array:
    """Labels (m, q) bool as CSR of float64.

    >>> label_matrix(np.array([[True, False]])).data
    array([1.])
    """
    return scipy.sparse.csr_array(Y).astype(np.float64)


def stacked(parts: Sequence[Matrix]) -> Matrix:
    """Rows over each other, in the form of the first part; the only part that has rows is given as it is.

    >>> stacked([np.eye(2), scipy.sparse.csr_array((1, 2))]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    dense = isinstance(parts[0], np.ndarray)
    filled = [in_form(part, dense) for part in parts if part.shape[0]] or [in_form(parts[0], dense)]
    if len(filled) == 1:
        return filled[0]
    return np.concatenate(filled) if dense else scipy.sparse.csr_array(scipy.sparse.vstack(filled, format="csr"))


def walk(matrix: Matrix, width: int | None = None) -> Iterator[tuple[slice, Matrix]]:
    """Blocks of rows, about four million cells each; width: columns to count a row with, None for those of the matrix."""
    n, columns = matrix.shape
    step = max(1, _BLOCK_CELLS // max(1, width or columns))
    for start in range(0, n, step):
        rows = slice(start, min(n, start + step))
        yield rows, matrix[rows]
        release(matrix)


def take(matrix: Matrix, rows: np.ndarray) -> Matrix:
    """A copy of some rows, few at a time where the matrix lies in a file, as each also reads what surrounds it there.

    >>> take(np.eye(3), np.array([2, 0])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    if not _files(matrix):
        return matrix[rows]
    parts = []
    for start in range(0, max(1, len(rows)), ROWS_AT_ONCE):
        parts.append(matrix[rows[start : start + ROWS_AT_ONCE]])
        release(matrix)
    return stacked(parts)


def rows_of(matrix: Matrix, rows: slice) -> Matrix:
    """Some rows that lie behind each other, without a copy: scipy's own slice of a CSR array copies them.

    >>> rows_of(scipy.sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]), slice(1, 2)).toarray().tolist()
    [[0.0, 2.0]]
    """
    if isinstance(matrix, np.ndarray):
        return matrix[rows]
    return stored_rows(matrix.data, matrix.indices, matrix.indptr[rows.start : rows.stop + 1], matrix.shape[1])


def stored_rows(data: np.ndarray, indices: np.ndarray, start: np.ndarray, columns: int) -> scipy.sparse.csr_array:
    """The rows whose entries lie in data and indices, of more rows, from start[i] to start[i + 1]; they are not copied."""
    own = slice(start[0], start[-1])
    return scipy.sparse.csr_array((data[own], indices[own], start - start[0]), shape=(len(start) - 1, columns))


def release(matrix: Matrix) -> None:
    """Give back the memory into which a memory-mapped matrix was read; the file keeps its content."""
    for file in _files(matrix):
        file.madvise(mmap.MADV_DONTNEED)


def trim() -> None:
    """Give freed memory back to the system where the C library can (glibc), which keeps it for one thread."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _files(matrix: Matrix) -> list[mmap.mmap]:
    """The memory-mapped files in which a matrix lies, none where it is in memory."""
    found = []
    for part in (matrix,) if isinstance(matrix, np.ndarray) else (matrix.data, matrix.indices):
        while part is not None and not isinstance(part, mmap.mmap):
            part = getattr(part, "base", None)
        if part is not None:
            found.append(part)
    return found


class Stack:
    """Rows collected block by block into one matrix, of which there is never a second copy.

    columns: the width. most_bytes: beyond this size the matrix lies in a temporary file, which lives as long as the matrix or
    the process. dense: the form; None lets the density of all rows decide.
    """

    def __init__(self, columns: int, most_bytes: int = IN_MEMORY, dense: bool | None = None) -> None:
        self.columns = columns
        self.most_bytes = most_bytes
        self.dense = dense
        self.grows_dense = bool(dense)
        self.rows = 0
        self.filled = 0
        self.data = _Growing(np.float64)
        self.indices = _Growing(np.int32)
        self.lengths = _Growing(np.int32)

    def append(self, block: Matrix) -> None:
        """Add rows (m, columns)."""
        if not block.shape[0]:
            return
        if not self.rows and self.dense is None:
            self.grows_dense = isinstance(settle(block), np.ndarray)
        self.rows += block.shape[0]
        part = in_form(block, self.grows_dense)
        if isinstance(part, np.ndarray):
            self.filled += int(np.count_nonzero(part))
            self.data.append(part)
        else:
            self.filled += part.nnz
            self.data.append(part.data)
            self.indices.append(part.indices)
            self.lengths.append(np.diff(part.indptr))
        if self.data.in_memory and self.data.nbytes + self.indices.nbytes > self.most_bytes:
            self.data.move_to_file()
            self.indices.move_to_file()

    def finish(self) -> Matrix:
        """The matrix of all rows; the stack is used up."""
        matrix: Matrix
        if self.grows_dense:
            matrix = self.data.finish().reshape(self.rows, self.columns)
        else:
            starts = np.concatenate([[0], np.cumsum(self.lengths.finish(), dtype=np.int64)])
            small = starts[-1] < 2**31
            indices = self.indices.finish()
            pointers = starts.astype(np.int32) if small else starts
            matrix = scipy.sparse.csr_array(
                (self.data.finish(), indices if small else indices.astype(np.int64), pointers), shape=(self.rows, self.columns)
            )
        if self.dense is None:
            matrix = in_form(matrix, dense=self.filled >= DENSE_FROM * self.rows * self.columns)
        release(matrix)
        return matrix


class _Growing:
    """A flat array that grows in place, in memory or at the end of a temporary file."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self.array = np.empty(1024, dtype=dtype)
        self.used = 0
        self.file: Any = None

    @property
    def in_memory(self) -> bool:
        return self.file is None

    @property
    def nbytes(self) -> int:
        return self.used * self.array.itemsize

    def append(self, values: np.ndarray) -> None:
        """Add values of any shape, row by row."""
        if self.file is not None:
            self.file.write(np.ascontiguousarray(values, dtype=self.array.dtype).data)
        else:
            if self.used + values.size > len(self.array):
                size = max(2 * len(self.array), self.used + values.size)
                if size > _DOUBLED_UP_TO:  # the unused end takes memory too, as resize fills it with zeros
                    size = max(len(self.array) + len(self.array) // 8, self.used + values.size)
                self.array.resize(size, refcheck=False)
            self.array[self.used : self.used + values.size].reshape(values.shape)[...] = values
        self.used += values.size

    def move_to_file(self) -> None:
        self.file = tempfile.TemporaryFile(prefix="lsdmlo-")  # has no name, so that nothing is left behind
        self.file.write(self.array[: self.used].data)
        self.array = np.empty(0, dtype=self.array.dtype)

    def finish(self) -> np.ndarray:
        if self.file is None or not self.used:
            self.array.resize(self.used, refcheck=False)
            return self.array
        self.file.flush()
        return np.asarray(np.memmap(self.file, dtype=self.array.dtype, mode="r", shape=(self.used,)))
