"""Spelling new rows, against `repr` of each cell and join."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from benchmarks import data
from lsdmlo_cli.formats import RowWriter, Source, read
from lsdmlo_cli.samplers.base import BATCH_ROWS

ROWS = 20_000


def table(full: bool) -> str:
    """MB/s of both and their ratio; the short selection has a quarter of the rows."""
    n = ROWS if full else ROWS // 4
    rng = np.random.default_rng(7)
    Y = rng.random((n, 2)) < 0.2
    columns = data.spread_columns(rng, n, 5000, 80)
    dense = rng.uniform(0.1, 2, (n, 300)) * rng.choice([-1, 1], (n, 300))
    sparse = csr_array((rng.uniform(0.1, 2, columns.size), columns.ravel(), np.arange(0, columns.size + 1, 80)), shape=(n, 5000))
    rows = [
        _compared("dense, 300 numbers", data.dense_floats, dense, Y, plain_dense, 6),
        _compared("sparse, 80 numbers of 5,000", data.sparse_numbers, sparse, Y, plain_sparse, 2.5),
    ]
    return data.markdown(
        f"Writing {n:,} new rows",
        ["rows", "MB", "lsdmlo MB/s", "repr and join MB/s", "times faster", "wanted", "met"],
        rows,
        f"Numbers of 15 to 17 digits, in batches of {BATCH_ROWS} rows as a sampler makes them; both give the same bytes. "
        "Best of 3 each, in turns.",
    )


def plain_dense(X: np.ndarray, Y: np.ndarray) -> bytes:
    """Lines of a dense batch."""
    rows = zip(X.tolist(), Y.tolist(), strict=True)
    return "".join(f"{','.join(map(repr, x))},{','.join('1' if held else '0' for held in y)}\n" for x, y in rows).encode()


def plain_sparse(X: csr_array, Y: np.ndarray) -> bytes:
    """Lines of a sparse batch."""
    columns, values, d = X.indices.tolist(), X.data.tolist(), X.shape[1]
    lines = []
    for (start, stop), y in zip(pairwise(X.indptr.tolist()), Y.tolist(), strict=True):
        cells = [f"{j} {value!r}" for j, value in zip(columns[start:stop], values[start:stop], strict=True)]
        cells += [f"{d + j} 1" for j, held in enumerate(y) if held]
        lines.append(f"{{{','.join(cells)}}}\n")
    return "".join(lines).encode()


def _compared(
    kind: str,
    file: Callable[[Path, int], Path],
    X: np.ndarray | csr_array,
    Y: np.ndarray,
    plain: Callable[[np.ndarray | csr_array, np.ndarray], bytes],
    wanted: float,
) -> list[str]:
    writer = _writer(file)
    batches = [(X[i : i + BATCH_ROWS], Y[i : i + BATCH_ROWS]) for i in range(0, len(Y), BATCH_ROWS)]
    forms = [np.full(len(y), not isinstance(X, np.ndarray)) for _, y in batches]

    def ours() -> list[bytes]:
        return [writer.rows(x, y, form, np.full(len(y), -1)) for (x, y), form in zip(batches, forms, strict=True)]

    def theirs() -> list[bytes]:
        return [plain(x, y) for x, y in batches]

    text = b"".join(ours())
    if text != b"".join(theirs()):
        raise AssertionError(f"{kind}: the two texts differ")
    fast, slow = data.best_of_each(3, ours, theirs)
    megabytes = len(text) / 1e6
    speeds = [f"{megabytes:.1f}", f"{megabytes / fast:.1f}", f"{megabytes / slow:.1f}"]
    return [kind, *speeds, *data.verdict(slow / fast, wanted)]


def _writer(file: Callable[[Path, int], Path]) -> RowWriter:
    """What spells rows under the header of a made-up file."""
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        place = file(Path(folder) / "file.arff", 10)
        with Source(str(place)) as source:
            arff = read(source, "-2")
        return RowWriter(arff.dataset, arff.labels.positions, arff.header.encoding, b"\n")
