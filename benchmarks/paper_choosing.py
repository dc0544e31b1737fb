"""What it does to ranks that grid points are chosen by their score on the test rows: small data sets, mlknn, scale none.

score(method, point, repeat)   the mean of a metric over the two folds of a repeat
fixed        the point in the middle of the grid, p of the comparison of ranks and lambda1 = lambda2 = 1
by test      on each repeat the point with the best score on it, and that score
elsewhere    on each repeat the point with the best score on it, and its score on the next repeat

A method's figure is the mean over the repeats; its rank is among all methods, the mean over the paper's four metrics.

lsdmlo has p and both lambdas to choose from, the others p alone. `clones`: mlros with as many points as lsdmlo, each p under many
draws of the rows to clone, which differ by chance and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import paper_kept
from benchmarks.paper_figures import RANKS
from benchmarks.paper_plan import LAMBDAS, ROWS, SETTINGS, WITHOUT_AEMLO, method, place, ratio
from lsdmlo_cli.evaluation.learners import MLkNN
from lsdmlo_cli.evaluation.metrics import METRICS, RECOMMENDED
from lsdmlo_cli.evaluation.plan import Method, Tuning, generator
from lsdmlo_cli.evaluation.statistics import ranks
from lsdmlo_cli.evaluation.training import Halves, halves, resampled, trial
from lsdmlo_cli.evaluation.tuning import Point, grid
from lsdmlo_cli.folds import Fold, folds

SETS = ("flags", "emotions")
REPEATS = 4
SHOWN = tuple(RANKS)
CLONES = "clones"
DRAWS = len(LAMBDAS) ** 2
WAYS = ("fixed", "by test", "elsewhere")

Scores = dict[str, np.ndarray]
"""By method: (points, repeats, metrics), higher is better."""


def run(folder: Path, told: Callable[[str], None]) -> None:
    """Work out what the folder does not hold yet."""
    for name in SETS:
        if paper_kept.load(folder, _file(name)) is None:
            paper_kept.keep(folder, _file(name), {title: values.tolist() for title, values in scores(name).items()})
            told(f"choosing, {name}: {len(WITHOUT_AEMLO)} methods with mlknn at every point of their grids, {REPEATS}x2")


def kept(folder: Path, name: str) -> Scores | None:
    """The scores of a data set, None where they have not been worked out."""
    found = paper_kept.load(folder, _file(name))
    return None if found is None else {title: np.array(values) for title, values in found.items()}


def _file(name: str) -> str:
    return f"choosing-{name}-{REPEATS}x2-{len(LAMBDAS)}"


def scores(name: str) -> Scores:
    """The scores of every method of the paper but aemlo, and those of the clones."""
    data = place(name).load().dataset
    found: dict[str, dict[tuple[int, int], list[list[float]]]] = {title: {} for title in (*WITHOUT_AEMLO, CLONES)}
    for fold in folds(data.Y, 2, REPEATS, 0):
        parts = halves(data, fold.test, SETTINGS)
        for title in WITHOUT_AEMLO:
            found[title][fold.repeat, fold.fold] = list(_tried(parts, fold, method(title), points(name, title)))
        cloned = [list(_tried(parts, fold, method("mlros"), points(name, "mlros"), draw)) for draw in range(DRAWS)]
        found[CLONES][fold.repeat, fold.fold] = [score for tried in cloned for score in tried]
    return {title: _over_folds(values) for title, values in found.items()}


def points(name: str, title: str) -> list[Point]:
    """The points of the paper's grid that are tried; of the lambdas every third power of two."""
    every = grid(method(title), ROWS[name], Tuning(), 0)
    return [point for point in every if {point.lambda1, point.lambda2} <= {None, *LAMBDAS}]


def middle(name: str, title: str) -> int:
    """Which of the points is the fixed one."""
    every = points(name, title)
    return 0 if len(every) == 1 else next(i for i, point in enumerate(every) if _is_middle(point, ratio(name, title)))


def _is_middle(point: Point, p: object) -> bool:
    return point.p == p and {point.lambda1, point.lambda2} <= {None, 1.0}


def _tried(parts: Halves, fold: Fold, one: Method, tried: list[Point], draw: int = 0) -> Iterator[list[float]]:
    """The score of each point on one fold; the first draw is that of `lsdmlo evaluate`."""
    analysis, learner, at = parts.analysis, MLkNN(), (fold.repeat, fold.fold)
    for point in tried:
        settings = point.settings(SETTINGS)
        analysis = analysis if settings == analysis.settings else analysis.with_settings(settings)
        rng = generator(0, "sampler", one.name, *at, *([draw] if draw else []))
        made = resampled(analysis, point.sampler(one.sampler), rng)
        values = trial(parts, made, learner, generator(0, "learner", learner.name, *at), RECOMMENDED).values
        yield [_higher_is_better(metric, values[metric]) for metric in SHOWN]


def _higher_is_better(metric: str, value: float | None) -> float:
    if value is None:
        return -np.inf
    return value if METRICS[metric].higher_is_better else -value


def _over_folds(values: dict[tuple[int, int], list[list[float]]]) -> np.ndarray:
    return np.stack([np.mean([values[repeat, fold] for fold in (1, 2)], axis=0) for repeat in range(1, REPEATS + 1)], axis=1)


def average_ranks(found: Scores, fixed: dict[str, int]) -> dict[str, dict[str, float]]:
    """For each of WAYS the rank of each method, the mean over the metrics.

    fixed: the point of each method that is not chosen. Ties share the mean rank.
    """
    by_way: dict[str, dict[str, float]] = {}
    for way in WAYS:
        figures = np.array([_figures(values, fixed[title], way) for title, values in found.items()])
        placed = ranks(figures.T, higher_is_better=True).mean(axis=0)
        by_way[way] = dict(zip(found, placed.tolist(), strict=True))
    return by_way


def _figures(values: np.ndarray, fixed: int, way: str) -> list[float]:
    """The figure of a method by each metric; values (points, repeats, metrics)."""
    _, repeats, metrics = values.shape
    if way == "fixed":
        return [float(figure) for figure in values[fixed].mean(axis=0)]
    best, step = values.argmax(axis=0), 0 if way == "by test" else 1
    return [
        fmean(float(values[best[repeat, metric], (repeat + step) % repeats, metric]) for repeat in range(repeats))
        for metric in range(metrics)
    ]


def fields(name: str, found: Scores) -> Iterator[tuple[str, Scores, dict[str, int]]]:
    """Who is ranked with whom: a title, the scores, and the fixed points.

    First lsdmlo has its whole grid; then lsdmlo has p alone, and mlros as many points as lsdmlo had.
    """
    fixed = {title: middle(name, title) for title in WITHOUT_AEMLO}
    yield "the paper's grids", {title: found[title] for title in WITHOUT_AEMLO}, fixed
    alone = [i for i, point in enumerate(points(name, "lsdmlo")) if {point.lambda1, point.lambda2} == {1.0}]
    cloned = {title: found[title] for title in WITHOUT_AEMLO} | {"lsdmlo": found["lsdmlo"][alone], "mlros": found[CLONES]}
    yield "many points for clones", cloned, fixed | {"lsdmlo": alone.index(fixed["lsdmlo"])}
