"""Translate the first call of a program, that of the user's function.

In: the function (plain, a bound method, a partial object, an object with `__call__`, a builtin) and its
arguments.
Out: the expression of the call.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.ad.library import refusal
from checkpoint.ad.values import Foreign, Unusable
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.calls import arrange, arrays, creation, statics
from checkpoint.lang.python.calls.outcomes import Outcomes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import NOWHERE, const, copy_of, prim
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import Callee, Reference
from checkpoint.lang.python.linking import values
from checkpoint.lang.python.linking.linker import Linker
from checkpoint.lang.python.source import advice

Caller = Callable[[Entry, Callee, Arguments, int], Expr]  # the last: how many arguments the function holds


def _plain(t: Entry, callee: Callee, passed: Arguments, implicit: int) -> Expr:
    return arrange.apply(t, callee, passed, NO_NODE, arrange.caller(t, callee, NOWHERE))


def call_of_root(linker: Linker, root: Reference | str, passed: Arguments, caller: Caller = _plain) -> Expr:
    """Return the call of the user's function; caller: makes that of a translated one."""
    t = Entry(linker)
    if isinstance(root, str):
        return _call_of_object(linker, t, root, passed, caller)
    implicit = 0
    if isinstance(root.value, types.MethodType | functools.partial):
        root, positional, keywords = linker.bound_parts(t, root, NO_NODE)
        passed, implicit = passed.after(positional, keywords), len(positional)
    return _call(linker, t, root, passed, lambda t, callee, whole: caller(t, callee, whole, implicit))


def outcome_of_root(linker: Linker, root: Reference | str, passed: Arguments) -> Expr:
    """Return the tuple of what the user's function returns and of what it leaves of each argument.

    The arguments are simple expressions. Only arrays are other values when they have been changed.
    """
    keys: list[int | str] = [*range(len(passed.positional)), *passed.keywords]
    outcomes: list[Outcomes] = []

    def caller(t: Entry, callee: Callee, whole: Arguments, implicit: int) -> Expr:
        names = callee.signature.positional
        taken = [key for key in keys if isinstance(key, str) or key + implicit < len(names)]
        outcomes.append(Outcomes(t, NO_NODE, taken))
        return outcomes[0].of_callee(callee, whole, implicit)

    whole = call_of_root(linker, root, passed, caller)
    taken = outcomes[0].written if outcomes else []
    outcome = linker.names.fresh("outcome")

    def part(i: int) -> Expr:
        return prim(NOWHERE, "py.item", Var(NOWHERE, outcome), const(NOWHERE, i))

    def left(key: int | str, given: Expr) -> Expr:
        if key not in taken:
            return copy_of(given)
        was_changed = prim(NOWHERE, "py.was-changed", copy_of(given))
        return If(NOWHERE, was_changed, part(1 + taken.index(key)), copy_of(given))

    found = [left(key, value) for key, value in zip(keys, passed.values, strict=True)]
    result = part(0) if outcomes else Var(NOWHERE, outcome)
    return Let(NOWHERE, outcome, whole, prim(NOWHERE, "py.tuple", result, *found))


def value_of_root(linker: Linker, root: Reference | str) -> Expr:
    """Return the user's function as a value that is called by position."""
    if isinstance(root, str):
        raise SourceError(_not_translated(linker.inputs.value(0)))
    made = values.of_reference(linker, Entry(linker), root, NOWHERE, NO_NODE)
    if isinstance(made, Const) and type(made.value) is Unusable:
        raise SourceError(made.value.explain())
    return made


def _call(
    linker: Linker,
    t: Entry,
    known: Reference,
    passed: Arguments,
    caller: Callable[[Entry, Callee, Arguments], Expr],
) -> Expr:
    record = arrays.record_of(known.value)
    if record is not None:
        return arrays.apply(t, record, record.name.rpartition(".")[2], passed, NO_NODE)
    op = None if passed.keywords else statics.primitive(known.value, len(passed.positional))
    if op is not None:
        return linker.operation(t, op, passed.positional, NO_NODE)
    if isinstance(known.value, Foreign) and not passed.keywords:
        return prim(NOWHERE, "py.call-primitive", const(NOWHERE, known.value), *passed.positional)
    callee = linker.library_callee(known.value) or linker.callee(known)
    if callee is not None:
        return caller(t, callee, passed)
    made = creation.made(t, known, passed, NO_NODE) if isinstance(known.value, type) else None
    if made is None:
        raise t.refuse(NO_NODE, *advice.of_object(known.value))
    return made


def _call_of_object(linker: Linker, t: Entry, name: str, passed: Arguments, caller: Caller) -> Expr:
    value = linker.inputs.value(0)
    callee = linker.callee_in_class(type(value), "__call__")
    if callee is None:
        raise SourceError(_not_translated(value))
    return caller(t, callee, passed.after([Var(NOWHERE, name)], {}), 1)


def _not_translated(value: Any) -> str:
    """Return the error text for an object whose call has no text, or none of the user's own."""
    what = f"a {type(value).__module__}.{type(value).__qualname__}"
    if not callable(value):
        return f"{what} is not a function"
    barred = refusal(type(value))
    if barred is not None:
        return f"{barred[0]} cannot be differentiated: {barred[1]}"
    wrapped = stored(value, "__wrapped__")
    other = "" if wrapped is None else ", or take the function that it wraps, f.__wrapped__"
    return (
        f"{what} has no `__call__` of your own code to translate: give the call a derivative, "
        f"checkpoint.primitive(f, vjp=lambda ybar, y, *args: ...){other}"
    )
