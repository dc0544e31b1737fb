"""Every sampler against a worked example or against plain loops over rows."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import autograd
import numpy as np
import pytest
import scipy.stats
from made_data import EVEN, MADE, dataset, dense_rows, mixed, numbers, sparse
from scipy.sparse import csr_array
from sklearn.svm import SVC

from lsdmlo_cli import Analysis, Attribute, Settings, deep
from lsdmlo_cli.cautions import of_result
from lsdmlo_cli.numeric import minority_types
from lsdmlo_cli.numeric.decoding import decode
from lsdmlo_cli.numeric.encoding import observed_range
from lsdmlo_cli.numeric.labelsets import adjusted_hamming, labelset_bags
from lsdmlo_cli.numeric.measures import irlbl, scumble_rows
from lsdmlo_cli.numeric.minority_types import BORDER, MAJORITY, OUTLIER, RARE, SAFE
from lsdmlo_cli.numeric.natural_neighbors import natural_neighbors
from lsdmlo_cli.numeric.value_difference import count_values, value_differences
from lsdmlo_cli.samplers import SAMPLERS, drsmote, mlsmote
from lsdmlo_cli.samplers.aemlo import AEMLOSampler, feature_loss, label_loss
from lsdmlo_cli.samplers.base import BATCH_ROWS, apportion, one_of_each
from lsdmlo_cli.samplers.mlbote import MLBOTESampler, needy_labels
from lsdmlo_cli.samplers.mlonc import Related
from lsdmlo_cli.samplers.mlsol import assigned
from lsdmlo_cli.samplers.mlul import drawn_without_replacement
from lsdmlo_cli.samplers.remedial import REMEDIALSampler


def run(name, data, seed=0, k=None, **options):
    """The sample, and its rows: X, Y, seeds, references, labels."""
    sample = SAMPLERS[name](**options).sample(Analysis(data, Settings(k=k)), np.random.default_rng(seed))
    batches = list(sample.batches)
    none = np.zeros(0, dtype=np.int64)
    X = np.vstack([np.zeros((0, data.d)), *(dense_rows(batch.X) for batch in batches)])
    Y = np.vstack([np.zeros((0, data.q), dtype=bool), *(batch.Y for batch in batches)])
    parents = (np.concatenate([none, *(getattr(b, part) for b in batches)]) for part in ("seeds", "references", "labels"))
    return sample, X, Y, *parents


def slow_neighbors(X, k, rows=None):
    """The k nearest of some rows for each of them, ties to the lower row."""
    rows = range(len(X)) if rows is None else rows
    return {i: sorted((r for r in rows if r != i), key=lambda r: (sum((X[i] - X[r]) ** 2), r))[:k] for i in rows}


def slow_minority(Y):
    counts = [int(c) for c in Y.sum(axis=0)]
    ratios = {j: Fraction(max(counts), c) for j, c in enumerate(counts) if c}
    mean = sum(ratios.values()) / len(ratios)
    return [j for j in ratios if ratios[j] > mean], ratios, mean


@pytest.mark.parametrize(
    ("budget", "shares", "parts"),
    [(10, [5, 3, 1], [6, 3, 1]), (11, [5, 3, 1], [6, 4, 1]), (10, [1, 3, 5], [1, 3, 6]), (2, [1, 1, 1], [1, 1, 0])],
)
def test_what_is_left_goes_to_the_largest_remainders(budget, shares, parts):
    assert apportion(budget, shares) == parts
    assert apportion(budget, [Fraction(share, 7) for share in shares]) == parts


# ---- MLROS and MLRUS

# 8 rows with label 0, 2 with label 1: IRLbl 1 and 4, MeanIR 5/2. Label 1 wants clones while 8 / c > 5/2: at c = 2 and 3.
# Label 0 lets rows go while 8 / c < 5/2: at c = 8, 7, 6, 5 and 4 (2 < 5/2), not at 3 (8/3).
EIGHT_TO_TWO = dataset(np.zeros((10, 1)), [[1, 0]] * 8 + [[0, 1]] * 2)


@pytest.mark.parametrize(("p", "clones"), [(0, 0), (0.1, 1), (0.2, 2), (1, 2)])
def test_mlros_stops_at_the_mean(p, clones):
    sample, _, Y, seeds, references, labels = run("mlros", EIGHT_TO_TWO, p=p)
    assert (len(seeds), sample.requested) == (clones, int(10 * p))
    assert set(seeds) <= {8, 9} and set(labels) <= {1} and set(references) <= {-1}
    assert Y.tolist() == [[False, True]] * clones


@pytest.mark.parametrize(("p", "removed"), [(0, 0), (0.3, 3), (1, 5)])
def test_mlrus_stops_at_the_mean(p, removed):
    sample, *_ = run("mlrus", EIGHT_TO_TWO, p=p)
    assert (~sample.keep).sum() == removed
    assert sample.keep[8:].all()


def test_a_label_at_the_mean_is_left_alone():
    """6 rows with label 0, 2 with label 1: MeanIR is 2, which 6 / c is at c = 3; neither method goes on there."""
    six_to_two = dataset(np.zeros((8, 1)), [[1, 0]] * 6 + [[0, 1]] * 2)
    assert len(run("mlros", six_to_two, p=1)[3]) == 1
    assert (~run("mlrus", six_to_two, p=1)[0].keep).sum() == 3


@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_mlros_is_the_round_robin(seed, refresh):
    data = numbers(seed)
    Y = data.Y.toarray().astype(int)
    minority, _, mean = slow_minority(Y)
    counts, rng = Y.sum(axis=0), np.random.default_rng(seed)
    most, expected, active = max(counts), [], list(minority)
    while active and len(expected) < 40:
        for j in list(active):
            most = max(counts) if refresh else most
            if len(expected) == 40:
                break
            if Fraction(int(most), int(counts[j])) <= mean:
                active.remove(j)
                continue
            bag = np.flatnonzero(Y[:, j])
            expected.append((bag[rng.integers(len(bag))], j))
            counts = counts + Y[expected[-1][0]]
    _, X, _, seeds, _, labels = run("mlros", data, seed=seed, p=1, refresh_max=refresh)
    assert list(zip(seeds.tolist(), labels.tolist(), strict=True)) == expected
    assert np.array_equal(X, data.X[seeds])


@pytest.mark.parametrize("seed", range(8))
def test_mlrus_takes_rows_of_majority_labels_alone_and_stops_where_none_wants_to(seed):
    data = numbers(seed)
    Y = data.Y.toarray().astype(int)
    _, ratios, mean = slow_minority(Y)
    majority = [j for j in ratios if ratios[j] < mean]
    sample, *_ = run("mlrus", data, seed=seed, p=1)
    assert Y[~sample.keep][:, majority].any(axis=1).all()
    left, most = Y[sample.keep].sum(axis=0), max(Y.sum(axis=0))
    spare = [i for i in np.flatnonzero(sample.keep) if all(left[Y[i] > 0] > 1)]
    assert [j for j in majority if most < mean * int(left[j]) and any(Y[i, j] for i in spare)] == []


def test_mlrus_draws_evenly():
    removed = sum((~run("mlrus", EIGHT_TO_TWO, seed=seed, p=0.2)[0].keep).astype(int) for seed in range(400))
    assert removed[:8].sum() == 800
    assert np.abs(removed[:8] - 100).max() < 5 * math.sqrt(400 * 0.25 * 0.75)


@pytest.mark.parametrize("p", [0.1, 1])
def test_mlrus_may_spare_every_row_with_a_minority_label(p):
    data = numbers(3)
    sample, *_ = run("mlrus", data, p=p, protect_minority=True)
    rare = data.Y.toarray()[:, slow_minority(data.Y.toarray())[0]].any(axis=1)
    assert sample.keep[rare].all()
    assert 0 < (~sample.keep).sum() <= 40 * p


# ---- REMEDIAL and RHwRSMT

# Positives 4, 2, 1, 0, IRLbl 1, 2, 4, MeanIR 7/3. SCUMBLE of the rows: 1 - sqrt 2 / 1.5 = 0.057, 1 - 2 / (7/3) = 1/7, 0, 0, 0;
# their mean is 0.04. Rows 0 and 1 are split: 1100 into 1100 and 0000, 1110 into 1100 and 0010.
COUPLED = dataset(np.arange(5.0)[:, np.newaxis], [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])


def test_remedial_by_hand():
    sample, X, Y, seeds, references, labels = run("remedial", COUPLED)
    assert sample.keep.tolist() == [False, False, True, True, True]
    assert seeds.tolist() == [0, 0, 1, 1] and X.ravel().tolist() == [0, 0, 1, 1]
    assert Y.astype(int).tolist() == [[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]]
    assert set(references) == set(labels) == {-1}


def test_remedial_splits_more_rows_than_a_batch_holds():
    """Each row that is split gives two new ones, in the order of the rows, from the first batch to the last."""
    Y = np.repeat(np.array([[1, 1, 1, 0], [1, 0, 0, 0]]), 600, axis=0)
    Y[600:700] = [1, 1, 0, 0]
    data = dataset(np.arange(1200.0)[:, np.newaxis], Y)
    split = REMEDIALSampler().decoupled(Analysis(data))
    assert len(split) > 2 * BATCH_ROWS
    _, X, _, seeds, _, _ = run("remedial", data)
    assert seeds.tolist() == X.ravel().tolist() == np.repeat(split, 2).tolist()


def test_remedial_may_leave_rows_on_one_side_whole():
    sample, _, Y, seeds, _, _ = run("remedial", COUPLED, skip_one_sided=True)
    assert sample.keep.tolist() == [True, False, True, True, True]
    assert seeds.tolist() == [1, 1] and Y.astype(int).tolist() == [[1, 1, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("n", range(2, 60))
def test_rows_that_are_coupled_alike_are_not_above_their_mean(n):
    """A frequent label and one of two that are as rare in every row: all have one SCUMBLE, and its mean may be rounded."""
    data = dataset(np.zeros((2 * n, 1)), [[1, 1, 0]] * n + [[1, 0, 1]] * n)
    assert scumble_rows(data.Y, irlbl(data.counts)).min() > 0
    assert REMEDIALSampler().decoupled(Analysis(data)).tolist() == []


def test_remedial_may_leave_rows_of_rare_labels_alone_whole():
    """Two rare labels of different IRLbl, 20 and 40, couple the last row; MeanIR is 15.5."""
    data = dataset(np.zeros((43, 1)), [[1, 1, 0, 0]] * 40 + [[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1]])
    for skip, split in ((False, [42]), (True, [])):
        assert REMEDIALSampler(skip_one_sided=skip).decoupled(Analysis(data)).tolist() == split


@pytest.mark.parametrize("made", ["dense", "sparse", "missing", "nested"])
@pytest.mark.parametrize("p", [None, 0.2])
def test_rhwrsmt_is_one_after_the_other(made, p):
    data = MADE[made]
    first, X1, Y1, seeds1, _, _ = run("remedial", data)
    kept = np.flatnonzero(first.keep)
    origin = np.concatenate([kept, seeds1])
    X = np.vstack([dense_rows(data.X)[kept], X1])
    Y = np.vstack([data.Y.toarray()[kept], Y1])
    between = replace(data, X=X if made != "sparse" else csr_array(X), Y=csr_array(Y.astype(float)))
    _, X2, Y2, seeds2, references2, labels2 = run("mlsmote", between, p=p)
    both, X3, Y3, seeds3, references3, labels3 = run("rhwrsmt", data, p=p)
    assert np.array_equal(X3, np.vstack([X1, X2]), equal_nan=True)
    assert np.array_equal(Y3, np.vstack([Y1, Y2]))
    assert seeds3.tolist() == [*seeds1, *origin[seeds2]]
    assert references3.tolist() == [-1] * len(seeds1) + origin[references2].tolist()
    assert labels3.tolist() == [-1] * len(seeds1) + labels2.tolist()
    assert np.array_equal(both.keep, first.keep) and both.requested == len(seeds3)


# ---- the value difference metric


def slow_vdm(X, y, column, i, r):
    """sum over c of |P(c | a) - P(c | b)|; missing is a value of its own."""
    values = [None if math.isnan(x) else x for x in X[:, column]]

    def share(value, c):
        return Fraction(
            sum(1 for v, l in zip(values, y, strict=True) if v == value and l == c), sum(1 for v in values if v == value)
        )

    return float(sum(abs(share(values[i], c) - share(values[r], c)) for c in (0, 1)))


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_value_differences_are_those_of_the_formula(seed, form, power):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, levels, 25) for levels in (2, 4, 1, 3)]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 25)
    columns = np.array([0, 1, 3])
    values = count_values(form(X), columns, np.array([2, 4, 3]))
    found, factor = value_differences(form(X), form(X[y == 1]), values, power)
    found = found.toarray()
    for i in range(25):
        for r in range(25):
            expected = sum(slow_vdm(X, y, c, i, r) ** power for c in columns)
            assert (factor * (found[i] - found[r]) ** 2).sum() == pytest.approx(expected, abs=1e-12)


def test_what_a_sparse_row_leaves_out_takes_no_room():
    X = csr_array(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    values = count_values(X, np.arange(2), np.array([2, 3]))
    found, _ = value_differences(X, X[:1], values, 1)
    assert np.diff(found.indptr).tolist()[1::2] == [0, 0]


# ---- MLSMOTE


def slow_mlsmote_neighbors(data, j, k):
    """By the squared distance of numbers and the value difference of nominal attributes, in j's bag."""
    X, y = dense_rows(data.X), data.Y.toarray()[:, j].astype(int)
    bag = np.flatnonzero(y)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    chance = {}

    def d2(i, r):
        total = 0.0
        for f, attribute in enumerate(data.features):
            if attribute.is_number:
                total += (filled[i, f] - filled[r, f]) ** 2
            if attribute.kind == "nominal":
                key = (f, X[i, f], X[r, f])
                chance[key] = chance[key] if key in chance else slow_vdm(X, y, f, i, r)
                total += chance[key]
        return total

    return {i: sorted((round(d2(i, r), 9), r) for r in bag if r != i)[:k] for i in bag}


@pytest.mark.parametrize("strategy", ["union", "ranking", "intersection"])
@pytest.mark.parametrize("made", ["dense", "sparse", "single positive", "nested"])
def test_mlsmote_against_plain_loops(made, strategy):
    data = MADE[made]
    Y = data.Y.toarray().astype(int)
    minority, _, _ = slow_minority(Y)
    expected = [(i, j) for j in minority for i in np.flatnonzero(Y[:, j]) if Y[:, j].sum() > 1]
    sample, X, Y_new, seeds, references, labels = run("mlsmote", data, strategy=strategy)
    assert sample.requested == len(expected)
    assert list(zip(seeds.tolist(), labels.tolist(), strict=True)) == expected
    colour = [f for f, a in enumerate(data.features) if a.kind == "nominal"]
    source = dense_rows(data.X)
    near = {j: slow_mlsmote_neighbors(data, j, 5) for j in minority}
    for g, (i, j) in enumerate(expected):
        around = [r for _, r in near[j][i]]
        assert references[g] in around
        votes = Y[[i, *around]].sum(axis=0)
        size = len(around) + 1
        held = {"union": votes > 0, "ranking": votes > size / 2, "intersection": votes == size}[strategy]
        closed = held.copy()
        for _ in range(data.q):
            for child, parent in ((c, p) for c, p in enumerate(data.parents) if p >= 0):
                closed[parent] |= closed[child]
        assert Y_new[g].tolist() == closed.tolist()
        for f in colour:
            tally = Counter(source[around, f])
            assert X[g, f] == min(v for v in tally if tally[v] == max(tally.values()))


@pytest.mark.parametrize("strategy", ["union", "ranking"])
@pytest.mark.parametrize("data", [MADE["dense"], MADE["sparse"], numbers(0), numbers(1)], ids=["dense", "sparse", "0", "1"])
def test_mlsmote_that_sees_new_rows_against_plain_loops(data, strategy):
    """Each label's rows are those of MLSMOTE on the data with the rows of the labels before it."""
    minority, _, _ = slow_minority(data.Y.toarray().astype(int))
    _, X, Y_new, seeds, references, labels = run("mlsmote", data, see_new=True, strategy=strategy)
    origin = list(range(data.n))
    for j in minority:
        near = {i: [r for _, r in around] for i, around in slow_mlsmote_neighbors(data, j, 5).items() if around}
        mine = np.flatnonzero(labels == j)
        Y = data.Y.toarray().astype(int)
        assert seeds[mine].tolist() == [origin[i] for i in near]
        for g, (i, around) in zip(mine, near.items(), strict=True):
            assert references[g] in {origin[r] for r in around}
            least = {"union": 0, "ranking": (len(around) + 1) / 2}[strategy]
            assert Y_new[g].tolist() == (Y[[i, *around]].sum(axis=0) > least).tolist()
        Y = csr_array(np.vstack([Y, Y_new[mine]]).astype(float))
        data = replace(data, X=np.vstack([dense_rows(data.X), X[mine]]), Y=Y, sparse_rows=np.zeros(Y.shape[0], dtype=bool))
        origin += seeds[mine].tolist()
    assert len(origin) == data.n


@pytest.mark.parametrize(("options", "seeds"), [({}, 4 + 2), ({"see_new": True}, 4 + 6), ({"see_new": True, "p": 0.5}, 12)])
def test_mlsmote_new_rows_are_seeds(options, seeds):
    """IRLbl as below. The union over the four rows of label 2 has label 3: their new rows are in the bag of label 3."""
    Y = [[1, 1, 0, 0]] * 20 + [[0, 0, 1, 1]] * 2 + [[0, 0, 1, 0]] * 2
    *_, Y_new, _, _, labels = run("mlsmote", dataset(np.arange(24.0)[:, np.newaxis], Y), strategy="union", **options)
    assert Y_new.tolist() == seeds * [[False, False, True, True]]
    assert set(labels) == {2, 3}


def test_mlsmote_ranking_ties():
    """Positives 20, 20, 4, 2: IRLbl 1, 1, 5, 10, MeanIR 17/4. Of the four rows of label 2, which all vote, two have label 3."""
    Y = [[1, 1, 0, 0]] * 20 + [[0, 0, 1, 1]] * 2 + [[0, 0, 1, 0]] * 2
    data = dataset(np.arange(24.0)[:, np.newaxis], Y)
    held = {}
    for ties in ("drop", "keep"):
        _, _, Y_new, _, _, labels = run("mlsmote", data, ranking_ties=ties)
        held[ties] = Y_new[labels == 2].astype(int).tolist()
    assert held == {"drop": [[0, 0, 1, 0]] * 4, "keep": [[0, 0, 1, 1]] * 4}


def test_what_does_not_come_out_even_is_drawn_at_random():
    drawn = [mlsmote.spread(10, 13, np.random.default_rng(seed)) for seed in range(300)]
    assert all(np.bincount(rows).tolist().count(2) == 3 and len(rows) == 13 for rows in drawn)
    twice = np.sum([np.bincount(rows) - 1 for rows in drawn], axis=0)
    assert scipy.stats.chisquare(twice).pvalue > 0.01


def test_references_are_drawn_evenly_among_those_that_there_are():
    """Never beyond the count, and -1 where it is 0."""
    candidates, count = np.tile([5, 6, 7, 8], (40_000, 1)), np.repeat([0, 1, 3, 4], 10_000)
    drawn = one_of_each(candidates, count, np.random.default_rng(0)).reshape(4, -1)
    assert (drawn[0] == -1).all() and (drawn[1] == 5).all()
    for size in (3, 4):
        often = np.bincount(drawn[size - 1], minlength=9)
        assert often[5 : 5 + size].sum() == 10_000
        assert scipy.stats.chisquare(often[5 : 5 + size]).pvalue > 0.01


@pytest.mark.parametrize(("p", "rows"), [(0, 0), (0.1, 6), (0.5, 30), (2, 120)])
def test_mlsmote_of_a_given_size_uses_every_seed_as_often(p, rows):
    data = MADE["dense"]
    *_, all_seeds, _, all_labels = run("mlsmote", data)
    *_, seeds, _, labels = run("mlsmote", data, p=p)
    drawn = Counter(zip(seeds.tolist(), labels.tolist(), strict=True))
    assert len(seeds) == rows
    times = [drawn[pair] for pair in zip(all_seeds.tolist(), all_labels.tolist(), strict=True)]
    assert sum(times) == rows and max(times) - min(times) <= 1


# ---- MLSOL and MLUL


def slow_cells(data, k):
    """C by (row, label), S, w and types by plain loops."""
    X, Y = dense_rows(data.X), data.Y.toarray().astype(int)
    n, q = Y.shape
    near = slow_neighbors(X, k)
    rare = [1 if 2 * Y[:, j].sum() <= n else 0 for j in range(q)]
    labels = [j for j in range(q) if Y[:, j].any()]
    C = {(i, j): sum(Y[m, j] != rare[j] for m in near[i]) / k for i in range(n) for j in labels if Y[i, j] == rare[j]}
    S = {}
    for j in labels:
        inside = {i: c for (i, h), c in C.items() if h == j and c < 1}
        total = sum(inside.values())
        S.update({(i, j): c / total for i, c in inside.items() if total > 0})
    w = [sum(S.get((i, j), 0) for j in labels) for i in range(n)]
    types = {cell: SAFE if c < 0.3 else BORDER if c < 0.7 else RARE if c < 1 else OUTLIER for cell, c in C.items()}
    changed = True
    while changed:
        changed = False
        for (i, j), kind in list(types.items()):
            if kind == RARE and any(types.get((m, j)) in (SAFE, BORDER) for m in near[i]):
                types[i, j], changed = BORDER, True
    return near, rare, S, w, types


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("seed", range(5))
def test_minority_cells_against_plain_loops(seed, k):
    data = numbers(seed)
    analysis = Analysis(data, Settings(k=k))
    cells = list(minority_types.minority_cells(analysis.by_column, analysis.euclidean.index))
    near, _, _, w, types = slow_cells(data, k)
    assert analysis.euclidean.index.tolist() == [near[i] for i in range(data.n)]
    assert np.allclose(minority_types.seed_weights(cells, data.n), w)
    found = minority_types.cell_types(cells, analysis.euclidean.index, data.q).toarray()
    assert found.tolist() == [[types.get((i, j), MAJORITY) for j in range(data.q)] for i in range(data.n)]


@pytest.mark.parametrize("seed", range(4))
def test_mlsol_against_plain_loops(seed):
    data = numbers(seed, levels=9)
    near, rare, _, w, types = slow_cells(data, 5)
    _, X, Y_new, seeds, references, labels = run("mlsol", data, seed=seed, p=4)
    Y = data.Y.toarray().astype(int)
    assert len(seeds) == 160 and set(labels) == {-1}
    assert all(w[s] > 0 for s in seeds)
    for g, (s, r) in enumerate(zip(seeds, references, strict=True)):
        assert r in near[s]
        to_s, to_r = math.dist(X[g], data.X[s]), math.dist(X[g], data.X[r])
        cd = to_s / (to_s + to_r) if to_s + to_r else 0.5
        for j in range(data.q):
            a, share = (s, cd) if Y[s, j] == rare[j] else (r, 1 - cd)
            other = r if a == s else s
            theta = {SAFE: 0.5, BORDER: 0.75, RARE: 2, OUTLIER: -1}.get(types.get((a, j)), 0)
            expected = Y[s, j] if Y[s, j] == Y[r, j] else Y[a, j] if share <= theta else Y[other, j]
            assert Y_new[g, j] == expected


# s = 0 and r = 10, both cells of the label hold 1 at s and 0 at r. cd = x / 10: a SAFE seed passes its 1 on up to 5, a
# BORDER seed up to 7.5, a RARE one always, an OUTLIER never. Where 0 is the minority value and r holds it, r's share counts.
@pytest.mark.parametrize(
    ("kind", "holder", "at", "expected"),
    [
        (SAFE, 0, 5.0, 1),
        (SAFE, 0, 5.1, 0),
        (BORDER, 0, 7.5, 1),
        (BORDER, 0, 7.6, 0),
        (RARE, 0, 10.0, 1),
        (OUTLIER, 0, 0.0, 0),
        (SAFE, 1, 5.0, 0),
        (SAFE, 1, 4.9, 1),
        (BORDER, 1, 2.5, 0),
        (BORDER, 1, 2.4, 1),
        (RARE, 1, 0.0, 0),
        (OUTLIER, 1, 10.0, 1),
    ],
)
def test_mlsol_labels_by_hand(kind, holder, at, expected):
    data = dataset([[0.0], [10.0], [3.0]], [[1], [0], [0]])
    types = np.zeros((3, 1), dtype=np.int8)
    types[holder] = kind
    found = assigned(Analysis(data), np.array([[at]]), np.array([0]), np.array([1]), csr_array(types))
    assert found.astype(int).tolist() == [[expected]]


@pytest.mark.parametrize("seed", range(4))
def test_removal_weights_against_plain_loops(seed):
    data = numbers(seed)
    analysis = Analysis(data)
    near, _, S, w, _ = slow_cells(data, 5)
    Y = data.Y.toarray()
    v = []
    for i in range(data.n):
        named = [m for m in near if i in near[m]]
        signed = [sum(S.get((m, j), 0) * (1 if Y[i, j] != Y[m, j] else -1) for j in range(data.q)) for m in named]
        v.append(w[i] - (sum(signed) / len(named) if named else 0))
    cells = list(minority_types.minority_cells(analysis.by_column, analysis.euclidean.index))
    assert np.allclose(minority_types.removal_weights(cells, analysis.euclidean.index), np.array(v) - min(v))
    sample, *_ = run("mlul", data, p=0.3)
    assert (~sample.keep).sum() == 12


def test_draws_without_replacement_follow_the_weights():
    """Of weights 0, 1, 2, 3 two are drawn: P of the pair 1, 2 is 1/6 2/5 + 2/6 1/4 = 0.15, and 0 is never drawn."""
    rng = np.random.default_rng(0)
    pairs = Counter(tuple(sorted(drawn_without_replacement(np.arange(4.0), 2, rng).tolist())) for _ in range(4000))
    assert set(pairs) == {(1, 2), (1, 3), (2, 3)}
    assert pairs[1, 2] / 4000 == pytest.approx(0.15, abs=5 * math.sqrt(0.15 * 0.85 / 4000))


# ---- MLONC


def slow_natural(X):
    m = len(X)
    near, before = slow_neighbors(X, m), None
    for k in range(1, m):
        named = {i: [r for r in range(m) if i in near[r][:k]] for i in range(m)}
        empty = sum(not named[i] for i in range(m))
        if empty == before or k == m - 1:
            return [sorted(set(near[i][:k]) & set(named[i])) for i in range(m)]
        before = empty
    return None


@pytest.mark.parametrize("m", [2, 3, 5, 20, 60])
@pytest.mark.parametrize("seed", range(3))
def test_natural_neighbors_against_plain_loops(m, seed):
    X = np.random.default_rng(seed).integers(0, 12, (m, 2)).astype(float)
    for form in (np.asarray, csr_array):
        found = natural_neighbors(form(X))
        assert [np.flatnonzero(row).tolist() for row in found.toarray()] == slow_natural(X)


@pytest.mark.parametrize("seed", range(6))
def test_labels_follow_the_most_frequent_partner(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((30, 6)) < 0.3).astype(int)
    Y[:, 5] = 0
    S = Y.T @ Y
    partner = [max((h for h in range(6) if h != j), key=lambda h: (S[j, h], -h)) for j in range(6)]
    together = [S[j, partner[j]] for j in range(6)]
    related = Related(csr_array(Y.astype(float)))
    assert related.label.tolist() == [partner[j] if together[j] else -1 for j in range(6)]
    a, b = Y[rng.integers(30, size=50)] > 0, Y[rng.integers(30, size=50)] > 0
    found = related.settle(a, b)
    for g in range(50):
        new = {l: a[g, l] for l in range(6) if a[g, l] == b[g, l]}
        for l in sorted(set(range(6)) - set(new), key=lambda l: (-together[l], l)):
            new[l] = bool(together[l]) and bool(a[g, partner[l]] or new.get(partner[l], False))
        assert found[g].tolist() == [new[l] for l in range(6)]


def test_mlonc_draws_every_mutual_neighbor_of_a_seed_about_as_often():
    """Twelve positives on a line at about 1, 2, 3, ...: seeds have two mutual neighbours or more, each with the same chance."""
    X = np.concatenate([np.arange(12.0) ** 1.01, np.arange(100.0, 148.0)])[:, np.newaxis]
    Y = np.column_stack([np.arange(60) < 12, np.arange(60) >= 12])
    mutual = natural_neighbors(X[:12])
    _, _, _, seeds, references, _ = run("mlonc", dataset(X, Y), rows=6000)
    for seed in range(12):
        found = Counter(references[seeds == seed].tolist())
        assert sorted(found) == mutual.indices[mutual.indptr[seed] : mutual.indptr[seed + 1]].tolist()
        assert min(found.values()) > max(found.values()) / 2


@pytest.mark.parametrize("seed", range(4))
def test_mlonc_seeds_and_budgets(seed):
    data = numbers(seed, n=60)
    Y = data.Y.toarray().astype(int)
    minority, _, _ = slow_minority(Y)
    ratio = {j: Fraction(60 - int(Y[:, j].sum()), int(Y[:, j].sum())) for j in minority}
    sample, _, _, seeds, references, labels = run("mlonc", data, p=1)
    start = 0
    for j in minority:
        bag = np.flatnonzero(Y[:, j])
        natural = slow_natural(data.X[bag]) if len(bag) > 1 else [[]]
        order = sorted((place for place in range(len(bag)) if natural[place]), key=lambda place: (len(natural[place]), place))
        budget = math.floor(60 * ratio[j] / sum(ratio.values())) if order else 0
        mine = slice(start, start + budget)
        start += budget
        assert (labels[mine] == j).all()
        assert seeds[mine].tolist() == [bag[order[t % len(order)]] for t in range(budget)]
        assert all(r in bag[natural[bag.tolist().index(s)]] for s, r in zip(seeds[mine], references[mine], strict=True))
    assert len(seeds) == start <= sample.requested == 60


def test_mlonc_may_share_what_is_left():
    assert len(run("mlonc", MADE["dense"], p=1, redistribute=True)[1]) == 60


# ---- LPROS and LPRUS

# Bags of 6, 3, 2 and 1 rows: the mean size is 3. Small are 2 and 1 (room 1 and 2), large is 6 (3 too many).
BAGS = dataset(np.arange(12.0)[:, np.newaxis], [[1, 0, 0]] * 6 + [[0, 1, 0]] * 3 + [[0, 0, 1]] * 2 + [[1, 1, 1]])


@pytest.mark.parametrize(("p", "of_two", "of_one"), [(0, 0, 0), (0.1, 0, 1), (0.2, 1, 1), (0.25, 1, 2), (1, 1, 2)])
def test_lpros_by_hand(p, of_two, of_one):
    _, X, Y, seeds, references, labels = run("lpros", BAGS, p=p)
    assert (np.isin(seeds, [9, 10]).sum(), (seeds == 11).sum(), len(seeds)) == (of_two, of_one, of_two + of_one)
    assert np.array_equal(X.ravel(), seeds) and np.array_equal(Y, BAGS.Y.toarray()[seeds] > 0)
    assert set(references) | set(labels) <= {-1}


@pytest.mark.parametrize(("p", "removed"), [(0, 0), (0.1, 1), (0.25, 3), (1, 3)])
def test_lprus_by_hand(p, removed):
    sample, *_ = run("lprus", BAGS, p=p)
    assert (~sample.keep[:6]).sum() == (~sample.keep).sum() == removed


def test_lprus_begins_with_the_smallest_labelset():
    """Labelsets of 6, 12, 1 and 1 rows, 5 in the mean: the first can give 1 row, so that the second gives 5 of 6."""
    data = dataset(np.zeros((20, 1)), [[1, 0, 0]] * 6 + [[1, 1, 0]] * 12 + [[0, 0, 1]] + [[1, 0, 1]])
    removed = ~run("lprus", data, rows=6)[0].keep
    assert (removed[:6].sum(), removed[6:18].sum(), removed[18:].sum()) == (1, 5, 0)


@pytest.mark.parametrize("seed", range(3))
def test_bags_are_the_rows_of_a_labelset(seed):
    Y = np.random.default_rng(seed).random((50, 11)) < 0.15
    expected = {}
    for i, row in enumerate(Y.tolist()):
        expected.setdefault(tuple(row), []).append(i)
    assert [bag.tolist() for bag in labelset_bags(csr_array(Y.astype(float)))] == list(expected.values())


# ---- MLeNN and MLTL


def slow_hamming(a, b):
    return sum(a != b) / (sum(a) + sum(b)) if sum(a) + sum(b) else 0.0


@pytest.mark.parametrize("seed", range(4))
def test_adjusted_hamming_against_plain_loops(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((20, 6)) < 0.3).astype(int)
    one, other = rng.integers(20, size=(2, 60))
    expected = [slow_hamming(Y[a], Y[b]) for a, b in zip(one, other, strict=True)]
    assert adjusted_hamming(csr_array(Y.astype(float)), one, other).tolist() == expected


@pytest.mark.parametrize("k", [1, 3, 4, 9])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.75])
def test_mlenn_against_plain_loops(k, threshold):
    data = numbers(k)
    Y = data.Y.toarray().astype(int)
    minority, _, _ = slow_minority(Y)
    near = slow_neighbors(data.X, k)
    unlike = {i: sum(slow_hamming(Y[i], Y[m]) > threshold for m in near[i]) for i in range(data.n)}
    expected = [bool(Y[i, minority].any()) or unlike[i] < k / 2 for i in range(data.n)]
    assert run("mlenn", data, threshold=threshold, k_edit=k)[0].keep.tolist() == expected


@pytest.mark.parametrize("clean", ["majority", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_mltl_against_plain_loops(seed, clean):
    data = numbers(seed)
    Y = data.Y.toarray().astype(int)
    minority, _, mean = slow_minority(Y)
    t = 1 / math.sqrt(mean)
    threshold = 0.5 if t >= 0.5 else 0.3 if t >= 0.3 else 0.15
    near = slow_neighbors(data.X, 1)
    linked = [i for i in range(data.n) if not Y[i, minority].any() and slow_hamming(Y[i], Y[near[i][0]]) > threshold]
    gone = set(linked) | ({near[i][0] for i in linked} if clean == "both" else set())
    sample, *_ = run("mltl", data, clean=clean)
    assert sample.keep.tolist() == [i not in gone for i in range(data.n)]
    assert sample.details == {"threshold_used": threshold}


@pytest.mark.parametrize(("frequent", "threshold"), [(6, 0.5), (7, 0.5), (8, 0.3), (19, 0.3), (23, 0.15)])
def test_mltl_thresholds_by_hand(frequent, threshold):
    """IRLbl 1 and m: MeanIR is (m + 1) / 2, and t = 1 / sqrt(MeanIR) is 0.5 at m = 7 and below 0.3 from m = 22 on."""
    data = dataset(np.arange(frequent + 1.0)[:, np.newaxis], [[1, 0]] * frequent + [[0, 1]])
    assert run("mltl", data, k=1)[0].details == {"threshold_used": threshold}


def test_a_label_that_loses_its_last_row_is_told_of():
    """Positives 8, 2, 1, 1: labels 2 and 3 are minority labels. Rows 8 and 9, with label 1 alone, lie next to rows without it."""
    Y = [[1, 0, 0, 0]] * 7 + [[1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    analysis = Analysis(dataset(np.array([0.0, 1, 2, 3, 4, 5, 6, 30, 6.4, 0.4])[:, np.newaxis], Y), Settings(k=1))
    mltl = SAMPLERS["mltl"](threshold=0.5)
    sample = mltl.sample(analysis, np.random.default_rng(0))
    assert not sample.keep[[8, 9]].any() and sample.keep[7]
    counts = np.array(Y)[sample.keep].sum(axis=0)
    assert "1 of 4 labels no longer has a positive row: y1" in of_result(analysis.dataset, mltl, sample, 0, counts)


# ---- DR-SMOTE-style


def in_box(step, half_way):
    return (np.abs(step) <= np.abs(half_way)).all()


@pytest.fixture
def unbounded(monkeypatch):
    """The regions as they are, without what puts numbers back into the range of the data."""
    monkeypatch.setattr(drsmote, "observed_range", lambda X: (np.full(X.shape[1], -np.inf), np.full(X.shape[1], np.inf)))


def in_half_ball(step, half_way):
    same = half_way == 0
    return step @ half_way >= 0 and np.linalg.norm(step) <= np.linalg.norm(half_way) + 1e-12 and not step[same].any()


@pytest.mark.parametrize("region", ["box", "normal", "half-ball"])
@pytest.mark.parametrize("unlike", ["labelset", "label"])
@pytest.mark.parametrize("seed", range(3))
def test_drsmote_against_plain_loops(seed, unlike, region, unbounded):
    data = numbers(seed, levels=9)
    Y = data.Y.toarray().astype(int)
    minority, ratios, _ = slow_minority(Y)
    near = slow_neighbors(data.X, 40)
    reliable = {j: [i for i in np.flatnonzero(Y[:, j]) if Y[near[i][:5], j].any()] for j in minority}
    _, X, Y_new, seeds, references, labels = run("drsmote", data, seed=seed, p=2, unlike=unlike, region=region)
    inside = {"box": in_box, "normal": in_box, "half-ball": in_half_ball}
    for g, (s, r, j) in enumerate(zip(seeds, references, labels, strict=True)):
        assert s in reliable[j]
        others = [m for m in near[s] if (Y[m] != Y[s]).any()] if unlike == "labelset" else [m for m in near[s] if not Y[m, j]]
        assert r == others[0]
        assert inside[region](X[g] - data.X[s], (data.X[r] - data.X[s]) / 2)
        assert Y_new[g].astype(int).tolist() == Y[s].tolist()
    total = sum(ratios[j] for j in minority if reliable[j])
    shares = Counter(labels.tolist())
    assert all(abs(shares[j] - 80 * ratios[j] / total) < 1 for j in minority if reliable[j])
    assert len(seeds) == 80


@pytest.mark.parametrize("region", ["box", "normal", "half-ball"])
@pytest.mark.parametrize(
    "data", [MADE["two batches"], mixed(seed=2, missing=0.1), sparse(mixed(seed=5, zeros=0.4, missing=0.05))], ids=[0, 1, 2]
)
def test_drsmote_puts_numbers_back_into_the_range_of_the_data(region, data, request):
    """Nothing else differs from the regions as they are; what a sparse row leaves out is a 0."""
    source = dense_rows(data.X)
    _, X, *rest = run("drsmote", data, p=10, region=region)
    request.getfixturevalue("unbounded")
    _, wide, *wide_rest = run("drsmote", data, p=10, region=region)
    low, high = np.nanmin(source, axis=0), np.nanmax(source, axis=0)
    assert np.array_equal(X, np.clip(wide, low, high), equal_nan=True)
    assert all(np.array_equal(one, other) for one, other in zip(rest, wide_rest, strict=True))
    numbers_alone = [a.is_number for a in data.features]
    assert ((wide < low) | (wide > high))[:, numbers_alone].any()


def test_the_region_lies_on_both_sides_of_the_seed(unbounded):
    _, X, _, seeds, references, _ = run("drsmote", numbers(1, levels=9), p=20)
    source = numbers(1, levels=9).X
    way = source[references] - source[seeds]
    share = ((X - source[seeds])[way != 0] / way[way != 0]).ravel()
    assert share.mean() == pytest.approx(0, abs=0.03) and share.var() == pytest.approx(1 / 12, rel=0.1)


def test_the_normal_region_is_a_truncated_normal(unbounded):
    """scipy's own, cut off where the box ends: at 3/2 deviations."""
    _, X, _, seeds, references, _ = run("drsmote", numbers(1, levels=9), p=20, region="normal")
    source = numbers(1, levels=9).X
    way = source[references] - source[seeds]
    share = ((X - source[seeds])[way != 0] / way[way != 0]).ravel()
    assert scipy.stats.kstest(share, scipy.stats.truncnorm(-1.5, 1.5, scale=1 / 3).cdf).pvalue > 0.01


def test_the_normal_draws_have_a_width_of_two_thirds_and_end_at_1():
    """Half the way is 1, and a third of the way its standard deviation."""
    drawn = drsmote.truncated_normal(100_000, np.random.default_rng(0))
    whole = scipy.stats.truncnorm(-1.5, 1.5, scale=2 / 3)
    assert scipy.stats.kstest(drawn, whole.cdf).pvalue > 0.01
    assert 0.999 < drawn.max() <= 1 and -1 <= drawn.min() < -0.999


def test_the_half_ball_is_filled_evenly(unbounded):
    """The share of a ball of m dimensions within a radius is its m-th power."""
    _, X, _, seeds, references, _ = run("drsmote", numbers(1, levels=9), p=20, region="half-ball")
    source = numbers(1, levels=9).X
    way = (source[references] - source[seeds]) / 2
    moved = way.any(axis=1)
    share = np.linalg.norm(X - source[seeds], axis=1)[moved] / np.linalg.norm(way, axis=1)[moved]
    assert scipy.stats.kstest(share ** (way != 0).sum(axis=1)[moved], scipy.stats.uniform.cdf).pvalue > 0.01


@pytest.mark.parametrize(("name", "style"), [("mlbote", "MLBOTE-style"), ("drsmote", "DR-SMOTE-style")])
@pytest.mark.parametrize("data", [MADE["dense"], EVEN], ids=["dense", "without a minority label"])
def test_the_report_says_what_is_a_reconstruction(name, style, data):
    sample, *_ = run(name, data)
    assert sample.details["reconstruction"]["style"] == style
    assert sample.details["reconstruction"]["assumed"]
    assert SAMPLERS[name].summary.startswith(style) and SAMPLERS[name].__doc__.startswith(style)
    assert SAMPLERS[name].publication.citation.endswith("reconstructed from descriptions")


# ---- MLBOTE-style


@pytest.mark.parametrize("k_b", [3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_mlbote_groups_against_plain_loops(seed, k_b):
    """With an even k_b there are cells of which exactly half of the neighbours are unlike."""
    data = numbers(seed)
    Y = data.Y.toarray().astype(int)
    minority, ratios, mean = slow_minority(Y)
    n, counts = data.n, Y.sum(axis=0)
    imr = {j: max(c, n - c) / min(c, n - c) for j, c in enumerate(counts) if 0 < c < n}
    needy = set(minority) | {j for j in imr if imr[j] > sum(imr.values()) / len(imr) and counts[j] < n / 2}
    assert set(np.flatnonzero(needy_labels(counts, n))) == needy
    near = slow_neighbors(data.X, 5)
    groups = MLBOTESampler(th_c=0.5, k_b=k_b).groups(Analysis(data), needy_labels(counts, n))
    for i in range(n):
        like = {j: sum(Y[m, j] for m in near[i][:k_b]) for j in needy}
        own = [j for j in needy if Y[i, j] and 2 <= k_b - like[j] < k_b]
        noise = [j for j in needy if Y[i, j] and like[j] == 0]
        crossed = [j for j in needy if not Y[i, j] and like[j] >= 2]
        share = {j: sum(Y[m, j] for m in near[i]) / 5 for j in needy}
        self_weight = sum(float(ratios[j] / mean) * (1 - share[j]) for j in needy if Y[i, j]) if own else 0
        score = sum(share[j] for j in crossed) if not own else 0
        interior = not own and not crossed and not noise and any(Y[i, j] for j in needy)
        assert groups.self_border[i] == pytest.approx(self_weight)
        assert groups.cross_border[i] == pytest.approx(score if score >= 0.5 else 0)
        assert groups.interior[i] == interior


def test_labels_that_are_all_as_imbalanced_are_not_needy():
    """ImR_j above its mean, not at it."""
    assert not needy_labels(np.array([2, 2, 2]), 8).any()
    assert needy_labels(np.array([3, 2, 3]), 8).tolist() == [False, True, False]


def test_mlbote_lets_in_a_seed_that_is_at_the_bound():
    data = numbers(7)
    analysis, needy = Analysis(data), needy_labels(data.counts, data.n)
    every = MLBOTESampler(th_c=0).groups(analysis, needy).cross_border
    for bound in np.unique(every[every > 0]):
        found = MLBOTESampler(th_c=float(bound)).groups(analysis, needy).cross_border
        assert np.array_equal(found, np.where(every >= bound, every, 0))
        assert bound in found


@pytest.mark.parametrize("p", [0.05, 0.5])
def test_mlbote_parents_have_one_labelset(p):
    data = numbers(2, n=80)
    Y = data.Y.toarray().astype(int)
    _, X, Y_new, seeds, references, labels = run("mlbote", data, p=p, th_c=0.5)
    assert set(labels) == {-1} and 0 < len(seeds) <= 3 * 80 * p
    for g, (s, r) in enumerate(zip(seeds, references, strict=True)):
        alike = [m for m in range(80) if m != s and (Y[m] == Y[s]).all()]
        nearest = sorted(alike, key=lambda m: (sum((data.X[m] - data.X[s]) ** 2), m))[:5]
        assert r in (nearest or [-1])
        assert Y_new[g].astype(int).tolist() == Y[s].tolist()
        assert nearest or np.array_equal(X[g], data.X[s])


# ---- MLRkNNOS


def test_mlrknnos_against_plain_loops():
    data = numbers(5, n=60)
    Y = data.Y.toarray().astype(int)
    rare = [j for j in range(data.q) if 1 < Y[:, j].sum() < 30]
    assert len(rare) == 3
    _, X, Y_new, seeds, references, labels = run("mlrknnos", data, p=5)
    total = sum(60 - 2 * Y[:, j].sum() for j in rare)
    for j in rare:
        bag = np.flatnonzero(Y[:, j])
        near = slow_neighbors(data.X, 3, bag)
        mine = labels == j
        assert abs(mine.sum() - 300 * (60 - 2 * len(bag)) / total) < 1
        assert all(s in near[r] for s, r in zip(seeds[mine], references[mine], strict=True))
        assert Y_new[mine, j].all()
        model = SVC().fit(np.vstack([data.X, X[mine]]), np.concatenate([Y[:, j], np.ones(mine.sum())]))
        assert np.array_equal(Y_new[~mine, j], model.predict(X[~mine]) > 0)


# ---- AEMLO


def test_decoding_undoes_encoding():
    for scale in ("none", "range", "std"):
        data = mixed(n=40, seed=3)
        analysis = Analysis(data, Settings(scale=scale))
        E = dense_rows(analysis.E)
        X = decode(analysis.encoding, E, E.min(axis=0), E.max(axis=0))
        told = [f for f, a in enumerate(data.features) if a.kind != "string"]
        assert np.allclose(X[:, told], data.X[:, told], rtol=1e-12)


def test_decoded_numbers_stay_in_range_and_values_are_the_largest():
    features = (Attribute("x", "numeric"), Attribute("c", "nominal", ("a", "b", "c")), Attribute("b", "nominal", ("1", "0")))
    data = dataset([[1.0, 0, 0], [3.0, 2, 1]], [[1], [0]], features)
    encoding = Analysis(data).encoding
    E = np.array([[9.0, 0.2, 0.4, 0.4, 0.9], [-9.0, 0.3, 0.1, 0.2, 0.4]])
    assert decode(encoding, E, np.array([1.0, 0, 0, 0, 0]), np.array([3.0, 1, 1, 1, 1])).tolist() == [[3, 1, 0], [1, 0, 1]]


def slow_feature_loss(x, decoded):
    m = len(x)
    apart = [((x[i] - x[j]) ** 2).sum() - ((decoded[i] - decoded[j]) ** 2).sum() for i in range(m) for j in range(m) if i != j]
    return np.abs(x - decoded).mean() + sum(np.square(apart)) / (m * (m - 1))


def slow_label_loss(y, scores):
    loss = 0.0
    for row, score in zip(y, scores, strict=True):
        both = [(a, b) for a in np.flatnonzero(row) for b in np.flatnonzero(1 - row)]
        loss += sum(math.exp(score[b] - score[a]) for a, b in both) / (len(both) + 1e-4)
    return loss


def labels_of(m, q, seed):
    """Of 0 and 1; the first row has every label, the second none."""
    y = (np.random.default_rng(seed).random((m, q)) < 0.4).astype(float)
    y[0], y[1] = 1, 0
    return y


def test_aemlo_losses_against_plain_loops():
    rng = np.random.default_rng(0)
    x, decoded, y, scores = rng.random((6, 4)), rng.random((6, 4)), labels_of(6, 5, 0), rng.normal(size=(6, 5))
    assert feature_loss(x, decoded) == pytest.approx(slow_feature_loss(x, decoded))
    assert feature_loss(x[:1], decoded[:1]) == pytest.approx(np.abs(x[0] - decoded[0]).mean())
    assert label_loss(y, scores) == pytest.approx(slow_label_loss(y, scores))
    assert label_loss(y[:2], scores[:2]) == 0
    assert np.isfinite(label_loss(y, 1e4 * scores))


def slow_aemlo_loss(aemlo, networks, x, y):
    """The loss as the class tells it, from products of vectors."""

    def layer(number, rows):
        return np.array([networks[2 * number].T @ row + networks[2 * number + 1] for row in rows])

    def leaky(rows):
        return np.where(rows > 0, rows, 0.01 * rows)

    zx = leaky(layer(2, leaky(layer(1, leaky(layer(0, x))))))
    h = leaky(layer(3, y))
    zy = layer(5, h / (1 + np.exp(-layer(4, h))))
    unit = np.eye(aemlo.latent)
    latent = ((zx - zy) ** 2).sum() + aemlo.orthogonality * sum(((z.T @ z - unit) ** 2).sum() for z in (zx, zy))
    feature = slow_feature_loss(x, layer(7, leaky(layer(6, zx))))
    label = slow_label_loss(y, layer(9, leaky(layer(8, zy))))
    return (latent + aemlo.feature_loss * feature + aemlo.label_loss * label) / len(x)


@pytest.mark.parametrize("latent", [3, 9], ids=["fewer than rows", "more than rows"])
def test_the_whole_loss_of_aemlo_and_its_slope(latent):
    aemlo = AEMLOSampler(latent=latent, hidden=4, decoder_hidden=3, orthogonality=0.3, feature_loss=2.0, label_loss=0.7)
    rng = np.random.default_rng(1)
    networks = [3 * parameter.astype(float) for parameter in aemlo.drawn(3, 4, rng)]
    x, y = rng.random((6, 3)), labels_of(6, 4, 2)
    value, gradient = autograd.value_and_grad(aemlo.loss)(networks, x, y)
    assert value == pytest.approx(slow_aemlo_loss(aemlo, networks, x, y), rel=1e-6)
    direction = [rng.normal(size=parameter.shape) for parameter in networks]
    ahead, behind = (
        slow_aemlo_loss(aemlo, [parameter + step * way for parameter, way in zip(networks, direction, strict=True)], x, y)
        for step in (1e-6, -1e-6)
    )
    slope = sum((one * way).sum() for one, way in zip(gradient, direction, strict=True))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-4)


def test_aemlo_keeps_the_epoch_with_the_least_loss(monkeypatch):
    """Two batches an epoch, whose losses add up to 5, 3, 4 and 3: the parameters are those behind the fourth batch."""
    steps = ((loss, [np.array([number])]) for number, loss in enumerate([1, 4, 2, 1, 0, 4, 1, 2], 1))
    monkeypatch.setattr(deep, "adam", lambda *_: steps)
    analysis = Analysis(MADE["dense"])
    low, high = observed_range(analysis.E)
    (kept,) = AEMLOSampler(epochs=4, batch_rows=30)._learned(analysis, low, high, np.random.default_rng(0))
    assert kept == 4


def test_aemlo_leaves_a_constant_number_missing_where_the_seed_lacks_it():
    rng = np.random.default_rng(2)
    constant = np.where(rng.random(60) < 0.4, np.nan, 3.0)
    Y = np.column_stack([np.ones(60), np.arange(60) < 12])
    data = dataset(np.column_stack([rng.random(60), constant]), Y)
    _, X_new, _, seeds, _, _ = run("aemlo", data, p=1, epochs=40, latent=4, hidden=8, decoder_hidden=8, learning_rate=1e-2)
    assert np.isnan(X_new[:, 1]).any() and (X_new[:, 1] == 3).any()
    assert np.array_equal(X_new[:, 1], constant[seeds], equal_nan=True)


def test_aemlo_learns_to_give_back_its_rows():
    rng = np.random.default_rng(1)
    hidden = rng.random((120, 2))
    X = hidden @ rng.random((2, 6))
    Y = np.column_stack([hidden[:, 0] > 0.3, hidden[:, 0] <= 0.3, hidden[:, 1] > 0.8, np.arange(120) < 118])
    data = dataset(X, Y)
    options = {"epochs": 100, "latent": 8, "hidden": 32, "decoder_hidden": 32, "batch_rows": 60, "learning_rate": 1e-2}
    _, X_new, _, seeds, references, _ = run("aemlo", data, p=0.5, **options)
    assert set(references) == {-1} and len(seeds) > 0
    spread = np.abs(X - X.mean(axis=0)).mean()
    assert np.abs(X_new - X[seeds]).mean() < spread / 2


def test_aemlo_repeats_itself_without_noise_and_not_with_it():
    data = sparse(MADE["dense"])
    options = {"epochs": 2, "latent": 6, "hidden": 6, "decoder_hidden": 6, "p": 2, "learning_rate": 0.01}
    _, X, _, seeds, _, _ = run("aemlo", data, **options)
    assert all(len(np.unique(X[seeds == s], axis=0)) == 1 for s in set(seeds))
    sample, X, _, seeds, _, _ = run("aemlo", data, latent_noise=1.0, redraw=True, **options)
    assert max(len(np.unique(X[seeds == s], axis=0)) for s in set(seeds)) > 1
    assert len(seeds) <= sample.requested
