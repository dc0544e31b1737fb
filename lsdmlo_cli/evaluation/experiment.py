"""The whole experiment: what is not in the cache is worked out, in this process or in several, and everything is gathered.

data sets x folds x methods -> units -> cells (kept as soon as they are there) -> Found
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.evaluation.cache import Cells, key
from lsdmlo_cli.evaluation.learners import title
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.evaluation.units import Cell, Unit, run
from lsdmlo_cli.evaluation.versions import versions_for
from lsdmlo_cli.evaluation.workers import Here, Workers, workers
from lsdmlo_cli.folders import made_folder
from lsdmlo_cli.progress import Progress, silent, track


class Where(NamedTuple):
    """A cell's place in the experiment."""

    data: str
    repeat: int
    fold: int
    method: str
    learner: str


@dataclass(frozen=True)
class About:
    """A data set as the results tell it."""

    name: str
    file: str
    n: int
    d: int
    q: int
    labels_from: str
    sha256: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """All that an experiment found: its data sets and its cells, in order.

    known: how many cells were in the cache already. damaged: files of the cache that held no whole result and were replaced.
    """

    data: tuple[About, ...]
    cells: dict[Where, Cell]
    known: int
    damaged: tuple[str, ...] = ()


def experiment(
    plan: Plan,
    places: Sequence[DataSource],
    folder: Path,
    *,
    jobs: int = 1,
    cluster: Any = None,
    progress: Progress = silent,
) -> Found:
    """Run a plan on data sets; `folder` keeps what is found, so that a run that was stopped goes on where it was.

    jobs: processes; cluster: in their place, as `workers` takes it; they change no result. A method that fails on a fold is told
    in its cell, which is not kept. The folder is made where it is missing, and removed again if the work fails before the first
    result.
    Errors: FormatError and FileError of the data and the folder; ParameterError where two data sets have one name, one has fewer
    rows than there are folds, or an extra is missing.
    """
    versions_for(*(method.sampler for method in plan.methods), *plan.learners)
    names = [place.name for place in places]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"two data sets are called {twice}: rename one")
    with made_folder(folder), workers(jobs, cluster) as working:
        return _found(plan, places, Cells(folder), working, progress)


def _found(plan: Plan, places: Sequence[DataSource], cache: Cells, working: Workers, progress: Progress) -> Found:
    data = tuple(about(place, plan.folds) for place in places)
    units = [unit for place, one in zip(places, data, strict=True) for unit in _units(plan, place, one.sha256)]
    cells = {_where(unit, title(learner)): cache.load(key(plan, unit, learner)) for unit in units for learner in unit.learners}
    known = sum(cell is not None for cell in cells.values())
    left = [part for unit in units if (part := _missing(unit, cells)).learners]
    done = (working if len(left) > 1 else Here()).done(run, [(unit, (plan, unit)) for unit in left])
    for unit, found in track(progress, "run", done, len(left)):
        cells.update({_where(unit, learner): cell for learner, cell in found.items()})
        _keep(cache, plan, unit, found)
    return Found(data, {where: cell for where, cell in cells.items() if cell is not None}, known, tuple(cache.damaged))


def about(place: DataSource, folds: int) -> About:
    """What the results say of a data set. Errors: ParameterError where it has fewer rows than there are folds."""
    loaded = place.load()
    data = loaded.dataset
    if data.n < folds:
        raise ParameterError(f"{place.path}: {folds} folds need at least as many rows, and there are {data.n}")
    return About(place.name, data.origin.file, data.n, data.d_used, data.q, data.origin.labels_from, loaded.digest, data.warnings)


def _units(plan: Plan, place: DataSource, digest: str) -> Iterator[Unit]:
    for (repeat, fold), method in product(plan.splits, plan.methods):
        yield Unit(place, digest, repeat, fold, method, plan.learners)


def _where(unit: Unit, learner: str) -> Where:
    return Where(unit.place.name, unit.repeat, unit.fold, unit.method.title, learner)


def _missing(unit: Unit, cells: dict[Where, Cell | None]) -> Unit:
    """The unit with the learners that have no cell yet."""
    return unit._replace(learners=tuple(one for one in unit.learners if cells[_where(unit, title(one))] is None))


def _keep(cache: Cells, plan: Plan, unit: Unit, found: dict[str, Cell]) -> None:
    """Store what did not fail: a failure is tried again by the next run."""
    for learner in unit.learners:
        if found[title(learner)]["error"] is None:
            cache.save(key(plan, unit, learner), found[title(learner)])
