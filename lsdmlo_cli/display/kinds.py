"""Which command wrote a report: the one place that knows reports apart."""

from __future__ import annotations

from typing import Any

from lsdmlo_cli.errors import DataError

FIELDS = {
    "resample": {"before", "after", "synthetic"},
    "stats": {"dataset", "measures", "labels"},
    "evaluate": {"experiment", "results", "comparison"},
    "recommend": {"report", "answer", "candidates"},
}
"""The fields by which the reports of a command are known."""
COMMANDS = " or ".join((", ".join(list(FIELDS)[:-1]), list(FIELDS)[-1]))


def kind_of(report: Any, place: str = "the report") -> str:
    """The command that wrote a report: the one that it names itself, else the one whose fields it has.

    Errors: DataError for another JSON; `place` says what it is called in the message.

    >>> kind_of({"before": {}, "after": {}, "synthetic": {}}), kind_of({"report": "recommend"})
    ('resample', 'recommend')
    """
    if isinstance(report, dict):
        said = report.get("report")
        for command, fields in FIELDS.items():
            if said == command or (said is None and fields <= report.keys()):
                return command
    raise DataError(f"{place}: found other JSON, expected a report of {COMMANDS}")
