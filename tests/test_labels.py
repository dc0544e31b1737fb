"""Which attributes are the labels: XML, names, count, -C; and the two values of each."""

import json
import re

import numpy as np
import pytest
from conftest import label_rows, read

from lsdmlo_cli.errors import FileError, FormatError, LsdmloError, ParameterError
from lsdmlo_cli.formats.labels import label_file_for, read_xml, xml_candidates

FIVE = "@relation {relation}\n" + "".join(f"@attribute {name} {{{{0,1}}}}\n" for name in "abcde") + "@data\n0,0,1,0,1\n"


def names(arff):
    return "".join(label.name for label in arff.dataset.labels)


def xml(*labels):
    return (
        '<labels xmlns="http://mulan.sourceforge.net/labels">'
        + "".join(f'<label name="{name}"/>' for name in labels)
        + "</labels>"
    )


@pytest.mark.parametrize(
    ("count", "found"), [("1", "a"), ("2", "ab"), ("+2", "ab"), ("-1", "e"), ("-3", "cde"), ("5", "abcde"), ("-5", "abcde")]
)
def test_a_count(arff, count, found):
    read_arff = arff(FIVE.format(relation="r"), labels=count)
    assert names(read_arff) == found
    assert "".join(attribute.name for attribute in read_arff.dataset.features) == "abcde".replace(found, "")


@pytest.mark.parametrize(("count", "error"), [("0", ParameterError), ("6", FormatError), ("-6", FormatError)])
def test_a_count_out_of_range(arff, count, error):
    with pytest.raises(error, match=rf"--labels {count}"):
        arff(FIVE.format(relation="r"), labels=count)


NAMED = (
    "@relation r\n@attribute y1 {0,1}\n@attribute 'a,b' {0,1}\n@attribute y2 {0,1}\n@attribute y[1] {0,1}\n"
    "@attribute 7 {0,1}\n@data\n0,0,1,0,1\n"
)


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("y1", ["y1"]),
        ("y2,y1", ["y1", "y2"]),
        ("y2 , y1", ["y1", "y2"]),
        ("y?", ["y1", "y2"]),
        ("y*", ["y1", "y2", "y[1]"]),
        ("y[1]", ["y[1]"]),
        ("y[12]", ["y1", "y2"]),
        ("y1,y*", ["y1", "y2", "y[1]"]),
        ("a,b", ["a,b"]),
        ("'a,b',y1", ["y1", "a,b"]),
        ("1", ["y1"]),
        ("7,y1", ["y1", "7"]),
    ],
)
def test_names_and_patterns(arff, option, found):
    read_arff = arff(NAMED, labels=option)
    assert [label.name for label in read_arff.dataset.labels] == found


@pytest.mark.parametrize("name", ["names.txt", "names", "NAMES.TXT"])
@pytest.mark.parametrize("text", ["y2\ny1\n", "\ufeffy2\r\n\r\n  y1  "])
def test_a_file_of_names(arff, tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = arff(NAMED, labels=str(tmp_path / name))
    assert [label.name for label in found.dataset.labels] == ["y1", "y2"]
    assert (found.labels.found_in, found.labels.xml) == (name, None)


@pytest.mark.parametrize("text", [xml("y2"), f"\ufeff \n{xml('y2')}"])
def test_an_xml_without_its_ending_is_known_by_its_content(arff, tmp_path, text):
    (tmp_path / "labels").write_text(text, encoding="utf-8")
    assert [label.name for label in arff(NAMED, labels=str(tmp_path / "labels")).dataset.labels] == ["y2"]


def test_an_attribute_comes_before_a_file_of_its_name(arff, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "y1").write_text("y2\n")
    assert [label.name for label in arff(NAMED, labels="y1").dataset.labels] == ["y1"]


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("Y1", "--labels: there is no attribute 'Y1'; the nearest name there is 'y1'"),
        ("y1,z", "--labels: there is no attribute 'z'"),
        ("lab*", "--labels: no attribute matches 'lab*'"),
    ],
)
def test_a_name_that_is_not_there(arff, option, problem):
    with pytest.raises(FormatError) as raised:
        arff(NAMED, labels=option)
    assert str(raised.value).endswith(f"in.arff: {problem}")


@pytest.mark.parametrize(
    ("content", "error", "problem"),
    [
        (b"y1\ny22\n", FormatError, "names.txt: label 'y22' is not an attribute of .*; the nearest name there is 'y2'"),
        (b" \n", FormatError, "names.txt: there are no names in it"),
        (b"\xff\xfe", FormatError, "names.txt: this is no file of names"),
    ],
)
def test_a_faulty_file_of_names(arff, tmp_path, content, error, problem):
    (tmp_path / "names.txt").write_bytes(content)
    with pytest.raises(error, match=problem):
        arff(NAMED, labels=str(tmp_path / "names.txt"))


def test_a_file_of_names_that_is_missing(arff):
    with pytest.raises(FileError, match=r"cannot read ghost.txt: no such file"):
        arff(NAMED, labels="ghost.txt")


@pytest.mark.parametrize(
    ("relation", "found"),
    [
        ("'toy: -C 2'", "ab"),
        ("'toy: -C -2'", "de"),
        ("'toy: -C 5'", "abcde"),
        ("'toy: -c 2'", "ab"),
        ("'toy: -c 1 -C 3'", "abc"),
        ("'toy: -C 3 -C 1'", "abc"),
        ("'toy: -split 50 -C 2 -x'", "ab"),
        ("'toy -C 1: -C 2'", "ab"),
        ("'toy:-C 2'", "ab"),
        ('"toy:  -C  2 "', "ab"),
        ("'a:b: -C 2'", "ab"),
        ("'toy: -C +2'", "ab"),
    ],
)
def test_meka(arff, relation, found):
    assert names(arff(FIVE.format(relation=relation), labels=None)) == found


@pytest.mark.parametrize(
    "relation", ["'toy: -C 0'", "'toy: -C 6'", "'toy: -C -6'", "'toy: -C'", "'toy: -C x'", "'toy: -C 2.0'", "'toy: -C ٢'"]
)
def test_meka_out_of_range_quotes_the_relation(arff, relation):
    with pytest.raises(FormatError, match=re.escape(relation)):
        arff(FIVE.format(relation=relation), labels=None)


@pytest.mark.parametrize("relation", ["toy", "'toy -C 2'", "'toy: -Cx 2'", "'toy: C 2'", "'toy: -C2'"])
def test_nothing_found_lists_the_places_and_the_ways(arff, relation):
    with pytest.raises(FormatError, match=r"in\.xml.*-C.*--labels"):
        arff(FIVE.format(relation=relation), labels=None)


def test_an_xml_names_labels_in_any_order(arff, tmp_path):
    (tmp_path / "in.xml").write_text(xml("d", "b"))
    assert names(arff(FIVE.format(relation="r"), labels=None)) == "bd"


def test_an_xml_wins_over_meka_with_a_warning(arff, tmp_path):
    (tmp_path / "in.xml").write_text(xml("d", "b"))
    found = arff(FIVE.format(relation="'toy: -C 2'"), labels=None)
    assert (names(found), found.labels.found_in) == ("bd", "in.xml")
    assert ["-C" in warning for warning in found.dataset.warnings] == [True]


def test_an_xml_that_agrees_with_meka_gives_no_warning(arff, tmp_path):
    (tmp_path / "in.xml").write_text(xml("b", "a"))
    assert arff(FIVE.format(relation="'toy: -C 2'"), labels=None).dataset.warnings == ()


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("a/emotions.arff", ["a/emotions.xml"]),
        ("emotions.arff.gz", ["emotions.xml"]),
        ("emotions.arff.bz2", ["emotions.xml"]),
        ("EMOTIONS.ARFF.XZ", ["EMOTIONS.xml"]),
        ("birds-train.arff", ["birds-train.xml", "birds.xml"]),
        ("birds-test.arff", ["birds-test.xml", "birds.xml"]),
        ("rcv1-sparse-train.arff", ["rcv1-sparse-train.xml", "rcv1-sparse.xml", "rcv1.xml"]),
        ("yeast-R2F10.arff", ["yeast-R2F10.xml", "yeast.xml"]),
        ("yeast-r12f3-train.arff", ["yeast-r12f3-train.xml", "yeast-r12f3.xml", "yeast.xml"]),
        ("yeast-fold3.arff", ["yeast-fold3.xml", "yeast.xml"]),
        ("train.arff", ["train.xml"]),
        ("a-train/b.arff", ["a-train/b.xml"]),
    ],
)
def test_where_an_xml_may_lie(path, places):
    assert xml_candidates(path) == places


def test_an_xml_of_the_whole_set_is_found(arff, tmp_path):
    (tmp_path / "toy.xml").write_text(xml("c"))
    assert names(arff(FIVE.format(relation="r"), labels=None, name="toy-sparse-train.arff")) == "c"


NESTED = '<label name="a"><label name="d"><label name="b"/></label></label><label name="c"/>'


@pytest.mark.parametrize(
    "text",
    [
        f"<labels>{NESTED}</labels>",
        f'<?xml version="1.0" encoding="utf-8"?>\n<!-- note --><labels xmlns="http://mulan.sourceforge.net/labels">{NESTED}</labels>',
        '<m:labels xmlns:m="urn:x">' + NESTED.replace("<label", "<m:label").replace("</label", "</m:label") + "</m:labels>",
        f"\ufeff<labels>{NESTED}</labels>",
        f"<set><labels>{NESTED}</labels></set>",
    ],
    ids=["plain", "namespace", "prefix", "mark", "inside"],
)
def test_nested_labels_count_at_every_level(arff, tmp_path, text):
    (tmp_path / "in.xml").write_text(text, encoding="utf-8")
    data = arff(FIVE.format(relation="r"), labels=None).dataset
    assert [label.name for label in data.labels] == ["a", "b", "c", "d"]
    assert data.parents.tolist() == [-1, 3, -1, 0]


@pytest.mark.parametrize(
    ("declared", "in_xml", "name"),
    [
        ("'Owl & Lark'", "Owl &amp; Lark", "Owl & Lark"),
        ("'a<b'", "a&lt;b", "a<b"),
        (r"'it\'s'", "it's", "it's"),
        (r"'it\'s'", r"it\'s", "it's"),
        (r"'a\\b'", r"a\b", r"a\b"),
        (r"'a\\b'", r"a\\b", r"a\b"),
        (r"'say \"hi\"'", "say &quot;hi&quot;", 'say "hi"'),
        (r"'a\tb'", "a&#9;b", "a\tb"),
        (r"'a\tb'", r"a\tb", "a\tb"),
        (r"'100\%'", "100%", "100%"),
        (r"'100%'", r"100\%", "100%"),
        (r"TAG_m\'usica", r"TAG_m\'usica", r"TAG_m\'usica"),
        ("größe", "gr&#246;ße", "größe"),
    ],
)
def test_names_are_unescaped(arff, tmp_path, declared, in_xml, name):
    (tmp_path / "in.xml").write_text(xml(in_xml), encoding="utf-8")
    data = arff(f"@relation r\n@attribute x numeric\n@attribute {declared} {{0,1}}\n@data\n1,1\n", labels=None).dataset
    assert [label.name for label in data.labels] == [name]


def test_a_name_as_it_is_goes_before_its_unescaped_form(arff, tmp_path):
    (tmp_path / "in.xml").write_text(xml(r"it\'s"))
    content = "@relation r\n" + r"@attribute 'it\'s' {0,1}" + "\n" + r"@attribute 'it\\\'s' {0,1}" + "\n@data\n1,0\n"
    data = arff(content, labels=None).dataset
    assert [label.name for label in data.labels] == [r"it\'s"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (xml("ghost"), "label 'ghost' is not an attribute of"),
        (xml("B"), "nearest name there is 'b'"),
        (xml("a", "a"), "'a' is listed twice"),
        (xml(), "no labels"),
        ("<labels><label/></labels>", "label 1 has no name"),
        ('<labels><label name=""/></labels>', "label 1 has no name"),
        ("<labels><label name='a'></labels>", "labels.xml:1: "),
        ("<labels>\n<label name='a'/>\n", "labels.xml:3: "),
        ("", "labels.xml:"),
        ("a\nb\n", "labels.xml:"),
        ('<!DOCTYPE labels [<!ENTITY e "a">]><labels><label name="&e;"/></labels>', "entities"),
        ('<?xml version="1.0" encoding="klingon"?><labels><label name="a"/></labels>', "labels.xml:"),
    ],
)
def test_a_faulty_xml(arff, tmp_path, text, words):
    (tmp_path / "labels.xml").write_text(text)
    with pytest.raises(FormatError, match=re.escape(words)) as refusal:
        arff(FIVE.format(relation="r"), labels=str(tmp_path / "labels.xml"))
    assert "\n" not in str(refusal.value)


def test_an_xml_that_names_an_attribute_in_two_ways(arff, tmp_path):
    (tmp_path / "labels.xml").write_text(xml("it's", r"it\'s"))
    with pytest.raises(FormatError, match="listed twice"):
        arff("@relation r\n@attribute 'it\\'s' {0,1}\n@data\n1\n", labels=str(tmp_path / "labels.xml"))


@pytest.mark.parametrize("place", ["absent.xml", "."])
def test_an_xml_that_cannot_be_read(arff, tmp_path, place):
    with pytest.raises(FileError, match="cannot read"):
        arff(FIVE.format(relation="r"), labels=str(tmp_path / place))


@pytest.mark.parametrize("size", [50, 20000])
def test_a_deep_hierarchy(tmp_path, size):
    path = tmp_path / "deep.xml"
    path.write_text("<labels>" + "".join(f'<label name="{i}">' for i in range(size)) + "</label>" * size + "</labels>")
    assert read_xml(str(path))[1] == list(range(-1, size - 1))


VALUES = [
    ("{0,1}", ["0", "1", "'1'"], [0, 1, 1]),
    ("{1,0}", ["0", "1", '"0"'], [0, 1, 0]),
    ("{FALSE,TRUE}", ["FALSE", "TRUE"], [0, 1]),
    ("{True,False}", ["True", "False"], [1, 0]),
    ("{no,yes}", ["yes", "no"], [1, 0]),
    ("{YES,NO}", ["YES", "NO"], [1, 0]),
    ("{'0','1'}", ["1", "0"], [1, 0]),
    ("numeric", ["1", "0", "1.0", "0.0", "'1'", "+1", "1e0", "-0"], [1, 0, 1, 0, 1, 1, 1, 0]),
    ("integer", ["1", "0"], [1, 0]),
    ("real [0,1]", ["0", "1"], [0, 1]),
]


@pytest.mark.parametrize(("declared", "spelled", "meant"), VALUES)
def test_the_value_of_a_label_counts(arff, declared, spelled, meant):
    rows = "".join(f"1,{value}\n" for value in spelled) + "".join(f"{{1 {value}}}\n" for value in spelled)
    data = arff(f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@data\n{rows}").dataset
    assert label_rows(data) == [[value] for value in meant * 2]
    assert set(data.Y.data.tolist()) == {1.0}


@pytest.mark.parametrize(
    ("declared", "omitted"), [("{0,1}", 0), ("{1,0}", 1), ("{TRUE,FALSE}", 1), ("{NO,YES}", 0), ("numeric", 0)]
)
def test_an_omitted_label_has_the_first_declared_value(arff, declared, omitted):
    data = arff(
        f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@attribute M {{0,1}}\n@data\n{{0 1}}\n{{}}\n", labels="-2"
    ).dataset
    assert label_rows(data) == [[omitted, 0]] * 2


@pytest.mark.parametrize(
    "declared",
    [
        "{0,1,2}",
        "{2}",
        "{1.0}",
        "{true,TRUE}",
        "{a,b}",
        "{0.0,1.0}",
        "{TRUE,NO}",
        "{0,TRUE}",
        "{t,f}",
        "{' 0','1'}",
        "{y,n}",
        "{+0,1}",
        "{-1,1}",
        "string",
        "date",
    ],
)
def test_a_label_that_is_not_binary(arff, declared):
    with pytest.raises(FormatError, match=r"label 'L' must be \{0,1\}") as refusal:
        arff(f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@data\n")
    assert refusal.value.line == 3


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("numeric", "0.5"),
        ("numeric", "2"),
        ("numeric", "-1"),
        ("numeric", "?"),
        ("numeric", "yes"),
        ("{0,1}", "?"),
        ("{NO,YES}", "yes"),
    ],
)
@pytest.mark.parametrize("row", ["1,{}", "{{1 {}}}"])
def test_a_label_value_that_is_neither(arff, declared, value, row):
    with pytest.raises(FormatError, match=r":6: label 'L': ") as refusal:
        arff(f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@data\n{{}}\n{row.format(value)}\n")
    assert refusal.value.line == 6


def test_dense_rows_of_flipped_labels(arff):
    data = arff(
        "@relation r\n@attribute x numeric\n@attribute L {1,0}\n@attribute M {0,1}\n@data\n5,1,0\n5,0,1\n{0 5}\n{1 0,2 1}\n",
        labels="-2",
    )
    assert label_rows(data.dataset) == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert np.array_equal(data.dataset.counts, [2, 2])


def test_every_attribute_may_be_a_label(arff):
    data = arff(FIVE.format(relation="r"), labels="5").dataset
    assert (data.d, data.q, data.X.shape) == (0, 5, (1, 0))


def test_the_xml_of_an_output(tmp_path):
    """It is copied where nothing is, is not where discovery finds the same labels, and never over other labels."""
    given = tmp_path / "given.xml"
    given.write_text(xml("a", "b"))
    out = str(tmp_path / "out-train.arff.gz")
    own = str(tmp_path / "out-train.xml")
    assert label_file_for(out, str(given)) == (own, None)
    (tmp_path / "out.xml").write_text(xml("b", "a") + "<!-- the same labels -->")
    assert label_file_for(out, str(given)) == (None, None)
    (tmp_path / "out.xml").write_text(xml("a", "c"))
    assert label_file_for(out, str(given)) == (own, None)
    (tmp_path / "out-train.xml").write_text(xml("a", "c"))
    place, warning = label_file_for(out, str(given))
    assert place is None
    assert own in warning


def test_a_hierarchy_is_part_of_the_labels(tmp_path):
    given = tmp_path / "given.xml"
    given.write_text('<labels><label name="a"><label name="b"/></label></labels>')
    (tmp_path / "out.xml").write_text(xml("a", "b"))
    assert label_file_for(str(tmp_path / "out.arff"), str(given))[0] is None
    assert label_file_for(str(tmp_path / "out.arff"), str(given))[1] is not None


def test_standard_input_has_no_xml_beside_it(lsdmlo, tmp_path):
    (tmp_path / "-.xml").write_text(xml("a"))
    run = lsdmlo("stats", "-", stdin=FIVE.format(relation="r").encode())
    assert run.returncode == 1
    assert run.stderr.startswith(b"lsdmlo: error: -: ")
    assert b"--labels" in run.stderr


def test_a_message_quotes_blanks_as_they_are(lsdmlo, tmp_path):
    (tmp_path / "in.arff").write_text(FIVE.format(relation="'two  blanks: -C 0'"))
    run = lsdmlo("stats", "in.arff")
    assert run.stderr.startswith(b"lsdmlo: error: in.arff: ")
    assert b"'two  blanks: -C 0'" in run.stderr


def test_every_refusal_is_an_error_of_ours(tmp_path):
    with pytest.raises(LsdmloError):
        read(tmp_path / "absent.arff")


# ---- labels that declare one value


def with_labels(tmp_path, name, never, always, third, sparse=False):
    """Write six rows whose first label is never positive, the second always, the third three times."""
    rows = [(1.0, 1), (2.5, 1), (4.0, 1), (4.5, 0), (7.0, 0), (8.5, 0)]
    head = f"@relation r\n@attribute x numeric\n@attribute A {never[0]}\n@attribute B {always[0]}\n@attribute C {third}\n@data\n"
    form = ["{},{},{},{}\n", "{{0 {},1 {},2 {},3 {}}}\n"][sparse]
    (tmp_path / name).write_text(head + "".join(form.format(x, never[1], always[1], c) for x, c in rows))
    return name


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("never", "always"),
    [
        (("{0}", "0"), ("{1}", "1")),
        (("{'0'}", "'0'"), ('{"1"}', '"1"')),
        (("{FALSE}", "FALSE"), ("{true}", "true")),
        (("{no}", "no"), ("{Yes}", "'Yes'")),
    ],
)
def test_a_label_of_one_value_is_constant(tmp_path, lsdmlo, never, always, sparse):
    """Everything is as where the label declares both values."""
    with_labels(tmp_path, "one.arff", never, always, "{0,1}", sparse=sparse)
    with_labels(tmp_path, "both.arff", ("{0,1}", "0"), ("{0,1}", "1"), "{0,1}", sparse=sparse)
    one, both = (read(tmp_path / name, "-3").dataset for name in ("one.arff", "both.arff"))
    assert label_rows(one) == label_rows(both) == [[0, 1, c] for c in (1, 1, 1, 0, 0, 0)]
    reports = []
    for name in ("one.arff", "both.arff"):
        run = lsdmlo("resample", name, f"out-{name}", "--labels=-3", "--p", "2", "--report", "r.json", "--quiet")
        assert run.returncode == 0, run.stderr
        told = (tmp_path / "r.json").read_text().replace(name, "in.arff")
        reports.append(re.sub(r'"sha256": "[0-9a-f]{64}"', "", told))
        assert read(tmp_path / f"out-{name}", "-3").dataset.counts.tolist()[0] == 0
    assert reports[0] == reports[1]


def test_the_measures_of_constant_labels(tmp_path, lsdmlo):
    with_labels(tmp_path, "in.arff", ("{0}", "0"), ("{1}", "1"), "{0,1}")
    report = json.loads(lsdmlo("stats", "in.arff", "--labels=-3", "--k", "2").stdout)
    figures = [[label[name] for name in ("count", "IRLbl", "minority", "LImb", "LImb_LSD")] for label in report["labels"]]
    assert figures[:2] == [[0, None, False, None, None], [6, 1.0, False, 0.0, 0.0]]
    assert figures[2][:3] == [3, 2.0, True]
    assert report["measures"]["MeanIR"] == 1.5


def test_an_omitted_label_has_its_only_value(arff):
    head = "@relation r\n@attribute x numeric\n@attribute A {0}\n@attribute B {1}\n@data\n"
    data = arff(head + "{0 5}\n{}\n{1 0,2 1}\n", "-2").dataset
    assert label_rows(data) == [[0, 1]] * 3


@pytest.mark.parametrize("declared", ["{0}", "{1}", "{FALSE}", "{no}"])
def test_mulan_wants_both_values(arff, tmp_path, declared):
    (tmp_path / "in.xml").write_text(xml("L"))
    with pytest.raises(FormatError, match=r"in.arff:3: label 'L' must be .*\{0,1\}.*: declare both values, as Mulan wants it"):
        arff(f"@relation r\n@attribute x numeric\n@attribute L {declared}\n@data\n", labels=None)


def test_no_new_row_has_a_value_that_is_not_declared(tmp_path, lsdmlo):
    """REMEDIAL takes the labels of a row apart: one half would be without the label that declares 1 alone."""
    rows = "".join(f"{i},1,{int(i == 0)},{int(i < 2)}\n" for i in range(8))
    head = "@relation r\n@attribute x numeric\n@attribute A {1}\n@attribute B {0,1}\n@attribute C {0,1}\n@data\n"
    (tmp_path / "in.arff").write_text(head + rows)
    run = lsdmlo("resample", "in.arff", "out.arff", "--labels=-3", "--method", "remedial")
    assert run.returncode == 1
    assert b"in.arff: label 'A' declares the value '1' alone, and a new row needs the other: declare both" in run.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.arff"]


# ---- MEKA's split, and labels outside the labels around them

META = "@relation '{}'\n@attribute A {{0,1}}\n@attribute B {{0,1}}\n@attribute x numeric\n@data\n1,0,5\n0,1,6\n0,0,7\n"


@pytest.mark.parametrize("options", ["-C 2 -split-percentage 66", "-split-number 40 -C 2", "-C 2 -split-number"])
def test_a_split_of_meka_is_warned_of(arff, options):
    (warning,) = arff(META.format(f"r: {options}"), None).dataset.warnings
    assert re.search(r"-split-\w+", options)[0] in warning
    assert "resample a file of training rows" in warning


@pytest.mark.parametrize(
    "relation",
    ["r: -C 2", "r-split-percentage 66: -C 2", "r -split-number 5: -C 2", "r: -C 2 -split-numbers 3", "-split-number 5"],
)
def test_there_is_no_split(arff, relation):
    assert arff(META.format(relation), "2").dataset.warnings == ()


def test_the_command_warns_of_a_split(tmp_path, lsdmlo):
    (tmp_path / "in.arff").write_text(META.format("r: -C 2 -split-percentage 66"))
    run = lsdmlo("stats", "in.arff", "--measures", "fast")
    assert b"the relation 'r: -C 2 -split-percentage 66' says -split-percentage 66: MEKA" in run.stderr
    assert "-split-percentage 66" in json.loads(run.stdout)["warnings"][0]


TREE = '<labels xmlns="m"><label name="A"><label name="B"><label name="C"/></label></label><label name="D"/></labels>'


def nested(arff, tmp_path, rows):
    (tmp_path / "in.xml").write_text(TREE)
    declared = "".join(f"@attribute {name} {{0,1}}\n" for name in "DCBA")
    head = f"@relation r\n@attribute x numeric\n{declared}@data\n"
    return arff(head + "".join(f"1,{row}\n" for row in rows), labels=None).dataset


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["0,0,0,0", "1,0,0,1", "0,0,1,0", "0,1,1,1"], "1 of 4 rows have .* \\(first row 3: 'B' without 'A'\\); Mulan"),
        (["0,1,0,1", "0,1,1,0", "1,1,0,0"], "3 of 3 rows have .* \\(first row 1: 'C' without 'B'\\); Mulan"),
    ],
)
def test_a_label_without_the_one_around_it_is_warned_of(arff, tmp_path, rows, said):
    (warning,) = nested(arff, tmp_path, rows).warnings
    assert re.search(said, warning)


@pytest.mark.parametrize("rows", [[], ["0,0,0,0", "1,0,0,0", "0,1,1,1", "1,0,1,1", "0,0,0,1"]])
def test_labels_within_those_around_them_need_no_warning(arff, tmp_path, rows):
    assert nested(arff, tmp_path, rows).warnings == ()


@pytest.mark.parametrize("part", ["train", "test"])
def test_real_nested_labels_need_no_warning(shared, part):
    assert read(shared / "data" / f"hierarchical-{part}.arff.xz", None).dataset.warnings == ()
