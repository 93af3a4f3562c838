"""Translate statements to expressions of the core: the code after a statement is nested inside its binding.

In: statements in normal form, the bindings at this point, and the continuations (Exits). Out: an expression
whose value is that of the function. Branches that meet again, after an `if` or a loop, call a *join*: a
procedure of the variables that they assign and that are live.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from checkpoint.ad.values import Unusable
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Lambda, Let, Var
from checkpoint.lang.python.calls import class_values, functions, iterators, partials
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.context.builder import UNBOUND, bind, make_error, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.meanings import Binding, Env, Reference
from checkpoint.lang.python.control import handlers, loops, matches
from checkpoint.lang.python.control.comprehensions import unassigned
from checkpoint.lang.python.control.handlers import evaluate
from checkpoint.lang.python.control.joins import join, may_end, written_in
from checkpoint.lang.python.normal.nodes import Change, Scoped, Yielded
from checkpoint.lang.python.scopes.imports import required_by
from checkpoint.lang.python.translation import changes, class_statements


def block(t: FunctionContext, statements: list[ast.stmt], env: Env, exits: Exits) -> Expr:
    """Translate a list of statements, then what follows it."""
    if not statements:
        return exits.next(env)
    first, rest = statements[0], statements[1:]
    resume = replace(exits, next=lambda now: t.block(rest, now, exits)) if rest else exits
    try:
        if first in t.refusals.nodes:
            raise t.refusals.nodes[first]
        if isinstance(first, ast.FunctionDef):
            return functions.define(t, statements, env, exits)
        found = STATEMENTS.get(type(first))
        if found is None:
            raise t.refuse(first, f"`{type(first).__name__}`", "write it in another way")
        return found(t, first, env, resume)
    except SourceError as error:
        refused = t.refused(error, first)
        return Let(refused.span, t.fresh("refused"), refused, resume.next(env))


def scoped(t: FunctionContext, node: Scoped, env: Env, exits: Exits) -> Expr:
    """Translate statements with variables of their own."""
    own = node.names
    before = {name: binding for name, binding in env.items() if name in own}
    as_free = unassigned(t, node, own, env) if node.as_function else {}
    inside = {**env, **as_free, **{name: Binding("", unbound=True, free=False) for name in own}}

    def restored(now: Env) -> Expr:
        after = {name: replace(now[name], free=None) for name in as_free}
        return exits.next({**{name: b for name, b in now.items() if name not in own}, **after, **before})

    return t.block(node.body, inside, replace(exits, next=restored))


def assign(t: FunctionContext, node: ast.Assign, env: Env, exits: Exits) -> Expr:
    """Translate an assignment to one target."""
    target = node.targets[0]
    if isinstance(target, ast.Attribute):
        return _to_attribute(t, target, node.value, env, exits)
    if not isinstance(target, ast.Name):
        raise t.refuse(target, "this target", "assign to a variable, an item or an attribute")
    name = target.id
    if name in t.scope.classes:
        return class_statements.define(t, t.scope.classes[name], env, exits)
    callee = functions.changing_callee(node.value, env)
    if callee is not None:
        return functions.changing_call(t, node.value, callee, name, env, exits)
    iterators.check_kept(t, name, node.value, env)
    named = partials.named_function(t, node.value, name, env, exits)
    if named is not None:
        return named
    return evaluate(t, node.value, env, exits, lambda value, resume: t.store(name, value, env, resume))


def type_alias(t: FunctionContext, node: Any, env: Env, exits: Exits) -> Expr:
    """Translate `type V = ...`: V is a name for annotations, which no run evaluates."""
    name = node.name.id
    error = t.refuse(node, f"{name} of a `type` statement, as a value,", "write the type itself")
    return t.store(name, Const(t.span(node), Unusable(name, lambda: error.message)), env, exits.next)


def _to_attribute(t: FunctionContext, target: ast.Attribute, value: ast.expr, env: Env, exits: Exits) -> Expr:
    """Translate an assignment to an attribute: the value is evaluated first."""
    known = t.program.reference(t, target.value, env)
    if isinstance(known, Reference):
        assigned = t.program.assign_attribute(known.value, target.attr, t.expr(value, env))
        if assigned is not None:
            return evaluate(t, target, env, exits, partial(_then, t, env), translated=assigned)
        holder = ast.unparse(target.value)
        what = f"assigning to {target.attr} of {holder}, which the function does not make itself,"
        raise t.refuse(target, what, "keep what changes in an object that the function makes")
    attribute = Attributes(t.program, t, target.attr, target)

    def change(v: list[Expr]) -> Expr:
        if class_values.is_named_as_class(target.value):
            return class_values.assign_to_any(
                t, t.expr(target.value, env), target.attr, v[0], attribute.assign, target
            )
        return attribute.assign(t.expr(target.value, env), v[0])

    changed = bind(t.program.names, [t.expr(value, env)], change)
    return evaluate(t, target, env, exits, partial(_then, t, env), translated=changed)


def _then(t: FunctionContext, env: Env, value: Expr, resume: Next) -> Expr:
    """Evaluate an expression for its effect before what follows."""
    return Let(value.span, t.fresh("unused"), value, resume(env))


def deleting(t: FunctionContext, node: ast.Delete, env: Env, exits: Exits) -> Expr:
    """Translate `del` of one variable; that of items is a Change."""
    target, span = node.targets[0], t.span(node)
    if isinstance(target, ast.Attribute):
        deleted = Attributes(t.program, t, target.attr, target).delete(t.expr(target.value, env))
        return evaluate(t, target, env, exits, partial(_then, t, env), translated=deleted)
    assert isinstance(target, ast.Name)
    if t.program.is_outside(t, target.id, env):
        return _delete_outside(t, target, env, exits)
    found = env.get(target.id, Binding("", unbound=True))
    if found.core and not found.unbound:
        return handlers.forget(t, target.id, env, exits.next, span)

    def use(value: Expr, resume: Next) -> Expr:
        return Let(span, t.fresh("unused"), value, handlers.forget(t, target.id, env, resume, span))

    return evaluate(t, target, env, exits, use, translated=t.read_local(target.id, found, span))


def _delete_outside(t: FunctionContext, target: ast.Name, env: Env, exits: Exits) -> Expr:
    """Translate `del` of a variable outside of the function, which must have a value."""
    t.program.note_deleted(t, target.id, t.span(target))

    def use(value: Expr, resume: Next) -> Expr:
        emptied = t.program.write_outside(t, target.id, Const(t.span(target), UNBOUND))
        return Let(value.span, t.fresh("unused"), value, _then(t, env, emptied, resume))

    return evaluate(t, target, env, exits, use, translated=t.read(target.id, target, env))


def expression(t: FunctionContext, node: ast.Expr, env: Env, exits: Exits) -> Expr:
    """Translate an expression statement. A name alone need not have a value."""
    if isinstance(node.value, ast.Name) and isinstance(t.meaning(node.value.id, env), Reference | str):
        return exits.next(env)
    callee = functions.changing_callee(node.value, env)
    if callee is not None:
        return functions.changing_call(t, node.value, callee, None, env, exits)

    return evaluate(t, node.value, env, exits, partial(_then, t, env))


def returning(t: FunctionContext, node: ast.Return, env: Env, exits: Exits) -> Expr:
    """Translate `return`."""
    if node.value is None:
        return exits.returns(Const(t.span(node), None), env)
    return evaluate(t, node.value, env, exits, lambda value, _: exits.returns(value, env))


def yielding(t: FunctionContext, node: Yielded, env: Env, exits: Exits) -> Expr:
    """Translate `yield`: return False, the value, and the function that runs what follows it."""
    span, sent, error = t.span(node), t.fresh("sent"), t.fresh("error")

    def use(value: Expr, resume: Next) -> Expr:
        if node.thrown is None:
            test = prim(span, "py.is", Var(span, error), Const(span, None))
            rest = t.store(node.result, Var(span, sent), env, resume)
            rest = If(span, test, rest, handlers.raise_value(t, Var(span, error), env, exits, span))
        else:
            thrown = node.thrown
            rest = t.store(
                node.result, Var(span, sent), env, lambda now: t.store(thrown, Var(span, error), now, resume)
            )
        follows = Lambda(span, (sent, error), rest, name=t.name, shown=True)
        return prim(span, "py.tuple", Const(span, False), value, follows)

    return evaluate(t, node.value, env, exits, use)


def raising(t: FunctionContext, node: ast.Raise, env: Env, exits: Exits) -> Expr:
    """Translate `raise`."""
    span = t.span(node)
    if node.exc is None:
        if exits.caught is None:
            raise t.refuse(node, "a bare `raise` outside of `except`", "name the exception")
        return handlers.raise_value(t, Var(span, exits.caught), env, exits, span)
    value = t.program.exception(t, node.exc, env)
    if node.cause is not None:
        value = prim(span, "py.raise-from", value, _cause(t, node.cause, env))
    return evaluate(
        t,
        node.exc,
        env,
        exits,
        lambda value, _: handlers.raise_value(t, value, env, exits, span),
        translated=value,
    )


def _cause(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Return what follows `from`: an exception, or None."""
    if isinstance(node, ast.Constant) and node.value is None:
        return Const(t.span(node), None)
    return t.program.exception(t, node, env, "py.cause-check")


def branch(t: FunctionContext, node: ast.If, env: Env, exits: Exits) -> Expr:
    """Translate `if`, with `elif` and `else`."""
    span = t.span(node.test)
    if isinstance(node.test, ast.Constant):
        return t.block(node.body if node.test.value else node.orelse, env, exits)
    written = written_in([*node.body, *node.orelse], t)

    def branches(resume: Next) -> Expr:
        inner = replace(exits, next=resume)

        def use(test: Expr, _: Next) -> Expr:
            return If(span, test, t.block(node.body, env, inner), t.block(node.orelse, env, inner))

        return evaluate(t, node.test, env, inner, use, translated=t.test(node.test, env))

    if may_end(node.body) and may_end(node.orelse):
        return join(t, written & t.live.after[node], env, exits.next, branches, span)
    return branches(exits.next)


def breaking(t: FunctionContext, node: ast.Break, env: Env, exits: Exits) -> Expr:
    """Translate `break`."""
    assert exits.breaks is not None
    return exits.breaks(env)


def continuing(t: FunctionContext, node: ast.Continue, env: Env, exits: Exits) -> Expr:
    """Translate `continue`."""
    assert exits.continues is not None
    return exits.continues(env)


def importing(t: FunctionContext, node: ast.Import | ast.ImportFrom, env: Env, exits: Exits) -> Expr:
    """Translate an import within a function."""
    for alias in node.names:
        error = t.program.import_error(t, required_by(node, alias))
        if error is not None:
            span = t.span(node)
            exception = make_error(span, type(error), Const(span, str(error)))
            return handlers.raise_value(t, exception, env, exits, span)
    return exits.next(env)


STATEMENTS: dict[type[ast.stmt], Callable[..., Expr]] = {
    ast.Assign: assign,
    ast.Expr: expression,
    ast.ClassDef: class_statements.statement,
    ast.Delete: deleting,
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
    Yielded: yielding,
    Scoped: scoped,
}
if sys.version_info >= (3, 12):
    STATEMENTS[ast.TypeAlias] = type_alias
