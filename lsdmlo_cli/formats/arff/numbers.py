"""Decimal numbers from text, all tokens of a block at once, with the same bits as `float()`.

Eight characters are one 64-bit word; its digits are pushed together over the point, and three multiplications turn them into
a number. A decimal of at most 15 digits is a whole number below 2^53 over a power of ten, and one division rounds it
correctly. Other tokens (exponents, more digits) go through a JSON parser.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import orjson

WORD = 8
"""Characters in a 64-bit word."""

PAD = 2 * WORD
"""Bytes that must stand before the first token: a token is read as the two words that end where it ends."""

_MOST_DIGITS = 15
"""10^15 < 2^53, and powers of ten are exact doubles up to 10^22, so that one division rounds correctly (Clinger, 1990)."""

_WIDEST = _MOST_DIGITS + 2  # with a sign and a point
_AT_A_TIME = 1 << 14
"""Tokens at a time. 100,000 tokens took 3.1 ms in parts of 2^12, 2.4 ms of 2^14 and 2.2 ms of 2^17, whose arrays are larger."""

_EVERY_BYTE = 0x0101010101010101
_ZEROS = np.uint64(ord("0") * _EVERY_BYTE)
_HIGH_BITS = np.uint64(0x80 * _EVERY_BYTE)
_ABOVE_NINE = np.uint64((0x80 - 10) * _EVERY_BYTE)
"""Added to a byte below 0x80 this sets its high bit where the byte is 10 or more."""

_TO_PAIRS = np.uint64(10 * 2**8 + 1)
_TO_FOURS = np.uint64(100 * 2**16 + 1)
_TO_NUMBER = np.uint64(10_000 * 2**32 + 1)
"""Multiplied by 10^k 2^b + 1 a word has, b bits up, the sum of each field and 10^k times the field below it. In a little-endian
word the field below holds the digits that are read first; so digits become pairs, pairs fours, and fours the number."""

_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_FOURS = np.uint64(0x0000FFFF0000FFFF)
"""Masks of every other byte, and of every other two bytes: where the sums stand once they are shifted down."""

_BYTE, _TWO_BYTES, _FOUR_BYTES = np.uint64(8), np.uint64(16), np.uint64(32)
_IN_JSON = b"0123456789+-.eE?,"


@dataclass(frozen=True)
class _Words:
    """How to read one word of eight characters, by the shape of its token.

    kept: a mask of its digits once they are together. fraction: a mask of the characters behind its point; all where it has none.
    """

    kept: np.ndarray
    fraction: np.ndarray


def _last_bytes(count: np.ndarray) -> np.ndarray:
    """Words whose last `count` bytes are ones, for counts of 0 to 8; counts beyond are taken as the nearest of these."""
    masks = [(1 << 64) - (1 << 8 * (WORD - kept)) for kept in range(WORD + 1)]
    return np.array(masks, dtype=np.uint64)[np.clip(count, 0, WORD)]


def _words(characters: np.ndarray, point: np.ndarray, skipped: int) -> _Words:
    """The word that `skipped` characters follow; characters: of a token, `point` of them behind its point (-1: it has none)."""
    inside = (point >= skipped) & (point < skipped + WORD)
    kept = np.clip(characters - skipped, 0, WORD) - inside
    return _Words(_last_bytes(kept), _last_bytes(np.where(inside, point - skipped, WORD)))


def _tables() -> tuple[_Words, _Words, np.ndarray, np.ndarray, np.ndarray]:
    """By a token's shape: its last word and the one before; whether that is needed, and how often it counts; what to divide by.

    A shape is a token's width, the characters behind its point (all, where it has none), and whether a minus leads it; the last
    entry is for whatever is wider than a number that is read here. What is divided by is NaN where a shape is no number.
    """
    width, behind, minus = (np.append(part, 0) for part in np.indices((_WIDEST + 1, _WIDEST + 1, 2)).reshape(3, -1))
    point = np.where(behind < width, behind, -1)
    characters = width - minus
    digits = characters - (point >= 0)
    is_number = (digits >= 1) & (digits <= _MOST_DIGITS)
    times = np.where((point >= 0) & (point < WORD), 1e7, 1e8)  # the last word has 8 digits, or 7 and the point
    over = np.where(minus == 1, -1.0, 1.0) * 10.0 ** np.maximum(point, 0)
    last, first = (_words(characters, point, skipped) for skipped in (0, WORD))
    return last, first, is_number & (characters > WORD), times, np.where(is_number, over, np.nan)


_LAST, _FIRST, _HAS_FIRST, _FIRST_TIMES, _OVER = _tables()
_WHOLE = _Words(_last_bytes(np.arange(WORD + 1)), _last_bytes(np.full(WORD + 1, WORD)))


def whole_numbers(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    """Tokens of 1 to 8 digits as int64; None where one is anything else.

    text: as bytes, PAD of them before the first token. start, stop: where each token begins and ends.
    """
    length = stop - start
    if len(length) and not (length.min() > 0 and length.max() <= WORD):
        return None
    number, strange = _digits_of(text, stop, _WHOLE, length)
    return None if strange.any() else number


def decimals(text: np.ndarray, start: np.ndarray, stop: np.ndarray, mark: np.ndarray) -> np.ndarray | None:
    """Decimal numbers as float64, NaN for `?`; None where a token is no number.

    text, start, stop: as for whole_numbers. mark: where each token's last point stands, or start - 1 where it has none.
    """
    value = np.empty(len(start))
    for first in range(0, len(start), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        some = _decimals(text, start[part], stop[part], mark[part])
        if some is None:
            return None
        value[part] = some
    return value


def _decimals(text: np.ndarray, start: np.ndarray, stop: np.ndarray, mark: np.ndarray) -> np.ndarray | None:
    shape = _shapes(text, start, stop, mark)
    number, strange = _digits_of(text, stop, _LAST, shape)
    value = number.astype(np.float64)
    more = np.flatnonzero(_HAS_FIRST.take(shape))
    if len(more):
        first, first_strange = _digits_of(text, stop[more] - WORD, _FIRST, shape[more])
        value[more] += first * _FIRST_TIMES.take(shape[more])
        strange[more] |= first_strange
    value /= _OVER.take(shape)
    hard = np.flatnonzero(np.isnan(value) | (strange != 0))
    if len(hard):
        rest = _by_json(text, start[hard], stop[hard])
        if rest is None:
            return None
        value[hard] = rest
    value += 0.0  # so that -0 is 0
    return value


def _shapes(text: np.ndarray, start: np.ndarray, stop: np.ndarray, mark: np.ndarray) -> np.ndarray:
    """The place of each token's shape in the tables."""
    shape = stop - start
    shape *= _WIDEST + 1
    shape += stop - mark - 1
    shape *= 2
    shape += text.take(start) == ord("-")
    return np.minimum(shape, len(_OVER) - 1, out=shape)


def _digits_of(text: np.ndarray, stop: np.ndarray, words: _Words, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number in the word that ends at `stop`, as int64, and what is not 0 where another character than a digit is in it."""
    every_word = np.ndarray((len(text) - WORD + 1,), dtype="<u8", buffer=text.data, strides=(1,))
    digits = every_word[stop - WORD]
    digits ^= _ZEROS
    fraction = words.fraction.take(shape)
    moved = digits << _BYTE  # what stands before the point comes to stand over it
    moved &= ~fraction
    digits &= fraction
    digits |= moved
    digits &= words.kept.take(shape)
    strange = digits + _ABOVE_NINE
    strange |= digits
    strange &= _HIGH_BITS
    digits *= _TO_PAIRS
    digits >>= _BYTE
    digits &= _PAIRS
    digits *= _TO_FOURS
    digits >>= _TWO_BYTES
    digits &= _FOURS
    digits *= _TO_NUMBER
    digits >>= _FOUR_BYTES
    return digits.view(np.int64), strange


def _by_json(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray | None:
    array = joined(text, start, stop - start)
    if array[1:-1].translate(None, _IN_JSON):
        return None
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
