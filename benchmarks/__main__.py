"""`python -m benchmarks [--full] [NAME ...]`: run the tables one after another and write benchmarks/RESULTS.md.

Tables that were not asked for keep their place in RESULTS.md, each with the day and the selection it was taken with.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.util
import re
import sys
import traceback
from pathlib import Path

from benchmarks import data

TABLES = (
    *("startup", "peers", "reading", "tables", "writing", "neighbors", "solver", "converged", "after", "samplers", "whole"),
    "growth",
)
RESULTS = Path(__file__).with_name("RESULTS.md")
_SECTION = re.compile(r"<!-- (\w+) -->\n(.*?)(?=<!-- \w+ -->\n|\Z)", re.DOTALL)


def main() -> int:
    """Print each table as it comes; the exit status is 1 where one failed."""
    there = [name for name in TABLES if importlib.util.find_spec(f"benchmarks.{name}")]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure lsdmlo and write benchmarks/RESULTS.md.")
    parser.add_argument("--full", action="store_true", help="the large sizes too")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"tables to run, of {', '.join(there)} (default: all)")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(there)):
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(there)}")
    sections = dict(_SECTION.findall(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}
    failed = []
    for name in asked.names or there:
        try:
            took, text = data.seconds(lambda name=name: importlib.import_module(f"benchmarks.{name}").table(asked.full))
        except data.DataAbsent as absent:
            print(f"{name}: {absent}\n", flush=True)
            continue
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        print(text, flush=True)
        selection = "full" if asked.full else "short"
        sections[name] = f"{text.rstrip()}\n\n*{selection} selection, {datetime.date.today()}, {took:.0f} s*\n\n"
        RESULTS.write_text(_results(sections), encoding="utf-8")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _results(sections: dict[str, str]) -> str:
    head = [
        "# Benchmarks\n",
        "Written by `make bench` (`FULL=1`: the large sizes too). Ratios count; seconds are those of one machine:\n",
        f"{data.machine()}.\n\n",
    ]
    parts = [f"<!-- {name} -->\n{sections[name]}" for name in TABLES if name in sections]
    return "\n".join(head) + "".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
