"""Who works on the parts of an experiment: this process, several, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import LsdmloError, ParameterError
from lsdmlo_cli.evaluation.processes import BROKEN, processes

T = TypeVar("T")
K = TypeVar("K")


class Workers:
    """Where calls are done. count: how many of them at once."""

    def __init__(self, executor: Executor, count: int) -> None:
        self.submit = executor.submit
        self.count = count

    def done(self, fn: Callable[..., T], calls: Sequence[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, T]]:
        """What `fn` returns for the arguments of each call, which has a name, in the order in which they are done."""
        futures = {self.submit(fn, *arguments): name for name, arguments in calls}
        for future in as_completed(futures):
            yield futures[future], outcome(future)


class Here(Workers):
    """This process, which does one call after the other, when its result is asked for."""

    def __init__(self) -> None:
        super().__init__(_AtOnce(), 1)

    def done(self, fn: Callable[..., T], calls: Sequence[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, T]]:
        return ((name, fn(*arguments)) for name, arguments in calls)


class _AtOnce(Executor):
    def submit(self, fn: Callable[..., T], /, *args: Any, **options: Any) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(fn(*args, **options))
        return future


@contextmanager
def workers(jobs: int, cluster: Any = None) -> Iterator[Workers]:
    """So many processes, or a cluster as `cluster.connected` takes it; all are given up when the work is.

    Errors: ParameterError where dask is missing or both are asked for; LsdmloError where the cluster is not there.
    """
    if cluster is not None:
        if jobs > 1:
            raise ParameterError("jobs and cluster exclude each other: a cluster has workers of its own")
        from lsdmlo_cli.cluster import connected

        with connected(cluster, (Dataset,)) as found:
            yield Workers(found, found.workers)
    elif jobs == 1:
        yield Here()
    else:
        with processes(jobs) as pool:
            yield Workers(pool, jobs)


def outcome(future: Future[T]) -> T:
    """The result. Errors: LsdmloError where a process ended."""
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise LsdmloError(BROKEN) from error
