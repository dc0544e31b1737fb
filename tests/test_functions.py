"""The commands as functions: what they say of arrays and frames is what the commands say of the file with the same data."""

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT, SHARED, public
from scipy.sparse import csr_array, issparse, lil_matrix

from lsdmlo_cli import LSDMLO, DataError, LsdmloError, ParameterError, Settings, read, resample, stats, weights
from lsdmlo_cli.subject import Plot

GARDEN = ROOT / "sample_data" / "garden-birds.arff"


def frames(path):
    """X and Y of a file as data frames: categories in the order of their declaration, whole numbers as such."""
    data = read(str(path))
    columns = {one.name: column(one, data.X[:, j]) for j, one in enumerate(data.features)}
    return pd.DataFrame(columns), pd.DataFrame(data.Y.toarray().astype(int), columns=[one.name for one in data.labels])


def column(attribute, numbers):
    made = {
        "nominal": lambda: pd.Categorical.from_codes(np.nan_to_num(numbers, nan=-1).astype(int), list(attribute.values)),
        "integer": lambda: pd.array(np.where(np.isnan(numbers), pd.NA, numbers), dtype="Int64"),
        "numeric": lambda: numbers,
    }
    return made[attribute.kind]()


def figures(report):
    """A report but for where the data came from."""
    return {key: value for key, value in report.items() if key not in ("dataset", "warnings")}


# ---- stats and weights -----------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", [{}, {"k": 3, "scale": "std"}, {"measures": "sampled", "sample": 5, "seed": 7}])
def test_stats_of_frames_are_those_of_the_file(typed, lsdmlo) -> None:
    options = [word for name, value in typed.items() for word in (f"--{name}", str(value))]
    printed = json.loads(lsdmlo("stats", GARDEN, "--format", "json", *options).stdout)
    found = stats(*frames(GARDEN), **typed)
    assert json.loads(json.dumps(figures(found))) == figures(printed)
    assert {key: found["dataset"][key] for key in "ndq"} == {key: printed["dataset"][key] for key in "ndq"}
    assert stats(str(GARDEN), **typed) == stats(GARDEN, Settings(**typed)) == printed


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table])
def test_frames_of_other_libraries_are_taken_too(library) -> None:
    rng = np.random.default_rng(0)
    columns = {"size": rng.normal(size=60).tolist(), "colour": rng.choice(["red", "blue"], 60).tolist()}
    labels = {"ripe": rng.integers(0, 2, 60).tolist(), "rare": (rng.random(60) < 0.2).astype(int).tolist()}
    assert stats(library(columns), library(labels)) == stats(pd.DataFrame(columns), pd.DataFrame(labels))


@pytest.mark.shared
@pytest.mark.parametrize(("name", "form"), [("emotions", csr_array.toarray), ("medical", csr_array), ("medical", lil_matrix)])
def test_stats_of_arrays_are_those_of_the_file(name, form) -> None:
    data, path = public(name), SHARED / "data" / f"{name}.arff.xz"
    found, of_file = stats(form(csr_array(data.X)), form(data.Y), measures="fast"), stats(str(path), measures="fast")
    assert found["measures"] == of_file["measures"]
    assert [label["count"] for label in found["labels"]] == [label["count"] for label in of_file["labels"]]
    assert found["dataset"]["format"] == of_file["dataset"]["format"] == ("sparse" if issparse(data.X) else "dense")


def test_a_data_set_that_was_read_is_taken_as_it_is() -> None:
    assert figures(stats(read(str(GARDEN)))) == figures(stats(str(GARDEN)))
    assert figures(stats(read(str(GARDEN)), ignore=["rain_mm"])) == figures(stats(str(GARDEN), ignore=["rain_mm"]))


@pytest.mark.parametrize("typed", [{}, {"lambda1": 0.1, "scale": "range"}])
def test_weights_of_frames_are_those_of_the_file(typed, lsdmlo) -> None:
    options = [word for name, value in typed.items() for word in (f"--{name}", str(value))]
    printed = list(csv.DictReader(io.StringIO(lsdmlo("weights", GARDEN, *options).stdout.decode())))
    found = weights(*frames(GARDEN), **typed)
    entries = found.to_frame(table="entries")
    assert entries["label"].tolist() == [row["label"] for row in printed]
    assert entries["feature"].tolist() == [row["feature"] for row in printed]
    assert [repr(value) for value in entries["weight"]] == [row["weight"] for row in printed]
    assert [repr(value) for value in entries["theta"]] == [row["theta"] for row in printed]
    for name, table in (("weight", found.to_frame()), ("theta", found.to_frame(table="theta"))):
        assert all(table.loc[row["feature"], row["label"]] == float(row[name]) for row in printed)
        assert (table != 0).sum().sum() == len(printed)


def test_columns_that_are_named_are_nominal_and_those_ignored_are_no_feature() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=80), rng.integers(0, 4, 80), np.arange(80.0)])
    Y = np.column_stack([X[:, 1] == 2, X[:, 0] > 0.3]).astype(int)
    found = weights(X, Y, categorical_features=[1], ignore=[2])
    assert found.features == ["0", "1=0.0", "1=1.0", "1=2.0", "1=3.0"]
    assert stats(X, Y, ignore=[False, False, True])["dataset"]["d"] == 2


def test_progress_is_told_where_it_is_asked_for(capsys) -> None:
    told = []
    stats(GARDEN, progress=lambda *how: told.append(how[0]))
    stats(GARDEN, verbose=1)
    assert told
    assert capsys.readouterr().out == ""


def test_a_picture_of_arrays(tmp_path) -> None:
    plot = Plot(
        str(tmp_path / "picture"), lambda subject: f"{subject.report['dataset']['q']} {subject.analysis.E.shape}".encode()
    )
    stats(*frames(GARDEN), measures="fast", plot=plot)
    assert (tmp_path / "picture").read_bytes() == b"7 (300, 25)"


X, Y = np.eye(6), np.eye(6, dtype=int)[:, :2]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: stats(X), "X needs the labels beside it, as a second argument"),
        (lambda: stats(X, Y[:3]), "X has 6 rows and Y has 3"),
        (lambda: stats(GARDEN, Y), "a file holds its labels itself: leave Y out"),
        (lambda: stats(read(str(GARDEN)), Y), "a Dataset holds its labels itself: leave Y out"),
        (lambda: stats(X, Y, labels=2), "labels is for files: Y holds the labels of arrays"),
        (lambda: stats(GARDEN, categorical_features=[1]), "categorical_features is for arrays: of a file, name the columns by"),
        (lambda: weights(X, Y, k=0), "k must be a whole number from 1"),
        (lambda: stats(X, Y, picture="labels"), "picture says what plot draws"),
        (lambda: stats(X, Y, verbose="yes"), "verbose must be a whole number from 0"),
    ],
)
def test_what_does_not_go_together_is_told_in_a_line(call, told) -> None:
    with pytest.raises(LsdmloError) as refused:
        call()
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_option_that_there_is_not() -> None:
    with pytest.raises(TypeError, match=r"stats\(\) has no option 'scal' \(did you mean scale\?\): it has "):
        stats(X, Y, scal="std")


# ---- data frames -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)])
def test_results_become_frames_of_each_library(library, kind) -> None:
    report = stats(GARDEN, measures="fast")
    labels, measures = report.to_frame(library), report.to_frame(library, table="measures")
    assert isinstance(labels, kind)
    plain = [*labels["name"]] if library != "pyarrow" else labels["name"].to_pylist()
    assert plain == [label["name"] for label in report["labels"]]
    assert measures.shape == (len(report["measures"]), 2)


def test_what_is_not_defined_is_nan_in_pandas_and_null_elsewhere() -> None:
    empty = np.column_stack([Y, np.zeros(6, dtype=int)])
    report = stats(X, empty, measures="fast")
    assert report["labels"][2]["IRLbl"] is None
    frame = report.to_frame()
    assert frame["IRLbl"].dtype == frame["LImb"].dtype == np.float64
    assert np.isnan(frame["IRLbl"][2]) and frame["LImb"].isna().all()
    assert report.to_frame("polars")["IRLbl"].null_count() == 1
    assert report.to_frame("pyarrow")["IRLbl"].null_count == 1


def test_an_outcome_has_the_labels_before_and_after(tmp_path) -> None:
    outcome = resample(str(GARDEN), str(tmp_path / "out.arff"), LSDMLO(p=0.2), seed=1)
    labels, measures = outcome.to_frame(), outcome.to_frame(table="measures")
    before, after = outcome.report["before"], outcome.report["after"]
    assert labels["name"].tolist() == [label["name"] for label in before["labels"]]
    assert labels["count_after"].tolist() == [label["count"] for label in after["labels"]]
    assert (labels["count_after"] - labels["count_before"]).sum() > 0
    assert dict(zip(measures["measure"], measures["after"], strict=True))["MeanIR"] == after["measures"]["MeanIR"]
    assert repr(outcome).startswith("300 rows, 60 added; MeanIR 5.096 -> ")


def test_results_show_themselves_in_a_few_lines() -> None:
    report = stats(GARDEN)
    first, second = repr(report).splitlines()
    assert first == "garden-birds.arff: 300 rows, 20 features, 7 labels"
    assert second.startswith("Card 1.800, MeanIR 5.096, ")
    shown = report._repr_html_()
    assert "<th>SCUMBLELbl</th>" in shown and shown.count("<tr>") == 8
    assert repr(weights(GARDEN)) == "25 features x 7 labels, 123 weights are not 0; strongest of great_tit: band_3_5_khz 0.126"


def test_a_table_or_a_library_that_there_is_not() -> None:
    report = stats(X, Y, measures="fast")
    with pytest.raises(
        ParameterError, match="there is no table 'label' \\(did you mean labels\\?\\): there are labels, measures"
    ):
        report.to_frame(table="label")
    with pytest.raises(ParameterError, match="library must be 'pandas', 'polars' or 'pyarrow', not 'dask'"):
        report.to_frame("dask")


def test_a_library_that_is_missing_is_named(monkeypatch) -> None:
    report = stats(X, Y, measures="fast")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ParameterError, match=r"needs polars: pip install 'lsdmlo\[polars\]'"):
        report.to_frame("polars")


def test_two_labels_of_one_name_have_no_wide_table() -> None:
    found = weights(X, pd.DataFrame(Y, columns=["feature", "b"]))
    with pytest.raises(DataError, match="two columns would be called 'feature'"):
        found.to_frame()
    assert found.to_frame(table="entries").columns.tolist() == ["label", "feature", "weight", "theta"]
