"""Translate functions that are made with a known signature: `functools.partial`, and lambdas in variables.

In: a lambda, or `partial(f, ...)` where the signature of f is known. Out: a Callee, so that calls of the
variable that holds it can pass arguments by name and leave out defaults.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import replace

from checkpoint.errors import Span
from checkpoint.lang.core import Expr, Lambda, Letrec, Var
from checkpoint.lang.python.calls import arrange, functions
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Handler
from checkpoint.lang.python.context.meanings import Binding, Callee, Env, Reference, Signature, variable
from checkpoint.lang.python.control.handlers import let_guarded


def named_function(t: FunctionContext, node: ast.expr, name: str, env: Env, exits: Exits) -> Expr | None:
    """Translate `name = <function>` if the name has no other value; return None for all other assignments."""
    if len(t.scope.assigned.get(name, ())) != 1 or name in t.cells:
        return None

    def bound(core: str, callee: Callee) -> Expr:
        return exits.next({**env, name: Binding(core, callee=callee)})

    if isinstance(node, ast.Lambda):
        return functions.named_lambda(t, node, name, env, exits.handler, bound)
    if is_partial(t, node, env):
        assert isinstance(node, ast.Call)
        return with_partial(t, node, env, exits.handler, bound)
    return None


def is_partial(t: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Return whether an expression is `partial(f, ...)`."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    known = t.program.reference(t, node.func, env)
    return isinstance(known, Reference) and known.value is functools.partial


def value(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
    """Return `partial(f, ...)` as a value; None if the signature of f is not known."""
    return with_partial(t, node, env, None, lambda _, callee: t.program.as_value(callee, t.span(node)))


def with_partial(
    t: FunctionContext,
    node: ast.Call,
    env: Env,
    handler: Handler | None,
    rest: Callable[[str, Callee], Expr],
) -> Expr | None:
    """Return `rest` of the core variable and the function that `partial` makes.

    None if the signature of f is not known, or has no parameter of its own for an argument. handler: the
    target of exceptions from the arguments.
    """
    callee = _function(t, node.args[0], env)
    passed = arrange.arguments(
        t, ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node), env
    )
    if callee is None or not _fits(callee.signature, passed):
        return None
    span, values = t.span(node), passed.values
    names = [t.fresh("argument") for _ in values]
    kept = passed.like([Var(span, each) for each in names])
    signature = _remaining(callee.signature, kept)
    core = t.fresh("partial")
    implicit = callee.implicit + len(passed.positional)
    made = Callee(callee.name, variable(core), signature, implicit=implicit)
    params = {each: t.fresh(each) for each in signature.names}
    body = _call(t, callee, kept, params, node, span)
    lam = Lambda(span, tuple(params.values()), body, name=callee.name)
    result: Expr = Letrec(span, ((core, lam),), rest(core, made))
    for each, expr in reversed(list(zip(names, values, strict=True))):
        result = let_guarded(t, each, expr, env, handler, result)
    return result


def _function(t: FunctionContext, node: ast.expr, env: Env) -> Callee | None:
    binding = env.get(node.id) if isinstance(node, ast.Name) else None
    if binding is not None:
        known = binding.callee
        return known if known is not None and not (known.ins or known.outs) else None
    found = t.program.reference(t, node, env)
    return t.program.callee(found) if isinstance(found, Reference) else None


def _fits(signature: Signature, passed: Arguments) -> bool:
    """Return whether each argument is that of one parameter, which no later argument can be meant for.

    Without: those that `*args` or `**kwargs` takes, and those that no call of the function accepts.
    """
    if passed.star is not None or passed.mapping is not None:
        return False
    free = signature.positional[max(len(passed.positional), signature.positional_only) :]
    named = signature.keyword_only if signature.vararg is not None else (*free, *signature.keyword_only)
    return len(passed.positional) <= len(signature.positional) and set(passed.keywords) <= set(named)


def _remaining(signature: Signature, passed: Arguments) -> Signature:
    """Return the parameters that a partial function still takes; those bound by name become defaults."""
    named = passed.keywords
    rest = signature.positional[len(passed.positional) :]
    first = next((i for i, name in enumerate(rest) if name in named), len(rest))
    defaults = dict(signature.defaults)
    defaults.update({name: variable(e.name) for name, e in named.items() if isinstance(e, Var)})
    return replace(
        signature,
        positional=rest[:first],
        keyword_only=(*rest[first:], *signature.keyword_only),
        positional_only=max(0, signature.positional_only - len(passed.positional)),
        defaults=defaults,
    )


def _call(
    t: FunctionContext, callee: Callee, kept: Arguments, params: dict[str, str], node: ast.AST, span: Span
) -> Expr:
    """Return the body of a partial function: a call of the whole function."""
    first = dict(zip(callee.signature.positional, kept.positional, strict=False))
    args = [first[n] if n in first else Var(span, params[n]) for n in callee.signature.names]
    return callee.applied(args, span)
