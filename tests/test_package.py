"""What the package shows of itself: its names, loaded when they are used."""

import subprocess
import sys

import pytest
from stub import PLACE, stub

import lsdmlo_cli
from lsdmlo_cli import ESTIMATORS


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_every_name_is_listed_once_and_is_there() -> None:
    estimators = {estimator.__name__ for estimator in ESTIMATORS.values()}
    assert estimators <= set(lsdmlo_cli.__all__)
    assert set(lsdmlo_cli.__all__) <= set(dir(lsdmlo_cli))
    assert len(set(lsdmlo_cli.__all__)) == len(lsdmlo_cli.__all__)
    for name in lsdmlo_cli.__all__:
        assert getattr(lsdmlo_cli, name) is not None
    for name in estimators:
        assert getattr(lsdmlo_cli, name) in ESTIMATORS.values()


def test_all_names_can_be_imported_at_once() -> None:
    shown = run("from lsdmlo_cli import *\nprint(LSDMLO(p=0.3), MLeNN(), read.__name__, Settings().k)")
    assert shown == "LSDMLO(p=0.3) MLeNN() read None\n"


def test_the_package_and_its_submodules_load_no_arrays() -> None:
    code = "import sys, lsdmlo_cli as package\nfrom lsdmlo_cli import errors, LsdmloError\nhasattr(package, 'errors')\n"
    assert run(f"{code}print('numpy' in sys.modules)") == "False\n"


def test_what_editors_read_is_what_the_samplers_say() -> None:
    assert PLACE.read_text(encoding="utf-8") == stub()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("LSDMLOO", " (did you mean LSDMLO?)"),
        ("lsdmlo", " (did you mean LSDMLO?)"),
        ("MlSmote", " (did you mean MLSMOTE?)"),
        ("analyze", " (did you mean analyse?)"),
        ("zebra", ""),
        ("__path_of_nothing__", ""),
        ("Protocol", ""),
        ("Estimator", " (did you mean ESTIMATORS?)"),
    ],
)
def test_a_name_that_there_is_not(name: str, near: str) -> None:
    with pytest.raises(AttributeError) as refused:
        getattr(lsdmlo_cli, name)
    assert str(refused.value) == f"module 'lsdmlo_cli' has no attribute {name!r}{near}"


def test_a_wrong_name_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match="cannot import name 'MLSMOTES'"):
        exec("from lsdmlo_cli import MLSMOTES")
