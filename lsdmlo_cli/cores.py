"""How many cores there are to work on."""

from __future__ import annotations

import os


def allowed_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
