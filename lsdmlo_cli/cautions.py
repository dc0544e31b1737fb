"""Warnings about data, about what was asked for and about what came of it: one sentence each, for people and for the report.

Nothing here stops a run. What a sampler alone can know it says itself, in `Sample.reason` and `Sample.warnings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import MOST_LISTED, listed
from lsdmlo_cli.formats.arff.tokens import shown
from lsdmlo_cli.numeric.encoding import NUMBER, column_variance
from lsdmlo_cli.numeric.measures import irlbl, mean_ir
from lsdmlo_cli.samplers import Sample, Sampler
from lsdmlo_cli.samplers.base import exact, rows_for

DOMINANT = 0.9
"""Above this share of the mean squared distance one feature decides alone: all others together lengthen a typical distance by
no more than 5 % (1 / sqrt(0.9) = 1.05), which seldom changes the neighbours."""
REMOVES_FEWER = {"p": "a lower p removes fewer", "threshold": "a higher threshold removes fewer"}
"""What to try where a method removes too many rows, by the hyper-parameter that it has."""


def of_data(analysis: Analysis) -> Iterator[str]:
    """Labels without a positive row; a feature that decides the distances, where they have been asked for."""
    yield from empty_labels(analysis.dataset)
    if analysis.has_E and analysis.has_neighbors:
        yield from _dominant_feature(analysis)


def of_request(sampler: Sampler) -> Iterator[str]:
    """A ratio p above 1, which may have been meant as a percentage."""
    p = _ratio(sampler)
    if p is not None and p > 1:
        yield f"p = {_plain(p)} asks for {_plain(100 * p)} %; {_plain(p)} % is {_plain(p / 100)}"


def of_result(data: Dataset, sampler: Sampler, sample: Sample, created: int, counts: np.ndarray) -> Iterator[str]:
    """What a sample of a data set did other than was asked for, or than a user would want.

    created: the new rows. counts: (q,) the positives of each label afterwards.
    """
    yield from sample.warnings
    yield from _shortfall(data.n, sampler, sample, created)
    if 2 * (sample.removed - created) > data.n:
        remedy = next((advice for name, advice in REMOVES_FEWER.items() if hasattr(sampler, name)), "try another method")
        yield f"{sample.removed} of {data.n} rows are removed, more than half: {remedy}"
    lost = (data.counts > 0) & (counts == 0)
    if lost.any():
        yield f"{_so_many(lost, 'no longer has', 'no longer have')} a positive row: {_listed(data, lost)}"
    old, new = (f"{mean_ir(irlbl(positives)):.3f}" for positives in (data.counts, counts))
    if float(new) > float(old):
        yield f"MeanIR rises from {old} to {new}: the labels are less balanced than before; try another method or other options"


def empty_labels(data: Dataset) -> Iterator[str]:
    """Labels without a positive row, where there are rows."""
    empty = data.counts == 0
    if data.n and empty.any():
        what = _so_many(empty, "has no positive row and is", "have no positive row and are")
        yield f"{what} left out of every mean: {_listed(data, empty)}"


def _dominant_feature(analysis: Analysis) -> Iterator[str]:
    """A feature that decides alone, and is no identifier, which is told of anyway; scaling is advised where it would help."""
    encoding = analysis.encoding
    variance = column_variance(analysis.E)
    by_std = np.where(encoding.levels[encoding.attribute] == NUMBER, variance > 0, variance)
    share, share_by_std = (_shares(each, encoding.attribute) for each in (variance, by_std))
    j = int(share.argmax())
    if share[j] <= DOMINANT or np.count_nonzero(share) < 2 or j in analysis.identifiers:
        return
    advice = ": try --scale std"
    if share_by_std[j] > DOMINANT:
        advice = ", with --scale std as well: leave it out with --ignore if that is not intended"
    yield f"{shown(analysis.dataset.features[j].name, 200)} decides {int(100 * share[j])} % of the distances{advice}"


def _shares(variance: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Each attribute's share in the mean squared distance of two rows, twice the sum of the variances of all columns (e,)."""
    total = variance.sum()
    return np.bincount(attribute, variance / total if total > 0 else variance)


def _shortfall(n: int, sampler: Sampler, sample: Sample, created: int) -> Iterator[str]:
    """Fewer rows than were asked for, or none, and why."""
    reason = sample.reason or _too_low(n, sampler, sample)
    cause = f": {reason}" if reason else ""
    if created == sample.removed == 0:
        what = "added" if sample.keep is None else "added or removed"
        yield f"no row is {what}{cause}"
    elif created < sample.requested:
        yield f"stopped after {created} of {sample.requested} rows{cause}"
    elif sample.removed < sample.to_remove:
        yield f"stopped after {sample.removed} of {sample.to_remove} rows{cause}"


def _too_low(n: int, sampler: Sampler, sample: Sample) -> str:
    """The cause where p or rows ask for less than one row; empty where they do not."""
    if getattr(sampler, "rows", None) == 0:
        return "rows = 0"
    p = _ratio(sampler)
    if p is None or n == 0 or sample.requested or sample.to_remove or rows_for(p, n):
        return ""
    least = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(1), Decimal(n))
    return f"p = {_plain(p)} of {n} rows is less than one row; try p = {_plain(least)} or more, or --rows 1"


def _ratio(sampler: Sampler) -> Decimal | None:
    """The p that decides how many rows are made or removed; None where nothing does, or `rows`."""
    p = getattr(sampler, "p", None)
    if p is None or getattr(sampler, "rows", None) is not None:
        return None
    whole = exact(p)
    return Decimal(whole.numerator) / whole.denominator


def _plain(number: Decimal) -> str:
    """A number without an exponent and without zeros at its end.

    >>> _plain(Decimal("1E+3")), _plain(Decimal("0.50"))
    ('1000', '0.5')
    """
    return f"{number.normalize():f}"


def _so_many(found: np.ndarray, one: str, several: str) -> str:
    """How many labels (q,) bool are found, with the verb that follows.

    >>> _so_many(np.array([True, False, True]), "has", "have")
    '2 of 3 labels have'
    """
    count = int(found.sum())
    return f"{count} of {len(found)} labels {one if count == 1 else several}"


def _listed(data: Dataset, found: np.ndarray) -> str:
    """The names of the first labels (q,) bool that are found."""
    places = np.flatnonzero(found).tolist()
    return listed([shown(data.labels[j].name)[1:-1] for j in places[:MOST_LISTED]], len(places))
