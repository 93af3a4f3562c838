"""Find iterators and views in variables where a list would behave differently.

In: an assignment of the result of `map`, `zip` and their kin, or of a dictionary's keys, values or items.
Out: nothing; the note that the program needs iterators as Python has them; or a SourceError. In Python an
iterator is exhausted by its first use, and a view shows later changes of its dictionary; in programs without
generators both are lists, so a variable may hold them only where this makes no difference.
"""

from __future__ import annotations

import ast
import builtins
import heapq
import itertools
import types
from typing import Any

from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.scopes.reach import has_cleanup, is_generator_code
from checkpoint.lang.python.scopes.scopes import Scope
from checkpoint.lang.python.scopes.syntax import root_of, view_of
from checkpoint.lang.python.source.members import member_of
from checkpoint.lang.python.source.texts import text_of

ITERATORS = frozenset(
    (
        *(builtins.map, builtins.filter, builtins.zip, builtins.enumerate, builtins.reversed),
        *(each for each in tables.FUNCTIONS if getattr(each, "__module__", None) == "itertools"),
        *(itertools.chain.from_iterable, heapq.merge),
    )
) - {itertools.tee}


def check_kept(t: FunctionContext, name: str, value: ast.expr, env: Env) -> None:
    """Note that `name = value` keeps an iterator that is used twice; refuse a view that changes later."""
    if not isinstance(value, ast.Call):
        return
    known = t.program.reference(t, value.func, env)
    if isinstance(known, Reference) and is_iterator(known.value) and reads(t, name) > 1:
        t.program.note_generators()
    view = view_of(value)
    if view is not None and root_of(view[0]) in _changed_later(t, value):
        advice = f"make a list of it, {name} = list(...)"
        raise t.refuse(value, "a view of a dictionary that changes later", advice)


def is_iterator(value: Any) -> bool:
    """Return whether calls of an object give iterators."""
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) and value in ITERATORS


def reads(t: FunctionContext, name: str) -> int:
    """Return how often the function's text reads a variable; twice where a loop does."""
    inside = [each for node in ast.walk(t.scope.node) for part in _repeated(node) for each in ast.walk(part)]
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in (*ast.walk(t.scope.node), *inside)
    )


def _repeated(node: ast.AST) -> list[Any]:
    """Return the parts of a loop that may run more than once."""
    match node:
        case ast.For():
            return list(node.body)
        case ast.While():
            return [node.test, *node.body]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [node.elt, *node.generators[1:], *node.generators[0].ifs]
        case ast.DictComp():
            return [node.key, node.value, *node.generators[1:], *node.generators[0].ifs]
    return []


def _changed_later(t: FunctionContext, value: ast.Call) -> set[str]:
    """Return the variables that are written after a place."""
    here = (value.lineno, value.col_offset)
    return {name for name, places in t.scope.writes.items() if any((p.line, p.column) > here for p in places)}


def makes_cleaned(t: FunctionContext, node: ast.expr) -> bool:
    """Return whether an expression calls a generator function that does something when it is closed."""
    if not isinstance(node, ast.Call):
        return False
    function = t.known_object(node.func)
    if isinstance(function, types.FunctionType) and is_generator_code(function.__code__):
        return has_cleanup(text_of(function).tree)
    scope: Scope | None = t.scope
    while scope is not None and isinstance(node.func, ast.Name):
        child = scope.functions().get(node.func.id)
        if child is not None:
            return has_cleanup(child.node)
        scope = scope.parent
    return isinstance(node.func, ast.Attribute) and _methods_clean(t, node.func.attr)


def _methods_clean(t: FunctionContext, name: str) -> bool:
    """Return whether all methods of a name make generators, of which some do something when closed."""
    members = [member_of(cls, name) for cls in t.program.classes]
    found = [member for member in members if member is not None]
    functions = [each for each in found if isinstance(each, types.FunctionType)]
    if len(functions) < len(found) or not all(is_generator_code(each.__code__) for each in functions):
        return False
    return any(has_cleanup(text_of(each).tree) for each in functions)
