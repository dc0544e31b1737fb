"""Y as a table whose numbers are 0 and 1, and what is said of a Y that is none.

0 and 1 may be numbers of any type, truth values, or the texts '0' and '1', as readers of ARFF give them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Any, NoReturn

import numpy as np

from lsdmlo_cli.checks import is_number, is_truth, shown
from lsdmlo_cli.errors import DataError

_TEXTS: dict[str | bytes, float] = {"0": 0.0, "1": 1.0, b"0": 0.0, b"1": 1.0}


def refuse_vectors(data: Any) -> None:
    """Raise DataError for a vector of labels or classes, and for a list of labels a row."""
    is_vector = getattr(data, "ndim", 0) == 1
    rows = list(data) if is_vector or (isinstance(data, Sequence) and not isinstance(data, str | bytes)) else []
    groups = [row for row in rows if isinstance(row, Collection) and not isinstance(row, str | bytes)]
    ragged = len(groups) < len(rows) or len(set(map(len, groups))) > 1 or any(isinstance(group, Set) for group in groups)
    if groups and (is_vector or ragged):
        raise DataError(
            "Y must be a table of 0 and 1, one column a label, not a list of labels a row: "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y) makes such a table"
        )
    if rows and not groups:
        raise DataError(
            "Y must have two dimensions, one column of 0 and 1 for each label; it has 1: make a label that is alone a column "
            "(np.reshape(Y, (-1, 1))), and classes a column each (sklearn.preprocessing.label_binarize)"
        )


def zero_one(table: Any) -> Any:
    """The table with 0 and 1 for numbers; a column of other spellings keeps one of each. Errors: DataError for other values."""
    for j, levels in table.levels.items():
        truths = [_truth(level) for level in levels]
        if truths != [0.0, 1.0]:
            table.numbers[:, j], table.levels[j] = _recoded(table.names[j], table.numbers[:, j], levels, truths)
    for j, kind in enumerate(table.kinds):
        if kind == "date":
            _refuse(table.names[j], "dates", "leave it out, or make it 0 and 1")
    _refuse_other_numbers(table)
    return table


def _truth(level: Any) -> float | None:
    """0 or 1, None for another value."""
    if isinstance(level, str | bytes):
        return _TEXTS.get(level)
    return float(level) if (is_truth(level) or is_number(level)) and level in (0, 1) else None


def _recoded(name: Any, codes: np.ndarray, levels: list[Any], truths: list[float | None]) -> tuple[np.ndarray, list[Any]]:
    """0 and 1 for the codes of a nominal column (NaN where they are NaN), and how the two are spelled."""
    used = np.unique(codes[~np.isnan(codes)]).astype(np.intp).tolist()
    for code in used:
        if truths[code] is None:
            _refuse_value(name, levels[code])
    held = [levels[code] for code in used]
    spelled = [next((level for level in held if _truth(level) == digit), None) for digit in (0, 1)]
    other = next((level for level in levels if _truth(level) is not None), 0)
    pair = [_like(other, digit) if level is None else level for digit, level in enumerate(spelled)]
    table = np.array([np.nan if truth is None else truth for truth in [*truths, None]])
    return table[np.where(np.isnan(codes), len(levels), codes).astype(np.intp)], pair


def _like(level: Any, digit: int) -> Any:
    """The digit in the type of a level."""
    return str(digit).encode() if isinstance(level, bytes) else type(level)(digit)


def _refuse_other_numbers(table: Any) -> None:
    numbers = table.numbers
    if isinstance(numbers, np.ndarray):
        rows, columns = np.nonzero((numbers != 0) & (numbers != 1))
        found = numbers[rows, columns]
    else:
        wrong = numbers.data != 1
        columns, found = numbers.indices[wrong], numbers.data[wrong]
    if len(columns):
        first = np.argmin(columns)
        name, value = table.names[columns[first]], float(found[first])
        if np.isnan(value):
            _refuse(name, "a missing value", "make it 0 or 1, or leave its row out")
        _refuse_value(name, value)


def _refuse_value(name: Any, value: Any) -> NoReturn:
    if is_number(value):
        _refuse(
            name,
            f"the number {value:g}",
            "make it 1 where the label is set and else 0, as (Y > 0).astype(int) does with 1 and -1",
        )
    _refuse(
        name,
        f"{'text, ' if isinstance(value, str | bytes) else ''}{shown(value)}",
        "make it 1 where the label is set and else 0, as (Y == 'yes').astype(int) does with 'yes' and 'no', "
        "and sklearn.preprocessing.MultiLabelBinarizer with lists of names",
    )


def _refuse(name: Any, found: str, remedy: str) -> NoReturn:
    raise DataError(f"Y must hold 0 and 1 alone, one column a label; its column {name!r} holds {found}: {remedy}")
