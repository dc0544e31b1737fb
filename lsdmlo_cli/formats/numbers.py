"""Decimal numbers from text, all tokens of a block at once, with the same bits as `float()`.

Eight digits are one 64-bit word; three multiplications turn it into a number. A decimal of at most 15 digits is a whole
number below 2^53 over a power of ten, and one division rounds it correctly. Other tokens (exponents, more digits) go
through a JSON parser.
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
    without_points = np.frombuffer(text.tobytes().translate(None, b"."), dtype=np.uint8)
    point = np.flatnonzero(text == ord("."))
    seen = _points_before(text, stop, point)
    value = np.empty(len(start))
    before = 0
    for first in range(0, len(start), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        number = _decimals(text, without_points, start[part], stop[part], np.diff(seen[part], prepend=before), seen[part], point)
        if number is None:
            return None
        value[part] = number
        before = seen[part][-1]
    return value


def _points_before(text: np.ndarray, stop: np.ndarray, point: np.ndarray) -> np.ndarray:
    """How many points stand before the end of each token."""
    one_each = len(point) == len(stop) and (point < stop).all() and (point[1:] > stop[:-1]).all()
    return np.arange(1, len(stop) + 1) if one_each else np.searchsorted(point, stop)


def _decimals(
    text: np.ndarray,
    without_points: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    points: np.ndarray,
    seen: np.ndarray,
    point: np.ndarray,
) -> np.ndarray | None:
    """`decimals` of some tokens in a row, with how many points each has, and how many stand before its end."""
    behind = stop - point[seen - 1] - 1 if len(point) else np.zeros_like(stop)
    behind[points != 1] = 0
    negative = text[start] == ord("-")
    length = stop - start - points
    length -= negative
    end = stop - seen
    value, easy = _mantissa(without_points, end, length)
    easy &= points <= 1
    if not easy.all():
        behind[~easy] = 0
    value /= _POWERS[behind]
    np.negative(value, out=value, where=negative)
    hard = np.flatnonzero(~easy)
    if len(hard):
        rest = _by_json(text, start[hard], stop[hard])
        if rest is None:
            return None
        value[hard] = rest
    value += 0.0  # so that -0 is 0
    return value


def _mantissa(text: np.ndarray, stop: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number in the digits that end at `stop`, as float64, and where it is one of 1 to 15 digits."""
    number, valid = _up_to_eight(text, stop, np.minimum(length, 8))
    value = number.astype(np.float64)
    long = np.flatnonzero(length > 8)
    if len(long):
        more, more_valid = _up_to_eight(text, stop[long] - 8, np.minimum(length[long] - 8, 8))
        value[long] += more * 1e8
        valid[long] &= more_valid & (length[long] <= _MOST_DIGITS)
    valid &= length > 0
    return value, valid


def _up_to_eight(text: np.ndarray, stop: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number in the `length` digits (0 to 8) that end at `stop`, and whether they are digits."""
    words = np.ndarray((len(text) - 7,), dtype="<u8", buffer=text.data, strides=(1,))
    digits = words[stop - 8]
    digits ^= _ZEROS
    cleared = ((8 - length) << 3).astype(np.uint64)
    digits >>= cleared
    digits <<= cleared
    strange = digits + _ABOVE_NINE
    strange |= digits
    strange &= _HIGH_BITS
    valid = strange == 0
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
    array = joined(text, start, stop - start)
    try:
        value = np.array(orjson.loads(array.replace(b"?", b"null")), dtype=np.float64)
    except orjson.JSONDecodeError:
        return None
    return value if len(value) == len(start) and not np.isinf(value).any() else None


def joined(text: np.ndarray, start: np.ndarray, length: np.ndarray) -> bytes:
    """The tokens as the text of a JSON array."""
    ends = np.cumsum(length + 1)
    source = np.arange(ends[-1]) + np.repeat(start - (ends - length - 1), length + 1)
    array = text[source]
    array[ends - 1] = ord(",")
    array[-1] = ord("]")
    return b"[" + array.tobytes()
