"""Translate `match`: the first case whose pattern matches and whose guard holds.

In: a `match` whose subject is a variable or constant. Out: nested `if`s. A pattern becomes tests of the
subject and of its items, and bindings for its names; the next case is a procedure, since several tests lead
to it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checkpoint.ad.containers import ITEMS
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Var
from checkpoint.lang.python.context.builder import bind, copy_of, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.meanings import Binding, Env
from checkpoint.lang.python.control.handlers import evaluate
from checkpoint.lang.python.control.joins import current, join, merge, written_in
from checkpoint.lang.python.library.standard import keyed
from checkpoint.lang.python.library.standard.keyed import KeyedDict
from checkpoint.lang.python.scopes.syntax import captures_of
from checkpoint.lang.python.source.members import base_of

Fail = Callable[[], Expr]


def translate(t: FunctionContext, node: ast.Match, env: Env, exits: Exits) -> Expr:
    """Translate a `match` statement."""
    span = t.span(node)
    written = written_in([node], t)

    def branches(resume: Next) -> Expr:
        return _cases(t, t.expr(node.subject, env), node.cases, env, replace(exits, next=resume))

    return join(t, written & t.live.after[node], env, exits.next, branches, span)


def _cases(t: FunctionContext, subject: Expr, cases: list[ast.match_case], env: Env, exits: Exits) -> Expr:
    """Return the first case that matches; if its guard fails, the variables of its pattern stay bound."""
    if not cases:
        return exits.next(env)
    case, span = cases[0], t.span(cases[0].pattern)
    name, names = t.fresh("case"), captures_of(case.pattern)
    left = sorted(set(names)) if case.guard is not None else []
    arriving: list[Env] = []

    def fail(now: Env) -> Expr:
        arriving.append(now)
        return App(span, Var(span, name), tuple([current(t, now, variable, span) for variable in left]))

    def then(now: Env) -> Expr:
        return _stored(t, [v for v in names if _CAPTURED + v in now], now, span, guarded_body)

    def guarded_body(now: Env) -> Expr:
        if case.guard is None:
            return t.block(case.body, now, exits)

        def use(test: Expr, _: Next) -> Expr:
            return If(span, test, t.block(case.body, now, exits), fail(now))

        return evaluate(t, case.guard, now, exits, use, translated=_guard(t, case.guard, now))

    def matched() -> Expr:
        return match_pattern(t, case.pattern, subject, env, then, lambda: fail(env))

    result = t.attempt(case.pattern, matched)
    params = {variable: t.fresh(variable) for variable in left}
    after = dict(env)
    for variable, param in params.items():
        after[variable] = merge(param, [now.get(variable) for now in arriving])
    rest = Lambda(span, tuple(params.values()), _cases(t, subject, cases[1:], after, exits), name=name)
    return Letrec(span, ((name, rest),), result)


def _guard(t: FunctionContext, guard: ast.expr, env: Env) -> Expr:
    """Return the test of a guard, which may not change variables."""
    if t.normal.has_effect(guard):
        advised = "move it into the body of the case, as an `if`"
        return t.refused(t.refuse(guard, "a guard that changes variables", advised), guard)
    return t.test(guard, env)


_WHOLE = frozenset((int, float, str, bytes, bool, tuple, list, dict))  # whose one pattern is of the object
_CAPTURED = "captured "  # the prefix of a variable's name for the value that the pattern has bound so far


def _stored(t: FunctionContext, names: list[str], env: Env, span: Span, rest: Next) -> Expr:
    """Assign the variables of a pattern that has matched, all at once."""
    if not names:
        return rest(env)
    now = {name: binding for name, binding in env.items() if name != _CAPTURED + names[0]}
    found = Var(span, env[_CAPTURED + names[0]].core)
    return t.store(names[0], found, now, lambda e: _stored(t, names[1:], e, span, rest))


def _found(t: FunctionContext, name: str, value: Expr, env: Env, rest: Next) -> Expr:
    new = t.fresh(name)
    return Let(value.span, new, value, rest({**env, _CAPTURED + name: Binding(new)}))


def match_pattern(
    t: FunctionContext, pattern: ast.pattern, subject: Expr, env: Env, then: Next, fail: Fail
) -> Expr:
    """Return `then` with the names that a pattern binds if it matches, else `fail`."""
    span = t.span(pattern)
    match pattern:
        case ast.MatchValue():
            test = t.program.operation(t, "py.eq", [copy_of(subject), t.expr(pattern.value, env)], pattern)
            return If(span, test, then(env), fail())
        case ast.MatchSingleton():
            return If(
                span, prim(span, "py.is", copy_of(subject), Const(span, pattern.value)), then(env), fail()
            )
        case ast.MatchAs():
            return _captured(t, pattern, subject, env, then, fail)
        case ast.MatchOr():
            return _either(t, pattern.patterns, subject, env, then, fail)
        case ast.MatchSequence():
            return _of_items(t, pattern, subject, lambda v: _sequence(t, pattern, v, env, then, fail))
        case ast.MatchClass():
            return _class(t, pattern, subject, env, then, fail)
        case ast.MatchMapping():
            return _of_items(t, pattern, subject, lambda v: _mapping(t, pattern, v, env, then, fail))
    raise t.refuse(pattern, "this pattern", "match constants, tuples, dictionaries and dataclasses")


def _of_items(t: FunctionContext, node: ast.pattern, subject: Expr, match: Callable[[Expr], Expr]) -> Expr:
    """Return the match of a subject, or of the dict or list that an object of a derived class is."""
    if not any(base_of(cls) for cls in t.program.classes):
        return match(subject)
    span = t.span(node)
    items = prim(span, "py.attribute", copy_of(subject), Const(span, ITEMS))
    held = If(span, prim(span, "py.is-derived", copy_of(subject)), items, copy_of(subject))
    return bind(t.program.names, [held], lambda v: match(v[0]), "subject")


def _captured(t: FunctionContext, node: ast.MatchAs, subject: Expr, env: Env, then: Next, fail: Fail) -> Expr:
    def bind(now: Env) -> Expr:
        return then(now) if node.name is None else _found(t, node.name, copy_of(subject), now, then)

    return bind(env) if node.pattern is None else match_pattern(t, node.pattern, subject, env, bind, fail)


def _either(
    t: FunctionContext, patterns: list[ast.pattern], subject: Expr, env: Env, then: Next, fail: Fail
) -> Expr:
    """Match alternatives; `then` is translated once for each."""
    if len(patterns) == 1:
        return match_pattern(t, patterns[0], subject, env, then, fail)
    return match_pattern(
        t, patterns[0], subject, env, then, lambda: _either(t, patterns[1:], subject, env, then, fail)
    )


def _sequence(
    t: FunctionContext, node: ast.MatchSequence, subject: Expr, env: Env, then: Next, fail: Fail
) -> Expr:
    span, parts = t.span(node), node.patterns
    stars = [i for i, part in enumerate(parts) if isinstance(part, ast.MatchStar)]
    count = Const(span, len(parts) - len(stars))
    length = prim(span, "py.len", copy_of(subject))
    enough = prim(span, "py.ge" if stars else "py.eq", length, count)
    inside = _parts(t, parts, 0, subject, env, then, fail)
    is_sequence = instance(span, copy_of(subject), tuple, list)
    return If(span, is_sequence, If(span, enough, inside, fail()), fail())


def _parts(
    t: FunctionContext,
    parts: list[ast.pattern],
    at: int,
    subject: Expr,
    env: Env,
    then: Next,
    fail: Fail,
) -> Expr:
    if at == len(parts):
        return then(env)
    part, span = parts[at], t.span(parts[at])

    def rest(now: Env) -> Expr:
        return _parts(t, parts, at + 1, subject, now, then, fail)

    starred = any(isinstance(p, ast.MatchStar) for p in parts[:at])
    if isinstance(part, ast.MatchStar):
        end = at + 1 - len(parts)
        bounds = [Const(span, at), Const(span, end if end else None), Const(span, None)]
        items = prim(span, "py.list-of", prim(span, "py.slice", copy_of(subject), *bounds))
        return rest(env) if part.name is None else _found(t, part.name, items, env, rest)
    item = prim(span, "py.item", copy_of(subject), Const(span, at - len(parts) if starred else at))
    return bind(t.program.names, [item], lambda v: match_pattern(t, part, v[0], env, rest, fail), "part")


def _mapping(
    t: FunctionContext, node: ast.MatchMapping, subject: Expr, env: Env, then: Next, fail: Fail
) -> Expr:
    """Match a dictionary that has some keys, and perhaps others."""
    span = t.span(node)
    pairs = list(zip(node.keys, node.patterns, strict=True))
    is_keyed = KeyedDict in t.program.classes

    def operation(op: str, *args: Expr) -> Expr:
        if not is_keyed:
            return prim(span, op, *args)
        if op == "py.without-keys":
            return t.call(t.program.library_function(keyed.without), list(args), {}, span)
        return t.program.operation(t, op, list(args), node)

    def rest(now: Env) -> Expr:
        if node.rest is None:
            return then(now)
        keys = prim(span, "py.tuple", *[t.expr(key, env) for key in node.keys])
        return _found(t, node.rest, operation("py.without-keys", copy_of(subject), keys), now, then)

    def value(at: int, now: Env) -> Expr:
        if at == len(pairs):
            return rest(now)
        key, pattern = pairs[at]
        item = operation("py.item", copy_of(subject), t.expr(key, env))

        def matched(v: list[Expr]) -> Expr:
            return match_pattern(t, pattern, v[0], now, lambda e: value(at + 1, e), fail)

        has = operation("py.contains", copy_of(subject), t.expr(key, env))
        return If(span, has, bind(t.program.names, [item], matched, "part"), fail())

    kinds = (dict, KeyedDict) if is_keyed else (dict,)
    return If(span, instance(span, copy_of(subject), *kinds), value(0, env), fail())


def _class(t: FunctionContext, node: ast.MatchClass, subject: Expr, env: Env, then: Next, fail: Fail) -> Expr:
    span = t.span(node)
    classes = t.program.classes_of(t, node.cls, env)
    names = [*getattr(classes[0], "__match_args__", ())[: len(node.patterns)], *node.kwd_attrs]
    patterns = [*node.patterns, *node.kwd_patterns]
    inside: Expr
    if classes[0] in _WHOLE and len(node.patterns) == 1:
        inside = match_pattern(t, node.patterns[0], subject, env, then, fail)
    elif len(names) < len(patterns):
        most = len(names) - len(node.kwd_attrs)
        counted = f"{most} positional sub-pattern{'' if most == 1 else 's'} ({len(node.patterns)} given)"
        inside = raise_error(span, TypeError, f"{classes[0].__name__}() accepts {counted}")
    else:
        inside = _attributes(t, list(zip(names, patterns, strict=True)), subject, env, then, fail, node)
    return If(span, instance(span, copy_of(subject), *classes), inside, fail())


def _attributes(
    t: FunctionContext,
    pairs: list[tuple[str, ast.pattern]],
    subject: Expr,
    env: Env,
    then: Next,
    fail: Fail,
    node: Any,
) -> Expr:
    if not pairs:
        return then(env)
    (name, pattern), more = pairs[0], pairs[1:]
    value = t.program.attribute(t, copy_of(subject), name, node)

    def rest(now: Env) -> Expr:
        return _attributes(t, more, subject, now, then, fail, node)

    return bind(t.program.names, [value], lambda v: match_pattern(t, pattern, v[0], env, rest, fail), name)
