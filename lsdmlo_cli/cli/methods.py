"""`lsdmlo methods`: what `lsdmlo resample --method` can do."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Iterator

import click

from lsdmlo_cli.cli.command import Command
from lsdmlo_cli.cli.options import NameType, write_out
from lsdmlo_cli.parameters import Parameter, parameters
from lsdmlo_cli.samplers import SAMPLERS, Sampler

WIDTH = 100
_ERRORS = "Errors:"  # what follows is for programmers
_JOIN = "\xa0"  # holds an option and its default together; becomes a blank


@click.command(cls=Command)
@click.argument("name", metavar="[NAME]", required=False, type=NameType(SAMPLERS))
@click.option("--bibtex", is_flag=True, help="Print the publication as an entry for BibTeX, of NAME or of all methods.")
def methods(name: str | None, bibtex: bool) -> None:
    """List the methods of `lsdmlo resample --method`: what they do, where they were published, their options with defaults.

    With NAME, describe one method: how it works, where it departs from its publication, what each option means.

    \b
    Examples:
      lsdmlo methods | grep smote
      lsdmlo methods mlsmote
      lsdmlo methods --bibtex > methods.bib
    """
    asked = SAMPLERS if name is None else {name: SAMPLERS[name]}
    if bibtex:
        text = "\n".join(_entries(asked.values()))
    elif name is not None:
        text = "\n".join(_page(SAMPLERS[name]))
    else:
        indent = max(map(len, SAMPLERS)) + 2
        text = "\n\n".join("\n".join(_lines(sampler, indent)) for sampler in SAMPLERS.values())
    write_out(f"{text}\n".encode())


def _entries(samplers: Iterable[type[Sampler]]) -> Iterator[str]:
    """Each publication once, under the name of the first method that it describes."""
    seen = set()
    for sampler in samplers:
        if sampler.publication not in seen:
            seen.add(sampler.publication)
            yield sampler.publication.bibtex(sampler.name)


def _page(sampler: type[Sampler]) -> Iterator[str]:
    """All about a method."""
    yield f"{sampler.name}: {sampler.summary}\n"
    yield f"{str(inspect.getdoc(sampler)).partition(_ERRORS)[0].rstrip()}\n"
    yield from (_option(parameter) for parameter in parameters(sampler))
    yield f"{sampler.publication.citation}\n{sampler.publication.url}".rstrip()


def _option(parameter: Parameter) -> str:
    choices = "|".join(map(str, parameter.choices))
    default = f"  [default: {parameter.default_text}]" if parameter.default_text else ""
    text = f"{parameter.option.help}{default}"
    lines = textwrap.wrap(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False)
    return "\n".join([f"  {parameter.spelled} {choices}".rstrip(), *lines, ""])


def _lines(sampler: type[Sampler], indent: int) -> Iterator[str]:
    """A method in short: what it does, its publication, its options."""
    options = [_spelled(parameter) for parameter in parameters(sampler)]
    blank = " " * indent
    parts = sampler.summary, sampler.publication.citation, ", ".join(options) or "no options of its own"
    for first, text in zip((sampler.name.ljust(indent), blank, blank), parts, strict=True):
        for line in textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=blank, break_on_hyphens=False, break_long_words=False
        ):
            yield line.replace(_JOIN, " ")


def _spelled(parameter: Parameter) -> str:
    """The option as it is typed, with its default; a default in words stands in brackets, a switch has none."""
    default = parameter.default_text
    shown = f"({default})" if " " in default else default
    return f"{parameter.spelled} {shown}".rstrip().replace(" ", _JOIN)
