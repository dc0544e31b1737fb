"""What searching neighbours on a cluster costs: its parts, the bytes moved, and how long workers take for them.

    python benchmarks/cluster.py [ROWS]

The parts are done one after the other in this process, with rows that are sent and with rows that workers map, and their CPU
seconds and pickled bytes kept. Seconds of workers are simulated from these: whoever is free takes the next part, and the client
takes OVERHEAD and a gigabit a second for each. `local:1` and `local:2` are measured by the wall clock, which only tells something
on a machine that does nothing else.
"""

from __future__ import annotations

import heapq
import io
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import before
from lsdmlo_cli.analysis.blockwise import SENT, BlockwiseSearches
from lsdmlo_cli.analysis.searches import searching
from lsdmlo_cli.analysis.spool import Spool
from lsdmlo_cli.data.tables import dataset, labels, table

OVERHEAD = 0.002
"""Seconds that the client and the scheduler take for a part, beside its bytes."""
BYTES_A_SECOND = 1.25e8


class Measured:
    """Does each part of the work at once, and keeps what it costs.

    parts: its CPU seconds, and the bytes that come back. sent: bytes of the calls, what many need counted once. kept: bytes of
    what stays with workers, which at most moves from one to another.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[float, int]] = []
        self.once: dict[int, Any] = {}
        self.sent = self.kept = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        return self._done(fn, args)[0]

    def keep(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        future, size = self._done(fn, args)
        self.parts[-1] = (self.parts[-1][0], 0)
        self.kept += size
        return future

    def _done(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Future[Any], int]:
        self.sent += self._size(args)
        start = time.process_time()
        result = fn(*resolved(args))
        seconds, size = time.process_time() - start, len(pickle.dumps(result))
        self.parts.append((seconds, size))
        future: Future[Any] = Future()
        future.set_result(result)
        return future, size

    def _size(self, args: tuple[Any, ...]) -> int:
        """Bytes of a call, with what is sent once where it is new."""
        new = []

        class Packer(pickle.Pickler):
            def persistent_id(packer, one: Any) -> int | None:
                if isinstance(one, SENT) and id(one) not in self.once:
                    new.append(self.once.setdefault(id(one), one))
                return id(one) if isinstance(one, (Future, *SENT)) else None

        content = io.BytesIO()
        Packer(content).dump(args)
        return content.tell() + sum(len(pickle.dumps(one)) for one in new)


def resolved(argument: Any) -> Any:
    """Arguments with results in place of futures."""
    if isinstance(argument, tuple):
        return tuple(map(resolved, argument))
    return argument.result() if isinstance(argument, Future) else argument


def made(n: int, d: int = 50, q: int = 5) -> Analysis:
    """A data set of n rows, of which 5 % have each label."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, d)), (rng.random((n, q)) < 0.05).astype(int)
    return Analysis(dataset(table(X, "X", None), labels(Y)), Settings(measures="all"))


def simulated(parts: Sequence[tuple[float, int]], sent: int, workers: int) -> float:
    """Seconds that so many workers take: parts in their order to whoever is free first, all that moves through one client."""
    free, client = [0.0] * workers, sent / BYTES_A_SECOND
    for seconds, came_back in parts:
        heapq.heapreplace(free, free[0] + seconds)
        client += OVERHEAD + came_back / BYTES_A_SECOND
    return max(max(free), client)


def costs(n: int, mapped: bool) -> Measured:
    """What the parts of a data set cost."""
    analysis, measured = made(n), Measured()
    with TemporaryDirectory() as folder:
        analysis.searches = BlockwiseSearches(measured, 1, analysis.searches, Spool(folder) if mapped else None)
        before(analysis)
    return measured


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    for mapped in (False, True):
        measured = costs(n, mapped)
        seconds, back = (sum(one) for one in zip(*measured.parts, strict=True))
        print(
            f"{n} rows, {'mapped by workers' if mapped else 'sent'}: {len(measured.parts)} parts, {seconds:.1f} CPU s, "
            f"{measured.sent / 1e6:.2f} MB sent, {measured.kept / 1e6:.1f} MB kept by workers, {back / 1e6:.2f} MB back"
        )
    for workers in (1, 2, 8, 64):
        took = simulated(measured.parts, measured.sent, workers)
        print(f"simulated, {workers} workers: {took:.1f} s, efficiency {seconds / took / workers:.2f}")
    for workers in (1, 2):
        with searching(f"local:{workers}", 1) as searches:
            analysis = made(n)
            analysis.searches = searches
            start = time.perf_counter()
            before(analysis)
            print(f"measured, local:{workers}: {time.perf_counter() - start:.1f} s of wall clock")


if __name__ == "__main__":
    main()
