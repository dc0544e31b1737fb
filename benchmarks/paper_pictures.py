"""What the paper's pictures show of the whole data sets, without a learner: LImb against LImb_LSD, and how sparse W is.

    LImb      mean_j of the share of unlike neighbours around the positives of label j, by the Euclidean distance
    LImb_LSD  the same, by the distances of the labels
    support   share of the weights W (e x q) that are not 0

All rows count, and W is learned from all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import paper_kept
from benchmarks.paper_kept import Figures
from benchmarks.paper_plan import LAMBDAS, LIMB_SETS, SETTINGS, SUPPORT, place
from lsdmlo_cli.analysis import Analysis, Settings, before
from lsdmlo_cli.numeric.encoding import Scale

SCALES: tuple[Scale, ...] = ("none", "range")


def run(folder: Path, told: Callable[[str], None], supports: bool) -> None:
    """Work out what the folder does not hold yet; supports: W under every pair of lambdas, too."""
    for name, scale in product(LIMB_SETS, SCALES):
        if imbalance_of(folder, name, scale) is None:
            paper_kept.keep(folder, _imbalance_name(name, scale), _imbalance(name, scale))
            told(f"LImb of {name}, scale {scale}")
    for name in SUPPORT if supports else ():
        if None in (support_of(folder, name, *lambdas) for lambdas in product(LAMBDAS, LAMBDAS)):
            _keep_support(folder, name)
            told(f"weights of {name} under {len(LAMBDAS) ** 2} pairs of lambdas")


def imbalance_of(folder: Path, name: str, scale: Scale) -> Figures | None:
    """limb, limb_lsd and support of a data set, None where they have not been worked out."""
    return paper_kept.load(folder, _imbalance_name(name, scale))


def support_of(folder: Path, name: str, lambda1: float, lambda2: float) -> float | None:
    """The support of a data set's W, None where it has not been worked out."""
    found = paper_kept.load(folder, _support_name(name, lambda1, lambda2))
    return None if found is None else found["support"]


def _imbalance_name(name: str, scale: Scale) -> str:
    return f"limb-{name}-{scale}"


def _support_name(name: str, lambda1: float, lambda2: float) -> str:
    return f"support-{name}-{lambda1:g}-{lambda2:g}"


def _imbalance(name: str, scale: Scale) -> Figures:
    """Over all positives; labels without a positive have no LImb."""
    analysis = Analysis(place(name).load().dataset, Settings(scale=scale), threads=1)
    imbalance = before(analysis)
    limb, limb_lsd = (float(np.nanmean(figures)) for figures in (imbalance.limb, imbalance.limb_lsd))
    return {"limb": limb, "limb_lsd": limb_lsd, "support": _support(analysis)}


def _keep_support(folder: Path, name: str) -> None:
    analysis = Analysis(place(name).load().dataset, SETTINGS, threads=1)
    for lambda1, lambda2 in product(LAMBDAS, LAMBDAS):
        analysis = analysis.with_settings(replace(SETTINGS, lambda1=lambda1, lambda2=lambda2))
        paper_kept.keep(folder, _support_name(name, lambda1, lambda2), {"support": _support(analysis)})


def _support(analysis: Analysis) -> float:
    W = analysis.feature_weights.W
    return float(W.nnz / (W.shape[0] * W.shape[1]))
