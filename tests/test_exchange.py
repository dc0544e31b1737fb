"""Data sets of liac-arff and of scikit-multilearn: what goes in is what their files hold, and comes out again as it was."""

import bz2
import pickle

import arff
import numpy as np
import pytest
from conftest import ROOT, cells, label_rows
from skmultilearn.dataset import load_dataset_dump, load_from_arff
from test_functions import figures

from lsdmlo_cli import LSDMLO, DataError, from_arff, from_skmultilearn, read, stats, to_arff

GARDEN = ROOT / "sample_data" / "garden-birds.arff"
NAMES = ("great_tit", "blue_tit", "house_sparrow", "robin", "goldfinch", "nuthatch", "hawfinch")
DENSE = {
    "description": "",
    "relation": "small: -C -2",
    "attributes": [
        ("a size", "NUMERIC"),
        ("count", "INTEGER"),
        ("colour", ["red", "dark blue", "it's"]),
        ("note", "STRING"),
        ("first", ["0", "1"]),
        ("second", ["no", "yes"]),
    ],
    "data": [
        [0.5, 3, "dark blue", "plain", "0", "yes"],
        [-1e-300, -9, "it's", "a 'quoted', text % \\ ?", "1", "no"],
        [None, None, None, None, "1", "yes"],
        [2.0, 0, "red", "100 %", "0", "no"],
    ],
}
SPARSE = {
    "description": "",
    "relation": "small",
    "attributes": [("x", "NUMERIC"), ("c", ["a", "b c"]), ("n", "INTEGER"), ("y", ["0", "1"]), ("z", ["0", "1"])],
    "data": [{0: 1.5, 3: "1"}, {}, {1: "b c", 2: 7, 4: "1"}, {0: None, 3: "1", 4: "1"}],
}


@pytest.mark.parametrize(("dictionary", "labels"), [(DENSE, None), (DENSE, ["first", "second"]), (SPARSE, -2), (SPARSE, "y,z")])
def test_a_dictionary_comes_out_as_it_went_in(dictionary, labels) -> None:
    data = from_arff(dictionary, labels)
    assert to_arff(data) == dictionary
    assert arff.loads(arff.dumps(to_arff(data)), return_type=arff.LOD if dictionary is SPARSE else arff.DENSE) == dictionary


def test_a_dictionary_holds_what_is_read_of_the_file(tmp_path) -> None:
    (tmp_path / "small.arff").write_text(arff.dumps(DENSE), encoding="utf-8")
    data, of_file = from_arff(DENSE), read(str(tmp_path / "small.arff"))
    assert data.features == of_file.features and data.labels == of_file.labels
    assert cells(data) == cells(of_file)
    assert label_rows(data) == label_rows(of_file) == [[0, 1], [1, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize("options", [{}, {"encode_nominal": True}])
def test_a_file_that_liac_arff_read_has_the_figures_of_the_file(options) -> None:
    loaded = arff.loads(GARDEN.read_text(encoding="utf-8"), **options)
    assert figures(stats(from_arff(loaded, labels=list(NAMES)))) == figures(stats(GARDEN))


def test_coordinates_are_sparse_rows() -> None:
    text = arff.dumps(SPARSE)
    found = from_arff(arff.loads(text, return_type=arff.COO), -2)
    assert to_arff(found) == SPARSE


def test_dates_are_read_and_become_strings() -> None:
    dictionary = {
        "relation": "days",
        "attributes": [("day", 'DATE "yyyy-MM-dd"'), ("x", "REAL"), ("y", ["0", "1"])],
        "data": [["2024-02-29", 1.0, "1"], [None, 2.0, "0"]],
    }
    data = from_arff(dictionary, -1)
    assert [one.kind for one in data.features] == ["date", "numeric"]
    again = to_arff(data)
    assert again["attributes"][0] == ("day", "STRING")
    assert again["data"] == dictionary["data"]
    assert arff.loads(arff.dumps(again))["data"] == dictionary["data"]
    with pytest.raises(DataError, match=r"^the dictionary, .*2024-02-30"):
        from_arff({**dictionary, "data": [["2024-02-30", 1.0, "1"]]}, -1)


def test_a_dictionary_without_labels_or_with_a_wrong_value_is_told_in_a_line() -> None:
    with pytest.raises(DataError, match="the relation of the dictionary names no labels by -C n: give labels=-6"):
        from_arff(SPARSE)
    with pytest.raises(DataError, match=r"^the dictionary, [^\n]*green"):
        from_arff({**DENSE, "data": [[0.5, 3, "green", "", "0", "yes"]]})


def test_what_scikit_multilearn_loads_goes_straight_in(tmp_path) -> None:
    """Its reader has 0 for what is missing: rows that are complete."""
    lines = GARDEN.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = tmp_path / "whole.arff"
    whole.write_text("".join(line for line in lines if "?" not in line), encoding="utf-8")
    X, y, features, labels = load_from_arff(str(whole), 7, return_attribute_definitions=True)
    with bz2.open(tmp_path / "garden-train.scikitml.bz2", "wb") as file:
        pickle.dump({"X": X, "y": y, "features": features, "labels": labels}, file)
    loaded = load_dataset_dump(str(tmp_path / "garden-train.scikitml.bz2"))
    data, of_file = from_skmultilearn(*loaded), read(str(whole), "-7")
    assert data.features == of_file.features and data.labels == of_file.labels
    np.testing.assert_array_equal(data.X if isinstance(data.X, np.ndarray) else data.X.toarray(), of_file.X)
    assert figures(stats(data)) == figures(stats(of_file))
    assert stats(X, y, measures="fast")["measures"]["MeanIR"] == stats(data, measures="fast")["measures"]["MeanIR"]
    new_X, new_Y = LSDMLO(rows=20).fit_resample(X, y)
    assert type(new_X) is type(X) and type(new_Y) is type(y)
    n = X.shape[0]
    assert new_X.shape == (n + 20, 20) and new_Y.shape == (n + 20, 7)
    assert (new_X[:n] != X).nnz == (new_Y[:n] != y).nnz == 0


@pytest.mark.parametrize(
    ("features", "told"),
    [
        (["a"], "there are 1 feature names for 2 columns"),
        ([("a", "STRING"), "b"], "feature 'a' is of the type STRING: leave it out"),
        ([("a", "REAL"), ("b", ["x", "y"])], "feature 'b' has 2 values, and X holds 3, which is no position among them"),
    ],
)
def test_names_that_do_not_fit_are_told(features, told) -> None:
    with pytest.raises(DataError, match=told):
        from_skmultilearn(np.array([[1.0, 0.0], [2.0, 3.0]]), np.array([[0], [1]]), features, ["y"])
