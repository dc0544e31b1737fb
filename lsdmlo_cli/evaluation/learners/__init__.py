"""The learners by name; one of another package is an entry point in the group `lsdmlo.learners`, or typed by its path."""

from lsdmlo_cli.evaluation.learners.base import Learner, Predictor, described, title
from lsdmlo_cli.evaluation.learners.br import BR
from lsdmlo_cli.evaluation.learners.by_path import Estimator, estimator, is_path, of_object
from lsdmlo_cli.evaluation.learners.c2ae import C2AE
from lsdmlo_cli.evaluation.learners.cc import CC
from lsdmlo_cli.evaluation.learners.cocoa import COCOA
from lsdmlo_cli.evaluation.learners.et import ET
from lsdmlo_cli.evaluation.learners.llsf import LLSF
from lsdmlo_cli.evaluation.learners.lr import LR
from lsdmlo_cli.evaluation.learners.mlknn import MLkNN
from lsdmlo_cli.evaluation.learners.rakel import RAkEL
from lsdmlo_cli.plugins import Registry

LEARNERS: Registry[type[Learner]] = Registry("learners", (BR, MLkNN, CC, RAkEL, COCOA, C2AE, LLSF, LR, ET))

__all__ = [
    "BR",
    "C2AE",
    "CC",
    "COCOA",
    "ET",
    "LEARNERS",
    "LLSF",
    "LR",
    "Estimator",
    "Learner",
    "MLkNN",
    "Predictor",
    "RAkEL",
    "described",
    "estimator",
    "is_path",
    "of_object",
    "title",
]
