"""Python functions as closures of the language, ready for an engine.

In: a function and how it is called. Out: a closure of one argument, the tuple of all arguments. The
program is translated and compiled once; its inputs are read at each call. Within a program the functions of
the public interface are those of library/derivatives.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.graph import constant
from checkpoint.ad.values import Closure, Environment, Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.errors import SourceError
from checkpoint.functions.own_programs import Functions, Given, NestedFunction, Owned
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.public import COUNTERPARTS, Derived
from checkpoint.functions.pytrees import to_language
from checkpoint.lang.closures import analyse
from checkpoint.lang.core import App, Const, Expr, Lambda, Prim, Var
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.library import derivatives as library_derivatives
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.linking.inputs import classes_in
from checkpoint.lang.python.linking.nested import Nested
from checkpoint.lang.python.linking.program import Linked, Programs, Shape
from checkpoint.locks import hold_at_fork
from checkpoint.prims.python.native import source_name

_programs = Programs()
_lock = RLock()
hold_at_fork(_lock)


def closure_of(
    f: Callable[..., Any], positional: tuple[Any, ...], keywords: dict[str, Any], engine: Engine
) -> Closure:
    """Return a closure that takes the tuple of the positional arguments and then those passed by name."""
    shape = Shape(len(positional), tuple(keywords))
    return _closure(f, shape, engine, classes_in((*positional, *keywords.values())), {})


Found = tuple[str, str, Any, Any]  # a hidden input: its variable, its name, the object, its value


def stateful_closure_of(
    f: Callable[..., Any], positional: tuple[Any, ...], keywords: dict[str, Any], engine: Engine
) -> tuple[Closure, list[Found]]:
    """Return a closure of the arguments and of what is shared (prims/python/state.py), and its inputs."""
    f = _written_out(f)
    shape = Shape(len(positional), tuple(keywords), has_state=True)
    with _lock:
        linked, inputs = _programs.find(f, shape, classes_in((*positional, *keywords.values())))
        engine.prepare(linked.thunk, linked.scopes)
    values = _hidden(linked, inputs, engine, {})
    found = [
        (param, source_name(param), inputs[i], values[i])
        for i, param in zip(linked.hidden, linked.thunk.params, strict=True)
        if i != linked.functions_input
    ]
    return linked.closure(values), found


def _closure(f: Any, shape: Shape, engine: Engine, classes: tuple[type, ...], owned: Owned) -> Closure:
    f = _written_out(f)
    with _lock:
        linked, inputs = _programs.find(f, shape, classes)
        engine.prepare(linked.thunk, linked.scopes)
    return linked.closure(_hidden(linked, inputs, engine, owned))


def changed_closure(
    f: Callable[..., Any],
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    engine: Engine,
    change: Callable[[Linked], Lambda | None],
) -> Closure | None:
    """Return the closure of a changed program: of the thunk that `change` makes; None where it makes none."""
    f = _written_out(f)
    with _lock:
        shape = Shape(len(positional), tuple(keywords))
        linked, inputs = _programs.find(f, shape, classes_in((*positional, *keywords.values())))
        thunk = change(linked)
        if thunk is None:
            return None
        changed = replace(linked, thunk=thunk, scopes=analyse(thunk))
        engine.prepare(changed.thunk, changed.scopes)
    return changed.closure(_hidden(changed, inputs, engine, {}))


def _written_out(f: Any) -> Any:
    """Return a function that can be translated, for a derivative that was made outside of programs."""
    if not isinstance(f, Derived):
        return f
    if f.has_state:
        raise SourceError("a derivative with has_state cannot be used in a program: take it outside of one")
    make = getattr(library_derivatives, f.counterpart)
    derived = library_derivatives.derived_with_aux if f.has_aux else library_derivatives.derived
    return derived(make, _written_out(f.function), f.argnums)


def _hidden(linked: Linked, inputs: list[Any], engine: Engine, owned: Owned) -> dict[int, Any]:
    """Return the values of a program's hidden inputs, by their positions."""
    at = linked.functions_input
    functions = None if at is None else Functions(owned)

    def other(thing: Any) -> Any:
        if not callable(thing):
            return NotImplemented
        value = thing.on(engine) if isinstance(thing, Procedure) else argument_of(thing, engine)
        if functions is not None:
            functions.add(value, thing)
        return value

    values = {}
    for i, param in zip(linked.hidden, linked.thunk.params, strict=True):
        values[i] = constant(to_language(inputs[i], source_name(param), other, is_input=True))
    if at is not None and functions is not None:
        for lam, known in linked.functions.items():
            if isinstance(known, Nested):
                captures = linked.scopes.captures(lam)
                functions.nested[lam] = NestedFunction(known, inputs[known.function], captures)
            else:
                functions.by_lambda[lam] = inputs[known] if isinstance(known, int) else known.value
        functions.read_inputs(lambda f: _closure(f, Shape(1), engine, linked.classes, owned))
        surroundings = {id(inputs[i]): (inputs[i], values[i]) for i in linked.hidden}
        functions.close = partial(_closure_of_nested, engine, linked.classes, surroundings)
        values[at] = Native(functions)
    return values


def _closure_of_nested(
    engine: Engine, classes: tuple[type, ...], surroundings: Given, f: Callable[..., Any], given: Given
) -> Closure | None:
    """Return the closure of the own program of a function that was made anew; None if it reads other inputs.

    surroundings: what the program around it has read, which must not be read again.
    """
    known = {**surroundings, **given}
    found = classes_in([thing for thing, _ in given.values()])
    try:
        with _lock:
            linked, inputs = _programs.find(f, Shape(1), tuple(dict.fromkeys((*classes, *found))))
            if linked.functions_input is not None or any(id(inputs[i]) not in known for i in linked.hidden):
                return None
            engine.prepare(linked.thunk, linked.scopes)
    except SourceError:
        return None
    return linked.closure({i: known[id(inputs[i])][1] for i in linked.hidden})


def forget_provisional() -> None:
    """Forget the programs that refuse what was not found when they were translated."""
    with _lock:
        _programs.forget_provisional()


def argument_of(f: Callable[..., Any], engine: Engine) -> Any:
    """Return a function that is an argument, or part of one, as a value that is called by position."""
    closure = _closure(f, Shape(None), engine, (), {})
    start = engine.start(0, Pair(closure, None), 0)
    return engine.advance(start, None, Effects()).value


def spread(closure: Closure, count: int, engine: Engine) -> Closure:
    """Return a closure of a tuple that calls another with its elements."""
    items: list[Expr] = [
        Prim(NOWHERE, "py.item", (Var(NOWHERE, "arguments"), Const(NOWHERE, i))) for i in range(count)
    ]
    entry = Lambda(NOWHERE, ("arguments",), App(NOWHERE, Var(NOWHERE, "f"), tuple(items)), name="call")
    thunk = Lambda(NOWHERE, ("f",), entry, name="program")
    engine.prepare(thunk, analyse(thunk))
    return Closure(entry, Environment((closure,)))


tables.FUNCTIONS.update(
    {function: getattr(library_derivatives, name) for function, name in COUNTERPARTS.items()}
)
