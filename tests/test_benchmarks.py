"""What the benchmarks keep, and how they compare it with what they find."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks.peers", reason="the benchmarks are not beside the tests, or their peers are not installed")
from benchmarks import changes, data, libraries, peers
from benchmarks.changes import Ratio, merged
from lsdmlo_cli import read


def of(row: str, ratio: float, short: bool = True, peer: str = "numpy 2.4.6") -> Ratio:
    return Ratio("Start-up", row, ratio, peer, short, "2026-11-29")


def told(kept: list[Ratio], now: list[Ratio], full: bool = False) -> dict[str, list[str]]:
    """The cells behind each row's name."""
    lines = [line for line in changes.table(kept, now, full).splitlines() if line.startswith("| Start-up ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row: rest for _, row, *rest in cells}


@pytest.mark.parametrize(
    ("ratio", "cells"),
    [
        (2.0, ["2.00", "2.00", "+0%", ""]),
        (2.48, ["2.00", "2.48", "+24%", ""]),
        (2.6, ["2.00", "2.60", "+30%", "**slower**"]),
        (1.52, ["2.00", "1.52", "-24%", ""]),
        (1.4, ["2.00", "1.40", "-30%", "**faster**"]),
    ],
)
def test_a_change_is_marked_beyond_noise_alone(ratio: float, cells: list[str]) -> None:
    assert told([of("flags", 2.0)], [of("flags", ratio)]) == {"flags": cells}


def test_another_version_of_the_peer_is_told() -> None:
    found = told([of("flags", 2.0, peer="numpy 2.3.0")], [of("flags", 2.0)])
    assert found["flags"][-1] == "beside numpy 2.4.6 instead of numpy 2.3.0"


def test_rows_that_one_side_lacks_are_told() -> None:
    found = told([of("old", 2.0), of("large", 2.0, short=False)], [of("added", 0.5)])
    assert found == {"added": ["", "0.500", "", "new"], "old": ["2.00", "", "", "not measured"]}


def test_kept_rows_of_the_full_selection_are_missed_only_where_it_ran() -> None:
    kept, now = [of("flags", 1.0), of("large", 2.0, short=False)], [of("flags", 1.0)]
    assert [list(told(kept, now, full)) for full in (False, True)] == [["flags"], ["flags", "large"]]


def test_new_ratios_take_the_place_of_kept_ones() -> None:
    kept, now = [of("gone", 1.0), of("large", 2.0, short=False), of("flags", 3.0)], [of("flags", 4.0)]
    there = [("Start-up", "flags"), ("Start-up", "large"), ("Start-up", "never measured")]
    assert merged(kept, now, there) == [of("flags", 4.0), of("large", 2.0, short=False)]


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    place = tmp_path / "kept.json"
    assert changes.read(place) == []
    rows = [of("flags", 1.25), of("yahoo-Arts1 --scale std", 0.0371, short=False)]
    changes.write(rows, 'an "AMD EPYC"', place)
    assert changes.read(place) == rows


def test_kept_rows_are_rows_of_the_benchmarks() -> None:
    """A row that gets another name or selection is to be measured anew."""
    there = {(row.table, row.name): row.short for row in peers.rows()}
    assert len(there) == len(peers.rows())
    assert {row.key: row.short for row in changes.read()}.items() <= there.items()


@pytest.mark.parametrize(("short", "rounds"), [(True, [1, 2, 3, 4, 5]), (False, [1])])
def test_sides_take_turns_and_the_least_of_each_counts(monkeypatch: pytest.MonkeyPatch, short: bool, rounds: list[int]) -> None:
    taken: list[str] = []
    costs = {"ours": [(9.0, 0.5), (8.0, 0.2), (7.0, 0.3)] + [(9.0, 0.9)] * 2, "peer": [(1.0, 0.8), (1.0, 0.4)] + [(1.0, 0.9)] * 3}

    def side(name: str) -> peers.Side:
        return lambda: (taken.append(name), costs[name][taken.count(name) - 1])[1]

    monkeypatch.setattr(
        peers, "rows", lambda: [peers.Row("Made up", "a row", "itself", lambda _: (side("ours"), side("peer")), short=short)]
    )
    ((text, (found,)),) = peers.measured(full=True)
    assert taken == ["ours", "peer"] * len(rounds)
    least = [min(cost[1] for cost in costs[name][: len(rounds)]) for name in ("ours", "peer")]
    assert [found.cpu, found.peer] == least
    assert f"{least[0] / least[1]:.2f}" in text


def test_a_round_that_takes_long_is_taken_twice() -> None:
    taken = []
    slow = peers.Row(
        "Made up", "a row", "itself", lambda _: (lambda: (taken.append(1), (60.0, 60.0))[1], lambda: (1.0, 1.0)), short=True
    )
    assert peers._measured(slow).ratio == 60
    assert len(taken) == peers.FEWEST_ROUNDS


@pytest.mark.parametrize("sparse", [False, True])
def test_the_libraries_read_what_lsdmlo_reads(tmp_path: Path, sparse: bool) -> None:
    place = data.growing(tmp_path / "made.arff", 40, sparse, 30, q=5)
    found, expected = libraries.matrix(place), read(str(place), "-5")
    X, Y = (np.asarray(part.todense() if hasattr(part, "todense") else part) for part in (expected.X, expected.Y))
    np.testing.assert_array_equal(found.toarray() if sparse else found, np.hstack([X, Y]))
