"""The tables of the paper's comparison, from results that are made up."""

from itertools import product

import pytest

pytest.importorskip("benchmarks.paper_tables", reason="the benchmarks are not beside the tests")
from benchmarks.paper_cells import Column, Kept, ranked
from benchmarks.paper_figures import METHODS, RANKS
from benchmarks.paper_plan import OF_PAPER, ROWS, WITHOUT_AEMLO, parts
from benchmarks.paper_tables import agreement_table, rank_table

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


def test_no_result_is_asked_for_twice() -> None:
    asked = [
        (part.data, learner.name, method.title)
        for part in parts(full=False)
        for learner, method in product(part.plan.learners, part.plan.methods)
        if part.section == "comparison"
    ]
    assert len(set(asked)) == len(asked)


def test_full_has_every_learner_and_method_on_every_set_of_the_paper() -> None:
    asked = {
        (part.data, learner.name, method.title)
        for part in parts(full=True)
        for learner, method in product(part.plan.learners, part.plan.methods)
    }
    assert set(product(OF_PAPER, RANKS["macro_f"], METHODS)) <= asked
    assert set(OF_PAPER) <= set(ROWS) and len(WITHOUT_AEMLO) == 11
