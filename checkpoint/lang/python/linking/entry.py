"""The first call of a program: that of the function which a user gave.

In: what the function is (plain, a bound method, a partial object, an object with `__call__`, a builtin) and
the arguments. Out: the expression of the call.
"""

from __future__ import annotations

import ast
import functools
import types

from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Expr, Var
from checkpoint.lang.python.calls import arrange, arrays, classes, statics
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Env, Reference
from checkpoint.lang.python.linking.linker import Linker
from checkpoint.lang.python.source import advice

_HERE = ast.Pass()  # the place of a call that stands in no text


class Entry(CallContext):
    """The context of the first call, around which there is no function."""

    def __init__(self, program: ProgramContext) -> None:
        self.program = program

    def span(self, node: ast.AST) -> Span:
        return NOWHERE

    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        return SourceError(f"{construct} cannot be differentiated: {advice}")

    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        return App(span, callee.make(span), tuple(args))


def call_of_root(linker: Linker, root: Reference | str, given: Arguments) -> Expr:
    """The call of the given function."""
    t = Entry(linker)
    if isinstance(root, str):
        return _call_of_object(linker, t, root, given)
    if isinstance(root.value, types.MethodType | functools.partial):
        root, positional, keywords = linker.given_parts(t, root, _HERE)
        given = given.after(positional, keywords)
    return _arranged(linker, t, root, given)


def _arranged(linker: Linker, t: Entry, known: Reference, given: Arguments) -> Expr:
    record = arrays.record_of(known.value)
    if record is not None:
        return arrays.arranged(t, record, record.name.rpartition(".")[2], given, _HERE)
    op = None if given.keywords else statics.primitive(known.value, len(given.positional))
    if op is not None:
        return linker.operation(t, op, given.positional, _HERE)
    callee = linker.library_callee(known.value) or linker.callee(known)
    if callee is not None:
        return arrange.arranged(t, callee, given, _HERE, arrange.caller(t, callee, NOWHERE))
    made = classes.constructor(linker, known) if isinstance(known.value, type) else None
    if made is None:
        raise t.refuse(_HERE, *advice.of_object(known.value))
    return arrange.arranged(t, made, given, _HERE, lambda args: classes.made(known.value, args, NOWHERE))


def _call_of_object(linker: Linker, t: Entry, name: str, given: Arguments) -> Expr:
    value = linker.inputs.value(0)
    callee = linker.callee_in_class(type(value), "__call__")
    if callee is None:
        raise SourceError(f"a {type(value).__name__} is no function, and has no __call__ to translate")
    given = given.after([Var(NOWHERE, name)], {})
    return arrange.arranged(t, callee, given, _HERE, arrange.caller(t, callee, NOWHERE))
