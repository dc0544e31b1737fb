"""The whole story: read, learn, sample, write, report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, Analysis, LocalImbalance, Settings, after, before, matrix_bytes
from lsdmlo_cli.augmented import FIGURES, augmented
from lsdmlo_cli.estimators import Estimator
from lsdmlo_cli.formats import STREAM, Arff, RowWriter, Source, Target, copy, label_file_for, read
from lsdmlo_cli.formats.files import is_regular, write_whole
from lsdmlo_cli.numeric.matrix import Stack, release
from lsdmlo_cli.numeric.rows import blocks
from lsdmlo_cli.outputs import refuse_places
from lsdmlo_cli.progress import Progress, silent
from lsdmlo_cli.report import Run, resample_report, stats_report, to_json
from lsdmlo_cli.samplers import Batch, LSDMLOSampler, Sample, Sampler


@dataclass(frozen=True)
class Outcome:
    """What `resample` did: the report as written, and where it was written (None: nowhere)."""

    report: dict[str, Any]
    report_path: str | None


def analyse(
    path: str,
    settings: Settings | None = None,
    *,
    labels: str | None = None,
    ignore: Iterable[str | int] | None = None,
    threads: int = 1,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = silent,
) -> Analysis:
    """Read a file and prepare its Analysis; what does not fit in memory_bytes lies in temporary files.

    ignore: features, by name or place, that stay out of every distance and figure.
    """
    with Source(path) as source:
        arff = _known(read(source, labels, ignore=ignore, most_bytes=matrix_bytes(memory_bytes), progress=progress), source)
    return Analysis(arff.dataset, settings, threads=threads, memory_bytes=memory_bytes, progress=progress)


def _known(arff: Arff, source: Source) -> Arff:
    """A file that was read; if the report beside it says that rows in it are synthetic, with a warning."""
    warnings = (*arff.dataset.warnings, *augmented(source, FIGURES))
    return replace(arff, dataset=replace(arff.dataset, warnings=warnings))


def stats(path: str, settings: Settings | None = None, **how: Any) -> dict[str, Any]:
    """The imbalance report of a file, as `lsdmlo stats` prints it; further arguments are those of `analyse`."""
    return stats_report(analyse(path, settings, **how))


def resample(
    path: str,
    output: str,
    sampler: Sampler | Estimator | None = None,
    settings: Settings | None = None,
    *,
    labels: str | None = None,
    ignore: Iterable[str | int] | None = None,
    seed: int | None = None,
    report: str | None = None,
    provenance: str | None = None,
    in_place: bool = False,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = silent,
) -> Outcome:
    """Write `output`: the rows of the file at `path` that stay, as they are, then the sampler's new rows.

    sampler: a member of SAMPLERS, or an estimator: its sampler, and its settings, seed and ignored columns where none are
    given. ignore: features, by name or place, that stay out of every distance and figure; new rows take their seed's value.
    seed: 0 where nobody gives one.
    report, provenance: where to write the JSON report and the CSV of parents, None for nowhere. Every output appears whole
    at the end, or not at all. in_place: output is the input, which is replaced. options: those of the command line, for the
    report. Errors: any LsdmloError; nothing is left behind then.
    """
    if isinstance(sampler, Estimator):
        settings, seed = settings or sampler.settings(), sampler.seed() if seed is None else seed
        ignore = sampler.get_params()["ignore"] if ignore is None else ignore
        sampler = sampler.sampler()
    sampler, seed = sampler or LSDMLOSampler(), seed or 0
    settings = replace(settings or Settings(), seed=seed)
    refuse_places(path, output, labels, report, provenance, in_place)
    with ExitStack() as stack:
        source = stack.enter_context(Source(path))
        target, report_target, provenance_target = (
            stack.enter_context(Target(place)) if place is not None else None for place in (output, report, provenance)
        )
        assert target is not None
        arff = _known(read(source, labels, ignore=ignore, most_bytes=matrix_bytes(memory_bytes), progress=progress), source)
        analysis = Analysis(arff.dataset, settings, threads=threads, memory_bytes=memory_bytes, progress=progress)
        sample = sampler.sample(analysis, np.random.default_rng(seed))
        made = _Made(analysis, sample.keep)
        line_end, complete = copy(source, target, made.keep)
        for rows in _spelled(arff, sample, line_end, made, progress):
            target.write(rows if complete else line_end + rows)
            complete = True
        imbalance = made.local_imbalance()
        target.finish()
        written = resample_report(analysis, sampler, sample, Run(made.count, target.sha256, options), *imbalance)
        label_file = _label_file(arff, output, written["warnings"])
        for side, content in ((report_target, [to_json(written)]), (provenance_target, made.provenance())):
            if side is not None:
                for part in content:
                    side.write(part)
                side.finish()
        if label_file is not None:
            write_whole(label_file, Path(str(arff.labels.xml)).read_bytes())
        for place in (report_target, provenance_target, target):
            if place is not None:
                place.commit()
    return Outcome(written, report)


class _Made:
    """The new rows so far: what the measures and the provenance need of them, features and parents in files where they are many.

    keep: (n,) bool, the rows of the data set that stay, None for all.
    """

    def __init__(self, analysis: Analysis, keep: np.ndarray | None) -> None:
        self.analysis = analysis
        self.keep = None if keep is None or keep.all() else keep
        self.most_bytes = matrix_bytes(analysis.memory_bytes)
        self.E: Stack | None = None
        self.Y = Stack(analysis.dataset.q, dense=False)
        self.parents = Stack(3, self.most_bytes, dense=True)

    @property
    def count(self) -> int:
        return self.Y.rows

    def add(self, batch: Batch) -> None:
        if self.analysis.settings.measures != "fast":
            E = self.analysis.encode(batch.X)
            self.E = self.E or Stack(E.shape[1], self.most_bytes, dense=isinstance(E, np.ndarray))
            self.E.append(E)
        self.Y.append(batch.Y)
        self.parents.append(np.column_stack([batch.seeds, batch.references, batch.labels]))

    def local_imbalance(self) -> tuple[LocalImbalance, LocalImbalance]:
        """The data set as it was, and as it is now."""
        old = before(self.analysis)
        if not self.count and self.keep is None:
            return old, old
        return old, after(self.analysis, self.E.finish() if self.E else None, self.Y.finish(), self.keep)

    def provenance(self) -> Iterator[bytes]:
        """CSV: a line a synthetic row, rows counted from 1."""
        yield b"row,seed,reference,label\r\n"
        names = [label.name for label in self.analysis.dataset.labels]
        row = self.analysis.dataset.n if self.keep is None else int(self.keep.sum())
        parents = self.parents.finish()
        for part in blocks(parents):
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\r\n")
            for seed, reference, label in parents[part].astype(np.int64).tolist():
                row += 1
                found = ("" if parent < 0 else parent + 1 for parent in (seed, reference))
                writer.writerow([row, *found, "" if label < 0 else names[label]])
            yield text.getvalue().encode("utf-8")
            release(parents)


def _spelled(arff: Arff, sample: Sample, line_end: bytes, made: _Made, progress: Progress) -> Iterator[bytes]:
    """The new rows as text, each in the form (dense or sparse) of its seed; without one, in that of the first row."""
    writer = RowWriter(arff.dataset, arff.labels.positions, arff.header.encoding, line_end, arff.header.spelled)
    for batch in sample.batches:
        if len(batch.seeds):
            made.add(batch)
            yield writer.rows(batch.X, batch.Y, arff.dataset.sparse_rows[np.maximum(batch.seeds, 0)], batch.seeds)
        progress("new rows", made.count, sample.requested)


def _label_file(arff: Arff, output: str, warnings: list[str]) -> str | None:
    """Where OUT's XML must be written, None where none is due."""
    if arff.labels.xml is None or not is_regular(output):
        return None
    place, warning = label_file_for(output, arff.labels.xml)
    if warning:
        warnings.append(warning)
    return place


def closing_line(outcome: Outcome) -> str:
    """What `resample` says at its end: rows, added and removed, MeanIR and LImb before and after, where the report is."""
    report = outcome.report
    removed = f", {report['removed']} removed" if report["removed"] else ""
    parts = [f"{report['dataset']['n']} rows, {report['synthetic']['created']} added{removed}"]
    for name in ("MeanIR", "LImb"):
        old, new = (report[when]["measures"][name] for when in ("before", "after"))
        parts += [f"{name} {_figure(old)} -> {_figure(new)}"] if old is not None else []
    parts += [f"report in {outcome.report_path}"] if outcome.report_path not in (None, STREAM) else []
    return "; ".join(parts)


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
