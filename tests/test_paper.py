"""The tables of the paper's comparison, from results that are made up."""

from itertools import product

import numpy as np
import pytest

pytest.importorskip("benchmarks.paper_tables", reason="the benchmarks are not beside the tests")
from benchmarks.paper_cells import Column, Kept, ranked
from benchmarks.paper_choosing import average_ranks, middle, points
from benchmarks.paper_differences import Pair, Rival, by_data_set, distance, table, thresholds, told
from benchmarks.paper_figures import METHODS, RANKS
from benchmarks.paper_plan import DESIGN, OF_PAPER, OTHERS, ROWS, WITHOUT_AEMLO, parts
from benchmarks.paper_tables import agreement_table, rank_table
from lsdmlo_cli.evaluation.differences import Difference
from lsdmlo_cli.evaluation.metrics import METRICS

VALUES = {  # Macro-F on each of two data sets, in two folds
    "base": ((0.2, 0.4), (0.5, 0.5)),
    "mlsol": ((0.4, 0.6), (0.4, 0.6)),
    "lsdmlo": ((0.7, 0.9), (0.1, 0.1)),
}


def made_up() -> Kept:
    cells = {
        Column(data, "br", method): [{"values": {"macro_f": value}} for value in folds]
        for method, by_data in VALUES.items()
        for data, folds in zip(("first", "second"), by_data, strict=True)
    }
    return Kept(cells, ())


def test_average_ranks_by_hand() -> None:
    # first: lsdmlo 0.8, mlsol 0.5, base 0.3; second: base and mlsol 0.5 each, lsdmlo 0.1
    found = ranked(made_up(), "br", "macro_f", ("base", "mlsol", "lsdmlo"))
    assert found.data == ("first", "second")
    assert found.average == {"base": 2.25, "mlsol": 1.75, "lsdmlo": 2.0}
    assert found.wins == found.losses == {"base": 0, "mlsol": 0, "lsdmlo": 0}


def test_a_data_set_that_lacks_a_method_does_not_count() -> None:
    whole = made_up()
    del whole.cells[Column("second", "br", "mlsol")]
    assert ranked(whole, "br", "macro_f", ("base", "mlsol", "lsdmlo")).data == ("first",)
    assert ranked(whole, "br", "macro_f", ("base", "lsdmlo")).data == ("first", "second")
    assert ranked(whole, "mlknn", "macro_f", ("base", "lsdmlo")).data == ()


def test_a_fold_without_a_value_leaves_no_mean() -> None:
    found = Kept({Column("first", "br", "base"): [{"values": {"macro_f": 0.5}}, {"values": {"macro_f": None}}]}, ())
    assert found.mean(Column("first", "br", "base"), "macro_f") is None


def test_rank_table_stands_beside_the_papers() -> None:
    methods = ("base", "mlsol", "lsdmlo")
    lines = rank_table({("macro_f", "br"): ranked(made_up(), "br", "macro_f", methods)}, methods).splitlines()
    assert lines[2] == "| Macro-F | br | 2 | 2.25 (0/0) | **1.75 (0/0)** | 2.00 (0/0) |"
    assert lines[3] == "|  | *paper* | *13* | *7.38* | *4.38* | *1.77* |"


def test_agreement_by_hand() -> None:
    # ours: mlsol, lsdmlo, base; the paper's: lsdmlo, mlsol, base: one swap of neighbours, rho = 1 - 6 * 2 / 24, tau = (2 - 1) / 3
    methods = ("base", "mlsol", "lsdmlo")
    lines = agreement_table({("macro_f", "br"): ranked(made_up(), "br", "macro_f", methods)}, methods).splitlines()
    assert lines[2] == "| Macro-F | br | 0.50 | 0.33 | mlsol | lsdmlo | 2 of 3 |"


def test_the_papers_ranks_are_ranks() -> None:
    sums = [sum(RANKS[metric][learner]) for metric, learner in product(RANKS, RANKS["macro_f"])]
    assert len(sums) == 24
    assert sums == pytest.approx([78] * 24, abs=0.5)


def minority(values: dict[str, tuple[float, float]], learner: str = "mlknn") -> dict[Column, list]:
    """Minority average precision and F on flags (used to choose), foodtruck and genbase (not used), one fold each."""
    figures = {
        Column(data, learner, method): {"minority_aucpr": both[0], "minority_f": both[1]}
        for method, by_set in values.items()
        for data, both in zip(("flags", "foodtruck", "genbase"), by_set, strict=True)
    }
    return {column: [{"values": dict.fromkeys(METRICS) | found}] for column, found in figures.items()}


RESULTS = {
    "base": ((0.5, 0.1), (0.2, 0.0), (0.4, 0.5)),
    "lsdmlo": ((0.5, 0.2), (0.3, 0.1), (0.2, 0.6)),
    "lsdmlo-pos": ((0.7, 0.4), (0.3, 0.2), (0.6, 0.6)),
}


def test_differences_by_hand() -> None:
    # lsdmlo-pos minus base, average precision: 0.1 and 0.2, mean 0.15, deviation 0.0707, error 0.05; the balanced lr is alone
    cells = (
        minority(RESULTS)
        | minority({"base": RESULTS["base"]}, "lr")
        | minority({"base": RESULTS["lsdmlo"]}, "lr:class_weight=balanced")
    )
    found = dict.fromkeys(("half", "prior"), Kept(cells, ()))
    pairs = [
        Pair("pos", Rival("lsdmlo-pos"), Rival("base")),
        Pair("weights", Rival("base", ":class_weight=balanced"), Rival("base")),
    ]
    lines = table(found, pairs, ("foodtruck", "genbase")).splitlines()
    assert lines[2] == "| mlknn | Minority-AUCPR ↑ | 2 | +0.150 ± 0.050 (2/2) | - |"
    assert "| lr | Minority-AUCPR ↑ | 2 | - | -0.050 ± 0.150 (1/2) |" in lines


@pytest.mark.parametrize(
    ("difference", "higher_is_better", "text"),
    [
        (Difference(0.2, 0.05, 4, 1), True, "**+0.200 ± 0.050** (4/5)"),
        (Difference(0.2, 0.05, 1, 4), False, "*+0.200 ± 0.050* (1/5)"),
        (Difference(-0.2, 0.05, 4, 1), False, "**-0.200 ± 0.050** (4/5)"),
        (Difference(0.2, 0.1, 4, 1), True, "+0.200 ± 0.100 (4/5)"),
        (Difference(0.2, 0.05, 4, 0), True, "+0.200 ± 0.050 (4/4)"),
    ],
)
def test_a_difference_of_more_than_two_errors_is_marked(difference: Difference, higher_is_better: bool, text: str) -> None:
    assert told(difference, higher_is_better) == text


def test_counts_of_data_sets_ahead_by_hand() -> None:
    unused = [text for text in by_data_set({"half": Kept(minority(RESULTS), ())}) if text.startswith("| data sets not used")]
    lines = unused[0].splitlines()
    assert lines[2] == "| foodtruck | 0.200 | - | - | **0.300** | **0.300** | 0.000 | - | - | 0.100 | **0.200** |"
    assert lines[-1] == "| lsdmlo-pos ahead | 2 of 2 |  |  | 1 of 1 |  | 2 of 2 |  |  | 1 of 1 |  |"


def test_thresholds_stand_below_each_other_on_the_same_data_sets() -> None:
    half, prior = Kept(minority(RESULTS), ()), Kept(minority(RESULTS), ())
    del prior.cells[Column("flags", "mlknn", "lsdmlo")]
    found = {"half": half, "prior": prior, "inner": Kept({}, ())}
    names = ("mlros", "mlsmote", "mlsmote:strategy=union", "mlsol")
    for kept in (half, prior):
        kept.cells.update({Column(data, "mlknn", name): [{"values": {"minority_f": 0.0}}] for data in ROWS for name in names})
    lines = list(thresholds(found))[2].splitlines()
    assert lines[2] == "| mlknn | Minority-F at 0.5 ↑ | 2 | 0.250 | - | 0.000 | 0.000 | 0.000 | 0.000 | 0.350 | **0.400** |"
    assert lines[3] == lines[2].replace("0.5 ↑", "the prior ↑")


def test_the_distance_by_itself_by_hand() -> None:
    flat = minority({"lsdmlo-pos": RESULTS["base"]})
    lines = list(distance(Kept(minority(RESULTS), ()), Kept(flat, ())))[-1].splitlines()
    assert lines[3].startswith("| not used to choose | lsdmlo-pos | 2 | +0.150 ± 0.050 (2/2) |")
    assert lines[2].startswith("| not used to choose | lsdmlo | 0 | - |")


def test_ranks_of_a_point_that_is_chosen_by_hand() -> None:
    # one metric, two repeats: `many` is behind at its fixed point, has a lucky point on each repeat, and no luck on the other
    scores = {
        "one": np.array([[[0.5], [0.5]]]),
        "many": np.array([[[0.4], [0.4]], [[0.9], [0.1]], [[0.1], [0.9]]]),
    }
    assert average_ranks(scores, {"one": 0, "many": 0}) == {
        "fixed": {"one": 1.0, "many": 2.0},
        "by test": {"one": 2.0, "many": 1.0},
        "elsewhere": {"one": 1.0, "many": 2.0},
    }


def test_lsdmlo_has_five_times_25_points_to_choose_from_and_others_five() -> None:
    counts = {title: len(points("flags", title)) for title in WITHOUT_AEMLO}
    alone = {"base": 1, "rhwrsmt": 1, "mlsmote:strategy=union": 1, "mlsmote:strategy=ranking": 1}
    assert counts == {**dict.fromkeys(WITHOUT_AEMLO, 5), **alone, "lsdmlo": 125}
    fixed = points("flags", "lsdmlo")[middle("flags", "lsdmlo")]
    assert (fixed.p, fixed.lambda1, fixed.lambda2) == (0.5, 1.0, 1.0)


def test_no_result_is_asked_for_twice() -> None:
    asked = [
        (part.section, part.data, str(learner), method.title)
        for part in parts(full=False)
        for learner, method in product(part.plan.learners, part.plan.methods)
    ]
    assert len(set(asked)) == len(asked)


def test_data_sets_used_to_choose_and_not_used_are_apart() -> None:
    assert set(DESIGN) == {"flags", "emotions", "birds-train", "CAL500", "yeast", "scene", "medical", "enron"}
    assert len(OTHERS) == 12
    assert not set(DESIGN) & set(OTHERS)
    compared = {part.data for part in parts(full=False) if part.section.startswith("compared")}
    assert compared == {*DESIGN, *OTHERS}


def test_full_has_every_learner_and_method_on_every_set_of_the_paper() -> None:
    asked = {
        (part.data, learner.name, method.title)
        for part in parts(full=True)
        for learner, method in product(part.plan.learners, part.plan.methods)
        if part.section == "ranks"
    }
    assert asked == set(product(OF_PAPER, RANKS["macro_f"], METHODS))
    assert set(OF_PAPER) <= set(ROWS) and len(WITHOUT_AEMLO) == 11
