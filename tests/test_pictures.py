"""Pictures: their figures are those of the reports and the data, Vega-Lite takes them, and drawing changes nothing else."""

import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache

import altair
import jsonschema
import numpy as np
import pytest
from conftest import ROOT

from lsdmlo_cli import pipeline
from lsdmlo_cli.analysis import Analysis, Settings
from lsdmlo_cli.data.tables import dataset, labels, table
from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.statistics import wins_and_losses
from lsdmlo_cli.pictures.drawing import draw, specification
from lsdmlo_cli.pictures.evaluation import groups
from lsdmlo_cli.pictures.files import rendered
from lsdmlo_cli.pictures.names import PICTURES, pictures_of
from lsdmlo_cli.pictures.plane import plane
from lsdmlo_cli.report import stats_report
from lsdmlo_cli.samplers import SAMPLERS
from lsdmlo_cli.subject import NewRows, Plot, Subject

BIRDS = str(ROOT / "sample_data" / "garden-birds.arff")
METHODS = ("base", "mlros:p=0.1", "mlros:p=0.3")
LEARNERS = ("mlknn", "br")


@cache
def of_stats():
    analysis = pipeline.analyse(BIRDS)
    return Subject(stats_report(analysis), analysis)


@pytest.fixture(scope="module")
def resampled(tmp_path_factory):
    """A resampling of the sample data as a picture is given it."""
    seen = []

    def render(subject):
        seen.append(subject)
        return b""

    folder = tmp_path_factory.mktemp("resampled")
    out, parents = str(folder / "out.arff"), str(folder / "parents.csv")
    pipeline.resample(BIRDS, out, SAMPLERS["lsdmlo"](p=0.1), provenance=parents, plot=Plot(str(folder / "p.svg"), render))
    return seen[0]


def figure(data, learner, metric, method, fold):
    """A made-up figure: methods differ, folds scatter, and a data set shifts them all."""
    size = METHODS.index(method) * (0.02 if METRICS[metric].higher_is_better else -0.01)
    return round(0.5 + size + 0.003 * fold * (1 + METHODS.index(method)) + 0.05 * LEARNERS.index(learner) + 0.01 * data, 6)


@cache
def of_evaluate(sets=7):
    """Results as `evaluate` writes them, of made-up figures."""
    names = [f"data {i}" for i in range(sets)]
    rows, compared = [], []
    for learner in LEARNERS:
        for metric in METRICS:
            values = np.array([[[figure(d, learner, metric, m, f) for f in range(4)] for m in METHODS] for d in range(sets)])
            means = values.mean(axis=2)
            gains = means - means[:, :1]
            _, _, p = wins_and_losses(means, METRICS[metric].higher_is_better)
            order = np.argsort(np.argsort(-means if METRICS[metric].higher_is_better else means, axis=1), axis=1) + 1.0
            for d, data in enumerate(names):
                for m, method in enumerate(METHODS):
                    one = {"data": data, "learner": learner, "metric": metric, "method": method}
                    differs = dict.fromkeys(("difference", "difference_error", "won", "lost"))
                    own = {"difference": gains[d, m], "difference_error": 0.001, "won": 4, "lost": 0} if m else differs
                    rows.append({**one, "mean": means[d, m], "deviation": 0.01, "rank": order[d, m], "folds": 4,
                                 "undefined": 0, "values": values[d, m].tolist(), **own})  # fmt: skip
            mean = {method: {"mean": gains[:, m].mean(), "error": 0.002 * m, "won": sets, "lost": 0} for m, method in
                    enumerate(METHODS) if m}  # fmt: skip
            ranks = dict(zip(METHODS, order.mean(axis=0).tolist(), strict=True))
            compared.append({"learner": learner, "metric": metric, "data_sets": sets, "average_rank": ranks, "wins": None,
                             "losses": None, "differences": mean, "adjusted_p": p.tolist()})  # fmt: skip
    methods = {
        title: {"sampler": title.partition(":")[0], "parameters": {"p": float(title[-3:])} if ":" in title else {}}
        for title in METHODS
    }
    experiment = {"methods": methods, "learners": {learner: {} for learner in LEARNERS}, "against": "base", "cv": "2x2"}
    about = [{"name": name, "n": 100} for name in names]
    report = {"summary": [], "notes": [], "experiment": experiment, "datasets": about, "results": rows, "comparison": compared}
    return Subject({**report, "errors": []})


def of_recommend(worth=0.04):
    """A report of `recommend` with made-up gains; that of the best with rows on test rows is given."""

    def gain(mean, error, count=4):
        return {"count": count, "mean": mean, "error": error}

    candidates = [("base", gain(0.0, 0.0)), ("mlros:p=0.1", gain(-0.02, 0.005)), ("lsdmlo-pos:p=0.3", gain(0.05, 0.004))]
    gains = {"rows_over_none": gain(worth, 0.01), "none_over_base": gain(None, None, 0), "rows_over_base": gain(worth, 0.012)}
    return Subject(
        {
            "report": "recommend",
            "answer": "use rows",
            "metric": "hamming_loss",
            "candidates": [{"title": title, "gain": measured, "inner_folds": 8} for title, measured in candidates],
            "gains": gains,
            "dataset": {"name": "flags"},
            "learner": {"title": "mlknn"},
        }
    )


@pytest.fixture
def subjects(resampled):
    return {"stats": of_stats(), "resample": resampled, "evaluate": of_evaluate(), "recommend": of_recommend()}


def values(spec):
    return spec["data"]["values"]


# ---- all of them


@pytest.mark.parametrize(("kind", "name"), [(kind, picture.name) for picture in PICTURES for kind in picture.of])
def test_vega_lite_takes_every_picture(kind, name, subjects):
    """The schema of Vega-Lite, which altair brings, is held against the whole specification."""
    spec = specification(subjects[kind], name)
    altair.Chart.from_dict(spec, validate=True)
    assert values(spec)
    assert spec["description"]
    assert b"<svg" in drawn(spec)


def drawn(spec):
    return rendered(spec, ".svg")


def test_the_schema_refuses_what_is_no_picture(subjects):
    spec = {**specification(subjects["stats"], "cardinality"), "mark": {"type": "no such mark"}}
    with pytest.raises(jsonschema.ValidationError):
        altair.Chart.from_dict(spec, validate=True)


# ---- their figures


def test_labels_have_the_figures_of_the_report(resampled):
    found = {
        (row["name"], row["when"]): (row["count"], row["irlbl"], row["minority"]) for row in values(specification(resampled))
    }
    told = {
        (label["name"], when): (label["count"], label["IRLbl"], "yes" if label["minority"] else "no")
        for when in ("before", "after")
        for label in resampled.report[when]["labels"]
    }
    assert found == told
    spec = json.dumps(specification(resampled))
    assert all(json.dumps(resampled.report[when]["measures"]["MeanIR"]) in spec for when in ("before", "after"))


def test_many_labels_are_points_by_rank():
    labels = [{"name": f"label {j}", "count": 60 - j, "IRLbl": 60 / (60 - j), "minority": False} for j in range(50)]
    report = {"dataset": {"file": "x"}, "measures": {"MeanIR": 2.0}, "labels": labels}
    spec = specification(Subject(report))
    assert [(row["place"], row["count"]) for row in sorted(values(spec), key=lambda row: row["place"])] == [
        (i, 10 + i) for i in range(1, 51)
    ]
    assert b"<svg" in drawn(spec)


def test_local_imbalance_has_the_figures_of_the_report(resampled):
    found = {(row["name"], row["when"]): (row["limb"], row["own"]) for row in values(specification(resampled, "local-imbalance"))}
    told = {
        (label["name"], when): (label["LImb"], label["LImb_LSD"])
        for when in ("before", "after")
        for label in resampled.report[when]["labels"]
    }
    assert found == told


def test_local_imbalance_that_was_not_measured_is_no_picture():
    analysis = pipeline.analyse(BIRDS, Settings(measures="fast"))
    with pytest.raises(DataError, match=r"LImb was not measured.*--measures fast"):
        specification(Subject(stats_report(analysis), analysis), "local-imbalance")


def test_cooccurrence_counts_rows_with_both_labels():
    subject = of_stats()
    Y = subject.analysis.dataset.Y.toarray()
    names = [label.name for label in subject.analysis.dataset.labels]
    spec = specification(subject, "cooccurrence")
    found = {(row["one"], row["other"]): (row["both"], row["share"]) for row in values(spec)}
    pairs = {(i, j): int((Y[:, i] * Y[:, j]).sum()) for i in range(len(names)) for j in range(len(names)) if i != j}
    told = {(names[i], names[j]): (both, round(both / Y[:, i].sum(), 4)) for (i, j), both in pairs.items() if both}
    assert found == told
    scumble = {label["name"]: label["SCUMBLELbl"] for label in subject.report["labels"]}
    order = spec["encoding"]["y"]["scale"]["domain"]
    assert [scumble[name] for name in order] == sorted(scumble.values(), reverse=True)


def test_cardinality_and_labelsets_count_rows(resampled):
    old, new = resampled.analysis.dataset.Y.toarray(), resampled.new.Y.toarray()
    names = [label.name for label in resampled.analysis.dataset.labels]
    for what, Y in (("the data set", old), ("new rows", new)):
        sizes = {r["labels"]: r["rows"] for r in values(specification(resampled, "cardinality")) if r["what"] == what}
        assert sizes == Counter(Y.sum(axis=1).astype(int).tolist())
        sets = Counter(" + ".join(name for name, set in zip(names, row, strict=True) if set) or "(no label)" for row in Y)
        found = {r["set"]: r["rows"] for r in values(specification(resampled, "labelsets")) if r["what"] == what}
        assert found.items() <= sets.items()
    assert max(Counter(map(tuple, old.tolist())).values()) == max(
        r["rows"] for r in values(specification(resampled, "labelsets")) if r["what"] == "the data set"
    )


def test_features_are_the_weights_that_the_command_prints(here, birds):
    lines = list(csv.DictReader(io.StringIO(here("weights", "birds.arff").stdout.decode())))
    printed = {(line["label"], line["feature"]): float(line["weight"]) for line in lines}
    found = {(row["label"], row["feature"]): row["weight"] for row in values(specification(of_stats(), "features"))}
    assert found.items() <= printed.items()
    first = {line["label"]: line["feature"] for line in reversed(lines)}
    assert set(first.items()) <= found.keys()


def test_parents_lie_where_their_features_say(resampled):
    analysis, new = resampled.analysis, resampled.new
    spec = specification(resampled, "parents:nuthatch")
    label = [one.name for one in analysis.dataset.labels].index("nuthatch")
    own = np.flatnonzero(new.parents[:, 2] == label)
    theta = analysis.thetas([label])[0]
    columns = np.argsort(-theta, kind="stable")[:2]
    E, E_new = (np.asarray(one if isinstance(one, np.ndarray) else one.toarray()) for one in (analysis.E, new.E))

    def places(kind):
        return [(row["row"] - 1, row["x"], row["y"]) for row in values(spec) if row["what"] == kind]

    assert [row for row, _, _ in places("new row")] == (analysis.dataset.n + own).tolist()
    assert sorted(row for row, _, _ in places("seed")) == sorted(set(new.parents[own, 0].tolist()))
    assert sorted(row for row, _, _ in places("reference")) == sorted(set(new.parents[own, 1].tolist()))
    for kind, rows in (("new row", np.vstack([E, E_new])), ("seed", E), ("negative", E), ("positive", E)):
        for row, x, y in places(kind):
            assert (x, y) == pytest.approx(tuple(rows[row, columns]), abs=1e-5)
    assert len(places("positive")) == analysis.dataset.counts[label]


def test_principal_axes_keep_the_labels_distance():
    """Where features have few values; in two dimensions an axis pair is a rotation, so that distances in the plane are d_j."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 2)).astype(float)
    Y = (X[:, :1] + rng.integers(0, 3, (60, 2)) > 3).astype(int)
    analysis = Analysis(dataset(table(X, "X"), labels(Y)), Settings(lambda1=0.1))
    seen = plane(analysis, 0, np.arange(60))
    places = seen.places(analysis.E)
    theta = analysis.thetas([0])[0]
    inside = ((places[:, None] - places) ** 2).sum(axis=2)
    own = (theta * (X[:, None] - X) ** 2).sum(axis=2)
    assert inside == pytest.approx(own)
    assert "principal axis 1" in seen.titles[0]


def test_differences_are_those_of_the_report():
    subject = of_evaluate()
    told = {
        (METRICS[one["metric"]].title, one["learner"], method): (found["mean"], found["error"])
        for one in subject.report["comparison"]
        for method, found in one["differences"].items()
    }
    rows = values(specification(subject))
    found = {(row["metric"][:-2], row["learner"], row["method"]): (row["difference"], row["error"]) for row in rows}
    assert found == told
    for row in rows:
        sign = 1 if row["metric"].endswith("↑") else -1
        assert row["gain"] == sign * row["difference"]
        assert (row["low"], row["high"]) == (row["gain"] - 2 * row["error"], row["gain"] + 2 * row["error"])
        assert (row["ahead"] == "ahead") == (row["low"] > 0)


def test_scores_are_the_values_of_the_folds():
    rows = values(specification(of_evaluate(), "scores:macro_auc"))
    found = {(row["data"], row["learner"], row["method"], row["fold"]): row["value"] for row in rows}
    told = {
        (row["data"], row["learner"], row["method"], fold): value
        for row in of_evaluate().report["results"]
        if row["metric"] == "macro_auc"
        for fold, value in enumerate(row["values"], start=1)
    }
    assert found == told


def test_ranks_are_those_of_the_report_and_bars_join_what_does_not_differ():
    subject = of_evaluate()
    rows = [row for row in values(specification(subject, "ranks:macro_f")) if row["learner"] == "br"]
    compared = next(one for one in subject.report["comparison"] if (one["learner"], one["metric"]) == ("br", "macro_f"))
    assert {row["method"]: row["rank"] for row in rows if row["kind"] == "method"} == compared["average_rank"]
    p = np.array(compared["adjusted_p"])
    bars = [row["method"].split(", ") for row in rows if row["kind"] == "group"]
    place = {method: i for i, method in enumerate(METHODS)}
    assert all(p[place[a], place[b]] >= 0.05 for bar in bars for a in bar for b in bar if a != b)
    assert (p < 0.05).any()


@pytest.mark.parametrize(
    ("apart", "found"),
    [
        ([], ["abcd"]),
        (["ad"], ["abc", "bcd"]),
        (["ab", "ac", "ad"], ["bcd"]),
        (["ab", "bc", "cd", "ac", "ad", "bd"], []),
        (["ac", "ad", "bd"], ["ab", "bc", "cd"]),
    ],
)
def test_groups_of_methods_that_do_not_differ(apart, found):
    assert groups(list("abcd"), lambda one, other: "".join(sorted(one + other)) in apart) == [list(group) for group in found]


def test_the_picture_against_p_has_the_means():
    rows = values(specification(of_evaluate(), "p:micro_f"))
    told = {
        (r["data"], r["learner"], r["method"]): r["mean"] for r in of_evaluate().report["results"] if r["metric"] == "micro_f"
    }
    assert {(row["data"], row["learner"], row["method"]): row["mean"] for row in rows} == told
    assert {row["method"]: row["p"] for row in rows} == {"base": None, "mlros:p=0.1": 0.1, "mlros:p=0.3": 0.3}


# ---- files and the command


@pytest.mark.parametrize(
    ("end", "start"),
    [(".svg", b"<svg "), (".png", b"\x89PNG\r\n"), (".pdf", b"%PDF-"), (".html", b"<!DOCTYPE html>"), (".SVG", b"<svg ")],
)
def test_a_picture_has_the_form_that_its_name_says(end, start, tmp_path):
    path = tmp_path / f"labels{end}"
    draw(of_stats().report, None, str(path))
    assert path.read_bytes().startswith(start)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_picture_as_html_loads_nothing(tmp_path):
    path = tmp_path / "labels.html"
    draw(of_stats(), "labels", str(path))
    assert re.findall(r"<(?:script|link)[^>]* (?:src|href)=", path.read_text()) == []


@pytest.mark.parametrize("picture", [picture.name for picture in pictures_of("resample")])
def test_drawing_changes_no_other_output(picture, here, birds):
    given = ("resample", "birds.arff", "out.arff", "--p", "0.1", "--quiet", "--measures", "sampled", "--sample", "20")
    given += ("--provenance", "parents.csv")
    names = ("out.arff", "out.report.json", "parents.csv")
    assert here(*given).returncode == 0
    plain = [(birds / name).read_bytes() for name in names]
    done = here(*given, "--plot", "picture.svg", "--picture", picture)
    assert (done.returncode, done.stdout) == (0, b"")
    assert [(birds / name).read_bytes() for name in names] == plain
    assert ET.fromstring((birds / "picture.svg").read_bytes()).tag.endswith("svg")


def test_stats_prints_the_same_with_a_picture(here, birds):
    plain = here("stats", "birds.arff")
    drawn = here("stats", "birds.arff", "--plot", "p.png", "--picture", "features")
    assert (drawn.stdout, drawn.stderr) == (plain.stdout, plain.stderr)
    assert (birds / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--plot", "p.gif"), ("p.gif", ".svg, .png, .pdf or .html")),
        (("--plot", "-"), ("-: a picture is",)),
        (("--plot", "p.svg", "--picture", "lables"), ("no picture 'lables'", "did you mean labels?", "local-imbalance")),
        (("--plot", "p.svg", "--picture", "ranks"), ("no picture 'ranks'",)),
        (("--plot", "p.svg", "--picture", "labels:x"), ("takes nothing behind a colon", "'x'")),
        (("--picture", "labels"), ("give --plot FILE",)),
        (("--plot", "p.svg", "--picture", "local-imbalance", "--measures", "fast"), ("needs LImb",)),
    ],
)
@pytest.mark.parametrize("command", [("stats", "birds.arff"), ("resample", "birds.arff", "out.arff")], ids=lambda c: c[0])
def test_wrong_names_are_found_before_the_work(command, given, words, here, birds):
    before = sorted(birds.iterdir())
    done = here(*command, *given)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines)) == (2, 1)
    assert [word for word in words if word not in lines[0]] == []
    assert sorted(birds.iterdir()) == before


@pytest.mark.parametrize("place", ["out.arff", "birds.arff", "birds.xml", "parents.csv"])
def test_a_picture_takes_no_other_place(place, here, birds):
    (birds / "p.svg").symlink_to(place)
    before = {path.name: path.is_file() and path.read_bytes() for path in birds.iterdir()}
    done = here("resample", "birds.arff", "out.arff", "--provenance", "parents.csv", "--plot", "p.svg")
    assert (done.returncode, b"are one file, p.svg" in done.stderr) == (2, True)
    assert {path.name: path.is_file() and path.read_bytes() for path in birds.iterdir()} == before


def test_a_label_that_there_is_not_leaves_nothing(here, birds):
    before = sorted(birds.iterdir())
    done = here("resample", "birds.arff", "out.arff", "--plot", "p.svg", "--picture", "parents:hawfinsh")
    assert (done.returncode, b"there is no label 'hawfinsh' (did you mean hawfinch?)" in done.stderr) == (1, True)
    assert sorted(birds.iterdir()) == before


@pytest.mark.parametrize("command", [("stats", "birds.arff"), ("resample", "birds.arff", "out.arff")], ids=lambda c: c[0])
def test_without_the_package_a_picture_says_what_to_install(command, here, birds, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    before = sorted(birds.iterdir())
    done = here(*command, "--plot", "p.svg")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"lsdmlo: error: pictures need the package vl-convert-python: pip install 'lsdmlo[plots]'\n"
    assert sorted(birds.iterdir()) == before


@pytest.mark.parametrize(
    "given", [("stats", BIRDS, "--measures", "fast"), ("resample", "--help"), ("methods",)], ids=lambda g: g[0]
)
def test_where_nothing_is_drawn_nothing_that_draws_is_loaded(given):
    code = "import sys\nfrom lsdmlo_cli.cli import main\ntry: main()\nfinally: print(sorted(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True).stdout.splitlines()[
        -1
    ]
    assert "'lsdmlo_cli.cli'" in shown
    assert [name for name in ("vl_convert", "altair", "lsdmlo_cli.pictures.drawing") if f"'{name}'" in shown] == []


def test_show_draws_a_report_as_the_command_did(here, birds):
    here("resample", "birds.arff", "out.arff", "--quiet", "--plot", "then.svg")
    plain = here("show", "out.report.json")
    done = here("show", "out.report.json", "--plot", "now.svg")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert (birds / "now.svg").read_bytes() == (birds / "then.svg").read_bytes()
    several = here("show", "out.report.json", "out.report.json", "--plot", "x.svg")
    assert (several.returncode, b"--plot draws one report, and there are 2" in several.stderr) == (2, True)


def test_stats_of_several_data_sets_draws_none(here, birds):
    done = here("stats", "birds.arff", "birds.arff", "--plot", "x.svg")
    assert (done.returncode, b"--plot draws one data set, and there are 2" in done.stderr) == (2, True)
    assert not (birds / "x.svg").exists()


@pytest.mark.parametrize("command", ["stats", "resample", "evaluate"])
def test_the_help_lists_the_pictures(command, here):
    shown = here(command, "--help").stdout.decode()
    assert [picture.typed for picture in pictures_of(command) if f"  {picture.typed} " not in shown] == []


def test_a_picture_needs_what_it_shows():
    with pytest.raises(DataError, match="needs the data set"):
        specification(Subject(of_stats().report), "cooccurrence")
    with pytest.raises(ParameterError, match="evaluate has no picture 'labels'"):
        specification(of_evaluate(), "labels")
    with pytest.raises(DataError, match=r"there is no metric 'macro_g' .*did you mean macro_f"):
        specification(of_evaluate(), "scores:macro_g")


@pytest.mark.parametrize("picture", [picture.name for picture in pictures_of("resample")])
def test_names_of_any_kind_and_no_new_row(picture, arff):
    """Quotes, brackets, a line of 300 letters, a control character, another direction: the file is well-formed all the same."""
    names = ['"</script><b>"', "\u05d0\u05d1\u05d2", "x" * 300, "bell \x07", "plain"]
    quoted = "\n".join("@attribute '" + name + "' {0,1}" for name in names)
    rows = "\n".join(f"{i},{i % 3}," + ",".join(str(int(i % (j + 2) == 0)) for j in range(5)) for i in range(24))
    data = arff(f"@relation r\n@attribute a numeric\n@attribute b numeric\n{quoted}\n@data\n{rows}\n", labels="-5").dataset
    analysis = Analysis(data)
    none = NewRows(analysis.encode(data.X[:0]), data.Y[:0], np.zeros((0, 3), dtype=np.int64))
    report = stats_report(analysis)
    both = {**report, "before": report, "after": report, "synthetic": {}, "removed": 0}
    spec = specification(Subject(both, analysis, none), picture)
    altair.Chart.from_dict(spec, validate=True)
    assert ET.fromstring(drawn(spec)).tag.endswith("svg")


# ---- recommend


@pytest.mark.parametrize(("worth", "ahead"), [(0.04, "ahead"), (0.02, "not ahead")])
def test_gains_are_those_of_the_report_and_ahead_by_t_times_their_error(worth, ahead):
    """Of four folds t is 3.18: 0.04 +- 0.01 is more than noise, 0.02 +- 0.01 is not. What was not measured is left out."""
    rows = values(specification(of_recommend(worth)))
    told = {row["what"]: (row["gain"], row["low"], row["high"], row["ahead"]) for row in rows}
    assert told.pop("the best with rows over the best without rows") == (worth, worth - 0.02, worth + 0.02, ahead)
    assert told.pop("the best with rows over base")[0] == worth
    assert list(told) == ["lsdmlo-pos:p=0.3", "mlros:p=0.1"]
    assert told["mlros:p=0.1"] == (-0.02, -0.03, -0.01, "not ahead")
