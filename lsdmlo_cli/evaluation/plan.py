"""What an experiment compares, and how: methods, learners, folds, seeds.

    results = data sets x repeats x folds x methods x learners x metrics

Every random draw has a generator of its own, made of the seed and the names of what draws. So a result depends neither on the
order of the work nor on what else is asked for.
"""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

import numpy as np

from lsdmlo_cli import cautions
from lsdmlo_cli.analysis import OF_LEARNING, Settings
from lsdmlo_cli.checks import check_choice
from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.evaluation.learners import Learner, described, title
from lsdmlo_cli.evaluation.metrics import RECOMMENDED, Rules, by_default, check_metric
from lsdmlo_cli.evaluation.thresholds import THRESHOLDS, Threshold
from lsdmlo_cli.report import parameters
from lsdmlo_cli.samplers import Sampler

BASE = "base"
"""The name of no sampling at all."""


@dataclass(frozen=True)
class Method:
    """A column of the results.

    title: as the tables show it. sampler: None for no sampling. fixed: the sampler's options that tuning leaves alone.
    """

    title: str
    sampler: Sampler | None
    fixed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return BASE if self.sampler is None else self.sampler.name

    @property
    def parameters(self) -> dict[str, Any]:
        return {} if self.sampler is None else parameters(self.sampler)


@dataclass(frozen=True)
class Tuning:
    """How p, lambda1 and lambda2 are chosen inside a training half.

    metric: the one that decides. inner: folds. budget: grid points that are tried, drawn at random; None for all of them.
    """

    metric: str = "macro_f"
    inner: int = 3
    budget: int | None = None

    def __post_init__(self) -> None:
        check_metric(self.metric)
        if self.inner < 2:
            raise ParameterError(f"tuning needs at least 2 inner folds, not {self.inner}")
        if self.budget is not None and self.budget < 1:
            raise ParameterError(f"the budget must be at least 1, not {self.budget}")


@dataclass(frozen=True)
class Plan:
    """An experiment, but for its data.

    settings: k, lambda1, lambda2, scale and so on of all methods. rules: of the metrics. repeats, folds: 5 and 2 for "5x2"
    cross-validation. tuning: None to run every method as it is. threshold: where scores are cut (thresholds.py).
    against: the title of the method that others are compared with, None for the first. metrics: those that are shown; all are
    worked out and kept.
    Errors: ParameterError where something is missing or named twice.
    """

    methods: tuple[Method, ...]
    learners: tuple[Learner, ...]
    settings: Settings = field(default_factory=lambda: Settings(measures="fast"))
    rules: Rules = RECOMMENDED
    repeats: int = 5
    folds: int = 2
    seed: int = 0
    tuning: Tuning | None = None
    threshold: Threshold = "half"
    against: str | None = None
    metrics: tuple[str, ...] = field(default_factory=by_default)

    def __post_init__(self) -> None:
        check_choice("threshold", self.threshold, *THRESHOLDS)
        _refuse_twice("method", [method.title for method in self.methods])
        _refuse_twice("learner", [title(learner) for learner in self.learners])
        _refuse_twice("metric", list(self.metrics))
        for metric in self.metrics:
            check_metric(metric)
        titles = [method.title for method in self.methods]
        if self.reference not in titles:
            known = f"it must be one of those compared, {', '.join(titles)}"
            raise ParameterError(f"there is no method {self.reference!r} to compare with{hint(self.reference, titles)}: {known}")
        if self.repeats < 1 or self.folds < 2:
            raise ParameterError(f"cross-validation needs at least 1x2 repeats and folds, not {self.cv}")

    @property
    def cv(self) -> str:
        return f"{self.repeats}x{self.folds}"

    @property
    def reference(self) -> str:
        """The title of the method that others are compared with."""
        return self.methods[0].title if self.against is None else self.against

    @property
    def splits(self) -> list[tuple[int, int]]:
        """Every repeat and fold, both from 1."""
        return list(product(range(1, self.repeats + 1), range(1, self.folds + 1)))

    @property
    def warnings(self) -> list[str]:
        """What the user should know of the methods that are asked for, before the work."""
        told = (cautions.of_request(method.sampler) for method in self.methods if method.sampler is not None)
        return list(dict.fromkeys(chain.from_iterable(told)))

    @property
    def measured_settings(self) -> dict[str, Any]:
        """The settings that can change a result."""
        settings = {name: getattr(self.settings, name) for name in OF_LEARNING}
        if self.settings.max_seconds is None:
            del settings["max_seconds"]
        return settings

    def described(self) -> dict[str, Any]:
        """All that can change a result or how it is told, for the results file."""
        return {
            "cv": self.cv,
            "seed": self.seed,
            "settings": self.measured_settings,
            "rules": dataclasses.asdict(self.rules),
            "threshold": self.threshold,
            "against": self.reference,
            "tuning": None if self.tuning is None else dataclasses.asdict(self.tuning),
            "methods": {method.title: {"sampler": method.name, "parameters": method.parameters} for method in self.methods},
            "learners": {title(learner): described(learner) for learner in self.learners},
        }


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """The random numbers of one thing in the experiment.

    >>> generator(0, "br", 1).random() == generator(0, "br", 1).random() != generator(0, "br", 2).random()
    True
    """
    return np.random.default_rng(np.random.SeedSequence([seed, *(zlib.crc32(str(name).encode()) for name in names)]))


def _refuse_twice(what: str, names: list[str]) -> None:
    if not names:
        raise ParameterError(f"there is no {what} to evaluate")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"the {what} {name} is asked for twice")
