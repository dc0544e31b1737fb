"""What an analysis makes of the features as they are declared, and what is odd about their values."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lsdmlo_cli.checks import DECIMAL
from lsdmlo_cli.data import Attribute, Dataset, truth
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.encoding import LARGEST_UNSCALED, NUMBER, TEXT, largest_number
from lsdmlo_cli.numeric.identifiers import identifiers

LARGEST_WHOLE = 2**53
"""Up to here a double holds every whole number."""


class Largest(NamedTuple):
    """The largest magnitude among the numbers of a data set, and the name of its feature."""

    magnitude: float
    feature: str


def levels(features: Sequence[Attribute]) -> np.ndarray:
    """(d,) TEXT, NUMBER or the count of declared values, as in Encoding."""
    return np.array([_level(attribute) for attribute in features], dtype=np.int64)


def first_values(features: Sequence[Attribute]) -> np.ndarray:
    """(d,) what the first of two declared values is encoded as: 1 for 1, YES and TRUE when the other is its opposite; else 0."""
    return np.array([_first(attribute.values) for attribute in features], dtype=np.int64)


def largest(data: Dataset) -> Largest:
    """The largest magnitude among the numbers, 0 where there are none."""
    magnitude, column = largest_number(data.X, levels(data.features))
    return Largest(magnitude, data.features[column].name if data.features else "")


def check_unscaled(data: Dataset, found: Largest) -> None:
    """Raise DataError where numbers are too large for distances that are not scaled."""
    if found.magnitude > LARGEST_UNSCALED:
        raise DataError(
            f"{data.origin.file}: attribute '{found.feature}' holds {found.magnitude:g}, beyond "
            f"{LARGEST_UNSCALED:g}: distances would overflow; use --scale range or --scale std"
        )


def rounding_hints(found: Largest) -> Iterator[str]:
    """A warning where numbers are beyond those that a double holds as whole numbers."""
    if found.magnitude > LARGEST_WHOLE:
        yield (
            f"attribute '{found.feature}' holds numbers beyond 2^53 ({found.magnitude:g}): "
            "rows of the file keep them, and so do new rows that take a value of their seed; distances, and values between "
            "those of two rows, are rounded"
        )


def identifier_columns(data: Dataset) -> list[int]:
    """The features that look like identifiers of rows; none where nothing else would be left to learn from."""
    used = [not attribute.is_carried for attribute in data.features]
    numbers = np.array([attribute.is_number and own for attribute, own in zip(data.features, used, strict=True)], dtype=bool)
    found: list[int] = identifiers(data.X, numbers).tolist()
    return found if len(found) < sum(used) else []


def identifier_hints(data: Dataset, columns: list[int]) -> list[str]:
    """A warning for each of the features that look like identifiers of rows."""
    names = [data.features[j].name for j in columns]
    return [
        f"attribute '{name}' looks like an identifier: its values are {data.n} different whole numbers, which count in every "
        f"distance; leave it out with --ignore {_typed(name)} (in Python: ignore=[...])"
        for name in names
    ]


def _typed(name: str) -> str:
    """A name as it is typed in a shell: in quotes, beside those of the shell, where it holds a comma or a quote.

    >>> print(_typed("id"), _typed("row id"), _typed("a,b"))
    id 'row id' '"a,b"'
    """
    escaped = re.sub(r'(["\\])', r"\\\1", name)
    return shlex.quote(f'"{escaped}"' if re.search("[,'\"]|^\\s|\\s$", name) else name)


def _level(attribute: Attribute) -> int:
    if attribute.is_carried:
        return TEXT
    return NUMBER if attribute.is_number else len(attribute.values)


def _first(values: tuple[str, ...]) -> int:
    """What the first of two declared values stands for, which may be spelled as decimal numbers; 0 where it is no truth value.

    >>> _first(("1.0", "0")), _first(("No", "Yes")), _first(("left", "right"))
    (1, 0, 0)
    """
    if len(values) != 2:
        return 0
    digits = {0.0: "0", 1.0: "1"}
    spelled = [digits.get(float(value), value) if DECIMAL.fullmatch(value) else value for value in values]
    return (truth(spelled) or (0, 0))[0]
