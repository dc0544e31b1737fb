"""The shared cases: their own runner, and what their expect.json says in words, made into checks."""

import gzip
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import fresh
import numpy as np
import pytest
from conftest import OMITTED, SHARED, cells, label_rows, read
from forked import forked

from lsdmlo_cli import LSDMLO, LsdmloError, Settings, resample, stats

CASES = sorted(path.parent.name for path in SHARED.glob("cases/*/expect.json"))
pytestmark = pytest.mark.shared


OTHER = {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The environment in which run.py runs a command for the second time."""


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """run.py as a module, whose commands are forks of this process, or the second time of one in the other environment."""
    place = importlib.util.spec_from_file_location("run", SHARED / "cases" / "run.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    with fresh.python(tmp_path_factory.mktemp("other") / "python", **OTHER) as python:
        module.subprocess = SimpleNamespace(run=partial(started, python))
        yield module


def started(python, command, cwd, env=None, timeout=300, encoding=None, **options):
    """subprocess.run for the runner; `lsdmlo` is the command."""
    own = command[0] == "lsdmlo"
    if not own or (env or {}).get("PYTHONHASHSEED", "0") != "0":
        assert not own or OTHER.items() <= env.items()
        again = [python, "-m", "lsdmlo_cli", *command[1:]] if own else command
        return subprocess.run(again, cwd=cwd, env=env, timeout=timeout, encoding=encoding, **options)
    done = forked(command[1:], cwd, timeout=timeout)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("case", CASES)
def test_the_runner_finds_nothing(runner, case, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", case])
    status = runner.main()
    told = capsys.readouterr().out
    assert (bool(status), told.count("\n")) == (False, 1), told


@pytest.fixture
def case(tmp_path):
    """Copy the case of a number and return its folder."""

    def folder(number):
        name = next(name for name in CASES if name.startswith(f"{number}-"))
        shutil.copytree(SHARED / "cases" / name, tmp_path, dirs_exist_ok=True, copy_function=shutil.copyfile)
        return tmp_path

    return folder


@pytest.fixture
def values(case):
    """The values that expect.json holds for the first command of a case."""
    return lambda number: json.loads((case(number) / "expect.json").read_text())["values"]


def labels(folder):
    return next((str(path) for path in [folder / "labels.xml"] if path.exists()), None)


def data_of(folder, name="in.arff"):
    return read(folder / name, labels(folder)).dataset


def added(folder, p, name="in.arff", k=None, seed=0):
    """The text of the new rows, the new rows as a data set (features, labels), and the report."""
    out = folder / f"out-{name}"
    done = resample(str(folder / name), str(out), LSDMLO(p=p), Settings(k=k), labels=labels(folder), seed=seed)
    before, after = (
        (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw) for raw in ((folder / name).read_bytes(), out.read_bytes())
    )
    assert after.startswith(before)
    n = done.report["dataset"]["n"]
    data = data_of(folder, out.name)
    return after[len(before) :], cells(data)[n:], label_rows(data)[n:], done.report


def column(data, name):
    place = [attribute.name for attribute in data.features].index(name)
    return [row[place] for row in cells(data)]


def counts(items):
    return {item: items.count(item) for item in items}


# ---- what is read


def test_names(case, values):
    data = data_of(case("01"))
    assert [attribute.name for attribute in (*data.features, *data.labels)] == values("01")["attribute_names"]


def test_cities(case, values):
    data, expected = data_of(case("02")), values("02")
    assert list(data.features[0].values) == expected["city_values"]
    assert counts(column(data, "city")) == expected["city_counts"]


def test_kinds(case, values):
    assert list(data_of(case("05")).features[3].values) == values("05")["kind_values"]


@pytest.mark.parametrize("number", ["08", "10"])
def test_colors(case, values, number):
    found = counts(column(data_of(case(number)), "color"))
    assert found == values(number)["color_counts"]


@pytest.mark.parametrize("number", ["04", "07", "10", "17", "53"])
def test_missing_cells(case, values, number):
    rows = cells(data_of(case(number)))
    assert sum(row.count(None) for row in rows) == values(number)["missing_cells"]


def test_a_quoted_question_mark(case):
    rows = cells(data_of(case("04")))
    assert [row[0] for row in rows[:3]] == ["?", None, "F"]
    assert rows[2][1] is None


def test_sparse_first_nominal(case, values):
    data = data_of(case("10"))
    assert cells(data)[3] + label_rows(data)[3] == values("10")["row_4"]


def test_sparse_empty_rows(case, values):
    data, expected = data_of(case("13")), values("13")
    assert cells(data)[0] + label_rows(data)[0] == expected["row_1"]
    assert cells(data)[4] == expected["row_5_features"]
    assert sum(not any(row) for row in label_rows(data)) == expected["rows_without_any_label"]


def test_flipped_labels_dense_and_sparse(case):
    folder = case("11")
    one, other = (stats(str(folder / name), labels=labels(folder)) for name in ("in.arff", "dense.arff"))
    assert one["measures"] == other["measures"]
    assert one["labels"] == other["labels"]


def test_texts(case, values):
    assert column(data_of(case("17")), "text") == values("17")["cells"]


def test_number_spellings(case, values):
    assert cells(data_of(case("25"))) == values("25")["cells"]


@pytest.mark.parametrize("name", ["nobom.arff", "cr-only.arff"])
def test_line_ends_and_mark_change_no_figure(case, name):
    folder = case("27")
    assert cells(data_of(folder, name)) == cells(data_of(folder))
    assert data_of(folder, name).relation == data_of(folder).relation


def test_instance_weights_change_no_figure(case, values):
    folder = case("16")
    report = stats(str(folder / "in.arff"), labels=labels(folder))
    plain = re.sub(r",? *\{[\d.]+\}$", "", (folder / "in.arff").read_text(), flags=re.M)
    (folder / "plain.arff").write_text(plain)
    without = stats(str(folder / "plain.arff"), labels=labels(folder))
    assert report["dataset"]["n"] == len(values("16")["instance_weights"])
    assert (report["measures"], report["labels"]) == (without["measures"], without["labels"])
    assert any("weight" in warning for warning in report["warnings"])
    assert without["warnings"] != report["warnings"]


def test_no_rows_is_strict_json_of_null(case):
    folder = case("31")
    report = stats(str(folder / "in.arff"), labels=labels(folder))
    assert report["measures"]["MeanIR"] is None
    json.dumps(report, allow_nan=False)


def test_a_label_without_positive(case):
    folder = case("47")
    report = stats(str(folder / "in.arff"), labels=labels(folder))
    assert {label["name"]: label["IRLbl"] for label in report["labels"]}["C"] is None
    assert report["measures"]["MeanIR"] == 1.5


def test_a_hierarchy_is_read_and_kept(case):
    folder = case("33")
    data = data_of(folder)
    names = [label.name for label in data.labels]
    above = {name: names[parent] for name, parent in zip(names, data.parents, strict=True) if parent >= 0}
    assert above == {"bird": "animal", "owl": "bird", "moss": "plant"}
    for seed in range(5):
        for row in added(folder, 4, seed=seed)[2]:
            carried = {name for name, y in zip(names, row, strict=True) if y}
            assert {above[name] for name in carried if name in above} <= carried


# ---- what is refused

REFUSED = [
    ("14", "in.arff", ["8", "index"]),
    ("14", "repeated.arff", ["8", "index 0", "twice"]),
    ("14", "toobig.arff", ["8", "index 4", "0 to 3"]),
    ("14", "negative.arff", ["8", "index -1"]),
    ("14", "notindex.arff", ["8", "'w2' is not an index"]),
    ("14", "unclosed.arff", ["8", "} is missing"]),
    ("19", "in.arff", ["3", "'bag'", "relational attributes are not supported"]),
    ("20", "in.arff", ["3", "'mood'", "'wibble'"]),
    ("20", "unbraced.arff", ["3", "'mood'"]),
    ("20", "unclosed.arff", ["3", "'mood'"]),
    ("20", "notype.arff", ["3", "'mood'"]),
    ("22", "in.arff", ["10", "expected 4 values, found 3"]),
    ("22", "toomany.arff", ["8", "expected 4 values, found 5"]),
    ("22", "doublecomma.arff", ["8"]),
    ("22", "emptycell.arff", ["8", "empty value", "?"]),
    ("23", "in.arff", ["8", "'member'", "'True'", "declared: 'true', 'false'"]),
    ("26", "in.arff", ["7", "'x'", "'inf'"]),
    ("26", "underscore.arff", ["7", "'x'", "_"]),
    ("26", "nan.arff", ["7", "'x'", "nan"]),
    ("26", "word.arff", ["7", "'x'"]),
    ("26", "arabic.arff", ["7", "'x'"]),
    ("26", "na.arff", ["7", "'x'", "NA"]),
    ("32", "in.arff", ["5", "@data"]),
    ("32", "norelation.arff", ["@relation"]),
    ("32", "noattributes.arff", ["@attribute"]),
    ("32", "empty.arff", ["empty"]),
    ("37", "in.arff", ["'A'", "{0,1}", "{0,1,2}"]),
    ("37", "words.arff", ["'A'"]),
    ("37", "string.arff", ["'A'", "string"]),
    ("37", "onevalue.arff", ["'A'"]),
    ("39", "bad.arff", ["7", "'A'", "0.5"]),
    ("39", "nominal10.arff", ["'A'", "{0.0,1.0}"]),
    ("40", "in.arff", ["7", "'A'", "missing"]),
    ("45", "in.arff", ["XML", "-C"]),
    ("45", "zero.arff", ["-C 0"]),
    ("45", "toomany.arff", ["-C"]),
    ("45", "notnumber.arff", ["-C"]),
    ("45", "nothing.arff", ["-C"]),
]


@pytest.mark.parametrize(("number", "name", "words"), REFUSED)
def test_refused(case, number, name, words):
    with pytest.raises(LsdmloError) as refusal:
        data_of(case(number), name)
    message = str(refusal.value)
    assert [word for word in words if word.casefold() not in message.replace(f"{name}:", f"{name} ").casefold()] == []
    assert "\n" not in message


@pytest.mark.parametrize("name", ["zero.arff", "toomany.arff", "notnumber.arff", "nothing.arff"])
def test_the_relation_is_quoted(case, name):
    folder = case("45")
    relation = re.search(r"@relation\s+'(.*)'", (folder / name).read_text(), re.I)[1]
    with pytest.raises(LsdmloError, match=re.escape(relation)):
        data_of(folder, name)


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("labels.xml", "label 'ghost' is not an attribute"),
        ("case.xml", "'b' .*'B'"),
        ("twice.xml", "'A' .*twice"),
        ("broken.xml", r":\d+: .*not well formed"),
        ("none.xml", "no labels"),
        ("noname.xml", "no name"),
        ("absent.xml", "no such file"),
    ],
)
def test_xml_mistakes(case, xml, words):
    folder = case("35")
    with pytest.raises(LsdmloError, match=words):
        read(folder / "in.arff", str(folder / xml))


@pytest.mark.parametrize(
    ("number", "name", "options", "words"),
    [
        ("31", "in.arff", {}, "rows"),
        ("45", "all.arff", {}, "no features"),
        ("52", "in.arff", {"k": 10}, "k=10 .*n=3"),
        ("52", "one.arff", {}, "at least 2 rows"),
    ],
)
def test_nothing_to_sample_from(case, number, name, options, words):
    folder = case(number)
    had = sorted(path.name for path in folder.iterdir())
    with pytest.raises(LsdmloError, match=words):
        added(folder, 1, name, **options)
    assert sorted(path.name for path in folder.iterdir()) == had


# ---- what is added

SEEDS = range(4)


@pytest.mark.parametrize(
    ("number", "name", "p", "allowed"),
    [
        ("01", "100% wool", 4, ["yes", "no"]),
        ("02", "city", 3, ["New York", "Paris, TX", "L'Aquila", "a\\b", " lead", "trail ", "50%", "plain"]),
        ("04", "sex", 5, ["?", "F", "M", None]),
        ("08", "color", 5, ["red", "dark red"]),
        ("17", "text", 5, ["first, text", 'second "text"', "third", None]),
        ("53", "c", 3, ["u", "v", None]),
        ("53", "void", 3, [None]),
        ("51", "x", 3, [5.0]),
        ("51", "const", 3, [7.0]),
        ("51", "c", 3, ["only"]),
        ("55", "count", 3, [float(v) for v in range(29)]),
        ("55", "flag", 3, [0.0, 1.0]),
    ],
)
def test_a_new_cell_holds_one_of(case, number, name, p, allowed):
    folder = case(number)
    place = [attribute.name for attribute in data_of(folder).features].index(name)
    found = {row[place] for seed in SEEDS for row in added(folder, p, seed=seed)[1]}
    assert found <= set(allowed)
    assert found


@pytest.mark.parametrize(
    ("number", "name", "low", "high"),
    [
        ("48", "x", 1, 10),
        ("48", "y", 1, 5),
        ("52", "x", 1, 4),
        ("53", "x", 1, 8),
        ("53", "y", 1, 3),
        ("55", "w", 1.5, 8.5),
        ("04", "age", 30, 32),
    ],
)
def test_a_new_number_lies_between(case, number, name, low, high):
    folder = case(number)
    place = [attribute.name for attribute in data_of(folder).features].index(name)
    found = [row[place] for seed in SEEDS for row in added(folder, 2, seed=seed)[1] if row[place] is not None]
    assert low <= min(found) <= max(found) <= high


def test_whole_numbers_have_no_point(case):
    text = b"".join(added(case("55"), 3, seed=seed)[0] for seed in SEEDS).decode()
    assert all(re.fullmatch(r"\d+,[01],\d+(\.\d+)?,[01],[01]", line) for line in text.split())


def test_missing_is_a_bare_question_mark(case):
    text = b"".join(added(case("53"), 3, seed=seed)[0] for seed in SEEDS).decode()
    assert all(
        re.fullmatch(r"[\d.]+,[\d.]+,[uv],\?,[01],[01]|(\?|[\d.]+),(\?|[\d.]+),[uv?],\?,[01],[01]", line) for line in text.split()
    )


def test_a_value_of_question_mark_is_quoted(case):
    text, rows, _, _ = added(case("04"), 20)
    lines = text.decode().splitlines()
    assert [line.split(",")[0] for line in lines] == [{"?": "'?'", None: "?"}.get(row[0], row[0]) for row in rows]


def test_the_new_row_starts_a_line_of_its_own(case):
    text, _, _, report = added(case("07"), 0.2)
    assert text.startswith(b"\n")
    assert report["synthetic"]["created"] == 1


def test_a_new_row_is_sparse_and_leaves_out_the_first_value(case):
    for seed in SEEDS:
        text, rows, _, _ = added(case("10"), 2, seed=seed)
        for line, row in zip(text.decode().splitlines(), rows, strict=True):
            assert line.startswith("{") and line.endswith("}")
            assert {"red": "1 " not in re.findall(r"[{,](\d+ )", line), None: "1 ?" in line}.get(row[1], str(row[1]) in line)


def test_a_flipped_label_is_left_out_where_it_is_1(case):
    carried = set()
    for seed in SEEDS:
        text, _, y, _ = added(case("11"), 2, seed=seed)
        for line, row in zip(text.decode().splitlines(), y, strict=True):
            assert ("1 0" in re.split("[{,}]", line)) == (row[0] == 0)
            assert "1 1" not in re.split("[{,}]", line)
            carried.add(row[0])
    assert carried == {0, 1}


def test_new_rows_carry_no_weight(case):
    text, _, _, _ = added(case("16"), 2)
    assert not re.search(rb"[^,\s\d.]\s*$|\},? *\{|\d,? *\{", text.replace(b"}\n", b"\n"))


@pytest.mark.parametrize(("name", "end"), [("in.arff", b"\r\n"), ("nobom.arff", b"\r\n"), ("cr-only.arff", b"\r")])
def test_new_rows_have_the_line_end_of_the_file(case, name, end):
    text = added(case("27"), 2, name)[0]
    lines = text.split(end)
    assert len(lines) == 9
    assert not any(b"\r" in line or b"\n" in line or b"\xef\xbb\xbf" in line for line in lines)
    assert lines[-1] == b""


def test_gzip_holds_what_the_plain_run_writes(case):
    folder = case("30")
    assert added(folder, 0.25, "in.arff.gz")[0] == added(folder, 0.25)[0]
    assert (folder / "out-in.arff.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_labels_read_0_or_1(case):
    text = b"".join(added(case("39"), 3, seed=seed)[0] for seed in SEEDS).decode()
    q = data_of(case("39")).q
    assert {cell for line in text.split() for cell in line.split(",")[-q:]} <= {"0", "1"}


def test_an_empty_label_stays_empty(case):
    folder = case("47")
    place = [label.name for label in data_of(folder).labels].index("C")
    assert {row[place] for seed in SEEDS for row in added(folder, 3, seed=seed)[2]} == {0}


def test_no_minority_label_no_row(case):
    text, _, _, report = added(case("49"), 0.25, k=3)
    assert text == b""
    assert any("minority" in warning for warning in report["warnings"])


def test_k_is_lowered_with_a_warning(case):
    report = added(case("52"), 1)[3]
    assert report["parameters"]["k"] == 2
    assert any("lowered" in warning for warning in report["warnings"])


def test_a_row_of_zeros_may_be_a_seed(case):
    """Row 5 is all 0 and the only one with both labels: it carries the minority label."""
    for seed in SEEDS:
        text, rows, _, _ = added(case("13"), 0.2, seed=seed)
        assert text.startswith(b"{")
        assert OMITTED not in rows[0]


@pytest.mark.parametrize(("p", "rows"), [(0, 0), (0.29, 29), (0.05, 5), (0.07, 7), (1.5, 150)])
def test_the_number_of_rows(case, p, rows):
    text, _, _, report = added(case("58"), p)
    n = report["dataset"]["n"]
    assert (text.count(b"\n"), report["synthetic"]["created"]) == (rows * n // 100,) * 2


def test_wide_sparse_rows_stay_sparse(case):
    folder = case("57")
    subprocess.run([sys.executable, "gen.py"], cwd=folder, check=True)
    limit = 500 << 20  # of the run alone: the peak that getrusage tells counts the process that started it, too
    code = (
        "import re, sys; from lsdmlo_cli.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(int(re.search('VmHWM:\\\\s+(\\\\d+)', open('/proc/self/status').read())[1]) * 1024)"
    )
    arguments = ["resample", "in.arff", "out.arff", "--labels", "labels.xml", "--p", "0.05", "--quiet"]
    run = subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < limit
    before, after = (folder / "in.arff").read_bytes(), (folder / "out.arff").read_bytes()
    assert len(after) < 1.2 * len(before)
    for line in after[len(before) :].decode().splitlines():
        pairs = [pair.split(" ") for pair in line[1:-1].split(",")]
        indices = [int(index) for index, _ in pairs]
        assert np.all(np.diff(indices) > 0)
        assert all(float(value) != 0 for _, value in pairs)
