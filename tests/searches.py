"""Searches for neighbours: rows and weights of every kind, and the search spelled out."""

import numpy as np

from lsdmlo_cli.numeric.neighbors import Neighbors

KINDS = {
    "0/1": lambda rng, n, e: (rng.random((n, e)) < 0.3) * 1.0,
    "small whole numbers": lambda rng, n, e: rng.integers(-3, 9, (n, e)) * 1.0,
    "large whole numbers": lambda rng, n, e: rng.integers(-30_000, 90_000, (n, e)) * 1.0,
    "floats": lambda rng, n, e: rng.normal(size=(n, e)),
    "offset 1000": lambda rng, n, e: 1000 + rng.normal(size=(n, e)),
    "tight clusters": lambda rng, n, e: 1000 + rng.integers(0, 3, (n, 1)) + 1e-9 * rng.normal(size=(n, e)),
    "huge": lambda rng, n, e: 1e150 * rng.uniform(-1, 1, (n, e)),
    "all magnitudes": lambda rng, n, e: 10 ** rng.uniform(-150, 150, (n, e)),
    "squares underflow": lambda rng, n, e: 1e-160 * rng.normal(size=(n, e)),
    "denormal": lambda rng, n, e: 1e-310 * rng.normal(size=(n, e)),
    "duplicates": lambda rng, n, e: rng.normal(size=(n, e))[rng.integers(0, -(-n // 5), n)],
    "one row repeated": lambda rng, n, e: np.tile(rng.normal(size=e), (n, 1)),
    "constant columns": lambda rng, n, e: np.where(np.arange(e) % 2, 3.7, rng.normal(size=(n, e))),
    "a huge constant": lambda rng, n, e: np.where(np.arange(e), rng.integers(0, 3, (n, e)), 1e150),
    "rows of one entry": lambda rng, n, e: np.eye(e)[rng.integers(0, e, n)],
    "zeros": lambda rng, n, e: np.zeros((n, e)),
}
WEIGHTS = {
    "Euclid": lambda rng, e: None,
    "all columns": lambda rng, e: rng.random(e) + 0.01,
    "a few columns": lambda rng, e: rng.random(e) * (rng.random(e) < 0.3),
    "uniform": lambda rng, e: np.full(e, 1 / e),
    "no column": lambda rng, e: np.zeros(e),
    "tiny": lambda rng, e: 1e-300 * rng.random(e),
}


CELLS = 1 << 22
"""Of terms of distances at a time."""


def brute_force(E, queries, k, theta=None, exclude=None):
    """Return the definition, spelled out; theta: (e,), or (m, e) for each query its own."""
    m, n = len(queries), len(E)
    parts = np.array_split(np.arange(m), -(-m * E.size // CELLS) or 1)
    every = np.vstack(
        [_squared_distances(E, queries[part], theta if theta is None or theta.ndim == 1 else theta[part]) for part in parts]
    )
    excluded = np.zeros((m, n), dtype=bool)
    if exclude is not None:
        excluded[np.arange(m), exclude] = True
    rows = np.broadcast_to(np.arange(n), (m, n))
    order = np.lexsort((rows, every, excluded))[:, : min(k, n - (exclude is not None))]
    return Neighbors(order, np.take_along_axis(every, order, axis=1))


def _squared_distances(E, queries, theta):
    """(m, n), the terms added in the order of the columns."""
    terms = (queries[:, np.newaxis] - E) ** 2
    if theta is not None:
        terms = theta[..., np.newaxis, :] * terms
    return np.cumsum(terms, axis=2)[:, :, -1]


def assert_same(found, expected):
    np.testing.assert_array_equal(found.squared_distance, expected.squared_distance)
    np.testing.assert_array_equal(found.index, expected.index)
