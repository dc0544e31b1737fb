"""What an Analysis hands on to one with other settings, and the warnings that follow from what it has learned."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest
from made_data import dataset, dense_rows, made_up

from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis.analysis import RESTS_ON

SETTINGS = Settings(k=3, tol=1e-9)
OTHERS = [
    {"k": 2},
    {"lambda1": 2.0},
    {"lambda2": 0.5},
    {"scale": "std"},
    {"tol": 1e-10},
    {"max_iter": 99_999},
    {"max_seconds": 1e6},
    {"seed": 1},
]


def learned(settings: Settings) -> Analysis:
    """An Analysis that has learned all there is."""
    analysis = Analysis(made_up(1, n=60), settings)
    analysis.label_neighbors.of_labels(range(analysis.dataset.q))
    assert all(getattr(analysis, name) is not None for name in RESTS_ON)
    return analysis


def test_all_that_is_learned_is_said_to_rest_on_something() -> None:
    kept = {name for name, value in vars(Analysis).items() if isinstance(value, cached_property)}
    assert set(RESTS_ON) == kept


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: next(iter(other)))
def test_other_settings_give_what_learning_anew_gives(other: dict[str, object]) -> None:
    settings = replace(SETTINGS, **other)
    first, fresh = learned(SETTINGS), learned(settings)
    found = first.with_settings(settings)
    handed_on = set(vars(found)) & set(RESTS_ON)
    assert handed_on == {name for name, rests_on in RESTS_ON.items() if not set(rests_on) & set(other)}
    assert all(getattr(found, name) is getattr(first, name) for name in handed_on)
    assert np.array_equal(dense_rows(found.E), dense_rows(fresh.E))
    assert np.allclose(found.feature_weights.W.toarray(), fresh.feature_weights.W.toarray(), atol=1e-5)
    assert np.array_equal(found.euclidean.index, fresh.euclidean.index)
    lists = (analysis.label_neighbors.of_labels(range(found.dataset.q)) for analysis in (found, fresh))
    for one, anew in zip(*(of_label.values() for of_label in lists), strict=True):
        assert np.allclose(one.neighbors.squared_distance, anew.neighbors.squared_distance, rtol=1e-4)


def test_nothing_is_handed_on_that_has_not_been_learned() -> None:
    first = Analysis(made_up(1), SETTINGS)
    assert set(vars(first.with_settings(SETTINGS))) & set(RESTS_ON) == set()


def test_warnings_follow_from_what_has_been_learned_in_a_fixed_order() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(60), 2.0**60 * rng.integers(0, 9, 60), rng.normal(size=60)])
    data = replace(dataset(X, rng.random((60, 3)) < 0.3), warnings=("of the file",))
    analysis = Analysis(data, Settings(scale="range", max_iter=1, tol=1e-12))
    assert analysis.warnings == ("of the file",)
    assert not analysis.feature_weights.converged
    words = ("of the file", "beyond 2^53", "looks like an identifier", "relative gap")
    assert [word in warning for word, warning in zip(words, analysis.warnings, strict=True)] == [True] * 4
    assert analysis.warnings == analysis.warnings


def test_a_solver_that_was_stopped_by_the_clock_says_so_with_its_gap() -> None:
    analysis = Analysis(made_up(1), Settings(max_seconds=1e-9, tol=1e-12))
    found = analysis.feature_weights
    assert not found.converged and found.iterations < analysis.settings.max_iter
    warning = analysis.warnings[-1]
    assert warning.startswith(f"the feature weights have a relative gap of {found.relative_gap:.1e} after")
    assert "stopped after 1e-09 s; another run may stop elsewhere" in warning
    in_time = Analysis(made_up(1), Settings(max_seconds=1e6))
    np.testing.assert_array_equal(in_time.Theta.toarray(), Analysis(made_up(1)).Theta.toarray())
    assert in_time.warnings == Analysis(made_up(1)).warnings


def test_a_lowered_k_is_told_behind_the_warnings_of_the_file() -> None:
    data = replace(dataset(np.eye(4), np.eye(4)), warnings=("of the file",))
    assert Analysis(data).warnings == ("of the file", "k is lowered from 5 to 3, since there are only n=4 rows")
    assert Analysis(data, Settings(k=3)).warnings == ("of the file",)
