"""What the command and the function `evaluate` are asked for, and the plan that it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.checks import refusal
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.evaluation import method_spec
from lsdmlo_cli.evaluation.metrics import AUTHORS, METRICS, RECOMMENDED, Rules, by_default, typed_name
from lsdmlo_cli.evaluation.plan import Method, Plan, Tuning
from lsdmlo_cli.evaluation.tuning import has_grid
from lsdmlo_cli.parameters import option_name, repeats_and_folds

TUNED = ("lambda1", "lambda2")
FOR_TUNING = ("tune_metric", "inner", "budget")


@dataclass(frozen=True)
class Request:
    """An experiment as it is asked for, but for its data: the options of `lsdmlo evaluate` under their names.

    methods, learners, metrics: a text, names separated by commas, or a list of names and objects (method_spec.py). cv: "5x2", or
    two numbers. settings: of all methods; given: the names of those that were given. typed: whether options are called as on the
    command line in messages.
    """

    methods: Any = "base,lsdmlo"
    learners: Any = "br,mlknn"
    against: Any = None
    cv: Any = "5x2"
    seed: int = 0
    p: Any = None
    tune: bool = False
    metrics: str | Iterable[str] | None = None
    tune_metric: str | None = None
    inner: int | None = None
    budget: int | None = None
    rules: str | None = None
    ties: str | None = None
    undefined: str | None = None
    threshold: Any = "half"
    settings: Settings = field(default_factory=Settings)
    given: tuple[str, ...] = ()
    typed: bool = False

    def plan(self) -> Plan:
        """What is to be compared, and how. Errors: ParameterError for what cannot be understood or does not go together."""
        self._refuse_mixed()
        repeats, folds = repeats_and_folds(self.cv)
        plan = Plan(
            method_spec.methods(self.methods, self.p, called=self.called),
            method_spec.learners(self.learners),
            settings=replace(self.settings, measures="fast"),
            rules=self._rules(),
            repeats=repeats,
            folds=folds,
            seed=self.seed,
            tuning=self._tuning() if self.tune else None,
            threshold=self.threshold,
            against=None if self.against is None else method_spec.of_method(self.against).title,
            metrics=_metrics(self.metrics),
        )
        self._refuse_idle(plan)
        return plan

    def called(self, name: str) -> str:
        """An option as messages call it."""
        return option_name(name) if self.typed else name

    def _rules(self) -> Rules:
        given: dict[str, Any] = {
            name: value for name, value in (("ties", self.ties), ("undefined", self.undefined)) if value is not None
        }
        if self.rules is not None and given:
            raise ParameterError(f"{self.called('rules')} and {self.called(next(iter(given)))} exclude each other")
        if self.rules not in (None, "authors", "recommended"):
            raise refusal("rules", "'recommended' or 'authors'", self.rules)
        return AUTHORS if self.rules == "authors" else replace(RECOMMENDED, **given)

    def _tuning(self) -> Tuning:
        metric = None if self.tune_metric is None else typed_name(self.tune_metric)
        given = (("metric", metric), ("inner", self.inner), ("budget", self.budget))
        values: dict[str, Any] = {name: value for name, value in given if value is not None}
        return Tuning(**values)

    def _refuse_mixed(self) -> None:
        """Raise ParameterError for options of tuning without it, and for what tuning chooses itself."""
        for name in FOR_TUNING:
            if not self.tune and getattr(self, name) is not None:
                raise ParameterError(f"{self.called(name)} is for {self.called('tune')}")
        for name in TUNED:
            if self.tune and name in self.given:
                raise ParameterError(f"{self.called('tune')} chooses {name} itself: leave {self.called(name)} out")

    def _refuse_idle(self, plan: Plan) -> None:
        """Raise ParameterError for tuning without anything to choose, and for one method under two names."""
        if plan.tuning is not None and not any(map(has_grid, plan.methods)):
            titles = ", ".join(method.title for method in plan.methods)
            raise ParameterError(
                f"{self.called('tune')} does nothing: none of the methods ({titles}) has a value to choose that is not given"
            )
        seen: dict[str, Method] = {}
        for method in plan.methods:
            same = seen.setdefault(repr((method.name, method.parameters, plan.tuning and sorted(method.fixed))), method)
            if same is not method:
                raise ParameterError(f"{same.title} and {method.title} are one method with the same values: leave one out")


def _metrics(asked: str | Iterable[str] | None) -> tuple[str, ...]:
    """The metrics to show."""
    if asked is None:
        return by_default()
    names = tuple(map(typed_name, method_spec.listed(asked) if isinstance(asked, str) else asked))
    return tuple(METRICS) if names == ("all",) else names
