"""Optional packages, loaded when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lsdmlo_cli.errors import ParameterError


def optional(module: str, needs: str, extra: str) -> Any:
    """The module. Errors: ParameterError where it is missing; `needs` says who needs which package.

    >>> optional("no_such_module", "the sky needs stars", "sky")
    Traceback (most recent call last):
    lsdmlo_cli.errors.ParameterError: the sky needs stars: pip install 'lsdmlo[sky]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ParameterError(f"{needs}: pip install 'lsdmlo[{extra}]'") from error
