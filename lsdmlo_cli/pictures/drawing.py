"""From a name to a picture: its specification, or the file."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lsdmlo_cli.pictures.files import converter, ending, rendered, save
from lsdmlo_cli.pictures.names import chosen
from lsdmlo_cli.pictures.style import Spec
from lsdmlo_cli.subject import Plot, Subject


def specification(subject: Subject, name: str | None = None) -> Spec:
    """The picture of that name, else the first one of its kind. Errors: ParameterError; DataError where something is missing."""
    picture, detail = chosen(name, subject.kind)
    module, function = picture.made_by.split(".")
    spec: Spec = getattr(import_module(f"lsdmlo_cli.pictures.{module}"), function)(subject, detail)
    return spec


def plot(path: str, name: str | None, kind: str) -> Plot:
    """A picture that a command is to write; everything that can be wrong with its names is found now."""
    form = ending(path)
    chosen(name, kind)
    converter()
    return Plot(path, lambda subject: rendered(specification(subject, name), form))


def draw(found: Subject | dict[str, Any], name: str | None, path: str) -> None:
    """Write a picture of a subject, or of a report alone, to a file.

    Errors: ParameterError for a name that the report has no picture of, a file that is none of ENDINGS, or where the package is
    missing; DataError where the picture needs more than is at hand; FileError.
    """
    subject = found if isinstance(found, Subject) else Subject(found)
    ending(path)
    save(specification(subject, name), path)
