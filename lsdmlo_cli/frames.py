"""Results as data frames: of pandas, polars or pyarrow, whichever is asked for; none of them is needed for anything else.

A result has tables by name, the one that is most asked for first. A table is a dictionary of columns; None is what has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias

from lsdmlo_cli.checks import check_choice, is_number
from lsdmlo_cli.errors import ParameterError, hint
from lsdmlo_cli.extras import optional

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Columns: TypeAlias = Mapping[str, Sequence[Any]]

EXTRAS = {"pandas": "pandas", "polars": "polars", "pyarrow": "tables"}
"""The extra that has each library."""
MOST_SHOWN = 20
"""Rows of a table in a notebook."""


class Tabular:
    """What has tables that become data frames. In a notebook the first of them is shown."""

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        """The tables by name, each made when it is called; the first is that of `to_frame()`."""
        raise NotImplementedError

    def to_frame(self, library: Library = "pandas", *, table: str | None = None) -> Any:
        """A table as a data frame of a library: pandas, polars, or pyarrow (a Table).

        table: its name, None for the first; an unknown one is answered with the names there are. Numbers that are not defined are
        NaN in pandas, else null. Errors: ParameterError for an unknown table or library, or one that is missing.
        """
        check_choice("library", library, *EXTRAS)
        module = optional(library, f"to_frame({library!r}) needs {library}", EXTRAS[library])
        columns = self._columns(table)
        if library == "pyarrow":
            return module.table({name: list(values) for name, values in columns.items()})
        if library == "polars":
            return module.DataFrame({name: list(values) for name, values in columns.items()}, strict=False)
        return module.DataFrame({name: _for_pandas(values) for name, values in columns.items()})

    def _columns(self, table: str | None) -> Columns:
        known = self.tables()
        name = next(iter(known)) if table is None else table
        if name not in known:
            raise ParameterError(f"there is no table {name!r}{hint(str(name), known)}: there are {', '.join(known)}")
        return known[name]()

    def _repr_html_(self) -> str:
        from html import escape

        columns = self._columns(None)
        rows = list(islice(zip(*columns.values(), strict=True), MOST_SHOWN + 1))
        more = "<p>and more: to_frame() has all rows</p>" if len(rows) > MOST_SHOWN else ""
        body = "".join(_html_row("td", map(_shown, row)) for row in rows[:MOST_SHOWN])
        head = _html_row("th", columns)
        return f"<pre>{escape(repr(self))}</pre><table><thead>{head}</thead><tbody>{body}</tbody></table>{more}"


class TabularReport(Tabular, dict[str, Any]):
    """A report, which is the dictionary that the command prints as JSON, with tables."""

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterable[str]:
        """What it says, in a few lines."""
        raise NotImplementedError


def columns_of(records: Sequence[Mapping[str, Any]], names: Iterable[str] | None = None) -> Columns:
    """The columns of records, all of which have the names; None: those of the first.

    >>> columns_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    chosen = (records[0] if records else ()) if names is None else names
    return {name: [record[name] for record in records] for name in chosen}


def _for_pandas(values: Sequence[Any]) -> Sequence[Any]:
    """A column as pandas takes it: numbers with gaps, and gaps alone, with NaN."""
    gaps = isinstance(values, list) and any(value is None for value in values)
    if gaps and all(value is None or is_number(value) for value in values):
        return [float("nan") if value is None else float(value) for value in values]
    return values


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _html_row(cell: str, texts: Iterable[str]) -> str:
    from html import escape

    return f"<tr>{''.join(f'<{cell}>{escape(str(text))}</{cell}>' for text in texts)}</tr>"
