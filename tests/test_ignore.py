"""Features that are ignored: carried from the seed, out of every distance and figure; the hint at those that look like ids."""

import dataclasses
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from conftest import SCHEMA, public
from made_data import MADE, dataset, dense_rows, numbers_alone
from sampling import drawn, every_method, same, together
from scipy.sparse import csr_array

from lsdmlo_cli import (
    ESTIMATORS,
    Analysis,
    Attribute,
    DataError,
    Dataset,
    ParameterError,
    Settings,
    analyse,
    read,
    resample,
    stats,
)
from lsdmlo_cli.analysis.features import identifier_columns, identifier_hints
from lsdmlo_cli.cli import lsdmlo as command
from lsdmlo_cli.numeric.identifiers import MOST_COLUMNS, identifiers
from lsdmlo_cli.numeric.matrix import Stack
from lsdmlo_cli.samplers import LSDMLOSampler
from lsdmlo_cli.weights_table import weights_table

ADDED = (
    Attribute("id", "integer", ignored=True),
    Attribute("note, of a kind", "nominal", ("a", "b", "c"), ignored=True),
    Attribute("weight", "numeric", ignored=True),
)
PLACES = (0, 4, 7)
"""Where the columns that are ignored stand among the others."""


def with_ignored(data: Dataset) -> Dataset:
    """The data set with three more columns, large, missing in places and not whole, that are to be ignored."""
    rng = np.random.default_rng(data.n)
    added = np.column_stack([1e6 * rng.permutation(data.n), rng.integers(0, 3, data.n), 1e9 * rng.normal(size=data.n)])
    added[rng.random(added.shape) < 0.2] = np.nan
    added[rng.random(added.shape) < 0.2] = 0
    width = data.d + len(PLACES)
    others = np.setdiff1d(np.arange(width), PLACES)
    X = np.empty((data.n, width))
    X[:, others], X[:, PLACES] = dense_rows(data.X), added
    features = np.empty(width, dtype=object)
    features[others], features[list(PLACES)] = data.features, ADDED
    texts = {int(others[j]): table for j, table in data.texts.items()}
    form = csr_array(X) if isinstance(data.X, csr_array) else X
    return dataclasses.replace(data, X=form, features=tuple(features), texts=texts)


@every_method
@pytest.mark.parametrize("made", [name for name, data in MADE.items() if data.d > 2])
def test_other_columns_are_as_without_it_and_it_is_the_seeds(name: str, made: str) -> None:
    data = MADE[made]
    wide = with_ignored(data)
    (plain_analysis, plain, batches), (analysis, sample, wide_batches) = drawn(name, data), drawn(name, wide)
    (X, *rest), (X_wide, *wide_rest) = together(batches, data), together(wide_batches, wide)
    seeds = rest[1]
    assert np.array_equal(np.delete(X_wide, PLACES, axis=1), X, equal_nan=True)
    assert np.array_equal(X_wide[:, PLACES], dense_rows(wide.X)[seeds][:, PLACES], equal_nan=True)
    assert same(rest, wide_rest)
    assert np.array_equal(plain.kept(data.n), sample.kept(data.n)) and plain.requested == sample.requested
    assert plain_analysis.warnings == analysis.warnings
    assert (plain.reason, plain.warnings) == (sample.reason, sample.warnings)


@pytest.mark.parametrize("scale", ["none", "range", "std"])
@pytest.mark.parametrize("made", ["dense", "sparse", "missing"])
def test_nothing_is_learned_from_it(made: str, scale: str) -> None:
    data = MADE[made]
    plain, wide = (Analysis(each, Settings(scale=scale)) for each in (data, with_ignored(data)))
    assert np.array_equal(dense_rows(plain.E), dense_rows(wide.E))
    assert (plain.feature_weights.W != wide.feature_weights.W).nnz == 0
    assert np.array_equal(plain.euclidean.index, wide.euclidean.index)
    assert weights_table(plain) == weights_table(wide)
    assert wide.dataset.d_used == data.d and wide.dataset.ignored == [attribute.name for attribute in ADDED]


# files

HEADER = "@relation 'toy: -C 2'\n@attribute 'L, one' {0,1}\n@attribute LB {0,1}\n"


def toy(path: Path, ids: bool, n: int = 40) -> Path:
    """40 rows of two numbers, with or without an id, one of a large number, and a nominal column, in dense and sparse rows."""
    rng = np.random.default_rng(3)
    lines = [HEADER + "@attribute 'row, id' numeric\n" * ids + "@attribute x numeric\n@attribute y numeric\n"]
    lines += ["@attribute it's {u,'v w'}\n".replace("it's", '"it\'s"') * ids + "@data\n"]
    for i in range(n):
        x, y = rng.normal(size=2).round(3)
        own = [f"{7 * i + 1000}", "?", "0"][min(i % 11, 2) if i % 11 in (1, 2) else 0]
        cells = [str(int(i % 2)), str(int(i % 5 == 0)), *[own] * ids, str(x), str(y), *[("u", "'v w'", "?")[i % 3]] * ids]
        sparse_row = "{" + ",".join(f"{j} {cell}" for j, cell in enumerate(cells) if cell not in ("0", "u")) + "}"
        lines += [(sparse_row if i % 4 == 3 else ",".join(cells)) + "\n"]
    path.write_text("".join(lines))
    return path


IGNORED = ["row, id", "it's"]


def test_a_file_with_it_is_the_file_without_it(tmp_path: Path) -> None:
    plain, wide = toy(tmp_path / "plain.arff", False), toy(tmp_path / "wide.arff", True)
    outcomes = [
        resample(
            str(path), str(path.with_suffix(".out.arff")), LSDMLOSampler(p=0.5), ignore=ignore, provenance=str(path) + ".csv"
        )
        for path, ignore in ((plain, None), (wide, IGNORED))
    ]
    reports = [outcome.report for outcome in outcomes]
    jsonschema.validate(json.loads(json.dumps(reports[1], allow_nan=False)), SCHEMA)
    assert reports[1]["parameters"].pop("ignore") == IGNORED
    names = [report["dataset"].pop("file") for report in reports]
    assert names == ["plain.arff", "wide.arff"]
    digests = {part.pop("sha256") for report in reports for part in (report["dataset"], report["output"])}
    assert len(digests) == 4
    assert reports[0] == reports[1]
    assert reports[0]["dataset"]["d"] == 2
    new, new_wide = (read(str(path.with_suffix(".out.arff"))) for path in (plain, wide))
    assert np.array_equal(dense_rows(new.X), dense_rows(new_wide.X)[:, 1:3])
    table = [line.split(",") for line in Path(str(wide) + ".csv").read_text().splitlines()[1:]]
    X = dense_rows(new_wide.X)
    assert [[X[int(row) - 1, j] for j in (0, 3)] for row, *_ in table] == [
        pytest.approx([X[int(seed) - 1, j] for j in (0, 3)], nan_ok=True, abs=0) for _, seed, *_ in table
    ]
    assert len(table) == 20 and np.isnan(X[40:, [0, 3]]).any()


def test_the_missing_mark_of_the_seed_is_written(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{int(i % 5 == 0)},?,{i * i % 17},{i % 7}.5\n" for i in range(30))
    (tmp_path / "in.arff").write_text(HEADER + "@attribute a numeric\n@attribute x numeric\n@attribute y numeric\n@data\n" + rows)
    resample(str(tmp_path / "in.arff"), str(tmp_path / "out.arff"), LSDMLOSampler(p=0.5), ignore=["a"])
    new = (tmp_path / "out.arff").read_text().splitlines()[-15:]
    assert all(row.split(",")[2] == "?" for row in new)


@pytest.mark.parametrize(
    "typed",
    [
        ["'row, id',it's"],
        ['"row, id"', "it's"],
        ["it's", "'row, id'", "it's"],
        [r" 'row, id' , 'it\'s'"],
    ],
)
def test_names_on_the_command_line(typed: list[str], tmp_path: Path, lsdmlo: Callable[..., Any]) -> None:
    wide = toy(tmp_path / "wide.arff", True)
    options = [word for names in typed for word in ("--ignore", names)]
    run = lsdmlo("stats", wide, "--measures", "fast", *options)
    assert json.loads(run.stdout) == stats(str(wide), Settings(measures="fast"), ignore=IGNORED)
    assert lsdmlo("weights", wide, *options).stdout == weights_table(analyse(str(wide), ignore=IGNORED))
    assert lsdmlo("resample", wide, "1.arff", *options).returncode == 0
    resample(str(wide), str(tmp_path / "2.arff"), ignore=[0, 3])
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes()
    assert (tmp_path / "1.report.json").exists()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("row id", "ignore names 'row id', which is no column of wide.arff (did you mean row, id?)"),
        ("X", "ignore names 'X', which is no column of wide.arff (did you mean x?)"),
        ("LB", "ignore names 'LB', which is a label of wide.arff: only features can be ignored"),
        ("'L, one'", "ignore names 'L, one', which is a label of wide.arff: only features can be ignored"),
        (",", "Invalid value for '--ignore': ',' must be names of features, separated by commas (see lsdmlo stats --help)"),
        ("''", "Invalid value for '--ignore': \"''\" must be names of features, separated by commas (see lsdmlo stats --help)"),
    ],
)
def test_names_that_there_are_not(typed: str, says: str, tmp_path: Path, lsdmlo: Callable[..., Any]) -> None:
    toy(tmp_path / "wide.arff", True)
    run = lsdmlo("stats", "wide.arff", "--ignore", typed)
    assert (run.returncode, run.stdout, run.stderr.decode()) == (2, b"", f"lsdmlo: error: {says}\n")


def test_a_name_alone_is_no_list(tmp_path: Path) -> None:
    wide = str(toy(tmp_path / "wide.arff", True))
    with pytest.raises(ParameterError, match=r"^ignore must be a list of columns, .*, not 'x': for one column write \['x'\]$"):
        read(wide, ignore="x")
    with pytest.raises(ParameterError, match=r"^ignore must be a list of columns, .*, not 3: for one column write \[3\]$"):
        read(wide, ignore=3)  # type: ignore[arg-type]
    assert read(wide, ignore=["x"]).ignored == read(wide, ignore=[-3]).ignored == ["x"]
    assert read(wide).ignored == read(wide, ignore=[]).ignored == []


def test_with_all_ignored_there_is_nothing_to_learn_from(tmp_path: Path) -> None:
    wide = str(toy(tmp_path / "wide.arff", True))
    with pytest.raises(DataError, match=r"no features to work on \(every attribute is a label, a string, a date or ignored\)$"):
        resample(wide, str(tmp_path / "out.arff"), ignore=["x", "y", *IGNORED])
    report = stats(wide, ignore=["x", "y", *IGNORED])
    assert (report["dataset"]["d"], report["measures"]["TCS"], report["measures"]["LImb"]) == (0, None, None)


def test_numbers_too_large_for_distances_may_be_ignored(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{int(i % 5 == 0)},1e200,{i % 7}.5\n" for i in range(30))
    (tmp_path / "in.arff").write_text(HEADER + "@attribute a numeric\n@attribute x numeric\n@data\n" + rows)
    with pytest.raises(DataError, match="distances would overflow"):
        stats(str(tmp_path / "in.arff"))
    assert stats(str(tmp_path / "in.arff"), ignore=["a"])["warnings"] == []


# arrays


@pytest.mark.parametrize("method", ["lsdmlo", "mlsmote", "drsmote", "mlros", "mlrus"])
def test_estimators_ignore_columns(method: str) -> None:
    X, Y = numbers_alone()
    ids = 10**17 + 10**6 * np.arange(len(X))[::-1]
    wide = np.column_stack([X[:, :2], ids.astype(float), X[:, 2:]])
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "id": ids, "c": X[:, 2], "d": X[:, 3]})
    plain = ESTIMATORS[method]()
    X2, Y2 = plain.fit_resample(X, Y)
    for data, ignore in ((wide, [2]), (csr_array(wide), [-3]), (frame, ["id"]), (frame, [False, False, True, False, False])):
        estimator = ESTIMATORS[method](ignore=ignore)
        found, Y_found = estimator.fit_resample(data, Y)
        assert np.array_equal(np.asarray(Y_found), Y2)
        cells = dense_rows(getattr(found, "to_numpy", lambda found=found: found)())
        assert np.array_equal(np.delete(cells, 2, axis=1).astype(float), X2)
        rows = np.append(estimator.sample_indices_, estimator.provenance_.seed)
        assert np.array_equal(cells[:, 2], dense_rows(getattr(data, "to_numpy", lambda data=data: data)())[rows, 2])
    assert frame.dtypes["id"] == ESTIMATORS[method](ignore=["id"]).fit_resample(frame, Y)[0].dtypes["id"] == np.int64


def test_wrong_columns_of_estimators() -> None:
    X, Y = numbers_alone()
    for wrong, says in (([4], "ignore names 4, which is no column of X"), ([True], "ignore is a mask of length 1, but X has 4")):
        with pytest.raises(ParameterError, match=says):
            ESTIMATORS["lsdmlo"](ignore=wrong).fit_resample(X, Y)


def test_an_estimator_brings_what_it_ignores(tmp_path: Path) -> None:
    wide = str(toy(tmp_path / "wide.arff", True))
    resample(wide, str(tmp_path / "1.arff"), ESTIMATORS["lsdmlo"](ignore=IGNORED))
    resample(wide, str(tmp_path / "2.arff"), ignore=IGNORED)
    resample(wide, str(tmp_path / "3.arff"), ESTIMATORS["lsdmlo"](ignore=["x"]), ignore=IGNORED)
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes() == (tmp_path / "3.arff").read_bytes()


# evaluate


def test_evaluate_ignores(tmp_path: Path) -> None:
    plain, wide = toy(tmp_path / "plain.arff", False), toy(tmp_path / "wide.arff", True)
    asked = ["--learners", "mlknn", "--cv", "1x2", "--jobs", "1", "--quiet", "--methods", "base,mlros"]
    command.main(["evaluate", str(plain), "--out", str(tmp_path / "1"), *asked], standalone_mode=False)
    ignore = ["--ignore", '"row, id"', "--ignore", "it's"]
    command.main(["evaluate", str(wide), *ignore, "--out", str(tmp_path / "2"), *asked], standalone_mode=False)
    one, other = (json.loads((tmp_path / place / "results.json").read_text()) for place in "12")
    assert json.dumps(one["results"]).replace("plain", "wide") == json.dumps(other["results"])
    with pytest.raises(ParameterError, match=r"which is a label of wide\.arff"):
        command.main(["evaluate", str(wide), "--ignore", "LB", "--out", str(tmp_path / "3"), *asked], standalone_mode=False)


# what looks like an id


def features(*columns: Any) -> np.ndarray:
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])


N = 60
RNG = np.random.default_rng(0)
IDS = {
    "running": np.arange(N),
    "running from 1": np.arange(1, N + 1),
    "steps of 7": 100_000 + 7 * np.arange(N),
    "in no order": RNG.permutation(N),
    "with gaps": np.sort(RNG.choice(1000, N, replace=False)),
    "large and in no order": RNG.choice(10**9, N, replace=False),
    "falling, below 0": -np.arange(N),
}
OTHERS = {
    "one twice": np.append(np.arange(N - 1), 0),
    "not all whole": np.append(np.arange(N - 1), 0.5),
    "one missing": np.append(np.arange(N - 1), np.nan),
    "counts": RNG.integers(0, 100, N),
    "0 and 1": np.arange(N) % 2,
    "measured": RNG.normal(size=N),
    "constant": np.ones(N),
}


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("step", [1, 7, 10**6])
def test_ids_and_nothing_else_are_hinted_at(form: Callable[..., Any], step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one block of rows as in many."""
    monkeypatch.setattr("lsdmlo_cli.numeric.matrix._BLOCK_CELLS", step)
    for column in IDS.values():
        X = features(*OTHERS.values(), column)
        assert identifiers(form(X), np.ones(X.shape[1], dtype=bool)).tolist() == [len(OTHERS)]
    assert identifiers(form(features(*OTHERS.values())), np.ones(len(OTHERS), dtype=bool)).tolist() == []
    assert identifiers(form(features(IDS["running"], IDS["running"])), np.array([False, True])).tolist() == [1]


def test_few_rows_and_many_such_columns_are_no_sign_of_ids() -> None:
    assert identifiers(features(np.arange(19)), np.ones(1, dtype=bool)).tolist() == []
    assert identifiers(features(np.arange(20)), np.ones(1, dtype=bool)).tolist() == [0]
    for columns, found in ((MOST_COLUMNS, MOST_COLUMNS), (MOST_COLUMNS + 1, 0)):
        intensities = features(*(RNG.choice(10**6, N, replace=False) for _ in range(columns)))
        assert len(identifiers(intensities, np.ones(columns, dtype=bool))) == found


def test_ids_in_a_file_of_numbers() -> None:
    """A matrix that does not fit in memory, and one without rows or columns."""
    stack = Stack(3, most_bytes=0, dense=True)
    for start in range(0, 6000, 1000):
        part = np.arange(start, start + 1000)
        stack.append(features(part, part % 5999, part / 3))
    assert identifiers(stack.finish(), np.ones(3, dtype=bool)).tolist() == [0]
    assert identifiers(np.zeros((0, 3)), np.ones(3, dtype=bool)).tolist() == []
    assert identifiers(np.zeros((30, 0)), np.ones(0, dtype=bool)).tolist() == []


def hints_of(data: Dataset) -> list[str]:
    return identifier_hints(data, identifier_columns(data))


def hinted(*columns: Any, names: tuple[Attribute, ...] | None = None) -> list[str]:
    X = features(*columns)
    return hints_of(dataset(X, np.arange(len(X))[:, np.newaxis] % 2, names))


def test_the_hint_names_the_column_and_the_way_out() -> None:
    id_and_more = (Attribute("a,b", "numeric"), Attribute("x", "numeric"))
    assert hinted(IDS["running"], OTHERS["measured"], names=id_and_more) == [
        "attribute 'a,b' looks like an identifier: its values are 60 different whole numbers, which count in every distance; "
        "leave it out with --ignore '\"a,b\"' (in Python: ignore=[...])"
    ]
    assert hinted(IDS["running"]) == []  # nothing else would be left
    ignored = tuple(dataclasses.replace(attribute, ignored=True) for attribute in id_and_more[:1])
    assert hinted(IDS["running"], OTHERS["measured"], names=(*ignored, id_and_more[1])) == []
    words = (Attribute("a", "string"), Attribute("x", "numeric"))
    assert hinted(np.arange(1, 61), OTHERS["measured"], names=words) == []


@pytest.mark.parametrize("name", ["id", "row id", "a,b", "it's", 'say "so"', "back\\slash, so", "'quoted'", "$HOME"])
def test_the_way_out_is_one_for_a_shell(name: str, tmp_path: Path, fresh_python: Path) -> None:
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    rows = "".join(f"{i % 2},{int(i % 5 == 0)},{i * 3},{i % 7}.5\n" for i in range(30))
    (tmp_path / "in.arff").write_text(HEADER + f"@attribute '{quoted}' numeric\n@attribute x numeric\n@data\n" + rows)
    (hint,) = stats(str(tmp_path / "in.arff"), Settings(measures="fast"))["warnings"]
    option = hint.partition("leave it out with ")[2].removesuffix(" (in Python: ignore=[...])")
    line = f"{fresh_python} -m lsdmlo_cli stats in.arff --measures fast {option}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)["parameters"]["ignore"] == [name]
    assert done.stderr == b""


def test_a_hint_stands_on_standard_error_and_in_the_report(tmp_path: Path, lsdmlo: Callable[..., Any]) -> None:
    rows = "".join(f"{i % 2},{int(i % 5 == 0)},{i * 3},{i % 7}.5\n" for i in range(30))
    (tmp_path / "in.arff").write_text(HEADER + "@attribute id numeric\n@attribute x numeric\n@data\n" + rows)
    run = lsdmlo("resample", "in.arff", "out.arff")
    report = json.loads((tmp_path / "out.report.json").read_text())
    hint = next(warning for warning in report["warnings"] if warning.startswith("attribute 'id' looks like an identifier"))
    assert f"lsdmlo: warning: in.arff: {hint}\n" in run.stderr.decode()
    X, Y = numbers_alone()
    with pytest.warns(UserWarning, match="attribute '0' looks like an identifier"):
        ESTIMATORS["lsdmlo"]().fit_resample(np.column_stack([np.arange(len(X)), X]), Y)


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["emotions", "flags", "yeast", "CAL500", "foodtruck", "birds-train", "Corel5k-sparse", "stackex-chess", "medical"]
)
def test_no_real_data_set_has_an_id(name: str) -> None:
    assert hints_of(public(name)) == []


def test_the_garden_birds_have_no_id() -> None:
    sample = Path(__file__).resolve().parents[1] / "sample_data" / "garden-birds.arff"
    assert hints_of(read(str(sample))) == []
