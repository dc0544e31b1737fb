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


def brute_force(E, queries, k, theta=None, exclude=None):
    """Return the definition, spelled out."""
    index, squared = [], []
    for i, query in enumerate(queries):
        terms = (query - E) ** 2
        distances = np.cumsum(terms if theta is None else theta * terms, axis=1)[:, -1]
        rows = np.arange(len(E))
        if exclude is not None:
            rows = np.delete(rows, exclude[i])
        order = rows[np.lexsort((rows, distances[rows]))][:k]
        index.append(order)
        squared.append(distances[order])
    return Neighbors(np.array(index), np.array(squared))


def assert_same(found, expected):
    np.testing.assert_array_equal(found.squared_distance, expected.squared_distance)
    np.testing.assert_array_equal(found.index, expected.index)
