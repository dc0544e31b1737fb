"""Rows as Weka reads them: the values behind every spelling, and what is refused, with its line."""

import re
from random import Random

import numpy as np
import pytest
from conftest import OMITTED, cells, label_rows

from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats import files
from lsdmlo_cli.formats.arff import rows
from lsdmlo_cli.formats.arff.rows import _cells_between_commas, _scanned_cells

HEADER = r"""@relation rows
@attribute x numeric
@attribute c {red,'dark red','?','it\'s','50%',"a,b",a\'b}
@attribute s string
@attribute L {0,1}
@data
"""
FIRST = HEADER.count("\n") + 1
"""The line of the first row."""

ROWS = [
    ("1,red,word,0", [1, "red", "word"], 0),
    (" 1 ,\tred\t, word ,1 ", [1, "red", "word"], 1),
    ("1,red,word,1,", [1, "red", "word"], 1),
    ("1,red,word,1 , ", [1, "red", "word"], 1),
    ("1\tred\tword\t1", [1, "red", "word"], 1),
    ("1\t 'dark red' \tword\t1", [1, "dark red", "word"], 1),
    ("1\t\tred\t\tword\t\t1", [1, "red", "word"], 1),
    ("1,red\tword,1", [1, "red", "word"], 1),
    ("1 red word 1", [1, "red", "word"], 1),
    ("1  'dark red'   word 1", [1, "dark red", "word"], 1),
    ("1,'dark red','two words',1", [1, "dark red", "two words"], 1),
    ('1,"dark red","two words",1', [1, "dark red", "two words"], 1),
    ("'1','red','word','1'", [1, "red", "word"], 1),
    ("' 1 ',red,word,1", [1, "red", "word"], 1),
    ("?,?,?,1", [None, None, None], 1),
    ("1,'?','?',1", [1, "?", "?"], 1),
    (r"1,'it\'s','it\'s',1", [1, "it's", "it's"], 1),
    (r"""1,"it's",'say "hi"',1""", [1, "it's", 'say "hi"'], 1),
    (r"1,'50%','100\% wool',1", [1, "50%", "100% wool"], 1),
    (r"1,'a,b','a\tb\nc\rd\\e',1", [1, "a,b", "a\tb\nc\rd\\e"], 1),
    (r"1,a\'b,c\'d,1", [1, r"a\'b", r"c\'d"], 1),
    (r"1,'a\\\'b',c\d,1", [1, r"a\'b", r"c\d"], 1),
    ("1,red,'',1", [1, "red", ""], 1),
    ("1,red,@data,1", [1, "red", "@data"], 1),
    ("1,red,'{5}',1", [1, "red", "{5}"], 1),
    ("1,red,größe,1", [1, "red", "größe"], 1),
    ("1,red,a\u00a0b\u3000c\u2028d\u0085e,1", [1, "red", "a\u00a0b\u3000c\u2028d\u0085e"], 1),
    ("1,red,word,1 % a comment, 'with' {braces}", [1, "red", "word"], 1),
    ("1,red,word,1% a comment", [1, "red", "word"], 1),
    ("1,red,word,1,{5}", [1, "red", "word"], 1),
    ("1,red,word,1, { 0.25 } % light", [1, "red", "word"], 1),
    ("1,red,word,1 {2}", [1, "red", "word"], 1),
    ("\x0c1\x0b,red\x00, word\x1a,1\x1a", [1, "red", "word"], 1),
    ("1,a\\'b\x0c,'word',1", [1, r"a\'b", "word"], 1),
    ("1\x0cred\x0cword\x0c1", [1, "red", "word"], 1),
    ("1,red,'\x0c\x1a',1", [1, "red", "\x0c\x1a"], 1),
    ("' 1\\n',red,'%\x0c',1 %\x0c'", [1, "red", "%\x0c"], 1),
    ("'\x0b1\x0c',red,'%\x0c',1", [1, "red", "%\x0c"], 1),
    (r"1,red,a\'\x0c,1".replace(r"\x0c", "\x0c"), [1, "red", r"a\'"], 1),
    (r"'\061',r\145d,word,1".replace(r"r\145d", r"'r\145d'"), [1, "red", "word"], 1),
    (r"1,red,'C:\bin\fun\a\v',1", [1, "red", "C:\bin\fun\a\v"], 1),
    (r"1,red,'\344\0\18\477\8\x',1", [1, "red", "ä\0\x018'78x"], 1),
    (r"1,red,C:\bin,1", [1, "red", r"C:\bin"], 1),
    ("{\x0c0\x0b1\x1a,3 1\x00}\x1a", [1, "red", OMITTED], 1),
    ("{}", [0, "red", OMITTED], 0),
    ("{  }", [0, "red", OMITTED], 0),
    ("{0 1}", [1, "red", OMITTED], 0),
    ("{ 0 1 , 3 1 }", [1, "red", OMITTED], 1),
    ("{0\t1,\t2 word,3 1}", [1, "red", "word"], 1),
    ("{0 1 2 word 3 1}", [1, "red", "word"], 1),
    ("{0 1,3 1,}", [1, "red", OMITTED], 1),
    ("{0 0,1 red,3 0}", [0, "red", OMITTED], 0),
    ("{1 'dark red',2 'two words'}", [0, "dark red", "two words"], 0),
    ("{0 ?,1 ?,2 ?,3 1}", [None, None, None], 1),
    ("{1 '?',2 '?'}", [0, "?", "?"], 0),
    ("{1 'it\\'s',2 \"}, {\"}", [0, "it's", "}, {"], 0),
    ("{2 ''}", [0, "red", ""], 0),
    ("{0 1} {5}", [1, "red", OMITTED], 0),
    ("{0 1}, {5}", [1, "red", OMITTED], 0),
    ("{0 1},{0.5} % light", [1, "red", OMITTED], 0),
    ("  {0 1}  % a comment", [1, "red", OMITTED], 0),
    ("{00 1,03 1}", [1, "red", OMITTED], 1),
]


@pytest.mark.parametrize(("row", "values", "label"), ROWS)
def test_a_row(arff, row, values, label):
    data = arff(HEADER + row + "\n").dataset
    assert (cells(data), label_rows(data)) == ([values], [[label]])


@pytest.mark.parametrize(("row", "values", "label"), ROWS)
def test_a_row_among_others(arff, row, values, label):
    data = arff(f"{HEADER}7,red,before,1\n\n{row}\n% between\n{{0 8}}").dataset
    assert cells(data) == [[7, "red", "before"], values, [8, "red", OMITTED]]
    assert label_rows(data) == [[1], [label], [0]]
    assert data.sparse_rows.tolist() == [False, row.lstrip().startswith("{"), True]


SPELLINGS = """0 1 7 +5 .5 5. 5.0 1e-3 1E+5 1e5 -.75 00012 -0 -0.0 +.5e1 6.25E-4 0.1 123456789.125 9007199254740993 4.9e-324
0.30000000000000004 1.7976931348623157e308 1e-400 18446744073709551615 3.14159265358979323846 1e23 8.41e21""".split()  # noqa: SIM905
NO_NUMBERS = """inf -inf Infinity nan NaN NA null 1_000 0x1F 1e 1e+ e5 . - + +-1 1.2.3 1-2 1,5 12a ١٢ １ 1d 1f 1e400
−1 ½ True""".split()  # noqa: SIM905


@pytest.mark.parametrize("kind", ["numeric", "real", "integer"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_number_is_the_nearest_double(arff, kind, spelling):
    head = f"@relation r\n@attribute x {kind}\n@attribute L {{0,1}}\n@data\n"
    data = arff(f"{head}{spelling},1\n'{spelling}',1\n\"{spelling}\",1\n{{0 {spelling}}}\n").dataset
    X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
    assert X.ravel().tolist() == [float(spelling)] * 4
    assert not np.signbit(X[X == 0]).any()


@pytest.mark.parametrize("text", [*NO_NUMBERS, "", " ", "?"])
def test_no_number(arff, text):
    with pytest.raises(FormatError, match=r"in\.arff:5: attribute 'x': "):
        arff(f"@relation r\n@attribute x numeric\n@attribute L {{0,1}}\n@data\n'{text}',1\n")


REFUSED = [
    ("1,red,word", "expected 4 values, found 3"),
    ("1,red,word,1,0", "expected 4 values, found 5"),
    ("1,red,word,", "expected 4 values, found 3"),
    ("1 red word", "expected 4 values, found 3"),
    ("1", "expected 4 values, found 1"),
    ("1,,word,1", "empty value"),
    (",red,word,1", "empty value"),
    ("1,red,word,1,,", "empty value"),
    ("1,red, ,1", "empty value"),
    (",", "expected 4 values, found 0"),
    ("1,red,two words,1", "quote"),
    ("1,dark red,word,1", "quote"),
    ("1\tdark red\tword\t1", "quote"),
    ("1,blue,word,1", "'blue' is not declared; declared: 'red', 'dark red'"),
    ("1,Red,word,1", "attribute 'c': the value 'Red' is not declared"),
    ("1,'red ',word,1", "attribute 'c': the value 'red ' is not declared"),
    ("1,'',word,1", "attribute 'c': the value '' is not declared"),
    ("word,red,word,1", "attribute 'x': 'word' is not a number"),
    ("1,red,'open,1", "is not closed"),
    ('1,red,"open,1', "is not closed"),
    ("1,red,it's,1", "quote"),
    ("1,red,'a'b,1", "no separator"),
    ("1,red,a{b},1", "braces"),
    ("1,red,word,?", "label 'L': a missing value"),
    ("1,red,word,2", "label 'L': the value '2' is not declared"),
    ("1,red,word,1.0", "label 'L': the value '1.0' is not declared"),
    ("1,red,word,1,{heavy}", "weight"),
    ("1,red,word,1,{}", "weight"),
    ("1,red,word,1,{5", "braces"),
    ("{0 1,3 1", "} is missing"),
    ("{0 1 % comment }", "in a sparse row"),
    ("{0 1,0 2}", "index 0 is given twice"),
    ("{3 1,0 2}", "index 0 stands behind index 3"),
    ("{4 1}", "index 4 is out of range: attributes run from 0 to 3"),
    ("{99999999999999999999 1}", "index"),
    ("{-1 1}", "index -1"),
    ("{x 1}", "'x' is not an index"),
    ("{1.0 red}", "'1.0' is not an index"),
    ("{١ red}", "is not an index"),
    ("{0}", "index 0 has no value"),
    ("{0,1}", "index 0 has no value"),
    ("{0 1,3}", "index 3 has no value"),
    ("{0 1,,3 1}", "sparse row"),
    ("{,0 1}", "sparse row"),
    ("{2 two words}", "not an index"),
    ("{2 'open}", "index 2 has no value"),
    ("{2 'a'b}", "index 2 has no value"),
    ("{1 blue}", "'blue' is not declared"),
    ("{0 nan}", "attribute 'x': 'nan' is not a number"),
    ("{3 ?}", "label 'L': a missing value"),
    ("{0 1} more", "behind a sparse row"),
    ("{0 1}{heavy}", "weight"),
]


@pytest.mark.parametrize(("row", "words"), REFUSED)
def test_refused(arff, row, words):
    with pytest.raises(FormatError, match=re.escape(words)) as refusal:
        arff(f"{HEADER}7,red,word,1\n\n% comment\n{row}\n1,red,word,1\n")
    assert refusal.value.line == FIRST + 3
    assert "\n" not in str(refusal.value)


def test_the_first_bad_row_is_named(arff):
    with pytest.raises(FormatError) as refusal:
        arff(HEADER + "1,red,word,1\n1,red\n1,blue,word,1\n")
    assert refusal.value.line == FIRST + 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends(arff, end, last, mark):
    text = mark + HEADER.replace("\n", end) + f"1,red,word,1{end}{end}2,red,word,0" + {"": "", "end": end}[last]
    data = arff(text.encode()).dataset
    assert cells(data) == [[1, "red", "word"], [2, "red", "word"]]
    assert data.relation == "rows"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_across_blocks(arff, monkeypatch, end):
    """Whatever the size of a block, the line at fault is named right."""
    lines = (HEADER + "1,red,word,1\n\n\n% comment\n\n2,red,word,0\n\n\n3,blue,word,1\n").replace("\n", end).encode()
    named = {}
    for size in range(1, len(lines) + 1):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        with pytest.raises(FormatError) as refusal:
            arff(lines)
        named[size] = refusal.value.line
    assert {size: line for size, line in named.items() if line != FIRST + 8} == {}


@pytest.mark.parametrize("block", [1, 5, 33, 100, 1000])
def test_blocks_of_any_size_give_the_same(arff, monkeypatch, block):
    text = HEADER + "\n\n".join(row for row, _, _ in ROWS)
    whole = arff(text).dataset
    monkeypatch.setattr(files, "BLOCK_BYTES", block)
    parts = arff(text).dataset
    assert cells(parts) == cells(whole)
    assert label_rows(parts) == label_rows(whole)
    assert parts.sparse_rows.tolist() == whole.sparse_rows.tolist()


def test_no_rows(arff):
    data = arff(HEADER).dataset
    assert (data.n, data.d, data.q, data.X.shape, data.Y.shape) == (0, 3, 1, (0, 3), (0, 1))


@pytest.mark.parametrize(
    ("rows", "form"), [("1,red,a,1\n2,red,b,0", "dense"), ("{0 1}\n{}", "sparse"), ("{0 1}\n1,red,a,1", "mixed")]
)
def test_the_form_is_told(arff, rows, form):
    assert arff(HEADER + rows).dataset.origin.format == form


@pytest.mark.parametrize(
    ("row", "warned"), [("1,red,word,1,{5}", True), ("{0 1} {5}", True), ("1,red,word,1", False), ("1,red,'{5}',1", False)]
)
def test_instance_weights_are_told(arff, row, warned):
    assert any("weight" in warning for warning in arff(f"{HEADER}{row}\n").dataset.warnings) is warned


def test_dense_and_sparse_spellings_give_the_same(arff):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (40, 3)) * rng.integers(0, 2, (40, 3)), rng.integers(0, 2, 40)
    head = "@relation r\n@attribute a numeric\n@attribute b {0,1,2}\n@attribute c integer\n@attribute L {1,0}\n@data\n"
    rows = np.column_stack([X, y]).tolist()
    dense = arff(head + "".join(",".join(map(str, row)) + "\n" for row in rows)).dataset
    pairs = [[f"{j} {v}" for j, v in enumerate(row) if v != (j == 3)] for row in rows]
    sparse = arff(head + "".join("{" + ",".join(row) + "}\n" for row in pairs)).dataset
    assert cells(sparse) == cells(dense)
    assert label_rows(sparse) == label_rows(dense) == y[:, np.newaxis].tolist()
    assert type(sparse.X) is type(dense.X)


def test_texts_in_latin1(arff):
    content = HEADER.encode() + "1,red,größe,1\n".encode("latin-1")
    assert arff(content).dataset.texts[2][1] == "größe".encode("latin-1")


def test_utf16_is_refused(arff):
    with pytest.raises(FormatError, match="UTF-16"):
        arff(HEADER.encode("utf-16"))


PIECES = 3 * [b"a", b"'x,y'", b'"%"', rb"'it\'s'", rb"\'", b"\\", b"?", b"''"] + [b"'", b'"', b" ", b"\t", b"%", b"{", b","]


def test_cells_between_commas_are_those_that_the_scan_finds():
    rng = Random(5)
    written = [
        [b"".join(rng.choices(PIECES, k=rng.choice([1, 1, 2]))) for _ in range(rng.randrange(2, 6))] for _ in range(10_000)
    ]
    found = {row: _cells_between_commas(row) for cells in written for row in [b",".join(cells).strip(b" \t")]}
    read = {row: (cells, False) for row, cells in found.items() if cells is not None}
    assert 1000 < len(read) < len(found)
    assert {row: _scanned_cells(row, len(cells)) for row, (cells, _) in read.items()} == read


@pytest.mark.parametrize("code", [code for code in range(32) if chr(code) not in "\t\n\r"])
def test_every_control_byte_is_a_blank_outside_quotes(arff, code):
    mark = chr(code)
    row = f"{mark}'{mark}1{mark}'{mark},red{mark},'{mark}x{mark}',1 % it's{mark}\n{{0{mark}2}}{mark}\n"
    assert cells(arff(HEADER + row).dataset) == [[1, "red", f"{mark}x{mark}"], [2, "red", OMITTED]]


@pytest.mark.parametrize("behind", ["\n\x1a", "\x1a", "\r\n\x1a\r\n", "\n\x1a\x1a\n% c", "\n \x0c \n"])
def test_an_end_of_file_mark_is_no_row(arff, behind):
    data = arff(f"{HEADER}1,red,word,1\n{{0 2}}{behind}").dataset
    assert cells(data) == [[1, "red", "word"], [2, "red", OMITTED]]


def test_an_octal_escape_is_a_character_of_a_latin1_file(arff):
    head = HEADER.replace("rows", "r\xe9").replace("{red,", "{\xff,red,").encode("latin-1")
    data = arff(head + rb"1,'\377','\377',1" + b"\n").dataset
    assert data.X[0, 1] == 0
    assert data.texts[2][1] == rb"'\377'"


def test_the_texts_of_a_file_keep_their_spelling(arff):
    data = arff(HEADER + "1,red,'C:\\bin',1\n1,red,\"C:\\bin\",1\n1,red,'a',1\n1,red,a,1\n").dataset
    assert data.texts[2][1:] == [rb"'C:\bin'", rb'"C:\bin"', b"'a'", b"a"]


def test_a_line_without_end_is_refused_before_it_is_split(arff, monkeypatch):
    """Beyond the cap the number of values is counted, not gathered."""
    monkeypatch.setattr(rows, "_LONG_LINE", 30)
    with pytest.raises(FormatError, match=r"expected 4 values, found about 40$"):
        arff(HEADER + "1,red,word," + "1," * 36 + "'1'\n")
    with pytest.raises(FormatError, match=r"expected 4 values, found 9$"):
        arff(HEADER + "'1',red,'a word of some length'," + "1," * 5 + "'1'\n")
    assert cells(arff(HEADER + "'1',red,'a word of some length',1\n").dataset) == [[1, "red", "a word of some length"]]


def test_a_long_line_is_not_searched_for_tokens_at_once(monkeypatch):
    row = b"'a',b"
    assert _cells_between_commas(row) == [b"'a'", b"b"]
    monkeypatch.setattr(rows, "_LONG_LINE", len(row))
    assert _cells_between_commas(row) == [b"'a'", b"b"]
    monkeypatch.setattr(rows, "_LONG_LINE", len(row) - 1)
    assert _cells_between_commas(row) is None
