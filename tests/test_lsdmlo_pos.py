"""LSDMLO with positive references against a slow version of its rules, row by row."""

from math import floor, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_data import dense_rows, made_up, thetas
from sampling import same, together

from lsdmlo_cli import Analysis, ParameterError, Settings, read, resample
from lsdmlo_cli.samplers import SAMPLERS, LSDMLOPosSampler, LSDMLOSampler, Sampler


def shares_of(rows: int, counts: list[int]) -> list[int]:
    """Shares in proportion to the roots of counts, what is left to the largest remainders, earlier ones first."""
    parts = [rows * sqrt(count) / sum(map(sqrt, counts)) for count in counts]
    whole = [floor(part) for part in parts]
    for place in sorted(range(len(parts)), key=lambda i: (whole[i] - parts[i], i))[: rows - sum(whole)]:
        whole[place] += 1
    return whole


def nearest_positives(E: np.ndarray, theta: np.ndarray, seed: int, positives: list[int], k: int) -> list[int]:
    """The k nearest of the positives without the seed, ties to the lower row."""
    others = [row for row in positives if row != seed]
    return sorted(others, key=lambda row: (sum(theta * (E[seed] - E[row]) ** 2), row))[:k]


def made(sampler: Sampler, seed: int, **how: Any) -> tuple[Analysis, tuple[np.ndarray, ...]]:
    analysis = Analysis(made_up(seed), Settings(**how))
    sample = sampler.sample(analysis, np.random.default_rng(seed))
    return analysis, together(list(sample.batches), analysis.dataset)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.3, 1.7]), st.sampled_from(["union", "vote"]))
def test_seeds_references_and_labels(seed: int, k: int, p: float, assign: Any) -> None:
    analysis, (_, Y, seeds, references, labels) = made(LSDMLOPosSampler(p=p, assign=assign), seed, k=k)
    old, E = analysis.dataset.Y.toarray() > 0, dense_rows(analysis.E)
    minority = np.flatnonzero(analysis.minority).tolist()
    counts = [int(old[:, j].sum()) for j in minority]
    shares = shares_of(len(seeds), counts) if minority else []
    assert labels.tolist() == [j for j, share in zip(minority, shares, strict=True) for _ in range(share)]
    Theta = thetas(analysis)
    for row, (s, r, j) in enumerate(zip(seeds.tolist(), references.tolist(), labels.tolist(), strict=True)):
        positives = np.flatnonzero(old[:, j]).tolist()
        near = nearest_positives(E, Theta[:, j], s, positives, analysis.k)
        assert s in positives
        assert r in near or (r == s and near == [])
        voters = [s, *near]
        votes = old[voters].sum(axis=0) * 2 > len(voters)
        votes[j] = True
        expected = {"union": old[s] | old[r], "vote": votes}[assign]
        closed = [h for h, parent in enumerate(analysis.dataset.parents) if expected[h]]
        for h in closed:
            while (h := analysis.dataset.parents[h]) >= 0:
                expected[h] = True
        assert Y[row].tolist() == expected.tolist()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_every_positive_is_a_seed_equally_often(seed: int) -> None:
    analysis, (*_, seeds, _, labels) = made(LSDMLOPosSampler(p=1.3), seed)
    for j in np.unique(labels).tolist():
        often = np.bincount(seeds[labels == j], minlength=analysis.dataset.n)[analysis.positives(j)]
        assert often.max() - often.min() <= 1
        assert often.sum() == np.count_nonzero(labels == j)


def test_it_is_lsdmlo_with_three_choices() -> None:
    choices: dict[str, Any] = {"reference": "positives", "seeds": "root", "assign": "union"}
    one, other = made(LSDMLOPosSampler(), 5)[1], made(LSDMLOSampler(p=0.3, **choices), 5)[1]
    assert len(one[0]) > 0
    assert same(one, other)


@pytest.mark.parametrize("reference", ["neighbors", "positives"])
@pytest.mark.parametrize("seeds", ["u", "root"])
@pytest.mark.parametrize("assign", ["nearer", "vote", "union"])
def test_the_choices_go_together(reference: Any, seeds: Any, assign: Any) -> None:
    sampler = LSDMLOSampler(p=2, reference=reference, seeds=seeds, assign=assign)
    analysis, (X, Y, _, references, labels) = made(sampler, 3)
    assert len(X) == 2 * analysis.dataset.n
    has_label = analysis.dataset.Y[references, labels].astype(bool)
    assert has_label.all() == (reference == "positives")
    assert assign == "nearer" or Y[np.arange(len(labels)), labels].all()


@pytest.mark.parametrize("option", [{"tr": 0.2}, {"outliers": "drop"}])
def test_options_of_the_instance_weights_are_refused(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(ParameterError, match=f"^{name} changes nothing where seeds is 'root': leave out one of the two$"):
        LSDMLOPosSampler(**option)
    assert LSDMLOPosSampler(seeds="u", **option)


def test_threads_and_memory_change_nothing() -> None:
    data = made_up(8)
    rows = [
        together(list(LSDMLOPosSampler(p=2).sample(Analysis(data, **how), np.random.default_rng(1)).batches), data)
        for how in ({}, {"threads": 2, "memory_bytes": 1})
    ]
    assert same(*rows)


def test_the_report_tells_whose_rows_they_are(tmp_path: Any, birds: Any) -> None:
    """Counted here from the provenance and from OUT."""
    for sampler in (LSDMLOPosSampler(), LSDMLOSampler(p=0.3)):
        out, parents = tmp_path / "out.arff", tmp_path / "parents.csv"
        figures = resample("birds.arff", str(out), sampler, seed=1, provenance=str(parents)).report["synthetic"]
        old, new = read("birds.arff"), read(str(out))
        lines = [line.split(",") for line in parents.read_text().splitlines()[1:]]
        names = [label.name for label in old.labels]
        made_for = [names.index(line[3]) for line in lines]
        own = [new.Y[int(line[0]) - 1, j] for line, j in zip(lines, made_for, strict=True)]
        theirs = [old.Y[int(line[2]) - 1, j] for line, j in zip(lines, made_for, strict=True)]
        assert figures["own_label"] == pytest.approx(np.mean(own))
        assert figures["reference_has_label"] == pytest.approx(np.mean(theirs))
        assert figures["seeds"] == len({line[1] for line in lines})


def test_labels_without_a_seed_are_counted(tmp_path: Any, birds: Any) -> None:
    analysis = Analysis(made_up(3))
    sampler = LSDMLOSampler()
    u = sum(sampler.instance_weights(analysis))
    minority = np.flatnonzero(analysis.minority).tolist()
    barren = sum(not u[analysis.positives(j)].any() for j in minority)
    assert sampler.sample(analysis, np.random.default_rng(0)).labels_without_seed == barren
    figures = resample("birds.arff", str(tmp_path / "out.arff"), SAMPLERS["lprus"](p=0.1)).report["synthetic"]
    assert (figures["own_label"], figures["reference_has_label"], figures["labels_without_seed"]) == (None, None, None)
