"""What a picture or a page shows: a report, and where they are at hand the data behind it and the new rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from lsdmlo_cli.analysis import Analysis
from lsdmlo_cli.display.kinds import kind_of
from lsdmlo_cli.numeric.matrix import Matrix


class NewRows(NamedTuple):
    """The rows that a method made.

    E: (m, e) encoded as those of the data set. Y: (m, q) CSR of 0 and 1. parents: (m, 3) int64, seed and reference (rows of the
    data set from 0) and label (from 0), -1 without one.
    """

    E: Matrix
    Y: scipy.sparse.csr_array
    parents: np.ndarray


@dataclass(frozen=True)
class Subject:
    """report: what a command wrote. analysis: that of the input, None where only the report is at hand.

    new: the rows that were made, None where they are not at hand.
    """

    report: dict[str, Any]
    analysis: Analysis | None = None
    new: NewRows | None = None

    @property
    def kind(self) -> str:
        return kind_of(self.report)


@dataclass(frozen=True)
class Plot:
    """A picture that a command writes beside its other outputs: where it goes, and what makes its bytes."""

    path: str
    render: Callable[[Subject], bytes]
