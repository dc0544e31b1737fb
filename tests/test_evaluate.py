"""The experiment: nothing is learned from test rows, and its results depend neither on order nor on interruptions."""

import csv
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import ClassVar

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_data import dataset, mixed
from scipy.sparse import csr_array
from sklearn.metrics import f1_score
from stopped import STOPS, assert_stopped

import lsdmlo_cli
from lsdmlo_cli import Analysis, DataError, FormatError, LsdmloError, ParameterError, Settings, estimators, read
from lsdmlo_cli.cli import lsdmlo as command
from lsdmlo_cli.evaluation.cache import Cells, key
from lsdmlo_cli.evaluation.differences import paired
from lsdmlo_cli.evaluation.experiment import About, Found, Where, experiment
from lsdmlo_cli.evaluation.learners import BR, C2AE, LEARNERS, LR, MLkNN
from lsdmlo_cli.evaluation.method_spec import spec
from lsdmlo_cli.evaluation.metrics import METRICS, by_default, measure
from lsdmlo_cli.evaluation.plan import Method, Plan, Tuning, generator
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.evaluation.results import results, timings
from lsdmlo_cli.evaluation.shown import failures, to_csv, to_markdown
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.statistics import MOST_METHODS
from lsdmlo_cli.evaluation.tables import asked, refuse_loss, write_results
from lsdmlo_cli.evaluation.thresholds import THRESHOLDS, best_cuts, cut_at, cut_at_share
from lsdmlo_cli.evaluation.training import cut_without_folds, halves, resampled, trial
from lsdmlo_cli.evaluation.tuning import Point, chosen, grid
from lsdmlo_cli.evaluation.units import Unit, cells
from lsdmlo_cli.evaluation.versions import source_digest, versions
from lsdmlo_cli.folds import folds
from lsdmlo_cli.samplers import (
    SAMPLERS,
    AEMLOSampler,
    LSDMLOSampler,
    MLROSSampler,
    MLRUSSampler,
    MLSMOTESampler,
    MLSOLSampler,
    REMEDIALSampler,
)

GARDEN = Path(__file__).resolve().parents[1] / "sample_data" / "garden-birds.arff"
BASE = Method("base", None)
SAMPLED = [
    Method(sampler.name, sampler)
    for sampler in (LSDMLOSampler(), MLROSSampler(), MLRUSSampler(), MLSMOTESampler(), MLSOLSampler(), REMEDIALSampler())
]
FAST = Settings(measures="fast")


@dataclass(frozen=True)
class Recorder:
    """A learner that keeps what it is given, and predicts each label's share."""

    name: ClassVar[str] = "recorder"
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    seen: list = field(default_factory=list)

    def fit(self, E, Y, rng):
        self.seen.append((E.copy(), Y.toarray()))
        share = Y.toarray().mean(axis=0)

        def predict(E):
            scores = np.tile(share, (E.shape[0], 1))
            return Prediction(scores, scores > 0.2)

        return predict


@dataclass(frozen=True)
class Failing:
    """A sampler that can do nothing with any data."""

    name: ClassVar[str] = "failing"
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def sample(self, analysis, rng):
        raise DataError("no data is good enough")


@pytest.fixture(scope="module")
def garden():
    return read(str(GARDEN))


def first_fold(data):
    return next(folds(data.Y, 2, 1, 0))


def spoiled(data, fold):
    """The data with other features in the test rows."""
    X = data.X.copy()
    X[fold.test] = X[fold.test][::-1] + 7.0
    return replace(data, X=X)


def without_seconds(found):
    return {where: {**cell, "seconds": None} for where, cell in found.items()}


# ---- one trial -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [BASE, *SAMPLED], ids=lambda method: method.title)
def test_training_sees_nothing_of_the_test_rows(method, garden) -> None:
    fold = first_fold(garden)
    nominal = np.array([attribute.kind == "nominal" for attribute in garden.features])
    other = spoiled(garden, fold)
    other.X[:, nominal] = garden.X[:, nominal]
    seen = []
    for data in (garden, other):
        learner = Recorder()
        cells(Plan((method,), (learner,), Settings(scale="range", measures="fast")), data, fold, method, (learner,))
        seen += learner.seen
    (E, Y), (E_other, Y_other) = seen
    assert np.array_equal(E, E_other) and np.array_equal(Y, Y_other)
    assert len(Y) != 0


@pytest.mark.parametrize("method", [BASE, *SAMPLED], ids=lambda method: method.title)
def test_tuning_sees_nothing_of_the_test_rows(method) -> None:
    """The first feature is the row's number, from 1000 on in test rows: what is made of one of them would show."""
    data = mixed(80)
    fold = first_fold(data)
    X = data.X.copy()
    X[:, 0] = np.arange(80) + 1000.0 * fold.test
    learner = Recorder()
    plan = Plan((method,), (learner,), FAST, tuning=Tuning(budget=3))
    cells(plan, replace(data, X=X), fold, method, (learner,))
    assert max(E[:, 0].max() for E, _ in learner.seen) < 80


@pytest.mark.filterwarnings("ignore:stopped after 6 of 9 rows")
@pytest.mark.parametrize("method", SAMPLED, ids=lambda method: method.title)
def test_what_is_learned_from_is_what_the_estimator_makes(method) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    Y = (X[:, [0, 1, 2]] + rng.normal(size=(90, 3)) > [0.0, 0.3, 1.8]).astype(int)
    made = resampled(Analysis(dataset(X, Y), FAST), method.sampler, np.random.default_rng(3))
    estimator = estimators.ESTIMATORS[method.name](random_state=3)
    X2, Y2 = estimator.fit_resample(X, Y)
    assert np.array_equal(made.E, X2)
    assert np.array_equal(made.Y.toarray(), Y2)
    assert made.removed == 90 - len(estimator.sample_indices_)
    assert made.added == len(X2) - len(estimator.sample_indices_)


def test_sparse_rows_are_learned_from_as_dense_ones() -> None:
    data = dataset(np.where(np.random.default_rng(0).random((60, 9)) < 0.15, 1.0, 0.0), np.eye(60, 3))
    Y = (np.random.default_rng(1).random((60, 3)) < [0.5, 0.4, 0.1]).astype(float)
    dense, sparse = (replace(data, X=X, Y=csr_array(Y)) for X in (data.X, csr_array(data.X)))
    fold = first_fold(dense)
    parts = [halves(one, fold.test, FAST) for one in (dense, sparse)]
    made = [resampled(one.analysis, LSDMLOSampler(p=0.5), np.random.default_rng(0)) for one in parts]
    assert np.array_equal(made[0].E, made[1].E.toarray())
    assert np.array_equal(parts[0].E, parts[1].E.toarray())


def test_minority_labels_are_those_of_the_training_rows_whatever_the_method() -> None:
    """MeanIR is (1 + 3.33 + 3.75 + 15 + 15 + 30) / 6 = 11.3; label 4 has no test row, label 5 one training row, label 6 none."""
    counts = np.array([30, 9, 8, 2, 2, 1, 0])
    Y = np.zeros((60, 7))
    for j, count in enumerate(counts):
        Y[j : j + count, j] = 1.0
    Y[40:, :4] = Y[50:, 5:] = 1.0
    Y[40:45, :3] = 0.0
    data = dataset(np.random.default_rng(0).normal(size=(60, 3)), Y)
    parts = halves(data, np.arange(60) >= 40, FAST)
    assert parts.analysis.dataset.counts.tolist() == counts.tolist()
    assert np.flatnonzero(parts.minority).tolist() == [3]


@pytest.mark.parametrize("method", [BASE, SAMPLED[1], SAMPLED[2]], ids=lambda method: method.title)
def test_figures_of_minority_labels_are_of_the_same_labels_for_every_method(method, garden) -> None:
    """Against a loop over the labels, counted from the file."""
    fold, learner = first_fold(garden), Recorder()
    found = cells(Plan((method,), (learner,), FAST), garden, fold, method, (learner,))["recorder"]
    train, test = (garden.Y.toarray()[rows] for rows in (~fold.test, fold.test))
    n = train.sum(axis=0)
    rare = [j for j in range(garden.q) if n[j] > 1 and test[:, j].any() and max(n) / n[j] > np.mean(max(n) / n[n > 0])]
    share = learner.seen[0][1].mean(axis=0)
    given = np.tile(share > 0.2, (len(test), 1))
    assert rare
    assert found["values"]["minority_aucpr"] == pytest.approx(np.mean([test[:, j].mean() for j in rare]))
    assert found["values"]["minority_auc"] == 0.5
    assert found["values"]["minority_f"] == pytest.approx(
        f1_score(test[:, rare], given[:, rare], average="macro", zero_division=0)
    )


def test_the_measured_figure_is_that_of_the_test_rows(garden) -> None:
    fold = first_fold(garden)
    found = cells(Plan((BASE,), (BR(),), FAST), garden, fold, BASE, (BR(),))["br"]
    half = Analysis(garden.take(~fold.test), FAST)
    predict = BR().fit(half.E, half.dataset.Y, generator(0, "learner", "br", 1, 1))
    given = predict(half.encode(garden.X[fold.test])).relevant
    assert found["values"]["macro_f"] == pytest.approx(
        f1_score(garden.Y[np.flatnonzero(fold.test)].toarray(), given, average="macro", zero_division=0)
    )


# ---- thresholds ------------------------------------------------------------------------------------------

GIVEN = {name for name, metric in METRICS.items() if metric.rests_on == "labels"}
SCORES = st.tuples(st.integers(1, 12), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        arrays(np.float64, shape, elements=st.sampled_from([-np.inf, -0.5, 0.0, 0.25, 0.5, 1.0])), arrays(np.bool_, shape)
    )
)


def f_of(given, truth):
    """F of one label, counted row by row; 0 where nothing is given and nothing is true."""
    tp = sum(a and b for a, b in zip(given, truth, strict=True))
    return 2 * tp / max(1, sum(given) + sum(truth))


@given(SCORES, st.data())
def test_prior_is_the_cut_with_the_nearest_count(case, draw) -> None:
    scores, _ = case
    m, q = scores.shape
    share = np.array(draw.draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=q, max_size=q)))
    found = cut_at_share(Prediction(scores, scores > 0.5), share)
    assert found.scores is scores
    for j in range(q):
        counts = [0, *(int((scores[:, j] >= score).sum()) for score in scores[:, j])]
        nearest = min(sorted(counts), key=lambda count: abs(count - share[j] * m))
        assert found.relevant[:, j].sum() == nearest
        assert sorted(scores[found.relevant[:, j], j]) == sorted(scores[:, j])[m - nearest :]


@given(SCORES)
def test_the_best_cut_is_that_of_all(case) -> None:
    scores, Y = case
    cuts = best_cuts(scores, Y)
    given = cut_at(Prediction(scores, scores > 0.5), cuts).relevant
    for j in range(Y.shape[1]):
        tried = {cut: f_of((scores[:, j] >= cut).tolist(), Y[:, j].tolist()) for cut in scores[:, j].tolist()}
        best = max(tried.values())
        assert f_of(given[:, j].tolist(), Y[:, j].tolist()) == best
        assert best == 0 or cuts[j] == max(cut for cut in tried if tried[cut] == best)
        assert np.isnan(cuts[j]) == (best == 0)


def test_f_at_a_prior_cut_by_hand() -> None:
    """Half of the rows have the label; so the two highest of four scores are given, and one of them is right: F = 2 / 4."""
    scores, Y = np.array([[0.30], [0.20], [0.10], [0.25]]), np.array([[True], [True], [False], [False]])
    found = measure(Y, cut_at_share(Prediction(scores, scores > 0.5), np.array([0.5])))
    assert (found.values["macro_f"], found.values["hamming_loss"]) == (0.5, 0.5)
    assert measure(Y, Prediction(scores, scores > 0.5)).values["macro_f"] == 0.0


@pytest.mark.parametrize("threshold", ["prior", "inner"])
def test_a_threshold_changes_metrics_of_given_labels_alone(threshold, garden) -> None:
    fold, method, learners = first_fold(garden), Method("mlros", MLROSSampler()), (BR(), MLkNN())
    plain, cut = (
        cells(Plan((method,), learners, FAST, threshold=one), garden, fold, method, learners) for one in ("half", threshold)
    )
    for learner in ("br", "mlknn"):
        values, others = plain[learner]["values"], cut[learner]["values"]
        assert GIVEN - {"minority_f"} <= {name for name in METRICS if values[name] != others[name]} <= GIVEN


def test_prior_gives_the_share_of_the_training_rows_before_sampling(garden) -> None:
    fold, method, learner = first_fold(garden), Method("mlros", MLROSSampler(p=1)), MLkNN()
    found = cells(Plan((method,), (learner,), FAST, threshold="prior"), garden, fold, method, (learner,))["mlknn"]
    parts = halves(garden, fold.test, FAST)
    made = resampled(parts.analysis, method.sampler, generator(0, "sampler", "mlros", 1, 1))
    scores = learner.fit(made.E, made.Y, generator(0, "learner", "mlknn", 1, 1))(parts.E).scores
    train, test = (garden.Y.toarray()[rows] for rows in (~fold.test, fold.test))
    f = []
    for j in range(garden.q):
        wanted = train[:, j].mean() * len(test)
        cuts = sorted([*set(scores[:, j].tolist()), np.inf], reverse=True)
        cut = min(cuts, key=lambda cut: abs((scores[:, j] >= cut).sum() - wanted))
        f.append(f_of((scores[:, j] >= cut).tolist(), (test[:, j] > 0).tolist()))
    assert found["values"]["macro_f"] == pytest.approx(np.mean(f), abs=1e-12)


def test_prior_asks_the_training_rows_where_the_test_rows_differ() -> None:
    """10 and 30 of 40 training rows have the labels, 20 and 0 of the 20 test rows: 5 and 15 of these are given them."""
    row = np.arange(60)
    Y = np.column_stack([(row < 10) | (row >= 40), row < 30]).astype(float)
    data = dataset(np.random.default_rng(0).normal(size=(60, 3)), Y)
    scores = np.random.default_rng(1).random((20, 2))
    cut = cut_without_folds(halves(data, row >= 40, FAST), "prior")
    assert cut(Prediction(scores, scores > 0.5)).relevant.sum(axis=0).tolist() == [5, 15]


def test_inner_cuts_where_f_is_best_on_held_out_training_rows(garden) -> None:
    fold, method, learner = first_fold(garden), Method("mlros", MLROSSampler(p=1)), MLkNN()
    found = cells(Plan((method,), (learner,), FAST, threshold="inner"), garden, fold, method, (learner,))["mlknn"]
    half, scores, truth = garden.take(~fold.test), [], []
    for inner in folds(half.Y, 3, 1, int(generator(0, "threshold folds", 1, 1).integers(2**31))):
        parts = halves(half, inner.test, FAST)
        made = resampled(parts.analysis, method.sampler, generator(0, "sampler", "mlros", 1, 1, "threshold", inner.fold))
        scores += learner.fit(made.E, made.Y, None)(parts.E).scores.tolist()
        truth += parts.Y.tolist()
    scores, truth = np.array(scores), np.array(truth)
    assert len(scores) == half.n
    parts = halves(garden, fold.test, FAST)
    made = resampled(parts.analysis, method.sampler, generator(0, "sampler", "mlros", 1, 1))
    predicted = learner.fit(made.E, made.Y, None)(parts.E).scores
    f = []
    for j in range(garden.q):
        best = max(sorted(set(scores[:, j].tolist()), reverse=True), key=lambda cut: f_of(scores[:, j] >= cut, truth[:, j]))
        f.append(f_of(predicted[:, j] >= best, parts.Y[:, j]))
    assert found["values"]["macro_f"] == pytest.approx(np.mean(f), abs=1e-12)


def test_inner_thresholds_see_nothing_of_the_test_rows(garden) -> None:
    fold, seen = first_fold(garden), []
    nominal = np.array([attribute.kind == "nominal" for attribute in garden.features])
    other = spoiled(garden, fold)
    other.X[:, nominal] = garden.X[:, nominal]
    for data in (garden, other):
        learner = Recorder()
        cells(Plan((BASE,), (learner,), FAST, threshold="inner"), data, fold, BASE, (learner,))
        seen.append(learner.seen)
    assert len(seen[0]) == len(seen[1]) == 4
    assert all(np.array_equal(a, b) for one, two in zip(*seen, strict=True) for a, b in zip(one, two, strict=True))


def test_the_command_tells_its_threshold(lsdmlo, tmp_path) -> None:
    asked = ("--methods", "base", "--learners", "mlknn", "--cv", "1x2", "--jobs", 1, "--quiet")
    told = {one: lsdmlo("evaluate", GARDEN, *asked, "--out", "o", "--threshold", one).stdout.decode() for one in THRESHOLDS}
    assert [f"(threshold {one})" in text for one, text in told.items()] == [True] * 3
    assert json.loads((tmp_path / "o/results.json").read_bytes())["experiment"]["threshold"] == "inner"
    assert len(list((tmp_path / "o/cells").iterdir())) == 6


# ---- tuning ----------------------------------------------------------------------------------------------


def test_the_grids_are_those_of_the_paper() -> None:
    lsdmlo, mlros = Method("lsdmlo", LSDMLOSampler()), Method("mlros", MLROSSampler())
    points = grid(lsdmlo, 593, Tuning(), 0)
    assert len(set(points)) == len(points) == 13 * 13 * 5
    assert {point.lambda1 for point in points} == {point.lambda2 for point in points} == {2.0**i for i in range(-6, 7)}
    sizes = {n: [float(point.p) for point in grid(mlros, n, Tuning(), 0)] for n in (1000, 1001, 5000, 5001)}
    assert sizes[1000] == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert sizes[1001] == sizes[5000] == [0.1, 0.15, 0.2, 0.25, 0.3]
    assert sizes[5001] == [0.01, 0.03, 0.05, 0.07, 0.09]
    assert [float(point.p) for point in grid(Method("mlrus", MLRUSSampler()), 593, Tuning(), 0)] == sizes[5000]


@pytest.mark.parametrize(
    "method",
    [
        BASE,
        Method("remedial", REMEDIALSampler()),
        Method("mlsmote", MLSMOTESampler()),
        Method("mlros:p=1", MLROSSampler(p=1), ("p",)),
    ],
)
def test_what_has_no_grid_is_run_as_it_is(method) -> None:
    assert grid(method, 593, Tuning(), 0) == [Point()]


def test_a_budget_is_a_part_of_the_grid_and_the_seeds_own() -> None:
    method = Method("lsdmlo", LSDMLOSampler())
    whole = grid(method, 593, Tuning(), 0)
    part = grid(method, 593, Tuning(budget=7), 0)
    assert len(part) == 7 and part == [point for point in whole if point in part]
    assert part == grid(method, 600, Tuning(budget=7, inner=5), 0) != grid(method, 593, Tuning(budget=7), 1)


def test_the_best_point_on_inner_folds_is_chosen(garden) -> None:
    method, learner = Method("mlsol", MLSOLSampler()), MLkNN()
    plan = Plan((method,), (learner,), FAST, tuning=Tuning(metric="ranking_loss"))
    part = garden.take(first_fold(garden).test)
    seed = int(generator(0, "inner folds", 1, 2).integers(2**31))
    means = {}
    for p in (0.1, 0.3, 0.5, 0.7, 0.9):
        values = []
        for inner in folds(part.Y, 3, 1, seed):
            parts = halves(part, inner.test, FAST)
            made = resampled(parts.analysis, MLSOLSampler(p), generator(0, "sampler", "mlsol", 1, 2, inner.fold))
            rng = generator(0, "learner", "mlknn", 1, 2, inner.fold)
            values.append(trial(parts, made, learner, rng, plan.rules).values["ranking_loss"])
        means[p] = np.mean(values)
    found = chosen(plan, part, method, (learner,), (1, 2), garden.n)["mlknn"]
    assert len(set(means.values())) == 5
    assert float(found.p) == min(means, key=means.get)


def test_a_chosen_point_is_what_runs(garden) -> None:
    """The cell of a tuned method is that of the method with the chosen values given."""
    method, fold = Method("lsdmlo", LSDMLOSampler()), first_fold(garden)
    plan = Plan((method,), (MLkNN(),), FAST, tuning=Tuning(budget=3))
    tuned = cells(plan, garden, fold, method, (MLkNN(),))["mlknn"]
    given = tuned["chosen"]
    same = Method("lsdmlo", LSDMLOSampler(p=Decimal(str(given["p"]))))
    settings = replace(FAST, lambda1=given["lambda1"], lambda2=given["lambda2"])
    plain = cells(Plan((same,), (MLkNN(),), settings), garden, fold, same, (MLkNN(),))["mlknn"]
    assert tuned["values"] == plain["values"]


def test_what_is_handed_on_is_not_learned_again(garden) -> None:
    first = Analysis(garden, replace(FAST, tol=1e-10))
    first.feature_weights, first.euclidean  # noqa: B018
    other = replace(FAST, tol=1e-10, lambda1=8.0, lambda2=0.5)
    fresh, followed = Analysis(garden, other), first.with_settings(other)
    assert followed.E is first.E
    assert followed.feature_weights.converged
    assert np.allclose(followed.feature_weights.W.toarray(), fresh.feature_weights.W.toarray(), atol=1e-5)
    assert first.with_settings(replace(first.settings, tol=1e-9)).feature_weights.iterations == 0
    made = [resampled(one, MLSOLSampler(), np.random.default_rng(0)) for one in (fresh, followed)]
    assert np.array_equal(made[0].E, made[1].E)


# ---- the whole -------------------------------------------------------------------------------------------

PLAN = Plan((BASE, Method("lsdmlo", LSDMLOSampler()), Method("mlros", MLROSSampler())), (BR(), MLkNN()), FAST, repeats=2)
PLACES = [Place(str(GARDEN))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, experiment(PLAN, PLACES, folder)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_processes_change_nothing(whole, tmp_path) -> None:
    _, found = whole
    again = experiment(PLAN, PLACES, tmp_path, jobs=2)
    assert again.known == 0
    assert json.dumps(results(PLAN, again)) == json.dumps(results(PLAN, found))
    assert without_seconds(again.cells) == without_seconds(found.cells)


def test_a_stopped_run_goes_on_where_it_was(whole, tmp_path) -> None:
    _, found = whole

    def stop(stage, done, total):
        assert total == 12
        stopping[done]()

    def interrupt():
        raise KeyboardInterrupt

    stopping = [lambda: None] * 5 + [interrupt]
    with pytest.raises(KeyboardInterrupt):
        experiment(PLAN, PLACES, tmp_path, progress=stop)
    kept = files(tmp_path)
    assert len(kept) == 10
    again = experiment(PLAN, PLACES, tmp_path)
    assert again.known == 10
    assert json.dumps(results(PLAN, again)) == json.dumps(results(PLAN, found))
    assert kept.items() <= files(tmp_path).items()  # seconds included: nothing was worked out again


def test_damaged_results_are_worked_out_again(tmp_path) -> None:
    plan = replace(PLAN, methods=(BASE,), learners=(MLkNN(),), repeats=1)
    found = experiment(plan, PLACES, tmp_path)
    one, other = sorted(tmp_path.iterdir())
    one.write_bytes(one.read_bytes()[:40])
    other.write_bytes(other.read_bytes().replace(b'"macro_f"', b'"macro_g"'))
    again = experiment(plan, PLACES, tmp_path)
    assert again.known == 0
    assert sorted(again.damaged) == [one.name, other.name]
    assert without_seconds(again.cells) == without_seconds(found.cells)
    other.write_bytes(one.read_bytes())  # another's result under this name
    third = experiment(plan, PLACES, tmp_path)
    assert (third.known, third.damaged) == (1, (other.name,))
    assert experiment(plan, PLACES, tmp_path).damaged == ()


def test_a_result_depends_on_nothing_else_that_is_asked_for(whole, tmp_path) -> None:
    _, found = whole
    plan = replace(PLAN, methods=(Method("mlros", MLROSSampler()),), learners=(MLkNN(),))
    alone = experiment(plan, PLACES, tmp_path)
    mine = {where: cell for where, cell in found.cells.items() if (where.method, where.learner) == ("mlros", "mlknn")}
    assert without_seconds(alone.cells) == without_seconds(mine)
    assert experiment(replace(PLAN, methods=PLAN.methods[::-1]), PLACES, tmp_path).known == len(mine)


def test_everything_that_can_change_a_result_is_in_its_name(tmp_path) -> None:
    unit = Unit(PLACES[0], "abc", 1, 1, PLAN.methods[1], PLAN.learners)
    units = [
        unit,
        unit._replace(digest="abd"),
        unit._replace(repeat=2),
        unit._replace(fold=2),
        unit._replace(method=Method("lsdmlo", LSDMLOSampler(p=0.2))),
        unit._replace(method=Method("lsdmlo", MLROSSampler())),
    ]
    plans = [
        replace(PLAN, seed=1),
        replace(PLAN, repeats=3),
        replace(PLAN, settings=replace(FAST, scale="range")),
        replace(PLAN, settings=replace(FAST, lambda1=2.0)),
        replace(PLAN, rules=replace(PLAN.rules, ties="win")),
        replace(PLAN, tuning=Tuning()),
        replace(PLAN, tuning=Tuning(budget=3)),
        replace(PLAN, threshold="prior"),
        replace(PLAN, threshold="inner"),
    ]
    keys = [key(PLAN, one, BR()) for one in units] + [key(plan, unit, BR()) for plan in plans]
    keys += [key(PLAN, unit, learner) for learner in (MLkNN(), MLkNN(k=3), BR("balanced"), LR(), LR(class_weight="balanced"))]
    store = Cells(tmp_path)
    assert len({store.path(one) for one in keys}) == len(keys)


def test_a_method_that_fails_is_told_and_the_rest_goes_on(whole, tmp_path) -> None:
    _, found = whole
    plan = replace(PLAN, methods=(BASE, Method("failing", Failing())))
    again = experiment(plan, PLACES, tmp_path)
    report = results(plan, again)
    assert failures(report) == ["garden-birds, failing: no data is good enough (4 folds, br, mlknn)"]
    assert len(report["errors"]) == 8
    base = {where: cell for where, cell in found.cells.items() if where.method == "base"}
    assert without_seconds(base).items() <= without_seconds(again.cells).items()
    rows = [row for row in report["results"] if row["metric"] == "macro_f"]
    assert [row["rank"] for row in rows] == [None] * 4
    assert [row["folds"] for row in rows] == [4, 0, 4, 0]
    assert "| -" in to_markdown(report)
    assert experiment(plan, PLACES, tmp_path).known == 8  # a failure is tried again


def test_two_data_sets_of_one_name_are_refused(tmp_path) -> None:
    with pytest.raises(ParameterError, match="two data sets are called garden-birds"):
        experiment(PLAN, [*PLACES, *PLACES], tmp_path)


# ---- results ---------------------------------------------------------------------------------------------


def made_up(means):
    """An experiment of 1x2 folds with these figures (None: not defined): a row a data set, a column a method."""
    methods = tuple(Method(f"m{j}", MLROSSampler()) for j in range(len(means[0])))
    plan = Plan(methods, (BR(),), FAST, repeats=1)
    empty = {"undefined": {}, "added": 1, "removed": 0, "chosen": {}, "warnings": [], "error": None, "seconds": {}}
    found = {
        Where(f"d{i}", 1, fold, f"m{j}", "br"): {**empty, "values": dict.fromkeys(METRICS, value and value + away)}
        for i, row in enumerate(means)
        for j, value in enumerate(row)
        for fold, away in ((1, 0.01), (2, -0.01))
    }
    about = tuple(About(f"d{i}", f"d{i}.arff", 10, 2, 2, "", "", ()) for i in range(len(means)))
    return results(plan, Found(about, found, 0))


def test_means_ranks_wins_and_losses_by_hand() -> None:
    """Eight data sets, m0 above m1 by another margin each time: the exact p is 2/2^8 = 0.0078, and m0 wins."""
    report = made_up([[0.5 + 0.01 * i, 0.4 + 0.002 * i * i] for i in range(8)])
    row = report["results"][0]
    assert (row["mean"], row["rank"], row["folds"]) == (pytest.approx(0.5), 1.0, 2)
    assert row["deviation"] == pytest.approx(np.std([0.51, 0.49], ddof=1))
    higher = next(one for one in report["comparison"] if one["metric"] == "macro_f")
    lower = next(one for one in report["comparison"] if one["metric"] == "ranking_loss")
    assert higher["average_rank"] == {"m0": 1.0, "m1": 2.0}
    assert lower["average_rank"] == {"m0": 2.0, "m1": 1.0}
    assert (higher["wins"], higher["losses"]) == ({"m0": 1, "m1": 0}, {"m0": 0, "m1": 1})
    assert (lower["wins"], lower["losses"]) == ({"m0": 0, "m1": 1}, {"m0": 1, "m1": 0})
    assert higher["adjusted_p"][0][1] == pytest.approx(2 / 2**8)
    last = next(line for line in to_markdown(report).splitlines() if line.startswith("| average rank"))
    assert [cell.strip() for cell in last.split("|")[1:-1]] == ["average rank", "1.00 (1/0)", "2.00 (0/1)"]


def compared(values, against=None):
    """An experiment of 1xF folds: values[data set][method] are the figures of its folds, of every metric."""
    count = len(values[0][0])
    methods = tuple(Method(f"m{j}", MLROSSampler()) for j in range(len(values[0])))
    plan = Plan(methods, (BR(),), FAST, repeats=1, folds=count, against=against)
    empty = {"undefined": {}, "added": 1, "removed": 0, "chosen": {}, "warnings": [], "error": None, "seconds": {}}
    found = {
        Where(f"d{i}", 1, fold, f"m{j}", "br"): {**empty, "values": dict.fromkeys(METRICS, value)}
        for i, of_set in enumerate(values)
        for j, of_method in enumerate(of_set)
        for fold, value in enumerate(of_method, start=1)
    }
    about = tuple(About(f"d{i}", f"d{i}.arff", 10, 2, 2, "", "", ()) for i in range(len(values)))
    return results(plan, Found(about, found, 0))


def test_differences_are_paired_by_fold() -> None:
    """m1 - m0 is 0.1, 0.3, -0.1, 0.1 on four folds and has no fifth: mean 0.1, deviation sqrt(0.08 / 3), error half of it."""
    report = compared([[[0.5, 0.4, 0.6, 0.5, 0.9], [0.6, 0.7, 0.5, 0.6, None]]])
    rows = {row["metric"]: row for row in report["results"] if row["method"] == "m1"}
    assert rows["macro_f"]["difference"] == pytest.approx(0.1)
    assert rows["macro_f"]["difference_error"] == pytest.approx((0.08 / 3) ** 0.5 / 2)
    assert (rows["macro_f"]["won"], rows["macro_f"]["lost"]) == (3, 1)
    assert (rows["ranking_loss"]["won"], rows["ranking_loss"]["lost"]) == (1, 3)
    own = report["results"][0]
    assert [own[name] for name in ("difference", "difference_error", "won", "lost")] == [None] * 4
    shown = to_markdown(report)
    assert "| Macro-F ↑, br, minus m0 | m1                   |" in shown
    assert "| d0                      | +0.100 ± 0.082 (3/1) |" in shown


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=9))
def test_the_error_of_a_difference_is_that_of_a_mean(pairs) -> None:
    own, other = zip(*pairs, strict=True)
    found = paired(own, other, True)
    d = [a - b for a, b in pairs]
    mean = sum(d) / len(d)
    variance = sum((x - mean) ** 2 for x in d) / (len(d) - 1)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.error == pytest.approx((variance / len(d)) ** 0.5, abs=1e-9)
    assert paired(other, own, False) == replace(paired(own, other, True), mean=-found.mean) or found.mean == 0


def test_the_first_line_says_who_is_ahead_and_where_nothing_is() -> None:
    """By more than twice the error m1 is higher and m2 lower; m3 is higher by less."""
    base = [0.5, 0.5, 0.5, 0.5]
    report = compared([[base, [0.6, 0.61, 0.6, 0.61], [0.4, 0.41, 0.4, 0.41], [0.6, 0.2, 0.7, 0.6]]])
    first = to_markdown(report).splitlines()[0]
    assert first.startswith(
        "- br: ahead of m0 by more than twice the error: m1 on macro_f +0.105 ± 0.003, macro_auc +0.105 ± 0.003,"
    )
    assert "; m2 on ranking_loss -0.095 ± 0.003, hamming_loss -0.095 ± 0.003, one_error -0.095 ± 0.003" in first
    assert "m3" not in first and "nothing" not in first
    other = compared([[base, [0.6, 0.61, 0.6, 0.61]]])
    assert other["summary"][0].endswith("; nothing is ahead of m0 on ranking_loss, hamming_loss, one_error")
    none = compared([[base, [0.6, 0.2, 0.7, 0.6]]])["summary"]
    assert none == ["br: nothing is ahead of m0 by more than twice the error on any metric"]
    assert compared([[base]])["summary"] == []
    assert "m0 on macro_f -0.105" not in compared([[base, [0.6, 0.61, 0.6, 0.61]]], "m1")["summary"][0]
    assert "ahead of m1" in compared([[base, [0.6, 0.61, 0.6, 0.61]]], "m1")["summary"][0]


def test_several_data_sets_are_compared_by_their_mean_differences() -> None:
    """0.1, 0.2 and 0.3: mean 0.2, error 0.1 / sqrt(3), and m1 is ahead, on three sets of three."""
    report = compared([[[0.5, 0.5], [0.6, 0.6]], [[0.3, 0.3], [0.4, 0.6]], [[0.2, 0.2], [0.5, 0.5]]])
    found = report["comparison"][0]["differences"]["m1"]
    assert found == {"mean": pytest.approx(0.2), "error": pytest.approx(0.1 / 3**0.5), "won": 3, "lost": 0}
    assert report["summary"][0].startswith("br: ahead of m0 by more than twice the error: m1 on macro_f +0.200 ± 0.058,")
    assert report["summary"][0].endswith(", over 3 data sets")
    assert "differences to m0 rest on 3 data sets: who is ahead may be so by chance" in report["notes"]
    assert "| mean over data sets     | +0.200 ± 0.058 (3/0) |" in to_markdown(report)


def test_a_data_set_with_a_gap_has_no_rank_and_takes_no_part() -> None:
    report = made_up([[0.5, 0.4], [0.6, 0.5], [0.4, None]])
    assert [row["rank"] for row in report["results"] if row["metric"] == "macro_f"] == [1.0, 2.0, 1.0, 2.0, None, None]
    assert report["comparison"][0]["data_sets"] == 2
    assert "| average rank of 2 | 1.00 (0/0)" in to_markdown(report)
    assert "| 0.400 ± 0.014 " in to_markdown(report)


def test_equal_means_share_their_rank_and_too_many_methods_are_only_ranked() -> None:
    methods = MOST_METHODS + 1
    report = made_up([[0.5] * methods, [0.6] * methods])
    assert report["comparison"][0]["average_rank"] == {f"m{j}": (methods + 1) / 2 for j in range(methods)}
    assert report["comparison"][0]["wins"] is None
    assert "Wilcoxon" not in to_markdown(report)


def test_few_data_sets_are_said_to_prove_nothing() -> None:
    assert "no difference can be significant" in to_markdown(made_up([[0.5, 0.4], [0.6, 0.5]]))
    assert "average rank" not in to_markdown(made_up([[0.5, 0.4]]))


def test_csv_and_markdown_say_what_json_says(whole) -> None:
    _, found = whole
    report = json.loads(json.dumps(results(PLAN, found)))
    rows = list(csv.DictReader(io.StringIO(to_csv(report).decode())))
    assert len(rows) == len(by_default()) * 2 * 3 == len(report["results"])
    text = to_markdown(report)
    for row, expected in zip(rows, report["results"], strict=True):
        assert {name: row[name] for name in ("data", "learner", "metric", "method")} == {
            name: expected[name] for name in ("data", "learner", "metric", "method")
        }
        assert (float(row["mean"]), float(row["deviation"]), float(row["rank"])) == (
            expected["mean"],
            expected["deviation"],
            expected["rank"],
        )
        assert f"{expected['mean']:.3f} ± {expected['deviation']:.3f} ({expected['rank']:g})" in text
        assert expected["mean"] == pytest.approx(np.mean(expected["values"]))


# ---- the command -----------------------------------------------------------------------------------------


def test_the_help_lists_learners_and_metrics(lsdmlo) -> None:
    shown = lsdmlo("evaluate", "--help").stdout.decode().split()
    for one in (*LEARNERS.values(), *METRICS.values()):
        words = [one.name, *one.summary.split()]
        assert words in [shown[start : start + len(words)] for start in range(len(shown))]


def test_the_command_writes_and_prints_the_results(lsdmlo, tmp_path) -> None:
    asked = ("--methods", "base,mlsmote:strategy=union:p=0.2", "--learners", "mlknn", "--cv", "1x2", "--rules", "authors")
    first, again = (lsdmlo("evaluate", GARDEN, *asked, "--out", "o", "--jobs", 1) for _ in range(2))
    assert first.returncode == again.returncode == 0
    assert first.stdout == again.stdout == (tmp_path / "o" / "results.md").read_bytes()
    assert first.stderr.decode() == "lsdmlo: garden-birds: 4 results; in o/results.json\n"
    assert again.stderr.decode() == "lsdmlo: garden-birds: 4 results (4 known before); in o/results.json\n"
    report = json.loads((tmp_path / "o" / "results.json").read_bytes())
    assert report["experiment"]["rules"]["ties"] == "win"
    assert report["experiment"]["methods"]["mlsmote:strategy=union:p=0.2"]["parameters"]["p"] == 0.2
    assert report["lsdmlo"] == lsdmlo_cli.__version__
    assert report["source"] == source_digest()
    assert "- 1 repeat of 2 stratified folds, seed 0\n" in first.stdout.decode()
    assert "equal scores count as win" in first.stdout.decode()
    assert "scikit-learn's with entropy, in place of C4.5" in first.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "base,smote"], "there is no method 'smote' (did you mean mlsmote?): there are base, lsdmlo, "),
        (["--methods", "base lsdmlo"], "methods are separated by commas"),
        (["--methods", "mlros:p=0,2"], "there is no method '2': there are base, "),
        (["--methods", "mlsmote:strategy=union;p=0.2"], "separate methods by commas and options by colons, as in "),
        (["--learners", "knn"], "there is no learner 'knn' (did you mean mlknn?): there are br, "),
        (["--learners", "mlknn:j=3"], "mlknn has no option 'j': it has k, s"),
        (["--learners", "lr:class_weight=even"], "lr:class_weight must be none or balanced, not 'even'"),
        (["--learners", "lr:class-weigth=balanced"], "(did you mean class_weight?)"),
        (["--learners", "mlknn:k=0"], "mlknn:k must be a whole number from 1 on, not '0'"),
        (["--learners", "mlknn:s=0"], "mlknn:s=0: s must be above 0"),
        (["--learners", "br,br:class_weight=none"], "the learner br is asked for twice"),
        (["--methods", "mlros:tr=1"], "mlros has no option 'tr': it has p, rows, refresh-max"),
        (["--methods", "mlsmote:strategi=union"], "mlsmote has no option 'strategi' (did you mean strategy?): it has p, "),
        (["--methods", "base:p=1"], "base has no option 'p': it has none"),
        (["--methods", "mlros:refresh-max=1"], "must be refresh-max alone"),
        (["--methods", "mlros:rows=-1"], "mlros:rows must be a whole number from 0 on, not '-1'"),
        (["--methods", "mlros:rows=3:p=0.1"], "p and rows exclude each other"),
        (["--methods", "base,mlros:rows=3", "--p", "0.1"], "--p 0.1 does nothing"),
        (["--methods", "mlros:p"], "must be p=value"),
        (["--methods", "mlros:p=x"], "mlros:p must be a number, not 'x'"),
        (["--methods", "mlsmote:strategy=unoin"], "must be union or ranking or intersection, not 'unoin' (did you mean union?)"),
        (["--methods", "mlbote:k-b=2.5"], "mlbote:k-b must be a whole number from 1 on, not '2.5'"),
        (["--methods", "mlsmote:vdm-power=3"], "mlsmote:vdm-power must be a whole number from 1 to 2, not '3'"),
        (["--methods", "mlros:p=0.1:P=0.2"], "p is given twice"),
        (["--methods", "base,mlros,mlros:p=0.1"], "mlros and mlros:p=0.1 are one method with the same values"),
        (["--methods", "base,remedial", "--p", "0.2"], "--p 0.2 does nothing: none of the methods (base,remedial) takes it"),
        (["--methods", "mlros:p=0.1", "--p", "0.2"], "--p 0.2 does nothing"),
        (["--methods", "base,mlsmote,mlros:p=0.1", "--tune"], "--tune does nothing: none of the methods (base, mlsmote, "),
        (["--tune", "--budget", "1"], "'1' is not a whole number of 2 or more"),
        (["--out", ""], "the name of the folder is empty"),
        (["--methods", "mlros:p=-1"], "p must be 0 or more"),
        (["--against", "mlsol"], "there is no method 'mlsol' to compare with"),
        (["--against", "mlsoll"], "there is no method 'mlsoll'"),
        (["--methods", "base,base"], "the method base is asked for twice"),
        (["--methods", ","], "there is no method to evaluate"),
        (["--cv", "5"], "such as 5x2"),
        (["--budget", "3"], "--budget is for --tune"),
        (["--tune", "--lambda1", "2"], "--tune chooses lambda1 itself"),
        (["--tune", "--tune-metric", "macroauc"], "there is no metric 'macroauc' (did you mean macro_auc?): there are macro_f"),
        (["--rules", "authors", "--ties", "half"], "--rules and --ties exclude each other"),
        (["--metrics", "macro_f,covrage"], "there is no metric 'covrage' (did you mean coverage?): there are macro_f"),
        (["--metrics", "coverage,coverage"], "the metric coverage is asked for twice"),
        (["--metrics", ","], "there is no metric to evaluate"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments, message, tmp_path) -> None:
    with pytest.raises((ParameterError, click.UsageError)) as refused:
        command.main(["evaluate", str(GARDEN), "--out", str(tmp_path / "o"), *arguments], standalone_mode=False)
    assert message in str(refused.value)
    assert not (tmp_path / "o").exists()


def test_p_is_for_methods_that_have_it_and_none_of_their_own(tmp_path) -> None:
    methods = "base,remedial,mlros,mlros:p=0.3,mlros:rows=9,mlrus:protect-minority"
    asked = ["--methods", methods, "--learners", "mlknn", "--cv", "1x2", "--p", "0.25", "--jobs", "1", "--quiet"]
    command.main(["evaluate", str(GARDEN), "--out", str(tmp_path), *asked], standalone_mode=False)
    found = json.loads((tmp_path / "results.json").read_bytes())["experiment"]["methods"]
    assert found == {
        "base": {"sampler": "base", "parameters": {}},
        "remedial": {"sampler": "remedial", "parameters": {"skip_one_sided": False}},
        "mlros": {"sampler": "mlros", "parameters": {"p": 0.25, "refresh_max": False}},
        "mlros:p=0.3": {"sampler": "mlros", "parameters": {"p": 0.3, "refresh_max": False}},
        "mlros:rows=9": {"sampler": "mlros", "parameters": {"p": None, "refresh_max": False, "rows": 9}},
        "mlrus:protect-minority": {"sampler": "mlrus", "parameters": {"p": 0.25, "protect_minority": True}},
    }


def test_the_metrics_that_are_asked_for_are_shown_and_all_are_kept(capsys, tmp_path) -> None:
    """What was worked out before is enough for any other choice, and a choice that shows less is no replacement."""

    def shown(*asked: str) -> tuple[list[str], str]:
        fast = ["--methods", "base", "--learners", "mlknn", "--cv", "1x2", "--out", str(tmp_path), "--jobs", "1"]
        command.main(["evaluate", str(GARDEN), *fast, *asked], standalone_mode=False)
        report, (out, told) = json.loads((tmp_path / "results.json").read_bytes()), capsys.readouterr()
        assert [METRICS[one["metric"]].title in out for one in report["comparison"]] == [True] * len(report["comparison"])
        assert list(dict.fromkeys(row["metric"] for row in report["results"])) == [one["metric"] for one in report["comparison"]]
        return [one["metric"] for one in report["comparison"]], told.splitlines()[-1].partition(";")[0]

    assert shown() == (list(by_default()), "lsdmlo: garden-birds: 2 results")
    default = (tmp_path / "results.json").read_bytes()
    assert shown("--metrics", "ALL") == (list(METRICS), "lsdmlo: garden-birds: 2 results (2 known before)")
    with pytest.raises(ParameterError, match=r"would be lost \(metric macro_auc, metric macro_aucpr, "):
        shown("--metrics", "macro_f")
    few = shown("--metrics", "Subset accuracy, macro-f", "--overwrite")
    assert few == (["subset_accuracy", "macro_f"], "lsdmlo: garden-birds: 2 results (2 known before)")
    assert shown("--overwrite") == (list(by_default()), "lsdmlo: garden-birds: 2 results (2 known before)")
    assert (tmp_path / "results.json").read_bytes() == default


def test_two_variants_of_one_learner_stand_side_by_side(tmp_path) -> None:
    asked = [
        "--learners",
        "br, BR:Class-Weight=Balanced,mlknn:k=3,mlknn",
        "--methods",
        "base",
        "--cv",
        "1x2",
        "--jobs",
        "1",
        "--quiet",
    ]
    command.main(["evaluate", str(GARDEN), "--out", str(tmp_path), *asked], standalone_mode=False)
    report = json.loads((tmp_path / "results.json").read_bytes())
    titles = ["br", "br:class_weight=balanced", "mlknn:k=3", "mlknn"]
    assert list(report["experiment"]["learners"]) == titles
    assert report["experiment"]["learners"]["br:class_weight=balanced"] == {"class_weight": "balanced"}
    values = {row["learner"]: row["mean"] for row in report["results"] if row["metric"] == "macro_aucpr"}
    assert list(values) == titles and len(set(values.values())) == 4
    assert len(list((tmp_path / "cells").iterdir())) == 8
    assert all(f", {title} |" in (tmp_path / "results.md").read_text() for title in titles[:3])


def test_failures_are_told_by_the_command(tmp_path, capsys) -> None:
    """One in a cell of its own fails: the rest goes on, and the status is 0; where all fail it is 1."""
    asked = ["--learners", "mlknn", "--cv", "1x2", "--jobs", "1", "--out", str(tmp_path)]
    small = tmp_path / "small.arff"
    small.write_text("@relation 'small: -C 1'\n@attribute b {0,1}\n@attribute x real\n@data\n" + "1,2\n0,3\n" * 8)
    command.main(["evaluate", str(GARDEN), str(small), "--k", "20", *asked], standalone_mode=False)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert told[0].startswith("lsdmlo: warning: failed: small, base: small.arff: k=20 neighbours need more than")
    assert told[2] == f"lsdmlo: garden-birds, small: 8 results, 4 failed; in {tmp_path / 'results.json'}"
    with pytest.raises(DataError, match=r"^garden-birds, small: all 8 results failed; in "):
        command.main(["evaluate", str(GARDEN), str(small), "--k", "200", *asked], standalone_mode=False)
    assert len(list((tmp_path / "cells").iterdir())) == 4


def test_a_missing_extra_is_named(tmp_path) -> None:
    code = (
        "import importlib.metadata as m\n"
        "def version(name): raise m.PackageNotFoundError(name)\n"
        "m.version = version\n"
        "from lsdmlo_cli.cli import main\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "evaluate", str(GARDEN), "--out", str(tmp_path / "o")], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'lsdmlo[evaluate]'" in done.stderr


@STOPS
def test_a_run_that_is_stopped_keeps_what_is_done_and_leaves_no_process(send, number, status, tmp_path) -> None:
    asked = [GARDEN, "--cv", "15x2", "--jobs", "2", "--learners", "br,cc,rakel"]
    assert_stopped(asked, tmp_path / "o", send, number, status)


def test_names_are_taken_in_any_letter_case_and_with_blanks(tmp_path) -> None:
    asked = ["--methods", "Base, MLSMOTE : Strategy = Union :see_new", "--learners", "MLkNN", "--rules", "Authors", "--cv", "1X2"]
    command.main(["evaluate", str(GARDEN), "--out", str(tmp_path), *asked, "--jobs", "1", "--quiet"], standalone_mode=False)
    found = json.loads((tmp_path / "results.json").read_bytes())["experiment"]
    assert list(found["methods"]) == ["base", "mlsmote:strategy=union:see-new"]
    given = found["methods"]["mlsmote:strategy=union:see-new"]["parameters"]
    assert (given["strategy"], given["see_new"]) == ("union", True)
    assert list(found["learners"]) == ["mlknn"]


@pytest.mark.parametrize("typed", ["Macro-AUC", "macro_auc", "MACRO AUC"])
def test_a_metric_is_named_as_in_the_files_or_as_in_the_tables(typed, tmp_path) -> None:
    asked = ["--methods", "base,mlros", "--tune", "--budget", "2", "--tune-metric", typed, "--learners", "mlknn", "--cv", "1x2"]
    command.main(["evaluate", str(GARDEN), "--out", str(tmp_path), *asked, "--jobs", "1", "--quiet"], standalone_mode=False)
    report = json.loads((tmp_path / "results.json").read_bytes())
    assert report["experiment"]["tuning"]["metric"] == "macro_auc"
    assert (
        "tuned on macro_auc by 3 folds inside the training rows, at most 2 points of the grid; nothing is tuned of base"
    ) in report["notes"]


def test_every_option_of_every_sampler_can_be_given_to_a_method() -> None:
    for name, sampler in SAMPLERS.items():
        for option in fields(sampler):
            with pytest.raises(ParameterError, match=f"^{name}:.* must be "):
                spec(f"{name}:{option.name}=?")


def test_settings_that_change_nothing_are_told(tmp_path, capsys) -> None:
    asked = ["--learners", "mlknn", "--cv", "1x2", "--jobs", "1", "--out", str(tmp_path), "--lambda2", "2", "--max-iter", "500"]
    command.main(["evaluate", str(GARDEN), "--methods", "base,mlros", *asked], standalone_mode=False)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "lsdmlo: warning: --lambda2, --max-iter changed nothing: none of the methods learned feature weights"
    command.main(["evaluate", str(GARDEN), "--methods", "base,mlros,lsdmlo", *asked], standalone_mode=False)
    assert "changed nothing" not in capsys.readouterr().err


# ---- the folder of results -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nosuch.arff"], "cannot read nosuch.arff"),
        ([GARDEN, "nosuch.arff"], "cannot read nosuch.arff"),
        ([GARDEN, "--cv", "1x400"], "400 folds need at least as many rows, and there are 300"),
        ([GARDEN, "--tune", "--inner", "200"], "garden-birds.arff, lsdmlo: 200 folds need at least as many rows"),
        ([GARDEN, GARDEN], "two data sets are called garden-birds"),
        ([GARDEN, "--labels", "no.xml"], "cannot read no.xml"),
        (["-"], "give a file, not standard input"),
    ],
)
def test_an_error_before_the_first_result_leaves_no_folder(arguments, told, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    asked = [*map(str, arguments), "--out", "new/folder", "--methods", "lsdmlo", "--learners", "mlknn", "--jobs", "1"]
    with pytest.raises(LsdmloError) as refused:
        command.main(["evaluate", *asked], standalone_mode=False)
    assert told in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("plan", "places", "lost"),
    [
        (replace(PLAN, methods=PLAN.methods[:1]), PLACES, "method lsdmlo, method mlros"),
        (replace(PLAN, learners=PLAN.learners[1:]), PLACES, "learner br"),
        (PLAN, [Place("flags.arff")], "data set garden-birds"),
        (replace(PLAN, metrics=by_default()[1:]), PLACES, "metric macro_f"),
    ],
)
def test_results_that_hold_more_are_not_replaced(plan, places, lost, whole, tmp_path) -> None:
    _, found = whole
    report, seconds = results(PLAN, found), timings(PLAN, found)
    write_results(tmp_path, report, seconds)
    before = files(tmp_path)
    names = asked(plan, [place.name for place in places])
    with pytest.raises(ParameterError, match=rf"results.json holds results that would be lost \({lost}\).*--overwrite"):
        refuse_loss(tmp_path, names)
    assert files(tmp_path) == before
    more = {name: [*asked(PLAN, ["garden-birds"])[name], *names[name]] for name in names}
    refuse_loss(tmp_path, more)


def test_results_are_not_replaced_by_a_run_that_ends_later_either(whole, tmp_path) -> None:
    _, found = whole
    write_results(tmp_path, results(PLAN, found), timings(PLAN, found))
    before = files(tmp_path)
    plan = replace(PLAN, methods=PLAN.methods[:2])
    with pytest.raises(ParameterError, match=r"\(method mlros\)"):
        write_results(tmp_path, results(plan, found), timings(plan, found))
    assert files(tmp_path) == before
    write_results(tmp_path, results(plan, found), timings(plan, found), overwrite=True)
    assert list(json.loads((tmp_path / "results.json").read_bytes())["experiment"]["methods"]) == ["base", "lsdmlo"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"experiment": 3}', b"\xff"])
def test_a_file_that_is_no_results_is_not_replaced(content, tmp_path) -> None:
    (tmp_path / "results.json").write_bytes(content)
    with pytest.raises(ParameterError, match="holds no results of evaluate"):
        refuse_loss(tmp_path, asked(PLAN, ["garden-birds"]))


def test_the_command_refuses_before_the_work_and_replaces_when_told(capsys, tmp_path) -> None:
    def run(*asked: str) -> None:
        fast = ["--learners", "mlknn", "--cv", "1x2", "--out", str(tmp_path), "--jobs", "1"]
        command.main(["evaluate", str(GARDEN), *fast, "--methods", *asked], standalone_mode=False)

    run("base,mlros")
    with pytest.raises(ParameterError, match=r"results.json holds results that would be lost \(method mlros\)"):
        run("base,lpros")
    assert len(list((tmp_path / "cells").iterdir())) == 4
    run("base,lpros", "--overwrite")
    assert len(list((tmp_path / "cells").iterdir())) == 6
    capsys.readouterr()
    run("lpros,mlros,base")
    assert capsys.readouterr().err.splitlines()[-1].startswith("lsdmlo: garden-birds: 6 results (6 known before); in ")


def test_two_runs_in_one_folder_do_not_harm_each_other(fresh_python, tmp_path) -> None:
    run = ["evaluate", str(GARDEN), "--learners", "mlknn", "--methods", "base,mlros", "--cv", "1x2", "--jobs", "1", "--out", "o"]
    command_line = [fresh_python, "-m", "lsdmlo_cli", *run]
    both = [subprocess.Popen(command_line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [one.communicate(timeout=120) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert told[0][0] == told[1][0] == (tmp_path / "o/results.md").read_bytes()
    plan = replace(PLAN, methods=(BASE, Method("mlros", MLROSSampler())), learners=(MLkNN(),), repeats=1)
    found = experiment(plan, PLACES, tmp_path / "o/cells")
    assert (found.known, found.damaged) == (4, ())
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "cells", "results.csv", "results.json", "results.md", "timings.json",
    ]  # fmt: skip
    assert len(list((tmp_path / "o/cells").iterdir())) == 4


# ---- what results rest on --------------------------------------------------------------------------------

PACKAGE = Path(lsdmlo_cli.__file__).parent
TWICE = """
import sys
from lsdmlo_cli.cli import lsdmlo
for _ in range(2):
    lsdmlo.main(["evaluate", *sys.argv[1:], "--out", "o", "--jobs", "1"], standalone_mode=False)
"""


def test_results_of_other_source_are_worked_out_again(fresh_python, tmp_path) -> None:
    """In a copy of the package: a comment more is enough, and the same source finds everything."""
    copytree(PACKAGE, tmp_path / "lsdmlo_cli", ignore=ignore_patterns("__pycache__"))
    run = [fresh_python, "-c", TWICE, str(GARDEN), "--learners", "mlknn", "--cv", "1x2", "--methods", "mlros"]
    told = []
    for _ in range(2):
        done = subprocess.run(run, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, check=True)
        told += [line.partition(";")[0] for line in done.stderr.splitlines() if "results" in line.partition(";")[0]]
        with (tmp_path / "lsdmlo_cli/samplers/mlros.py").open("a") as file:
            file.write("# one line more\n")
    new, known = "lsdmlo: garden-birds: 2 results", "lsdmlo: garden-birds: 2 results (2 known before)"
    assert told == [new, known, new, known]


def test_the_digest_is_that_of_all_python_files_wherever_they_lie(tmp_path) -> None:
    names = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    expected = hashlib.sha256()
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as packed:
        for name in names:
            content = (PACKAGE / name).read_bytes()
            expected.update(f"{name} {len(content)}\n".encode() + content)
            packed.writestr(f"lsdmlo_cli/{name}", content)
    code = (
        "from lsdmlo_cli.evaluation import versions\n"
        "import sys\n"
        "print('package.zip' in versions.__file__, versions.source_digest(), 'numpy' in sys.modules)"
    )
    paths = {**os.environ, "PYTHONPATH": str(tmp_path / "package.zip")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=paths, capture_output=True, text=True, check=True)
    assert len(names) > 100
    assert done.stdout.split() == ["True", expected.hexdigest(), "False"]
    assert source_digest() == expected.hexdigest()


@dataclass(frozen=True)
class Clicking(Failing):
    """A sampler that needs a package, one that is there."""

    packages: ClassVar[tuple[str, ...]] = ("click",)


@dataclass(frozen=True)
class Wanting(Failing):
    """A sampler that needs a package that nobody has."""

    packages: ClassVar[tuple[str, ...]] = ("no-such-package",)


def test_the_libraries_of_a_method_are_in_the_name_of_its_results() -> None:
    unit = Unit(PLACES[0], "abc", 1, 1, Method("clicking", Clicking()), PLAN.learners)
    assert key(PLAN, unit, BR())["libraries"] == {**versions(), "click": version("click")}
    assert key(PLAN, unit._replace(method=BASE), BR())["libraries"] == versions()
    assert set(versions()) == {"numpy", "scipy", "scikit-learn", "iterative-stratification"}
    assert AEMLOSampler.packages == C2AE.packages == ("autograd",)


def test_a_package_that_is_missing_is_told_before_the_work(tmp_path) -> None:
    plan = replace(PLAN, methods=(BASE, Method("failing", Wanting())))
    with pytest.raises(ParameterError, match=r"^failing needs no-such-package: pip install 'lsdmlo\[deep\]'"):
        experiment(plan, PLACES, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_error_of_a_process_comes_back_whole() -> None:
    error = pickle.loads(pickle.dumps(FormatError("toy.arff", 213, "expected 78 values, found 77")))
    assert (str(error), error.line) == ("toy.arff:213: expected 78 values, found 77", 213)
