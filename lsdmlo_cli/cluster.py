"""Work on a cluster of Dask: a scheduler that is there already, or processes of this machine.

    tcp://host:8786   the scheduler at an address
    local:N           N processes of this machine, for as long as the work takes

Dask says which worker does what, and does the work of a worker that died again. Workers have one thread each, since a library's
sums in several threads may end in other bits.
"""

from __future__ import annotations

import io
import logging
import os
import pickle
import re
import signal
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, chdir, closing, contextmanager, nullcontext, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakSet

from lsdmlo_cli import __version__
from lsdmlo_cli.errors import FileError, LsdmloError, ParameterError, UnseenError
from lsdmlo_cli.extras import optional

NEEDS = "a cluster needs dask and distributed"
dask = optional("dask", NEEDS, "cluster")
distributed = optional("distributed", NEEDS, "cluster")
Pickler: Any = optional("cloudpickle", NEEDS, "cluster").Pickler

T = TypeVar("T")

PATIENCE = 5
"""Seconds that a scheduler has to answer, and to show a worker."""
LOCAL = re.compile(r"local:([1-9]\d{0,3})")
ADDRESS = re.compile(r"(?!local:)([a-z]+://)?\S+:\d+(/\S*)?")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "threadpoolctl")
"""Beside this package, what must be of one version everywhere for results to be the same."""
LOGS = ("distributed", "distributed.client", "distributed.gc")
"""The loggers to which Dask gives a level and a handler."""
CONFIG = {
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.comm.timeouts.connect": "5s",  # to a worker that is dead
    "distributed.scheduler.worker-saturation": 1.0,  # no work waits behind other work while a worker has none
}


class Cluster(Executor):
    """Workers that do what is submitted; errors of the cluster itself are LsdmloErrors.

    apart: types of arguments, or of what they hold, that are large and the same for many calls: each is sent once, goes to a
    worker when it first needs it, and is forgotten there when it is here. workers: how many there are at first.
    """

    def __init__(self, client: Any, apart: tuple[type, ...]) -> None:
        self.client = client
        self.apart = apart
        self.workers = len(client.nthreads())
        self._executor = client.get_executor(pure=False)
        self._sent: dict[int, Any] = {}
        self._kept: WeakSet[Kept] = WeakSet()

    def submit(self, fn: Callable[..., T], /, *args: Any, **options: Any) -> Future[T]:
        return _answered(self._executor.submit(_do, *self._packed(fn, args, options)))

    def keep(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Kept:
        """A call whose result stays with the worker, until the future is forgotten here.

        The future may be an argument of later calls, even before it is done. Keys begin with a word of their own, since Dask
        hands out tasks as workers become free where none needs many that share its word, and all at once where one does.
        """
        kept = Kept(self.client.submit(_do, *self._packed(fn, args, options), key=f"kept-{uuid4()}"))
        self._kept.add(kept)
        return kept

    def _packed(self, *call: Any) -> tuple[Any, ...]:
        """The arguments of `_do` for a call."""
        packed = _Packed.of(call, (Kept, *self.apart))
        return packed.content, [self._send(one) for one in packed.apart], _versions(), os.getcwd()

    def _send(self, large: Any) -> Any:
        """What stands for an object among the arguments. It is kept as a task, which is done again where its worker dies."""
        if isinstance(large, Kept):
            return large.task
        place = id(large)
        if place not in self._sent:
            self._sent[place] = self.client.submit(_itself, large, pure=False)
            weakref.finalize(large, self._sent.pop, place, None)
        return self._sent[place]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait)
        self.client.cancel([kept.task for kept in self._kept])
        self._sent.clear()


class Kept(Future[None]):
    """A call whose result stays with the worker. task: of Dask."""

    def __init__(self, task: Any) -> None:
        super().__init__()
        self.task = task
        task.add_done_callback(self._settle)

    def _settle(self, task: Any) -> None:
        _settle(self, lambda: None if task.status == "finished" else task.result())


@contextmanager
def opened(cluster: Any) -> Iterator[Any]:
    """A Client for `cluster`: "local:N", the address of a scheduler, or a Client of distributed, which is left open.

    Nothing of Dask's log is shown. Errors: ParameterError for what is none of these; LsdmloError where no scheduler answers, or
    it has no workers.
    """
    with _silence(), dask.config.set(CONFIG), ExitStack() as stack:
        client = cluster
        if not isinstance(cluster, distributed.Client):
            local = LOCAL.fullmatch(str(cluster))
            if local is None and not ADDRESS.fullmatch(str(cluster)):
                raise ParameterError(
                    f"the cluster {str(cluster)!r} is neither local:N nor the address of a scheduler, as tcp://host:8786"
                )
            place = str(cluster) if local is None else stack.enter_context(_local(int(local[1])))
            client = stack.enter_context(closing(_client(place)))
        _require_workers(client)
        yield client


@contextmanager
def connected(cluster: Any, apart: tuple[type, ...] = ()) -> Iterator[Cluster]:
    """The workers of `cluster`, see `opened`; apart: see Cluster. When the work is given up, what was not begun is cancelled."""
    with opened(cluster) as client:
        found = Cluster(client, apart)
        try:
            yield found
        finally:
            found.shutdown(wait=False)


def blind(client: Any) -> list[str]:
    """The addresses of workers that cannot read what this process writes into the folder of temporary files."""
    with NamedTemporaryFile(prefix="lsdmlo-") as file:
        return [address for address, sees in _sees(client, file.name).items() if not sees]


def _sees(client: Any, path: str) -> dict[str, bool]:
    """By the address of each worker, whether it can read a file."""
    answers = client.run(os.access, path, os.R_OK, on_error="return")
    return {address: answer is True for address, answer in answers.items()}


def _local(processes: int) -> Any:
    return distributed.LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        preload=[__name__],
    )


def dask_setup(worker: Any) -> None:
    """What Dask calls in a process of `_local` when it begins: it leaves Ctrl-C to the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _client(cluster: Any) -> Any:
    try:
        return distributed.Client(cluster, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise LsdmloError(
            f"no Dask scheduler answers at {cluster} within {PATIENCE} seconds: start one with `dask scheduler`, or use local:N"
        ) from error


def _require_workers(client: Any) -> None:
    """Raise LsdmloError where there are none."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        address = client.scheduler.address
        raise LsdmloError(
            f"the scheduler at {address} has no workers: start some with `dask worker {address} --nthreads 1`"
        ) from error


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing of Dask's log, which tells of workers that come and go, on standard error."""
    logs = [logging.getLogger(name) for name in LOGS]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def _answered(asked: Future[T]) -> Future[T]:
    """The answer of the cluster, with errors that people understand."""
    answer: Future[T] = Future()
    asked.add_done_callback(lambda done: _settle(answer, done.result))
    return answer


def _settle(future: Future[T], outcome: Callable[[], T]) -> None:
    """Give a future the outcome of a call, or the error in it as people understand it."""
    try:
        future.set_result(outcome())
    except BaseException as error:
        future.set_exception(_understood(error))


def _understood(error: BaseException) -> BaseException:
    """What people understand of an error."""
    if isinstance(error, CancelledError):
        return _fault("the scheduler of the cluster is gone: run again; evaluate and recommend go on where they were", error)
    if isinstance(error, distributed.KilledWorker):
        ended = f"one part of the work ended {error.allowed_failures + 1} workers, one after the other"
        return _fault(f"{ended}, perhaps for want of memory: give each worker more", error)
    return error


def _fault(told: str, cause: BaseException) -> LsdmloError:
    error = LsdmloError(told)
    error.__cause__ = cause
    return error


class _Packed:
    """A call as bytes, and the objects that are sent apart, whose places the bytes hold."""

    def __init__(self, content: bytes, apart: Sequence[Any]) -> None:
        self.content = content
        self.apart = apart

    @staticmethod
    def of(call: Any, apart: tuple[type, ...]) -> _Packed:
        """Functions and classes of the program itself, which no worker can import, are packed whole."""
        held: dict[int, Any] = {}

        class Packer(Pickler):  # type: ignore[misc]
            def persistent_id(self, one: Any) -> int | None:
                if not isinstance(one, apart):
                    return None
                held.setdefault(id(one), one)
                return list(held).index(id(one))

        content = io.BytesIO()
        Packer(content).dump(call)
        return _Packed(content.getvalue(), list(held.values()))


def _itself(one: T) -> T:
    return one


def _do(*packed: Any) -> Any:
    """On a worker: what a call returns, from another worker where this one does not see a file. packed, errors: of `_done`."""
    try:
        return _done(*packed)
    except UnseenError as error:
        return _elsewhere(error, *packed)


def _elsewhere(error: UnseenError, *packed: Any) -> Any:
    """What a worker that sees a file returns. This one waits for it, so that it takes no other work in the meantime.

    Errors: the one that is given where no worker sees the file, or those that did are gone.
    """
    worker = distributed.get_worker()
    with closing(distributed.Client(worker.scheduler.address, security=worker.security, set_as_default=False)) as client:
        seeing = [address for address, sees in _sees(client, error.path).items() if sees and address != worker.address]
        if not seeing:
            raise error
        asked = client.submit(_done, *packed, pure=False, workers=seeing)
        while not asked.done():
            if client.nthreads().keys().isdisjoint(seeing):
                raise error
            with suppress(TimeoutError):
                asked.exception(timeout=PATIENCE)
        return asked.result()


def _done(content: bytes, apart: Sequence[Any], versions: dict[str, str], folder: str) -> Any:
    """On a worker: what a call returns, in the folder of who asks, if it is there.

    Errors: LsdmloError where this worker is not as it must be, or does not see a file.
    """
    _refuse_unlike(versions)
    address = distributed.get_worker().address
    try:
        fn, args, options = _unpacked(content, apart)
        with chdir(folder) if os.path.isdir(folder) else nullcontext():
            return fn(*args, **options)
    except ImportError as error:
        raise LsdmloError(f"the worker {address} has no {error.name}: install the same packages everywhere") from error
    except FileError as error:
        error.args = (f"{error} (on the worker {address}: workers see files under the same paths)",)
        raise


def _refuse_unlike(versions: dict[str, str]) -> None:
    """Raise LsdmloError where results of this worker could be others."""
    worker, own = distributed.get_worker(), _versions()
    unlike = [f"{name} {own.get(name, 'none')} (here: {asked})" for name, asked in versions.items() if own.get(name) != asked]
    if unlike:
        raise LsdmloError(f"the worker {worker.address} has {', '.join(unlike)}: install the same packages everywhere")
    if worker.state.nthreads > 1:
        raise LsdmloError(f"the worker {worker.address} has {worker.state.nthreads} threads: start it with --nthreads 1")


def _unpacked(content: bytes, apart: Sequence[Any]) -> Any:
    class Unpacker(pickle.Unpickler):
        def persistent_load(self, place: Any) -> Any:
            return apart[place]

    return Unpacker(io.BytesIO(content)).load()


@cache
def _versions() -> dict[str, str]:
    """What results depend on; a package that is missing has no entry."""
    found = {"lsdmlo": __version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
