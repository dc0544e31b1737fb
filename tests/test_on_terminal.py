"""What people see on a terminal of 60, 100 and 200 columns, and what machines read where there is none."""

import json
import re
import shutil
from itertools import groupby
from pathlib import Path

import pytest
from forked import forked
from terminal import on_terminal, within
from wcwidth import wcswidth

from lsdmlo_cli.cli import main
from lsdmlo_cli.display import progress
from lsdmlo_cli.evaluation.results import SCHEMA

ROOT = Path(__file__).resolve().parents[1]
WIDTHS = (60, 100, 200)
NAMES = (
    "鳥の名前ワイド文字",
    "naïve cafe\u0301",
    "שלום עולם",
    "مرحبا 123",
    "evil\x1b[31mred\x1b]0;title\x07",
    "[bold]not bold[/bold]",
    "</script>",
    "a very long name " * 18,
    "\u202egnp.exe",
    "c1\x9b31m",
)
CONTROLS = re.compile(rb"\x1b|\x07|\x08|[\x00-\x06\x0b-\x0c\x0e-\x1f\x7f]")
STYLES = re.compile(rb"\x1b\[[0-9;]*m")


def hostile():
    """A data set whose labels have names of many scripts, and such as would act on a terminal."""
    declared = "".join("@attribute '{}' {{0,1}}\n".format(name.replace("'", r"\'")) for name in NAMES)
    rows = "".join(f"{i},{','.join(str(int((i + j) % 7 < 3)) for j in range(len(NAMES)))}\n" for i in range(40))
    return f"@relation 'r: -C -{len(NAMES)}'\n@attribute x numeric\n{declared}@data\n{rows}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """birds.arff, hostile.arff, and the reports of birds.arff as stats and resample give them."""
    place = tmp_path_factory.mktemp("terminal")
    for end in (".arff", ".xml"):
        shutil.copy(ROOT / "sample_data" / f"garden-birds{end}", place / f"birds{end}")
    (place / "hostile.arff").write_text(hostile(), encoding="utf-8")
    (place / "stats.json").write_bytes(piped("stats", "birds.arff", folder=place).stdout)
    (place / "hostile.json").write_bytes(piped("stats", "hostile.arff", "--quiet", folder=place).stdout)
    assert piped("resample", "birds.arff", "out.arff", folder=place).returncode == 0
    return place


def piped(*arguments, folder, **environment):
    """Run `lsdmlo` without a terminal; what it prints comes as bytes."""
    return forked(list(arguments), folder, action=within(environment, main))


def table(lines, title):
    """The lines of the table under a title, with the header."""
    start = lines.index(title)
    return next(list(found) for filled, found in groupby(lines[start + 1 :], key=bool) if filled)


# ---- a table on a terminal, JSON elsewhere


@pytest.mark.parametrize("width", WIDTHS)
def test_stats_fits_every_width(width, folder) -> None:
    seen = on_terminal(["stats", "birds.arff"], folder, width)
    lines = seen.screen(width)
    header, rule, *labels = table(lines, "Labels by IRLbl")
    assert seen.status == 0
    assert max(wcswidth(line) for line in lines) <= width
    assert header.split()[:3] == ["label", "positives", "share"] or header.split()[:3] == ["label", "positives", "IRLbl"]
    assert set(rule) == {"─"}
    assert [line.split()[0] for line in labels][:3] == ["hawfinch", "nuthatch", "goldfinch"]
    assert re.search(r"^MeanIR +5\.096", "\n".join(lines), re.MULTILINE)


def test_more_columns_are_shown_where_there_is_room(folder) -> None:
    headers = [
        table(on_terminal(["show", "hostile.json"], folder, width).screen(width), "Labels by IRLbl")[0] for width in WIDTHS
    ]
    narrow, middle, wide = (set(header.split()) for header in headers)
    assert narrow < middle < wide
    assert {"label", "positives", "IRLbl", "LImb", "LImb_LSD"} <= narrow
    assert {"minority", "share"} <= middle
    assert {"SCUMBLELbl", "features"} <= wide


def test_piped_bytes_are_json_as_before(folder) -> None:
    seen = on_terminal(["stats", "birds.arff"], folder, out=False, err=True)
    assert seen.out == (folder / "stats.json").read_bytes()
    assert json.loads(seen.out)["labels"][0]["name"] == "great_tit"
    assert seen.screen(100) == [""]


@pytest.mark.parametrize("environment", [{}, {"TERM": "dumb"}, {"COLUMNS": "150"}])
@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv"])
def test_nothing_but_text_leaves_through_a_pipe(format, environment, folder) -> None:
    done = piped("stats", "hostile.arff", "--measures", "fast", "--format", format, folder=folder, **environment)
    kept = done.stdout if format != "csv" else b""  # the data, as it is
    assert done.returncode == 0
    assert done.stdout.count(b"\n") > len(NAMES)
    assert CONTROLS.findall(kept) == []


def test_a_table_in_a_pipe_is_eighty_columns_wide_or_as_columns_says(folder) -> None:
    tables = [piped("show", "stats.json", folder=folder, **more).stdout.decode() for more in ({}, {"COLUMNS": "200"})]
    assert [max(map(wcswidth, shown.splitlines())) > 80 for shown in tables] == [False, True]


# ---- colours


def test_colours_are_for_terminals_that_want_them(folder) -> None:
    plain = [
        on_terminal(["show", "stats.json"], folder, NO_COLOR="1").written,
        on_terminal(["show", "stats.json"], folder, TERM="dumb").written,
        piped("show", "stats.json", folder=folder).stdout,
    ]
    coloured = [
        on_terminal(["show", "stats.json"], folder).written,
        piped("show", "stats.json", folder=folder, FORCE_COLOR="1").stdout,
    ]
    cyan = re.compile(rb"\x1b\[(1;)?3\dm")
    assert [bool(cyan.search(shown)) for shown in plain] == [False] * 3
    assert [bool(cyan.search(shown)) for shown in coloured] == [True] * 2
    assert [STYLES.search(shown) for shown in plain[1:]] == [None] * 2


# ---- names


@pytest.mark.parametrize("width", WIDTHS)
def test_names_of_every_script_line_up_and_act_on_nothing(width, folder) -> None:
    seen = on_terminal(["show", "hostile.json", "--top", "0"], folder, width)
    header, _, *labels = table(seen.screen(width), "Labels by IRLbl")
    end = header.index("positives") + len("positives")
    assert len(labels) == len(NAMES)
    assert [wcswidth(line) <= width for line in labels] == [True] * len(labels)
    assert [bool(re.search(r"\d$", cells_until(line, end))) for line in labels] == [True] * len(labels)
    assert [cells_until(line, end + 2)[-2:] for line in labels] == ["  "] * len(labels)
    assert CONTROLS.findall(STYLES.sub(b"", seen.written).replace(b"\r\n", b"\n")) == []
    assert b"\x9b" not in STYLES.sub(b"", seen.written).decode().encode("latin-1", "ignore")
    assert any("[bold]not bold[/bold]" in line for line in labels)


def cells_until(line, end):
    """The beginning of a line that takes so many cells."""
    return next(line[:place] for place in range(len(line) + 1) if wcswidth(line[:place]) >= end)


def test_a_name_in_a_warning_acts_on_nothing(folder) -> None:
    (folder / "few.arff").write_text(
        "@relation 'r: -C -2'\n@attribute x numeric\n@attribute '\x1b[31mred' {0,1}\n@attribute b {0,1}\n@data\n1,0,1\n"
    )
    told = piped("stats", "few.arff", "--measures", "fast", folder=folder).stderr
    assert b"\\x1b[31mred" in told
    assert b"\x1b" not in told


def test_csv_on_a_terminal_acts_on_nothing(folder) -> None:
    seen = on_terminal(["show", "hostile.json", "--format", "csv"], folder)
    assert CONTROLS.findall(seen.written.replace(b"\r\n", b"\n")) == []


# ---- several data sets, and bad ones


def test_several_data_sets_are_a_line_each_on_every_width(folder) -> None:
    for width in WIDTHS:
        lines = on_terminal(["stats", "birds.arff", "hostile.arff", "--measures", "fast"], folder, width).screen(width)
        assert [line.split()[0] for line in lines if line] == ["data", "─" * len(lines[1]), "birds.arff", "hostile.arff"]
        assert max(map(len, lines)) <= width


def test_a_bad_file_is_told_and_the_others_are_printed(folder) -> None:
    done = piped("stats", "absent.arff", "birds.arff", "hostile.arff", "--measures", "fast", folder=folder)
    assert done.returncode == 1
    assert [one["dataset"]["file"] for one in json.loads(done.stdout)] == ["birds.arff", "hostile.arff"]
    assert done.stderr == b"lsdmlo: error: cannot read absent.arff: no such file or directory\n"


def test_one_data_set_is_an_object_and_several_are_a_list(folder) -> None:
    one = json.loads(piped("stats", "birds.arff", "--measures", "fast", folder=folder).stdout)
    two = json.loads(piped("stats", "birds.arff", "birds.arff", "--measures", "fast", folder=folder).stdout)
    assert two == [one, one]


def test_options_of_tables_are_idle_with_json(folder) -> None:
    told = piped("stats", "birds.arff", "--measures", "fast", "--top", "3", "--sort", "name", folder=folder).stderr
    assert told.startswith(b"lsdmlo: warning: --sort, --top changed nothing: ")


# ---- show


@pytest.mark.parametrize("name", ["stats.json", "out.report.json"])
def test_show_gives_a_report_back_byte_by_byte(name, folder) -> None:
    assert piped("show", name, "--format", "json", folder=folder).stdout == (folder / name).read_bytes()


def test_show_prints_what_stats_prints(folder) -> None:
    for format in ("table", "csv", "markdown", "latex"):
        shown, told = (
            piped(*arguments, "--format", format, folder=folder).stdout
            for arguments in (("show", "stats.json"), ("stats", "birds.arff"))
        )
        assert shown == told


NO_REPORTS = [
    ("nothing.json", b"", "nothing.json: found no JSON, expected a report of "),
    ("data.arff", b"@relation r", "for a data set type lsdmlo stats data.arff"),
    ("list.json", b"[1, 2]", "list.json: found other JSON, expected a report of "),
    ("deep.json", b"[" * 100_000, "deep.json: found no JSON"),
    ("other.json", b'{"report": "weather", "dataset": {}, "measures": {}, "labels": []}', "other.json: found other JSON"),
    ("broken.json", b'{"dataset": {}, "measures": {}, "labels": [3]}', "found a report of stats that lacks something"),
]


@pytest.mark.parametrize(("name", "content", "says"), NO_REPORTS, ids=[name for name, _, _ in NO_REPORTS])
def test_what_is_no_report_is_refused_in_a_line(name, content, says, folder) -> None:
    (folder / name).write_bytes(content)
    done = piped("show", name, folder=folder)
    told = done.stderr.decode()
    assert (done.returncode, done.stdout, told.count("\n")) == (1, b"", 1)
    assert told.startswith("lsdmlo: error: ")
    assert says in told


def test_reports_of_two_kinds_are_shown_one_below_the_other_but_not_in_csv(folder) -> None:
    both = piped("show", "stats.json", "out.report.json", folder=folder)
    assert b"Labels by IRLbl" in both.stdout
    assert "Labels, before → after".encode() in both.stdout
    refused = piped("show", "stats.json", "out.report.json", "--format", "csv", folder=folder)
    assert (refused.returncode, refused.stdout) == (1, b"")


# ---- the end of resample


@pytest.mark.parametrize("width", WIDTHS)
def test_resample_ends_with_what_rose_and_what_fell(width, folder) -> None:
    seen = on_terminal(["resample", "birds.arff", "new.arff", "--p", "0.1"], folder, width, out=False, err=True)
    lines = seen.screen(width)
    labels = table(lines, "Labels, before → after")
    assert (seen.status, seen.out) == (0, b"")
    assert lines[0].startswith("lsdmlo: birds.arff: 300 rows, 30 added; MeanIR 5.096")
    assert re.search(r"^MeanIR +5\.096 +3\.780 +-1\.316 +▼$", "\n".join(lines), re.MULTILINE)
    assert re.match(r"hawfinch +11 → +20 +\+9 +13\.82 → 8\.95 ▼", labels[2])
    assert max(map(len, lines)) <= width


def test_resample_says_no_more_than_a_line_where_nobody_looks_on(folder) -> None:
    assert piped("resample", "birds.arff", "new.arff", folder=folder).stderr.count(b"\n") == 1
    quiet = on_terminal(["resample", "birds.arff", "new.arff", "--quiet"], folder, err=True)
    assert (quiet.status, quiet.written) == (0, b"")


# ---- results of evaluate


def _rows(metric, base, other, difference, won):
    """The rows of two methods, as results.json has them."""
    common = {"data": "birds", "learner": "mlknn", "metric": metric, "rank": 1.0, "folds": 4, "undefined": 0, "values": []}
    apart = {"difference": difference, "difference_error": 0.01, "won": won, "lost": 4 - won}
    yield {**common, "method": "base", "mean": base[0], "deviation": base[1], **dict.fromkeys(apart)}
    yield {**common, "method": "a_method", "mean": other[0], "deviation": other[1], **apart}


@pytest.fixture(scope="module")
def results(folder):
    """A made-up results.json of one data set, two methods and one learner, on four folds."""
    rows = [
        *_rows("macro_f", base=(0.5, 0.02), other=(0.6, 0.01), difference=0.1, won=3),
        *_rows("ranking_loss", base=(0.2, 0.01), other=(0.25, 0.02), difference=0.05, won=1),
    ]
    ranks = {"average_rank": {"base": 2.0, "a_method": 1.0}, "wins": None, "losses": None}
    over = {"differences": {"a_method": {"mean": 0.1, "error": None, "won": 1, "lost": 0}}}
    compared = [{"learner": "mlknn", "metric": name, "data_sets": 1, **ranks, **over} for name in ("macro_f", "ranking_loss")]
    report = {
        "summary": ["mlknn: a_method is ahead"],
        "schema": SCHEMA,
        "experiment": {"against": "base", "methods": {"base": {}, "a_method": {}}, "learners": {"mlknn": {}}},
        "notes": ["a note"],
        "datasets": [{"name": "birds"}],
        "results": rows,
        "comparison": compared,
        "errors": [],
    }
    (folder / "results.json").write_text(json.dumps(report))
    return "results.json"


@pytest.mark.parametrize("width", WIDTHS)
def test_results_begin_with_the_summary_and_set_methods_side_by_side(width, results, folder) -> None:
    lines = on_terminal(["show", results], folder, width).screen(width)
    scores = table(lines, "mlknn on birds: mean ± deviation (rank)")
    gains = table(lines, "mlknn: minus base, mean ± error (folds better/worse)")
    assert lines[0] == "mlknn: a_method is ahead"
    assert [line.split()[:4] for line in scores[2:]] == [["Macro-F", "↑", "0.500", "±"], ["Ranking", "loss", "↓", "0.200"]]
    assert [line.split()[-1] for line in gains[2:4]] == ["▲", "▼"]
    assert max(map(len, lines)) <= width


def test_the_best_is_bold_in_latex_whichever_way_is_better(results, folder) -> None:
    shown = piped("show", results, "--format", "latex", folder=folder).stdout.decode()
    assert r"Macro-F $\uparrow$ & 0.500 $\pm$ 0.020 (1) & \textbf{0.600 $\pm$ 0.010 (1)} \\" in shown
    assert r"Ranking loss $\downarrow$ & \textbf{0.200 $\pm$ 0.010 (1)} & 0.250 $\pm$ 0.020 (1) \\" in shown
    assert r"a\_method" in shown


# ---- progress

WORK = """
import sys, time
from lsdmlo_cli.cli import main
from lsdmlo_cli.display import progress
progress.SHOW_AFTER_SECONDS = 0.1
with progress.telling(sys.stderr, "folder/\\x1b[31mname.arff") as tell:
    for done in range(8):
        tell("neighbours", done, 8)
        time.sleep(0.1)
print("done", file=sys.stderr)
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_bar_shows_and_is_gone_at_the_end(width, folder) -> None:
    seen = on_terminal([], folder, width, err=True, code=WORK)
    drawn = re.split(rb"\r\x1b\[2K|\r\n", seen.written)
    text = [STYLES.sub(b"", part).decode() for part in drawn]
    assert any(re.search(r"neighbours ━+.* [1-7] of 8", part) for part in text)
    assert max(map(wcswidth, (part for part in text if part.isprintable()))) <= width
    assert [line for line in seen.screen(width) if line] == ["done"]
    assert b"\x1b[31mname" not in seen.written


def test_a_dumb_terminal_gets_no_bar(folder) -> None:
    seen = on_terminal([], folder, err=True, code=WORK, TERM="dumb")
    assert seen.written == b"done\r\n"


def test_a_line_is_told_now_and_then_where_there_is_no_terminal(folder) -> None:
    code = WORK.replace("0.1\n", "0.1\nprogress.LINE_EVERY_SECONDS = 0.25\n", 1).replace("range(8)", "range(7)")
    told = forked([], folder, action=lambda _: exec(code, {})).stderr.decode().splitlines()
    assert told[-1] == "done"
    assert 1 <= len(told) - 1 <= 4
    assert all(re.fullmatch(r"folder/\\x1b\[31mname\.arff: neighbours \d of 8", line) for line in told[:-1])


def test_short_work_is_told_to_nobody(folder) -> None:
    assert piped("stats", "birds.arff", folder=folder).stderr == b""


def test_machines_read_an_object_a_line(folder) -> None:
    done = piped("resample", "birds.arff", "new.arff", "--log", "json", folder=folder)
    told = [json.loads(line) for line in done.stderr.splitlines()]
    *stages, result = told
    assert {one["kind"] for one in stages} == {"progress"}
    assert all(one.keys() == {"kind", "input", "stage", "done", "total", "seconds"} for one in stages)
    assert [one["seconds"] for one in told] == sorted(one["seconds"] for one in told)
    assert (stages[-1]["done"], {one["input"] for one in told}) == (stages[-1]["total"], {"birds.arff"})
    assert result | {"seconds": 0} == {
        "kind": "result",
        "input": "birds.arff",
        "outputs": ["new.arff", "new.report.json"],
        "rows": 330,
        "added": 30,
        "removed": 0,
        "seconds": 0,
    }
    assert "--log" not in json.loads((folder / "new.report.json").read_bytes())["options"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["stats", "absent.arff"], 1, "cannot read absent.arff: no such file or directory"),
        (["stats", "birds.arff", "--lambda1", "-1"], 2, "lambda1"),
        (["resample", "birds.arff"], 2, "OUT is missing"),
    ],
)
def test_machines_read_an_error_as_an_object(arguments, status, says, folder) -> None:
    done = piped(*arguments, "--log", "json", folder=folder)
    last = json.loads(done.stderr.splitlines()[-1])
    assert (done.returncode, last["kind"], last["status"]) == (status, "error", status)
    assert says in last["message"]


def test_machines_read_warnings_as_objects(folder) -> None:
    done = piped("stats", "birds.arff", "--measures", "fast", "--sample", "9", "--log", "json", folder=folder)
    first = json.loads(done.stderr.splitlines()[0])
    assert (first["kind"], first["message"]) == ("warning", "--sample has no effect with --measures fast")


@pytest.mark.parametrize("command", [["stats"], ["weights"], ["split", "--out", "parts", "--overwrite"]])
def test_every_long_command_ends_with_its_result(command, folder) -> None:
    done = piped(command[0], "birds.arff", *command[1:], "--log", "json", folder=folder)
    last = json.loads(done.stderr.splitlines()[-1])
    assert (done.returncode, last["kind"], last["input"], last["rows"]) == (0, "result", "birds.arff", 300)


def test_a_stage_tells_its_rate_and_what_is_left(monkeypatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    stage = progress.Stage()
    assert stage.told("run", 0, 4)
    now = 11.4
    assert not stage.told("run", 1, 4)
    assert (stage.amount, stage.rate, stage.left) == ("1 of 4", "0.1/s", "about 34 s left")
    assert stage.told("feature weights (gap 1)", 0, 0)
    now = 13.4
    assert not stage.told("feature weights (gap 0.1)", 60, 0)
    assert (stage.amount, stage.rate, stage.left) == ("60", "30/s", "")


# ---- Python


def test_verbose_shows_a_bar_from_python(folder) -> None:
    code = (
        "from lsdmlo_cli.display import progress; progress.SHOW_AFTER_SECONDS = 0\n"
        "from lsdmlo_cli import stats; print(stats('birds.arff', verbose={})['dataset']['n'])"
    )
    loud, silent = (on_terminal([], folder, out=False, err=True, code=code.format(verbose)) for verbose in (1, 0))
    assert (loud.out, silent.out) == (b"300\n", b"300\n")
    assert b"reading rows" in loud.written
    assert [line for line in loud.screen(100) if line] == []
    assert silent.written == b""
