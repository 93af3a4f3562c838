"""The first call of a program: that of the function which a user gave.

In: what the function is (plain, a bound method, a partial object, an object with `__call__`, a builtin) and
the arguments. Out: the expression of the call.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import TYPE_CHECKING, Any

from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Expr, Var
from checkpoint.lang.python.calls import arrange, arrays, classes, statics
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.context.meanings import Callee, Env, Reference
from checkpoint.lang.python.source import advice

if TYPE_CHECKING:
    from checkpoint.lang.python.linking.linker import Linker

_HERE = ast.Pass()  # the place of a call that stands in no text


class Root:
    """What arranging a call asks of a translator, where there is no function around the call."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def span(self, node: ast.AST) -> Span:
        return NOWHERE

    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        return SourceError(f"{construct} cannot be differentiated: {advice}")

    def fresh(self, name: str) -> str:
        return self.linker.names.fresh(name)

    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        return App(span, callee.make(span), tuple(args))


def call_of_root(linker: Linker, root: Reference | str, given: arrange.Arguments) -> Expr:
    """The call of the given function."""
    t: Any = Root(linker)
    if isinstance(root, str):
        return _call_of_object(linker, t, root, given)
    if isinstance(root.value, types.MethodType | functools.partial):
        root, positional, keywords = linker.given_parts(t, root, _HERE)
        given = given.after(positional, keywords)
    return _arranged(linker, t, root, given)


def _arranged(linker: Linker, t: Any, known: Reference, given: arrange.Arguments) -> Expr:
    record = arrays.record_of(known.value)
    if record is not None:
        return arrays.arranged(t, record, record.name.rpartition(".")[2], given, _HERE)
    op = None if given.keywords else statics.primitive(known.value, len(given.positional))
    if op is not None:
        return linker.operation(t, op, given.positional, _HERE)
    callee = linker.library_callee(t, known.value) or linker.callee(t, known, None)
    if callee is not None:
        return arrange.arranged(t, callee, given, _HERE, arrange.caller(t, callee, NOWHERE))
    made = classes.constructor(linker, known) if isinstance(known.value, type) else None
    if made is None:
        raise advice.refused(t, known.value, _HERE)
    return arrange.arranged(t, made, given, _HERE, lambda args: classes.made(known.value, args, NOWHERE))


def _call_of_object(linker: Linker, t: Any, name: str, given: arrange.Arguments) -> Expr:
    value = linker.inputs.value(0)
    callee = linker.callee_in_class(t, type(value), "__call__")
    if callee is None:
        raise SourceError(f"a {type(value).__name__} is no function, and has no __call__ to translate")
    given = given.after([Var(NOWHERE, name)], {})
    return arrange.arranged(t, callee, given, _HERE, arrange.caller(t, callee, NOWHERE))
