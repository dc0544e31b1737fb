"""`weights`: which features matter for which label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Unpack

import scipy

from lsdmlo_cli import cautions
from lsdmlo_cli.analysis import OF_LEARNING, Analysis, Settings
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.errors import DataError, twin
from lsdmlo_cli.frames import Columns, Library, Tabular, columns_of
from lsdmlo_cli.functions.data import (
    DataOptions,
    LearningOptions,
    Reading,
    Running,
    RunOptions,
    analysed,
    part,
    refuse_unknown,
    settings_of,
)
from lsdmlo_cli.weights_table import WeightRow, encoded_names, weight_rows


class WeightsOptions(DataOptions, LearningOptions, RunOptions, total=False):
    """The options of `weights`: those of data, of learning and of running."""


@dataclass(frozen=True, repr=False)
class Weights(Tabular):
    """The feature weights of each label.

    features: the names of the e columns of E, `attribute=value` for a value of three or more; labels: the q names. W: (e, q)
    sparse, the weights. Theta: (e, q) sparse, each feature's share of the label's distance. warnings: of the data.

    Tables: `weights` and `theta`, one row a feature and a column a label; `entries`, one row for each weight that is not 0, as
    `lsdmlo weights` prints them.
    """

    features: list[str]
    labels: list[str]
    W: scipy.sparse.csc_array
    Theta: scipy.sparse.csc_array
    warnings: tuple[str, ...]

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"weights": lambda: self._wide(self.W), "theta": lambda: self._wide(self.Theta), "entries": self._entries}

    def to_frame(self, library: Library = "pandas", *, table: str | None = None) -> Any:
        """See Tabular.to_frame; in pandas the features are the index of `weights` and `theta`."""
        frame = super().to_frame(library, table=table)
        return frame if library != "pandas" or table == "entries" else frame.set_index("feature")

    def _wide(self, of: scipy.sparse.csc_array) -> Columns:
        name = twin(["feature", *self.labels])
        if name is not None:
            raise DataError(f"two columns would be called {name!r}: to_frame(table='entries') has a row for each weight")
        columns = (of[:, [j]].toarray().ravel().tolist() for j in range(len(self.labels)))
        return {"feature": self.features, **dict(zip(self.labels, columns, strict=True))}

    def _rows(self) -> Iterator[WeightRow]:
        return weight_rows(self.features, self.labels, self.W, self.Theta)

    def _entries(self) -> Columns:
        return columns_of([row._asdict() for row in self._rows()], WeightRow._fields)

    def __repr__(self) -> str:
        strongest = next((f"; strongest of {row.label}: {row.feature} {row.weight:.3g}" for row in self._rows()), "")
        amount = f"{len(self.features)} features x {len(self.labels)} labels, {self.W.nnz} weights are not 0"
        return "\n".join([f"{amount}{strongest}", *(f"warning: {warning}" for warning in self.warnings)])


def weights(X: Any, Y: Any = None, settings: Settings | None = None, **options: Unpack[WeightsOptions]) -> Weights:
    """The feature weights of each label, as `lsdmlo weights` prints them.

    X: the path of a file or a Dataset, and no Y; or features (n, d) with labels Y (n, q), as `fit_resample` takes them. options:
    see WeightsOptions. Errors: LsdmloError; DataError below two rows or without a feature.
    """
    given: dict[str, Any] = dict(options)
    of_data, of_run = (tuple(field.name for field in fields(kind)) for kind in (Reading, Running))
    refuse_unknown("weights", given, (*of_data, *OF_LEARNING, *of_run))
    run = Running(**part(given, of_run))
    source = Reading(**part(given, of_data)).source(X, Y)
    with spoken(run.verbose, source.path, run.progress) as progress:
        return _weights(analysed(source, settings_of(settings, given), run, progress))


def _weights(analysis: Analysis) -> Weights:
    analysis.require_neighbors()
    names = encoded_names(analysis.dataset.features, analysis.encoding)
    told = (*analysis.warnings, *cautions.empty_labels(analysis.dataset))
    W, Theta = analysis.feature_weights.W, analysis.Theta
    return Weights(names, [label.name for label in analysis.dataset.labels], W, Theta, told)
