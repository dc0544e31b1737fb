"""What is learned from a data set, each thing once: encoded features, label graph, feature weights, neighbours.

    X -> E ; (E, Y) -> Gram ; Gram -> A, Laplacian, W -> Theta ; (E, Theta) -> neighbours

Samplers and reports ask an Analysis for what they need; it is computed when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.analysis.effort import search_seconds
from lsdmlo_cli.analysis.features import (
    Largest,
    check_unscaled,
    first_values,
    identifier_columns,
    identifier_hints,
    largest,
    levels,
    rounding_hints,
)
from lsdmlo_cli.analysis.memory import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.analysis.neighbor_store import NeighborStore, own_weights
from lsdmlo_cli.analysis.searches import Searches
from lsdmlo_cli.analysis.settings import DEFAULT_K, DEFAULT_SAMPLE, LEAST_SAMPLE, Measures, Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.encoding import Encoding, encode, fit_encoding
from lsdmlo_cli.numeric.labelsets import by_label, positives
from lsdmlo_cli.numeric.matrix import Matrix, trim
from lsdmlo_cli.numeric.measures import minority_labels
from lsdmlo_cli.numeric.neighbors import Neighbors
from lsdmlo_cli.numeric.threads import mapping
from lsdmlo_cli.numeric.weights import (
    FeatureWeights,
    Gram,
    Stop,
    cosine_similarity,
    gram,
    laplacian,
    late_after,
    relevance,
    solve,
)
from lsdmlo_cli.progress import Progress, duration, silent

LONGEST_UNASKED = 5.0
"""Seconds of one thread that figures may take for which nobody asked."""
_OF_E = ("scale",)
_OF_WEIGHTS = (*_OF_E, "lambda1", "lambda2", "tol", "max_iter", "max_seconds")
RESTS_ON = {
    "largest": (),
    "identifiers": (),
    "encoding": _OF_E,
    "E": _OF_E,
    "minority": (),
    "by_column": (),
    "gram": _OF_E,
    "similarity": _OF_E,
    "feature_weights": _OF_WEIGHTS,
    "Theta": _OF_WEIGHTS,
    "zero_columns": _OF_WEIGHTS,
    "euclidean": (*_OF_E, "k"),
    "label_neighbors": (*_OF_WEIGHTS, "k"),
    "measures": (*_OF_E, "measures"),
    "sample": (*_OF_E, "measures", "sample"),
    "seconds_a_row": _OF_E,
}
"""Everything that an Analysis learns, and the settings that each depends on."""


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
        self.searches = Searches(threads)
        self.k = _neighbors(dataset, self.settings.k)

    def with_settings(self, settings: Settings) -> Analysis:
        """An Analysis of the same rows under other settings; what does not depend on those that differ is not learned again.

        Its feature weights begin at those of this one, where there are any.
        """
        other = Analysis(
            self.dataset,
            settings,
            threads=self.threads,
            memory_bytes=self.memory_bytes,
            progress=self.progress,
            first_weights=self.feature_weights.W if self.has_weights else None,
        )
        other.searches = self.searches
        changed = {name for name, value in vars(settings).items() if value != getattr(self.settings, name)}
        kept = (name for name, settings_used in RESTS_ON.items() if changed.isdisjoint(settings_used))
        vars(other).update({name: vars(self)[name] for name in kept if self._has(name)})
        return other

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of the data set and of what has been learned from it so far."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        yield from self.dataset.warnings
        if self.settings.k is None and self.k < DEFAULT_K:
            yield f"k is lowered from {DEFAULT_K} to {self.k}, since there are only n={self.dataset.n} rows"
        if self._has("encoding"):
            yield from rounding_hints(self.largest)
            yield from identifier_hints(self.dataset, self.identifiers)
        if self.settings.measures == "auto" and self._has("measures") and self.measures == "sampled":
            yield (
                f"LImb and LImb_LSD are estimates from up to {self.sample} positives a label, with the standard errors "
                f"LImb_se and LImb_LSD_se: --measures all looks at all positives, in about {duration(self.seconds_of_all)}"
            )
        if self.has_weights and not self.feature_weights.converged:
            yield self._warning_of_the_gap()

    def _warning_of_the_gap(self) -> str:
        """How far from the minimum the weights may be, and what ended the solver before it was there."""
        found, settings = self.feature_weights, self.settings
        gap = (
            f"the feature weights have a relative gap of {found.relative_gap:.1e} after {found.iterations} iterations, "
            f"above tol={settings.tol:g}"
        )
        if settings.max_seconds is None or found.iterations >= settings.max_iter:
            return f"{gap}: raise --max-iter or --tol"
        return (
            f"{gap}, since the solver was stopped after {settings.max_seconds:g} s; another run may stop elsewhere and give "
            "other results: raise --max-seconds or --tol"
        )

    def _has(self, name: str) -> bool:
        """Whether something has been learned yet."""
        return name in vars(self)

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
    def largest(self) -> Largest:
        """The largest magnitude among the numbers."""
        return largest(self.dataset)

    @cached_property
    def identifiers(self) -> list[int]:
        """The features that look like identifiers of rows."""
        return identifier_columns(self.dataset)

    @cached_property
    def encoding(self) -> Encoding:
        """How the columns of X become those of E. Errors: DataError for a number too large for unscaled distances."""
        self.progress("encoding", 0, 0)
        features = self.dataset.features
        if self.settings.scale == "none":
            check_unscaled(self.dataset, self.largest)
        return fit_encoding(self.dataset.X, levels(features), first_values(features), self.settings.scale)

    @property
    def has_E(self) -> bool:
        """Whether the encoded features have been asked for."""
        return self._has("E")

    @cached_property
    def E(self) -> Matrix:
        """(n, e), the encoded features."""
        E = encode(self.encoding, self.dataset.X, most_bytes=matrix_bytes(self.memory_bytes))
        return E if self.encoding.plain else self.searches.settled(E)

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
        """Y by column."""
        return by_label(self.dataset.Y)

    def positives(self, label: int) -> np.ndarray:
        """The rows with a label, rising."""
        return positives(self.by_column, label)

    def has_label(self, label: int) -> np.ndarray:
        """(n,) bool."""
        found = np.zeros(self.dataset.n, dtype=bool)
        found[self.positives(label)] = True
        return found

    # feature weights

    @cached_property
    def gram(self) -> Gram:
        """E'E, E'Y, Y'Y and n."""
        self.progress("Gram matrices", 0, 0)
        return gram(self.E, self.dataset.Y)

    @cached_property
    def similarity(self) -> Any:
        """A, (q, q), dense or CSR."""
        return cosine_similarity(self.gram.YtY)

    @cached_property
    def feature_weights(self) -> FeatureWeights:
        """W (e, q) of Eq. 2, and how it was found."""
        settings = self.settings
        found = solve(
            self.gram,
            laplacian(self.similarity),
            lambda1=settings.lambda1,
            lambda2=settings.lambda2,
            stop=Stop(settings.tol, settings.max_iter, late_after(settings.max_seconds), self._watch_weights),
            start=self.first_weights,
            threads=self.threads,
        )
        trim()  # the solver's working sets and factors came and went
        return found

    def _watch_weights(self, iterations: int, relative_gap: float) -> None:
        self.progress(f"feature weights (relative gap {relative_gap:.1e})", iterations, 0)

    @property
    def features_per_label(self) -> np.ndarray | None:
        """(q,) the weights of each label that are not 0; None where no weights are learned."""
        if not self.has_neighbors or (self.measures == "fast" and not self.has_weights):
            return None
        return np.diff(self.feature_weights.W.indptr)

    @property
    def has_weights(self) -> bool:
        """Whether the feature weights have been asked for."""
        return self._has("feature_weights")

    @cached_property
    def Theta(self) -> scipy.sparse.csc_array:
        """(e, q), Eq. 4; a column of zero weights is empty, and stands for a uniform one."""
        return relevance(self.feature_weights.W)

    def thetas(self, labels: Sequence[int]) -> np.ndarray:
        """(l, e) the own weights of several labels."""
        return own_weights(self.Theta, labels)

    @cached_property
    def zero_columns(self) -> int:
        """Labels without a single feature weight."""
        return int((np.diff(self.Theta.indptr) == 0).sum())

    # neighbours

    @cached_property
    def measures(self) -> Measures:
        """Which positives LImb and LImb_LSD look at, where that is left open decided by the size of the data."""
        asked = self.settings.measures
        if asked != "auto":
            return asked
        return "sampled" if self.has_neighbors and self.seconds_of_all > LONGEST_UNASKED else "all"

    @cached_property
    def sample(self) -> int:
        """How many positives of a label are looked at where they are sampled."""
        asked, labels = self.settings.sample, int(np.count_nonzero(self.dataset.counts))
        if asked is not None or self.settings.measures != "auto" or not labels:
            return asked or DEFAULT_SAMPLE
        seconds = 2 * labels * self.seconds_a_row  # of one positive a label, by either distance
        return int(np.clip(LONGEST_UNASKED / seconds, LEAST_SAMPLE, DEFAULT_SAMPLE))

    @property
    def seconds_of_all(self) -> float:
        """About how long one thread takes to find the neighbours of all rows, and of the positives of all labels."""
        return (self.dataset.n + int(self.dataset.counts.sum())) * self.seconds_a_row

    @cached_property
    def seconds_a_row(self) -> float:
        """About how long one thread takes to find the neighbours of a row."""
        return search_seconds(self.E, 1)

    @cached_property
    def euclidean(self) -> Neighbors:
        """The neighbours of every row by Euclidean distance."""
        with mapping(1):
            return self.searches.euclidean(self.E, partial(self.progress, "neighbours")).of_all(self.k)

    @cached_property
    def label_neighbors(self) -> NeighborStore:
        """The neighbours of the positives of each label, by its own distance."""
        return NeighborStore(self.E, self.Theta, self.by_column, self.k, self.searches, self.progress)


def _neighbors(data: Dataset, asked: int | None) -> int:
    """How many neighbours there are: as many as are asked for, or by default 5 or as many as there can be."""
    if asked is None:
        return min(DEFAULT_K, data.n - 1) if data.n >= 2 else DEFAULT_K
    if 0 < data.n <= asked:
        raise DataError(f"{data.origin.file}: k={asked} neighbours need more than n={data.n} rows: choose k below {data.n}")
    return asked
