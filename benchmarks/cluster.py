"""What searching neighbours on a cluster costs: its parts, the bytes moved, and how long workers take for them.

    python benchmarks/cluster.py [ROWS]

The parts are done one after the other in this process, and their CPU seconds and pickled bytes kept. Seconds of workers are
simulated from these: whoever is free takes the next part, and the client takes OVERHEAD and a gigabit a second for each.
`local:1` and `local:2` are measured by the wall clock, which only tells something on a machine that does nothing else.
"""

from __future__ import annotations

import heapq
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np

from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import before
from lsdmlo_cli.analysis.blockwise import Block, BlockwiseSearches
from lsdmlo_cli.analysis.searches import searching
from lsdmlo_cli.data.tables import dataset, labels, table

OVERHEAD = 0.002
"""Seconds that the client and the scheduler take for a part, beside its bytes."""
BYTES_A_SECOND = 1.25e8


class Measured(Executor):
    """Does each part at once. parts: its CPU seconds, and the bytes that come back."""

    def __init__(self) -> None:
        self.parts: list[tuple[float, int]] = []
        self.sent: dict[int, int] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        self.sent.update({id(one): len(pickle.dumps(one)) for one in args if isinstance(one, Block) and id(one) not in self.sent})
        start = time.process_time()
        result = fn(*args, **options)
        self.parts.append((time.process_time() - start, len(pickle.dumps(result))))
        future: Future[Any] = Future()
        future.set_result(result)
        return future


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


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    analysis, measured = made(n), Measured()
    analysis.searches = BlockwiseSearches(measured, 1, analysis.searches)
    before(analysis)
    seconds, sent, back = sum(one for one, _ in measured.parts), sum(measured.sent.values()), sum(b for _, b in measured.parts)
    print(f"{n} rows: {len(measured.parts)} parts, {seconds:.1f} CPU s, {sent / 1e6:.1f} MB sent, {back / 1e6:.1f} MB back")
    for workers in (1, 2, 8, 64):
        took = simulated(measured.parts, sent, workers)
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
