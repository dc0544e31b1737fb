"""Small made data sets with every kind of attribute and every awkward kind of label."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from lsdmlo_cli import Analysis, Attribute, Dataset
from lsdmlo_cli.numeric.matrix import settle
from lsdmlo_cli.numeric.synthesis import with_ancestors

KINDS = (
    Attribute("length", "numeric"),
    Attribute("count", "integer"),
    Attribute("side", "nominal", ("left", "right")),
    Attribute("colour", "nominal", ("red", "green", "blue", "white")),
    Attribute("only", "nominal", ("x",)),
    Attribute("note", "string"),
    Attribute("depth", "numeric"),
    Attribute("answer", "nominal", ("yes", "no")),
)


def dataset(X, Y, features=None, parents=None):
    """A Dataset from arrays; all features are numeric if nothing else is said."""
    X = X if isinstance(X, csr_array) else np.asarray(X, dtype=np.float64)
    Y = csr_array(np.asarray(Y, dtype=np.float64))
    n, d = X.shape
    features = features or tuple(Attribute(f"x{j}", "numeric") for j in range(d))
    texts = {j: [b""] + [b"text %d" % i for i in range(n + 1)] for j, a in enumerate(features) if a.kind == "string"}
    return Dataset(
        relation="made",
        features=features,
        labels=tuple(Attribute(f"y{j}", "nominal", ("0", "1")) for j in range(Y.shape[1])),
        X=X,
        Y=Y,
        parents=np.full(Y.shape[1], -1) if parents is None else np.asarray(parents),
        sparse_rows=np.zeros(n, dtype=bool),
        texts=texts,
    )


def mixed(n=60, seed=0, missing=0.0, zeros=0.0, counts=(30, 20, 12, 6, 4), parents=None):
    """Every kind of attribute, labels that follow them with noise and have about these counts."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=n).round(3),
            rng.integers(0, 6, n),
            rng.integers(0, 2, n),
            rng.integers(0, 4, n),
            np.zeros(n),
            np.arange(1, n + 1),
            rng.choice([0.0, 0.5, 2.0, 2.5], n),
            rng.integers(0, 2, n),
        ]
    ).astype(np.float64)
    texts = X[:, 5].copy()
    X[rng.random(X.shape) < zeros] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    X[:, 5] = texts
    Y = np.zeros((n, len(counts)), dtype=bool)
    score = np.nan_to_num(X[:, 0]) + 0.2 * np.nan_to_num(X[:, 1]) + rng.normal(size=n)
    order = np.argsort(score)
    for j, count in enumerate(counts):
        window = order[j * 3 : j * 3 + 2 * count]
        Y[rng.choice(window, min(count, len(window)), replace=False), j] = True
    data = dataset(X, Y, KINDS, parents)
    return replace(data, Y=csr_array(with_ancestors(Y, data.parents).astype(np.float64)))


def sparse(data):
    """The same with X as CSR."""
    return replace(data, X=csr_array(data.X))


MADE = {
    "dense": mixed(),
    "sparse": sparse(mixed(seed=1, zeros=0.7)),
    "missing": mixed(seed=2, missing=0.15),
    "sparse with missing": sparse(mixed(seed=3, zeros=0.6, missing=0.1)),
    "nested": mixed(seed=4, counts=(12, 20, 8, 6, 4), parents=[-1, 0, 1, -1, 3]),
    "empty label": mixed(seed=5, counts=(30, 0, 12, 5)),
    "single positive": mixed(seed=6, counts=(30, 20, 1, 6)),
    "only one row": mixed(seed=7, counts=(30, 25, 1)),
    "few rows": mixed(n=7, seed=8, counts=(5, 3, 2, 1)),
    "equal rows": dataset(np.ones((12, 2)), np.array([[1, i < 6, i < 2, i < 3] for i in range(12)])),
    "two batches": mixed(n=300, seed=9, counts=(150, 90, 20, 12)),
}
"""Data sets with a minority label."""

EVEN = dataset(np.arange(8.0)[:, np.newaxis], np.array([[i % 2, (i + 1) % 2] for i in range(8)]))
"""Two labels of the same frequency: none is a minority label, no labelset is rare."""


def dense_rows(X):
    """X as a plain array."""
    return X if isinstance(X, np.ndarray) else X.toarray()


def numbers_alone(n=60, seed=0):
    """X (n, 4) of numbers and Y (n, 3) of labels that follow the first three, the rarer the later."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, :3] + 0.4 * rng.normal(size=(n, 3)) > [0, 0.7, 1.3]).astype(int)


def numbers(seed, n=40, d=3, q=5, levels=4):
    """Whole numbers with many ties, and labels of falling frequency."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, size=(n, d)).astype(float)
    return dataset(X, rng.random((n, q)) < np.linspace(0.6, 0.1, q) + 0.08 * (X[:, :1] - 1))


def made_up(seed: int, n: int = 30, d: int = 4, q: int = 5) -> Dataset:
    """Whole numbers with many ties, and labels of falling frequency that follow the first features."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, d)).astype(np.float64)
    Y = (X[:, [0] * q] + rng.random((n, q)) > np.linspace(1.0, 2.9, q)).astype(np.float64)
    return Dataset(
        relation="made up",
        features=tuple(Attribute(f"x{j}", "numeric") for j in range(d)),
        labels=tuple(Attribute(f"y{j}", "nominal", ("0", "1")) for j in range(q)),
        X=settle(X),
        Y=csr_array(Y),
        parents=np.full(q, -1),
        sparse_rows=np.zeros(n, dtype=bool),
    )


def thetas(analysis: Analysis) -> np.ndarray:
    """Theta (e, q)."""
    return analysis.thetas(range(analysis.dataset.q)).T
