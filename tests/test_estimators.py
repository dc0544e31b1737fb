"""The estimators: the command's rows from arrays of every kind, in the manner of scikit-learn and imbalanced-learn."""

import dataclasses
import pickle
import warnings
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import read
from imblearn.pipeline import make_pipeline
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import lsdmlo_cli
from lsdmlo_cli import ESTIMATORS, LSDMLO, MLRUS, MLSMOTE, MLSOL, DataError, ParameterError, Settings, resample
from lsdmlo_cli.cores import allowed_cores
from lsdmlo_cli.samplers import SAMPLERS

HEADER = [
    "@relation 'made up: -C 4'",
    *(f"@attribute y{j} {{0,1}}" for j in range(4)),
    "@attribute number numeric",
    "@attribute whole integer",
    "@attribute truth {FALSE,TRUE}",
    "@attribute grade {0,1,2,3}",
    "@attribute other numeric",
    "@data",
]
GRADES = ["low", "mid", "high", "top"]


def data(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Features with missing cells, and labels of falling frequency."""
    rng = np.random.default_rng(5)
    X = np.column_stack(
        [rng.normal(size=n).round(2), rng.integers(9, size=n), rng.integers(2, size=n), rng.integers(4, size=n), rng.random(n)]
    )
    X[rng.random(X.shape) < 0.05] = np.nan
    Y = (np.nan_to_num(X[:, [0]]) + rng.normal(size=(n, 4)) > [-0.3, 0.2, 1.8, 2.0]).astype(int)
    return X, Y


def numbers(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Sparse whole numbers, without a missing cell."""
    X, Y = data(n)
    return np.nan_to_num(X).round() * (np.random.default_rng(1).random(X.shape) < 0.4), Y


@pytest.fixture
def arff(tmp_path: Path) -> Path:
    X, Y = data()
    spelled = [[str(y) for y in row] + [spell(value, j) for j, value in enumerate(x)] for x, row in zip(X, Y, strict=True)]
    path = tmp_path / "in.arff"
    path.write_text("\n".join([*HEADER, *map(",".join, spelled)]) + "\n")
    return path


def spell(value: float, column: int) -> str:
    form = {0: repr, 1: int, 2: lambda truth: ["FALSE", "TRUE"][int(truth)], 3: int, 4: repr}[column]
    return "?" if np.isnan(value) else str(form(float(value)))


def objects(X: np.ndarray) -> np.ndarray:
    """The features as Python's own values: whole numbers are int, truth values bool, what is missing None."""
    kinds = [float, int, bool, int, float]
    return np.array([[None if x != x else kind(x) for kind, x in zip(kinds, row, strict=True)] for row in X.tolist()], object)


def from_file(arff: Path, method: str, **how: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    out = arff.with_name(f"{method}.arff")
    outcome = resample(str(arff), str(out), SAMPLERS[method](**how), Settings(k=3, measures="fast"), seed=7)
    result = read(out, None).dataset
    X = result.X if isinstance(result.X, np.ndarray) else result.X.toarray()
    return X, result.Y.toarray().astype(int), outcome.report


@pytest.mark.parametrize("method", SAMPLERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_rows_are_those_of_the_command(method: str, arff: Path) -> None:
    small = {"epochs": 2, "latent": 4, "hidden": 4, "decoder_hidden": 4} if method == "aemlo" else {}
    expected_X, expected_Y, report = from_file(arff, method, **small)
    X, Y = data()
    estimator = ESTIMATORS[method](**small, k=3, random_state=7, categorical_features=[3])
    new_X, new_Y = estimator.fit_resample(objects(X), Y)
    assert np.array_equal(new_X.astype(float), expected_X, equal_nan=True)
    assert np.array_equal(new_Y, expected_Y)
    assert {type(x) for x in new_X[:, 1]} <= {int, type(None)}
    assert {type(x) for x in new_X[:, 2]} <= {bool, type(None)}
    kept = estimator.sample_indices_
    assert len(kept) == len(X) - report["removed"]
    assert np.array_equal(new_X[: len(kept)].astype(float), X[kept], equal_nan=True)
    assert [len(parents) for parents in estimator.provenance_] == 3 * [report["synthetic"]["created"]]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array])
@pytest.mark.parametrize("dtype", [float, np.float32, int, bool])
@pytest.mark.parametrize("categorical", [None, [1, 3]])
def test_sparse_is_dense(kind: type, dtype: type, categorical: list[int] | None) -> None:
    X, Y = numbers()
    X, Y = X.astype(dtype), Y.astype(np.int8)
    estimator = LSDMLO(p=0.5, categorical_features=categorical)
    dense_X, dense_Y = estimator.fit_resample(X, Y)
    sparse_X, sparse_Y = estimator.fit_resample(kind(X), kind(Y))
    assert (type(sparse_X), sparse_X.dtype, sparse_X.format) == (kind, dense_X.dtype, kind(X).format)
    assert (type(sparse_Y), sparse_Y.dtype) == (kind, np.int8)
    assert dense_X.dtype == dtype
    assert np.array_equal(sparse_X.toarray(), dense_X)
    assert np.array_equal(sparse_Y.toarray(), dense_Y)
    assert set(dense_X[:, 3]) <= set(X[:, 3]) or categorical is None
    assert (len(dense_X), len(dense_Y)) == (90, 90)


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [2.0, 5.0], [-1.0, 4.0, np.nan], [7.0]])
@pytest.mark.parametrize("method", [LSDMLO, MLSMOTE, MLSOL])
def test_a_sparse_nominal_column_without_a_zero_is_a_dense_one(method: Any, values: list[float]) -> None:
    X, Y = numbers()
    X[:, 3] = np.resize(values, len(X))
    estimator = method(p=0.5, categorical_features=[3])
    dense_X, dense_Y = estimator.fit_resample(X, Y)
    sparse_X, sparse_Y = estimator.fit_resample(sp.csr_array(X), sp.csr_array(Y))
    assert np.array_equal(sparse_X.toarray(), dense_X, equal_nan=True)
    assert np.array_equal(sparse_Y.toarray(), dense_Y)
    assert (np.isin(dense_X[:, 3], values) | np.isnan(dense_X[:, 3])).all()


def test_nothing_that_was_given_is_changed() -> None:
    X, Y = numbers()
    for make in (np.asarray, sp.csr_array):
        given = make(X), make(Y)
        copies = pickle.loads(pickle.dumps(given))
        LSDMLO(p=0.5, categorical_features=[1]).fit_resample(*given)
        assert pickle.dumps(given) == pickle.dumps(copies)


def test_text_is_nominal_and_comes_back() -> None:
    X, Y = data()
    text = np.array([["abc"[int(np.nan_to_num(x)) % 3], "longer words" if x > 0 else "x"] for x in X[:, 0]])
    new_X, _ = LSDMLO(p=0.4).fit_resample(text, Y)
    assert new_X.dtype == text.dtype
    assert set(map(tuple, new_X)) <= {(a, b) for a in "abc" for b in ("longer words", "x")}
    assert np.array_equal(new_X[: len(text)], text)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_without_an_order_are_nominal_as_well() -> None:
    X, Y = data()
    mixed = np.array([[1, "a", (1, 2)][i % 3] if i % 7 else None for i in range(len(X))] + [0], dtype=object)[:-1]
    column = np.array(X, dtype=object)
    column[:, 0] = mixed
    new_X, _ = LSDMLO(p=0.4).fit_resample(column, Y)
    assert set(new_X[:, 0]) <= set(mixed)


def test_a_column_that_is_missing_throughout_stays_so() -> None:
    X, Y = data()
    for categorical in (None, [0]):
        X[:, 0] = np.nan
        new_X, _ = LSDMLO(p=0.4, categorical_features=categorical).fit_resample(X, Y)
        assert np.isnan(new_X[:, 0]).all()


class TestFrames:
    def test_names_and_types_are_kept(self) -> None:
        X, Y = data()
        full = np.nan_to_num(X)
        frame = pd.DataFrame(
            {
                "float": X[:, 0],
                "float32": full[:, 4].astype("float32"),
                "int": full[:, 1].astype("int32"),
                "nullable": pd.array([None if x != x else int(x) for x in X[:, 1].tolist()], dtype="Int64"),
                "truth": full[:, 2] > 0,
                "maybe": pd.array([None if x != x else x > 0 for x in X[:, 2].tolist()], dtype="boolean"),
                "grade": pd.Categorical.from_codes(np.nan_to_num(X[:, 3], nan=-1).astype(int), GRADES, ordered=True),
                "object": pd.Series([None if x != x else f"v{x:.0f}" for x in X[:, 3].tolist()], dtype=object),
                "text": pd.Series([f"v{x:.0f}" for x in full[:, 3].tolist()], dtype="string"),
                7: pd.Series(pd.arrays.SparseArray(full[:, 1])),
            },
        )
        frame.index = range(100, 100 + len(frame))
        labels = pd.DataFrame(Y, columns=list("abcd")).astype({"a": bool, "b": "Int8", "c": float})
        labels.index = frame.index
        new_X, new_Y = LSDMLO(p=0.5).fit_resample(frame, labels)
        assert new_X.dtypes.equals(frame.dtypes)
        assert new_Y.dtypes.equals(labels.dtypes)
        assert len(new_X) == len(new_Y) == 90
        assert new_X.iloc[:60].equals(frame)
        assert new_Y.iloc[:60].equals(labels)
        assert set(new_X["text"]) <= set(frame["text"])
        assert list(new_X.index) == list(new_Y.index) == list(range(100, 190))

    def test_a_frame_is_an_array(self) -> None:
        X, Y = data()
        expected_X, expected_Y = LSDMLO(p=0.5, categorical_features=[2, 3]).fit_resample(X, Y)
        frame = pd.DataFrame(X, columns=["number", "whole", 5, "grade", "grade"])  # names may repeat: the first is meant
        new_X, new_Y = LSDMLO(p=0.5, categorical_features=[5, "grade"]).fit_resample(frame, pd.DataFrame(Y))
        assert new_X.columns.tolist() == frame.columns.tolist()
        assert np.array_equal(new_X.to_numpy(), expected_X, equal_nan=True)
        assert np.array_equal(new_Y.to_numpy(), expected_Y)

    def test_dropped_rows(self) -> None:
        X, Y = data()
        estimator = lsdmlo_cli.MLRUS(p=0.3)
        new_X, new_Y = estimator.fit_resample(pd.DataFrame(X), pd.DataFrame(Y))
        assert np.array_equal(new_X.to_numpy(), X[estimator.sample_indices_], equal_nan=True)
        assert np.array_equal(new_Y.to_numpy(), Y[estimator.sample_indices_])

    def test_what_is_no_kind_of_feature_is_refused(self) -> None:
        frame = pd.DataFrame({"month": pd.period_range("2020-01", periods=60, freq="M")})
        with pytest.raises(DataError, match="column 'month' of X holds period"):
            LSDMLO().fit_resample(frame, data()[1])


# the manners of scikit-learn


@pytest.mark.parametrize("method", SAMPLERS)
def test_every_method_has_an_estimator(method: str) -> None:
    estimator = ESTIMATORS[method]
    assert getattr(lsdmlo_cli, SAMPLERS[method].__name__.removesuffix("Sampler")) is estimator
    parameters = list(signature(estimator).parameters)
    common = list(signature(LSDMLO).parameters)[len(dataclasses.fields(SAMPLERS["lsdmlo"])) :]
    assert parameters == [*(f.name for f in dataclasses.fields(SAMPLERS[method])), *common]
    assert estimator().get_params() == {name: parameter.default for name, parameter in signature(estimator).parameters.items()}
    assert repr(pickle.loads(pickle.dumps(estimator(k=3)))) == f"{estimator.__name__}(k=3)"


def test_clone_and_set_params() -> None:
    chosen = [1, 2]
    estimator = LSDMLO(p=0.3, categorical_features=chosen)
    assert estimator.categorical_features is chosen
    twin = clone(estimator)
    assert (repr(twin), twin is estimator) == (repr(estimator), False)
    assert twin.set_params(p=-1, random_state=4) is twin
    assert (twin.get_params()["p"], estimator.get_params()["p"]) == (-1, 0.3)
    with pytest.raises(ValueError, match=r"LSDMLO has no parameter 'q'; it has p, tr, .*, n_jobs, verbose$"):
        twin.set_params(q=1)
    with pytest.raises(TypeError, match=r"LSDMLO has no parameter 'q'; it has p, tr, .*, n_jobs, verbose$"):
        LSDMLO(q=1)
    for wrong, meant in (("lamda1", "lambda1"), ("RandomState", "random_state"), ("K", "k"), ("n_job", "n_jobs")):
        with pytest.raises(TypeError, match=f"LSDMLO has no parameter '{wrong}' \\(did you mean {meant}"):
            LSDMLO(**{wrong: 1})


def test_threads_change_nothing() -> None:
    X, Y = data()
    one, two, every = (LSDMLO(n_jobs=jobs).fit_resample(X, Y)[0] for jobs in (None, 2, -1))
    assert [LSDMLO(n_jobs=jobs).threads() for jobs in (None, 2, -1)] == [1, 2, allowed_cores()]
    assert np.array_equal(one, two, equal_nan=True) and np.array_equal(one, every, equal_nan=True)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_of_a_generator_seeds_are_drawn(make: Any) -> None:
    X, Y = data()
    generator = make(3)
    estimator = LSDMLO(random_state=generator)
    first, second = (estimator.fit_resample(X, Y)[0] for _ in range(2))
    assert estimator.random_state is generator
    assert not np.array_equal(first, second, equal_nan=True)
    again = LSDMLO(random_state=make(3))
    for expected in (first, second):
        assert np.array_equal(again.fit_resample(X, Y)[0], expected, equal_nan=True)
    seed = LSDMLO(random_state=make(3)).seed()
    assert 0 <= seed < 2**32
    assert np.array_equal(LSDMLO(random_state=seed).fit_resample(X, Y)[0], first, equal_nan=True)


def test_no_seed_is_seed_0() -> None:
    X, Y = data()
    one, other, third = (LSDMLO(random_state=state).fit_resample(X, Y)[0] for state in (None, np.int64(0), 1))
    assert np.array_equal(one, other, equal_nan=True)
    assert not np.array_equal(one, third, equal_nan=True)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"p": -1}, "p must be 0 or more"),
        ({"lambda1": 0}, "lambda1 must be above 0"),
        (
            {"random_state": 1.5},
            "random_state must be a whole number from 0, a Generator or RandomState of numpy, or None, not 1.5",
        ),
        (
            {"random_state": -1},
            "random_state must be a whole number from 0, a Generator or RandomState of numpy, or None, not -1",
        ),
        (
            {"random_state": "a"},
            "random_state must be a whole number from 0, a Generator or RandomState of numpy, or None, not 'a'",
        ),
        (
            {"random_state": True},
            "random_state must be a whole number from 0, a Generator or RandomState of numpy, or None, not True",
        ),
        ({"random_state": np.random.SeedSequence(0)}, "random_state must be .* or None, not SeedSequence"),
        ({"n_jobs": 0}, "n_jobs must be a whole number from 1, -1 for all cores, or None, not 0"),
        ({"n_jobs": -2}, "n_jobs must be a whole number from 1, -1 for all cores, or None, not -2"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number from 1, -1 for all cores, or None, not '2'"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number from 1, -1 for all cores, or None, not 1.5"),
        ({"k": "5"}, "k must be a whole number from 1, or None, not '5'"),
        ({"k": True}, "k must be a whole number from 1, or None, not True"),
        ({"scale": None}, "scale must be 'none', 'range' or 'std', not None"),
        ({"tol": "x"}, "tol must be a number above 0, not 'x'"),
        ({"max_iter": 1.5}, "max_iter must be a whole number from 1, not 1.5"),
        ({"categorical_features": [5]}, "categorical_features names 5, which is no column of X"),
        ({"categorical_features": ["x"]}, "categorical_features names 'x'"),
        ({"categorical_features": "x"}, "categorical_features must be a list of columns"),
    ],
)
def test_parameters_are_checked_when_rows_are_asked_for(wrong: dict[str, Any], says: str) -> None:
    estimator = LSDMLO(**wrong)
    for method in (estimator.fit_resample, estimator.fit):
        with pytest.raises(ParameterError, match=says):
            method(*data())


X, Y = data()
INFINITE = X.copy()
INFINITE[3, 4] = np.inf


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((X[0], Y), "X must have two dimensions, rows and columns; it has 1"),
        ((X, Y[:, 0]), "Y must have two dimensions"),
        ((X[:9], Y), "X has 9 rows and Y has 60"),
        ((X, Y + 1), "Y must hold 0 and 1 alone"),
        ((X, Y / 2), "Y must hold 0 and 1 alone"),
        ((X, np.where(Y == 1, np.nan, 0)), "Y must hold 0 and 1 alone"),
        ((X, np.where(Y == 1, "yes", "no")), "Y must hold 0 and 1 alone"),
        ((X, Y[:, :0]), "Y has no column"),
        ((X[:, :0], Y), "X: there are no features to work on"),
        ((X[:1], Y[:1]), "X: needs at least 2 rows"),
        ((INFINITE, Y), "column 4 of X holds an infinite number"),
        ((sp.csr_array(np.where(np.isinf(INFINITE), -np.inf, 0)), Y), "column 4 of X holds an infinite number"),
        ((X * 1j, Y), "column 0 of X holds complex128: make it numbers or text, or leave it out"),
        ((sp.csr_array(Y * 1j), Y), "X holds complex128: make it numbers"),
        ((np.array([[[1]]] * 60 + [[None]], dtype=object)[:-1], Y), "X must have two dimensions|cannot be compared: list"),
    ],
)
def test_data_is_checked(given: tuple[Any, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        LSDMLO().fit_resample(*given)


def test_fit_checks_the_data_and_changes_nothing() -> None:
    estimator = LSDMLO(k=3)
    assert estimator.fit(X, Y) is estimator
    assert set(vars(estimator)) == {*estimator.get_params(), "n_features_in_"}
    with pytest.raises(DataError, match="Y must hold 0 and 1 alone"):
        estimator.fit(X, Y + 1)
    with pytest.raises(DataError, match="X: k=60 neighbours need more than n=60 rows"):
        LSDMLO(k=60).fit(X, Y)


def test_the_columns_of_the_last_table_are_known() -> None:
    estimator = LSDMLO().fit(pd.DataFrame(X, columns=list("vwxyz")), Y)
    assert (estimator.n_features_in_, estimator.feature_names_in_.tolist()) == (5, list("vwxyz"))
    assert estimator.fit(X[:, :4], Y).n_features_in_ == 4
    assert not hasattr(estimator, "feature_names_in_")
    estimator.fit_resample(pd.DataFrame(X, columns=["a", "b", "c", "d", 5]), Y)
    assert estimator.n_features_in_ == 5
    assert not hasattr(estimator, "feature_names_in_")


def test_labels_may_be_named_y() -> None:
    expected = LSDMLO(p=0.5).fit_resample(X, Y)
    for given in (LSDMLO(p=0.5).fit_resample(X=X, y=Y), LSDMLO(p=0.5).fit_resample(X, y=Y)):
        assert all(np.array_equal(one, other, equal_nan=True) for one, other in zip(given, expected, strict=True))
    assert list(signature(LSDMLO.fit).parameters) == ["self", "X", "y"]
    assert list(signature(LSDMLO.fit_resample).parameters) == ["self", "X", "y", "extras"]


def test_numbers_of_numpy_are_parameters() -> None:
    given = LSDMLO(k=np.int64(3), lambda1=np.float32(1), random_state=np.uint8(4), n_jobs=np.int8(2), max_iter=np.int32(900))
    meant = LSDMLO(k=3, random_state=4, n_jobs=2, max_iter=900)
    assert np.array_equal(given.fit_resample(X, Y)[0], meant.fit_resample(X, Y)[0], equal_nan=True)


def test_warnings_are_warnings() -> None:
    with pytest.warns(UserWarning, match="k is lowered from 5 to 3"):
        LSDMLO(p=1).fit_resample(X[:4], Y[:4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LSDMLO(p=0.1, max_iter=10**6).fit_resample(np.nan_to_num(X), Y)


def test_lists_are_arrays() -> None:
    new_X, new_Y = LSDMLO(p=0.5).fit_resample(X.tolist(), Y.tolist())
    assert np.array_equal(new_X, LSDMLO(p=0.5).fit_resample(X, Y)[0], equal_nan=True)
    assert new_Y.dtype == np.asarray(Y.tolist()).dtype


def test_resample_takes_an_estimator_for_its_sampler_settings_and_seed(arff: Path, tmp_path: Path) -> None:
    given = resample(str(arff), str(tmp_path / "1.arff"), LSDMLO(p=0.3, k=2, random_state=4))
    meant = resample(str(arff), str(tmp_path / "2.arff"), SAMPLERS["lsdmlo"](p=0.3), Settings(k=2), seed=4)
    assert given.report == meant.report
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes()
    over = resample(str(arff), str(tmp_path / "3.arff"), LSDMLO(p=0.3, random_state=4), Settings(k=2), seed=1)
    assert (over.report["parameters"]["k"], over.report["parameters"]["seed"]) == (2, 1)


def test_resampled_rows_train_a_classifier() -> None:
    """A pipeline by hand: scikit-learn's own does not change the number of rows."""
    full = np.nan_to_num(X)
    new_X, new_Y = LSDMLO(p=0.5, random_state=1).fit_resample(full, Y)
    assert DecisionTreeClassifier(random_state=0).fit(new_X, new_Y).predict(full).shape == Y.shape


@pytest.mark.filterwarnings("ignore:every instance weight is 0:UserWarning")
class TestPipelinesOfImbalancedLearn:
    """Several labels go through them; scikit-learn's own pipeline does not change the number of rows."""

    full = np.nan_to_num(X)
    sampler = LSDMLO(p=0.5, random_state=1)

    def test_a_sampler_in_the_middle(self) -> None:
        pipeline = make_pipeline(StandardScaler(), self.sampler, MLRUS(p=0.2), DecisionTreeClassifier(random_state=0))
        scaled = StandardScaler().fit(self.full)
        rows = MLRUS(p=0.2).fit_resample(*self.sampler.fit_resample(scaled.transform(self.full), Y))
        by_hand = DecisionTreeClassifier(random_state=0).fit(*rows)
        predicted = pipeline.fit(self.full, Y).predict(self.full)
        assert np.array_equal(predicted, by_hand.predict(scaled.transform(self.full)))
        assert clone(pipeline).set_params(lsdmlo__p=0.2).get_params()["lsdmlo__p"] == 0.2

    @pytest.mark.parametrize("method", ["lsdmlo", "mlrus", "remedial"])
    def test_a_sampler_as_the_last_step(self, method: str) -> None:
        sampler = ESTIMATORS[method]()
        pipeline = make_pipeline(StandardScaler(), sampler)
        new_X, new_Y = pipeline.fit_resample(self.full, Y)
        expected_X, expected_Y = sampler.fit_resample(StandardScaler().fit_transform(self.full), Y)
        assert np.array_equal(new_X, expected_X)
        assert np.array_equal(new_Y, expected_Y)
        assert pipeline.fit(self.full, Y) is pipeline
        assert type(sampler).__name__ in pipeline._repr_html_()

    def test_frames_keep_their_columns(self) -> None:
        pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), self.sampler)
        labels = pd.DataFrame(Y, columns=list("abcd"), dtype=bool)
        new_X, new_Y = pipeline.fit_resample(pd.DataFrame(self.full, columns=list("vwxyz")), labels)
        assert (new_X.columns.tolist(), new_Y.columns.tolist()) == (list("vwxyz"), list("abcd"))
        assert new_Y.dtypes.equals(labels.dtypes)
        assert len(new_X) == len(new_Y) == 90

    def test_a_grid_search(self) -> None:
        pipeline = make_pipeline(StandardScaler(), LSDMLO(), DecisionTreeClassifier(random_state=0))
        grid = {"lsdmlo__p": [0.1, 0.5], "lsdmlo__scale": ["none", "std"]}
        search = GridSearchCV(pipeline, grid, cv=2, scoring="f1_micro", error_score="raise").fit(self.full, Y)
        by_hand = clone(pipeline).set_params(**search.best_params_).fit(self.full, Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert np.array_equal(search.predict(self.full), by_hand.predict(self.full))
        with pytest.raises(ParameterError, match="scale must be 'none', 'range' or 'std', not 'max'"):
            GridSearchCV(pipeline, {"lsdmlo__scale": ["max"]}, cv=2, error_score="raise").fit(self.full, Y)


def test_what_scikit_learn_asks_is_answered() -> None:
    pytest.importorskip("sklearn", minversion="1.6")
    tags = LSDMLO().__sklearn_tags__()
    assert (tags.target_tags.multi_output, tags.target_tags.single_output, tags.input_tags.allow_nan) == (True, False, True)
    assert tags.requires_fit is False
