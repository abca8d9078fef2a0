"""How large a module and a function may be."""

import ast
from collections.abc import Iterator
from statistics import median, quantiles

from tests.architecture.tree import Tree

LARGEST_MODULE, LARGEST_FUNCTION = 300, 40
MEDIAN_FUNCTION, NINTH_DECILE = 8, 25
HANDED_OUT = {"infra/verifier/verify_pack.py": 400}
"""A module that is given away as one file may be larger (decision 0056)."""
EXEMPT: tuple[str, ...] = ()
"""Modules that may be larger. It is empty, and a test says so."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules_are_small(tree: Tree) -> Iterator[str]:
    """No module over the limit."""
    for path in _measured(tree):
        lines = len(tree.texts[path].splitlines())
        if lines > (most := HANDED_OUT.get(path, LARGEST_MODULE)):
            yield f"{path}: {lines} lines, at most {most}: split it by what it is about"


def functions_are_small(tree: Tree) -> Iterator[str]:
    """No function over the limit, its docstring not counted."""
    for path in _measured(tree):
        for function in functions_of(tree.modules[path]):
            if (lines := length(function)) > LARGEST_FUNCTION:
                yield f"{path}:{function.lineno}: {function.name} has {lines} lines of {LARGEST_FUNCTION}"


def half_of_all_functions_are_smaller_still(tree: Tree) -> Iterator[str]:
    """The median, over the whole product."""
    if (lines := median(_lengths(tree))) > MEDIAN_FUNCTION:
        yield f"the median function has {lines:g} lines, at most {MEDIAN_FUNCTION}"


def nine_in_ten_functions_are_small(tree: Tree) -> Iterator[str]:
    """The ninth decile, over the whole product."""
    if (lines := quantiles(_lengths(tree), n=10)[-1]) > NINTH_DECILE:
        yield f"a tenth of all functions has {lines:g} lines or more, at most {NINTH_DECILE}"


def functions_of(module: ast.Module) -> Iterator[Function]:
    """Every function of a module, methods and inner ones included."""
    return (node for node in ast.walk(module) if isinstance(node, Function))


def length(function: Function) -> int:
    """A function's lines, from its def to its end, without its docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def _lengths(tree: Tree) -> list[int]:
    return [length(function) for path in _measured(tree) for function in functions_of(tree.modules[path])]


def _measured(tree: Tree) -> list[str]:
    return [path for path in tree.product if path not in EXEMPT]


RULES = {
    f"No module is over {LARGEST_MODULE} lines": modules_are_small,
    f"No function is over {LARGEST_FUNCTION} lines": functions_are_small,
    f"The median function has at most {MEDIAN_FUNCTION} lines": half_of_all_functions_are_smaller_still,
    f"Nine in ten functions have at most {NINTH_DECILE} lines": nine_in_ten_functions_are_small,
}
