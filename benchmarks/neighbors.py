"""Nearest rows by Euclid and by the labels' own distances, against scikit-learn's brute force in float64.

scikit-learn sees the rows times sqrt(theta); for sparse data it has the faster of its dense and its sparse way. It rounds and
breaks ties as it comes, so distances are compared, not rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import chain

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks import data
from lsdmlo_cli import Analysis
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.neighbors import LabelSearch, Search, batches
from lsdmlo_cli.numeric.rows import grouped
from lsdmlo_cli.numeric.threads import mapping

K = 5
WANTED_EUCLID = 1.7
WANTED_LABELS = 5
WANTED_THREADS = 1.6
WANTED_SHARE = 65
PRODUCT_ROWS = 2048
ROWS, COLUMNS = 12_000, 500
LABELS = {"Corel5k": (4, 6), "tmc2007-500": (11, 2)}
LABELS_FULL = {"Corel5k": (1, 5), "tmc2007-500": (3, 2), "delicious": (40, 3)}
"""Data sets, how many labels are passed over for each one that is measured, and how often these are: the more, the shorter."""
HEAD = ["data", "threads", "s", "scikit-learn s", "times faster", "wanted", "met"]


def table(full: bool) -> str:
    """Seconds of both and their ratio, on one thread and on all."""
    return "\n".join([euclid(full), product(), labels(full), threads(full)])


def euclid(full: bool) -> str:
    """Every row among all others."""
    sets = _made_up()
    names = ("Corel5k", "tmc2007-500", "rcv1subset1") if full else ("scene", "Corel5k")
    sets |= {name: data.load(name)[0] for name in names}
    rows = [
        _compared(name, count, lambda E=E, count=count: of_all(E, count), _peers(E), WANTED_EUCLID)
        for name, E in sets.items()
        for count in _counts()
    ]
    return data.markdown(f"Neighbours by Euclid, k = {K}", HEAD, rows)


def product() -> str:
    """Operations a second beside those of the float64 product alone, which every pair of rows takes part in once."""
    (name, E), *_ = _made_up().items()
    n, e = E.shape
    giga = 2e-9 * n * n * e
    rows = []
    for count in _counts():
        with threadpool_limits(count):
            own, alone = data.best_of_each(2, lambda count=count: of_all(E, count), lambda: _product(E))
        rates = [f"{giga / seconds:.0f}" for seconds in (own, alone)]
        rows.append([name, str(count), *rates, *data.verdict(100 * alone / own, WANTED_SHARE)])
    head = ["data", "threads", "GFLOP/s", "float64 product GFLOP/s", "percent", "wanted", "met"]
    note = "Counted one-sided, as if every distance were computed; the search needs half of them, and those in single precision."
    return data.markdown("Neighbours by Euclid beside a matrix product", head, rows, note)


def labels(full: bool) -> str:
    """The positives of each label among all rows, by the label's own distance; labels are spread over the threads."""
    sets = LABELS_FULL if full else LABELS
    rows = [row for name, (step, times) in sets.items() for row in _compared_by_label(name, step, times)]
    return data.markdown(f"Neighbours by the labels' own distances, k = {K}", HEAD, rows)


def threads(full: bool) -> str:
    """What a second thread gives."""
    if data.THREADS == 1:
        return data.markdown("Neighbours on more threads", ["this process has one core"], [])
    runs = [(name, 3, partial(of_all, E)) for name, E in _made_up().items()]
    for name, (step, times) in (LABELS_FULL if full else LABELS).items():
        E, searches = _searches(name, step)
        runs.append((f"{name}, {len(searches)} labels", 2 * times, partial(_own_by_label, E, searches)))
    rows = []
    for name, times, run in runs:
        one, two = data.best_of_each(times, partial(run, 1), partial(run, 2))
        rows.append([name, data.short(one), data.short(two), *data.verdict(one / two, WANTED_THREADS)])
    head = ["data", "1 s", "2 s", "times faster", "wanted", "met"]
    return data.markdown("Neighbours on two threads", head, rows, "By Euclid, and by the labels' own distances.")


def _made_up() -> dict[str, Matrix]:
    rng = np.random.default_rng(11)
    grid = (rng.random((ROWS, COLUMNS)) < 0.045) * 1.0
    return {
        f"floats, {ROWS} x {COLUMNS}": rng.normal(size=(ROWS, COLUMNS)),
        f"0/1 dense, {ROWS} x {COLUMNS}": grid,
        f"0/1 sparse, {ROWS} x {COLUMNS}": csr_array(grid),
    }


def _counts() -> list[int]:
    return sorted({1, min(2, data.THREADS)})


def _compared(
    name: str, count: int, own: Callable[[], np.ndarray], peers: list[Callable[[], np.ndarray]], wanted: float, times: int = 2
) -> list[str]:
    def check(found: np.ndarray, *others: np.ndarray) -> None:
        for other in others:
            np.testing.assert_allclose(found, other, rtol=1e-6, atol=1e-6 * np.abs(found).max(), err_msg=name)

    with threadpool_limits(count):
        mine, *theirs = data.best_of_each(times, own, *peers, check=check)
    return [name, str(count), data.short(mine), data.short(min(theirs)), *data.verdict(min(theirs) / mine, wanted)]


@cache
def _searches(name: str, step: int) -> tuple[Matrix, list[tuple[np.ndarray, np.ndarray]]]:
    """E, and the positives and weights of some labels, in the order in which `batches` takes them."""
    analysis = Analysis(data.dataset(name))
    chosen = np.flatnonzero(analysis.dataset.counts)[::step]
    ordered = chain.from_iterable(batches(analysis.E, chosen.tolist(), analysis.dataset.counts[chosen], 1))
    return analysis.E, [(analysis.positives(j), analysis.thetas([j])[0]) for j in ordered]


def _compared_by_label(name: str, step: int, times: int) -> list[list[str]]:
    E, searches = _searches(name, step)
    peers = [partial(_peer_by_label, E, searches, form) for form in _forms(E)]
    title = f"{name}, {len(searches)} labels"
    return [
        _compared(title, count, partial(_own_by_label, E, searches, count), peers, WANTED_LABELS, times) for count in _counts()
    ]


def _product(E: np.ndarray) -> None:
    for start in range(0, len(E), PRODUCT_ROWS):
        E[start : start + PRODUCT_ROWS] @ E.T


def of_all(E: Matrix, count: int) -> np.ndarray:
    """Squared distances of every row to its K nearest others, (n, K), on so many threads."""
    with threadpool_limits(1, user_api="blas"):
        return Search(E, threads=count).of_all(K).squared_distance


def _own_by_label(E: Matrix, searches: list[tuple[np.ndarray, np.ndarray]], count: int) -> np.ndarray:
    def search(part: list[int]) -> np.ndarray:
        positives, theta = zip(*(searches[place] for place in part), strict=True)
        rows, label = grouped(positives)
        return LabelSearch(E, np.stack(theta)).of_rows(rows, label, K).squared_distance

    parts = batches(E, range(len(searches)), np.array([len(rows) for rows, _ in searches]), count)
    with mapping(count) as run:
        return np.concatenate(list(run(search, parts)))


def _forms(E: Matrix) -> list[Callable[[Matrix], Matrix]]:
    if isinstance(E, np.ndarray):
        return [lambda rows: rows]
    return [lambda rows: rows, lambda rows: rows.toarray()]


def _peers(E: Matrix) -> list[Callable[[], np.ndarray]]:
    return [lambda form=form: brute(form(E), None) for form in _forms(E)]


def _peer_by_label(E: Matrix, searches: list[tuple[np.ndarray, np.ndarray]], form: Callable[[Matrix], Matrix]) -> np.ndarray:
    found = []
    for rows, theta in searches:
        root = np.sqrt(theta)[np.newaxis]
        weighted = form(E * root if isinstance(E, np.ndarray) else csr_array(E.multiply(root)))
        found.append(brute(weighted, rows))
    return np.concatenate(found)


def brute(E: Matrix, rows: np.ndarray | None) -> np.ndarray:
    """Squared distances to the K nearest others; a row's own 0 is dropped, which may be that of its duplicate."""
    search = NearestNeighbors(n_neighbors=K if rows is None else K + 1, algorithm="brute").fit(E)
    distances, _ = search.kneighbors(None if rows is None else E[rows])
    return distances[:, -K:] ** 2
