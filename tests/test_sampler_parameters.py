"""How many rows a sampler is told to make, and which values its parameters may have."""

import dataclasses
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import jsonschema
import numpy as np
import pytest
from conftest import SCHEMA
from made_data import MADE, numbers, numbers_alone
from sampling import OPTIONS, REMOVES, drawn, sampler, together

from lsdmlo_cli import ESTIMATORS, Analysis, DataError, ParameterError, Settings, cautions, resample
from lsdmlo_cli.checks import shown
from lsdmlo_cli.cli import lsdmlo as command
from lsdmlo_cli.numeric.labelsets import label_counts
from lsdmlo_cli.samplers import SAMPLERS, MLBOTESampler
from lsdmlo_cli.samplers.base import rows_for
from lsdmlo_cli.samplers.mlbote import needy_labels

SIZED = [name for name, method in SAMPLERS.items() if "rows" in {field.name for field in dataclasses.fields(method)}]
REMOVING = ["mlrus", "lprus", "mlul"]
STOPS_EARLY = {"mlros", "lpros", "mlonc", "aemlo", "mlrus", "lprus", "mlbote"}
"""Methods that may make or remove fewer rows than they are told to, with a warning."""

every_sized = pytest.mark.parametrize("name", SIZED)

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data" / "garden-birds.arff"


# p as it is typed or computed


@pytest.mark.parametrize("n", [*range(1, 60), 60, 97, 100, 120, 593, 1000, 2417])
def test_a_quotient_gives_the_rows_it_was_made_from(n: int) -> None:
    """Doubles, fractions, and decimals of 16, 17 and 20 digits, the last cut off."""
    for m in range(3 * n + 1):
        typed = [f"{m / n:.16g}", f"{m / n:.17g}", repr(m / n), f"{m * 10**20 // n}e-20"]
        asked = [m / n, np.float64(m) / n, Fraction(m, n), *(Decimal(text) for text in typed)]
        assert [rows_for(p, n) for p in asked] == [m] * len(asked)


@pytest.mark.parametrize("n", [7, 60, 100, 593, 10**6])
def test_what_is_clearly_less_is_not_rounded_up(n: int) -> None:
    for m in {1, 2, n // 3, n - 1, n, 2 * n}:
        assert rows_for((m - 1e-6) / n, n) == m - 1
        assert rows_for(Decimal(m) / n * (1 - Decimal("1e-14")), n) == m - 1


def test_decimals_are_exact() -> None:
    for n in (1, 10, 100, 999, 28_596):
        for hundredths in range(250):
            assert rows_for(hundredths / 100, n) == rows_for(Decimal(hundredths) / 100, n) == hundredths * n // 100


@pytest.mark.parametrize("m", [7, 11, 20, 40])
def test_a_quotient_on_the_command_line(m: int, tmp_path: Path) -> None:
    """The file has 300 rows."""
    out = tmp_path / "out.arff"
    arguments = ["resample", str(SAMPLE), str(out), "--p", repr(m / 300), "--measures", "fast", "--quiet"]
    command.main(arguments, standalone_mode=False)
    made = json.loads((tmp_path / "out.report.json").read_text())["synthetic"]
    assert (made["requested"], made["created"]) == (m, m)


def test_a_quotient_of_label_pairs_keeps_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """ceil(tr pairs) does not go one up where the quotient was rounded up, as that of 5 / 49 is."""
    from lsdmlo_cli.samplers import lsdmlo

    kept: list[Fraction] = []
    inner = lsdmlo.correlated_labels
    monkeypatch.setattr(lsdmlo, "correlated_labels", lambda YtY, tr: kept.append(tr) or inner(YtY, tr))
    analysis = Analysis(MADE["two batches"])
    asked = [m / 49 for m in range(1, 50)] + [0.1, Decimal("0.29"), 1]
    for tr in asked:
        SAMPLERS["lsdmlo"](tr=tr).instance_weights(analysis)
    assert [math.ceil(tr * 49) for tr in kept[:49]] == list(range(1, 50))
    assert [math.ceil(tr * 100) for tr in kept[49:]] == [10, 29, 100]


# rows in place of p


@every_sized
@pytest.mark.parametrize("rows", [0, 1, 13, 59])
def test_as_many_rows_as_told(name: str, rows: int) -> None:
    data = MADE["dense"]
    _, sample, batches = drawn(name, data, p=None, rows=rows)
    halves = 2 * int((~sample.keep).sum()) if name == "rhwrsmt" else 0
    removed = int((~sample.keep).sum()) if name in REMOVING else 0
    done = sum(len(batch.seeds) for batch in batches) - halves + removed
    assert done == rows or (name in STOPS_EARLY and done < rows)
    counts = label_counts(data.Y[sample.kept(data.n)]) + sum(batch.Y.sum(axis=0) for batch in batches)
    method, made = sampler(name, p=None, rows=rows), sum(len(batch.seeds) for batch in batches)
    result = cautions.of_result(data, method, sample, made, counts)
    told = [warning for warning in result if warning.startswith((f"stopped after {done} of {rows} rows", "no row is added"))]
    assert len(told) == (done < rows or (rows == 0 and not halves))


@every_sized
def test_rows_are_those_of_the_p_that_makes_as_many(name: str) -> None:
    """60 rows at p = 0.2 make 12 (mlbote: of each group; rhwrsmt: of the rows after REMEDIAL)."""
    data = MADE["dense"]
    told = {"mlbote": 0, "rhwrsmt": 12 * 60 // 60}.get(name, 12)
    one, other = (drawn(name, data, **size) for size in ({"p": Decimal("0.2")}, {"p": None, "rows": told}))
    assert name in ("mlbote", "rhwrsmt") or all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(together(one[2], data), together(other[2], data), strict=True)
    )
    assert name in ("mlbote", "rhwrsmt") or np.array_equal(one[1].kept(data.n), other[1].kept(data.n))


@pytest.mark.parametrize(("seed", "shares"), [(1, [16, 0, 15]), (2, [21, 10, 0]), (6, [16, 15, 0]), (7, [12, 9, 10])])
def test_the_groups_of_mlbote_share_the_rows(seed: int, shares: list[int]) -> None:
    """In turn, as long as they have a seed: the interior rows of seed 2 and 7 have none any more at the end."""
    data = numbers(seed)
    analysis, sample, batches = drawn("mlbote", data, p=None, rows=31, th_c=0.5)
    groups = MLBOTESampler(th_c=0.5).groups(analysis, needy_labels(data.counts, data.n))
    seeds = np.concatenate([batch.seeds for batch in batches])
    of_group = [np.isin(seeds, np.flatnonzero(w)).sum() for w in (groups.self_border, groups.interior, groups.cross_border)]
    assert of_group == shares
    assert sum(of_group) == sample.requested == 31
    assert [*analysis.warnings, *sample.warnings, sample.reason] == [""]


def test_mlsmote_that_sees_new_rows_may_be_told() -> None:
    _, sample, batches = drawn("mlsmote", MADE["dense"], rows=21, see_new=True)
    assert sum(len(batch.seeds) for batch in batches) == sample.requested == 21


@every_sized
def test_rows_and_another_p_exclude_each_other(name: str) -> None:
    with pytest.raises(ParameterError, match=r"^p and rows exclude each other: leave out p=0.35 or rows=3$"):
        SAMPLERS[name](p=0.35, rows=3)
    with pytest.raises(ParameterError, match="exclude each other"):
        ESTIMATORS[name](p=0.35, rows=3).sampler()
    assert SAMPLERS[name](rows=3).rows == SAMPLERS[name](p=None, rows=3).rows == 3


@every_sized
def test_both_typed_are_a_usage_error(name: str) -> None:
    """Also where p holds its default; before a file is looked at."""
    with pytest.raises(click.UsageError, match=r"^--p and --rows exclude each other$") as error:
        arguments = ["resample", "absent.arff", "out.arff", "--method", name, "--rows", "3", "--p", "0.1"]
        command.main(arguments, standalone_mode=False)
    assert error.value.exit_code == 2


@pytest.mark.parametrize("name", REMOVING)
def test_no_more_rows_are_removed_than_there_are(name: str) -> None:
    data = MADE["dense"]
    with pytest.raises(DataError, match=r"rows=61 cannot be removed from n=60 rows: choose 60 or fewer$"):
        drawn(name, data, p=None, rows=61)
    assert drawn(name, data, p=None, rows=60)[1].keep is not None


@pytest.mark.parametrize("name", [name for name in SIZED if name != "aemlo"])
def test_the_report_says_rows_in_place_of_p(name: str, tmp_path: Path) -> None:
    arguments = ["resample", str(SAMPLE), str(tmp_path / "out.arff"), "--method", name, "--measures", "fast", "--quiet"]
    command.main([*arguments, "--rows", "9"], standalone_mode=False)
    report = json.loads((tmp_path / "out.report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    assert (report["parameters"]["p"], report["parameters"]["rows"]) == (None, 9)
    again = SAMPLERS[name](**{field.name: report["parameters"][field.name] for field in dataclasses.fields(SAMPLERS[name])})
    resample(str(SAMPLE), str(tmp_path / "again.arff"), again, Settings(measures="fast"))
    assert (tmp_path / "again.arff").read_bytes() == (tmp_path / "out.arff").read_bytes()
    command.main(arguments, standalone_mode=False)
    assert "rows" not in json.loads((tmp_path / "out.report.json").read_text())["parameters"]


def test_tuning_leaves_rows_alone() -> None:
    from lsdmlo_cli.evaluation.plan import Method, Tuning
    from lsdmlo_cli.evaluation.tuning import grid

    told, untold = (Method("mlros", SAMPLERS["mlros"](rows=rows)) for rows in (5, None))
    assert [point.p for point in grid(told, 300, Tuning(), 0)] == [None]
    assert None not in [point.p for point in grid(untold, 300, Tuning(), 0)]


def test_estimators_take_rows() -> None:
    X, Y = numbers_alone()
    for m in range(1, len(X) + 1):
        assert len(ESTIMATORS["lsdmlo"](rows=m).fit_resample(X, Y)[0]) == len(X) + m
        assert len(ESTIMATORS["lsdmlo"](p=m / len(X)).fit_resample(X, Y)[0]) == len(X) + m


# values that a parameter cannot have

NUMBERS = ["x", "0.1", "", [], [0.1], {}, object(), True, np.bool_(False), math.nan, Decimal("nan"), math.inf, -0.5, 1j]
WRONG: dict[Any, list[Any]] = {
    bool: ["yes", "True", 0, 1, 1.0, [], np.array([True, False])],
    int: ["a", "3", 2.5, 3.0, np.float64(3), Decimal(3), True, math.nan, math.inf, -1, [3], np.array([1, 2])],
    float: [*NUMBERS, np.array([0.1, 0.2])],
    str: ["no such thing", "", 0, True, 1.5, [], np.array(["a", "b"])],
    Literal: [0, 3, 1.0, np.float64(2), Decimal(1), True, "1", [], math.nan],
}
"""By the type of a field; `str` stands for choices that are words, Literal for those that are numbers."""

RIGHT: dict[Any, list[Any]] = {
    bool: [True, False, np.True_],
    int: [1, 7, np.int64(3), np.uint8(4)],
    float: [0, 1, 0.5, np.float32(0.25), np.float64(1)],
    str: [],
    Literal: [],
}


def of_type(hint: Any) -> Any:
    """The kind of wrong values: of a union its first type."""
    first = (*(get_args(hint) if get_origin(hint) is not Literal else ()), hint)[0]
    return {True: {str: str, int: Literal}.get(type((*get_args(first), None)[0])), False: first}[get_origin(first) is Literal]


def parameters() -> list[tuple[str, dataclasses.Field[Any], Any]]:
    """The method, each of its fields and the field's type."""
    return [
        (name, field, get_type_hints(method)[field.name])
        for name, method in SAMPLERS.items()
        for field in dataclasses.fields(method)  # type: ignore[arg-type]
    ]


BESIDE = {("lsdmlo-pos", name): {"seeds": "u"} for name in ("tr", "outliers")}
"""What else has to be given for a value to be taken."""

each_parameter = pytest.mark.parametrize(
    ("name", "field", "hint"), [pytest.param(*each, id=f"{each[0]}-{each[1].name}") for each in parameters()]
)


@each_parameter
def test_a_wrong_value_is_named_with_what_is_allowed(name: str, field: dataclasses.Field[Any], hint: Any) -> None:
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    capitals = [choice.upper() for choice in choices if isinstance(choice, str)]
    nothing = [None] * (field.default is not None)
    for wrong in [*WRONG[of_type(hint)], *capitals, *nothing]:
        with pytest.raises(ParameterError) as error:
            SAMPLERS[name](**{field.name: wrong})
        said = str(error.value)
        assert said.startswith(f"{field.name} must be ") and "\n" not in said
        assert said.endswith(f", not {shown(wrong)}")
        assert all(str(choice) in said for choice in choices)


@each_parameter
def test_a_right_value_is_taken_and_reported(name: str, field: dataclasses.Field[Any], hint: Any) -> None:
    from lsdmlo_cli.report import parameters, to_json

    ratios = [Decimal("0.5"), Fraction(1, 3)] * (Decimal in get_args(hint))
    nothing = [None] * (field.default is None)
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    for right in [*RIGHT[of_type(hint)], *ratios, *nothing, *choices, field.default]:
        made = SAMPLERS[name](**{field.name: right}, **BESIDE.get((name, field.name), {}))
        told = json.loads(to_json(parameters(made)))
        assert told.get(field.name) == (right if right is None or isinstance(right, str) else pytest.approx(float(right)))


def test_there_is_a_list_of_wrong_values_for_every_type() -> None:
    assert {of_type(hint) for *_, hint in parameters()} <= WRONG.keys() == RIGHT.keys()
    assert {NoneType} & WRONG.keys() == set()


def test_removing_takes_no_p_above_1() -> None:
    for name in REMOVING:
        with pytest.raises(ParameterError, match=r"^p must be between 0 and 1, not 1\.01$"):
            SAMPLERS[name](p=1.01)
    assert set(REMOVING) <= REMOVES
    assert SAMPLERS["mlros"](p=1.01, **OPTIONS["remedial"]).p == 1.01
