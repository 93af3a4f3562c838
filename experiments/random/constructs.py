"""Find the constructs of Python that the run of a program reaches: the nodes on the lines that it executes.

In: a function and its arguments. Out: names, such as "class that derives", "AugAssign of Attribute".
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from tests.python.agreement import TooLong, natively

PLAIN = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop, ast.arguments, ast.arg)
BORING = (ast.Name, ast.Constant, ast.Expr, ast.keyword, ast.alias, ast.Module, *PLAIN)


def reached(function: Callable[..., Any], args: tuple[Any, ...]) -> set[str]:
    """Return the constructs on the lines that a run executes."""
    lines: set[int] = set()
    code = function.__code__

    def note(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != code.co_filename:
            return None
        lines.add(frame.f_lineno)
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        natively(lambda *given: _traced(function, given, note), args)
    except TooLong:
        pass
    finally:
        sys.settrace(before)
    tree = ast.parse("".join(inspect.findsource(function)[0]))
    return set(_named(tree, lines, classes=set()))


def _traced(function: Callable[..., Any], args: tuple[Any, ...], note: Any) -> Any:
    """Return a function's value, traced by `note`."""
    sys.settrace(note)
    return function(*args)


def _named(tree: ast.AST, lines: set[int], classes: set[str]) -> Iterator[str]:
    """Generate the names of the constructs on lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(_runs(each, lines) for each in node.body):
            yield from _of_class(node)
        elif isinstance(node, ast.FunctionDef) and _runs(node, lines):
            yield from _of_function(node)
        elif not isinstance(node, BORING) and getattr(node, "lineno", None) in lines:
            yield from _of_node(node)


def _runs(node: ast.AST, lines: set[int]) -> bool:
    """Return whether the body of a function is entered."""
    return isinstance(node, ast.FunctionDef) and any(each.lineno in lines for each in node.body)


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    yield "class that derives" if node.bases else "class"
    yield from (f"class @{ast.unparse(each)}" for each in node.decorator_list)
    if any(isinstance(each, ast.Assign) and "__slots__" in ast.unparse(each) for each in node.body):
        yield "class with __slots__"


def _of_function(node: ast.FunctionDef) -> Iterator[str]:
    yield node.name if node.name.startswith("__") else "def"
    yield from (f"def @{ast.unparse(each)}" for each in node.decorator_list)


def _of_node(node: ast.AST) -> Iterator[str]:
    name = type(node).__name__
    if isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            yield f"{name} of {type(target).__name__}"
    elif isinstance(node, ast.AugAssign):
        yield f"{name} of {type(node.target).__name__}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield f"{node.func.id}()" if node.func.id in dir(__builtins__) else name
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield f".{node.func.attr}()"
    elif isinstance(node, ast.Compare):
        yield from (type(each).__name__ for each in node.ops)
    else:
        yield name
