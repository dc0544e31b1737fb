"""Neighbours of many labels' queries against a search of each query on its own."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from searches import KINDS, WEIGHTS, assert_same, brute_force

from lsdmlo_cli.numeric.neighbors import (
    LabelSearch,
    Search,
    batches,
    dense_columns,
    joined,
    label_search,
    products,
    shared_columns,
)

LABELS = 4
SMALL = {
    (label_search, "TILE"): 23,
    (shared_columns, "ROOM"): 50,
    (dense_columns, "HIGHEST"): 16,
    (dense_columns, "LOWEST"): 1,
    (dense_columns, "CELLS"): 100,
}
APART = {(shared_columns, "FEW"): 0, (shared_columns, "SHARED"): 0.0}
WAYS = {
    "by what is shared": {(shared_columns, "SHARED"): 9.0},
    "by column": APART,
    "by column, some crowded": APART | {(dense_columns, "CROWD"): 1.5},
    "by column where queries are few": APART | {(dense_columns, "MOST_QUERIES"): 15},
    "apart": APART | {(dense_columns, "HIGHEST"): 0},
}


def one_by_one(E, queries, k, theta, label, exclude=None):
    """Each query's own search under its label's weights."""
    return brute_force(E, queries, k, theta[label], exclude)


@st.composite
def searches(draw):
    """E, queries, k, theta, label, exclude; many cells are 0, so that most rows share nothing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(sorted(KINDS)))
    n, e, m = draw(st.integers(1, 60)), draw(st.integers(1, 30)), draw(st.integers(1, 60))
    E = KINDS[kind](rng, n, e) * (rng.random((n, e)) < draw(st.sampled_from([0.03, 0.2, 1.0])))
    E = np.abs(E) if draw(st.booleans()) else E
    weights = [name for name in sorted(WEIGHTS) if name != "Euclid"]
    theta = np.stack([WEIGHTS[draw(st.sampled_from(weights))](rng, e) for _ in range(LABELS)])
    label = rng.integers(0, LABELS, m)
    if draw(st.booleans()):
        label.sort()
    rows = rng.integers(0, n, m)
    return E, E[rows], draw(st.integers(1, 7)), theta, label, rows


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("small", [{}, SMALL], ids=["whole", "tiles"])
@settings(max_examples=60)
@given(searches())
def test_labels_together_give_what_each_gives(small, way, search):
    E, queries, k, theta, label, exclude = search
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), value in (small | WAYS[way]).items():
            patch.setattr(module, name, value)
        expected = one_by_one(E, queries, k, theta, label, exclude)
        assert_same(LabelSearch(csr_array(E), theta).of_queries(csr_array(queries), label, k, exclude), expected)
        expected = one_by_one(E, queries, k, theta, label)
        assert_same(LabelSearch(csr_array(E), theta).of_queries(csr_array(queries), label, k), expected)


@pytest.mark.parametrize("call", [-(2**40), 2**40], ids=["apart", "together"])
@pytest.mark.parametrize("workspace", [2**12, 2**16, 2**26], ids=["no room", "little room", "room"])
@settings(max_examples=150)
@given(searches())
def test_dense_labels_together_give_what_each_gives(workspace, call, search):
    E, queries, k, theta, label, exclude = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "CALL", call)
        searching = LabelSearch(E, theta, workspace)
        assert_same(searching.of_queries(queries, label, k, exclude), one_by_one(E, queries, k, theta, label, exclude))
        assert_same(searching.of_queries(queries, label, k), one_by_one(E, queries, k, theta, label))


@given(searches(), st.data())
def test_a_search_goes_on_from_known_lists(search, data):
    E, queries, k, theta, label, exclude = search
    cut = data.draw(st.integers(0, int(exclude.min())))
    k = min(k, len(E) - 1)
    old, new = (LabelSearch(csr_array(part), theta) for part in (E[:cut], E[cut:]))
    known = joined([old.of_queries(csr_array(queries), label, k)], k)
    found = new.extend(known, csr_array(queries), label, exclude, cut)
    assert_same(found, one_by_one(E, queries, k, theta, label, exclude))


def sparse_rows(n=600, e=400, seed=0, values=None):
    rows = csr_array(random_array((n, e), density=0.01, rng=np.random.default_rng(seed), data_sampler=values))
    rows.sort_indices()
    return rows


def test_labels_of_many_queries_are_not_searched_by_column(monkeypatch):
    monkeypatch.setattr(dense_columns, "MOST_QUERIES", 10)
    E, theta, label = sparse_rows(), np.ones((2, 400)), np.repeat([0, 1], [10, 11])
    asked = shared_columns.weighted(E[: len(label)], theta, label)
    near = dense_columns.near_by_columns(E, asked, theta, np.full(2, True), np.full(len(label), np.inf), 3, 2**26)
    assert np.concatenate([some for some, _, _ in near]).tolist() == list(range(10))


@pytest.mark.parametrize("values", [None, lambda size: np.ones(size)], ids=["numbers", "0/1"])
def test_labels_that_share_little_are_searched_together(values, monkeypatch):
    """Text as it comes: every label by one product, to the bit what a search of its own gives."""
    E, rng = sparse_rows(values=values), np.random.default_rng(1)
    theta = rng.random((20, 400)) * (rng.random((20, 400)) < 0.3)
    rows, label = rng.integers(0, 600, 900), np.sort(rng.integers(0, 20, 900))
    parts = [np.flatnonzero(label == j) for j in range(20)]
    expected = joined([Search(E, theta[j]).of_rows(rows[part], 5) for j, part in enumerate(parts)], 5)
    monkeypatch.setattr(label_search, "Search", None)
    assert_same(LabelSearch(E, theta).of_rows(rows, label, 5), expected)


def test_rows_that_share_nothing_and_differ_in_the_last_bit():
    """0.1 + 0.2 + 0.3 in one order or the other: which sum is the least only the whole distance tells."""
    rng = np.random.default_rng(2)
    E, theta, rows = np.zeros((120, 360)), np.zeros((1, 360)), np.arange(120)
    columns = np.sort(rng.permutation(360).reshape(120, 3), axis=1)
    E[rows[:, np.newaxis], columns] = 1
    theta[0, columns] = rng.permuted(np.tile([0.1, 0.2, 0.3], (120, 1)), axis=1)
    found = LabelSearch(csr_array(E), theta).of_rows(rows, np.zeros(120, dtype=int), 5)
    assert_same(found, brute_force(E, E, 5, theta[0], rows))


@pytest.mark.parametrize(
    "rows",
    [
        np.eye(600),  # nothing is shared, and all are equally far
        np.ones((600, 2)),  # everything is shared
        1e-140 * np.eye(600)[:, :50],  # squares that vanish
    ],
    ids=["lonely", "crowded", "vanishing"],
)
def test_where_a_product_tells_nothing_each_label_has_its_own_search(rows, monkeypatch):
    monkeypatch.setattr(shared_columns, "FEW", 1000)
    monkeypatch.setattr(label_search, "put", None)
    E, theta = csr_array(rows), np.ones((2, rows.shape[1]))
    label = np.repeat([0, 1], 600)
    every = np.tile(np.arange(600), 2)
    own = Search(E, theta[0]).of_all(5)
    assert_same(LabelSearch(E, theta).of_rows(every, label, 5), joined([own, own], 5))


def test_batches_hold_few_queries_and_few_cells():
    counts = np.array([1, 5, 3000, 2, 2, 700, 900, 900])
    sparse = csr_array((1000, 50))
    parts = batches(sparse, range(8), counts, 1)
    assert list(chain.from_iterable(parts)) == [2, 6, 7, 5, 1, 3, 4, 0]  # many queries first
    assert all(counts[part].sum() <= label_search.QUERIES or len(part) == 1 for part in parts)
    uneven = batches(csr_array((10**5, 50)), range(101), np.append(5000, np.full(100, 10)), 2)
    assert max(map(len, uneven)) < 30  # a label takes time beside its queries
    wide = batches(csr_array((1000, label_search.CELLS // 3)), range(9), np.ones(9), 1)
    assert max(map(len, wide)) <= 3
    long = batches(np.zeros((9, label_search.CELLS // 7)), range(8), counts, 1)
    assert all(counts[part].sum() <= 7 or len(part) == 1 for part in long)


def test_dense_labels_of_few_queries_are_searched_together(monkeypatch):
    rng = np.random.default_rng(0)
    E, theta = 3 + rng.normal(size=(2000, 40)), rng.random((9, 40)) * (rng.random((9, 40)) < 0.7)
    rows, label = rng.integers(0, 2000, 90), np.sort(rng.integers(0, 9, 90))
    expected = one_by_one(E, E[rows], 5, theta, label, rows)
    monkeypatch.setattr(label_search, "Search", None)
    assert_same(LabelSearch(E, theta).of_rows(rows, label, 5), expected)


@pytest.mark.parametrize(
    ("rows", "theta"),
    [
        (np.tile([[0.0, 1.0], [1.0, 0.0]], (300, 1)), np.ones((2, 2))),  # half of all rows are equally near
        (1e4 + np.random.default_rng(0).normal(size=(600, 2)), 2.0**99 * np.eye(2)),  # weights too heavy for single precision
    ],
    ids=["crowded", "heavy"],
)
def test_where_a_product_does_not_serve_dense_labels_have_their_own_searches(rows, theta, monkeypatch):
    monkeypatch.setattr(label_search, "put", None)
    label, every = np.repeat([0, 1], 600), np.tile(np.arange(600), 2)
    expected = joined([Search(rows, weights).of_all(5) for weights in theta], 5)
    assert_same(LabelSearch(rows, theta).of_rows(every, label, 5), expected)
