"""Checks of parameters: what is taken, as what, and what is said of all else."""

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lsdmlo_cli import ParameterError, Settings
from lsdmlo_cli.checks import check_choice, check_number, check_truth, check_whole, shown


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("k", 2.5, "k must be a whole number from 1, or None, not 2.5"),
        ("k", 5.0, "k must be a whole number from 1, or None, not 5.0"),
        ("k", "5", "k must be a whole number from 1, or None, not '5'"),
        ("k", True, "k must be a whole number from 1, or None, not True"),
        ("k", np.True_, "k must be a whole number from 1, or None, not (np.)?True"),
        ("k", 0, "k must be a whole number from 1, or None, not 0"),
        ("k", [5], r"k must be a whole number from 1, or None, not \[5\]"),
        ("lambda1", None, "lambda1 must be a number above 0, not None"),
        ("lambda1", "1", "lambda1 must be a number above 0, not '1'"),
        ("lambda1", 0, "lambda1 must be above 0, not 0"),
        ("lambda1", float("nan"), "lambda1 must be above 0, not nan"),
        ("lambda1", Decimal("NaN"), "lambda1 must be above 0, not NaN"),
        ("lambda1", Decimal("sNaN"), "lambda1 must be above 0, not sNaN"),
        ("lambda1", float("inf"), "lambda1 must be above 0, not inf"),
        ("lambda1", 10**400, "lambda1 must be above 0, not 1000"),
        ("lambda1", np.ones(2), r"lambda1 must be a number above 0, not array\(\[1., 1.\]\)"),
        ("lambda2", False, "lambda2 must be a number 0 or more, not False"),
        ("lambda2", 1j, "lambda2 must be a number 0 or more, not 1j"),
        ("lambda2", -1, "lambda2 must be 0 or more, not -1"),
        ("lambda2", -(10**400), "lambda2 must be 0 or more, not -1000"),
        ("tol", "x", "tol must be a number above 0, not 'x'"),
        ("tol", 0.0, "tol must be above 0, not 0.0"),
        ("max_iter", 1.5, "max_iter must be a whole number from 1, not 1.5"),
        ("max_iter", None, "max_iter must be a whole number from 1, not None"),
        ("max_seconds", 0, "max_seconds must be above 0, not 0"),
        ("max_seconds", "9", "max_seconds must be a number above 0, not '9'"),
        ("sample", 1, "sample must be a whole number from 2, or None, not 1"),
        ("sample", Decimal(200), "sample must be a whole number from 2, or None, not 200"),
        ("seed", -1, "seed must be a whole number from 0, not -1"),
        ("seed", None, "seed must be a whole number from 0, not None"),
        ("seed", np.random.default_rng(0), r"seed must be a whole number from 0, not Generator\(PCG64\)"),
        *(
            ("scale", wrong, f"scale must be 'none', 'range' or 'std', not {wrong!r}")
            for wrong in (None, False, 0, "minmax", "Range", "STANDARD", "", b"std")
        ),
        ("scale", np.array(["std"]), "scale must be 'none', 'range' or 'std', not array"),
        ("measures", "quick", "measures must be 'auto', 'all', 'sampled' or 'fast', not 'quick'"),
        ("measures", None, "measures must be 'auto', 'all', 'sampled' or 'fast', not None"),
    ],
)
def test_settings_name_what_is_wrong(name: str, wrong: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=f"^{says}") as refused:
        Settings(**{name: wrong})
    assert "\n" not in str(refused.value)


def test_numbers_of_every_kind_are_kept_as_pythons_own() -> None:
    given = Settings(
        k=np.int8(3), lambda1=np.float32(0.5), lambda2=Decimal("0.25"), scale=np.str_("std"), tol=Fraction(1, 4),
        max_iter=np.uint64(7), measures="sampled", sample=np.int64(9), seed=np.array(4),
        max_seconds=Fraction(5, 2),
    )  # fmt: skip
    meant = Settings(3, 0.5, 0.25, "std", 0.25, 7, "sampled", 9, 4, 2.5)
    assert given == meant
    assert [type(value) for value in dataclasses.astuple(given)] == [
        *(int, float, float, str, float, int, str, int, int, float),
    ]
    assert Settings(lambda1=2) == Settings(lambda1=2.0)


def test_what_the_samplers_can_use() -> None:
    assert check_choice("vdm_power", np.int64(2), 1, 2) == 2
    with pytest.raises(ParameterError, match=r"^vdm_power must be 1 or 2, not True$"):
        check_choice("vdm_power", True, 1, 2)
    with pytest.raises(ParameterError, match=r"^vdm_power must be 1 or 2, not 1\.0$"):
        check_choice("vdm_power", 1.0, 1, 2)
    assert check_truth("see_new", np.False_) is False
    for wrong in (1, None, "no", np.zeros(1, dtype=bool)):
        with pytest.raises(ParameterError, match=r"^see_new must be True or False, not "):
            check_truth("see_new", wrong)
    assert check_number("tr", 1, most=1) == 1
    with pytest.raises(ParameterError, match=r"^tr must be a number between 0 and 1, not None$"):
        check_number("tr", None, most=1)
    assert check_whole("n", 2**70, 1) == 2**70


def test_messages_stay_on_one_short_line() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown(np.arange(1000))) == len(shown("x" * 1000)) == 60
    assert "\n" not in shown(np.eye(3))
