"""What scripts and schedulers use: several files into one folder, runs that only say what would be made."""

import json
import os
import shutil

import pytest

from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.pipeline import dry_run, resample
from lsdmlo_cli.samplers import SAMPLERS

FAST = ("--measures", "fast", "--quiet")


@pytest.fixture
def two(birds):
    """A folder with two data sets and a file that is none."""
    for end in (".arff", ".xml"):
        shutil.copy(f"birds{end}", f"more{end}")
    (birds / "broken.arff").write_text("nothing\n")
    return birds


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refused(run, *words):
    message = run.stderr.decode()
    assert run.returncode == 2
    assert message.count("\n") == 1
    assert [word for word in words if word not in message] == []


# ---- several data sets


def test_each_file_is_made_as_it_is_alone(two, here):
    assert here("resample", "birds.arff", "more.arff", "--out-dir", "a/b", *FAST, "--p", "0.2").returncode == 0
    assert here("resample", "birds.arff", "birds-alone.arff", *FAST, "--p", "0.2").returncode == 0
    assert names(two / "a" / "b") == [f"{name}{end}" for name in ("birds", "more") for end in (".arff", ".report.json", ".xml")]
    for name in ("birds", "more"):
        assert (two / "a" / "b" / f"{name}.arff").read_bytes() == (two / "birds-alone.arff").read_bytes()
    assert json.loads((two / "a" / "b" / "more.report.json").read_bytes())["options"] == {
        "--p": 0.2,
        "--measures": "fast",
    }


def test_side_outputs_are_named_after_their_data_set(two, here):
    line = ("--provenance", "parents.csv", "--report", "json", "--plot", "made.svg", "--measures", "fast")
    assert here("resample", "birds.arff", "--out-dir", "out", *line).returncode == 0
    assert names(two / "out") == ["birds.arff", "birds.json", "birds.made.svg", "birds.parents.csv", "birds.xml"]


def test_a_file_at_fault_is_told_and_the_others_are_done(two, here):
    run = here("resample", "birds.arff", "broken.arff", "absent.arff", "more.arff", "--out-dir", "out", "--no-report", *FAST)
    assert run.returncode == 1
    broken, absent = run.stderr.decode().splitlines()
    assert broken.startswith("lsdmlo: error: broken.arff:1: expected @relation")
    assert absent.startswith("lsdmlo: error: cannot read absent.arff: no such file or directory")
    assert names(two / "out") == ["birds.arff", "birds.xml", "more.arff", "more.xml"]


def test_a_folder_in_which_nothing_came_to_lie_is_removed(two, here):
    assert here("resample", "broken.arff", "absent.arff", "--out-dir", "a/b", *FAST).returncode == 1
    assert not (two / "a").exists()


def test_machines_are_told_which_file_is_at_fault(two, here):
    run = here("resample", "birds.arff", "broken.arff", "--out-dir", "out", "--measures", "fast", "--log", "json")
    objects = [json.loads(line) for line in run.stderr.splitlines()]
    told = [(one["kind"], one["input"]) for one in objects if one["kind"] != "progress"]
    assert told == [("result", "birds.arff"), ("error", "broken.arff")]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ("birds.arff d/birds.arff", ["birds.arff and d/birds.arff would both be written to out/birds.arff"]),
        ("birds.arff ./birds.arff", ["birds.arff and ./birds.arff would both be written to out/birds.arff"]),
        ("birds.arff birds.csv", ["would both be written to out/birds.report.json"]),
        ("birds.arff birds.csv --no-report", ["would both be written to out/birds.xml"]),
        ("birds.arff -", ["standard input has no name"]),
        ("birds.arff more.arff --in-place", ["--in-place and --out-dir exclude each other"]),
        ("birds.arff more.arff --report -", ["--report -: with --out-dir it is the end of names"]),
        ("birds.arff more.arff --provenance a/b.csv", ["--provenance a/b.csv: with --out-dir it is the end of names"]),
    ],
)
def test_what_does_not_go_into_one_folder_is_refused_before_any_work(files, words, two, here):
    refused(here("resample", *files.split(), "--out-dir", "out"), *words)
    assert not (two / "out").exists()


def test_a_folder_of_inputs_is_no_folder_of_outputs(two, here):
    refused(here("resample", "birds.arff", "more.arff", "--out-dir", "."), "OUT is the input itself, ./birds.arff")
    assert names(two) == ["birds.arff", "birds.xml", "broken.arff", "more.arff", "more.xml"]


# ---- what would be made


@pytest.mark.parametrize("method", ["lsdmlo", "mlrus", "remedial", "mlsmote"])
def test_a_dry_run_says_what_the_run_makes(method, two, here):
    before = {path.name: path.stat().st_mtime_ns for path in two.iterdir()}
    run = here("resample", "birds.arff", "out.arff", "--method", method, "--dry-run", "--log", "json")
    assert {path.name: path.stat().st_mtime_ns for path in two.iterdir()} == before
    assert (run.returncode, run.stdout) == (0, b"")
    plan = json.loads(run.stderr.splitlines()[-1])
    assert here("resample", "birds.arff", "out.arff", "--method", method, *FAST).returncode == 0
    report = json.loads((two / "out.report.json").read_bytes())
    assert plan["kind"] == "plan"
    assert (plan["n"], plan["d"], plan["q"]) == tuple(report["dataset"][name] for name in "ndq")
    assert (plan["method"], plan["added"], plan["removed"]) == (method, report["synthetic"]["created"], report["removed"])
    assert plan["minority"] == [label["name"] for label in report["before"]["labels"] if label["minority"]]
    assert sorted(plan["outputs"]) == sorted(set(names(two)) - set(before))


def test_people_are_told_in_three_lines(two, here):
    (two / "out.arff").write_text("old")
    lines = here("resample", "birds.arff", "out.arff", "--dry-run", "--rows", "7").stderr.decode().splitlines()
    assert lines == [
        "lsdmlo: birds.arff: 300 rows, 20 features, 7 labels; 3 minority labels (goldfinch, nuthatch, hawfinch)",
        "lsdmlo: birds.arff: lsdmlo would add up to 7 rows and remove 0",
        "lsdmlo: birds.arff: would write out.arff (replaced), out.report.json, out.xml; nothing was written",
    ]
    assert here("resample", "birds.arff", "out.arff", "--dry-run", "--quiet").stderr == b""
    assert (two / "out.arff").read_text() == "old"


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("broken.arff out.arff", 1, "broken.arff:1: expected @relation"),
        ("birds.arff missing/out.arff", 1, "cannot write missing/out.arff: no such file or directory"),
        ("birds.arff out.arff --provenance .", 1, "cannot write .: it is a folder"),
        ("birds.arff birds.arff", 2, "OUT is the input itself"),
        ("birds.arff out.arff --k 300", 1, "300"),
        ("birds.arff out.arff --method mlrus --rows 301", 1, "rows=301 cannot be removed"),
    ],
)
def test_what_a_run_refuses_its_dry_run_does(line, status, says, two, here):
    for dry in ([], ["--dry-run"]):
        run = here("resample", *line.split(), *dry)
        assert run.returncode == status
        assert says in run.stderr.decode()
    assert names(two) == ["birds.arff", "birds.xml", "broken.arff", "more.arff", "more.xml"]


def test_a_dry_run_makes_no_folder(two, here):
    run = here("resample", "birds.arff", "broken.arff", "--out-dir", "a/b", "--dry-run")
    assert run.returncode == 1
    assert "would write a/b/birds.arff, a/b/birds.report.json, a/b/birds.xml; nothing" in run.stderr.decode()
    assert not (two / "a").exists()


def test_a_pipe_is_not_opened(two, here):
    os.mkfifo("pipe")
    assert here("resample", "birds.arff", "pipe", "--dry-run").returncode == 0


def test_a_method_without_a_minority_label_adds_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i % 2},{i % 2}\n" for i in range(20))
    (tmp_path / "even.arff").write_text(
        f"@relation r\n@attribute x numeric\n@attribute a {{0,1}}\n@attribute b {{0,1}}\n@data\n{rows}"
    )
    plan = dry_run("even.arff", "out.arff", SAMPLERS["lsdmlo"](), labels="-2")
    made = resample("even.arff", "out.arff", SAMPLERS["lsdmlo"](), labels="-2").report
    assert (plan.added, plan.minority) == (0, [])
    assert [line for line in plan.warnings if line not in made["warnings"]] == []
    assert "no row is added" in " ".join(plan.warnings)


def test_python_refuses_what_the_command_refuses(two):
    with pytest.raises(ParameterError, match="OUT is the input itself"):
        dry_run("birds.arff", "birds.arff")
