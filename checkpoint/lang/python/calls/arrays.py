"""Translate functions, methods and operations of NumPy and of other array libraries.

In: a call of a library function, or of a method that arrays have. Out: the primitive of the record that
implements it (checkpoint.ad.tensors), with its arguments in the order of the parameters of the record's
`value`. The records are registered when a program first mentions a library or receives an array.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Container, Iterable, Sized
from typing import Any

from checkpoint.ad import library as arrays
from checkpoint.ad.array_library import (
    ARRAY_KINDS,
    ArrayLibrary,
    holds_numbers,
    libraries,
    library_of_all,
)
from checkpoint.ad.arrays import Array, Native
from checkpoint.ad.graph import MANY
from checkpoint.ad.opaque import LibraryOperator
from checkpoint.ad.record import VARIADIC
from checkpoint.ad.tensors import Tensor
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, Prim
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context import complex_operands, value_operands
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import const, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Env, Maker, Reference, Signature

AMBIGUOUS = frozenset(("copy", "conjugate"))  # methods of both arrays and Python's own types


def is_array(value: Any) -> bool:
    """Return whether a value is an array of a library; the records of its functions are then registered."""
    return type(value).__module__ != "builtins" and arrays.is_of_library(value) and type(value) in libraries


def are_arrays(values: Iterable[Any], found: dict[Any, None]) -> bool:
    """Return whether values are many arrays of one library; what surveys note of them is then noted."""
    if not isinstance(values, Sized) or len(values) < MANY:
        return False
    if library_of_all(values, ARRAY_KINDS) is None:
        return False
    note_array(type(next(iter(values))), found)
    return True


def is_noted(value: Any, found: dict[Any, None]) -> bool:
    """Return whether a value is an array of numbers; what surveys note of it is then noted."""
    if type(value) not in libraries or not holds_numbers(value):
        return False
    note_array(type(value), found)
    return True


def note_array(kind: type, found: dict[Any, None]) -> None:
    """Note the class of an array where its methods must be looked up; those of all arrays are known."""
    found[Array] = None
    if libraries[kind].methods:
        found[kind] = None


def record_of(value: Any) -> Tensor | None:
    """Return the record of arrays that implements a Python function, or None."""
    if not arrays.is_of_library(value):
        return None
    return arrays.implementation(value)


def constant_of(value: Any) -> Native | None:
    """Return the value of a library constant, such as a dtype, in a program; None for all other objects."""
    dtype = arrays.dtype_of(value)
    return None if dtype is None else Native(dtype)


def translation_of(value: Any) -> Any:
    """Return the Python function as which a library function is translated; None for most."""
    return arrays.translations.get(value) if arrays.is_of_library(value) else None


def translation_beside(value: Any, classes: Container[type]) -> Any:
    """Return the same of functions that are translated in programs with some of these classes alone."""
    return arrays.translation_beside(value, classes) if arrays.is_of_library(value) else None


def operator_of(value: Any) -> tuple[ArrayLibrary, LibraryOperator] | None:
    """Return a library with a function of its own whose derivatives it computes; None for other objects."""
    if not arrays.is_of_library(value):
        return None
    for library in dict.fromkeys(libraries.values()):
        operator = library.operator_of(value)
        if operator is not None and translation_of(value) is None:
            return library, operator
    return None


def is_constant(value: Any) -> bool:
    """Return whether an object of a library is a constant, such as a dtype; float is none."""
    return arrays.is_of_library(value) and arrays.dtype_of(value) is not None


@functools.cache
def callee_of(record: Tensor, name: str) -> Callee:
    """Return the parameters of a record, for arranging calls."""
    parameters = list(inspect.signature(record.value).parameters.values())[1:]
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword_only = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    vararg = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    defaults = {p.name: _maker(p.default) for p in parameters if p.default is not p.empty}
    signature = Signature(tuple(positional), tuple(keyword_only), vararg, None, 0, defaults)
    return Callee(name, lambda span: Const(span, None), signature)


def _maker(value: Any) -> Maker:
    """Return what makes the expression of a default value, such as the tuple of axes of np.fft.fft2."""
    if type(value) is tuple:
        makers = [_maker(each) for each in value]
        return lambda span: prim(span, "py.tuple", *[make(span) for make in makers])
    dtype = arrays.dtype_of(value)
    return lambda span: const(span, value) if dtype is None else Const(span, Native(dtype))


def argument(t: FunctionContext, part: ast.expr, env: Env) -> Expr:
    """Translate an argument of a library function, in which a class may stand for a dtype."""
    known = t.program.reference(t, part, env) if isinstance(part, ast.Name | ast.Attribute) else None
    if isinstance(known, Reference):
        constant = constant_of(known.value)
        if constant is not None:
            return Const(t.span(part), constant)
    if isinstance(part, ast.List) and part.elts:
        found = [t.program.reference(t, each, env) for each in part.elts]
        if all(isinstance(each, Reference) and constant_of(each.value) is not None for each in found):
            return prim(t.span(part), "py.list", *[argument(t, each, env) for each in part.elts])
    value = value_operands.operand(t, t.expr(part, env), t.span(part))
    return complex_operands.operand(t, value, t.span(part))


def arguments_of_method(t: FunctionContext, name: str, node: ast.Call, env: Env) -> Arguments:
    """Translate the arguments of a call of a method that no class of the program has."""
    if name in AMBIGUOUS or name not in arrays.methods:
        return arrange.arguments(t, node, env)
    return arrange.arguments(t, node, env, lambda part: argument(t, part, env))


def apply(t: CallContext, record: Tensor, name: str, passed: Arguments, node: ast.AST) -> Expr:
    """Apply the primitive of a record to arranged arguments."""
    span = t.span(node)
    if record.arity == VARIADIC and passed.star is not None:
        raise t.refuse(node, f"a star in a call of {name}", "pass the arguments one by one")

    def make(args: list[Expr]) -> Expr:
        return Prim(span, record.name, tuple(_spread(args) if record.arity == VARIADIC else args))

    return arrange.apply(t, callee_of(record, name), passed, node, make)


def _spread(args: list[Expr]) -> list[Expr]:
    """Return the operands of a variadic primitive, whose last argument is the tuple of the remaining ones."""
    *first, rest = args
    assert isinstance(rest, Prim)
    return [*first, *rest.args]


def of_values(record: Tensor, args: list[Expr], span: Span) -> Expr:
    """Apply the primitive of a record to values by position, with defaults for the rest."""
    signature = callee_of(record, record.name).signature
    missing = signature.named[len(args) :]
    return prim(span, record.name, *args, *[signature.defaults[name](span) for name in missing])


def counts(record: Tensor) -> tuple[int, ...]:
    """Return the numbers of positional arguments with which a record can be called."""
    signature = callee_of(record, record.name).signature
    most = len(signature.positional) + (4 if signature.vararg is not None else 0)
    return tuple(range(signature.required, most + 1))


def record_of_call(t: FunctionContext, call: ast.Call, env: Env) -> Tensor | None:
    """Return the record of the function of arrays that a call certainly calls, else None."""
    known = t.program.reference(t, call.func, env)
    return record_of(known.value) if isinstance(known, Reference) else None


def changes(t: FunctionContext, call: ast.expr, env: Env) -> Tensor | None:
    """Return the record of a call of a library function that changes its first argument, else None."""
    assert isinstance(call, ast.Call)
    record = record_of_call(t, call, env)
    return record if record is not None and record.changes else None
