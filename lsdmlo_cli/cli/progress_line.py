"""How a command tells what is being done: a bar on a terminal, a line every half a minute elsewhere, or JSON objects."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

from lsdmlo_cli.cli.log import started
from lsdmlo_cli.display.progress import objects, telling
from lsdmlo_cli.progress import Progress, silent


def progress_line(quiet: bool = False, about: str = "") -> AbstractContextManager[Progress]:
    """A Progress that writes to standard error as it is asked for by --log, and to nowhere with --quiet.

    about: the file that is worked on.
    """
    if quiet or sys.stderr is None:
        return nullcontext(silent)
    start = started()
    return telling(sys.stderr, about, "lsdmlo: ") if start is None else objects(sys.stderr, about, start)
