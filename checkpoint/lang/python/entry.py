"""The first call of a program: that of the function which a user gave.

In: what the function is (plain, a bound method, a partial object, an object with `__call__`, a builtin) and
the arguments. Out: the expression of the call.
"""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from checkpoint.errors import Source, SourceError, Span
from checkpoint.lang.core import App, Expr, Var
from checkpoint.lang.python import advice, calls, classes, statics
from checkpoint.lang.python.meanings import Callee, Reference

if TYPE_CHECKING:
    from checkpoint.lang.python.linker import Linker

_NOWHERE = Span(Source("<call>", ""), 0, 0)


class Root:
    """What arranging a call asks of a translator, where there is no function around the call."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def span(self, node: Any) -> Span:
        return _NOWHERE

    def refuse(self, node: Any, construct: str, advice: str) -> SourceError:
        return SourceError(f"{construct} cannot be differentiated: {advice}")

    def fresh(self, name: str) -> str:
        return self.linker.names.fresh(name)


def call_of_root(linker: Linker, root: Reference | str, given: calls.Arguments) -> Expr:
    """The call of the given function."""
    t: Any = Root(linker)
    if isinstance(root, str):
        return _call_of_object(linker, t, root, given)
    value = root.value
    if isinstance(value, types.MethodType):
        function, self = linker.method_parts(t, root)
        given.positional.insert(0, linker.maker(self)(_NOWHERE))
        return _arranged(linker, t, function, given)
    if isinstance(value, functools.partial):
        function, positional, keywords = linker.partial_parts(t, root, None)
        given.positional[:0] = positional
        given.keywords = {**keywords, **given.keywords}
        return _arranged(linker, t, function, given)
    return _arranged(linker, t, root, given)


def _arranged(linker: Linker, t: Any, known: Reference, given: calls.Arguments) -> Expr:
    op = None if given.keywords else statics.primitive(known.value, len(given.positional))
    if op is not None:
        return linker.operation(t, op, given.positional, None)  # type: ignore[arg-type]
    callee = linker.library_callee(t, known.value) or linker.callee(t, known, None)
    if callee is None and isinstance(known.value, type):
        return _made(linker, t, known, given)
    if callee is None:
        raise advice.refused(t, known.value, None)  # type: ignore[arg-type]
    return _with(t, callee, given)


def _with(t: Any, callee: Callee, given: calls.Arguments) -> Expr:
    make = callee.make
    return calls.arranged(t, callee, given, None, lambda a: App(_NOWHERE, make(_NOWHERE), tuple(a)))  # type: ignore[arg-type]


def _made(linker: Linker, t: Any, known: Reference, given: calls.Arguments) -> Expr:
    callee = classes.constructor(linker, known)
    if callee is None:
        raise advice.refused(t, known.value, None)  # type: ignore[arg-type]
    return calls.arranged(t, callee, given, None, lambda a: classes.made(known.value, a, _NOWHERE))  # type: ignore[arg-type]


def _call_of_object(linker: Linker, t: Any, name: str, given: calls.Arguments) -> Expr:
    value = linker.inputs.value(0)
    callee = linker.callee_in_class(t, type(value), "__call__")
    if callee is None:
        raise SourceError(f"a {type(value).__name__} is no function, and has no __call__ to translate")
    given.positional.insert(0, Var(_NOWHERE, name))
    return _with(t, callee, given)
