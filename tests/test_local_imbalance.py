"""Figures from a sample of positives, and data that lies in temporary files."""

from pathlib import Path

import numpy as np
import pytest
from made_data import made_up
from scipy.sparse import csc_array, csr_array

from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import local_imbalance
from lsdmlo_cli.analysis.effort import SPARSE, search_seconds
from lsdmlo_cli.numeric import measures
from lsdmlo_cli.numeric.matrix import Stack, release, settle, take, walk
from lsdmlo_cli.numeric.neighbors import Search
from lsdmlo_cli.report import stats_report

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data" / "garden-birds.arff"
STATUS = Path("/proc/self/status")


def test_the_truth_lies_within_three_standard_errors():
    """For at least 95 of 100 seeds, with either distance."""
    data = made_up(1, n=400)
    truth = local_imbalance.before(Analysis(data))
    within = {"limb": 0, "limb_lsd": 0}
    for seed in range(100):
        seen = local_imbalance.before(Analysis(data, Settings(measures="sampled", sample=20, seed=seed)))
        for figure in within:
            error = measures.limb_error(getattr(seen, f"{figure}_se"))
            assert error > 0
            within[figure] += abs(measures.limb(getattr(seen, figure)) - measures.limb(getattr(truth, figure))) <= 3 * error
    assert min(within.values()) >= 95


def test_a_sample_of_all_positives_is_exact():
    data = made_up(2, n=60)
    whole, seen = (local_imbalance.before(Analysis(data, Settings(measures=m, sample=1000))) for m in ("all", "sampled"))
    assert np.array_equal(whole.limb, seen.limb, equal_nan=True)
    assert np.array_equal(whole.limb_lsd, seen.limb_lsd, equal_nan=True)
    assert np.nansum(seen.limb_se) == 0


def test_a_sample_depends_on_the_seed():
    data = made_up(1, n=400)
    one, same, other = (
        local_imbalance.before(Analysis(data, Settings(measures="sampled", sample=20, seed=s))).limb for s in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("longest", "measures"), [(1e9, "all"), (0.0, "sampled")])
def test_left_open_all_positives_are_looked_at_where_that_is_quick_and_a_sample_elsewhere(longest, measures, monkeypatch):
    """The figures, the parameters and the warnings are those of a run that was asked for what was decided."""
    monkeypatch.setattr("lsdmlo_cli.analysis.analysis.LONGEST_UNASKED", longest)
    data = made_up(1, n=400)
    left_open, asked = (stats_report(Analysis(data, Settings(sample=20, measures=m))) for m in ("auto", measures))
    told = [one for one in left_open["warnings"] if one not in asked["warnings"]]
    assert {**left_open, "warnings": []} == {**asked, "warnings": []}
    assert left_open["parameters"]["measures"] == measures
    assert [one[:44] for one in told] == ["LImb and LImb_LSD are estimates from up to 2"] * (measures == "sampled")


@pytest.mark.parametrize(("seconds", "sample"), [(100.0, 30), (5 / 2 / 5 / 77.5, 77), (1e-9, 200)])
def test_left_open_as_many_positives_are_sampled_as_there_is_time_for(seconds, sample, monkeypatch):
    """Two searches for a positive of each of five labels."""
    monkeypatch.setattr("lsdmlo_cli.analysis.analysis.search_seconds", lambda E, rows: rows * seconds)
    data = made_up(1, n=400)
    assert np.count_nonzero(data.counts) == 5
    assert Analysis(data).sample == sample
    assert Analysis(data, Settings(measures="sampled")).sample == 200
    assert Analysis(data, Settings(sample=9)).sample == 9


def test_the_effort_grows_with_what_is_asked_and_with_what_rows_share():
    E = np.random.default_rng(0).random((50, 8))
    sparse = csr_array(E * (E < 0.2))
    assert search_seconds(E, 20) == pytest.approx(2 * search_seconds(E, 10))
    assert search_seconds(np.vstack([E, E]), 10) == pytest.approx(2 * search_seconds(E, 10))
    shared = (np.diff(csc_array(sparse).indptr) ** 2).sum() / 50
    assert search_seconds(sparse, 10) == pytest.approx(10 * (SPARSE[0] * 50 + SPARSE[1] * shared))


@pytest.mark.parametrize("density", [0.05, 0.9])
@pytest.mark.parametrize("most_bytes", [0, 5000, 2**40])
def test_a_stack_is_the_matrix_of_its_blocks(density, most_bytes):
    rng = np.random.default_rng(0)
    whole = rng.random((200, 11)) * (rng.random((200, 11)) < density)
    stack = Stack(11, most_bytes)
    for start in range(0, 200, 7):
        block = whole[start : start + 7]
        stack.append(block if start % 2 else csr_array(block))
    found = stack.finish()
    assert type(found) is type(settle(whole))
    assert np.array_equal(found if isinstance(found, np.ndarray) else found.toarray(), whole)
    release(found)
    walked = np.concatenate([part if isinstance(part, np.ndarray) else part.toarray() for _, part in walk(found)])
    assert np.array_equal(walked, whole)


def mapped_bytes():
    """What of memory-mapped files is in memory."""
    status = dict(line.split(":", 1) for line in STATUS.read_text(encoding="ascii").splitlines())
    return sum(int(status[name].split()[0]) for name in ("RssFile", "RssShmem")) * 1024


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells what of a file is in memory")
@pytest.mark.parametrize("density", [0.05, 0.9])
def test_rows_that_are_taken_out_of_a_file_leave_nothing_else_in_memory(density):
    rng = np.random.default_rng(0)
    stack = Stack(100, most_bytes=0)
    for _ in range(40):
        stack.append(settle(rng.random((1000, 100)) * (rng.random((1000, 100)) < density)))
    matrix = stack.finish()
    release(matrix)
    before, rows = mapped_bytes(), rng.permutation(40_000)
    taken = take(matrix, rows)
    assert mapped_bytes() - before < 1e6
    back = np.argsort(rows)
    assert all((taken[back[part]] != block).sum() == 0 for part, block in walk(matrix))


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells what of a file is in memory")
def test_a_search_keeps_little_of_a_file_in_memory():
    rng = np.random.default_rng(0)
    stack = Stack(400, most_bytes=0)
    for _ in range(8):
        stack.append(rng.random((1000, 400)))
    matrix = stack.finish()
    release(matrix)
    before, seen = mapped_bytes(), []
    Search(matrix, workspace=2**24, watch=lambda *step: seen.append(mapped_bytes())).of_all(3)
    assert max(seen) - before < matrix.nbytes / 2


@pytest.mark.parametrize("name", ["garden-birds.arff", "garden-birds-sparse.arff"])
def test_memory_changes_no_byte(name, lsdmlo, tmp_path):
    for memory in ("2G", "1K"):
        run = lsdmlo("resample", SAMPLE.with_name(name), f"{memory}.arff", "--memory", memory)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "2G.arff").read_bytes() == (tmp_path / "1K.arff").read_bytes()
    assert (tmp_path / "2G.report.json").read_bytes() == (tmp_path / "1K.report.json").read_bytes()


@pytest.mark.parametrize("size", ["5", "1.5G", "300 MB", "2GiB", "10k"])
def test_sizes(size, lsdmlo):
    assert lsdmlo("stats", SAMPLE, "--measures", "fast", "--memory", size).returncode == 0


@pytest.mark.parametrize("size", ["", "2T", "-1", "many"])
def test_sizes_that_are_none(size, lsdmlo):
    run = lsdmlo("stats", SAMPLE, f"--memory={size}")
    assert run.returncode == 2
    assert b"is not a size" in run.stderr
