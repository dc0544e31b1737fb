"""Whether to resample a data set for a learner, and how.

candidates -> race on all rows -> the candidate to use
           -> races on the training rows of outer folds -> test rows -> what such a choice is worth -> answer
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from time import time

from lsdmlo_cli.evaluation.experiment import About, about
from lsdmlo_cli.evaluation.metrics import check_metric
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.evaluation.recommendation.answer import Answer
from lsdmlo_cli.evaluation.recommendation.budget import Budget, parts, rows_within
from lsdmlo_cli.evaluation.recommendation.candidates import candidates
from lsdmlo_cli.evaluation.recommendation.trials import Trials
from lsdmlo_cli.evaluation.sources import DataSource
from lsdmlo_cli.evaluation.versions import versions_for
from lsdmlo_cli.evaluation.workers import workers
from lsdmlo_cli.folders import made_folder
from lsdmlo_cli.progress import Progress, silent


@dataclass(frozen=True)
class Recommendation:
    """The data set, how many of its rows were used, and the answer."""

    about: About
    rows: int
    answer: Answer


def recommend(
    plan: Plan, place: DataSource, metric: str, folder: Path, budget: Budget, progress: Progress = silent
) -> Recommendation:
    """Compare the plan's methods, its one learner without them, and other remedies without rows; `folder` keeps what is found.

    The plan's folds and repeats are those of the outer folds; its threshold has no say. Errors: FormatError and FileError of the
    data and the folder; ParameterError for an unknown metric, or where an extra is missing.
    """
    check_metric(metric)
    learner = plan.learners[0]
    versions_for(*(method.sampler for method in plan.methods), learner)
    asked = candidates(learner, metric, plan.methods)
    with made_folder(folder), workers(budget.jobs, budget.cluster) as working:
        budget = replace(budget, jobs=working.count)
        data = about(place, plan.folds)
        deadline = None if budget.seconds is None else time() + budget.seconds
        trials = Trials(plan, place, data.sha256, data.n, folder, deadline)
        rows = rows_within(budget, trials, data.n, asked, progress)
        found = parts(working, replace(trials, rows=rows), asked, metric, progress)
        in_order = sorted(found, key=lambda one: one.outer)
        return Recommendation(data, rows, Answer(metric, asked, tuple(in_order)))
