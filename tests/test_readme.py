"""The README keeps its word: its examples run with the output it shows, and it names every command and option."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from lsdmlo_cli.cli import lsdmlo

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [command for name in lsdmlo.lines if (command := lsdmlo.get_command(click.Context(lsdmlo), name))]
CONSOLE = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "lsdmlo").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lsdmlo_cli "$@"\n')
    (tmp_path / "lsdmlo").chmod(0o755)
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PATH": path},
    )
    return done.stdout


@pytest.mark.parametrize("block", CONSOLE)
def test_console_examples_print_what_is_shown(block: str, workplace: Path) -> None:
    commands = "\n".join(line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ "))
    shown = "".join(f"{line}\n" for line in block.splitlines() if not line.startswith("$ "))
    assert run(["bash", "-c", f"set -e -o pipefail\n{commands}"], workplace) == shown


@pytest.mark.parametrize(("code", "shown"), PYTHON)
def test_python_examples_print_what_is_shown(code: str, shown: str, workplace: Path) -> None:
    assert run([sys.executable, "-c", code], workplace) == shown


def test_there_are_examples() -> None:
    assert len(CONSOLE) >= 2
    assert len(PYTHON) >= 1


def named() -> list[str]:
    options = {name for command in COMMANDS for param in command.params if isinstance(param, click.Option) for name in param.opts}
    return [*(f"lsdmlo {command.name}" for command in COMMANDS), *sorted(options)]


@pytest.mark.parametrize("name", named())
def test_every_command_and_option_is_described(name: str) -> None:
    assert f"`{name}" in TEXT


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_help_has_an_example(command: click.Command) -> None:
    assert f"lsdmlo {command.name} " in (command.help or "").partition("Example")[2]
