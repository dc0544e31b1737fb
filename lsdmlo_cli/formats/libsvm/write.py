"""LibSVM's form with other rows: the bytes of the rows that stay, then new rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import orjson
import scipy

from lsdmlo_cli.formats.arff.copy import cut_rows
from lsdmlo_cli.formats.arff.lines import raw_lines
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.format import NewRows
from lsdmlo_cli.numeric.matrix import Matrix, in_form

_NO_ROW = np.isin(np.arange(256), list(b"\n\r#"))


def write(
    source: Source, target: Target, first_feature: int, first_label: int, keep: np.ndarray | None, new: Iterable[NewRows]
) -> None:
    """See DataFile. A row is a line that is neither blank nor a comment, and goes with its line end."""
    end, last, row = b"\n", b"\n", 0
    for lines in raw_lines(source.path, source.blocks()):
        kept, rows = (lines, 0) if keep is None else cut_rows(lines, keep[row:], _NO_ROW)
        row += rows
        target.write(kept)
        end = b"\r\n" if lines.endswith(b"\r\n") else lines[-1:] if lines[-1:] in (b"\n", b"\r") else end
        last = kept[-1:] or last
    for batch in new:
        new_lines = b"".join(line + end for line in spelled(batch.X, batch.Y, first_feature, first_label))
        target.write(new_lines if last in (b"\n", b"\r") else end + new_lines)
        last = b"\n"


def spelled(X: Matrix, Y: np.ndarray, first_feature: int, first_label: int) -> Iterator[bytes]:
    """A line for each row of X (m, d) and Y (m, q) bool; a row without labels begins with a blank.

    A row of zeros has one of them, as without labels it would be a blank line else.
    """
    cells = in_form(X, dense=False)
    assert isinstance(cells, scipy.sparse.csr_array)
    numbers = orjson.dumps(np.ascontiguousarray(cells.data), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")
    pairs = [
        b" %d:%b" % (column, number.removesuffix(b".0"))
        for column, number in zip((cells.indices + first_feature).tolist(), numbers, strict=len(cells.data) > 0)
    ]
    label_numbers = [(np.flatnonzero(row) + first_label).tolist() for row in Y]
    for own, (start, stop) in zip(label_numbers, pairwise(cells.indptr.tolist()), strict=True):
        yield ",".join(map(str, own)).encode() + (b"".join(pairs[start:stop]) or b" %d:0" % first_feature)
