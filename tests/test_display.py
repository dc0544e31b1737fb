"""Reports as tables: what they say in each format, and that nothing in a name gets out of its cell."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from lsdmlo_cli import MEASURES, report_schema
from lsdmlo_cli.display import latex, markdown
from lsdmlo_cli.display.draw import drawn
from lsdmlo_cli.display.labels import in_order, stats_document
from lsdmlo_cli.display.resampling import resample_document
from lsdmlo_cli.display.table import Cell, Column, Document, Table, View, cells
from lsdmlo_cli.display.text import plain


def label(name, count, irlbl, limb=0.5, minority=False):
    return {
        "name": name,
        "count": count,
        "IRLbl": irlbl,
        "minority": minority,
        "LImb": limb,
        "LImb_LSD": limb,
        "SCUMBLELbl": 0.25,
        "features": 3,
    }


def stats_of(*labels, file="toy.arff", n=100):
    names = ("Card", "Dens", "labelsets", "MeanIR", "MaxIR", "CVIR", "SCUMBLE", "TCS", "LImb", "LImb_LSD")
    about = {"file": file, "relation": "r", "n": n, "d": 4, "q": len(labels), "format": "dense", "labels_from": "toy.xml"}
    return {"dataset": about, "measures": dict.fromkeys(names, 1.5), "labels": list(labels), "warnings": []}


def resampling(before, after, method="mlros", added=10):
    old, new = stats_of(*before), stats_of(*after)
    return {
        "dataset": old["dataset"],
        "method": method,
        "synthetic": {"requested": added, "created": added},
        "removed": 0,
        "output": {"n": 100 + added},
        "before": {"measures": {**old["measures"], "MeanIR": 4.0}, "labels": old["labels"]},
        "after": {"measures": new["measures"], "labels": new["labels"]},
        "warnings": [],
    }


COMMON, RARE, NONE = label("common", 80, 1.0), label("rare", 4, 20.0, 0.75, minority=True), label("none", 0, None, None)
REPORT = stats_of(COMMON, RARE, NONE)
CHANGED = resampling([COMMON, RARE], [label("common", 80, 1.0), label("rare", 14, 5.75, 0.5)])


def text(report_or_reports, document=stats_document, format="markdown", **view):
    reports = report_or_reports if isinstance(report_or_reports, list) else [report_or_reports]
    return drawn(document(reports, View(format=format, **view)), format, io.StringIO())


def rows(shown, first):
    """The cells of the lines of a Markdown table below the header that begins with a title."""
    lines = re.split(rf"^\| {first} +\|", shown, maxsplit=1, flags=re.MULTILINE)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


# ---- the labels of a data set


def test_labels_stand_with_the_rarest_first_and_those_without_a_figure_last() -> None:
    found = rows(text(REPORT), "label")
    assert [line[:6] for line in found] == [
        ["rare", r"\*4", "0.0400", "20.00", "yes", "0.750"],
        ["common", "80", "0.8000", "1.00", "", "0.500"],
        ["none", r"\*0", "0.0000", "-", "", "-"],
    ]


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("irlbl", ["b", "a", "c"]),
        ("positives", ["a", "c", "b"]),
        ("name", ["a", "b", "c"]),
        ("limb", ["c", "b", "a"]),
        ("file", ["b", "c", "a"]),
    ],
)
def test_labels_are_sorted_by_what_is_asked_for(sort, names) -> None:
    labels = [label("b", 1, 9.0, 0.5), label("c", 2, None, 0.9), label("a", 9, 1.0, None)]
    assert [one["name"] for one in in_order(labels, sort)] == names


@pytest.mark.parametrize(("top", "shown", "more"), [(None, 20, "5 more"), (3, 3, "22 more"), (0, 25, ""), (25, 25, "")])
def test_so_many_labels_are_shown_and_the_rest_is_counted(top, shown, more) -> None:
    report = stats_of(*(label(f"l{j}", 50, 1.0) for j in range(25)))
    found = text(report, top=top)
    assert len(rows(found, "label")) == shown
    assert re.findall(r"\d+ more", found) == [more] * bool(more)


def test_fewer_than_ten_positives_are_marked_and_explained() -> None:
    marked = text(stats_of(label("nine", 9, 2.0), label("ten", 10, 1.8)))
    assert [line[1] for line in rows(marked, "label")] == [r"\*9", "10"]
    assert "fewer than 10 positives" in marked
    assert "fewer than 10" not in text(stats_of(label("ten", 10, 1.8)))


def test_figures_that_no_label_has_take_no_column() -> None:
    shown = text(stats_of(label("a", 50, 1.0, None), label("b", 20, 2.5, None)), sort="positives")
    assert [line[:5] for line in rows(shown, "label")] == [["a", "50", "0.5000", "1.00", ""], ["b", "20", "0.2000", "2.50", ""]]
    assert ("LImb |" in shown.split("**Labels by positives**")[1], "SCUMBLELbl" in shown) == (False, True)


def test_every_measure_is_explained_as_the_package_says() -> None:
    described = report_schema()["$defs"]["measures"]["properties"]
    assert {name: measure.title for name, measure in MEASURES.items()} == {n: f["description"] for n, f in described.items()}
    assert ["MeanIR", "1.500", MEASURES["MeanIR"].title] in rows(text(REPORT), "measure")


# ---- CSV


def read_csv(shown):
    return list(csv.DictReader(io.StringIO(shown, newline="")))


def test_csv_holds_every_label_unrounded() -> None:
    report = stats_of(*(label(f"l{j}", j, 1 / 3) for j in range(30)))
    found = read_csv(text(report, format="csv", sort="file"))
    assert [(one["label"], float(one["IRLbl"]), int(one["positives"])) for one in found] == [
        (f"l{j}", 1 / 3, j) for j in range(30)
    ]
    assert {one["dataset"] for one in found} == {"toy.arff"}
    assert {one["minority"] for one in found} == {"false"}


def test_csv_leaves_empty_what_is_not_defined() -> None:
    assert read_csv(text(REPORT, format="csv"))[-1]["IRLbl"] == ""


def test_several_data_sets_are_a_line_each() -> None:
    reports = [stats_of(COMMON, file="a.arff", n=7), stats_of(COMMON, RARE, file="b.arff")]
    assert [(one["dataset"], one["rows"], one["labels"]) for one in read_csv(text(reports, format="csv"))] == [
        ("a.arff", "7", "1"),
        ("b.arff", "100", "2"),
    ]
    assert [line[0] for line in rows(text(reports), "data set")] == ["a.arff", "b.arff"]


def test_the_lines_of_several_data_sets_can_be_their_labels_and_of_one_itself() -> None:
    reports = [stats_of(COMMON, file="a.arff"), stats_of(COMMON, RARE, file="b.arff")]
    found = read_csv(text(reports, format="csv", per="label"))
    assert [(one["dataset"], one["label"]) for one in found] == [("a.arff", "common"), ("b.arff", "rare"), ("b.arff", "common")]
    assert [one["dataset"] for one in read_csv(text(reports[1], format="csv", per="dataset"))] == ["b.arff"]


# ---- before and after


def test_what_rose_and_what_fell() -> None:
    shown = text(CHANGED, resample_document)
    assert ["MeanIR", "4.000", "1.500", "-2.500", "▼"] in rows(shown, "measure")
    assert ["Card", "1.500", "1.500", "", ""] in rows(shown, "measure")
    assert rows(shown, "label") == [
        ["rare", r"\*4 → 14", "+10", "20.00 → 5.75 ▼", "0.750 → 0.500 ▼", "0.750 → 0.500 ▼"],
        ["common", "80 → 80", "", "1.00 → 1.00", "0.500 → 0.500", "0.500 → 0.500"],
    ]
    assert "- IRLbl fell for 1 label, rose for 0, stayed for 1" in shown


def test_a_run_is_a_line_of_its_own_among_several() -> None:
    other = resampling([COMMON], [COMMON], method="mlsmote", added=3)
    found = rows(text([CHANGED, other], resample_document), "data set")
    assert [line[:6] for line in found] == [
        ["toy.arff", "mlros", "100", "10", "0", "4.000 → 1.500"],
        ["toy.arff", "mlsmote", "100", "3", "0", "4.000 → 1.500"],
    ]


def test_both_figures_of_a_label_are_in_csv() -> None:
    first = read_csv(text(CHANGED, resample_document, "csv"))[0]
    assert (first["label"], first["positives_before"], first["positives_after"]) == ("rare", "4", "14")
    assert (first["IRLbl_before"], first["IRLbl_after"]) == ("20.0", "5.75")


# ---- hostile names

HOSTILE = [
    "a|b",
    "\x1b[31mred",
    "new\nline",
    "50%_#$&{}~^\\",
    "[x] *y*",
    "<script>",
    "--a",
    "\u202eabc",
    "x" * 300,
    "`c`",
    "\x9b1m",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_stays_in_its_cell_of_markdown(name) -> None:
    found = rows(text(stats_of(label(name, 50, 1.0))), "label")
    assert len(found) == 1
    assert len(found[0]) == 9
    assert re.sub(r"\\(.)", r"\1", found[0][0]) == plain(name)


IN_LATEX = [
    ("a|b", r"a\textbar{}b"),
    ("\x1b[31mred", r"\textbackslash{}x1b{[}31mred"),
    ("new\nline", r"new\textbackslash{}nline"),
    ("50%_#$&{}~^\\", r"50\%\_\#\$\&\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
    ("[x] *y*", "{[}x{]} {*}y{*}"),
    ("<script>", r"\textless{}script\textgreater{}"),
    ("--a", "-{}-a"),
    ("naïve 鳥", "naïve 鳥"),
]
"""Names with what has to stand in LaTeX so that it prints them; [ and * would else belong to the end of the line before."""


@pytest.mark.parametrize(("name", "spelled"), IN_LATEX, ids=[ascii(name) for name, _ in IN_LATEX])
def test_latex_prints_a_name_as_it_is(name, spelled) -> None:
    table = Table("", (Column("label"), Column("n", right=True)), (cells(name, "-1"),))
    assert rf"{spelled} & $-$1 \\" in latex.to_latex(Document((table,), ())).splitlines()


@given(st.text())
def test_nothing_that_acts_on_a_terminal_is_left(name) -> None:
    assert all(character.isprintable() or character not in "\x1b\x9b\x07\r\n\t\u202e\u2066" for character in plain(name))
    assert plain(plain(name)) == plain(name)


def test_markdown_leaves_underscores_of_words_alone() -> None:
    assert markdown.escaped("great_tit _x_") == r"great_tit \_x\_"


@pytest.mark.parametrize(
    "name", ["ascii", "鳥", "☀️ sun", "👩‍👩‍👧", "\u1112\u1161\u11ab", "ไทยภาษา", "שָׁלוֹם", "cafe\u0301", "مَرْحَبًا"]
)
def test_a_name_takes_as_many_cells_as_it_is_wide(name) -> None:
    lines = text(stats_of(label(name, 57, 1.0)), format="table").splitlines()
    header, line = (next(line for line in lines if found in line) for found in (" positives ", " 57 "))
    assert wcswidth(line[: line.index("57") + 2]) == header.index("positives") + len("positives")


# ---- LaTeX


def test_latex_is_a_table_of_booktabs_with_the_best_in_bold() -> None:
    table = Table(
        "50 % done", (Column("metric"), Column("a"), Column("b", bar=True)), (cells("F_1", Cell("0.5 ± 0.1", "best"), "x"),)
    )
    shown = latex.to_latex(Document((table,), ()))
    assert [shown.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert r"F\_1 & \textbf{0.5 $\pm$ 0.1} \\" in shown
    assert r"\caption{50 \% done}" in shown
    assert r"\begin{tabular}{ll}" in shown


def test_a_report_without_labels_has_nothing_to_break() -> None:
    assert rows(text(stats_of()), "label") == []
    assert text(stats_of(), format="csv") == ""
    assert json.loads(json.dumps(text(stats_of(), format="latex"))).count("toprule") == 2
