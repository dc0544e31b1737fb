"""`python -m benchmarks.peers` (make bench-quick): lsdmlo beside peers, and what changed since the kept results.

    ratio = lsdmlo's CPU seconds / the peer's in the same run

Both sides take turns, and the least of each counts. Where nothing else does the same, the peer of a command is the least that
Python's libraries need for its file (libraries.py). Rows of the short selection run on one thread, so that ratios hold on other
machines; the others run as a user would start them. Only `make bench` keeps ratios.
"""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import changes, data, libraries, startup
from benchmarks.neighbors import brute, of_all
from benchmarks.solver import TOL, plain
from lsdmlo_cli.numeric.weights import Stop, cosine_similarity, gram, laplacian, solve

MOST_ROUNDS, FEWEST_ROUNDS, ENOUGH_SECONDS = 5, 2, 6
"""A row of the short selection is measured that often, or until both sides together took so many CPU seconds; others once."""
PATIENCE_SECONDS = 60
MULAN = {"Corel5k": 2.3, "tmc2007-500": 7.4, "scene": 3.4, "yeast": 1.8}
"""Seconds that Mulan's MLSMOTE took as a whole process with default options, once, on two cores of an AMD EPYC."""

Cost = tuple[float, float]
"""Seconds by the wall clock and of CPU."""
Side = Callable[[], Cost]


@dataclass(frozen=True)
class Row:
    """A row of a table: what prepares lsdmlo's side and the peer's in a folder of their own, and what is wanted at most.

    wanted: (20, "s") for seconds by the clock, (1.4, "x") for times the peer's CPU seconds.
    """

    table: str
    name: str
    peer: str
    sides: Callable[[Path], tuple[Side, Side]]
    wanted: tuple[float, str] | None = None
    short: bool = False


@dataclass(frozen=True)
class Measured:
    """A row's seconds by the clock, CPU seconds, and those of its peer."""

    row: Row
    wall: float
    cpu: float
    peer: float

    @property
    def ratio(self) -> float:
        """Times the peer's CPU seconds."""
        return self.cpu / self.peer

    @property
    def cells(self) -> list[str]:
        """What the table shows."""
        figures = [*map(data.short, (self.wall, self.cpu, self.peer)), f"{self.ratio:.2f}"]
        if self.row.wanted is None:
            return [self.row.name, *figures, "", ""]
        most, unit = self.row.wanted
        met = {"s": self.wall, "x": self.ratio}[unit] <= most
        return [self.row.name, *figures, f"{most:g} {unit}", "yes" if met else "no"]

    @property
    def kept(self) -> changes.Ratio:
        """What is kept of it."""
        row = self.row
        return changes.Ratio(row.table, row.name, round(self.ratio, 4), row.peer, row.short, str(datetime.date.today()))


def table(full: bool) -> str:
    """The tables; prints what changed since the kept ratios, and keeps the new ones in their place."""
    parts, found = zip(*measured(full), strict=True)
    now, kept = [one.kept for some in found for one in some], changes.read()
    print(changes.table(kept, now, full))
    selection = "full" if full else "short"
    note = f"Last run: {selection} selection; {data.machine()}; load average {os.getloadavg()[1]:.1f} at its end."
    changes.write(changes.merged(kept, now, [(row.table, row.name) for row in rows()]), note)
    return "\n".join(parts)


def main() -> int:
    """The short selection, and what changed since the kept ratios; nothing is written."""
    now = []
    for text, found in measured(full=False):
        print(text, flush=True)
        now += [one.kept for one in found]
    print(changes.table(changes.read(), now, full=False))
    return 0


def measured(full: bool) -> Iterator[tuple[str, list[Measured]]]:
    """Each table as Markdown, and its figures. A row whose public data set is not there is told on standard error."""
    for title, members in groupby((row for row in rows() if full or row.short), key=lambda row: row.table):
        found, peers = [], {}
        for row in members:
            try:
                found.append(_measured(row))
            except data.DataAbsent as absent:
                print(f"{row.name}: {absent}", file=sys.stderr)
            peers[row.peer] = None
        head = ["row", "s", "CPU s", "peer's CPU s", "ratio", "wanted at most", "met"]
        yield data.markdown(title, head, [one.cells for one in found], f"Peer: {'; '.join(peers)}."), found


def rows() -> list[Row]:
    """All rows, those of one table behind each other."""
    return [*_starting(), *_raw_counts(), *_weights(), *_public_sets(), *_made_up(), *_mlsmote(), *_euclid()]


def _starting() -> list[Row]:
    imports = [sys.executable, "-c", "import numpy, scipy.sparse"]

    def sides(folder: Path) -> tuple[Side, Side]:
        return _ended(_resample(data.unpacked("flags", folder))), _ended(imports)

    peer = f"`import numpy, scipy.sparse` with {data.versions('numpy', 'scipy')}"
    return [Row("Start-up", "`resample` on flags", peer, sides, (1.4, "x"), short=True)]


def _raw_counts() -> list[Row]:
    title, wanted = "Whole `resample` of word counts by scale", {"none": 20, "std": 20, "range": 6}
    return [
        *(_command(title, "Arts1500", f"--scale {scale} --measures fast", short=True) for scale in ("none", "std")),
        *(_command(title, "yahoo-Arts1", f"--scale {scale}", (most, "s")) for scale, most in wanted.items()),
    ]


def _weights() -> list[Row]:
    runs = (("scene", 1.0, 1.0), ("birds-train", 1 / 16, 1 / 4), ("CAL500", 1.0, 16.0))
    title, peer = f"Feature weights, relative gap {TOL:g}", f"plain accelerated proximal gradient, {data.versions('numpy')}"

    def sides(name: str, lambda1: float, lambda2: float, folder: Path) -> tuple[Side, Side]:
        E, Y = data.load(name)
        problem = gram(E, Y)
        lap = laplacian(cosine_similarity(problem.YtY))
        return (
            _called(lambda: solve(problem, lap, lambda1=lambda1, lambda2=lambda2, stop=Stop(TOL))),
            _called(lambda: plain(problem, E, lap, lambda1, lambda2, PATIENCE_SECONDS)),
        )

    return [
        Row(title, f"{name}, lambda1 {lambda1:g}, lambda2 {lambda2:g}", peer, partial(sides, name, lambda1, lambda2), short=True)
        for name, lambda1, lambda2 in runs
    ]


def _public_sets() -> list[Row]:
    title, wanted = "Whole `resample --p 0.1`", {"delicious": (21, "s"), "tmc2007-500": (6.5, "s"), "rcv1subset1": (4.7, "s")}
    return [
        _command(title, "rcv1subset1", "--p 0.1", short=True),
        *(
            _command(title, name, f"--p 0.1{measures}", wanted.get(name))
            for name in ("delicious", "tmc2007-500", "rcv1subset1", "bibtex")
            for measures in ("", " --measures all")
        ),
    ]


def _made_up() -> list[Row]:
    title = "Whole `resample`, dense made-up rows"
    return [
        _command(title, (5_000, 300, 50), "--measures all", short=True),
        _command(title, (5_000, 300, 50), "--measures sampled", short=True),
        _command(title, (20_000, 100, 20), "--p 0.01", short=True),
        _command(title, (20_000, 300, 50), "", (12, "s")),
        _command(title, (20_000, 300, 50), "--measures sampled", (8, "s")),
        _command(title, (1_000_000, 100, 20), "--p 0.01", (200, "s")),
    ]


def _mlsmote() -> list[Row]:
    title, options = "Whole `resample --method mlsmote`", "--method mlsmote"
    large = [(_command(title, name, options, (seconds / 2, "s")), seconds) for name, seconds in MULAN.items()]
    return [
        *(_command(title, name, options, short=True) for name in ("scene", "Corel5k")),
        *(replace(row, name=f"{row.name} (Mulan, not run here: {seconds:g} s)") for row, seconds in large),
    ]


def _euclid() -> list[Row]:
    def sides(folder: Path) -> tuple[Side, Side]:
        E, _ = data.load("rcv1subset1")
        return _called(lambda: of_all(E, 1)), _called(lambda: brute(E, None))

    peer = f"{data.versions('scikit-learn')}, sparse rows"
    return [Row("Neighbours by Euclid, one thread", "rcv1subset1", peer, sides, (round(1 / 1.7, 2), "x"), short=True)]


def _command(
    title: str, of: str | tuple[int, int, int], options: str, wanted: tuple[float, str] | None = None, short: bool = False
) -> Row:
    """`resample` on a public data set, or on made-up rows (n, d, q)."""
    if short:
        options += " --threads 1"

    def sides(folder: Path) -> tuple[Side, Side]:
        if isinstance(of, str):
            place, labels = data.unpacked(of, folder), []
        else:
            n, d, q = of
            place, labels = data.growing(folder / "made.arff", n, False, d, q), [f"--labels={-q}"]
        libraries_alone = [sys.executable, libraries.__file__, str(place)]
        return _ended(_resample(place, *labels, *options.split())), _ended(libraries_alone)

    data_set = of if isinstance(of, str) else "{:,} rows, {} features, {} labels".format(*of)
    peer = f"{data.versions('liac-arff')} reads, {data.versions('scikit-learn')} finds neighbours of {libraries.ROWS:,} rows"
    return Row(title, f"{data_set} {options}".strip(), peer, sides, wanted, short)


def _resample(place: Path, *options: str) -> list[str]:
    return startup.lsdmlo("resample", str(place), str(place.with_name("out.arff")), *options)


def _ended(command: list[str]) -> Side:
    """Runs a command to its end."""

    def side() -> Cost:
        run = startup.finished(command)
        return run.wall, run.cpu

    return side


def _called(work: Callable[[], Any]) -> Side:
    """Calls with one BLAS thread."""

    def side() -> Cost:
        with threadpool_limits(1):
            wall, (cpu, _) = data.seconds(lambda: data.seconds(work, time.process_time))
        return wall, cpu

    return side


def _measured(row: Row) -> Measured:
    most, fewest = (MOST_ROUNDS, FEWEST_ROUNDS) if row.short else (1, 1)
    rounds: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        ours, peer = row.sides(Path(folder))
        while len(rounds) < fewest or (len(rounds) < most and sum(cpu + other for _, cpu, other in rounds) < ENOUGH_SECONDS):
            rounds.append((*ours(), peer()[1]))
    return Measured(row, *(min(column) for column in zip(*rounds, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
