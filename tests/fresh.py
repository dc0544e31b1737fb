"""A Python that has loaded nothing of the package yet, sooner than a new one: a fork of a process that has loaded the libraries.

`python` writes an executable that takes `-c CODE ...` or `-m MODULE ...` as Python does, in the folder, with the streams and in
the environment that it is called in. What Python and libraries read of the environment as they start (PYTHONHASHSEED, threads of
BLAS) is what it was where the executable was written; limits of one process need a Python of its own.
"""

import atexit
import contextlib
import gc
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

CLIENT = """#!{python} -ISE
import os, socket, sys
with socket.socket(socket.AF_UNIX) as service:
    service.connect({address!r})
    socket.send_fds(service, [repr((os.getcwd(), dict(os.environ), sys.argv[1:])).encode()], [0, 1, 2])
    sys.exit(int(service.recv(8)))
"""
MOST_BYTES = 1 << 16
"""Of a call: a folder, an environment and arguments."""
LIBRARIES = (
    "click", "defusedxml.ElementTree", "iterstrat.ml_stratifiers", "multiprocessing.popen_spawn_posix", "numpy", "orjson",
    "pandas", "rich.console", "rich.progress", "scipy.linalg", "scipy.sparse.csgraph", "scipy.special", "scipy.stats",
    "sklearn.ensemble", "sklearn.linear_model", "sklearn.neighbors", "sklearn.svm", "sklearn.tree", "threadpoolctl",
)  # fmt: skip


@contextlib.contextmanager
def python(script, **environment):
    """Write the executable, which works as long as the context lasts; environment: what is added where the libraries load."""
    with opened(script, f"{script}.door") as door:
        command = [sys.executable, __file__, str(door.fileno())]
        around = {"OPENBLAS_NUM_THREADS": "1", **os.environ, **environment}  # as the command has it
        with subprocess.Popen(command, env=around, pass_fds=[door.fileno()], stdin=subprocess.DEVNULL) as server:
            door.close()  # so that a client is refused where the server has failed
            try:
                yield script
            finally:
                server.terminate()


@contextlib.contextmanager
def opened(script, address):
    """Listen at an address, and write an executable that asks there to do what it is asked."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        script.write_text(CLIENT.format(python=Path(sys.executable).resolve(), address=address))
        script.chmod(0o755)
        yield door


def asked(call):
    """What a client sent: folder, environment, arguments and the descriptors of its streams."""
    words, streams, _, _ = socket.recv_fds(call, MOST_BYTES, 3)
    return *eval(words), streams


def reaped():
    """Let forks that have ended go, so that the time that they took counts."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def over(streams):
    """Put descriptors in the place of standard input, output and error."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))


def serve(door):
    """Answer each call by a fork, in which this returns what it was asked."""
    while True:
        call, _ = door.accept()
        if os.fork() == 0:
            folder, environment, words, streams = asked(call)
            child = os.fork()
            if child == 0:
                break
            call.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
            os._exit(0)
        call.close()
        reaped()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    door.close()
    call.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    over(streams)
    return words


def as_python(kind, what, *arguments):
    """What Python does with -c or -m."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.argv = [kind, *arguments]
    if kind == "-m":
        sys.path[:0] = [str(Path.cwd()), *paths]
        runpy.run_module(what, run_name="__main__", alter_sys=True)
        return
    sys.path[:0] = ["", *paths]
    main = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(what, "<string>", "exec"), vars(main))


def status_of(action, *arguments):
    """The exit status of a Python that does something; nothing stays in its streams."""
    status = 0
    try:
        action(*arguments)
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def run(door):
    sys.path.pop(0)
    with warnings.catch_warnings(action="ignore"):
        for name in LIBRARIES:
            import_module(name)
    gc.freeze()
    words = serve(door)
    status = status_of(as_python, *words)
    threading._shutdown()
    atexit._run_exitfuncs()
    os._exit(status)  # without taking down the libraries, which takes longer than many a command


if __name__ == "__main__":
    run(socket.socket(fileno=int(sys.argv[1])))
