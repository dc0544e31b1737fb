"""The page as a file: template, style, script, the drawing library and the data, all in one, nothing from outside.

The data stands in the page as JSON in which < is written as \\u003c, so that no name can end the element that holds it; the
script sets texts, never HTML.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from lsdmlo_cli import __version__
from lsdmlo_cli.page.tables import Section
from lsdmlo_cli.pictures.files import converter
from lsdmlo_cli.pictures.style import theme

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def rendered(sections: Sequence[Section]) -> bytes:
    """The page. Errors: ParameterError where the package that draws is missing."""
    model = {"version": __version__, "sections": list(sections), "themes": {"light": theme(), "dark": theme(dark=True)}}
    parts = {
        "style": _part("page.css"),
        "data": embedded(model),
        "library": converter().javascript_bundle().replace("</script", "<\\/script"),
        "script": _part("page.js"),
    }
    before, *pieces = _part("page.html").split("{{")
    page = [before]
    for piece in pieces:
        name, _, rest = piece.partition("}}")
        page += [parts[name], rest]
    return "".join(page).encode("utf-8", "replace")


def embedded(model: Any) -> str:
    """JSON that can stand in an element of a page, whatever its texts hold.

    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(model, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _ESCAPED.items():
        text = text.replace(character, escape)
    return text


def _part(name: str) -> str:
    return files("lsdmlo_cli.page").joinpath(name).read_text(encoding="utf-8")
