"""MLSMOTE: synthetic rows between positives of minority labels, labels by vote (Charte et al., 2015)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.numeric.encoding import NUMBER
from lsdmlo_cli.numeric.matrix import Matrix, label_matrix, stacked, take
from lsdmlo_cli.numeric.neighbors import Search
from lsdmlo_cli.numeric.synthesis import Interpolation, gather, vote, with_ancestors
from lsdmlo_cli.numeric.value_difference import Values, count_values, value_differences
from lsdmlo_cli.parameters import P_OR_EACH_SEED, ROWS_OR_EACH_SEED, Option, Ratio
from lsdmlo_cli.progress import track
from lsdmlo_cli.samplers.base import (
    Batch,
    Sample,
    Sampler,
    each_batch,
    is_told,
    joined,
    label_votes,
    one_of_each,
    unchanged,
    wanted_rows,
)
from lsdmlo_cli.samplers.cells import INTERPOLATION, Part, between, new_features, of_kind
from lsdmlo_cli.samplers.publication import Publication


class Bags(NamedTuple):
    """Seeds (m,), the labels (m,) in whose bags they are, and their neighbours there (m, k), -1 where there are fewer."""

    seeds: np.ndarray
    labels: np.ndarray
    neighbors: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """(m,) how many neighbours a seed has."""
        return (self.neighbors >= 0).sum(axis=1)


RANKING_TIES = Option("Whether to drop or keep a label that exactly half of the neighbours have.")
VDM_POWER = Option("Power of the value difference metric of nominal attributes, 1 or 2.")


@dataclass(frozen=True)
class MLSMOTESampler(Sampler):
    """Makes one row for each positive x of each minority label, with the k nearest positives N of that label.

    A reference is drawn from N; numbers lie between x and reference, nominal values are the most frequent in N (ties:
    declared first; none: that of x). Labels come from the counts C over x and N: `union` C > 0, `ranking` C > (|N| + 1) / 2,
    `intersection` C = |N| + 1. A label with one positive has no neighbour and is skipped.

    Distances are Euclidean on numbers with the value difference metric of nominal attributes added under the root
    (`vdm_power` 1, or 2: squared). Where sources conflict:

    - `ranking_ties="drop"`: more than half, as published; "keep": at least half, as in Mulan;
    - rows made for one label are not seen by the next, as in mldr.resampling, so that the order of labels does not matter.
      `see_new`, as published and in Mulan: labels in order, and a row made for one that has the next is a seed (without p and
      rows), a neighbour and a vote there like any other. It is named in the provenance by its own seed;
    - the ranges of `scale="range"` are those of the whole data (Mulan: those of each label's bag; with `see_new` and ties kept
      emotions grows to 1,449 rows there, to 1,435 here);
    - x itself has no vote on nominal values (Mulan: it has);
    - a minority label has an IRLbl above MeanIR (Mulan: or at it), and minority labels are those of the original data;
    - U is union and R is ranking, as in the text of the comparison, whose appendix has them the other way round.

    p, rows: without either a row for each seed; with p floor(p n) rows, with rows as many, all seeds as often as they go in
    and a random choice of them for the rest. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "mlsmote"
    summary: ClassVar[str] = "makes rows between positives of minority labels, with labels voted by the neighbours"
    publication: ClassVar[Publication] = Publication(
        authors=("Francisco Charte", "Antonio J. Rivera", "María J. del Jesus", "Francisco Herrera"),
        title="MLSMOTE: Approaching imbalanced multilabel learning through synthetic instance generation",
        venue="Knowledge-Based Systems",
        year=2015,
        volume="89:385-397",
        doi="10.1016/j.knosys.2015.07.019",
    )

    p: Annotated[Ratio | None, P_OR_EACH_SEED] = None
    strategy: Annotated[
        Literal["union", "ranking", "intersection"],
        Option(
            "Labels of a new row: those of the seed or any neighbour (union), of more than half of them "
            "(ranking), or of all (intersection)."
        ),
    ] = "ranking"
    ranking_ties: Annotated[Literal["drop", "keep"], RANKING_TIES] = "drop"
    vdm_power: Annotated[Literal[1, 2], VDM_POWER] = 1
    see_new: Annotated[
        bool,
        Option("Synthetic rows made for one label may serve as seeds and neighbours for later labels."),
    ] = False
    interpolation: Annotated[Interpolation, INTERPOLATION] = "attribute"
    rows: Annotated[int | None, ROWS_OR_EACH_SEED] = None

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Synthetic rows for the data set of an Analysis. Errors: DataError below two rows or without a feature."""
        analysis.require_neighbors()
        asked = wanted_rows(self, analysis.dataset.n)
        if not analysis.minority.any():
            return unchanged(analysis, asked)
        seeds, labels = _seeds(analysis)
        if len(seeds) == 0:
            return Sample((), asked, reason="no minority label has two positive rows")
        if is_told(self):
            chosen = spread(len(seeds), asked, rng)
            seeds, labels = seeds[chosen], labels[chosen]
        if self.see_new:
            return self._one_label_after_another(analysis, seeds, labels, rng)
        return Sample(self._batches(analysis, self._bags(analysis, seeds, labels), rng), len(seeds))

    def _one_label_after_another(
        self, analysis: Analysis, seeds: np.ndarray, labels: np.ndarray, rng: np.random.Generator
    ) -> Sample:
        """The rows of each label from data that holds those of the labels before it."""
        settings = replace(analysis.settings, k=analysis.k)
        data, origin = analysis.dataset, np.arange(analysis.dataset.n)
        made: list[Batch] = []
        minority = np.flatnonzero(analysis.minority).tolist()
        for j in track(analysis.progress, "labels", minority, len(minority)):
            grown = Analysis(data, settings, threads=analysis.threads, memory_bytes=analysis.memory_bytes)
            bag = grown.positives(j).astype(np.int64)
            mine = seeds[labels == j] if is_told(self) else bag
            if len(bag) < 2:
                continue
            batches = list(self._batches(grown, self._bags(grown, mine, np.full(len(mine), j)), rng))
            made += [replace(batch, seeds=origin[batch.seeds], references=origin[batch.references]) for batch in batches]
            data, origin = _grown(data, batches), np.append(origin, origin[mine])
        return Sample(made, sum(len(batch.seeds) for batch in made))

    def _bags(self, analysis: Analysis, seeds: np.ndarray, labels: np.ndarray) -> Bags:
        data = analysis.dataset
        neighbors = np.full((len(seeds), analysis.k), -1, dtype=np.int64)
        nominal = np.flatnonzero(of_kind(data, "nominal"))
        values = count_values(data.X, nominal, analysis.encoding.levels[nominal])
        present = np.unique(labels).tolist()
        for j in track(analysis.progress, "neighbours in bags", present, len(present)):
            bag, mine = analysis.positives(j), np.flatnonzero(labels == j)
            space, theta = self._space(analysis, bag, values)
            place = np.searchsorted(bag, np.unique(seeds[mine]))
            found = bag[Search(space, theta, analysis.threads).of_rows(place, analysis.k).index]
            neighbors[mine, : found.shape[1]] = found[np.searchsorted(bag[place], seeds[mine])]
        return Bags(seeds, labels, neighbors)

    def _space(self, analysis: Analysis, bag: np.ndarray, values: Values) -> tuple[Matrix, np.ndarray | None]:
        """Columns for the rows of a label's bag in which the weighted Euclidean distance is the method's, and their weights."""
        if len(values.columns) == 0:
            return take(analysis.E, bag), None
        encoding = analysis.encoding
        X = take(analysis.dataset.X, bag)
        differences, factor = value_differences(X, X, values, self.vdm_power)
        numbers = take(analysis.E, bag)[:, encoding.column[encoding.levels == NUMBER]]
        theta = np.concatenate([np.ones(numbers.shape[1]), factor])
        if isinstance(numbers, np.ndarray):
            return np.hstack([numbers, differences.toarray()]), theta
        space = scipy.sparse.csr_array(scipy.sparse.hstack([numbers, differences], format="csr"))
        space.sort_indices()
        return space, theta

    def _batches(self, analysis: Analysis, bags: Bags, rng: np.random.Generator) -> Iterator[Batch]:
        data = analysis.dataset
        for part, child in each_batch(len(bags.seeds), rng):
            mine = Bags(*(each[part] for each in bags))
            references = one_of_each(mine.neighbors, mine.size, child)
            numbers = between(data, mine.seeds, references, self.interpolation, child)
            X = new_features(data, mine.seeds, numbers, _most_frequent(analysis, mine))
            yield Batch(X, with_ancestors(self._labels(analysis, mine), data.parents), mine.seeds, references, mine.labels)

    def _labels(self, analysis: Analysis, bags: Bags) -> np.ndarray:
        """(m, q) bool: the labels that enough of seed and neighbours have."""
        counts = label_votes(analysis.dataset, np.column_stack([bags.seeds, bags.neighbors]))
        votes = bags.size[:, np.newaxis] + 1
        if self.strategy == "union":
            return counts > 0
        if self.strategy == "intersection":
            return counts == votes
        return 2 * counts >= votes if self.ranking_ties == "keep" else 2 * counts > votes


def _grown(data: Dataset, batches: list[Batch]) -> Dataset:
    """The data set with new rows behind its own."""
    new = joined(batches, data)
    X, Y = stacked([data.X, new.X]), stacked([data.Y, label_matrix(new.Y)])
    return replace(data, X=X, Y=Y, sparse_rows=np.append(data.sparse_rows, np.zeros(Y.shape[0] - data.n, dtype=bool)))


def _seeds(analysis: Analysis) -> tuple[np.ndarray, np.ndarray]:
    """Every positive of every minority label that has two or more, and the label."""
    labels = [j for j in np.flatnonzero(analysis.minority).tolist() if analysis.dataset.counts[j] > 1]
    bags = [analysis.positives(j).astype(np.int64) for j in labels]
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *bags]), np.repeat(np.array(labels, dtype=np.int64), [len(bag) for bag in bags])


def _most_frequent(analysis: Analysis, bags: Bags) -> Part:
    """Nominal values by the vote of the neighbours: ties to the value declared first, the seed's where none has a value."""
    absent = bags.neighbors < 0
    members = np.column_stack([bags.seeds, np.where(absent, bags.seeds[:, np.newaxis], bags.neighbors)])
    cells = gather(analysis.dataset.X, members, of_kind(analysis.dataset, "nominal"))
    own, codes = cells.values[:, 0], cells.values[:, 1:]
    unseen = np.full((len(codes), 1), np.nan)
    won = vote(np.hstack([unseen, np.where(absent[cells.row], np.nan, codes)]))
    return cells, np.where(np.isnan(won), own, won)


def spread(places: int, rows: int, rng: np.random.Generator) -> np.ndarray:
    """`rows` of the numbers below `places`, rising: each as often as all go in, the rest a random choice without repetition."""
    often, rest = divmod(rows, places)
    count = np.full(places, often)
    count[rng.choice(places, rest, replace=False)] += 1
    return np.repeat(np.arange(places), count)
