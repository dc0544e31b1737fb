"""Records as CSV, and whatever JSON holds as strict JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsdmlo_cli.display.table import Document, Record


def to_csv(records: Iterable[Record], columns: Sequence[str]) -> str:
    """A line a record under the names of the columns, as RFC 4180 has it; what is not defined is empty.

    Truth values are true and false, as in JSON; keys that are no column are left out.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({key: _spelled(value) for key, value in one.items()} for one in records)
    return text.getvalue()


def _spelled(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def document_csv(document: Document) -> str:
    """The records of a document."""
    return to_csv(document.records, list(document.records[0])) if document.records else ""


def to_json(content: Any) -> bytes:
    """Strict JSON in UTF-8, indented, with a final line end."""
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")
