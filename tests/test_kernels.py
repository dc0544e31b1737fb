"""The same bytes under OpenBLAS' kernels for different processors: measured on these sets, promised for none."""

import sys

import pytest
from conftest import ROOT, SHARED
from kernels import architectures, runnable, under

SAMPLE = ROOT / "sample_data"
real = [pytest.mark.shared, pytest.mark.slow]
SETS = [
    pytest.param(SAMPLE / "garden-birds.arff", id="garden-birds"),
    pytest.param(SAMPLE / "garden-birds-sparse.arff", id="garden-birds-sparse"),
    *(pytest.param(SHARED / "data" / f"{name}.arff.xz", id=name, marks=real) for name in ("emotions", "flags", "birds-train")),
]

pytestmark = [
    pytest.mark.skipif(not architectures(), reason="numpy has no OpenBLAS"),
    pytest.mark.skipif(len(runnable()) < 2, reason="this processor runs no other kernels of OpenBLAS"),
]


def test_the_kernel_that_is_asked_for_runs():
    code = "from kernels import architectures; print(*architectures())"
    shown = {under(kernel, [sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True).stdout for kernel in runnable()}
    assert len(shown) == len(runnable())


@pytest.mark.parametrize("source", SETS)
def test_three_kernels_give_the_same_bytes(source, tmp_path):
    for kernel in runnable()[:3]:
        out = tmp_path / f"{kernel}.arff"
        command = [sys.executable, "-m", "lsdmlo_cli", "resample", source, out, "--p", "0.1", "--measures", "fast", "--quiet"]
        assert under(kernel, command).returncode == 0
    assert len({out.read_bytes() for out in tmp_path.glob("*.arff")}) == 1
