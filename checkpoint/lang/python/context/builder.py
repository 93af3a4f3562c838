"""Makers of core expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import OWN_CELL, Layout, Types
from checkpoint.ad.values import Symbol
from checkpoint.errors import Source, Span
from checkpoint.lang.core import Const, Expr, Handle, If, Let, Prim, Raise, Var

NOWHERE = Span(Source("<call>", ""), 0, 0)  # the place of expressions that are in no text of the user
UNBOUND = Symbol("%unbound")  # the value of a variable that is unassigned
NOT_IMPLEMENTED = Native(NotImplemented)  # what a method returns that leaves an operator to others
(HELD,) = OWN_CELL.names
FAILED = Layout(
    type("failed", (), {}), ("exception",)
)  # the record in which a guarded expression returns an exception


class Names:
    """The supply of core variables: unique within one program, and readable."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def fresh(self, name: str) -> str:
        return f"{name.replace('%', 't.').replace('<lambda>', 'lambda')}.{next(self._numbers)}"


def is_simple(expr: Expr) -> bool:
    """Return whether evaluating an expression has no effect and gives the same value at any time."""
    return isinstance(expr, Var | Const)


def copy_of(expr: Expr) -> Expr:
    """Return a new expression equal to a simple one, for another place in the program."""
    if isinstance(expr, Var):
        return Var(expr.span, expr.name)
    assert isinstance(expr, Const)
    return Const(expr.span, expr.value)


def bind(names: Names, values: Sequence[Expr], body: Callable[[list[Expr]], Expr], name: str = "%") -> Expr:
    """Return `body` of simple expressions for some values, which are evaluated before it in their order."""
    lets: list[tuple[str, Expr]] = []
    simple: list[Expr] = []
    for value in values:
        if is_simple(value):
            simple.append(value)
        else:
            lets.append((names.fresh(name), value))
            simple.append(Var(value.span, lets[-1][0]))
    result = body(simple)
    for variable, value in reversed(lets):
        result = Let(value.span, variable, value, result)
    return result


def prim(span: Span, op: str, *args: Expr) -> Expr:
    return Prim(span, op, args)


def const(span: Span, value: Any) -> Expr:
    return Const(span, value)


def own_cell(span: Span, held: Expr) -> Expr:
    """Return a new cell, which copies of functions that have captured it have of their own."""
    return Prim(span, "py.new", (Const(span, OWN_CELL), held))


def read_own_cell(span: Span, cell: str) -> Expr:
    return Prim(span, "py.attribute", (Var(span, cell), Const(span, HELD)))


def write_own_cell(span: Span, cell: str, value: Expr) -> Expr:
    return Prim(span, "py.set-attribute", (Var(span, cell), Const(span, HELD), value))


def instance(span: Span, value: Expr, *classes: type) -> Expr:
    return Prim(span, "py.instance", (value, Const(span, Types(classes))))


def make_error(span: Span, cls: type[BaseException], *args: Expr) -> Expr:
    """Return an exception as a value."""
    return Prim(span, "py.record", (Const(span, Layout(cls, ("args",))), Prim(span, "py.tuple", args)))


def raise_error(span: Span, cls: type[BaseException], message: str) -> Expr:
    return Raise(span, make_error(span, cls, Const(span, message)))


def both(span: Span, first: Expr, second: Expr) -> Expr:
    return If(span, first, second, Const(span, False))


def negated(span: Span, test: Expr) -> Expr:
    return If(span, test, Const(span, False), Const(span, True))


def union(names: Names, result: Expr, other: Expr) -> Expr:
    """Return a dictionary with the items of a mapping added."""

    def add(v: list[Expr]) -> Expr:
        span = other.span
        checked = prim(span, "py.mapping", copy_of(v[1]))
        mapping = If(span, instance(span, copy_of(v[1]), dict), copy_of(v[1]), checked)
        return prim(span, "py.merge", v[0], mapping)

    return bind(names, [result, other], add)


def without(
    names: Names,
    span: Span,
    value: Expr,
    error: type[BaseException],
    use: Callable[[Expr], Expr],
    otherwise: Expr,
) -> Expr:
    """Return `use` of a value; the other expression where evaluating it raises an exception of a class."""
    outcome, exception = names.fresh("outcome"), names.fresh("exception")
    caught = names.fresh("caught")
    failed = prim(span, "py.record", Const(span, FAILED), Var(span, exception))
    protected = Handle(span, value, exception, failed)
    raised = prim(span, "py.attribute", Var(span, outcome), Const(span, "exception"))
    matches = prim(span, "py.matches", Var(span, caught), Const(span, Types((error,))))
    again = Raise(span, Var(span, caught))
    handled = Let(span, caught, prim(span, "py.caught", raised), If(span, matches, otherwise, again))
    is_failed = instance(span, Var(span, outcome), FAILED.cls)
    return Let(span, outcome, protected, If(span, is_failed, handled, use(Var(span, outcome))))
