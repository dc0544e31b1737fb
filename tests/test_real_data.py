"""The tool on real data, held against the independent oracle and the published figures. Skipped without ../shared."""

import csv
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

import arff
import numpy as np
import oracle
import pytest
from conftest import ROOT, SHARED, public
from forked import forked
from sampling import OPTIONS, assert_in_range, together

from lsdmlo_cli import Analysis, Settings, read
from lsdmlo_cli.analysis import local_imbalance
from lsdmlo_cli.formats.arff.fast_rows import FastRows
from lsdmlo_cli.samplers import SAMPLERS, LSDMLOSampler, MLSMOTESampler

DATA = SHARED / "data"

pytestmark = [pytest.mark.shared, pytest.mark.slow]

# n, d, q, Card, MeanIR of the folder's own list
PUBLISHED = {
    "emotions": (593, 72, 6, 1.868, 1.478),
    "scene": (2407, 294, 6, 1.074, 1.254),
    "yeast": (2417, 103, 14, 4.237, 7.197),
    "CAL500": (502, 68, 174, 26.044, 20.578),
    "Corel5k-sparse": (5000, 499, 374, 3.522, 189.568),
    "Corel16k001": (13766, 500, 153, 2.859, 34.155),
    "tmc2007-500": (28596, 500, 22, 2.220, 17.134),
    "rcv1subset1": (6000, 47236, 101, 2.880, 54.492),
    "yahoo-Arts1": (7484, 23146, 26, 1.654, 94.738),
    "bibtex": (7395, 1836, 159, 2.402, 12.498),
    "delicious": (16105, 500, 983, 19.020, 71.134),
    "enron": (1702, 1001, 53, 3.378, 73.953),
    "medical": (978, 1449, 45, 1.245, 89.501),
    "genbase": (662, 1186, 27, 1.252, 37.315),
    "birds-train": (322, 260, 19, 1.059, 6.103),
    "flags": (194, 19, 7, 3.392, 2.255),
    "foodtruck": (407, 21, 12, 2.290, 7.095),
    "slashdot": (3782, 1079, 22, 1.181, 19.462),
    "stackex-chess": (1675, 585, 227, 2.411, 85.790),
    "hierarchical-train": (800, 82, 364, 7.130, 100.668),
    "Music": (592, 71, 6, 1.870, 1.480),
}
LIMB = {"emotions": 0.5316, "scene": 0.348, "yeast": 0.573, "CAL500": 0.835, "Corel5k-sparse": 0.975}
XML = {"birds-train": "birds", "hierarchical-train": "hierarchical", "Corel5k-sparse": "Corel5k"}


def lsdmlo(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    done = forked([str(argument) for argument in arguments], ROOT)
    done.check_returncode()
    return done


def lsdmlo_anew(*arguments: object, **environment: str) -> None:
    """Run the command in a Python of its own, with another environment."""
    command = [sys.executable, "-m", "lsdmlo_cli", *map(str, arguments)]
    subprocess.run(command, capture_output=True, check=True, env={**os.environ, **environment})


# What summary() of the R package mldr 0.4.3 prints, as the pages rdrr.io/cran/mldr/man/birds.html and
# rdrr.io/cran/mldr.datasets/man/genbase.html show it
MLDR = {
    "birds": {
        "labelsets": 133,
        "single_labelsets": 73,
        "largest_labelset": 294,
        "Card": 1.013953,
        "Dens": 0.05336597,
        "MeanIR": 5.406996,
        "SCUMBLE": 0.03302765,
        "SCUMBLE_cv": 2.298296,
        "TCS": 13.39547,
    },
    "genbase": {
        "labelsets": 32,
        "single_labelsets": 10,
        "largest_labelset": 170,
        "Card": 1.252266,
        "Dens": 0.04638022,
        "MeanIR": 37.31458,
        "SCUMBLE": 0.0287591,
        "SCUMBLE_cv": 3.614486,
        "TCS": 13.83991,
    },
}


@pytest.fixture
def whole_birds(tmp_path: Path) -> Path:
    """The training rows of birds with its test rows behind them."""
    train, test = (lzma.decompress((DATA / f"birds-{part}.arff.xz").read_bytes()) for part in ("train", "test"))
    rows = re.split(rb"(?i)@data[^\n]*\n", test)[1]
    (tmp_path / "birds.arff").write_bytes(train.rstrip() + b"\n" + rows)
    return tmp_path / "birds.arff"


@pytest.mark.parametrize("name", MLDR)
def test_measures_are_those_of_mldr(name: str, whole_birds: Path) -> None:
    path = {"birds": whole_birds, "genbase": DATA / "genbase.arff.xz"}[name]
    shown = json.loads(lsdmlo("stats", path, "--labels", DATA / f"{name}.xml", "--measures", "fast").stdout)["measures"]
    assert {figure: float(f"{shown[figure]:.7g}") for figure in MLDR[name]} == MLDR[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_size_and_imbalance_are_the_published_ones(name: str) -> None:
    measures = json.loads(lsdmlo("stats", DATA / f"{name}.arff.xz", "--measures", "fast").stdout)
    size = tuple(measures["dataset"][key] for key in ("n", "d", "q"))
    figures = tuple(round(measures["measures"][key], 3) for key in ("Card", "MeanIR"))
    assert (*size, *figures) == PUBLISHED[name]


@pytest.mark.parametrize("name", ["Music_missing_classes", "solar_flare", "thyroid-L7"])
def test_labels_that_are_not_binary_are_refused(name: str) -> None:
    with pytest.raises(Exception, match=rf"{name}.arff.xz:\d+: label '"):
        read(str(DATA / f"{name}.arff.xz"))


@pytest.mark.parametrize("name", LIMB)
def test_limb_is_the_published_one(name: str) -> None:
    assert np.nanmean(local_imbalance.before(Analysis(public(name))).limb) == pytest.approx(LIMB[name], abs=6e-4)


@pytest.mark.parametrize("name", ["emotions", "yeast", "flags", "Corel5k"])
def test_every_expected_figure(name: str) -> None:
    expected = json.loads((SHARED / "expected.json").read_text())[name]
    analysis = Analysis(public({"Corel5k": "Corel5k-sparse"}.get(name, name)), Settings(tol=1e-9))
    found = analysis.feature_weights
    assert found.converged
    assert found.objective == pytest.approx(expected["objective"], rel=1e-6)
    assert found.W.nnz == pytest.approx(expected["nonzero"], rel=0.005)
    u_b, u_c = LSDMLOSampler().instance_weights(analysis)
    u = u_b + u_c
    figures = {
        "u_sum": u.sum(),
        "ub_sum": u_b.sum(),
        "uc_sum": u_c.sum(),
        "u_max": u.max(),
        "u_pos": (u > 0).sum(),
        "u_argmax": u.argmax(),
    }
    assert figures == {key: pytest.approx(expected[key], abs=1e-6) for key in figures}
    imbalance = local_imbalance.before(analysis)
    limb = {"limb": np.nanmean(imbalance.limb), "limb_lsd": np.nanmean(imbalance.limb_lsd)}
    assert limb["limb"] == pytest.approx(expected["limb"], abs=1e-9)
    assert limb["limb_lsd"] == pytest.approx(expected.get("limb_lsd", limb["limb_lsd"]), abs=0.002)


@pytest.mark.parametrize(
    ("name", "p", "added"),
    [
        ("emotions", "0.1", 59),
        ("flags", "0.5", 97),
        ("Corel5k-sparse", "0.01", 50),
        ("birds-train", "0.1", 32),
        ("genbase", "0.1", 66),
        ("hierarchical-train", "0.05", 40),
        ("enron", "0.03", 51),
    ],
)
def test_every_new_row_obeys_the_method(name: str, p: str, added: int, tmp_path: Path) -> None:
    """Parents, cells and labels of each row that was written, recomputed by brute force from the files alone."""
    out, provenance = tmp_path / "out.arff", tmp_path / "parents.csv"
    lsdmlo("resample", DATA / f"{name}.arff.xz", out, "--p", p, "--provenance", provenance)
    label_names, above = oracle.read_label_xml(DATA / f"{XML.get(name, name)}.xml")
    attributes, rows, names, Y = oracle.split(*oracle.read(out), label_names)
    n = len(rows) - added
    analysis = Analysis(public(name))
    E = oracle.encode(rows[:n], attributes)
    assert np.array_equal(analysis.E if isinstance(analysis.E, np.ndarray) else analysis.E.toarray(), E)
    Theta = analysis.thetas(range(len(names))).T
    fitted = oracle.fit_encoding(rows[:n], attributes)
    parents = oracle.parent_columns(names, above)
    table = list(csv.DictReader(provenance.read_text().splitlines()))
    assert [int(line["row"]) for line in table] == list(range(n + 1, n + added + 1))
    problems = []
    for i, line in enumerate(table, start=n):
        seed, reference, label = int(line["seed"]) - 1, int(line["reference"]) - 1, names.index(line["label"])
        near = oracle.neighbours(E, seed, Theta[:, label], 5)
        problems += oracle.check_synthetic(
            rows[:n], E, Y[:n], attributes, rows[i], Y[i], seed, reference, label, near, Theta, fitted=fitted, parents=parents
        )
    assert problems == []


@pytest.mark.parametrize("name", ["emotions", "flags", "medical"])
def test_the_bytes_depend_on_the_seed_alone(name: str, tmp_path: Path) -> None:
    source = DATA / f"{name}.arff.xz"
    runs = [("0", "1", "0"), ("0", "2", "7"), ("1", "2", "0")]
    for i, (seed, threads, hash_seed) in enumerate(runs):
        asked = ("--seed", seed, "--threads", threads)
        lsdmlo_anew("resample", source, tmp_path / f"{i}.arff", *asked, PYTHONHASHSEED=hash_seed)
    first, again, other = ((tmp_path / f"{i}.arff").read_bytes() for i in range(3))
    reports = [(tmp_path / f"{i}.report.json").read_bytes() for i in range(2)]
    assert first == again
    assert reports[0] == reports[1]
    assert first != other


@pytest.mark.parametrize("name", ["emotions", "Corel5k-sparse", "birds-train", "hierarchical-train", "medical"])
def test_the_output_is_read_back_by_another_reader(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.arff"
    lsdmlo("resample", DATA / f"{name}.arff.xz", out, "--p", "0.02", "--measures", "fast")
    n, d, q = PUBLISHED[name][:3]
    text = out.read_text()
    mode = arff.LOD if "\n{" in text else arff.DENSE
    loaded = arff.loads(text, return_type=mode)
    assert (len(loaded["data"]), len(loaded["attributes"])) == (n + int(0.02 * n), d + q)


@pytest.mark.parametrize("name", ["emotions", "yeast", "enron"])
def test_the_output_is_loaded_by_scikit_multilearn(name: str, tmp_path: Path) -> None:
    from skmultilearn.dataset import load_from_arff

    out = tmp_path / "out.arff"
    lsdmlo("resample", DATA / f"{name}.arff.xz", out, "--p", "0.02", "--measures", "fast")
    n, d, q = PUBLISHED[name][:3]
    X, Y = load_from_arff(str(out), label_count=q, label_location="end", load_sparse="\n{" in out.read_text())
    assert (*X.shape, Y.shape[1]) == (n + int(0.02 * n), d, q)


def test_after_resampling_the_figures_are_those_of_a_full_search(tmp_path: Path) -> None:
    """LImb after, from lists merged with the new rows, equals LImb of the whole output searched anew."""
    out = tmp_path / "out.arff"
    lsdmlo("resample", DATA / "yeast.arff.xz", out, "--p", "0.1")
    report = json.loads((tmp_path / "out.report.json").read_text())
    anew = json.loads(lsdmlo("stats", out).stdout)
    assert report["after"]["measures"]["LImb"] == pytest.approx(anew["measures"]["LImb"], abs=1e-12)
    assert [label["LImb"] for label in report["after"]["labels"]] == pytest.approx(
        [label["LImb"] for label in anew["labels"]], abs=1e-12
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_fast_way_of_reading_gives_what_the_exact_way_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = public(name)
    monkeypatch.setattr(FastRows, "read", lambda self, text: None)
    exact = read(str(DATA / f"{name}.arff.xz"))
    for one, other in ((fast.X, exact.X), (fast.Y, exact.Y)):
        assert type(one) is type(other)
        parts = (
            [(one, other)]
            if isinstance(one, np.ndarray)
            else [(getattr(one, p), getattr(other, p)) for p in ("data", "indices", "indptr")]
        )
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in parts)


WITH_WHOLE_NUMBERS = [
    (name, method)
    for name in ("flags", "emotions", "stackex-chess")
    for method in SAMPLERS
    if (name, method) != ("stackex-chess", "mlrknnos")  # would train 227 support vector machines
]


@pytest.mark.parametrize(("name", "method"), WITH_WHOLE_NUMBERS)
def test_new_numbers_stay_in_the_range_of_their_attribute(name: str, method: str) -> None:
    """Flags has whole numbers and few rows, stackex-chess counts that are mostly 0."""
    data = public(name)
    options = OPTIONS[method] | ({"p": 0.2} if "p" in OPTIONS[method] else {})
    sample = SAMPLERS[method](**options).sample(Analysis(data), np.random.default_rng(0))
    X = together(list(sample.batches), data)[0]
    assert_in_range(X, data)
    whole = [attribute.kind == "integer" for attribute in data.features]
    assert np.array_equal(X[:, whole], np.rint(X[:, whole]))


def test_ranges_of_bags_and_of_the_whole_data_give_other_rows() -> None:
    """The figures in the docstring of MLSMOTE: with ranges of bags, as in Mulan, emotions would grow to 1,449 rows."""
    analysis = Analysis(public("emotions"), Settings(scale="range"))
    sample = MLSMOTESampler(see_new=True, ranking_ties="keep").sample(analysis, np.random.default_rng(0))
    assert analysis.dataset.n + sample.requested == 1435
