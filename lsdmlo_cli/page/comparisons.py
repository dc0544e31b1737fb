"""What a page says about the reports of `evaluate` and `recommend`."""

from __future__ import annotations

from typing import Any

from lsdmlo_cli.evaluation.metrics import METRICS
from lsdmlo_cli.evaluation.recommendation.report import WORTH, answered, measured_on
from lsdmlo_cli.folders import counted
from lsdmlo_cli.page.tables import Column, Section, table
from lsdmlo_cli.subject import Subject


def of_experiment(subject: Subject) -> Section:
    """What `evaluate` measured."""
    report = subject.report
    experiment = report["experiment"]
    names = [one["name"] for one in report["datasets"]]
    facts = [
        ["data sets", ", ".join(f"{one['name']} ({one['n']:,} rows)" for one in report["datasets"])],
        ["methods", ", ".join(experiment["methods"])],
        ["learners", ", ".join(experiment["learners"])],
        ["folds", experiment["cv"]],
        ["compared with", experiment["against"]],
    ]
    return {
        "title": f"Evaluation on {counted(len(names), 'data set')}",
        "lead": list(report["summary"]),
        "facts": facts,
        "tables": [_results(report)],
        "warnings": [*report["notes"], *(f"{one['data']}, {one['method']}: {one['error']}" for one in report["errors"])],
    }


def _results(report: dict[str, Any]) -> Section:
    columns = [
        Column("data"),
        Column("learner"),
        Column("metric"),
        Column("method"),
        Column("mean", 4),
        Column("deviation", 4, "standard deviation over the folds"),
        Column("rank", 1, "1 is best"),
        Column("difference", 4, f"to {report['experiment']['against']} on the same folds"),
        Column("error", 4, "standard error of the difference"),
    ]
    keys = ("data", "learner", "metric", "method", "mean", "deviation", "rank", "difference", "difference_error")
    rows = [[row[key] for key in keys] for row in report["results"]]
    titles = {name: metric.title for name, metric in METRICS.items()}
    return table("Results", columns, [[*row[:2], titles.get(row[2], row[2]), *row[3:]] for row in rows])


def of_recommendation(subject: Subject) -> Section:
    """What `recommend` answers, and what the answer rests on."""
    report = subject.report
    command = [] if report["command"] is None else [report["command"]]
    facts = [
        ["measured on", measured_on(report["dataset"])],
        ["learner", report["learner"]["title"]],
        ["metric", METRICS[report["metric"]].title],
        ["test folds", report["outer_folds"]],
        ["scale", report["settings"]["scale"]],
        ["seed", report["seed"]],
    ]
    return {
        "title": f"Recommendation for {report['dataset']['name']}",
        "lead": [answered(report), *command],
        "facts": facts,
        "tables": [_worth(report), _candidates(report)],
        "warnings": [*report["dataset"]["warnings"], *(f"{one['candidate']}: {one['error']}" for one in report["errors"])],
    }


_GAIN = (Column("gain", 4, "mean; above 0 is better, whichever way the metric goes"), Column("error", 4, "standard error"))


def _worth(report: dict[str, Any]) -> Section:
    gains = report["gains"]
    rows = [[*pair, gains[name]["mean"], gains[name]["error"], gains[name]["count"]] for name, pair in WORTH.items()]
    return table("On test rows that no choice has seen", [Column("choice"), Column("better than"), *_GAIN, Column("folds")], rows)


def _candidates(report: dict[str, Any]) -> Section:
    rows = [[one["title"], one["gain"]["mean"], one["gain"]["error"], one["inner_folds"]] for one in report["candidates"]]
    return table("Candidates on inner folds", [Column("candidate"), *_GAIN, Column("inner folds")], rows, order=1)
