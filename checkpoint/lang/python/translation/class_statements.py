"""Translate the definition of a class within a function.

In: a class statement whose name has no other meaning, so that the class itself is known
(linking/local_classes.py). Out: the storing of the variables that its methods read, where these find them; a
test that the statement runs once, if a second class would not be like the first.
"""

from __future__ import annotations

import ast

from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.context.builder import UNBOUND, read_own_cell, write_own_cell
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Env
from checkpoint.lang.python.scopes.class_statements import Statement, name_of


def define(t: FunctionContext, node: Statement, env: Env, exits: Exits) -> Expr:
    """Translate the definition of a class, around what follows."""
    name, span = name_of(node), t.span(node)
    if name not in t.scope.classes:
        what = f"the class {name} inside a function, whose name is also bound or used elsewhere,"
        raise t.refuse(node, what, "define the class at module level")
    found = t.program.class_of(t, t.scope, name)
    rest = exits.next(env)
    for variable, cell in reversed(found.cells.items()):
        value = _held(t, variable, node, env)
        stored = write_own_cell(span, cell, value)
        rest = Let(span, t.fresh("unused"), stored, rest)
    once = t.program.made_once(t, name)
    if once:
        rest = Let(span, t.fresh("unused"), _first_time(t, node, name, once), rest)
    return rest


def statement(t: FunctionContext, node: ast.ClassDef, env: Env, exits: Exits) -> Expr:
    """Translate a class statement."""
    return define(t, node, env, exits)


def _held(t: FunctionContext, name: str, node: ast.AST, env: Env) -> Expr:
    """Return what a method finds under a name: the variable's cell, if it has one, else its value."""
    span, binding = t.span(node), env.get(name)
    if binding is None or not binding.core:
        return Const(span, UNBOUND)
    if binding.cell or binding.callee is None:
        return Var(span, binding.core)
    return t.program.as_value(binding.callee, span)


def _first_time(t: FunctionContext, node: ast.AST, name: str, cell: str) -> Expr:
    """Return the step that ends a run in which a class statement runs again."""
    span = t.span(node)
    done, marked = read_own_cell(span, cell), write_own_cell(span, cell, Const(span, True))
    what = f"the class {name}, which is defined a second time in one run,"
    advised = "define it at module level, and pass what its methods read"
    return If(span, done, t.refused(t.refuse(node, what, advised), node), marked)
