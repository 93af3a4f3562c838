"""Python functions as closures of the language, ready for an engine.

In: a function and how it is called. Out: a closure of one argument, the tuple of all arguments. The
program is translated and compiled once; its inputs are read at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock
from types import FunctionType
from typing import Any

from checkpoint.ad.values import EMPTY, Closure, Environment
from checkpoint.driver.engine import Engine
from checkpoint.driver.effects import Effects
from checkpoint.lang.closures import analyse
from checkpoint.lang.core import App, Expr, Lambda, Prim, Var
from checkpoint.lang.core import Const
from checkpoint.lang.python.inputs import is_data
from checkpoint.lang.python.program import NOWHERE, Linked, Programs, Shape
from checkpoint.nests import to_language

LEAVES = frozenset((float, int, str, bool, type(None)))

_programs = Programs()
_lock = RLock()


def closure_of(
    f: Callable[..., Any], positional: tuple[Any, ...], keywords: dict[str, Any], engine: Engine
) -> Closure:
    """A closure of the tuple of the positional arguments and then those passed by name."""
    shape = Shape(len(positional), tuple(keywords))
    return _closure(f, shape, engine, classes_in((*positional, *keywords.values())))


def classes_in(values: tuple[Any, ...]) -> tuple[type, ...]:
    """The classes of the objects in arguments, whose methods a function may call.

    Where there is a function among them, its class too.
    """
    found: dict[type, None] = {}
    pending, seen = list(values), set()
    while pending:
        each = pending.pop()
        kind = type(each)
        if kind in LEAVES or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, list | tuple):
            pending.extend(each)
        elif isinstance(each, dict):
            pending.extend(each.values())
        if not is_data(each):
            found[FunctionType] = None
        elif kind.__module__ != "builtins":
            found.update(dict.fromkeys(c for c in kind.__mro__ if c.__module__ != "builtins"))
            pending.extend(getattr(each, "__dict__", {}).values())
    return tuple(found)


def _closure(f: Any, shape: Shape, engine: Engine, classes: tuple[type, ...]) -> Closure:
    with _lock:
        linked, inputs = _programs.find(f, shape, classes)
        engine.prepare(linked.thunk, linked.scopes)
    return linked.closure(_hidden(linked, inputs, engine))


def _hidden(linked: Linked, inputs: list[Any], engine: Engine) -> dict[int, Any]:
    """The values of a program's inputs."""

    def other(thing: Any) -> Any:
        return argument_of(thing, engine) if callable(thing) else NotImplemented

    return {i: to_language(inputs[i], linked.thunk.params[k], other) for k, i in enumerate(linked.hidden)}


def argument_of(f: Callable[..., Any], engine: Engine) -> Any:
    """A function that is an argument, or part of one, as a value that is called by position."""
    closure = _closure(f, Shape(None), engine, ())
    start = engine.start(0, _pair(closure), 0)
    return engine.advance(start, None, Effects()).value


def _pair(closure: Closure) -> Any:
    from checkpoint.ad.values import Pair  # noqa: PLC0415

    return Pair(closure, None)


class Returned:
    """A function that a run returned; calling it runs it."""

    def __init__(self, closure: Closure, engine: Engine) -> None:
        self.closure = closure
        self.engine = engine
        self.__name__ = closure.lam.name or "function"

    def __call__(self, *args: Any) -> Any:
        """The value at these arguments."""
        from checkpoint import calls  # noqa: PLC0415
        from checkpoint.ad.containers import TUPLE, Record  # noqa: PLC0415

        values = [to_language(x, f"args[{i}]", lambda _: NotImplemented) for i, x in enumerate(args)]
        call = calls.Call(_spread(self.closure, len(args), self.engine), Record(TUPLE, tuple(values)), self.engine)
        return calls.result(call.value(), self.engine)

    def __repr__(self) -> str:
        return f"<function {self.__name__} of a run>"


def _spread(closure: Closure, count: int, engine: Engine) -> Closure:
    """A closure of a tuple that calls another with its elements."""
    items: list[Expr] = [
        Prim(NOWHERE, "py.item", (Var(NOWHERE, "arguments"), Const(NOWHERE, i))) for i in range(count)
    ]
    entry = Lambda(NOWHERE, ("arguments",), App(NOWHERE, Var(NOWHERE, "f"), tuple(items)), name="call")
    thunk = Lambda(NOWHERE, ("f",), entry, name="program")
    engine.prepare(thunk, analyse(thunk))
    return Closure(entry, Environment((closure,)))


def callable_of(closure: Closure, engine: Engine) -> Callable[..., Any]:
    """A closure of a run, for Python."""
    return Returned(closure, engine)


__all__ = ["EMPTY", "argument_of", "callable_of", "closure_of"]
