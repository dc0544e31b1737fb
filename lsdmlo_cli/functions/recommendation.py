"""`recommend`: whether to resample a data set for a learner, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from math import isinf
from pathlib import Path
from typing import Any, Unpack

from lsdmlo_cli.analysis import OF_LEARNING, Settings
from lsdmlo_cli.checks import check_whole
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.evaluation.metrics import typed_name
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.recommendation import recommend as recommended
from lsdmlo_cli.evaluation.recommendation.budget import Budget
from lsdmlo_cli.evaluation.recommendation.report import answered, ordered
from lsdmlo_cli.evaluation.recommendation.report import report as told_of
from lsdmlo_cli.evaluation.recommendation.request import Request
from lsdmlo_cli.evaluation.sources import DataSource, Place
from lsdmlo_cli.folders import counted
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.frames import Columns, TabularReport, columns_of
from lsdmlo_cli.functions.data import (
    DataOptions,
    LearningOptions,
    ProgressOptions,
    Reading,
    part,
    refuse_unknown,
    settings_of,
)
from lsdmlo_cli.functions.evaluation import kept_in
from lsdmlo_cli.parameters import option_name, seconds_in
from lsdmlo_cli.progress import Progress, silent
from lsdmlo_cli.report import to_json

OF_REQUEST = ("methods", "learner", "seed")
FURTHER = ("metric", "budget", "out", "jobs", "cluster", "verbose", "progress")


class RecommendOptions(DataOptions, LearningOptions, ProgressOptions, total=False):
    """The options of `recommend`, beside those of data, of learning (scale is "std" here) and of progress: the command's.

    methods, learner: as in EvaluateOptions, one learner. metric: what should become better. budget: the time that it may take,
    "5m" (the default), seconds, or None for no limit. seed. out: a folder that keeps the results, None for none. jobs: processes:
    more of them do more in time; with 2 or more a script must call it under `if __name__ == "__main__":`. cluster: as in
    EvaluateOptions.
    """

    methods: Any
    learner: Any
    metric: str
    budget: Any
    seed: int
    out: Any
    jobs: int
    cluster: Any


class Advice(TabularReport):
    """What is recommended, and why: what `lsdmlo recommend` writes into recommendation.json.

    Tables: `candidates`, one row each, the best first; `choices`, one row for each race.
    """

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {
            "candidates": lambda: columns_of(list(self._candidates())),
            "choices": lambda: columns_of(list(self._choices())),
        }

    def _candidates(self) -> Iterator[dict[str, Any]]:
        for one in ordered(self):
            gain = {f"gain_{name}": value for name, value in one["gain"].items()}
            known = {name: one[name] for name in ("title", "sampler", "class_weight", "threshold", "inner_folds")}
            yield {**known, **gain, "recommended": one["title"] == self["recommended"]["title"]}

    def _choices(self) -> Iterator[dict[str, Any]]:
        for one in self["choices"]:
            outer, reached = one["outer"] or {}, one["reached"] or {}
            place = {name: outer.get(name) for name in ("repeat", "fold")}
            figures = {name: reached.get(name) for name in ("plain", "without", "sampled")}
            yield {**place, **{name: one[name] for name in ("without_rows", "with_rows", "winner")}, **figures}

    def lines(self) -> Iterable[str]:
        data = self["dataset"]
        yield f"{data['name']}, {self['learner']['title']}, {self['metric']}, {counted(self['outer_folds'], 'test fold')}"
        yield answered(self)
        yield from filter(None, [self["command"]])
        yield from (f"warning: {warning}" for warning in data["warnings"])
        yield from (f"warning: {one['candidate']} failed: {one['error']}" for one in self["errors"])


def recommend(X: Any, Y: Any = None, settings: Settings | None = None, **options: Unpack[RecommendOptions]) -> Advice:
    """Whether to resample a data set for a learner, and how.

    X: features with labels Y, as `fit_resample` takes them; or the path of a file or a Dataset, and no Y. options: see
    RecommendOptions. The figures are those of `lsdmlo recommend`. Errors: LsdmloError.
    """
    given: dict[str, Any] = dict(options)
    of_data = tuple(field.name for field in fields(Reading))
    refuse_unknown("recommend", given, (*OF_REQUEST, *of_data, *OF_LEARNING, *FURTHER))
    plan = Request(**part(given, OF_REQUEST), settings=settings_of(settings, given, scale="std")).plan()
    source = Reading(**part(given, of_data)).source(X, Y)
    with spoken(given.get("verbose", 0), source.path, given.get("progress", silent)) as progress:
        return _advice(plan, source, given, progress)


def _advice(plan: Plan, source: DataSource, given: Mapping[str, Any], progress: Progress) -> Advice:
    """The recommendation, which is written where a folder is given for it."""
    seconds, out = seconds_in(given.get("budget", "5m")), given.get("out")
    budget = Budget(None if isinf(seconds) else seconds, check_whole("jobs", given.get("jobs", 1), 1), given.get("cluster"))
    with kept_in(out) as cells:
        found = recommended(plan, source, typed_name(given.get("metric", "minority_aucpr")), cells, budget, progress)
    path = source.path if isinstance(source, Place) else None
    advice = Advice(told_of(plan, found, path, _for_rows(plan, source, given)))
    if out is not None:
        write_whole(str(Path(out) / "recommendation.json"), to_json(advice))
    return advice


def _for_rows(plan: Plan, source: DataSource, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the recommended command or call needs too."""
    default = Settings()
    learning = {name: value for name in OF_LEARNING if (value := getattr(plan.settings, name)) != getattr(default, name)}
    if not isinstance(source, Place):
        return {**learning, **part(given, ("categorical_features", "ignore"))}
    form = {"from": given.get("form"), "categories": ",".join(given.get("categories") or ())}
    data = {"labels": source.labels, "ignore": ",".join(map(str, source.ignore)), **form}
    return {option_name(name): value for name, value in {**data, **learning}.items() if value}
