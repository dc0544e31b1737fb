"""Encoded features against the slow encoder of `oracle`, which shares nothing with the product."""

from fractions import Fraction
from math import isqrt

import examples
import numpy as np
import oracle
import pytest
from made_data import dense_rows
from scipy.sparse import csr_array

from lsdmlo_cli.numeric import encoding as product
from lsdmlo_cli.numeric import matrix

SCALES = ["none", "range", "std"]

KINDS = {
    "numbers": ["numeric", "integer", "numeric"],
    "pairs": [["0", "1"], ["1", "0"], ["no", "YES"], ["True", "false"], ["left", "right"], ["1.0", "0"]],
    "one-hot": [["a", "b", "c"], ["x", "y", "z", "w"]],
    "single": [["only"], "numeric"],
    "texts": ["string", "numeric", "date"],
    "all": [
        "numeric",
        ["a", "b", "c"],
        "string",
        ["1", "0"],
        "integer",
        ["only"],
        ["no", "yes"],
        "date",
        ["a", "b"],
        ["p", "q", "r", "s"],
        "numeric",
    ],
}


def levels_and_first(kinds):
    levels = [len(kind) if isinstance(kind, list) else -1 if kind in ("string", "date") else 0 for kind in kinds]
    first = [int(isinstance(kind, list) and len(kind) == 2 and oracle.nominal_codes(kind)[kind[0]] == (1.0,)) for kind in kinds]
    return np.array(levels), np.array(first)


def random_data(kinds, n, filled, missing, seed):
    """Codes X of random rows, and the same rows as the oracle takes them."""
    rng = np.random.default_rng(seed)
    tops = [len(kind) if isinstance(kind, list) else 9 for kind in kinds]
    X = np.column_stack([rng.integers(0, top, n) for top in tops]).astype(float) * (rng.random((n, len(kinds))) < filled)
    numbers = [j for j, kind in enumerate(kinds) if kind == "numeric"]
    X[:, numbers] *= rng.random((n, len(numbers)))
    X[rng.random(X.shape) < missing] = np.nan
    return X, as_rows(X, kinds)


def as_rows(X, kinds):
    return [
        [
            None if np.isnan(x) else kind[int(x)] if isinstance(kind, list) else float(x)
            for x, kind in zip(row, kinds, strict=True)
        ]
        for row in X.tolist()
    ]


def encoded(X, kinds, scale, dense=None):
    levels, first = levels_and_first(kinds)
    E = product.encode(product.fit_encoding(X, levels, first, scale), X, dense)
    return E if isinstance(E, np.ndarray) else E.toarray()


def near(E, expected):
    np.testing.assert_allclose(E, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("missing", [0, 0.2, 1])
@pytest.mark.parametrize("filled", [0.1, 1])
@pytest.mark.parametrize("name", KINDS)
def test_dense_and_sparse_agree_with_the_slow_encoder(name, filled, missing, scale):
    kinds = KINDS[name]
    X, rows = random_data(kinds, 60, filled, missing, seed=len(name))
    expected = oracle.encode(rows, [(str(j), kind) for j, kind in enumerate(kinds)], scale)
    for form in (np.asarray, csr_array):
        for dense in (None, True, False):
            near(encoded(form(X), kinds, scale, dense), expected)


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_without_scaling_every_bit_agrees(form):
    kinds = KINDS["all"]
    X, rows = random_data(kinds, 200, 0.7, 0.2, seed=1)
    expected = oracle.encode(rows, [(str(j), kind) for j, kind in enumerate(kinds)])
    assert np.array_equal(encoded(form(X), kinds, "none"), expected)


@pytest.mark.parametrize("scale", SCALES)
def test_the_worked_example(scale):
    example = examples.ENCODING
    kinds = [kind for _, kind in example["attributes"]]
    X = np.array(
        [
            [
                np.nan if v is None else k.index(v) if isinstance(k, list) else 1.0 if k == "string" else v
                for v, k in zip(row, kinds, strict=True)
            ]
            for row in example["rows"]
        ]
    )
    near(encoded(X, kinds, scale), oracle.encode(example["rows"], example["attributes"], scale))
    assert encoded(X, kinds, "none").tolist() == example["E"]


@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize("levels", [[0, 0, 0], [2, 2, 0]])
def test_where_nothing_is_to_do_E_is_X(form, levels):
    X = form(np.array([[1.0, 0, 2], [0, 1, 0]]))
    fitted = product.fit_encoding(X, np.array(levels), np.zeros(3, dtype=int))
    assert fitted.plain
    assert product.encode(fitted, X) is X


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", [np.array, csr_array])
def test_nothing_writes_to_X(scale, form):
    kinds = KINDS["all"]
    X = form(random_data(kinds, 50, 0.5, 0.3, seed=2)[0])
    before = X.copy()
    encoded(X, kinds, scale)
    assert np.array_equal(*(m if isinstance(m, np.ndarray) else m.toarray() for m in (X, before)), equal_nan=True)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", [np.array, csr_array])
def test_new_rows_take_the_means_and_scales_of_the_old(scale, form):
    kinds = KINDS["all"]
    attributes = [(str(j), kind) for j, kind in enumerate(kinds)]
    X, rows = random_data(kinds, 80, 0.6, 0.2, seed=3)
    more, more_rows = random_data(kinds, 30, 0.6, 0.4, seed=4)
    levels, first = levels_and_first(kinds)
    fitted = product.fit_encoding(form(X), levels, first, scale)
    expected = oracle.encode(more_rows, attributes, scale, oracle.fit_encoding(rows, attributes, scale))
    near(product.encode(fitted, form(more), dense=True), expected)
    near(product.encode(fitted, form(more), dense=False).toarray(), expected)


@pytest.mark.parametrize("scale", ["range", "std"])
@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize(
    "column",
    [
        [4.0] * 5,
        [0.1, 0.1, np.nan, 0.1, 0.1],
        [np.nan] * 5,
        [0.0] * 5,
        [1e300] * 5,
        [1e-300] * 5,
        [1e16 / 3] * 5,
        [0.7, 0.7, 0.7, 0.7, 0.7],
    ],
)
def test_a_constant_column_becomes_0(column, form, scale):
    assert not encoded(form(np.array(column)[:, np.newaxis]), ["numeric"], scale).any()


def exact_scaled(column, scale):
    """x / range or x / std in rational numbers, rounded at the end."""
    exact = [Fraction(x) for x in column]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / len(exact)
    if scale == "range":
        return [float(x / (max(exact) - min(exact))) for x in exact]
    shift = 10**80
    return [float(x * shift / root(variance * shift * shift)) for x in exact]


def root(x):
    """The square root of a fraction to far more digits than a double has."""
    shift = 10**700
    return Fraction(isqrt(x.numerator * shift * shift // x.denominator), shift)


@pytest.mark.parametrize("scale", ["range", "std"])
@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize(
    "column",
    [
        [1.7e308, -1.7e308, 0.0, 5e307],
        [1e300, 1e299, 0.0, 0.0],
        [1e155, -1e154, 3.0, 0.0],
        [1e-200, 3e-200, 0.0, -5e-200],
        [1e150, 2e150, 3e150, 4e150],
        [1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8],
        [5e-324, 1e-323, 0.0, 0.0],
    ],
)
def test_scaling_neither_overflows_nor_vanishes(column, form, scale):
    E = encoded(form(np.array(column)[:, np.newaxis]), ["numeric"], scale)
    np.testing.assert_allclose(E[:, 0], exact_scaled(column, scale), rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_a_mean_does_not_overflow(form):
    X = form(np.array([[1.7e308], [1.7e308], [np.nan], [1.7e308]]))
    levels, first = levels_and_first(["numeric"])
    assert product.fit_encoding(X, levels, first, "range").mean[0] == pytest.approx(1.7e308, rel=1e-15)


@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize(
    ("X", "levels", "largest"),
    [
        ([[1.0, -7.0], [np.nan, 3.0]], [0, 0], (7.0, 1)),
        ([[1.0, 9.0], [2.0, 3.0]], [0, 3], (2.0, 0)),
        ([[0.0, 9.0], [0.0, 3.0]], [0, -1], (0.0, -1)),
        ([[np.nan, np.nan]], [0, 0], (0.0, -1)),
    ],
)
def test_the_largest_number(X, levels, largest, form):
    assert product.largest_number(form(np.array(X)), np.array(levels)) == largest


def test_no_rows_and_no_columns():
    for kinds, width in ((["numeric", ["a", "b", "c"]], 4), (["string"], 0), ([], 0)):
        levels, first = levels_and_first(kinds)
        for scale in SCALES:
            X = np.zeros((0, len(kinds)))
            assert product.encode(product.fit_encoding(X, levels.astype(int), first.astype(int), scale), X).shape == (0, width)


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_blocks_of_rows_change_nothing(monkeypatch, form):
    kinds = KINDS["all"]
    X = form(random_data(kinds, 100, 0.5, 0.2, seed=5)[0])
    whole = encoded(X, kinds, "std")
    monkeypatch.setattr(matrix, "_BLOCK_CELLS", 50)
    assert np.array_equal(encoded(X, kinds, "std"), whole)


def test_one_hot_columns_of_dense_data_are_sparse():
    kinds = [[str(v) for v in range(40)]]
    levels, first = levels_and_first(kinds)
    X = np.arange(40.0)[:, np.newaxis]
    E = product.encode(product.fit_encoding(X, levels, first), X)
    assert isinstance(E, csr_array)
    assert np.array_equal(E.toarray(), np.eye(40))


VALUES = [
    (["1", "0"], 1), (["0", "1"], 0), (["1.0", "0"], 1), (["+1", "0.0"], 1), (["1e0", "-0"], 1), (["YES", "NO"], 1),
    (["yes", "No"], 1),
    (["TRUE", "FALSE"], 1), (["False", "True"], 0), (["TRUE", "NO"], 0), (["left", "right"], 0), (["2", "1"], 0),
    (["1", "0_0"], 0), (["1 ", "0"], 0), (["١", "٠"], 0), (["inf", "0"], 0), (["0.99999999", "0"], 0),
]  # fmt: skip


@pytest.mark.parametrize(("values", "first"), VALUES)
def test_what_the_first_of_two_values_stands_for(arff, values, first):
    """Two values that are the numbers 0 and 1, or no and yes, or false and true, are encoded as what they mean."""
    from lsdmlo_cli import Analysis

    declared = ",".join(f"'{value}'" for value in values)
    data = arff(
        f"@relation r\n@attribute c {{{declared}}}\n@attribute L {{0,1}}\n@data\n'{values[0]}',1\n'{values[1]}',0\n"
    ).dataset
    E = Analysis(data).E
    assert (E if isinstance(E, np.ndarray) else E.toarray())[:, 0].tolist() == [first, int(len(values) == 2) - first]


def fitted(X, kinds, scale="none"):
    return product.fit_encoding(X, *levels_and_first(kinds), scale)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_missing_number_is_the_only_one_there_is(form):
    X = np.array([[np.nan], [5.0], [np.nan]])
    assert dense_rows(product.encode(fitted(form(X), ["numeric"]), form(X))).tolist() == [[5.0], [5.0], [5.0]]


@pytest.mark.parametrize("kind", [*KINDS["pairs"], ["x", "y", "z"]])
def test_the_density_of_encoded_nominal_features_is_known_before(kind):
    X, _ = random_data([kind], 200, 0.3, 0.0, 0)
    encoding = fitted(csr_array(X), [kind])
    E = dense_rows(product.encode(encoding, csr_array(X)))
    assert product.encoded_density(encoding, csr_array(X)) == np.count_nonzero(E) / E.size


@pytest.mark.parametrize(("ones", "form"), [(25, np.ndarray), (24, csr_array)])
def test_encoded_features_are_dense_from_a_quarter_on(ones, form):
    """Of a value that is declared first, and stands for 1."""
    X = np.ones((100, 1))
    X[:ones] = 0
    assert isinstance(product.encode(fitted(csr_array(X), [["1", "0"]]), csr_array(X)), form)
