"""Whether the feature weights converge on every public data set: scale none, range and std, three pairs of lambda.

A solver that is not at a relative gap of 1e-4 after a minute by the clock is stopped, and its gap tells how far it came. Without
--full the sets with the largest files are left out.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.solver import LAMBDAS, TOL
from lsdmlo_cli import Analysis, Dataset, LsdmloError, Settings, read
from lsdmlo_cli.numeric.encoding import Scale
from lsdmlo_cli.numeric.weights import Stop, laplacian, late_after, solve

PATIENCE_SECONDS = 60
LARGE_FILE_BYTES = 600_000


def table(full: bool) -> str:
    """Seconds, iterations and gap of each solver; the last column says whether it converged."""
    if not data.PUBLIC.is_dir():
        raise data.DataAbsent("../shared/data is not there: tables that need the public data sets are skipped")
    places = [place for place in sorted(data.PUBLIC.glob("*.arff.xz")) if full or place.stat().st_size < LARGE_FILE_BYTES]
    with threadpool_limits(1, user_api="blas"):
        rows = [row for place in places for row in _rows(place)]
    return data.markdown(
        f"Feature weights of every public data set, relative gap {TOL:g}",
        ["data set", "n", "e", "q", "scale", "lambda1", "lambda2", "s", "steps", "gap", "converged"],
        rows,
        f"{data.THREADS} threads. A solver is stopped after {PATIENCE_SECONDS} s. Gram matrices are made beforehand.",
    )


def _rows(place: Path) -> list[list[Any]]:
    name = place.name.removesuffix(".arff.xz")
    try:
        dataset = read(str(place))
    except LsdmloError as error:
        return [[name, *[""] * 9, f"not read: {str(error).removeprefix(f'{place.parent}/')}"]]
    return [
        _row(name, dataset, Analysis(dataset, Settings(scale=scale)), *lambdas)
        for scale, lambdas in product(get_args(Scale), LAMBDAS)
    ]


def _row(name: str, dataset: Dataset, analysis: Analysis, lambda1: float, lambda2: float) -> list[Any]:
    graph = laplacian(analysis.similarity)
    began = perf_counter()
    stop = Stop(TOL, is_late=late_after(PATIENCE_SECONDS))
    found = solve(analysis.gram, graph, lambda1=lambda1, lambda2=lambda2, stop=stop, threads=data.THREADS)
    seconds = data.short(perf_counter() - began)
    size = (dataset.n, analysis.E.shape[1], dataset.q, analysis.settings.scale)
    converged = "yes" if found.converged else "no"
    return [name, *size, f"{lambda1:g}", f"{lambda2:g}", seconds, found.iterations, f"{found.relative_gap:.0e}", converged]
