"""The text of new rows: spelled as the header asks, and read back to the same values by this reader and by liac-arff."""

import arff as liac
import numpy as np
import pytest
from conftest import OMITTED, cells, label_rows
from scipy.sparse import csr_array

from lsdmlo_cli.formats import RowWriter

VALUES = ["red", "dark red", "?", "it's", "50%", "a,b", "a\\b", " lead", "{x}", "", "größe", 'say "hi"', "\u00a0"]
TEXTS = [*VALUES, "tab\there", "line\nend\r", "{5}", "@data", "%", "'", '"', "\\", "\\'", "漢字", "1", "nan"]
NUMBERS = [
    0.0,
    0.1,
    1 / 3,
    5.0,
    -2.5,
    1e-7,
    1e16,
    1e22,
    123456789.125,
    5e-324,
    1.7976931348623157e308,
    2.0**53 + 2,
    0.30000000000000004,
    100000.0,
]
WHOLE = [0.0, 7.0, -3.0, 1e14, 999999999999999.0, 1e15, 1e16, -1e16, 2.0**53, 1e22, -1e20, 123456789012345680.0, 1e300]
ATTRIBUTES = ["x", "i", "c", "A", "t", "b", "f", "d", "B", "C", "D"]
FEATURES, LABELS = [0, 1, 2, 4, 5, 6, 7], [3, 8, 9, 10]
COUNTS = [NUMBERS, WHOLE, VALUES, TEXTS, ["no", "yes"], ["1", "0"], ["2020-01-31 23:59", "2021-1-1 0:00"]]


def single_quoted(text):
    for char, escape in (("\\", r"\\"), ("'", r"\'"), ("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t")):
        text = text.replace(char, escape)
    return f"'{text}'"


HEADER = f"""@relation r
@attribute x numeric
@attribute i integer
@attribute c {{{",".join(map(single_quoted, VALUES))}}}
@attribute A {{1,0}}
@attribute t string
@attribute b {{no,yes}}
@attribute f {{1,0}}
@attribute d date 'yyyy-MM-dd HH:mm'
@attribute B {{FALSE,TRUE}}
@attribute C numeric
@attribute D {{0,1}}
@data
"""
XML = '<labels xmlns="m">' + "".join(f'<label name="{name}"/>' for name in "ABCD") + "</labels>"


@pytest.fixture
def data(arff, tmp_path):
    """A file of every kind of attribute, labels among the features, whose texts are TEXTS and the two dates, in order."""
    (tmp_path / "in.xml").write_text(XML)
    return arff(
        HEADER + "".join(f"1,1,red,1,{single_quoted(t)},no,1,'{COUNTS[6][i % 2]}',TRUE,1,1\n" for i, t in enumerate(TEXTS)), None
    )


def write(arff, X, Y, sparse=False, line_end=b"\n"):
    writer = RowWriter(arff.dataset, arff.labels.positions, arff.header.encoding, line_end)
    return writer.rows(X, np.array(Y, dtype=bool), np.broadcast_to(sparse, len(Y)), np.full(len(Y), -1))


def random_rows(rows, omitted):
    """Codes X, labels Y, and the values that X stands for; a text's code starts at `omitted` (0: it may be left out)."""
    rng = np.random.default_rng(11)
    columns = []
    for j, known in enumerate(COUNTS):
        starts = {0: 0, 1: 0, 3: omitted, 6: omitted}.get(j, 0)
        columns.append(rng.integers(starts, len(known) + (j in (3, 6)), rows))
    missing = rng.random((rows, 7)) < 0.15
    X = np.column_stack([np.take(NUMBERS, columns[0]), np.take(WHOLE, columns[1]), *columns[2:]]).astype(float)
    named = [NUMBERS, WHOLE, VALUES, [OMITTED, *TEXTS], COUNTS[4], COUNTS[5], [OMITTED, *COUNTS[6]]]
    values = [[None if missing[r, j] else named[j][columns[j][r]] for j in range(7)] for r in range(rows)]
    return np.where(missing, np.nan, X), rng.integers(0, 2, (rows, 4)), values


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_rows_read_back(arff, data, sparse, form):
    X, Y, values = random_rows(500, omitted=not sparse)
    written = write(data, form(X), Y, sparse)
    assert written.count(b"\n") == 500
    back = arff(HEADER.encode() + written, None).dataset
    assert cells(back) == values
    assert label_rows(back) == Y.tolist()
    assert set(back.sparse_rows) == {sparse}


def test_mixed_forms_keep_their_order(arff, data):
    X, Y, values = random_rows(60, omitted=1)
    sparse = np.arange(60) % 3 == 0
    back = arff(HEADER.encode() + write(data, X, Y, sparse), None).dataset
    assert (cells(back), label_rows(back)) == (values, Y.tolist())
    assert back.sparse_rows.tolist() == sparse.tolist()


@pytest.mark.parametrize("sparse", [False, True])
def test_dense_and_sparse_matrices_give_the_same_text(data, sparse):
    X, Y, _ = random_rows(200, omitted=1)
    assert write(data, X, Y, sparse) == write(data, csr_array(X), Y, sparse)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("sparse", [False, True])
def test_line_ends(data, line_end, sparse):
    X, Y, _ = random_rows(50, omitted=1)
    assert write(data, X, Y, sparse, line_end) == write(data, X, Y, sparse).replace(b"\n", line_end)


def test_no_rows(data):
    for sparse in (False, True):
        assert write(data, np.zeros((0, 7)), np.zeros((0, 4)), sparse) == b""


# ---- exact text

SMALL = """@relation r
@attribute x numeric
@attribute i integer
@attribute c {red,'dark red','?'}
@attribute A {1,0}
@attribute B {0,1}
@data
"""
NAN = np.nan


@pytest.mark.parametrize(
    ("row", "labels", "dense", "sparse"),
    [
        ([0, 0, 0], [1, 0], "0,0,red,1,0", "{}"),
        ([0, 0, 0], [0, 0], "0,0,red,0,0", "{3 0}"),
        ([0, 0, 0], [0, 1], "0,0,red,0,1", "{3 0,4 1}"),
        ([1.5, 2, 1], [1, 1], "1.5,2,'dark red',1,1", "{0 1.5,1 2,2 'dark red',4 1}"),
        ([-0.5, -7, 2], [1, 0], "-0.5,-7,'?',1,0", "{0 -0.5,1 -7,2 '?'}"),
        ([NAN, NAN, NAN], [0, 0], "?,?,?,0,0", "{0 ?,1 ?,2 ?,3 0}"),
        ([5.0, 1e15, 0], [1, 0], "5,1000000000000000,red,1,0", "{0 5,1 1000000000000000}"),
        ([0.1, 1e22, 0], [1, 0], "0.1,10000000000000000000000,red,1,0", "{0 0.1,1 10000000000000000000000}"),
        (
            [0.1 + 0.2, -1e16, 0],
            [1, 0],
            "0.30000000000000004,-10000000000000000,red,1,0",
            "{0 0.30000000000000004,1 -10000000000000000}",
        ),
    ],
)
@pytest.mark.parametrize("form", [np.array, csr_array])
def test_the_text_of_a_row(arff, row, labels, dense, sparse, form):
    data = arff(SMALL, "-2")
    X = form(np.array([row], dtype=float))
    assert write(data, X, [labels]).decode() == dense + "\n"
    assert write(data, X, [labels], sparse=True).decode() == sparse + "\n"


@pytest.mark.parametrize(
    ("declared", "off", "on"),
    [
        ("{0,1}", "0", "1"),
        ("{1,0}", "0", "1"),
        ("{FALSE,TRUE}", "FALSE", "TRUE"),
        ("{True,False}", "False", "True"),
        ("{yes,NO}", "NO", "yes"),
        ("{'0','1'}", "0", "1"),
        ("numeric", "0", "1"),
        ("integer", "0", "1"),
        ("real", "0", "1"),
    ],
)
def test_a_label_is_spelled_as_the_header_does(arff, declared, off, on):
    data = arff(f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@data\n")
    assert write(data, np.array([[2.0], [2.0]]), [[0], [1]]).decode() == f"2,{off}\n2,{on}\n"


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("plain", "plain"),
        ("größe", "größe"),
        ("a-b_c.d:e;f", "a-b_c.d:e;f"),
        ("dark red", "'dark red'"),
        ("a,b", "'a,b'"),
        ("?", "'?'"),
        ("??", "??"),
        ("", "''"),
        ("50%", "'50%'"),
        ("{x", "'{x'"),
        ("x}", "'x}'"),
        ("it's", r"'it\'s'"),
        ("a\\b", r"'a\\b'"),
        ("a\tb", r"'a\tb'"),
        (" ends ", "' ends '"),
    ],
)
def test_values_are_quoted_only_where_they_must_be(arff, value, token):
    data = arff(f"@relation r\n@attribute c {{{single_quoted(value)},other,third}}\n@attribute L {{0,1}}\n@data\n")
    assert write(data, np.array([[0.0]]), [[1]]).decode() == f"{token},1\n"


@pytest.mark.parametrize(
    "x", [0.1, 1 / 3, 1e-7, 1.5e-10, 123456.789, 1e21, 1e23, 5e-324, 2.2250738585072014e-308, 9007199254740993.0, 1e5]
)
def test_a_number_is_the_shortest_that_reads_back(arff, x):
    """No spelling with fewer significant digits gives the same double."""
    data = arff("@relation r\n@attribute x numeric\n@attribute L {0,1}\n@data\n")
    token = write(data, np.array([[x]]), [[1]]).decode().removesuffix(",1\n")
    digits = len(token.lower().partition("e")[0].replace(".", "").replace("-", "").strip("0"))
    assert float(token) == x
    assert digits == len(repr(x).partition("e")[0].replace(".", "").strip("0"))
    assert float(f"{x:.{max(digits - 2, 0)}e}") != x or digits == 1


def test_random_doubles_read_back(arff):
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**63, 20_000, dtype=np.uint64).view(np.float64)
    X = np.concatenate([bits[np.isfinite(bits)], rng.random(10_000), np.ldexp(rng.random(10_000), -40)])[:, np.newaxis]
    head = "@relation r\n@attribute x numeric\n@attribute L {0,1}\n@data\n"
    for sparse in (False, True):
        back = arff(head.encode() + write(arff(head), X, np.ones((len(X), 1)), sparse)).dataset.X
        assert np.array_equal(back, X)


def test_texts_keep_the_bytes_of_latin1(arff):
    head = b"@relation r\xe9 \n@attribute t string\n@attribute c {x,\xfc,\xf6}\n@attribute L {0,1}\n@data\n"
    data = arff(head + b"'\xe4 \xdf',\xfc,1\n")
    assert write(data, np.array([[1.0, 1.0]]), [[1]]) == b"'\xe4 \xdf',\xfc,1\n"


# ---- another reader

FRIENDLY = """@relation r
@attribute x numeric
@attribute i integer
@attribute c {red,'dark red','50%','a,b',blue}
@attribute t string
@attribute A {0,1}
@attribute B {0,1}
@data
1,1,red,'two words',1,0
1,1,red,plain,1,0
1,1,red,'a,b 50% {x}',1,0
"""


@pytest.mark.parametrize("sparse", [False, True])
def test_liac_arff_reads_the_same(arff, sparse):
    rng = np.random.default_rng(5)
    X = np.column_stack(
        [rng.choice(NUMBERS[1:], 80), rng.integers(1, 9, 80), rng.integers(1, 5, 80), rng.integers(1, 4, 80)]
    ).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    Y = rng.integers(0, 2, (80, 2))
    head = FRIENDLY.partition("1,1")[0]
    written = head + write(arff(FRIENDLY, "-2"), X, Y, sparse).decode()
    theirs = [list(row) for row in liac.loads(written, return_type=liac.LOD if sparse else liac.DENSE)["data"]]
    rows = liac.loads(written, return_type=liac.LOD)["data"] if sparse else [dict(enumerate(row)) for row in theirs]
    back = arff(written, "-2").dataset
    ours = [[*row, *map(str, labels)] for row, labels in zip(cells(back), label_rows(back), strict=True)]
    omitted = [0, 0, "red", "", "0", "0"]
    assert [[row.get(j, omitted[j]) for j in range(6)] for row in rows] == ours


@pytest.mark.parametrize("sparse", [False, True])
def test_escapes_that_few_readers_know_are_spelled_as_in_the_header(arff, sparse):
    declared = r"""'D:\fun',"\344",'it\'s','a b',plain,'\ x'"""
    data = arff(f"@relation r\n@attribute c {{first,{declared}}}\n@attribute L {{0,1}}\n@data\n")
    writer = RowWriter(data.dataset, data.labels.positions, data.header.encoding, spelled=data.header.spelled)
    X = np.arange(1.0, 7.0)[:, np.newaxis]
    text = writer.rows(X, np.ones((6, 1), dtype=bool), np.full(6, sparse), np.full(6, -1)).decode()
    assert text == "".join(["{},1\n", "{{0 {},1 1}}\n"][sparse].format(token) for token in declared.split(","))


def test_control_bytes_are_quoted(arff):
    data = arff(b"@relation r\n@attribute c {'a\x0c','\x1a',\x7f}\n@attribute L {0,1}\n@data\n")
    assert write(data, np.array([[0.0], [1.0], [2.0]]), [[1]] * 3) == b"'a\x0c',1\n'\x1a',1\n\x7f,1\n"


def test_a_text_is_spelled_as_in_the_seeds_row(arff):
    rows = [rb"'C:\bin',1", rb'"C:\bin",1', b"'plain',1", b"plain,1", rb"it\'s,1", b"'',1"]
    data = arff(b"@relation r\n@attribute t string\n@attribute L {0,1}\n@data\n" + b"\n".join(rows) + b"\n")
    assert write(data, data.dataset.X, [[1]] * 6) == b"\n".join(rows) + b"\n"
