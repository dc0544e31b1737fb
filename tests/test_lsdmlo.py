"""LSDMLO on small random data: instance weights, neighbours after, seeds and counts against the oracle."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_data import dense_rows, made_up, thetas
from scipy.sparse import csr_array

from lsdmlo_cli import Analysis, Attribute, Dataset, ParameterError, Settings
from lsdmlo_cli.analysis import local_imbalance
from lsdmlo_cli.samplers import Batch, LSDMLOSampler
from lsdmlo_cli.samplers.lsdmlo import nearer_labels


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 7), st.sampled_from([0.1, 0.5, 1]), st.sampled_from(["keep", "drop"]))
def test_instance_weights(seed: int, k: int, tr: float, outliers: str) -> None:
    data = made_up(seed)
    analysis = Analysis(data, Settings(k=k))
    found = LSDMLOSampler(tr=tr, outliers=outliers).instance_weights(analysis)
    Y = data.Y.toarray().astype(int)
    expected = oracle.instance_weights(dense_rows(data.X), Y, thetas(analysis), k, tr, outliers)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-15)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.7, 1.5]))
def test_rows_and_figures_after(seed: int, p: float) -> None:
    """Batches have the promised size, seeds have weight, and LImb after is that of the whole data searched by brute force."""
    data = made_up(seed)
    analysis = Analysis(data)
    sample = LSDMLOSampler(p=p).sample(analysis, np.random.default_rng(seed))
    batches = list(sample.batches)
    expected = oracle.synthetic_count(p, data.n) if analysis.minority.any() else 0
    assert sum(len(batch.seeds) for batch in batches) == expected
    everything = np.vstack([dense_rows(data.X), *(dense_rows(batch.X) for batch in batches)])
    Y = np.vstack([data.Y.toarray(), *(batch.Y for batch in batches)]).astype(int)
    new = everything[data.n :]
    after = local_imbalance.after(
        analysis, analysis.encode(new if isinstance(data.X, np.ndarray) else csr_array(new)), csr_array(Y[data.n :].astype(float))
    )
    for found, theta in ((after.limb, None), (after.limb_lsd, thetas(analysis))):
        _, by_label = oracle.limb(everything, Y, analysis.k, theta)
        assert np.allclose(found, np.array(by_label, dtype=float), equal_nan=True)


def all_rows(sampler: LSDMLOSampler, analysis: Analysis, seed: int = 0) -> list[Batch]:
    return list(sampler.sample(analysis, np.random.default_rng(seed)).batches)


def test_seeds_are_drawn_in_proportion_to_their_weights() -> None:
    analysis = Analysis(made_up(3, n=60))
    u = sum(LSDMLOSampler().instance_weights(analysis))
    seeds = np.concatenate([batch.seeds for batch in all_rows(LSDMLOSampler(p=400), analysis)])
    shares = np.bincount(seeds, minlength=60) / len(seeds)
    deviation = np.sqrt(u / u.sum() * (1 - u / u.sum()) / len(seeds))
    assert (np.abs(shares - u / u.sum()) <= 5 * deviation).all()


def test_one_alpha_for_a_row_or_one_for_each_attribute() -> None:
    data = made_up(5)
    X = np.random.default_rng(0).random((data.n, data.d))
    analysis = Analysis(Dataset(**{**vars(data), "X": X}))
    spread = {}
    for mode in ("instance", "attribute"):
        rows = all_rows(LSDMLOSampler(p=1, interpolation=mode), analysis)[0]
        seed, reference = X[rows.seeds], X[rows.references]
        spread[mode] = np.ptp((rows.X - reference) / (seed - reference), axis=1)
    assert spread["instance"].max() < 1e-6
    assert np.median(spread["attribute"]) > 0.1


def test_a_new_row_in_the_middle_has_the_labels_of_its_seed() -> None:
    """Eq. 12 at equal distances, from either side."""
    data = made_up(1)
    X = dense_rows(data.X).copy()
    Y = data.Y.toarray()
    X[:2], Y[:2] = [[0.0], [2.0]], [[1, 0, 1, 0, 0], [0, 1, 1, 0, 1]]
    analysis = Analysis(Dataset(**{**vars(data), "X": X, "Y": csr_array(Y)}))
    seeds = np.array([0, 1])
    found = nearer_labels(analysis, np.ones((2, data.d)), seeds, seeds[::-1])
    assert np.array_equal(found, analysis.dataset.Y[seeds].toarray() != 0)


def test_weights_that_are_all_zero_fall_back_to_rows_with_a_minority_label() -> None:
    """A single positive row is an outlier without a correlated label: its weight is 0, and it is still the only possible seed."""
    X = np.arange(10.0)[:, np.newaxis]
    Y = np.zeros((10, 2))
    Y[:6, 0], Y[8, 1] = 1, 1
    data = Dataset(
        **{
            **vars(made_up(0)),
            "X": X,
            "Y": csr_array(Y),
            "features": (Attribute("x", "numeric"),),
            "labels": made_up(0).labels[:2],
            "parents": np.full(2, -1),
        }
    )
    analysis = Analysis(data)
    assert not np.any(LSDMLOSampler().instance_weights(analysis))
    sample = LSDMLOSampler(p=0.5).sample(analysis, np.random.default_rng(0))
    (batch,) = sample.batches
    assert set(batch.seeds.tolist()) == {8}
    assert any("evenly" in warning for warning in sample.warnings)


@pytest.mark.parametrize("wrong", [{"p": -0.1}, {"p": float("nan")}, {"tr": 1.5}, {"interpolation": "both"}, {"outliers": "yes"}])
def test_parameters_out_of_range(wrong: dict) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        LSDMLOSampler(**wrong)


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"lambda1": 0}, {"lambda1": float("inf")}, {"lambda2": -1}, {"tol": 0}, {"max_iter": 0}]
)
def test_settings_out_of_range(wrong: dict) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Settings(**wrong)
