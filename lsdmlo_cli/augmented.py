"""Files that hold synthetic rows already, known by the report that `resample` left beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from lsdmlo_cli.formats import Source, stem
from lsdmlo_cli.formats.files import is_regular

MOST_BYTES = 64 << 20
"""A larger report is not looked at; that of 50,000 labels has about 30 million bytes."""
FIGURES = "its figures are those of the augmented data"
SPLIT = "rows made from one another may fall on both sides of a split; split the original, then resample its training rows"


def default_report(path: str) -> str | None:
    """Where the report of an output goes unless said otherwise: beside it, nowhere for what is no regular file.

    >>> default_report("out.arff.gz"), default_report("-")
    ('out.report.json', None)
    """
    return f"{stem(path)}.report.json" if is_regular(path) else None


def augmented(source: Source, consequence: str) -> tuple[str, ...]:
    """A warning with what follows from it, where the report beside a file that was read says that rows in it are synthetic.

    The report must hold the digest of the very bytes that were read: a file that was edited since gives no warning. Nor does
    a report that is missing, damaged, not one of `resample` or larger than MOST_BYTES.
    """
    place = default_report(source.path)
    report = None if place is None else _report(Path(place))
    match report:
        case {"output": {"sha256": str(sha256)}, "synthetic": {"created": int(created)}}:
            if sha256 == source.sha256 and created > 0:
                return (f"its last {created} rows are synthetic, as {place} says: {consequence}",)
    return ()


def _report(place: Path) -> Any:
    """What a report holds, None where it cannot be read."""
    try:
        if not place.is_file():
            return None
        with place.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        return orjson.loads(text) if len(text) <= MOST_BYTES else None
    except (OSError, ValueError):
        return None
