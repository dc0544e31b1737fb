"""Declarations as Weka reads them, and what is refused, with its line."""

import re
import signal
from contextlib import contextmanager

import pytest

from lsdmlo_cli.data import Attribute
from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.header import HeaderReader


def header(*lines):
    reader = HeaderReader("in.arff")
    reader.feed([line if isinstance(line, bytes) else line.encode() for line in lines])
    return reader.finish()


@contextmanager
def within(seconds):
    """Fail where the work lasts longer."""

    def stop(number, frame):
        raise TimeoutError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


DECLARATIONS = [
    ("@attribute x numeric", Attribute("x", "numeric")),
    ("@ATTRIBUTE x REAL", Attribute("x", "numeric")),
    ("@aTTribute x Integer", Attribute("x", "integer")),
    ("@attribute x STRING", Attribute("x", "string")),
    ("@attribute x date", Attribute("x", "date")),
    ('@attribute x Date "yyyy-MM-dd HH:mm:ss"', Attribute("x", "date")),
    ("@attribute x date yyyy-MM-dd % a comment", Attribute("x", "date")),
    ("@attribute x date {2}", Attribute("x", "date")),
    ("@attribute\tx\t\treal\t", Attribute("x", "numeric")),
    ("  @attribute   x   numeric   ", Attribute("x", "numeric")),
    ("@attribute x numeric % a comment, 'with' {braces}", Attribute("x", "numeric")),
    ("@attribute x real [0,5]", Attribute("x", "numeric")),
    ("@attribute x real[0,5]", Attribute("x", "numeric")),
    ("@attribute x integer (0, 10] % a comment", Attribute("x", "integer")),
    ("@attribute 'x' numeric", Attribute("x", "numeric")),
    ('@attribute "body mass, kg" numeric', Attribute("body mass, kg", "numeric")),
    ("@attribute ' both ends ' numeric", Attribute(" both ends ", "numeric")),
    (r"@attribute 'O\'Brien' numeric", Attribute("O'Brien", "numeric")),
    ('@attribute "O\'Brien" numeric', Attribute("O'Brien", "numeric")),
    (r'@attribute "say \"hi\"" numeric', Attribute('say "hi"', "numeric")),
    (r"@attribute 'a\\b' numeric", Attribute("a\\b", "numeric")),
    (r"@attribute 'a\tb\nc\rd' numeric", Attribute("a\tb\nc\rd", "numeric")),
    (r"@attribute '100\% wool' numeric", Attribute("100% wool", "numeric")),
    ("@attribute '100% wool' numeric", Attribute("100% wool", "numeric")),
    ("@attribute 'set{a,b}' numeric", Attribute("set{a,b}", "numeric")),
    (r"@attribute TAG_m\'usica {0,1}", Attribute(r"TAG_m\'usica", "nominal", ("0", "1"))),
    ("@attribute numeric numeric", Attribute("numeric", "numeric")),
    ("@attribute 7th-day numeric", Attribute("7th-day", "numeric")),
    ("@attribute größe numeric", Attribute("größe", "numeric")),
    ("@attribute a\u00a0b numeric", Attribute("a\u00a0b", "numeric")),
    ("@attribute 全\u3000角 numeric", Attribute("全\u3000角", "numeric")),
    ("@attribute a\u2028b\u0085c numeric", Attribute("a\u2028b\u0085c", "numeric")),
    ("@attribute L{0,1}", Attribute("L", "nominal", ("0", "1"))),
    ("@attribute L {1,0}", Attribute("L", "nominal", ("1", "0"))),
    ("@attribute c {\tred , 'dark red' ,\"a,b\" }", Attribute("c", "nominal", ("red", "dark red", "a,b"))),
    ("@attribute c {only}", Attribute("c", "nominal", ("only",))),
    ("@attribute c {'?',F}", Attribute("c", "nominal", ("?", "F"))),
    ("@attribute c {'{','}','50%',''}", Attribute("c", "nominal", ("{", "}", "50%", ""))),
    (r"@attribute c {'a\\b','it\'s',' lead'}", Attribute("c", "nominal", ("a\\b", "it's", " lead"))),
    (r"""@attribute c {\","a}",b}""", Attribute("c", "nominal", (r"\"", "a}", "b"))),
    (r"@attribute c {a\',b} % it's}", Attribute("c", "nominal", (r"a\'", "b"))),
    (r"@attribute c {a\'b,c}", Attribute("c", "nominal", (r"a\'b", "c"))),
    ("@attribute c {é,漢字,\u00a0}", Attribute("c", "nominal", ("é", "漢字", "\u00a0"))),
    ("@attribute c {a,A}", Attribute("c", "nominal", ("a", "A"))),
    ("@attribute c {1,1.0}", Attribute("c", "nominal", ("1", "1.0"))),
    (r"@attribute '\a\b\f\v' numeric", Attribute("\a\b\f\v", "numeric")),
    (r"@attribute '\0\1\12\1234\477\8' numeric", Attribute("\0\x01\nS4'78", "numeric")),
    (r"@attribute '\344\377' numeric", Attribute("äÿ", "numeric")),
    (r"@attribute c {'D:\fun','\101',\b}", Attribute("c", "nominal", ("D:\x0cun", "A", r"\b"))),
    ("@attribute\x0b'x'\x00numeric\x1a", Attribute("x", "numeric")),
    ("@attribute c {a\x0c,'b\x0c'} %\x0c", Attribute("c", "nominal", ("a", "b\x0c"))),
    ("@attribute x numeric {0.5}", Attribute("x", "numeric")),
    ("@attribute c {a,b} { 5 } % heavy", Attribute("c", "nominal", ("a", "b"))),
]


@pytest.mark.parametrize(("line", "attribute"), DECLARATIONS)
def test_a_declaration(line, attribute):
    assert header("@relation r", line).attributes == (attribute,)


@pytest.mark.parametrize(
    ("declared", "pattern"),
    [
        ("date", "yyyy-MM-dd'T'HH:mm:ss"),
        ("DATE {2}", "yyyy-MM-dd'T'HH:mm:ss"),
        ("date % a comment", "yyyy-MM-dd'T'HH:mm:ss"),
        ('date "yyyy-MM-dd HH:mm:ss"', "yyyy-MM-dd HH:mm:ss"),
        (r"date 'HH\'h\'\040mm' {2}", "HH'h' mm"),
        ("date yyyy-MM-dd % a comment", "yyyy-MM-dd"),
        ("date 'größe yy'", "größe yy"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_the_pattern_of_a_date(declared, pattern, encoding):
    read = header("@relation r", "@attribute größe numeric".encode(encoding), f"@attribute x {declared}".encode(encoding))
    assert read.patterns == {1: pattern}


@pytest.mark.parametrize(
    ("declared", "spelled"),
    [
        (r"{'a\bc',d}", {0: (rb"'a\bc'", b"")}),
        (r"{d,'\344',\"x\ y\"}".replace('\\"', '"'), {0: (b"", rb"'\344'", rb'"x\ y"')}),
        (r"""{'\\','it\'s','a\tb','\n\r','\%',"\""}""", {}),
        (r"{'C:\\bin',\b,a\'b}", {}),
        ("{a,b}", {}),
    ],
)
def test_what_new_rows_must_spell_as_the_header_does(declared, spelled):
    assert header("@relation r", f"@attribute c {declared}").spelled == spelled


@pytest.mark.parametrize(
    ("line", "weighted"), [("@attribute x numeric {0.5}", True), ("@attribute x numeric", False), ("@attribute c {5}", False)]
)
def test_an_attribute_weight_is_noticed(line, weighted):
    assert header("@relation r", line).weighted is weighted


@pytest.mark.parametrize(
    ("line", "relation"),
    [
        ("@relation toy", "toy"),
        ("@RELATION\t'keep me' % comment", "keep me"),
        ('@relation "it\'s"', "it's"),
        ("@relation 'scene: -C 6'", "scene: -C 6"),
        ("@relation größe", "größe"),
        ("@relation ''", ""),
    ],
)
def test_the_relation(line, relation):
    assert header(line, "@attribute x numeric").relation == relation


def test_blank_lines_and_comments_count_as_lines():
    read = header("% first", "", "\t", "@relation r", "  % inner", "@attribute x numeric", "", "@attribute y numeric")
    assert read.declared_at == (6, 8)


@pytest.mark.parametrize("data", ["@data", "@DATA", " @Data\t", "@data % rows follow", "@data%", "\x0c@data\x1a"])
def test_the_line_of_data_ends_the_header(data):
    reader = HeaderReader("in.arff")
    lines = [b"@relation r", b"@attribute x numeric", data.encode(), b"1"]
    assert reader.feed(lines) == 3


@pytest.mark.parametrize(
    ("encoding", "line", "name"),
    [
        ("utf-8", "@attribute größe {é,b}".encode(), "größe"),
        ("latin-1", "@attribute größe {é,b}".encode("latin-1"), "größe"),
        ("latin-1", b"@attribute gr\xf6\xdfe {\xe9,b}", "größe"),
        ("utf-8", "@attribute abc {é,b}".encode(), "abc"),
    ],
)
def test_names_are_utf8_else_latin1(encoding, line, name):
    read = header("@relation r", line)
    assert (read.encoding, read.attributes[0].name, read.attributes[0].values[0]) == (encoding, name, "é")


def test_one_latin1_line_makes_the_whole_header_latin1():
    read = header("@relation r", "@attribute Ã© numeric".encode("latin-1"), b"@attribute \xe9 numeric")
    assert [attribute.name for attribute in read.attributes] == ["Ã©", "é"]


@pytest.mark.parametrize(("line", "name"), [(b"\xc3\xbf {'\\377'}", "ÿ"), (b"\xff {'\\377'}", "ÿ"), (b"\xff {\xff}", "ÿ")])
def test_an_octal_escape_is_a_character_in_every_encoding(line, name):
    read = header("@relation '\\377'", b"@attribute " + line)
    assert (read.relation, read.attributes[0].name, read.attributes[0].values) == (name, name, (name,))


REFUSED = [
    ([], None, "empty"),
    (["% nothing"], 1, "@relation is missing"),
    (["@relation r"], 1, "no @attribute"),
    (["@attribute x numeric"], 1, "@relation must stand before"),
    (["@relation a", "@relation b"], 2, "second @relation"),
    (["@relation two words"], 1, "quote"),
    (["@relation"], 1, "expected a name"),
    (["@relation r", "@attribute"], 2, "expected a name"),
    (["@relation r", "@attribute x"], 2, "'x' has no type"),
    (["@relation r", "@attribute x % numeric"], 2, "'x' has no type"),
    (["@relation r", "@attribute x wibble"], 2, "'wibble'"),
    (["@relation r", "@attribute x numerical"], 2, "'numerical'"),
    (["@relation r", "@attribute bag relational"], 2, "relational attributes are not supported"),
    (["@relation r", "@attribute two words numeric"], 2, "'words'"),
    (["@relation r", "@attribute x numeric really"], 2, "'really'"),
    (["@relation r", "@attribute O'Brien numeric"], 2, "quote"),
    (["@relation r", "@attribute a,b numeric"], 2, "quote"),
    (["@relation r", "@attribute 'open numeric"], 2, "expected a name"),
    (["@relation r", "@attribute c {a,b"], 2, "'c'"),
    (["@relation r", "@attribute c a,b}"], 2, "'c'"),
    (["@relation r", "@attribute c {}"], 2, "no value"),
    (["@relation r", "@attribute c { }"], 2, "no value"),
    (["@relation r", "@attribute c {a,,b}"], 2, "'c'"),
    (["@relation r", "@attribute c {a,new york}"], 2, "quote a value that holds blanks"),
    (["@relation r", "@attribute c {a,'b}"], 2, "'c'"),
    (["@relation r", "@attribute c {it's,b}"], 2, "'c'"),
    (["@relation r", "@attribute c {a,b,a}"], 2, "'a' twice"),
    (["@relation r", "@attribute c {a,'a'}"], 2, "'a' twice"),
    (["@relation r", r"@attribute c {A,'\101'}"], 2, "'A' twice"),
    (["@relation r", r"@attribute c {ÿ,'\377'}"], 2, "'ÿ' twice"),
    (["@relation r", "@attribute ÿ numeric", r"@attribute '\377' numeric"], 3, "'ÿ' is declared twice (first on line 2)"),
    (["@relation r", "@attribute1 numeric"], 2, "and a blank behind it), found '@attribute1 numeric'"),
    (["@relation_r"], 1, "found '@relation_r'"),
    (["@relation r", "@attribute x numeric", "@data1"], 3, "found '@data1'"),
    (["@relation r", "@attribute c {a,50%}"], 2, "'c'"),
    (["@relation r", "@attribute x numeric", "", "@attribute 'x' real"], 4, "'x' is declared twice"),
    (["@relation r", r"@attribute 'a\\b' numeric", r"@attribute a\b real"], 3, r"declared twice"),
    (["@relation r", "@attribute x numeric", "1,2"], 3, "expected @relation, @attribute or @data"),
    (["@relation r", "@attribute x numeric", "@dota"], 3, "'@dota'"),
    (["@relation r", "@attribute x numeric", "@data 1,2"], 3, "behind @data"),
]


@pytest.mark.parametrize(("lines", "line", "words"), REFUSED)
def test_refused(lines, line, words):
    with pytest.raises(FormatError, match=re.escape(words)) as refusal:
        header(*lines)
    assert refusal.value.line == line


def test_a_twin_names_both_lines():
    with pytest.raises(FormatError, match=r"in\.arff:3: .*'x'.*line 2"):
        header("@relation r", "@attribute x numeric", "@attribute x numeric")


@pytest.mark.parametrize(
    "declared",
    [r"\'\''" * 400 + "%", r"\'\''" * 400, "'" * 5001, r"\'" * 5000, "a," * 5000 + "'", " " * 50000, "{" * 5000, "'a'," * 5000],
    ids=lambda declared: declared[:8],
)
def test_a_broken_declaration_is_refused_at_once(declared):
    with within(5), pytest.raises(FormatError):
        header("@relation r", "@attribute c {" + declared)
