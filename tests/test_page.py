"""Pages: what stands in them is what was measured and made, names of any kind are texts, and nothing comes from outside."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from lsdmlo_cli.page.write import embedded, rendered

HOSTILE = ["</script><script>alert(1)</script>", 'it\'s "quoted" <b>&amp;', "\u202eright to left \u05d0\u05d1", "y" * 300, "a|b"]


def model(path: Path) -> dict:
    """The data in a page."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def tables(section: dict) -> dict:
    return {one["title"]: one for one in (*section["tables"], *section["made"])}


@pytest.fixture
def augmented(here, birds):
    """A resampling with its provenance beside it, and its report."""
    assert here("resample", "birds.arff", "out.arff", "--provenance", "out.provenance.csv", "--quiet").returncode == 0
    return json.loads((birds / "out.report.json").read_text())


def test_a_page_of_a_data_set_has_its_measures_and_labels(here, birds):
    done = here("page", "birds.arff", "-o", "birds.html")
    assert (done.returncode, done.stdout) == (0, b"")
    report = json.loads(here("stats", "birds.arff").stdout)
    (section,) = model(birds / "birds.html")["sections"]
    assert {row[0]: row[1] for row in tables(section)["Measures"]["rows"]} == report["measures"]
    rows = {row[0]: row for row in tables(section)["Labels"]["rows"]}
    place = {column["title"]: i for i, column in enumerate(tables(section)["Labels"]["columns"])}
    for label in report["labels"]:
        row = rows[label["name"]]
        assert [row[place[key]] for key in ("positives", "IRLbl", "LImb", "LImb_LSD", "features")] == [
            label[key] for key in ("count", "IRLbl", "LImb", "LImb_LSD", "features")
        ]
        assert (row[place["minority"]] == "minority") == label["minority"]
    names = [picture["name"] for picture in section["pictures"]]
    assert names == ["labels", "local-imbalance", "cooccurrence", "cardinality", "labelsets", "features"]
    assert (section["rows"], section["made"]) == (None, [])


@pytest.mark.parametrize("source", ["out.arff", "out.report.json"])
def test_a_page_of_a_resampling_tells_what_was_made(source, here, birds, augmented):
    assert here("page", source, "-o", "out.html").returncode == 0
    (section,) = model(birds / "out.html")["sections"]
    assert {row[0]: row[1:3] for row in tables(section)["Measures"]["rows"]} == {
        name: [augmented[when]["measures"][name] for when in ("before", "after")] for name in augmented["before"]["measures"]
    }
    lines = [line.split(",") for line in (birds / "out.provenance.csv").read_text().split()[1:]]
    made = {row[0]: row[1:3] for row in tables(section)["What was made"]["rows"]}
    assert made == {
        label: [len(own), len({line[1] for line in own})]
        for label in {line[3] for line in lines}
        if (own := [line for line in lines if line[3] == label])
    }
    rows = section["rows"]
    found = [[str(row[0]), str(row[1]), str(row[2]), rows["labels"][row[3]]] for row in rows["rows"]]
    assert found == lines
    drawn = [picture["name"] for picture in section["pictures"] if picture["name"].startswith("parents")]
    assert 1 <= len(drawn) <= 3


def test_a_page_explains_the_values_and_labels_of_the_output(here, birds, augmented):
    """Against the lines of OUT, read here by splitting them: values, and the labels of the new row and both parents."""
    here("page", "out.arff", "-o", "out.html")
    rows = model(birds / "out.html")["sections"][0]["rows"]
    text = (birds / "out.arff").read_text()
    header, _, data = text.partition("@data\n")
    names = [match[1] or match[2] for match in re.finditer(r"^@attribute (?:'([^']*)'|(\S+)) ", header, re.MULTILINE)]
    lines = [[cell.strip("'") for cell in line.split(",")] for line in data.splitlines() if line]
    for row, seed, reference, _, _, values, labels in rows["rows"]:
        parents = [lines[number - 1] for number in (row, seed, reference)]
        for feature, *texts in values:
            shown = texts if len(texts) == 3 else 3 * texts
            own = [line[names.index(rows["features"][feature])] for line in parents]
            assert [_number(cell) for cell in shown] == pytest.approx([_number(cell) for cell in own], rel=1e-5)
        of_both = {rows["labels"][j]: [1, 1, 1] for j in labels if isinstance(j, int)}
        of_one = [one for one in labels if isinstance(one, list)]
        told = {rows["labels"][j]: [bits & 1, bits >> 1 & 1, bits >> 2 & 1] for j, bits, *_ in of_one} | of_both
        real = {name: [int(line[names.index(name)]) for line in parents] for name in rows["labels"]}
        assert told == {name: bits for name, bits in real.items() if any(bits)}


def _number(cell):
    return float(cell) if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", cell) else hash(cell)


def test_where_the_parents_differ_the_nearer_one_is_named(here, birds, augmented):
    """The distances that are told are those of the label, by its own sum over the features."""
    from lsdmlo_cli.explained import NEARER_REFERENCE, NEARER_SEED, Explanations
    from lsdmlo_cli.provenance import made

    found = made("out.arff", augmented, "out.provenance.csv")
    rows = Explanations(found, 0)
    E, new = (np.asarray(one if isinstance(one, np.ndarray) else one.toarray()) for one in (rows.analysis.E, rows.new.E))
    reasons = []
    for place, row in enumerate(rows.explained(range(rows.count))):
        for label in row.labels:
            theta = rows.analysis.thetas([label.label])[0]
            ends = [np.sqrt((theta * (new[place] - E[parent - 1]) ** 2).sum()) for parent in (row.seed, row.reference)]
            reasons.append(label.reason)
            assert (label.seed != label.reference) == (label.reason in (NEARER_SEED, NEARER_REFERENCE))
            wanted = (min(ends), max(ends)) if label.seed != label.reference else (None, None)
            assert (label.near, label.far) == pytest.approx(wanted)
            nearer = {NEARER_SEED: label.seed, NEARER_REFERENCE: label.reference}.get(label.reason, label.new)
            assert label.new == nearer
    assert {NEARER_SEED, NEARER_REFERENCE} < set(reasons)


def test_a_page_of_results_has_a_row_a_figure(birds, here):
    from test_pictures import of_evaluate

    report = of_evaluate().report
    (birds / "results.json").write_text(json.dumps(report))
    assert here("page", "results.json", "-o", "results.html").returncode == 0
    (section,) = model(birds / "results.html")["sections"]
    assert len(section["tables"][0]["rows"]) == len(report["results"])
    assert [row[4] for row in section["tables"][0]["rows"]] == [row["mean"] for row in report["results"]]
    assert [picture["name"] for picture in section["pictures"]] == ["differences", "scores", "ranks", "p"]


def test_several_sources_are_sections_of_one_page(here, birds, augmented):
    (birds / "stats.json").write_bytes(here("stats", "birds.arff").stdout)
    assert here("page", "birds.arff", "out.arff", "stats.json", "-o", "all.html").returncode == 0
    sections = model(birds / "all.html")["sections"]
    assert [section["kind"] for section in sections] == ["stats", "resample", "stats"]
    assert [len(section["pictures"]) for section in sections][2] == 2  # those that need no data


def hostile(folder: Path) -> Path:
    """A data set whose labels and features have names that would break out of a page."""
    names = [name.replace("\\", "\\\\").replace("'", "\\'") for name in HOSTILE]
    labels = "\n".join(f"@attribute '{name}' {{0,1}}" for name in names)
    features = "\n".join(f"@attribute 'f{name}' numeric" for name in names)
    rng = np.random.default_rng(0)
    lines = [
        ",".join(map(str, [*rng.normal(size=5).round(3), *(rng.random(5) < [0.6, 0.5, 0.3, 0.1, 0.08]).astype(int)]))
        for _ in range(80)
    ]
    path = folder / "hostile.arff"
    path.write_text(f"@relation '</script>: -C -5'\n{features}\n{labels}\n@data\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_hostile_names_stay_inside_the_data(here, birds):
    hostile(birds)
    assert here("resample", "hostile.arff", "out.arff", "--provenance", "out.provenance.csv", "--quiet").returncode == 0
    assert here("page", "out.arff", "-o", "out.html").returncode == 0
    (section,) = model(birds / "out.html")["sections"]
    assert [row[0] for row in sorted(tables(section)["Labels"]["rows"])] == sorted(HOSTILE)
    page = (birds / "out.html").read_text(encoding="utf-8")
    assert "alert(1)</script>" not in page
    assert page.count("</script>") == 3


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "&lt;", "]]>", "\ud800"])
def test_embedded_data_is_read_back_as_it_was(text):
    assert json.loads(embedded({"name": text})) == {"name": text}
    assert [mark for mark in "<>&\u2028" if mark in embedded(text)] == []


def test_a_page_loads_nothing_from_outside(here, birds):
    assert here("page", "birds.arff", "-o", "birds.html").returncode == 0
    page = (birds / "birds.html").read_text(encoding="utf-8")
    assert re.findall(r"<(?:script|link|iframe)[^>]* (?:src|href)=", page) == []
    assert "default-src 'none'" in page
    assert len(page) < 1_200_000
    assert here("page", "birds.arff", "-o", "again.html").returncode == 0
    assert (birds / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        (("birds.arff", "-o", "birds.pdf"), 2, "a page ends in .html"),
        (("birds.arff",), 2, "--out"),
        (("none.json", "-o", "p.html"), 1, "cannot read none.json: no such file"),
        (("broken.json", "-o", "p.html"), 1, "broken.json: this is no JSON"),
        (
            ("other.json", "-o", "p.html"),
            1,
            "other.json: found other JSON, expected a report of resample, stats, evaluate or recommend",
        ),
        (("birds.arff", "none.arff", "-o", "p.html"), 1, "cannot read none.arff"),
    ],
)
def test_what_is_no_source_is_an_error_in_one_line(given, status, words, here, birds):
    (birds / "broken.json").write_text("{")
    (birds / "other.json").write_text('{"a": 1}')
    before = sorted(birds.iterdir())
    done = here("page", *given)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines), words in lines[0]) == (status, 1, True)
    assert sorted(birds.iterdir()) == before


def test_without_the_package_nothing_is_written(here, birds, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = here("page", "birds.arff", "-o", "birds.html")
    assert (done.returncode, b"pip install 'lsdmlo[plots]'" in done.stderr) == (2, True)
    assert not (birds / "birds.html").exists()


# ---- explain


def test_explain_tells_a_row_as_the_provenance_has_it(here, birds, augmented):
    row, seed, reference, label = (birds / "out.provenance.csv").read_text().split()[1].split(",")
    done = here("explain", "out.arff", "--row", row)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines[0] == f"Row {row} of out.arff, made for {label}"
    assert re.match(rf"seed +row {seed} of the input", lines[2])
    assert re.match(rf"reference +row {reference} of the input", lines[3])
    assert "\x1b" not in done.stdout.decode()


def test_explain_shows_as_many_features_as_are_asked_for(here, birds, augmented):
    counts = []
    for features in ("0", "3"):
        lines = here("explain", "out.arff", "--row", "301", "--features", features).stdout.decode().splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("feature "))
        counts.append(sum("%" in line for line in lines[first:]))
    assert counts == [augmented["dataset"]["d"], 3]


CSV = "row,seed,reference,label\n"


@pytest.mark.parametrize(
    ("row", "status", "words"),
    [
        ("300", 1, "row 300 is not synthetic: rows 301 to 330 of out.arff were made"),
        ("331", 1, "row 331 is not synthetic"),
        ("0", 2, "'0' is not a whole number of 1 or more"),
    ],
)
def test_a_row_that_was_not_made_is_not_explained(row, status, words, here, birds, augmented):
    refused(here("explain", "out.arff", "--row", row), status, words)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("out.report.json", '{"report": "stats"}', "a report of stats, and one of resample was expected"),
        ("out.arff", "@relation r\n", "is not the file that its report is about"),
        ("out.provenance.csv", "row,seed\n", "out.provenance.csv:1: expected row"),
        ("out.provenance.csv", f"{CSV}301,1,x,robin\n", "out.provenance.csv:2: expected a row"),
        ("out.provenance.csv", f"{CSV}301,1,2,robbin\n", "there is no label 'robbin'"),
        ("out.provenance.csv", f"{CSV}301,1,2,robin\n", "it tells of 1 rows, and 30 were made"),
    ],
)
def test_what_lies_beside_and_does_not_fit_is_an_error_in_one_line(file, content, words, here, birds, augmented):
    (birds / file).write_text(content)
    refused(here("explain", "out.arff", "--row", "301"), 1, words)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("out.provenance.csv", "write it with resample --provenance PATH"),
        ("out.report.json", "no report of it was found"),
        ("out.arff", "cannot read out.arff: no such file"),
    ],
)
def test_what_does_not_lie_beside_is_an_error_in_one_line(file, words, here, birds, augmented):
    (birds / file).unlink()
    refused(here("explain", "out.arff", "--row", "301"), 1, words)


def refused(done, status, words):
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (status, b"", 1)
    assert words in lines[0]


@pytest.mark.parametrize("name", ["out.arff.gz", "folder/out.arff"])
def test_explain_finds_what_lies_beside_an_output(name, here, birds):
    (birds / "folder").mkdir()
    provenance = name.removesuffix(".gz").removesuffix(".arff") + ".parents.csv"
    assert here("resample", "birds.arff", name, "--provenance", provenance, "--quiet").returncode == 0
    assert here("explain", name, "--row", "301").stdout.startswith(b"Row 301 of out.arff")


def test_an_output_whose_labels_were_named_is_explained(here, birds):
    """A CSV holds no word of which columns are labels: they are those of the run."""
    pytest.importorskip("pyarrow")
    assert here("convert", "birds.arff", "birds.csv", "--quiet").returncode == 0
    named = (
        "--labels",
        "great_tit,*_tit,house_sparrow,robin,goldfinch,nuthatch,hawfinch",
        "--provenance",
        "out.provenance.csv",
        "--quiet",
    )
    assert here("resample", "birds.csv", "out.csv", *named).returncode == 0
    assert here("explain", "out.csv", "--row", "301").stdout.startswith(b"Row 301 of out.csv")


@pytest.mark.parametrize("method", ["lsdmlo-pos", "mlsmote", "mlros", "remedial", "mlsol"])
def test_every_kind_of_method_is_explained(method, here, birds):
    """With parents of one or two, with rows removed, for a label or for none."""
    done = here("resample", "birds.arff", "out.arff", "--provenance", "out.provenance.csv", "--quiet", "--method", method)
    assert done.returncode == 0
    row, seed, *_ = (birds / "out.provenance.csv").read_text().split()[1].split(",")
    told = here("explain", "out.arff", "--row", row).stdout.decode()
    assert f"row {seed} of the input" in told
    assert here("page", "out.arff", "-o", "out.html").returncode == 0


def test_where_rows_were_removed_the_input_is_needed(here, birds):
    here("resample", "birds.arff", "out.arff", "--provenance", "out.provenance.csv", "--quiet", "--method", "remedial")
    row = (birds / "out.provenance.csv").read_text().split()[1].split(",")[0]
    (birds / "birds.arff").rename(birds / "elsewhere.arff")
    done = here("explain", "out.arff", "--row", row)
    assert (done.returncode, b"its input birds.arff is needed" in done.stderr) == (1, True)


def test_a_page_of_nothing_is_written():
    assert b"<main" in rendered([])
