"""KEEL's form of ARFF: labels by @outputs, ranges, <null>, and rows byte for byte."""

import numpy as np
import pytest
from conftest import cells, label_rows

from lsdmlo_cli import formats, read, resample
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.samplers import SAMPLERS

KEEL = """@relation birds
@attribute size real [0.5, 9.0]
@attribute count integer[1,6]
@attribute hue {red, blue}
@attribute l1 {0, 1}
@attribute l2 integer [0, 1]
@inputs size, count, hue
@outputs l2, l1
@data
0.5, 1, red, 0, 1
9.0, <null>, blue, 1, 0
1.5, 6, <null>, 0, 1
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "in.dat").write_text(KEEL)
    return str(tmp_path / "in.dat")


def test_what_is_read(path):
    data = read(path)
    assert cells(data) == [[0.5, 1, "red"], [9, None, "blue"], [1.5, 6, None]]
    assert [a.name for a in data.labels] == ["l1", "l2"]
    assert label_rows(data) == [[0, 1], [1, 0], [0, 1]]
    assert data.origin.labels_from == "@outputs"
    assert [a.name for a in read(path, "l2").labels] == ["l2"]


def test_rows_stay_and_new_ones_follow(path, tmp_path):
    resample(path, str(tmp_path / "out.dat"), SAMPLERS["mlros"](rows=1))
    made = (tmp_path / "out.dat").read_text()
    assert made == KEEL + "9,?,blue,1,0\n"
    assert cells(read(str(tmp_path / "out.dat")))[3] == [9, None, "blue"]


def test_rows_are_dropped(path, tmp_path):
    with formats.Source(path) as source, formats.Target(str(tmp_path / "out.dat")) as target:
        formats.read(source).write(source, target, np.array([True, False, True]))
        target.commit()
    assert (tmp_path / "out.dat").read_text() == KEEL.replace("9.0, <null>, blue, 1, 0\n", "")


def test_arff_has_no_outputs(tmp_path):
    (tmp_path / "in.arff").write_text(KEEL)
    with pytest.raises(FormatError, match=r"in.arff:7: expected @relation, @attribute or @data"):
        read(str(tmp_path / "in.arff"), "l1")


def test_an_output_that_is_not_there(tmp_path):
    (tmp_path / "in.dat").write_text(KEEL.replace("l2, l1", "l2, L1"))
    with pytest.raises(FormatError, match="'L1'; the nearest name there is 'l1'"):
        read(str(tmp_path / "in.dat"))
