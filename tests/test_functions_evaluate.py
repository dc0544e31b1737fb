"""`evaluate` and `recommend` of Python: the figures of the commands for the same data, options and seed."""

import json
import multiprocessing
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from test_functions import GARDEN, frames

from lsdmlo_cli import LSDMLO, MLROS, MLSMOTE, DataError, LsdmloError, ParameterError, Settings, evaluate, read, recommend
from lsdmlo_cli.evaluation.learners import BR, MLkNN
from lsdmlo_cli.evaluation.recommendation.answer import Answer
from lsdmlo_cli.evaluation.sources import Arrays
from lsdmlo_cli.samplers import SAMPLERS

QUICK = {"cv": "1x2", "learners": "mlknn"}


def made(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, :3] + rng.normal(size=(n, 3)) > [0, 0.5, 1.5]).astype(int)


def written(place, X, Y):
    """A file of the same data."""
    attributes = [f"@attribute x{j} numeric" for j in range(X.shape[1])] + [f"@attribute y{j} {{0,1}}" for j in range(Y.shape[1])]
    rows = [",".join(map(repr, (*x, *y))) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    place.write_text("\n".join(["@relation 'small: -C -3'", *attributes, "@data", *rows, ""]))
    return place


def compared(report):
    """The results of an experiment without the names of its data."""
    keys = ("comparison", "sampling", "chosen", "results")
    return {key: [{**one, "data": None} for one in report[key]] for key in keys}


# ---- evaluate --------------------------------------------------------------------------------------------


TUNED = {"methods": "base,mlros", "tune": True, "inner": 2, "budget": 2, "tune_metric": "micro_f"}
AS_TYPED = {"threshold": "prior", "rules": "authors", "metrics": ["coverage", "Macro-F"], "against": MLROS()}
OBJECTS = {"methods": [None, MLSMOTE(strategy="union"), SAMPLERS["mlros"](p=0.3)], "p": 0.2, "seed": 3, "scale": "std", "k": 3}


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("--methods base,mlsmote:strategy=union,mlros:p=0.3 --p 0.2 --seed 3 --scale std --k 3", OBJECTS),
        (
            "--methods base,mlros --tune --inner 2 --budget 2 --tune-metric micro_f --threshold prior --rules authors "
            "--metrics coverage,macro_f --against mlros",
            TUNED | AS_TYPED,
        ),
    ],
)
def test_figures_of_arrays_are_those_of_the_command(typed, given, lsdmlo, tmp_path) -> None:
    X, Y = made()
    place, words = written(tmp_path / "small.arff", X, Y), ["--learners", "mlknn:k=5", "--cv", "1x2", "--out", "o", "--jobs", "1"]
    assert lsdmlo("evaluate", place, *words, *typed.split()).returncode == 0
    of_file = json.loads((tmp_path / "o" / "results.json").read_bytes())
    found = evaluate(X, Y, cv="1x2", learners=[MLkNN(k=5)], **given)
    assert compared(json.loads(json.dumps(found))) == compared(of_file)
    for key in ("methods", "learners", "settings", "tuning", "rules"):
        assert found["experiment"][key] == of_file["experiment"][key]


def test_figures_of_frames_are_those_of_the_file() -> None:
    asked = {**QUICK, "methods": "base,mlros"}
    assert compared(evaluate(*frames(GARDEN), **asked)) == compared(evaluate(str(GARDEN), **asked))


def test_the_table_of_folds_is_that_of_the_results() -> None:
    found = evaluate(*made(), cv=(2, 3), learners="mlknn", methods="base,mlros", metrics="macro_f,micro_f")
    frame = found.to_frame()
    assert frame.columns.tolist() == ["set", "method", "learner", "repeat", "fold", "metric", "value"]
    assert len(frame) == 2 * 2 * 3 * 2
    means = frame.groupby(["method", "metric"])["value"].mean()
    results = found.to_frame(table="results").set_index(["method", "metric"])["mean"]
    pd.testing.assert_series_equal(means, results.sort_index(), check_names=False)
    (row,) = (row for row in found["results"] if (row["method"], row["metric"]) == ("mlros", "micro_f"))
    one = frame[(frame["method"] == "mlros") & (frame["metric"] == "micro_f")].sort_values(["repeat", "fold"])
    assert one["value"].tolist() == row["values"]
    assert one[["repeat", "fold"]].values.tolist() == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]


def test_several_data_sets_have_names_of_their_own() -> None:
    X, Y = made()
    found = evaluate({"one": (X, Y), "birds": str(GARDEN), "read": read(str(GARDEN))}, **QUICK, methods="base,mlros")
    assert [one["name"] for one in found["datasets"]] == ["one", "birds", "read"]
    assert [one["file"] for one in found["datasets"]] == ["one", "garden-birds.arff", "garden-birds.arff"]
    values = {one["data"]: one["values"] for one in found["results"] if (one["method"], one["metric"]) == ("base", "macro_f")}
    assert values["birds"] == values["read"] != values["one"]
    assert found.to_frame(table="comparison")["average_rank"].notna().all()
    assert evaluate([GARDEN], **QUICK, methods="base")["datasets"][0]["name"] == "garden-birds"


def test_nothing_is_written_without_a_folder_and_all_with_one(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, Y = made()
    first = evaluate(X, Y, **QUICK)
    assert list(tmp_path.iterdir()) == []
    kept = evaluate(X, Y, **QUICK, out=tmp_path / "o")
    assert json.loads((tmp_path / "o" / "results.json").read_bytes()) == first == kept
    cells = sorted((tmp_path / "o" / "cells").iterdir())
    assert len(cells) == 4
    assert evaluate(pd.DataFrame(X), Y, **QUICK, out="o", jobs=2)["results"] == first["results"]
    evaluate(X + 1e-9, Y, **QUICK, out="o")
    assert len(list((tmp_path / "o" / "cells").iterdir())) == 8
    with pytest.raises(ParameterError, match="holds results that would be lost"):
        evaluate(X, Y, cv="1x2", learners="br", out="o")
    assert evaluate(X, Y, cv="1x2", learners="br", out="o", overwrite=True).to_frame()["learner"].unique().tolist() == ["br"]


def test_processes_change_nothing() -> None:
    X, Y = made()
    alone, together = (evaluate(csr_array(X * (X > 0.8)), Y, **QUICK, methods="base,mlros", jobs=jobs) for jobs in (1, 2))
    assert alone == together
    assert multiprocessing.active_children() == []


def test_a_digest_is_that_of_the_numbers_and_the_columns() -> None:
    frame, labels = frames(GARDEN)
    X, Y = made()
    digests = {
        Arrays("a", data).digest
        for data in (
            read_from(X, Y),
            read_from(X, Y[:, ::-1]),
            read_from(X[:, ::-1], Y),
            read_from(np.nextafter(X, 9), Y),
            read_from(X * (X > 0.8), Y),
            read_from(X.round(), Y),
            read_from(X.round(), Y, categorical_features=[0]),
            read_from(frame, labels),
            read_from(frame.rename(columns={"rain_mm": "rain"}), labels),
        )
    }
    assert len(digests) == 9
    assert Arrays("a", read_from(X, Y)) == Arrays("a", read_from(X.copy(order="F"), csr_array(Y)))


def read_from(X, Y, **options):
    from lsdmlo_cli.functions.data import Reading

    return Reading(**options).source(X, Y).dataset


@dataclass(frozen=True)
class Broken:
    """A learner that learns nothing."""

    name = "broken"

    def fit(self, E, Y, rng):
        raise ValueError("I cannot")


def test_failures_are_told_and_all_of_them_are_an_error() -> None:
    found = evaluate(*made(), cv="1x2", learners=["mlknn", Broken()], methods="base")
    assert found.warnings == ("failed: X, base: ValueError: I cannot (2 folds, broken)",)
    assert repr(found).splitlines()[-1] == f"warning: {found.warnings[0]}"
    assert repr(found).splitlines()[0] == "X: base; mlknn, broken; 1x2"
    with pytest.raises(DataError, match="X: all 2 results failed: ValueError: I cannot"):
        evaluate(*made(), cv="1x2", learners=Broken(), methods="base")


def test_settings_that_change_nothing_are_told() -> None:
    found = evaluate(*made(), **QUICK, methods="base,mlros", lambda1=2.0)
    assert found.warnings[0] == "lambda1 changed nothing: none of the methods learned feature weights"
    assert evaluate(*made(), **QUICK, methods="base,mlros", settings=Settings(k=3))["experiment"]["settings"]["k"] == 3


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"methods": [LSDMLO(k=3)]}, "LSDMLO(k=3): k holds for all methods: give k=3 beside them instead"),
        ({"methods": [LSDMLO(random_state=3)]}, "seed holds for all methods: give seed=3 beside"),
        ({"methods": [3]}, "a method must be a name, a sampler or an estimator such as LSDMLO(p=0.3), not 3"),
        ({"methods": [MLROS]}, "a method must be a name, a sampler or an estimator"),
        ({"methods": ["mlros", MLROS()]}, "the method mlros is asked for twice"),
        ({"methods": "base", "p": 0.2}, "p 0.2 does nothing: none of the methods (base) takes it"),
        ({"methods": [MLROS(p=-1)]}, "p must be 0 or more"),
        ({"learners": [3]}, "3 is no object with the methods fit and predict, such as LogisticRegression(C=0.5)"),
        ({"learners": [MLkNN]}, "a learner must be an object, not the class: give MLkNN()"),
        ({"learners": "knn"}, "there is no learner 'knn' (did you mean mlknn?)"),
        ({"cv": 5}, "5 is not a number of repeats and of folds"),
        ({"cv": (5, 1)}, "(5, 1) is not a number of repeats and of folds"),
        ({"rules": "authors", "ties": "half"}, "rules and ties exclude each other"),
        ({"rules": "other"}, "rules must be 'recommended' or 'authors', not 'other'"),
        ({"tune_metric": "macro_f"}, "tune_metric is for tune"),
        ({"tune": True, "lambda2": 1.0}, "tune chooses lambda2 itself: leave lambda2 out"),
        ({"metrics": ["macro"]}, "there is no metric 'macro'"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"jobs": 0}, "jobs must be a whole number from 1"),
        ({"threshold": "best"}, "threshold must be"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_line(given, told) -> None:
    with pytest.raises(LsdmloError) as refused:
        evaluate(*made(), **{**QUICK, **given})
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_objects_have_the_titles_of_what_is_typed() -> None:
    found = evaluate(*made(), cv="1x2", learners=[BR(class_weight="balanced")], methods=[MLSMOTE(strategy="union", p=0.2), None])
    assert list(found["experiment"]["methods"]) == ["mlsmote:p=0.2:strategy=union", "base"]
    assert list(found["experiment"]["learners"]) == ["br:class_weight=balanced"]


# ---- recommend -------------------------------------------------------------------------------------------


def test_a_recommendation_for_arrays_is_that_of_the_command(lsdmlo, tmp_path) -> None:
    X, Y = made(60)
    typed = ["--methods", "mlros:p=0.3", "--metric", "macro_auc", "--budget", "none", "--seed", "2", "--jobs", "1", "--out", "o"]
    assert lsdmlo("recommend", written(tmp_path / "small.arff", X, Y), *typed).returncode == 0
    of_file = json.loads((tmp_path / "o" / "recommendation.json").read_bytes())
    found = recommend(X, Y, methods=[MLROS(p=0.3)], metric="macro_auc", budget=None, seed=2)
    mine, other = ({key: value for key, value in one.items() if key not in ("dataset", "command")} for one in (found, of_file))
    assert json.loads(json.dumps(mine)) == other
    table = found.to_frame()
    assert sorted(table["title"]) == sorted(one["title"] for one in of_file["candidates"])
    assert table.loc[table["recommended"], "title"].tolist() == [of_file["recommended"]["title"]]
    assert len(found.to_frame(table="choices")) == len(of_file["choices"]) == 11
    assert found["answer"] in repr(found).lower()


@pytest.fixture
def shown_to_help(monkeypatch):
    """As if rows had been shown to help: the sampler is recommended."""
    monkeypatch.setattr(Answer, "recommended", property(lambda answer: answer.candidates[-1]))


def test_what_to_call_or_to_type_is_said(shown_to_help, tmp_path) -> None:
    X, Y = made(40)
    asked = {"methods": [MLROS(p=0.3)], "metric": "macro_auc", "budget": 0.1, "learner": MLkNN(k=3), "k": 3}
    found = recommend(X, Y, **asked, out=tmp_path / "o")
    assert json.loads((tmp_path / "o" / "recommendation.json").read_bytes()) == found
    assert found["learner"]["title"] == "mlknn:k=3"
    assert found["command"] == "MLROS(p=0.3, k=3, scale='std').fit_resample(X, Y)"
    place = written(tmp_path / "small.arff", X, Y)
    typed = recommend(place, **asked, labels=-3, ignore=["x3"])["command"]
    options = "--method mlros --p 0.3 --labels -3 --ignore x3 --k 3 --scale std"
    assert typed == f"lsdmlo resample {place} small-resampled.arff {options}"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"learner": ["lr", "br"]}, "one learner is needed, not 2"),
        ({"methods": None}, "there is no method to try; base is compared in any case"),
        ({"budget": "soon"}, "'soon' is not a time above 0 such as 90s, 5m or 2h"),
        ({"metric": "macro"}, "there is no metric 'macro'"),
    ],
)
def test_what_cannot_be_recommended_is_told_in_a_line(given, told) -> None:
    with pytest.raises(LsdmloError) as refused:
        recommend(*made(), **given)
    assert told in str(refused.value)
