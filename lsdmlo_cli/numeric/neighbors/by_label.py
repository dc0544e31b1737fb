"""The k nearest rows to queries of many labels, each by its own label's distance: exact, as in neighbors.py.

One product can tell for all labels at once which candidates may be near: of sparse rows by what they share
(label_sharing.py), of dense ones where each label has few queries (label_products.py). Eq. 5 decides among these. All other
labels have a search of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lsdmlo_cli.numeric.matrix import Matrix, release
from lsdmlo_cli.numeric.neighbors.distances import pair_distances
from lsdmlo_cli.numeric.neighbors.products import near_by_product
from lsdmlo_cli.numeric.neighbors.search import WORKSPACE, WORTH_THREADS, Neighbors, begun, merge, nearest, nobody, put, taken
from lsdmlo_cli.numeric.neighbors.shared_columns import near_by_sharing, weighted
from lsdmlo_cli.numeric.rows import portions

TILE = 2**14  # sparse candidates at once
QUERIES = 2048  # of a batch of labels
PREPARED = 128  # queries that take as long as what a label's search does besides
CELLS = 2**21  # of the queries of a batch of labels, of its weights, and of the norms they give the candidates


def batches(E: Matrix, labels: Sequence[int], counts: np.ndarray, parts: int, candidates: int | None = None) -> list[list[int]]:
    """Which labels are best searched together, given how many queries each has (l,): about `parts` batches, or more if many.

    Labels of many queries come first, so that threads that take batch by batch end at about the same time. candidates: against
    how many rows most queries are held, None is all of E.
    """
    order = np.argsort(-counts, kind="stable")
    ordered, counts = np.asarray(labels)[order], counts[order]
    n, e = E.shape
    candidates = max(1, n if candidates is None else candidates)
    queries = max(1, min(max(QUERIES, CELLS // candidates), CELLS // e))
    together = max(1, CELLS // (e + min(n, TILE)))
    work = counts + PREPARED
    size = np.maximum(counts / queries, work / max(WORTH_THREADS / candidates, work.sum() / parts))
    return [ordered[part].tolist() for part in portions(np.maximum(size, 1 / together), 1)]


def nearest_by_label(
    E: Matrix,
    queries: Matrix,
    k: int,
    theta: np.ndarray,
    label: np.ndarray,
    exclude: np.ndarray | None = None,
    *,
    known: Neighbors | None = None,
    first: int = 0,
    workspace: int = WORKSPACE,
) -> Neighbors:
    """The k rows of E (n, e) nearest to each query (m, e) by its label's distance, ties to the lower row.

    theta: (l, e) the weights of l labels (Eq. 5), none negative. label: (m,) the row of theta of each query. All else
    as in `nearest`; searches may run side by side, and share a workspace then.

    >>> E = np.array([[0.0, 5.0], [2.0, 0.0], [3.0, 5.0]])
    >>> nearest_by_label(E, E[[0, 0]], 1, np.eye(2), np.array([0, 1]), np.array([0, 0])).index
    array([[1],
           [2]])
    """
    best = begun(E.shape[0], len(label), k, exclude, known)
    exclude = np.full(len(label), -1) if exclude is None else exclude
    asked = None if isinstance(queries, np.ndarray) else weighted(queries, theta, label)
    for at, rows in _tiles(E) if best.index.size else ():
        done = np.bincount(label, minlength=len(theta)) == 0
        farthest, wanted = best.squared_distance[:, -1], best.index.shape[1] + 1
        if asked is None:
            close = near_by_product(rows, queries, theta, label, farthest, wanted, workspace)
        else:
            close = near_by_sharing(rows, asked, theta, farthest, wanted)
        for some, query, row in close:
            done[label[some]] = True
            others = row + first + at != exclude[some[query]]
            query, row = query[others], row[others]
            asks = np.bincount(query, minlength=len(some)) > 0
            asking, query = some[asks], (np.cumsum(asks) - 1)[query]
            d2 = pair_distances(queries, asking[query], rows, row, theta, label[asking[query]])
            lists = nobody(len(asking), wanted - 1)
            put(lists, row + first + at, query, d2)
            best.index[asking], best.squared_distance[asking] = merge(taken(best, asking), lists, 0, wanted - 1)
        for j in np.flatnonzero(~done):
            which = np.flatnonzero(label == j) if len(theta) > 1 else slice(None)
            own = taken(best, which)
            found = nearest(rows, queries[which], k, theta[j], exclude[which], known=own, first=first + at, workspace=workspace)
            best.index[which], best.squared_distance[which] = found
    return best


def _tiles(E: Matrix) -> Iterator[tuple[int, Matrix]]:
    """Where some rows begin, and these."""
    n = E.shape[0]
    height = n if isinstance(E, np.ndarray) else TILE
    for at in range(0, n, max(1, height)):
        yield at, E if n <= height else E[at : at + height]
        release(E)
