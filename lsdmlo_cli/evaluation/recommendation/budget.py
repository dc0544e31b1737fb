"""The parts of a recommendation within a budget of time: so many rows, then so many outer folds, as there is time for.

How many parts are worked out never depends on a figure, so that stopping early favours no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from time import time
from typing import Any

from lsdmlo_cli.evaluation.recommendation.candidates import Candidate
from lsdmlo_cli.evaluation.recommendation.nested import ALL_ROWS, Part, part, seconds_of_a_round
from lsdmlo_cli.evaluation.recommendation.trials import OutOfTime, Trials
from lsdmlo_cli.evaluation.workers import Workers, outcome
from lsdmlo_cli.progress import Progress, silent

LEAST_ROWS = 400
FEWEST_FOLDS = 4
"""Outer folds that rows are given up for: with fewer the bound of Student's t is far off."""
ROUNDS = 15.0 + 6.5 * FEWEST_FOLDS
"""How many times as long as one inner fold all of it takes: the race on all rows, and those of the fewest folds."""
GROWTH = 2.5
"""How many times as long twice as many rows take."""


@dataclass(frozen=True)
class Budget:
    """seconds: None for no end. jobs: processes. cluster: in their place, as `workers` takes it."""

    seconds: float | None
    jobs: int
    cluster: Any = None


def rows_within(budget: Budget, trials: Trials, n: int, candidates: Sequence[Candidate], progress: Progress = silent) -> int:
    """n, or the half, a quarter and so on, of which the fewest outer folds should fit into the budget.

    It is found by timing one inner fold, of few rows first. Kept figures keep their times, so that another run finds the same.
    """
    if budget.seconds is None:
        return n
    sizes = [n]
    while sizes[-1] >= 2 * LEAST_ROWS:
        sizes.append(sizes[-1] // 2)
    fitting = sizes[-1]
    for done, rows in enumerate(reversed(sizes)):
        progress("see how long it takes", done, len(sizes))
        try:
            needed = ROUNDS * seconds_of_a_round(replace(trials, rows=rows), candidates) / budget.jobs
        except OutOfTime:
            break
        if needed > budget.seconds:
            break
        fitting = rows
        if needed * GROWTH > budget.seconds:
            break
    return fitting


def parts(working: Workers, trials: Trials, candidates: Sequence[Candidate], metric: str, progress: Progress) -> Iterator[Part]:
    """The race on all rows and those of outer folds, as they are done, until the plan or the budget is at its end."""
    waiting = [ALL_ROWS, *trials.plan.splits]
    running: dict[Future[Part | None], float] = {}
    done, longest = 0, 0.0
    while True:
        while waiting and len(running) < working.count and _has_time(trials.deadline, longest):
            running[working.submit(part, trials, waiting.pop(0), candidates, metric)] = time()
        if not running:
            return
        progress("compare", done, done + len(running) + _still_fitting(working.count, trials.deadline, longest, len(waiting)))
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            begun = running.pop(future)
            found = outcome(future)
            if found is not None:
                done += 1
                longest = longest if found.outer == ALL_ROWS else max(longest, time() - begun)
                yield found


def _has_time(deadline: float | None, seconds: float) -> bool:
    return deadline is None or time() + seconds < deadline


def _still_fitting(at_once: int, deadline: float | None, longest: float, waiting: int) -> int:
    """How many of the waiting parts there will be time for, as far as is known."""
    if deadline is None or not longest:
        return waiting
    return min(waiting, int((deadline - time()) / longest * at_once))
