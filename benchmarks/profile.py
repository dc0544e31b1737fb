"""Where the time of a `resample` run goes: `python -m benchmarks.profile FILE [OPTION...]` (make profile).

Each function of the package is charged with its own time and with that of the libraries it calls; the times therefore add up to
the whole. Libraries that call each other pass their time on in proportion to their calls, as gprof does. A stage is a part of the
package: the neighbours that measures need count as neighbours. One thread runs, since a profile sees no others; being watched
makes functions that are called often look slower than they are.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import lsdmlo_cli

PACKAGE = Path(lsdmlo_cli.__file__).parent
LOADING = "loading modules"
STAGES = {
    "formats/arff/new_rows": "writing",
    "formats/arff/copy": "writing",
    "outputs": "writing",
    "formats": "reading",
    "data": "reading",
    "numeric/encoding": "encoding",
    "numeric/weights": "weights",
    "numeric/neighbors": "neighbours",
    "numeric/natural_neighbors": "neighbours",
    "numeric/measures": "measures",
    "analysis/neighbor": "neighbours",
    "analysis/local_imbalance": "measures",
    "analysis/sampled_positives": "measures",
    "report": "measures",
    "samplers": "sampling",
    "numeric/synthesis": "sampling",
    "numeric/instance_weights": "sampling",
}
"""The stage of a part of the package: the longest beginning of a module's path counts."""
ROUNDS = 50
MODULES, FUNCTIONS = 7, 10

Function = tuple[str, int, str]
"""File, line, and name, as the profile knows it."""


def main(path: str, options: Iterable[str]) -> int:
    """Profile a run, print the table, and return the run's exit status."""
    from lsdmlo_cli import pipeline, samplers  # noqa: F401  loaded before the clock starts
    from lsdmlo_cli.cli import main as lsdmlo

    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        try:
            arguments = ["resample", path, str(Path(folder) / "out.arff"), "--threads", "1", *options]
            profile.runcall(lsdmlo, arguments)
        except SystemExit as left:
            if left.code:
                return int(left.code)
    print(*table(charged(pstats.Stats(profile).stats)), sep="\n")
    return 0


def charged(stats: dict) -> dict[Function, float]:
    """Seconds of each function of the package, and of loading modules, with those of the libraries called from there."""
    own = {function: seconds for function, (_, _, seconds, _, _) in stats.items()}
    waiting = {function: seconds for function, seconds in own.items() if not owner(function)}
    total = Counter({function: seconds for function, seconds in own.items() if owner(function)})
    for _ in range(ROUNDS):
        passed: Counter[Function] = Counter()
        for function, seconds in waiting.items():
            for caller, share in shares(stats[function][4]):
                (total if owner(caller) else passed)[caller] += seconds * share
        waiting = passed
    return dict(total)


def shares(callers: dict) -> Iterator[tuple[Function, float]]:
    """Each caller of a function and its share of the time, by the profile's count; equal shares where none was counted."""
    seconds = {caller: cumulative for caller, (_, _, _, cumulative) in callers.items()}
    whole = sum(seconds.values())
    for caller, part in seconds.items():
        yield caller, part / whole if whole else 1 / len(seconds)


def owner(function: Function) -> str:
    """The part of the package that a function belongs to, as `numeric/rows`; empty for a library's.

    >>> owner((str(PACKAGE / "numeric" / "rows.py"), 1, "blocks")), owner(("~", 0, "<built-in method len>"))
    ('numeric/rows', '')
    """
    file, _, name = function
    if file.startswith("<frozen importlib") or name == "<module>":
        return LOADING
    return Path(file).relative_to(PACKAGE).with_suffix("").as_posix() if Path(file).is_relative_to(PACKAGE) else ""


def stage(part: str) -> str:
    """The stage of a part of the package.

    >>> stage("formats/arff/copy"), stage("formats/files"), stage("pipeline")
    ('writing', 'reading', 'everything else')
    """
    if part == LOADING:
        return LOADING
    return max(((len(place), name) for place, name in STAGES.items() if part.startswith(place)), default=(0, "everything else"))[
        1
    ]


def table(seconds: dict[Function, float]) -> Iterator[str]:
    """The stages, then the modules and functions that take most, each with seconds and its share of the whole."""
    whole = sum(seconds.values())
    stages: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for function, taken in seconds.items():
        stages[stage(owner(function))] += taken
        modules[owner(function)] += taken
    functions = Counter({f"{owner(f)}:{f[1]} {f[2]}": taken for f, taken in seconds.items() if owner(f) != LOADING})
    modules.pop(LOADING, None)
    yield f"{'stage':<50} {'seconds':>9} {'share':>7}"
    for title, rows in (
        ("", stages.most_common()),
        ("module", modules.most_common(MODULES)),
        ("function", functions.most_common(FUNCTIONS)),
    ):
        if title:
            yield f"{title}"
        for name, taken in rows:
            yield f"{name:<50} {taken:>9.3f} {taken / whole:>7.1%}"
    yield f"{'all':<50} {whole:>9.3f} {1:>7.1%}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
