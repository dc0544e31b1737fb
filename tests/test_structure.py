"""The floors of the house: each imports only from those below it, and click lives in cli/ alone; and how long its functions are.

`tree()` shows the house, folder by folder: the modules of each with their lines, and its longest function. A test of lengths that
fails prints it.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "lsdmlo_cli"
SAMPLE = PACKAGE.parent / "sample_data" / "garden-birds.arff"
MLROS = ["resample", str(SAMPLE), "-", "--no-report", "--method", "mlros", "--p", "0.1", "--measures", "fast"]
FLOORS = {
    "": 0,
    "errors": 0,
    "cores": 0,
    "progress": 0,
    "numeric": 0,
    "checks": 1,
    "parameters": 2,
    "extras": 1,
    "plugins": 1,
    "cluster": 2,
    "parentage": 5,
    "schema": 5,
    "folders": 1,
    "display": 2,
    "data": 2,
    "deep": 2,
    "analysis": 3,
    "formats": 3,
    "samplers": 4,
    "augmented": 4,
    "exchange": 4,
    "outputs": 4,
    "cautions": 5,
    "estimators": 6,
    "dataset_measures": 4,
    "report": 6,
    "weights_table": 6,
    "folds": 6,
    "frames": 2,
    "subject": 7,
    "pipeline": 8,
    "conversion": 7,
    "evaluation": 9,
    "pictures": 10,
    "provenance": 8,
    "explained": 9,
    "page": 11,
    "functions": 11,
    "cli": 12,
}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem not in ("__init__", "__main__"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = node.module == "lsdmlo_cli" and node.names[0].name in FLOORS
            yield f"{node.module}.{node.names[0].name}" if inside else str(node.module)


def floor_of(module: str) -> str:
    return (module.split(".") + [""])[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    own = room(path)
    used = {floor_of(module) for module in imports(path) if module.split(".")[0] == "lsdmlo_cli"} - {own}
    assert {name for name in used if FLOORS[name] >= FLOORS[own] and name != ""} == set()


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) == "numeric"], ids=lambda path: path.name)
def test_numeric_imports_arrays_and_itself(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"numpy", "scipy", "threadpoolctl"}
    outside = {module for module in imports(path) if not module.startswith("lsdmlo_cli.numeric")}
    assert {module for module in outside if module.split(".")[0] not in allowed} == set()


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) != "cli"], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_click_stays_in_its_room(path: Path) -> None:
    assert "click" not in set(imports(path))


@pytest.mark.parametrize(
    ("arguments", "unloaded"),
    [
        *((arguments, "numpy") for arguments in (["--help"], ["--version"], ["split", "--help"], ["stats", "--help"])),
        *(([name, "--help"], "scipy.sparse") for name in ("resample", "methods", "evaluate", "recommend")),
        (["show", "--help"], "numpy"),
        (["evaluate", "--help"], "sklearn"),
        (["recommend", "--help"], "sklearn"),
        *((arguments, "rich") for arguments in (["--help"], ["stats", "--help"], ["stats", str(SAMPLE), "--measures", "fast"])),
        *((MLROS, f"lsdmlo_cli.{name}") for name in ("samplers.lsdmlo", "estimators", "data.tables", "subject")),
        (MLROS, "scipy.linalg"),
    ],
)
def test_a_command_loads_no_more_than_it_needs(arguments: list[str], unloaded: str) -> None:
    """The help of a method's options comes from the samplers, which need numpy to be loaded, and nothing that is larger.

    What draws on a terminal is not loaded where there is none, and of the methods only the one that runs.
    """
    assert unloaded not in loaded(*arguments)


@cache
def loaded(*arguments: str) -> set[str]:
    """The modules that a run of the command has loaded at its end."""
    code = "import sys\nfrom lsdmlo_cli.cli import main\ntry: main()\nfinally: print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True).stdout
    found = set(shown.splitlines()[-1].split())
    assert "lsdmlo_cli.cli" in found
    return found


MOST_LINES, MOST_PARAMETERS, NINETIETH_PERCENTILE = 40, 7, 18


class Function(NamedTuple):
    module: str
    name: str
    lines: int
    parameters: int


def functions() -> Iterator[Function]:
    """Every function and method of the package, nested ones too; lines with the decorators left out, parameters without self."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                lines = node.end_lineno - node.lineno + 1
                yield Function(str(path.relative_to(PACKAGE)), node.name, lines, len(set(own) - {"self", "cls"}))


def tree() -> str:
    """A line a folder, from the top: its lines in all, its longest function, and its modules with their lines."""
    longest: dict[str, int] = {}
    for function in functions():
        folder = str(Path(function.module).parent)
        longest[folder] = max(longest.get(folder, 0), function.lines)
    shown = []
    for folder in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        modules = {path.stem: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(folder.glob("*.py"))}
        name = str(folder.relative_to(PACKAGE))
        listed = ", ".join(f"{module} {lines}" for module, lines in modules.items() if lines)
        shown.append(f"{name}: {sum(modules.values())} lines, longest function {longest.get(name, 0)}: {listed}")
    return "\n".join(shown)


def test_no_function_is_too_long_or_has_too_many_parameters() -> None:
    beyond = {f"{f.module} {f.name}" for f in functions() if f.lines > MOST_LINES or f.parameters > MOST_PARAMETERS}
    assert beyond == set(), f"too long, or too many parameters\n{tree()}"


def test_most_functions_are_short() -> None:
    assert np.percentile([function.lines for function in functions()], 90) <= NINETIETH_PERCENTILE, tree()


def test_the_tree_shows_every_module() -> None:
    shown = tree()
    folders = [line.split(": ")[0] for line in shown.splitlines()]
    assert [folder for folder in (".", "numeric/weights", "cli") if folder not in folders] == []
    assert [path for path in MODULES if path.stem != "__init__" and f" {path.stem} " not in shown] == []
