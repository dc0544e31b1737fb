"""What the new rows have of the labels they were made for: how many carry them, and how many of their parents."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.samplers import Batch


class Parentage:
    """Counts over the batches of new rows of a data set, which are added one by one."""

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self.is_seed = np.zeros(data.n, dtype=bool)
        self.of_a_label, self.own_label = 0, 0
        self.with_reference, self.reference_has_label = 0, 0

    def add(self, batch: Batch) -> None:
        """Count the rows of a batch."""
        self.is_seed[batch.seeds[batch.seeds >= 0]] = True
        made_for = batch.labels >= 0
        self.of_a_label += int(np.count_nonzero(made_for))
        self.own_label += int(np.count_nonzero(batch.Y[made_for, batch.labels[made_for]]))
        referred = made_for & (batch.references >= 0)
        self.with_reference += int(np.count_nonzero(referred))
        self.reference_has_label += int(self.data.Y[batch.references[referred], batch.labels[referred]].sum())

    def figures(self) -> dict[str, Any]:
        """For the report; null where a method makes no rows for a label, has no references or no seeds.

        own_label: the share of the new rows that carry the label they were made for. reference_has_label: the share of the
        references that carry it. seeds: distinct rows that are seeds.
        """
        return {
            "own_label": self.own_label / self.of_a_label if self.of_a_label else None,
            "reference_has_label": self.reference_has_label / self.with_reference if self.with_reference else None,
            "seeds": int(np.count_nonzero(self.is_seed)) or None,
        }
