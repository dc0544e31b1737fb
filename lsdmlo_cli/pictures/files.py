"""Pictures as files: SVG, PNG, PDF, or a page of HTML that shows details where one points, all by vl-convert, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsdmlo_cli.errors import DataError, ParameterError
from lsdmlo_cli.extras import optional
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.pictures.style import Spec, theme

ENDINGS = (".svg", ".png", ".pdf", ".html")
PIXELS_PER_POINT = 2.0
"""Of a PNG, so that it is sharp on paper and on fine screens."""


def ending(path: str) -> str:
    """The form that a name asks for. Errors: ParameterError for any other.

    >>> ending("labels.SVG")
    '.svg'
    """
    found = Path(path).suffix.lower()
    if found not in ENDINGS:
        raise ParameterError(f"{path}: a picture is {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, by the end of its name")
    return found


def converter() -> Any:
    """The package that draws. Errors: ParameterError where it is missing."""
    return optional("vl_convert", "pictures need the package vl-convert-python", "plots")


def rendered(spec: Spec, form: str) -> bytes:
    """A picture in one of the forms of ENDINGS. Errors: DataError where it cannot be drawn."""
    draw, config = converter(), theme()
    try:
        match form:
            case ".svg":
                return draw.vegalite_to_svg(spec, config=config).encode("utf-8", "replace")
            case ".png":
                return bytes(draw.vegalite_to_png(spec, config=config, scale=PIXELS_PER_POINT))
            case ".pdf":
                return bytes(draw.vegalite_to_pdf(spec, config=config))
            case _:
                return draw.vegalite_to_html(spec, config=config, bundle=True).encode("utf-8", "replace")
    except ValueError as error:
        raise DataError(f"the picture could not be drawn: {str(error).splitlines()[0]}") from error


def save(spec: Spec, path: str) -> None:
    """Write a picture in the form that the name of the file says; it is there whole or not at all.

    Errors: ParameterError for a name that ends otherwise, or where vl-convert is missing; FileError.
    """
    write_whole(path, rendered(spec, ending(path)))
