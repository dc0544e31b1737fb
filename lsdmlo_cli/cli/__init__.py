"""The command `lsdmlo`: a command a file and a line here, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import click

from lsdmlo_cli import __version__
from lsdmlo_cli.cli.command import ClosedPipe, Commands, say
from lsdmlo_cli.errors import LsdmloError, reason

INTERRUPTED = 130
CLOSED_PIPE = 141


@click.group(
    cls=Commands,
    lines={
        "resample": "Add synthetic rows for the rare labels of a file, or remove rows.",
        "evaluate": "Compare sampling methods by cross-validating learners on the resampled rows.",
        "recommend": "Say whether to resample a file for a learner, and how.",
        "methods": "List the sampling methods and their options.",
        "split": "Split a file into stratified folds for training and testing.",
        "stats": "Print how imbalanced a file is, as JSON.",
        "weights": "Print which features matter for which label, as CSV.",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, package_name="lsdmlo", message="lsdmlo %(version)s")
@click.pass_context
def lsdmlo(ctx: click.Context) -> None:
    """Oversample the rare labels of multi-label data in ARFF.

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
    for name in ("SIGTERM", "SIGHUP"):  # so that temporary files are removed
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    try:
        status = lsdmlo.main(args=arguments, prog_name="lsdmlo", standalone_mode=False) or 0
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        status = _fail(f"{error.format_message()}{hint}", error.exit_code)
    except click.ClickException as error:
        status = _fail(error.format_message(), error.exit_code)
    except LsdmloError as error:
        status = _fail(str(error), error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        status = INTERRUPTED
    except OSError as error:
        status = _fail(f"{error.filename or 'standard output'}: {reason(error)}", 1)
    except MemoryError:
        status = _fail("not enough memory", 1)
    except ClosedPipe:
        status = CLOSED_PIPE
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit finds an open end
    sys.exit(status)


def _fail(problem: str, status: int) -> int:
    line = re.sub(r"\s*[\r\n]\s*", " ", problem)
    say(f"error: {line}")
    return status


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
