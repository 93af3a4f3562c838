"""Translate `try` to the core's `handle`.

A `handle` encloses single expressions, never statements. So the statements of a `try` remain in tail
position: a loop inside it runs in constant memory, and the values of its variables are available where it
fails. An expression that raises passes its exception to the *handler*, a procedure of the exception and of
the variables that the `except` clauses may use, with their values at that moment.

`finally` is translated once for each path through it: the end of the body, return, break, continue, and an
exception.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from checkpoint.ad.containers import Types
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.python.context.builder import FAILED, UNBOUND, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Handler, Next
from checkpoint.lang.python.context.meanings import Binding, Env
from checkpoint.lang.python.control.joins import current, join, parameter, written_in


def guard(t: FunctionContext, value: Expr, env: Env, handler: Handler, use: Callable[[Expr], Expr]) -> Expr:
    """Return `use` of the value of an expression; if that raises, call the handler."""
    span = value.span
    outcome, exception = t.fresh("outcome"), t.fresh("exception")
    failed = Prim(span, "py.record", (Const(span, FAILED), Var(span, exception)))
    protected = Handle(span, value, exception, failed)
    error = prim(span, "py.attribute", Var(span, outcome), Const(span, "exception"))
    to_handler = call_handler(t, handler, error, env, span)
    is_failed = instance(span, Var(span, outcome), FAILED.cls)
    return Let(span, outcome, protected, If(span, is_failed, to_handler, use(Var(span, outcome))))


def let_guarded(
    t: FunctionContext, core: str, value: Expr, env: Env, handler: Handler | None, rest: Expr
) -> Expr:
    """Bind a core variable to the value of an expression around `rest`; if that raises, call the handler."""
    if handler is None or isinstance(value, Const | Var | Lambda):
        return Let(value.span, core, value, rest)
    return guard(t, value, env, handler, lambda result: Let(value.span, core, result, rest))


def evaluate(
    t: FunctionContext,
    node: ast.expr,
    env: Env,
    exits: Exits,
    use: Callable[[Expr, Next], Expr],
    translated: Expr | None = None,
) -> Expr:
    """Return `use` of the value of an expression and of the continuation; exceptions go to the handler.

    translated: the core expression of `node`, if it is not the plain translation.
    """
    value = t.expr(node, env) if translated is None else translated
    if exits.handler is None or isinstance(value, Const | Var | Lambda):
        return use(value, exits.next)
    return guard(t, value, env, exits.handler, lambda result: use(result, exits.next))


def unwrap_outcome(
    t: FunctionContext, outcome: Expr, env: Env, exits: Exits, span: Span, use: Callable[[Expr], Expr]
) -> Expr:
    """Return `use` of the result of a guarded function; an exception in it is raised here."""
    name = t.fresh("result")
    error = prim(span, "py.attribute", Var(span, name), Const(span, "exception"))
    is_failed = instance(span, Var(span, name), FAILED.cls)
    return Let(
        span,
        name,
        outcome,
        If(span, is_failed, raise_value(t, error, env, exits, span), use(Var(span, name))),
    )


def call_handler(t: FunctionContext, handler: Handler, exception: Expr, env: Env, span: Span) -> Expr:
    """Call a handler with the exception, and the current values of its variables."""
    values = [current(t, env, name, span) for name in handler.variables]
    return App(span, Var(span, handler.core), (exception, *values))


def raise_value(t: FunctionContext, value: Expr, env: Env, exits: Exits, span: Span) -> Expr:
    """Raise an exception: call the handler around, or leave the function."""
    if exits.handler is None:
        return Raise(span, value)
    return call_handler(t, exits.handler, value, env, span)


def try_statement(t: FunctionContext, node: ast.Try, env: Env, exits: Exits) -> Expr:
    """Translate a `try`, with or without `finally`."""
    if node.finalbody:
        return _with_finally(t, node, env, exits)
    return _with_handlers(t, node, env, exits)


def _with_handlers(t: FunctionContext, node: ast.Try, env: Env, exits: Exits) -> Expr:
    """Translate a `try` with `except` clauses and possibly `else`."""
    span = t.span(node)
    written = written_in([node], t)

    def branches(resume: Next) -> Expr:
        inner = replace(exits, next=resume)

        def clauses(now: Env, caught: str) -> Expr:
            return _clauses(t, node.handlers, now, caught, inner)

        def body(handler: Handler) -> Expr:
            inside = replace(inner, next=lambda now: t.block(node.orelse, now, inner), handler=handler)
            return t.block(node.body, env, inside)

        return with_handler(t, written, env, clauses, body, span)

    return join(t, written & t.live.after[node], env, exits.next, branches, span)


def with_handler(
    t: FunctionContext,
    written: frozenset[str],
    env: Env,
    clauses: Callable[[Env, str], Expr],
    body: Callable[[Handler], Expr],
    span: Span,
) -> Expr:
    """Return `body` inside the binding of a handler.

    The handler is a procedure that runs `clauses` on the exception and the variables at the time when it was
    raised.
    """
    names = tuple(sorted(written))
    handler = Handler(t.fresh("handler"), names)
    exception, caught = t.fresh("exception"), t.fresh("caught")
    params = {name: t.fresh(name) for name in names}
    now = {**env, **{name: parameter(t, name, param, env.get(name)) for name, param in params.items()}}
    result = Let(span, caught, prim(span, "py.caught", Var(span, exception)), clauses(now, caught))
    procedure = Lambda(span, (exception, *params.values()), result, name=handler.core)
    return Letrec(span, ((handler.core, procedure),), body(handler))


_NO_EXCEPTIONS = "catching classes that do not inherit from BaseException is not allowed"


def _clauses(
    t: FunctionContext, handlers: list[ast.ExceptHandler], env: Env, caught: str, exits: Exits
) -> Expr:
    """Run the first clause that matches the exception; if there is none, raise it again."""
    if not handlers:
        span = t.span(t.scope.node)
        return raise_value(t, Var(span, caught), env, exits, span)
    first, span = handlers[0], t.span(handlers[0])
    inner = replace(exits, caught=caught)
    if first.name:
        name = first.name
        unbinding = _unbinding(t, name, inner, span)
        body = t.store(name, Var(span, caught), env, lambda now: t.block(first.body, now, unbinding))
    else:
        body = t.block(first.body, env, inner)
    if first.type is None:
        return body

    def matching() -> Expr:
        assert first.type is not None
        classes = t.program.classes_of(t, first.type, env)
        if not all(issubclass(cls, BaseException) for cls in classes):
            return raise_error(span, TypeError, _NO_EXCEPTIONS)
        return prim(span, "py.matches", Var(span, caught), Const(span, Types(classes)))

    matches = t.attempt(first.type, matching)
    return If(span, matches, body, _clauses(t, handlers[1:], env, caught, exits))


def _unbinding(t: FunctionContext, name: str, exits: Exits, span: Span) -> Exits:
    """Return the exits of a clause `except ... as name`, on all of which the name becomes unbound."""

    def through(then: Next | None) -> Next | None:
        if then is None:
            return None
        resume = then

        return lambda now: forget(t, name, now, resume, span)

    following = through(exits.next)
    assert following is not None
    return replace(exits, next=following, breaks=through(exits.breaks), continues=through(exits.continues))


def forget(t: FunctionContext, name: str, env: Env, rest: Next, span: Span) -> Expr:
    """Take a variable's value away, around `rest`."""
    if name not in env or not env[name].cell:
        return rest({**env, name: Binding("", unbound=True)})

    def marked(now: Env) -> Expr:
        return rest({**now, name: replace(now[name], unbound=True)})

    return t.store(name, Const(span, UNBOUND), env, marked)


def _with_finally(t: FunctionContext, node: ast.Try, env: Env, exits: Exits) -> Expr:
    """Translate a `try` with `finally`, whose body runs on every path out."""
    span = t.span(node)
    written = written_in([node], t)
    inside = ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)
    t.live.after[inside] = t.live.after[node] | written

    def through(then: Next, base: Exits) -> Next:
        return lambda now: t.block(node.finalbody, now, replace(base, next=then))

    def returns(value: Expr, now: Env) -> Expr:
        kept = t.fresh("returned")
        last = through(lambda then: exits.returns(Var(value.span, kept), then), exits)
        return Let(value.span, kept, value, last(now))

    def branches(resume: Next) -> Expr:
        base = replace(exits, next=resume)

        def reraise(now: Env, caught: str) -> Expr:
            return through(lambda then: raise_value(t, Var(span, caught), then, base, span), base)(now)

        def body(handler: Handler) -> Expr:
            inner = replace(
                exits,
                next=through(resume, base),
                returns=returns,
                breaks=None if exits.breaks is None else through(exits.breaks, base),
                continues=None if exits.continues is None else through(exits.continues, base),
                handler=handler,
            )
            if node.handlers:
                return _with_handlers(t, inside, env, inner)
            return t.block(node.body, env, inner)

        return with_handler(t, written, env, reraise, body, span)

    return join(t, written & t.live.after[node], env, exits.next, branches, span)
