"""`python libraries.py FILE`: the least that a run on an ARFF file takes with Python's libraries, as a process of its own.

liac-arff reads the file, and scikit-learn finds the 5 nearest rows of each of its first 2,000 rows, on one thread. All columns
are taken as they are; categories count as their numbers.
"""

from __future__ import annotations

import sys
from array import array
from itertools import chain
from pathlib import Path

import arff
import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

ROWS, K = 2_000, 5


def main(path: str) -> None:
    """Read the file and search."""
    X = matrix(Path(path))
    with threadpool_limits(1):
        NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X).kneighbors(X[:ROWS])


def matrix(place: Path) -> np.ndarray | csr_array:
    """All columns of a file (n, d): CSR where its first row is sparse."""
    sparse = has_sparse_rows(place)
    with place.open(encoding="utf-8") as file:
        found = arff.load(file, encode_nominal=True, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN)
        d = len(found["attributes"])
        if not sparse:
            return np.fromiter(chain.from_iterable(found["data"]), dtype=np.float64).reshape(-1, d)
        starts, columns, values = array("q", [0]), array("q"), array("d")
        for row in found["data"]:
            columns.extend(row)
            values.extend(row.values())
            starts.append(len(columns))
    return csr_array((np.array(values), np.array(columns), np.array(starts)), shape=(len(starts) - 1, d))


def has_sparse_rows(place: Path) -> bool:
    """Whether the first row of a file is in braces."""
    with place.open(encoding="utf-8") as file:
        for line in file:
            if line.lower().startswith("@data"):
                break
        return next(line for line in file if line.strip()).startswith("{")


if __name__ == "__main__":
    main(sys.argv[1])
