"""Objects of other libraries as text, and back.

    sklearn.ensemble:BaggingClassifier(estimator=sklearn.tree:DecisionTreeClassifier(max_depth=3), n_estimators=5)

A text is a class by its path, called with arguments by name. An argument is a literal of Python, such a class, or a list, tuple
or dictionary of these. Nothing else is read: literals are those of ast.literal_eval, and of what a path names only a class that
has `fit` is called.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from lsdmlo_cli.errors import ParameterError, hint, twin

EXAMPLE = "as in sklearn.ensemble:RandomForestClassifier(n_estimators=200)"
MARK = "_holds_"
"""Stands for the colon of a path while Python's parser reads the text."""
PATH = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\b(?P<module>[A-Za-z_]\w*(?:\.\w+)*)\s*:\s*(?P<name>[A-Za-z_]\w*)""")
"""The path of a class, or a text in quotes, in which there is none."""
LITERALS = (str, bytes, bool, int, float, complex, type(None))


def canonical(text: str, typed: str | None = None) -> str:
    """The one way to write a text: Python's spelling of literals, arguments in the order of their names, always with brackets.

    typed: what messages name in place of the text. Errors: ParameterError for what is no such text.

    >>> canonical("m:C( b = 2., a=[x.y:D, 'k:v'])")
    "m:C(a=[x.y:D(), 'k:v'], b=2.0)"
    """
    typed = typed or text
    body = _parsed(text, typed)
    if _path(body) is None:
        raise ParameterError(f"{typed} is no class with arguments, {EXAMPLE}")
    return _spelled(typed, "", body)


def built(text: str, **further: Any) -> Any:
    """A new object of a text; further: arguments of its class beside its own. Errors: ParameterError, those of the class too."""
    try:
        return _value(_parsed(text), further)
    except ParameterError:
        raise
    except Exception as error:
        raise ParameterError(f"{text}: {reason(error)}") from error


def arguments_of(text: str) -> set[str]:
    """The names of the arguments that the class itself is given."""
    body = _parsed(text)
    return {str(one.arg) for one in body.keywords} if isinstance(body, ast.Call) else set()


def text_of(model: Any) -> str | None:
    """The text of an object with scikit-learn's `get_params`, from those that are not at their defaults; None: it has none.

    >>> from sklearn.ensemble import BaggingClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> text_of(BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5))
    'sklearn.ensemble:BaggingClassifier(estimator=sklearn.tree:DecisionTreeClassifier(max_depth=3), n_estimators=5)'
    """
    try:
        text = _told(model)
        same = _told(built(text)) == text
    except (ParameterError, TypeError, ValueError, AttributeError):
        return None
    return text if same else None


def paths_in(text: str) -> list[str]:
    """The paths of the classes in a text, in order."""
    return [found[0] for found in PATH.finditer(text) if found["module"]]


@cache
def class_of(path: str, *methods: str) -> type:
    """The class of a path, which has the methods. Errors: ParameterError."""
    where, _, name = path.partition(":")
    try:
        module = import_module(where)
    except Exception as error:
        raise ParameterError(f"{path}: {where} cannot be imported ({reason(error)})") from error
    found = getattr(module, name, None)
    if found is None:
        raise ParameterError(f"{where} has no class {name!r}{hint(name, dir(module))}")
    if not isinstance(found, type) or not all(callable(getattr(found, method, None)) for method in methods):
        plural = "s" if len(methods) > 1 else ""
        raise ParameterError(f"{path} is no class with the method{plural} {' and '.join(methods)}")
    return found


def reason(error: Exception) -> str:
    """An error of another library in a line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _parsed(text: str, typed: str | None = None) -> ast.expr:
    try:
        return ast.parse(PATH.sub(_marked, text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"{typed or text} is no class with arguments, {EXAMPLE}") from error


def _marked(found: re.Match[str]) -> str:
    is_path = found["module"] not in (None, "True", "False", "None", "lambda")
    return f"{found['module']}.{MARK}.{found['name']}" if is_path else found[0]


def _path(node: ast.expr) -> str | None:
    """The path of the class that an expression calls or names; None for another expression."""
    names, part = [], node.func if isinstance(node, ast.Call) else node
    while isinstance(part, ast.Attribute):
        names.append(part.attr)
        part = part.value
    if not isinstance(part, ast.Name) or MARK not in names[1:2]:
        return None
    return f"{'.'.join([part.id, *names[:1:-1]])}:{names[0]}"


def _spelled(text: str, argument: str, node: ast.expr) -> str:
    path = _path(node)
    if path is not None:
        return f"{path}({_arguments(text, node)})"
    if isinstance(node, ast.List):
        return f"[{', '.join(_spelled(text, argument, one) for one in node.elts)}]"
    if isinstance(node, ast.Tuple):
        parts = [_spelled(text, argument, one) for one in node.elts]
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        return f"{{{', '.join(': '.join(_spelled(text, argument, one) for one in pair if one) for pair in pairs)}}}"
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        found = ast.unparse(node).replace(f".{MARK}.", ":")
        raise ParameterError(f"{text}: {argument} must be a number, a text in quotes or the like, not {found}") from error
    return ast.unparse(node)


def _arguments(text: str, node: ast.expr) -> str:
    """The arguments of a call in the order of their names; a class that is not called has none."""
    if not isinstance(node, ast.Call):
        return ""
    if node.args or any(one.arg is None for one in node.keywords):
        raise ParameterError(f"{text}: each argument needs its name, {EXAMPLE}")
    again = twin(str(one.arg) for one in node.keywords)
    if again is not None:
        raise ParameterError(f"{text}: {again} is given twice: leave one out")
    ordered = sorted(node.keywords, key=lambda one: str(one.arg))
    return ", ".join(f"{one.arg}={_spelled(text, str(one.arg), one.value)}" for one in ordered)


def _value(node: ast.expr, further: dict[str, Any]) -> Any:
    path = _path(node)
    if path is not None:
        keywords = node.keywords if isinstance(node, ast.Call) else []
        given = {str(one.arg): _value(one.value, {}) for one in keywords}
        return class_of(path, "fit")(**given, **further)
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_value(one, {}) for one in node.elts]
        return parts if isinstance(node, ast.List) else tuple(parts)
    if isinstance(node, ast.Dict):
        return {_value(key, {}): _value(one, {}) for key, one in zip(node.keys, node.values, strict=True) if key}
    return ast.literal_eval(node)


def _told(value: Any) -> str:
    """A value as text. Errors: ValueError for one that has none."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not np.isfinite(value):
        raise ValueError(value)
    if type(value) in LITERALS:
        return repr(value)
    if type(value) in (list, tuple):
        parts = ", ".join(map(_told, value))
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if type(value) is dict:
        return f"{{{', '.join(f'{_told(key)}: {_told(one)}' for key, one in value.items())}}}"
    given = value.get_params(deep=False)
    defaults = {name: one.default for name, one in inspect.signature(type(value)).parameters.items()}
    changed = sorted(name for name in given if repr(given[name]) != repr(defaults.get(name, inspect.Parameter.empty)))
    return f"{_path_of(type(value))}({', '.join(f'{name}={_told(given[name])}' for name in changed)})"


def _path_of(kind: type) -> str:
    """The shortest path by which a class can be imported. Errors: ValueError where it cannot be."""
    parts = kind.__module__.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        if module != "__main__" and getattr(sys.modules.get(module), kind.__name__, None) is kind:
            return f"{module}:{kind.__name__}"
    raise ValueError(kind)
