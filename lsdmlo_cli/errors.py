"""The errors a user can meet; each is one line: where, what was found, what was expected, what to try."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence

MOST_COMPARED = 5000
"""Names among which a similar one is looked for: it takes a while."""
MOST_LISTED = 5
"""Names that a message lists."""


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

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, int | None, str]]:
        """So that it can be sent from one process to another."""
        return FormatError, (self.path, self.line, self.problem)


class FileError(LsdmloError):
    """A file cannot be opened, read or written."""


class UnseenError(FileError):
    """A file is not seen here, and other machines may see it. path: of the file."""

    def __init__(self, told: str, path: str = "") -> None:
        super().__init__(told)
        self.path = path


def reason(error: OSError) -> str:
    """What the system says of a fault, without numbers and names."""
    return (error.strerror or str(error) or type(error).__name__).lower()


class DataError(LsdmloError, ValueError):
    """The file is well formed, but what was asked cannot be done with its data."""


class ParameterError(LsdmloError, ValueError):
    """An option has a value outside its range, or options contradict each other."""

    exit_status = 2


def closest(name: str, known: Collection[str]) -> str | None:
    """The known name that was meant: the same in other letter case, else the most similar one, None without one.

    >>> closest("Smote", ["base", "mlsmote"]), closest("knn", ["svm"])
    ('mlsmote', None)
    """
    plain = {other.casefold(): other for other in reversed(list(known))}
    similar = difflib.get_close_matches(name.casefold(), plain, 1) if len(plain) <= MOST_COMPARED else []
    return plain.get(name.casefold()) or (plain[similar[0]] if similar else None)


def hint(name: str, known: Collection[str]) -> str:
    """What stands behind a wrong name in a message: a question where a known one is similar, else nothing.

    >>> hint("smote", ["base", "mlsmote"]), hint("knn", ["svm"])
    (' (did you mean mlsmote?)', '')
    """
    meant = closest(name, known)
    return f" (did you mean {meant}?)" if meant else ""


def twin(names: Iterable[str]) -> str | None:
    """The first name that stands there for the second time, None where each stands once.

    >>> twin("abcb"), twin("abc")
    ('b', None)
    """
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def listed(names: Sequence[str], total: int | None = None) -> str:
    """The first MOST_LISTED names, so that a message stays a line, and how many more there are.

    total: how many there are, where names holds only the first of them.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    more = (len(names) if total is None else total) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
