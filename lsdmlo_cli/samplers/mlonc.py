"""MLONC: oversampling between natural neighbours of a label's positives, labels by co-occurrence (Liu et al., 2025)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.numeric.matrix import take
from lsdmlo_cli.numeric.natural_neighbors import natural_neighbors
from lsdmlo_cli.numeric.synthesis import Interpolation, with_ancestors
from lsdmlo_cli.parameters import ROWS, Option, P, Ratio
from lsdmlo_cli.progress import track
from lsdmlo_cli.samplers.base import (
    Batch,
    Sample,
    Sampler,
    apportion,
    each_batch,
    label_rows,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, between, inherited, new_features
from lsdmlo_cli.samplers.publication import Publication


@dataclass(frozen=True)
class MLONCSampler(Sampler):
    """Makes rows for each minority label between natural neighbours among its positives.

    Label j gets floor(floor(p n) ImR_j / sum of ImR over minority labels) rows, ImR_j = max(n_j, n - n_j) / min(n_j, n - n_j).
    Its positives with natural neighbours (numeric/natural_neighbors.py) are the seeds, those with the fewest first, again
    and again; the others are noise. The reference is one of the seed's natural neighbours; numbers lie between, nominal
    values are the seed's. Labels: where the parents agree, theirs. Else let rel(l) be the label that occurs most often
    with l: l is set if the seed has rel(l) or the new row has it already; what the parents agree on is known from the
    start, the rest follows by falling co-occurrence of l and rel(l), ties in label order.

    Other than in the published code, budgets belong to labels also where one is skipped (a single positive, or noise
    alone), and the result does not depend on the order of labels. `redistribute`: budgets are shared among the labels that have
    seeds, without a remainder. Otherwise fewer than floor(p n) rows are made.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlonc"
    summary: ClassVar[str] = "makes rows between natural neighbours of a minority label, labels by co-occurrence"
    publication: ClassVar[Publication] = Publication(
        authors=("Bin Liu", "Ao Zhou", "B. Wei", "Jin Wang", "Grigorios Tsoumakas"),
        title="Oversampling multi-label data based on natural neighbor and label correlation",
        venue="Expert Systems with Applications",
        year=2025,
        volume="259:125257",
        doi="10.1016/j.eswa.2024.125257",
    )

    p: Annotated[Ratio | None, P] = 0.1
    redistribute: Annotated[bool, Option("Distribute the rows of labels without a seed among the other labels.")] = False
    interpolation: Annotated[Interpolation, INTERPOLATION] = "attribute"
    rows: Annotated[int | None, ROWS] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        requested = wanted_rows(self, analysis.dataset.n)
        if not analysis.minority.any():
            return unchanged(analysis, requested)
        minority = np.flatnonzero(analysis.minority).tolist()
        near = {j: _natural(analysis, j) for j in track(analysis.progress, "natural neighbours", minority, len(minority))}
        budgets = self._budgets(analysis, requested, [j for j in minority if near[j].nnz])
        reason = "rows are lost to rounding and to labels without a seed" + "; try --redistribute" * (not self.redistribute)
        made = sum(budgets.values())
        return Sample(self._batches(analysis, near, budgets, rng), requested, reason=reason if made < requested else "")

    def _budgets(self, analysis: Analysis, requested: int, with_seeds: list[int]) -> dict[int, int]:
        """Rows for each label that has seeds."""
        n, counts = analysis.dataset.n, analysis.dataset.counts.tolist()
        sides = {j: sorted((counts[j], n - counts[j])) for j in np.flatnonzero(analysis.minority).tolist()}
        ratio = {j: Fraction(larger, smaller) for j, (smaller, larger) in sides.items()}
        if self.redistribute:
            shares = apportion(requested, [ratio[j] for j in with_seeds]) if with_seeds else []
            return dict(zip(with_seeds, shares, strict=True))
        total = sum(ratio.values(), Fraction(0))
        return {j: int(requested * ratio[j] / total) for j in with_seeds}

    def _batches(
        self, analysis: Analysis, near: dict[int, scipy.sparse.csr_array], budgets: dict[int, int], rng: np.random.Generator
    ) -> Iterator[Batch]:
        data = analysis.dataset
        related = Related(data.Y)
        for j, budget in budgets.items():
            bag, mutual = analysis.positives(j), near[j]
            size = np.diff(mutual.indptr)
            order = np.argsort(size, kind="stable")
            order = order[size[order] > 0]
            for part, child in each_batch(budget, rng):
                place = order[np.arange(part.start, part.stop) % len(order)]
                choice = mutual.indptr[place] + (child.random(len(place)) * size[place]).astype(np.int64)
                seeds, references = bag[place].astype(np.int64), bag[mutual.indices[choice]].astype(np.int64)
                numbers = between(data, seeds, references, self.interpolation, child)
                X = new_features(data, seeds, numbers, inherited(data, seeds))
                Y = related.settle(label_rows(data, seeds), label_rows(data, references))
                yield Batch(X, with_ancestors(Y, data.parents), seeds, references, np.full(len(seeds), j))


class Related:
    """rel(l), (q,), -1 for a label that occurs with no other, and the order in which disputed labels are settled."""

    def __init__(self, Y: scipy.sparse.csr_array) -> None:
        together = scipy.sparse.csr_array(Y.T @ Y)
        together.setdiag(0)
        together.eliminate_zeros()
        most = together.max(axis=1).toarray().ravel()
        partner = together.argmax(axis=1).ravel()
        self.label = np.where(most > 0, partner, -1)
        self.order = np.argsort(-most, kind="stable")

    def settle(self, y_seed: np.ndarray, y_reference: np.ndarray) -> np.ndarray:
        """(m, q) bool: the labels of new rows from those of their parents."""
        Y = y_seed & y_reference
        disputed = y_seed != y_reference
        for j in self.order[disputed.any(axis=0)[self.order]].tolist():
            other = self.label[j]
            if other >= 0:
                Y[:, j] |= disputed[:, j] & (y_seed[:, other] | Y[:, other])
        return Y


def _natural(analysis: Analysis, label: int) -> scipy.sparse.csr_array:
    bag = analysis.positives(label)
    if len(bag) < 2:
        return scipy.sparse.csr_array((len(bag), len(bag)), dtype=bool)
    return natural_neighbors(take(analysis.E, bag), threads=analysis.threads)
