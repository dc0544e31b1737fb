"""Classes of other libraries as learners: what they predict is what they predict alone; what cannot be one is told in a line."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from scipy.sparse import csr_array
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from skmultilearn.adapt import MLkNN
from skmultilearn.problem_transform import LabelPowerset

from lsdmlo_cli import DataError, ParameterError, br, cc, evaluate
from lsdmlo_cli.cli import lsdmlo as command
from lsdmlo_cli.evaluation.learners import described, title
from lsdmlo_cli.evaluation.method_spec import learners, listed

GARDEN = ROOT / "sample_data" / "garden-birds.arff"


def with_long_indices(E):
    sparse = csr_array(E)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    return sparse


FORMS = pytest.mark.parametrize("form", [np.asarray, csr_array])


def made(n=120, e=6, q=4, seed=0):
    """Training features and labels, and test features: labels follow features, the last but one has no row, the last has all."""
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(n, e)) * (rng.random((n, e)) < 0.7)
    Y = (E @ rng.normal(size=(e, q)) + rng.normal(size=(n, q)) > 0.4).astype(int)
    return E[::2], np.column_stack([Y, np.zeros(n, dtype=int), np.ones(n, dtype=int)])[::2], E[1::2]


def fitted(text, E, Y, test, form=np.asarray):
    """The prediction of the one learner that is typed."""
    (learner,) = learners(text)
    return learner.fit(form(E), csr_array(Y.astype(float)), np.random.default_rng(5))(form(test))


def seed_of(rng):
    return int(rng.integers(2**31))


@FORMS
def test_a_forest_is_scikit_learns(form):
    E, Y, test = made()
    slow = RandomForestClassifier(n_estimators=7, random_state=seed_of(np.random.default_rng(5))).fit(form(E), Y)
    found = fitted("sklearn.ensemble:RandomForestClassifier(n_estimators=7)", E, Y, test, form)
    np.testing.assert_array_equal(found.relevant, slow.predict(form(test)) == 1)
    shares = slow.predict_proba(form(test))
    np.testing.assert_array_equal(found.scores[:, :4], np.column_stack([one[:, 1] for one in shares[:4]]))
    np.testing.assert_array_equal(found.scores[:, 4:], np.tile([0.0, 1.0], (len(test), 1)))


def test_long_indices_are_shortened_for_trees():
    E, Y, test = made()
    text = "sklearn.ensemble:RandomForestClassifier(n_estimators=2)"
    found, same = (fitted(text, E, Y, test, form) for form in (with_long_indices, csr_array))
    np.testing.assert_array_equal(found.scores, same.scores)


@FORMS
def test_neighbors_are_scikit_learns(form):
    E, Y, test = made()
    slow = KNeighborsClassifier(3).fit(form(E), Y)
    found = fitted("sklearn.neighbors:KNeighborsClassifier(n_neighbors=3)", E, Y, test, form)
    np.testing.assert_array_equal(found.relevant, slow.predict(form(test)) == 1)
    np.testing.assert_array_equal(found.scores[:, 0], slow.predict_proba(form(test))[0][:, 1])


@FORMS
def test_binary_relevance_is_a_model_a_label(form):
    E, Y, test = made()
    slow = [LogisticRegression(C=0.5).fit(form(E), y) for y in Y.T[:4]]
    found = fitted("br(sklearn.linear_model:LogisticRegression(C=0.5))", E, Y, test, form)
    np.testing.assert_allclose(found.scores[:, :4], np.column_stack([one.predict_proba(form(test))[:, 1] for one in slow]))
    np.testing.assert_array_equal(found.relevant[:, :4], np.column_stack([one.predict(form(test)) for one in slow]) == 1)
    np.testing.assert_array_equal(found.scores[:, 4:], np.tile([0.0, 1.0], (len(test), 1)))
    np.testing.assert_array_equal(found.relevant[:, 4:], np.tile([False, True], (len(test), 1)))


@FORMS
def test_a_chain_sees_the_labels_before(form):
    E, Y, test = made()
    chain = np.random.default_rng(5).permutation(6)
    given, scores = np.zeros((len(test), 6)), np.zeros((len(test), 6))
    given[:, 5] = scores[:, 5] = 1.0  # label 5 has all rows, label 4 none
    for t, j in [(t, j) for t, j in enumerate(chain) if j < 4]:
        model = LogisticRegression().fit(np.hstack([E, Y[:, chain[:t]]]), Y[:, j])
        rows = np.hstack([test, given[:, chain[:t]]])
        scores[:, j], given[:, j] = model.predict_proba(rows)[:, 1], model.predict(rows)
    found = fitted("cc(sklearn.linear_model:LogisticRegression())", E, Y, test, form)
    np.testing.assert_allclose(found.scores, scores, atol=1e-4)
    np.testing.assert_array_equal(found.relevant, given == 1)
    alone = fitted("br(sklearn.linear_model:LogisticRegression())", E, Y, test, form)
    assert not np.allclose(found.scores, alone.scores, atol=1e-3)


def test_scores_are_those_of_the_decision_function_where_there_are_no_probabilities():
    E, Y, test = made()
    some = Y[:, :4]
    ridge = RidgeClassifier().fit(E, some)
    found = fitted("sklearn.linear_model:RidgeClassifier()", E, some, test)
    np.testing.assert_allclose(found.scores, ridge.decision_function(test))
    np.testing.assert_array_equal(found.relevant, ridge.predict(test) == 1)
    machine = LinearSVC(random_state=3).fit(E, Y[:, 0])
    found = fitted("br(sklearn.svm:LinearSVC(random_state=3))", E, Y, test)
    np.testing.assert_allclose(found.scores[:, 0], machine.decision_function(test))
    np.testing.assert_array_equal(found.relevant[:, 0], machine.predict(test) == 1)


@FORMS
def test_a_class_of_scikit_multilearn(form):
    E, Y, test = made()
    slow = MLkNN(k=5).fit(form(E), Y)
    found = fitted("skmultilearn.adapt:MLkNN(k=5)", E, Y, test, form)
    np.testing.assert_allclose(found.scores, slow.predict_proba(form(test)).toarray())
    np.testing.assert_array_equal(found.relevant, slow.predict(form(test)).toarray() == 1)


@pytest.mark.parametrize("label", [0, 4, 5])
@pytest.mark.parametrize("text", ["sklearn.ensemble:RandomForestClassifier()", "br(sklearn.linear_model:LogisticRegression())"])
def test_a_single_label(text, label):
    """One label is a column, too, whether some, none or all rows have it."""
    E, Y, test = made()
    found = fitted(text, E, Y[:, [label]], test)
    assert found.scores.shape == found.relevant.shape == (len(test), 1)
    np.testing.assert_array_equal(found.relevant, found.scores > 0.5)
    assert {4: (0, 0), 5: (1, 1)}.get(label, (found.scores.min(), found.scores.max())) == (found.scores.min(), found.scores.max())


def test_chance_comes_from_the_generator_alone():
    E, Y, test = made()
    text = "sklearn.ensemble:RandomForestClassifier(n_estimators=3)"
    (learner,) = learners(text)
    one, same, other = (learner.fit(E, csr_array(Y), np.random.default_rng(seed))(test).scores for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    (fixed,) = learners("sklearn.ensemble:RandomForestClassifier(n_estimators=3, random_state=0)")
    one, other = (fixed.fit(E, csr_array(Y), np.random.default_rng(seed))(test).scores for seed in (1, 2))
    np.testing.assert_array_equal(one, other)


def test_commas_in_brackets_and_quotes_part_no_list():
    text = "br, cc(sklearn.svm:LinearSVC(C=2, class_weight={0: 1, 1: 3})),lr:c=2,a.b:C(x=')', y=[1,(2,3)], z=\"',\")"
    parts = ["br", "cc(sklearn.svm:LinearSVC(C=2, class_weight={0: 1, 1: 3}))", "lr:c=2", "a.b:C(x=')', y=[1,(2,3)], z=\"',\")"]
    assert listed(text) == parts
    assert listed("a,b),c") == ["a", "b)", "c"]
    assert listed("a(b,c") == ["a(b,c"]


def test_a_learner_has_one_title_however_it_is_typed():
    typed = ["sklearn.svm:LinearSVC( tol = 1E-3,C=2. )", "sklearn.svm:LinearSVC(C=2.0, tol=0.001)"]
    assert [title(one) for text in typed for one in learners(f"br({text})")] == [f"br({typed[1]})"] * 2
    assert [title(one) for one in learners("sklearn.neighbors:KNeighborsClassifier")] == [
        "sklearn.neighbors:KNeighborsClassifier()"
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sklearn.ensembel:RandomForestClassifier()", "sklearn.ensembel cannot be imported (ModuleNotFoundError: "),
        (
            "sklearn.ensemble:RandomForestClasifier()",
            "has no class 'RandomForestClasifier' (did you mean RandomForestClassifier?)",
        ),
        ("sklearn.metrics:f1_score()", "sklearn.metrics:f1_score is no class with the methods fit and predict"),
        ("sklearn.preprocessing:StandardScaler()", "is no class with the methods fit and predict"),
        ("sklearn.ensemble:RandomForestClassifier(trees=3)", "unexpected keyword argument 'trees'"),
        ("sklearn.ensemble:RandomForestClassifier(200)", "each argument needs its name"),
        ("sklearn.ensemble:RandomForestClassifier(**{})", "each argument needs its name"),
        (
            "sklearn.ensemble:RandomForestClassifier(n_estimators=int('3'))",
            "n_estimators must be a number, a text in quotes or the",
        ),
        (
            "sklearn.ensemble:RandomForestClassifier(criterion=gini)",
            "criterion must be a number, a text in quotes or the like, not gini",
        ),
        ("sklearn.ensemble:RandomForestClassifier(n_estimators=3", "is no class with arguments, as in sklearn.ensemble:"),
        ("sklearn.ensemble:RandomForestClassifier(n_estimators=3, n_estimators=4)", "n_estimators is given twice"),
        ("sklearn.ensemble.RandomForestClassifier()", "is no class with arguments"),
        ("br(lr)", "br(lr) is no class with arguments"),
        ("sklearn.linear_model:LogisticRegression()", "learns one label: wrap it, br(sklearn.linear_model:LogisticRegression())"),
    ],
)
def test_what_is_no_learner_is_told_in_a_line(text, told):
    with pytest.raises(ParameterError) as refused:
        learners(text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_a_class_raises_is_told_in_a_line():
    E, Y, test = made()
    with pytest.raises(
        DataError, match=r"^sklearn.neighbors:KNeighborsClassifier\(n_neighbors=0\): InvalidParameterError: [^\n]*$"
    ):
        fitted("sklearn.neighbors:KNeighborsClassifier(n_neighbors=0)", E, Y, test)
    with pytest.raises(DataError, match="n_neighbors <= n_samples_fit"):
        fitted("sklearn.neighbors:KNeighborsClassifier(n_neighbors=70)", E, Y, test)


# ---- estimators within estimators, and objects -----------------------------------------------------------


def scores_of(model, E, test):
    return np.column_stack([one[:, 1] for one in model.predict_proba(test)])


@FORMS
def test_an_estimator_within_another_is_scikit_learns(form):
    E, Y, test = made()
    some = Y[:, :4]
    text = "sklearn.multioutput:MultiOutputClassifier(estimator=sklearn.linear_model:LogisticRegression(C=0.1))"
    slow = MultiOutputClassifier(LogisticRegression(C=0.1)).fit(form(E), some)
    found = fitted(text, E, some, test, form)
    np.testing.assert_allclose(found.scores, scores_of(slow, E, form(test)))
    np.testing.assert_array_equal(found.relevant, slow.predict(form(test)) == 1)


def test_lists_and_dictionaries_hold_estimators_too():
    E, Y, test = made()
    text = (
        "sklearn.pipeline:Pipeline(steps=[('a:b', sklearn.preprocessing:StandardScaler()), "
        "('k', sklearn.neighbors:KNeighborsClassifier(n_neighbors=3))])"
    )
    slow = KNeighborsClassifier(3).fit((E - E.mean(axis=0)) / E.std(axis=0), Y)
    found = fitted(text, E, Y, test)
    np.testing.assert_array_equal(found.relevant, slow.predict((test - E.mean(axis=0)) / E.std(axis=0)) == 1)
    (learner,) = learners(text)
    assert (learner.title, learner.packages) == (text, ("scikit-learn",))


def test_a_classifier_of_scikit_multilearn_with_one_of_scikit_learn():
    E, Y, test = made()
    slow = LabelPowerset(classifier=GaussianNB()).fit(E, Y)
    found = fitted("skmultilearn.problem_transform:LabelPowerset(classifier=sklearn.naive_bayes:GaussianNB())", E, Y, test)
    np.testing.assert_array_equal(found.relevant, slow.predict(test).toarray() == 1)
    (learner,) = learners("skmultilearn.problem_transform:LabelPowerset(classifier=sklearn.naive_bayes:GaussianNB())")
    assert learner.packages == ("scikit-learn", "scikit-multilearn-ng")


def test_chance_within_estimators_comes_from_the_generator_too():
    E, Y, test = made()
    text = "skmultilearn.problem_transform:LabelPowerset(classifier=sklearn.tree:DecisionTreeClassifier(max_features=1))"
    (learner,) = learners(text)
    one, same, *others = (learner.fit(E, csr_array(Y), np.random.default_rng(seed))(test).relevant for seed in (1, 1, 2, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert any(not np.array_equal(one, other) for other in others)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("m.a:C(estimator=os:system)", "m.a cannot be imported"),
        ("sklearn.ensemble:BaggingClassifier(estimator=os:system(command='ls'))", "os:system is no class with the method fit"),
        (
            "sklearn.ensemble:BaggingClassifier(estimator=subprocess:Popen(args='ls'))",
            "subprocess:Popen is no class with the method",
        ),
        (
            "sklearn.ensemble:BaggingClassifier(estimator=os.system('ls'))",
            "estimator must be a number, a text in quotes or the like",
        ),
        ("sklearn.ensemble:BaggingClassifier(estimator=sklearn.tree:DecisionTreeClassifier(3))", "each argument needs its name"),
        ("sklearn.ensemble:BaggingClassifier(estimator=[x for x in ()])", "estimator must be a number, a text in quotes or the"),
        ("sklearn.ensemble:BaggingClassifier(estimator=lambda x:y)", "is no class with arguments"),
        ("sklearn.ensemble:BaggingClassifier(estimator={**{}})", "estimator must be a number, a text in quotes or the like"),
        ("sklearn.ensemble:BaggingClassifier(estimator=sklearn.tree:Tree)", "sklearn.tree has no class 'Tree'"),
    ],
)
def test_nothing_but_literals_and_classes_that_fit_is_read(text, told):
    with pytest.raises(ParameterError) as refused:
        learners(f"br({text})")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (RandomForestClassifier(n_estimators=7), "sklearn.ensemble:RandomForestClassifier(n_estimators=7)"),
        (br(LogisticRegression(C=np.float64(0.5))), "br(sklearn.linear_model:LogisticRegression(C=0.5))"),
        (cc("sklearn.svm:LinearSVC"), "cc(sklearn.svm:LinearSVC())"),
        (
            br(BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=2)),
            "br(sklearn.ensemble:BaggingClassifier(estimator=sklearn.tree:DecisionTreeClassifier(max_depth=3), n_estimators=2))",
        ),
        (
            make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
            "sklearn.pipeline:Pipeline(steps=[('standardscaler', sklearn.preprocessing:StandardScaler()), "
            "('kneighborsclassifier', sklearn.neighbors:KNeighborsClassifier(n_neighbors=3))])",
        ),
        (MLkNN(k=5), "skmultilearn.adapt:MLkNN(k=5)"),
    ],
)
def test_an_object_is_the_learner_of_its_text(one, text):
    assert learners([one]) == learners([text])
    assert title(*learners([one])) == text


def test_an_object_without_a_text_is_copied_with_all_that_it_holds():
    E, Y, test = made()
    weighted = KNeighborsClassifier(3, metric="minkowski", metric_params={"w": np.arange(1.0, 7.0)})
    (learner,) = learners([weighted])
    found = learner.fit(E, csr_array(Y), np.random.default_rng(0))(test)
    np.testing.assert_array_equal(found.relevant, weighted.fit(E, Y).predict(test) == 1)
    (again,), (other,) = (
        learners([KNeighborsClassifier(3, metric="minkowski", metric_params={"w": np.arange(first, 7.0)})])
        for first in (1.0, 1.0)
    )
    assert again == other and hash(again) == hash(other) and pickle.loads(pickle.dumps(again)) == again
    assert learner.packages == ("scikit-learn",)
    assert json.dumps(described(learner)) != json.dumps(described(*learners([KNeighborsClassifier(metric=np.hypot)])))


def test_figures_of_objects_are_those_of_their_texts(tmp_path):
    E, Y, _ = made()
    asked = {"cv": "1x2", "methods": "base", "out": tmp_path}
    nothing = {"metric": "minkowski", "metric_params": {"w": np.ones(6)}}
    objects = evaluate(E, Y[:, :4], learners=[KNeighborsClassifier(3), KNeighborsClassifier(3, **nothing)], **asked)
    texts = evaluate(E, Y[:, :4], learners="sklearn.neighbors:KNeighborsClassifier(n_neighbors=3)", overwrite=True, **asked)
    assert len(list((tmp_path / "cells").iterdir())) == 4
    frame = objects.to_frame().pivot(index=["metric", "fold"], columns="learner", values="value")
    held, typed = sorted(frame.columns)
    np.testing.assert_allclose(frame[held], frame[typed])
    assert held.startswith("KNeighborsClassifier(metric_params={'w': array([1., 1.")
    assert texts.to_frame()["value"].tolist() == objects.to_frame().query("learner == @typed")["value"].tolist()


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (LogisticRegression(C=0.5), "learns one label: wrap it, br(sklearn.linear_model:LogisticRegression(C=0.5))"),
        (StandardScaler(), "StandardScaler() is no object with the methods fit and predict"),
        (KNeighborsClassifier(metric=lambda a, b: 0.0), "cannot be copied by pickle, as a learner must be (PicklingError: "),
    ],
)
def test_what_is_no_object_for_a_learner_is_told_in_a_line(one, told):
    with pytest.raises(ParameterError) as refused:
        learners([one])
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


OWN = """
import numpy as np

class Share:
    def __init__(self, times=1.0):
        self.times = times

    def fit(self, E, Y):
        self.share = np.minimum(1.0, self.times * Y.mean(axis=0))
        return self

    def predict(self, E):
        return np.tile(self.share > 0.5, (len(E), 1))
"""


def test_the_command_keeps_what_was_learned_under_class_arguments_and_source(lsdmlo, tmp_path: Path):
    """A class of no distribution counts by its source; forests of different sizes are different learners."""
    (tmp_path / "shares.py").write_text(OWN)

    def run(*asked: str) -> tuple[str, dict]:
        fast = ["--methods", "base", "--cv", "1x2", "--jobs", "1", "--out", "o"]
        done = lsdmlo("evaluate", GARDEN, "--learners", ",".join(asked), *fast)
        assert done.returncode == 0, done.stderr
        return done.stderr.decode().splitlines()[-1].partition(";")[0], json.loads((tmp_path / "o" / "results.json").read_bytes())

    forest = "sklearn.ensemble:RandomForestClassifier(n_estimators={})".format
    told, _ = run(forest(2))
    assert told == "lsdmlo: garden-birds: 2 results"
    told, report = run(forest(2), forest(3), "shares:Share(times=2)")
    assert told == "lsdmlo: garden-birds: 6 results (2 known before)"
    assert list(report["experiment"]["learners"]) == [forest(2), forest(3), "shares:Share(times=2)"]
    assert list(report["plugins"]) == ["shares"]
    (tmp_path / "shares.py").write_text(OWN + "# a change\n")
    assert run(forest(2), forest(3), "shares:Share(times=2)")[0] == "lsdmlo: garden-birds: 6 results (4 known before)"


def test_a_learner_that_fails_leaves_the_others_be(capsys, tmp_path: Path):
    asked = ["--learners", "mlknn,sklearn.neighbors:KNeighborsClassifier(n_neighbors=900)", "--methods", "base", "--cv", "1x2"]
    command.main(["evaluate", str(GARDEN), *asked, "--jobs", "1", "--out", str(tmp_path)], standalone_mode=False)
    assert (
        "failed: garden-birds, base: sklearn.neighbors:KNeighborsClassifier(n_neighbors=900): ValueError"
        in capsys.readouterr().err
    )
