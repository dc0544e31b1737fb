"""How each stage grows with rows n, features d and labels q, and how much memory the commands take.

seconds ~ n^a:   a is the slope of log seconds over log n by least squares; the same for d and q
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, startup, whole
from lsdmlo_cli import Analysis, Settings
from lsdmlo_cli.analysis import before
from lsdmlo_cli.samplers import LSDMLOSampler

LABELS = 20
P = "0.01"
ROWS = (3_000, 10_000, 100_000)
LARGEST_WITH_ALL = 10_000
"""Up to here LImb and LImb_LSD look at all positives; above it, at a sample."""
ROWS_FULL = (*ROWS, 1_000_000)
WIDTHS_AT = 10_000
SMALL_MEMORY = "512M"
DEFAULT_MEMORY_BYTES = 2 << 30
RATIOS = ("10", "1000", "4000")
LITTLE_MEMORY = "100M"
LABEL_COUNTS = (1_000, 3_000, 6_000, 12_000)
TOO_SHORT_SECONDS = 0.05
"""Stages that never last so long are not fitted."""

SAMPLED = "sampled measures"
STAGES = (
    whole.READING,
    whole.ENCODING,
    whole.GRAM,
    whole.WEIGHTS,
    whole.MINORITY,
    whole.OTHER,
    whole.EUCLID,
    whole.ROWS,
    whole.MEASURES,
    SAMPLED,
)


@dataclass(frozen=True)
class Form:
    """A kind of made-up data: features in the growth over rows, and what they are varied over at 10,000 rows."""

    name: str
    sparse: bool
    d: int
    widths: Sequence[int]
    counts: Sequence[int] = (20, 40, 80)


FORMS = (
    Form("dense, 100 features", False, 100, (50, 100, 200)),
    Form("sparse, 1,000 features, 20 a row", True, 1000, (500, 1000, 2000)),
)


@dataclass(frozen=True)
class Measured:
    """One file: its size, seconds by stage, what its matrices take."""

    megabytes: float
    seconds: dict[str, float]
    matrix_bytes: int


def table(full: bool) -> str:
    """Stages, exponents and memory; the short selection ends at 100,000 rows."""
    parts = ["## Growth\n"]
    with tempfile.TemporaryDirectory(prefix="lsdmlo-bench-") as folder:
        for form in FORMS:
            parts.append(_over_rows(form, full, Path(folder)))
            parts.append(_over_widths(form, Path(folder)))
        parts.append(_over_new_rows(full, Path(folder)))
        parts.append(_over_many_labels(Path(folder)))
    return "\n".join(parts)


def exponent(sizes: Sequence[float], took: Sequence[float]) -> float:
    """a of seconds ~ size^a, by least squares on logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 6.0, 12.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(took), 1)[0])


def in_words(a: float, size: str) -> str:
    """An exponent as a reader would say it.

    >>> in_words(1.04, "n"), in_words(1.93, "n")
    ('in proportion to n', 'about with the square of n')
    """
    for below, words in (
        (-0.2, "falling with"),
        (0.2, "hardly with"),
        (0.8, "slower than in proportion to"),
        (1.2, "in proportion to"),
        (1.75, "between in proportion to and with the square of"),
        (2.25, "about with the square of"),
    ):
        if a < below:
            return f"{words} {size}"
    return f"faster than with the square of {size}"


def _over_rows(form: Form, full: bool, folder: Path) -> str:
    timed, memory = [], []
    measured: list[tuple[int, Measured]] = []
    sizes = ROWS_FULL if full else ROWS
    for n in sizes:
        place = data.growing(folder / "file.arff", n, form.sparse, form.d, LABELS)
        found = _measured(place, LABELS, every=n <= LARGEST_WITH_ALL)
        measured.append((n, found))
        cells = [data.short(found.seconds[stage]) if stage in found.seconds else "" for stage in STAGES]
        timed.append([f"{n:,}", f"{found.megabytes:.1f}", f"{found.megabytes / found.seconds[whole.READING]:.1f}", *cells])
        memory += _commands(place, n, found.matrix_bytes, every=n <= LARGEST_WITH_ALL, in_little=n == sizes[-1])
    notes = (
        f"One run of each in one process, {data.THREADS} threads; p = {P}. minority labels, other labels: neighbours of their "
        "positives by their own distances; Euclid: of every row; measures: LImb and LImb_LSD before and after, with the "
        f"neighbours known; {SAMPLED}: both before, from 200 positives a label, W known. Above {LARGEST_WITH_ALL:,} rows the "
        "neighbours that only the measures need are not searched."
    )
    return "\n".join(
        [
            f"### {form.name}, {LABELS} labels: seconds by stage\n",
            data.rows_as_markdown(["n", "MB", "read MB/s", *STAGES], timed),
            f"{notes}\n",
            _said("n", measured),
            f"### {form.name}, {LABELS} labels: memory of the commands\n",
            data.rows_as_markdown(["n", "command", "seconds", "peak MB", "E, Y, G MB", "+ 300 kept", "--memory kept"], memory),
        ]
    )


def _over_widths(form: Form, folder: Path) -> str:
    def found(d: int, q: int) -> Measured:
        return _measured(data.growing(folder / "file.arff", WIDTHS_AT, form.sparse, d, q), q, every=True)

    by_d = [(d, found(d, LABELS)) for d in form.widths]
    by_q = [(q, found(form.d, q)) for q in form.counts]
    note = (
        f"Features d = {_listed(form.widths)} with {LABELS} labels; then labels q = {_listed(form.counts)} with {form.d:,} "
        "features and 3 labels a row."
    )
    heading = f"### {form.name}: other widths, {WIDTHS_AT:,} rows"
    return "\n".join([f"{heading}\n\n{note}\n", _said("d (20 a row always)" if form.sparse else "d", by_d), _said("q", by_q)])


def _over_new_rows(full: bool, folder: Path) -> str:
    place, rows = data.unpacked("emotions", folder), []
    for p in RATIOS if full else RATIOS[:2]:
        ended, report = _resampled(place, "--p", p, "--memory", LITTLE_MEMORY, "--measures", "sampled", "--threads", "1")
        rows.append([p, f"{report['synthetic']['created']:,}", data.short(ended.cpu), f"{ended.peak / 1e6:.0f}"])
    title = f"### Many new rows: emotions, `--memory {LITTLE_MEMORY} --measures sampled --threads 1`"
    return f"{title}\n\n" + data.rows_as_markdown(["p", "new rows", "CPU s", "peak MB"], rows)


def _over_many_labels(folder: Path) -> str:
    rows = []
    for q in LABEL_COUNTS:
        place = data.many_labels(folder / "labels.arff", q)
        ended, report = _resampled(place, f"--labels={-q}", "--p", "0.1", "--measures", "fast", "--threads", "1")
        gap = f"{report['solver']['relative_gap']:.1e}"
        rows.append([f"{q:,}", data.short(ended.cpu), f"{ended.peak / 1e6:.0f}", gap])
    title = "### Many labels: 400 rows, 300 sparse features, `--p 0.1 --measures fast --threads 1`"
    return f"{title}\n\n" + data.rows_as_markdown(["q", "CPU s", "peak MB", "relative gap"], rows)


def _resampled(place: Path, *options: str) -> tuple[startup.Run, dict[str, Any]]:
    """A run of `resample`, and its report."""
    out, report = (place.with_name(name) for name in ("out.arff", "out.report.json"))
    ended = startup.finished(startup.lsdmlo("resample", str(place), str(out), *options))
    return ended, json.loads(report.read_text())


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _measured(place: Path, labels: int, every: bool) -> Measured:
    settings = Settings(measures="all" if every else "sampled")
    took, analysis = whole.stages(place, str(-labels), LSDMLOSampler(p=float(P)), settings)
    sampled = Analysis(analysis.dataset, Settings(measures="sampled"), threads=data.THREADS)
    for known in ("encoding", "E", "feature_weights", "Theta"):
        setattr(sampled, known, getattr(analysis, known))
    took[SAMPLED], _ = data.seconds(lambda: before(sampled))
    return Measured(place.stat().st_size / 1e6, took, whole.matrix_bytes(analysis))


def _commands(place: Path, n: int, matrices: int, every: bool, in_little: bool) -> list[list[str]]:
    measures = ["--measures", "all" if every else "sampled"]
    labels = [f"--labels={-LABELS}", *measures]
    out = str(place.with_name("out.arff"))
    runs: list[tuple[list[str], int]] = [(["stats"], DEFAULT_MEMORY_BYTES), (["resample"], DEFAULT_MEMORY_BYTES)]
    if in_little:
        runs += [([command, "--memory", SMALL_MEMORY], 512 << 20) for command in ("stats", "resample")]
    rows = []
    for (command, *options), allowed in runs:
        more = [out, "--p", P] if command == "resample" else []
        ended = startup.finished(startup.lsdmlo(command, str(place), *more, *labels, *options))
        spelled = " ".join([command, *(["--p", P] if more else []), *measures, *options])
        within = ["yes" if ended.peak <= bound else "no" for bound in (matrices + whole.ALLOWED_ABOVE_MATRICES, allowed)]
        figures = [data.short(ended.wall), f"{ended.peak / 1e6:.0f}", f"{matrices / 1e6:.0f}"]
        rows.append([f"{n:,}", f"`{spelled}`", *figures, *within])
    return rows


def _said(size: str, measured: Sequence[tuple[int, Measured]]) -> str:
    """A line a stage: its exponent, in words."""
    lines = []
    for stage in STAGES:
        points = [(value, found.seconds[stage]) for value, found in measured if stage in found.seconds]
        if len(points) < 2:
            continue
        sizes, took = zip(*points, strict=True)
        if max(took) < TOO_SHORT_SECONDS:
            lines.append(f"- {stage}: under {TOO_SHORT_SECONDS} s throughout")
        else:
            a = exponent(sizes, took)
            lines.append(f"- {stage}: {in_words(a, size)} (exponent {a:.2f})")
    return "\n".join(lines) + "\n"
