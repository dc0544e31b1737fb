"""What scripts and schedulers use: several files into one folder, runs that only say what would be made."""

import json
import os
import shutil

import pytest

from lsdmlo_cli.cli import lsdmlo as group
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


# ---- options in a file


@pytest.fixture
def config(two, here):
    """Run a command with some options in a file, options.toml unless it has another name."""

    def run(content, *line, file="options.toml"):
        (two / file).write_text(content)
        return here(*line, "--config", file)

    return run


def test_options_of_a_file_are_as_if_they_were_typed(config, two, here):
    content = "[resample]\nmethod = 'MLSMOTE'\nstrategy = 'union'\nmeasures = 'fast'\nquiet = true\nmax-iter = 900\nrows = 7\n"
    assert config(content, "resample", "birds.arff", "out.arff").returncode == 0
    line = ("--method", "mlsmote", "--strategy", "union", "--max-iter", "900", "--rows", "7", *FAST)
    assert here("resample", "birds.arff", "typed.arff", *line).returncode == 0
    assert (two / "out.arff").read_bytes() == (two / "typed.arff").read_bytes()
    assert (two / "out.report.json").read_bytes() == (two / "typed.report.json").read_bytes()


def test_a_number_is_the_decimal_that_is_spelled(config, two):
    """0.29 of 100 rows are 29, and 28 where 0.29 has become a double."""
    rows = "".join(f"{i % 7},{i % 2},{int(i < 9)}\n" for i in range(100))
    head = "@relation r\n@attribute x numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    (two / "hundred.arff").write_text(head + rows)
    assert config("[resample]\np = 0.29\nlabels = -2\n", "resample", "hundred.arff", "out.arff").returncode == 0
    assert json.loads((two / "out.report.json").read_bytes())["synthetic"]["requested"] == 29


@pytest.mark.parametrize(
    ("content", "typed", "options"),
    [
        ("p = 0.5\nscale = 'std'", ("--p", "0.1"), {"--p": 0.1, "--scale": "std"}),
        ("p = 0.5\nscale = 'std'", ("--rows", "3"), {"--rows": 3, "--scale": "std"}),
        ("ignore = ['band_7_9_khz', 'habitat']", (), {"--ignore": ["band_7_9_khz", "habitat"]}),
        ("ignore = 'habitat'", ("--ignore", "band_7_9_khz"), {"--ignore": ["band_7_9_khz"]}),
        ("no-report = true", ("--report", "out.report.json"), {"--report": "out.report.json"}),
        ("from = 'arff'", ("--labels=-7",), {"--from": "arff", "--labels": "-7"}),
    ],
)
def test_what_is_typed_wins(content, typed, options, config, two):
    assert config(f"[resample]\nmeasures = 'fast'\n{content}", "resample", "birds.arff", "out.arff", *typed).returncode == 0
    assert json.loads((two / "out.report.json").read_bytes())["options"] == {"--measures": "fast", **options}


def test_a_typed_place_rules_out_that_of_a_file(config, two):
    line = ("resample", "birds.arff", "--in-place", "--rows", "2", *FAST)
    assert config("[resample]\nout-dir = 'd'", *line).returncode == 0
    assert not (two / "d").exists()


def test_pyproject_and_other_commands(config, here):
    content = "[project]\nname = 'x'\n[tool.other]\na = 1\n[tool.lsdmlo.stats]\nignore = ['habitat']\nformat = 'csv'\n"
    table = config(content, "stats", "birds.arff", file="pyproject.toml")
    assert table.stdout == here("stats", "birds.arff", "--ignore", "habitat", "--format", "csv").stdout
    assert config(content, "weights", "birds.arff", file="pyproject.toml").stdout == here("weights", "birds.arff").stdout
    assert config("[split]\nout = 'd'\nfolds = 3\n", "split", "birds.arff", "--holdout", "0.2").returncode == 0


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        ("[resample]\npp = 1", 2, "options.toml: [resample]: there is no option 'pp' (did you mean p?): lsdmlo resample --help"),
        ("[tool.lsdmlo.resample]\nmetod = 'x'", 2, "[tool.lsdmlo.resample]: there is no option 'metod' (did you mean method?)"),
        ("[resample]\nconfig = 'other.toml'", 2, "there is no option 'config'"),
        ("[resample]\nfiles = ['a']", 2, "there is no option 'files'"),
        ("[resmaple]\np = 1", 2, "options.toml: resmaple: there is no such command (did you mean resample?)"),
        ("p = 1", 2, "options.toml: p: put it into a table such as [resample]"),
        ("[tool.lsdmlo]\np = 1", 2, "options.toml: tool.lsdmlo.p: put it into a table such as [tool.lsdmlo.resample]"),
        ("[tool.other]\np = 1", 2, "options.toml: there are no options in it: expected a table such as [tool.lsdmlo.resample]"),
        ("", 2, "options.toml: there are no options in it: expected a table such as [resample]"),
        ("[resample]\np = 'five'", 2, "options.toml: p: 'five' is not a number (see lsdmlo resample --help)"),
        ("[resample]\nk = 2.5", 2, "options.toml: k: '2.5' is not a whole number of 1 or more"),
        ("[resample]\nmethod = 'mlsmot'", 2, "options.toml: method: 'mlsmot' is not one of"),
        ("[resample]\np = true", 2, "options.toml: [resample] p: expected a text, a number or a list of these, found True"),
        ("[resample]\nlabels = {a = 1}", 2, "[resample] labels: expected a text"),
        ("[resample]\nquiet = 1", 2, "options.toml: [resample] quiet: expected true or false, found 1"),
        ("[resample]\np = 0.1\nrows = 3", 2, "--p and --rows exclude each other"),
        ("[resample]\np 0.1", 1, "options.toml:2: this is no TOML: expected '=' after a key in a key/value pair"),
        ("[resample]\nmethod = 'mlros'\ntr = 0.1", 2, "--tr is not for --method mlros"),
    ],
)
def test_a_slip_in_a_file_is_told_in_a_line(content, status, says, config, two):
    run = config(content, "resample", "birds.arff", "out.arff")
    assert (run.returncode, run.stderr.count(b"\n")) == (status, 1)
    assert says in run.stderr.decode()
    assert not (two / "out.arff").exists()


def test_a_file_of_options_that_cannot_be_read(two, here):
    run = here("stats", "birds.arff", "--config", "absent.toml")
    assert (run.returncode, run.stderr) == (1, b"lsdmlo: error: cannot read absent.toml: no such file or directory\n")
    (two / "wide.toml").write_bytes("[stats]".encode("utf-16"))
    assert b"wide.toml: it is no UTF-8" in here("stats", "birds.arff", "--config=wide.toml").stderr


@pytest.mark.parametrize("name", group.lines)
def test_every_command_takes_options_from_a_file(name):
    command = group.get_command(None, name)
    assert [option.name for option in command.params if "--config" in option.opts] == ["config"]
