"""Whether methods differ over data sets: average ranks, Wilcoxon's signed-rank test, Bergmann and Hommel's adjustment.

    d_i = x_i - y_i,  W+ = sum of the ranks of |d_i| where d_i > 0;  p = P(|W+ - E W+| at least as large) over all signs
    adjusted p of a pair e = max over the exhaustive sets I with e of |I| min_{i in I} p_i, at most 1

A set of pairs is exhaustive if all of them, and no others, can be true null hypotheses: the pairs inside the blocks of a
partition of the methods (Bergmann & Hommel, 1988; Garcia & Herrera, 2008). Both tests are exact.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy

from lsdmlo_cli.errors import DataError, ParameterError

MOST_METHODS = 15
"""For `bergmann_hommel`, whose work grows as 3^methods."""


def ranks(values: np.ndarray, higher_is_better: bool) -> np.ndarray:
    """The rank of each method on each data set, 1 the best, equal values share the mean rank: (data sets, methods).

    The mean over axis 0 gives the average ranks; a row sums to m (m + 1) / 2. Errors: DataError for a value that is missing.

    >>> ranks(np.array([[0.9, 0.5, 0.9]]), higher_is_better=True)
    array([[1.5, 3. , 1.5]])
    """
    _refuse_missing(values)
    return scipy.stats.rankdata(-values if higher_is_better else values, axis=1)


def wilcoxon(x: np.ndarray, y: np.ndarray) -> float:
    """Two-sided exact p of the signed-rank test for paired values x and y, (n,) each; 1 where no pair differs.

    Pairs that do not differ are dropped before ranking. Equal differences share their mean rank. Differences are compared as
    they are, rounding included.

    Errors: DataError for a value that is missing. Source: Wilcoxon, 1945; Demsar, 2006.

    >>> wilcoxon(np.arange(1.0, 14.0), np.zeros(13)) == 2 / 2**13
    True
    """
    above, below = _rank_sums(x, y)
    return _two_sided(above, below)


def _rank_sums(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twice the ranks (whole numbers) of the pairs where x is above y, and of those where it is below."""
    difference = np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    _refuse_missing(difference)
    difference = difference[difference != 0]
    doubled = np.rint(2 * scipy.stats.rankdata(np.abs(difference))).astype(np.int64)
    return doubled[difference > 0], doubled[difference < 0]


def _two_sided(above: np.ndarray, below: np.ndarray) -> float:
    """Share of all choices of signs whose rank sum is as far from the middle as the one found."""
    chance = np.ones(1)  # of each sum of the doubled ranks so far that have a plus
    for rank in np.concatenate([above, below]).tolist():
        with_minus, with_plus = np.pad(chance, (0, rank)), np.pad(chance, (rank, 0))
        chance = (with_minus + with_plus) / 2
    smaller = int(min(above.sum(), below.sum()))
    return min(1.0, 2 * float(chance[: smaller + 1].sum()))


def bergmann_hommel(p: np.ndarray) -> np.ndarray:
    """Adjusted p of every pair of methods: p (m, m) symmetric -> (m, m) symmetric, 1 on the diagonal, which is not read.

    For each p as a threshold t, methods whose pairs all have p >= t may share a block; a dynamic program over sets of methods
    finds the partition into such blocks with the most pairs in them, and the best one that has a given pair in a block. The
    adjusted p is the largest t times that number of pairs, over the t not above the pair's own p.

    Errors: ParameterError above MOST_METHODS methods, DataError for a p that is missing.
    """
    methods = len(p)
    if methods > MOST_METHODS:
        raise ParameterError(f"the Bergmann-Hommel adjustment is exact for up to {MOST_METHODS} methods, found {methods}")
    pairs = list(combinations(range(methods), 2))
    raw = np.array([p[a, b] for a, b in pairs], dtype=np.float64)
    _refuse_missing(raw)
    together = [np.flatnonzero(_has(a, methods) & _has(b, methods)) for a, b in pairs]
    adjusted = raw.copy()
    partitions = _Partitions(p)
    for t in np.unique(raw):
        count = partitions.most_pairs(t)
        for e in np.flatnonzero(raw >= t):
            adjusted[e] = max(adjusted[e], t * count[together[e]].max())
    result = np.ones((methods, methods))
    for (a, b), value in zip(pairs, np.minimum(adjusted, 1.0), strict=True):
        result[a, b] = result[b, a] = value
    return result


def _has(method: int, methods: int) -> np.ndarray:
    """(2^m,) bool: which sets, written as bit masks, hold the method."""
    return np.arange(1 << methods) >> method & 1 == 1


class _Partitions:
    """Partitions of sets of methods, sets written as bit masks.

    least: (2^m,) the smallest p of a pair in the set, inf without a pair. size: (2^m,) how many pairs are in the set.
    part, rest: every set of the first m - 1 methods in two parts, by rising set; starts: where each set's parts begin.
    """

    def __init__(self, p: np.ndarray) -> None:
        self.methods = len(p)
        self.least = np.full(1, np.inf)
        for k in range(self.methods):
            with_k = np.full(1, np.inf)  # the smallest p between k and a method of the set
            for j in range(k):
                with_k = np.concatenate([with_k, np.minimum(with_k, p[k, j])])
            self.least = np.concatenate([self.least, np.minimum(self.least, with_k)])
        members = sum((_has(k, self.methods).astype(np.int64) for k in range(self.methods)), np.zeros(1, dtype=np.int64))
        self.size = (members * (members - 1) // 2).astype(np.int16)
        self.part, self.rest = _subsets(self.methods - 1)
        self.starts = np.concatenate([[0], np.cumsum(1 << members)])

    def most_pairs(self, t: float) -> np.ndarray:
        """(2^m,): the most pairs inside blocks of a partition of all methods that has the set as one block.

        Only blocks whose pairs all have p >= t are allowed; a set that is none has a number below 0.
        """
        inside = np.where(self.least >= t, self.size, -self.size[-1] - 1)
        best = np.zeros(1, dtype=np.int16)  # of the partitions of each set of the first k methods
        for k in range(self.methods):
            sets = 1 << k
            end = self.starts[sets]
            pairs = inside[sets:][self.part[:end]] + best[self.rest[:end]]  # k in a block with the one part
            best = np.concatenate([best, np.maximum.reduceat(pairs, self.starts[:sets])])
        return inside + best[::-1]  # the complement of a set has the mask that lies as far from the end


def _subsets(methods: int) -> tuple[np.ndarray, np.ndarray]:
    """Every set of so many methods in two parts, in each of the 3^methods ways, by rising set."""
    part = rest = np.zeros(1, dtype=np.intp)
    for k in range(methods):
        with_k = np.concatenate([part, part + (1 << k)]), np.concatenate([rest + (1 << k), rest])
        order = np.argsort(with_k[0] + with_k[1], kind="stable")
        part, rest = np.concatenate([part, with_k[0][order]]), np.concatenate([rest, with_k[1][order]])
    return part, rest


def wins_and_losses(values: np.ndarray, higher_is_better: bool, level: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often each method is significantly better and worse than another one, and the adjusted p of all pairs.

    values: (data sets, methods). A pair differs where Wilcoxon's p, adjusted by Bergmann and Hommel, is below `level`; the method
    with the larger rank sum on its side wins. Returns wins (m,), losses (m,) and adjusted p (m, m).

    Errors: as in `wilcoxon` and `bergmann_hommel`.
    """
    methods = values.shape[1]
    better = values if higher_is_better else -values
    p, ahead = np.ones((methods, methods)), np.zeros((methods, methods))
    for a, b in combinations(range(methods), 2):
        above, below = _rank_sums(better[:, a], better[:, b])
        p[a, b] = p[b, a] = _two_sided(above, below)
        ahead[a, b] = above.sum() - below.sum()
        ahead[b, a] = -ahead[a, b]
    adjusted = bergmann_hommel(p)
    wins = (adjusted < level) & (ahead > 0)
    return wins.sum(axis=1), wins.sum(axis=0), adjusted


def _refuse_missing(values: np.ndarray) -> None:
    if np.isnan(values).any():
        raise DataError("a value is missing: methods can be compared on data sets where all of them have one")
