"""Methods of tensors that change them in place, x.mul_(y): as the assignment x[...] = x.mul(y).

In: a call, and the expressions of its function. Out: the assignment among the statements before, and x as the
result. A class of the program that has a method of this name keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol

from checkpoint.lang.python.normal.nodes import Change, constant
from checkpoint.lang.python.scopes.syntax import DRAWING, DRAWN, FILLING, IN_PLACE, root_of


class Normal(Protocol):
    """What is needed of the normal form of a function's expressions (normal/expressions.py, Expressions)."""

    is_local: Callable[[str], bool]
    own_methods: frozenset[str]

    def path(self, target: ast.expr, out: list[ast.stmt]) -> ast.expr: ...
    def inserted(self, target: ast.expr, out: list[ast.stmt]) -> ast.expr: ...
    def pure(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr: ...
    def stable(self, value: ast.expr, out: list[ast.stmt]) -> ast.expr: ...


def is_in_place(of: Normal, node: ast.expr) -> bool:
    """Return whether an expression calls such a method of what a variable holds, or an expression returns."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner, name = node.func.value, node.func.attr
    if name not in IN_PLACE or name in of.own_methods:
        return False
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr == "detach":
        return False  # a copy here; to PyTorch it is the tensor itself, which would change
    return isinstance(owner, _NAMELESS) or of.is_local(str(root_of(owner)))


_NAMELESS = (ast.Call, ast.BinOp, ast.UnaryOp)  # what they return gets a name


def put(of: Normal, node: ast.Call, out: list[ast.stmt]) -> ast.expr:
    """Add the assignment that a call is to the statements `out`, and return the path of what changes."""
    function = node.func
    assert isinstance(function, ast.Attribute)
    owner, name = function.value, function.attr
    if isinstance(owner, ast.Call) and is_in_place(of, owner):
        path = put(of, owner, out)
    else:
        path = of.path(of.inserted(owner, out), out)
    if name == "zero_":
        value: ast.expr = constant(0.0, node)
    elif name in FILLING:
        value = of.pure(node.args[0], out)
    else:
        named = f"{DRAWN}{name}" if name in DRAWING else name.removesuffix("_")
        method = ast.copy_location(ast.Attribute(path, named, ast.Load()), function)
        value = of.pure(ast.copy_location(ast.Call(method, node.args, node.keywords), node), out)
    out.append(Change(path, "set", [constant(Ellipsis, node), of.stable(value, out)], None, node))
    return path
