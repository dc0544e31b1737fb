"""torch, an optional package: loaded when it is asked for, on one thread, with features scaled to [0, 1]."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.matrix import Matrix, in_form


def load_torch(what: str) -> Any:
    """The package. Errors: ParameterError, which names `what` needs it and how it is installed."""
    return optional("torch", f"{what} needs torch", "deep")


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """More threads would add up in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def column_range(E: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of each column of E (n, e), (e,) each."""
    low, high = (part if isinstance(E, np.ndarray) else part.toarray().ravel() for part in (E.min(axis=0), E.max(axis=0)))
    return low, high


def scaled_tensor(rows: Matrix, low: np.ndarray, high: np.ndarray, torch: Any) -> Any:
    """Rows (m, e) as a float32 tensor, each column's range as [0, 1]; a constant column is 0."""
    span = np.where(high > low, high - low, 1.0)
    return torch.from_numpy(((in_form(rows, True) - low) / span).astype(np.float32))
