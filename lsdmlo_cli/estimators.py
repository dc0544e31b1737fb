"""The samplers for people with arrays, in the manner of imbalanced-learn: an estimator class for each member of SAMPLERS.

    from lsdmlo_cli import LSDMLO, MLSMOTE
    X2, Y2 = LSDMLO(p=0.1, random_state=0).fit_resample(X, Y)

An estimator is thin and mutable: it keeps its arguments as they are, and makes the frozen sampler, which checks them, when it is
asked for rows. Whatever the data, the rows are those that the command makes of the same data, options and seed.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from lsdmlo_cli import cautions
from lsdmlo_cli.analysis import OF_LEARNING, Analysis, Settings
from lsdmlo_cli.checks import check_whole, is_number
from lsdmlo_cli.cores import allowed_cores
from lsdmlo_cli.data.columns import chosen_columns
from lsdmlo_cli.data.tables import Table, dataset, labels, table
from lsdmlo_cli.data.tables.alongside import carried, refuse_other_lengths
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.progress import Progress
from lsdmlo_cli.samplers import SAMPLERS, Sampler

_PARAMETERS = """
    k, lambda1, lambda2, scale, tol, max_iter, max_seconds: as in Settings. categorical_features: the columns of X that are
    nominal though they hold numbers: indices, names (of a frame), or a mask, a truth value for each column. Truth values, text
    and categories are nominal anyhow. Other whole-number types stay whole.
    ignore: columns of X, named in the same ways, that stay out of every distance; a new row has its seed's value (an id, say).
    random_state: the seed, a whole number; None is 0, so that every run gives the same rows. Of a Generator or RandomState of
    numpy a seed is drawn at each call.
    n_jobs: threads, which change no result; None is 1, -1 as many as there are cores for this process.
    verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every half a minute; 0 nothing.

    After fit_resample: sample_indices_, the rows of X that stay, which come first in what is returned; provenance_, the parents
    of the new rows, which follow; extras_, the further arrays that were given, of the rows that stay and of the new rows' seeds.
    After fit as well: n_features_in_, and feature_names_in_ where the columns of X have names.
"""


class Provenance(NamedTuple):
    """The parents of m new rows: rows of X and labels (columns of Y), (m,) each, -1 without one."""

    seed: np.ndarray
    reference: np.ndarray
    label: np.ndarray


class Estimator:
    """A sampler with its settings and its seed: what all classes of this module have in common.

    The constructor keeps its arguments unchanged; fit_resample checks them.
    """

    of: ClassVar[type[Sampler]]
    """The class of the frozen sampler."""

    defaults: ClassVar[dict[str, Any]]
    """Every parameter with its default."""

    sample_indices_: np.ndarray
    provenance_: Provenance
    extras_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(self, **parameters: Any) -> None:
        self._refuse_unknown(parameters, TypeError)
        for name, value in {**self.defaults, **parameters}.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: Any) -> Self:
        """Check parameters and data as fit_resample does. Nothing is learned: a last step of a pipeline has this method."""
        with self._telling() as progress:
            self._prepared(X, y, progress)
        return self

    def fit_resample(self, X: Any, y: Any, **extras: Any) -> tuple[Any, Any]:
        """The rows of X (n, d) and of the labels y (n, q) that stay, then the new ones, both of the kind that was given.

        X: a numpy array, a sparse array or matrix of scipy, a frame of pandas or polars, a table of pyarrow, or a list of rows;
        NaN and null are missing. y: the same, of 0 and 1, as numbers, truth values or text. extras: further arrays of a value or
        row for each row of X, say sample_weight=w, or None. They change no row; extras_ holds them afterwards, each of its own
        kind: the values of the rows that stay, then of each new row its seed's. Warnings are told by `warnings`. Errors:
        ParameterError for a parameter out of range, DataError for data that nothing can be done with.
        """
        with self._telling() as progress:
            features, targets, analysis, sampler = self._prepared(X, y, progress)
            refuse_other_lengths(extras, analysis.dataset.n)
            sample = sampler.sample(analysis, np.random.default_rng(analysis.settings.seed))
            made, kept = sample.collect(analysis.dataset), sample.kept(analysis.dataset.n)
        self.sample_indices_ = kept
        self.provenance_ = Provenance(made.seeds, made.references, made.labels)
        self.extras_ = carried(extras, kept, made.seeds)
        counts = label_counts(analysis.dataset.Y[kept]) + made.Y.sum(axis=0)
        result = cautions.of_result(analysis.dataset, sampler, sample, len(made.Y), counts)
        for warning in chain(analysis.warnings, cautions.of_data(analysis), cautions.of_request(sampler), result):
            warnings.warn(warning, stacklevel=2)
        new_Y = made.Y.astype(np.float64)
        return features.joined(kept, made.X, made.seeds), targets.joined(kept, new_Y, made.seeds)

    def _telling(self) -> AbstractContextManager[Progress]:
        """What `verbose` asks for. Errors: ParameterError."""
        return spoken(self.get_params()["verbose"], type(self).__name__)

    def _prepared(self, X: Any, y: Any, progress: Progress) -> tuple[Table, Table, Analysis, Sampler]:
        """Features, labels, what is learned from them, and the sampler; the parameters are checked first."""
        sampler, threads = self.sampler(), self.threads()
        settings = dataclasses.replace(self.settings(), measures="fast", seed=self.seed())
        columns = self.get_params()
        features, targets = table(X, "X", columns["categorical_features"]), labels(y)
        self._remember_columns(features.names)
        data = dataset(features, targets).ignoring(chosen_columns("X", features.names, columns["ignore"], "ignore"))
        return features, targets, Analysis(data, settings, threads=threads, progress=progress), sampler

    def _remember_columns(self, names: list[Any]) -> None:
        """Set n_features_in_ and, as scikit-learn does, feature_names_in_ where all names are text."""
        self.n_features_in_ = len(names)
        vars(self).pop("feature_names_in_", None)
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    def sampler(self) -> Sampler:
        """The frozen sampler of these parameters. Errors: ParameterError for one out of range."""
        return self.of(**{field.name: getattr(self, field.name) for field in dataclasses.fields(self.of)})

    def settings(self) -> Settings:
        """What neighbours and feature weights rest on, the seed aside. Errors: ParameterError for a parameter out of range."""
        return Settings(**{name: getattr(self, name) for name in OF_LEARNING})

    def seed(self) -> int:
        """The seed that random_state stands for; of a generator one is drawn. Errors: ParameterError for anything else."""
        state = self.get_params()["random_state"]
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**32))
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**32, dtype=np.int64))
        return 0 if state is None else check_whole("random_state", state, 0, ", a Generator or RandomState of numpy, or None")

    def threads(self) -> int:
        """The threads that n_jobs stands for. Errors: ParameterError where it is no whole number from 1, -1 or None."""
        jobs = self.get_params()["n_jobs"]
        if is_number(jobs) and jobs == -1:
            return allowed_cores()
        return 1 if jobs is None else check_whole("n_jobs", jobs, 1, ", -1 for all cores, or None")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter; `deep` changes nothing, since none has parameters of its own."""
        return {name: getattr(self, name) for name in self.defaults}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters. Errors: ValueError for one that there is not."""
        self._refuse_unknown(parameters, ValueError)
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def set_fit_resample_request(self, **requests: bool | str | None) -> Self:
        """Which arrays scikit-learn's metadata routing hands to fit_resample as extras: name=True, or name="its alias".

        Errors: ParameterError without imbalanced-learn, which makes fit_resample known to scikit-learn.
        """
        with suppress(ImportError):
            import_module("imblearn.base")
        routing = self.get_metadata_routing()
        if not hasattr(routing, "fit_resample"):
            raise ParameterError("routing to fit_resample needs imbalanced-learn from 0.13 on: pip install -U imbalanced-learn")
        for name, alias in requests.items():
            routing.fit_resample.add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self

    def get_metadata_routing(self) -> Any:
        """The requests that were set, for scikit-learn, which alone asks."""
        from sklearn.utils.metadata_routing import MetadataRequest

        known = vars(self).get("_metadata_request")
        return MetadataRequest(owner=type(self).__name__) if known is None else copy.deepcopy(known)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn, which alone asks, is told when it shows a pipeline: what X and Y may be."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        labels_alone = ClassifierTags(multi_class=False, multi_label=True)
        inputs = InputTags(sparse=True, categorical=True, string=True, allow_nan=True)
        targets = TargetTags(required=True, two_d_labels=True, multi_output=True, single_output=False)
        return Tags(None, target_tags=targets, classifier_tags=labels_alone, input_tags=inputs, requires_fit=False)

    def __repr__(self) -> str:
        changed = (f"{name}={value!r}" for name, value in self.get_params().items() if repr(value) != repr(self.defaults[name]))
        return f"{type(self).__name__}({', '.join(changed)})"

    def _refuse_unknown(self, parameters: Iterable[str], kind: type[Exception]) -> None:
        for name in parameters:
            if name not in self.defaults:
                known = f"it has {', '.join(self.defaults)}"
                raise kind(f"{type(self).__name__} has no parameter {name!r}{hint(name, self.defaults)}; {known}")


def _estimator(sampler: type[Sampler]) -> type[Estimator]:
    own = {field.name: field.default for field in dataclasses.fields(sampler)}
    settings = {field.name: field.default for field in dataclasses.fields(Settings) if field.name in OF_LEARNING}
    defaults = {
        **own,
        **settings,
        "categorical_features": None,
        "ignore": None,
        "random_state": None,
        "n_jobs": None,
        "verbose": 0,
    }
    keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    contents = {
        "of": sampler,
        "defaults": defaults,
        "__doc__": f"{inspect.getdoc(sampler)}\n{inspect.cleandoc(_PARAMETERS)}",
        "__module__": __name__,
        "__signature__": inspect.Signature(keywords),
    }
    return type(sampler.__name__.removesuffix("Sampler"), (Estimator,), contents)


ESTIMATORS: dict[str, type[Estimator]] = {name: _estimator(sampler) for name, sampler in SAMPLERS.items()}
"""The estimator of each method, by its name."""

BY_CLASS = {estimator.__name__: estimator for estimator in ESTIMATORS.values()}
"""The same by the name of the class."""


def __getattr__(name: str) -> type[Estimator]:
    if name not in BY_CLASS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return BY_CLASS[name]
