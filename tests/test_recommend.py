"""A recommendation: rows only where they are shown to help, by figures of rows that no choice has seen."""

import json
import shlex
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from test_page import model

from lsdmlo_cli import Settings
from lsdmlo_cli.cli.options import DURATION
from lsdmlo_cli.evaluation.cache import Cells
from lsdmlo_cli.evaluation.experiment import Where, experiment
from lsdmlo_cli.evaluation.learners import LR, MLkNN
from lsdmlo_cli.evaluation.method_spec import methods
from lsdmlo_cli.evaluation.metrics import measure
from lsdmlo_cli.evaluation.plan import Method, Plan
from lsdmlo_cli.evaluation.prediction import Prediction
from lsdmlo_cli.evaluation.recommendation import Recommendation, budget, nested, recommend
from lsdmlo_cli.evaluation.recommendation import trials as one_fold
from lsdmlo_cli.evaluation.recommendation.answer import Answer, gain_of
from lsdmlo_cli.evaluation.recommendation.budget import Budget
from lsdmlo_cli.evaluation.recommendation.candidates import candidates
from lsdmlo_cli.evaluation.recommendation.nested import ALL_ROWS, Part, Reached, part
from lsdmlo_cli.evaluation.recommendation.race import race
from lsdmlo_cli.evaluation.recommendation.report import command, sentence
from lsdmlo_cli.evaluation.recommendation.trials import OutOfTime, Trials
from lsdmlo_cli.evaluation.sources import Place
from lsdmlo_cli.evaluation.units import cells
from lsdmlo_cli.folds import folds

PLAN = Plan(methods("mlros:p=0.3,mlsol:p=0.3"), (MLkNN(),), Settings(measures="fast", scale="std"), repeats=2)


def compared(metric="minority_aucpr", learner=None, names="mlros:p=0.1,mlros:p=0.3,mlsol:p=0.1,mlsol:p=0.3"):
    return candidates(learner or MLkNN(), metric, methods(names))


def titles(found):
    return [candidate.title for candidate in found]


# What is compared


def test_the_learner_as_it_is_comes_first_and_methods_follow():
    assert titles(compared()) == ["base", "mlros:p=0.1", "mlros:p=0.3", "mlsol:p=0.1", "mlsol:p=0.3"]


def test_class_weights_are_tried_where_the_learner_has_them_and_they_are_not_asked_for():
    assert titles(compared(learner=LR(), names="mlros")) == ["base", "base, class_weight=balanced", "mlros"]
    assert titles(compared(learner=LR(class_weight="balanced"), names="mlros")) == ["base", "mlros"]


def test_thresholds_are_tried_where_the_metric_rests_on_given_labels():
    assert titles(compared("minority_f", names="mlros")) == [
        "base",
        "base, threshold prior",
        "base, threshold inner",
        "mlros",
        "mlros, threshold prior",
    ]
    assert titles(compared("ranking_loss", names="mlros")) == ["base", "mlros"]


# The race


def told(figures):
    """A measure that knows the figures of each title, a list a repeat, and notes who was measured."""
    asked = []

    def measure(repeat, running):
        asked.append(titles(running))
        return {candidate: figures[candidate.title][repeat - 1] for candidate in running}

    return measure, asked


def constant(values, repeats=5):
    return {title: [[value, value]] * repeats for title, value in values.items()}


def test_a_third_goes_on_each_time_and_the_learner_as_it_is_stays():
    values = {"base": 0.5, "mlros:p=0.1": 0.4, "mlros:p=0.3": 0.6, "mlsol:p=0.1": 0.7, "mlsol:p=0.3": 0.3}
    measure, asked = told(constant(values))
    found = race(compared(), measure, higher_is_better=True)
    assert asked == [list(values), ["base", "mlsol:p=0.1", "mlros:p=0.3"]]
    assert (found.without.title, found.sampled.title, found.winner.title) == ("base", "mlsol:p=0.1", "mlsol:p=0.1")
    assert found.gain(found.sampled) == pytest.approx(0.2)
    assert {candidate.title: len(values) for candidate, values in found.figures.items()} == {
        "base": 4, "mlros:p=0.1": 2, "mlros:p=0.3": 4, "mlsol:p=0.1": 4, "mlsol:p=0.3": 2,
    }  # fmt: skip


def test_the_lower_figure_wins_where_lower_is_better():
    measure, _ = told(constant({"base": 0.2, "mlros": 0.1}))
    found = race(compared("ranking_loss", names="mlros"), measure, higher_is_better=False)
    assert found.winner.title == "mlros"
    assert found.gain(found.winner) == pytest.approx(0.1)


def test_rows_that_are_only_as_good_do_not_win():
    measure, _ = told(constant({"base": 0.2, "mlros": 0.2}))
    assert race(compared(names="mlros"), measure, True).winner.title == "base"


def test_differences_are_of_folds_that_both_have_been_measured_on():
    figures = {
        "base": [[0.5, None], [0.1, 0.1]],
        "mlros:p=0.1": [[0.7, None], [0.2, 0.2]],
        "mlros:p=0.3": [[0.9, None], [0.1, 0.1]],
    }
    measure, _ = told({**figures, "mlsol:p=0.1": [[0.0, None]], "mlsol:p=0.3": [[0.0, None]]})
    found = race(compared(), measure, True)
    assert found.sampled.title == "mlros:p=0.3"
    assert found.differences(found.sampled) == pytest.approx([0.4, 0.0, 0.0])


def test_a_candidate_that_fails_on_a_fold_is_out():
    measure, _ = told({"base": [[0.5, 0.5]], "mlros": [[0.9, None]]})
    found = race(compared(names="mlros"), measure, True)
    assert found.sampled is None
    assert found.winner.title == "base"


# The answer


def answer_of(reached, sampled_wins=True, metric="minority_aucpr"):
    """The answer to figures (plain, without, with rows) of outer folds, candidates being base and mlros."""
    asked = compared(metric, names="mlros")
    measure, _ = told(constant({"base": 0.5, "mlros": 0.6 if sampled_wins else 0.4}))
    found = race(asked, measure, True)
    outer = [Part((fold, 1), found, Reached(*figures), {}) for fold, figures in enumerate(reached, start=1)]
    return Answer(metric, asked, (Part(ALL_ROWS, found, None, {}), *outer))


def test_gains_are_shown_beyond_the_quantile_of_student():
    # two folds: t = 12.706 at one degree of freedom; ten: 2.262 at nine
    assert not gain_of([0.03, 0.04]).is_shown
    assert gain_of([0.035, 0.036]).is_shown
    ten = np.r_[-1.0, 1.0, -1, 1, -1, 1, -1, 1, -1, 1]
    error = np.std(ten, ddof=1) / np.sqrt(10)
    assert gain_of(list(ten + 2.27 * error)).is_shown
    assert not gain_of(list(ten + 2.25 * error)).is_shown
    assert not gain_of([0.5]).is_shown
    assert not gain_of([]).is_shown


def test_rows_are_recommended_where_outer_folds_show_it():
    better = [(0.5, 0.5, 0.58), (0.5, 0.5, 0.6), (0.5, 0.5, 0.62), (0.5, 0.5, 0.59)]
    assert answer_of(better).recommended.title == "mlros"
    assert answer_of(better, sampled_wins=False).recommended.title == "base"


def test_rows_must_beat_what_costs_no_row():
    remedy_is_as_good = [(0.5, 0.6, 0.6), (0.5, 0.59, 0.6), (0.5, 0.61, 0.6), (0.5, 0.6, 0.61)]
    found = answer_of(remedy_is_as_good)
    assert not found.rows_over_none.is_shown
    assert found.none_over_plain.is_shown
    assert found.rows_over_plain.is_shown
    assert not found.recommended.samples


def test_gains_are_positive_where_a_lower_figure_is_better():
    found = answer_of([(0.3, 0.3, 0.2), (0.3, 0.3, 0.21)], metric="ranking_loss")
    assert found.rows_over_none.mean == pytest.approx(0.095)


def test_folds_without_a_figure_stay_out():
    assert answer_of([(None, None, None), (0.5, 0.5, 0.7)]).rows_over_none.count == 1


# The parts


@dataclass(frozen=True)
class Spy:
    """A learner that notes the first feature of all rows it is shown."""

    name: ClassVar[str] = "spy"
    seen: ClassVar[list] = []

    def fit(self, E, Y, rng):
        self.seen.append(E[:, 0])

        def predict(E):
            self.seen.append(E[:, 0])
            scores = np.tile(Y.mean(axis=0), (len(E), 1))
            return Prediction(scores, scores > 0.5)

        return predict


def noise(n=60, labels=4, seed=0):
    """MEKA data whose labels do not depend on the features; the first numbers the rows."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n), rng.normal(size=(n, 3)).round(4)])
    Y = rng.random((n, labels)) < np.linspace(0.6, 0.15, labels)
    head = [f"@relation 'noise: -C -{labels}'", *(f"@attribute x{i} numeric" for i in range(4))]
    head += [f"@attribute y{j} {{0,1}}" for j in range(labels)]
    rows = [",".join([*map(str, x), *map(str, y.astype(int))]) for x, y in zip(X, Y, strict=True)]
    return "\n".join([*head, "@data", *rows]) + "\n"


@dataclass(frozen=True)
class Broken:
    """A sampler that fails."""

    name: ClassVar[str] = "broken"

    def sample(self, analysis, rng):
        raise ValueError("it does not work")


@pytest.fixture
def noisy(tmp_path):
    path = tmp_path / "noise.arff"
    path.write_text(noise())
    return Place(str(path))


def trials(place, folder, plan=PLAN, deadline=None):
    loaded = place.load()
    return Trials(plan, place, loaded.digest, loaded.dataset.n, folder, deadline)


def test_no_choice_has_seen_the_test_rows_of_its_outer_fold(noisy, tmp_path, monkeypatch):
    plan = replace(PLAN, learners=(Spy(),), settings=Settings(measures="fast"))
    fold = next(iter(folds(noisy.load().dataset.Y, 2, 2, plan.seed)))
    asked = candidates(plan.learners[0], "macro_f", plan.methods[:1])
    seen = Spy.seen
    seen.clear()
    reach = nested._reached
    in_the_race = []
    monkeypatch.setattr(nested, "_reached", lambda *given: in_the_race.append(len(seen)) or reach(*given))
    part(trials(noisy, tmp_path, plan), (1, 1), asked, "macro_f")
    (before,) = in_the_race
    test_rows = set(np.flatnonzero(fold.test))
    assert set(np.concatenate(seen[:before])) == set(range(60)) - test_rows
    assert set(np.concatenate(seen[before:])) == set(range(60))


def test_the_figures_of_outer_folds_are_those_of_evaluate(noisy, tmp_path):
    found = part(trials(noisy, tmp_path), (2, 1), compared(names="mlros:p=0.3"), "minority_aucpr")
    plan = replace(PLAN, methods=methods("base,mlros:p=0.3"), repeats=2)
    cells = experiment(plan, [noisy], tmp_path / "evaluated").cells
    figures = [cells[Where("noise", 2, 1, title, "mlknn")]["values"]["minority_aucpr"] for title in ("base", "mlros:p=0.3")]
    assert [found.reached.plain, found.reached.sampled] == figures


def test_thresholds_of_one_model_are_those_of_evaluate(noisy, tmp_path):
    asked = compared("macro_f", names="mlros:p=0.3")
    data = noisy.load().dataset
    fold = next(iter(folds(data.Y, 2, 2, PLAN.seed)))
    found = trials(noisy, tmp_path).cells(data, fold, None, asked)
    for candidate, cell in found.items():
        plan = replace(PLAN, methods=(candidate.method,), threshold=candidate.threshold)
        assert cell["values"] == cells(plan, data, fold, candidate.method, plan.learners)["mlknn"]["values"]
    assert found[asked[0]]["values"]["macro_f"] != found[asked[1]]["values"]["macro_f"]


def test_kept_figures_are_not_worked_out_again(noisy, tmp_path, monkeypatch):
    asked = compared(names="mlros:p=0.3")
    before = part(trials(noisy, tmp_path), (1, 2), asked, "minority_aucpr")
    monkeypatch.setattr("lsdmlo_cli.evaluation.recommendation.trials.halves", None)
    assert part(trials(noisy, tmp_path), (1, 2), asked, "minority_aucpr") == before


def test_no_method_is_begun_after_the_deadline(noisy, tmp_path):
    late = trials(noisy, tmp_path, deadline=1.0)
    assert part(late, ALL_ROWS, compared(), "minority_aucpr") is None
    assert list(tmp_path.glob("*.json")) == []


def test_a_candidate_that_fails_is_told_and_the_others_go_on(noisy, tmp_path):
    asked = compared(names="mlros:p=0.3,mlsmote:p=0.3")
    broken = replace(asked[1], method=Method("broken", Broken()))
    found = part(trials(noisy, tmp_path), ALL_ROWS, [asked[0], broken, asked[2]], "minority_aucpr")
    assert found.errors == {broken: "ValueError: it does not work"}
    assert found.race.sampled == asked[2]


# The budget


@pytest.mark.parametrize(
    ("seconds", "rows"),
    [
        (None, 6400),  # no limit
        (1e9, 6400),
        (82.0, 1600),  # 400 rows take 0.25 s a fold and 10.3 s in all, 1,600 rows 41 s, and 2.5 times that is too long
        (1.0, 400),  # nothing fits: the fewest
    ],
)
def test_so_many_rows_are_used_as_the_budget_bears(monkeypatch, noisy, tmp_path, seconds, rows):
    monkeypatch.setattr(budget, "seconds_of_a_round", lambda trials, candidates: trials.rows / 1600)
    assert budget.rows_within(Budget(seconds, 1), trials(noisy, tmp_path), 6400, compared()) == rows


def test_two_processes_bear_twice_as_much(monkeypatch, noisy, tmp_path):
    monkeypatch.setattr(budget, "seconds_of_a_round", lambda trials, candidates: trials.rows / 1600)
    assert budget.rows_within(Budget(82.0, 2), trials(noisy, tmp_path), 6400, compared()) == 3200


def test_rows_are_few_where_even_they_take_too_long(monkeypatch, noisy, tmp_path):
    def too_long(trials, candidates):
        raise OutOfTime("the budget is used up")

    monkeypatch.setattr(budget, "seconds_of_a_round", too_long)
    assert budget.rows_within(Budget(63.0, 1), trials(noisy, tmp_path), 6400, compared()) == 400


@pytest.mark.parametrize(
    ("typed", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("5 min", 300), ("1.5H", 5400), ("none", float("inf"))]
)
def test_a_duration_is_seconds(typed, seconds):
    assert DURATION.convert(typed, None, None) == seconds


# The whole


@pytest.fixture
def one_metric(monkeypatch):
    """Cells hold nothing but the metric of a recommendation, and none is kept: a third of the time that many of them take."""
    monkeypatch.setattr(one_fold, "measure", partial(measure, names=["minority_aucpr"]))
    monkeypatch.setattr(Cells, "load", lambda cells, key: None)
    monkeypatch.setattr(Cells, "save", lambda cells, key, cell: None)


@pytest.mark.slow
def test_noise_is_answered_with_no_rows(one_metric, tmp_path):
    plan = replace(PLAN, methods=methods("mlros:p=0.3,mlsmote:strategy=union:p=0.3"))
    rows = 0
    for seed in range(100):
        path = tmp_path / "noise.arff"
        path.write_text(noise(seed=seed))
        found = recommend(plan, Place(str(path)), "minority_aucpr", tmp_path / str(seed), Budget(None, 1))
        assert len(found.answer.outer) == 4
        rows += found.answer.recommended.samples
    assert rows <= 10


ASKED = ("recommend", "birds.arff", "--methods", "lsdmlo-pos:p=0.3", "--quiet")


def test_the_command_says_what_to_run_and_a_second_run_says_the_same(birds, here, monkeypatch):
    first = here(*ASKED, "--budget", "none", "--jobs", "1")
    kept = (birds / "recommendation" / "recommendation.json").read_bytes()
    monkeypatch.setattr("lsdmlo_cli.evaluation.recommendation.trials.halves", None)
    assert here(*ASKED, "--budget", "none", "--jobs", "1").stdout == first.stdout
    assert here(*ASKED, "--budget", "none", "--jobs", "1", "--json").stdout == kept
    assert here("show", "recommendation/recommendation.json", "--format", "json").stdout == kept
    assert json.loads(kept)["answer"][1:40].encode() in here("show", "recommendation/recommendation.json").stdout
    assert here("page", "recommendation/recommendation.json", "-o", "answer.html").returncode == 0
    report = json.loads(kept)
    (section,) = model(birds / "answer.html")["sections"]
    assert section["lead"] == [f"{report['answer'][0].upper()}{report['answer'][1:]}.", report["command"]]
    candidates = next(one for one in section["tables"] if one["title"] == "Candidates on inner folds")
    assert [row[:2] for row in candidates["rows"]] == [[one["title"], one["gain"]["mean"]] for one in report["candidates"]]
    assert [picture["name"] for picture in section["pictures"]] == ["gains"]
    assert report["outer_folds"] == 10
    assert [one["inner_folds"] for one in report["candidates"]] == [44, 44]
    last = first.stdout.decode().splitlines()[-1].strip()
    assert (last == report["command"]) == (report["recommended"]["sampler"] is not None)
    assert here(*shlex.split(command("birds.arff", methods("lsdmlo-pos:p=0.3")[0], {"--scale": "std"}))[1:]).returncode == 0
    assert (birds / "birds-resampled.arff").exists()


def test_processes_change_no_figure(birds, lsdmlo):
    reports = []
    for jobs in ("1", "2"):
        done = lsdmlo(*ASKED, "--budget", "none", "--jobs", jobs, "--json", "--out", jobs, "--methods", "mlros:p=0.3")
        reports.append(done.stdout)
        assert done.stderr == b""
    assert reports[0] == reports[1]


def test_a_budget_that_is_too_small_is_said(birds, here):
    done = here(*ASKED, "--budget", "0.01s", "--jobs", "1")
    assert "Use no rows: the budget was enough for 0 test folds" in done.stdout.decode()


def test_nothing_is_recommended_without_a_race_on_all_rows():
    found = answer_of([(0.5, 0.5, 0.58), (0.5, 0.5, 0.6), (0.5, 0.5, 0.62)])
    assert replace(found, parts=found.parts[1:]).recommended.title == "base"


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (
            [(0.5, 0.5, 0.6), (0.5, 0.5, 0.61)] * 3,
            "use rows: mlros; the best with rows is better than the best without by +0.105",
        ),
        ([(0.5, 0.5, 0.5)] * 6, "use no rows: nothing is better than base by more than its error"),
        ([(0.5, 0.5, 0.5)] * 2, "use no rows: the budget was enough for 2 test folds, too few"),
        ([(0.5, 0.5, 0.5), (None, None, None)] * 3, "use no rows: the metric has a value on 3 of 6 test folds, too few"),
    ],
)
def test_the_answer_is_a_sentence(reached, said):
    assert sentence(Recommendation(None, 60, answer_of(reached))).startswith(said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--metric", "minority_auprc"], "there is no metric 'minority_auprc' (did you mean minority_aucpr?)"),
        (["--learner", "knn"], "there is no learner 'knn'"),
        (["--learner", "lr,br"], "one learner is needed, not 2"),
        (["--budget", "soon"], "'soon' is not a time above 0 such as 90s, 5m or 2h"),
        (["--budget", "0m"], "'0m' is not a time above 0"),
        (["--methods", "base"], "there is no method to try"),
    ],
)
def test_what_cannot_be_understood_is_said_in_a_line(birds, here, typed, said):
    done = here("recommend", "birds.arff", *typed)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
