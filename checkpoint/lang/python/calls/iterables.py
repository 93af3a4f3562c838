"""Translate iteration over objects of the program's classes: `__iter__` and `__next__`.

In: what a `for` iterates over, or an operand that a primitive takes apart. Out: the iterator and its next
item; or the operand itself, if it is no such object, and else the list of its items.
"""

from __future__ import annotations

import ast

from checkpoint.lang.core import Const, Expr, If, Let
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, both, copy_of, instance, negated, prim, without
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.iterables import TAKE_ELEMENTS, is_set, on_elements
from checkpoint.lang.python.context.meanings import Callee, Group
from checkpoint.lang.python.context.operations import BINARY, IN_PLACE
from checkpoint.lang.python.library import generators, sets
from checkpoint.lang.python.library.functions import spread
from checkpoint.lang.python.library.generators import generator
from checkpoint.lang.python.library.iterators import collected, first_items, items_by_index
from checkpoint.lang.python.source.members import found


def has_iterators(program: ProgramContext) -> bool:
    """Return whether objects of the program's classes can be iterated over."""
    return bool(program.groups("__iter__") or by_index(program))


def by_index(program: ProgramContext) -> list[Group]:
    """Return the classes whose objects are iterated over by `__getitem__` alone, derived ones first."""
    return [group for group in program.groups("__getitem__") if found(group.cls, "__iter__") is None]


def iterated(program: ProgramContext) -> list[Group]:
    """Return the classes whose objects can be iterated over, derived ones first."""
    return sorted(
        [*program.groups("__iter__"), *by_index(program)], key=lambda group: -len(group.cls.__mro__)
    )


def start(program: ProgramContext, t: CallContext, value: Expr, node: ast.AST) -> Expr:
    """Return what a loop over a value goes through: an iterator of the program's classes, or a sequence."""
    span = t.span(node)

    def choose(v: list[Expr]) -> Expr:
        result = on_elements(t, span, "py.sequence", [copy_of(v[0])])
        for group in reversed(iterated(program)):
            if "__iter__" in group.methods:
                made = _call(t, group.methods["__iter__"], v[0], node)
            else:
                made = t.call(program.library_function(items_by_index), [copy_of(v[0])], {}, span)
            result = If(span, instance(span, copy_of(v[0]), group.cls), made, result)
        return result

    return bind(program.names, [value], choose)


def is_iterator(program: ProgramContext, t: CallContext, source: Expr, node: ast.AST) -> Expr:
    """Return whether what `start` gave is an iterator of the program's classes."""
    span = t.span(node)
    return instance(span, copy_of(source), *[group.cls for group in program.groups("__next__")])


def advance(program: ProgramContext, t: CallContext, source: Expr, cell: Expr, node: ast.AST) -> Expr:
    """Store the next item in a cell; return whether there is one."""
    span = t.span(node)
    item: Expr = prim(span, "py.iterator", copy_of(source))
    for group in reversed(program.groups("__next__")):
        if group.cls is generator:
            continue
        made = _call(t, group.methods["__next__"], source, node)
        item = If(span, instance(span, copy_of(source), group.cls), made, item)

    def keep(found: Expr) -> Expr:
        done = prim(span, "py.set", copy_of(cell), Const(span, 0), found)
        return Let(span, program.names.fresh("unused"), done, Const(span, True))

    by_next = without(program.names, span, item, StopIteration, keep, Const(span, False))
    if not program.has_generators:
        return by_next
    run_on = t.call(program.library_function(generators.advance), [copy_of(source), copy_of(cell)], {}, span)
    return If(span, instance(span, copy_of(source), generator), run_on, by_next)


def operands(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> list[Expr]:
    """Return the operands of a primitive, with the list of the items of one that it takes apart."""
    at = TAKE_ELEMENTS.get(op)
    if at is None or at >= len(args) or not has_iterators(program):
        return args
    upto = args[1] if op == "py.unpack" else None
    return [taken_apart(program, t, x, node, upto) if i == at else x for i, x in enumerate(args)]


def taken_apart(
    program: ProgramContext, t: CallContext, value: Expr, node: ast.AST, upto: Expr | None = None
) -> Expr:
    """Return a value, or the list of its items if it is an object of the program's classes.

    upto: how many items there should be, a constant; no more than one after them is taken.
    """
    span = t.span(node)
    library = program.library_function(collected if upto is None else first_items)

    def choose(v: list[Expr]) -> Expr:
        result: Expr = copy_of(v[0])
        for group in reversed(iterated(program)):
            made = t.call(library, [copy_of(v[0]), *([] if upto is None else [copy_of(upto)])], {}, span)
            result = If(span, instance(span, copy_of(v[0]), group.cls), made, result)
        return result

    return bind(program.names, [value], choose)


def mapping(program: ProgramContext, t: CallContext, value: Expr, node: ast.AST) -> Expr:
    """Return a value that `**` spreads, or its dictionary if it is an object of the program's classes."""
    groups, span = program.groups("keys"), t.span(node)
    if not groups:
        return value

    def choose(v: list[Expr]) -> Expr:
        made = t.call(program.library_function(spread), [copy_of(v[0])], {}, span)
        return If(span, prim(span, "py.has-keys", copy_of(v[0])), made, copy_of(v[0]))

    return bind(program.names, [value], choose)


def _call(t: CallContext, callee: Callee, x: Expr, node: ast.AST) -> Expr:
    make = arrange.caller(t, callee, t.span(node))
    return t.attempt(node, lambda: arrange.apply(t, callee, Arguments([copy_of(x)]), node, make))


def of_sets(t: CallContext, op: str, operands: list[Expr], node: ast.AST) -> Expr:
    """Translate an operator whose first operand may be a set."""
    span, callee = t.span(node), t.program.library_callee(sets.OWN[op])
    reflecting = [group.cls for group in t.program.groups(f"__r{BINARY[IN_PLACE.get(op, op)][1]}__")]
    assert callee is not None

    def choose(v: list[Expr]) -> Expr:
        found = t.call(callee, list(map(copy_of, v)), {}, span)
        other = t.program.operation(t, op, list(map(copy_of, v)), node)
        test = is_set(copy_of(v[0]), span)
        if reflecting:  # an object beside a set, which leaves the operation to the object's method
            test = both(span, test, negated(span, instance(span, copy_of(v[1]), *reflecting)))
        return If(span, test, found, other)

    return bind(t.program.names, operands, choose)


def may_be_iterator(node: ast.AST) -> bool:
    """Return whether the second operand of an operator may be an iterator, by its form."""
    return isinstance(node, ast.BinOp) and isinstance(
        node.right, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.IfExp
    )
