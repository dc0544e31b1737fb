"""A run of `evaluate` that is stopped in the middle."""

import os
import signal
import subprocess
import sys
import time

import pytest

STOPS = pytest.mark.parametrize(
    ("send", "number", "status"), [(os.killpg, signal.SIGINT, 130), (os.kill, signal.SIGKILL, -signal.SIGKILL)]
)


def assert_stopped(asked, out, send, number, status) -> None:
    """Once it has kept a result in the folder `out`, it ends at a signal with the status, and leaves nothing but results."""
    running = subprocess.Popen(
        [sys.executable, "-m", "lsdmlo_cli", "evaluate", *asked, "--out", out],
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background is born deaf to it
    )
    kept = out / "cells"
    while running.poll() is None and not (kept.exists() and any(kept.glob("[!.]*.json"))):
        time.sleep(0.05)
    send(running.pid, number)
    _, told = running.communicate(timeout=60)  # to the end of what every process of the run could still write
    assert running.returncode == status
    assert b"Traceback" not in told
    assert any(kept.glob("[!.]*.json"))
