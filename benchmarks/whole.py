"""`lsdmlo resample` from start to end: seconds by stage, the command's own time and memory, what others take."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks import data, startup
from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import after, before
from lsdmlo_cli.formats import RowWriter, Source, Target, copy, read
from lsdmlo_cli.numeric.matrix import stacked
from lsdmlo_cli.samplers import LSDMLOSampler

SMALL = ("emotions", "yeast", "scene", "CAL500", "Corel5k")
LARGE = ("tmc2007-500", "yahoo-Arts1", "rcv1subset1", "delicious")
OTHERS = {"emotions": ("0.8 + 0.3", "8"), "yeast": ("1.7 + 5.9", "147"), "Corel5k": ("1.2 + 9.1", "over 3600")}
"""Seconds that Mulan's MLSOL (load + sampling) and the LSDMLO authors' scripts took at p = 0.1 on a machine of this kind."""

READING, ENCODING, GRAM, WEIGHTS = "reading", "encoding", "Gram", "weights"
MINORITY, OTHER, EUCLID, ROWS, MEASURES = "minority labels", "other labels", "Euclid", "new rows", "measures"
ALLOWED_ABOVE_MATRICES = 300e6
OPTIONS = ("--p", "0.1", "--measures", "all")

_IMPORTS = "import lsdmlo_cli.cli, lsdmlo_cli.pipeline"


def table(full: bool) -> str:
    """p = 0.1 with report, each public data set as plain ARFF."""
    imports = min(startup.run([sys.executable, "-c", _IMPORTS]).wall for _ in range(3))
    rows = []
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        for name in SMALL + (LARGE if full else ()):
            place = data.unpacked(name, Path(folder))
            command = startup.finished(startup.lsdmlo("resample", str(place), str(place.with_name("out.arff")), *OPTIONS))
            took, analysis = stages(place, None, LSDMLOSampler(p=0.1), Settings(measures="all"))
            rows.append(_row(name, imports, took, command, matrix_bytes(analysis)))
    stages_shown = ["start", READING, ENCODING, GRAM, WEIGHTS, "labels", EUCLID, ROWS, MEASURES]
    return data.markdown(
        f"Whole `resample {' '.join(OPTIONS)}` with report, {data.THREADS} threads",
        ["data set", *stages_shown, "sum", "command s", "CPU s", "peak MB", "E, Y, G MB", "within + 300", "Mulan s", "authors s"],
        rows,
        "Seconds. start: Python and imports, a process of its own; the other stages are timed inside one process. "
        "labels: neighbours of all labels' positives by their own distances; measures: before and after, with those known.",
        "command: the real one by the clock, its CPU and its most resident memory. Mulan (MLSOL, load + sampling; Java) and "
        "the authors' scripts of the method were not run here: figures taken once on a machine of this kind.",
    )


def stages(place: Path, labels: str | None, sampler: LSDMLOSampler, settings: Settings) -> tuple[dict[str, float], Analysis]:
    """Seconds of each step of `resample`, one after the other in this process, and what was learned.

    With measures other than `all` it ends with the new rows, and only the minority labels' neighbours are searched.
    """
    took: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Any]) -> Any:
        took[stage], given = data.seconds(work)
        return given

    with Source(str(place)) as source, _scratch(place) as target:
        arff = timed(READING, lambda: read(source, labels))
        analysis = Analysis(arff.dataset, settings, threads=data.THREADS)
        timed(ENCODING, lambda: analysis.E)
        timed(GRAM, lambda: analysis.gram)
        timed(WEIGHTS, lambda: analysis.Theta)
        minority = np.flatnonzero(analysis.minority)
        timed(MINORITY, lambda: analysis.label_neighbors.of_labels(minority.tolist()))
        if settings.measures == "all":
            other = np.setdiff1d(np.flatnonzero(arff.dataset.counts), minority)
            timed(OTHER, lambda: analysis.label_neighbors.of_labels(other.tolist()))
            timed(EUCLID, lambda: analysis.euclidean)

        def write() -> tuple[Any, csr_array]:
            line_end, _ = copy(source, target)
            writer = RowWriter(arff.dataset, arff.labels.positions, arff.header.encoding, line_end)
            E, Y = [], []
            for batch in sampler.sample(analysis, np.random.default_rng(0)).batches:
                target.write(writer.rows(batch.X, batch.Y, arff.dataset.sparse_rows[batch.seeds], batch.seeds))
                E.append(analysis.encode(batch.X))
                Y.append(csr_array(batch.Y.astype(np.float64)))
            target.finish()
            return stacked(E), stacked(Y)

        E, Y = timed(ROWS, write)
        if settings.measures == "all":
            timed(MEASURES, lambda: (before(analysis), after(analysis, E, Y)))
    return took, analysis


def matrix_bytes(analysis: Analysis) -> int:
    """What E, Y and the Gram matrices take."""
    matrices = [analysis.E, analysis.dataset.Y, analysis.gram.EtE, analysis.gram.EtY, analysis.gram.YtY]
    return sum(_bytes(matrix) for matrix in matrices if matrix is not None)


def _bytes(matrix: Any) -> int:
    return matrix.nbytes if isinstance(matrix, np.ndarray) else matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


@contextmanager
def _scratch(place: Path) -> Iterator[Target]:
    """An output beside the input that is not kept."""
    with Target(str(place.with_name("staged.arff"))) as target:
        yield target


def _row(name: str, imports: float, took: dict[str, float], command: startup.Run, matrices: int) -> list[str]:
    shown = [
        imports,
        *(took[stage] for stage in (READING, ENCODING, GRAM, WEIGHTS)),
        took[MINORITY] + took[OTHER],
        *(took[stage] for stage in (EUCLID, ROWS, MEASURES)),
        imports + sum(took.values()),
        command.wall,
        command.cpu,
    ]
    within = command.peak <= matrices + ALLOWED_ABOVE_MATRICES
    memory = [f"{command.peak / 1e6:.0f}", f"{matrices / 1e6:.1f}", "yes" if within else "no"]
    return [name, *map(data.short, shown), *memory, *OTHERS.get(name, ("", ""))]
