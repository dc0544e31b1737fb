"""The learners by name."""

from lsdmlo_cli.evaluation.learners.base import Learner, Predictor
from lsdmlo_cli.evaluation.learners.br import BR
from lsdmlo_cli.evaluation.learners.c2ae import C2AE
from lsdmlo_cli.evaluation.learners.cc import CC
from lsdmlo_cli.evaluation.learners.cocoa import COCOA
from lsdmlo_cli.evaluation.learners.llsf import LLSF
from lsdmlo_cli.evaluation.learners.mlknn import MLkNN
from lsdmlo_cli.evaluation.learners.rakel import RAkEL

LEARNERS: dict[str, type[Learner]] = {learner.name: learner for learner in (BR, MLkNN, CC, RAkEL, COCOA, C2AE, LLSF)}

__all__ = ["BR", "C2AE", "CC", "COCOA", "LEARNERS", "LLSF", "Learner", "MLkNN", "Predictor", "RAkEL"]
