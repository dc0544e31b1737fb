"""What is shipped beside the code, and the checks before it is: man pages, completion, lower bounds, release, profile."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import click
import pytest

from benchmarks import profile
from lsdmlo_cli import cli, errors
from release import check, lowest, manual, smoke

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FILES = dict(manual.files(cli.lsdmlo, manual.Page("1.2.3", "2026-01-31")))
PAGES = sorted(place for place in FILES if place.startswith("share/man/"))
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"]
RENDERERS = {"groff": ["groff", "-man", "-Tutf8", "-ww"], "mandoc": ["mandoc", "-T", "lint", "-W", "warning"]}


def installed(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


class TestManPages:
    def test_each_command_has_one(self) -> None:
        names = ["lsdmlo", *(f"lsdmlo-{name}" for name in cli.lsdmlo.lines)]
        assert sorted(f"share/man/man1/{name}.1" for name in names) == PAGES

    @pytest.mark.parametrize("place", PAGES)
    def test_the_sections_are_there_in_order(self, place: str) -> None:
        found = re.findall(r"^\.SH (.+)$", FILES[place], re.MULTILINE)
        assert [section for section in found if section != "COMMANDS"] == SECTIONS

    @pytest.mark.parametrize("name", cli.lsdmlo.lines)
    def test_each_option_and_example_is_there(self, name: str) -> None:
        command = cli.lsdmlo.get_command(click.Context(cli.lsdmlo), name)
        page = FILES[f"share/man/man1/lsdmlo-{name}.1"].replace("\\-", "-")
        options = [param for param in command.get_params(click.Context(command)) if isinstance(param, click.Option)]
        spelled = [", ".join(sorted(option.opts, key=len)) for option in options]
        assert all(f"\n\\fB{names}\\fR" in page for names in spelled)
        summary = cli.lsdmlo.lines[name].rstrip(".")
        assert f".SH NAME\nlsdmlo-{name} - {summary[0].lower()}{summary[1:]}\n" in page
        assert f"\nlsdmlo {name} " in page.partition(".SH EXAMPLES")[2]

    @pytest.mark.parametrize("renderer", [pytest.param(name, marks=installed(name)) for name in RENDERERS])
    @pytest.mark.parametrize("place", PAGES)
    def test_it_renders_without_a_warning(self, place: str, renderer: str, tmp_path: Path) -> None:
        (tmp_path / "page.1").write_text(FILES[place], encoding="utf-8")
        done = subprocess.run([*RENDERERS[renderer], "page.1"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert "WARNING" not in done.stdout

    def test_the_exit_statuses_are_those_of_the_command(self) -> None:
        faults = {error.exit_status for error in (errors.DataError, errors.FormatError, errors.FileError, errors.ParameterError)}
        assert {int(status) for status in manual.EXIT_STATUS} == {0, *faults, cli.command.INTERRUPTED, cli.CLOSED_PIPE}

    def test_what_stands_in_a_text_is_no_macro(self) -> None:
        assert manual.roff(".SH \\fB it's λ") == "\\&.SH \\efB it\\(aqs \\[u03BB]"


class TestCompletion:
    @pytest.mark.parametrize(
        ("typed", "offered"),
        [
            ("lsdmlo resample em", "file,em"),
            ("lsdmlo resample in.arff ou", "file,ou"),
            ("lsdmlo resample in.arff --report r", "file,r"),
            ("lsdmlo stats --labels em", "file,em"),
            ("lsdmlo weights em", "file,em"),
            ("lsdmlo evaluate a.arff em", "file,em"),
            ("lsdmlo split a.arff --out f", "dir,f"),
            ("lsdmlo resample --method mls", "plain,mlsmote\nplain,mlsol"),
            ("lsdmlo wei", "plain,weights"),
        ],
    )
    def test_what_is_offered(self, typed: str, offered: str, fresh_python: Path) -> None:
        words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), "_LSDMLO_COMPLETE": "bash_complete"}
        command = [fresh_python, "-m", "lsdmlo_cli"]
        done = subprocess.run(command, env={**os.environ, **words}, capture_output=True, text=True, check=True)
        assert done.stdout == f"{offered}\n"

    @pytest.mark.parametrize("shell", [pytest.param(name, marks=installed(name)) for name in manual.PLACES])
    def test_the_shell_reads_its_script(self, shell: str) -> None:
        script = FILES[manual.PLACES[shell].format(name="lsdmlo")]
        done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=True)
        assert done.stderr == ""

    def test_bash_completes_a_word(self, tmp_path: Path) -> None:
        (tmp_path / "lsdmlo").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lsdmlo_cli "$@"\n')
        (tmp_path / "lsdmlo").chmod(0o755)
        script = FILES[manual.PLACES["bash"].format(name="lsdmlo")]
        typed = "COMP_WORDS=(lsdmlo resample --method drs)\nCOMP_CWORD=3\n_lsdmlo_completion lsdmlo\necho ${COMPREPLY[@]}\n"
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(["bash"], input=script + typed, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "drsmote\n"


class TestLowest:
    def test_each_requirement_has_a_lower_bound_alone(self) -> None:
        found = list(lowest.lowest(PROJECT))
        assert len(found) == len(PROJECT["dependencies"]) + len(PROJECT["optional-dependencies"]["test"])
        assert "numpy==" in " ".join(found)

    @pytest.mark.parametrize("requirement", ["numpy", "numpy>=1.26,<3", "numpy~=1.26", "numpy==1.26"])
    def test_what_could_not_be_tested_is_refused(self, requirement: str) -> None:
        with pytest.raises(ValueError, match="expected NAME>=VERSION"):
            list(lowest.lowest({"dependencies": [requirement], "optional-dependencies": {"test": []}}))

    @pytest.mark.parametrize("extra", ["deep", "evaluate"])
    def test_the_tests_hold_an_extra_to_its_own_bounds(self, extra: str) -> None:
        assert set(PROJECT["optional-dependencies"][extra]) <= set(PROJECT["optional-dependencies"]["test"])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that may be released."""
    (tmp_path / "lsdmlo_cli").mkdir()
    (tmp_path / "lsdmlo_cli" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.0] - 2026-05-04\n\n## [1.1.0] - 2026-01-02\n")
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.0\ndate-released: 2026-05-04\n")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (
        ("init", "-q"),
        ("add", "."),
        (*who, "commit", "-q", "-m", "Release"),
        (*who, "tag", "-am", "1.2.0", "v1.2.0"),
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


class TestRelease:
    def test_nothing_is_in_the_way(self, checkout: Path) -> None:
        assert list(check.problems(checkout)) == []

    @pytest.mark.parametrize(
        ("file", "old", "new", "problem"),
        [
            (
                "lsdmlo_cli/__init__.py",
                "1.2.0",
                "1.2.0.dev0",
                "__init__.py: found version 1.2.0.dev0, expected that of a release: 1.2.0",
            ),
            (
                "CHANGELOG.md",
                "- 2026-05-04",
                "(unreleased)",
                "CHANGELOG.md: found ## [1.2.0] (unreleased), expected ## [1.2.0] - YYYY",
            ),
            (
                "CHANGELOG.md",
                "## [1.2.0]",
                "## [1.3.0]",
                "CHANGELOG.md: found ## [1.3.0] - 2026-05-04, expected ## [1.2.0] - YYYY",
            ),
            ("CITATION.cff", "version: 1.2.0\nd", "version: 1.1.0\nd", "CITATION.cff: found version 1.1.0, expected 1.2.0"),
            ("CITATION.cff", "date-released: 2026-05-04\n", "", "CITATION.cff: found date-released nowhere, expected 2026-05-04"),
        ],
    )
    def test_each_disagreement_is_named(self, checkout: Path, file: str, old: str, new: str, problem: str) -> None:
        text = (checkout / file).read_text()
        assert old in text
        (checkout / file).write_text(text.replace(old, new))
        found = list(check.problems(checkout))
        assert [line for line in found if problem in line] == found[:1]
        assert "not committed" in found[1]
        assert len(found) == 2

    def test_a_tag_on_another_commit_is_none(self, checkout: Path) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "Go on"], cwd=checkout, check=True)
        assert list(check.problems(checkout)) == [
            "git: found no tag v1.2.0 at this commit: type git tag -a v1.2.0 -m 'lsdmlo 1.2.0'"
        ]

    def test_what_to_type(self, checkout: Path) -> None:
        upload = "python -m twine upload dist/lsdmlo-1.2.0.tar.gz dist/lsdmlo-1.2.0-py3-none-any.whl"
        assert list(check.publish(checkout)) == ["git push REMOTE v1.2.0", upload]
        subprocess.run(["git", "remote", "add", "home", "/nowhere"], cwd=checkout, check=True)
        assert list(check.publish(checkout)) == ["git push home v1.2.0", upload]


class TestProfile:
    def test_time_of_libraries_goes_to_who_called_them(self) -> None:
        """read (1 s) and solve (2 s) call `inner` for 1 s and 3 s, solve by way of `outer`."""
        read = (str(profile.PACKAGE / "formats" / "files.py"), 1, "read")
        solve = (str(profile.PACKAGE / "numeric" / "weights" / "solver.py"), 1, "solve")
        outer, inner = ("library.py", 1, "outer"), ("library.py", 2, "inner")
        stats = {
            read: (1, 1, 1.0, 2.0, {}),
            solve: (1, 1, 2.0, 5.5, {}),
            outer: (1, 1, 0.5, 3.5, {solve: (1, 1, 0.5, 3.5)}),
            inner: (2, 2, 4.0, 4.0, {read: (1, 1, 1.0, 1.0), outer: (1, 1, 3.0, 3.0)}),
        }
        assert profile.charged(stats) == pytest.approx({read: 2.0, solve: 5.5})

    def test_a_run_shows_its_stages_in_thirty_lines(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.profile", str(ROOT / "sample_data" / "garden-birds.arff"), "--p", "0.05"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        stages = [line.rsplit(maxsplit=2) for line in lines[1 : lines.index("module")]]
        assert len(lines) <= 30
        assert {"reading", "weights", "neighbours", "sampling", "measures", "writing"} <= {name.strip() for name, _, _ in stages}
        assert sum(float(share.rstrip("%")) for _, _, share in stages) == pytest.approx(100, abs=0.5)

    def test_each_stage_has_its_part_of_the_package(self) -> None:
        missing = [place for place in profile.STAGES if not list(profile.PACKAGE.glob(f"{place}*"))]
        assert missing == []


def test_pre_commit_and_make_lint_check_the_same() -> None:
    hooks = re.findall(
        r"entry: (\.venv/bin/.+?)(?: --force-exclude)?$", (ROOT / ".pre-commit-config.yaml").read_text(), re.MULTILINE
    )
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    made = [line.strip().replace("$(BIN)", ".venv/bin").removesuffix(" .") for line in lint.splitlines()[1:]]
    assert hooks == made


@pytest.mark.slow
def test_the_wheel_holds_all_that_belongs_to_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    shared = {name.partition(".data/data/")[2] for name in names if ".data/data/" in name}
    assert shared == set(FILES) == {f"share/{name}" for name in smoke.SHARE}
    assert {"lsdmlo_cli/py.typed", "lsdmlo_cli/report.schema.json"} <= set(names)
    assert {name.split("/")[0].rpartition(".")[2] for name in names} == {"lsdmlo_cli", "data", "dist-info"}


def test_the_container_installs_what_make_wheels_collects_and_fetches_nothing():
    lines = [line for line in (ROOT / "Containerfile").read_text().splitlines() if line and not line.startswith("#")]
    words = [(line.split()[0], line.split()[1:]) for line in lines]
    copied = [arguments for instruction, arguments in words if instruction == "COPY"]
    runs = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    recipe = (ROOT / "Makefile").read_text().partition("\nwheels: dist")[2].partition("\n\n")[0]
    base = re.fullmatch(r"docker\.io/library/python:(\d+\.\d+)\.\d+-slim-bookworm", words[0][1][0])
    assert [instruction for instruction, _ in words] == ["FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT", "CMD"]
    assert copied == [["build/wheels", "/wheels"]]
    assert "--dest build/wheels" in recipe
    assert f"CONTAINER_PYTHON := {base[1]}\n" in (ROOT / "Makefile").read_text()
    assert [run for run in runs if not run.startswith("python -m pip install --no-index --find-links /wheels ")] == []
    extras = re.search(r"lsdmlo(\[.*\])", runs[0])[1]
    assert f"*.whl){extras}" in recipe
