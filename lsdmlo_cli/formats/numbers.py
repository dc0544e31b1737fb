"""Decimal numbers from text, all tokens of a block at once, with the same bits as `float()`.

Eight digits are one 64-bit word; three multiplications turn it into a number. A decimal of at most 15 digits is a whole number below
2^53 over a power of ten, and one division rounds it correctly. Other tokens (exponents, more digits) go through a JSON parser.
"""

from __future__ import annotations

import numpy as np
import orjson

PAD = 8
"""Bytes that must stand before the first token."""

_MOST_DIGITS = 15
_AT_A_TIME = 1 << 13  # tokens whose arrays fit into the cache together
_ZEROS = np.uint64(0x3030303030303030)
_HIGH_BITS = np.uint64(0x8080808080808080)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_FOURS = np.uint64(0x0000FFFF0000FFFF)
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)


def whole_numbers(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    """Tokens of 1 to 8 digits as int64; None where one is anything else.

    text: as bytes, PAD of them before the first token. start, stop: where each token begins and ends.
    """
    length = stop - start
    if len(length) and not (length.min() > 0 and length.max() <= 8):
        return None
    number, valid = _up_to_eight(text, stop, length)
    return number.astype(np.int64) if valid.all() else None


def decimals(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    """Decimal numbers as float64, NaN for `?`; None where a token is no number.

    text, start, stop: as for whole_numbers.
    """
    dots = np.flatnonzero(text == ord("."))
    without_dots = np.frombuffer(text.tobytes().translate(None, b"."), dtype=np.uint8)
    value = np.empty(len(start))
    for first in range(0, len(start), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        low, high = np.searchsorted(dots, (start[part][0], stop[part][-1]))
        number = _decimals(text, without_dots, start[part], stop[part], dots[low:high], low)
        if number is None:
            return None
        value[part] = number
    return value


def _decimals(
    text: np.ndarray, without_dots: np.ndarray, start: np.ndarray, stop: np.ndarray, dots: np.ndarray, dots_before: int
) -> np.ndarray | None:
    """`decimals` of some tokens in a row, whose points are `dots` and follow `dots_before` others."""
    points, place = _points(start, stop, dots)
    behind = np.where(points == 1, stop - place - 1, 0)
    negative = text[start] == ord("-")
    length = stop - start - negative - points
    end = stop - dots_before - np.cumsum(points)
    number, valid = _up_to_eight(without_dots, end, np.minimum(length, 8))
    mantissa = number.astype(np.float64)
    long = np.flatnonzero(length > 8)
    if len(long):
        more, more_valid = _up_to_eight(without_dots, end[long] - 8, np.minimum(length[long] - 8, 8))
        mantissa[long] += more * 1e8
        valid[long] &= more_valid
    easy = valid & (length > 0) & (length <= _MOST_DIGITS) & (points <= 1)
    value = mantissa / _POWERS[np.where(easy, behind, 0)]
    np.negative(value, out=value, where=negative)
    hard = np.flatnonzero(~easy)
    if len(hard):
        rest = _by_json(text, start[hard], stop[hard])
        if rest is None:
            return None
        value[hard] = rest
    return value + 0.0  # so that -0 is 0


def _points(start: np.ndarray, stop: np.ndarray, dots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many points each token has, and where its last one stands."""
    if len(dots) == len(start) and ((dots >= start) & (dots < stop)).all():
        return np.ones(len(start), dtype=np.int64), dots
    seen = np.searchsorted(dots, stop)
    return np.diff(seen, prepend=0), np.append(dots, 0)[seen - 1]


def _up_to_eight(text: np.ndarray, stop: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number in the `length` digits (0 to 8) that end at `stop`, and whether they are digits."""
    words = np.ndarray((len(text) - 7,), dtype="<u8", buffer=text.data, strides=(1,))
    digits = words[stop - 8] ^ _ZEROS
    cleared = ((8 - length) * 8).astype(np.uint64)
    digits >>= cleared
    digits <<= cleared
    digits[length <= 0] = 0
    valid = ((digits | (digits + _ABOVE_NINE)) & _HIGH_BITS) == 0
    digits *= np.uint64(2561)
    digits >>= np.uint64(8)
    digits &= _PAIRS
    digits *= np.uint64(6553601)
    digits >>= np.uint64(16)
    digits &= _FOURS
    digits *= np.uint64(42949672960001)
    digits >>= np.uint64(32)
    return digits, valid


def _by_json(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    text = joined(text, start, stop - start)
    try:
        value = np.array(orjson.loads(text.replace(b"?", b"null")), dtype=np.float64)
    except orjson.JSONDecodeError:
        return None
    return value if len(value) == len(start) and not np.isinf(value).any() else None


def joined(text: np.ndarray, start: np.ndarray, length: np.ndarray) -> bytes:
    """The tokens as the text of a JSON array."""
    ends = np.cumsum(length + 1)
    source = np.arange(ends[-1]) + np.repeat(start - (ends - length - 1), length + 1)
    text = text[source]
    text[ends - 1] = ord(",")
    text[-1] = ord("]")
    return b"[" + text.tobytes()
