"""Translate loops to procedures that call themselves last.

In: `while` and `for` in normal form. Out: a procedure of the variables that the loop writes and that are live
at its header; that of a `for` also takes the position, and its items come from a plan (plans.py).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Var
from checkpoint.lang.python.context.builder import both, copy_of, instance, make_error, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.meanings import Env
from checkpoint.lang.python.control.handlers import evaluate, guard, raise_value
from checkpoint.lang.python.control.joins import current, join, parameter, written_in
from checkpoint.lang.python.control.plan import Loop, Plan
from checkpoint.lang.python.control.plans import counting_plan, make_plan
from checkpoint.lang.python.scopes.syntax import nodes_in, view_of, walk


def while_loop(t: FunctionContext, node: ast.While, env: Env, exits: Exits) -> Expr:
    """Translate a `while`, with its `else`."""
    span = t.span(node.test)
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

    def body(now: Env, repeat: Next, out: Next) -> Expr:
        inner = replace(exits, next=repeat, breaks=out, continues=repeat)
        if endless:
            return t.block(node.body, now, inner)

        def use(test: Expr, _: Next) -> Expr:
            end = t.block(node.orelse, now, replace(exits, next=out))
            return If(span, test, t.block(node.body, now, inner), end)

        return evaluate(t, node.test, now, inner, use, translated=t.test(node.test, now))

    exit_count = _breaks(node.body) + (not endless)
    return _loop(t, node, None, env, exits, body, exit_count)


@dataclass(frozen=True, eq=False, repr=False)
class Counter:
    """The position of a `for`.

    name: its core variable. start: its initial value. step: its increment.
    """

    name: str
    start: Expr
    step: int = 1

    def next(self, span: Span) -> Expr:
        """Return the next position."""
        return prim(span, "py.add", Var(span, self.name), Const(span, self.step))


def _loop(
    t: FunctionContext,
    node: ast.While | ast.For,
    counter: Counter | None,
    env: Env,
    exits: Exits,
    body: Callable[[Env, Next, Next], Expr],
    exit_count: int,
) -> Expr:
    """Return the procedure of a loop around its first call.

    counter: the position, an additional parameter. body: returns the body, given the variables, the
    continuation of an iteration and that of the loop. exit_count: how many places leave the loop.
    """
    span = t.span(node)
    written = written_in([node], t)
    carried = sorted(written & t.live.header[node])
    name = t.fresh("loop")

    def procedure(out: Next) -> Expr:
        params = {variable: t.fresh(variable) for variable in carried}
        inside = {**env, **{v: parameter(t, v, param, env.get(v)) for v, param in params.items()}}

        def repeat(now: Env) -> Expr:
            values = [current(t, now, v, span) for v in carried]
            return App(span, Var(span, name), (*([] if counter is None else [counter.next(span)]), *values))

        names = params.values() if counter is None else (counter.name, *params.values())
        lam = Lambda(span, tuple(names), body(inside, repeat, out), name=name)
        values = [current(t, env, v, span) for v in carried]
        first = (*([] if counter is None else [counter.start]), *values)
        return Letrec(span, ((name, lam),), App(span, Var(span, name), first))

    if exit_count > 1:
        return join(t, written & t.live.after[node], env, exits.next, procedure, span)
    return procedure(exits.next)


def _breaks(statements: list[ast.stmt]) -> int:
    """Return the number of `break`s that leave the loop with this body."""
    nodes = list(walk(statements, _is_part_of_loop))
    inner = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    return sum(isinstance(node, ast.Break) for node in nodes) + sum(_breaks(loop.orelse) for loop in inner)


def _is_part_of_loop(node: ast.AST) -> bool:
    """Return whether a `break` inside a node of a loop's body may leave that loop."""
    return isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
        node, ast.For | ast.While
    )


def for_loop(t: FunctionContext, node: ast.For, env: Env, exits: Exits) -> Expr:
    """Translate a `for`, with its `else`, as a loop over positions."""
    span = t.span(node)
    changing, loop = _changing(t, node), Loop(_changed_in_place(node, t), env)

    def with_plan(plan: Plan) -> Expr:
        position = t.fresh("i")
        counter = Counter(position, plan.start or Const(span, 0), plan.step)

        def body(now: Env, repeat: Next, out: Next) -> Expr:
            at, loop.env = Var(span, position), now
            inner = replace(exits, next=repeat, breaks=out, continues=repeat)
            end = t.block(node.orelse, now, replace(exits, next=out))
            into = bind_target(t, node.target, plan, at, now, inner, lambda e: t.block(node.body, e, inner))
            if exits.handler is None or not plan.raises:
                result: Expr = If(span, plan.more(at), into, end)
            else:
                more = plan.more(at)
                result = guard(t, more, now, exits.handler, lambda more: If(span, more, into, end))
            return result if changing is None else _unless_resized(t, changing, plan, now, exits, result)

        exit_count = _breaks(node.body) + 1
        return _loop(t, node, counter, env, exits, body, exit_count)

    found = counting_plan(t, node.iter, env, exits, with_plan)
    return make_plan(t, node.iter, env, exits, loop, with_plan) if found is None else found


def _changed_in_place(node: ast.For, t: FunctionContext) -> frozenset[str]:
    """Return the variables whose lists and dictionaries the body changes, but that it never assigns."""
    return frozenset(written_in(node.body, t) - _assigned(node))


def _assigned(node: ast.For) -> set[str]:
    inside = [each for statement in node.body for each in nodes_in(statement)]
    return {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _changing(t: FunctionContext, node: ast.For) -> str | None:
    """Return the variable that a loop iterates over and changes: `for k in d`, `for k, v in d.items()`."""
    view = view_of(node.iter)
    over = node.iter if view is None else view[0]
    changed = _changed_in_place(node, t) | (_changed_sets(node) - _assigned(node))
    return over.id if isinstance(over, ast.Name) and over.id in changed else None


def _changed_sets(node: ast.For) -> set[str]:
    """Return the variables whose sets the body changes by a method that lists and dictionaries lack."""
    found = set()
    for each in (each for statement in node.body for each in nodes_in(statement)):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                if method in ("add", "discard") or method.endswith("_update"):
                    found.add(name)
    return found


def _unless_resized(t: FunctionContext, name: str, plan: Plan, env: Env, exits: Exits, body: Expr) -> Expr:
    """Return the body; raise Python's error if the dictionary or set that is iterated over is resized."""
    span = body.span
    if plan.sequence is None or name not in env:
        return body
    value = env[name].core
    sizes = [prim(span, "py.len", Var(span, value)), prim(span, "py.len", copy_of(plan.sequence))]
    resized = both(span, instance(span, Var(span, value), dict, set), prim(span, "py.ne", *sizes))
    is_dict = instance(span, Var(span, value), dict)
    message = If(
        span, is_dict, *[Const(span, f"{x} changed size during iteration") for x in ("dictionary", "Set")]
    )
    error = make_error(span, RuntimeError, message)
    return If(span, resized, raise_value(t, error, env, exits, span), body)


def bind_target(
    t: FunctionContext, target: ast.expr, plan: Plan, position: Var, env: Env, exits: Exits, rest: Next
) -> Expr:
    """Bind the target of a loop, a name or a tuple of names, to an item."""
    span = position.span
    if isinstance(target, ast.Name):
        return t.store(target.id, plan.item(position), env, rest)
    assert isinstance(target, ast.Tuple)
    names = [part.id for part in target.elts if isinstance(part, ast.Name)]
    parts = plan.items(position) if not plan.whole else []
    if len(parts) == len(names):
        return _bind_each(t, names, parts, env, rest)
    item = t.fresh("item")
    unpacked = prim(span, "py.unpack", plan.item(position), Const(span, len(names)))
    parts = [prim(span, "py.item", Var(span, item), Const(span, i)) for i in range(len(names))]

    def use(value: Expr) -> Expr:
        return Let(span, item, value, _bind_each(t, names, parts, env, rest))

    return use(unpacked) if exits.handler is None else guard(t, unpacked, env, exits.handler, use)


def _bind_each(t: FunctionContext, names: list[str], parts: list[Expr], env: Env, rest: Next) -> Expr:
    if not names:
        return rest(env)
    return t.store(names[0], parts[0], env, lambda now: _bind_each(t, names[1:], parts[1:], now, rest))
