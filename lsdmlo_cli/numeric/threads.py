"""Work spread over threads, with BLAS limited to one thread in each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """BLAS limited to one thread in the whole process: that of numpy, and that of scipy where scipy.linalg is loaded."""
    return _blas("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _blas(with_scipy: bool) -> ThreadpoolController:
    """The libraries that are loaded now. To look for them takes milliseconds: it is done once with and once without scipy's."""
    return ThreadpoolController()


@contextmanager
def mapping(threads: int) -> Iterator[Callable[..., Any]]:
    """`map`, or its equivalent over threads; results are in the order of the arguments.

    BLAS is limited to one thread in the whole process meanwhile: small products are faster that way, and threads do not
    wait for each other.

    >>> with mapping(2) as run:
    ...     list(run(abs, [-1, 2]))
    [1, 2]
    """
    with one_blas_thread():
        if threads == 1:
            yield map
        else:
            with ThreadPoolExecutor(threads) as pool:
                yield pool.map


def even_parts(total: int, most: int) -> list[slice]:
    """Parts of about one size, of at most so many each; an even number of them, for an even number of threads.

    >>> even_parts(10, 4)
    [slice(0, 2, None), slice(2, 5, None), slice(5, 7, None), slice(7, 10, None)]
    """
    parts = min(total, 2 * -(-total // (2 * most)))
    bounds = [total * part // max(parts, 1) for part in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def spread(run: Callable[..., Any], do: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
    """What `do` returns for each part, by `map` or what `mapping` gives in its place; a single part does not start a thread."""
    results: Iterator[Any] = run(do, parts) if len(parts) > 1 else map(do, parts)
    return results


def each(run: Callable[..., Any], do: Callable[[Any], None], parts: Sequence[Any]) -> None:
    """Do something to each part, as `spread` does."""
    for _ in spread(run, do, parts):
        pass
