"""Samplers with options that suit small data, run, and what they make in one piece."""

import numpy as np
import pytest
from made_data import MADE, dense_rows

from lsdmlo_cli import Analysis
from lsdmlo_cli.samplers import SAMPLERS

SIZES = {"latent": 8, "hidden": 12, "decoder_hidden": 10, "batch_rows": 32}
SMALL = SIZES | {"epochs": 5, "learning_rate": 0.05, "label_loss": 50.0}
OPTIONS = {name: {"p": 0.5} if name not in ("mlsmote", "rhwrsmt", "remedial", "mlenn", "mltl") else {} for name in SAMPLERS}
OPTIONS["aemlo"] |= SMALL
REMOVES = {"mlrus", "lprus", "mlul", "mltl", "mlenn", "remedial", "rhwrsmt"}

every_method = pytest.mark.parametrize("name", SAMPLERS)
every_data = pytest.mark.parametrize("made", MADE)


def sampler(name, **options):
    return SAMPLERS[name](**(OPTIONS[name] | options))


def drawn(name, data, seed=0, threads=1, **options):
    """The analysis, the sample and its batches."""
    analysis = Analysis(data, threads=threads)
    sample = sampler(name, **options).sample(analysis, np.random.default_rng(seed))
    return analysis, sample, list(sample.batches)


def together(batches, data):
    """X, Y, seeds, references and labels of all batches."""
    X = np.vstack([np.zeros((0, data.d)), *(dense_rows(batch.X) for batch in batches)])
    Y = np.vstack([np.zeros((0, data.q), dtype=bool), *(batch.Y for batch in batches)])
    none = np.zeros(0, dtype=np.int64)
    return X, Y, *(np.concatenate([none, *(getattr(b, part) for b in batches)]) for part in ("seeds", "references", "labels"))


def same(one, other):
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one, other, strict=True))


def assert_in_range(X, data):
    """Missing cells aside, numbers of X lie in the range of their attribute; an attribute that is missing throughout stays so."""
    source = dense_rows(data.X)
    numbers = [j for j, attribute in enumerate(data.features) if attribute.is_number]
    for j in numbers:
        present, observed = X[:, j][~np.isnan(X[:, j])], source[:, j][~np.isnan(source[:, j])]
        assert len(present) == 0 or (observed.min() <= present.min() and present.max() <= observed.max()), data.features[j].name
