"""The whole story: read, learn, sample, write, report."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import scipy

from lsdmlo_cli import cautions
from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, Analysis, LocalImbalance, Settings, after, before, matrix_bytes
from lsdmlo_cli.analysis.searches import searching
from lsdmlo_cli.augmented import FIGURES, augmented
from lsdmlo_cli.conversion import LabelFile, label_file, write
from lsdmlo_cli.data import Dataset
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.formats import STREAM, DataFile, Form, Format, Source, Target, label_file_for, read
from lsdmlo_cli.formats.files import is_regular, write_whole
from lsdmlo_cli.formats.form import PLAIN
from lsdmlo_cli.frames import Columns, Tabular, columns_of
from lsdmlo_cli.numeric.matrix import Matrix, Stack, release, take
from lsdmlo_cli.numeric.rows import blocks
from lsdmlo_cli.outputs import output_format, refuse_places, refuse_unwritable
from lsdmlo_cli.parentage import Parentage
from lsdmlo_cli.progress import Progress, silent
from lsdmlo_cli.report import Run, resample_report, to_json
from lsdmlo_cli.samplers import SAMPLERS, Batch, Sample, Sampler
from lsdmlo_cli.samplers.base import nobody

if TYPE_CHECKING:
    from lsdmlo_cli.estimators import Estimator
    from lsdmlo_cli.subject import Plot


@dataclass(frozen=True, repr=False)
class Outcome(Tabular):
    """What `resample` did: the report as written, and where it was written (None: nowhere).

    Tables: `labels`, one row a label with its figures before and after; `measures`, one row a measure.
    """

    report: dict[str, Any]
    report_path: str | None

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"labels": self._labels, "measures": self._measures}

    def _labels(self) -> Columns:
        old, new = (columns_of(self.report[when]["labels"]) for when in ("before", "after"))
        figures = (name for name in old if name != "name")
        sides = (("before", old), ("after", new))
        return {"name": old["name"], **{f"{name}_{when}": side[name] for name in figures for when, side in sides}}

    def _measures(self) -> Columns:
        old, new = (self.report[when]["measures"] for when in ("before", "after"))
        return {"measure": list(old), "before": list(old.values()), "after": [new[name] for name in old]}

    def __repr__(self) -> str:
        return "\n".join([closing_line(self), *(f"warning: {warning}" for warning in self.report["warnings"])])


class ReadOptions(TypedDict, total=False):
    """How a file is read and looked at; everything can be left out.

    labels: what --labels takes, or None: then they are looked for. ignore: features, by name or place, that stay out of every
    distance and figure; new rows take their seed's value. form: what the name of the file does not say of it. threads,
    memory_bytes: they change no result; what does not fit in memory_bytes lies in temporary files.
    """

    labels: str | None
    ignore: Iterable[str | int] | None
    form: Form
    threads: int
    memory_bytes: int
    progress: Progress


def analyse(path: str, settings: Settings | None = None, **how: Unpack[ReadOptions]) -> Analysis:
    """Read a file and prepare its Analysis."""
    asked = _Asked(**how)
    with Source(path, asked.form) as source:
        data = _warned(asked.read(source).dataset, source)
    return asked.analysis(data, settings)


def _warned(data: Dataset, source: Source) -> Dataset:
    """A data set that was read; if the report beside its file says that rows in it are synthetic, with a warning."""
    return replace(data, warnings=(*data.warnings, *augmented(source, FIGURES)))


class ResampleOptions(ReadOptions, total=False):
    """What `resample` takes beside the sampler; everything can be left out.

    seed: 0 where nobody gives one. report, provenance: where to write the JSON report and the CSV of parents, None for nowhere.
    plot: a picture of what was made, see pictures/drawing.py. in_place: output is the input, which is replaced. to: the format
    of output where its name does not say it, else that of the input. options: those of
    the command line, for the report. verbose: 1 tells progress on standard error, a bar on a terminal and elsewhere a line every
    half a minute. cluster: where neighbours are searched, the address of a Dask scheduler, a Client of it, or "local:2"; None:
    here.
    """

    seed: int | None
    cluster: Any
    report: str | None
    provenance: str | None
    plot: Plot | None
    in_place: bool
    to: str | None
    options: Mapping[str, Any] | None
    verbose: int


@dataclass(frozen=True)
class _Asked:
    """What was asked of `analyse` or `resample`: see ResampleOptions."""

    labels: str | None = None
    ignore: Iterable[str | int] | None = None
    form: Form = PLAIN
    seed: int | None = None
    report: str | None = None
    provenance: str | None = None
    plot: Plot | None = None
    in_place: bool = False
    to: str | None = None
    options: Mapping[str, Any] | None = None
    threads: int = 1
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    progress: Progress = silent
    cluster: Any = None
    verbose: int = 0

    @property
    def sides(self) -> dict[str, str | None]:
        """The outputs beside OUT, by what messages call them."""
        return {
            "the report": self.report,
            "the provenance": self.provenance,
            "the picture": None if self.plot is None else self.plot.path,
        }

    def completed(self, estimator: Estimator) -> _Asked:
        """With an estimator's seed and ignored columns where none are given."""
        seed = estimator.seed() if self.seed is None else self.seed
        return replace(self, seed=seed, ignore=estimator.get_params()["ignore"] if self.ignore is None else self.ignore)

    def format_of(self, path: str, output: str) -> Format:
        """The format of the output, once nothing is to be said against any place. Errors: ParameterError, as of refuse_places."""
        refuse_places(path, output, self.labels, self.sides, self.in_place, self.form.name, self.to)
        return output_format(path, output, self.form.name, self.to)

    def read(self, source: Source) -> DataFile:
        """The file behind a source."""
        most_bytes = matrix_bytes(self.memory_bytes)
        return read(source, self.labels, ignore=self.ignore, most_bytes=most_bytes, progress=self.progress)

    def analysis(self, data: Dataset, settings: Settings | None) -> Analysis:
        """The Analysis of a data set."""
        return Analysis(data, settings, threads=self.threads, memory_bytes=self.memory_bytes, progress=self.progress)


def resample(
    path: str,
    output: str,
    sampler: Sampler | Estimator | None = None,
    settings: Settings | None = None,
    **options: Unpack[ResampleOptions],
) -> Outcome:
    """Write `output`: the rows of the file at `path` that stay, as they are, then the sampler's new rows.

    sampler: a member of SAMPLERS, or an estimator: its sampler, and its settings, seed and ignored columns where none are
    given. options: see ResampleOptions. Every output appears whole at the end, or not at all. Errors: any LsdmloError; nothing
    is left behind then.
    """
    asked, sampler, settings = _asked(sampler, settings, options)
    format = asked.format_of(path, output)
    with ExitStack() as stack:
        asked = replace(asked, progress=stack.enter_context(spoken(asked.verbose, path, asked.progress)))
        source, target = stack.enter_context(Source(path, asked.form)), stack.enter_context(Target(output))
        report, provenance, plot = (stack.enter_context(_side(place)) for place in asked.sides.values())
        found = asked.read(source)
        analysis = asked.analysis(_warned(found.dataset, source), settings)
        analysis.searches = stack.enter_context(searching(asked.cluster, asked.threads))
        sample = sampler.sample(analysis, np.random.default_rng(settings.seed))
        made = _Made(analysis, sample.keep, drawn=asked.plot is not None)
        lost = write(found, source, target, format, made.keep, made.collected(sample), made.most_bytes)
        imbalance = made.local_imbalance()
        target.finish()
        run = Run(made.count, target.sha256, asked.options, made.parentage.figures())
        written = resample_report(analysis, sampler, sample, run, *imbalance)
        beside = _label_file(found, source, format, output)
        written["warnings"] += [*lost, *beside.warnings]
        _fill(report, [to_json(written)])
        _fill(provenance, made.provenance())
        _fill(plot, made.drawn(asked.plot, written))
        if beside.place is not None:
            write_whole(beside.place, beside.content)
        for place in filter(None, (report, provenance, plot, target)):
            place.commit()
    return Outcome(written, asked.report)


def _asked(
    sampler: Sampler | Estimator | None, settings: Settings | None, options: Mapping[str, Any]
) -> tuple[_Asked, Sampler, Settings]:
    """What was asked for, completed by an estimator's own and by the defaults."""
    asked, sampler = _Asked(**options), sampler or SAMPLERS["lsdmlo"]()
    if not isinstance(sampler, Sampler):  # the command does not load the estimators
        from lsdmlo_cli.estimators import Estimator

        if isinstance(sampler, Estimator):
            asked, settings, sampler = asked.completed(sampler), settings or sampler.settings(), sampler.sampler()
    return asked, sampler, replace(settings or Settings(), seed=asked.seed or 0)


@dataclass(frozen=True)
class Plan:
    """What `resample` would do. added: the most rows that the method makes. outputs: the files that would be written."""

    data: Dataset
    minority: list[str]
    added: int
    removed: int
    outputs: list[str]
    warnings: list[str]


def dry_run(
    path: str,
    output: str,
    sampler: Sampler | Estimator | None = None,
    settings: Settings | None = None,
    **options: Unpack[ResampleOptions],
) -> Plan:
    """What `resample` would do with the same arguments; the method decides how many rows, and none is made or measured.

    Errors: those of `resample` that are known before rows are made; that an output cannot be written is found by trying.
    """
    asked, sampler, settings = _asked(sampler, settings, options)
    format = asked.format_of(path, output)
    outputs = [output, *(place for place in asked.sides.values() if place is not None)]
    with Source(path, asked.form) as source, spoken(asked.verbose, path, asked.progress) as progress:
        for place in outputs:
            refuse_unwritable(place)
        asked = replace(asked, progress=progress)
        found = asked.read(source)
        analysis = asked.analysis(_warned(found.dataset, source), settings)
        sample = sampler.sample(analysis, np.random.default_rng(settings.seed))
        beside = _label_file(found, source, format, output)
    added = 0 if sample.batches == () else sample.requested
    data = analysis.dataset
    told = [*analysis.warnings, *cautions.of_data(analysis), *cautions.of_request(sampler)]
    told += cautions.of_result(data, sampler, sample, added, data.counts)
    told += beside.warnings
    outputs += [] if beside.place is None else [beside.place]
    minority = [data.labels[j].name for j in np.flatnonzero(analysis.minority)]
    return Plan(data, minority, added, sample.removed, outputs, told)


def _side(place: str | None) -> AbstractContextManager[Target | None]:
    """An output beside OUT; None where none is asked for."""
    return nullcontext() if place is None else Target(place)


def _fill(target: Target | None, content: Iterable[bytes]) -> None:
    """Write all of an output, if there is one."""
    if target is not None:
        for part in content:
            target.write(part)
        target.finish()


class _Made:
    """The new rows so far: what the measures and the provenance need of them, features and parents in files where they are many.

    keep: (n,) bool, the rows of the data set that stay, None for all. drawn: whether a picture needs the features in any case.
    """

    def __init__(self, analysis: Analysis, keep: np.ndarray | None, drawn: bool = False) -> None:
        self.analysis = analysis
        self.needs_E = drawn or analysis.measures != "fast"
        self.keep = None if keep is None or keep.all() else keep
        self.most_bytes = matrix_bytes(analysis.memory_bytes)
        self.E: Stack | None = None
        self.Y = Stack(analysis.dataset.q, dense=False)
        self._parents = Stack(3, self.most_bytes, dense=True)
        self.parentage = Parentage(analysis.dataset)

    @property
    def count(self) -> int:
        return self.Y.rows

    def add(self, batch: Batch) -> None:
        if self.needs_E:
            E = self.analysis.encode(batch.X)
            self.E = self.E or Stack(E.shape[1], self.most_bytes, dense=isinstance(E, np.ndarray))
            self.E.append(E)
        self.Y.append(batch.Y)
        self.parentage.add(batch)
        self._parents.append(np.column_stack([batch.seeds, batch.references, batch.labels]))

    def collected(self, sample: Sample) -> Iterator[Batch]:
        """The batches of a sample that hold rows, which are added as they pass."""
        for batch in sample.batches:
            if len(batch.seeds):
                self.add(batch)
                yield batch
            self.analysis.progress("new rows", self.count, sample.requested)

    @cached_property
    def rows(self) -> tuple[Matrix | None, scipy.sparse.csr_array]:
        """E and Y of all new rows; E is None where there are none, or where nobody needs it."""
        return self.E.finish() if self.E else None, self.Y.finish()

    @cached_property
    def parents(self) -> Matrix:
        """(m, 3): seed, reference and label of all new rows."""
        return self._parents.finish()

    def drawn(self, plot: Plot | None, report: dict[str, Any]) -> Iterator[bytes]:
        """The picture that was asked for, if one was."""
        if plot is not None:
            from lsdmlo_cli.subject import NewRows, Subject

            E, Y = self.rows
            E = take(self.analysis.E, nobody(0)) if E is None else E
            new = NewRows(E, Y, np.asarray(self.parents, dtype=np.int64))
            yield plot.render(Subject(report, self.analysis, new))

    def local_imbalance(self) -> tuple[LocalImbalance, LocalImbalance]:
        """The data set as it was, and as it is now."""
        old = before(self.analysis)
        if not self.count and self.keep is None:
            return old, old
        E, Y = self.rows
        return old, after(self.analysis, E, Y, self.keep)

    def provenance(self) -> Iterator[bytes]:
        """CSV: a line a synthetic row, rows counted from 1."""
        yield b"row,seed,reference,label\r\n"
        names = [label.name for label in self.analysis.dataset.labels]
        row = self.analysis.dataset.n if self.keep is None else int(self.keep.sum())
        for part in blocks(self.parents):
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\r\n")
            for seed, reference, label in self.parents[part].astype(np.int64).tolist():
                row += 1
                found = ("" if parent < 0 else parent + 1 for parent in (seed, reference))
                writer.writerow([row, *found, "" if label < 0 else names[label]])
            yield text.getvalue().encode("utf-8")
            release(self.parents)


def _label_file(found: DataFile, source: Source, format: Format, output: str) -> LabelFile:
    """The XML that is due beside OUT: in the format of the input a copy of the one that named its labels, if one did."""
    if format is not source.format:
        return label_file(found, format, output)
    xml = found.labels.xml
    if xml is None or not is_regular(output):
        return LabelFile(None)
    place, warning = label_file_for(output, xml)
    return LabelFile(place, Path(xml).read_bytes(), warning)


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
