"""What a user says of a file's form where its name and its content do not: `--from csv:delimiter=semicolon`, `--categories`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lsdmlo_cli.errors import ParameterError, hint

Value = TypeVar("Value")


@dataclass(frozen=True)
class Form:
    """The name of a format, None where the file's ending says it; its options; columns that hold categories.

    >>> Form.of("csv:Delimiter=semicolon", ["size"])
    Form(name='csv', options=(('delimiter', 'semicolon'),), categories=('size',))
    """

    name: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    categories: tuple[str, ...] = ()

    @staticmethod
    def of(text: str | None, categories: Iterable[str] | None = None) -> Form:
        """The form that a text such as `csv:delimiter=tab:header=no` stands for. Errors: ParameterError."""
        name, *parts = (text or "").split(":")
        options: dict[str, str] = {}
        for part in parts:
            option, equals, value = part.partition("=")
            if not equals or not value or option.strip().lower() in options:
                raise ParameterError(f"--from {text}: expected each option once, as in csv:delimiter=semicolon; found {part!r}")
            options[option.strip().lower()] = value.strip()
        return Form(name.strip() or None, tuple(options.items()), tuple(categories or ()))

    def chosen(self, known: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
        """The value of each option that is given; known: by option, the values by name. Errors: ParameterError."""
        found = {}
        for option, value in self.options:
            if option not in known:
                there = f"there are {', '.join(known)}" if known else "it has none"
                raise ParameterError(f"--from {self.name}: there is no option {option!r}{hint(option, known)}: {there}")
            values = known[option]
            if value.lower() not in values:
                raise ParameterError(f"--from {self.name}: {option} must be one of {', '.join(values)}, found {value!r}")
            found[option] = values[value.lower()]
        return found

    def refuse_options(self, format: str, categories: bool = False) -> None:
        """ParameterError for options, and (unless `categories`) for columns of categories, in a format that has none."""
        self.chosen({})
        if self.categories and not categories:
            raise ParameterError(f"--categories: {format} says itself which columns hold categories: leave it out")


PLAIN = Form()
"""Where nothing is said."""
