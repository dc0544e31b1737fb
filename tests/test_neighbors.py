"""Neighbours against brute force: every distance summed by `cumsum`, every query sorted by (distance, row)."""

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from searches import KINDS, WEIGHTS, assert_same, brute_force

from lsdmlo_cli.numeric.neighbors import (
    WORKSPACE,
    Neighbors,
    Search,
    bounds,
    joined,
    nobody,
    pair_distances,
    squared_distances,
    taken,
)
from lsdmlo_cli.numeric.neighbors.lists import merge
from lsdmlo_cli.numeric.rows import distinct_rows, row_keys

SMALL = 60_000  # bytes of work space, which cut 100 rows into several tiles


@st.composite
def searches(draw, most=60):
    """E, queries, k, theta, exclude: rows of E among themselves, some of its rows, or rows of another kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(sorted(KINDS)))
    n, e = draw(st.integers(2, most)), draw(st.integers(1, 12))
    E = KINDS[kind](rng, n, e)
    theta = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))](rng, e)
    k = draw(st.one_of(st.integers(1, 6), st.just(n - 1), st.just(n + 3)))
    who = draw(st.sampled_from(["themselves", "some", "others"]))
    if who == "themselves":
        return E, E, k, theta, np.arange(n)
    if who == "some":
        rows = rng.permutation(n)[: draw(st.integers(1, n))]
        return E, E[rows], k, theta, rows
    m = draw(st.integers(1, most))
    queries = np.vstack([E, KINDS[kind](rng, m, e)])[rng.integers(0, n + m, m)]
    return E, queries, k, theta, draw(st.sampled_from([None, rng.integers(0, n, m)]))


@settings(max_examples=150)
@given(searches())
def test_a_search_is_the_definition(search):
    E, queries, k, theta, exclude = search
    assert_same(Search(E, theta).of_queries(queries, k, exclude), brute_force(E, queries, k, theta, exclude))
    assert_same(Search(E, theta).of_all(k), brute_force(E, E, k, theta, np.arange(len(E))))


@settings(max_examples=150)
@given(searches())
def test_sparse_rows_give_what_dense_rows_give(search):
    E, queries, k, theta, exclude = search
    found = Search(csr_array(E), theta).of_queries(csr_array(queries), k, exclude)
    assert_same(found, brute_force(E, queries, k, theta, exclude))
    assert_same(Search(csr_array(E), theta).of_all(k), brute_force(E, E, k, theta, np.arange(len(E))))


@given(searches(), st.data())
def test_some_rows_find_what_they_find_among_all(search, data):
    E, _, k, theta, _ = search
    rows = np.array(data.draw(st.lists(st.integers(0, len(E) - 1), max_size=len(E))), dtype=int)
    every = Search(E, theta).of_all(k)
    assert_same(Search(E, theta).of_rows(rows, k), taken(every, rows))
    assert_same(Search(E, theta).of_rows(np.arange(len(E)), k), every)


@settings(max_examples=5)
@given(searches(most=300), st.booleans(), st.sampled_from([1, 2]))
def test_tiles_and_threads_change_nothing(search, sparse, threads):
    E, queries, k, theta, exclude = search
    expected, among_all = brute_force(E, queries, k, theta, exclude), brute_force(E, E, k, theta, np.arange(len(E)))
    E, queries = (csr_array(E), csr_array(queries)) if sparse else (E, queries)
    cut = Search(E, theta, threads, SMALL)
    assert_same(cut.of_queries(queries, k, exclude), expected)
    assert_same(cut.of_all(k), among_all)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("theta", [None, np.r_[0.5, 0.3, 0.2, np.zeros(57)]])
def test_thousands_of_ties(theta, sparse):
    rng = np.random.default_rng(0)
    E = (rng.random((3000, 60)) < 0.02) * 1.0
    rows = rng.permutation(3000)[:40]
    expected = brute_force(E, E[rows], 5, theta, rows)
    assert_same(Search(csr_array(E) if sparse else E, theta, threads=2).of_rows(rows, 5), expected)


def test_whole_numbers_that_all_tie_are_ranked_by_row():
    n, k = 2000, 3
    found = Search(csr_array(np.eye(n))).of_all(k)
    assert (found.squared_distance == 2).all()
    lowest = np.tile(np.arange(k + 1), (n, 1))
    assert (found.index == [np.delete(row, min(i, k)) for i, row in enumerate(lowest)]).all()


def test_clusters_that_single_precision_cannot_separate():
    rng = np.random.default_rng(1)
    E = 1000 + rng.integers(0, 2, (2000, 1)) + 1e-5 * rng.normal(size=(2000, 30))
    queries = E[:50]
    assert_same(Search(E).of_rows(np.arange(50), 5), brute_force(E, queries, 5, None, np.arange(50)))
    frame = bounds.choose_frame(E, queries, None)
    alpha, beta = bounds.squared_norms(queries, frame), bounds.squared_norms(E, frame)
    left = {}
    for dtype in (np.float32, np.float64):
        D = bounds.lower_bounds(bounds.candidate_form(E, beta, frame, dtype), queries, alpha, frame, dtype)
        found = bounds.near(D, 6, alpha, np.full(50, np.inf), frame)
        left[dtype] = sum(len(part.query) for part in bounds.pairs(found, np.arange(2000), 6, frame, 10**6))
        assert bounds.crowded(found, 6) == (dtype is np.float32)
    assert left[np.float32] > 20_000
    assert left[np.float64] < 1_000


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_that_share_a_key_and_are_not_equal(sparse):
    """Rows so near to each other that their keys round to the same number, while every one of them is different."""
    shared = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        E = KINDS["tight clusters"](rng, 40, 6)
        shared += len(np.unique(row_keys(E))) < len(np.unique(E, axis=0)) == 40
        assert_same(Search(csr_array(E) if sparse else E).of_all(5), brute_force(E, E, 5, exclude=np.arange(40)))
    assert shared > 0


@pytest.mark.parametrize("room", [1, 50, 2**18])
def test_columns_that_few_rows_have_beside_those_that_many_have(room, monkeypatch):
    """A part of the columns lies dense, the other is added up where it is stored."""
    monkeypatch.setattr(bounds, "ROOM", room)
    rng = np.random.default_rng(2)
    E = (rng.random((60, 900)) < np.repeat([0.2, 0.02], [40, 860])) * rng.random((60, 900))
    often = bounds.choose_frame(csr_array(E), csr_array(E), None).often
    assert 30 < np.count_nonzero(often) < 100
    assert_same(Search(csr_array(E)).of_rows(np.arange(9), 4), brute_force(E, E[:9], 4, None, np.arange(9)))
    theta = rng.random(900) * (rng.random(900) < 0.5)
    assert_same(Search(csr_array(E), theta).of_all(4), brute_force(E, E, 4, theta, np.arange(60)))


def test_an_excluded_row_is_missed_and_its_duplicate_found():
    E = np.array([[1.0], [5.0], [1.0], [1.0]])
    assert Search(E).of_all(2).index.tolist() == [[2, 3], [0, 2], [0, 3], [0, 2]]


@pytest.mark.parametrize(("n", "m", "exclude", "columns"), [(1, 1, np.array([0]), 0), (3, 0, None, 2), (1, 2, None, 1)])
def test_few_rows(n, m, exclude, columns):
    found = Search(np.ones((n, 2))).of_queries(np.ones((m, 2)), 2, exclude)
    assert found.index.shape == found.squared_distance.shape == (m, columns)


def test_columns_may_be_none_at_all():
    assert Search(np.ones((3, 0))).of_queries(np.ones((1, 0)), 2).index.tolist() == [[0, 1]]


def test_steps_rise_to_their_number():
    steps: list[tuple[int, int]] = []
    E = np.random.default_rng(3).normal(size=(300, 12))
    Search(E, workspace=SMALL, watch=lambda done, total: steps.append((done, total))).of_all(3)
    assert len(steps) > 10
    assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)]


def test_a_search_that_is_left_early_ends_its_threads():
    E = np.random.default_rng(4).normal(size=(300, 12))
    before = threading.active_count()

    def leave(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Search(np.tile(E, (6, 1)), threads=2, workspace=SMALL, watch=leave).of_all(3)
    assert threading.active_count() == before
    assert_same(Search(E).of_queries(E[:3], 2), brute_force(E, E[:3], 2))


@pytest.mark.parametrize("sparse", [False, True])
def test_work_space_is_kept(sparse):
    rng = np.random.default_rng(5)
    E = rng.normal(size=(3000, 100)) * (rng.random((3000, 100)) < (0.2 if sparse else 1))
    E = csr_array(E) if sparse else E
    workspace = 8 * 2**20
    tracemalloc.start()
    Search(E, threads=2, workspace=workspace).of_all(5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.25 * workspace


@given(searches(), st.data())
def test_merged_lists_are_a_search_over_both(search, data):
    E, queries, k, theta, _ = search
    cut = data.draw(st.integers(0, len(E)))
    first, second = (Search(part, theta).of_queries(queries, k) for part in (E[:cut], E[cut:]))
    assert_same(merge(first, Neighbors(second.index + cut, second.squared_distance), k), brute_force(E, queries, k, theta))


@given(searches(), st.data())
def test_a_search_that_goes_on_from_known_lists_is_a_search_over_both(search, data):
    E, queries, k, theta, exclude = search
    cut = data.draw(st.integers(0, len(E) if exclude is None else int(exclude.min())))
    k = min(k, len(E) if exclude is None else len(E) - 1)
    known = Search(E[:cut], theta).of_queries(queries, k)
    found = Search(E[cut:], theta).extend(joined([known], k), queries, exclude, cut)
    assert_same(found, brute_force(E, queries, k, theta, exclude))


@settings(max_examples=150)
@given(searches(), st.booleans(), st.sampled_from([1, 2]), st.sampled_from([SMALL, WORKSPACE]), st.data())
def test_one_search_serves_old_and_new_rows(search, sparse, threads, workspace, data):
    E, _, k, theta, _ = search
    n, k = len(E), min(k, len(E) - 1)
    cut = data.draw(st.integers(0, n))
    old, new = (csr_array(part) if sparse else part for part in (E[:cut], E[cut:]))
    among_old, among_new = (Search(part, theta, threads, workspace) for part in (old, new))
    known = joined([among_old.of_all(k), nobody(n - cut, k)], k)
    found = among_new.extend_both(known, old)
    np.testing.assert_array_equal(known.index[cut:], nobody(n - cut, k).index)
    of_new = among_new.extend(taken(found, slice(cut, None)), new, np.arange(cut, n), cut)
    assert_same(joined([taken(found, slice(cut)), of_new], k), brute_force(E, E, k, theta, np.arange(n)))


def test_rows_far_from_those_that_are_all_but_equal():
    E = np.array([[5.80976712e47], [5.85098941e-122], [5.85098942e-122], [5.85098943e-122]])
    far = joined([Search(E[:1]).of_queries(E[1:], 1)], 1)
    found = Search(E[1:]).extend(far, E[1:], np.arange(1, 4), 1)
    assert_same(found, brute_force(E, E[1:], 1, None, np.arange(1, 4)))


@given(searches())
def test_distances_of_pairs_are_summed_in_order(search):
    E, _, _, theta, _ = search
    A, B = E[:-1], E[1:]
    terms = (A - B) ** 2
    expected = np.cumsum(terms if theta is None else theta * terms, axis=1)[:, -1]
    np.testing.assert_array_equal(squared_distances(A, B, theta), expected)
    np.testing.assert_array_equal(squared_distances(csr_array(A), csr_array(B), theta), expected)


@given(searches(), st.data())
def test_distances_under_several_labels(search, data):
    E, _, _, _, _ = search
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    theta = rng.random((4, E.shape[1])) * (rng.random((4, E.shape[1])) < 0.5)
    a, b, label = rng.integers(0, len(E), 25), rng.integers(0, len(E), 25), rng.integers(0, 4, 25)
    each = [squared_distances(E[[i]], E[[j]], theta[l])[0] for i, j, l in zip(a, b, label, strict=True)]
    for form in (np.asarray, csr_array):
        found = pair_distances(form(E), a, form(E), b, theta, label)
        np.testing.assert_array_equal(found, each)


@settings(max_examples=150)
@given(searches(), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_bounds_hold_for_every_pair(search, dtype, sparse):
    E, queries, _, theta, _ = search
    exact = brute_force(E, queries, len(E), theta)
    E, queries = (csr_array(E), csr_array(queries)) if sparse else (E, queries)
    frame = bounds.choose_frame(E, queries, theta)
    E, queries = bounds.on_support(E, frame), bounds.on_support(queries, frame)
    alpha, beta = bounds.squared_norms(queries, frame), bounds.squared_norms(E, frame)
    form = bounds.candidate_form(E, beta, frame, dtype)
    D = bounds.lower_bounds(form, queries, alpha, frame, dtype)[: E.shape[0], : queries.shape[0]].T
    D, beta = np.take_along_axis(D, exact.index, axis=1).astype(np.float64), beta[exact.index]
    d2 = np.ldexp(exact.squared_distance, -2 * frame.exponent)
    c, slack = bounds.error_bound(frame, dtype)
    assert (d2 + slack >= D).all()
    assert (D + 2 * c * (alpha[:, np.newaxis] + beta) + slack >= d2).all()


def test_whole_numbers_have_no_error_while_their_sums_are_small():
    E = np.random.default_rng(6).integers(0, 50, (40, 30)) * 1.0
    frame = bounds.choose_frame(E, E, None)
    assert bounds.error_bound(frame, np.float32) == (0, 0)
    assert bounds.error_bound(bounds.choose_frame(1000 * E, E, None), np.float32)[0] > 0
    assert bounds.error_bound(bounds.choose_frame(E + 0.5, E, None), np.float64)[0] > 0


@given(searches())
def test_patterns_list_every_row_once_and_only_equals(search):
    E = search[0]
    for form in (E, csr_array(E)):
        members, start = distinct_rows(form)
        groups = np.split(members, start[1:-1])
        assert sorted(members) == list(range(len(E)))
        assert all((np.diff(group) > 0).all() and (E[group] == E[group[0]]).all() for group in groups)
