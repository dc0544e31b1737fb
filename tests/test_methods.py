"""Every method through the command: options, errors, the list, files and reports; and what dropped rows leave behind."""

import csv
import dataclasses
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import click
import jsonschema
import numpy as np
import oracle
import pytest
from conftest import SCHEMA, cells
from hooks import expanded
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_data import dense_rows, made_up, thetas
from scipy.sparse import csr_array

from lsdmlo_cli import Analysis, LsdmloError, ParameterError, Settings, read, resample, samplers
from lsdmlo_cli.analysis import local_imbalance
from lsdmlo_cli.cli import lsdmlo as command
from lsdmlo_cli.cli.method_options import DEFAULT_METHOD, MethodOption, method_options, options_of, value_type
from lsdmlo_cli.cli.resample import resample as RESAMPLE
from lsdmlo_cli.numeric.neighbors import LabelSearch, Search
from lsdmlo_cli.parameters import Option, parameters
from lsdmlo_cli.samplers import SAMPLERS, Batch, LSDMLOSampler, MLROSSampler, Sample

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
METHOD_OPTIONS = method_options(tuple(SAMPLERS))
BY_NAME = {option.name: option for option in METHOD_OPTIONS}

# options


def test_the_default_method_is_one() -> None:
    assert DEFAULT_METHOD in SAMPLERS


@pytest.mark.parametrize("method", SAMPLERS)
def test_every_field_is_an_option_of_the_command(method: str) -> None:
    params = {param.name: param for param in RESAMPLE.get_params(click.Context(RESAMPLE))}
    for field in dataclasses.fields(SAMPLERS[method]):
        assert params[field.name].opts == [f"--{field.name.replace('_', '-')}"]


@pytest.mark.parametrize("method", SAMPLERS)
def test_the_default_that_is_shown_is_that_of_the_field(method: str) -> None:
    for parameter in parameters(SAMPLERS[method]):
        text = parameter.default_text
        shown = None if " " in text else text or False
        kind = value_type(parameter)
        typed = kind.convert(shown, None, None) if kind and shown is not None else shown
        assert typed == parameter.default or float(typed) == parameter.default


@pytest.mark.parametrize("method", SAMPLERS)
def test_every_help_is_a_sentence(method: str) -> None:
    for parameter in parameters(SAMPLERS[method]):
        assert parameter.option.help[0].isupper() and parameter.option.help[-1] == "."
        assert (parameter.default is None) == (" " in parameter.default_text)


def test_one_name_with_two_kinds_of_values_is_refused() -> None:
    @dataclasses.dataclass(frozen=True)
    class Toy(MLROSSampler):
        name: ClassVar[str] = "toy"
        unlike: Annotated[int, Option("A number.")] = 1

    with pytest.raises(LsdmloError, match=r"^toy and drsmote take different values of --unlike: rename it in toy$"):
        tuple(options_of({**SAMPLERS, "toy": Toy}))


def test_a_field_without_an_option_is_the_programmers_fault() -> None:
    @dataclasses.dataclass(frozen=True)
    class Toy(MLROSSampler):
        extra: int = 1

    with pytest.raises(TypeError, match="the field extra must be annotated"):
        Toy()


def value_of(option: MethodOption) -> list[str]:
    if option.parameter.kind == "switch":
        return []
    return [str(option.parameter.choices[0]) if option.parameter.choices else "1"]


@pytest.mark.parametrize(
    ("method", "option"), [(m, o.name) for o in METHOD_OPTIONS for m in SAMPLERS if m not in o.of], ids="-".join
)
def test_an_option_of_others_is_refused(method: str, option: str) -> None:
    """Before a file is looked at."""
    typed = BY_NAME[option]
    with pytest.raises(click.UsageError) as error:
        arguments = ["resample", "absent.arff", "out.arff", "--method", method, typed.spelled, *value_of(typed)]
        command.main(args=arguments, standalone_mode=False)
    assert str(error.value) == f"{typed.spelled} is not for --method {method}: it is for {', '.join(typed.of)}"


def test_the_refusal_is_a_line_and_status_2(lsdmlo: Callable[..., Any], tmp_path: Path) -> None:
    run = lsdmlo("resample", SAMPLE, "out.arff", "--method", "mlros", "--outliers", "keep")
    assert run.returncode == 2
    assert run.stderr.decode() == (
        "lsdmlo: error: --outliers is not for --method mlros: it is for lsdmlo, lsdmlo-pos (see lsdmlo resample --help)\n"
    )
    assert list(tmp_path.iterdir()) == []
    run = lsdmlo("resample", SAMPLE, "out.arff", "--method", "smote")
    assert run.returncode == 2
    assert all(method in run.stderr.decode() for method in SAMPLERS)


@pytest.mark.parametrize("method", SAMPLERS)
def test_an_option_of_the_method_and_those_of_the_measures_are_taken(method: str) -> None:
    """They come as far as the file, which is not there."""
    own = [option for option in METHOD_OPTIONS if method in option.of and option.name != "rows"]  # not beside p
    arguments = [word for option in own for word in (option.spelled, *value_of(option))]
    measures = "--k 3 --lambda1 2 --lambda2 0 --scale range --tol 0.1 --max-iter 9 --measures sampled --sample 9 --seed 1"
    with pytest.raises(LsdmloError, match="cannot read absent"):
        command.main(
            args=["resample", "absent.arff", "out.arff", "--method", method, *arguments, *measures.split()], standalone_mode=False
        )


def test_help_says_whom_an_option_is_for() -> None:
    """Wherever lines are broken, at a hyphen too."""
    text = "".join(RESAMPLE.get_help(click.Context(RESAMPLE)).split())
    for option in METHOD_OPTIONS:
        assert f"[{option.defaults}]".replace(" ", "") in text


def test_methods_lists_all(lsdmlo: Callable[..., Any]) -> None:
    text = lsdmlo("methods").stdout.decode()
    assert max(map(len, text.splitlines())) <= 100
    blocks = dict(zip(SAMPLERS, text.split("\n\n"), strict=True))
    for method, block in blocks.items():
        words = " ".join(block.split())
        assert words.startswith(f"{method} {SAMPLERS[method].summary} {SAMPLERS[method].publication.citation} ")
        assert [o.name for o in METHOD_OPTIONS if f"{o.spelled}," in f"{words},".replace(" ", ",")] == [
            o.name for o in METHOD_OPTIONS if method in o.of
        ]


@pytest.mark.parametrize("method", SAMPLERS)
def test_a_method_is_described(method: str, lsdmlo: Callable[..., Any]) -> None:
    text = lsdmlo("methods", method).stdout.decode()
    words = " ".join(text.split())
    assert words.startswith(f"{method}: {SAMPLERS[method].summary} ")
    assert SAMPLERS[method].publication.citation in words
    assert all(f"{each.spelled}" in words and each.option.help in words for each in parameters(SAMPLERS[method]))
    assert "Errors:" not in text


def test_publications_as_bibtex(lsdmlo: Callable[..., Any]) -> None:
    entries = re.findall(r"^@\w+\{([\w-]+),$", lsdmlo("methods", "--bibtex").stdout.decode(), re.MULTILINE)
    assert entries == [name for name in SAMPLERS if name not in ("mlrus", "lpros", "lprus")]  # in one publication with mlros
    one = lsdmlo("methods", "lprus", "--bibtex").stdout.decode()
    assert one.startswith("@article{lprus,\n") and "doi = {10.1016/j.neucom.2014.08.091}" in one


# files and reports


@pytest.mark.parametrize("method", SAMPLERS)
def test_rows_that_stay_keep_their_bytes_and_the_figures_hold(method: str, tmp_path: Path) -> None:
    out, parents = tmp_path / "out.arff", tmp_path / "parents.csv"
    small = {"epochs": 2, "latent": 8, "hidden": 8, "decoder_hidden": 8} if method == "aemlo" else {}
    outcome = resample(str(SAMPLE), str(out), SAMPLERS[method](**small), seed=3, provenance=str(parents))
    report = json.loads(json.dumps(outcome.report, allow_nan=False))
    jsonschema.validate(report, SCHEMA)
    assert report["method"] == method

    created, removed = report["synthetic"]["created"], report["removed"]
    before, after = (path.read_bytes().splitlines() for path in (SAMPLE, out))
    lines = iter(before)
    kept = after[: len(before) - removed]
    assert all(line in lines for line in kept)  # in their order
    assert len(after) == len(before) - removed + created
    assert created + removed > 0

    data, result = read(str(SAMPLE)), read(str(out))
    assert result.n == data.n - removed + created
    assert [label["count"] for label in report["after"]["labels"]] == result.counts.tolist()
    with parents.open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [int(line["row"]) for line in table] == list(range(data.n - removed + 1, result.n + 1))
    assert {line["label"] for line in table} <= {"", *(label.name for label in data.labels)}
    assert all(1 <= int(line[parent]) <= data.n for line in table for parent in ("seed", "reference") if line[parent])


@pytest.mark.parametrize(
    ("method", "module", "package", "extra"),
    [("aemlo", "autograd", "autograd", "deep"), ("mlrknnos", "sklearn.svm", "scikit-learn", "evaluate")],
)
def test_a_method_that_lacks_its_library_says_so(
    method: str, module: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParameterError, match=rf"{method} needs {package}: pip install 'lsdmlo\[{extra}\]'"):
        resample(str(SAMPLE), str(tmp_path / "out.arff"), SAMPLERS[method]())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", [m for m in BY_NAME["p"].of if m != "rhwrsmt"])  # it halves rows whatever p is
def test_p_0_leaves_the_file_as_it_is(method: str, tmp_path: Path) -> None:
    small = tmp_path / "small.arff"
    header = b"@relation 'r: -C 2'\r\n@attribute y {0,1}\r\n@attribute z {0,1}\n@attribute x real\n@data\n"
    small.write_bytes(header + b"0,1,2\r\n0,1,3\n1,0,7")
    resample(str(small), str(tmp_path / "out.arff"), SAMPLERS[method](p=0), Settings(measures="fast"))
    assert (tmp_path / "out.arff").read_bytes() == small.read_bytes()


@dataclasses.dataclass(frozen=True)
class Halves:
    """Drops some rows and adds copies of them, a single one without naming its seed."""

    name: ClassVar[str] = "halves"
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    dropped: tuple[int, ...] = (0, 4, 5)
    copies: bool = True

    def sample(self, analysis: Analysis, rng: np.random.Generator) -> Sample:
        keep = np.ones(analysis.dataset.n, dtype=bool)
        rows = np.array(self.dropped, dtype=np.int64)
        keep[rows] = False
        nobody = np.full(len(rows), -1)
        X, Y = analysis.dataset.X[rows], analysis.dataset.Y[rows].toarray() != 0
        empty = Batch(X[:0], Y[:0], rows[:0], rows[:0], rows[:0])
        batches = [empty, Batch(X, Y, nobody if len(rows) == 1 else rows, nobody, nobody)]
        return Sample(batches if self.copies else (), len(rows) if self.copies else 0, keep)


TOY = "@relation 'toy: -C 2'\n@attribute y {0,1}\n@attribute z {0,1}\n@attribute x numeric\n@attribute c {u,'v w'}\n@data\n"
ROWS = ["1,0,0.50,u", "{0 1,2 1}", "0,1, 2 ,'v w' % two", "0,0,3,u", "{1 1,2 4}", "1,1,5,'v w'"]


def test_dropped_rows_go_and_others_follow_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "toy.arff").write_text(TOY + "% one\n" + "\n\n".join(ROWS))
    outcome = resample(str(tmp_path / "toy.arff"), str(tmp_path / "out.arff"), Halves(), provenance=str(tmp_path / "p.csv"))
    kept = [ROWS[1], "", ROWS[2], "", ROWS[3], "", ""]  # row 4 goes with its line end, row 5 has none
    assert (tmp_path / "out.arff").read_text() == TOY + "% one\n\n" + "\n".join(kept) + "\n1,0,0.5,u\n{1 1,2 4}\n1,1,5,'v w'\n"
    assert outcome.report["synthetic"]["requested"] == outcome.report["synthetic"]["created"] == 3
    assert outcome.report["removed"] == 3
    assert (tmp_path / "p.csv").read_text().splitlines() == ["row,seed,reference,label", "4,1,,", "5,5,,", "6,6,,"]


def test_rows_without_a_seed_take_the_first_row_s_form(tmp_path: Path) -> None:
    (tmp_path / "toy.arff").write_text(TOY + "\n".join(ROWS[1:]))
    resample(str(tmp_path / "toy.arff"), str(tmp_path / "out.arff"), Halves(dropped=(4,)), Settings(measures="fast"))
    assert (tmp_path / "out.arff").read_text() == TOY + "\n".join(ROWS[1:5]) + "\n{0 1,1 1,2 5,3 'v w'}\n"


def test_the_closing_line_tells_what_was_removed(tmp_path: Path) -> None:
    from lsdmlo_cli.pipeline import closing_line

    (tmp_path / "toy.arff").write_text(TOY + "\n".join(ROWS))
    outcome = resample(str(tmp_path / "toy.arff"), str(tmp_path / "out.arff"), Halves(copies=False), Settings(measures="fast"))
    assert closing_line(outcome) == "6 rows, 0 added, 3 removed; MeanIR 1.000 -> 1.000"


@pytest.mark.parametrize("dropped", [(), tuple(range(6)), (0, 1, 2, 3, 4)])
def test_all_or_nothing_may_go(dropped: tuple[int, ...], tmp_path: Path) -> None:
    (tmp_path / "toy.arff").write_text(TOY + "\n".join(ROWS))
    outcome = resample(str(tmp_path / "toy.arff"), str(tmp_path / "out.arff"), Halves(dropped, copies=False))
    jsonschema.validate(json.loads(json.dumps(outcome.report, allow_nan=False)), SCHEMA)
    left = cells(read(str(tmp_path / "out.arff")))
    assert left == [row for i, row in enumerate(cells(read(str(tmp_path / "toy.arff")))) if i not in dropped]
    measured = [outcome.report["after"]["measures"]["LImb"] is not None, len(left) >= 2]
    assert measured[0] == measured[1]


# neighbours after rows were dropped


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 7), st.sampled_from([0.03, 0.3, 0.8]), st.sampled_from([0, 1, 12]), st.booleans())
@example(0, 1, 0.03, 1, False)
@example(1, 6, 0.8, 0, False)
@example(96430, 1, 0.8, 1, False)  # one row is left, and none for it to find
@example(510510, 1, 0.03, 12, False)  # as many positives among the new rows, of all labels, as there are new rows
def test_figures_after_are_those_of_a_full_search(seed: int, k: int, share: float, new: int, sampled: bool) -> None:
    data = made_up(seed)
    rng = np.random.default_rng(seed)
    analysis = Analysis(data, Settings(k=k, measures="sampled" if sampled else "all", sample=10**6))
    if rng.random() < 0.5:
        local_imbalance.before(analysis)
    keep = rng.random(data.n) >= share
    old = dense_rows(data.X)
    X = np.vstack([old, old[rng.integers(data.n, size=new)] + rng.integers(2, size=(new, data.d)) / 2])
    Y = np.vstack([data.Y.toarray(), rng.random((new, data.q)) < 0.3]).astype(int)
    E = analysis.encode(X[data.n :] if isinstance(data.X, np.ndarray) else csr_array(X[data.n :]))
    found = local_imbalance.after(analysis, E if new else None, csr_array(Y[data.n :].astype(float)), keep)
    whole = np.append(keep, np.ones(new, dtype=bool))
    X, Y = X[whole], Y[whole]
    assert (found.Y.toarray() == Y).all()
    k_left = min(k, len(X) - 1)
    for mine, theta in ((found.limb, None), (found.limb_lsd, thetas(analysis))):
        _, expected = oracle.limb(X, Y, k_left, theta)
        assert np.allclose(mine, [np.nan if share is None else share for share in expected], equal_nan=True, rtol=1e-12)


def test_lists_that_lost_no_row_are_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = Analysis(made_up(1), Settings(k=2))
    local_imbalance.before(analysis)
    known = analysis.label_neighbors.of_labels(range(analysis.dataset.q)).values()
    keep = np.ones(analysis.dataset.n, dtype=bool)
    keep[3] = False
    searched: list[int] = []
    searched_by_label: list[int] = []
    search, search_by_label = Search.of_rows, LabelSearch.of_rows

    def counted(self: Search, rows: Any, k: int) -> Any:
        searched.append(len(rows))
        return search(self, rows, k)

    def counted_by_label(self: LabelSearch, rows: Any, label: Any, k: int) -> Any:
        searched_by_label.extend(np.bincount(label, minlength=len(self.theta)))
        return search_by_label(self, rows, label, k)

    monkeypatch.setattr(Search, "of_rows", counted)
    monkeypatch.setattr(LabelSearch, "of_rows", counted_by_label)
    local_imbalance.after(analysis, None, csr_array((0, analysis.dataset.q)), keep)
    labelled = analysis.dataset.Y.sum(axis=1) > 0  # no other row is looked at
    assert searched == [(analysis.euclidean.index[keep & labelled] == 3).any(axis=1).sum()]
    lists = [of.neighbors.index[keep[of.rows]] for of in known if keep[of.rows].any()]
    assert searched_by_label == [(index == 3).any(axis=1).sum() for index in lists]


def test_positives_are_searched_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = range(made_up(1).q)
    whole = [Analysis(made_up(1), Settings(k=2)).label_neighbors.of_labels([j])[j] for j in labels]
    monkeypatch.setattr("lsdmlo_cli.analysis.neighbor_store.POSITIVES_AT_ONCE", 3)
    parted = Analysis(made_up(1), Settings(k=2), threads=2).label_neighbors.of_labels(labels)
    assert list(parted) == list(labels)
    for j, (rows, neighbors) in enumerate(whole):
        np.testing.assert_array_equal(parted[j].rows, rows)
        for one, other in zip(parted[j].neighbors, neighbors, strict=True):
            np.testing.assert_array_equal(one, other)


def test_what_the_command_makes_is_what_the_default_sampler_makes(tmp_path: Path) -> None:
    resample(str(SAMPLE), str(tmp_path / "1.arff"), seed=2)
    resample(str(SAMPLE), str(tmp_path / "2.arff"), samplers.SAMPLERS[DEFAULT_METHOD](), seed=2)
    resample(str(SAMPLE), str(tmp_path / "3.arff"), LSDMLOSampler(p=0.1), seed=2)
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes() == (tmp_path / "3.arff").read_bytes()


@pytest.mark.parametrize("method", ["mlrus", "remedial"])
def test_small_memory_changes_no_figure(method: str, tmp_path: Path) -> None:
    one = resample(str(SAMPLE), str(tmp_path / "1.arff"), SAMPLERS[method]())
    other = resample(str(SAMPLE), str(tmp_path / "2.arff"), SAMPLERS[method](), memory_bytes=1, threads=2)
    assert one.report == other.report
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes()


@pytest.mark.parametrize("method", SAMPLERS)
def test_the_page_of_methods_lists_the_method_with_its_options(method: str) -> None:
    text = expanded((ROOT / "docs" / "methods.md").read_text(encoding="utf-8"))
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {method} |") and "`--" in line)
    own = {option.spelled for option in METHOD_OPTIONS if method in option.of}
    assert set(re.findall(r"`(--[\w-]+)`", line)) == own
