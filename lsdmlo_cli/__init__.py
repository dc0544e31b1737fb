"""lsdmlo: label-specific distance-based oversampling of imbalanced multi-label data.

    from lsdmlo_cli import LSDMLO, read, resample, stats

    data = read("emotions.arff")                               # a Dataset: X, Y, features, labels
    report = stats("emotions.arff")                            # what `lsdmlo stats` prints
    resample("emotions.arff", "out.arff", LSDMLO(p=0.05, k=5), seed=1)
    X2, Y2 = LSDMLO(p=0.05, random_state=1).fit_resample(X, Y)  # arrays, sparse arrays, data frames

LSDMLO, MLSMOTE and so on are the estimators; the frozen samplers that they stand for are in `lsdmlo_cli.samplers`.
Names are loaded when they are first used, so that the command starts fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from lsdmlo_cli.data import Dataset

_HOME = {
    "Analysis": "analysis",
    "Settings": "analysis",
    "Dataset": "data",
    "Attribute": "data",
    "LsdmloError": "errors",
    "FormatError": "errors",
    "FileError": "errors",
    "DataError": "errors",
    "ParameterError": "errors",
    "analyse": "pipeline",
    "resample": "pipeline",
    "stats": "functions.imbalance",
    "weights": "functions.feature_weights",
    "evaluate": "functions.evaluation",
    "recommend": "functions.recommendation",
    "br": "evaluation.learners.by_path",
    "cc": "evaluation.learners.by_path",
    "MEASURES": "dataset_measures",
    "SAMPLERS": "samplers",
    "report_schema": "schema",
    "from_arff": "exchange",
    "to_arff": "exchange",
    "from_skmultilearn": "exchange",
    "ESTIMATORS": "estimators",
}
"""Where a name is defined; every estimator is a name, too."""


def read(
    path: str,
    labels: str | None = None,
    ignore: Iterable[str | int] | None = None,
    *,
    form: str | None = None,
    categories: Iterable[str] | None = None,
) -> Dataset:
    """Read a file (`-`: standard input); labels: what --labels takes, or None: then they are looked for.

    ignore: features that stay out of every distance and figure, and of which new rows take their seed's value.
    Errors: FormatError, FileError, ParameterError for a feature that there is not.

    form, categories: what --from and --categories take.
    """
    from lsdmlo_cli import formats

    with formats.Source(path, formats.Form.of(form, categories)) as source:
        return formats.read(source, labels, ignore=ignore).dataset


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _names()
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    if name[:1].isupper() and name in _estimators():
        return _estimators()[name]
    near = "" if name.startswith("_") or find_spec(f"{__name__}.{name}") else _near(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{near}")


def _near(name: str) -> str:
    from lsdmlo_cli.errors import hint

    return hint(name, _names())


def _names() -> list[str]:
    return ["__version__", "read", *_HOME, *_estimators()]


def _estimators() -> dict[str, Any]:
    """Their classes by name. Only a name that is a class's, in capitals, is looked for here: it takes all arrays."""
    by_class: dict[str, Any] = import_module(f"{__name__}.estimators").BY_CLASS
    return by_class
