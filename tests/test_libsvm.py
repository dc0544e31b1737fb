"""LibSVM's multi-label form: labels by number, rows byte for byte, faults with their line."""

import numpy as np
import pytest
from conftest import label_rows
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from lsdmlo_cli import read, resample
from lsdmlo_cli.errors import FormatError, ParameterError
from lsdmlo_cli.samplers import SAMPLERS

ROWS = "1,3 4:0.5 9:1\n2 1:2\n# a comment\n\n 2:1e3\n3 9:-1.25 # seen\n"


@pytest.fixture
def file(tmp_path):
    def write(content, name="in.svm"):
        (tmp_path / name).write_bytes(content.encode())
        return str(tmp_path / name)

    return write


def dense(data):
    return data.X if isinstance(data.X, np.ndarray) else data.X.toarray()


def test_rows_and_labels(file):
    data = read(file(ROWS))
    expected = np.zeros((4, 9))
    expected[[0, 0, 1, 2, 3], [3, 8, 0, 1, 8]] = 0.5, 1, 2, 1000, -1.25
    assert np.array_equal(dense(data), expected)
    assert label_rows(data) == [[1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert [a.name for a in data.labels] == ["1", "2", "3"]
    assert (data.features[0].name, data.features[8].name, data.origin.format) == ("1", "9", "sparse")


@pytest.mark.parametrize(
    ("content", "names", "labels"),
    [
        ("1 1:1\n2 1:2\n", "a\nb\n", [[1, 0], [0, 1]]),
        ("1 1:1\n0 1:2\n", "a\nb\n", [[0, 1], [1, 0]]),
        ("1 1:1\n0 1:2\n", "a\nb\nc\n", [[0, 1, 0], [1, 0, 0]]),
        ("1 1:1\n3 1:2\n", "a\nb\nc\n", [[1, 0, 0], [0, 0, 1]]),
    ],
)
def test_a_file_names_the_labels(file, content, names, labels):
    data = read(file(content), file(names, "names.txt"))
    assert [a.name for a in data.labels] == names.split()
    assert label_rows(data) == labels


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_new_rows_stand_in_the_form_of_the_file(file, tmp_path, end):
    content = "".join(line + end for line in ["0,1 1:0.25 3:7", "0,1 2:1", "0 2:1", "0 3:2", "0 3:2", "0 3:2"])
    resample(file(content), str(tmp_path / "out.svm"), SAMPLERS["mlros"](rows=1))
    made = (tmp_path / "out.svm").read_bytes().decode()
    assert made.startswith(content)
    assert made[len(content) :] in (f"0,1 1:0.25 3:7{end}", f"0,1 2:1{end}")


def test_rows_are_dropped_with_their_lines(file, tmp_path):
    from lsdmlo_cli import formats

    path = file(ROWS)
    with formats.Source(path) as source, formats.Target(str(tmp_path / "out.svm")) as target:
        formats.read(source).write(source, target, np.array([False, True, True, False]))
        target.commit()
    assert (tmp_path / "out.svm").read_text() == "2 1:2\n# a comment\n\n 2:1e3\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("1 1:1\n1,x 1:1\n", "in.svm:2: expected labels as whole numbers, such as 1,3, found '1,x'"),
        ("1 1:1\n-1 1:1\n", "in.svm:2: expected labels as whole numbers"),
        ("1 1:1\n1.5 1:1\n", "in.svm:2: expected labels as whole numbers"),
        ("1 1:1\n\n1 2:1 1:2\n", "in.svm:3: index 1 stands behind index 2"),
        ("1 1:1\n1 2:x\n", "in.svm:2: expected index:value, found '2:x'"),
        ("1 1:1\n1 2:nan\n", "in.svm:2: expected index:value, found '2:nan'"),
        ("1 1:1\n1,3 4:0.5 9", "in.svm:2: expected index:value, found '9'"),
        (" 1:1\n", "in.svm: no row has a label"),
        ("", "in.svm: no row has a label"),
    ],
)
def test_a_faulty_file(file, content, problem):
    with pytest.raises(FormatError) as raised:
        read(file(content))
    assert problem in str(raised.value)


def test_labels_that_the_names_do_not_cover(file):
    with pytest.raises(FormatError, match=r"labels numbered 0 to 2, and names.txt names 2"):
        read(file("0 1:1\n2 1:2\n"), file("a\nb\n", "names.txt"))


def test_labels_are_no_count(file):
    with pytest.raises(ParameterError, match=r"--labels 3: .*says itself which labels a row has"):
        read(file(ROWS), "3")


def test_against_scikit_learn(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = np.round(rng.normal(size=(50, 30)) * (rng.random((50, 30)) < 0.2), 3), rng.random((50, 4)) < 0.3
    path = str(tmp_path / "in.svm")
    dump_svmlight_file(X, Y.astype(int), path, multilabel=True, zero_based=False)
    data = read(path)
    theirs, _ = load_svmlight_file(path, multilabel=True, zero_based=False)
    assert np.array_equal(dense(data), theirs.toarray())
    assert label_rows(data) == Y.astype(int).tolist()
