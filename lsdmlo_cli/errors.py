"""The errors a user can meet; each is one line: where, what was found, what was expected, what to try."""

from __future__ import annotations


class LsdmloError(Exception):
    """Base of every error that the tool raises on purpose; `exit_status` is what the command ends with."""

    exit_status = 1


class FormatError(LsdmloError):
    """A file breaks the rules of its format.

    `path` is the file as the user named it, `line` the physical line from 1 (None: the file as a whole).

    >>> str(FormatError("toy.arff", 213, "expected 78 values, found 77"))
    'toy.arff:213: expected 78 values, found 77'
    """

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        self.path, self.line, self.problem = path, line, problem
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {problem}")


class FileError(LsdmloError):
    """A file cannot be opened, read or written."""


def reason(error: OSError) -> str:
    """What the system says of a fault, without numbers and names."""
    return (error.strerror or str(error) or type(error).__name__).lower()


class DataError(LsdmloError):
    """The file is well formed, but what was asked cannot be done with its data."""


class ParameterError(LsdmloError):
    """An option has a value outside its range, or options contradict each other."""

    exit_status = 2
