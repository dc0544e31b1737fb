"""What people type first, and what they mistype: a line that says what to type, or the help."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lsdmlo_cli.cli import lsdmlo as group
from lsdmlo_cli.cli.method_options import method_options
from lsdmlo_cli.samplers import SAMPLERS

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"


@pytest.fixture
def typed(birds, here):
    """Run a command line in a folder with birds.arff and birds.xml; returns status, standard output and standard error."""

    def run(line):
        done = here(*line.split())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


def test_nothing_typed_shows_the_commands(typed):
    status, out, err = typed("")
    assert (status, err) == (0, "")
    assert re.findall(r"^  (\w+) ", out.partition("Commands:")[2], re.MULTILINE) == list(group.lines)
    assert out == typed("--help")[1]


@pytest.mark.parametrize("name", sorted(set(group.lines) - {"methods"}))
def test_a_command_alone_shows_its_help(name, typed):
    status, out, err = typed(name)
    assert (status, out) == (2, "")
    assert err == typed(f"{name} --help")[1]


@pytest.mark.parametrize("line", ["resample", "resample --help", "resample --method mlros --help", "resample in.arff --help"])
def test_the_help_of_resample_has_the_options_of_all_methods(line, typed):
    _, out, err = typed(line)
    options = {option.spelled for option in method_options(tuple(SAMPLERS))}
    assert options <= set(re.findall(r"^  (--[a-z-]+)", out + err, re.MULTILINE))
    assert "[most methods: 0.1;" in out + err


SLIPS = [
    ("stat birds.arff", "there is no command 'stat' (did you mean stats?): there are "),
    ("Resample birds.arff", "there is no command 'Resample' (did you mean resample?): there are "),
    ("help", "there is no command 'help' (did you mean --help?): there are "),
    ("qwertz", "there is no command 'qwertz': there are "),
    ("birds.arff", "type lsdmlo stats birds.arff, or lsdmlo resample birds.arff OUT.arff"),
    ("birds.xml", "birds.xml is a file"),
    ("absent.arff.gz", "absent.arff.gz is a file"),
    ("absent.parquet", "type lsdmlo stats absent.parquet, or lsdmlo resample absent.parquet OUT.parquet"),
    ("absent.TSV.xz", "type lsdmlo stats absent.TSV.xz, or lsdmlo resample absent.TSV.xz OUT.tsv"),
    ("weights birds.arff more.arff", "weights takes one DATASET, found also more.arff: run it once for each file"),
    ("resample a.arff b.arff c.arff d.arff", "resample takes one IN and one OUT, found also c.arff d.arff: run it once"),
    ("methods lsdmlo mlros", "methods takes one NAME, found also mlros: run it once for each name"),
    ("resample birds.arff", "OUT is missing: type lsdmlo resample birds.arff OUT.arff, or --in-place to replace birds.arff"),
    ("resample birds.arff out.arff p=0.2", "found also p=0.2: type --p 0.2"),
    ("resample birds.arff out.arff --p 10%", "'--p': '10%' is not a number: type 0.1 "),
    ("resample birds.arff out.arff --p 12.5%", "type 0.125 "),
    ("resample birds.arff out.arff --p 0,1", "'0,1' is not a number: type 0.1 "),
    ("resample birds.arff out.arff --p 0,1,2", "'0,1,2' is not a number (see"),
    ("split birds.arff --out d --holdout 30%", "'--holdout': '30%' is not a number: type 0.3 "),
    ("stats birds.arff --k five", "'--k': 'five' is not a whole number of 1 or more"),
    ("stats birds.arff --k 5.0", "'--k': '5.0' is not a whole number of 1 or more"),
    ("stats birds.arff --k 1_0", "'--k': '1_0' is not a whole number of 1 or more"),
    ("stats birds.arff --seed -1", "'--seed': '-1' is not a whole number of 0 or more"),
    ("resample birds.arff out.arff --method mlsmote --vdm-power 3", "'3' is not a whole number from 1 to 2"),
    ("evaluate birds.arff --inner 1 --tune", "'--inner': '1' is not a whole number of 2 or more"),
    ("stats birds.arff --p 0.1", "there is no option --p: it is an option of resample, evaluate"),
    (
        "--quiet stats birds.arff",
        "an option of resample, evaluate, recommend, convert, split, stats, weights, page, explain, and stands behind",
    ),
    ("stats birds.arff --mesures fast", "there is no option --mesures (did you mean --measures?)"),
    ("stats birds.arff -k 5", "there is no option -k (did you mean --k?)"),
    ("stats birds.arff --scale mean", "'mean' is not one of none, range, std"),
    ("resample birds.arff out.arff --method MLSMOT", "did you mean mlsmote"),
    ("resample birds.arff out.arff --method mlrs", "(did you mean mlrus?)"),
    ("resample birds.arff out.arff --method mlsmote --strategy rankin", "did you mean ranking?"),
    ("evaluate birds.arff --methods base,Lsdml", "did you mean lsdmlo?"),
    ("evaluate birds.arff --learners mlkn", "did you mean mlknn?"),
]


@pytest.mark.parametrize(("line", "says"), SLIPS, ids=[line for line, _ in SLIPS])
def test_a_slip_is_told_in_one_line(line, says, typed, tmp_path):
    status, out, err = typed(line)
    assert (status, out) == (2, "")
    assert err.startswith("lsdmlo: error: ")
    assert err.count("\n") == 1
    assert says in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["birds.arff", "birds.xml"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("stats birds", "cannot read birds: no such file or directory; there is birds.arff"),
        ("stats birds.arff.gz", "cannot read birds.arff.gz: no such file or directory; there is birds.arff"),
        ("stats absent.arff", "cannot read absent.arff: no such file or directory\n"),
    ],
)
def test_a_file_of_another_ending_is_named(line, says, typed):
    status, _, err = typed(line)
    assert status == 1
    assert says in err


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_a_name_that_promises_compression(end, typed, tmp_path):
    shutil.copy(tmp_path / "birds.arff", tmp_path / f"plain.arff{end}")
    status, _, err = typed(f"stats plain.arff{end} --labels -7")
    assert (status, err.count("\n")) == (1, 1)
    assert f"plain.arff{end}: its name ends in {end}, but its data is not compressed that way" in err


# ---- names in any letter case


@pytest.mark.parametrize("line", ["--method MLRUS", "--method MlRus --measures FAST", "--method mlrus --scale None"])
def test_names_in_any_letter_case(line, typed, tmp_path):
    assert typed("resample birds.arff 1.arff --method mlrus --measures fast --no-report --quiet") == (0, "", "")
    assert typed(f"resample birds.arff 2.arff {line} --no-report --quiet") == (0, "", "")
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes()


# ---- warnings name their file


SMALL = "@relation r\n@attribute x numeric\n@attribute A {0,1}\n@attribute B {0,1}\n@data\n1,1,0\n2,1,0\n3,0,1\n4,1,0\n"


@pytest.mark.parametrize(
    "line", ["stats d/a.arff", "weights d/a.arff", "resample d/a.arff out.arff --quiet", "resample d/a.arff --in-place --quiet"]
)
def test_a_warning_names_its_file(line, typed, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.arff").write_text(SMALL)
    status, _, err = typed(f"{line} --labels -2")
    assert status == 0
    assert err.splitlines()[0] == "lsdmlo: warning: d/a.arff: k is lowered from 5 to 3, since there are only n=4 rows"


def test_the_report_s_warnings_have_no_prefix(typed, tmp_path):
    (tmp_path / "a.arff").write_text(SMALL)
    typed("resample a.arff out.arff --labels -2")
    warnings = json.loads((tmp_path / "out.report.json").read_bytes())["warnings"]
    assert warnings[0] == "k is lowered from 5 to 3, since there are only n=4 rows"


def test_every_line_of_an_experiment_names_its_data(typed, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.arff").write_text(SMALL + "1,0,1\n5,0,1\n2,1,0\n3,1,1,{5}\n")
    status, _, err = typed("evaluate a.arff b.arff --labels -2 --methods base,mlsol --learners mlknn --cv 1x2 --jobs 1 --quiet")
    lines = err.splitlines()
    assert status == 0
    assert lines
    assert [line for line in lines if not re.match(r"lsdmlo: warning: (failed: [ab], |[ab]\.arff: )", line)] == []
    assert {re.search(r"[ab](?=\.arff: )", line)[0] for line in lines} == {"a", "b"}


def test_closing_lines_name_their_file(typed):
    assert typed("resample birds.arff out.arff --measures fast")[2].startswith("lsdmlo: birds.arff: 300 rows, 30 added; ")
    assert typed("split birds.arff --out d")[2] == "lsdmlo: birds.arff: 300 rows; 4 files in d\n"


# ---- options without an effect


SAYS = "lsdmlo: warning: --sample has no effect with --measures fast\n"


@pytest.mark.parametrize("line", ["stats birds.arff", "resample birds.arff out.arff --quiet"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--sample 50 --measures fast", SAYS),
        ("--sample 200 --measures fast", SAYS),
        ("--sample 50 --measures sampled", ""),
        ("--measures fast", ""),
    ],
)
def test_a_sample_that_is_not_taken(line, options, says, typed):
    status, _, err = typed(f"{line} {options}")
    assert (status, err) == (0, says)


# ---- streams that are closed or full


@pytest.mark.parametrize("line", ["", "--help", "resample --help", "--version"])
def test_help_that_cannot_be_written(line):
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "lsdmlo_cli", *line.split()]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (1, "lsdmlo: error: standard output: no space left on device\n")


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
def test_words_that_nobody_hears_undo_no_work(stream, typed, tmp_path):
    line = f"'{sys.executable}' -m lsdmlo_cli resample birds.arff out.arff --measures fast --sample 9 {stream}"
    assert subprocess.run(["bash", "-c", line], cwd=tmp_path, timeout=120).returncode == 0
    assert (tmp_path / "out.arff").read_bytes().startswith(SAMPLE.read_bytes())
