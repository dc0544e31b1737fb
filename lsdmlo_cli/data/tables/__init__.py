"""Tables as people hold them in memory, and the numbers of a Dataset: numpy arrays, scipy's sparse ones, and data frames of
pandas, polars and pyarrow.

A Table knows the numbers of its cells (see `dataset`: a nominal cell is the position of its value) and how rows are spelled
again as its own kind, with its column names and types. What a cell may hold:

    numbers            as they are; of an integer type: an integer attribute; NaN, None or NA is missing
    truth values       nominal, False before True
    text, categories   nominal: the categories in their order, else the values in rising order, else as they come
    numbers that are named in `categorical`: nominal, 0 first, then in rising order
    dates, times and durations of a frame: as dates in an ARFF file, a new row has its seed's

dense, sparse and frame hold a kind each; cells and columns are what they share, and labels is what is special about Y.
pandas_columns, polars_columns and arrow_columns are what frame knows of each library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import scipy

from lsdmlo_cli.data.dataset import Attribute, Dataset, Kind, Origin
from lsdmlo_cli.data.tables import arrow_columns, pandas_columns, polars_columns
from lsdmlo_cli.data.tables.dense import Dense
from lsdmlo_cli.data.tables.frame import Frame, Library
from lsdmlo_cli.data.tables.labels import refuse_vectors, zero_one
from lsdmlo_cli.data.tables.sparse import Sparse
from lsdmlo_cli.errors import DataError
from lsdmlo_cli.numeric.matrix import Matrix, settle

_FRAMES: tuple[tuple[str, str, Library], ...] = (
    ("pandas", "DataFrame", pandas_columns),
    ("polars", "DataFrame", polars_columns),
    ("pyarrow", "Table", arrow_columns),
)
"""Frames by the library, the name of its class, and what is known of its columns. No library is loaded for it."""

_REMEDIES = {
    ("polars", "LazyFrame"): "{0}.collect()",
    ("polars", "Series"): "{0}.to_frame()",
    ("pyarrow", "RecordBatch"): "pyarrow.Table.from_batches([{0}])",
    ("pyarrow", "RecordBatchReader"): "{0}.read_all()",
    ("pyarrow", "ChunkedArray"): "pyarrow.table([{0}], names=['name'])",
}
"""How a table is made of what is near to one."""


class Table(Protocol):
    """Rows and columns of one kind.

    names: of the columns. kinds: numeric, integer, nominal or date. levels: the values of the nominal columns.
    numbers: (n, columns).
    """

    names: list[Any]
    kinds: list[Kind]
    levels: dict[int, list[Any]]
    numbers: Matrix

    def joined(self, rows: np.ndarray, new: Matrix, seeds: np.ndarray) -> Any:
        """Some of the own rows, then new ones (m, columns) given as numbers: a table of the own kind.

        seeds (m,): the own row of which each new one is made, -1 without one. A new cell whose number is the seed's is the
        seed's own cell.
        """
        ...


def table(data: Any, what: str, categorical: Iterable[Any] | None = None) -> Table:
    """Take a table in; `what` names it in messages, `categorical` its nominal columns, by index or (in a frame) by name.

    Errors: DataError where it is no table or holds what is neither number nor nominal, ParameterError for a column that
    it does not have.
    """
    for module, kind, library in _FRAMES:
        if (loaded := sys.modules.get(module)) is not None and isinstance(data, getattr(loaded, kind)):
            return Frame(data, what, categorical, library)
    of = type(data)
    if (remedy := _REMEDIES.get((of.__module__.partition(".")[0], of.__name__))) is not None:
        raise DataError(f"{what} is a {of.__name__}, no table: give {remedy.format(what)}")
    return Sparse(data, what, categorical) if scipy.sparse.issparse(data) else Dense(data, what, categorical)


def labels(data: Any) -> Table:
    """Take Y in. Errors: DataError where it is no table of 0 and 1, which says what to make of it."""
    refuse_vectors(data)
    return zero_one(table(data, "Y"))


def dataset(X: Table, Y: Table) -> Dataset:
    """The data set of features X (n, d) and labels Y (n, q), as `labels` gives them. Errors: DataError where they do not fit."""
    n, (rows, q) = X.numbers.shape[0], Y.numbers.shape
    if rows != n:
        hint = f", and Y of shape {rows} x {q} may have to be turned: Y.T" if q == n else ""
        raise DataError(f"X has {n} rows and Y has {rows}: they must be rows of the same data{hint}")
    if not q:
        raise DataError("Y has no column: there must be a label")
    set_labels = scipy.sparse.csr_array(Y.numbers)
    set_labels.eliminate_zeros()
    return Dataset(
        relation="X",
        features=tuple(_attribute(X, j) for j in range(len(X.names))),
        labels=tuple(Attribute(str(name), "nominal", ("0", "1")) for name in Y.names),
        X=settle(X.numbers),
        Y=set_labels,
        parents=np.full(len(Y.names), -1, dtype=np.intp),
        sparse_rows=np.zeros(n, dtype=bool),
        origin=Origin(file="X", labels_from="Y"),
    )


def _attribute(X: Table, column: int) -> Attribute:
    """A nominal column without any value present is given one value, which no row has."""
    values = tuple(map(str, X.levels[column])) or ("",) if column in X.levels else ()
    return Attribute(str(X.names[column]), X.kinds[column], values)
