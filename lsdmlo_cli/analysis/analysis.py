"""What is learned from a data set, each thing once: encoded features, label graph, feature weights, neighbours, imbalance.

    X -> E ; (E, Y) -> Gram ; Gram -> A, Laplacian, W -> Theta ; (E, Theta) -> neighbours ; (Y, neighbours) -> LImb, LImb_LSD

Samplers and reports ask an Analysis for what they need; it is computed when it is first asked for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import scipy

from lsdmlo_cli.checks import DECIMAL, check_choice, check_number, check_whole
from lsdmlo_cli.data import Attribute, Dataset
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.encoding import (
    LARGEST_UNSCALED,
    NUMBER,
    TEXT,
    Encoding,
    Scale,
    encode,
    fit_encoding,
    largest_number,
)
from lsdmlo_cli.numeric.identifiers import identifiers
from lsdmlo_cli.numeric.labelsets import by_label
from lsdmlo_cli.numeric.matrix import Matrix, take, trim
from lsdmlo_cli.numeric.measures import minority_labels
from lsdmlo_cli.numeric.neighbors import WORKSPACE, Neighbors, batches, iter_nearest, joined, nearest_by_label, taken
from lsdmlo_cli.numeric.rows import grouped, sections
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.numeric.weights import FeatureWeights, Gram, Stop, cosine_similarity, gram, laplacian, relevance, solve
from lsdmlo_cli.progress import Progress, silent, track

Measures: TypeAlias = Literal["all", "fast", "sampled"]

DEFAULT_K = 5
DEFAULT_MEMORY_BYTES = 2 << 30
OVERHEAD_BYTES = 400 << 20
POSITIVES_AT_ONCE = 1 << 15
"""Rows that are copied out of E to be searched: it may lie in a file."""


@dataclass(frozen=True)
class Settings:
    """What the measures rest on, whatever the method.

    k: neighbours; None is 5, or n - 1 where there are fewer rows. lambda1 > 0 and lambda2 >= 0 of the feature weights
    (Eq. 2). scale: how numbers are encoded. tol: relative gap at which the weights count as found. max_iter: steps of
    the solver. measures: whether LImb and LImb_LSD look at all positives, at a sample of `sample` a label drawn with `seed`,
    or at none (`fast`).
    Numbers are kept as Python's own int and float. Errors: ParameterError for a value of another type or out of range.
    """

    k: int | None = None
    lambda1: float = 1.0
    lambda2: float = 1.0
    scale: Scale = "none"
    tol: float = 1e-4
    max_iter: int = 100_000
    measures: Measures = "all"
    sample: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        checked = {
            "k": None if self.k is None else check_whole("k", self.k, 1, ", or None"),
            "lambda1": check_number("lambda1", self.lambda1, above=True),
            "lambda2": check_number("lambda2", self.lambda2),
            "scale": check_choice("scale", self.scale, *get_args(Scale)),
            "tol": check_number("tol", self.tol, above=True),
            "max_iter": check_whole("max_iter", self.max_iter, 1),
            "measures": check_choice("measures", self.measures, *get_args(Measures)),
            "sample": check_whole("sample", self.sample, 2),
            "seed": check_whole("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


class LabelNeighbors(NamedTuple):
    """The positives of a label (m,) and their neighbours under its own distance."""

    rows: np.ndarray
    neighbors: Neighbors


class Analysis:
    """Everything that is learned from one data set under one choice of settings.

    threads: they never change a result. memory_bytes: larger data lies in temporary files. first_weights: where the solver of
    the feature weights begins (e x q, sparse), None for 0.
    Errors: DataError where k is not below n, where there are too few rows or no encoded feature for what is asked, or
    where a number is too large for unscaled distances.
    """

    def __init__(
        self,
        dataset: Dataset,
        settings: Settings | None = None,
        *,
        threads: int = 1,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        progress: Progress = silent,
        first_weights: Any = None,
    ) -> None:
        self.dataset = dataset
        self.settings = settings or Settings()
        self.threads = threads
        self.memory_bytes = memory_bytes
        self.progress = progress
        self.first_weights = first_weights
        self.warnings = list(dataset.warnings)
        self.k = self._lowered_k()
        self._by_label: dict[int, LabelNeighbors] = {}

    def _lowered_k(self) -> int:
        n, asked = self.dataset.n, self.settings.k
        if asked is not None:
            if n > 0 and asked >= n:
                raise DataError(f"{self.dataset.origin.file}: k={asked} neighbours need more than n={n} rows: choose k below {n}")
            return asked
        if 2 <= n <= DEFAULT_K:
            self.warnings.append(f"k is lowered from {DEFAULT_K} to {n - 1}, since there are only n={n} rows")
            return n - 1
        return DEFAULT_K

    @property
    def workspace(self) -> int:
        """Bytes for each of the searches that run side by side."""
        return WORKSPACE // self.threads

    @property
    def has_neighbors(self) -> bool:
        """Whether there is anything to search: two rows, and an encoded feature."""
        return self.dataset.n >= 2 and self.encoding.width > 0

    def require_neighbors(self) -> None:
        """Raise DataError where there is nothing to search."""
        if self.dataset.n < 2:
            raise DataError(f"{self.dataset.origin.file}: needs at least 2 rows, has n={self.dataset.n}")
        if self.encoding.width == 0:
            raise DataError(
                f"{self.dataset.origin.file}: there are no features to work on "
                "(every attribute is a label, a string, a date or ignored)"
            )

    # features

    @cached_property
    def encoding(self) -> Encoding:
        self.progress("encoding", 0, 0)
        levels = np.array([_levels(attribute) for attribute in self.dataset.features], dtype=np.int64)
        first = np.array([_first(a.values) for a in self.dataset.features], dtype=np.int64)
        largest, column = largest_number(self.dataset.X, levels)
        if self.settings.scale == "none" and largest > LARGEST_UNSCALED:
            raise DataError(
                f"{self.dataset.origin.file}: attribute '{self.dataset.features[column].name}' holds {largest:g}, beyond "
                f"{LARGEST_UNSCALED:g}: distances would overflow; use --scale range or --scale std"
            )
        if largest > 2**53:
            self.warnings.append(
                f"attribute '{self.dataset.features[column].name}' holds numbers beyond 2^53 ({largest:g}): "
                "rows of the file keep them, and so do new rows that take a value of their seed; distances, and values between "
                "those of two rows, are rounded"
            )
        self.warnings += identifier_hints(self.dataset, self.identifiers)
        return fit_encoding(self.dataset.X, levels, first, self.settings.scale)

    @cached_property
    def identifiers(self) -> list[int]:
        """The features that look like identifiers of rows."""
        return identifier_columns(self.dataset)

    @property
    def has_E(self) -> bool:
        """Whether the encoded features have been asked for."""
        return "E" in self.__dict__

    @cached_property
    def E(self) -> Matrix:
        return encode(self.encoding, self.dataset.X, most_bytes=matrix_bytes(self.memory_bytes))

    def encode(self, X: Matrix) -> Matrix:
        """New rows in the form of E, with its means and scales."""
        return encode(self.encoding, X, dense=isinstance(self.E, np.ndarray))

    # labels

    @cached_property
    def minority(self) -> np.ndarray:
        """(q,) bool."""
        return minority_labels(self.dataset.counts)

    @cached_property
    def by_column(self) -> scipy.sparse.csc_array:
        return by_label(self.dataset.Y)

    def positives(self, label: int) -> np.ndarray:
        """The rows with a label, rising."""
        return self.by_column.indices[self.by_column.indptr[label] : self.by_column.indptr[label + 1]]

    def has_label(self, label: int) -> np.ndarray:
        """(n,) bool."""
        found = np.zeros(self.dataset.n, dtype=bool)
        found[self.positives(label)] = True
        return found

    # feature weights

    @cached_property
    def gram(self) -> Gram:
        self.progress("Gram matrices", 0, 0)
        return gram(self.E, self.dataset.Y)

    @cached_property
    def similarity(self) -> Any:
        """A, (q, q), dense or CSR."""
        return cosine_similarity(self.gram.YtY)

    @cached_property
    def feature_weights(self) -> FeatureWeights:
        settings = self.settings
        found = solve(
            self.gram,
            laplacian(self.similarity),
            lambda1=settings.lambda1,
            lambda2=settings.lambda2,
            stop=Stop(settings.tol, settings.max_iter),
            start=self.first_weights,
            watch=lambda iterations, gap: self.progress(f"feature weights (relative gap {gap:.1e})", iterations, 0),
        )
        trim()  # the solver's working sets and factors came and went
        if not found.converged:
            self.warnings.append(
                f"the feature weights have a relative gap of {found.relative_gap:.1e} after {found.iterations} iterations, "
                f"above tol={settings.tol:g}: raise --max-iter or --tol"
            )
        return found

    @property
    def features_per_label(self) -> np.ndarray | None:
        """(q,) the weights of each label that are not 0; None where no weights are learned."""
        if not self.has_neighbors or (self.settings.measures == "fast" and not self.has_weights):
            return None
        return np.diff(self.feature_weights.W.indptr)

    @property
    def has_weights(self) -> bool:
        """Whether the feature weights have been asked for."""
        return "feature_weights" in self.__dict__

    @cached_property
    def Theta(self) -> scipy.sparse.csc_array:
        """(e, q), Eq. 4; a column of zero weights is empty, and stands for a uniform one."""
        return relevance(self.feature_weights.W)

    def theta(self, label: int) -> np.ndarray:
        """(e,) the label's own weights of the encoded features."""
        return self.thetas([label])[0]

    def thetas(self, labels: Sequence[int]) -> np.ndarray:
        """(l, e) the own weights of several labels."""
        theta = self.Theta[:, list(labels)].toarray().T
        theta[~theta.any(axis=1)] = 1.0 / theta.shape[1]
        return np.ascontiguousarray(theta)

    @cached_property
    def zero_columns(self) -> int:
        """Labels without a single feature weight."""
        return int((np.diff(self.Theta.indptr) == 0).sum())

    # neighbours

    @cached_property
    def euclid(self) -> Neighbors:
        """The neighbours of every row by Euclidean distance."""
        everyone = np.arange(self.dataset.n)
        with mapping(1):
            for step in iter_nearest(self.E, self.E, self.k, exclude=everyone, threads=self.threads):
                done, total, neighbors = step
                self.progress("neighbours", done, total)
        return neighbors

    def of_label(self, label: int) -> LabelNeighbors:
        """The neighbours of all positives of a label by its own distance."""
        return self._of_batch([label])[0]

    def of_labels(self, labels: list[int]) -> Iterator[tuple[int, LabelNeighbors]]:
        """`of_label` of several labels in their order, searched over threads."""
        self.Theta  # noqa: B018  (found before the threads start)
        parts = batches(self.E, labels, self.dataset.counts[labels], 4 * self.threads)
        with mapping(self.threads) as run:
            found = chain.from_iterable(run(self._of_batch, parts))
            for _ in track(self.progress, "neighbours of minority labels", found, len(labels)):
                pass
        yield from ((label, self.of_label(label)) for label in labels)

    def _of_batch(self, labels: Sequence[int]) -> list[LabelNeighbors]:
        missing = [label for label in labels if label not in self._by_label]
        if missing:
            rows, which = grouped([self.positives(label) for label in missing])
            theta = self.thetas(missing)

            def search(start: int) -> Neighbors:
                part = slice(start, start + POSITIVES_AT_ONCE)
                mine = rows[part]
                return nearest_by_label(self.E, take(self.E, mine), self.k, theta, which[part], mine, workspace=self.workspace)

            found = joined([search(start) for start in range(0, max(1, len(rows)), POSITIVES_AT_ONCE)], self.k)
            for label, own in zip(missing, sections(which, len(missing)), strict=True):
                self._by_label[label] = LabelNeighbors(rows[own], taken(found, own))
        return [self._by_label[label] for label in labels]

    def known_neighbors(self, labels: Sequence[int], rows: np.ndarray, which: np.ndarray) -> Neighbors | None:
        """The lists of positives rows (m,) of labels[which], rising; None in a sample, unless all labels' have been asked for."""
        if self.settings.measures == "sampled" and not all(label in self._by_label for label in labels):
            return None
        found = zip(sections(which, len(labels)), self._of_batch(labels), strict=True)
        return joined([taken(known.neighbors, np.searchsorted(known.rows, rows[own])) for own, known in found], self.k)


def matrix_bytes(memory_bytes: int) -> int:
    """What X, E and the new rows may each take in memory: a third of what is left beside the libraries and the blocks at work."""
    return max(0, memory_bytes - OVERHEAD_BYTES) // 3


def identifier_columns(data: Dataset) -> list[int]:
    """The features that look like identifiers of rows; none where nothing else would be left to learn from."""
    used = [not attribute.is_carried for attribute in data.features]
    numbers = np.array([attribute.is_number and own for attribute, own in zip(data.features, used, strict=True)], dtype=bool)
    found: list[int] = identifiers(data.X, numbers).tolist()
    return found if len(found) < sum(used) else []


def identifier_hints(data: Dataset, columns: list[int]) -> list[str]:
    """A warning for each of the features that look like identifiers of rows."""
    names = [data.features[j].name for j in columns]
    return [
        f"attribute '{name}' looks like an identifier: its values are {data.n} different whole numbers, which count in every "
        f"distance; leave it out with --ignore {_typed(name)} (in Python: ignore=[...])"
        for name in names
    ]


def _typed(name: str) -> str:
    """A name as it is typed in a shell: in quotes, beside those of the shell, where it holds a comma or a quote.

    >>> print(_typed("id"), _typed("row id"), _typed("a,b"))
    id 'row id' '"a,b"'
    """
    escaped = re.sub(r'(["\\])', r"\\\1", name)
    return shlex.quote(f'"{escaped}"' if re.search("[,'\"]|^\\s|\\s$", name) else name)


def _levels(attribute: Attribute) -> int:
    if attribute.is_carried:
        return TEXT
    return NUMBER if attribute.is_number else len(attribute.values)


def _first(values: tuple[str, ...]) -> int:
    """What the first of two declared values is encoded as: 1 for 1, YES and TRUE when the other is 0, NO or FALSE; else 0."""
    if len(values) != 2:
        return 0
    first, second = (value.lower() for value in values)
    if {first, second} in ({"true", "false"}, {"yes", "no"}):
        return int(first in ("true", "yes"))
    numbers = [float(value) if DECIMAL.fullmatch(value) else None for value in values]
    return int(numbers == [1.0, 0.0])
