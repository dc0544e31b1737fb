"""Caps that keep a strange file from filling the memory, and what a cell may hold."""

import numpy as np
import pytest
from conftest import cells

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.formats.arff.columns import Codes, number_list


def spellings(count):
    r"""Ways to write `a`: one octal escape, then backslashes before letters that stand for themselves."""
    return [b"'" + b"\\q" * turns + b"'" for turns in range(1, count + 1)]


def test_a_column_keeps_no_more_than_so_many_spellings():
    codes = Codes(Attribute("c", "nominal", tuple("q" * turns for turns in range(1, 400))), "utf-8", missing=True)
    known = len(codes)
    found = [codes[token] for quote in (b"'", b'"') for token in (token.replace(b"'", quote) for token in spellings(399))]
    assert found == [float(code) for code in range(399)] * 2
    assert len(codes) == known + 798
    more = [
        mark + b"\\q" * before + b"q" * (turns - before) + mark
        for mark, before in ((b"'", 0), (b'"', 0), (b"'", 1), (b'"', 1), (b"'", 2))
        for turns in range(4, 400)
    ]
    assert [codes[token] for token in more] == [float(code) for code in range(3, 399)] * 5
    assert len(codes) == 4 * 399 + 1000
    assert codes[b"'\\qq\\q'"] == 2


@pytest.mark.parametrize("tokens", [[b"1", b"'2'"], [b"1e400"], [b"-1e400"], [b"nan"], [b"1_0"], [b"1", b""], [b"1 2"]])
def test_numbers_that_need_a_closer_look(tokens):
    assert number_list(tokens) is None


def test_missing_numbers_among_others():
    assert np.array_equal(number_list([b"1", b"?", b"-2.5"]), [1, np.nan, -2.5], equal_nan=True)


def test_a_file_of_endless_spellings_is_read(arff):
    rows = "".join(f"'{mark}a',1\n" for mark in ("\\" * (turns % 2) for turns in range(5)))
    data = arff("@relation r\n@attribute c {'\\141','b'}\n@attribute L {0,1}\n@data\n" + rows.replace("\\a", "\\141")).dataset
    assert cells(data) == [["a"]] * 5
