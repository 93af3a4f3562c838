"""Functions that `functools` makes of others: singledispatch and its method, partialmethod; also `_make`.

In: such a function, or the member of a class. Out: a procedure of a tuple of arguments and a dictionary of
keywords, after the object for members. The one of a singledispatch chooses by the class of the first argument
among the functions that were registered before the program was translated; another registration translates it
anew (linking/inputs.py).
"""

from __future__ import annotations

import functools
import types
from functools import partial
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.attributes import stored
from checkpoint.lang.core import Const, Expr, If, Lambda, Let, Var
from checkpoint.lang.python.calls import arrange, iterables
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import NOWHERE, bind, const, copy_of, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext
from checkpoint.lang.python.context.entry import NO_NODE, Entry
from checkpoint.lang.python.context.meanings import Callee, Reference, Signature, variable
from checkpoint.lang.python.library.standard.lazy import ALSO_BY_INDEX, ALSO_OF_OBJECTS
from checkpoint.lang.python.linking.objects import Objects
from checkpoint.lang.python.source.members import is_single_dispatch, registry

DISPATCHED = (functools.singledispatchmethod, functools.partialmethod)


def also_of_objects(program: Objects, function: Any) -> Any:
    """Return the library function that knows the objects of the program which another one does not know."""
    if function in ALSO_BY_INDEX and iterables.by_index(program):
        return ALSO_BY_INDEX[function]
    if function in ALSO_OF_OBJECTS and program.has_method("__reversed__", "__getitem__"):
        return ALSO_OF_OBJECTS[function]
    return function


def made_by(program: Objects, known: Reference) -> Callee | None:
    """Return such a function or member as a function of all its arguments; None for all others."""
    value = known.value
    if isinstance(value, types.FunctionType) and (also := also_of_objects(program, value)) is not value:
        return program.library_function(also)
    if not (isinstance(value, DISPATCHED) or is_single_dispatch(value)) or known.input is None:
        return None
    if value not in program.callees:
        is_member = isinstance(value, DISPATCHED)
        name = str(stored(value, "__name__") or stored(value.func, "__name__"))
        core = program.names.fresh(name)
        first = ("self",) if is_member else ()
        signature = Signature(first, (), "args", "keywords", positional_only=len(first))
        program.callees[value] = Callee(name, variable(core), signature, internal=True)
        params = [program.names.fresh(each) for each in signature.names]
        values = [Var(NOWHERE, each) for each in params]
        t = Entry(program)
        if isinstance(value, functools.partialmethod):
            body = _held(program, t, known, values)
        else:
            body = _chosen(program, t, known, values, name)
        program.bindings[core] = Lambda(NOWHERE, tuple(params), body, name=name, shown=True)
    return program.callees[value]


def _call(program: Objects, t: CallContext, found: Any, passed: Arguments) -> Expr:
    """Call a function by what leads to it; passed: simple."""
    callee = program.callee(found) if isinstance(found, Reference) else None
    copies = passed.like([copy_of(each) for each in passed.values])
    if callee is not None:
        make = arrange.caller(t, callee, NOWHERE)
        return arrange.apply(t, callee, copies, NO_NODE, make)
    value: Expr = Var(NOWHERE, found) if isinstance(found, str) else program.value_of(t, found, NO_NODE)
    return program.called(t, value, copies, NO_NODE)


def _held(program: Objects, t: CallContext, known: Reference, values: list[Var]) -> Expr:
    """Return the call of the function of a partialmethod, with the arguments that it holds first."""
    self, args, keywords = values
    function, positional, named = program.bound_parts(t, known, NO_NODE)
    mapping = prim(NOWHERE, "py.dict")
    for name, value in named.items():
        mapping = prim(NOWHERE, "py.set", mapping, const(NOWHERE, name), value)
    merged = prim(NOWHERE, "py.merge", mapping, keywords)

    def call(v: list[Expr]) -> Expr:
        return _call(program, t, function, Arguments([copy_of(self), *v[:-1]], args, {}, v[-1]))

    return bind(program.names, [*positional, merged], call)


def _chosen(program: Objects, t: CallContext, known: Reference, values: list[Var], name: str) -> Expr:
    """Return the call of the function that is registered for the class of the first argument."""
    *first, args, keywords = values
    assert known.input is not None
    found = registry(known.value)
    functions = list(dict.fromkeys(found.values()))
    result: Expr = raise_error(NOWHERE, TypeError, f"{name} requires at least 1 positional argument")
    chosen = program.names.fresh("chosen")
    for i, function in enumerate(functions):
        cls = next(each for each, registered in found.items() if registered is function)
        is_this = prim(NOWHERE, "py.eq", Var(NOWHERE, chosen), const(NOWHERE, i))
        of_class = program.find(known.input, "registered", cls)
        passed = Arguments(list(map(copy_of, first)), copy_of(args), {}, copy_of(keywords))
        result = If(
            NOWHERE, is_this, t.attempt(NO_NODE, partial(_call, program, t, of_class, passed)), result
        )
    dispatch = getattr(known.value, "dispatcher", known.value).dispatch
    known_here = Const(NOWHERE, Native((dispatch, {each: i for i, each in enumerate(functions)})))
    return Let(NOWHERE, chosen, prim(NOWHERE, "py.dispatched", known_here, copy_of(args)), result)


def named_tuple_made(program: Objects, known: Reference) -> Callee:
    """Return the `_make` of a named tuple as a function of its items."""
    cls = known.value.__self__
    key = (cls, "_make")
    if key not in program.callees:
        core, items = program.names.fresh("make"), program.names.fresh("iterable")
        signature = Signature(("iterable",))
        program.callees[key] = Callee(
            f"{cls.__name__}._make", variable(core), signature, internal=True, implicit=1
        )
        found = program.operation(Entry(program), "py.tuple-of", [Var(NOWHERE, items)], NO_NODE)
        layout = Const(NOWHERE, program.layout(cls, cls._fields))
        body = prim(NOWHERE, "py.named-tuple", layout, found)
        program.bindings[core] = Lambda(NOWHERE, (items,), body, name="_make", shown=True)
    return program.callees[key]
