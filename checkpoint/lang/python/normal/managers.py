"""`with` as `try`, in Python's syntax.

In: one item of a `with` and the statements inside. Out: the statements that Python's reference says it
abbreviates, with calls of `__enter__` and `__exit__`; for managers of the standard library and of NumPy that
are known where they are made, what they do to the statements.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.normal.nodes import Prim, assign, constant, load

Known = Callable[[ast.expr], Any]  # returns the Python object that an expression denotes, or None

# Managers that change only what is reported of floating-point errors: no program reports them.
_WITHOUT_EFFECT = frozenset((("numpy", "errstate"), ("numpy", "printoptions")))


_SHOWN = frozenset(("ignore", "default", "always", "once", "module"))


def as_try(item: ast.withitem, body: list[ast.stmt], at: ast.With, names: list[str]) -> list[ast.stmt]:
    """Return a `with` of any manager as a `try`; names: four new variables."""
    manager, entered, exception, ended = names
    call = _call(load(manager, at), "__enter__", [], at)
    start = [assign(manager, item.context_expr, at), assign(entered, call, at)]
    start.append(assign(ended, constant(True, at), at))
    inside = body if item.optional_vars is None else [_assigned(item.optional_vars, entered, at), *body]
    error = load(exception, at)
    parts: list[ast.expr] = [Prim("py.class-of", [error], at), error, Prim("py.traceback", [], at)]
    suppressed = _call(load(manager, at), "__exit__", parts, at)
    declined = ast.copy_location(ast.UnaryOp(ast.Not(), suppressed), at)
    again = ast.copy_location(ast.Raise(None, None), at)
    handled = [
        assign(ended, constant(False, at), at),
        ast.copy_location(ast.If(declined, [again], []), at),
    ]
    handler = ast.copy_location(ast.ExceptHandler(None, exception, handled), at)
    left = ast.copy_location(ast.Expr(_call(load(manager, at), "__exit__", [constant(None, at)] * 3, at)), at)
    last = ast.copy_location(ast.If(load(ended, at), [left], []), at)
    return [*start, ast.copy_location(ast.Try(inside, [handler], [], [last]), at)]


def special(item: ast.withitem, body: list[ast.stmt], at: ast.With, known: Known) -> list[ast.stmt] | None:
    """Return what a known manager does to the statements inside; None for all others."""
    made = item.context_expr
    if not isinstance(made, ast.Call) or any(isinstance(each, ast.Starred) for each in made.args):
        return None
    manager = known(made.func)
    name = (getattr(manager, "__module__", ""), getattr(manager, "__name__", ""))
    if name == ("contextlib", "suppress") and not made.keywords and item.optional_vars is None:
        classes = ast.copy_location(ast.Tuple(made.args, ast.Load()), made)
        handler = ast.copy_location(ast.ExceptHandler(classes, None, []), at)
        return [ast.copy_location(ast.Try(body, [handler], [], []), at)]
    if name == ("contextlib", "nullcontext") and len(made.args) <= 1 and not made.keywords:
        value = made.args[0] if made.args else constant(None, made)
        entered = ast.Expr(value) if item.optional_vars is None else ast.Assign([item.optional_vars], value)
        return [ast.copy_location(entered, at), *body]
    if name == ("warnings", "catch_warnings") and not made.args and not made.keywords:
        return [each for each in body if not _is_filter(each, known)]
    if name in _WITHOUT_EFFECT and item.optional_vars is None and not _raises(made):
        return body
    return None


def _is_filter(node: ast.stmt, known: Known) -> bool:
    """Return whether a statement chooses which warnings are shown; not whether they are exceptions."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call) or not node.value.args:
        return False
    action = node.value.args[0]
    shows = isinstance(action, ast.Constant) and action.value in _SHOWN
    return shows and known(node.value.func) in (warnings.simplefilter, warnings.filterwarnings)


def _raises(made: ast.Call) -> bool:
    """Return whether a manager of floating-point errors may turn them into exceptions."""
    values = [*made.args, *(keyword.value for keyword in made.keywords)]
    return not all(isinstance(v, ast.Constant) and v.value not in ("raise", "call") for v in values)


def _call(manager: ast.expr, method: str, args: list[ast.expr], at: ast.AST) -> ast.expr:
    function = ast.copy_location(ast.Attribute(manager, method, ast.Load()), at)
    return ast.copy_location(ast.Call(function, args, []), at)


def _assigned(target: ast.expr, value: str, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], load(value, at)), at)
