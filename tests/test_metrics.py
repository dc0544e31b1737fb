"""Metrics against scikit-learn's and against counting pair by pair."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sk

from lsdmlo_cli.errors import DataError
from lsdmlo_cli.evaluation.metrics import AUTHORS, METRICS, RECOMMENDED, Rules, by_default, measure, ordering
from lsdmlo_cli.evaluation.prediction import Prediction

SHAPES = st.tuples(st.integers(0, 9), st.integers(1, 6))
TIE = {"half": 0.5, "win": 1.0, "loss": 0.0}
INSTEAD = {"zero": [0.0], "half": [0.5], "skip": []}
"""What an undefined part adds to the list that is averaged."""
RULES = st.builds(
    Rules,
    ties=st.sampled_from(["half", "win", "loss"]),
    undefined=st.sampled_from(["skip", "zero", "half"]),
    empty_f=st.sampled_from([0.0, 1.0]),
    row_ties=st.sampled_from([None, "half", "win", "loss"]),
)


@st.composite
def cases(draw):
    """Labels and a prediction with many equal scores, and with empty labels and rows."""
    shape = draw(SHAPES)
    Y, relevant = (draw(arrays(np.bool_, shape)) for _ in range(2))
    scores = draw(arrays(np.float64, shape, elements=st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.25, 1.0])))
    return Y, Prediction(scores, relevant)


def random_case(seed, shape=(60, 5)):
    """Labels that have both classes in every column, scores without and labels with a relation to them."""
    rng = np.random.default_rng(seed)
    Y = rng.random(shape) < np.linspace(0.1, 0.6, shape[1])
    Y[0], Y[1] = True, False
    scores = np.round(rng.random(shape) + 0.4 * Y, 1)
    return Y, Prediction(scores, scores > 0.6)


def mean(parts):
    """The mean of lists joined, None without anything in them."""
    values = [value for part in parts for value in part]
    return pytest.approx(sum(values) / len(values), abs=1e-12) if values else None


def ordered(truth, scores, tie):
    """[share of pairs in the right order], or nothing without a pair; counted one by one."""
    pairs = [
        1.0 * (scores[a] > scores[b]) + tie * (scores[a] == scores[b])
        for a, b in product(range(len(truth)), repeat=2)
        if truth[a] and not truth[b]
    ]
    return [sum(pairs) / len(pairs)] if pairs else []


def average_precision(truth, scores):
    """[average precision], or nothing without a positive: the precision at each positive's score, averaged."""
    hits = [truth[scores >= scores[a]].mean() for a in np.flatnonzero(truth)]
    return [float(np.mean(hits))] if hits else []


def top(truth, scores, tie):
    """[error of the best label], or nothing without a relevant label."""
    wrong = [not truth[j] for j in range(len(truth)) if scores[j] == scores.max()]
    share = {0.5: sum(wrong) / len(wrong), 1.0: float(all(wrong)), 0.0: float(any(wrong))}[tie]
    return [share] if truth.any() else []


@given(cases(), RULES)
def test_figures_are_those_counted_pair_by_pair(case, rules):
    Y, prediction = case
    rows, labels = (range(size) for size in Y.shape)
    s, z = prediction.scores, prediction.relevant
    tie, row_tie = TIE[rules.ties], TIE[rules.row_ties or rules.ties]
    tp, entries = (Y & z).sum(axis=0), Y.sum(axis=0) + z.sum(axis=0)
    parts = {
        "macro_auc": [ordered(Y[:, j], s[:, j], tie) for j in labels],
        "macro_aucpr": [average_precision(Y[:, j], s[:, j]) for j in labels],
        "ranking_loss": [[1 - share for share in ordered(Y[i], s[i], row_tie)] for i in rows],
        "one_error": [top(Y[i], s[i], row_tie) for i in rows],
    }
    found = measure(Y, prediction, rules)
    for name, values in parts.items():
        assert found.values[name] == mean(value or INSTEAD[rules.undefined] for value in values)
        assert found.undefined[name] == sum(not value for value in values)
    f = [[2 * tp[j] / entries[j]] if entries[j] else [rules.empty_f] for j in labels]
    assert found.values["macro_f"] == mean(f)
    assert found.undefined["macro_f"] == (entries == 0).sum()


@given(cases())
def test_figures_of_cells(case):
    Y, prediction = case
    found = measure(Y, prediction).values
    cells = list(zip(Y.ravel().tolist(), prediction.relevant.ravel().tolist(), strict=True))
    assert found["hamming_loss"] == mean([[float(a != b) for a, b in cells]])
    both, some = cells.count((True, True)), len(cells) - cells.count((False, False))
    assert found["micro_f"] == mean([[2 * both / max(both + some, 1)] if cells else []])


def ratio(part, whole, instead):
    """part / whole, and what a ratio of 0 / 0 counts."""
    return part / whole if whole else instead


def precision_recall_f(has, given, empty):
    """The three of one label or one row, as sets of what has it and what is given it; empty: what they are of two empty sets."""
    hits, instead = len(has & given), 0.0 if has | given else empty
    return ratio(hits, len(given), instead), ratio(hits, len(has), instead), ratio(2 * hits, len(has) + len(given), instead)


def sets(cells):
    """The rows of a truth table as sets of the places that are true."""
    return [{j for j, cell in enumerate(row) if cell} for row in cells.tolist()]


@given(cases(), RULES)
def test_precision_recall_and_f_are_those_of_sets(case, rules):
    Y, prediction = case
    names = ("precision", "recall", "f")
    found = measure(Y, prediction, rules)
    of_labels = [precision_recall_f(*pair, rules.empty_f) for pair in zip(sets(Y.T), sets(prediction.relevant.T), strict=True)]
    cells = [{(i, j) for i, row in enumerate(sets(one)) for j in row} for one in (Y, prediction.relevant)]
    pooled = precision_recall_f(*cells, rules.empty_f)
    rows = list(zip(sets(Y), sets(prediction.relevant), strict=True))
    of_rows = [precision_recall_f(*pair, 1.0) for pair in rows]
    for place, name in enumerate(names):
        assert found.values[f"macro_{name}"] == mean([[one[place] for one in of_labels]])
        assert found.values[f"micro_{name}"] == mean([[pooled[place]] if Y.size else []])
        assert found.values[f"example_{name}"] == mean([[one[place] for one in of_rows]])
    assert found.values["example_accuracy"] == mean([[ratio(len(a & b), len(a | b), 1.0) for a, b in rows]])
    assert found.values["subset_accuracy"] == mean([[float(a == b) for a, b in rows]])
    assert found.undefined["example_precision"] == sum(not b for _, b in rows)
    assert found.undefined["example_recall"] == sum(not a for a, _ in rows)
    assert found.undefined["macro_precision"] == sum(not b for b in sets(prediction.relevant.T))
    assert found.undefined["macro_recall"] == sum(not a for a in sets(Y.T))


def above_the_last(truth, scores, tie):
    """[how many labels stand above the last relevant one], or nothing without a relevant label; counted one by one."""
    lowest = scores[truth].min(initial=np.inf)
    above = [1.0 * (s > lowest) + (s == lowest) * (1.0 if has else 1 - tie) for has, s in zip(truth, scores, strict=True)]
    return [sum(above) - 1] if truth.any() else []


@given(cases(), RULES)
def test_rankings_of_labels_are_those_counted_one_by_one(case, rules):
    Y, prediction = case
    s, rows = prediction.scores, range(len(Y))
    parts = {
        "coverage": [above_the_last(Y[i], s[i], TIE[rules.row_ties or rules.ties]) for i in rows],
        "average_precision": [average_precision(Y[i], s[i]) for i in rows],
        "micro_auc": [ordered(Y.ravel(), s.ravel(), TIE[rules.ties])][: Y.size],
    }
    found = measure(Y, prediction, rules)
    for name, values in parts.items():
        assert found.values[name] == mean(value or INSTEAD[rules.undefined] for value in values)
        assert found.undefined[name] == sum(not value for value in values)


@pytest.mark.parametrize("seed", range(5))
def test_further_figures_are_those_of_scikit_learn(seed):
    """Rows without a label are many: scikit-learn takes what counts for them as an argument, or leaves it to its caller."""
    Y, scored = random_case(seed)
    prediction = Prediction(scored.scores, scored.scores > 0.8)
    z, s, some = prediction.relevant, prediction.scores, Y.any(axis=1)
    found, authors = measure(Y, prediction).values, measure(Y, prediction, Rules(row_ties="loss")).values
    assert not some.all() and not z.any(axis=1).all() and not (Y | z).any(axis=1).all()
    expected = {
        "macro_precision": sk.precision_score(Y, z, average="macro", zero_division=0.0),
        "macro_recall": sk.recall_score(Y, z, average="macro", zero_division=0.0),
        "micro_precision": sk.precision_score(Y, z, average="micro"),
        "micro_recall": sk.recall_score(Y, z, average="micro"),
        "micro_auc": sk.roc_auc_score(Y, s, average="micro"),
        "subset_accuracy": sk.accuracy_score(Y, z),
        "example_accuracy": sk.jaccard_score(Y, z, average="samples", zero_division=1.0),
        "example_f": sk.f1_score(Y, z, average="samples", zero_division=1.0),
        "average_precision": sk.label_ranking_average_precision_score(Y[some], s[some]),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert authors["coverage"] == pytest.approx(sk.coverage_error(Y[some], s[some]) - 1, abs=1e-12)
    rows = some & z.any(axis=1)
    both = measure(Y[rows], Prediction(s[rows], z[rows])).values
    assert both["example_precision"] == pytest.approx(sk.precision_score(Y[rows], z[rows], average="samples"), abs=1e-12)
    assert both["example_recall"] == pytest.approx(sk.recall_score(Y[rows], z[rows], average="samples"), abs=1e-12)


def test_some_metrics_are_measured_alone():
    Y, prediction = random_case(3)
    whole, part = measure(Y, prediction), measure(Y, prediction, names=["coverage", "macro_f"])
    assert list(part.values) == list(part.undefined) == ["coverage", "macro_f"]
    assert part.values.items() <= whole.values.items()


def test_ten_metrics_are_shown_by_default():
    ten = ["macro_f", "macro_auc", "macro_aucpr", "ranking_loss", "micro_f", "hamming_loss", "one_error"]
    assert list(by_default()) == [*ten, "minority_f", "minority_auc", "minority_aucpr"]


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_scikit_learn(seed):
    Y, prediction = random_case(seed)
    found = measure(Y, prediction).values
    z, s = prediction.relevant, prediction.scores
    assert found["macro_f"] == pytest.approx(sk.f1_score(Y, z, average="macro"), abs=1e-12)
    assert found["micro_f"] == pytest.approx(sk.f1_score(Y, z, average="micro"), abs=1e-12)
    assert found["macro_auc"] == pytest.approx(sk.roc_auc_score(Y, s, average="macro"), abs=1e-12)
    assert found["macro_aucpr"] == pytest.approx(sk.average_precision_score(Y, s, average="macro"), abs=1e-12)
    assert found["hamming_loss"] == pytest.approx(sk.hamming_loss(Y, z), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ranking_loss_of_scikit_learn_is_that_of_the_authors(seed):
    """There too an equal pair is a full error, and a row without a pair counts as 0."""
    Y, prediction = random_case(seed)
    expected = sk.label_ranking_loss(Y, prediction.scores)
    assert measure(Y, prediction, AUTHORS).values["ranking_loss"] == pytest.approx(expected, abs=1e-12)


def test_constant_scores():
    """By the authors' rules they have an AUC of 1 and a ranking loss of 1, else each is one half."""
    Y = np.array([[1, 0], [0, 1], [1, 0]], dtype=bool)
    flat = Prediction(np.zeros((3, 2)), np.zeros((3, 2), dtype=bool))
    authors, recommended = measure(Y, flat, AUTHORS).values, measure(Y, flat, RECOMMENDED).values
    assert (authors["macro_auc"], authors["ranking_loss"]) == (1.0, 1.0)
    assert (recommended["macro_auc"], recommended["ranking_loss"]) == (0.5, 0.5)
    assert recommended["macro_aucpr"] == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_an_example_by_hand():
    """Label 0 orders 3 of 4 pairs; label 1 has no positive, so that row 2 has none and rows 0 and 1 order 1 and 0 of 1 pair."""
    Y = np.array([[1, 0], [1, 0], [0, 0], [0, 0]], dtype=bool)
    scores = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.0], [0.1, 0.0]])
    found = measure(Y, Prediction(scores, scores > 0.45))
    assert found.values["macro_auc"] == 0.75
    assert found.values["macro_aucpr"] == pytest.approx((1 + 2 / 3) / 2)
    assert found.values["ranking_loss"] == 0.5
    assert found.values["one_error"] == 0.5
    assert found.values["macro_f"] == (0.5 + 0.0) / 2
    assert found.values["micro_f"] == 2 / 5
    assert found.values["hamming_loss"] == 3 / 8
    assert (found.values["macro_precision"], found.values["macro_recall"]) == ((0.5 + 0.0) / 2, (0.5 + 0.0) / 2)
    assert (found.values["micro_precision"], found.values["micro_recall"]) == (1 / 3, 1 / 2)
    assert found.values["micro_auc"] == (6 + 4) / 12
    assert found.values["subset_accuracy"] == 2 / 4
    assert found.values["example_accuracy"] == found.values["example_f"] == (1 + 0 + 0 + 1) / 4
    assert (found.values["example_precision"], found.values["example_recall"]) == ((1 + 0 + 0 + 1) / 4, (1 + 0 + 0 + 1) / 4)
    assert (found.values["coverage"], found.values["average_precision"]) == ((0 + 1) / 2, (1 + 1 / 2) / 2)
    assert found.undefined == {
        "macro_f": 0,
        "macro_auc": 1,
        "macro_aucpr": 1,
        "ranking_loss": 2,
        "micro_f": 0,
        "hamming_loss": 0,
        "one_error": 2,
        "minority_f": 0,
        "minority_auc": 0,
        "minority_aucpr": 0,
        "macro_precision": 0,
        "macro_recall": 1,
        "micro_precision": 0,
        "micro_recall": 0,
        "micro_auc": 0,
        "subset_accuracy": 0,
        "example_accuracy": 1,
        "example_precision": 1,
        "example_recall": 2,
        "example_f": 1,
        "average_precision": 2,
        "coverage": 2,
    }


@given(cases(), RULES, st.integers(0, 63))
def test_figures_of_minority_labels_are_those_of_their_columns(case, rules, bits):
    Y, prediction = case
    minority = np.array([bits >> j & 1 for j in range(Y.shape[1])], dtype=bool)
    labels = np.flatnonzero(minority)
    s, z = prediction.scores, prediction.relevant
    found, without = measure(Y, prediction, rules, minority), measure(Y, prediction, rules)
    auc = [ordered(Y[:, j], s[:, j], TIE[rules.ties]) for j in labels]
    precision = [average_precision(Y[:, j], s[:, j]) for j in labels]
    tp, entries = (Y & z).sum(axis=0), Y.sum(axis=0) + z.sum(axis=0)
    assert found.values["minority_auc"] == mean(value or INSTEAD[rules.undefined] for value in auc)
    assert found.values["minority_aucpr"] == mean(value or INSTEAD[rules.undefined] for value in precision)
    assert found.values["minority_f"] == mean([2 * tp[j] / entries[j] if entries[j] else rules.empty_f] for j in labels)
    assert found.undefined["minority_aucpr"] == sum(not value for value in precision)
    names = [name for name, metric in METRICS.items() if metric.labels == "all"]
    assert [found.values[name] for name in names] == [without.values[name] for name in names]
    assert without.values["minority_f"] is without.values["minority_auc"] is without.values["minority_aucpr"] is None


def test_blocks_change_nothing(monkeypatch):
    Y, prediction = random_case(7)
    whole = measure(Y, prediction)
    monkeypatch.setattr(ordering, "_BLOCK_CELLS", 7)
    assert measure(Y, prediction) == whole


def test_a_score_that_is_no_number_is_refused():
    Y = np.ones((2, 1), dtype=bool)
    with pytest.raises(DataError, match="not a number"):
        measure(Y, Prediction(np.array([[0.0], [np.nan]]), Y))


def test_every_metric_has_its_name_as_key():
    assert list(METRICS) == [metric.name for metric in METRICS.values()]
    lower = {name for name, metric in METRICS.items() if not metric.higher_is_better}
    assert lower == {"ranking_loss", "hamming_loss", "one_error", "coverage"}
