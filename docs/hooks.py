"""What the pages take from elsewhere when they are built: methods, learners and metrics from the code, files beside docs/.

A page asks for it by a comment on a line of its own: <!-- methods -->, <!-- publications -->, <!-- learners -->,
<!-- metrics -->, <!-- unfit checks --> or <!-- include CHANGELOG.md -->.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsdmlo_cli.samplers.publication import Publication

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"^<!-- (methods|publications|learners|metrics|unfit checks|include (\S+)) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page as it is built, for mkdocs."""
    return expanded(markdown)


def expanded(markdown: str) -> str:
    """The text of a page with everything in its place."""
    return PLACE.sub(lambda found: included(found[2]) if found[2] else "\n".join(_LINES[found[1]]()), markdown)


def included(name: str) -> str:
    """A file beside docs/, its links as they are from within docs/."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def methods() -> Iterator[str]:
    """A table of the sampling methods and the options that are theirs."""
    from lsdmlo_cli import SAMPLERS

    yield from ("| method | what it does | its own options |", "| --- | --- | --- |")
    for sampler in SAMPLERS.values():
        options = ", ".join(f"`--{field.name.replace('_', '-')}`" for field in fields(sampler))
        yield f"| {sampler.name} | {sampler.summary} | {options} |"


def publications() -> Iterator[str]:
    """A list of where the methods were published."""
    from lsdmlo_cli import SAMPLERS

    yield from (f"- **{sampler.name}**: {_linked(sampler.publication)}" for sampler in SAMPLERS.values())


def _linked(publication: Publication) -> str:
    link = f" [doi:{publication.doi}]({publication.url})" if publication.doi else ""
    return f"{publication.citation}{link}"


def learners() -> Iterator[str]:
    """A table of the learners."""
    from lsdmlo_cli.evaluation.learners import LEARNERS
    from lsdmlo_cli.parameters import options

    yield from ("| learner | what it does | its options | published |", "| --- | --- | --- | --- |")
    for learner in LEARNERS.values():
        names = ", ".join(f"`{option.name}`" for option in options(learner))
        yield f"| {learner.name} | {learner.summary} | {names} | {learner.reference} |"


def metrics() -> Iterator[str]:
    """A table of the metrics."""
    from lsdmlo_cli.evaluation.metrics import METRICS

    yield from ("| metric | what it is | better | rests on | shown |", "| --- | --- | --- | --- | --- |")
    for one in METRICS.values():
        better, shown = "higher" if one.higher_is_better else "lower", "by default" if one.by_default else "on demand"
        yield f"| `{one.name}` | {one.summary} | {better} | {one.rests_on} | {shown} |"


def unfit_checks() -> Iterator[str]:
    """A table of scikit-learn's checks that are not for the estimators, as the tests know them."""
    yield from ("| check | why not |", "| --- | --- |")
    for name, why in run_path(str(ROOT / "tests" / "estimator_checks.py"))["UNFIT"].items():
        yield f"| `{name}` | {why} |"


_LINES = {
    "methods": methods,
    "publications": publications,
    "learners": learners,
    "metrics": metrics,
    "unfit checks": unfit_checks,
}
