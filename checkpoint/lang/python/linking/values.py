"""Known objects as values: procedures that are called by position.

In: a function, class or builtin that is passed on, stored or returned. Out: a procedure of its positional
arguments. An object that takes a varying number of them is a record of procedures, one for each number
(`Overloads`), from which a call selects by the number that it passes (py.callee).
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.containers import Layout
from checkpoint.ad.library import load_imported
from checkpoint.ad.values import Foreign
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, Lambda, Var
from checkpoint.lang.python.calls import arrange, arrays, classes, statics
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Reference, Signature
from checkpoint.lang.python.linking.inputs import is_of_system
from checkpoint.lang.python.source import advice, mismatch
from checkpoint.lang.python.source.advice import is_random

ATOMS = (bool, int, float, str, type(None))
MAX_EXTRA = 4  # the most arguments that `*args` of a function value may receive


Named = tuple[str, list[str]]


class Overloads:
    """The class of a record of procedures, whose fields are named by the number of arguments."""


def of_reference(
    program: ProgramContext,
    t: CallContext,
    known: Reference,
    span: Span,
    node: ast.AST,
) -> Expr:
    """Return a known object as a value."""
    value = known.value
    if type(value) in ATOMS:
        return Const(span, value)
    if is_of_system(value):
        return prim(span, "py.tuple", *[Const(span, item) for item in value])
    if arrays.is_constant(value):
        return Const(span, arrays.constant_of(value))
    if arrays.record_of(value) is not None:
        return _of_primitive(program, value, span)
    callee = program.library_callee(value) or program.callee(known)
    if callee is not None:
        return of_callee(program, callee, span)
    made = _of_class(program, known, span) if isinstance(value, type) else None
    if made is not None:
        return made
    if statics.arities(value) or isinstance(value, Foreign):
        return _of_primitive(program, value, span)
    if isinstance(value, functools.partial | types.MethodType) and not is_random(value):
        return _of_partial(program, t, known, span, node)
    raise t.refuse(node, *advice.of_object(value))


def _of_primitive(program: ProgramContext, value: Any, span: Span) -> Expr:
    """Return as a value a primitive, a function of arrays, or a user's function that is one step."""
    record = arrays.record_of(value)
    if record is not None:
        name, counts = record.name, arrays.counts(record)

        def make(args: Sequence[Expr]) -> Expr:
            return arrays.of_values(record, list(args), span)

    elif isinstance(value, Foreign):
        load_imported()  # the function may return arrays of any of these libraries
        name, counts = value.name, _counts(value)

        def make(args: Sequence[Expr]) -> Expr:
            return prim(span, "py.call-primitive", Const(span, value), *args)

    else:
        name, counts = value.__name__, statics.arities(value)

        def make(args: Sequence[Expr]) -> Expr:
            return prim(span, str(statics.primitive(value, len(args))), *args)

    return overloaded(program, (name, []), counts, span, make)


def _counts(value: Foreign) -> tuple[int, ...]:
    code = getattr(value.value, "__code__", None)
    return (1, 2, 3, 4) if code is None else (code.co_argcount,)


def of_callee(program: ProgramContext, callee: Callee, span: Span) -> Expr:
    """Return a translated function as a value."""
    signature = callee.signature
    if signature.is_plain:
        return callee.make(span)
    most = len(signature.positional) + (MAX_EXTRA if signature.vararg else 0)

    def call(args: Sequence[Expr]) -> Expr:
        return _call_by_position(callee, list(args), span)

    return overloaded(program, _named(callee), range(signature.required, most + 1), span, call)


def _named(callee: Callee, bound: int = 0) -> Named:
    """Return the name of a function and of its positional parameters, without the first `bound` ones."""
    signature = callee.signature
    more = [] if signature.vararg is None else [f"*{signature.vararg}"] * MAX_EXTRA
    return callee.name, [*signature.positional[bound:], *more]


def _call_by_position(callee: Callee, args: list[Expr], span: Span) -> Expr:
    """Call by position: defaults for what is left out, extra arguments as a tuple."""
    signature: Signature = callee.signature
    named = args[: len(signature.positional)]
    missing = signature.named[len(named) :]
    unfilled = [name for name in missing if name not in signature.defaults]
    if unfilled:
        return raise_error(span, TypeError, mismatch.missing(callee.name, unfilled, "keyword-only"))
    placed = [*named, *(signature.defaults[name](span) for name in missing)]
    if signature.vararg is not None:
        placed.append(prim(span, "py.tuple", *args[len(signature.positional) :]))
    if signature.kwarg is not None:
        placed.append(prim(span, "py.dict"))
    return App(span, callee.make(span), tuple(placed))


def overloaded(
    program: ProgramContext,
    named: Named,
    counts: Sequence[int],
    span: Span,
    make: Callable[[list[Expr]], Expr],
) -> Expr:
    """Return a procedure for each number of arguments; named: the names in messages."""
    name, known = named
    lambdas = []
    for count in counts:
        names = [*known, *(["argument"] * count)][:count]
        params = tuple([program.names.fresh(each) for each in names])
        lambdas.append(Lambda(span, params, make([Var(span, each) for each in params]), name=name))
    if len(lambdas) == 1:
        return lambdas[0]
    program.note_varying()
    layout = Layout(Overloads, tuple([str(count) for count in counts]))
    return prim(span, "py.record", Const(span, layout), *lambdas)


def _of_class(program: ProgramContext, known: Reference, span: Span) -> Expr | None:
    callee = classes.constructor(program, known)
    if callee is None:
        return None
    signature = callee.signature

    def make(args: list[Expr]) -> Expr:
        missing = [signature.defaults[name](span) for name in signature.named[len(args) :]]
        return classes.new_object(known.value, [*args, *missing], span)

    counts = range(signature.required, len(signature.positional) + 1)
    return overloaded(program, _named(callee), counts, span, make)


def bound_method(program: ProgramContext, callee: Callee, self: Expr, span: Span) -> Expr:
    """Return a method of an object as a value."""
    signature = callee.signature
    counts = range(signature.required - 1, len(signature.positional))

    def with_self(v: list[Expr]) -> Expr:
        return overloaded(
            program,
            _named(callee, 1),
            counts,
            span,
            lambda args: _call_by_position(callee, [copy_of(v[0]), *args], span),
        )

    return bind(program.names, [self], with_self)


def _of_partial(program: ProgramContext, t: CallContext, known: Reference, span: Span, node: ast.AST) -> Expr:
    """Return a partial object or bound method as a value."""
    function, positional, keywords = program.bound_parts(t, known, node)
    callee = program.callee(function)
    if callee is None:
        raise t.refuse(node, *advice.of_object(function.value))
    signature = callee.signature
    least = max(0, signature.required - len(positional) - len(keywords))
    most = len(signature.positional) - len(positional) - sum(k in signature.positional for k in keywords)

    def make(args: list[Expr]) -> Expr:
        named = {name: copy_of(value) for name, value in keywords.items()}
        whole = Arguments([*map(copy_of, positional), *args], None, named)
        return arrange.apply(t, callee, whole, node, lambda a: App(span, callee.make(span), tuple(a)))

    named = _named(callee, len(positional))
    return overloaded(program, named, range(least, most + 1), span, make)
