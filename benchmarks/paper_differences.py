"""Paired differences over data sets: what rows, class weights, thresholds and distances are worth to a learner.

    d_s   = mean of one over the folds of data set s - mean of the other over the same folds
    mean  = mean_s d_s,  error = standard deviation of d_s (divisor count - 1) / sqrt(count)

A data set on which either lacks a figure stays out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from benchmarks.data import rows_as_markdown
from benchmarks.paper_cells import Column, Kept, bold_best, short
from benchmarks.paper_plan import BALANCED, COMPARED, DESIGN, INNER_SETS, OTHERS, POSITIVE, UNION
from lsdmlo_cli.evaluation.differences import Difference, paired
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import BASE

LEARNERS = ("mlknn", "lr", "et")
SHOWN = (
    ("minority_aucpr", "half"), ("minority_auc", "half"), ("minority_f", "half"), ("minority_f", "prior"), ("macro_f", "half"),
    ("macro_f", "prior"), ("ranking_loss", "half"),
)  # fmt: skip
"""Metric, and the threshold whose results it is taken from; scores do not depend on it."""
GROUPS = {"not used to choose": OTHERS, "used to choose": DESIGN}
ALL = {**GROUPS, "used or not": (*DESIGN, *OTHERS)}
FEWEST = 5
"""Data sets that differ, for a difference to be marked: an error of fewer says little."""
BY_SET = (BASE, "mlros", UNION, "lsdmlo", POSITIVE)

Found = dict[str, Kept]
"""By threshold."""


class Rival(NamedTuple):
    """A method, and what stands behind the learner's name."""

    method: str
    option: str = ""


class Pair(NamedTuple):
    """A column of differences: one minus the other."""

    head: str
    one: Rival
    other: Rival


WEIGHTS = Rival(BASE, BALANCED)
"""The learner with class weights, without a new row."""


def figures(found: Kept, learner: str, rival: Rival, metric: str, names: Sequence[str]) -> list[float | None]:
    """The mean on each data set, None where it is not whole."""
    return [found.mean(Column(name, learner + rival.option, rival.method), metric) for name in names]


def told(difference: Difference, higher_is_better: bool) -> str:
    """A difference with the data sets won, of those that differ.

    >>> told(Difference(0.0312, 0.004, 4, 1), True), told(Difference(None, None, 0, 0), True)
    ('**+0.031 ± 0.004** (4/5)', '-')
    """
    if difference.mean is None:
        return "-"
    differ, mark = difference.won + difference.lost, ""
    if differ >= FEWEST:
        mark = "**" if difference.is_ahead(higher_is_better) else "*" if difference.is_ahead(not higher_is_better) else ""
    return f"{mark}{difference.told}{mark} ({difference.won}/{differ})"


def to_base(found: Found) -> Iterator[str]:
    """Every method, and class weights without a row, against no sampling."""
    yield "## Against no sampling"
    yield (
        "The mean difference to the learner without sampling and without class weights ± its standard error over data sets; in "
        "brackets the data sets won, of those that differ. **Bold**: better by more than twice the error; *italics*: worse by as "
        f"much; neither where fewer than {FEWEST} data sets differ. Class weights: the same learner with balanced class weights, "
        "and no new row. Minority: over the minority labels of the training rows. F is told twice: with labels given by the "
        "learner itself, above 0.5, and with scores cut at the prior, so that each label is given to its share of the training "
        "rows. Average precision (AUCPR), AUC and ranking loss look at scores alone."
    )
    pairs = [Pair(short(method), Rival(method), Rival(BASE)) for method in COMPARED if method != BASE]
    for title, names in ALL.items():
        yield f"### Data sets {title}"
        yield table(found, [Pair("class weights", WEIGHTS, Rival(BASE)), *pairs], names)


def of_positive(found: Found) -> Iterator[str]:
    """LSDMLO with positive references against its rivals."""
    yield "## lsdmlo-pos against its rivals"
    yield "lsdmlo-pos minus the method at the head of the column with the same learner; read as above."
    pairs = [Pair(short(method), Rival(POSITIVE), Rival(method)) for method in COMPARED if method not in (BASE, POSITIVE)]
    for title, names in GROUPS.items():
        yield f"### Data sets {title}"
        yield table(found, [*pairs, Pair("class weights", Rival(POSITIVE), WEIGHTS)], names)


def table(found: Found, pairs: Sequence[Pair], names: Sequence[str]) -> str:
    """A line for each learner and metric that has results, a column for each pair; sets: on how many data sets there are some."""
    lines = []
    for learner, (metric, threshold) in product(LEARNERS, SHOWN):
        kept, higher = found[threshold], METRICS[metric].higher_is_better
        sets = sum(figure is not None for figure in figures(kept, learner, Rival(BASE), metric, names))
        if not sets:
            continue
        differences = (
            paired(*(figures(kept, learner, rival, metric, names) for rival in (pair.one, pair.other)), higher) for pair in pairs
        )
        lines.append([learner, titled(metric, threshold), str(sets), *(told(one, higher) for one in differences)])
    return rows_as_markdown(["learner", "metric", "sets", *(pair.head for pair in pairs)], lines)


def titled(metric: str, threshold: str) -> str:
    """A metric as the tables have it.

    >>> titled("minority_f", "prior"), titled("macro_f", "half"), titled("ranking_loss", "half")
    ('Minority-F at the prior ↑', 'Macro-F at 0.5 ↑', 'Ranking loss ↓')
    """
    cut = {"half": " at 0.5", "prior": " at the prior", "inner": " at inner cuts"}[threshold] if metric.endswith("_f") else ""
    return f"{METRICS[metric].title}{cut} {'↑' if METRICS[metric].higher_is_better else '↓'}"


def thresholds(found: Found) -> Iterator[str]:
    """What is gained where scores are cut, beside what rows gain."""
    yield "## Thresholds"
    yield (
        "Mean Minority-F over the data sets on which all figures of a learner are there, used to choose or not. At inner cuts: "
        "each label has the cut with the best F on three folds inside the training half."
    )
    for cuts, names in ((("half", "prior"), ALL["used or not"]), (("half", "prior", "inner"), INNER_SETS)):
        lines = [line for learner in LEARNERS for line in _by_cut(found, learner, cuts, names)]
        heads = ["class weights", *(short(method) for method in COMPARED if method != BASE)]
        yield rows_as_markdown(["learner", "metric", "sets", "base", *heads], lines)


def _by_cut(found: Found, learner: str, cuts: Sequence[str], names: Sequence[str]) -> Iterator[list[str]]:
    rivals = [Rival(BASE), WEIGHTS, *(Rival(method) for method in COMPARED if method != BASE)]
    shown = [rival for rival in rivals if rival != WEIGHTS or learner != "mlknn"]
    by_cut = {cut: [figures(found[cut], learner, rival, "minority_f", names) for rival in shown] for cut in cuts}
    whole = [i for i in range(len(names)) if all(column[i] is not None for columns in by_cut.values() for column in columns)]
    for cut, columns in by_cut.items():
        if whole:
            means: list[float | None] = [fmean(column[i] or 0.0 for i in whole) for column in columns]
            cells = dict(zip(shown, bold_best(means, higher_is_better=True), strict=True))
            yield [learner, titled("minority_f", cut), str(len(whole)), *(cells.get(rival, "-") for rival in rivals)]


def by_data_set(found: Found) -> Iterator[str]:
    """MLkNN on each data set."""
    yield "## MLkNN on each data set"
    yield "The best of each metric is bold. Last lines: on how many of the data sets lsdmlo-pos is ahead of the method."
    shown = ("minority_aucpr", "minority_f")
    heads = [f"{METRICS[metric].title}, {short(method)}" for metric, method in product(shown, BY_SET)]
    for title, names in GROUPS.items():
        columns = [figures(found["half"], "mlknn", Rival(method), metric, names) for metric, method in product(shown, BY_SET)]
        count, lines = len(BY_SET), []
        for i, name in enumerate(names):
            row = [column[i] for column in columns]
            lines.append([name, *bold_best(row[:count], True), *bold_best(row[count:], True)])
        own = {metric: figures(found["half"], "mlknn", Rival(POSITIVE), metric, names) for metric in shown}
        ahead = [paired(own[metric], column, True) for (metric, _), column in zip(product(shown, BY_SET), columns, strict=True)]
        counts = [f"{one.won} of {one.won + one.lost}" if one.won + one.lost else "" for one in ahead]
        yield rows_as_markdown([f"data sets {title}", *heads], [*lines, ["lsdmlo-pos ahead", *counts]])


def distance(learned: Kept, flat: Kept) -> Iterator[str]:
    """What the labels' own distances are worth inside the two methods that use them."""
    yield "## The label-specific distance by itself"
    yield (
        "lsdmlo and lsdmlo-pos with the distances learned by label, minus the same with Euclidean distance in their place (with "
        "lambda1 so large that no weight is left, all features count alike). MLkNN, labels above 0.5; read as above."
    )
    metrics = [metric for metric, threshold in SHOWN if threshold == "half"]
    lines = [
        [title, method, *_worth(learned, flat, method, metrics, names)]
        for (title, names), method in product(ALL.items(), ("lsdmlo", POSITIVE))
    ]
    yield rows_as_markdown(["data sets", "method", "sets", *(titled(metric, "half") for metric in metrics)], lines)


def _worth(learned: Kept, flat: Kept, method: str, metrics: Sequence[str], names: Sequence[str]) -> list[str]:
    """On how many data sets a method has the first metric with both distances, and the difference by each metric."""
    pairs = [tuple(figures(kept, "mlknn", Rival(method), metric, names) for kept in (learned, flat)) for metric in metrics]
    sets = sum(None not in pair for pair in zip(*pairs[0], strict=True))
    ways = [METRICS[metric].higher_is_better for metric in metrics]
    return [str(sets), *(told(paired(*pair, higher), higher) for pair, higher in zip(pairs, ways, strict=True))]
