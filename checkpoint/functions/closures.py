"""Python functions as closures of the language, ready for an engine.

In: a function and how it is called. Out: a closure of one argument, the tuple of all arguments. The
program is translated and compiled once; its inputs are read at each call. Within a program the functions of
the public interface are those of library/derivatives.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import RLock
from types import FunctionType
from typing import Any

from checkpoint import engines
from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import List
from checkpoint.ad.entered import Entered
from checkpoint.ad.graph import constant
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import Closure, Environment, Pair
from checkpoint.collector import Paused
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.errors import SourceError
from checkpoint.functions.own_programs import Functions, Given, NestedFunction, Owned
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.public import COUNTERPARTS, Derived, OverLanes
from checkpoint.functions.pytrees import to_language
from checkpoint.functions.trial import ENGINE, GrowingTrial
from checkpoint.lang.closures import analyse
from checkpoint.lang.core import App, Const, Expr, Lambda, Prim, Var
from checkpoint.lang.python.calls import statics
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.control.continuations import SPECIAL
from checkpoint.lang.python.library import combinators as library_combinators
from checkpoint.lang.python.library import derivatives as library_derivatives
from checkpoint.lang.python.library import lanes as library_lanes
from checkpoint.lang.python.library import sums as library_sums
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.library.application import forwarder
from checkpoint.lang.python.library.standard.keyed import KeyedDict
from checkpoint.lang.python.linking.late import WITH_PROGRAMS
from checkpoint.lang.python.linking.nested import Nested
from checkpoint.lang.python.linking.program import Linked, Programs
from checkpoint.lang.python.linking.shapes import Shape
from checkpoint.lang.python.linking.surveys import LEAVES, classes_in, survey
from checkpoint.lang.python.source.mismatch import source_name
from checkpoint.locks import hold_at_fork

_programs = Programs(written_out=lambda function: written_out(function))  # noqa: PLW0108  (defined below)
_lock = RLock()
hold_at_fork(_lock)


def closure_of(
    f: Callable[..., Any],
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    engine: Engine,
    takes_any_key: bool,
) -> tuple[Closure, tuple[type, ...], GrowingTrial | None]:
    """Return a closure that takes the tuple of the positional arguments and then those passed by name.

    With it come the classes that its program knows, which the functions among its arguments must know, too,
    and a trial of its program, if that has just been made and lacks functions.
    """
    classes = classes_of((*positional, *keywords.values()), takes_any_key)
    surroundings, shape = Surroundings(engine), Shape(len(positional), tuple(keywords))
    linked, inputs = surroundings.program(f, shape, classes, grows=engine.name != ENGINE)
    values = surroundings.values(linked, inputs)
    return linked.closure(values), linked.classes, surroundings.trial(linked, values)


Found = tuple[str, str, Any, Any]  # a hidden input: its variable, its name, the object, its value


def stateful_closure_of(
    f: Callable[..., Any],
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    engine: Engine,
    takes_any_key: bool,
) -> tuple[Closure, tuple[type, ...], list[Found]]:
    """Return a closure of the arguments and of what is shared (prims/python/state.py).

    With it come the classes that its program knows, and its inputs.
    """
    shape = Shape(len(positional), tuple(keywords), has_state=True)
    surroundings = Surroundings(engine, is_tree=True)
    classes = classes_of((*positional, *keywords.values()), takes_any_key)
    linked, inputs = surroundings.program(f, shape, classes)
    values = surroundings.values(linked, inputs)
    found = [
        (param, source_name(param), inputs[i], values[i])
        for i, param in zip(linked.hidden, linked.thunk.params, strict=True)
        if i != linked.functions_input
    ]
    return linked.closure(values), linked.classes, found


def translated(
    f: Callable[..., Any],
    shape: tuple[int, tuple[str, ...], bool],
    classes: tuple[type, ...],
    more: Sequence[Callable[..., Any]],
    engine: Engine,
) -> tuple[list[Linked], dict[int, Any]]:
    """Return the programs of f and of the functions that it reads, and the values of f's hidden inputs.

    shape: see Shape. classes: those of the objects in its arguments. more: functions in its arguments.
    The first program is that of f.
    """
    surroundings = Surroundings(engine, is_tree=shape[2])
    linked, inputs = surroundings.program(f, Shape(*shape), classes)
    values = surroundings.values(linked, inputs)
    for function in more:
        surroundings.function(function, linked.classes)
    return surroundings.programs, values


def classes_of(arguments: tuple[Any, ...], takes_any_key: bool) -> tuple[type, ...]:
    """Return the classes of the objects in arguments, and those that the functions in them know."""
    classes = (*classes_in(arguments), *((KeyedDict,) if takes_any_key else ()))
    if FunctionType not in classes:
        return classes
    with _lock, Paused():
        return _programs.known_to_functions(survey(arguments)[1], classes)


def functions_in(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return the functions among arguments that have programs of their own."""
    return tuple([each for each in survey(arguments)[1] if isinstance(each, WITH_PROGRAMS)])


def argument_of(f: Callable[..., Any], engine: Engine, classes: tuple[type, ...] = ()) -> Any:
    """Return a function that is an argument, or part of one, as a value that is called by position.

    classes: those of the objects that it may meet, beside its own.
    """
    return Surroundings(engine).function(f, classes)


class Surroundings:
    """Reads what the programs of one call need of their surroundings: each object enters once.

    is_tree: whether objects enter anew at each place instead. owned: see Functions.
    tries: whether the programs lack functions, so that runs of them are tried (checkpoint.functions.trial).
    programs: those that have been closed, the function's own and those of functions that it reads.
    """

    def __init__(self, engine: Engine, is_tree: bool = False) -> None:
        self.engine = engine
        self.programs: list[Linked] = []
        self.entered = Entered(is_tree)
        self.owned: Owned = {}
        self.tries = False

    def closed(self, f: Any, shape: Shape, classes: tuple[type, ...]) -> tuple[Closure, tuple[type, ...]]:
        """Return the closure of a function's program, and the classes that this knows."""
        linked, inputs = self.program(f, shape, classes)
        return linked.closure(self.values(linked, inputs)), linked.classes

    def function(self, f: Any, classes: tuple[type, ...]) -> Any:
        """Return a function as a value that is called by position."""
        known = self.entered.functions
        if id(f) not in known:
            unclosed = _Unclosed()
            with self.entered.undone_at_error():
                known[id(f)] = f, unclosed
                made = self._function(f, classes)
            known[id(f)] = f, made
            unclosed.close(made)
        found = known[id(f)][1]
        return found.value(self, classes) if type(found) is _Unclosed else found

    def _function(self, f: Any, classes: tuple[type, ...]) -> Any:
        with _lock, Paused():
            linked, inputs = _programs.member(written_out(f), Shape(None), classes)
            self.engine.prepare(linked.thunk, linked.scopes)
        self.programs.append(linked)
        evaluator = engines.get("interp")  # which leaves the objects in a closure as they are
        evaluator.prepare(linked.thunk, linked.scopes)
        start = evaluator.start(0, Pair(linked.closure(self.values(linked, inputs)), None), 0)
        return evaluator.advance(start, None, Effects()).value

    def program(
        self, f: Any, shape: Shape, classes: tuple[type, ...], grows: bool = False
    ) -> tuple[Linked, list[Any]]:
        """Return the program of a function, and its inputs."""
        with _lock, Paused():
            linked, inputs = _programs.find(written_out(f), shape, classes, grows)
            self.engine.prepare(linked.thunk, linked.scopes)
            self.tries = self.tries or linked.lacks_functions
            if self.tries:
                engines.get(ENGINE).prepare(linked.thunk, linked.scopes)
        self.programs.append(linked)
        return linked, inputs

    def values(self, linked: Linked, inputs: list[Any]) -> dict[int, Any]:
        """Return the values of a program's hidden inputs, by their positions."""
        functions = None if linked.functions_input is None else Functions(self.owned)
        values = {}
        for i, param in zip(linked.hidden, linked.thunk.params, strict=True):
            if type(inputs[i]) in LEAVES:
                values[i] = inputs[i]
                continue
            values[i] = self._value(linked, inputs[i], param, functions)
        if linked.functions_input is not None and functions is not None:
            self._read_functions(functions, linked, inputs, values)
            values[linked.functions_input] = Native(functions)
        return values

    def _value(self, linked: Linked, thing: Any, param: str, functions: Functions | None) -> Any:
        """Return the value of one hidden input of a program."""

        def other(thing: Any) -> Any:
            if not callable(thing):
                return NotImplemented
            if isinstance(thing, type):
                return Native(thing)
            if linked.late.is_left(thing):
                return linked.late.held(thing)
            if isinstance(thing, Procedure):
                value = thing.on(self.engine, linked.control)
            else:
                value = self.function(thing, linked.classes)
            if functions is not None:
                functions.add(value, thing)
            return value

        return constant(to_language(thing, source_name(param), other, self.entered))

    def trial(self, linked: Linked, values: dict[int, Any]) -> GrowingTrial | None:
        """Return a trial of a program that has just been made, if it can grow."""
        if not linked.growth:
            return None
        growth = linked.growth.pop()
        known = {param: values[i] for i, param in zip(linked.hidden, linked.thunk.params, strict=True)}

        def value_of(name: str) -> Any:
            if name not in known:
                known[name] = self._value(linked, growth.input(name), name, None)
            return known[name]

        return GrowingTrial(growth, value_of, _lock)

    def _read_functions(
        self, functions: Functions, linked: Linked, inputs: list[Any], values: dict[int, Any]
    ) -> None:
        """Note which functions a program uses as values, and close their own programs."""
        for lam, known in linked.functions.items():
            if isinstance(known, Nested):
                captures = linked.scopes.captures(lam)
                functions.nested[lam] = NestedFunction(known, inputs[known.function], captures)
            else:
                functions.by_lambda[lam] = inputs[known] if isinstance(known, int) else known.value
        functions.read_inputs(lambda f: self.closed(f, Shape(1), linked.classes)[0])
        read = {id(inputs[i]): (inputs[i], values[i]) for i in linked.hidden}
        functions.close = partial(_closure_of_nested, self.engine, linked.classes, read)


class _Unclosed:
    """A function whose own inputs hold it: they call it through a cell, which is filled when it is closed."""

    def __init__(self) -> None:
        self.cell: list[Any] = []
        self.filled = List([None], owner=FROZEN)
        self.forwarder: Any = None

    def value(self, surroundings: Surroundings, classes: tuple[type, ...]) -> Any:
        """Return a function that calls the one that is closed later."""
        if self.forwarder is None:
            surroundings.entered.objects[id(self.cell)] = self.cell, self.filled
            self.forwarder = surroundings.function(forwarder(self.cell), classes)
        return self.forwarder

    def close(self, function: Any) -> None:
        """Let the forwarder call a function."""
        self.filled.fill([function])


def changed_closure(
    f: Callable[..., Any],
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    engine: Engine,
    change: Callable[[Linked], Lambda | None],
) -> Closure | None:
    """Return the closure of a changed program: of the thunk that `change` makes; None where it makes none."""
    f = written_out(f)
    with _lock, Paused():
        shape = Shape(len(positional), tuple(keywords))
        linked, inputs = _programs.find(f, shape, classes_in((*positional, *keywords.values())))
        thunk = change(linked)
        if thunk is None:
            return None
        changed = replace(linked, thunk=thunk, scopes=analyse(thunk))
        engine.prepare(changed.thunk, changed.scopes)
    return changed.closure(Surroundings(engine).values(changed, inputs))


def written_out(f: Any) -> Any:
    """Return a function that can be translated, for one that was made of another outside of programs."""
    if isinstance(f, OverLanes):
        function = written_out(f.function)
        return library_lanes.mapped(library_lanes.vmap, function, f.in_axes, f.out_axes, f.exact)
    if not isinstance(f, Derived):
        return f
    if f.has_state:
        raise SourceError("a derivative with has_state cannot be used in a program: take it outside of one")
    if f.each is not None:
        raise SourceError(f"a derivative with each= cannot be used in a program: {library_derivatives.EACH}")
    if not f.counterpart:
        raise SourceError("a sparse matrix of derivatives cannot be made in a program: make it outside")
    make = getattr(library_derivatives, f.counterpart)
    derived = library_derivatives.derived_with_aux if f.has_aux else library_derivatives.derived
    return derived(make, written_out(f.function), f.argnums)


def _closure_of_nested(
    engine: Engine, classes: tuple[type, ...], surroundings: Given, f: Callable[..., Any], given: Given
) -> Closure | None:
    """Return the closure of the own program of a function that was made anew; None if it reads other inputs.

    surroundings: what the program around it has read, which must not be read again.
    """
    known = {**surroundings, **given}
    found = classes_in([thing for thing, _ in given.values()])
    try:
        with _lock, Paused():
            linked, inputs = _programs.find(f, Shape(1), tuple(dict.fromkeys((*classes, *found))))
            if linked.functions_input is not None or any(id(inputs[i]) not in known for i in linked.hidden):
                return None
            engine.prepare(linked.thunk, linked.scopes)
    except SourceError:
        return None
    return linked.closure({i: known[id(inputs[i])][1] for i in linked.hidden})


def program_alone(f: Callable[..., Any], count: int, names: tuple[str, ...]) -> Linked | None:
    """Return the program that `Programs.alone` has for a call with so many arguments."""
    with _lock:
        return _programs.alone(f, Shape(count, names))


def program_of(f: Callable[..., Any], count: int, names: tuple[str, ...], entry: Lambda) -> Linked | None:
    """Return the program of an entry, made for such calls of a function, if it is complete."""
    with _lock:
        return _programs.complete(f, Shape(count, names), entry)


def changes() -> int:
    """Return how often programs have been added or forgotten."""
    return _programs.changes


def closure_of_data(linked: Linked, inputs: list[Any], engine: Engine) -> Closure | None:
    """Return the closure of a program of data that has read these inputs; None if these do not fit."""
    if not _programs.fits(linked, inputs):
        return None
    return linked.closure(Surroundings(engine).values(linked, inputs))


def forget_provisional() -> None:
    """Forget the programs that refuse what was not found when they were translated."""
    with _lock:
        _programs.forget_provisional()


def spread(closure: Closure, count: int, engine: Engine) -> Closure:
    """Return a closure of a tuple that calls another with its elements."""
    items: list[Expr] = [
        Prim(NOWHERE, "py.item", (Var(NOWHERE, "arguments"), Const(NOWHERE, i))) for i in range(count)
    ]
    entry = Lambda(NOWHERE, ("arguments",), App(NOWHERE, Var(NOWHERE, "f"), tuple(items)), name="call")
    thunk = Lambda(NOWHERE, ("f",), entry, name="program")
    engine.prepare(thunk, analyse(thunk))
    return Closure(entry, Environment((closure,)))


_COMBINATORS = ("map", "reduce", "scan", "reduce_by_index", "scatter", "filter", "partition")
_LIBRARIES = {
    "vmap": library_lanes,
    "summed": library_sums,
    **dict.fromkeys(_COMBINATORS, library_combinators),
}

statics.SPECIAL.update(
    {function: SPECIAL[name] for function, name in COUNTERPARTS.items() if name in SPECIAL}
)
tables.FUNCTIONS.update(
    {
        function: getattr(_LIBRARIES.get(name, library_derivatives), name)
        for function, name in COUNTERPARTS.items()
        if name not in SPECIAL
    }
)
