"""The command on a terminal of some width, which is a pseudo-terminal, and what a person sees there."""

import fcntl
import os
import pty
import struct
import tempfile
import termios
import threading
import unicodedata
from pathlib import Path
from typing import NamedTuple

import pyte
from forked import in_child, waited
from wcwidth import wcwidth

from lsdmlo_cli.cli import main

LINES = 1000
"""Rows of the screen: nothing scrolls away."""


class Seen(NamedTuple):
    """What came of a command: its exit status, the bytes that reached the terminal, and what went to files in its place."""

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


def on_terminal(arguments, folder, width=100, *, out=True, err=False, code=None, **environment):
    """Run `lsdmlo` in a folder. out, err: whether that stream is the terminal, or else a file.

    environment: what is added; the terminal has colours else. code: Python that runs in place of the command.
    """
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, Path(os.devnull).open("rb") as nothing:
        streams = [nothing.fileno(), secondary if out else output.fileno(), secondary if err else errors.fileno()]
        action = main if code is None else (lambda _: exec(code, {}))
        child = os.fork()
        if child == 0:
            os._exit(in_child(within(environment, action), list(map(str, arguments)), folder, streams))
        os.close(secondary)
        written = bytearray()
        reader = threading.Thread(target=_read, args=(primary, written))
        reader.start()
        status = waited(child, arguments, 120)
        reader.join()
        os.close(primary)
        return Seen(status, bytes(written), *(_content(stream) for stream in (output, errors)))


def within(environment, action):
    """An action in an environment that says nothing of colours and widths but what is given."""

    def act(arguments):
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
            os.environ.pop(name, None)
        os.environ.update({"TERM": "xterm-256color", **environment})
        action(arguments)

    return act


def _content(stream):
    stream.seek(0)
    return stream.read()


def _read(primary, written):
    """All that is written to the terminal until its last writer has gone, which is an error of the system's here."""
    try:
        while part := os.read(primary, 65536):
            written += part
    except OSError:
        return
