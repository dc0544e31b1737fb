"""What the tables are measured on, and what they are made of.

Public data sets lie in ../shared/data (from the project's folder); tables that need them are skipped where it is absent.
Everything else is made up from a fixed seed and written to a temporary folder of the caller's.
"""

from __future__ import annotations

import platform
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lsdmlo_cli import Analysis, Dataset, read
from lsdmlo_cli.cores import allowed_cores
from lsdmlo_cli.formats import Source

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = ROOT.parent / "shared" / "data"
FILES = {"Corel5k": "Corel5k-sparse"}  # where file and data set have different names
ROWS_PER_BLOCK = 10_000
THREADS = allowed_cores()


class DataAbsent(Exception):
    """A public data set is not there."""


# public data sets


def public(name: str) -> Path:
    """The packed file of a public data set. Errors: DataAbsent, in one line that says what was looked for."""
    place = PUBLIC / f"{FILES.get(name, name)}.arff.xz"
    if not place.exists():
        raise DataAbsent(f"../shared/data/{place.name} is not there: tables that need the public data sets are skipped")
    return place


def load(name: str) -> tuple[np.ndarray | csr_array, csr_array]:
    """Encoded features E (n, e), dense or CSR, and labels Y (n, q) of a public data set."""
    data = dataset(name)
    return Analysis(data).E, data.Y


def dataset(name: str) -> Dataset:
    """A public data set."""
    return read(str(public(name)))


def unpacked(name: str, folder: Path) -> Path:
    """A public data set in a folder of its own in `folder`, as plain ARFF with its XML."""
    packed = public(name)
    home = folder / name
    home.mkdir()
    plain = home / packed.name.removesuffix(".xz")
    with Source(str(packed)) as source:
        plain.write_bytes(b"".join(source.blocks()))
    bare = plain.name.removesuffix(".arff").removesuffix("-train").removesuffix("-sparse")
    shutil.copy(PUBLIC / f"{bare}.xml", home)
    return plain


# made-up files: 2 labels at the end


def dense_floats(place: Path, n: int, d: int = 300, seed: int = 1) -> Path:
    """Numbers with 6 decimals."""
    row = b",".join([b"%.6f"] * d + [b"%d"] * 2) + b"\n"
    rng = np.random.default_rng(seed)
    return _file(place, ["numeric"] * d, (row % (*x, *y) for x, y in zip(_rows(rng, n, d), _labels(rng, n), strict=True)))


def grid(place: Path, n: int, kind: str, d: int = 500, seed: int = 2) -> Path:
    """Zeros and ones, declared as `kind`."""
    row = b",".join([b"%d"] * (d + 2)) + b"\n"
    rng = np.random.default_rng(seed)
    cells = (rng.random((n, d)) < 0.05).astype(np.int64).tolist()
    return _file(place, [kind] * d, (row % (*x, *y) for x, y in zip(cells, _labels(rng, n), strict=True)))


def sparse_numbers(place: Path, n: int, d: int = 5000, filled: int = 80, seed: int = 3) -> Path:
    """`filled` numbers with 6 decimals a row."""
    row = b"{" + b",".join([b"%d %.6f"] * filled)
    rng = np.random.default_rng(seed)
    columns = spread_columns(rng, n, d, filled)
    pairs = np.stack([columns, np.abs(rng.standard_normal((n, filled))) + 1e-3], axis=2).reshape(n, -1)
    return _file(place, ["numeric"] * d, _sparse_lines((row % tuple(x) for x in pairs.tolist()), _labels(rng, n), d))


def sparse_nominal(place: Path, n: int, d: int = 5000, filled: int = 80, seed: int = 4) -> Path:
    """`filled` ones a row, declared {0,1}."""
    row = b"{" + b",".join([b"%d 1"] * filled)
    rng = np.random.default_rng(seed)
    columns = spread_columns(rng, n, d, filled).tolist()
    return _file(place, ["{0,1}"] * d, _sparse_lines((row % tuple(x) for x in columns), _labels(rng, n), d))


def odd_rows(place: Path, n: int, seed: int = 5) -> Path:
    """Dense rows of numbers, quoted nominal values and quoted strings; missing values, comments and empty lines."""
    rng = np.random.default_rng(seed)
    colours = [b"'dark red'", b'"light green"', b"blue", rb"'robin\'s egg'", b"'?'", b"?"]
    notes = [b"'seen twice, near the road'", b'"100 % sure"', b"plain", rb"'it\'s gone'", b"?"]
    kinds = ["numeric"] * 24 + [r"{'dark red','light green',blue,'robin\'s egg','?'}"] * 12 + ["string"] * 2
    numbers = rng.standard_normal((n, 24))
    numbers[rng.random((n, 24)) < 0.03] = np.nan
    colour, note = rng.integers(len(colours), size=(n, 12)).tolist(), rng.integers(len(notes), size=(n, 2)).tolist()

    def lines() -> Iterator[bytes]:
        for i, (x, c, t, y) in enumerate(zip(numbers.tolist(), colour, note, _labels(rng, n), strict=True)):
            if i % 20 == 0:
                yield b"% the next twenty\n\n"
            cells = [b"?" if v != v else b"%.4f" % v for v in x]
            yield b",".join([*cells, *(colours[j] for j in c), *(notes[j] for j in t), *(b"%d" % v for v in y)]) + b"\n"

    return _file(place, kinds, lines())


def label_rates(q: int) -> np.ndarray:
    """Shares of rows with each label, (q,): geometrically falling to 1/240 of the first, 3 labels a row."""
    rates = 240.0 ** -np.linspace(0, 1, q)
    return np.minimum(3 * rates / rates.sum(), 0.9)


def growing(place: Path, n: int, sparse: bool, d: int, q: int = 20, filled: int = 20, seed: int = 6) -> Path:
    """n rows of d features, dense or `filled` a row, and q labels that depend on them; with 20 labels MeanIR is near 47."""
    rng = np.random.default_rng(seed)
    meaning = rng.standard_normal((d, q)) * (rng.random((d, q)) < 0.1)
    rates = label_rates(q)
    row = b"{" + b",".join([b"%d %.3f"] * filled) if sparse else b",".join([b"%.3f"] * d + [b"%d"] * q) + b"\n"

    def lines() -> Iterator[bytes]:
        for start in range(0, n, ROWS_PER_BLOCK):
            m = min(ROWS_PER_BLOCK, n - start)
            if sparse:
                columns, values = spread_columns(rng, m, d, filled), rng.random((m, filled)) + 0.1
                X = csr_array((values.ravel(), columns.ravel(), np.arange(0, m * filled + 1, filled)), shape=(m, d))
            else:
                X = rng.standard_normal((m, d))
            score = X @ meaning
            score += 0.5 * score.std(axis=0) * rng.standard_normal((m, q)) + 1e-9 * rng.standard_normal((m, q))
            Y = score > np.quantile(score, 1 - rates, axis=0, method="inverted_cdf").diagonal()
            if sparse:
                pairs = np.stack([columns, values], axis=2).reshape(m, -1).tolist()
                yield from _sparse_lines((row % tuple(x) for x in pairs), Y.tolist(), d)
            else:
                yield from (row % (*x, *y) for x, y in zip(X.tolist(), Y.tolist(), strict=True))

    return _file(place, ["numeric"] * d, lines(), labels=q)


def many_labels(place: Path, q: int, n: int = 400, d: int = 300, filled: int = 20, seed: int = 7) -> Path:
    """n rows of `filled` numbers each and up to 12 of q labels, the first of them far more often than the last."""
    rng = np.random.default_rng(seed)
    columns, values = spread_columns(rng, n, d, filled), rng.random((n, filled))
    Y = np.zeros((n, q), dtype=bool)
    for labels in Y:
        labels[(q * rng.random(rng.integers(1, 13)) ** 3).astype(int)] = True
    row = b"{" + b",".join([b"%d %.3f"] * filled)
    pairs = np.stack([columns, values], axis=2).reshape(n, -1).tolist()
    return _file(place, ["numeric"] * d, _sparse_lines((row % tuple(x) for x in pairs), Y.tolist(), d), labels=q)


def spread_columns(rng: np.random.Generator, n: int, d: int, filled: int) -> np.ndarray:
    """(n, filled) rising columns below d: one out of each of `filled` equal parts, low ones more often."""
    width = d // filled
    return (np.floor(width * rng.random((n, filled)) ** 2) + width * np.arange(filled)).astype(np.int64)


def _rows(rng: np.random.Generator, n: int, d: int) -> Iterator[list[float]]:
    for start in range(0, n, ROWS_PER_BLOCK):
        yield from rng.standard_normal((min(ROWS_PER_BLOCK, n - start), d)).tolist()


def _labels(rng: np.random.Generator, n: int) -> list[list[bool]]:
    return (rng.random((n, 2)) < 0.2).tolist()


def _sparse_lines(rows: Iterator[bytes], labels: Sequence[Sequence[bool]], d: int) -> Iterator[bytes]:
    for row, y in zip(rows, labels, strict=True):
        yield row + b"".join(b",%d 1" % (d + j) for j, held in enumerate(y) if held) + b"}\n"


def _file(place: Path, kinds: Sequence[str], lines: Iterator[bytes], labels: int = 2) -> Path:
    header = [f"@attribute f{j} {kind}\n" for j, kind in enumerate(kinds)]
    header += [f"@attribute label{j} {{0,1}}\n" for j in range(labels)]
    with place.open("wb") as file:
        file.write(f"@relation made-up\n\n{''.join(header)}\n@data\n".encode())
        file.writelines(lines)
    return place


# the machine


def machine() -> str:
    """Processor, cores and versions."""
    libraries = versions("numpy", "scipy", "orjson", "scikit-learn", "liac-arff")
    return f"{_processor()}, {THREADS} cores for this process; Python {platform.python_version()}, {libraries}"


def versions(*names: str) -> str:
    """Installed packages and their versions."""
    return ", ".join(f"{name} {version(name)}" for name in names)


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


# timing and tables


def seconds(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """How long a call takes by the clock, that of the wall or another, and what it gives."""
    start = clock()
    given = work()
    return clock() - start, given


def best_of_each(
    times: int,
    *works: Callable[[], Any],
    check: Callable[..., None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The least seconds of each of several calls, taken in turns so that noise falls on all; check sees what they gave."""
    rounds = []
    for _ in range(times):
        took, given = zip(*(seconds(work, clock) for work in works), strict=True)
        rounds.append(took)
        if check is not None:
            check(*given)
    return [min(column) for column in zip(*rounds, strict=True)]


def markdown(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *notes: str) -> str:
    """A table under a heading, with notes behind it."""
    return "\n".join([f"## {title}\n", rows_as_markdown(columns, rows), *(f"{note}\n" for note in notes)])


def rows_as_markdown(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table without a heading."""
    return "\n".join([_line(columns), _line(["---"] * len(columns)), *map(_line, rows)]) + "\n"


def verdict(ratio: float, wanted: float) -> list[str]:
    """The cells for a ratio that should be at least `wanted`: the ratio, what is wanted, whether it is met."""
    return [f"{ratio:.1f}", f"{wanted:g}", "yes" if ratio >= wanted else "no"]


def short(number: float) -> str:
    """Three digits or so.

    >>> short(0.01234), short(12.345), short(1234.5)
    ('0.012', '12.3', '1234')
    """
    digits = next((digits for digits, below in ((3, 1), (2, 10), (1, 100)) if number < below), 0)
    return f"{number:.{digits}f}"


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
