"""What is run for benchmarks/paper.md: parts, each a plan on one data set, in the order of the work (cheap and telling first).

comparison   all methods and learners, p in the middle of the paper's grid, without tuning (full: with the whole grid)
options      LSDMLO's own choices under each scale, against no sampling
p            LSDMLO from p = 0.1 to 0.9
lambdas      LSDMLO under lambda1 x lambda2
scaled       the comparison again with scale range, fewer repeats
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
from lsdmlo_cli.cli.method_spec import spec
from lsdmlo_cli.evaluation.learners import LEARNERS
from lsdmlo_cli.evaluation.plan import BASE, Method, Plan, Tuning
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.tuning import ratios
from lsdmlo_cli.numeric.encoding import Scale
from lsdmlo_cli.samplers import SAMPLERS, LSDMLOSampler

OWN_NUMBER = (BASE, "rhwrsmt", "mlsmote")
"""Methods without p, or that say by themselves how many rows they make."""
WITHOUT_AEMLO = tuple(title for title in METHODS if title != "aemlo")
SETTINGS = Settings(measures="fast")
ROWS = {
    "flags": 194, "birds-train": 322, "CAL500": 502, "emotions": 593, "medical": 978, "enron": 1702, "scene": 2407,
    "yeast": 2417, "Corel5k-sparse": 5000, "rcv1subset1": 6000, "yahoo-Arts1": 7484, "Corel16k001": 13766, "tmc2007-500": 28596,
}  # fmt: skip
"""The data sets that are used, by rows; p depends on them."""
OF_PAPER = ("emotions", "scene", "yeast", "CAL500", "Corel5k-sparse", "rcv1subset1", "yahoo-Arts1", "Corel16k001", "tmc2007-500")
"""Those of the paper's thirteen that are among the public data sets here."""
LABELS = {"birds-train": "birds.xml", "Corel5k-sparse": "Corel5k.xml"}

LAMBDAS = tuple(2.0**power for power in (6, 3, 0, -3, -6))
SUPPORT = {"flags": 5, "emotions": 5, "birds-train": 2}
"""Data sets of the sections on the lambdas and on tuning, and how often they are parted in two."""
LIMB_SETS = ("flags", "birds-train", "emotions", "CAL500", "medical", "scene", "yeast", "enron", "Corel5k-sparse")
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
        return f"{self.section}, {self.data}: {names} with {', '.join(one.name for one in self.plan.learners)}, {self.plan.cv}"


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
    typed = spec(title)
    return typed._replace(given={**typed.given, **options}).method()


def compared(name: str, titles: tuple[str, ...]) -> tuple[Method, ...]:
    """The methods of the comparison on a data set, with the p of `ratio` where they do not choose their number of rows."""
    return tuple(method(title) if title.startswith(OWN_NUMBER) else method(title, p=ratio(name, title)) for title in titles)


def parts(full: bool) -> list[Part]:
    """All that is asked for, in the order of the work."""
    if full:
        return list(_full())
    small = ("flags", "birds-train", "emotions")
    return [
        *_comparison(small, ("br", "mlknn"), 5),
        *_options(),
        *_comparison(("CAL500", "medical", "scene"), ("br", "mlknn"), 5),
        *_comparison(small, ("cc", "rakel", "cocoa"), 5),
        *_ratios(),
        *_lambdas(),
        *_comparison(("yeast", "enron"), ("br", "mlknn"), 5),
        *_comparison(("scene",), ("cc", "rakel", "cocoa"), 2),
        *_comparison(("Corel5k-sparse",), ("br", "mlknn"), 2),
        *_comparison(("yeast",), ("cc", "rakel", "cocoa"), 1),
        *_tuning(),
        *_scaled(),
        *_aemlo(),
        *_comparison(("emotions",), ("c2ae",), 2, METHODS),
        *_comparison(("scene",), ("c2ae",), 1),
    ]


def _comparison(
    names: tuple[str, ...], learners: tuple[str, ...], repeats: int, titles: tuple[str, ...] = WITHOUT_AEMLO
) -> Iterator[Part]:
    for name in names:
        yield Part("comparison", name, plan(compared(name, titles), learners, repeats))


def _aemlo() -> Iterator[Part]:
    """AEMLO where it is not too slow, on the folds of the others: with yeast and enron half a minute or more a fold."""
    yield from _comparison(("flags", "birds-train", "emotions"), ("br", "mlknn", "cc", "rakel", "cocoa"), 5, ("aemlo",))
    yield from _comparison(("CAL500", "medical", "enron", "scene"), ("br", "mlknn"), 5, ("aemlo",))
    yield from _comparison(("scene",), ("cc", "rakel", "cocoa"), 2, ("aemlo",))
    yield from _comparison(("yeast",), ("br", "mlknn"), 5, ("aemlo",))


def _scaled() -> Iterator[Part]:
    """Whether the scale of the features explains where the comparison does not agree with the paper."""
    settings = replace(SETTINGS, scale="range")
    for name in ("flags", "birds-train", "emotions", "medical", "scene", "yeast", "enron"):
        yield Part("scaled", name, plan(compared(name, WITHOUT_AEMLO), ("br", "mlknn"), 2, settings))


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
    """What tuning is worth; the methods as they are come from the comparison's results."""
    titles = (BASE, "mlsol", "lsdmlo")
    for name, repeats in SUPPORT.items():
        tuned = tuple(Method(f"{title} tuned", SAMPLERS[title]()) for title in titles[1:])
        yield Part("tuning", name, plan(compared(name, titles), ("br", "mlknn"), repeats))
        yield Part("tuning", name, replace(plan(tuned, ("br", "mlknn"), repeats), tuning=Tuning(budget=BUDGET)))


def _full() -> Iterator[Part]:
    """Every learner on every data set of the paper's that is here, tuned over the whole grid."""
    learners = ("br", "mlknn", "cc", "rakel", "cocoa", "c2ae")
    for name, learner in product(sorted(OF_PAPER, key=ROWS.__getitem__), learners):
        for titles in (WITHOUT_AEMLO, ("aemlo",)):
            methods = tuple(method(title) for title in titles)
            yield Part("comparison", name, replace(plan(methods, (learner,), 5), tuning=Tuning()))
    yield from (*_options(), *_ratios(), *_lambdas())


def plan(methods: tuple[Method, ...], learners: tuple[str, ...], repeats: int, settings: Settings = SETTINGS) -> Plan:
    """So many times two folds, seed 0, the recommended rules."""
    return Plan(methods, tuple(LEARNERS[name]() for name in learners), settings=settings, repeats=repeats, folds=2)
