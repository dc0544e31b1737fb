"""The command in a process of its own that need not load the libraries again: a fork of this one, which has them."""

import contextlib
import gc
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module

import fresh

import lsdmlo_cli
from lsdmlo_cli.cli import main

LIBRARIES = ("defusedxml.ElementTree", "numpy.testing", "scipy.linalg", "scipy.sparse", "scipy.special")
LEFT_OUT = {"lsdmlo_cli.__main__", "lsdmlo_cli.cluster", "lsdmlo_cli.deep"}
for name in (*LIBRARIES, *(module.name for module in pkgutil.walk_packages(lsdmlo_cli.__path__, "lsdmlo_cli."))):
    if name not in LEFT_OUT:  # what commands load when they need it is loaded here once for all
        import_module(name)


def forked(arguments, folder, stdin=b"", timeout=120, action=main):
    """Run `lsdmlo` with some arguments in a folder, as subprocess.run does; what it prints comes as bytes.

    action: what is done with the arguments in its place.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        if {"split", "evaluate"} & set(arguments):
            import_module("iterstrat.ml_stratifiers")
        child = os.fork()
        if child == 0:
            os._exit(in_child(action, arguments, folder, [given.fileno(), out.fileno(), err.fileno()]))
        status = waited(child, arguments, timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, status, out.read(), err.read())


@contextlib.contextmanager
def service(script):
    """Write `lsdmlo` as an executable for shells that asks a fork of this process to run it."""
    with tempfile.TemporaryDirectory() as folder, fresh.opened(script, f"{folder}/door") as door:
        server = os.fork()
        if server == 0:
            _serve(door)
        try:
            yield
        finally:
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)


def _serve(door):
    """Answer each call in a fork; never comes back."""
    while True:
        call, _ = door.accept()
        if os.fork() == 0:
            folder, _, arguments, streams = fresh.asked(call)
            status = in_child(main, arguments, folder, streams)
            call.sendall(str(status).encode())
            os._exit(0)
        call.close()
        fresh.reaped()


def in_child(action, arguments, folder, streams):
    """What a fork does, with the descriptors of standard input, output and error: the exit status."""
    gc.freeze()  # what was there before is not looked through, which would copy its memory
    os.chdir(folder)
    fresh.over(streams)
    return fresh.status_of(action, arguments)


def waited(child, arguments, timeout):
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
