"""What the functions are given: a file, or X and Y as arrays and frames, or a Dataset; and how it is to be read.

stats("emotions.arff", labels=6), stats(X, Y, categorical_features=[3]), stats(read("emotions.arff"))
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict

from lsdmlo_cli import pipeline
from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, Analysis, Settings
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.data.tables import dataset, labels, table
from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.evaluation.sources import Arrays, DataSource, Place
from lsdmlo_cli.formats import Form
from lsdmlo_cli.progress import Progress, silent

OF_SETTINGS = tuple(field.name for field in fields(Settings))


class DataOptions(TypedDict, total=False):
    """How data is taken; everything can be left out.

    labels, form, categories: of a file, as --labels, --from and --categories have them (a count of labels may be a number).
    categorical_features: the columns of X that are nominal though they hold numbers: indices, a frame's names, or a mask.
    ignore: features, by name or place, that stay out of every distance and figure.
    """

    labels: str | int | None
    form: str | Form | None
    categories: Iterable[str] | None
    categorical_features: Iterable[Any] | None
    ignore: Iterable[Any] | None


class LearningOptions(TypedDict, total=False):
    """k, lambda1, lambda2, scale, tol, max_iter: as in Settings, and in place of its fields where both are given."""

    k: int | None
    lambda1: float
    lambda2: float
    scale: str
    tol: float
    max_iter: int


class ProgressOptions(TypedDict, total=False):
    """How progress is told.

    verbose: 1 tells it on standard error, by a bar on a terminal and elsewhere a line every half a minute. progress: a function
    that is told how far the work is.
    """

    verbose: int
    progress: Progress


class RunOptions(ProgressOptions, total=False):
    """What changes no result. threads, memory_bytes: what does not fit into the memory lies in temporary files."""

    threads: int
    memory_bytes: int


@dataclass(frozen=True)
class Reading:
    """See DataOptions."""

    labels: str | int | None = None
    form: str | Form | None = None
    categories: Iterable[str] | None = None
    categorical_features: Iterable[Any] | None = None
    ignore: Iterable[Any] | None = None

    def source(self, X: Any, Y: Any = None, name: str = "") -> DataSource:
        """Where the data comes from: X the path of a file or a Dataset, and no Y; or X and Y as `fit_resample` takes them.

        name: of the data set; without one a file has that of its path, and a Dataset that of its relation. Errors:
        ParameterError for options of the other kind; DataError for arrays that are no data.
        """
        if isinstance(X, str | os.PathLike):
            self._refuse("categorical_features", "is for arrays: of a file, name the columns by categories")
            _refuse_labels(Y, "a file")
            return Place(os.fspath(X), self._label_text(), () if self.ignore is None else tuple(self.ignore), self._form(), name)
        for option in ("labels", "form", "categories"):
            self._refuse(option, "is for files: Y holds the labels of arrays, and categorical_features names nominal columns")
        if isinstance(X, Dataset):
            self._refuse("categorical_features", "is for arrays: a Dataset says itself which columns are nominal")
            _refuse_labels(Y, "a Dataset")
            return Arrays(name or X.relation, self._ignoring(X))
        if Y is None:
            raise ParameterError(f"{name or 'X'} needs the labels beside it, as a second argument, where it is no path of a file")
        features = table(X, "X", self.categorical_features)
        return Arrays(name or "X", self._ignoring(_named(dataset(features, labels(Y)), name or "X")))

    def _ignoring(self, data: Dataset) -> Dataset:
        return data.ignoring(chosen_columns("X", [one.name for one in data.features], self.ignore, "ignore"))

    def _label_text(self) -> str | None:
        return None if self.labels is None else str(self.labels)

    def _form(self) -> Form:
        return self.form if isinstance(self.form, Form) else Form.of(self.form, self.categories)

    def _refuse(self, option: str, why: str) -> None:
        if getattr(self, option) is not None:
            raise ParameterError(f"{option} {why}")


def _refuse_labels(Y: Any, what: str) -> None:
    if Y is not None:
        raise ParameterError(f"{what} holds its labels itself: leave Y out, or give X as an array or a frame")


def _named(data: Dataset, name: str) -> Dataset:
    """The data set with its name, and the form of its rows, in its origin."""
    form: Any = "dense" if hasattr(data.X, "strides") else "sparse"
    return replace(data, relation=name, origin=replace(data.origin, file=name, format=form))


@dataclass(frozen=True)
class Running:
    """See RunOptions."""

    threads: int = 1
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    verbose: int = 0
    progress: Progress = silent


def analysed(source: DataSource, settings: Settings, run: Running, progress: Progress) -> Analysis:
    """The Analysis of a data set. Errors: those of reading it."""
    how: dict[str, Any] = {"threads": run.threads, "memory_bytes": run.memory_bytes, "progress": progress}
    if isinstance(source, Place):
        read: dict[str, Any] = {"labels": source.labels, "ignore": source.ignore or None, "form": source.form}
        return pipeline.analyse(source.path, settings, **read, **how)
    return Analysis(source.dataset, settings, **how)


def settings_of(settings: Settings | None, options: Mapping[str, Any], **defaults: Any) -> Settings:
    """Settings with the fields that are among the options. Errors: ParameterError for a value out of range."""
    return replace(settings or Settings(**defaults), **part(options, OF_SETTINGS))


def part(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those options that have one of the names."""
    return {name: options[name] for name in names if name in options}


def refuse_unknown(function: str, options: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for an option that a function does not have."""
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() has no option {name!r}{hint(name, known)}: it has {', '.join(known)}")
