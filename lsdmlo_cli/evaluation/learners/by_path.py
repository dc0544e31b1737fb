"""A class of another library as a learner, typed by its path with arguments, or one of its objects.

    sklearn.ensemble:RandomForestClassifier(n_estimators=200)   one model of all labels
    br(sklearn.linear_model:LogisticRegression(C=0.5))          binary relevance: a model a label            Boutell et al., 2004
    cc(sklearn.linear_model:LogisticRegression())               a chain: each model sees the labels before   Read et al., 2011

What arguments may be says model_text.py. The class has scikit-learn's `fit` and `predict`. Labels are those of `predict`; scores
those of `predict_proba`, else of `decision_function`, else the labels.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from lsdmlo_cli.checks import shown
from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.evaluation.learners.base import Predictor, has_label
from lsdmlo_cli.evaluation.learners.model_text import arguments_of, built, canonical, class_of, paths_in, reason, text_of
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix

Wrapper = Literal["", "br", "cc"]
_WRAPPED = re.compile(r"(br|cc)\s*\((.*)\)", re.DOTALL)


class _Models:
    """What learners have in common that train models of another library, whose `title`, `wrapper` and `_made` they say.

    wrapper: none, where a model learns all labels at once, or br or cc, where it learns one. What has a `random_state` that is
    None, in the model and in those within it, gets it from the generator; a label that all rows have, or none, scores 1 or 0 and
    has no model in br and cc.
    """

    name: ClassVar[str] = "estimator"
    summary: ClassVar[str] = "a class of another library"
    reference: ClassVar[str] = ""

    wrapper: Wrapper

    @property
    def model(self) -> str:
        """A model as text, for the title."""
        raise NotImplementedError

    def _made(self, rng: np.random.Generator | None) -> Any:
        """A new model."""
        raise NotImplementedError

    def _check(self) -> None:
        """Raise ParameterError where the model must be wrapped."""
        if not self.wrapper and _learns_one_label(self._made(None)):
            raise ParameterError(f"{self.title} learns one label: wrap it, br({self.title}) or cc({self.title})")

    @property
    def title(self) -> str:
        """How it is typed, and named in results."""
        return f"{self.wrapper}({self.model})" if self.wrapper else self.model

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Models on E (n, e) and Y (n, q); all chance but that of numpy's global generator comes from rng.

        Errors: DataError for what the class raises.
        """
        has = has_label(Y)
        learned = {"": _together, "br": _one_by_one, "cc": _in_a_chain}[self.wrapper]
        with _told(self.title):
            predict = learned(lambda: _seeded(self._made(rng), rng), _form(E), has, rng)

        def told(E: Matrix) -> Prediction:
            with _told(self.title):
                return predict(_form(E))

        return told


@dataclass(frozen=True)
class Estimator(_Models):
    """A class of another library, by its path.

    path: module:Class. arguments: as they are typed, `n_estimators=200`, in the order of their names. Errors: ParameterError
    where there is no such class, or it does not take the arguments.
    """

    path: str
    arguments: str = ""
    wrapper: Wrapper = ""

    def __post_init__(self) -> None:
        class_of(self.path, "fit", "predict")
        self._made(None)
        self._check()

    @property
    def model(self) -> str:
        return f"{self.path}({self.arguments})"

    @property
    def packages(self) -> tuple[str, ...]:
        """The distributions that the classes are of; none where they were not installed as such."""
        return tuple(sorted({name for path in paths_in(self.model) for name in _distributions_of(path)}))

    @property
    def code(self) -> type | None:
        """The first of the classes of which no version of a distribution says what it is."""
        return next((class_of(path) for path in paths_in(self.model) if not _distributions_of(path)), None)

    def _made(self, rng: np.random.Generator | None) -> Any:
        kind = class_of(self.path)
        is_hidden = not hasattr(kind, "get_params") and "random_state" in inspect.signature(kind).parameters
        if rng is None or not is_hidden or "random_state" in arguments_of(self.model):
            return built(self.model)
        return built(self.model, random_state=int(rng.integers(2**31)))


@dataclass(frozen=True)
class EstimatorObject(_Models):
    """An object of another library that no text stands for: each model is a copy of it, with all that it holds.

    pickled: the object. text: how it is named. Two of the same bytes are the same learner.
    """

    pickled: bytes = field(repr=False)
    text: str
    wrapper: Wrapper = ""

    def __post_init__(self) -> None:
        self._check()

    @property
    def model(self) -> str:
        return self.text

    @property
    def parameters(self) -> dict[str, Any]:
        """What it is, for results and the names of those that are kept."""
        return {"object": self.text, "sha256": hashlib.sha256(self.pickled).hexdigest(), "wrapper": self.wrapper}

    @property
    def packages(self) -> tuple[str, ...]:
        """The distribution that the class is of."""
        return _distributions_of(type(self._made(None)).__module__)

    @property
    def code(self) -> type | None:
        """The class, where no version of a distribution says what it is."""
        return None if self.packages else type(self._made(None))

    def _made(self, rng: np.random.Generator | None) -> Any:
        return pickle.loads(self.pickled)


def is_path(text: str) -> bool:
    """Whether a learner is typed by the path of a class.

    >>> is_path("sklearn.svm:LinearSVC"), is_path("br(m:C())"), is_path("mlknn:k=5"), is_path("br")
    (True, True, False, False)
    """
    return "(" in text or "." in text.partition(":")[0]


def estimator(text: str) -> Estimator:
    """What is typed as a learner. Errors: ParameterError for what cannot be understood, and those of Estimator.

    >>> estimator("br( sklearn.svm:LinearSVC(C = 2., class_weight='balanced') )").title
    "br(sklearn.svm:LinearSVC(C=2.0, class_weight='balanced'))"
    """
    wrapped = _WRAPPED.fullmatch(text.strip())
    wrapper, inner = (wrapped[1], wrapped[2].strip()) if wrapped else ("", text.strip())
    path, _, arguments = canonical(inner, text).partition("(")
    return Estimator(path, arguments.removesuffix(")"), wrapper)  # type: ignore[arg-type]


def of_object(model: Any, wrapper: Wrapper = "") -> Estimator | EstimatorObject:
    """An object with `fit` and `predict` as a learner: by its path where that says all, else as it is.

    Errors: ParameterError for what is no such object, cannot be copied, or must be wrapped.
    """
    if isinstance(model, type) or not all(callable(getattr(model, method, None)) for method in ("fit", "predict")):
        raise ParameterError(f"{shown(model)} is no object with the methods fit and predict, such as LogisticRegression(C=0.5)")
    text = text_of(model)
    if text is not None:
        return estimator(f"{wrapper}({text})" if wrapper else text)
    try:
        pickled = pickle.dumps(model)
    except Exception as error:
        raise ParameterError(
            f"{shown(model)} cannot be copied by pickle, as a learner must be ({reason(error)}): define what it holds in a module"
        ) from error
    return EstimatorObject(pickled, shown(model), wrapper)


def br(model: Any) -> Estimator | EstimatorObject:
    """Binary relevance: a model a label. model: an object of scikit-learn, say, or the path of a class with arguments.

    >>> from sklearn.linear_model import LogisticRegression
    >>> br(LogisticRegression(C=0.5)).title
    'br(sklearn.linear_model:LogisticRegression(C=0.5))'
    """
    return estimator(f"br({model})") if isinstance(model, str) else of_object(model, "br")


def cc(model: Any) -> Estimator | EstimatorObject:
    """A classifier chain: each model sees the labels before its own. model: as in `br`."""
    return estimator(f"cc({model})") if isinstance(model, str) else of_object(model, "cc")


def _distributions_of(path: str) -> tuple[str, ...]:
    """The distributions that a class or a module is of."""
    return tuple(_distributions().get(re.split("[.:]", path)[0], ()))


@cache
def _distributions() -> dict[str, list[str]]:
    """The distributions of each package at the top, by its name."""
    return dict(packages_distributions())


def _seeded(model: Any, rng: np.random.Generator) -> Any:
    """The model with numbers of the generator where it, or a model in it, has a random_state that is None."""
    if hasattr(model, "get_params") and hasattr(model, "set_params"):
        known = model.get_params(deep=True).items()
        states = sorted(name for name, value in known if name.rpartition("__")[2] == "random_state" and value is None)
        model.set_params(**{name: int(rng.integers(2**31)) for name in states})
    return model


def _learns_one_label(model: Any) -> bool:
    """Whether scikit-learn says so of one of its own classes; what others are is not known before they are tried."""
    if not type(model).__module__.startswith("sklearn."):
        return False
    utils = import_module("sklearn.utils")
    if hasattr(utils, "get_tags"):
        tags = utils.get_tags(model)
        learns_labels = tags.classifier_tags is None or tags.classifier_tags.multi_label or tags.target_tags.multi_output
        return not learns_labels
    return not (model._get_tags()["multilabel"] or model._get_tags()["multioutput"])


@contextmanager
def _told(title: str) -> Iterator[None]:
    """Warnings are left out, and what the class raises is told in one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except Exception as error:
            raise DataError(f"{title}: {reason(error)}") from error


def _form(E: Matrix) -> Any:
    """Features as most libraries take them: an array, or a CSR matrix with 32-bit indices where they suffice."""
    return E if isinstance(E, np.ndarray) else scipy.sparse.csr_matrix((E.data, E.indices, E.indptr), shape=E.shape)


def _together(new: Callable[[], Any], E: Any, has: np.ndarray, rng: np.random.Generator) -> Predictor:
    """One model of all labels."""
    model = new().fit(E, has.astype(np.int64))
    q = has.shape[1]

    def predict(E: Any) -> Prediction:
        relevant = _dense(model.predict(E)).reshape(-1, q) != 0
        return Prediction(_scores(model, E, relevant), relevant)

    return predict


def _scores(model: Any, E: Any, relevant: np.ndarray) -> np.ndarray:
    """(m, q): the scores of a model of all labels."""
    q = relevant.shape[1]
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(E)
        if isinstance(shares, list):
            return np.column_stack([_positive(one, of) for one, of in zip(shares, model.classes_, strict=True)])
        shares = _dense(shares)
        of_one_label = q == 1 and np.size(getattr(model, "classes_", ())) == shares.shape[1]
        return _positive(shares, model.classes_)[:, None] if of_one_label else shares
    if hasattr(model, "decision_function"):
        return _dense(model.decision_function(E)).reshape(-1, q)
    return relevant.astype(np.float64)


def _one_by_one(new: Callable[[], Any], E: Any, has: np.ndarray, rng: np.random.Generator) -> Predictor:
    """A model a label."""
    models = [_of_label(new, E, label) for label in has.T]

    def predict(E: Any) -> Prediction:
        found = [_label(model, E) for model in models]
        return Prediction(*(np.column_stack(columns) for columns in zip(*found, strict=True)))

    return predict


def _in_a_chain(new: Callable[[], Any], E: Any, has: np.ndarray, rng: np.random.Generator) -> Predictor:
    """A model a label in a random order: the true labels before it are features, and to predict those that were given."""
    chain = rng.permutation(has.shape[1])
    models = [_of_label(new, _beside(E, has[:, chain[:t]]), has[:, j]) for t, j in enumerate(chain)]

    def predict(E: Any) -> Prediction:
        scores, relevant = np.zeros((E.shape[0], len(chain))), np.zeros((E.shape[0], len(chain)), dtype=bool)
        for t, j in enumerate(chain):
            scores[:, j], relevant[:, j] = _label(models[t], _beside(E, relevant[:, chain[:t]]))
        return Prediction(scores, relevant)

    return predict


def _beside(E: Any, labels: np.ndarray) -> Any:
    """Features and labels side by side, in the form of the features."""
    if isinstance(E, np.ndarray):
        return np.hstack([E, labels.astype(np.float64)])
    return scipy.sparse.hstack([E, scipy.sparse.csr_matrix(labels.astype(np.float64))], format="csr")


def _of_label(new: Callable[[], Any], E: Any, label: np.ndarray) -> Any:
    """The model of a label (n,), or its one value."""
    return new().fit(E, label.astype(np.int64)) if label.any() and not label.all() else bool(label[0])


def _label(model: Any, E: Any) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels given, (m,) each."""
    if isinstance(model, bool):
        return np.full(E.shape[0], float(model)), np.full(E.shape[0], model)
    relevant = _dense(model.predict(E)).ravel() != 0
    if hasattr(model, "predict_proba"):
        return _positive(_dense(model.predict_proba(E)), model.classes_), relevant
    scores = model.decision_function(E) if hasattr(model, "decision_function") else relevant
    return np.asarray(scores, dtype=np.float64).ravel(), relevant


def _positive(shares: np.ndarray, classes: Any) -> np.ndarray:
    """(m,): the column of class 1, 0 where the model does not know it."""
    column: np.ndarray = shares[:, np.asarray(classes).ravel() == 1].sum(axis=1)
    return column


def _dense(values: Any) -> np.ndarray:
    return np.asarray(values.toarray() if scipy.sparse.issparse(values) else values, dtype=np.float64)
