"""MLRkNNOS: oversampling along reverse neighbours, other labels by classifiers (Sadhukhan & Palit, 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.matrix import Matrix, stacked
from lsdmlo_cli.numeric.synthesis import with_ancestors
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.progress import track
from lsdmlo_cli.samplers.base import (
    Batch,
    Sample,
    Sampler,
    apportion,
    batch_sizes,
    each_batch,
    neighbors_within,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import between, flipped, new_features
from lsdmlo_cli.samplers.publication import Publication


class Parents(NamedTuple):
    """Of new rows: seeds, references and labels, (m,) each."""

    seeds: np.ndarray
    references: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class MLRkNNOSSampler(Sampler):
    """Makes rows for each label that fewer than half of the rows have, between positives and their reverse neighbours.

    Seeds are the positives that stand among the `k_reverse` nearest positives of another one; the reference is one of those
    others. Numbers lie between, one alpha for each attribute, nominal values are either parent's. The label is set; every
    other label of the row is predicted by a support vector machine (RBF) for it, trained on the original rows and the new
    rows of that label.

    The publication makes n - 2 n_j rows for each label, which multiplies the data by about q: here floor(p n) rows are shared
    in proportion to n - 2 n_j over the labels that have a seed. Needs scikit-learn: the extra [evaluate].

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range, or without
    scikit-learn.
    """

    name: ClassVar[str] = "mlrknnos"
    summary: ClassVar[str] = "makes rows along reverse neighbours of a label, other labels by support vector machines"
    publication: ClassVar[Publication] = Publication(
        authors=("Payel Sadhukhan", "Sarbani Palit"),
        title="Reverse-nearest neighborhood based oversampling for imbalanced, multi-label datasets",
        venue="Pattern Recognition Letters",
        year=2019,
        volume="125:813-820",
        doi="10.1016/j.patrec.2019.08.009",
    )

    p: Annotated[Ratio | None, P] = 0.1
    k_reverse: Annotated[int, Option("Number of neighbours in the reverse neighbour lists.", least=1)] = 3
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        machine = _support_vector_machine()
        n, counts = analysis.dataset.n, analysis.dataset.counts.tolist()
        requested = wanted_rows(self, n)
        rare = [j for j, count in enumerate(counts) if count > 1 and 2 * count < n]
        if not rare:
            return Sample((), requested, reason="no label has at least two positive rows and fewer than half of all rows")
        shares = apportion(requested, [n - 2 * counts[j] for j in rare])
        parents = [self._parents(analysis, j, share, rng) for j, share in zip(rare, shares, strict=True)]
        return Sample(_batches(analysis, Parents(*map(np.concatenate, zip(*parents, strict=True))), machine, rng), requested)

    def _parents(self, analysis: Analysis, label: int, rows: int, rng: np.random.Generator) -> Parents:
        bag = analysis.positives(label).astype(np.int64)
        lists = np.searchsorted(bag, neighbors_within(analysis, bag, self.k_reverse))
        k = lists.shape[1]
        order = np.argsort(lists.ravel(), kind="stable")
        named_by = order // k
        size = np.bincount(lists.ravel(), minlength=len(bag))
        start = np.append(0, np.cumsum(size))
        candidates = np.flatnonzero(size)
        place = candidates[rng.integers(len(candidates), size=rows)]
        other = named_by[start[place] + (rng.random(rows) * size[place]).astype(np.int64)]
        return Parents(bag[place], bag[other], np.full(rows, label))


def _batches(analysis: Analysis, parents: Parents, machine: Any, rng: np.random.Generator) -> Iterator[Batch]:
    """The rows are all made first: the classifiers learn from them."""
    data = analysis.dataset
    made: list[Matrix] = []
    for part, child in each_batch(len(parents.seeds), rng):
        seeds, references = parents.seeds[part], parents.references[part]
        numbers = between(data, seeds, references, "attribute", child)
        made.append(new_features(data, seeds, numbers, flipped(data, seeds, references, child)))
    if not made:
        return
    X = stacked(made)
    Y = _predicted(analysis, analysis.encode(X), parents.labels, machine)
    start = 0
    for size in batch_sizes(len(Y)):
        part = slice(start, start + size)
        yield Batch(X[part], Y[part], *(parent[part] for parent in parents))
        start += size


def _predicted(analysis: Analysis, E: Matrix, labels: np.ndarray, machine: Any) -> np.ndarray:
    """(m, q) bool: the labels of new rows E (m, e) made for labels (m,)."""
    data = analysis.dataset
    Y = np.zeros((len(labels), data.q), dtype=bool)
    for j in track(analysis.progress, "classifiers", range(data.q), data.q):
        mine = labels == j
        Y[mine, j] = True
        if data.counts[j] in (0, data.n):
            Y[~mine, j] = data.counts[j] > 0
        elif not mine.all():
            known = np.concatenate([analysis.has_label(j), np.ones(np.count_nonzero(mine), dtype=bool)])
            model = machine(kernel="rbf").fit(_plain(stacked([analysis.E, E[mine]])), known)
            Y[~mine, j] = model.predict(_plain(E[~mine]))
    return with_ancestors(Y, data.parents)


def _plain(E: Matrix) -> Matrix:
    """E with the 32-bit indices that scikit-learn asks for."""
    if isinstance(E, np.ndarray):
        return E
    return scipy.sparse.csr_array((E.data, E.indices.astype(np.int32), E.indptr.astype(np.int32)), shape=E.shape)


def _support_vector_machine() -> Any:
    return optional("sklearn.svm", "mlrknnos needs scikit-learn", "evaluate").SVC
