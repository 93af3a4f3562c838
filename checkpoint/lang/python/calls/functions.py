"""Translate nested functions and lambdas.

In: a definition among statements, or a lambda. Out: a letrec around the code that follows. All known
functions (scopes/scopes.py) of one statement list are bound together where the first of them is defined; a
variable that one of them uses and that is written later, or changed by one of them, is a parameter instead of
a capture.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from checkpoint.lang.core import Const, Expr, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.builder import prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Handler
from checkpoint.lang.python.context.meanings import (
    Binding,
    Callee,
    Env,
    Maker,
    defaulted,
    signature_of,
    variable,
)
from checkpoint.lang.python.control import handlers
from checkpoint.lang.python.control.joins import parameter
from checkpoint.lang.python.scopes.defaults import leading
from checkpoint.lang.python.scopes.scopes import FunctionNode, Scope


def define(t: FunctionContext, statements: list[ast.stmt], env: Env, exits: Exits) -> Expr:
    """Translate the definitions that begin a list of statements, around the rest of the list."""
    first = statements[0]
    assert isinstance(first, ast.FunctionDef)
    if t.program.is_outside(t, first.name, env):
        advised = "give it another name, and assign that to the global"
        raise t.refuse(first, f"a function with the name of a global, {first.name},", advised)
    run = leading(statements)
    if any(t.known.get(s.name) is t.scope.children[s] for s in (first, *run)):
        return _known(t, statements, env, exits)
    rest = statements[len(run) :]
    if first.decorator_list:
        run, rest = [first], statements[1:]
    return _escaping(t, run, env, replace(exits, next=lambda now: t.block(rest, now, exits)))


def with_defaults(
    t: FunctionContext,
    node: FunctionNode,
    env: Env,
    handler: Handler | None,
    rest: Callable[[dict[str, Maker]], Expr],
) -> Expr:
    """Evaluate the defaults of a function's parameters once, around `rest`; handler: for exceptions."""

    def each(left: list[tuple[str, ast.expr]], makers: dict[str, Maker]) -> Expr:
        if not left:
            return rest(makers)
        name, default = left[0]
        if isinstance(default, ast.Constant):
            return each(left[1:], {**makers, name: _maker_of_constant(default.value)})
        core, value = t.fresh(name), t.expr(default, env)
        following = each(left[1:], {**makers, name: variable(core)})
        return handlers.let_guarded(t, core, value, env, handler, following)

    return each(defaulted(node), {})


def _maker_of_constant(value: object) -> Maker:
    return lambda span: Const(span, value)


def _known(t: FunctionContext, statements: list[ast.stmt], env: Env, exits: Exits) -> Expr:
    """Bind all known functions of this list around the other statements."""
    nodes = [
        s for s in statements if isinstance(s, ast.FunctionDef) and t.known.get(s.name) is t.scope.children[s]
    ]
    rest = [s for s in statements if s not in nodes]
    span = t.span(nodes[0])
    writers: list[tuple[ast.FunctionDef, str, tuple[str, ...]]] = []

    def with_each(left: list[ast.FunctionDef], now: Env, names: dict[str, str]) -> Expr:
        if left:
            node = left[0]
            core = t.fresh(node.name)

            def add(makers: dict[str, Maker]) -> Expr:
                callee = _callee(t, t.scope.children[node], core, makers, env, nodes[0])
                bound = {**now, node.name: Binding(core, callee=callee)}
                _note_writer(t, node, callee, writers)
                return with_each(left[1:], bound, {**names, node.name: core})

            return with_defaults(t, node, env, exits.handler, add)
        bindings = [(names[node.name], _lambda(t, node, now)) for node in nodes]
        bindings += [(core, _lambda(t, node, now, written)) for node, core, written in writers]
        return Letrec(span, tuple(bindings), t.block(rest, now, exits))

    return with_each(nodes, env, {})


def _callee(
    t: FunctionContext, scope: Scope, core: str, makers: dict[str, Maker], env: Env, first: ast.FunctionDef
) -> Callee:
    made = t.scope.places[first]
    changed = {name for known in t.visible.values() for name in known.effects}

    def is_late(name: str) -> bool:
        written = t.scope.writes.get(name, ())
        return name in changed or (
            bool(written) and (name not in env or any(p.may_follow(made) for p in written))
        )

    used = {n for n in t.uses(scope) if n in t.scope.assigned or n in env}
    outs = tuple(sorted(t.effects(scope)))
    ins = tuple(sorted({n for n in used if is_late(n)} | set(outs)))
    name = f"{t.name}.<locals>.{scope.name}"
    guarded = bool(outs) and _is_near_try(t.scope)
    return Callee(name, variable(core), signature_of(scope.node, makers), ins, outs, guarded)


def _is_near_try(scope: Scope) -> bool:
    """Return whether the outermost enclosing function has a `try`, which may handle exceptions from here."""
    while scope.parent is not None:
        scope = scope.parent
    return any(isinstance(node, ast.Try | ast.With) for node in ast.walk(scope.node))


def _note_writer(
    t: FunctionContext,
    node: ast.FunctionDef,
    callee: Callee,
    writers: list[tuple[ast.FunctionDef, str, tuple[str, ...]]],
) -> None:
    """Add the procedure of a function that writes into arrays among its arguments and changes no variable."""
    written = () if callee.outs else t.program.written_by_nested(t, t.scope.children[node])
    if written:
        core = t.fresh(node.name)
        writers.append((node, core, written))
        t.program.note_writer(callee, replace(callee, make=variable(core), written=written))


def _lambda(t: FunctionContext, node: ast.FunctionDef, env: Env, written: tuple[str, ...] = ()) -> Lambda:
    """Return the procedure of a known function; written: the parameters that it returns, too."""
    callee = env[node.name].callee
    assert callee is not None
    around = dict(env)
    for name in callee.ins:
        old = around.get(name, Binding("", cell=name in t.cells, unbound=True))
        around[name] = replace(old, unbound=old.unbound or t.scope.may_lose_value(name))
    return t.nested(t.scope.children[node], around, callee.ins, callee.outs + written, callee.guarded)


def _escaping(t: FunctionContext, nodes: list[ast.FunctionDef], env: Env, exits: Exits) -> Expr:
    """Bind functions that are used as values, around what follows."""
    span = t.span(nodes[0])
    names = {node.name: t.fresh(node.name) for node in nodes}
    for node in nodes:
        _refuse_changes(t, t.scope.children[node])

    def bound(done: int, now: Env) -> Expr:
        if done < len(nodes):
            node = nodes[done]

            def add(makers: dict[str, Maker]) -> Expr:
                core = names[node.name]
                name = f"{t.name}.<locals>.{node.name}"
                callee = Callee(name, variable(core), signature_of(node, makers))
                return bound(done + 1, {**now, node.name: Binding(core, callee=callee)})

            return with_defaults(t, node, env, exits.handler, add)
        decorated = {n.name: env[n.name] for n in nodes if n.decorator_list and n.name in t.cells}
        lambdas = [t.nested(t.scope.children[node], {**now, **decorated}) for node in nodes]
        bindings = tuple(zip(names.values(), lambdas, strict=True))
        return Letrec(span, bindings, after(now))

    def after(now: Env) -> Expr:
        if nodes[0].decorator_list:
            return _decorated(t, nodes[0], env, now, exits)
        return _into_cells(t, nodes, env, now, exits)

    return bound(0, env)


def _decorated(t: FunctionContext, node: ast.FunctionDef, before: Env, env: Env, exits: Exits) -> Expr:
    """Bind the name of a definition to the result of its decorators; before: the bindings before it."""
    value = t.read(node.name, node, env)
    for decorator in reversed(node.decorator_list):
        value = t.program.apply(t, decorator, [value], env)
    plain = {k: v for k, v in env.items() if k != node.name}
    if node.name in t.cells:
        plain[node.name] = before[node.name]

    def use(result: Expr) -> Expr:
        return t.store(node.name, result, plain, exits.next)

    return use(value) if exits.handler is None else handlers.guard(t, value, env, exits.handler, use)


def _into_cells(
    t: FunctionContext, nodes: list[ast.FunctionDef], before: Env, env: Env, exits: Exits
) -> Expr:
    """Store the functions whose names are in cells there; before: the bindings before the definitions."""
    in_cells = list(dict.fromkeys([node.name for node in nodes if node.name in t.cells]))

    def store(left: list[str], now: Env) -> Expr:
        if not left:
            return exits.next(now)
        name, value = left[0], t.read(left[0], nodes[0], now)
        return t.store(name, value, {**now, name: before[name]}, lambda then: store(left[1:], then))

    return store(in_cells, env)


def _refuse_changes(t: FunctionContext, scope: Scope) -> None:
    """Refuse a function used as a value that changes a variable which is in no cell."""
    changed = sorted(t.effects(scope) - t.cells)
    if changed:
        names = ", ".join(changed)
        raise t.refuse(
            scope.node,
            f"{scope.name}, which changes {names} of the function around it and is used as a value,",
            "call it by its name only, or let it return what it changes",
        )


def escaping_lambda(t: FunctionContext, node: ast.Lambda, env: Env) -> Expr:
    """Return a lambda as a value."""
    scope = t.scope.children.get(node)
    if scope is None:
        scope = t.adopt(node)
    _refuse_changes(t, scope)

    def make(makers: dict[str, Maker]) -> Expr:
        lam = t.nested(scope, env)
        signature = signature_of(node, makers)
        if signature.is_plain:
            return lam
        core, span = t.fresh("lambda"), t.span(node)
        callee = Callee(str(lam.name), variable(core), signature)
        return Letrec(span, ((core, lam),), t.program.as_value(callee, span))

    return with_defaults(t, node, env, None, make)


def named_lambda(
    t: FunctionContext,
    node: ast.Lambda,
    name: str,
    env: Env,
    handler: Handler | None,
    rest: Callable[[str, Callee], Expr],
) -> Expr:
    """Return `rest` of the core variable and the function that a lambda in a variable is."""
    scope = t.scope.children.get(node) or t.adopt(node)
    _refuse_changes(t, scope)

    def make(makers: dict[str, Maker]) -> Expr:
        core = t.fresh(name)
        lam = t.nested(scope, env)
        callee = Callee(str(lam.name), variable(core), signature_of(node, makers))
        return Letrec(t.span(node), ((core, lam),), rest(core, callee))

    return with_defaults(t, node, env, handler, make)


# Functions that change variables


def changing_callee(node: ast.expr, env: Env) -> Callee | None:
    """Return the callee of a call that changes variables; None for all other expressions."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    binding = env.get(node.func.id)
    callee = None if binding is None else binding.callee
    return callee if callee is not None and callee.outs else None


def changing_call(
    t: FunctionContext, node: ast.expr, callee: Callee, target: str | None, env: Env, exits: Exits
) -> Expr:
    """Translate such a call: bind its result and the variables' new values around what follows."""
    assert isinstance(node, ast.Call)
    value, outcome, span = arrange.to_callee(t, callee, node, env), t.fresh("outcome"), t.span(node)

    def done(value: Expr, now: Env) -> Expr:
        return exits.next(now) if target is None else t.store(target, value, now, exits.next)

    def use(result: Expr) -> Expr:
        parts = [
            (name, Prim(span, "py.item", (Var(span, outcome), Const(span, i + 1))))
            for i, name in enumerate(callee.outs)
        ]

        def each(left: list[tuple[str, Expr]], now: Env) -> Expr:
            if not left:
                returned = prim(span, "py.item", Var(span, outcome), Const(span, 0))
                if callee.guarded:
                    return handlers.unwrap_outcome(t, returned, now, exits, span, lambda v: done(v, now))
                return done(returned, now)
            name, part = left[0]
            new = t.fresh(name)
            return Let(span, new, part, each(left[1:], {**now, name: parameter(t, name, new, now.get(name))}))

        return Let(span, outcome, result, each(list(parts), env))

    if exits.handler is None:
        return use(value)
    return handlers.guard(t, value, env, exits.handler, use)
