"""Splitting rows so that every part has its share of every label: iterative stratification (Sechidis et al., 2011).

The label with the fewest rows left is dealt out first, each of its rows to the fold that lacks most of it; the order of the rows
and ties are drawn from the seed. The algorithm is that of the library iterative-stratification.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.extras import optional


@dataclass(frozen=True)
class Fold:
    """One split of the rows: repeat and fold count from 1; test: (n,) bool, all other rows are for training."""

    repeat: int
    fold: int
    test: np.ndarray


def folds(Y: scipy.sparse.csr_array, folds: int, repeats: int = 1, seed: int = 0) -> Iterator[Fold]:
    """`repeats` times `folds` folds of the rows of Y (n, q); in each repeat every row is in the test part of one fold.

    Repeat r has a seed of its own, drawn from (seed, r): more repeats leave the first ones as they are.

    Errors: ParameterError for fewer than two folds, more folds than rows, fewer than one repeat, or without the library.
    """
    _check_folds(Y.shape[0], folds, repeats)
    dense = _two_columns(Y)
    splitter = _library().MultilabelStratifiedKFold
    return (
        Fold(repeat, fold, _mask(len(dense), test))
        for repeat in range(1, repeats + 1)
        for fold, (_, test) in enumerate(
            splitter(n_splits=folds, shuffle=True, random_state=_seed(seed, repeat)).split(dense, dense), start=1
        )
    )


def holdout(Y: scipy.sparse.csr_array, share: float, seed: int = 0) -> Fold:
    """One split with about `share` of the rows of Y (n, q) in the test part.

    Errors: ParameterError for a share not between 0 and 1, one that leaves a part without a row, or without the library.
    """
    check_share(share)
    rows = Y.shape[0]
    chosen = np.zeros(0, dtype=np.intp)
    if np.ceil(share * rows) < rows:  # else the library has no answer
        dense = _two_columns(Y)
        splitter = _library().MultilabelStratifiedShuffleSplit(n_splits=1, test_size=share, random_state=_seed(seed, 1))
        _, chosen = next(splitter.split(dense, dense))
    if not 0 < len(chosen) < rows:
        raise ParameterError(f"a share of {share:g} of {rows} rows leaves none for training, or none for the test")
    return Fold(1, 1, _mask(rows, chosen))


def check_share(share: float) -> None:
    """Raise ParameterError for a share of the test rows that is not between 0 and 1."""
    if not 0 < share < 1:
        raise ParameterError(f"the share of the test rows must lie between 0 and 1 (0.3 for 30 %), found {share:g}")


def _check_folds(rows: int, folds: int, repeats: int) -> None:
    if folds < 2:
        raise ParameterError(f"there must be at least 2 folds, found {folds}")
    if repeats < 1:
        raise ParameterError(f"there must be at least 1 repeat, found {repeats}")
    if folds > rows:
        raise ParameterError(f"{folds} folds need at least as many rows, and there are {rows}")


def _two_columns(Y: scipy.sparse.csr_array) -> np.ndarray:
    """Y as bool with a label more that no row has: the library refuses a single column, and such a label changes nothing."""
    dense = np.zeros((Y.shape[0], Y.shape[1] + 1), dtype=bool)
    dense[Y.nonzero()] = True
    return dense


def _mask(rows: int, chosen: np.ndarray) -> np.ndarray:
    mask = np.zeros(rows, dtype=bool)
    mask[chosen] = True
    return mask


def _seed(seed: int, repeat: int) -> int:
    return int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0])


def _library() -> Any:
    with warnings.catch_warnings(action="ignore"):  # it warns about the machine while it loads
        return optional("iterstrat.ml_stratifiers", "stratified folds need iterative-stratification", "evaluate")
