"""LSDMLO with positive references: rows between two positives of a label, every minority label having its share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from lsdmlo_cli.parameters import P, Ratio
from lsdmlo_cli.samplers.lsdmlo import ASSIGN, REFERENCE, SEEDS, LSDMLOSampler
from lsdmlo_cli.samplers.publication import Publication


@dataclass(frozen=True)
class LSDMLOPosSampler(LSDMLOSampler):
    """LSDMLO with three of its choices changed: references that have the label, seeds from every minority label, labels by union.

    In the paper's method most references lack the label that a row is made for, and a label whose positives are all outliers may
    get no seed. Here floor(p n) rows are shared over the minority labels in proportion to sqrt(n_j); the seeds of a label are its
    positives in random order, each equally often; the reference is one of the k nearest other positives by the label's distance;
    the new row has the labels of both parents. Everything else is as in `lsdmlo`, whose options hold here.

    p: new rows as a share of n; rows: their number, in place of p. Errors: ParameterError for a value out of range.
    """

    name: ClassVar[str] = "lsdmlo-pos"
    summary: ClassVar[str] = "as lsdmlo, but between rows that both have the label, for every minority label"
    publication: ClassVar[Publication] = replace(LSDMLOSampler.publication, note="with other references, seeds and labels")

    p: Annotated[Ratio | None, P] = 0.3
    reference: Annotated[Literal["neighbors", "positives"], REFERENCE] = "positives"
    seeds: Annotated[Literal["u", "root"], SEEDS] = "root"
    assign: Annotated[Literal["nearer", "vote", "union"], ASSIGN] = "union"
