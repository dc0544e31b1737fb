"""From encoded features back to attributes, the inverse of encoding.py, for rows that a model made.

number             its value, within the range of the rows it was learned from
1 declared value   code 0
2 declared values  the code whose 0 or 1 is nearer (ties: 0)
3 or more          the value whose column is largest (ties: declared first)
text               0; the caller fills it in
"""

from __future__ import annotations

import numpy as np

from lsdmlo_cli.numeric.encoding import NUMBER, Encoding


def decode(encoding: Encoding, E: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """X (m, d) for rows E (m, e); low, high: (e,) the range of each encoded column."""
    levels, column = encoding.levels, encoding.column
    X = np.zeros((len(E), len(levels)))
    numbers = np.flatnonzero(levels == NUMBER)
    values = np.clip(E[:, column[numbers]], low[column[numbers]], high[column[numbers]])
    divisor = np.where(np.isinf(encoding.divisor[numbers]), 1.0, encoding.divisor[numbers])
    X[:, numbers] = np.ldexp(values * divisor, encoding.shift[numbers])
    pairs = np.flatnonzero(levels == 2)
    X[:, pairs] = (E[:, column[pairs]] > 0.5) ^ (encoding.first[pairs] == 1)
    for j in np.flatnonzero(levels >= 3).tolist():
        X[:, j] = E[:, column[j] : column[j] + levels[j]].argmax(axis=1)
    return X
