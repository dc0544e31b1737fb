"""What every learner is: hyper-parameters, and a `fit` that gives back a function from rows to their labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
import scipy

from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.parameters import Option, options

Predictor: TypeAlias = Callable[[Matrix], Prediction]
"""From encoded features (m, e), of the same encoding as those that were learned from, to scores and labels (m, q)."""

ClassWeight: TypeAlias = Annotated[
    Literal["none", "balanced"],
    Option("Whether rows count alike, or the rows with a label as much in all as those without it."),
]


class Learner(Protocol):
    """A frozen dataclass of hyper-parameters; those that are annotated with an Option (parameters.py) can be typed.

    summary: what it does, in a line. reference: the publication. One that needs optional packages names them in `packages`. One
    that is not typed by name and options says in `title` how it is.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def fit(self, E: Matrix, Y: scipy.sparse.csr_array, rng: np.random.Generator) -> Predictor:
        """Learn from E (n, e), without NaN, and Y (n, q), n and e at least 1. All chance comes from rng."""
        ...


def title(learner: Learner) -> str:
    """How results name a learner: its own `title`, else its name and the options that are not at their defaults, as typed."""
    own: str | None = getattr(learner, "title", None)
    if own is not None:
        return own
    changed = (
        f"{option.name}={value:g}" if option.kind == "number" else f"{option.name}={value}"
        for option in options(type(learner))
        if (value := getattr(learner, option.name)) != option.default
    )
    return ":".join([learner.name, *changed])


def described(learner: Learner) -> dict[str, Any]:
    """Its hyper-parameters as JSON takes them: what it says itself, else its fields."""
    own: dict[str, Any] | None = getattr(learner, "parameters", None)
    return dataclasses.asdict(learner) if own is None else own


def check_options(learner: Learner) -> None:
    """Raise ParameterError for an option that has a value that is not allowed."""
    for option in options(type(learner)):
        option.check(getattr(learner, option.name))


def balanced_weights(positives: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The weight of a row with a label and of one without it, (q,) each, by which both kinds sum to n / 2.

    positives (q,): the rows of n that have the label, some and not all.

    >>> balanced_weights(np.array([2]), 8)
    (array([2.]), array([0.66666667]))
    """
    return n / (2 * positives), n / (2 * (n - positives))


def has_label(Y: scipy.sparse.csr_array) -> np.ndarray:
    """(n, q) bool, each label's column contiguous."""
    return np.asfortranarray(Y.toarray() != 0)


def above_half(scores: np.ndarray) -> Prediction:
    """The labels with a score above 0.5; a score of 0.5 is no label, as a tree that is undecided says 0."""
    return Prediction(scores, scores > 0.5)
