"""The tables of benchmarks/paper.md, from kept results; a figure that is not there is a dash, what is missing is listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from scipy.stats import kendalltau, spearmanr

from benchmarks import paper_choosing, paper_pictures
from benchmarks.data import rows_as_markdown
from benchmarks.paper_cells import Column, Kept, Ranked, bold, bold_best, kept, ranked, short
from benchmarks.paper_figures import LIMB, METHODS, RANKS
from benchmarks.paper_plan import (
    BUDGET,
    COMPARED,
    LAMBDAS,
    LIMB_SETS,
    RATIOS,
    ROWS,
    SCALES,
    SUPPORT,
    Part,
    lambdas_title,
)
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.plan import BASE
from lsdmlo_cli.evaluation.units import Cell

Tables = dict[tuple[str, str], Ranked]
"""By metric and learner."""

LEARNERS = ("br", "mlknn", "cc", "rakel", "cocoa", "c2ae")
SHOWN = ("macro_f", "macro_auc")
"""The metrics of the smaller sections."""


def comparison(found: Kept) -> Iterator[str]:
    """Rank tables as the paper has them, the agreement with it, and the means."""
    yield "## The paper's ranks"
    yield (
        "1 is the best. In brackets: from how many methods a method differs for the better and for the worse, by exact Wilcoxon "
        "tests over the data sets' means, adjusted by Bergmann and Hommel, at the 5 % level; with fewer than 6 data sets no "
        "difference can be significant. Below each row, in italics, the paper's own average rank (among 12 methods, over 13 data "
        "sets)."
    )
    methods = [title for title in METHODS if title in found.names("method")]
    tables = _tables(found, methods)
    yield rank_table(tables, methods)
    yield (
        "Correlation of our average ranks with the paper's over the methods (Spearman's rho, Kendall's tau), and who comes first "
        "in either:"
    )
    yield agreement_table(tables, methods)
    yield "The means of the folds, a row a data set; the best of a row is bold:"
    for metric, learner in product(RANKS, LEARNERS):
        if rows := list(_means(found, metric, learner, methods)):
            arrow = "↑" if METRICS[metric].higher_is_better else "↓"
            yield rows_as_markdown([f"{METRICS[metric].title} {arrow}, {learner}", *map(short, methods)], rows)


def _tables(found: Kept, methods: Sequence[str]) -> Tables:
    return {(metric, learner): ranked(found, learner, metric, methods) for metric, learner in product(RANKS, LEARNERS)}


def rank_table(tables: Tables, methods: Sequence[str]) -> str:
    """Two lines for each metric and learner: ours, and the paper's."""
    lines = []
    for (metric, learner), table in tables.items():
        if table.data:
            best = min(table.average.values())
            ours = [bold(_ranked_cell(table, method), table.average[method] == best) for method in methods]
            theirs = [f"*{_theirs(metric, learner)[method]:.2f}*" for method in methods]
            lines.append([METRICS[metric].title, learner, str(len(table.data)), *ours])
            lines.append(["", "*paper*", "*13*", *theirs])
    return rows_as_markdown(["metric", "learner", "data sets", *map(short, methods)], lines)


def agreement_table(tables: Tables, methods: Sequence[str]) -> str:
    """A line for each metric and learner, and the mean over all of them."""
    lines, rhos, taus = [], [], []
    for (metric, learner), table in tables.items():
        if table.data:
            paper = _theirs(metric, learner)
            ours, theirs = [table.average[method] for method in methods], [paper[method] for method in methods]
            rho, tau = float(spearmanr(ours, theirs).statistic), float(kendalltau(ours, theirs).statistic)
            rhos.append(rho)
            taus.append(tau)
            place = sorted(ours).index(table.average["lsdmlo"]) + 1
            first = [short(min(methods, key=ranks.__getitem__)) for ranks in (table.average, paper)]
            lines.append([METRICS[metric].title, learner, f"{rho:.2f}", f"{tau:.2f}", *first, f"{place} of {len(methods)}"])
    if lines:
        lines.append(["mean", "", f"{fmean(rhos):.2f}", f"{fmean(taus):.2f}", "", "", ""])
    head = ["metric", "learner", "rho", "tau", "first here", "first in the paper", "place of lsdmlo here"]
    return rows_as_markdown(head, lines)


def _theirs(metric: str, learner: str) -> dict[str, float]:
    return dict(zip(METHODS, RANKS[metric][learner], strict=True))


def _ranked_cell(table: Ranked, method: str) -> str:
    counts = "" if table.wins is None or table.losses is None else f" ({table.wins[method]}/{table.losses[method]})"
    return f"{table.average[method]:.2f}{counts}"


def _means(found: Kept, metric: str, learner: str, methods: Sequence[str]) -> Iterator[list[str]]:
    for name in sorted(found.names("data"), key=ROWS.__getitem__):
        means = [found.mean(Column(name, learner, method), metric) for method in methods]
        if any(mean is not None for mean in means):
            yield [name, *bold_best(means, METRICS[metric].higher_is_better)]


def seconds(found: Kept) -> Iterator[str]:
    """What sampling takes."""
    yield "## Seconds of sampling"
    yield (
        "Processor seconds of one training half at scale std and p = 0.3: from its encoded rows to the resampled ones, all that "
        "a method needs learned anew. New rows a training row in brackets: mlros stops where no label has IRLbl above MeanIR."
    )
    methods, lines = [title for title in COMPARED if title != BASE], []
    for name in sorted(found.names("data"), key=ROWS.__getitem__):
        cells = [_any_learner(found, name, method) for method in methods]
        lines.append([name, *(_seconds(column, ROWS[name] / 2) for column in cells)])
    yield rows_as_markdown(["data set", *map(short, methods)], lines)


def _any_learner(found: Kept, name: str, method: str) -> list[Cell]:
    """All learners of a fold see the same rows, sampled once or again."""
    return next((found.cells[column] for column in found.cells if (column.data, column.method) == (name, method)), [])


def _seconds(cells: list[Cell], rows: float) -> str:
    if not cells:
        return "-"
    spent = fmean(cell["seconds"]["sampling"]["cpu"] for cell in cells)
    return f"{spent:.2f} ({fmean(cell['added'] - cell['removed'] for cell in cells) / rows:+.2f})"


def choosing(folder: Path) -> Iterator[str]:
    """What it does to ranks that grid points are chosen on the test rows."""
    yield "## Choosing grid points on the test folds"
    yield (
        f"Mean rank over the paper's four metrics (mlknn, scale none, {paper_choosing.REPEATS}x2). *Fixed*: p in the middle of "
        "the paper's grid, lambda1 = lambda2 = 1. *By test*: each method at the point that is best on the test rows, for each "
        "metric and repeat, and its score there. *Elsewhere*: the same point, scored on the next repeat. First with the paper's "
        f"grids, in which LSDMLO has p and both lambdas to choose from ({len(LAMBDAS)} x {len(LAMBDAS)} of the 13 x 13 pairs), "
        "others p alone. Then LSDMLO has p alone, and mlros, which only clones rows, has as many points as LSDMLO had: each p "
        f"with {paper_choosing.DRAWS} draws of the rows."
    )
    for name in paper_choosing.SETS:
        found = paper_choosing.kept(folder, name)
        for title, scores, fixed in [] if found is None else paper_choosing.fields(name, found):
            yield _choosing(f"{name}, {title}", scores, fixed)


def _choosing(head: str, found: paper_choosing.Scores, fixed: dict[str, int]) -> str:
    """A line a method: how many points it has, and its rank in each way."""
    ranks, lines = paper_choosing.average_ranks(found, fixed), []
    for title in found:
        placed = [ranks[way] for way in paper_choosing.WAYS]
        cells = [bold(f"{by[title]:.2f}", by[title] == min(by.values())) for by in placed]
        lines.append([short(title), str(len(found[title])), *cells])
    return rows_as_markdown([head, "points", *paper_choosing.WAYS], lines)


def ratios(found: Kept) -> Iterator[str]:
    """The paper's picture of p."""
    yield "## LSDMLO against p"
    yield "Means over the folds; p = 0 is no sampling."
    yield _by_method(found, ("0", *map(str, RATIOS)), "p")


def lambdas(found: Kept, pictures: Path) -> Iterator[str]:
    """The paper's pictures of the support and of what it does."""
    yield "## LSDMLO against lambda1 and lambda2"
    yield (
        "Support: share of the weights W of the whole data set that are not 0. Macro-F of both learners at p = 0.5, and its rank "
        "correlation (Spearman's rho) with the support over the 25 pairs of lambdas below; birds-train at 2x2, the others at 5x2."
    )
    for name in SUPPORT:
        rows, lines = [], []
        for lambda1, lambda2 in product(LAMBDAS, LAMBDAS):
            columns = [Column(name, learner, lambdas_title(lambda1, lambda2)) for learner in ("br", "mlknn")]
            row = [paper_pictures.support_of(pictures, name, lambda1, lambda2), *(found.mean(one, "macro_f") for one in columns)]
            rows.append(row)
            lines.append([f"{lambda1:g}", f"{lambda2:g}", *bold_best(row)])
        head = [f"{name}: lambda1", "lambda2", "support", "Macro-F, br", "Macro-F, mlknn"]
        yield rows_as_markdown(head, [*lines, _against_support(rows)])


def _against_support(rows: list[list[float | None]]) -> list[str]:
    whole = [row for row in rows if None not in row]
    if len(whole) < 3:
        return ["rho with support", "", "", "-", "-"]
    support, br, mlknn = zip(*whole, strict=True)
    return ["rho with support", "", "", *(f"{float(spearmanr(support, values).statistic):.2f}" for values in (br, mlknn))]


def imbalance(pictures: Path) -> Iterator[str]:
    """The paper's picture of LImb against LImb_LSD."""
    yield "## LImb against LImb_LSD"
    yield "Of the whole data sets, without a learner, lambda1 = lambda2 = 1, under both scales. Lower is less imbalanced."
    lines = []
    for name in LIMB_SETS:
        line = [name, f"{LIMB[name]:.2f}" if name in LIMB else "-"]
        for scale in paper_pictures.SCALES:
            found = paper_pictures.imbalance_of(pictures, name, scale) or {}
            line += bold_best([found.get(figure) for figure in ("limb", "limb_lsd", "support")])
        lines.append(line)
    figures = ("LImb", "LImb_LSD", "support")
    heads = [f"{figure}, scale {scale}" for scale, figure in product(paper_pictures.SCALES, figures)]
    yield rows_as_markdown(["data set", "LImb in the paper", *heads], lines)


def options(found: Kept) -> Iterator[str]:
    """Average ranks of LSDMLO's choices and of no sampling, and the means."""
    yield "## LSDMLO's options"
    yield (
        "Each choice under each scale, and no sampling under the same scale; what is not named is at its default (outliers keep, "
        "interpolation attribute, lambda1 = lambda2 = 1). A scale changes the features that mlknn sees, and so its base; br "
        "cares little. Last columns: average rank among all rows, and among those of the same scale."
    )
    names, methods = found.names("data"), found.names("method")
    for metric, learner in product(SHOWN, ("br", "mlknn")):
        columns = [
            bold_best([found.mean(Column(name, learner, method), metric) for method in methods], METRICS[metric].higher_is_better)
            for name in names
        ]
        columns += [_two_decimals(ranks, methods) for ranks in _option_ranks(found, learner, metric, methods)]
        lines = [[method, *(column[i] for column in columns)] for i, method in enumerate(methods)]
        yield rows_as_markdown([f"{METRICS[metric].title}, {learner}", *names, "rank of all", "rank in its scale"], lines)


def _option_ranks(found: Kept, learner: str, metric: str, methods: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Average ranks among all methods, and among those of the same scale."""
    within: dict[str, float] = {}
    for scale in SCALES:
        within |= ranked(found, learner, metric, [method for method in methods if method.startswith(f"scale {scale},")]).average
    return ranked(found, learner, metric, methods).average, within


def _two_decimals(ranks: dict[str, float], methods: list[str]) -> list[str]:
    return [f"{ranks[method]:.2f}" if method in ranks else "-" for method in methods]


def tuning(found: Kept) -> Iterator[str]:
    """What choosing p and the lambdas is worth."""
    yield "## What tuning is worth"
    yield (
        "MLSOL and LSDMLO with the comparison's p, and with p (and, for LSDMLO, both lambdas) chosen inside each training half: "
        f"the best Macro-F over 3 inner folds, of all 5 values of p for MLSOL, and for LSDMLO of {BUDGET} points of the paper's "
        "grid of 845, drawn at random. birds-train at 2x2, the others at 5x2."
    )
    yield _by_method(found, ("base", "mlsol", "mlsol tuned", "lsdmlo", "lsdmlo tuned"), "method")


def _by_method(found: Kept, methods: Sequence[str], head: str) -> str:
    """A row a method, a column for each data set, metric and learner."""
    columns = list(product(found.names("data"), SHOWN, ("br", "mlknn")))
    figures = [
        bold_best([found.mean(Column(name, learner, method), metric) for method in methods], METRICS[metric].higher_is_better)
        for name, metric, learner in columns
    ]
    lines = [[method, *(column[i] for column in figures)] for i, method in enumerate(methods)]
    return rows_as_markdown([head, *(f"{name}: {METRICS[metric].title}, {learner}" for name, metric, learner in columns)], lines)


def missing(parts: Iterable[Part], folder: Path) -> str:
    """A line for each part of which something has not been worked out; an empty text where all is there."""
    lines: dict[str, None] = {}
    for part in parts:
        found = kept([part], folder)
        if found.missing:
            learners = ", ".join(dict.fromkeys(column.learner for column in found.missing))
            names = dict.fromkeys(short(column.method) for column in found.missing)
            titles = "; ".join(names) if found.cells or len(names) == 1 else "all methods"
            lines[f"- {part.section}, {part.data}, {learners}: {titles}"] = None
    return "\n".join(lines)
