"""Plan the iterators of itertools that need not end: `count`, `cycle`, `repeat`, and a slice of anything.

In: a call of one of them after `in`, or as an argument of `zip`, `enumerate` or `islice` there. Out: its
plan. Anywhere else they are refused, or (with an end) lists: library/standard/iteration.py.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence

from checkpoint.lang.core import Const, Expr, Var
from checkpoint.lang.python.context.builder import bind, both, copy_of, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control.plan import Plan, once
from checkpoint.lang.python.scopes.syntax import has_star

Use = Callable[[Plan], Expr]
Inner = Callable[[ast.expr, Use], Expr]  # the plan of another iterable
# The classes, with the numbers of arguments with which they are planned.
KNOWN: dict[type, Sequence[int]] = {
    itertools.count: range(3),
    itertools.cycle: (1,),
    itertools.repeat: (1, 2),
    itertools.islice: (2, 3, 4),
}


def is_known(known: object, node: ast.Call) -> bool:
    """Return whether this module plans a call, which has no keywords and no stars."""
    return isinstance(known, type) and len(node.args) in KNOWN.get(known, ())


def is_within(t: FunctionContext, node: ast.Call, env: Env) -> bool:
    """Return whether an iterable is made, by `zip` and its kin, of an iterator that need not end."""
    known = t.program.reference(t, node.func, env)
    value = known.value if isinstance(known, Reference) else None
    if value in (itertools.islice, zip, enumerate) and not has_star(node):
        return any(isinstance(part, ast.Call) and is_within(t, part, env) for part in node.args)
    return value in (itertools.count, itertools.cycle) or (value is itertools.repeat and len(node.args) == 1)


def make_plan(
    t: FunctionContext, node: ast.Call, known: object, env: Env, exits: Exits, inner: Inner, use: Use
) -> Expr:
    """Return `use` of the plan of a call, inside the bindings of what is evaluated once."""
    if known is itertools.islice:
        return inner(node.args[0], lambda plan: _slice(t, node, plan, env, exits, use))
    values = [t.expr(part, env) for part in node.args]
    if known is itertools.count:
        return _count(t, node, values, env, exits, use)
    if known is itertools.cycle:
        return _cycle(t, node, values[0], env, exits, use)
    return _repeat(t, node, values, env, exits, use)


def _count(t: FunctionContext, node: ast.Call, values: list[Expr], env: Env, exits: Exits, use: Use) -> Expr:
    """Plan `count(start, step)` of integers; of reals, Python adds the step each time."""
    span = t.span(node)
    bounds = [*values, *[Const(span, default) for default in (0, 1)[len(values) :]]]
    checked = [prim(span, "py.standard", Const(span, "itertools.count"), value) for value in bounds]

    def counting(start: Var, step: Var) -> Expr:
        def items(i: Expr) -> list[Expr]:
            far = prim(span, "py.mul", copy_of(i), copy_of(step))
            return [prim(span, "py.add", copy_of(start), far)]

        return use(Plan(lambda _: Const(span, True), items))

    return once(
        t,
        checked[0],
        "start",
        env,
        exits,
        lambda start: once(t, checked[1], "step", env, exits, lambda step: counting(start, step)),
    )


def _cycle(t: FunctionContext, node: ast.Call, value: Expr, env: Env, exits: Exits, use: Use) -> Expr:
    span = t.span(node)

    def over(items: Var) -> Expr:
        def length() -> Expr:
            return prim(span, "py.len", copy_of(items))

        return use(
            Plan(
                lambda _: prim(span, "py.lt", Const(span, 0), length()),
                lambda i: [prim(span, "py.item", copy_of(items), prim(span, "py.mod", copy_of(i), length()))],
            )
        )

    return once(t, prim(span, "py.tuple-of", value), "items", env, exits, over)


def _repeat(t: FunctionContext, node: ast.Call, values: list[Expr], env: Env, exits: Exits, use: Use) -> Expr:
    span = t.span(node)

    def endlessly(item: Var) -> Expr:
        return use(Plan(lambda _: Const(span, True), lambda _: [copy_of(item)]))

    def repeated(item: Var, times: Var) -> Expr:
        return use(Plan(lambda i: prim(span, "py.lt", copy_of(i), copy_of(times)), lambda _: [copy_of(item)]))

    def with_item(item: Var) -> Expr:
        if len(values) == 1:
            return endlessly(item)
        times = prim(span, "py.index", values[1])
        return once(t, times, "times", env, exits, lambda count: repeated(item, count))

    return once(t, values[0], "item", env, exits, with_item)


def _slice(t: FunctionContext, node: ast.Call, plan: Plan, env: Env, exits: Exits, use: Use) -> Expr:
    """Plan `islice(iterable, [start,] stop [, step])` on the plan of the iterable."""
    span = t.span(node)
    bounds = prim(span, "py.tuple", *[t.expr(part, env) for part in node.args[1:]])
    checked = prim(span, "py.standard", Const(span, "itertools.islice-bounds"), bounds)

    def sliced(found: Var) -> Expr:
        def bound(i: int) -> Expr:
            return prim(span, "py.item", copy_of(found), Const(span, i))

        def at_place(i: Expr, rest: Callable[[Expr], Expr]) -> Expr:
            place = prim(span, "py.add", bound(0), prim(span, "py.mul", copy_of(i), bound(2)))
            return bind(t.program.names, [place], lambda v: rest(v[0]), "place")

        def more(i: Expr) -> Expr:
            return at_place(
                i, lambda at: both(span, prim(span, "py.lt", copy_of(at), bound(1)), plan.more(copy_of(at)))
            )

        return use(Plan(more, lambda i: [at_place(i, plan.item)], raises=plan.raises))

    return once(t, checked, "bounds", env, exits, sliced)
