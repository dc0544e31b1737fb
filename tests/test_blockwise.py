"""Neighbours searched by workers among blocks of rows are those of one process, to the last bit."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import distributed
import numpy as np
import pytest
from scipy.sparse import csr_array
from searches import assert_same

from lsdmlo_cli import Analysis, Settings, cluster, stats
from lsdmlo_cli.analysis import after, before, blockwise
from lsdmlo_cli.analysis.blockwise import BlockwiseSearches
from lsdmlo_cli.analysis.searches import searching
from lsdmlo_cli.analysis.spool import Spool
from lsdmlo_cli.cluster import connected
from lsdmlo_cli.data.tables import dataset, labels, table
from lsdmlo_cli.errors import FileError
from lsdmlo_cli.numeric.neighbors import LabelSearch, Search

GARDEN = Path(__file__).parents[1] / "sample_data" / "garden-birds.arff"
MEKA = GARDEN.with_stem("garden-birds-meka")
BLIND = """
import pathlib, numpy
from lsdmlo_cli.analysis import spool

def load(path, *args, **options):
    pathlib.Path({mark!r}).touch()
    raise FileNotFoundError(2, "No such file or directory")

class Blind:
    R_OK = 4

    def access(path, mode):
        return False

numpy.load, spool.os = load, Blind
"""
"""What a worker does first that sees no array in a file."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Nothing is too short for workers, a block has about 40 rows of 6 columns, and a group three blocks on each side."""
    monkeypatch.setattr(blockwise, "WORTH_A_CLUSTER", 0)
    monkeypatch.setattr(blockwise, "SIDE", 3)
    monkeypatch.setattr(blockwise, "CELLS", 240)


def peak_bytes():
    """The most memory that this process has had."""
    (found,) = re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return 1024 * int(found)


class Pool(ThreadPoolExecutor):
    """Two threads in place of workers."""

    def __init__(self):
        super().__init__(2)

    def keep(self, fn, *args):
        return self.submit(fn, *args)

    def submit(self, fn, *args):
        return super().submit(lambda: fn(*resolved(args)))


def resolved(argument):
    """Arguments with results in place of futures."""
    if isinstance(argument, tuple):
        return tuple(map(resolved, argument))
    return argument.result() if isinstance(argument, Future) else argument


@pytest.fixture(scope="module")
def two():
    """A Client of a scheduler with two workers, which are processes."""
    with connected("local:2") as found:
        yield found.client


@pytest.fixture(scope="module")
def three():
    """A Client of a scheduler with three workers."""
    with connected("local:3") as found:
        yield found.client


def data(share, ties=False, n=230):
    """Rows of which a share of the cells is not 0; with ties there are few different numbers, and equal rows."""
    rng = np.random.default_rng(5)
    X = rng.integers(1, 3, size=(n, 6)).astype(float) if ties else rng.normal(size=(n, 6))
    X *= rng.random(X.shape) < share
    Y = (rng.random((n, 4)) < [0.5, 0.2, 0.05, 0.02]).astype(int)
    return dataset(table(X if share == 1 else csr_array(X), "X", None), labels(Y))


def everything(analysis):
    """All lists and figures of a data set, before and after some rows went and others came."""
    rng = np.random.default_rng(1)
    n = analysis.dataset.n
    drawn, keep = rng.integers(0, n, 50), rng.random(n) > 0.1
    new, Y = analysis.E[drawn] * 1.01, analysis.dataset.Y[drawn]
    whole = [before(analysis), after(analysis, new, Y), after(analysis, new, Y, keep), after(analysis, None, Y[:0], keep)]
    lists = [found.neighbors for found in analysis.label_neighbors.of_labels(range(4)).values()]
    figures = [array for one in whole for array in (one.limb, one.limb_lsd, one.limb_se, one.limb_lsd_se)]
    return [array.tobytes() for array in (*analysis.euclidean, *(part for found in lists for part in found), *figures)]


@pytest.mark.parametrize("measures", ["all", "sampled"])
@pytest.mark.parametrize(
    ("share", "ties", "mapped"), [(1, False, True), (0.2, False, False), (1, True, False), (0.2, True, True)]
)
def test_blocks_give_the_lists_of_the_whole(share, ties, mapped, measures, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", int(240 * share))
    settings = Settings(measures=measures, sample=5, scale="std" if mapped else "none")
    alone, together = (Analysis(data(share, ties), settings) for _ in range(2))
    with Pool() as pool:
        together.searches = BlockwiseSearches(pool, 3, together.searches, Spool(tmp_path) if mapped else None)
        assert everything(together) == everything(alone)


def test_blocks_of_fewer_rows_than_neighbours(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 30)
    alone, together = (Analysis(data(1, n=40), Settings(measures="all", k=9)) for _ in range(2))
    with Pool() as pool:
        together.searches = BlockwiseSearches(pool, 3, together.searches, Spool(tmp_path))
        assert everything(together) == everything(alone)


@pytest.mark.parametrize("method", ["lsdmlo", "mlbote"])
def test_resample_on_a_cluster_writes_the_same_bytes(method, two, here, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    asked = ("resample", GARDEN, "--method", method, "--measures", "all", "--quiet")
    written = []
    for place in ([], ["--cluster", two.scheduler.address]):
        done = here(*asked, tmp_path / "out.arff", *place, "--provenance", tmp_path / "out.csv")
        assert done.returncode == 0, done.stderr
        written.append([(tmp_path / name).read_bytes() for name in ("out.arff", "out.report.json", "out.csv")])
    assert written[0] == written[1]


@pytest.fixture
def late(two, tmp_path):
    """Starts a worker of the same scheduler that sees no array in a file; it leaves a mark where it looked for one."""
    blind, mark, started = tmp_path / "blind.py", tmp_path / "mark", []
    blind.write_text(BLIND.format(mark=str(mark)), encoding="utf-8")

    def start():
        words = [two.scheduler.address, "--nthreads", "1", "--no-nanny", "--preload", str(blind)]
        with (tmp_path / "log").open("wb") as log:
            started.append(subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *words], stderr=log))
        two.wait_for_workers(3, timeout=60)

    yield start, mark
    for worker in started:
        worker.terminate()
        worker.wait()


def test_a_worker_that_joins_late_and_sees_no_rows_ends_nothing(two, late, capfd) -> None:
    """It joins when the first lists are there, of which nine groups are to come."""
    start, mark = late
    E = np.random.default_rng(0).normal(size=(480, 6))

    def join(done, total):
        if done == 1:
            start()

    with searching(two, 1) as searches:
        found = searches.euclidean(E, join).of_all(5)
    assert_same(found, Search(E).of_all(5))
    assert mark.exists()
    assert capfd.readouterr() == ("", "")


def test_what_no_worker_sees_is_told_in_a_line(two) -> None:
    held = Spool(tempfile.gettempdir()).written(np.eye(2))
    held.remove()
    with connected(two) as found, pytest.raises(FileError, match=r"^cannot read .*rows\.npy: no such .* \(on the worker tcp.*"):
        found.submit(getattr, held, "rows").result()


def test_a_slow_worker_holds_nothing_up(monkeypatch) -> None:
    """Of some hundred parts it does few: one takes it as long as twenty take the other."""
    monkeypatch.setattr(blockwise, "CELLS", 180)
    unpacked, done = cluster._unpacked, {0: 0, 1: 0}

    def slowly(*packed):
        name = distributed.get_worker().name
        time.sleep((0.4, 0.02)[name])
        done[name] += 1
        return unpacked(*packed)

    monkeypatch.setattr(cluster, "_unpacked", slowly)
    E = np.random.default_rng(0).normal(size=(300, 6))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as machine,
        distributed.Client(machine, set_as_default=False) as client,
        searching(client, 1) as searches,
    ):
        found = searches.euclidean(E).of_all(5)
    assert_same(found, Search(E).of_all(5))
    assert done[0] + done[1] >= 60
    assert done[1] > 6 * done[0]


def test_stats_while_a_worker_dies(two, capfd, monkeypatch) -> None:
    """The first worker is killed when the first lists are there."""
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    first = min(two.run(os.getpid).values())
    killed = []

    def kill(stage, done, total):
        if (stage, done) == ("neighbours", 1) and not killed:
            killed.append(first)
            os.kill(first, signal.SIGKILL)

    found = stats(str(GARDEN), measures="all", cluster=two, progress=kill)
    assert killed == [first]
    assert found == stats(str(GARDEN), measures="all")
    assert capfd.readouterr() == ("", "")


def test_rows_are_sent_where_workers_do_not_see_the_folder(two, here, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    monkeypatch.setattr(cluster, "blind", lambda client: ["tcp://far:1"])
    place = two.scheduler.address
    alone, together = (here("stats", GARDEN, "--measures", "all", *more) for more in ([], ["--cluster", place]))
    assert together.stdout == alone.stdout
    assert f"lsdmlo: tcp://far:1 does not see {tempfile.gettempdir()}: rows are sent".encode() in together.stderr
    assert b"rows are sent" not in here("stats", GARDEN, "--cluster", place, "--quiet").stderr


def test_who_does_not_see_the_folder_of_temporary_files(two) -> None:
    """A worker that sees other files is a worker that is told of files which are not there."""
    assert cluster.blind(two) == []
    held = Spool(tempfile.gettempdir()).written(np.eye(2))
    assert two.submit(lambda one: one.rows.tolist(), held, pure=False).result() == [[1.0, 0.0], [0.0, 1.0]]
    held.remove()
    with pytest.raises(FileError, match=r"^cannot read .*rows\.npy: no such file or directory$"):
        two.submit(lambda one: one.rows, held, pure=False).result()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("a fault")])
def test_nothing_is_left_where_rows_lay(error, two, tmp_path, monkeypatch) -> None:
    """Neither after a run that is done nor after one that is given up, and meanwhile rows lie there once."""
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = []

    def give_up(stage, done, total):
        if (stage, done) == ("neighbours", 1):
            found.extend(path.name for path in tmp_path.glob("lsdmlo-*/*/*"))
            raise error

    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else OSError):
        stats(str(GARDEN), measures="all", scale="std", cluster=two, progress=give_up)
    assert found == ["rows.npy"]
    assert list(tmp_path.iterdir()) == []
    stats(str(GARDEN), measures="all", cluster=two)
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_a_worker_has_memory(monkeypatch) -> None:
    """Each worker may take 170 MB, of which 70 are its own; the rows have 200 MB, and what is sent has less than one."""
    monkeypatch.setattr(blockwise, "CELLS", 2**20)
    rng = np.random.default_rng(0)
    E = rng.random((250_000, 100), dtype=np.float32).astype(float)
    theta, rows, label = rng.random((2, 100)), np.sort(rng.choice(len(E), 40, replace=False)), np.repeat([0, 1], 20)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="170MB", dashboard_address=":0") as machine,
        distributed.Client(machine, set_as_default=False) as client,
        searching(client, 1) as searches,
    ):
        sent = []
        submit = client.submit
        client.submit = lambda *args, **options: sent.append(len(cloudpickle.dumps(args[1:2]))) or submit(*args, **options)
        found = searches.by_label(searches.settled(E), theta).of_rows(rows, label, 5)
        (most, *_) = sorted(client.run(peak_bytes).values(), reverse=True)
    assert_same(found, LabelSearch(E, theta).of_rows(rows, label, 5))
    assert most < 160e6
    assert sum(sent) < 1e6


def test_a_cluster_is_reached_once_for_all_files(two, here, tmp_path, monkeypatch) -> None:
    opened = []
    reach = cluster._client
    monkeypatch.setattr(cluster, "_client", lambda place: opened.append(place) or reach(place))
    place, out = two.scheduler.address, tmp_path / "out"
    for words in (("stats", GARDEN, GARDEN), ("resample", GARDEN, MEKA, "--out-dir", out, "--method", "mlros")):
        assert here(*words, "--measures", "fast", "--quiet", "--cluster", place).returncode == 0
    assert opened == [place, place]


def test_a_dry_run_says_that_a_cluster_is_not_there(here, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    done = here("resample", GARDEN, tmp_path / "out.arff", "--dry-run", "--cluster", "tcp://127.0.0.1:1")
    assert (done.returncode, b"no Dask scheduler answers at tcp://127.0.0.1:1" in done.stderr) == (1, True)


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("name", ["flags", "emotions", "foodtruck", "birds-train", "genbase", "medical"])
def test_stats_of_public_data_on_two_and_three_workers(name, two, three, shared, here, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 15_000)
    asked = ("stats", shared / "data" / f"{name}.arff.xz", "--quiet")
    alone, *together = (here(*asked, *more) for more in ([], *(["--cluster", on.scheduler.address] for on in (two, three))))
    assert [(done.returncode, done.stdout) for done in together] == [(0, alone.stdout)] * 2


@pytest.mark.slow
def test_three_processes(three, here, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    asked = ("stats", GARDEN, "--quiet", "--measures", "all")
    alone, together = (here(*asked, *more) for more in ([], ["--cluster", three.scheduler.address]))
    assert (together.stderr, together.stdout) == (b"", alone.stdout)
