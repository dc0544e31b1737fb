"""Rows of plain numbers, a block at a time: the same answer as `rows.exact_rows`, or None where a closer look is due.

Three shapes are known: a grid of single digits, dense rows of numbers, sparse rows of numbers. Whatever else a block
holds (a quote, a comment, another spelling of a number, a fault) makes the answer None, and the exact rules decide and
say where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from lsdmlo_cli.dataset import Attribute
from lsdmlo_cli.formats.numbers import PAD, decimals, whole_numbers
from lsdmlo_cli.formats.rows import Block

_DENSE = b"0123456789,\n+-.eE?"
_SPARSE = b"0123456789,\n+-.eE {}"
_WHOLE_VALUE = re.compile(r"0|[1-9]\d{0,7}", re.ASCII)
_ANY = 10**9
_LARGEST_BYTES = 1 << 24
"""A block beyond this is one endless line; the arrays of its separators would be many times as large."""

_BLANK, _END = 4, 5
_KIND = np.zeros(256, dtype=np.uint8)
_KIND[[ord(c) for c in "{}, \n"]] = 1, 2, 3, _BLANK, _END
_FOLLOWS = np.zeros((2, 6, 6), dtype=bool)
"""Which separator may follow which in a sparse row, without (0) and with (1) a token between them."""
_FOLLOWS[0][[1, 2, _END], [2, _END, 1]] = True
_FOLLOWS[1][[1, 3, _BLANK, _BLANK], [_BLANK, _BLANK, 3, 2]] = True


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
        below = {(a.kind, a.values): _below(a) for a in set(map(_nameless, attributes))}
        self.below = np.array([below[a.kind, a.values] for a in attributes], dtype=np.int64)
        coded = [j for j, a in enumerate(attributes) if a.kind == "nominal" and not self.below[j]]
        self.codes = {j: values for j in coded if (values := _whole_values(attributes[j])) is not None}
        self.knows_sparse = bool((self.below > 0).all())
        self.knows_dense = bool((self.below > 0).sum() + len(self.codes) == self.width)

    def read(self, text: bytes) -> Block | None:
        """The rows of a block of whole lines, or None."""
        text = text.strip(b"\n")
        if not text:
            return Block(np.empty((0, self.width)), np.zeros(0, dtype=bool))
        if len(text) > _LARGEST_BYTES or not self.knows_dense:
            return None
        text = text.replace(b", ", b",") if b" " in text else text
        if text[:1] == b"{":
            return self._sparse(text) if self.knows_sparse and not text.translate(None, _SPARSE) else None
        return None if text.translate(None, _DENSE) else self._grid(text) or self._dense(text)

    def _grid(self, text: bytes) -> Block | None:
        """`0,1,...,0`: a view of the bytes."""
        if not self.knows_sparse or (len(text) + 1) % (2 * self.width):
            return None
        lines = np.frombuffer(text + b"\n", dtype=np.uint8).reshape(-1, 2 * self.width)
        if (lines[:, -1] != ord("\n")).any() or (lines[:, 1:-1:2] != ord(",")).any():
            return None
        digits = lines[:, ::2] - np.uint8(ord("0"))
        if (digits.max(axis=0) >= self._limits).any() or digits.max() > 9:
            return None
        return Block(digits, np.zeros(len(digits), dtype=bool))

    def _dense(self, text: bytes) -> Block | None:
        """Numbers between commas."""
        view = np.frombuffer(b" " * PAD + text + b"\n", dtype=np.uint8)
        stop = np.flatnonzero((view == ord(",")) | (view == ord("\n")))
        if len(stop) % self.width:
            return None
        separators = view[stop].reshape(-1, self.width)
        if (separators[:, -1] != ord("\n")).any() or (separators[:, :-1] != ord(",")).any():
            return None
        start = np.concatenate([[PAD], stop[:-1] + 1])
        value = decimals(view, start, stop)
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
        limited = np.flatnonzero((self.is_nominal & (self.below > 0)) | self.is_label)
        part = cells[:, limited]
        low = (part >= 0) & (part < self._limits[limited]) & (part == np.rint(part))
        return bool((low | (np.isnan(part) & ~self.is_label[limited])).all() and not np.isnan(cells[:, self.is_label]).any())

    @property
    def _limits(self) -> np.ndarray:
        return np.where(self.is_label, np.minimum(self.below, 2), self.below)

    def _sparse(self, text: bytes) -> Block | None:
        """`{i v,i v,...}`: tokens found and checked by array operations."""
        view = np.frombuffer(b" " * (PAD - 1) + b"\n" + text + b"\n", dtype=np.uint8)
        kind = _KIND[view]
        place = np.flatnonzero(kind)[PAD - 1 :]
        kinds = kind[place]
        if not _FOLLOWS[(np.diff(place) > 1).astype(np.intp), kinds[:-1], kinds[1:]].all():
            return None
        blank = np.flatnonzero(kinds == _BLANK)
        index = whole_numbers(view, place[blank - 1] + 1, place[blank])
        ends = np.cumsum(kinds == _END)
        rows, lines = ends[blank] - 1, int(ends[-1]) - 1
        if index is None or not _rising(index, rows) or (index >= self.width).any():
            return None
        values = self._sparse_values(view, place[blank] + 1, place[blank + 1], index)
        if values is None:
            return None
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=lines))])
        cells = csr_array((values, index.astype(np.int32), starts), shape=(lines, self.width))
        return Block(cells, np.ones(lines, dtype=bool))

    def _sparse_values(self, view: np.ndarray, start: np.ndarray, stop: np.ndarray, index: np.ndarray) -> np.ndarray | None:
        limited = self.is_nominal[index] | self.is_label[index]
        nominal = np.flatnonzero(self.is_nominal[index])
        if not _spelled_whole(view, start[nominal], stop[nominal]):
            return None
        if (stop - start == 1).all():
            values = (view[start] - np.uint8(ord("0"))).astype(np.float64)
            valid = (values <= 9).all()
        else:
            found = decimals(view, start, stop)
            values, valid = (found, True) if found is not None else (np.zeros(0), False)
        if not valid:
            return None
        part = values[limited]
        allowed = (part >= 0) & (part < self._limits[index[limited]]) & (part == np.rint(part))
        return values if allowed.all() else None


def _nameless(attribute: Attribute) -> Attribute:
    return Attribute("", attribute.kind, attribute.values)


def _below(attribute: Attribute) -> int:
    if attribute.is_number:
        return _ANY
    if attribute.kind == "nominal" and all(value == str(code) for code, value in enumerate(attribute.values)):
        return len(attribute.values)
    return 0


def _whole_values(attribute: Attribute) -> np.ndarray | None:
    """The declared values as numbers, None where one is not a whole number in its plain spelling."""
    if all(map(_WHOLE_VALUE.fullmatch, attribute.values)):
        return np.array([int(value) for value in attribute.values], dtype=np.int64)
    return None


def _rising(index: np.ndarray, rows: np.ndarray) -> bool:
    return bool(((np.diff(index) > 0) | (np.diff(rows) > 0)).all())


def _spelled_whole(view: np.ndarray, start: np.ndarray, stop: np.ndarray) -> bool:
    """Whether nominal tokens are whole numbers in their plain spelling, or `?`: 1.0 and 01 are not 1."""
    length = stop - start
    several = length > 1
    lead = view[start]
    if several.any() and ((lead[several] == ord("0")).any() or whole_numbers(view, start[several], stop[several]) is None):
        return False
    single = lead[~several]
    return bool((((single >= ord("0")) & (single <= ord("9"))) | (single == ord("?"))).all())
