"""Statements, to expressions of the core: what follows a statement is inside of what it binds.

In: statements in normal form, what their names mean, and how the list is left (Exits). Out: an expression
whose value is the function's. Ways that meet again (after an `if`, a loop) call a procedure of the
variables that were assigned on the way and are live: a *join*.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.python import changes, functions, handlers, loops, matches
from checkpoint.lang.python.builder import UNBOUND
from checkpoint.lang.python.meanings import Binding, Env
from checkpoint.lang.python.normal import Change
from checkpoint.lang.python.scopes import root_of

if TYPE_CHECKING:
    from checkpoint.lang.python.translator import Exits, Next, Translator


def block(t: Translator, statements: list[ast.stmt], env: Env, exits: Exits) -> Expr:
    """A list of statements, then what comes after it."""
    if not statements:
        return exits.next(env)
    first, rest = statements[0], statements[1:]
    go_on = replace(exits, next=lambda now: block(t, rest, now, exits)) if rest else exits
    if isinstance(first, ast.FunctionDef):
        return functions.define(t, statements, env, exits)
    found = STATEMENTS.get(type(first))
    if found is None:
        raise t.refuse(first, f"`{type(first).__name__}`", "write it in another way")
    return found(t, first, env, go_on)


def assign(t: Translator, node: ast.Assign, env: Env, exits: Exits) -> Expr:
    target = node.targets[0]
    if not isinstance(target, ast.Name):
        raise t.refuse(
            target, "assigning to an attribute", "objects cannot change here; make a new one (dataclasses.replace)"
        )
    name = target.id
    callee = functions.changing_callee(t, node.value, env)
    if callee is not None:
        return functions.changing_call(t, node.value, callee, name, env, exits)
    return evaluated(t, node.value, env, exits, lambda value, go_on: t.store(name, value, env, go_on))


def evaluated(
    t: Translator,
    node: ast.expr,
    env: Env,
    exits: Exits,
    use: Callable[[Expr, Next], Expr],
    translated: Expr | None = None,
) -> Expr:
    """`use` on the value of an expression, then what follows; what it raises goes to the handler."""
    value = t.expr(node, env) if translated is None else translated
    if exits.handler is None or isinstance(value, Const | Var | Lambda):
        return use(value, exits.next)
    return handlers.guarded(t, value, env, exits.handler, lambda result: use(result, exits.next))


def expression(t: Translator, node: ast.Expr, env: Env, exits: Exits) -> Expr:
    callee = functions.changing_callee(t, node.value, env)
    if callee is not None:
        return functions.changing_call(t, node.value, callee, None, env, exits)

    def use(value: Expr, go_on: Next) -> Expr:
        return Let(value.span, t.fresh("unused"), value, go_on(env))

    return evaluated(t, node.value, env, exits, use)


def returning(t: Translator, node: ast.Return, env: Env, exits: Exits) -> Expr:
    if node.value is None:
        return exits.returns(Const(t.span(node), None), env)
    return evaluated(t, node.value, env, exits, lambda value, _: exits.returns(value, env))


def raising(t: Translator, node: ast.Raise, env: Env, exits: Exits) -> Expr:
    span = t.span(node)
    if node.exc is None:
        if exits.caught is None:
            raise t.refuse(node, "a bare `raise` outside of `except`", "name the exception")
        return handlers.raised(t, Var(span, exits.caught), env, exits, span)
    value = t.linker.exception(t, node.exc, env)
    return evaluated(
        t, node.exc, env, exits, lambda value, _: handlers.raised(t, value, env, exits, span), translated=value
    )


def branch(t: Translator, node: ast.If, env: Env, exits: Exits) -> Expr:
    span = t.span(node.test)
    if isinstance(node.test, ast.Constant):
        return block(t, node.body if node.test.value else node.orelse, env, exits)
    written = written_in([*node.body, *node.orelse], t)

    def ways(go_on: Next) -> Expr:
        inner = replace(exits, next=go_on)

        def use(test: Expr, _: Next) -> Expr:
            return If(span, test, block(t, node.body, env, inner), block(t, node.orelse, env, inner))

        return evaluated(t, node.test, env, inner, use, translated=t.test(node.test, env))

    if may_end(node.body) and may_end(node.orelse):
        return join(t, written & t.live.after[node], env, exits.next, ways, span)
    return ways(exits.next)


def join(
    t: Translator, variables: Iterable[str], env: Env, rest: Next, ways: Callable[[Next], Expr], span: Span
) -> Expr:
    """Ways that meet: `ways` is given what to go on with, a call of the join."""
    names = sorted(variables)
    join_name = t.fresh("join")
    met: list[Env] = []

    def go_on(now: Env) -> Expr:
        met.append(now)
        return App(span, Var(span, join_name), tuple([current(t, now, name, span) for name in names]))

    body = ways(go_on)
    params = {name: t.fresh(name) for name in names}
    inside = dict(env)
    for name in names:
        inside[name] = merged(params[name], [now.get(name) for now in met])
    procedure = Lambda(span, tuple(params.values()), rest(inside), name=join_name)
    return Letrec(span, ((join_name, procedure),), body)


def current(t: Translator, env: Env, name: str, span: Span) -> Expr:
    """The core value of a variable as it is (its cell, if it has one)."""
    binding = env.get(name)
    if binding is not None and binding.callee is not None and not binding.callee.ins:
        return t.linker.as_value(t, binding.callee, span)
    return Const(span, UNBOUND) if binding is None or not binding.core else Var(span, binding.core)


def merged(core: str, bindings: list[Binding | None]) -> Binding:
    """The binding of a variable where ways meet."""
    unbound = any(b is None or b.unbound for b in bindings)
    cell = any(b is not None and b.cell for b in bindings)
    return Binding(core, cell=cell, unbound=unbound)


def may_end(statements: list[ast.stmt]) -> bool:
    """Whether the end of a list of statements can be reached."""
    if not statements:
        return True
    last = statements[-1]
    match last:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If():
            return may_end(last.body) or may_end(last.orelse)
    return True


def written_in(statements: Iterable[ast.AST], t: Translator) -> frozenset[str]:
    """The variables that statements may write, by calls of changing functions too."""
    found: set[str] = set()
    for statement in statements:
        for node in _within(statement):
            match node:
                case ast.Name(ctx=ast.Store()):
                    found.add(node.id)
                case Change():
                    found |= {name for name in (root_of(node.path), node.result) if name is not None}
                case ast.FunctionDef():
                    found.add(node.name)
                case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                    found |= {node.name} if node.name else set()
                case ast.Call(func=ast.Name()) if node.func.id in t.visible:
                    found |= t.visible[node.func.id].effects
    return frozenset(found)


def _within(statement: ast.AST) -> Iterable[ast.AST]:
    pending = [statement]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            continue
        pending.extend(ast.iter_child_nodes(node))


def breaking(t: Translator, node: ast.Break, env: Env, exits: Exits) -> Expr:
    assert exits.breaks is not None
    return exits.breaks(env)


def continuing(t: Translator, node: ast.Continue, env: Env, exits: Exits) -> Expr:
    assert exits.continues is not None
    return exits.continues(env)


def importing(t: Translator, node: ast.Import | ast.ImportFrom, env: Env, exits: Exits) -> Expr:
    return exits.next(env)


STATEMENTS: dict[type[ast.stmt], Callable[..., Expr]] = {
    ast.Assign: assign,
    ast.Expr: expression,
    ast.Return: returning,
    ast.Raise: raising,
    ast.If: branch,
    ast.While: loops.while_loop,
    ast.For: loops.for_loop,
    ast.Break: breaking,
    ast.Continue: continuing,
    ast.Try: handlers.try_statement,
    ast.Match: matches.translate,
    ast.Import: importing,
    ast.ImportFrom: importing,
    Change: changes.translate,
}

__all__ = ["Prim", "Raise", "block", "join"]
