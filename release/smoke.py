"""Try what is installed: each command once, an estimator, the files of the wheel. For an environment that holds the wheel alone.

    cd /tmp && ENVIRONMENT/bin/python -I CHECKOUT/release/smoke.py CHECKOUT/sample_data

Runs in a folder of its own, prints a line for each thing that works, and ends with a traceback at the first that does not.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

SHARE = (
    "man/man1/lsdmlo.1",
    *(f"man/man1/lsdmlo-{name}.1" for name in ("convert", "evaluate", "explain", "methods", "page", "recommend", "resample")),
    *(f"man/man1/lsdmlo-{name}.1" for name in ("show", "split", "stats", "weights")),
    "bash-completion/completions/lsdmlo",
    "zsh/site-functions/_lsdmlo",
    "fish/vendor_completions.d/lsdmlo.fish",
)
SCRIPT = Path(sys.executable).with_name("lsdmlo")


def lsdmlo(*arguments: str, status: int = 0) -> str:
    """Run the command; returns what it printed. Raises AssertionError where its exit status is another."""
    done = subprocess.run([SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, f"lsdmlo {' '.join(arguments)}: exit status {done.returncode}\n{done.stdout}"
    print("refuses:" if status else "works:", "lsdmlo", *arguments)
    return done.stdout


def try_files() -> None:
    """What is imported and read lies in the environment, not in a checkout."""
    import lsdmlo_cli

    assert Path(lsdmlo_cli.__file__).is_relative_to(sys.prefix), lsdmlo_cli.__file__
    for name in ("py.typed", "report.schema.json", "page/page.html", "page/page.css", "page/page.js"):
        assert resources.files("lsdmlo_cli").joinpath(name).is_file(), name
    for name in SHARE:
        assert (Path(sys.prefix) / "share" / name).stat().st_size > 0, name
    print("works: import lsdmlo_cli", lsdmlo_cli.__version__)


def try_commands(sample: Path) -> None:
    """Each command that the package alone can run; the first is that of `make demo`."""
    resample = ("resample", "birds.arff", "out.arff", "--p", "0.1", "--provenance", "parents.csv")
    assert "300 rows, 30 added" in lsdmlo(*resample)
    report = json.loads(Path("out.report.json").read_text(encoding="utf-8"))
    assert report["after"]["measures"]["MeanIR"] < report["before"]["measures"]["MeanIR"]
    shown = subprocess.run(
        [sys.executable, sample / "demo.py", "out.report.json", "out.arff"], stdout=subprocess.PIPE, check=True
    )
    assert b"300 rows, 30 added" in shown.stdout
    assert json.loads(lsdmlo("stats", "birds.arff", "--measures", "fast"))["dataset"]["n"] == 300
    assert lsdmlo("weights", "birds.arff").startswith("label,feature,weight,theta")
    assert "added" in lsdmlo("show", "out.report.json")
    assert "pip install 'lsdmlo[plots]'" in lsdmlo("page", "birds.arff", "-o", "birds.html", status=2)
    assert "mlsmote" in lsdmlo("methods")
    assert "resample" in lsdmlo("--help")
    lsdmlo("--version")


def try_extras() -> None:
    """`split` and `evaluate`; without the extra that they need they say what to install."""
    split = ("split", "birds.arff", "--out", "folds", "--quiet")
    evaluate = ("evaluate", "birds.arff", "--methods", "base,mlros", "--learners", "mlknn", "--cv", "1x2", "--quiet")
    if find_spec("sklearn") is None:
        for command in (split, evaluate):
            assert "pip install 'lsdmlo[evaluate]'" in lsdmlo(*command, status=2)
    else:
        lsdmlo(*split)
        assert len(list(Path("folds").glob("*.arff"))) == 4
        assert "mlros" in lsdmlo(*evaluate)


def try_estimator() -> None:
    """An estimator with arrays."""
    import numpy as np

    from lsdmlo_cli import MLROS

    X = np.arange(40.0).reshape(20, 2)
    Y = (np.arange(20)[:, None] < [16, 2]).astype(int)
    X2, Y2 = MLROS(rows=2, random_state=0).fit_resample(X, Y)
    assert X2.shape == (22, 2)
    assert Y2[:, 1].sum() == 4
    print("works: MLROS(rows=2).fit_resample(X, Y)")


def main() -> None:
    sample = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for end in (".arff", ".xml"):
            shutil.copy(sample / f"garden-birds{end}", Path(folder) / f"birds{end}")
        with contextlib.chdir(folder):
            try_files()
            try_commands(sample)
            try_extras()
            try_estimator()


if __name__ == "__main__":
    main()
