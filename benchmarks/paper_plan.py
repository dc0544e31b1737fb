"""What is run for benchmarks/paper.md: parts, each a plan on one data set, in the order of the work (cheap and telling first).

compared     methods and the rivals without a row, scale std, p = 0.3, under each threshold
distance     LSDMLO and LSDMLO with positive references where all features count alike, in place of the labels' own distances
ranks        the paper's methods as it ran them, scale none, p in the middle of its grid (full: chosen over the whole grid)

and with --full only
options      LSDMLO's own choices under each scale, against no sampling
p            LSDMLO from p = 0.1 to 0.9
lambdas      LSDMLO under lambda1 x lambda2
tuning       LSDMLO and MLSOL as they are, and with p (and both lambdas) chosen inside the training halves
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.util import find_spec
from itertools import product
from typing import Any

from benchmarks import data
from benchmarks.paper_figures import METHODS
from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.evaluation import method_spec
from lsdmlo_cli.evaluation.learners import title as learner_title
from lsdmlo_cli.evaluation.plan import BASE, Method, Plan, Tuning
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.thresholds import Threshold
from lsdmlo_cli.evaluation.tuning import ratios
from lsdmlo_cli.numeric.encoding import Scale
from lsdmlo_cli.samplers import SAMPLERS, LSDMLOSampler

OWN_NUMBER = (BASE, "rhwrsmt", "mlsmote")
"""Methods without p, or that say by themselves how many rows they make."""
WITHOUT_AEMLO = tuple(title for title in METHODS if title != "aemlo")
SETTINGS = Settings(measures="fast")
ROWS = {
    "flags": 194, "birds-train": 322, "foodtruck": 407, "CAL500": 502, "emotions": 593, "genbase": 662, "medical": 978,
    "stackex-chess": 1675, "enron": 1702, "scene": 2407, "yeast": 2417, "slashdot": 3782, "Corel5k-sparse": 5000,
    "rcv1subset1500": 6000, "rcv1subset2500": 6000, "rcv1subset3500": 6000, "bibtex": 7395, "Arts1500": 7484,
    "Business1500": 11214, "Corel16k001": 13766, "tmc2007-500": 28596,
}  # fmt: skip
"""The data sets that are used, by rows; p depends on them where the paper's grid is."""
LABELS = {"birds-train": "birds.xml", "Corel5k-sparse": "Corel5k.xml"}

DESIGN = ("flags", "birds-train", "CAL500", "emotions", "medical", "enron", "scene", "yeast")
"""The data sets on which LSDMLO with positive references was designed."""
OTHERS = tuple(name for name in ROWS if name not in (*DESIGN, "Corel5k-sparse"))
P = Decimal("0.3")
POSITIVE = "lsdmlo-pos"
UNION = "mlsmote:strategy=union"
COMPARED = (BASE, "mlros", "mlsmote", UNION, "mlsol", "lsdmlo", POSITIVE)
BALANCED = ":class_weight=balanced"
"""Behind a learner: its rows weighed by class. It is run without sampling, as the rival of rows."""
MODEL_SETS = (*DESIGN, "foodtruck", "genbase", "slashdot", "Arts1500")
"""Data sets of lr and et, which take long on many rows and many labels."""
PRIOR_SETS = ("flags", "birds-train", "foodtruck", "emotions", "genbase")
"""Data sets of lr and et cut at the prior; both are trained anew."""
INNER_SETS = ("flags", "birds-train", "foodtruck", "emotions")
"""Data sets of the threshold that is chosen by folds inside the training half, which costs three times as much."""
FLAT = 1e9
"""A lambda1 that leaves no weight: the labels' distances are then Euclidean."""
FLAT_SETS = tuple(name for name in (*DESIGN, *OTHERS) if ROWS[name] <= 7500)

OF_PAPER = (
    "emotions", "scene", "yeast", "CAL500", "Corel5k-sparse", "rcv1subset1500", "rcv1subset2500", "rcv1subset3500", "Arts1500",
    "Business1500", "Corel16k001", "tmc2007-500",
)  # fmt: skip
"""The paper's thirteen but Eurlex-sm; rcv1, Arts and Business have 500 features here, and 472, 231 and 219 there."""
RANK_SETS = {"mlknn": DESIGN, "br": ("flags", "birds-train", "emotions")}
"""Data sets of the section on ranks by learner; with --full all learners have all of the paper's."""

LAMBDAS = tuple(2.0**power for power in (6, 3, 0, -3, -6))
SUPPORT = {"flags": 5, "emotions": 5, "birds-train": 2}
"""Data sets of the sections on the lambdas and on tuning, and how often they are parted in two."""
LIMB_SETS = tuple(sorted({*DESIGN, *OF_PAPER}, key=lambda name: (ROWS[name], name)))
RATIOS = tuple(Decimal(p) / 10 for p in range(1, 10))
OPTION_SETS = {"flags": 5, "birds-train": 5, "emotions": 5, "medical": 2, "scene": 2}
"""Data sets of the section on options, and how often they are parted in two."""
SCALES: tuple[Scale, ...] = ("none", "range", "std")
BUDGET = 12


@dataclass(frozen=True)
class Part:
    """A plan on one data set; parts of one section are read together."""

    section: str
    data: str
    plan: Plan

    @property
    def place(self) -> Place:
        return place(self.data)

    @property
    def needs_autograd(self) -> bool:
        used = [method.name for method in self.plan.methods] + [learner.name for learner in self.plan.learners]
        return "aemlo" in used or "c2ae" in used

    @property
    def described(self) -> str:
        methods = self.plan.methods
        names = f"{len(methods)} methods" if len(methods) > 3 else ", ".join(method.title for method in methods)
        return f"{self.section}, {self.data}: {names} with {', '.join(map(learner_title, self.plan.learners))}, {self.plan.cv}"


def place(name: str) -> Place:
    """Where a public data set lies. Errors: DataAbsent."""
    labels = LABELS.get(name)
    return Place(str(data.public(name)), None if labels is None else str(data.PUBLIC / labels))


def has_autograd() -> bool:
    return find_spec("autograd") is not None


def ratio(name: str, method: str) -> Decimal:
    """The middle of the paper's grid of p for a data set; MLRUS, which removes rows, has that of medium data on small data."""
    grid = ratios(SAMPLERS[method](), ROWS[name])
    return grid[len(grid) // 2]


def method(title: str, **options: Any) -> Method:
    """A method as `lsdmlo evaluate` takes it; options come on top and are not tuned."""
    typed = method_spec.spec(title)
    return typed._replace(given={**typed.given, **options}).method()


def compared(name: str, titles: tuple[str, ...]) -> tuple[Method, ...]:
    """The methods of the comparison on a data set, with the p of `ratio` where they do not choose their number of rows."""
    return tuple(method(title) if title.startswith(OWN_NUMBER) else method(title, p=ratio(name, title)) for title in titles)


def parts(full: bool) -> list[Part]:
    """All that is asked for, in the order of the work."""
    asked = [*_compared("half"), *_compared("prior"), *_inner(), *_distance()]
    if not full:
        return [*asked, *_ranks()]
    return [*asked, *_ranks_tuned(), *_options(), *_ratios(), *_lambdas(), *_tuning()]


def _compared(threshold: Threshold) -> Iterator[Part]:
    """Every method with each learner, and the learner with class weights without sampling."""
    for name in (*DESIGN, *OTHERS):
        yield _one(name, "mlknn", COMPARED, threshold)
    for learner in ("lr", "et"):
        for name in MODEL_SETS if threshold == "half" else PRIOR_SETS:
            yield _one(name, learner, COMPARED, threshold)
            yield _one(name, learner + BALANCED, (BASE,), threshold)


def _inner() -> Iterator[Part]:
    for name in INNER_SETS:
        yield _one(name, "mlknn", COMPARED, "inner")


def _one(name: str, learner: str, titles: tuple[str, ...], threshold: Threshold) -> Part:
    asked = plan(_at_p(titles), (learner,), 2, replace(SETTINGS, scale="std"))
    return Part(f"compared, {threshold}", name, replace(asked, threshold=threshold))


def _at_p(titles: tuple[str, ...]) -> tuple[Method, ...]:
    return tuple(method_spec.spec(title).method(P) for title in titles)


def _distance() -> Iterator[Part]:
    """The two that use the labels' own distances, without them."""
    settings = replace(SETTINGS, scale="std", lambda1=FLAT)
    for name in FLAT_SETS:
        yield Part("distance", name, plan(_at_p(("lsdmlo", POSITIVE)), ("mlknn",), 2, settings))


def _ranks() -> Iterator[Part]:
    for learner, names in RANK_SETS.items():
        for name in names:
            yield Part("ranks", name, plan(compared(name, WITHOUT_AEMLO), (learner,), 2))


def _ranks_tuned() -> Iterator[Part]:
    """Every learner on every data set of the paper's that is here, tuned over the whole grid."""
    learners = ("br", "mlknn", "cc", "rakel", "cocoa", "c2ae")
    for name, learner in product(sorted(OF_PAPER, key=ROWS.__getitem__), learners):
        for titles in (WITHOUT_AEMLO, ("aemlo",)):
            methods = tuple(method(title) for title in titles)
            yield Part("ranks", name, replace(plan(methods, (learner,), 5), tuning=Tuning()))


def _options() -> Iterator[Part]:
    for (name, repeats), scale in product(OPTION_SETS.items(), SCALES):
        yield Part("options", name, plan(_choices(scale), ("br", "mlknn"), repeats, replace(SETTINGS, scale=scale)))


def _choices(scale: str) -> tuple[Method, ...]:
    """LSDMLO's choices; titles tell the scale, which is a setting of all methods."""
    choices: list[dict[str, Any]] = [  # the command's own default first
        {"p": Decimal("0.1")},
        {"p": Decimal("0.3")},
        {"p": Decimal("0.5")},
        {"p": Decimal("0.3"), "outliers": "drop"},
        {"p": Decimal("0.3"), "interpolation": "instance"},
        {"p": Decimal("0.3"), "outliers": "drop", "interpolation": "instance"},
    ]
    told = [", ".join(f"{name} {value}" for name, value in choice.items()) for choice in choices]
    named = [Method(f"scale {scale}, {text}", LSDMLOSampler(**choice)) for text, choice in zip(told, choices, strict=True)]
    return Method(f"scale {scale}, base", None), *named


def _ratios() -> Iterator[Part]:
    methods = tuple(Method(f"{p}", LSDMLOSampler(p=p)) for p in RATIOS)
    for name in ("flags", "emotions"):
        yield Part("p", name, plan((Method("0", None), *methods), ("br", "mlknn"), 5))


def _lambdas() -> Iterator[Part]:
    for (name, repeats), lambda1, lambda2 in product(SUPPORT.items(), LAMBDAS, LAMBDAS):
        one = Method(lambdas_title(lambda1, lambda2), LSDMLOSampler(p=Decimal("0.5")))
        settings = replace(SETTINGS, lambda1=lambda1, lambda2=lambda2)
        yield Part("lambdas", name, plan((one,), ("br", "mlknn"), repeats, settings))


def lambdas_title(lambda1: float, lambda2: float) -> str:
    return f"{lambda1:g}, {lambda2:g}"


def _tuning() -> Iterator[Part]:
    """What tuning is worth."""
    titles = (BASE, "mlsol", "lsdmlo")
    for name, repeats in SUPPORT.items():
        tuned = tuple(Method(f"{title} tuned", SAMPLERS[title]()) for title in titles[1:])
        yield Part("tuning", name, plan(compared(name, titles), ("br", "mlknn"), repeats))
        yield Part("tuning", name, replace(plan(tuned, ("br", "mlknn"), repeats), tuning=Tuning(budget=BUDGET)))


def plan(methods: tuple[Method, ...], learners: tuple[str, ...], repeats: int, settings: Settings = SETTINGS) -> Plan:
    """So many times two folds, seed 0, the recommended rules."""
    return Plan(methods, method_spec.learners(",".join(learners)), settings=settings, repeats=repeats, folds=2)
