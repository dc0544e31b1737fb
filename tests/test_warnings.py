"""Every warning where there is cause, and none where there is none: on made data, and on data sets of the literature."""

import json
import re
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from made_data import EVEN, MADE, dataset, mixed
from scipy.sparse import csr_array

from lsdmlo_cli import LSDMLO, Analysis, Attribute, ParameterError, Settings, cautions, pipeline, read, stats
from lsdmlo_cli.numeric.encoding import column_variance
from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.samplers import SAMPLERS, Sample
from lsdmlo_cli.samplers.base import rows_for

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
LITERATURE = ("emotions", "yeast", "scene", "Corel5k-sparse")
RISES = "MeanIR rises from {} to {}: the labels are less balanced than before; try another method or other options"
TEN = dataset(np.arange(10.0)[:, np.newaxis], np.array([[i < 8, i < 4, i == 9] for i in range(10)]))
"""Positives 8, 4, 1: IRLbl 1, 2, 8, MeanIR 11/3."""
INCOME = np.random.default_rng(0).normal(size=(60, 3)) * [1.0, 1000.0, 2.0]
PEOPLE = (Attribute("age", "numeric"), Attribute("income", "numeric"), Attribute("height", "numeric"))
COLOUR = Attribute("colour", "nominal", ("red", "green", "blue"))
SIDE = Attribute("side", "nominal", ("left", "right"))

on_literature = pytest.mark.parametrize("name", LITERATURE)


@pytest.fixture
def path(shared, name):
    """The file of a data set of the literature."""
    place = shared / "data" / f"{name}.arff.xz"
    if not place.exists():
        pytest.skip(f"there is no {place}")
    return str(place)


def of_method(data, name, settings=None, **options):
    """What is told of what a method does."""
    analysis, sampler = Analysis(data, settings), SAMPLERS[name](**options)
    sample = sampler.sample(analysis, np.random.default_rng(0))
    made = [np.zeros((0, data.q)), *(batch.Y for batch in sample.batches)]
    counts = label_counts(data.Y[sample.kept(data.n)]) + sum(Y.sum(axis=0) for Y in made)
    return list(cautions.of_result(data, sampler, sample, sum(map(len, made)), counts))


def of_rows(data, keep):
    """What is told of a method without options that removes rows."""
    sample = Sample((), 0, np.asarray(keep))
    return list(cautions.of_result(data, SAMPLERS["remedial"](), sample, 0, label_counts(data.Y[sample.kept(data.n)])))


def of_counts(data, counts):
    """What is told of a row that was added as it was asked for, by the positives of each label afterwards."""
    return list(cautions.of_result(data, SAMPLERS["mlsol"](), Sample((), 1), 1, np.array(counts)))


def of_features(X, scale="none", features=None):
    """What is told of features X (n, d), where neighbours are used."""
    analysis = Analysis(dataset(X, np.arange(X.shape[0])[:, np.newaxis] % 2, features), Settings(scale=scale))
    assert analysis.E.shape[0] == X.shape[0]
    return list(cautions.of_data(analysis))


# ---- p above 1


@pytest.mark.parametrize(
    ("p", "says"),
    [
        (10, "p = 10 asks for 1000 %; 10 % is 0.1"),
        (1.5, "p = 1.5 asks for 150 %; 1.5 % is 0.015"),
        (Decimal("3E+2"), "p = 300 asks for 30000 %; 300 % is 3"),
        (Fraction(5, 2), "p = 2.5 asks for 250 %; 2.5 % is 0.025"),
    ],
)
def test_a_p_above_1_may_be_meant_as_a_percentage(p, says):
    assert list(cautions.of_request(SAMPLERS["mlsol"](p=p))) == [says]


@pytest.mark.parametrize("sampler", [SAMPLERS["mlsol"](p=1), SAMPLERS["lsdmlo"](), SAMPLERS["mlsmote"](), SAMPLERS["mlenn"]()])
def test_another_p_is_not(sampler):
    assert list(cautions.of_request(sampler)) == []


def test_a_share_of_rows_to_remove_is_at_most_1():
    with pytest.raises(ParameterError, match="between 0 and 1"):
        SAMPLERS["mlrus"](p=1.5)


@pytest.mark.skipif(find_spec("sklearn") is None, reason="needs scikit-learn")
def test_an_experiment_tells_it_once():
    from lsdmlo_cli.evaluation.learners import LEARNERS
    from lsdmlo_cli.evaluation.plan import Method, Plan
    from lsdmlo_cli.evaluation.results import notes

    samplers = [None, SAMPLERS["mlsol"](p=10), SAMPLERS["lsdmlo"](p=10), SAMPLERS["lpros"](p=0.5), SAMPLERS["mlenn"]()]
    methods = tuple(Method(f"method {i}", sampler) for i, sampler in enumerate(samplers))
    plan = Plan(methods, (LEARNERS["br"](),))
    assert plan.warnings == ["p = 10 asks for 1000 %; 10 % is 0.1"]
    assert notes(plan, 1).count(plan.warnings[0]) == 1
    assert replace(plan, methods=(methods[0], *methods[3:])).warnings == []


# ---- fewer rows than were asked for


@pytest.mark.parametrize("name", ["lsdmlo", "mlros", "mlsol", "mlsmote", "mlonc", "drsmote", "lpros", "mlbote"])
def test_a_p_that_adds_no_row(name):
    says = "no row is added: p = 0.016 of 60 rows is less than one row; try p = 0.0167 or more, or --rows 1"
    assert of_method(mixed(60), name, p=0.016) == [says]


@pytest.mark.parametrize("name", ["mlrus", "lprus", "mlul"])
def test_a_p_that_removes_no_row(name):
    says = "no row is added or removed: p = 0 of 60 rows is less than one row; try p = 0.0167 or more, or --rows 1"
    assert of_method(mixed(60), name, p=0) == [says]


@pytest.mark.parametrize("name", ["lsdmlo", "mlros", "mlbote", "mlrus", "lprus", "mlul"])
def test_no_row_where_none_is_wanted(name):
    (told,) = of_method(mixed(60), name, p=None, rows=0)
    assert re.fullmatch("no row is added( or removed)?: rows = 0", told)


@pytest.mark.parametrize("n", [2, 3, 7, 60, 593, 2417, 99_999])
def test_the_least_p_that_is_advised_makes_one_row(n):
    data = dataset(np.zeros((n, 1)), np.zeros((n, 1)))
    (told,) = cautions.of_result(data, SAMPLERS["mlsol"](p=0), Sample((), 0), 0, data.counts)
    least = Decimal(re.search(r"try p = (\S+) or more", told)[1])
    assert rows_for(least, n) == 1
    assert rows_for(least * Decimal("0.99"), n) == 0


@pytest.mark.parametrize(
    ("name", "data", "options", "says"),
    [
        ("lsdmlo", EVEN, {}, "no row is added: no label is a minority label (no IRLbl is above MeanIR, which is 1.000)"),
        ("mlrus", EVEN, {"p": 0.5}, "no row is added or removed: no label is a minority label (no IRLbl is above MeanIR, wh"),
        ("mlros", dataset(TEN.X, TEN.Y.toarray() * 0), {"p": 0.5}, "no row is added: no label has a positive row"),
        ("mlsol", dataset(TEN.X, TEN.Y.toarray() * 0), {"p": 0.5}, "no row is added: every label has the same value in all row"),
        ("mlsmote", TEN, {}, "no row is added: no minority label has two positive rows"),
        ("lpros", EVEN, {"p": 0.5}, "no row is added: no labelset is left that is rarer than the mean"),
        ("lprus", EVEN, {"p": 0.5}, "no row is added or removed: no labelset is left that is more frequent than the mean"),
        ("drsmote", TEN, {"p": 0.5}, "no row is added: no positive of a minority label has a neighbour with the same label"),
        ("mlenn", TEN, {"threshold": 1}, "no row is added or removed: no row without a minority label is unlike half of it"),
        ("mltl", TEN, {"threshold": 1}, "no row is added or removed: no row without a minority label is unlike its nearest row"),
        ("mlros", TEN, {"p": 1}, "stopped after 2 of 10 rows: no label has IRLbl above MeanIR any more"),
        ("mlrus", TEN, {"p": 0.9}, "stopped after 6 of 9 rows: no row is left that may be removed"),
        ("mlonc", mixed(60), {"p": 0.5}, "stopped after 29 of 30 rows: rows are lost to rounding and to labels without a seed; "),
    ],
)
def test_rows_that_are_not_made_or_removed(name, data, options, says):
    told = [warning for warning in of_method(data, name, **options) if warning.startswith(("no row is", "stopped"))]
    assert [warning[: len(says)] for warning in told] == [says]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("p", [0, 0.5])
@pytest.mark.parametrize("name", sorted(set(SAMPLERS) - {"aemlo", "mlrknnos"}))
def test_one_cause_is_told_once(name, p, made):
    options = {"p": p} if hasattr(SAMPLERS[name], "p") else {}
    told = of_method(MADE[made], name, **options)
    assert len(told) == len(set(told))
    assert sum("no row" in warning or warning.startswith("stopped") for warning in told) <= 1
    assert all("\n" not in warning and warning for warning in told)


def test_remedial_without_rows_from_mlsmote_is_told():
    """Row 0 joins a rare and a frequent label; the rare one has no other row."""
    data = dataset(np.arange(10.0)[:, np.newaxis], np.array([[i < 8, i == 0] for i in range(10)]))
    says = "MLSMOTE adds no row after REMEDIAL, since no minority label has two positive rows"
    assert says in of_method(data, "rhwrsmt")
    assert f"stopped after 2 of 7 rows: {says}" in of_method(data, "rhwrsmt", p=0.5)


def test_rhwrsmt_without_a_row_to_split_says_so_once():
    data = dataset(np.arange(10.0)[:, np.newaxis], np.array([[i < 8, i == 9] for i in range(10)]))
    says = "MLSMOTE adds no row after REMEDIAL, since no minority label has two positive rows"
    assert of_method(data, "rhwrsmt") == [f"no row is added or removed: {says}"]


def test_all_rows_that_were_asked_for_are_no_news():
    told = [*of_method(mixed(60), "lsdmlo", p=0.1), *of_method(mixed(60), "mlrus", p=0.05)]
    assert [warning for warning in told if warning.startswith(("no row", "stopped"))] == []


@pytest.mark.parametrize(("scale", "advice"), [("none", ": try --scale std"), ("range", ""), ("std", "")])
def test_seeds_that_are_drawn_evenly(scale, advice):
    data = dataset(np.arange(10.0)[:, np.newaxis], np.array([[i < 6, i == 8] for i in range(10)]))
    told = of_method(data, "lsdmlo", Settings(scale=scale), p=0.5)
    says = "no informative seed was found (all instance weights are 0), so seeds are drawn evenly from the rows with "
    assert told[0] == f"{says}a minority label{advice}"


# ---- too many rows removed


def test_more_than_half_of_the_rows():
    assert of_rows(TEN, np.arange(10) >= 6)[0] == "6 of 10 rows are removed, more than half: try another method"
    assert of_method(TEN, "mlul", p=0.6)[0] == "6 of 10 rows are removed, more than half: a lower p removes fewer"
    told = of_method(MADE["dense"], "mltl", threshold=0, clean="both")
    assert re.fullmatch(r"\d+ of 60 rows are removed, more than half: a higher threshold removes fewer", told[0])


def test_half_of_the_rows_is_not_more():
    assert [warning for warning in of_rows(TEN, np.arange(10) >= 5) if "half" in warning] == []


def test_rows_that_are_split_are_not_removed():
    told = cautions.of_result(TEN, SAMPLERS["remedial"](), Sample((), 16, np.arange(10) >= 8), 16, TEN.counts)
    assert list(told) == []


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        (1, "1 of 9 labels no longer has a positive row: y0"),
        (2, "2 of 9 labels no longer have a positive row: y0, y1"),
        (5, "5 of 9 labels no longer have a positive row: y0, y1, y2, y3, y4"),
        (6, "6 of 9 labels no longer have a positive row: y0, y1, y2, y3, y4 and 1 more"),
        (8, "8 of 9 labels no longer have a positive row: y0, y1, y2, y3, y4 and 3 more"),
    ],
)
def test_labels_that_lose_their_last_row_are_named(lost, says):
    assert says in of_rows(dataset(np.zeros((9, 1)), np.eye(9)), np.arange(9) >= lost)


def test_a_label_that_had_no_row_has_lost_none():
    data = dataset(np.zeros((9, 1)), np.eye(9) * (np.arange(9) > 2))
    assert of_rows(data, np.arange(9) >= 3) == []


def test_a_name_stays_on_the_line():
    data = replace(TEN, labels=(Attribute("two\nlines", "nominal", ("0", "1")), *TEN.labels[1:]))
    (told,) = of_counts(data, [0, 4, 1])[:1]
    assert told == r"1 of 3 labels no longer has a positive row: two\nlines"


# ---- MeanIR


def test_a_mean_ir_that_rises():
    assert of_counts(TEN, [9, 4, 1]) == [RISES.format("3.667", "4.083")]


@pytest.mark.parametrize("counts", [[8, 4, 1], [8, 4, 2], [16, 8, 2], [80_001, 40_000, 10_000]])
def test_a_mean_ir_that_falls_or_stays(counts):
    """The last rises by less than the figures show."""
    assert of_counts(TEN, counts) == []


# ---- a label without a positive


@pytest.mark.parametrize(
    ("empty", "says"),
    [
        (1, "1 of 9 labels has no positive row and is left out of every mean: y0"),
        (2, "2 of 9 labels have no positive row and are left out of every mean: y0, y1"),
        (7, "7 of 9 labels have no positive row and are left out of every mean: y0, y1, y2, y3, y4 and 2 more"),
    ],
)
def test_labels_without_a_positive_are_named(empty, says):
    data = dataset(np.zeros((9, 1)), np.eye(9) * (np.arange(9) >= empty))
    assert list(cautions.of_data(Analysis(data))) == [says]


def test_labels_with_a_positive_are_not():
    assert list(cautions.empty_labels(dataset(np.zeros((9, 1)), np.eye(9)))) == []


def test_without_a_row_it_goes_without_saying():
    assert list(cautions.empty_labels(TEN.take(np.zeros(0, dtype=np.int64)))) == []


def test_weights_tell_it_too(lsdmlo, tmp_path):
    header = "@relation r\n@attribute x numeric\n@attribute a {0,1}\n@attribute never {0,1}\n@data\n"
    (tmp_path / "in.arff").write_text(header + "".join(f"{i},{i % 2},0\n" for i in range(8)))
    run = lsdmlo("weights", "in.arff", "--labels=-2")
    assert run.stderr.decode().endswith("1 of 2 labels has no positive row and is left out of every mean: never\n")


# ---- a feature that decides alone


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_feature_on_a_larger_scale_decides(form):
    assert of_features(form(INCOME), features=PEOPLE) == ["'income' decides 99 % of the distances: try --scale std"]


@pytest.mark.parametrize("scale", ["range", "std"])
def test_scaled_it_does_not(scale):
    assert of_features(INCOME, scale, PEOPLE) == []


@pytest.mark.parametrize(("large", "told"), [(3.0, 0), (3.02, 1)])
def test_it_takes_more_than_nine_tenths(large, told):
    """Variances 9 and 1: exactly 90 %."""
    X = np.array([[large, 1.0], [large, -1.0], [-large, 1.0], [-large, -1.0]])
    assert len(of_features(X)) == told


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_the_columns_of_a_nominal_attribute_count_together(form):
    """Each of the three columns has a third of the distances."""
    X = form(np.column_stack([np.arange(60) % 3, INCOME[:, 0] / 100]))
    features = (COLOUR, Attribute("weight", "numeric"))
    assert of_features(X, "none", features) == ["'colour' decides 99 % of the distances: try --scale std"]
    assert of_features(X, "std", features) == []


@pytest.mark.parametrize("scale", ["none", "range", "std"])
def test_scaling_is_advised_where_it_helps(scale):
    X = np.column_stack([np.arange(60) % 3, np.arange(60) == 7])
    says = "'colour' decides 97 % of the distances, with --scale std as well: leave it out with --ignore if that is not intended"
    assert of_features(X, scale, (COLOUR, SIDE)) == [says]


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("X", [INCOME[:, 1:2], INCOME * [0, 1, 0] + [0.1, 0, 0.7], INCOME * 0 + 0.1])
def test_a_feature_that_varies_alone_has_nothing_to_decide_over(X, form):
    assert of_features(form(X)) == []


def test_an_identifier_is_told_of_once():
    """Neither is scaling of any use to it."""
    X = np.column_stack([np.arange(60) * 1000.0, INCOME[:, 0]])
    analysis = Analysis(dataset(X, np.arange(60)[:, np.newaxis] % 2))
    assert analysis.E.shape == (60, 2)
    told = [*analysis.warnings, *cautions.of_data(analysis)]
    assert ["identifier" in warning for warning in told] == [True]


def test_a_feature_that_is_ignored_decides_nothing():
    data = dataset(INCOME, np.arange(60)[:, np.newaxis] % 2, PEOPLE).ignoring([1])
    analysis = Analysis(data)
    assert analysis.E.shape == (60, 2)
    assert list(cautions.of_data(analysis)) == []


def test_it_matters_where_neighbours_are_used():
    data = dataset(INCOME, np.arange(60)[:, np.newaxis] % 2)
    analysis = Analysis(data, Settings(measures="fast"))
    assert list(cautions.of_data(analysis)) == []
    assert not analysis.has_E
    single = Analysis(dataset(INCOME[:1], np.ones((1, 1))))
    assert single.E.shape == (1, 3)
    assert list(cautions.of_data(single)) == []


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_the_variance_of_columns(form, offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 40)) * (rng.random((5000, 40)) < 0.3) * 10.0 ** np.arange(-3, 5).repeat(5) + offset
    assert np.allclose(column_variance(form(X)), (X - offset).var(axis=0), rtol=1e-9, atol=0)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_matrix_in_a_file_is_walked(form):
    data = dataset(form(INCOME), np.arange(60)[:, np.newaxis] % 2)
    in_file, in_memory = (Analysis(data, Settings(scale="range"), memory_bytes=size).E for size in (0, 2 << 30))
    assert np.array_equal(column_variance(in_file), column_variance(in_memory))


# ---- data sets of the literature


@on_literature
def test_stats_have_nothing_to_tell(path):
    assert stats(path, Settings(measures="fast"))["warnings"] == []


@on_literature
def test_no_feature_decides_alone(path):
    """On emotions three of 72 features make up 98.8 %, but none of them more than 76 %."""
    analysis = Analysis(read(path))
    assert analysis.E.shape[0] == analysis.dataset.n
    assert list(cautions.of_data(analysis)) == []


@pytest.mark.parametrize(
    ("name", "told"), [("emotions", [RISES.format("1.478", "1.496")]), ("yeast", []), ("scene", []), ("Corel5k-sparse", [])]
)
def test_resampling_has_nothing_to_tell_but_a_mean_ir_that_rises(path, told, tmp_path):
    sampler = SAMPLERS["lsdmlo"](p=0.1)
    made = pipeline.resample(path, str(tmp_path / "out.arff"), sampler, Settings(measures="fast"))
    assert made.report["warnings"] == told


@on_literature
def test_removing_a_tenth_loses_no_label_and_takes_no_half(path):
    told = of_method(read(path), "mlrus", p=0.1)
    assert [warning for warning in told if "half" in warning or "no longer" in warning] == []


@pytest.mark.parametrize("name", ["Corel5k-sparse"])
def test_tomek_links_of_corel5k_are_most_of_it(path):
    told = of_method(read(path), "mltl")
    assert told[0] == "4646 of 5000 rows are removed, more than half: a higher threshold removes fewer"
    assert told[1] == "113 of 374 labels no longer have a positive row: bay, lake, palm, hills, land and 108 more"


# ---- where they are told


def test_the_command_and_the_report_say_the_same(lsdmlo, tmp_path):
    run = lsdmlo("resample", SAMPLE, "out.arff", "--p", "10", "--method", "mlros", "--measures", "fast", "--quiet")
    report = json.loads((tmp_path / "out.report.json").read_text())
    lines = run.stderr.decode().splitlines()
    assert run.returncode == 0
    assert [warning.split(" ")[0] for warning in report["warnings"]] == ["p", "stopped"]
    assert all(line.startswith("lsdmlo: warning: ") for line in lines)
    assert all(line.endswith(warning) for line, warning in zip(lines, report["warnings"], strict=True))


def test_a_run_without_cause_is_quiet(lsdmlo):
    assert lsdmlo("resample", SAMPLE, "out.arff", "--measures", "fast", "--quiet").stderr == b""
    assert lsdmlo("stats", SAMPLE).stderr == b""


def test_estimators_warn():
    Y = np.column_stack([np.arange(60) % 2, np.arange(60) % 7 == 0, np.zeros(60)])
    with pytest.warns(UserWarning) as told:
        LSDMLO(p=2).fit_resample(INCOME, Y)
    says = [str(warning.message) for warning in told]
    assert "p = 2 asks for 200 %; 2 % is 0.02" in says
    assert "1 of 3 labels has no positive row and is left out of every mean: 2" in says
    assert "'1' decides 99 % of the distances: try --scale std" in says
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LSDMLO(p=0.1).fit_resample(INCOME / [1, 1000, 1], Y[:, :2])
