"""Reading tables and LibSVM files into a data set, against the libraries that read them for us; and the memory of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, feather, parquet
from sklearn.datasets import load_svmlight_file

from benchmarks import data
from lsdmlo_cli import read
from lsdmlo_cli.conversion import convert

ROWS = 20_000
LABELS = "-2"
AT_MOST = 1.2
"""Times the libraries' own CPU seconds."""
PEAK = (
    "import re, sys, pyarrow.csv, pyarrow.parquet, sklearn.datasets, scipy.sparse\n"
    "from lsdmlo_cli import read\n"
    "kilobytes = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    "before = kilobytes(); read(*sys.argv[1:]); print(kilobytes() - before)"
)


def table(full: bool) -> str:
    """CPU seconds of both and their ratio; the short selection has a tenth of the rows, and no megabytes."""
    n = ROWS if full else ROWS // 10
    rows = []
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        home = Path(folder)
        kinds: list[tuple[str, Path, list[str]]] = [
            ("floats, 300 columns", data.dense_floats(home / "floats.arff", n), [".csv", ".parquet", ".feather"]),
            ("categories 0 and 1, 500 columns", data.grid(home / "grid.arff", n, "{0,1}"), [".csv", ".parquet", ".feather"]),
            ("sparse, 80 of 5,000", data.sparse_numbers(home / "sparse.arff", n), [".svm"]),
        ]
        for kind, place, endings in kinds:
            of_arff = f"{peak(place, LABELS):.0f}" if full else ""
            for ending in endings:
                other = place.with_suffix(ending)
                convert(str(place), str(other), labels=LABELS)
                ours, theirs = data.best_of_each(3, reader(other), PEERS[ending](other), clock=time.process_time)
                seconds = [
                    f"{ours:.3f}",
                    f"{theirs:.3f}",
                    f"{ours / theirs:.2f}",
                    AT_MOST,
                    "yes" if ours <= AT_MOST * theirs else "no",
                ]
                size = place.with_suffix(ending).stat().st_size / 1e6
                rows.append([f"{ending} of {kind}", f"{size:.1f}", *seconds, f"{peak(other):.0f}" if full else "", of_arff])
    return data.markdown(
        f"Reading tables, {n:,} rows",
        ["file", "MB", "lsdmlo CPU s", "library CPU s", "ratio", "wanted at most", "met", "peak MB", "peak MB of ARFF"],
        rows,
        "lsdmlo builds the data set (X, Y, types, all checks, SHA-256 of the file); pyarrow reads the table on one thread and "
        "lays it into one array of floats, codes of categories included; scikit-learn's load_svmlight_file gives X and labels. "
        "Best of 3 each, in turns. The peak (of the full selection) is that of a process, above what it holds after its imports.",
    )


def reader(place: Path) -> Callable[[], Any]:
    """A call that reads a file with lsdmlo; its labels are found beside it or in it."""
    return lambda: read(str(place))


def array_of(found: pa.Table) -> np.ndarray:
    """A table as an array of floats."""
    X = np.empty((found.num_rows, found.num_columns))
    for place, column in enumerate(found.columns):
        chunks = [chunk.indices if pa.types.is_dictionary(column.type) else chunk for chunk in column.chunks]
        X[:, place] = np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in chunks])
    return X


PEERS: dict[str, Callable[[Path], Callable[[], Any]]] = {
    ".csv": lambda place: lambda: array_of(csv.read_csv(place, csv.ReadOptions(use_threads=False))),
    ".parquet": lambda place: lambda: array_of(parquet.read_table(place, use_threads=False)),
    ".feather": lambda place: lambda: array_of(feather.read_table(place, use_threads=False, memory_map=False)),
    ".svm": lambda place: lambda: load_svmlight_file(str(place), multilabel=True),
}


def peak(place: Path, *labels: str) -> float:
    """Megabytes that reading a file takes at its highest, above what the process holds before."""
    command = [sys.executable, "-c", PEAK, str(place), *labels]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024
