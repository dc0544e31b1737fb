"""How imbalanced data is around its positives, before and after resampling: LImb_j and LImb_LSD_j of each label.

All positives are looked at (`--measures all`), none (`fast`), or a seeded sample of each label's (`sampled`), which
gives the means a standard error:

    LImb = mean_j LImb_j,   se^2 = sum_j se_j^2 / q'^2,   se_j^2 = s_j^2 / m_j (1 - m_j / n_j)

with m_j of label j's n_j positives sampled without replacement, s_j^2 the variance of their shares and q' labels with a positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.analysis.analysis import Analysis, matrix_bytes
from lsdmlo_cli.numeric.instance_weights import lacking_neighbors
from lsdmlo_cli.numeric.labelsets import by_label
from lsdmlo_cli.numeric.matrix import Matrix, Stack, stacked, take, walk
from lsdmlo_cli.numeric.neighbors import WORTH_THREADS, Neighbors, batches, joined, nearest, nearest_by_label, nobody, taken
from lsdmlo_cli.numeric.rows import grouped
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.progress import track


@dataclass(frozen=True)
class Picture:
    """Labels Y (n, q) and how imbalanced they are around their positives.

    limb, limb_lsd: (q,) LImb_j by Euclidean and by the labels' own distances, NaN where not defined. limb_se, limb_lsd_se:
    (q,) standard errors of both, 0 where every positive was looked at. features: (q,) how many weights of a label are
    not 0, None where none were learned.
    """

    d: int
    Y: scipy.sparse.csr_array
    limb: np.ndarray
    limb_lsd: np.ndarray
    limb_se: np.ndarray
    limb_lsd_se: np.ndarray
    features: np.ndarray | None


def before(analysis: Analysis) -> Picture:
    """The data set as it is."""
    return _picture(analysis, analysis.dataset.Y, None, None)


def after(analysis: Analysis, E: Matrix | None, Y: scipy.sparse.csr_array, keep: np.ndarray | None = None) -> Picture:
    """The rows of the data set that stay, new rows E (m, e), Y (m, q) behind them, under the encoding and weights of before.

    keep: (n,) bool, None for all. E is None where there is no new row, or where nothing is measured. A list of neighbours
    found before of which every row stays is used again, one that lost a row is searched anew; both are merged with the
    new rows, which are searched in full.
    """
    old = analysis.dataset.Y if keep is None else analysis.dataset.Y[np.flatnonzero(keep)]
    Y = stacked([old, Y])  # in the place of the new rows' own
    return _picture(analysis, Y, keep, E)


@dataclass(frozen=True)
class _Rows:
    """The rows that are measured, numbered from 0: those that stay, then the new ones.

    keep: (n,) bool, the rows of the data set that stay, None for all. old: (n', e) their encoded features. new: (m, e) those
    of the new rows, None without one.
    """

    keep: np.ndarray | None
    old: Matrix
    new: Matrix | None

    @property
    def total(self) -> int:
        """How many rows are measured."""
        return int(self.old.shape[0]) + (0 if self.new is None else int(self.new.shape[0]))

    @property
    def searched(self) -> int:
        """Among how many rows most neighbours are still to be found."""
        return int((self.old if self.new is None else self.new).shape[0])

    def original(self, rows: np.ndarray) -> np.ndarray:
        """The rows of the data set behind rows that stay."""
        return rows if self.keep is None else np.flatnonzero(self.keep)[rows]


def _rows(analysis: Analysis, keep: np.ndarray | None, E: Matrix | None) -> _Rows:
    if keep is None:
        return _Rows(None, analysis.E, E)
    stack = Stack(analysis.E.shape[1], matrix_bytes(analysis.memory_bytes), isinstance(analysis.E, np.ndarray))
    for rows, part in walk(analysis.E):
        stack.append(part[np.flatnonzero(keep[rows])])
    return _Rows(keep, stack.finish(), E)


def _picture(analysis: Analysis, Y: scipy.sparse.csr_array, keep: np.ndarray | None, E: Matrix | None) -> Picture:
    figures = np.full((4, Y.shape[1]), np.nan)
    if analysis.settings.measures != "fast" and analysis.has_neighbors and Y.shape[0] >= 2:
        _measure(analysis, Y, _rows(analysis, keep, E), figures)
    limb, limb_lsd, limb_se, limb_lsd_se = figures
    return Picture(analysis.dataset.d_used, Y, limb, limb_lsd, limb_se, limb_lsd_se, analysis.features_per_label)


def _measure(analysis: Analysis, Y: scipy.sparse.csr_array, data: _Rows, figures: np.ndarray) -> None:
    """Fill figures (4, q) in: LImb_j, LImb_LSD_j and their standard errors, for the labels that have a positive."""
    columns = analysis.by_column if Y is analysis.dataset.Y else by_label(Y)
    labels = np.flatnonzero(np.diff(columns.indptr)).tolist()
    if not labels:
        return
    positives = {j: columns.indices[columns.indptr[j] : columns.indptr[j + 1]] for j in labels}
    rows = {j: _looked_at(analysis, j, positives[j]) for j in labels}
    n = data.old.shape[0]
    seen = np.unique(np.concatenate(list(rows.values())))
    counts = np.array([len(rows[label]) for label in labels])
    parts = analysis.threads * (4 if data.new is None else 2)  # fewer, where most is known
    together = batches(data.old, labels, counts, parts, data.searched)
    labels = list(chain.from_iterable(together))

    def shares(batch: list[int], which: np.ndarray, near: np.ndarray) -> np.ndarray:
        return np.column_stack(_shares(which, near, [positives[label] for label in batch], Y.shape[0]))

    def limb(_: None) -> np.ndarray:
        near, found = _by_euclid(analysis, seen, data).index, []
        for batch in together:
            own, which = grouped([rows[label] for label in batch])
            found.append(shares(batch, which, near[np.searchsorted(seen, own)]))
        return np.vstack(found)

    def limb_lsd(batch: list[int]) -> np.ndarray:
        asked = _asked(analysis, batch, rows, n)
        return shares(batch, asked.which, _around(analysis, asked, data).index)

    analysis.Theta  # noqa: B018  (found before the threads start)
    stage = "neighbours by label" if data.new is None else "neighbours by label, new rows too"
    with mapping(analysis.threads) as run:
        # A long search has the threads to itself, a short one is one of the things done side by side.
        euclid = [limb(None)] if _is_long(data) else run(limb, [None])
        found = chain.from_iterable(run(limb_lsd, together))
        for label, figure in zip(labels, track(analysis.progress, stage, found, len(labels)), strict=True):
            figures[1::2, label] = figure
        figures[0::2, labels] = np.vstack(list(euclid)).T


def _is_long(data: _Rows) -> bool:
    """Whether the neighbours of all rows by Euclidean distance are worth more than one thread."""
    return data.total * data.searched > WORTH_THREADS


def _shares(which: np.ndarray, near: np.ndarray, positives: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each label (l,) the mean share of its rows' neighbours that lack it, and the standard error of that mean.

    which: (m,) the label of each row. near: (m, k) its neighbours. positives: of each label, among n rows. The error is that of
    a mean of rows drawn without replacement: 0 where they are all positives.
    """
    lacking, k = lacking_neighbors(which, near, positives, n), near.shape[1]
    rows, total, squares = (np.bincount(which, weights, len(positives)) for weights in (None, lacking, lacking**2))
    variance = np.maximum(squares - total**2 / rows, 0) / np.maximum(rows - 1, 1)
    left_out = 1 - rows / [len(own) for own in positives]
    return total / (k * rows), np.sqrt(variance / rows * left_out) / k


def _looked_at(analysis: Analysis, label: int, positives: np.ndarray) -> np.ndarray:
    """The positives that are measured: all, or a sample that depends on the seed, the label and their number alone."""
    size = analysis.settings.sample
    if analysis.settings.measures != "sampled" or len(positives) <= size:
        return positives
    rng = np.random.default_rng([analysis.settings.seed, label, len(positives)])
    return positives[np.sort(rng.choice(len(positives), size, replace=False))]


class _Asked(NamedTuple):
    """Rows (m,), those that stay before the new ones, each under one of some labels, or all by Euclidean distance.

    which: (m,) the label of each row, as a place in labels; the rows of each label rise. theta: (l, e) the labels' own
    weights, None is the Euclidean distance.
    """

    rows: np.ndarray
    which: np.ndarray
    labels: tuple[int, ...] = ()
    theta: np.ndarray | None = None

    def part(self, some: slice | np.ndarray) -> _Asked:
        return self._replace(rows=self.rows[some], which=self.which[some])


def _asked(analysis: Analysis, labels: list[int], rows: dict[int, np.ndarray], n: int) -> _Asked:
    """The rows of some labels; the first n stay."""
    every, which = grouped([rows[label] for label in labels])
    order = np.argsort(every >= n, kind="stable")
    return _Asked(every[order], which[order], tuple(labels), analysis.thetas(labels))


def _by_euclid(analysis: Analysis, seen: np.ndarray, data: _Rows) -> Neighbors:
    """The neighbours of rows (m,), rising, by Euclidean distance; of all at once, so that a product serves old and new ones."""
    n = data.old.shape[0]
    if data.new is None or analysis.settings.measures == "sampled":
        cut = np.searchsorted(seen, n)  # searched apart, so that no copy of all rows is made
        parts = [_euclid(part) for part in (seen[:cut], seen[cut:]) if len(part)]
        return joined([_around(analysis, part, data) for part in parts], _width(analysis, data))
    new = np.arange(n, n + data.new.shape[0])
    known = joined([_among_old(analysis, _euclid(np.arange(n)), data), nobody(len(new), 0)], _width(analysis, data))
    known = _nearest(analysis, _euclid(new), data.new, data.old, known=known, first=n)
    known.index[n:], known.squared_distance[n:] = _nearest(
        analysis, _euclid(new), data.new, data.new, new, known=taken(known, slice(n, None)), first=n
    )
    return taken(known, seen)


def _euclid(rows: np.ndarray) -> _Asked:
    return _Asked(rows, np.zeros_like(rows))


def _width(analysis: Analysis, data: _Rows) -> int:
    """How many neighbours a row has."""
    return min(analysis.k, data.total - 1)


def _around(analysis: Analysis, asked: _Asked, data: _Rows) -> Neighbors:
    """The neighbours of rows, old and new, among all that are measured."""
    n = data.old.shape[0]
    cut = np.count_nonzero(asked.rows < n)
    old, new = asked.part(slice(None, cut)), asked.part(slice(cut, None))
    among_old = _among_old(analysis, old, data)
    if data.new is None:
        return among_old
    queries = [_take(data.old, old.rows), _take(data.new, new.rows - n)]
    known = joined([among_old, _nearest(analysis, new, data.old, queries[1])], _width(analysis, data))
    return _nearest(analysis, asked, data.new, stacked(queries), asked.rows, known=known, first=n)


def _among_old(analysis: Analysis, asked: _Asked, data: _Rows) -> Neighbors:
    """The neighbours of rows that stay among those that stay: the lists found before where they lost no row."""
    known = _known(analysis, asked, data)
    if known is None:
        return _nearest(analysis, asked, data.old, _take(data.old, asked.rows), asked.rows)
    if data.keep is None:
        return known
    lost = ~data.keep[known.index].all(axis=1)
    again = asked.part(lost)
    anew = _nearest(analysis, again, data.old, _take(data.old, again.rows), again.rows)
    if lost.all():  # so that there may be fewer than k rows left
        return anew
    found = Neighbors((np.cumsum(data.keep) - 1)[known.index], known.squared_distance.copy())
    found.index[lost], found.squared_distance[lost] = anew
    return found


def _known(analysis: Analysis, asked: _Asked, data: _Rows) -> Neighbors | None:
    """The lists of rows of the data set that were found before, None where they were not (or are too many to be kept)."""
    rows = data.original(asked.rows)
    if asked.theta is not None:
        return analysis.known_neighbors(asked.labels, rows, asked.which)
    if analysis.settings.measures == "sampled":
        return None
    return taken(analysis.euclid, rows)


def _nearest(analysis: Analysis, asked: _Asked, E: Matrix, queries: Matrix, exclude: Any = None, **goes_on: Any) -> Neighbors:
    if asked.theta is None:
        return nearest(E, queries, analysis.k, exclude=exclude, threads=analysis.threads, **goes_on)
    return nearest_by_label(E, queries, analysis.k, asked.theta, asked.which, exclude, workspace=analysis.workspace, **goes_on)


def _take(matrix: Matrix, rows: np.ndarray) -> Matrix:
    """Some rows; the matrix itself, not a copy, where they are all of it, each once and in their order."""
    n = matrix.shape[0]
    return matrix if len(rows) == n and np.array_equal(rows, np.arange(n)) else take(matrix, rows)
