"""A document in one of the formats."""

from __future__ import annotations

from typing import TextIO

from lsdmlo_cli.display.records import document_csv
from lsdmlo_cli.display.table import Document


def drawn(document: Document, format: str, stream: TextIO) -> str:
    """The document in a format of FORMATS but json. stream: where it will be written, which decides on width and colours."""
    if format == "table":
        from lsdmlo_cli.display.terminal import to_terminal

        return to_terminal(document, stream)
    if format == "csv":
        return document_csv(document)
    if format == "markdown":
        from lsdmlo_cli.display.markdown import to_markdown

        return to_markdown(document)
    from lsdmlo_cli.display.latex import to_latex

    return to_latex(document)
