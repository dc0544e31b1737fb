"""OpenBLAS' kernels for other processors, which OPENBLAS_CORETYPE chooses: which of them can run here, and the tests under them.

`python tests/kernels.py` (make test-kernels) runs the tests that rest on BLAS under two kernels besides the processor's own, or
under as many as the variable KERNELS says.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

from threadpoolctl import threadpool_info

INSTRUCTIONS = {
    "SkylakeX": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "Haswell": {"avx2", "fma"},
    "Sandybridge": {"avx"},
    "Prescott": {"pni"},
}
"""What a kernel needs of the processor, as Linux names it. Zen's is Haswell's in numpy's OpenBLAS."""
CPU = Path("/proc/cpuinfo")
TESTS = Path(__file__).parent
ON_BLAS = [
    TESTS / f"test_{name}.py"
    for name in (
        "certificate_by_label",
        "deep",
        "encoding",
        "feature_weights",
        "gram",
        "label_neighbors",
        "lsdmlo",
        "lsdmlo_pos",
        "measures",
        "neighbors",
        "local_imbalance",
        "pipeline",
        "samplers",
        "samplers_by_hand",
        "splitting",
        "synthesis",
    )
]
"""The tests of numeric/, samplers/ and the pipeline."""


def architectures():
    """The kernels that numpy's and scipy's OpenBLAS run in this process; empty where they have another BLAS."""
    import scipy.linalg  # noqa: F401  loads both

    return {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}


def runnable():
    """The kernels that the processor has the instructions for, best first."""
    if platform.machine() not in ("x86_64", "AMD64") or not CPU.exists():
        return []
    flags = next((set(line.split(":")[1].split()) for line in CPU.read_text().splitlines() if line.startswith("flags")), set())
    return [kernel for kernel, needed in INSTRUCTIONS.items() if needed <= flags]


def under(kernel, command, **options):
    """Run a command with a kernel, on one thread."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, check=False, **options)


def main(arguments):
    """Run the tests that rest on BLAS under other kernels, the best first; the status of the first run that fails, else 0."""
    own = architectures()
    if not own:
        print("numpy has no OpenBLAS here: there are no other kernels to test")
        return 0
    for kernel in INSTRUCTIONS.keys() - runnable():
        print(f"the processor lacks the instructions of {kernel}: not tested")
    for kernel in [kernel for kernel in runnable() if kernel not in own][: int(os.environ.get("KERNELS", "2"))]:
        print(f"tests under OpenBLAS' kernels for {kernel}; the processor's own are {', '.join(sorted(own))}", flush=True)
        status = under(kernel, [sys.executable, "-m", "pytest", *arguments, *ON_BLAS]).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
