"""The plan of an iteration: a test whether there is an i-th item, and that item."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import EnumType
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Const, Expr, Let, Prim, Var
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control.handlers import guard


@dataclass(eq=False, repr=False)
class Loop:
    """The loop that a plan is for.

    changed: the variables whose objects the body changes in place. env: the bindings at the start of an
    iteration, set when the body is translated.
    """

    changed: frozenset[str]
    env: Env


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The iteration of a loop.

    more: returns the test for an i-th item. items: returns the item as one expression, or, unless `whole`,
    the parts of a tuple. raises: whether `more` may raise. start, step: the first position (0 if None) and
    the increment.
    sequence: what is iterated over; for a dictionary, its keys before the loop.
    """

    more: Callable[[Expr], Expr]
    items: Callable[[Expr], list[Expr]]
    whole: bool = True
    raises: bool = False
    start: Expr | None = None
    step: int = 1
    sequence: Var | None = None

    def item(self, position: Expr) -> Expr:
        """Return the i-th item as one value."""
        parts = self.items(position)
        return parts[0] if self.whole else Prim(parts[0].span, "py.tuple", tuple(parts))


def iterated(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Return what a loop goes through; of an enumeration that is named, the tuple of its members."""
    named = isinstance(node, ast.Name | ast.Attribute)
    known = t.program.reference(t, node, env) if named else None
    if not isinstance(known, Reference) or not isinstance(known.value, EnumType):
        return t.expr(node, env)
    t.program.note_class(known.value)
    members: list[Any] = list(known.value)
    return Prim(t.span(node), "py.tuple", tuple([Const(t.span(node), Native(member)) for member in members]))


def once(
    t: FunctionContext, value: Expr, name: str, env: Env, exits: Exits, rest: Callable[[Var], Expr]
) -> Expr:
    """Bind a core variable to a value around `rest`, guarded if a handler is around."""
    variable = t.fresh(name)

    def use(result: Expr) -> Expr:
        return Let(value.span, variable, result, rest(Var(value.span, variable)))

    if exits.handler is None or isinstance(value, Const | Var):
        return use(value)
    return guard(t, value, env, exits.handler, use)
