"""Rows for workers: in files that every worker sees, of which each maps what it needs into its memory, or sent to them.

dense   rows.npy
CSR     data.npy  indices.npy  indptr.npy
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lsdmlo_cli.errors import FileError, UnseenError, reason
from lsdmlo_cli.numeric.matrix import Matrix, stored_rows, walk


@dataclass(frozen=True, eq=False)
class Sent:
    """Rows that are sent."""

    rows: Matrix

    @property
    def count(self) -> int:
        return int(self.rows.shape[0])

    def part(self, start: int, stop: int) -> Sent:
        """Some of the rows."""
        return Sent(self.rows[start:stop])


@dataclass(frozen=True)
class Mapped:
    """The rows from `start` to `stop` of a matrix in the files of a folder."""

    folder: str
    dense: bool
    columns: int
    start: int
    stop: int

    @property
    def count(self) -> int:
        return self.stop - self.start

    def part(self, start: int, stop: int) -> Mapped:
        """Some of the rows."""
        return replace(self, start=self.start + start, stop=min(self.stop, self.start + stop))

    @property
    def rows(self) -> Matrix:
        """The rows, memory-mapped. Errors: UnseenError where the files are not seen, FileError for another fault."""
        if self.dense:
            return self._array("rows")[self.start : self.stop]
        start = np.array(self._array("indptr")[self.start : self.stop + 1])
        return stored_rows(self._array("data"), self._array("indices"), start, self.columns)

    def remove(self) -> None:
        """Remove the files; whoever has them mapped keeps their content."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _array(self, name: str) -> np.ndarray:
        path = Path(self.folder, f"{name}.npy")
        try:
            return np.asarray(np.load(path, mmap_mode="r"))
        except OSError as error:
            told = f"cannot read {path}: {reason(error)}"
            raise (FileError(told) if os.access(path, os.R_OK) else UnseenError(told, str(path))) from error


Held: TypeAlias = Sent | Mapped


class Spool:
    """A folder that every worker sees, for matrices, each in a folder of its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def written(self, matrix: Matrix) -> Mapped:
        """The matrix in files; block by block, so that no second copy of it is in memory. Errors: FileError."""
        n, columns = matrix.shape
        folder = tempfile.mkdtemp(dir=self.folder)
        if isinstance(matrix, np.ndarray):
            _write(folder, "rows", (n, columns), (part for _, part in walk(matrix)))
            return Mapped(folder, True, columns, 0, n)
        for name in ("data", "indices"):
            values = getattr(matrix, name)
            _write(folder, name, (matrix.nnz,), (part for _, part in walk(values[: matrix.nnz].reshape(-1, 1))), values.dtype)
        _write(folder, "indptr", (n + 1,), [matrix.indptr], matrix.indptr.dtype)
        return Mapped(folder, False, columns, 0, n)


def cells_a_row(matrix: Matrix) -> int:
    """How many numbers a row holds, on average, 1 at least."""
    n, columns = matrix.shape
    return max(1, columns if isinstance(matrix, np.ndarray) else matrix.nnz // max(1, n))


def _write(folder: str, name: str, shape: tuple[int, ...], parts: Iterable[np.ndarray], dtype: Any = np.float64) -> None:
    path = Path(folder, f"{name}.npy")
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
    try:
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for part in parts:
                file.write(np.ascontiguousarray(part, dtype=dtype).data)
    except OSError as error:
        raise FileError(f"cannot write {path}: {reason(error)}: let TMPDIR name a folder with more room") from error
