"""Known objects as values: procedures that are called by position.

In: a function, class or builtin that is passed on, stored or returned. Out: a procedure of its positional
arguments. An object that takes a varying number of them is a record of procedures, one for each number
(`Overloads`), from which a call selects by the number that it passes (py.callee). If the program calls values
with `*`, `**` or keywords, the record also has a *general* procedure, of the tuple of the arguments and the
dictionary of the keywords.
"""

from __future__ import annotations

import ast
import functools
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, EnumType
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Layout
from checkpoint.ad.library import load_imported
from checkpoint.ad.opaque import is_opaque
from checkpoint.ad.record import VARIADIC
from checkpoint.ad.tables import held
from checkpoint.ad.tensors import Tensor
from checkpoint.ad.values import Foreign, Unusable
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, Lambda, Prim, Var
from checkpoint.lang.python.calls import arrange, arrays, creation, getters, outside, statics
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import NOT_IMPLEMENTED, bind, copy_of, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.iterables import complex_number, truth
from checkpoint.lang.python.context.meanings import Callee, Reference, Signature
from checkpoint.lang.python.library.stand_ins import Overloads
from checkpoint.lang.python.linking.facts import is_of_program
from checkpoint.lang.python.linking.inputs import is_of_system
from checkpoint.lang.python.source import advice, mismatch
from checkpoint.lang.python.source.advice import is_random

GENERAL = "**"  # the name of the field of a general procedure
ATOMS = (bool, int, float, str, bytes, type(None))
Named = tuple[str, list[str]]


General = Callable[[CallContext, Arguments], Expr]  # a call with any arguments, as values


class _Place(Entry):
    """The context of a call in a procedure that stands for a function used as a value."""

    def __init__(self, program: ProgramContext, span: Span) -> None:
        super().__init__(program)
        self.place = span

    def span(self, node: ast.AST) -> Span:
        return self.place


def of_reference(
    program: ProgramContext,
    t: CallContext,
    known: Reference,
    span: Span,
    node: ast.AST,
) -> Expr:
    """Return a known object as a value."""
    value = known.value
    if isinstance(value, type):
        constant = _class_value(program, value, span)
        if constant is not None:
            return constant
    return procedure_of(program, t, known, span, node)


def procedure_of(
    program: ProgramContext,
    t: CallContext,
    known: Reference,
    span: Span,
    node: ast.AST,
) -> Expr:
    """Return a known object as a value, a class as a procedure."""
    value = known.value
    constant = _constant(program, t, value, span)
    if constant is not None:
        return constant
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
    if outside.op_of(value) is not None:
        return _of_outside(program, value, span)
    if isinstance(value, functools.partial | types.MethodType) and not is_random(value):
        return _of_partial(program, t, known, span, node)
    if isinstance(value, getters.GETTERS) and isinstance(t, FunctionContext):
        lam = getters.of_object(value, node)
        if lam is not None:
            return t.expr(lam, {})
    return unusable(value, span)


def _constant(program: ProgramContext, t: CallContext, value: Any, span: Span) -> Expr | None:
    """Return a known object that is no procedure (a number, text, module, dtype); None for all others."""
    if type(value) in ATOMS:
        return Const(span, value)
    if value is Ellipsis:
        return Const(span, Native(value))
    if type(value) is complex:
        return complex_number(t, value, span)
    if is_of_system(value):
        return prim(span, "py.tuple", *[Const(span, item) for item in value])
    if is_opaque(value):
        return Const(span, held(value))
    if value is NotImplemented:
        return Const(span, NOT_IMPLEMENTED)
    if isinstance(value, types.ModuleType):
        program.note_module(value)
    if isinstance(value, Enum | types.ModuleType):
        return Const(span, Native(value))
    if not arrays.is_constant(value):
        return None
    if isinstance(value, type):
        program.note_dtypes()
    return Const(span, arrays.constant_of(value))


def mark(value: Expr, thing: Any) -> None:
    """Note in the procedures that are a known object as a value what they stand for; `is` asks for it."""
    if isinstance(thing, types.MethodType):
        return  # each access makes another one
    token = weakref.ref(thing) if isinstance(thing, types.FunctionType) else thing
    for lam in value.args if isinstance(value, Prim) and value.op == "py.record" else (value,):
        if isinstance(lam, Lambda):
            lam.stands_for = token


def unusable(value: Any, span: Span) -> Expr:
    """Return a known object that no program can call: it can be passed on, and is refused when it is used."""
    construct, advised = advice.of_object(value)
    message = f"{construct} cannot be differentiated: {advised}"
    return Const(span, Unusable(value, lambda: message))


def _class_value(program: ProgramContext, cls: type, span: Span) -> Expr | None:
    """Return a class as a constant; None where classes are no values of the program."""
    if arrays.is_constant(cls):
        return None  # as a value it is a dtype
    if isinstance(cls, EnumType) or is_of_program(cls) or program.has_class_values():
        program.note_class_value(cls)
        return Const(span, Native(cls))
    return None


def _of_primitive(program: ProgramContext, value: Any, span: Span) -> Expr:
    """Return as a value a primitive, a function of arrays, or a user's function that is one step."""
    record, general = arrays.record_of(value), None
    if record is not None:
        name, counts = record.name, arrays.counts(record)
        general = _general_of_record(record)

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
            op, place = str(statics.primitive(value, len(args))), _Place(program, span)
            if op == "py.truth":
                return truth(place, args[0], NO_NODE)
            return program.operation(place, op, list(args), NO_NODE)

    return overloaded(program, (name, []), counts, span, make, general)


def _of_outside(program: ProgramContext, value: Any, span: Span) -> Expr:
    """Return as a value a function that Python itself calls, such as a clock."""

    def general(t: CallContext, passed: Arguments) -> Expr:
        return outside.step(t, str(outside.op_of(value)), value, passed, NO_NODE)

    named: Named = (value.__name__, [])
    return overloaded(
        program, named, outside.counts(value), span, lambda args: outside.at(span, value, args), general
    )


def _general_of_record(record: Tensor) -> General | None:
    """Return the call of a function of arrays with any arguments; None if it takes a varying number."""
    if record.arity == VARIADIC:
        return None
    name = record.name.rpartition(".")[2]

    def general(t: CallContext, passed: Arguments) -> Expr:
        assert passed.mapping is not None
        span = t.span(NO_NODE)
        known = [Const(span, each) for each in (record.name, *arrays.callee_of(record, name).signature.named)]
        checked = prim(span, "py.known-keywords", passed.mapping, *known)
        return arrays.apply(t, record, name, Arguments([], passed.star, {}, checked), NO_NODE)

    return general


def _counts(value: Foreign) -> tuple[int, ...]:
    code = getattr(value.value, "__code__", None)
    return (1, 2, 3, 4) if code is None else (code.co_argcount,)


def of_callee(program: ProgramContext, callee: Callee, span: Span) -> Expr:
    """Return a translated function as a value."""
    signature = callee.signature
    if signature.is_plain and callee.builds is None:
        return callee.make(span)

    def call(args: Sequence[Expr]) -> Expr:
        return _call_by_position(callee, list(args), span)

    counts = range(signature.required, _most(program, signature) + 1)
    return overloaded(program, _named(program, callee), counts, span, call, _general_of(callee))


def _most(program: ProgramContext, signature: Signature) -> int:
    """Return the most arguments by position that a function receives as a value."""
    return len(signature.positional) + (program.most_arguments() if signature.vararg else 0)


def _general_of(
    callee: Callee, positional: Sequence[Expr] = (), keywords: Mapping[str, Expr] | None = None
) -> General:
    """Return the call of a function with any arguments, after some that it holds."""

    def general(t: CallContext, passed: Arguments) -> Expr:
        named = {name: copy_of(value) for name, value in (keywords or {}).items()}
        whole = passed.after(list(map(copy_of, positional)), named)
        span = t.span(NO_NODE)
        return arrange.apply(t, callee, whole, NO_NODE, lambda args: callee.applied(args, span))

    return general


def _named(program: ProgramContext, callee: Callee, bound: int = 0) -> Named:
    """Return the name of a function and of its positional parameters, without the first `bound` ones."""
    signature = callee.signature
    more = [] if signature.vararg is None else [f"*{signature.vararg}"] * program.most_arguments()
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
    return callee.applied(placed, span)


def overloaded(
    program: ProgramContext,
    named: Named,
    counts: Sequence[int],
    span: Span,
    make: Callable[[list[Expr]], Expr],
    general: General | None,
) -> Expr:
    """Return a procedure for each number of arguments; named: the names in messages."""
    name, known = named
    lambdas = []
    for count in counts:
        names = [*known, *(["argument"] * count)][:count]
        params = tuple([program.names.fresh(each) for each in names])
        lambdas.append(Lambda(span, params, make([Var(span, each) for each in params]), name=name))
    fields = [str(count) for count in counts]
    if general is not None and program.takes_any():
        lambdas.append(_general_procedure(program, name, span, general))
        fields.append(GENERAL)
    if len(lambdas) == 1:
        return lambdas[0]
    program.note_varying()
    return prim(span, "py.record", Const(span, Layout(Overloads, tuple(fields))), *lambdas)


def _general_procedure(program: ProgramContext, name: str, span: Span, general: General) -> Lambda:
    """Return the procedure of a tuple of arguments and a dictionary of keywords."""
    args, keywords = program.names.fresh("args"), program.names.fresh("keywords")
    body = general(_Place(program, span), Arguments([], Var(span, args), {}, Var(span, keywords)))
    return Lambda(span, (args, keywords), body, name=name)


def _of_class(program: ProgramContext, known: Reference, span: Span) -> Expr | None:
    callee = creation.constructor(program, known)
    return None if callee is None else of_callee(program, callee, span)


def bound_method(program: ProgramContext, callee: Callee, self: Expr, span: Span) -> Expr:
    """Return a method of an object as a value."""
    signature = callee.signature
    counts = range(signature.required - 1, _most(program, signature))

    def with_self(v: list[Expr]) -> Expr:
        return overloaded(
            program,
            _named(program, callee, 1),
            counts,
            span,
            lambda args: _call_by_position(callee, [copy_of(v[0]), *args], span),
            _general_of(callee, v),
        )

    return bind(program.names, [self], with_self)


def _of_partial(program: ProgramContext, t: CallContext, known: Reference, span: Span, node: ast.AST) -> Expr:
    """Return a partial object or bound method as a value."""
    function, positional, keywords = program.bound_parts(t, known, node)
    callee = program.callee(function)
    if callee is None:
        return unusable(function.value, span)
    signature = callee.signature
    least = max(0, signature.required - len(positional) - len(keywords))
    by_name = sum(name in signature.positional for name in keywords)
    most = _most(program, signature) - len(positional) - by_name

    def with_parts(v: list[Expr]) -> Expr:
        first, held = v[: len(positional)], dict(zip(keywords, v[len(positional) :], strict=True))

        def make(args: list[Expr]) -> Expr:
            named = {name: copy_of(value) for name, value in held.items()}
            whole = Arguments([*map(copy_of, first), *args], None, named)
            return arrange.apply(t, callee, whole, node, lambda a: callee.applied(a, span))

        named, general = _named(program, callee, len(first)), _general_of(callee, first, held)
        return overloaded(program, named, range(least, most + 1), span, make, general)

    return bind(program.names, [*positional, *keywords.values()], with_parts)
