"""Core programs as nested Python tuples, made into cases for the laws.

"x"                          a variable          1.5, 2, True, None, Const("text")    constants
("lambda", ("x", ...), e)    ("let", "x", e, e)  ("if", e, e, e)
("letrec", (("f", lambda), ...), e)              ("raise", e)     ("handle", e, "x", e)
("name", e, ...)             a primitive, if there is one of this name; else an application
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checkpoint.ad.containers import Dict, List, Record
from checkpoint.ad.values import Closure
from checkpoint.driver.engine import Engine
from checkpoint.errors import Source, Span
from checkpoint.functions import runs
from checkpoint.functions.program import UNIT, Program
from checkpoint.lang import core
from checkpoint.lang.closures import analyse
from checkpoint.lang.grammar import check
from checkpoint.prims import arities
from tests.support.corpus import Case

SOURCE = Source("<test>", "program")
SPAN = Span(SOURCE, 0, 7)


@dataclass(frozen=True)
class At:
    """An expression with its own place in the text."""

    place: int
    form: Any


@dataclass(frozen=True)
class Const:
    """A constant that would otherwise be read as another form."""

    value: Any


def core_of(form: Any) -> core.Expr:
    """Return the core expression for nested tuples."""
    if isinstance(form, At):
        expr = core_of(form.form)
        expr.span = Span(SOURCE, form.place, form.place + 1)
        return expr
    if isinstance(form, str):
        return core.Var(SPAN, form)
    if isinstance(form, Const):
        return core.Const(SPAN, form.value)
    if not isinstance(form, tuple):
        return core.Const(SPAN, form)
    head, rest = form[0], form[1:]
    match head:
        case "lambda" | "function":
            return core.Lambda(SPAN, rest[0], core_of(rest[1]), shown=head == "function")
        case "let":
            return core.Let(SPAN, rest[0], core_of(rest[1]), core_of(rest[2]))
        case "if":
            return core.If(SPAN, *map(core_of, rest))
        case "letrec":
            return core.Letrec(SPAN, tuple([(n, lambda_of(n, lam)) for n, lam in rest[0]]), core_of(rest[1]))
        case "raise":
            return core.Raise(SPAN, core_of(rest[0]))
        case "handle":
            return core.Handle(SPAN, core_of(rest[0]), rest[1], core_of(rest[2]))
    operands = tuple([core_of(part) for part in rest])
    if isinstance(head, str) and head in arities():
        return core.Prim(SPAN, head, operands)
    return core.App(SPAN, core_of(head), operands)


def lambda_of(name: str, form: Any) -> core.Lambda:
    """Return a lambda of a letrec."""
    return core.Lambda(SPAN, form[1], core_of(form[2]), name=name, shown=form[0] == "function")


def lets(*bindings: tuple[str, Any], body: Any) -> Any:
    """Return nested `let` bindings."""
    for name, value in reversed(bindings):
        body = ("let", name, value, body)
    return body


def closure(form: Any, engine: Engine) -> Closure:
    """Return the procedure that a form evaluates to, on an engine."""
    body = core_of(form)
    check(body, arities())
    thunk = core.Lambda(SPAN, (UNIT,), body, name="program")
    value = runs.run_program(Program(SOURCE, thunk, analyse(thunk)), engine)
    assert type(value) is Closure
    return value


def case(form: Any, x: Any, engine: Engine, ybar: Any = 1.0) -> Case:
    """Return a case for tests.support.laws."""
    return Case(closure(form, engine), x, ybar)


def plain(value: Any) -> Any:
    """Return a value as Python's own, for messages and comparisons across engines."""
    if type(value) is Record:
        return tuple(map(plain, value.items))
    if type(value) is List:
        return list(map(plain, value.items))
    if type(value) is Dict:
        return {key: plain(item) for key, item in value.items.items()}
    return value
