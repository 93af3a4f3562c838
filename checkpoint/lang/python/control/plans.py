"""Plan the iteration of a `for`: a *plan* tests whether there is an i-th item, and gives the item.

In: the expression after `in`. Out: the expressions that are evaluated once, around the loop, which receives
the plan. `enumerate`, `zip`, `reversed` and `d.items()` are plans made of plans, so that no tuple is built
where the target unpacks it; the positions of a `range` from a start by a known step are its items.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable

from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.context.builder import bind, both, copy_of, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits
from checkpoint.lang.python.context.meanings import Env
from checkpoint.lang.python.control import endless
from checkpoint.lang.python.control.plan import Loop, Plan, iterated, once
from checkpoint.lang.python.library.standard.lazy import reversible, reversible_also_objects
from checkpoint.lang.python.scopes.syntax import has_star, view_of


def counting_plan(
    t: FunctionContext, node: ast.expr, env: Env, exits: Exits, use: Callable[[Plan], Expr]
) -> Expr | None:
    """Plan a `range` from a start by a constant step, whose positions are its items; None for all others."""
    if _known_callee(t, node, env) is not range:
        return None
    assert isinstance(node, ast.Call)
    step = node.args[2] if len(node.args) == 3 else ast.Constant(1)
    if len(node.args) not in (2, 3) or node.keywords or has_star(node):
        return None
    match step:
        case ast.Constant(value=int(by)) if by:
            pass
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(size))) if size:
            by = -size
        case _:
            return None
    span = t.span(node)
    start, end = [prim(span, "py.index", t.expr(bound, env)) for bound in node.args[:2]]
    compare = "py.lt" if by > 0 else "py.gt"

    def between(first: Var, last: Var) -> Expr:
        def more(i: Expr) -> Expr:
            return prim(span, compare, copy_of(i), copy_of(last))

        return use(Plan(more, lambda i: [copy_of(i)], start=first, step=by))

    return once(
        t, start, "start", env, exits, lambda a: once(t, end, "end", env, exits, lambda b: between(a, b))
    )


def make_plan(
    t: FunctionContext,
    node: ast.expr,
    env: Env,
    exits: Exits,
    loop: Loop,
    use: Callable[[Plan], Expr],
) -> Expr:
    """Return `use` of the plan of an iterable, inside the bindings of what is evaluated once."""
    known = _known_callee(t, node, env)
    if isinstance(node, ast.Call) and known is zip and _is_strict(node) is not None:
        return _zip(t, node, node.args, [], env, exits, loop, use)
    if isinstance(node, ast.Call) and not node.keywords and not has_star(node):
        if known is range and 1 <= len(node.args) <= 3:
            return _range(t, node, env, exits, use)
        if known is enumerate and 1 <= len(node.args) <= 2:
            return _enumerate(t, node, env, exits, loop, use)
        if known is zip and node.args:
            return _zip(t, node, node.args, [], env, exits, loop, use)
        if known is reversed and len(node.args) == 1:
            return _reversed(t, node, env, exits, loop, use)
        if endless.is_known(known, node) and not _is_taken_in_turn(t, known):
            return endless.make_plan(
                t, node, known, env, exits, lambda part, use: make_plan(t, part, env, exits, loop, use), use
            )
    view = view_of(node)
    if view is not None and not t.program.has_method(view[1]):
        return _view(t, node, view, env, exits, loop, use)

    def over(value: Var) -> Expr:
        return use(_indexed(value, _current_sequence(t, node, loop, value)))

    if t.program.has_iterators():
        return _iterated(t, node, env, exits, use)
    return once(t, _sequence(t, node, env), "sequence", env, exits, over)


def _is_taken_in_turn(t: FunctionContext, known: object) -> bool:
    """Return whether a slice or cycle may be of an iterator, which has no positions."""
    if known not in (itertools.islice, itertools.cycle) or not t.program.has_iterators():
        return False
    t.program.note_generators()
    return True


def _iterated(
    t: FunctionContext, node: ast.expr, env: Env, exits: Exits, use: Callable[[Plan], Expr]
) -> Expr:
    """Plan a value that may be an iterator of the program's classes."""
    started = t.program.start(t, iterated(t, node, env), node)
    return _maybe_iterator(t, node, started, env, exits, _indexed, use)


def _maybe_iterator(
    t: FunctionContext,
    node: ast.expr,
    started: Expr,
    env: Env,
    exits: Exits,
    in_sequence: Callable[[Var], Plan],
    use: Callable[[Plan], Expr],
) -> Expr:
    """Plan an iterator of the program's classes, whose current item a cell holds, or else a sequence."""
    span = t.span(node)
    cell = Var(span, t.fresh("item"))

    def over(source: Var) -> Expr:
        plan = in_sequence(source)

        def more(i: Expr) -> Expr:
            found = t.program.advance(t, source, cell, node)
            return If(span, t.program.is_iterator(t, source, node), found, plan.more(i))

        def items(i: Expr) -> list[Expr]:
            held = prim(span, "py.item", copy_of(cell), Const(span, 0))
            return [If(span, t.program.is_iterator(t, source, node), held, plan.item(i))]

        return use(Plan(more, items, raises=True, sequence=plan.sequence))

    empty = prim(span, "py.list", Const(span, None))
    return Let(span, cell.name, empty, once(t, started, "sequence", env, exits, over))


def _current_sequence(t: FunctionContext, node: ast.expr, loop: Loop, first: Var) -> Callable[[], Expr]:
    """Return the sequence at each iteration: the first one, or the list that the variable holds by then."""
    if not isinstance(node, ast.Name) or node.id not in loop.changed:
        return lambda: copy_of(first)
    name = node.id

    def now() -> Expr:
        def choose(v: list[Expr]) -> Expr:
            return If(first.span, instance(first.span, v[0], list), copy_of(v[0]), copy_of(first))

        return bind(t.program.names, [t.read(name, node, loop.env)], choose)

    return now


def _known_callee(t: FunctionContext, node: ast.expr, env: Env) -> object:
    if not isinstance(node, ast.Call):
        return None
    found = t.program.reference(t, node.func, env)
    return None if found is None or isinstance(found, str) else found.value


def _sequence(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    return t.program.operation(t, "py.sequence", [iterated(t, node, env)], node)


def _indexed(value: Var, now: Callable[[], Expr] | None = None) -> Plan:
    """Plan the items of a sequence; its length is read each time, since the sequence may grow."""
    span = value.span
    sequence = now or (lambda: copy_of(value))
    return Plan(
        lambda i: prim(span, "py.lt", copy_of(i), prim(span, "py.len", sequence())),
        lambda i: [prim(span, "py.item", sequence(), copy_of(i))],
        sequence=value,
    )


def _range(t: FunctionContext, node: ast.Call, env: Env, exits: Exits, use: Callable[[Plan], Expr]) -> Expr:
    span = t.span(node)
    if len(node.args) == 1:

        def upto(end: Var) -> Expr:
            return use(Plan(lambda i: prim(span, "py.lt", copy_of(i), copy_of(end)), lambda i: [copy_of(i)]))

        return once(t, prim(span, "py.index", t.expr(node.args[0], env)), "end", env, exits, upto)
    bounds = [t.expr(argument, env) for argument in node.args]
    if len(bounds) == 2:
        bounds.append(Const(span, 1))
    return once(t, prim(span, "py.range", *bounds), "range", env, exits, lambda v: use(_indexed(v)))


def _enumerate(
    t: FunctionContext,
    node: ast.Call,
    env: Env,
    exits: Exits,
    loop: Loop,
    use: Callable[[Plan], Expr],
) -> Expr:
    span = t.span(node)

    def counting_plan(plan: Plan) -> Expr:
        if len(node.args) == 1:
            return use(Plan(plan.more, lambda i: [copy_of(i), plan.item(i)], False, plan.raises))

        def shifted(start: Var) -> Expr:
            def items(i: Expr) -> list[Expr]:
                return [prim(span, "py.add", copy_of(start), copy_of(i)), plan.item(i)]

            return use(Plan(plan.more, items, False, plan.raises))

        return once(t, prim(span, "py.index", t.expr(node.args[1], env)), "start", env, exits, shifted)

    return make_plan(t, node.args[0], env, exits, loop, counting_plan)


def _zip(
    t: FunctionContext,
    node: ast.Call,
    rest: list[ast.expr],
    plans: list[Plan],
    env: Env,
    exits: Exits,
    loop: Loop,
    use: Callable[[Plan], Expr],
) -> Expr:
    if rest:
        return make_plan(
            t,
            rest[0],
            env,
            exits,
            loop,
            lambda p: _zip(t, node, rest[1:], [*plans, p], env, exits, loop, use),
        )
    span = t.span(node)

    def more(i: Expr) -> Expr:
        if _is_strict(node) and len(plans) > 1:
            return _strictly_more(plans, i, span)
        result = plans[-1].more(i)
        for plan in reversed(plans[:-1]):
            result = both(span, plan.more(i), result)
        return result

    raises = bool(_is_strict(node)) or any(plan.raises for plan in plans)
    return use(Plan(more, lambda i: [plan.item(i) for plan in plans], whole=False, raises=raises))


def _is_strict(node: ast.Call) -> bool | None:
    """Return what `zip(a, b, strict=...)` says; None for all other arguments than these."""
    if has_star(node) or len(node.keywords) != 1 or not node.args:
        return None
    value = node.keywords[0].value
    is_known = node.keywords[0].arg == "strict" and isinstance(value, ast.Constant)
    return value.value if is_known and isinstance(value.value, bool) else None  # type: ignore[attr-defined]


def _strictly_more(plans: list[Plan], i: Expr, span: Span) -> Expr:
    """Test that all have an i-th item or none has; otherwise raise Python's error."""
    yes: Expr = Const(span, True)
    no: Expr = Const(span, False)
    for at in range(len(plans) - 1, 0, -1):
        others = "argument 1" if at == 1 else f"arguments 1-{at}"
        shorter = raise_error(span, ValueError, f"zip() argument {at + 1} is shorter than {others}")
        longer = raise_error(span, ValueError, f"zip() argument {at + 1} is longer than {others}")
        yes = If(span, plans[at].more(i), yes, shorter)
        no = If(span, plans[at].more(i), longer, no)
    return If(span, plans[0].more(i), yes, no)


def _reversed(
    t: FunctionContext,
    node: ast.Call,
    env: Env,
    exits: Exits,
    loop: Loop,
    use: Callable[[Plan], Expr],
) -> Expr:
    span, part = t.span(node), node.args[0]

    def from_the_end(value: Var) -> Plan:
        now = _current_sequence(t, part, loop, value)

        def items(i: Expr) -> list[Expr]:
            position = prim(span, "py.sub", Const(span, -1), copy_of(i))
            return [prim(span, "py.item", now(), position)]

        return Plan(_indexed(value, now).more, items)

    def planned(sequence: Expr) -> Expr:
        return once(t, sequence, "sequence", env, exits, lambda value: use(from_the_end(value)))

    if _known_callee(t, part, env) is not range:
        if t.program.has_method("__reversed__", "__getitem__"):
            found = t.call(
                t.program.library_function(reversible_also_objects), [iterated(t, part, env)], {}, span
            )
            return _maybe_iterator(t, node, found, env, exits, from_the_end, use)
        if t.program.has_generators:
            checked = t.call(t.program.library_function(reversible), [iterated(t, part, env)], {}, span)
            return planned(checked)
    return planned(_sequence(t, part, env))


def _view(
    t: FunctionContext,
    node: ast.expr,
    view: tuple[ast.expr, str],
    env: Env,
    exits: Exits,
    loop: Loop,
    use: Callable[[Plan], Expr],
) -> Expr:
    """Plan a dictionary's view: its keys are those before the loop, its values the current ones."""
    span, (base, kind) = t.span(node), view
    follows = isinstance(base, ast.Name) and base.id in loop.changed

    def with_dictionary(value: Var) -> Expr:
        def with_keys(keys: Var) -> Expr:
            def items(i: Expr) -> list[Expr]:
                key, same = [prim(span, "py.item", copy_of(keys), copy_of(i)) for _ in range(2)]
                now = t.expr(base, loop.env) if follows else copy_of(value)
                item = prim(span, "py.item", now, same)
                return {"keys": [key], "values": [item], "items": [key, item]}[kind]

            return use(Plan(_indexed(keys).more, items, whole=kind != "items", sequence=keys))

        return once(t, prim(span, "py.keys", copy_of(value)), "keys", env, exits, with_keys)

    return once(t, t.expr(base, env), "dictionary", env, exits, with_dictionary)
