"""The oracle held against examples worked on paper and against published figures of real data."""

import examples
import numpy as np
import oracle
import pytest
from pytest import approx


def labels_with(counts):
    """Return a Y in which label j is carried by the first counts[j] rows."""
    return [[int(i < n) for n in counts] for i in range(max(counts) + 1)]


def test_imbalance_measures():
    example = examples.MEASURES
    Y = example["Y"]
    assert oracle.counts(Y) == example["counts"]
    assert oracle.irlbl(Y) == example["IRLbl"]
    assert oracle.meanir(Y) == example["MeanIR"]
    assert oracle.maxir(Y) == example["MaxIR"]
    assert oracle.cvir(Y) == approx(example["CVIR"], rel=1e-14)
    assert oracle.minority_labels(Y) == example["minority"]
    assert oracle.card(Y) == example["Card"]
    assert oracle.dens(Y) == example["Dens"]
    assert oracle.labelsets(Y) == example["labelsets"]
    assert oracle.tcs(Y, example["d"]) == approx(example["TCS"], rel=1e-14)


def test_scumble():
    example = examples.MEASURES
    assert oracle.scumble_rows(example["Y"]) == approx(example["SCUMBLE_rows"], abs=1e-14)
    assert oracle.scumble(example["Y"]) == approx(example["SCUMBLE"], rel=1e-14)
    assert oracle.scumblelbl(example["Y"])[:3] == approx(example["SCUMBLELbl"][:3], rel=1e-14)
    assert oracle.scumblelbl(example["Y"])[3] is None


@pytest.mark.parametrize(("counts", "minority"), examples.MINORITY)
def test_minority_is_strictly_above_the_mean(counts, minority):
    assert oracle.minority_labels(labels_with(counts)) == minority


def test_measures_of_no_row():
    Y = np.zeros((0, 3), dtype=int)
    assert [oracle.meanir(Y), oracle.maxir(Y), oracle.cvir(Y), oracle.card(Y), oracle.dens(Y)] == [None] * 5
    assert [oracle.scumble(Y), oracle.tcs(Y, 2)] == [None] * 2
    assert oracle.labelsets(Y) == 0


def test_encoding():
    example = examples.ENCODING
    E = oracle.encode(example["rows"], example["attributes"])
    assert E.tolist() == example["E"]
    assert oracle.encoded_names(example["attributes"]) == example["names"]


@pytest.mark.parametrize("scale", ["range", "std"])
def test_scaling_divides_numeric_columns_and_zeroes_constant_ones(scale):
    example = examples.ENCODING
    plain = np.array(example["E"], dtype=float)
    E = oracle.encode(example["rows"], example["attributes"], scale)
    assert E[:, 0] == approx(plain[:, 0] / example["divisors"][scale], rel=1e-15)
    assert not E[:, 1].any()
    assert E[:, 2:].tolist() == plain[:, 2:].tolist()


@pytest.mark.parametrize("scale", ["range", "std"])
def test_a_constant_column_is_scaled_to_zero(scale):
    rows = examples.ENCODING["constant"]
    assert oracle.encode(rows, [("tenth", "numeric")], scale).tolist() == [[0.0], [0.0], [0.0]]


def test_relevance():
    example = examples.DISTANCE
    assert oracle.theta(np.array(example["W"])) == approx(np.array(example["Theta"]), rel=1e-14)


@pytest.mark.parametrize("j", [0, 1])
def test_label_specific_distance(j):
    example = examples.DISTANCE
    theta_j = [row[j] for row in example["Theta"]]
    found = oracle.squared_distance(example["a"], example["b"], theta_j)
    assert found == approx(example["squared"][j], rel=1e-15)


def test_euclid():
    example = examples.DISTANCE
    assert oracle.squared_distance(example["a"], example["b"]) == example["squared_euclid"]


def test_distances_are_added_in_column_order():
    example = examples.SUMMING_ORDER
    E, theta_j = np.array(example["E"]), example["theta_j"]
    assert [oracle.squared_distance(E[0], E[i], theta_j) for i in (1, 2)] == example["squared"]
    assert oracle.neighbours(E, 0, theta_j, 2) == example["nearest"]


@pytest.mark.parametrize("example", examples.OBJECTIVE)
def test_objective(example):
    E, Y, W = (np.array(example[name]) for name in "EYW")
    found = oracle.objective(E, Y, W, example["lambda1"], example["lambda2"])
    assert found == approx(example["F"], rel=1e-14)


@pytest.mark.parametrize("example", examples.GAP)
def test_relative_gap(example):
    E, Y, W = (np.array(example[name]) for name in "EYW")
    gap = oracle.relative_gap(E, Y, W, example["lambda1"], example["lambda2"])
    assert gap == approx(example["gap"], abs=1e-14)


def test_neighbours_and_their_ties():
    example = examples.LIMB
    E = np.array(example["x"])
    assert [oracle.neighbours(E, i, None, example["k"]) for i in range(5)] == example["neighbours_x"]


def test_equal_rows():
    example = examples.EQUAL_ROWS
    E = np.array(example["E"])
    assert [oracle.neighbours(E, i, None, example["k"]) for i in range(4)] == example["neighbours"]


def test_local_imbalance():
    example = examples.LIMB
    assert oracle.limb(np.array(example["x"]), example["Y"], example["k"]) == (
        example["LImb"],
        example["LImb_labels"],
    )


def test_label_specific_local_imbalance():
    example = examples.LIMB
    found = oracle.limb(np.array(example["E"]), example["Y"], example["k"], np.array(example["Theta"]))
    assert found == (example["LImb_LSD"], example["LImb_LSD_labels"])


def test_local_imbalance_of_one_row_is_undefined():
    assert oracle.limb(np.zeros((1, 2)), [[1, 0]], 5) == (None, [None, None])


@pytest.mark.parametrize(("tr", "outliers", "u_c"), examples.INSTANCE_WEIGHTS["u_c"])
def test_instance_weights(tr, outliers, u_c):
    example = examples.INSTANCE_WEIGHTS
    E, Y, Theta = (np.array(example[name]) for name in ("E", "Y", "Theta"))
    found_b, found_c = oracle.instance_weights(E, Y, Theta, example["k"], tr, outliers)
    assert oracle.minority_labels(Y) == example["minority"]
    assert found_b.tolist() == example["u_b"]
    assert found_c.tolist() == u_c


@pytest.mark.parametrize(("tr", "correlated"), examples.INSTANCE_WEIGHTS["correlated"])
def test_correlated_labels(tr, correlated):
    assert oracle.correlated_labels(examples.INSTANCE_WEIGHTS["Y"], tr) == correlated


def test_equal_cosines_are_compared_exactly():
    example = examples.EQUAL_COSINES
    assert oracle.correlated_labels(example["Y"], example["tr"]) == example["correlated"]


@pytest.mark.parametrize(("count", "tr", "kept"), examples.KEPT_PAIRS)
def test_kept_pairs(count, tr, kept):
    assert oracle.kept_pairs(count, tr) == kept


@pytest.mark.parametrize(("n", "p", "number"), examples.SYNTHETIC_COUNT)
def test_synthetic_count(n, p, number):
    assert oracle.synthetic_count(p, n) == number


def test_seeds_where_all_weights_are_zero():
    example = examples.ZERO_WEIGHTS
    E, Y, Theta = (np.array(example[name]) for name in ("E", "Y", "Theta"))
    u_b, u_c = oracle.instance_weights(E, Y, Theta, example["k"], example["tr"])
    assert u_b.tolist() == example["u_b"]
    assert u_c.tolist() == example["u_c"]
    assert oracle.possible_seeds(u_b + u_c, Y) == example["seeds"]


@pytest.mark.parametrize(("seed_value", "neighbour_values", "declared", "winner"), examples.NOMINAL_VOTE)
def test_nominal_vote(seed_value, neighbour_values, declared, winner):
    assert oracle.nominal_vote(seed_value, neighbour_values, declared) == winner


def test_labels_of_the_nearer_parent():
    example = examples.NEARER_LABELS
    E, Y, Theta = (np.array(example[name]) for name in ("E", "Y", "Theta"))
    assert oracle.expected_labels(E, Y, example["row"], 0, 1, Theta) == example["labels"]
    assert oracle.expected_labels(E, Y, example["row"], 0, 1, Theta, example["parents"]) == example["closed"]


@pytest.mark.parametrize(("labels", "closed"), examples.NESTED["closed"])
def test_ancestors(labels, closed):
    assert oracle.with_ancestors(labels, examples.NESTED["parents"]) == closed


@pytest.mark.parametrize(("kind", "value", "s", "r", "fine"), examples.CELLS)
def test_check_of_a_cell(kind, value, s, r, fine):
    assert (oracle.cell_problem(kind, value, s, r, []) is None) == fine


@pytest.mark.parametrize(("cells", "labels", "wrong"), examples.SYNTHETIC["new_rows"])
def test_check_of_a_synthetic_row(cells, labels, wrong):
    example = examples.SYNTHETIC
    rows, attributes, Y, Theta = (
        example["rows"],
        example["attributes"],
        example["Y"],
        np.array(example["Theta"]),
    )
    E = oracle.encode(rows, attributes)
    near = oracle.neighbours(E, example["seed"], Theta[:, example["label"]], example["k"])
    assert near == example["neighbours"]
    problems = oracle.check_synthetic(
        rows,
        E,
        Y,
        attributes,
        cells,
        labels,
        example["seed"],
        example["reference"],
        example["label"],
        near,
        Theta,
    )
    assert [problem.split(":")[0].split(" is ")[0] for problem in problems] == wrong


@pytest.mark.parametrize(("seed", "reference", "label", "number"), [(3, 2, 1, 1), (0, 3, 1, 1), (0, 2, 0, 1)])
def test_check_of_the_parents(seed, reference, label, number):
    example = examples.SYNTHETIC
    rows, attributes, Y, Theta = (
        example["rows"],
        example["attributes"],
        example["Y"],
        np.array(example["Theta"]),
    )
    E = oracle.encode(rows, attributes)
    near = oracle.neighbours(E, seed, Theta[:, label], example["k"])
    x, y = rows[seed], Y[seed]
    problems = oracle.check_synthetic(rows, E, Y, attributes, x, y, seed, reference, label, near, Theta)
    assert sum("minority" in problem or "reference" in problem for problem in problems) == number


# name, XML, n, d, q, Card, MeanIR, minority labels
PUBLISHED = [
    ("emotions", "emotions", 593, 72, 6, 1.868, 1.478, 4),
    ("scene", "scene", 2407, 294, 6, 1.074, 1.254, 2),
    ("yeast", "yeast", 2417, 103, 14, 4.237, 7.197, 2),
    ("CAL500", "CAL500", 502, 68, 174, 26.044, 20.578, 60),
    ("Corel5k-sparse", "Corel5k", 5000, 499, 374, 3.522, 189.568, 90),
]


@pytest.mark.shared
@pytest.mark.parametrize(("stem", "xml", "n", "d", "q", "card", "meanir", "minority"), PUBLISHED)
def test_published_figures(stem, xml, n, d, q, card, meanir, minority):
    attributes, rows, names, Y = oracle.read_data(stem, xml)
    assert (len(rows), len(attributes), len(names)) == (n, d, q)
    assert oracle.card(Y) == approx(card, abs=6e-4)
    assert oracle.meanir(Y) == approx(meanir, abs=6e-4)
    assert len(oracle.minority_labels(Y)) == minority


@pytest.mark.shared
@pytest.mark.parametrize(("stem", "expected"), [("emotions", 0.53158859120567), ("flags", 0.46928125338969)])
def test_published_local_imbalance(stem, expected):
    attributes, rows, _, Y = oracle.read_data(stem)
    assert oracle.limb(oracle.encode(rows, attributes), Y, 5)[0] == approx(expected, rel=1e-12)


@pytest.mark.shared
def test_nested_labels_of_a_real_file():
    attributes, rows = oracle.read(oracle.DATA / "hierarchical-train.arff.xz")
    names, parent = oracle.read_label_xml(oracle.DATA / "hierarchical.xml")
    _, _, arff_order, Y = oracle.split(attributes, rows, names)
    assert parent["01/01/03/01"] == "01/01/03"
    assert parent["01"] is None
    parents = oracle.parent_columns(arff_order, parent)
    assert all(oracle.with_ancestors(row, parents) == row.tolist() for row in Y)
