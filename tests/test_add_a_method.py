"""The page "Add a sampling method": its example is a package of its own, which the command, Python and evaluation find."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "add-a-method.md").read_text(encoding="utf-8")
CODE, ENTRY, COMMANDS = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1] for kind in ("python.*?", "toml.*?", "shell"))


@pytest.fixture
def place(tmp_path: Path, fresh_python: Path) -> Path:
    """A folder with the example as an installed package, with data, and Python."""
    (tmp_path / "python").symlink_to(fresh_python)
    (tmp_path / "toy_sampler.py").write_text(CODE)
    info = tmp_path / "toy_sampler-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-sampler\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lsdmlo.samplers]\n" + ENTRY.splitlines()[1].replace('"', "") + "\n")
    for end in (".arff", ".xml"):
        (tmp_path / f"garden-birds{end}").symlink_to(ROOT / "sample_data" / f"garden-birds{end}")
    return tmp_path


def run(arguments: list[str], place: Path, status: int = 0) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), str(ROOT)])}
    done = subprocess.run([place / "python", *arguments], cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_the_commands_of_the_page(place: Path) -> None:
    described, resampled, evaluated = (run(["-m", "lsdmlo_cli", *line.split()[1:]], place) for line in COMMANDS.splitlines())
    assert "--rarest\n      Number of labels that count as rarest.  [default: 3]" in described
    assert 'Example, "Clones of the rarest", Toy Letters, 2026' in described
    assert re.search(r"(\d+) added", resampled)[1] == "15"
    assert "rarest:rarest=2" in evaluated


def test_a_value_out_of_range_is_refused(place: Path) -> None:
    line = "resample garden-birds.arff out.arff --method rarest --rarest 0"
    assert "'0' is not a whole number of 1 or more" in run(["-m", "lsdmlo_cli", *line.split()], place, status=2)


def test_the_estimator(place: Path) -> None:
    code = "from lsdmlo_cli import ESTIMATORS\nprint(ESTIMATORS['rarest'](rarest=2))"
    assert run(["-c", code], place) == "Rarest(rarest=2)\n"


def test_the_package_can_be_imported_first(place: Path) -> None:
    code = "import toy_sampler\nfrom lsdmlo_cli import SAMPLERS\nprint(SAMPLERS['rarest'] is toy_sampler.Rarest)"
    assert run(["-c", code], place) == "True\n"


def test_a_name_that_is_taken(place: Path) -> None:
    (place / "toy_sampler.py").write_text(CODE.replace('"rarest"', '"mlros"'))
    said = run(["-m", "lsdmlo_cli", "methods"], place, status=1)
    assert said == (
        "lsdmlo: error: the entry point 'rarest' in lsdmlo.samplers of the package toy-sampler: "
        "there is already one of the name 'mlros': give it another name\n"
    )


def test_a_package_that_cannot_be_loaded(place: Path) -> None:
    (place / "toy_sampler.py").write_text("import nothing_of_this_name\n")
    said = run(["-m", "lsdmlo_cli", "methods"], place, status=1)
    assert said == (
        "lsdmlo: error: the entry point 'rarest' in lsdmlo.samplers of the package toy-sampler cannot be loaded "
        "(ModuleNotFoundError: No module named 'nothing_of_this_name'): mend or uninstall that package\n"
    )
