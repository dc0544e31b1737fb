"""Copying a file without some of its rows: every other byte stays, held against a slow copy piece by piece."""

import gzip
import io

import numpy as np
import pytest
from conftest import read
from hypothesis import given, settings
from hypothesis import strategies as st

from lsdmlo_cli.formats import Source, Target, copy, files

HEADER = [
    "@relation 'r @data'",
    "% @data in a comment",
    "",
    "@attribute a numeric % @data",
    "  @ATTRIBUTE b {x,'@data'}",
    "@attribute y {0,1}",
    " ",
]
DENSE = ["1,x,0", "  2,x,1", "\t3,'@data',0 % a comment behind", "4.5,?,1", "5,x,0,{2}", "\x0c6,x,1\x1a"]
SPARSE = ["{0 1}", " {1 '@data',2 1}", "{}", "{2 1} % x"]
BETWEEN = ["", "  \t", "% a comment", "   % 1,x,0", "%", "\x0c", "\x00 \x1a", "\x0b% x"]
ENDS = {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}


class Whole(io.BytesIO):
    """Stands in for a Source: its blocks have a size that is asked for."""

    path = "in.arff"

    def __init__(self, content, size):
        super().__init__(content)
        self.size = size

    def blocks(self):
        yield from iter(lambda: self.read(self.size), b"")


def copied(content, keep, size=1 << 22):
    target = io.BytesIO()
    return target, copy(Whole(content, size), target, keep)


def pieces(rng, end, rows, mark=b""):
    """Lines of a file, the header's too, each with its end, and whether it is a row; comments and blank lines stand between."""
    lines = [(line, False) for line in [*HEADER, str(rng.choice(["@data", " @Data  % x", "@DATA"]))]]
    for row in rng.choice(rows, size=rng.integers(1, 12)).tolist():
        lines += [(line, False) for line in rng.choice(BETWEEN, size=rng.integers(0, 3)).tolist()]
        lines.append((row, True))
    ends = [end if isinstance(end, bytes) else ENDS[str(rng.choice(list(ENDS)))] for _ in lines]
    made = [(line.encode() + after, is_row) for (line, is_row), after in zip(lines, ends, strict=True)]
    made = [(b"\r\n" if text == b"\n" else text, is_row) for text, is_row in made] if end == "any" else made  # CR, LF is one end
    made[0] = (mark + made[0][0], False)
    if rng.random() < 0.3:
        made[-1] = (made[-1][0].rstrip(b"\r\n"), made[-1][1])
    return made


def expected(made, keep):
    stays = iter(keep.tolist())
    return b"".join(text for text, is_row in made if not is_row or next(stays))


@settings(deadline=None, max_examples=300)
@given(
    st.integers(0, 10**6),
    st.sampled_from([*ENDS.values(), "any"]),
    st.sampled_from([DENSE, SPARSE, DENSE + SPARSE]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from([4, 7, 50, 1 << 22]),
)
def test_what_is_left_is_the_file_less_its_rows(seed, end, rows, mark, size):
    rng = np.random.default_rng(seed)
    made = pieces(rng, end, rows, mark)
    count = sum(is_row for _, is_row in made)
    keep = rng.random(count) < rng.random()
    content = b"".join(text for text, _ in made)
    target, (line_end, complete) = copied(content, keep, size)
    assert target.getvalue() == expected(made, keep)
    assert complete == target.getvalue().endswith((b"\n", b"\r"))
    assert line_end == copied(content, None, size)[1][0]


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("name", ["in.arff", "in.arff.gz"])
@pytest.mark.parametrize("dropped", [[0], [5], [0, 5], [0, 1, 2], [3, 4, 5], [1, 3], [0, 1, 2, 3, 4, 5]])
def test_the_rows_that_are_left_out_are_those_that_were_read(end, name, dropped, tmp_path, monkeypatch):
    """The reader agrees on which row is which, blocks of the file's real size or not."""
    monkeypatch.setattr(files, "BLOCK_BYTES", 64)
    lines = [*HEADER, "@data", "10,x,0", "% c", "11,x,1", "{0 12}", "", "13,x,0", "  14,x,1", "% d", "15,x,1"]
    content = end.join(line.encode() for line in lines)
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    keep = np.ones(6, dtype=bool)
    keep[dropped] = False
    with Source(str(path)) as source, Target(str(tmp_path / "out.arff")) as target:
        assert copy(source, target, keep) == (end, 5 in dropped)
        target.commit()
    with Source(str(tmp_path / "out.arff")) as source:
        data = b"".join(source.blocks())
    assert set(data.split(end)) >= {b"% c", b"% d", b""}
    left = read(tmp_path / "out.arff").dataset.X[:, [0]]
    numbers = left if isinstance(left, np.ndarray) else left.toarray()
    assert numbers.ravel().tolist() == (10.0 + np.flatnonzero(keep)).tolist()


def test_no_row_is_lost_where_all_are_kept():
    content = b"@relation r\r\n@attribute y {0,1}\r@data\n1\r\n\r\n0"
    for keep in (None, np.ones(2, dtype=bool)):
        target, answer = copied(content, keep)
        assert (target.getvalue(), answer) == (content, (b"\r\n", False))


def test_a_file_that_grew_meanwhile_keeps_its_other_rows():
    """Its checksum is the Source's affair."""
    content = b"@relation r\n@attribute y {0,1}\n@data\n1\n0\n1\n0\n"
    assert copied(content, np.array([False, True]))[0].getvalue() == content.replace(b"1\n0\n1", b"0\n1", 1)
