"""Refuse iterators and views in variables where a list would behave differently.

In: an assignment of the result of `map`, `zip` and their kin, or of a dictionary's keys, values or items.
Out: nothing, or a SourceError. In Python an iterator is exhausted by its first use, and a view shows later
changes of its dictionary; here both are lists, so a variable may hold them only where this makes no
difference.
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
from checkpoint.lang.python.scopes.syntax import root_of, view_of

ITERATORS = frozenset(
    (
        *(builtins.map, builtins.filter, builtins.zip, builtins.enumerate, builtins.reversed),
        *(each for each in tables.FUNCTIONS if getattr(each, "__module__", None) == "itertools"),
        *(itertools.chain.from_iterable, heapq.merge),
    )
) - {itertools.tee}


def check_kept(t: FunctionContext, name: str, value: ast.expr, env: Env) -> None:
    """Refuse `name = value` for an iterator that is used twice, or a view of a dictionary that changes."""
    if not isinstance(value, ast.Call):
        return
    known = t.program.reference(t, value.func, env)
    if isinstance(known, Reference) and _is_iterator(known.value) and _reads(t, name) > 1:
        advice = f"make a list of it, {name} = list(...)"
        raise t.refuse(value, f"an iterator that is used more than once ({known.value.__name__})", advice)
    view = view_of(value)
    if view is not None and root_of(view[0]) in _changed_later(t, value):
        advice = f"make a list of it, {name} = list(...)"
        raise t.refuse(value, "a view of a dictionary that changes later", advice)


def _is_iterator(value: Any) -> bool:
    """Return whether calls of an object give iterators."""
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) and value in ITERATORS


def _reads(t: FunctionContext, name: str) -> int:
    """Return how often the function's text reads a variable."""
    names = [node for node in ast.walk(t.scope.node) if isinstance(node, ast.Name) and node.id == name]
    return sum(isinstance(node.ctx, ast.Load) for node in names)


def _changed_later(t: FunctionContext, value: ast.Call) -> set[str]:
    """Return the variables that are written after a place."""
    here = (value.lineno, value.col_offset)
    return {name for name, places in t.scope.writes.items() if any((p.line, p.column) > here for p in places)}
