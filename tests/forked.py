"""The command in a process of its own that need not load the libraries again: a fork of this one, which has them."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from lsdmlo_cli import evaluation, pipeline  # noqa: F401  what the commands load
from lsdmlo_cli.cli import main


def forked(arguments, folder, stdin=b"", timeout=120):
    """Run `lsdmlo` with some arguments in a folder, as subprocess.run does; what it prints comes as bytes."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _run(arguments, folder, given, out, err)
        status = _waited(child, arguments, timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, status, out.read(), err.read())


def _run(arguments, folder, *streams):
    """What the child does; it never comes back."""
    status = 1
    try:
        os.chdir(folder)
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))
        main(arguments)
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _waited(child, arguments, timeout):
    """The exit status of a child. Errors: TimeoutExpired where it takes longer, and is killed."""
    until = time.monotonic() + timeout
    wait = 0.001
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(wait)
        wait = min(2 * wait, 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise subprocess.TimeoutExpired(arguments, timeout)
