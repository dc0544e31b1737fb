"""`stats`: how imbalanced a data set is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Unpack

from lsdmlo_cli.analysis import Settings
from lsdmlo_cli.analysis.searches import searching
from lsdmlo_cli.display.progress import spoken
from lsdmlo_cli.errors import ParameterError
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.frames import Columns, TabularReport, columns_of
from lsdmlo_cli.functions.data import (
    OF_SETTINGS,
    DataOptions,
    LearningOptions,
    Reading,
    Running,
    RunOptions,
    analysed,
    part,
    refuse_unknown,
    settings_of,
)
from lsdmlo_cli.report import stats_report
from lsdmlo_cli.subject import Plot, Subject

SHOWN = ("Card", "MeanIR", "MaxIR", "SCUMBLE", "LImb", "LImb_LSD")
"""The measures that a printed report has."""


class StatsOptions(DataOptions, LearningOptions, RunOptions, total=False):
    """The options of `stats`, beside those of data, of learning and of running.

    measures, sample, seed: as in Settings. plot: the file of a picture; picture: which one, None for the first. cluster: where
    neighbours are searched, the address of a Dask scheduler, a Client of it, or "local:2"; None: here.
    """

    measures: str
    sample: int
    seed: int
    plot: str | Plot | None
    picture: str | None
    cluster: Any


class Stats(TabularReport):
    """The imbalance report of a data set: what `lsdmlo stats` prints as JSON.

    Tables: `labels`, one row a label; `measures`, one row a measure.
    """

    def tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {
            "labels": lambda: columns_of(self["labels"]),
            "measures": lambda: {"measure": list(self["measures"]), "value": list(self["measures"].values())},
        }

    def lines(self) -> Iterable[str]:
        data, measures = self["dataset"], self["measures"]
        yield f"{data['file']}: {data['n']} rows, {data['d']} features, {data['q']} labels"
        known = ((name, measures[name]) for name in SHOWN if measures[name] is not None)
        yield ", ".join(f"{name} {value:.3f}" for name, value in known)
        yield from (f"warning: {warning}" for warning in self["warnings"])


def stats(X: Any, Y: Any = None, settings: Settings | None = None, **options: Unpack[StatsOptions]) -> Stats:
    """How imbalanced a data set is: IRLbl, MeanIR, LImb, LImb_LSD and more, as `lsdmlo stats` has it.

    X: the path of a file or a Dataset, and no Y; or features (n, d) with labels Y (n, q), as `fit_resample` takes them. Settings
    may stand in place of Y. options: see StatsOptions. Errors: LsdmloError.
    """
    settings, Y = (Y, None) if isinstance(Y, Settings) else (settings, Y)
    given: dict[str, Any] = dict(options)
    of_data, of_run = (tuple(field.name for field in fields(kind)) for kind in (Reading, Running))
    refuse_unknown("stats", given, (*of_data, *OF_SETTINGS, *of_run, "plot", "picture", "cluster"))
    run, plot = Running(**part(given, of_run)), _plot(given.get("plot"), given.get("picture"))
    source = Reading(**part(given, of_data)).source(X, Y)
    where = searching(given.get("cluster"), run.threads)
    with spoken(run.verbose, source.path, run.progress) as progress, where as searches:
        analysis = analysed(source, settings_of(settings, given), run, progress)
        analysis.searches = searches
        report = Stats(stats_report(analysis))
    if plot is not None:
        write_whole(plot.path, plot.render(Subject(report, analysis)))
    return report


def _plot(plot: str | Plot | None, picture: str | None) -> Plot | None:
    if plot is None and picture is not None:
        raise ParameterError("picture says what plot draws: give plot='FILE.svg', too")
    if not isinstance(plot, str):
        return plot
    from lsdmlo_cli.pictures.drawing import plot as drawing

    return drawing(plot, picture, "stats")
