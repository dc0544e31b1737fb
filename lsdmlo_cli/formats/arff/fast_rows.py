"""Rows of plain numbers, a block at a time: the same answer as `rows.exact_rows`, or None where those rules are needed.

Three shapes are known: a grid of single digits, dense rows of numbers, sparse rows of numbers. Whatever else a block holds (a
quote, a comment, another spelling of a number, a fault) makes the answer None; then the exact rules read it, and their messages
name the place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import scipy

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.formats.arff.numbers import PAD, WORD, decimals, whole_numbers
from lsdmlo_cli.formats.arff.rows import Block
from lsdmlo_cli.formats.files import BLOCK_BYTES

_WHOLE_VALUE = re.compile(rf"0|[1-9]\d{{0,{WORD - 1}}}", re.ASCII)
_UNBOUNDED = 10**9
"""Stands for no bound: tokens of at most 8 digits are compared with it."""
_LARGEST_BYTES = 8 * BLOCK_BYTES
"""A block of whole lines is about as large as one that is read from a file, unless a line is longer. A block beyond this is
nearly all one line, and the arrays of its separators would take many times its bytes."""

_OPEN, _CLOSE, _COMMA, _BLANK, _END, _POINT, _IN_NUMBER = range(1, 8)
_KIND = np.zeros(256, dtype=np.uint8)
"""What a byte that is no digit does in a sparse row; 0 for one that is not allowed there."""
_KIND[[ord(c) for c in "{}, \n."]] = _OPEN, _CLOSE, _COMMA, _BLANK, _END, _POINT
_KIND[[ord(c) for c in "+-eE"]] = _IN_NUMBER
_BETWEEN = np.full((8, 8), 2, dtype=np.uint8)
"""By two consecutive separators of a sparse row: 1 where a token must be between them, 0 where none may be, else 2."""
_BETWEEN[[_OPEN, _COMMA, _BLANK, _BLANK], [_BLANK, _BLANK, _COMMA, _CLOSE]] = 1
_BETWEEN[[_OPEN, _CLOSE, _END], [_CLOSE, _END, _OPEN]] = 0


class FastRows:
    """Reads blocks under the attributes of one file.

    below: (D,) for an attribute that is its own code (numbers; nominal 0, 1, ..., m - 1): what its numbers must stay
    below; 0 for others.
    """

    def __init__(self, attributes: Sequence[Attribute], labels: frozenset[int]) -> None:
        self.width = len(attributes)
        self.is_label = np.zeros(self.width, dtype=bool)
        self.is_label[list(labels)] = True
        self.is_nominal = np.array([a.kind == "nominal" for a in attributes], dtype=bool)
        alike = {(a.kind, a.values): a for a in attributes}
        below = {kind: _below(a) for kind, a in alike.items()}
        self.below = np.array([below[a.kind, a.values] for a in attributes], dtype=np.int64)
        coded = [j for j, a in enumerate(attributes) if a.kind == "nominal" and not self.below[j]]
        self.codes = {j: values for j in coded if (values := _whole_values(attributes[j])) is not None}
        self.limits = np.where(self.is_label, np.minimum(self.below, 2), self.below)
        self.limited = self.is_nominal | self.is_label
        self.knows_sparse = bool((self.below > 0).all())
        self.knows_dense = bool((self.below > 0).sum() + len(self.codes) == self.width)

    def read(self, text: bytes) -> Block | None:
        """The rows of a block of whole lines, or None."""
        text = text.strip(b"\n")
        if not text:
            return Block(np.empty((0, self.width)), np.zeros(0, dtype=bool))
        if len(text) > _LARGEST_BYTES or not self.knows_dense:
            return None
        if text[:1] == b"{":
            return (self._sparse(text) or self._sparse(text.replace(b", ", b","))) if self.knows_sparse else None
        text = text.replace(b", ", b",") if b" " in text else text
        return self._grid(text) or self._dense(text)

    def _grid(self, text: bytes) -> Block | None:
        """`0,1,...,0`: a view of the bytes."""
        if not self.knows_sparse or (len(text) + 1) % (2 * self.width):
            return None
        lines = np.frombuffer(text + b"\n", dtype=np.uint8).reshape(-1, 2 * self.width)
        if (lines[:, -1] != ord("\n")).any() or (lines[:, 1:-1:2] != ord(",")).any():
            return None
        digits = lines[:, ::2] - np.uint8(ord("0"))
        if (digits.max(axis=0) >= self.limits).any() or digits.max() > 9:
            return None
        return Block(digits, np.zeros(len(digits), dtype=bool))

    def _dense(self, text: bytes) -> Block | None:
        """Numbers between commas."""
        view = _padded(text)
        is_end = view == ord("\n")
        place = np.flatnonzero(is_end | (view == ord(",")) | (view == ord(".")))
        separators = np.flatnonzero(view.take(place) != ord("."))
        ends = place.take(separators)
        start, stop = ends[:-1] + 1, ends[1:]
        lines = stop[self.width - 1 :: self.width]
        if len(stop) % self.width or np.count_nonzero(is_end) != len(lines) + 1 or not is_end.take(lines).all():
            return None
        value = decimals(view, start, stop, place.take(separators[1:] - 1))
        if value is None:
            return None
        cells = value.reshape(-1, self.width)
        nominal = np.flatnonzero(self.is_nominal)
        tokens = (part.reshape(-1, self.width)[:, nominal].ravel() for part in (start, stop))
        if not _spelled_whole(view, *tokens) or not self._code(cells):
            return None
        return Block(cells, np.zeros(len(cells), dtype=bool))

    def _code(self, cells: np.ndarray) -> bool:
        """Replace declared numbers by their codes in place; False where a cell is not allowed."""
        for j, values in self.codes.items():
            order = np.argsort(values)
            column = cells[:, j]
            place = np.minimum(np.searchsorted(values, column, sorter=order), len(values) - 1)
            missing = np.isnan(column)
            if not (missing | (values[order[place]] == column)).all():
                return False
            cells[:, j] = np.where(missing, np.nan, order[place])
        limited = np.flatnonzero(self.limited & (self.below > 0))
        part = cells[:, limited]
        low = (part >= 0) & (part < self.limits[limited]) & (part == np.rint(part))
        return bool((low | (np.isnan(part) & ~self.is_label[limited])).all() and not np.isnan(cells[:, self.is_label]).any())

    def _sparse(self, text: bytes) -> Block | None:
        """`{i v,i v,...}`: tokens found and checked by array operations."""
        view = _padded(text)
        place, kinds = _sparse_separators(view)
        separators = np.flatnonzero(kinds != _POINT)
        kinds = kinds.take(separators)
        ends = place.take(separators)
        if not ((np.diff(ends) > 1) == _BETWEEN.ravel().take(8 * kinds[:-1] + kinds[1:])).all():
            return None
        blank = np.flatnonzero(kinds == _BLANK)
        starts = np.searchsorted(blank, np.flatnonzero(kinds == _END))  # how many values precede each line's end
        index = self._indices(view, ends.take(blank - 1) + 1, ends.take(blank), starts)
        if index is None:
            return None
        mark = place.take(separators.take(blank + 1) - 1)
        values = self._sparse_values(view, ends.take(blank) + 1, ends.take(blank + 1), mark, index)
        if values is None:
            return None
        lines = len(starts) - 1
        cells = scipy.sparse.csr_array((values, index.astype(np.int32), starts), shape=(lines, self.width))
        return Block(cells, np.ones(lines, dtype=bool))

    def _indices(self, view: np.ndarray, start: np.ndarray, stop: np.ndarray, starts: np.ndarray) -> np.ndarray | None:
        """The attributes' places, rising in each row; starts: (rows + 1,) where each row's begin."""
        index = whole_numbers(view, start, stop)
        if index is None or (index >= self.width).any():
            return None
        rises = np.append(True, index[1:] > index[:-1])
        rises[starts[starts < len(index)]] = True
        return index if rises.all() else None

    def _sparse_values(
        self, view: np.ndarray, start: np.ndarray, stop: np.ndarray, mark: np.ndarray, index: np.ndarray
    ) -> np.ndarray | None:
        nominal = np.flatnonzero(self.is_nominal.take(index))
        if not _spelled_whole(view, start[nominal], stop[nominal]):
            return None
        digits = view.take(start) - np.uint8(ord("0"))
        alone = (stop - start == 1).all() and (digits <= 9).all()
        values = digits.astype(np.float64) if alone else decimals(view, start, stop, mark)
        if values is None:
            return None
        limited = np.flatnonzero(self.limited.take(index))
        part = values[limited]
        allowed = (part >= 0) & (part < self.limits[index[limited]]) & (part == np.rint(part))
        return values if allowed.all() else None


def _padded(text: bytes) -> np.ndarray:
    """A block's bytes between line ends, with PAD bytes before the first token."""
    return np.frombuffer(b"0" * (PAD - 1) + b"\n" + text + b"\n", dtype=np.uint8)


def _sparse_separators(view: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places and kinds of what stands between digits in sparse rows, but for signs and exponents."""
    place = np.flatnonzero(view - np.uint8(ord("0")) > 9)
    kinds = _KIND.take(view.take(place))
    if (kinds == _IN_NUMBER).any():
        kept = np.flatnonzero(kinds != _IN_NUMBER)
        place, kinds = place.take(kept), kinds.take(kept)
    return place, kinds


def _below(attribute: Attribute) -> int:
    if attribute.is_number:
        return _UNBOUNDED
    if attribute.kind == "nominal" and all(value == str(code) for code, value in enumerate(attribute.values)):
        return len(attribute.values)
    return 0


def _whole_values(attribute: Attribute) -> np.ndarray | None:
    """The declared values as numbers, None where one is not a whole number in its plain spelling."""
    if all(map(_WHOLE_VALUE.fullmatch, attribute.values)):
        return np.array([int(value) for value in attribute.values], dtype=np.int64)
    return None


def _spelled_whole(view: np.ndarray, start: np.ndarray, stop: np.ndarray) -> bool:
    """Whether nominal tokens are whole numbers in their plain spelling, or `?`: 1.0 and 01 are not 1."""
    length = stop - start
    several = length > 1
    lead = view[start]
    if several.any() and ((lead[several] == ord("0")).any() or whole_numbers(view, start[several], stop[several]) is None):
        return False
    single = lead[~several]
    return bool((((single >= ord("0")) & (single <= ord("9"))) | (single == ord("?"))).all())
