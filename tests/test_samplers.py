"""What holds for every sampler, on small data with every kind of attribute and label."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from made_data import EVEN, MADE, dense_rows, sparse
from sampling import REMOVES, assert_in_range, drawn, every_data, every_method, same, together
from scipy.sparse import csr_array

from lsdmlo_cli import ParameterError
from lsdmlo_cli.numeric.synthesis import with_ancestors
from lsdmlo_cli.samplers import SAMPLERS
from lsdmlo_cli.samplers.base import BATCH_ROWS

MAY_MAKE_FEWER = {"mlros", "lpros", "mlonc", "aemlo"}
CLONES = {"mlros", "lpros", "remedial"}
REGARDLESS_OF_MINORITY = {"mlsol", "mlul", "lpros", "lprus", "mlrknnos"}
BOUNDS = {
    "drsmote": lambda low, high, seed, whole, _: (seed - (high - low) / 2 - whole / 2, seed + (high - low) / 2 + whole / 2),
    "aemlo": lambda low, high, seed, whole, source: (
        np.broadcast_to(np.nanmin(source, axis=0), low.shape),
        np.broadcast_to(np.nanmax(source, axis=0), high.shape),
    ),
}
"""Where numbers lie that need not lie between the parents: half the way around the seed, or in the range of the data."""
ATOL = {"aemlo": 1e-3}
"""What single precision may differ by where sums are in another order."""


@cache
def once(name, made):
    """What a sampler makes of made data, for tests that look at it and leave it as it is."""
    return drawn(name, MADE[made])


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_says_what_it_is(name):
    method = SAMPLERS[name]
    assert method.name == name
    assert method.summary and "\n" not in method.summary and method.publication.citation
    assert dataclasses.is_dataclass(method) and method.__dataclass_params__.frozen
    assert method() == method()


@every_method
@every_data
def test_the_same_seed_gives_the_same_rows_on_any_threads(name, made):
    data = MADE[made]
    (_, one, first), (_, other, second) = once(name, made), drawn(name, data, threads=2)
    assert same(together(first, data), together(second, data))
    assert one.requested == other.requested
    assert np.array_equal(one.keep, other.keep) if one.keep is not None else other.keep is None


@every_method
@pytest.mark.parametrize("made", ["sparse", "sparse with missing"])
def test_dense_and_sparse_give_the_same(name, made):
    data = dataclasses.replace(MADE[made], X=dense_rows(MADE[made].X))
    results = [drawn(name, form) for form in (data, sparse(data))]
    (_, dense_sample, dense), (_, sparse_sample, other) = results
    assert all(isinstance(batch.X, csr_array) and batch.X.has_sorted_indices for batch in other)
    assert np.array_equal(dense_sample.keep, sparse_sample.keep)
    (X, *rest), (X_sparse, *rest_sparse) = together(dense, data), together(other, data)
    assert np.allclose(X, X_sparse, rtol=0, atol=ATOL.get(name, 0), equal_nan=True)
    assert same(rest, rest_sparse)


@every_method
@pytest.mark.parametrize("made", ["dense", "sparse", "missing", "two batches"])
def test_something_is_done(name, made):
    _, sample, batches = once(name, made)
    assert sum(len(batch.seeds) for batch in batches) > 0 or (sample.keep is not None and not sample.keep.all())


@every_method
@every_data
def test_as_many_rows_as_promised(name, made):
    _, sample, batches = once(name, made)
    made_rows = sum(len(batch.seeds) for batch in batches)
    assert made_rows <= sample.requested
    assert made_rows == sample.requested or name in MAY_MAKE_FEWER or (made_rows == 0 and sample.reason)
    assert all(0 < len(batch.seeds) <= BATCH_ROWS for batch in batches)


@every_method
@every_data
def test_parents_are_rows_of_the_data(name, made):
    data = MADE[made]
    _, _, batches = once(name, made)
    _, Y, seeds, references, labels = together(batches, data)
    assert ((seeds >= 0) & (seeds < data.n)).all()
    assert ((references >= -1) & (references < data.n)).all()
    assert ((labels >= -1) & (labels < data.q)).all()
    assert Y.dtype == bool
    held = data.Y.toarray()[seeds, labels]
    assert (held[labels >= 0] == 1).all()
    is_clone = (data.counts[labels] == 1) & (name == "lsdmlo-pos")  # of the only positive
    assert ((references != seeds) | is_clone).all()


@every_method
@every_data
def test_labels_are_closed_under_ancestors(name, made):
    data = MADE[made]
    _, _, batches = once(name, made)
    Y = together(batches, data)[1]
    assert np.array_equal(Y, with_ancestors(Y, data.parents))
    assert not Y[:, data.counts == 0].any()


@every_method
@every_data
def test_numbers_lie_between_their_parents(name, made):
    data = MADE[made]
    _, _, batches = once(name, made)
    X, _, seeds, references, _ = together(batches, data)
    source = dense_rows(data.X)
    seed, reference = source[seeds], source[np.where(references < 0, seeds, references)]
    numbers = np.array([a.is_number for a in data.features])
    whole = np.array([a.kind == "integer" for a in data.features])
    present = ~np.isnan(seed) & ~np.isnan(reference) & numbers
    assert not np.isnan(X[present]).any()
    assert (np.isnan(X) == np.isnan(seed) & np.isnan(reference))[:, numbers].all() or name == "aemlo"
    low, high = np.fmin(seed, reference), np.fmax(seed, reference)
    low, high = BOUNDS.get(name, lambda *bounds: bounds[:2])(low, high, seed, whole, source)
    below, above = low - 1e-9, high + 1e-9
    assert not ((below > X) | (above < X))[present].any()
    assert (X[:, whole] == np.rint(X[:, whole]))[~np.isnan(X[:, whole])].all()
    assert np.array_equal(X[present & (seed == reference)], seed[present & (seed == reference)]) or name == "aemlo"


@every_method
@every_data
@pytest.mark.parametrize("interpolation", ["attribute", "instance"])
def test_new_numbers_stay_in_the_range_of_their_attribute(name, made, interpolation):
    """What a sparse row leaves out is a 0 that was observed."""
    data = MADE[made]
    fields = {field.name for field in dataclasses.fields(SAMPLERS[name])}
    options = {"interpolation": interpolation} if "interpolation" in fields else {}
    size = {"rows": data.n if name in REMOVES - {"rhwrsmt"} else 200, "p": None} if "rows" in fields else {}
    _, _, batches = drawn(name, data, **options, **size)
    assert_in_range(together(batches, data)[0], data)


@every_method
@every_data
def test_nominal_values_are_declared_and_texts_are_the_seeds(name, made):
    data = MADE[made]
    _, _, batches = once(name, made)
    X, _, seeds, *_ = together(batches, data)
    source = dense_rows(data.X)
    texts = np.array([a.kind in ("string", "date") for a in data.features])
    assert np.array_equal(X[:, texts], source[seeds][:, texts], equal_nan=True)
    for j in (j for j, attribute in enumerate(data.features) if attribute.kind == "nominal"):
        known = X[:, j][~np.isnan(X[:, j])]
        assert np.isin(known, np.arange(len(data.features[j].values))).all()
        assert not np.isnan(X[:, j][~np.isnan(source[seeds, j])]).any()


@pytest.mark.parametrize("name", sorted(CLONES))
@every_data
def test_clones_repeat_the_features_of_their_seeds(name, made):
    data = MADE[made]
    _, _, batches = once(name, made)
    X, _, seeds, references, _ = together(batches, data)
    assert np.array_equal(X, dense_rows(data.X)[seeds], equal_nan=True)
    assert (references == -1).all()


@pytest.mark.parametrize("name", [method for method in SAMPLERS if method in REMOVES])
@every_data
def test_what_stays_is_marked(name, made):
    data = MADE[made]
    _, sample, _ = once(name, made)
    assert sample.keep.shape == (data.n,) and sample.keep.dtype == bool
    assert sample.keep.any()


@pytest.mark.parametrize("name", [method for method in SAMPLERS if method not in REMOVES])
@every_data
def test_oversampling_keeps_every_row(name, made):
    assert once(name, made)[1].keep is None


@pytest.mark.parametrize("name", ["mlrus", "lprus"])
@pytest.mark.parametrize("p", [0.1, 0.5, 1])
@every_data
def test_no_label_is_lost(name, p, made):
    data = MADE[made]
    _, sample, _ = drawn(name, data, p=p)
    assert ((data.Y.toarray()[sample.keep].sum(axis=0) > 0) == (data.counts > 0)).all()
    assert (~sample.keep).sum() <= p * data.n


@every_method
@pytest.mark.parametrize("p", [0, 0.3])
def test_without_a_minority_label_nothing_changes(name, p):
    """Methods that look at every label alike go on where there is none."""
    fields = {field.name for field in dataclasses.fields(SAMPLERS[name])}
    options = {"p": p} if "p" in fields else {}
    _, sample, batches = drawn(name, EVEN, **options)
    changed = bool(batches) or (sample.keep is not None and not sample.keep.all())
    assert not changed or (name in REGARDLESS_OF_MINORITY and p > 0)
    assert sample.reason.startswith("no label is a minority label") or name in REGARDLESS_OF_MINORITY


@every_method
def test_no_row_is_asked_for(name):
    fields = {field.name for field in dataclasses.fields(SAMPLERS[name])}
    options = {"p": 0} if "p" in fields else {}
    _, sample, batches = drawn(name, MADE["dense"], **options)
    removed = 0 if sample.keep is None else int((~sample.keep).sum())
    assert sum(len(batch.seeds) for batch in batches) == sample.requested
    assert "p" not in fields or name == "rhwrsmt" or sample.requested == removed == 0


@every_method
def test_the_data_is_left_as_it_is(name):
    for made in ("missing", "sparse with missing"):
        data = MADE[made]
        X = data.X.copy()
        Y = data.Y.copy()
        drawn(name, data)
        assert np.array_equal(dense_rows(data.X), dense_rows(X), equal_nan=True)
        assert (data.Y != Y).nnz == 0


@every_method
def test_more_rows_than_the_data_has(name):
    data = MADE["two batches"]
    fields = {field.name for field in dataclasses.fields(SAMPLERS[name])}
    options = {"p": 1 if name in REMOVES - {"rhwrsmt"} else 1.5} if "p" in fields else {}
    _, sample, batches = drawn(name, data, **options)
    assert sum(len(batch.seeds) for batch in batches) == sample.requested or name in MAY_MAKE_FEWER


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *((name, {"p": -0.1}) for name in SAMPLERS if "p" in {f.name for f in dataclasses.fields(SAMPLERS[name])}),
        *((name, {"p": 1.5}) for name in ("mlrus", "lprus", "mlul")),
        ("mlsmote", {"strategy": "all"}),
        ("mlsmote", {"ranking_ties": "yes"}),
        ("mlsmote", {"vdm_power": 3}),
        ("mlsmote", {"interpolation": "both"}),
        ("rhwrsmt", {"ranking_ties": "yes"}),
        ("mlsol", {"interpolation": "both"}),
        ("mlonc", {"interpolation": "both"}),
        ("drsmote", {"unlike": "row"}),
        ("drsmote", {"region": "ball"}),
        ("mlbote", {"k_b": 0}),
        ("mlbote", {"k_w": 2.5}),
        ("mlbote", {"th_c": -1}),
        ("mlbote", {"n_lps": 0}),
        ("mlenn", {"threshold": 1.5}),
        ("mlenn", {"k_edit": 0}),
        ("mltl", {"threshold": -1}),
        ("mltl", {"clean": "none"}),
        ("mlrknnos", {"k_reverse": 0}),
        ("aemlo", {"latent": 0}),
        ("aemlo", {"learning_rate": float("nan")}),
    ],
)
def test_parameters_out_of_range(name, wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SAMPLERS[name](**wrong)


@pytest.mark.parametrize(("name", "extra"), [("aemlo", "deep"), ("mlrknnos", "evaluate")])
def test_what_is_missing_is_named_with_its_extra(name, extra, monkeypatch):
    def absent(wanted):
        raise ImportError(wanted)

    monkeypatch.setattr("lsdmlo_cli.extras.import_module", absent)
    with pytest.raises(ParameterError, match=rf"^{name} needs .*lsdmlo\[{extra}\]'$"):
        drawn(name, MADE["dense"])
