"""Calls of Python functions that may change what came in from outside, and return what they leave of it.

In: a function and its arguments, with `has_state`. Out: a call whose value is (y, State): the value, and the
arguments and assigned globals as the run has left them. The run works on copies, so the caller's own objects
stay as they are. An object that lies at several places of what comes in would change at all of them; its
copies would not, so it is an error to change one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from checkpoint import engines
from checkpoint.ad import library
from checkpoint.ad.array_library import holder_of
from checkpoint.ad.arrays import ARRAYS, Native
from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, TUPLE, Dict, Record
from checkpoint.ad.state import Shared
from checkpoint.ad.storage import OR_STATE
from checkpoint.ad.tangent import zeros_of
from checkpoint.errors import RunError, Span
from checkpoint.functions.failures import PythonErrors
from checkpoint.functions.python_functions import (
    PythonCall,
    PythonFunction,
    cotangent_of_value,
    entered,
    front_end,
    texts_of,
)
from checkpoint.functions.pytrees import parts_of_python
from checkpoint.functions.run import Run
from checkpoint.prims.python.tangents import tangent_from

_FROZEN = "came in as an argument"


class StatefulCall(PythonCall):
    """A call whose procedure takes the arguments with what is shared among them and the inputs."""

    __slots__ = ()
    has_state = True

    def parts_of(self, argument: Any) -> Sequence[Any]:
        parts: Sequence[Any] = argument.items[0].items
        return parts

    def packed(self, parts: Sequence[Any]) -> Any:
        return Record(TUPLE, (Record(TUPLE, tuple(parts)), zeros_of(self.run.u.cdr.items[1])))

    def unpacked(self, whole: Any) -> Sequence[Any]:
        parts: Sequence[Any] = whole.items[0].items
        return parts

    def seed(self, ybar: Any, name: str) -> Callable[[Any], Any]:
        if ybar is not None and (not isinstance(ybar, tuple) or len(ybar) != 2):
            raise RunError(f"with has_state, {name} is a pair, of the value's cotangent and of the state's")
        of_value, of_state = (None, None) if ybar is None else ybar

        def cotangent_of(whole: Any) -> Any:
            y, state = whole.items
            left = zeros_of(state) if of_state is None else tangent_from(state, of_state, f"{name}[1]")
            return Record(TUPLE, (cotangent_of_value(of_value, y, f"{name}[0]"), left))

        return cotangent_of


class StatefulFunction(PythonFunction):
    """A Python function that may change its arguments and globals."""

    __slots__ = ()

    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> StatefulCall:
        return _call(self.f, positional, named, engine, names)


def _call(
    f: Callable[..., Any],
    positional: Sequence[Any],
    named: Mapping[str, Any],
    engine: str | None,
    names: Sequence[str],
    takes_any_key: bool = False,
) -> StatefulCall:
    chosen = engines.get(engine)
    texts, given = texts_of(positional, named, names), (*positional, *named.values())
    while True:
        generation = library.generation()
        closure, classes, inputs = front_end().stateful_closure_of(
            f, tuple(positional), dict(named), chosen, takes_any_key
        )
        values = entered(given, texts, chosen, classes)
        if generation == library.generation():
            break
    roots = [(("", i), *root) for i, root in enumerate(zip(texts, given, values, strict=True))]
    roots += [((key,), *root) for key, *root in inputs]
    shared, places = _shared(roots)
    argument = Record(TUPLE, (Record(TUPLE, tuple(values)), Native(shared)))

    def renew(takes_any_key: bool) -> Run:
        return _call(f, positional, named, engine, names, takes_any_key).run

    def errors(span: Span | None) -> StateErrors:
        return StateErrors(span, places)

    return StatefulCall(Run(closure, argument, chosen, errors, renew), given, f, tuple(named))


class StateErrors(PythonErrors):
    """Turns what a run with a state raises into what Python would raise.

    places: where the objects lie that lie at several places, as Python writes them.
    """

    __slots__ = ("places",)

    def __init__(self, span: Span | None, places: Sequence[str]) -> None:
        super().__init__(span)
        self.places = places

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, RunError) and _FROZEN in error.message and self.places:
            error.message = (
                f"{error.message.replace(OR_STATE, '')}. With has_state only what lies at one place can be "
                f"changed, and there are objects that lie at two: {'; '.join(self.places[:5])}"
            )
        super().__exit__(kind, error, traceback)


Path = tuple[Any, ...]
Root = tuple[Path, str, Any, Any]  # its path, as Python writes it, the object, its value


def _shared(roots: Sequence[Root]) -> tuple[Shared, list[str]]:
    """Return the objects that lie at several places, and texts of these places."""
    first: dict[int, tuple[Path, str]] = {}
    paths: set[Path] = set()
    texts: list[str] = []
    pending = list(roots)[::-1]
    while pending:
        path, text, item, value = pending.pop()
        key = _identity(item, value)
        if key is not None:
            if key in first:
                paths |= {first[key][0], path}
                texts.append(f"{first[key][1]} and {text}")
                continue
            first[key] = path, text
        if type(value) in CONTAINERS:
            parts = zip(parts_of_python(item, value), value.parts(), _names(value), strict=True)
            inside = [((*path, i), f"{text}{name}", *pair) for i, (*pair, name) in enumerate(parts)]
            pending.extend(inside[::-1])
    return Shared(frozenset(paths)), texts


def _identity(item: Any, value: Any) -> int | None:
    """Return the identity of what may change: of an array that of the elements which it shows."""
    if type(value) in MUTABLE_CONTAINERS:
        return id(item)
    if type(value) not in ARRAYS:
        return None
    return id(holder_of(item))


def _names(value: Any) -> list[str]:
    """Return what Python writes after a container for each of its parts."""
    if type(value) is Dict:
        return [f"[{key!r}]" for key in value.items]
    names = getattr(getattr(value, "layout", None), "names", ())
    return [f".{name}" for name in names] or [f"[{i}]" for i in range(len(value.parts()))]
