"""What a recommendation chooses from: ways to train a learner on a data set, without new rows and with them.

without rows    the learner as it is; with balanced class weights, where it has them; with another threshold, where the
                metric rests on the labels that are given
with rows       each sampler at each p, with the learner as it is; with the threshold `prior` too, where that matters
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lsdmlo_cli.evaluation.learners import Learner
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import BASE, Method
from lsdmlo_cli.evaluation.thresholds import Threshold

CLASS_WEIGHT = "class_weight"
PLAIN = Method(BASE, None)


@dataclass(frozen=True)
class Candidate:
    """A way to train: what is done with the rows, the learner, and where its scores are cut.

    balanced: whether the learner has class weights that the one asked about has not.
    """

    method: Method
    learner: Learner
    threshold: Threshold = "half"
    balanced: bool = False

    @property
    def samples(self) -> bool:
        """Whether rows are added or removed."""
        return self.method.sampler is not None

    @property
    def remedies(self) -> list[str]:
        """What differs from the learner as it is, the rows left aside."""
        weights = [f"{CLASS_WEIGHT}=balanced"] if self.balanced else []
        return weights if self.threshold == "half" else [*weights, f"threshold {self.threshold}"]

    @property
    def title(self) -> str:
        """As tables name it, such as `mlros:p=0.1, threshold prior`."""
        return ", ".join([self.method.title, *self.remedies])

    def described(self) -> dict[str, Any]:
        """What it is, for the report."""
        return {
            "title": self.title,
            "sampler": None if self.method.sampler is None else self.method.name,
            "parameters": self.method.parameters,
            "class_weight": "balanced" if self.balanced else None,
            "threshold": self.threshold,
        }


def candidates(learner: Learner, metric: str, methods: Sequence[Method]) -> tuple[Candidate, ...]:
    """All that is compared, the learner as it is first."""
    without, cuts_matter = list(_without_rows(learner, metric)), METRICS[metric].rests_on == "labels"
    thresholds: tuple[Threshold, ...] = ("half", "prior") if cuts_matter else ("half",)
    return (*without, *(Candidate(method, learner, cut) for method in methods for cut in thresholds))


def _without_rows(learner: Learner, metric: str) -> Iterator[Candidate]:
    thresholds: tuple[Threshold, ...] = ("half", "prior", "inner") if METRICS[metric].rests_on == "labels" else ("half",)
    for one, balanced in [(learner, False), *((weighted, True) for weighted in _balanced(learner))]:
        for threshold in thresholds:
            yield Candidate(PLAIN, one, threshold, balanced)


def _balanced(learner: Learner) -> list[Learner]:
    """The learner with balanced class weights, where it has them and they are not asked for already."""
    if getattr(learner, CLASS_WEIGHT, "balanced") == "balanced":
        return []
    return [dataclasses.replace(learner, **{CLASS_WEIGHT: "balanced"})]  # type: ignore[type-var]
