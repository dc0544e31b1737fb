"""Whole numbers beyond 2^53, which a float64 rounds: the digits of the file beside X, so that a new row can repeat them.

A cell is recorded where its double would be spelled as another number, for example an identifier of 17 digits or more. Files
without such cells cost only the largest number of each block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

import numpy as np

from lsdmlo_cli.data import ExactNumbers
from lsdmlo_cli.formats.arff.columns import number_text
from lsdmlo_cli.formats.arff.rows import Rules, dense_cells, row_texts, sparse_cells
from lsdmlo_cli.numeric.matrix import Matrix
from lsdmlo_cli.numeric.rows import entry_rows

LARGEST_EXACT = 2.0**53
"""Up to here a float64 holds every whole number."""

MOST_DIGITS = 40
"""Of a number that is recorded, so that a cell takes some 50 bytes at most; 128 bits have 39 digits."""


def exact_numbers(cells: Matrix, text: bytes, rules: Rules) -> Mapping[int, ExactNumbers]:
    """By attribute, the whole numbers that a block's cells (rows, attributes) round; text: what the cells were read from."""
    beyond = _beyond(cells)
    found: dict[int, tuple[list[int], list[bytes]]] = {}
    for row, column, token in _tokens({row for row, _ in beyond}, text, rules) if beyond else ():
        if (row, column) in beyond:
            digits = whole_number(token, beyond[row, column], rules.attributes[column].kind == "integer")
            if digits is not None:
                rows, numbers = found.setdefault(column, ([], []))
                rows.append(row)
                numbers.append(digits)
    return {column: ExactNumbers(np.array(rows), np.array(numbers)) for column, (rows, numbers) in found.items()}


def _beyond(cells: Matrix) -> dict[tuple[int, int], float]:
    """The numbers from LARGEST_EXACT on, by row and column."""
    values = cells if isinstance(cells, np.ndarray) else cells.data
    if values.dtype != np.float64 or not values.size:  # a grid of digits is of bytes
        return {}
    if np.fmax.reduce(values, axis=None) < LARGEST_EXACT and np.fmin.reduce(values, axis=None) > -LARGEST_EXACT:
        return {}
    large = np.abs(values) >= LARGEST_EXACT
    rows, columns = np.nonzero(large) if isinstance(cells, np.ndarray) else (entry_rows(cells)[large], cells.indices[large])
    return dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), values[large].tolist(), strict=True))


def _tokens(rows: set[int], text: bytes, rules: Rules) -> Iterator[tuple[int, int, bytes]]:
    """Row, attribute and token of every cell of some rows, rising."""
    width = len(rules.attributes)
    for row, (_, line) in enumerate(row_texts(text.split(b"\n"), 0)):
        if row in rows:
            indices, tokens = sparse_cells(line, width)[:2] if line[:1] == b"{" else (range(width), dense_cells(line, width)[0])
            yield from ((row, column, token) for column, token in zip(indices, tokens, strict=True))


def whole_number(token: bytes, value: float, integer: bool) -> bytes | None:
    """The digits of a whole number that its double, as a new row spells it, does not tell; None where it does, and for fractions.

    >>> whole_number(b"9007199254740993", 2.0**53, True), whole_number(b"9007199254740994", 2.0**53 + 2, True)
    (b'9007199254740993', None)
    """
    number = Decimal(number_text(token).decode("ascii"))
    if number.adjusted() >= MOST_DIGITS or number != number.to_integral_value():
        return None
    spelled = Decimal(int(value)) if integer else Decimal(repr(value))
    return None if number == spelled else b"%d" % int(number)
