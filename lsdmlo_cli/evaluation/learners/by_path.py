"""A class of another library as a learner, typed by its path with arguments.

    sklearn.ensemble:RandomForestClassifier(n_estimators=200)   one model of all labels
    br(sklearn.linear_model:LogisticRegression(C=0.5))          binary relevance: a model a label            Boutell et al., 2004
    cc(sklearn.linear_model:LogisticRegression())               a chain: each model sees the labels before   Read et al., 2011

Arguments are literals of Python and nothing else: they are read by ast.literal_eval. The class has scikit-learn's `fit` and
`predict`. Labels are those of `predict`; scores those of `predict_proba`, else of `decision_function`, else the labels.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from lsdmlo_cli.errors import DataError, ParameterError, hint
from lsdmlo_cli.evaluation.learners.base import Predictor, has_label
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix

Wrapper = Literal["", "br", "cc"]
_WRAPPED = re.compile(r"(br|cc)\s*\((.*)\)", re.DOTALL)
_EXAMPLE = "as in sklearn.ensemble:RandomForestClassifier(n_estimators=200)"


@dataclass(frozen=True)
class Estimator:
    """A class of another library.

    path: module:Class. arguments: as they are typed, `n_estimators=200`, in the order of their names. wrapper: none, where the
    class learns all labels at once, or br or cc, where it learns one. What has a `random_state` that is not among the arguments
    gets it from the generator; a label that all rows have, or none, scores 1 or 0 and has no model in br and cc.
    Errors: ParameterError where there is no such class, or it does not take the arguments; DataError for what it raises later.
    """

    name: ClassVar[str] = "estimator"
    summary: ClassVar[str] = "a class of another library"
    reference: ClassVar[str] = ""

    path: str
    arguments: str = ""
    wrapper: Wrapper = ""

    def __post_init__(self) -> None:
        model = self._model(None)
        if not self.wrapper and _learns_one_label(model):
            raise ParameterError(f"{self.title} learns one label: wrap it, br({self.title}) or cc({self.title})")

    @property
    def title(self) -> str:
        """How it is typed, and named in results."""
        one = f"{self.path}({self.arguments})"
        return f"{self.wrapper}({one})" if self.wrapper else one

    @property
    def packages(self) -> tuple[str, ...]:
        """The distributions that the class is of; none where it was not installed as one."""
        return tuple(sorted(set(_distributions().get(self.path.partition(".")[0].partition(":")[0], ()))))

    @property
    def code(self) -> type | None:
        """The class, where no version of a distribution says what it is."""
        return None if self.packages else _class(self.path)

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Models on E (n, e) and Y (n, q); all chance but that of numpy's global generator comes from rng."""
        has = has_label(Y)
        learned = {"": _together, "br": _one_by_one, "cc": _in_a_chain}[self.wrapper]
        with _told(self.title):
            predict = learned(lambda: self._model(rng), _form(E), has, rng)

        def told(E: Matrix) -> Prediction:
            with _told(self.title):
                return predict(_form(E))

        return told

    def _model(self, rng: np.random.Generator | None) -> Any:
        """A new object of the class; rng sets its random_state."""
        kind, given = _class(self.path), _values(self.arguments)
        try:
            model = kind(**given)
            takes = model.get_params() if hasattr(model, "get_params") else inspect.signature(kind).parameters
        except Exception as error:
            raise ParameterError(f"{self.path}({self.arguments}): {_reason(error)}") from error
        if rng is None or "random_state" not in takes or "random_state" in given:
            return model
        return kind(**given, random_state=int(rng.integers(2**31)))


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
    module, _, called = inner.partition(":")
    try:
        call = ast.parse(called.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"{text} is no class with arguments, {_EXAMPLE}") from error
    name = call.func if isinstance(call, ast.Call) else call
    if not isinstance(name, ast.Name) or not re.fullmatch(r"\w+(\.\w+)*", module):
        raise ParameterError(f"{text} is no class with arguments, {_EXAMPLE}")
    arguments = _arguments(text, call) if isinstance(call, ast.Call) else ""
    return Estimator(f"{module}:{name.id}", arguments, wrapper)  # type: ignore[arg-type]


def _arguments(text: str, call: ast.Call) -> str:
    """The arguments in the order of their names, as Python spells them."""
    if call.args or any(one.arg is None for one in call.keywords):
        raise ParameterError(f"{text}: each argument needs its name, {_EXAMPLE}")
    names = [str(one.arg) for one in call.keywords]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"{text}: {twice} is given twice: leave one out")
    for one in call.keywords:
        try:
            ast.literal_eval(one.value)
        except (ValueError, TypeError, RecursionError, MemoryError) as error:
            found = ast.unparse(one.value)
            raise ParameterError(f"{text}: {one.arg} must be a number, a text in quotes or the like, not {found}") from error
    return ", ".join(f"{one.arg}={ast.unparse(one.value)}" for one in sorted(call.keywords, key=lambda one: str(one.arg)))


def _values(arguments: str) -> dict[str, Any]:
    """Arguments as `_arguments` spells them."""
    call = ast.parse(f"f({arguments})", mode="eval").body
    return {str(one.arg): ast.literal_eval(one.value) for one in call.keywords} if isinstance(call, ast.Call) else {}


@cache
def _class(path: str) -> type:
    """The class of a path. Errors: ParameterError."""
    where, _, name = path.partition(":")
    try:
        module = import_module(where)
    except Exception as error:
        raise ParameterError(f"{path}: {where} cannot be imported ({_reason(error)})") from error
    found = getattr(module, name, None)
    if found is None:
        raise ParameterError(f"{where} has no class {name!r}{hint(name, dir(module))}")
    if not isinstance(found, type) or not all(callable(getattr(found, method, None)) for method in ("fit", "predict")):
        raise ParameterError(f"{path} is no class with the methods fit and predict")
    return found


@cache
def _distributions() -> dict[str, list[str]]:
    """The distributions of each package at the top, by its name."""
    return dict(packages_distributions())


def _learns_one_label(model: Any) -> bool:
    """Whether scikit-learn says so of one of its own classes; what others are is not known before they are tried."""
    if not type(model).__module__.startswith("sklearn."):
        return False
    utils = import_module("sklearn.utils")
    if hasattr(utils, "get_tags"):
        tags = utils.get_tags(model).classifier_tags
        return tags is not None and not tags.multi_label
    return not model._get_tags()["multilabel"]


def _reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


@contextmanager
def _told(title: str) -> Iterator[None]:
    """Warnings are left out, and what the class raises is told in one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except Exception as error:
            raise DataError(f"{title}: {_reason(error)}") from error


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
