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
    "stats": "pipeline",
    "MEASURES": "report",
    "SAMPLERS": "samplers",
    "ESTIMATORS": "estimators",
    "AEMLO": "estimators",
    "DRSMOTE": "estimators",
    "LPROS": "estimators",
    "LPRUS": "estimators",
    "LSDMLO": "estimators",
    "MLBOTE": "estimators",
    "MLONC": "estimators",
    "MLROS": "estimators",
    "MLRUS": "estimators",
    "MLRkNNOS": "estimators",
    "MLSMOTE": "estimators",
    "MLSOL": "estimators",
    "MLTL": "estimators",
    "MLUL": "estimators",
    "MLeNN": "estimators",
    "REMEDIAL": "estimators",
    "RHwRSMT": "estimators",
}
"""Where a name is defined."""

__all__ = ["__version__", "read", *_HOME]


def read(path: str, labels: str | None = None, ignore: Iterable[str | int] | None = None) -> Dataset:
    """Read an ARFF file (`-`: standard input); labels is an XML's path, a count as text, or None: then they are looked for.

    ignore: features that stay out of every distance and figure, and of which new rows take their seed's value.
    Errors: FormatError, FileError, ParameterError for a feature that there is not.
    """
    from lsdmlo_cli import formats

    with formats.Source(path) as source:
        return formats.read(source, labels, ignore=ignore).dataset


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from lsdmlo_cli.errors import hint

        near = "" if name.startswith("_") else hint(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{near}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
