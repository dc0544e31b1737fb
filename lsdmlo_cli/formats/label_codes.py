"""Labels of 0 and 1 as the values that a file declares for them: code 0 is the one that it declares first."""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.data import Attribute, Dataset, truth
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.formats.arff.tokens import shown


def is_flipped(label: Attribute) -> bool:
    """Whether the value that a binary label declares first, which a sparse row omits, is the positive one.

    >>> is_flipped(Attribute("A", "nominal", ("1", "0"))), is_flipped(Attribute("A", "numeric"))
    (True, False)
    """
    return not label.is_number and (truth(label.values) or (0,))[0] == 1


class LabelCodes:
    """The codes of the labels of one data set."""

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self.flipped = np.array([is_flipped(label) for label in data.labels], dtype=bool)
        self.constant = np.array([len(label.values) == 1 for label in data.labels], dtype=bool)

    def of(self, Y: np.ndarray) -> np.ndarray:
        """The codes of Y (m, q) bool, of the same shape and kind. Errors: DataError for a value that a label does not declare."""
        codes: np.ndarray = Y ^ self.flipped
        for place in np.flatnonzero(self.constant & codes.any(axis=0)):
            label, declared = self.data.labels[place], self.data.labels[place].values[0]
            raise DataError(
                f"{self.data.origin.file}: label {shown(label.name, 200)} declares the value {shown(declared)} alone, and a "
                "new row needs the other: declare both"
            )
        return codes
