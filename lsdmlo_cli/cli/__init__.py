"""The command `lsdmlo`: a command a file and a line here; `fault` says what errors become."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import click

from lsdmlo_cli import __version__
from lsdmlo_cli.cli.command import ClosedPipe, Commands, fault
from lsdmlo_cli.cli.log import say

CLOSED_PIPE = 141

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Objects made until the garbage collector looks at them. With Python's 700 it looks through the modules, which stay, again and
again while they are loaded: a sixth of the time of a short `resample`. No peak of memory is larger with 50,000."""


@click.group(
    cls=Commands,
    lines={
        "resample": "Add synthetic rows for the rare labels of a file, or remove rows.",
        "evaluate": "Compare sampling methods by cross-validating learners on the resampled rows.",
        "recommend": "Say whether to resample a file for a learner, and how.",
        "methods": "List the sampling methods and their options.",
        "show": "Print reports again, as tables for people or papers.",
        "convert": "Write a file in another format: ARFF, CSV, LibSVM, Parquet and others.",
        "split": "Split a file into stratified folds for training and testing.",
        "stats": "Print how imbalanced files are, as a table or JSON.",
        "weights": "Print which features matter for which label, as CSV.",
        "page": "Write a page of HTML about data sets and reports, to look at in a browser.",
        "explain": "Print where one synthetic row and its labels came from.",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, package_name="lsdmlo", message="lsdmlo %(version)s")
@click.pass_context
def lsdmlo(ctx: click.Context) -> None:
    """Oversample the rare labels of multi-label data in ARFF, CSV, Parquet and other files.

    \b
    Example:
      lsdmlo resample emotions.arff out.arff --p 0.1
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit status.

    0 done, 1 the data or a file is at fault, 2 the command line is, 130 interrupted, 141 nobody reads the output any more.
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy, loaded later, would start threads that wait for ours
    for name in ("SIGTERM", "SIGHUP"):  # so that temporary files are removed
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    try:
        status = lsdmlo.main(args=arguments, prog_name="lsdmlo", standalone_mode=False) or 0
    except ClosedPipe:
        status = CLOSED_PIPE
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit finds an open end
    except BaseException as error:
        found = fault(error)
        if found is None:
            raise
        status = found.status
        if found.message:
            say(f"error: {found.message}")
    sys.exit(status)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
