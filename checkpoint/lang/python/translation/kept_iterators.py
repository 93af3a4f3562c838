"""Find iterators that a function keeps: those that one sees are no lists.

In: the text of a function. Out: whether it stores, returns or passes to a function of the user's what `map`,
`zip` and their kin return, or takes its items more than once. Then the program needs iterators as Python has
them, which make their items when they are taken, once. All others are taken at once and as a whole, by a
loop, a comprehension, a star or a function of Python's own, and may be lists.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import types
from collections.abc import Iterator
from typing import Any

from checkpoint.lang.python.calls.iterators import is_iterator, reads
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.scopes.syntax import COMPREHENSIONS, called_name, children_of, remembered, walk

_NAMES = frozenset(
    ("map", "filter", "zip", "enumerate", "reversed", "merge", "from_iterable", *dir(itertools))
)
_TAKING = frozenset(  # methods that take all items at once
    (
        *("join", "extend", "extendleft", "update", "fromkeys", "union", "intersection", "difference"),
        *("symmetric_difference", "issubset", "issuperset", "isdisjoint", "subtract", "writelines"),
        *("intersection_update", "difference_update", "symmetric_difference_update"),
    )
)
_LOOKING = frozenset(  # functions that do not take the items of an argument
    (
        *(builtins.print, builtins.repr, builtins.str, builtins.len, builtins.isinstance, builtins.type),
        *(builtins.bool, builtins.id, builtins.callable, builtins.hash, builtins.format),
    )
)
Parents = dict[ast.AST, ast.AST]


def keeps_iterators(t: FunctionContext) -> bool:
    """Return whether a function keeps an iterator; functions nested in it apart."""
    calls = _calls(t.scope.node)
    if not calls or tables.is_file_of_library(t.text.source.name):
        return False
    found = [node for node in calls if is_iterator(t.known_object(node.func))]
    parents = {child: node for node in _own(t.scope.node) for child in children_of(node)}
    return not all(_is_taken(t, node, parents) for node in found)


@remembered
def _calls(function: ast.AST) -> list[ast.Call]:
    """Return the calls in a function that may make iterators, by the names of what they call."""
    return [node for node in _own(function) if isinstance(node, ast.Call) and called_name(node) in _NAMES]


def _own(function: ast.AST) -> Iterator[ast.AST]:
    apart = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    return walk([function], lambda node: node is function or not isinstance(node, apart))


def _is_taken(t: FunctionContext, node: ast.expr, parents: Parents) -> bool:
    """Return whether all items of what an expression gives are taken once, at once."""
    if isinstance(node, ast.Call) and t.known_object(node.func) is itertools.groupby:
        return _is_taken_by_groups(t, node, parents)
    parent = parents.get(node)
    if isinstance(parent, ast.keyword):
        node, parent = parent, parents.get(parent)  # type: ignore[assignment]
    match parent:
        case ast.For() | ast.comprehension():
            return parent.iter is node
        case ast.Starred() | ast.YieldFrom():
            return True
        case ast.Call():
            return _takes(t, parent, parents)
        case ast.IfExp():
            return parent.test is not node and _is_taken(t, parent, parents)
        case ast.Compare():
            return node is not parent.left and isinstance(parent.ops[0], ast.In | ast.NotIn)
        case ast.Assign(targets=[target]):
            if isinstance(target, ast.Name):
                return _is_taken_later(t, target.id, parents)
            return isinstance(target, ast.Tuple | ast.List)
    return False


def _is_taken_later(t: FunctionContext, name: str, parents: Parents) -> bool:
    """Return whether the only use of a variable takes what it holds."""
    uses = [n for n in parents if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return len(uses) == reads(t, name) == 1 and _is_taken(t, uses[0], parents)


def _takes(t: FunctionContext, call: ast.Call, parents: Parents) -> bool:
    """Return whether a call takes all items of an argument at once, or makes an iterator of it."""
    function, known = call.func, t.known_object(call.func)
    if known is None:
        method = function.attr if isinstance(function, ast.Attribute) else ""
        return method in _TAKING and not t.program.has_method(method)
    if known is builtins.iter:
        return _is_taken(t, call, parents)
    if isinstance(known, types.FunctionType):
        return t.program.library_callee(known) is not None
    if isinstance(known, type):
        return not known.__flags__ & (1 << 9) or t.program.library_callee(known) is not None
    return not any(known is each for each in _LOOKING)


def _is_taken_by_groups(t: FunctionContext, node: ast.Call, parents: Parents) -> bool:
    """Return whether each group of a `groupby` is taken once, before the next one."""
    loop: Any = parents.get(node)
    if not isinstance(loop, ast.For | ast.comprehension) or loop.iter is not node:
        return False
    if not (isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2):
        return False
    group = loop.target.elts[1]
    if not isinstance(group, ast.Name):
        return False
    inside = loop.body if isinstance(loop, ast.For) else [parents[loop]]
    nodes = list(walk(inside, lambda each: not isinstance(each, ast.Lambda)))
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == group.id and isinstance(n.ctx, ast.Load)]
    again = [part for each in nodes if each is not parents.get(loop) for part in _repeated_in(each)]
    if len(uses) > 1 or any(use in ast.walk(part) for use in uses for part in again):
        return False
    return all(_is_taken(t, use, parents) for use in uses)


def _repeated_in(node: ast.AST) -> list[Any]:
    """Return the parts of a loop inside another one that run again."""
    if isinstance(node, ast.For | ast.While):
        return [*node.body, *([node.test] if isinstance(node, ast.While) else [])]
    if isinstance(node, COMPREHENSIONS):
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return [*parts, *node.generators[0].ifs, *node.generators[1:]]
    return []
