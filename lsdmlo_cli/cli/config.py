"""Options of commands from a TOML file, `--config FILE`: a table a command, and what is typed wins."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click

from lsdmlo_cli.cli.options import FILE
from lsdmlo_cli.errors import FileError, FormatError, ParameterError, hint, reason

CONFIG = click.Option(
    ["--config"],
    type=FILE,
    metavar="FILE",
    expose_value=False,
    help="TOML file with options, such as p = 0.1 in the table [resample] (in pyproject.toml: [tool.lsdmlo.resample]); what is "
    "typed wins.",
)
EXCLUSIVE = (("p", "rows"), ("report", "no_report"), ("in_place", "out_dir"), ("holdout", "folds", "repeats"))
"""Options that exclude each other: one that is typed rules out the others of a file."""
_LINE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)


def options_of(file: str, ctx: click.Context, commands: Collection[str], typed: Collection[str]) -> dict[str, Any]:
    """What a file says of the options of a command, by parameter; typed: the parameters that are typed.

    commands: the names that tables may have. Errors: FileError, FormatError; ParameterError for a table or an option that does
    not exist, and for a value that no option can have.
    """
    name, content = str(ctx.command.name), _content(file)
    within = "tool.lsdmlo." if "tool" in content or Path(file).name == "pyproject.toml" else ""
    tables = content.get("tool", {}).get("lsdmlo", {}) if within else content
    for found, table in tables.items():
        if found not in commands or not isinstance(table, dict):
            near = f"put it into a table such as [{within}{name}]" if not isinstance(table, dict) else "there is no such command"
            raise ParameterError(f"{file}: {within}{found}: {near}{hint(found, commands)}")
    if not tables:
        raise ParameterError(f"{file}: there are no options in it: expected a table such as [{within}{name}]")
    known = {
        spelled.removeprefix("--"): param
        for param in ctx.command.get_params(ctx)
        if isinstance(param, click.Option) and param is not CONFIG
        for spelled in param.opts
        if spelled.startswith("--")
    }
    values = {}
    for key, value in tables.get(name, {}).items():
        place, option = f"{file}: [{within}{name}]", key.replace("_", "-")
        if option not in known:
            raise ParameterError(f"{place}: there is no option {key!r}{hint(option, known)}: lsdmlo {name} --help lists them")
        values[str(known[option].name)] = _value(f"{place} {key}", known[option], value)
    ruled_out = {one for group in EXCLUSIVE if set(group) & set(typed) for one in group}
    return {param: value for param, value in values.items() if param not in ruled_out}


def _content(file: str) -> Mapping[str, Any]:
    """The tables of a TOML file, with fractions as they are spelled."""
    import tomllib

    try:
        return tomllib.loads(Path(file).read_text(encoding="utf-8-sig"), parse_float=str)
    except OSError as error:
        raise FileError(f"cannot read {file}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise FormatError(file, None, "it is no UTF-8: expected a TOML file") from error
    except tomllib.TOMLDecodeError as error:
        found = _LINE.fullmatch(str(error))
        problem, line = (found[1], int(found[2])) if found else (str(error), None)
        raise FormatError(file, line, f"this is no TOML: {problem[:1].lower()}{problem[1:]}") from error


def _value(place: str, option: click.Option, value: Any) -> Any:
    """A value as it would be typed; a list stands for values with commas between."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise ParameterError(f"{place}: expected true or false, found {value!r}")
        return value
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(one, bool) or not isinstance(one, (str, int)) for one in values):
        raise ParameterError(f"{place}: expected a text, a number or a list of these, found {value!r}")
    joined = ",".join(map(str, values))
    return [joined] if option.multiple else joined
