"""Numbers read eight characters at a time have the bits of `float()`; blocks of plain numbers give what the exact rules give."""

from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.formats.arff import fast_rows
from lsdmlo_cli.formats.arff.columns import columns
from lsdmlo_cli.formats.arff.fast_rows import FastRows
from lsdmlo_cli.formats.arff.numbers import PAD, decimals, whole_numbers
from lsdmlo_cli.formats.arff.rows import Rules, exact_rows


def placed(tokens):
    """Text with the tokens in it, and where they start, stop and have their last point."""
    text = "9" * (PAD - 1) + "," + ",".join(tokens) + ","
    ends = [place for place, char in enumerate(text) if char == ","]
    start = np.array([place + 1 for place in ends[:-1]], dtype=np.int64)
    mark = np.array([max(first, text.rfind(".", first, last)) for first, last in pairwise(ends)], dtype=np.int64)
    return np.frombuffer(text.encode(), dtype=np.uint8), start, np.array(ends[1:], dtype=np.int64), mark


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.int64).tolist()


def spellings(rng):
    """Digits with and without a minus and a point, of every length up to 20 and with the point in every place."""
    for length, minus in product(range(1, 21), ["", "-"]):
        digits = rng.choice("123456789") + "".join(rng.choices("0123456789", k=length - 1))
        yield minus + digits
        yield from (f"{minus}{digits[:behind]}.{digits[behind:]}" for behind in range(1, length))


def test_numbers_of_every_shape_have_the_bits_of_float():
    tokens = [token for seed in range(10) for token in spellings(Random(seed))]
    assert bits(decimals(*placed(tokens))) == bits([float(token) for token in tokens])


@pytest.mark.parametrize("spell", ["{:.6f}", "{:.3f}", "{:.10f}", "{:.14f}", "{!r}", "{:.17g}", "{:.17e}", "{:.2E}", "{:.0f}"])
def test_random_numbers_have_the_bits_of_float(spell):
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.standard_normal(2000), 10.0 ** rng.uniform(-30, 30, 2000), rng.integers(-9, 10**9, 2000)])
    tokens = [spell.format(value) for value in values.tolist()]
    assert bits(decimals(*placed(tokens))) == bits([float(token) + 0.0 for token in tokens])


@pytest.mark.parametrize(
    "token", [".5", "-.5", "5.", "-5.", "007", "-00.70", "-0", "-0.0", "-.0", "123456789012345.", ".000000000000001"]
)
def test_what_float_reads_without_exponent(token):
    assert bits(decimals(*placed(["1", token, "2"]))) == bits([1, float(token) + 0.0, 2])


def outcome(token):
    """What reading the token between two others gives, as text."""
    found = decimals(*placed(["12.5", token, "-3"]))
    return "refused" if found is None else repr(found.tolist())


def truth(token):
    try:
        return repr([12.5, float(token) + 0.0, -3.0])
    except ValueError:
        return "refused"


@pytest.mark.parametrize("strange", list("/:.-+eE [{\"'x\0\x7f_"))
@pytest.mark.parametrize("token", ["1", "12345678", "123456789", "-1.5", "0.123456", "-12.345678", "-123456.789012345"])
def test_a_strange_character_anywhere_is_no_digit(token, strange):
    broken = [token[:place] + strange + token[place + 1 :] for place in range(len(token))]
    assert [outcome(t) for t in broken if outcome(t) not in ("refused", truth(t))] == []


@pytest.mark.parametrize(
    "token", ["", "-", ".", "-.", "--1", "1.2.3", "[1]", "null", "true", " 1", "1 ", "1e999", "nan", "1_0", "1" * 400]
)
def test_no_number(token):
    assert decimals(*placed(["1", token, "2"])) is None


def test_a_missing_value_is_nan():
    assert np.array_equal(decimals(*placed(["1", "?", "-2.5"])), [1, np.nan, -2.5], equal_nan=True)


def test_whole_numbers():
    rng = Random(3)
    tokens = ["".join(rng.choices("0123456789", k=rng.randrange(1, 9))) for _ in range(2000)]
    assert whole_numbers(*placed(tokens)[:3]).tolist() == [int(token) for token in tokens]


@pytest.mark.parametrize("token", ["", "123456789", "-1", "1.", "1e5", "?", "1:", "/1", "x"])
def test_no_whole_number(token):
    assert whole_numbers(*placed(["1", token, "2"])[:3]) is None


# ---- rows

KINDS = [
    Attribute("x", "numeric"),
    Attribute("c", "nominal", tuple(map(str, range(12)))),
    Attribute("i", "integer"),
    Attribute("L", "nominal", ("0", "1")),
]
LABELS = frozenset([3])
RULES = Rules("-", KINDS, columns(KINDS, "utf-8", LABELS, {}), LABELS)

FAST = [
    b"1,2,3,1\n",
    b"1,2,3,1\n0,1,2,0\n",
    b"-1.5,11,-3,1\n2e-5,?,?,0\n",
    b"\n0.123456789,0,12345678901,1\n\n",
    b"1.5, 2, 3, 1\n",
    b"{}\n",
    b"{0 1}\n{}\n{}\n{3 1}\n",
    b"{0 -1.25,1 11,3 1}\n{0 7}\n",
    b"{2 5}\n{0 2}\n{1 3,2 4}\n",
    b"{0 1e-3, 2 -7, 3 1}\n{0 .5, 3 0}\n",
    b"{2 123456789.125,3 1}",
]
LEFT = [
    b"1,2,3\n",
    b"1,2,3,1,\n",
    b"1,2\n3,1\n1,2,3,1\n",
    b"1,2,3,1\n\n1,2,3,1\n",
    b"1,12,3,1\n",
    b"1,2.0,3,1\n",
    b"1,02,3,1\n",
    b"1,2,3,2\n",
    b"1,2,3,?\n",
    b"+1,2,3,1\n",
    b"'1',2,3,1\n",
    b"[1],2,3,1\n",
    b"1,2,3,1\n{0 1}\n",
    b"{0 1}\n1,2,3,1\n",
    b"{0 1}{2}\n",
    b"{0 1,0 2}\n",
    b"{2 1,1 1}\n",
    b"{4 1}\n",
    b"{0 ?}\n",
    b"{0 1 ,2 1}\n",
    b"{ 0 1}\n",
    b"{0 1}\n\n{0 1}\n",
    b"{0  1}\n",
    b"{0 1,}\n",
    b"{0}\n",
    b"{0. 1}\n",
    b"{0 .}\n",
    b"{.}\n",
    b"{0 1}.\n",
    b"{0 1}-\n",
    b"{1 1.0}\n",
    b"{3 2}\n",
    b"{0 1",
    b"0 1}",
]


@pytest.mark.parametrize("text", FAST)
def test_blocks_of_plain_numbers_are_read_here_as_by_the_exact_rules(text):
    fast, exact = FastRows(KINDS, LABELS).read(text), exact_rows(text.split(b"\n"), 1, RULES)
    assert type(fast.cells) is type(exact.cells)
    assert fast.cells.shape == exact.cells.shape
    one, other = (block.cells if isinstance(block.cells, np.ndarray) else block.cells.toarray() for block in (fast, exact))
    assert np.array_equal(one, other, equal_nan=True)
    assert (fast.sparse.tolist(), fast.weighted) == (exact.sparse.tolist(), exact.weighted)


@pytest.mark.parametrize("text", LEFT)
def test_other_blocks_are_left_to_the_exact_rules(text):
    assert FastRows(KINDS, LABELS).read(text) is None


FLIPPED = [Attribute("x", "numeric"), Attribute("L", "nominal", ("1", "0"))]
CONSTANT = [Attribute("x", "numeric"), Attribute("L", "nominal", ("0",)), Attribute("M", "nominal", ("1",))]


@pytest.mark.parametrize(
    ("attributes", "labels", "text"),
    [
        (FLIPPED, [1], b"1.5,?\n1.5,1\n"),
        (FLIPPED, [1], b"1,?\n"),
        (CONSTANT, [1, 2], b"1,?,1\n"),
        (CONSTANT, [1, 2], b"1,0,?\n"),
        (CONSTANT, [1, 2], b"1,1,1\n"),
        (CONSTANT, [1, 2], b"1,0,0\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"1.5,?\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"1.5,2\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"1.5,-1\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"1.5,0.5\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"{1 ?}\n"),
        ([Attribute("x", "numeric"), Attribute("L", "numeric")], [1], b"{1 2}\n"),
    ],
)
def test_a_label_that_is_missing_or_undeclared_is_left_to_the_exact_rules(attributes, labels, text):
    assert FastRows(attributes, frozenset(labels)).read(text) is None


def test_constant_labels_are_read_here():
    block = FastRows(CONSTANT, frozenset([1, 2])).read(b"1.5,0,1\n2,0,1\n")
    assert block.cells.tolist() == [[1.5, 0, 0], [2, 0, 0]]


@pytest.mark.parametrize("text", [b"1,2,3,1\n1.5,2,3,1", b"1,2,3,1\n1,2,3,1", b"{0 1}\n{0 1}"])
def test_a_block_beyond_the_cap_is_left_to_the_exact_rules(monkeypatch, text):
    fast = FastRows(KINDS, LABELS)
    monkeypatch.setattr(fast_rows, "_LARGEST_BYTES", len(text))
    assert fast.read(text + b"\n") is not None
    monkeypatch.setattr(fast_rows, "_LARGEST_BYTES", len(text) - 1)
    assert fast.read(text + b"\n") is None
