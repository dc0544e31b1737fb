"""What must be said of an experiment beside its results, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lsdmlo_cli.errors import DataError, listed
from lsdmlo_cli.evaluation.experiment import Found
from lsdmlo_cli.evaluation.shown import failures

OF_WEIGHTS = ("lambda1", "lambda2", "tol", "max_iter", "max_seconds")
"""Settings of the feature weights, which not every method learns."""


def warnings_of(report: dict[str, Any], found: Found, given: Iterable[str]) -> Iterator[str]:
    """Settings without effect; of the data sets, and of the methods on them; results that were kept; what failed.

    given: the settings of OF_WEIGHTS that were given, as they are called.
    """
    given = list(given)
    if given and not any(cell["learned_weights"] for cell in found.cells.values()):
        yield f"{', '.join(given)} changed nothing: none of the methods learned feature weights"
    for about in found.data:
        yield from (f"{about.file}: {warning}" for warning in (*about.warnings, *_of_sampling(report, about.name)))
    if found.damaged:
        yield f"files of kept results were damaged, and are worked out again: {listed(found.damaged)}"
    yield from (f"failed: {failure}" for failure in failures(report))


def refuse_nothing(report: dict[str, Any], found: Found, place: str = "") -> None:
    """Raise DataError where every result failed. place: where they are, for the message."""
    if len(report["errors"]) == len(found.cells):
        names = listed([about.name for about in found.data])
        raise DataError(f"{names}: all {len(found.cells)} results failed{place}")


def _of_sampling(report: dict[str, Any], data: str) -> Iterator[str]:
    """The first warning of each method on a data set, and how many more there are."""
    for sampling in report["sampling"]:
        if sampling["data"] == data and sampling["warnings"]:
            first, *others = sampling["warnings"]
            more = f" (and {len(others)} more, see results.json)" if others else ""
            yield f"{sampling['method']}: {first}{more}"
