"""Arrays that go with the rows: the values of those that stay, then those of the new rows' seeds; and what pipelines hand on."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from imblearn.pipeline import make_pipeline
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lsdmlo_cli import ESTIMATORS, LSDMLO, MLRUS, DataError
from lsdmlo_cli.data.tables.alongside import carried
from lsdmlo_cli.samplers import SAMPLERS

N = 60
RNG = np.random.default_rng(4)
X = RNG.normal(size=(N, 4))
Y = (X[:, :3] + RNG.normal(size=(N, 3)) * 0.5 > [0, 0.8, 1.2]).astype(int)
WEIGHTS = RNG.random(N)
WORDS = [f"g{i % 7}" for i in range(N)]
SMALL = {"aemlo": {"epochs": 2, "latent": 4, "hidden": 4, "decoder_hidden": 4}}
SOMETIMES = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("method", SAMPLERS)
@SOMETIMES
def test_every_method_hands_back_what_goes_along(method: str) -> None:
    estimator, plain = (ESTIMATORS[method](**SMALL.get(method, {}), k=3) for _ in range(2))
    new, labels = estimator.fit_resample(X, Y, sample_weight=WEIGHTS, groups=WORDS)
    expected_X, expected_Y = plain.fit_resample(X, Y)
    assert np.array_equal(new, expected_X)
    assert np.array_equal(labels, expected_Y)
    assert plain.extras_ == {}
    places = [*estimator.sample_indices_, *estimator.provenance_.seed]
    assert len(places) == len(new)
    assert list(estimator.extras_) == ["sample_weight", "groups"]
    assert estimator.extras_["sample_weight"].tolist() == WEIGHTS[places].tolist()
    assert estimator.extras_["groups"] == [WORDS[place] for place in places]


KINDS = {
    "numbers": (WEIGHTS, np.ndarray.tolist),
    "narrow": (np.arange(N, dtype=np.int8), np.ndarray.tolist),
    "texts": (np.array(WORDS), np.ndarray.tolist),
    "rows": (np.arange(2 * N).reshape(N, 2), np.ndarray.tolist),
    "a tuple": (tuple(WORDS), list),
    "a sparse array": (sp.csc_array(np.eye(N)), lambda rows: rows.toarray().tolist()),
    "a categorical": (pd.Categorical(WORDS), list),
    "a series": (pd.Series(WORDS, index=np.arange(N) + 9, dtype="category", name="g"), pd.Series.tolist),
    "a frame": (pd.DataFrame({"a": WORDS, "b": WEIGHTS}), lambda rows: rows.to_numpy().tolist()),
    "polars": (pl.Series("g", WORDS, dtype=pl.Categorical), pl.Series.to_list),
    "a frame of polars": (pl.DataFrame({"a": WORDS, "b": WEIGHTS}), pl.DataFrame.rows),
    "pyarrow": (pa.chunked_array([pa.array(WORDS[:20]), pa.array(WORDS[20:])]), pa.ChunkedArray.to_pylist),
    "a table": (pa.table({"a": WORDS, "b": WEIGHTS}), pa.Table.to_pylist),
}


@pytest.mark.parametrize(("given", "cells"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("method", [LSDMLO, MLRUS])
@SOMETIMES
def test_each_comes_back_as_the_kind_it_was(method: Any, given: Any, cells: Any) -> None:
    estimator = method(p=0.2)
    estimator.fit_resample(X, Y, along=given)
    found = estimator.extras_["along"]
    places = [*estimator.sample_indices_, *estimator.provenance_.seed]
    assert type(found) is type(given)
    assert getattr(found, "dtype", None) == getattr(given, "dtype", None)
    assert cells(found) == [cells(given)[place] for place in places]


@SOMETIMES
def test_a_series_has_the_index_of_the_frame() -> None:
    index = [f"p{i}" for i in range(N)]
    estimator = LSDMLO(p=0.2)
    new, _ = estimator.fit_resample(pd.DataFrame(X, index=index), Y, w=pd.Series(WEIGHTS, index=index, name="w"))
    assert estimator.extras_["w"].index.equals(new.index)
    assert estimator.extras_["w"].name == "w"


@SOMETIMES
def test_none_stays_none() -> None:
    estimator = LSDMLO(p=0.2)
    estimator.fit_resample(X, Y, sample_weight=None)
    assert estimator.extras_ == {"sample_weight": None}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (WEIGHTS[:9], "9"),
        ([1.0] * (N + 1), "61"),
        (pl.Series(WORDS[:3]), "3"),
        (0.5, "a float"),
        ("g" * N, "a str"),
        (np.float64(2), "a float64"),
        (pl.DataFrame({"a": WORDS}).lazy(), "a LazyFrame"),
        (dict.fromkeys(range(N), 1), "a dict"),
    ],
)
def test_what_does_not_fit_the_rows_is_refused(given: Any, found: str) -> None:
    says = f"groups must have a value for each of the 60 rows of X, in an array, a list or a frame, not {found}$"
    with pytest.raises(DataError, match=says):
        LSDMLO().fit_resample(X, Y, groups=given)


def test_new_rows_without_a_seed_have_nothing_to_take() -> None:
    """No method of this package makes such rows; one of another package may."""
    assert carried({}, np.arange(3), np.array([1, -1])) == {}
    with pytest.raises(DataError, match="w, g cannot go along: 1 of 2 new rows have no seed to take a value from"):
        carried({"w": WEIGHTS, "g": WORDS}, np.arange(3), np.array([1, -1]))


# scikit-learn's metadata routing and set_output


@pytest.fixture
def routing() -> Iterator[None]:
    pytest.importorskip("imblearn", minversion="0.13")
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@SOMETIMES
class TestRouting:
    def test_a_last_step_gets_what_it_asks_for(self) -> None:
        sampler = LSDMLO(p=0.2).set_fit_resample_request(groups=True, sample_weight="w")
        pipeline = make_pipeline(StandardScaler(), sampler)
        pipeline.fit_resample(X, Y, groups=WORDS, w=WEIGHTS)
        assert list(sampler.extras_) == ["groups", "sample_weight"]
        assert sampler.extras_["groups"] == [WORDS[i] for i in [*range(N), *sampler.provenance_.seed]]

    def test_a_step_in_the_middle_too(self) -> None:
        sampler = LSDMLO(p=0.2).set_fit_resample_request(groups=True)
        pipeline = make_pipeline(sampler, DecisionTreeClassifier()).fit(X, Y, groups=WORDS)
        assert pipeline.named_steps["lsdmlo"].extras_["groups"][:N] == WORDS

    def test_clones_ask_for_the_same(self) -> None:
        sampler = clone(LSDMLO(p=0.2).set_fit_resample_request(groups=True))
        assert sampler.get_metadata_routing().fit_resample.requests == {"groups": True}
        withdrawn = sampler.set_fit_resample_request(groups=False).get_metadata_routing()
        assert withdrawn.fit_resample.requests == {"groups": False}

    def test_what_nobody_asks_for_is_an_error_of_scikit_learn(self) -> None:
        with pytest.raises(TypeError, match="groups"):
            make_pipeline(LSDMLO(), DecisionTreeClassifier()).fit(X, Y, groups=WORDS)


@pytest.mark.parametrize(("container", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@SOMETIMES
def test_set_output_of_a_pipeline_reaches_through_the_sampler(container: str, frame: type) -> None:
    """What comes out of the scaler is a frame, and so is what comes out of the sampler."""
    names = list("abcd")
    pipeline = make_pipeline(StandardScaler(), LSDMLO(p=0.2), DecisionTreeClassifier(random_state=0)).set_output(
        transform=container
    )
    pipeline.fit(pd.DataFrame(X, columns=names), Y)
    assert pipeline[-1].feature_names_in_.tolist() == names
    new, _ = pipeline[:-1].fit_resample(pd.DataFrame(X, columns=names), Y)
    assert type(new) is frame
    with sklearn.config_context(transform_output=container):
        assert type(make_pipeline(StandardScaler(), LSDMLO(p=0.2)).fit_resample(X, Y)[0]) is frame
        assert type(LSDMLO(p=0.2).fit_resample(X, Y)[0]) is np.ndarray
