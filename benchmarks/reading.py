"""Reading a whole file into a data set, against liac-arff's generator of rows on the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import arff

from benchmarks import data
from lsdmlo_cli import read

ROWS = 20_000
LABELS = "-2"


def table(full: bool) -> str:
    """MB/s of both and their ratio; the short selection has a quarter of the rows."""
    n = ROWS if full else ROWS // 4
    kinds: list[tuple[str, Callable[[Path], Path], int, float]] = [
        ("dense floats, 300 columns, 6 decimals", lambda place: data.dense_floats(place, n), arff.DENSE_GEN, 5),
        ("0/1 grid, 500 columns, numeric", lambda place: data.grid(place, n, "numeric"), arff.DENSE_GEN, 25),
        ("0/1 grid, 500 columns, nominal {0,1}", lambda place: data.grid(place, n, "{0,1}"), arff.DENSE_GEN, 25),
        ("sparse, 80 of 5,000, numeric", lambda place: data.sparse_numbers(place, n), arff.LOD_GEN, 5),
        ("sparse, 80 of 5,000, nominal {0,1}", lambda place: data.sparse_nominal(place, n), arff.LOD_GEN, 5),
        ("odd rows: quotes, missing, comments", lambda place: data.odd_rows(place, n), arff.DENSE_GEN, 1),
    ]
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        for kind, write, form, wanted in kinds:
            place = write(Path(folder) / "file.arff")
            if (found := read(str(place), LABELS).n) != n or peer(place, form) != n:
                raise AssertionError(f"{kind}: {found} of {n} rows were read")
            ours, theirs = data.best_of_each(3, lambda p=place: read(str(p), LABELS), lambda p=place, f=form: peer(p, f))
            megabytes = place.stat().st_size / 1e6
            speeds = [f"{megabytes:.1f}", f"{megabytes / ours:.1f}", f"{megabytes / theirs:.1f}"]
            rows.append([kind, *speeds, *data.verdict(theirs / ours, wanted)])
    return data.markdown(
        f"Reading, {n:,} rows",
        ["rows", "MB", "lsdmlo MB/s", "liac-arff MB/s", "times faster", "wanted", "met"],
        rows,
        "lsdmlo builds the data set (X, Y, all checks); liac-arff's DENSE_GEN or LOD_GEN walks the rows and keeps none. "
        "Best of 3 each, in turns.",
    )


def peer(place: Path, form: int) -> int:
    """Walk a file with liac-arff; the count of its rows."""
    with place.open(encoding="utf-8") as file:
        return sum(1 for _ in arff.load(file, return_type=form)["data"])
