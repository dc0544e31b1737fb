"""Resampling inside cross-validation: nothing of a test fold reaches the sampler or the learner.

Each row has a number in a column that samplers ignore, so that a new row has its seed's. Sampler and learner note the rows that
they are given.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from imblearn.pipeline import Pipeline
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from lsdmlo_cli import ESTIMATORS, LSDMLO

N, FOLDS = 90, KFold(3, shuffle=True, random_state=1)
RNG = np.random.default_rng(8)
NUMBERS = RNG.normal(size=(N, 4))
X = np.column_stack([np.arange(N), NUMBERS])
Y = (NUMBERS[:, :3] + RNG.normal(size=(N, 3)) * 0.5 > [0, 0.7, 1.1]).astype(int)
METHODS = ["lsdmlo", "mlsmote", "mlrus", "mlros", "mlbote"]
pytestmark = pytest.mark.filterwarnings("ignore")

seen: dict[str, list[np.ndarray]] = {"sampled": [], "learned": [], "predicted": []}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    for rows in seen.values():
        rows.clear()
    yield


def recording(method: str) -> Any:
    """A sampler that notes what it samples."""

    def fit_resample(self: Any, X: Any, y: Any) -> Any:
        seen["sampled"].append(X)
        return super(of, self).fit_resample(X, y)

    of = type("Recording", (ESTIMATORS[method],), {"fit_resample": fit_resample})
    return of(ignore=[0], k=3)


class Learner(ClassifierMixin, BaseEstimator):
    """A tree that notes what it learns and what it predicts."""

    def __init__(self, max_depth: int = 2) -> None:
        self.max_depth = max_depth

    def fit(self, X: Any, y: Any) -> Any:
        seen["learned"].append(X)
        self.tree_ = DecisionTreeClassifier(max_depth=self.max_depth, random_state=0).fit(X[:, 1:], y)
        self.classes_ = [0, 1]
        return self

    def predict(self, X: Any) -> Any:
        seen["predicted"].append(X)
        return self.tree_.predict(X[:, 1:])


def pipeline(method: str) -> Pipeline:
    return Pipeline([("sample", recording(method)), ("learn", Learner())])


def ids(rows: np.ndarray) -> set[int]:
    return set(rows[:, 0].astype(int).tolist())


def leaks() -> list[set[int]]:
    """For each fit and the prediction that follows it, the rows that are on both sides."""
    return [ids(train) & ids(test) for train, test in zip(seen["learned"], seen["predicted"], strict=True)]


@pytest.mark.parametrize("method", METHODS)
def test_a_search_keeps_test_rows_from_sampler_and_learner(method: str) -> None:
    grid = {"sample__p": [0.1, 0.5], "learn__max_depth": [1, 3]}
    GridSearchCV(pipeline(method), grid, cv=FOLDS, scoring="f1_macro", refit=False, error_score="raise").fit(X, Y)
    assert len(seen["sampled"]) == len(seen["learned"]) == len(seen["predicted"]) == 4 * 3
    splits = [(set(train.tolist()), set(test.tolist())) for train, test in FOLDS.split(X)]
    assert sorted(map(sorted, map(ids, seen["predicted"]))) == sorted(4 * [sorted(test) for _, test in splits])
    for sampled, learned, predicted in zip(*seen.values(), strict=True):
        assert (ids(sampled), ids(predicted)) in splits
        assert ids(learned) <= ids(sampled)
        assert len(predicted) == N / 3
    assert leaks() == 12 * [set()]


@pytest.mark.parametrize("method", METHODS)
def test_what_test_rows_hold_changes_nothing_in_training(method: str) -> None:
    """References and feature weights come from the training rows, too: other cells and labels of the test rows leave no trace."""
    train, test = next(FOLDS.split(X))
    others, labels = X.copy(), Y.copy()
    others[test, 1:] = 1e3 * RNG.normal(size=(len(test), 4))
    labels[test] = 1 - labels[test]
    for features, targets in ((X, Y), (others, labels)):
        cross_validate(pipeline(method), features, targets, cv=[(train, test)], scoring="f1_macro", error_score="raise")
    assert np.array_equal(*seen["learned"])
    assert not np.array_equal(*seen["predicted"])


def test_sampling_before_splitting_leaks() -> None:
    """What these tests would find."""
    new_X, new_Y = LSDMLO(ignore=[0], p=0.5, k=3).fit_resample(X, Y)
    cross_validate(Learner(), new_X, new_Y, cv=FOLDS, scoring="f1_macro", error_score="raise")
    assert len(leaks()) == 3
    assert all(leaks())
