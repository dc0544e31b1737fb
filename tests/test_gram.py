"""Gram matrices against the plain products, and the label graph against cosines by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from lsdmlo_cli.numeric.weights import cosine_similarity, gram, gram_matrices, laplacian


@pytest.fixture
def data() -> tuple[np.ndarray, sp.csr_array]:
    rng = np.random.default_rng(1)
    E = np.where(rng.random((2600, 7)) < 0.3, rng.integers(-3, 4, (2600, 7)), 0).astype(float)
    return E, sp.csr_array((rng.random((2600, 4)) < 0.2).astype(float))


def assert_equal_grams(one, other):
    np.testing.assert_array_equal(one.EtE, other.EtE)
    np.testing.assert_array_equal(one.EtY, other.EtY)
    np.testing.assert_array_equal(one.YtY, other.YtY)
    np.testing.assert_array_equal(one.fingerprint, other.fingerprint)


def test_the_sums_over_blocks_are_the_whole_products(data):
    E, Y = data
    G = gram(E, Y)
    # Whole numbers: every order of summation gives the same bits.
    np.testing.assert_array_equal(G.EtE, E.T @ E)
    np.testing.assert_array_equal(G.EtY, E.T @ Y.toarray())
    np.testing.assert_array_equal(G.YtY, Y.toarray().T @ Y.toarray())
    assert G.E is None


def test_blocks_of_any_size_add_up_to_the_same(data, monkeypatch):
    E, Y = data
    whole = gram(E, Y)
    monkeypatch.setattr(gram_matrices, "ROWS_PER_BLOCK", 37)
    assert_equal_grams(gram(E, Y), whole)


@pytest.mark.parametrize("dense_share", [0.0, 1.0])
def test_csr_gives_what_a_dense_array_gives(data, monkeypatch, dense_share):
    E, Y = data
    monkeypatch.setattr(gram_matrices, "DENSE_SHARE", dense_share)
    assert_equal_grams(gram(sp.csr_array(E), Y), gram(E, Y))


def test_wide_features_are_kept_instead_of_EtE(data, monkeypatch):
    E, Y = data
    E = sp.csr_array(E)
    monkeypatch.setattr(gram_matrices, "LARGEST_EtE_SIZE", 6)
    wide = gram(E, Y)
    assert wide.EtE is None
    assert wide.E is E
    np.testing.assert_array_equal(wide.EtY, (E.T @ Y).toarray())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_equal_columns_share_a_fingerprint_and_others_do_not(form):
    rng = np.random.default_rng(2)
    E = (rng.random((1500, 50)) < 0.5).astype(float)
    E[:, 10] = E[:, 3]
    E[:, 20] = 2 * E[:, 3]
    E[:, 30], E[:, 31] = 0.0, -0.0
    prints = gram(form(E), sp.csr_array((1500, 1))).fingerprint
    assert prints[10] == prints[3]
    assert prints[30] == prints[31] == 0
    assert len(np.unique(prints)) == 48


def test_swapped_values_change_the_fingerprint():
    E = np.array([[1.0, 2.0], [2.0, 1.0]])
    prints = gram(E, sp.csr_array((2, 1))).fingerprint
    assert prints[0] != prints[1]


def test_arguments_are_not_written_to(data):
    E, Y = data
    copies = E.copy(), Y.copy()
    gram(E, Y)
    np.testing.assert_array_equal(E, copies[0])
    np.testing.assert_array_equal(Y.toarray(), copies[1].toarray())


def test_cosine_similarity_of_label_columns():
    Y = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]], float)
    A = cosine_similarity(Y.T @ Y)
    assert A[0, 1] == pytest.approx(1 / np.sqrt(3 * 2), rel=1e-15)
    assert A[0, 3] == pytest.approx(2 / np.sqrt(3 * 4), rel=1e-15)
    np.testing.assert_array_equal(np.diag(A), [1, 1, 0, 1])
    np.testing.assert_array_equal(A[2], 0)
    np.testing.assert_array_equal(A, A.T)


def test_laplacian_is_the_sum_of_squared_differences():
    rng = np.random.default_rng(3)
    Y = (rng.random((40, 6)) < 0.4).astype(float)
    A = cosine_similarity(Y.T @ Y)
    v = rng.normal(size=6)
    differences = 0.5 * np.sum(A * (v[:, None] - v[None, :]) ** 2)
    assert v @ laplacian(A) @ v == pytest.approx(differences, rel=1e-12)
