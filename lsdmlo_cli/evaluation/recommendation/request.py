"""What the command and the function `recommend` are asked for, and the plan that it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.evaluation import method_spec
from lsdmlo_cli.evaluation.plan import Plan
from lsdmlo_cli.parameters import option_name

RATIOS = ("0.1", "0.3")
"""At which methods are tried that have p and are given none."""


@dataclass(frozen=True)
class Request:
    """A recommendation as it is asked for, but for its data and its budget: the options of `lsdmlo recommend`.

    methods, learner: as typed, or objects (method_spec.py). typed: whether options are called as on the command line in messages.
    """

    methods: Any = "mlros,mlsmote,mlsmote:strategy=union,mlsol,lsdmlo,lsdmlo-pos"
    learner: Any = "mlknn"
    seed: int = 0
    settings: Settings = field(default_factory=lambda: Settings(scale="std"))
    typed: bool = False

    def plan(self) -> Plan:
        """The methods at each p, and the learner. Errors: ParameterError for what cannot be understood."""
        asked = [one for one in method_spec.specs(self.methods, self._called) if one.kind is not None]
        if not asked:
            raise ParameterError(
                f"{self._called('methods')} {self.methods}: there is no method to try; base is compared in any case"
            )
        methods = tuple(one.method() for each in asked for one in ([each.at(p) for p in RATIOS] if each.takes_p else [each]))
        learners = method_spec.learners(self.learner)
        if len(learners) != 1:
            raise ParameterError(f"{self._called('learner')} {self.learner}: one learner is needed, not {len(learners)}")
        return Plan(methods, learners, settings=replace(self.settings, measures="fast"), seed=self.seed)

    def _called(self, name: str) -> str:
        return option_name(name) if self.typed else name
