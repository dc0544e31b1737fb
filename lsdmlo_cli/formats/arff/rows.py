"""The data section of an ARFF file, line by line: the exact rules, and exact places in messages.

A dense row is `v,v,...`, separated by commas, tabs or (alone) blanks; a sparse row is `{i v,i v,...}` with rising
indices from 0. Behind either may stand an instance weight `{w}` and a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
import scipy

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.columns import Column, number, number_list
from lsdmlo_cli.formats.arff.tokens import PLAIN, QUOTED, blanked, shown
from lsdmlo_cli.numeric.matrix import Matrix

_SPECIAL = re.compile(rb"""['"%{}\\]""")
_CELL = re.compile(rf"([ \t]*,?[ \t]*)({QUOTED}|{PLAIN})|(.+)".encode(), re.DOTALL)
_BARE = r"""[^ \t,'"%{}\n]"""
_TOKEN = re.compile(rf"""{QUOTED}|{_BARE}+(?:(?<=\\)['"]{_BARE}*)*""".encode())
_LONG_LINE = 1 << 24
"""Bytes. The cells of a line are Python objects of some 40 bytes each, so that a line of this length may take half a gigabyte."""
_PAIR = re.compile(rf"[ \t]*((?:{PLAIN})+)(?:[ \t]+({QUOTED}|{PLAIN})(,|[ \t]+,?|(?=\}})|$))?".encode())
_REST = re.compile(rb"[ \t]*,?[ \t]*(?:\{[ \t]*([^{} \t]*)[ \t]*\})?[ \t]*(?:%.*)?", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """Some rows of a file: every attribute's number (see `dataset`), labels among them, in file order.

    cells: (rows, attributes). sparse: (rows,) bool, the rows spelled in sparse form. weighted: whether a row carries a weight.
    """

    cells: Matrix
    sparse: np.ndarray
    weighted: bool = False


@dataclass(frozen=True)
class Rules:
    """The rules of a row: the attributes and the readers of their cells."""

    path: str
    attributes: Sequence[Attribute]
    columns: Sequence[Column]
    labels: frozenset[int]

    @cached_property
    def plain(self) -> list[int]:
        """The places of number features, whose cells are read together."""
        return [place for place, column in enumerate(self.columns) if column is number]

    @cached_property
    def others(self) -> list[int]:
        return [place for place, column in enumerate(self.columns) if column is not number]

    @cached_property
    def order(self) -> np.ndarray:
        """The places in the order in which a dense row's numbers are kept: plain ones first."""
        return np.array([*self.plain, *self.others], dtype=np.intp)


def exact_rows(lines: Sequence[bytes], first_line: int, rules: Rules) -> Block:
    """Read lines one by one; FormatError names the first line that breaks a rule."""
    dense: list[list[float]] = []
    sparse: list[tuple[list[int], list[float]]] = []
    forms: list[bool] = []
    weighted = False
    for line_number, text in row_texts(lines, first_line):
        try:
            if text[0] == b"{"[0]:
                indices, tokens, weight = sparse_cells(text, len(rules.columns))
                sparse.append((indices, _numbers(tokens, indices, rules)))
            else:
                tokens, weight = dense_cells(text, len(rules.columns))
                dense.append(_dense_numbers(tokens, rules))
        except ValueError as problem:
            raise FormatError(rules.path, line_number, str(problem)) from None
        forms.append(text[0] == b"{"[0])
        weighted |= weight
    return Block(_gather(dense, sparse, forms, rules), np.array(forms, dtype=bool), weighted)


def row_texts(lines: Sequence[bytes], first_line: int) -> Iterator[tuple[int, bytes]]:
    """The lines that hold rows, each with its number and without the blanks around it."""
    for line_number, line in enumerate(lines, start=first_line):
        text = blanked(line).strip(b" \t")
        if text and text[0] != b"%"[0]:
            yield line_number, text


def _dense_numbers(tokens: list[bytes], rules: Rules) -> list[float]:
    """The cells of a dense row, in the order of `rules.order`."""
    values = number_list([tokens[place] for place in rules.plain])
    if values is not None:
        try:
            return values + [rules.columns[place](tokens[place]) for place in rules.others]
        except ValueError:
            pass  # below, the error names the first fault of the row, not of these columns
    cells = _numbers(tokens, range(len(tokens)), rules)
    return [cells[place] for place in rules.order]


def _numbers(tokens: list[bytes], positions: Sequence[int], rules: Rules) -> list[float]:
    try:
        return [rules.columns[position](token) for position, token in zip(positions, tokens, strict=True)]
    except ValueError:
        return [_named(token, position, rules) for position, token in zip(positions, tokens, strict=True)]


def _named(token: bytes, position: int, rules: Rules) -> float:
    """A cell that may be faulty: the error names its attribute."""
    try:
        return rules.columns[position](token)
    except ValueError as problem:
        what = "label" if position in rules.labels else "attribute"
        raise ValueError(f"{what} {shown(rules.attributes[position].name, 200)}: {problem}") from None


def dense_cells(text: bytes, expected: int) -> tuple[list[bytes], bool]:
    r"""The tokens of a dense row, and whether a weight stands behind it; ValueError says what is wrong.

    >>> dense_cells(b"1,'a b',?,{0.5} % seen", 3)
    ([b'1', b"'a b'", b'?'], True)
    """
    cells, weight = _plain_cells(text, expected), False
    if cells is None:
        cells = _cells_between_commas(text)
    if cells is None:
        cells, weight = _scanned_cells(text, expected)
    if len(cells) != expected:
        raise ValueError(f"expected {expected} values, found {len(cells)}")
    return cells, weight


def _plain_cells(text: bytes, expected: int) -> list[bytes] | None:
    """Cells of a row without quotes, comments and braces; None where the row needs exact scanning."""
    if not 0 < text.count(b",") <= expected or _SPECIAL.search(text):
        return None
    cells = text.split(b",")
    if b" " in text or b"\t" in text:
        cells = [cell.strip(b" \t") for cell in cells]
        if any(b" " in cell or b"\t" in cell for cell in cells):
            return None
    if not cells[-1]:
        cells.pop()
    return None if b"" in cells else cells


def _cells_between_commas(text: bytes) -> list[bytes] | None:
    """Cells, quoted or not, of a row that has nothing else but one comma between two; None where the row needs exact scanning."""
    if b"," not in text or len(text) > _LONG_LINE:
        return None
    cells = _TOKEN.findall(text)
    return cells if b",".join(cells) == text else None


def _scanned_cells(text: bytes, expected: int) -> tuple[list[bytes], bool]:
    if len(text) > _LONG_LINE and text.count(b",") > 2 * expected:  # a very long line must not fill the memory
        raise ValueError(f"expected {expected} values, found about {text.count(b',') + 1}")
    pieces = _CELL.findall(text)
    rest_text = pieces.pop()[2] if pieces and pieces[-1][2] else b""
    gaps = [gap for gap, _, _ in pieces]
    cells = [cell for _, cell, _ in pieces]
    if gaps and b"," in gaps[0]:
        raise ValueError("an empty value before the first comma (a missing value is written ?)")
    if any(b"," not in gap for gap in set(gaps[1:])):
        _check_gaps(cells, gaps[1:])
    rest = _REST.fullmatch(rest_text)
    if not rest:
        raise ValueError(_unreadable(rest_text, len(cells)))
    if rest[1] is not None:
        _check_weight(rest[1])
    return cells, rest[1] is not None


def _check_gaps(cells: list[bytes], gaps: list[bytes]) -> None:
    """Something must separate cells; blanks alone do so only where neither commas nor tabs do."""
    separators = b"".join(gaps)
    blanks_separate = b"," not in separators and b"\t" not in separators
    for (left, right), gap in zip(pairwise(cells), gaps, strict=True):
        if not gap:
            raise ValueError(f"no separator between {shown(left)} and {shown(right)}: quote a value that holds quotes")
        if not gap.strip(b" ") and not blanks_separate:
            raise ValueError(f"an unquoted blank in the value {shown(left + gap + right)}: quote it")


def _unreadable(rest: bytes, found: int) -> str:
    start = rest.lstrip(b" \t")
    if found and start.startswith(b","):
        start = start[1:].lstrip(b" \t")
    if start.startswith(b","):
        return f"an empty value behind value {found} (a missing value is written ?)"
    if start[:1] in (b"'", b'"'):
        return f"the quote before {shown(start[1:])} is not closed"
    return f"cannot read {shown(start)} behind value {found}: quote a value that holds braces"


def _check_weight(text: bytes) -> None:
    try:
        number(text)
    except ValueError:
        raise ValueError(f"the instance weight {{{text.decode('latin-1')}}} is not a number") from None


def sparse_cells(text: bytes, attributes: int) -> tuple[list[int], list[bytes], bool]:
    r"""The indices and tokens of a sparse row, and whether a weight stands behind it; ValueError says what is wrong.

    >>> sparse_cells(b"{0 2, 3 'a b'}", 4)
    ([0, 3], [b'2', b"'a b'"], False)
    """
    indices: list[int] = []
    tokens: list[bytes] = []
    place, last = 1, -1
    while match := _PAIR.match(text, place):
        index = _index(match[1], last, attributes)
        if match[2] is None:
            raise ValueError(f"index {index} has no value that can be read: {shown(text[match.start() :], 30)}")
        indices.append(index)
        tokens.append(match[2])
        place, last = match.end(), index
    rest = text[place:].lstrip(b" \t")
    if not rest:
        raise ValueError("} is missing at the end of the sparse row")
    if not rest.startswith(b"}"):
        raise ValueError(f"cannot read {shown(rest)} in a sparse row: expected {{index value, ...}}")
    behind = _REST.fullmatch(rest, 1)
    if not behind:
        raise ValueError(f"unexpected {shown(rest[1:])} behind a sparse row")
    if behind[1] is not None:
        _check_weight(behind[1])
    return indices, tokens, behind[1] is not None


def _index(token: bytes, last: int, attributes: int) -> int:
    digits = token.removeprefix(b"-")
    if not digits.isdigit() or len(digits) > 18:
        raise ValueError(f"{shown(token)} is not an index: a sparse row is {{index value, ...}}; quote a value that holds blanks")
    index = int(token)
    if not 0 <= index < attributes:
        raise ValueError(f"index {index} is out of range: attributes run from 0 to {attributes - 1}")
    if index == last:
        raise ValueError(f"index {index} is given twice")
    if index < last:
        raise ValueError(f"index {index} stands behind index {last}: indices must rise")
    return index


def _gather(dense: list[list[float]], sparse: list[tuple[list[int], list[float]]], forms: list[bool], rules: Rules) -> Matrix:
    width = len(rules.columns)
    cells = np.empty((len(dense), width))
    cells[:, rules.order] = np.array(dense, dtype=np.float64).reshape(len(dense), width)
    cells += 0.0  # so that -0 is 0, as in a sparse row that leaves it out
    if not sparse:
        return cells
    lengths = np.cumsum([0, *(len(indices) for indices, _ in sparse)])
    flat = np.fromiter(chain.from_iterable(indices for indices, _ in sparse), np.int32, int(lengths[-1]))
    data = np.fromiter(chain.from_iterable(values for _, values in sparse), np.float64, int(lengths[-1]))
    rows = scipy.sparse.csr_array((data, flat, lengths), shape=(len(sparse), width))
    if not dense:
        return rows
    both = scipy.sparse.vstack([rows, scipy.sparse.csr_array(cells)], format="csr")
    is_sparse = np.array(forms, dtype=bool)
    place = np.where(is_sparse, np.cumsum(is_sparse) - 1, len(sparse) + np.cumsum(~is_sparse) - 1)
    return both[place]
