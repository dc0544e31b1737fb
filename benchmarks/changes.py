"""What changed since the kept results: ratios of CPU seconds, lsdmlo's to a peer's in the same run, in benchmarks/kept.json.

Less is better. Ratios are compared, never seconds, so results that were kept on one machine serve on another.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import data

KEPT = Path(__file__).with_name("kept.json")
NOISE = 0.25
"""A ratio that changed by less may have done so by chance: two runs of equal code on a busy machine differed by up to 22 %."""


@dataclass(frozen=True)
class Ratio:
    """A row of a table: its ratio to its peer, told with its version; whether it is of the short selection; when it was taken."""

    table: str
    row: str
    ratio: float
    peer: str
    short: bool
    day: str

    @property
    def key(self) -> tuple[str, str]:
        """What a row is known by."""
        return self.table, self.row


def read(place: Path = KEPT) -> list[Ratio]:
    """The kept ratios; none where nothing was kept yet."""
    return [Ratio(**row) for row in json.loads(place.read_text(encoding="utf-8"))["rows"]] if place.exists() else []


def write(rows: Iterable[Ratio], note: str, place: Path = KEPT) -> None:
    """Keep ratios, with a note on the machine and the run that they come from."""
    lines = ",\n".join(f"  {json.dumps(asdict(row))}" for row in rows)
    place.write_text(f'{{"note": {json.dumps(note)}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")


def merged(kept: Iterable[Ratio], now: Iterable[Ratio], there: Sequence[tuple[str, str]]) -> list[Ratio]:
    """New ratios in the place of kept ones, in the order of `there`: the keys of all rows that exist; others are dropped."""
    found = {row.key: row for row in (*kept, *now)}
    return [found[key] for key in there if key in found]


def table(kept: Collection[Ratio], now: Collection[Ratio], full: bool) -> str:
    """Both ratios of each row and the change between them, marked beyond NOISE.

    Rows that one side lacks are told; kept rows of the full selection only where that ran.
    """
    before, after = ({row.key: row for row in rows} for rows in (kept, now))
    keys = dict.fromkeys([*after, *(key for key, row in before.items() if full or row.short)])
    return data.markdown(
        "What changed since the kept results",
        ["table", "row", "kept", "now", "change", "remark"],
        [[*key, *_cells(before.get(key), after.get(key))] for key in keys],
        f"Ratios of CPU seconds, lsdmlo's to its peer's: less is better. Marked where the change is beyond {NOISE:.0%}.",
    )


def _cells(before: Ratio | None, now: Ratio | None) -> list[str]:
    if now is None or before is None:
        shown = ["" if row is None else data.short(row.ratio) for row in (before, now)]
        return [*shown, "", "new" if before is None else "not measured"]
    change = now.ratio / before.ratio - 1
    return [data.short(before.ratio), data.short(now.ratio), f"{change:+.0%}", remark(change, before.peer, now.peer)]


def remark(change: float, before: str, now: str) -> str:
    """What a change means; where the peer is another than before, its share of it is not known.

    >>> remark(0.3, "numpy 2.4", "numpy 2.4"), remark(-0.3, "numpy 2.4", "numpy 2.4"), remark(0.2, "numpy 2.4", "numpy 2.4")
    ('**slower**', '**faster**', '')
    >>> remark(0.3, "numpy 2.3", "numpy 2.4")
    '**slower**, beside numpy 2.4 instead of numpy 2.3'
    """
    beyond = "**slower**" if change > NOISE else "**faster**" if change < -NOISE else ""
    return ", ".join(filter(None, [beyond, "" if now == before else f"beside {now} instead of {before}"]))
