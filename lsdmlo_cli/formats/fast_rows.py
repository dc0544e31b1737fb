"""Rows of plain numbers, a block at a time: the same answer as `rows.exact_rows`, or None where a closer look is due.

Three shapes are known: a grid of single digits, dense rows of numbers, sparse rows of numbers. Whatever else a block
holds (a quote, a comment, another spelling of a number, a fault) makes the answer None, and the exact rules decide and
say where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import orjson
from scipy.sparse import csr_array

from lsdmlo_cli.dataset import Attribute
from lsdmlo_cli.formats.rows import Block

_GRID = b"0123456789,\n"
_DENSE = _GRID + b"+-.eE? \t"
_SPARSE = _GRID + b"+-.eE {}"
_WHOLE_VALUE = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)
_MINUS_ZERO = re.compile(rb"-0(?![.\d])")
_ANY = 10**9
_LARGEST_BYTES = 1 << 24
"""A block beyond this is one endless line; the arrays of its separators would be many times as large."""
_DIGITS_AT_MOST = 9


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
        self.below = np.array([_below(a) for a in attributes], dtype=np.int64)
        coded = [j for j, a in enumerate(attributes) if a.kind == "nominal" and not self.below[j]]
        self.codes = {j: values for j in coded if (values := _whole_values(attributes[j])) is not None}
        self.knows_sparse = bool((self.below > 0).all())
        self.knows_dense = bool((self.below > 0).sum() + len(self.codes) == self.width)

    def read(self, text: bytes) -> Block | None:
        """The rows of a block of whole lines, or None."""
        text = text.strip(b"\n")
        if not text:
            return Block(np.empty((0, self.width)), np.zeros(0, dtype=bool))
        if len(text) > _LARGEST_BYTES or b"\n\n" in text or not self.knows_dense:
            return None
        if text[:1] == b"{":
            return self._sparse(text) if self.knows_sparse and not text.translate(None, _SPARSE) else None
        if text.translate(None, _DENSE):
            return None
        return self._grid(text) or self._dense(text)

    def _grid(self, text: bytes) -> Block | None:
        """`0,1,...,0`: a view of the bytes."""
        if not self.knows_sparse or (len(text) + 1) % (2 * self.width):
            return None
        lines = np.frombuffer(text + b"\n", dtype=np.uint8).reshape(-1, 2 * self.width)
        if (lines[:, -1] != ord("\n")).any() or (lines[:, 1:-1:2] != ord(",")).any():
            return None
        digits = lines[:, ::2] - np.uint8(ord("0"))
        if (digits >= np.minimum(self._limits, 10).astype(np.uint8)).any():
            return None
        return Block(digits, np.zeros(len(digits), dtype=bool))

    def _dense(self, text: bytes) -> Block | None:
        """Numbers between commas: one flat JSON array."""
        view = np.frombuffer(text, dtype=np.uint8)
        ends = np.append(np.flatnonzero(view == ord("\n")), len(view))
        commas = np.searchsorted(np.flatnonzero(view == ord(",")), ends)
        if (np.diff(commas, prepend=0) != self.width - 1).any() or (self.is_nominal.any() and _MINUS_ZERO.search(text)):
            return None
        try:
            flat = orjson.loads(b"[" + text.replace(b"\n", b",").replace(b"?", b"null") + b"]")
        except orjson.JSONDecodeError:
            return None
        cells = np.array(flat, dtype=np.float64).reshape(-1, self.width)
        cells += 0.0
        if not self._whole_where_nominal(flat, text) or not self._code(cells) or np.isinf(cells).any():
            return None
        return Block(cells, np.zeros(len(cells), dtype=bool))

    def _whole_where_nominal(self, flat: list[float], text: bytes) -> bool:
        """Whether nominal cells are spelled as whole numbers: 1.0 is not 1."""
        if b"." not in text and b"e" not in text and b"E" not in text:
            return True
        whole = {int, type(None)}
        return all(whole.issuperset(map(type, flat[j :: self.width])) for j in np.flatnonzero(self.is_nominal))

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
        plain = np.flatnonzero(self.is_nominal & (self.below > 0))
        part = cells[:, plain]
        labels = cells[:, self.is_label]
        allowed = (part >= 0) & (part < self.below[plain]) | np.isnan(part)
        return bool(allowed.all() and ((labels == 0) | (labels == 1)).all())

    @property
    def _limits(self) -> np.ndarray:
        return np.where(self.is_label, np.minimum(self.below, 2), self.below)

    def _sparse(self, text: bytes) -> Block | None:
        """`{i v,i v,...}`: tokens found and checked by array operations."""
        view = np.frombuffer(b"\n" + text.replace(b", ", b",") + b"\n", dtype=np.uint8)
        kind = _KIND[view]
        place = np.flatnonzero(kind)
        kinds = kind[place]
        if not _FOLLOWS[(np.diff(place) > 1).astype(np.intp), kinds[:-1], kinds[1:]].all():
            return None
        blank = np.flatnonzero(kinds == _BLANK)
        index = _whole_numbers(view, place[blank - 1] + 1, place[blank])
        rows = np.cumsum(kinds == _END)[blank] - 1
        if index is None or not _rising(index, rows) or (index >= self.width).any():
            return None
        values = self._sparse_values(view, place[blank] + 1, place[blank + 1], index)
        if values is None or (values >= self._limits[index])[self.is_label[index] | self.is_nominal[index]].any():
            return None
        lines = int((kinds == _END).sum()) - 1
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=lines))])
        return Block(csr_array((values, index, starts), shape=(lines, self.width)), np.ones(lines, dtype=bool))

    def _sparse_values(self, view: np.ndarray, start: np.ndarray, stop: np.ndarray, index: np.ndarray) -> np.ndarray | None:
        nominal = self.is_nominal[index]
        length = stop - start
        if (view[start[nominal]] == ord("0"))[length[nominal] > 1].any():
            return None  # 01 is not 1
        whole = _whole_numbers(view, start, stop)
        if whole is not None:
            return whole.astype(np.float64)
        strange = np.concatenate([[0], np.cumsum(_KIND_OF_DIGIT[view])])
        if (strange[stop[nominal]] != strange[start[nominal]]).any() or (strange[stop] != strange[start])[
            self.is_label[index]
        ].any():
            return None
        text = _joined(view, start, length)
        try:
            return np.array(orjson.loads(text), dtype=np.float64) + 0.0
        except orjson.JSONDecodeError:
            return None


_BLANK, _END = 4, 5
_KIND = np.zeros(256, dtype=np.uint8)
_KIND[[ord(c) for c in "{},"]] = 1, 2, 3
_KIND[ord(" ")], _KIND[ord("\n")] = _BLANK, _END
_KIND_OF_DIGIT = np.ones(256, dtype=np.int32)
_KIND_OF_DIGIT[ord("0") : ord("9") + 1] = 0
_FOLLOWS = np.zeros((2, 6, 6), dtype=bool)
"""Which separator may follow which, without (0) and with (1) a token between them."""
_FOLLOWS[0][[1, 2, _END], [2, _END, 1]] = True
_FOLLOWS[1][[1, 3, _BLANK, _BLANK], [_BLANK, _BLANK, 3, 2]] = True


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


def _whole_numbers(view: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    """The tokens as whole numbers, None where one holds something else than digits, or too many."""
    length = stop - start
    longest = int(length.max(initial=0))
    if longest > _DIGITS_AT_MOST:
        return None
    number = np.zeros(len(start), dtype=np.int32)
    for step in range(longest):
        inside = np.flatnonzero(length > step) if step else slice(None)
        digit = view[start[inside] + step] - np.uint8(ord("0"))
        if (digit > 9).any():
            return None
        number[inside] = number[inside] * 10 + digit
    return number


def _joined(view: np.ndarray, start: np.ndarray, length: np.ndarray) -> bytes:
    """The tokens as a JSON array."""
    ends = np.cumsum(length + 1)
    source = np.arange(ends[-1]) + np.repeat(start - (ends - length - 1), length + 1)
    text = view[source]
    text[ends - 1] = ord(",")
    text[-1] = ord("]")
    return b"[" + bytes(text.tobytes())
