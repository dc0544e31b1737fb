"""README and the pages of docs/ keep their word: examples run with the output they show, and what they name exists."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import click
import iterstrat.ml_stratifiers  # noqa: F401  what the examples of evaluate and split load
import pytest
from forked import service
from hooks import expanded

from lsdmlo_cli.cli import lsdmlo

ROOT = Path(__file__).resolve().parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = {path.name: expanded(path.read_text(encoding="utf-8")) for path in [ROOT / "README.md", *DOCS]}
TEXT = "\n".join(PAGES.values())
RUN = {name: page for name, page in PAGES.items() if not name.startswith("add-a-")}
"""The pages with examples; those of add-a-*.md need packages beside this one, which other tests install."""
COMMANDS = [command for name in lsdmlo.lines if (command := lsdmlo.get_command(click.Context(lsdmlo), name))]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```\n\n```\n(.*?)^```", re.DOTALL | re.MULTILINE)
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(lsdmlo_cli(?:\.\w+)+)`", ARCHITECTURE)))


def examples(kind: re.Pattern[str]) -> list:
    found = ((name, place, match) for name, page in RUN.items() for place, match in enumerate(kind.finditer(page), 1))
    return [pytest.param(*match.groups(), id=f"{name}-{place}") for name, place, match in found]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory):
    """A folder with the commands that examples use: lsdmlo, and python."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python").chmod(0o755)
    with service(folder / "lsdmlo"):
        yield folder


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    return tmp_path


def assert_shown(shown: str, printed: str) -> None:
    """What is printed is what is shown, blanks at the ends of lines aside; `...` stands for anything."""
    wanted, got = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (shown, printed))
    assert doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS), got


@pytest.mark.parametrize("block", examples(CONSOLE))
def test_console_examples_print_what_is_shown(block: str, programs: Path, workplace: Path) -> None:
    lines = block.splitlines()
    commands = "\n".join(["set -e -o pipefail", *(line[2:] for line in lines if line.startswith("$ "))])
    # One process is enough for what evaluate does here, and changes no result.
    shell = f'lsdmlo() {{ if [ "$1" = evaluate ]; then set -- "$@" --jobs 1; fi; command lsdmlo "$@"; }}\n{commands}'
    path = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(["bash", "-c", shell], cwd=workplace, text=True, env=path, timeout=120, **both)
    assert_shown("".join(f"{line}\n" for line in lines if not line.startswith("$ ")), done.stdout)
    assert done.returncode == 0


@pytest.mark.parametrize(("code", "shown"), examples(PYTHON))
def test_python_examples_print_what_is_shown(code: str, shown: str, workplace: Path, fresh_python: Path) -> None:
    """Each in a fresh Python: a fork of one that has used pyarrow waits for threads that it does not have."""
    done = subprocess.run([fresh_python, "-c", code], cwd=workplace, capture_output=True, timeout=300)
    assert_shown(shown, (done.stdout + done.stderr).decode())
    assert done.returncode == 0


def test_no_example_is_overlooked() -> None:
    text = "\n".join(RUN.values())
    assert len(CONSOLE.findall(text)) == text.count("```console") >= 8
    assert len(PYTHON.findall(text)) == text.count("```python") >= 4
    assert text.count("\n$ ") == sum(block.count("\n$ ") + block.startswith("$ ") for block in CONSOLE.findall(text))


def named() -> list[str]:
    params = (param for command in COMMANDS for param in command.get_params(click.Context(command)))
    options = {name for param in params if isinstance(param, click.Option) for name in param.opts}
    return [*(f"lsdmlo {command.name}" for command in COMMANDS), *sorted(options)]


@pytest.mark.parametrize("name", named())
def test_every_command_and_option_is_described(name: str) -> None:
    assert f"`{name}" in TEXT


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_help_has_an_example(command: click.Command) -> None:
    assert f"lsdmlo {command.name} " in (command.help or "").partition("Example")[2]


def test_readme_is_short_and_says_how_to_set_up() -> None:
    lines = PAGES["README.md"].splitlines()
    assert len(lines) <= 150
    assert [line.split()[:2] for line in lines if line.startswith("make ")] == [["make", "demo"], ["make", "test"]]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_page_is_in_the_navigation(path: Path) -> None:
    assert re.search(rf"^ +- (.*: )?{re.escape(path.name)}$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS], ids=lambda path: path.name)
def test_every_link_to_a_file_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(((?!https?:|#)[^)#]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_the_architecture_names_exists(name: str) -> None:
    assert resolve_name(name) is not None


@pytest.mark.parametrize("path", re.findall(r"`((?:lsdmlo_cli|tests|benchmarks|sample_data|docs)/[\w./]*)`", ARCHITECTURE))
def test_what_the_architecture_points_to_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", sorted(path.name for path in (ROOT / "lsdmlo_cli").iterdir()))
def test_the_architecture_names_every_room(room: str) -> None:
    beside = {"__init__.py", "__init__.pyi", "__main__.py", "__pycache__", "py.typed", "report.schema.json"}
    assert room in beside or re.search(rf"lsdmlo_cli/{re.escape(room)}[`/]", ARCHITECTURE)
