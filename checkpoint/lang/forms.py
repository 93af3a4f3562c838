"""Desugar the special forms inside expressions to core (docs/design/language.md).

    (let ((a e) (b f)) body)      values in the outer scope, then nested lets, then patterns
    (let f ((a e)) body)          (letrec ((f (lambda (a) body))) (f e)), e in the outer scope
    (let* ((a e) ...) body)       nested lets, each pattern taken apart before the next value
    (cond (t e) ... (else d))     nested ifs; without else the last branch raises a string
    (and a b c)                   (if a (if b c #f) #f)
    (or a b c)                    (let ((truth a)) (if truth truth (let ((truth b)) ...)))
    (list a b), (cons* a b)       (cons a (cons b '())), (cons a b)
    (begin a b c)                 nested lets of names that nothing reads
    (case e ((inl x) a) ((inr y) b))
                                  lets of e as s and (tag-of s) as t, then (if (eq? t 'inl) A B), where A
                                  and B are (let ((x (untagged s))) a) and the same of y and b
    (reset e), (shift k e)        primitives of control (checkpoint.lang.control), of a tag and a lambda

What always holds: each form checks its own shape and leaves the scope as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from checkpoint.ad.values import Pair, Symbol
from checkpoint.errors import SourceError, Span
from checkpoint.lang.control import DEFAULT_TAG, RESET, SHIFT
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.deep import Task
from checkpoint.lang.expander import Expander, bad_form, named, quoted
from checkpoint.lang.patterns import match
from checkpoint.lang.reader import Datum, Form, Name

NO_CLAUSE = "no clause of this cond applies"


def procedure(
    x: Expander, span: Span, params: Sequence[Datum], body: Task[Expr], name: str | None
) -> Task[Lambda]:
    """Return a lambda; `body` is started after the parameters have come into scope."""
    matched = match(x, params)
    x.scope.enter(matched.bound)
    inner: Expr = yield body
    x.scope.leave(matched.bound)
    return Lambda(span, tuple(matched.wholes), matched.wrap(inner), name=name)


def parameters(params: Datum) -> tuple[Datum, ...]:
    """Return the patterns of a parameter list."""
    if isinstance(params, Form) and params.tail is None:
        return params.items
    raise SourceError("a procedure takes a fixed number of arguments; write (lambda (a b) body)", params.span)


def _lambda(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) < 2:
        raise bad_form(form, "lambda")
    result: Expr = yield procedure(x, form.span, parameters(form.items[1]), x.body(form, 2), None)
    return result


def is_lambda(x: Expander, datum: Datum) -> bool:
    return isinstance(datum, Form) and bool(datum.items) and x.means_keyword(datum.items[0], "lambda")


def _bindings(form: Form, keyword: str, position: int) -> tuple[list[Datum], list[Datum]]:
    """Return the patterns of a let and their values."""
    clauses = form.items[position] if len(form.items) > position else None
    if not isinstance(clauses, Form) or clauses.tail is not None:
        raise bad_form(form, keyword)
    patterns, values = [], []
    for clause in clauses.items:
        if not isinstance(clause, Form) or len(clause.items) != 2 or clause.tail is not None:
            raise SourceError(
                f"a binding of {keyword} is a name and a value; write (name value)", clause.span
            )
        patterns.append(clause.items[0])
        values.append(clause.items[1])
    return patterns, values


def _named(value: Expr, pattern: Datum) -> Expr:
    return named(value, pattern.text) if isinstance(pattern, Name) else value


def _let(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) > 1 and isinstance(form.items[1], Name):
        loop: Expr = yield _named_let(x, form, form.items[1])
        return loop
    patterns, data = _bindings(form, "let", 1)
    values = yield x.exprs(data)
    matched = match(x, patterns)
    x.scope.enter(matched.bound)
    body: Expr = yield x.body(form, 2)
    x.scope.leave(matched.bound)
    body = matched.wrap(body)
    for whole, value, pattern in reversed(list(zip(matched.wholes, values, patterns, strict=True))):
        body = Let(form.span, whole, _named(value, pattern), body)
    return body


def _named_let(x: Expander, form: Form, name: Name) -> Task[Expr]:
    patterns, data = _bindings(form, "let", 2)
    values = yield x.exprs(data)
    bound = x.bind(name)
    x.scope.enter([bound])
    loop: Lambda = yield procedure(x, form.span, patterns, x.body(form, 3), name.text)
    x.scope.leave([bound])
    call = App(form.span, Var(name.span, bound[1]), tuple(values))
    return Letrec(form.span, ((bound[1], loop),), call)


def _let_star(x: Expander, form: Form) -> Task[Expr]:
    patterns, data = _bindings(form, "let*", 1)
    made = []
    for pattern, datum in zip(patterns, data, strict=True):
        value = yield x.expr(datum)
        matched = match(x, [pattern])
        x.scope.enter(matched.bound)
        made.append((matched, _named(value, pattern)))
    body: Expr = yield x.body(form, 2)
    for matched, value in reversed(made):
        x.scope.leave(matched.bound)
        body = Let(form.span, matched.wholes[0], value, matched.wrap(body))
    return body


def _letrec(x: Expander, form: Form) -> Task[Expr]:
    targets, data = _bindings(form, "letrec", 1)
    for target, datum in zip(targets, data, strict=True):
        if not isinstance(target, Name):
            raise SourceError("letrec binds names; write (name (lambda (parameter ...) body))", target.span)
        if not is_lambda(x, datum):
            raise SourceError(
                "letrec binds procedures only; write (lambda (parameter ...) body) here, or bind with let",
                datum.span,
            )
    bound = match(x, targets).bound
    x.scope.enter(bound)
    bindings: list[tuple[str, Lambda]] = []
    for (name, meaning), datum in zip(bound, data, strict=True):
        lam: Lambda = yield x.expr(datum)
        lam.name = name
        bindings.append((meaning, lam))
    body: Expr = yield x.body(form, 2)
    x.scope.leave(bound)
    return Letrec(form.span, tuple(bindings), body) if bindings else body


def _if(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) == 3:
        raise SourceError("this if has one branch only; write (if test then else)", form.span)
    if len(form.items) != 4:
        raise bad_form(form, "if")
    test, then, other = yield x.exprs(form.items[1:])
    return If(form.span, test, then, other)


def _cond(x: Expander, form: Form) -> Task[Expr]:
    clauses = form.items[1:]
    result: Expr = Raise(form.span, Const(form.span, NO_CLAUSE))
    made = []
    for i, clause in enumerate(clauses):
        if not isinstance(clause, Form) or clause.tail is not None or len(clause.items) < 2:
            raise SourceError("a clause of cond is a test and a value; write (test value)", clause.span)
        if x.means_keyword(clause.items[0], "else"):
            if i + 1 < len(clauses):
                raise SourceError("else is the last clause of a cond; move it to the end", clause.span)
            result = yield x.body(clause, 1)
        else:
            test = yield x.expr(clause.items[0])
            made.append((clause.span, test, (yield x.body(clause, 1))))
    for span, test, value in reversed(made):
        result = If(span, test, value, result)
    return result


def _and(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) == 1:
        return Const(form.span, True)
    tests = yield x.exprs(form.items[1:])
    result: Expr = tests.pop()
    while tests:
        result = If(form.span, tests.pop(), result, Const(form.span, False))
    return result


def _or(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) == 1:
        return Const(form.span, False)
    tests = yield x.exprs(form.items[1:])
    result: Expr = tests.pop()
    while tests:
        name = x.fresh("truth")
        choice = If(form.span, Var(form.span, name), Var(form.span, name), result)
        result = Let(form.span, name, tests.pop(), choice)
    return result


def _list(x: Expander, form: Form) -> Task[Expr]:
    items = yield x.exprs(form.items[1:])
    return _cons(items, Const(form.span, None), form.span)


def _cons_star(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) == 1:
        raise bad_form(form, "cons*")
    items = yield x.exprs(form.items[1:])
    return _cons(items[:-1], items[-1], form.span)


def _cons(items: Sequence[Expr], tail: Expr, span: Span) -> Expr:
    for item in reversed(items):
        tail = Prim(span, "cons", (item, tail))
    return tail


def _quote(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) != 2:
        raise bad_form(form, "quote")
    return Const(form.span, (yield quoted(form.items[1])))


def _begin(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) < 2:
        raise bad_form(form, "begin")
    exprs: list[Expr] = yield x.exprs(form.items[1:])
    result = exprs.pop()
    for expr in reversed(exprs):
        result = Let(expr.span, x.fresh("done"), expr, result)
    return result


def _case(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) != 4:
        raise bad_form(form, "case")
    value: Expr = yield x.expr(form.items[1])
    span, whole, tag = form.span, x.fresh("whole"), x.fresh("tag")
    bodies: dict[str, Expr] = {}
    for clause in form.items[2:]:
        name, bound = _clause(form, clause)
        made = x.bind(bound)
        x.scope.enter([made])
        assert isinstance(clause, Form)
        body: Expr = yield x.body(clause, 1)
        x.scope.leave([made])
        bodies[name] = Let(clause.span, made[1], Prim(clause.span, "untagged", (Var(span, whole),)), body)
    if len(bodies) != 2:
        raise bad_form(form, "case")
    test = Prim(span, "eq?", (Var(span, tag), Const(span, Symbol("inl"))))
    choice = If(span, test, bodies["inl"], bodies["inr"])
    return Let(span, whole, value, Let(span, tag, Prim(span, "tag-of", (Var(span, whole),)), choice))


def _clause(form: Form, clause: Datum) -> tuple[str, Name]:
    """Return the side of a clause of a case, inl or inr, and the name that it binds."""
    pattern = clause.items[0] if isinstance(clause, Form) and clause.items else clause
    parts = pattern.items if isinstance(pattern, Form) and pattern.tail is None else ()
    side, bound = parts if len(parts) == 2 else (None, None)
    if not isinstance(side, Name) or not isinstance(bound, Name) or side.text not in ("inl", "inr"):
        raise bad_form(form, "case", clause.span)
    return side.text, bound


def _raise(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) != 2:
        raise bad_form(form, "raise")
    return Raise(form.span, (yield x.expr(form.items[1])))


def _handle(x: Expander, form: Form) -> Task[Expr]:
    if len(form.items) != 4:
        raise bad_form(form, "handle")
    target = form.items[2]
    names = target.items if isinstance(target, Form) and target.tail is None else ()
    if len(names) != 1 or not isinstance(names[0], Name):
        raise bad_form(form, "handle", target.span)
    body: Expr = yield x.expr(form.items[1])
    bound = x.bind(names[0])
    x.scope.enter([bound])
    handler: Expr = yield x.expr(form.items[3])
    x.scope.leave([bound])
    return Handle(form.span, body, bound[1], handler)


def _reset(x: Expander, form: Form) -> Task[Expr]:
    tag: Expr = yield _tag(x, form, "reset", 2)
    body: Expr = yield x.expr(form.items[-1])
    return Prim(form.span, RESET, (tag, Lambda(form.span, (), body)))


def _shift(x: Expander, form: Form) -> Task[Expr]:
    tag: Expr = yield _tag(x, form, "shift", 3)
    name = form.items[-2]
    if not isinstance(name, Name):
        raise SourceError("what captures the continuation is a name; write (shift k expression)", name.span)
    receiver: Expr = yield procedure(x, form.span, (name,), x.expr(form.items[-1]), None)
    return Prim(form.span, SHIFT, (tag, receiver))


def _tag(x: Expander, form: Form, keyword: str, parts: int) -> Task[Expr]:
    """Return the tag of a form that has so many parts without one, and one more with it."""
    head = form.items[0]
    assert isinstance(head, Name)
    has_tag = head.text != keyword
    if len(form.items) != parts + has_tag:
        raise bad_form(form, head.text)
    if not has_tag:
        return Const(form.span, Symbol(DEFAULT_TAG))
    tag: Expr = yield x.expr(form.items[1])
    if isinstance(tag, Const) and isinstance(tag.value, float | Pair):
        raise SourceError("a tag is a symbol, a string or a boolean; write a symbol, 'name", tag.span)
    return tag


def _misplaced(message: str) -> Callable[[Expander, Form], Task[Expr]]:
    """Return the function that refuses a keyword which forms no expression."""

    def refuse(x: Expander, form: Form) -> Task[Expr]:
        raise SourceError(message, form.span)

    return refuse


FORMS: Mapping[str, Callable[[Expander, Form], Task[Expr]]] = {
    "define": _misplaced(
        "a definition is allowed only at top level; write "
        "(letrec ((name (lambda (parameter ...) body))) body) or (let ((name value)) body)"
    ),
    "include": _misplaced("include is allowed only at top level; move it out of this form"),
    "lambda": _lambda,
    "let": _let,
    "let*": _let_star,
    "letrec": _letrec,
    "if": _if,
    "cond": _cond,
    "else": _misplaced("else is allowed only in a cond; write (cond (test value) ... (else value))"),
    "and": _and,
    "or": _or,
    "list": _list,
    "cons*": _cons_star,
    "quote": _quote,
    "begin": _begin,
    "case": _case,
    "raise": _raise,
    "handle": _handle,
    "reset": _reset,
    "reset-at": _reset,
    "shift": _shift,
    "shift-at": _shift,
}
