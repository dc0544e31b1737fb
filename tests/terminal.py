"""The command on a terminal of some width, which is a pseudo-terminal, and what a person sees there."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import unicodedata
from typing import NamedTuple

import pyte
from wcwidth import wcwidth

LINES = 1000
"""Rows of the screen: nothing scrolls away."""


class Seen(NamedTuple):
    """What came of a command: its exit status, the bytes that reached the terminal, and what went to pipes in its place."""

    status: int
    written: bytes
    out: bytes
    err: bytes

    def screen(self, width):
        """The lines on the screen, without blanks at their ends and without the empty ones at the bottom.

        Characters that take no cell and do not combine are left out: pyte drops the rest of a line behind them.
        """
        screen = pyte.Screen(width, LINES)
        shown = "".join(one for one in self.written.decode() if wcwidth(one) or unicodedata.combining(one))
        pyte.Stream(screen).feed(shown)
        return "\n".join(line.rstrip() for line in screen.display).rstrip().split("\n")


def on_terminal(arguments, folder, width=100, *, out=True, err=False, environment=(), code=None):
    """Run `lsdmlo` in a folder. out, err: whether that stream is the terminal, or else a pipe.

    environment: pairs that are added; a terminal with colours else. code: Python that runs in place of the command.
    """
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")}
    run = subprocess.Popen(
        [sys.executable, *(["-c", code] if code else ["-m", "lsdmlo_cli"]), *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL if out or err else subprocess.PIPE,
        stdout=secondary if out else subprocess.PIPE,
        stderr=secondary if err else subprocess.PIPE,
        env={**kept, "TERM": "xterm-256color", **dict(environment)},
    )
    os.close(secondary)
    written = bytearray()
    reader = threading.Thread(target=_read, args=(primary, written))
    reader.start()
    piped = run.communicate(timeout=120)
    reader.join()
    os.close(primary)
    return Seen(run.returncode, bytes(written), *(text or b"" for text in piped))


def _read(primary, written):
    """All that is written to the terminal until its last writer has gone, which is an error of the system's here."""
    try:
        while part := os.read(primary, 65536):
            written += part
    except OSError:
        return
