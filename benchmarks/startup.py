"""What a command costs before it does anything, and how a command is measured from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data

WANTED_SECONDS = 0.15
TIMES = 7

_WATCH = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
print(json.dumps([os.waitstatus_to_exitcode(status), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""
_NUMPY = """
import sys
from lsdmlo_cli.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
sys.exit(99 if "numpy" in sys.modules else 0)
"""


@dataclass(frozen=True)
class Run:
    """A command that ended: its exit status, seconds by the clock, CPU seconds, most resident bytes, last line of stderr."""

    status: int
    wall: float
    cpu: float
    peak: int
    said: str


def run(command: Sequence[str]) -> Run:
    """Run a command to its end; its standard output goes nowhere.

    A small process of its own starts it: a child counts its parent's memory as its own peak until it has started.
    """
    watch = [sys.executable, "-I", "-S", "-c", _WATCH, *command]
    ended = subprocess.run(watch, capture_output=True, text=True, check=True)
    status, wall, cpu, peak = json.loads(ended.stdout)
    said = (ended.stderr.strip().splitlines() or [""])[-1]
    return Run(status, wall, cpu, peak if sys.platform == "darwin" else 1024 * peak, said)


def finished(command: Sequence[str]) -> Run:
    """Run a command that must end well. Errors: RuntimeError with its last words."""
    ended = run(command)
    if ended.status:
        raise RuntimeError(f"{Path(command[0]).name} {command[1]} left with {ended.status}: {ended.said}")
    return ended


def lsdmlo(*arguments: str) -> list[str]:
    """The command as a user starts it: the installed script, or the module where there is none."""
    script = Path(sys.executable).with_name("lsdmlo")
    return [*([str(script)] if script.exists() else [sys.executable, "-m", "lsdmlo_cli"]), *arguments]


def table(full: bool) -> str:
    """CPU seconds of `--help` and `--version` beside those of an empty Python program, best of 7 in turns."""
    commands = [[sys.executable, "-c", "pass"], lsdmlo("--help"), lsdmlo("--version")]
    rounds = [[run(command).cpu for command in commands] for _ in range(TIMES)]
    empty, *ours = (min(column) for column in zip(*rounds, strict=True))
    rows = [["`python -c pass`", f"{empty:.3f}", "", "", "", ""]]
    for option, cpu in zip(("--help", "--version"), ours, strict=True):
        numpy = run([sys.executable, "-c", _NUMPY, option]).status == 99
        met = cpu - empty <= WANTED_SECONDS and not numpy
        cells = [f"{cpu:.3f}", f"{cpu - empty:.3f}", f"{WANTED_SECONDS}", "yes" if numpy else "no", "yes" if met else "no"]
        rows.append([f"`lsdmlo {option}`", *cells])
    return data.markdown(
        "Start-up",
        ["command", "CPU s", "above pass", "wanted at most", "numpy imported", "met"],
        rows,
        f"Best of {TIMES}, in turns. Met: near enough to an empty program, and numpy not imported.",
    )
