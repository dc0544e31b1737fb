"""What editors and type checkers read of the package: `python tests/stub.py` writes lsdmlo_cli/__init__.pyi.

The estimators are made while the package runs, from the fields of the samplers; here they stand as they would be typed.
"""

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import get_origin, get_type_hints

import lsdmlo_cli
from lsdmlo_cli import ESTIMATORS, Settings
from lsdmlo_cli.estimators import Estimator
from lsdmlo_cli.parameters import Parameter, parameters

PLACE = Path(lsdmlo_cli.__file__).with_suffix(".pyi")
HEAD = """# Made by `make stub` from the fields of the samplers; a change by hand is lost.

from collections.abc import Iterable
from typing import Any, Literal

from numpy.random import Generator, RandomState

{imports}

__version__: str

def read(path: str, labels: str | None = None, ignore: Iterable[str | int] | None = None) -> Dataset: ...
"""
TYPES = {"switch": "bool", "whole": "int", "number": "float", "ratio": "Ratio"}
SETTINGS = get_type_hints(Settings)
OTHERS = {
    "ignore": "Iterable[Any]",
    "categorical_features": "Iterable[Any]",
    "random_state": "int | Generator | RandomState",
    "n_jobs": "int",
}


def stub() -> str:
    """The text of the file."""
    homes = {**lsdmlo_cli._HOME, "Estimator": "estimators", "Ratio": "parameters"}
    imports = "\n".join(sorted(f"from lsdmlo_cli.{home} import {name} as {name}" for name, home in homes.items()))
    return "\n".join([HEAD.format(imports=imports), *(_class(estimator) for estimator in ESTIMATORS.values())])


def _class(estimator: type[Estimator]) -> str:
    text = str(inspect.getdoc(estimator)).replace("\\", "\\\\")
    doc = textwrap.indent(f'"""{text}\n"""', "    ", lambda line: bool(line.strip()))
    keywords = textwrap.indent("".join(f"{line},\n" for line in _keywords(estimator)), "        ")
    start = f"class {estimator.__name__}(Estimator):\n{doc}\n\n    def __init__(\n        self,\n        *,\n"
    return f"{start}{keywords}    ) -> None: ...\n"


def _keywords(estimator: type[Estimator]) -> Iterator[str]:
    own = {parameter.name: _type(parameter) for parameter in parameters(estimator.of)}
    shared = {name: str(hint if get_origin(hint) else getattr(hint, "__name__", hint)) for name, hint in SETTINGS.items()}
    for name, default in estimator.defaults.items():
        kind = own.get(name) or {"verbose": "int"}.get(name) or shared.get(name) or f"{OTHERS[name]} | None"
        yield f"{name}: {kind} = {default!r}".replace("'", '"').replace("typing.", "")


def _type(parameter: Parameter) -> str:
    choices = ", ".join(map(repr, parameter.choices))
    kind = f"Literal[{choices}]" if choices else TYPES[parameter.kind]
    return f"{kind} | None" if parameter.default is None or parameter.name == "p" else kind


if __name__ == "__main__":
    PLACE.write_text(stub(), encoding="utf-8")
