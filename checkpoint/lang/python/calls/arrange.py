"""Arrange the arguments of calls, at translation wherever the callee is known.

In: a call in normal form. Out: an application of a procedure to all its arguments in the order of its
parameters (those of `*args` as one tuple, those of `**kwargs` as one dictionary), or a primitive. callees.py
finds the callee.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from checkpoint.ad.record import Scalar, find
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, If, Let, Prim, Raise, Var
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, make_error, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Env, Signature
from checkpoint.lang.python.source import mismatch

_ANSWERS = frozenset(
    (
        *("py.truth", "py.contains", "py.is", "py.instance", "py.is-class", "py.matches", "py.callable"),
        "real?",
    )
)


def is_predicate(expr: Expr) -> bool:
    """Return whether the value of an expression is certainly a boolean."""
    if isinstance(expr, If):
        return is_predicate(expr.then) and is_predicate(expr.other)
    if isinstance(expr, Const):
        return type(expr.value) is bool
    if not isinstance(expr, Prim):
        return False
    record = find(expr.op)
    return expr.op in _ANSWERS or (isinstance(record, Scalar) and record.partials is None)


def arguments(
    t: FunctionContext, node: ast.Call, env: Env, translate: Callable[[ast.expr], Expr] | None = None
) -> Arguments:
    """Translate the arguments of a call; translate: for single arguments, if not as expressions."""
    found = Arguments()
    expr = translate or (lambda part: t.expr(part, env))
    for part in node.args:
        if isinstance(part, ast.Starred):
            op = "py.tuple-of" if len(node.args) == 1 else "py.tuple-of-star"
            value = t.program.operation(t, op, [t.expr(part.value, env)], part)
            found.star = value if found.star is None else prim(t.span(part), "py.add", found.star, value)
        elif found.star is not None:
            single = prim(t.span(part), "py.tuple", t.expr(part, env))
            found.star = prim(t.span(part), "py.add", found.star, single)
        else:
            found.positional.append(expr(part))
    for keyword in node.keywords:
        value = expr(keyword.value)
        if keyword.arg is not None:
            found.keywords[keyword.arg] = value
        elif found.mapping is None:
            found.mapping = t.program.mapping(t, value, keyword)
            found.before = len(found.keywords)
        else:
            raise t.refuse(keyword, "a second `**`", "merge the dictionaries first")
    return found


def to_callee(t: FunctionContext, callee: Callee, node: ast.Call, env: Env) -> Expr:
    """Call a function whose signature is known."""
    passed = arguments(t, node, env)
    return apply(t, callee, passed, node, lambda args: t.call(callee, args, env, t.span(node)))


def caller(t: CallContext, callee: Callee, span: Span) -> Callable[[list[Expr]], Expr]:
    """Return the maker of a call from its arranged arguments, for callees that change no variable."""
    return lambda args: t.call(callee, args, {}, span)


def to_method(t: CallContext, callee: Callee, args: Sequence[Expr], node: ast.AST) -> Expr:
    """Call a method with all its arguments, which are simple, the object first."""
    passed, make = Arguments(list(map(copy_of, args))), caller(t, callee, t.span(node))
    return t.attempt(node, lambda: apply(t, callee, passed, node, make))


def apply(
    t: CallContext, callee: Callee, passed: Arguments, node: ast.AST, make: Callable[[list[Expr]], Expr]
) -> Expr:
    """Return `make` of the arguments in the order of the parameters."""
    signature = callee.signature
    in_order = list(signature.names[len(passed.positional) :][: len(passed.keywords)]) == list(
        passed.keywords
    )
    simple = passed.star is None and passed.mapping is None
    if simple and (not passed.keywords or in_order):
        return _placed(t, callee, passed, node, make)
    return bind(
        t.program.names, passed.values, lambda v: _placed(t, callee, passed.like(v), node, make), "argument"
    )


def of_type(
    t: CallContext,
    callee: Callee,
    name: str,
    passed: Arguments,
    node: ast.AST,
    call: Callable[[list[Expr]], Expr],
) -> Expr:
    """Apply the library function of a method of Python's own types; passed: the object, then the arguments.

    Where the arguments do not fit the function, Python's error for an object without the method comes first.
    """
    if passed.star is not None or passed.mapping is not None or _fits(callee, passed):
        return apply(t, callee, passed, node, call)
    span = t.span(node)

    def checked(v: list[Expr]) -> Expr:
        check = prim(span, "py.check-method", copy_of(v[0]), const(span, name))
        return Let(span, t.fresh("unused"), check, apply(t, callee, passed.like(v), node, call))

    return bind(t.program.names, passed.values, checked, "argument")


def _fits(callee: Callee, passed: Arguments) -> bool:
    signature = callee.signature
    given = {*signature.positional[: len(passed.positional)], *passed.keywords, *signature.defaults}
    return _problem(callee, passed, len(passed.positional)) is None and given.issuperset(signature.named)


def _placed(
    t: CallContext, callee: Callee, passed: Arguments, node: ast.AST, make: Callable[[list[Expr]], Expr]
) -> Expr:
    if passed.star is not None:
        return _spread(t, callee, passed, node, make)
    signature, span = callee.signature, t.span(node)
    problem = _problem(callee, passed, len(passed.positional))
    if problem is not None:
        return fails(t, span, passed, problem)
    extra = passed.positional[len(signature.positional) :]
    by_name = signature.named[signature.positional_only :]
    table = dict(zip(signature.positional, passed.positional, strict=False))
    table.update({name: value for name, value in passed.keywords.items() if name in by_name})
    more = {name: value for name, value in passed.keywords.items() if name not in by_name}
    missing = [n for n in signature.named if n not in table and n not in signature.defaults]
    if missing and passed.mapping is None:
        return fails(t, span, passed, _missing(callee, missing))
    args = [table[n] if n in table else _absent(callee, n, passed.mapping, span) for n in signature.named]
    if signature.vararg is not None:
        args.append(prim(span, "py.tuple", *extra))
    if passed.mapping is None:
        return make(args if signature.kwarg is None else [*args, _with_keywords(prim(span, "py.dict"), more)])
    rest = t.fresh("keywords")
    found = _keywords_of(callee, len(passed.positional), passed, span)
    if signature.kwarg is not None:
        args.append(_spread_keywords(Var(span, rest), more, passed))
    return Let(span, rest, found, make(args))


def _problem(callee: Callee, passed: Arguments, count: int) -> str | None:
    """Return what is wrong with a call of `count` positional arguments; None if that is not known."""
    signature = callee.signature
    for name in passed.keywords:
        if name in signature.named[signature.positional_only :]:
            if name in signature.positional[:count]:
                return f"{callee.name}() got multiple values for argument {name!r}"
        elif signature.kwarg is None:
            return _unexpected(callee, name)
    if count > len(signature.positional) and signature.vararg is None:
        return _too_many(callee, count, passed)
    return None


def _with_keywords(result: Expr, more: dict[str, Expr]) -> Expr:
    for name, value in more.items():
        result = prim(result.span, "py.set", result, const(result.span, name), value)
    return result


def _spread_keywords(rest: Expr, named: dict[str, Expr], passed: Arguments) -> Expr:
    """Return the dictionary of `**kwargs`: of a mapping, and of what is named before and after it."""
    order = list(passed.keywords)
    before = {name: value for name, value in named.items() if order.index(name) < passed.before}
    after = {name: value for name, value in named.items() if name not in before}
    if before:
        rest = prim(rest.span, "py.merge", _with_keywords(prim(rest.span, "py.dict"), before), rest)
    return _with_keywords(rest, after)


def _keywords_of(callee: Callee, count: int, passed: Arguments, span: Span) -> Expr:
    """Return the items of `**mapping` that are no parameters, checked as Python does."""
    assert passed.mapping is not None
    signature = callee.signature
    by_name = signature.named[signature.positional_only :]
    texts = [
        callee.name,
        " ".join(signature.positional[signature.positional_only : count]),
        " ".join(passed.keywords),
        " ".join(by_name),
    ]
    takes_more = const(span, signature.kwarg is not None)
    return prim(span, "py.keywords", copy_of(passed.mapping), *[const(span, x) for x in texts], takes_more)


def _absent(callee: Callee, name: str, mapping: Expr | None, span: Span) -> Expr:
    """Return the argument for a parameter that the call does not name: from `**mapping`, or the default."""
    default = callee.signature.defaults.get(name)
    if mapping is None or name in callee.signature.positional[: callee.signature.positional_only]:
        return _fails_with(callee, name, span) if default is None else default(span)
    otherwise = _fails_with(callee, name, span) if default is None else default(span)
    is_there = prim(span, "py.contains", copy_of(mapping), const(span, name))
    return If(span, is_there, prim(span, "py.item", copy_of(mapping), const(span, name)), otherwise)


def _fails_with(callee: Callee, name: str, span: Span) -> Expr:
    return raise_error(span, TypeError, _missing(callee, [name]))


def _spread(
    t: CallContext, callee: Callee, passed: Arguments, node: ast.AST, make: Callable[[list[Expr]], Expr]
) -> Expr:
    """Arrange `f(*args)`, with as many arguments as the tuple has."""
    assert passed.star is not None
    span, signature, star = t.span(node), callee.signature, passed.star
    most = max(0, len(signature.positional) - len(passed.positional))
    last = (
        most if signature.vararg is not None else most + 1
    )  # more arguments than this are all treated alike

    def with_count(count: int) -> Expr:
        items = [prim(span, "py.item", copy_of(star), const(span, i)) for i in range(count)]
        keywords = {name: copy_of(value) for name, value in passed.keywords.items()}
        positional = [*map(copy_of, passed.positional), *items]
        full = Arguments(positional, None, keywords, passed.mapping, passed.before)
        if signature.vararg is None or count < most:
            return _placed(t, callee, full, node, make)
        bounds = (const(span, count), const(span, None), const(span, None))
        rest = prim(span, "py.slice", copy_of(star), *bounds)
        return _placed(t, callee, full, node, lambda args: make(_with_rest(signature, args, rest)))

    def choose(count: int) -> Expr:
        if count == last and signature.vararg is not None:
            return with_count(count)
        if count > last:
            return _too_many_in(t, callee, passed, span)
        length = prim(span, "py.len", copy_of(star))
        return If(span, prim(span, "py.eq", length, const(span, count)), with_count(count), choose(count + 1))

    return choose(0)


def _with_rest(signature: Signature, args: list[Expr], rest: Expr) -> list[Expr]:
    """Return the arguments, with the rest added to the tuple of the last positional ones."""
    at = len(signature.named)
    return [*args[:at], prim(rest.span, "py.add", args[at], rest), *args[at + 1 :]]


def _too_many_in(t: CallContext, callee: Callee, passed: Arguments, span: Span) -> Expr:
    """Raise the error for more arguments in `*args` than a function takes."""
    assert passed.star is not None
    here = len(passed.positional) + callee.implicit
    problem = _problem(callee, passed, len(callee.signature.positional))
    if problem is not None:
        return fails(t, span, passed, problem)
    total = prim(span, "py.add", prim(span, "py.len", copy_of(passed.star)), const(span, here))
    before, after = _too_many(callee, "%", passed).split("%")
    text = prim(span, "py.joined", const(span, before), prim(span, "py.str", total), const(span, after))
    return Raise(span, make_error(span, TypeError, text))


def without_arguments(callee: Callee, span: Span) -> Expr:
    """Call a function that needs no arguments."""
    signature = callee.signature
    args = [signature.defaults[name](span) for name in signature.named]
    if signature.vararg is not None:
        args.append(prim(span, "py.tuple"))
    if signature.kwarg is not None:
        args.append(prim(span, "py.dict"))
    return callee.applied(args, span)


def fails(t: CallContext, span: Span, passed: Arguments, message: str) -> Expr:
    """Evaluate the arguments of a call that Python refuses, then raise its error."""
    return bind(t.program.names, passed.values, lambda _: raise_error(span, TypeError, message))


def _unexpected(callee: Callee, name: str) -> str:
    if name in callee.signature.positional:
        return f"{callee.name}() got some positional-only arguments passed as keyword arguments: {name!r}"
    return f"{callee.name}() got an unexpected keyword argument {name!r}"


def _too_many(callee: Callee, count: int | str, passed: Arguments) -> str:
    signature, implicit = callee.signature, callee.implicit
    counted = count + implicit if isinstance(count, int) else count
    least, most = signature.required + implicit, len(signature.positional) + implicit
    keyword_only = sum(name in signature.keyword_only for name in passed.keywords)
    return mismatch.too_many(callee.name, least, most, counted, keyword_only)


def _missing(callee: Callee, names: list[str]) -> str:
    positional = [n for n in names if n in callee.signature.positional]
    kind = "positional" if positional else "keyword-only"
    return mismatch.missing(callee.name, positional or names, kind)


def collected(passed: Arguments, span: Span) -> tuple[Expr, Expr]:
    """Return the tuple of the arguments by position, and the dictionary of the keywords."""
    args = prim(span, "py.tuple", *passed.positional)
    if passed.star is not None:
        args = prim(span, "py.add", args, passed.star) if passed.positional else passed.star
    if passed.mapping is None:
        keywords = _with_keywords(prim(span, "py.dict"), passed.keywords)
    else:
        names = [const(span, text) for text in ("function", "", " ".join(passed.keywords), "")]
        more = prim(span, "py.keywords", passed.mapping, *names, const(span, True))
        keywords = _spread_keywords(more, passed.keywords, passed)
    return args, keywords


def by_count(
    t: CallContext, ops: Mapping[int, str], passed: Arguments, node: ast.AST, refusal: SourceError
) -> Expr:
    """Apply the primitive for the number of arguments that a call with stars turns out to have.

    ops: the primitives by the numbers of their operands. refusal: of all other calls.
    """
    span = t.span(node)

    def choose(v: list[Expr]) -> Expr:
        result = t.refused(refusal, node)
        for count, op in ops.items():
            args = [prim(span, "py.item", copy_of(v[0]), const(span, i)) for i in range(count)]
            test = prim(span, "py.eq", prim(span, "py.len", copy_of(v[0])), const(span, count))
            result = If(span, test, t.program.operation(t, op, args, node), result)
        return If(span, prim(span, "py.truth", copy_of(v[1])), t.refused(refusal, node), result)

    return bind(t.program.names, collected(passed, span), choose)


def to_value(t: CallContext, function: Expr, passed: Arguments, node: ast.AST) -> Expr:
    """Call a value."""
    return t.program.called(t, function, passed, node)
