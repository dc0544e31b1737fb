"""Man pages and completion scripts, made from the command itself: its help texts, options and examples.

`python release/manual.py FOLDER` writes them below FOLDER/share, where the wheel puts them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
from click.shell_completion import get_completion_class

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "bash": "share/bash-completion/completions/{name}",
    "zsh": "share/zsh/site-functions/_{name}",
    "fish": "share/fish/vendor_completions.d/{name}.fish",
}
"""Where each shell looks for the completion of a command, below the prefix of an installation."""
EXIT_STATUS = {
    "0": "All is done, perhaps with warnings.",
    "1": "The data or a file is at fault.",
    "2": "The command line is at fault.",
    "130": "The run was interrupted.",
    "141": "The reader of standard output went away.",
}


class Page(NamedTuple):
    """What stands at the head and foot of each page."""

    version: str
    date: str


class Text(NamedTuple):
    """A help text in parts: paragraphs, of which the verbatim ones keep their lines, and examples, a command a line."""

    paragraphs: list[str | list[str]]
    examples: list[str]


def files(group: click.Group, page: Page) -> Iterator[tuple[str, str]]:
    """Path below the prefix and content of each man page and each completion script."""
    ctx = click.Context(group, info_name=group.name, **group.context_settings)
    for pages_of in (ctx, *_subcommands(ctx)):
        name = pages_of.command_path.replace(" ", "-")
        yield f"share/man/man1/{name}.1", man_page(pages_of, page)
    for shell, place in PLACES.items():
        yield place.format(name=group.name), completion(group, shell)


def completion(group: click.Group, shell: str) -> str:
    """The script that lets a shell ask the command what may come next."""
    kind = get_completion_class(shell)
    if kind is None:
        raise ValueError(f"click has no completion for {shell}")
    name = str(group.name)
    script = kind(group, {}, name, f"_{name.upper()}_COMPLETE")
    return script.source_template % script.source_vars()


def man_page(ctx: click.Context, page: Page) -> str:
    """The page of one command, in the man macros of roff."""
    title = ctx.command_path.replace(" ", "-")
    text = parts(ctx.command.help or "")
    summary = _summary(ctx).rstrip(".")
    lines = [
        f'.TH {_quoted(title.upper())} 1 "{page.date}" {_quoted(f"lsdmlo {page.version}")} "User Commands"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{roff(title)} \\- {roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        *_synopsis(ctx),
        ".SH DESCRIPTION",
        *_paragraphs(text.paragraphs),
        *_commands(ctx),
        ".SH OPTIONS",
        *_options(ctx),
        ".SH EXAMPLES",
        *_verbatim(text.examples),
        ".SH EXIT STATUS",
        *(line for status, meaning in EXIT_STATUS.items() for line in (".TP", f".B {status}", roff(meaning))),
        ".SH SEE ALSO",
        *_see_also(ctx),
    ]
    return "\n".join(lines) + "\n"


def parts(text: str) -> Text:
    r"""Take a help text apart.

    >>> parts("Do it.\n\n\b\nExample:\n  lsdmlo do it\n")
    Text(paragraphs=['Do it.'], examples=['lsdmlo do it'])
    """
    paragraphs: list[str | list[str]] = []
    examples: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text).partition("\f")[0].strip()):
        first, *others = block.splitlines()
        if first.strip() != "\b":
            paragraphs.append(" ".join(block.split()))
        elif others[0].startswith("Example"):
            examples += [line.strip() for line in others[1:]]
        else:
            paragraphs.append(others)
    return Text(paragraphs, examples)


def roff(text: str) -> str:
    r"""Text as roff: what it would take for its own is escaped, and what stands in backticks is bold.

    >>> print(roff("See `lsdmlo methods`: C:\\ is no option, --p is."))
    See \fBlsdmlo methods\fR: C:\e is no option, \-\-p is.
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in text)
    return f"\\&{text}" if text.startswith(".") else text


def _quoted(text: str) -> str:
    return f'"{roff(text)}"'


def _subcommands(ctx: click.Context) -> Iterator[click.Context]:
    group = ctx.command
    if isinstance(group, click.Group):
        for name in sorted(group.list_commands(ctx)):
            command = group.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield click.Context(command, info_name=name, parent=ctx, **command.context_settings)


def _summary(ctx: click.Context) -> str:
    """What the group says of a command in one line; of the group itself, how its help begins."""
    lines = ctx.parent.command.lines if ctx.parent else {}
    return lines.get(ctx.info_name) or ctx.command.get_short_help_str(limit=1000)


def _synopsis(ctx: click.Context) -> list[str]:
    words = " ".join(ctx.command.collect_usage_pieces(ctx))
    return [f"\\fB{roff(ctx.command_path)}\\fR {re.sub(r'[A-Z]+', lambda word: f'{chr(92)}fI{word[0]}{chr(92)}fR', roff(words))}"]


def _paragraphs(paragraphs: Sequence[str | list[str]]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ".PP"
        if isinstance(paragraph, str):
            yield roff(paragraph)
        else:
            yield from _verbatim(paragraph)


def _verbatim(lines: Sequence[str]) -> list[str]:
    return [".nf", ".RS", *map(roff, lines), ".RE", ".fi"]


def _commands(ctx: click.Context) -> Iterator[str]:
    for number, sub in enumerate(_subcommands(ctx)):
        if number == 0:
            yield ".SH COMMANDS"
        yield from (".TP", f".B {roff(str(sub.info_name))}", roff(_summary(sub)))


def _options(ctx: click.Context) -> Iterator[str]:
    for param in ctx.command.get_params(ctx):
        record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
        if record is not None:
            names = re.match(r"--?[\w-]+(, --?[\w-]+)*", record[0])
            spelled = names[0] if names else ""
            value = record[0].removeprefix(spelled).strip()
            yield ".TP"
            yield f"\\fB{roff(spelled)}\\fR" + (f" \\fI{roff(value)}\\fR" if value else "")
            yield roff(" ".join(record[1].split()))


def _see_also(ctx: click.Context) -> list[str]:
    root = ctx.find_root()
    names = [other.command_path.replace(" ", "-") for other in (root, *_subcommands(root))]
    others = [f".BR {roff(name)} (1)" for name in sorted(names) if name != ctx.command_path.replace(" ", "-")]
    return [*(f"{line}," for line in others[:-1]), others[-1]]


def release_date(changelog: str) -> str:
    """The date in the first heading of a changelog; empty where that version is not released.

    >>> release_date("## [0.2.0] - 2026-05-01\\n"), release_date("## [0.2.0] (unreleased)\\n## [0.1.0] - 2026-05-01\\n")
    ('2026-05-01', '')
    """
    heading = re.search(r"^## \[[^]]+\](?: - (\d{4}-\d\d-\d\d))?", changelog, re.MULTILINE)
    return (heading and heading[1]) or ""


def write(folder: Path) -> dict[str, str]:
    """Write all files below a folder; returns where each one lies, and where the wheel puts it."""
    sys.path.insert(0, str(ROOT))
    from lsdmlo_cli import __version__
    from lsdmlo_cli.cli import lsdmlo

    page = Page(__version__, release_date((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    written = {}
    for place, content in files(lsdmlo, page):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
        written[str(path)] = place
    return written


if __name__ == "__main__":
    write(Path(sys.argv[1]))
