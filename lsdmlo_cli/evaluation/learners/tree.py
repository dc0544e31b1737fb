"""The decision tree that BR, CC, RAkEL and COCOA rest on.

The paper's experiments use C4.5. Here scikit-learn's tree stands in for it: CART with entropy and at least two rows in a
leaf. It splits by information gain, not by the gain ratio, it splits nominal attributes by one value against the rest
(they come as 0/1 columns) and it is not pruned.

scikit-learn's trees work on float32. Rows are brought into that form once, not once a tree: to learn from, column by column,
to predict, row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.extras import optional
from lsdmlo_cli.numeric.matrix import Matrix

LARGEST = float(np.finfo(np.float32).max)
FASTER_DENSE_FROM = 0.1
"""Share of cells that are not 0 from which trees grow faster on dense columns; at 0.02 sparse ones take a third of the time."""
MOST_DENSE_CELLS = 1 << 26
"""256 MB of float32; what is larger stays sparse."""


def columns_to_learn(E: Matrix) -> Any:
    """E (n, e) as float32 in column order, dense or (while that is faster) CSC; numbers beyond float32 become its largest."""
    if isinstance(E, np.ndarray):
        return np.asfortranarray(_single(E))
    cells = E.shape[0] * E.shape[1]
    if cells <= MOST_DENSE_CELLS and E.nnz >= FASTER_DENSE_FROM * cells:
        return _single_rows(E).toarray(order="F")
    return _with_short_indices(_single_rows(E).tocsc())


def rows_to_predict(E: Matrix) -> Any:
    """E (m, e) as float32 in row order, dense or CSR."""
    if isinstance(E, np.ndarray):
        return np.ascontiguousarray(_single(E))
    return _with_short_indices(_single_rows(E))


def grow(columns: Any, target: np.ndarray, rng: np.random.Generator, class_weight: str = "none") -> Any:
    """A tree for a target (n,) of whole numbers; columns (n, e) as `columns_to_learn` gives them.

    A target with one value makes a tree of one leaf. class_weight: none, or balanced, by which all its values weigh the same in
    all. Errors: ParameterError without scikit-learn.
    """
    weights = None if class_weight == "none" else class_weight
    seed = int(rng.integers(2**31))
    tree = tree_classifier()(criterion="entropy", min_samples_leaf=2, random_state=seed, class_weight=weights)
    return tree.fit(columns, target, check_input=False)


def probability(tree: Any, rows: Any, value: int) -> np.ndarray:
    """(m,): the share of a value of the target in the leaf that each row falls into; 0 for one the tree has not seen."""
    shares: np.ndarray = tree.predict_proba(rows, check_input=False)
    return shares[:, tree.classes_ == value].sum(axis=1)


def tree_classifier() -> Any:
    """scikit-learn's class of trees. Errors: ParameterError without scikit-learn."""
    return optional("sklearn.tree", "decision trees need scikit-learn", "evaluate").DecisionTreeClassifier


def _single(values: np.ndarray) -> np.ndarray:
    return np.clip(values, -LARGEST, LARGEST).astype(np.float32, copy=False)


def _single_rows(E: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array((_single(E.data), E.indices, E.indptr), shape=E.shape)


def _with_short_indices(rows: Any) -> Any:
    """The matrix with the 32-bit indices that the trees ask for."""
    rows.indices, rows.indptr = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int32, copy=False)
    return rows
