"""The decision tree that BR, CC, RAkEL and COCOA rest on.

The paper's experiments use C4.5. Here scikit-learn's tree stands in for it: CART with entropy and at least two rows in a
leaf. It splits by information gain, not by the gain ratio, it splits nominal attributes by one value against the rest
(they come as 0/1 columns) and it is not pruned.

scikit-learn's trees work on float32. Rows are brought into that form once, not once a tree: to learn from, column by column
(sparse rows stay sparse: at the densities at which they are held so, that is faster than dense), to predict, row by row.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.numeric.matrix import Matrix

LARGEST = float(np.finfo(np.float32).max)


def columns_to_learn(E: Matrix) -> Any:
    """E (n, e) as float32 in column order, dense or CSC; numbers beyond float32 become its largest."""
    if isinstance(E, np.ndarray):
        return np.asfortranarray(_single(E))
    return _with_short_indices(csc_array((_single(E.data), E.indices, E.indptr), shape=E.shape[::-1]).T.tocsc())


def rows_to_predict(E: Matrix) -> Any:
    """E (m, e) as float32 in row order, dense or CSR."""
    if isinstance(E, np.ndarray):
        return np.ascontiguousarray(_single(E))
    return _with_short_indices(csr_array((_single(E.data), E.indices, E.indptr), shape=E.shape))


def grow(columns: Any, target: np.ndarray, rng: np.random.Generator) -> Any:
    """A tree for a target (n,) of whole numbers; columns (n, e) as `columns_to_learn` gives them.

    A target with one value makes a tree of one leaf. Errors: ParameterError without scikit-learn.
    """
    tree = tree_classifier()(criterion="entropy", min_samples_leaf=2, random_state=int(rng.integers(2**31)))
    return tree.fit(columns, target, check_input=False)


def probability(tree: Any, rows: Any, value: int) -> np.ndarray:
    """(m,): the share of a value of the target in the leaf that each row falls into; 0 for one the tree has not seen."""
    shares: np.ndarray = tree.predict_proba(rows, check_input=False)
    return shares[:, tree.classes_ == value].sum(axis=1)


def tree_classifier() -> Any:
    """scikit-learn's class of trees. Errors: ParameterError without scikit-learn."""
    try:
        return import_module("sklearn.tree").DecisionTreeClassifier
    except ImportError as error:
        raise ParameterError("decision trees need scikit-learn: pip install 'lsdmlo[evaluate]'") from error


def _single(values: np.ndarray) -> np.ndarray:
    return np.clip(values, -LARGEST, LARGEST).astype(np.float32)


def _with_short_indices(rows: Any) -> Any:
    """The matrix with the 32-bit indices that the trees ask for."""
    rows.indices, rows.indptr = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int32, copy=False)
    return rows
