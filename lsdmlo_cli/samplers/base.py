"""What every sampler is and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.checks import check_number, shown
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.numeric.matrix import Matrix, stacked, take
from lsdmlo_cli.numeric.measures import irlbl, mean_ir
from lsdmlo_cli.numeric.neighbors import Search
from lsdmlo_cli.parameters import Ratio, parameters
from lsdmlo_cli.samplers.publication import Publication

BATCH_ROWS = 256
"""New rows made at a time; fixed, since each batch draws from a generator of its own."""

ROUNDING = Fraction(1, 2**50)
"""By how much of itself a ratio may lie beside the quotient that was meant: four units in the last place of a double."""


@dataclass(frozen=True)
class Batch:
    """New rows with their parents.

    X: (m, d) as in Dataset. Y: (m, q) bool. seeds, references: (m,) rows of the original data, -1 without one. labels:
    (m,) the label for which a row was made and its reference chosen, -1 without one.
    """

    X: Matrix
    Y: np.ndarray
    seeds: np.ndarray
    references: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Sample:
    """A sampler's answer.

    keep: (n,) bool, the original rows that stay, None for all. batches: the new rows, made as they are asked for.
    requested: how many new rows were wanted. details: what else the report should say. to_remove: how many rows were to be
    removed, 0 where no number was asked for. labels_without_seed: how many minority labels with a positive could be the label
    of no new row, None where a method has no such notion. reason: why fewer rows come or go than were asked for, or why none
    does, as a clause for the user; empty otherwise. warnings: what else the user should be told, a sentence each.
    """

    batches: Iterable[Batch]
    requested: int
    keep: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    to_remove: int = 0
    labels_without_seed: int | None = None
    reason: str = ""
    warnings: Sequence[str] = ()

    @property
    def removed(self) -> int:
        """How many of the original rows do not stay."""
        return 0 if self.keep is None else int(np.count_nonzero(~self.keep))

    def kept(self, n: int) -> np.ndarray:
        """The original rows, of n, that stay, rising."""
        return np.arange(n) if self.keep is None else np.flatnonzero(self.keep)

    def collect(self, data: Dataset) -> Batch:
        """All new rows for a data set as one batch."""
        return joined(self.batches, data)


def joined(batches: Iterable[Batch], data: Dataset) -> Batch:
    """One batch of several, of rows for a data set."""
    none = Batch(take(data.X, nobody(0)), np.zeros((0, data.q), dtype=bool), nobody(0), nobody(0), nobody(0))
    parts = [none, *(batch for batch in batches if len(batch.seeds))]
    X, Y = stacked([part.X for part in parts]), np.concatenate([part.Y for part in parts])
    return Batch(X, Y, *(np.concatenate([getattr(part, name) for part in parts]) for name in ("seeds", "references", "labels")))


MOST_TIMES = 1e9
"""The largest p: more rows than any file holds, and few enough to be counted without an overflow."""


class Sampler(ABC):
    """A method: a frozen dataclass of hyper-parameters, which are the options of the command and the report's parameters.

    name: as it is typed. summary: what it does, in a line. publication: where it was published. packages: those that it needs and
    that are not always installed. learns_weights: whether its rows depend on feature weights, and so on lambda1 and lambda2.
    details: what else its report holds, the JSON Schema of each entry.

    Every field is annotated with its Option (parameters.py). Errors: ParameterError for a value that is not allowed.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    publication: ClassVar[Publication]
    packages: ClassVar[tuple[str, ...]] = ()
    learns_weights: ClassVar[bool] = False
    details: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        rows = getattr(self, "rows", None)
        for parameter in parameters(type(self)):
            value = getattr(self, parameter.name)
            if parameter.name == "p" and rows is not None:
                if value not in (None, parameter.default):
                    raise ParameterError(f"p and rows exclude each other: leave out p={shown(value)} or rows={shown(rows)}")
                continue
            parameter.check(value)
            if parameter.name == "p" and value is not None:
                check_number("p", value, most=MOST_TIMES)

    @abstractmethod
    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        """Which rows of an analysed data set stay, and the new ones. All chance comes from rng.

        The batches of the answer may be made when they are asked for; each has a generator of its own, spawned from rng.
        """


RECONSTRUCTION_SCHEMA = {
    "type": "object",
    "description": "Of methods that are built after descriptions, since no code is public: what was assumed.",
    "additionalProperties": False,
    "required": ["style", "assumed"],
    "properties": {"style": {"type": "string"}, "assumed": {"type": "array", "items": {"type": "string"}}},
}


def exact(value: Ratio) -> Fraction:
    """A decimal as it was typed.

    >>> exact(0.29) * 100
    Fraction(29, 1)
    """
    return Fraction(str(value))


def rows_for(p: Ratio, n: int) -> int:
    """floor(p n), with p as the decimal that was typed; a quotient p = m / n gives m, though it may have been rounded down.

    >>> rows_for(0.29, 100), rows_for(Fraction(7, 100), 100), rows_for(1.5, 3)
    (29, 7, 4)
    >>> rows_for(7 / 60, 60), rows_for(Fraction(7, 60), 60), rows_for(6.999999 / 60, 60)
    (7, 7, 6)
    """
    return 0 if p < 1e-18 else floor(exact(p) * n * (1 + ROUNDING))


class Sized(Protocol):
    """A sampler that can be told how many rows to add or to remove: `rows`, or floor(p n)."""

    @property
    def p(self) -> Ratio | None: ...

    @property
    def rows(self) -> int | None: ...


def is_told(sampler: Sized) -> bool:
    """Whether a sampler is told how many rows; one that may go without decides by itself then."""
    return sampler.p is not None or sampler.rows is not None


def wanted_rows(sampler: Sized, n: int) -> int:
    """How many rows a sampler is told to add to n rows, or to remove from them; 0 where it is not told."""
    if sampler.rows is not None:
        return int(sampler.rows)
    return 0 if sampler.p is None else rows_for(sampler.p, n)


def rows_to_remove(sampler: Sized, data: Dataset) -> int:
    """How many rows of a data set a sampler is told to remove. Errors: DataError where it has fewer."""
    wanted = wanted_rows(sampler, data.n)
    if wanted > data.n:
        raise DataError(f"{data.origin.file}: rows={wanted} cannot be removed from n={data.n} rows: choose {data.n} or fewer")
    return wanted


def unchanged(analysis: Analysis, requested: int = 0, details: Mapping[str, Any] | None = None) -> Sample:
    """The answer of a sampler of minority labels where there are none: no row, and the reason."""
    return Sample((), requested, details=details or {}, reason=_no_minority(analysis))


def without_minority(analysis: Analysis, keep: np.ndarray) -> Sample:
    """The answer of one that drops rows: all stay, and the reason."""
    return Sample((), 0, keep, reason=_no_minority(analysis))


def _no_minority(analysis: Analysis) -> str:
    counts = analysis.dataset.counts
    if not counts.any():
        return "no label has a positive row"
    return f"no label is a minority label (no IRLbl is above MeanIR, which is {mean_ir(irlbl(counts)):.3f})"


def drawn_evenly(analysis: Analysis, rows: str) -> str:
    """The warning of a sampler that draws its seeds evenly from `rows`, since the weight of each is 0."""
    advice = ": try --scale std" if analysis.settings.scale == "none" else ""
    return f"no informative seed was found (all instance weights are 0), so seeds are drawn evenly from {rows}{advice}"


def apportion(budget: int, shares: Sequence[Fraction | int]) -> list[int]:
    """The budget in whole parts: the floor of each share's part, what is left to the largest remainders, earlier ones first.

    >>> apportion(10, [1, 1, 1]), apportion(3, [0, 5])
    ([4, 3, 3], [0, 3])
    """
    total = sum(shares, Fraction(0))
    parts = [Fraction(budget) * share / total for share in shares]
    whole = [floor(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (whole[i] - parts[i], i))
    for i in order[: budget - sum(whole)]:
        whole[i] += 1
    return whole


def shared_evenly(budget: int, room: list[int]) -> list[int]:
    """What each takes of a budget that is shared evenly among it and those that follow, up to its room.

    >>> shared_evenly(10, [1, 9, 3]), shared_evenly(10, [1, 1])
    ([1, 4, 3], [1, 1])
    """
    taken = []
    for place, most in enumerate(room):
        taken.append(min(most, budget // (len(room) - place)))
        budget -= taken[-1]
    return taken


def batch_sizes(rows: int) -> Iterator[int]:
    """Sizes of the batches that make `rows` rows.

    >>> list(batch_sizes(600))
    [256, 256, 88]
    """
    for start in range(0, rows, BATCH_ROWS):
        yield min(BATCH_ROWS, rows - start)


def each_batch(rows: int, rng: np.random.Generator) -> Iterator[tuple[slice, np.random.Generator]]:
    """The batches of a list of `rows` rows, each with a generator of its own."""
    for start in range(0, rows, BATCH_ROWS):
        yield slice(start, min(start + BATCH_ROWS, rows)), rng.spawn(1)[0]


def label_rows(data: Dataset, rows: np.ndarray) -> np.ndarray:
    """(m, q) bool: the labels of some rows."""
    return data.Y[rows].toarray() != 0


def label_votes(data: Dataset, voters: np.ndarray) -> np.ndarray:
    """(m, q): how many of each row's voters (m, g), rows of a data set or -1, have each label."""
    present = voters >= 0
    ends = np.append(0, np.cumsum(present.sum(axis=1)))
    ballots = scipy.sparse.csr_array((np.ones(ends[-1]), voters[present], ends), shape=(len(voters), data.n))
    votes: np.ndarray = (ballots @ data.Y).toarray()
    return votes


def nobody(rows: int) -> np.ndarray:
    """(rows,) of -1: parents or labels where there are none."""
    return np.full(rows, -1, dtype=np.int64)


def clones(data: Dataset, seeds: np.ndarray, labels: np.ndarray | None = None) -> Iterator[Batch]:
    """Rows that repeat their seeds (m,)."""
    start = 0
    for size in batch_sizes(len(seeds)):
        part = slice(start, start + size)
        mine = nobody(size) if labels is None else labels[part]
        yield Batch(take(data.X, seeds[part]), label_rows(data, seeds[part]), seeds[part], nobody(size), mine)
        start += size


def neighbors_within(analysis: Analysis, bag: np.ndarray, k: int, of: np.ndarray | None = None) -> np.ndarray:
    """(m, k'): the nearest rows of a bag (rising) to those of its rows that are named in `of` (None: all), by Euclidean distance.

    k' is less than k in a bag of k rows or fewer.
    """
    search = Search(take(analysis.E, bag), threads=analysis.threads)
    found = search.of_all(k) if of is None else search.of_rows(np.searchsorted(bag, of), k)
    return bag[found.index]


def one_of_each(candidates: np.ndarray, count: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(m,): of each row of candidates (m, k) one among its first count (m,), each with the same chance; -1 where it has none."""
    choice = np.minimum((rng.random(len(count)) * count).astype(np.int64), np.maximum(count - 1, 0))
    drawn = candidates[np.arange(len(count)), choice] if candidates.shape[1] else nobody(len(count))
    return np.where(count > 0, drawn, -1)
