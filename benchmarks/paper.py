"""`python -m benchmarks.paper [--full] [--jobs N] [--out DIR] [--write]`: the paper's comparison, remade on public data.

    ../shared/data -> parts (paper_plan) -> results kept in DIR -> benchmarks/paper.md

A run that was stopped goes on where it was; with --write nothing is run, and paper.md is written from what DIR holds. A result is
found again under the same source of the package and the same versions of the libraries only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import data, paper_choosing, paper_differences, paper_pictures, paper_tables
from benchmarks.paper_cells import Kept, kept
from benchmarks.paper_plan import DESIGN, INNER_SETS, OTHERS, PRIOR_SETS, Part, has_autograd, parts
from lsdmlo_cli import __version__
from lsdmlo_cli.evaluation.experiment import experiment
from lsdmlo_cli.evaluation.results import TREE
from lsdmlo_cli.evaluation.thresholds import THRESHOLDS
from lsdmlo_cli.evaluation.versions import versions

RESULT = Path(__file__).with_name("paper.md")
REMARKS = Path(__file__).with_name("paper_remarks.md")
"""What the project's owner makes of the figures; it stands at the top."""


def main() -> int:
    """Run what is missing, write paper.md; the exit status is 1 where the public data sets are not there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description="Remake the paper's comparison.")
    parser.add_argument("--full", action="store_true", help="also the paper's grid, learners and pictures: days")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; they change no result (default: 1)")
    parser.add_argument("--out", type=Path, default=Path("paper"), metavar="DIR", help="folder of the results (default: paper)")
    parser.add_argument("--write", action="store_true", help="run nothing, write paper.md from what DIR holds")
    asked = parser.parse_args()
    chosen = parts(asked.full)
    try:
        if not asked.write:
            run(chosen, asked.out, asked.jobs, asked.full)
        RESULT.write_text(text(chosen, asked.out, asked.full), encoding="utf-8")
    except data.DataAbsent as absent:
        print(absent, file=sys.stderr)
        return 1
    return 0


def run(chosen: list[Part], folder: Path, jobs: int, full: bool) -> None:
    """Work through the parts, a line each; those that need autograd are passed over where it is missing."""
    start = time.monotonic()

    def told(what: str) -> None:
        print(f"{(time.monotonic() - start) / 60:6.1f} min  {what}", flush=True)

    for number, part in enumerate(chosen, start=1):
        if part.needs_autograd and not has_autograd():
            told(f"{number} of {len(chosen)}: {part.described}: passed over, autograd is missing")
            continue
        found = experiment(part.plan, [part.place], folder / "cells", jobs=jobs)
        errors = dict.fromkeys(cell["error"] for cell in found.cells.values() if cell["error"])
        told(f"{number} of {len(chosen)}: {part.described}: {len(found.cells)} results, {found.known} known before")
        for error in errors:
            told(f"    failed: {error}")
    paper_choosing.run(folder / "figures", told)
    paper_pictures.run(folder / "figures", told, supports=full)


def text(chosen: list[Part], folder: Path, full: bool) -> str:
    """The whole of paper.md."""
    return "\n\n".join(block.strip() for block in _blocks(chosen, folder, full) if block.strip()) + "\n"


def _blocks(chosen: list[Part], folder: Path, full: bool) -> Iterator[str]:
    names = dict.fromkeys(part.section for part in chosen)
    found = {name: kept((part for part in chosen if part.section == name), folder / "cells") for name in names}
    compared = {threshold: found[f"compared, {threshold}"] for threshold in THRESHOLDS}
    yield "# The paper's comparison, remade"
    yield REMARKS.read_text(encoding="utf-8") if REMARKS.exists() else ""
    yield from _made(full)
    yield from _left_out(chosen, folder)
    yield from paper_differences.to_base(compared)
    yield from paper_differences.of_positive(compared)
    yield from paper_differences.by_data_set(compared)
    yield from paper_differences.thresholds(compared)
    yield from paper_differences.distance(compared["half"], found["distance"])
    yield from paper_tables.choosing(folder / "figures")
    yield from paper_tables.comparison(found["ranks"])
    yield from paper_tables.imbalance(folder / "figures")
    yield from paper_tables.seconds(compared["half"])
    if full:
        yield from _only_full(found, folder)


def _only_full(found: dict[str, Kept], folder: Path) -> Iterator[str]:
    yield from paper_tables.options(found["options"])
    yield from paper_tables.tuning(found["tuning"])
    yield from paper_tables.ratios(found["p"])
    yield from paper_tables.lambdas(found["lambdas"], folder / "figures")


_TUNED = "chosen inside each training half over the paper's whole grid, by Macro-F over 3 inner folds; 5x2, its six learners"
_UNTUNED = (
    "in the middle of the paper's grid, 0.5 up to 1,000 rows, 0.2 above (0.2 throughout for mlrus, which removes rows); "
    "lambda1 = lambda2 = 1; 2x2, without aemlo, whose networks are slow"
)


def _made(full: bool) -> Iterator[str]:
    yield "## How it was made"
    yield "\n".join(
        f"- {line}"
        for line in (
            f"`make paper{' FULL=1' if full else ''}`, lsdmlo {__version__} with {_versions()}, seed 0.",
            f"LSDMLO with positive references (`lsdmlo-pos`) was designed on {', '.join(DESIGN)}: all its choices were made on "
            f"them. {', '.join(OTHERS)} were used to choose nothing.",
            "But for the sections that say otherwise: numbers divided by their standard deviation over the training half "
            "(`--scale std`); p = 0.3 for every method, so that mlsmote, too, makes floor(p n) rows; k = 5, other options at "
            "their defaults; two folds by iterative stratification, twice (2x2). Nothing is tuned.",
            f"The paper's ranks: features as they are (scale none), p {_TUNED if full else _UNTUNED}.",
            "Sampling sees the training half only. Learners see the rows scaled as the samplers do; lr scales them by itself.",
            "Metrics by the recommended rules: equal scores count half, what is undefined stays out of the mean. Minority labels "
            "are those with IRLbl above MeanIR in the training half, with two rows there and one in the test half.",
            f"Learners: mlknn (k = 10), lr (a logistic regression for each label), et (100 extremely randomised trees); br (one "
            f"decision tree for each label): {TREE}.",
            "mlbote and drsmote are reconstructions. They may find no seed, and then equal base; mlros and mlonc make fewer rows "
            "than p asks for where their rules stop them.",
        )
    )


def _versions() -> str:
    return ", ".join(f"{name} {number}" for name, number in {**versions(), **_autograd()}.items())


def _autograd() -> dict[str, str]:
    try:
        return {"autograd": version("autograd")}
    except PackageNotFoundError:
        return {}


def _left_out(chosen: list[Part], folder: Path) -> Iterator[str]:
    yield "## What is left out"
    yield (
        "lr and et, which take long, on the larger data sets and on stackex-chess, and at the prior on all but "
        f"{', '.join(PRIOR_SETS)}; inner cuts on all but {', '.join(INNER_SETS)}. Of the paper's comparison: br on its larger "
        "data sets, the learners cc, rakel, cocoa and c2ae, the method aemlo, and its grid for every method (`FULL=1` has them "
        "all, and sections on LSDMLO's options, p, lambdas and tuning). Of its thirteen data sets Eurlex-sm is not at hand."
    )
    if absent := paper_tables.missing(chosen, folder / "cells"):
        yield "Asked for, but not worked out (yet), or failed:"
        yield absent


if __name__ == "__main__":
    sys.exit(main())
