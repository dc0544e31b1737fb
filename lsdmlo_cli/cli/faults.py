"""Several files in one command: what is wrong with one is told, and the others are done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lsdmlo_cli.cli.command import fault
from lsdmlo_cli.cli.log import say
from lsdmlo_cli.errors import LsdmloError


class Faults:
    """What happened to some files. status: what the command ends with, 1 where one of several had a fault."""

    def __init__(self, files: int) -> None:
        self.files, self.status = files, 0

    @contextmanager
    def of(self, file: str) -> Iterator[None]:
        """Work on a file; an error is told where there are others, and raised where it is the only one."""
        try:
            yield
        except (LsdmloError, OSError) as error:
            found = fault(error)
            if self.files == 1 or found is None or isinstance(error, BrokenPipeError):
                raise
            say(f"error: {found.message}", input=file)
            self.status = 1
