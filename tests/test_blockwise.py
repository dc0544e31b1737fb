"""Neighbours searched by workers among blocks of rows are those of one process, to the last bit."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from lsdmlo_cli import Analysis, Settings, stats
from lsdmlo_cli.analysis import after, before, blockwise
from lsdmlo_cli.analysis.blockwise import BlockwiseSearches
from lsdmlo_cli.cluster import connected
from lsdmlo_cli.data.tables import dataset, labels, table

GARDEN = Path(__file__).parents[1] / "sample_data" / "garden-birds.arff"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Nothing is too short for workers, and a block has about 40 rows of 6 columns."""
    monkeypatch.setattr(blockwise, "WORTH_A_CLUSTER", 0)
    monkeypatch.setattr(blockwise, "CELLS", 240)


@pytest.fixture(scope="module")
def two():
    """The address of a scheduler with two workers, and how to reach them."""
    with connected("local:2") as found:
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
@pytest.mark.parametrize(("share", "ties"), [(1, False), (0.2, False), (1, True), (0.2, True)])
def test_blocks_give_the_lists_of_the_whole(share, ties, measures) -> None:
    settings = Settings(measures=measures, sample=5)
    alone, together = (Analysis(data(share, ties), settings) for _ in range(2))
    with ThreadPoolExecutor(2) as pool:
        together.searches = BlockwiseSearches(pool, 3, together.searches)
        assert everything(together) == everything(alone)


def test_blocks_of_fewer_rows_than_neighbours(monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 30)
    alone, together = (Analysis(data(1, n=40), Settings(measures="all", k=9)) for _ in range(2))
    with ThreadPoolExecutor(2) as pool:
        together.searches = BlockwiseSearches(pool, 3, together.searches)
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


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("name", ["flags", "emotions"])
def test_stats_of_public_data_on_a_cluster(name, two, shared, here, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 15_000)
    path = shared / "data" / f"{name}.arff.xz"
    alone, together = (here("stats", path, "--quiet", *more) for more in ([], ["--cluster", two.scheduler.address]))
    assert together.stdout == alone.stdout


@pytest.mark.slow
def test_three_processes(here, monkeypatch) -> None:
    monkeypatch.setattr(blockwise, "CELLS", 2500)
    alone, together = (here("stats", GARDEN, "--quiet", "--measures", "all", *more) for more in ([], ["--cluster", "local:3"]))
    assert (together.stderr, together.stdout) == (b"", alone.stdout)
