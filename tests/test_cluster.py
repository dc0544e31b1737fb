"""Work on a Dask cluster gives what one process gives, whatever happens to workers."""

import json
import logging
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import distributed
import numpy as np
import pytest
from stopped import STOPS, assert_stopped

from lsdmlo_cli import LsdmloError, ParameterError, cluster, evaluate, recommend
from lsdmlo_cli.cluster import connected
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.errors import FileError
from lsdmlo_cli.evaluation.learners import MLkNN
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.workers import workers

GARDEN = Path(__file__).parents[1] / "sample_data" / "garden-birds.arff"
QUICK = {"methods": "base,mlros", "cv": "1x2"}


@pytest.fixture(scope="module")
def two():
    """The address of a scheduler with two workers, which are processes."""
    with connected("local:2") as found:
        yield found.client.scheduler.address


@pytest.fixture
def strict(two):
    """The same address while the scheduler tries nothing again."""
    (scheduler,) = (one for one in distributed.Scheduler._instances if one.address == two)
    scheduler.allowed_failures, before = 0, scheduler.allowed_failures
    yield two
    scheduler.allowed_failures = before


@pytest.fixture
def within():
    """A Client of a cluster within this process, of so many workers with so many threads each."""
    opened = []

    def client(count, threads=1):
        machine = distributed.LocalCluster(
            n_workers=count, threads_per_worker=threads, processes=False, dashboard_address=":0", silence_logs=False
        )
        opened.extend([machine, distributed.Client(machine, set_as_default=False)])
        return opened[-1]

    yield client
    for one in reversed(opened):
        one.close()


@dataclass(frozen=True)
class KillerKNN(MLkNN):
    """Ends the worker that first trains it; a marker file says that it has."""

    name: ClassVar[str] = "killer"
    marker: str = ""

    def fit(self, E, Y, rng):
        try:
            Path(self.marker).touch(exist_ok=False)
        except FileExistsError:
            return super().fit(E, Y, rng)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def figures(report):
    return json.dumps([report["results"], report["comparison"], report["errors"]])


def small(n=60):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4))
    return X, (X[:, :3] + rng.normal(size=(n, 3)) > [0, 0.5, 1.0]).astype(int)


# ---- evaluate and recommend ------------------------------------------------------------------------------


def test_a_cluster_changes_no_figure_of_a_file(two, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(GARDEN.parent)
    alone = evaluate(GARDEN.name, **QUICK, learners="mlknn")
    out = tmp_path / "o"
    assert figures(evaluate(GARDEN.name, **QUICK, learners="mlknn", cluster=two, out=out)) == figures(alone)
    assert len(list((out / "cells").glob("*.json"))) == 4


def test_a_worker_that_dies_loses_nothing(two, tmp_path, capfd) -> None:
    marker = tmp_path / "killed"
    X, Y = small()
    found = evaluate(X, Y, **QUICK, learners=[KillerKNN(marker=str(marker))], cluster=two)
    assert marker.exists()
    assert figures(evaluate(X, Y, **QUICK, learners=[KillerKNN(marker=str(marker))])) == figures(found)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("how", ["submit", "keep"])
def test_what_ends_every_worker_is_told_in_a_line(how, strict) -> None:
    with (
        connected(strict) as found,
        pytest.raises(LsdmloError, match=r"^one part of the work ended 1 workers, one after"),
    ):
        getattr(found, how)(os._exit, 1).result()


def test_what_a_worker_keeps_is_an_argument_of_later_calls(two) -> None:
    with connected(two) as found:
        kept = found.keep(list, "abc")
        assert found.submit(dict, [(0, kept)]).result() == {0: ["a", "b", "c"]}
        assert kept.result() is None


def test_arrays_are_sent_once(within) -> None:
    alone = evaluate(*small(), **QUICK, learners="mlknn")
    sent = []
    client = within(2)
    submit = client.submit
    client.submit = lambda fn, *args, **options: sent.append((fn, args)) or submit(fn, *args, **options)
    assert figures(evaluate(*small(), **QUICK, learners="mlknn", cluster=client)) == figures(alone)
    assert [type(args[0]) for _, args in sent].count(Dataset) == 1
    assert max(len(args[0]) for _, args in sent if isinstance(args[0], bytes)) < 4000
    assert client.status == "running"


def test_a_slow_worker_keeps_nobody_waiting(within) -> None:
    with workers(1, within(2)) as working:
        done = [name for name, _ in working.done(time.sleep, [("slow", (1.0,)), *((part, (0.01,)) for part in range(5))])]
    assert done.index("slow") >= 4  # at most one stands behind it


@pytest.mark.slow
def test_a_cluster_changes_no_recommendation(within) -> None:
    asked = {"methods": "mlros:p=0.3", "learner": "mlknn", "metric": "macro_auc", "budget": None}
    assert recommend(*small(), **asked, cluster=within(2)) == recommend(*small(), **asked)


@pytest.mark.slow
@STOPS
def test_a_run_that_is_stopped_keeps_what_is_done_and_leaves_no_process(send, number, status, tmp_path) -> None:
    asked = [GARDEN, "--cv", "200x2", "--cluster", "local:1", "--learners", "mlknn", "--methods", "lsdmlo"]
    assert_stopped(asked, tmp_path / "o", send, number, status)


def test_nothing_of_the_log_of_dask_is_shown(two, monkeypatch) -> None:
    """Not of a logger either to which Dask gives a level of its own."""
    told, handler = [], logging.Handler()
    handler.emit = told.append
    logger = logging.getLogger("distributed.client")
    monkeypatch.setattr(logger, "handlers", [handler])
    monkeypatch.setattr(logger, "level", logging.WARNING)
    with connected(two):
        logger.critical("a traceback")
    assert told == []
    assert logger.level == logging.WARNING


# ---- what is not as it must be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "kind", "told"),
    [
        ("tcp://127.0.0.1:1", LsdmloError, "^no Dask scheduler answers at tcp://127.0.0.1:1 within 1 seconds: start one with"),
        (
            "nowhere",
            ParameterError,
            "^the cluster 'nowhere' is neither local:N nor the address of a scheduler, as tcp://host:8786$",
        ),
        ("local:0", ParameterError, "^the cluster 'local:0' is neither"),
        (2, ParameterError, "^the cluster '2' is neither"),
    ],
)
def test_a_cluster_that_is_not_there(asked, kind, told, monkeypatch, capfd) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(kind, match=told):
        evaluate(*small(), **QUICK, cluster=asked)
    assert capfd.readouterr() == ("", "")


def test_a_scheduler_without_workers(within, monkeypatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(LsdmloError, match=r"^the scheduler at .* has no workers: start some with `dask worker .* --nthreads 1`$"):
        evaluate(*small(), **QUICK, cluster=within(0))


def test_workers_with_several_threads_are_refused(within) -> None:
    with pytest.raises(LsdmloError, match=r"^the worker .* has 2 threads: start it with --nthreads 1$"):
        evaluate(*small(), **QUICK, cluster=within(1, threads=2))


def test_workers_of_another_version_are_refused(two, monkeypatch) -> None:
    here = {**cluster._versions(), "scipy": "0.1"}
    monkeypatch.setattr(cluster, "_versions", lambda: here)
    with (
        connected(two) as found,
        pytest.raises(LsdmloError, match=r"^the worker .* has scipy \S+ \(here: 0\.1\): inst"),
    ):
        found.submit(abs, 1).result()


def test_a_worker_that_does_not_see_a_file_says_so(two) -> None:
    with (
        connected(two) as found,
        pytest.raises(FileError, match=r"here\.arff.* \(on the worker tcp.*: workers see files"),
    ):
        found.submit(Place("not/here.arff").load).result()


def test_jobs_and_cluster_exclude_each_other(here, tmp_path) -> None:
    with pytest.raises(ParameterError, match=r"^jobs and cluster exclude each other"):
        evaluate(*small(), **QUICK, cluster="local:2", jobs=2)
    for command in ("evaluate", "recommend"):
        done = here(command, GARDEN, "--jobs", "1", "--cluster", "local:2", "--out", tmp_path / "o")
        assert (done.returncode, b"--jobs and --cluster exclude each other" in done.stderr) == (2, True)


def test_without_dask_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "lsdmlo_cli.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ParameterError, match=r"^a cluster needs dask and distributed: pip install 'lsdmlo\[cluster\]'$"):
        evaluate(*small(), **QUICK, cluster="local:2")
