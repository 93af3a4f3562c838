"""Python functions as functions of the public interface.

In: a function and its arguments, Python values (checkpoint.functions.pytrees). Out: calls, whose procedure
takes the tuple of all arguments. The program of a function is made by checkpoint.functions.closures, which is
loaded with the front end when the first function is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from checkpoint import engines
from checkpoint.ad import library
from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import CONTAINERS, TUPLE, Record
from checkpoint.ad.graph import ATOMS, transform
from checkpoint.ad.numbers import NUMBERS, one
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Capsule, Closure, Opaque
from checkpoint.ad.walk import DESCEND
from checkpoint.dataclass import dataclass
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import pytrees
from checkpoint.functions.failures import PythonErrors
from checkpoint.functions.interface import Call, Function, holds_real
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.pytrees import cotangent_to_python, to_language, to_python
from checkpoint.functions.run import RESUME, Run, checked_capsule
from checkpoint.lang.control import MayShift
from checkpoint.prims.python.native import kind_of
from checkpoint.prims.python.tangents import cotangent_from, tangent_from


@cache
def front_end() -> ModuleType:
    """Return the module that makes closures of Python functions."""
    from checkpoint.functions import closures  # noqa: PLC0415  (`.vlad` programs never need it)

    return closures


@dataclass(frozen=True, slots=True, eq=False)
class MadeBy:
    """The function that a capsule was cut out of, and how it was called: enough to translate it again.

    positional, keywords, has_state: see Shape. classes: those of the objects in the arguments.
    functions: those among the arguments.
    """

    function: Any
    positional: int
    keywords: tuple[str, ...]
    has_state: bool
    classes: tuple[type, ...]
    functions: tuple[Any, ...] = ()


class PythonCapsule(Capsule):
    """A capsule of a Python function: what its rest gives is Python's own.

    made_by: the function; None of a capsule that was made inside of a program.
    """

    __slots__ = ("made_by",)

    def __init__(
        self, state: Any, engine: str, open_tags: frozenset[int], origin: Any, made_by: MadeBy | None = None
    ) -> None:
        super().__init__(state, engine, open_tags, origin)
        self.made_by = made_by


class PythonFunction(Function):
    """A Python function, which may be an object that can be called. f: the function."""

    __slots__ = ("f",)

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f

    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> Call:
        """Return the call with these arguments."""
        run = run_of(self.f, positional, named, engine, names)
        return PythonCall(run, (*positional, *named.values()), self.f, tuple(named))


def run_of(
    f: Callable[..., Any],
    positional: Sequence[Any],
    named: Mapping[str, Any],
    engine: str | None,
    names: Sequence[str] = (),
    takes_any_key: bool = False,
) -> Run:
    """Return the run of a function; names: what messages call the positional arguments.

    takes_any_key: whether its dictionaries take keys of any kind.
    """
    chosen = engines.get(engine)
    texts = texts_of(positional, named, names)
    while True:
        generation = library.generation()
        closure, classes, trial = front_end().closure_of(
            f, tuple(positional), dict(named), chosen, takes_any_key
        )
        values = entered((*positional, *named.values()), texts, chosen, classes)
        # A function among the arguments may have loaded an array library that `f` was translated without.
        if generation == library.generation():
            renew = partial(run_of, f, positional, named, engine, names)
            run = Run(closure, Record(TUPLE, tuple(values)), chosen, PythonErrors, renew, is_new=True)
            run.trial = trial
            return run


def texts_of(positional: Sequence[Any], named: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return what messages call each argument; names: of the positional ones, if they have any."""
    return [*(names or [f"args[{i}]" for i in range(len(positional))]), *named]


def entered(
    given: Sequence[Any], texts: Sequence[str], engine: Engine, classes: tuple[type, ...]
) -> list[Any]:
    """Return arguments as values of the language; classes: those of objects that the function may meet."""
    other = partial(function_or_capsule, engine=engine, classes=classes)
    return [to_language(x, text, other) for x, text in zip(given, texts, strict=True)]


def rest_of(z: Capsule, engine: str | None = None) -> Run:
    """Return the run of the rest of a capsule, on the engine that made it unless one is named."""
    chosen = engines.get(z.engine if engine is None else engine)
    return Run(RESUME, function_or_capsule(z, chosen), chosen, PythonErrors)


def function_or_capsule(thing: Any, engine: Engine, classes: tuple[type, ...] = ()) -> Any:
    """Return the value of the language for what is neither number nor container, or NotImplemented.

    classes: those of the objects that functions may meet.
    """
    if isinstance(thing, Capsule):
        checked_capsule(thing, engine)
        return Capsule(thing.state, thing.engine, thing.open_tags, thing.origin)
    if isinstance(thing, Opaque):
        return thing
    if isinstance(thing, Procedure):
        return thing.on(engine, MayShift in classes)
    if isinstance(thing, type):
        return Native(thing)
    if callable(thing):
        return front_end().argument_of(thing, engine, classes)
    return NotImplemented


class PythonRest(Call):
    """The rest of a call of a Python function, whose procedure takes a capsule."""

    __slots__ = ()

    def leave(self, value: Any) -> Any:
        return result(value, self.run.engine)

    def seed(self, ybar: Any, name: str) -> Callable[[Any], Any]:
        return lambda y: cotangent_of_value(ybar, y, name)

    def tangent(self, part: Any, xtan: Any, name: str) -> Any:
        return tangent_from(part, xtan, name)

    def leave_cotangent(self, x: Any, xbar: Any) -> Any:
        return cotangent_to_python(x, xbar)

    def leave_tangent(self, y: Any, ytan: Any) -> Any:
        return result(ytan, self.run.engine)

    def with_leaves(self, x: Any, part: Any, leaves: Sequence[Any]) -> Any:
        return pytrees.with_leaves(x, part, leaves)

    def leave_capsule(self, capsule: Capsule) -> Capsule:
        point = (capsule.state, capsule.engine, capsule.open_tags, capsule.origin)
        return PythonCapsule(*point, self.made_by())

    def made_by(self) -> MadeBy | None:
        """Return the function whose capsules these are."""
        found: MadeBy | None = getattr(self.given[0], "made_by", None)
        return found

    def without_reals(self, name: str, x: Any) -> str:
        if type(x) is int:
            return f"{name} holds no real to differentiate: pass {x}.0 instead of {x}"
        return f"{name} holds no real to differentiate: pass floats, such as 3.0, where it has ints"


class PythonCall(PythonRest):
    """A call of a Python function, whose procedure takes the tuple of the arguments.

    f: the function; None of one that a run has returned. keywords: the names of the arguments at the end.
    """

    __slots__ = ("f", "keywords")
    has_state = False

    def __init__(self, run: Run, given: Sequence[Any], f: Any = None, keywords: tuple[str, ...] = ()) -> None:
        super().__init__(run, given)
        self.f = f
        self.keywords = keywords

    def made_by(self) -> MadeBy | None:
        if self.f is None:
            return None
        classes = front_end().classes_of(tuple(self.given), self.run.takes_any_key)
        functions = front_end().functions_in(self.given) if FunctionType in classes else ()
        count = len(self.given) - len(self.keywords)
        return MadeBy(self.f, count, self.keywords, self.has_state, classes, functions)

    def parts_of(self, argument: Any) -> Sequence[Any]:
        parts: Sequence[Any] = argument.items
        return parts

    def differentiate_by(self, positions: Collection[int]) -> None:
        super().differentiate_by(positions)
        if type(self) is PythonCall and len(set(positions)) < len(self.parts):
            self.run.by = frozenset(positions)

    def packed(self, parts: Sequence[Any]) -> Any:
        return Record(TUPLE, tuple(parts))

    def unpacked(self, whole: Any) -> Sequence[Any]:
        parts: Sequence[Any] = whole.items
        return parts


def cotangent_of_value(ybar: Any, y: Any, name: str) -> Any:
    """Return the cotangent of a value of a Python function; of a real it may be None. name: for messages."""
    if ybar is not None:
        return cotangent_from(y, ybar, name)
    cotangent = one(y) if type(y) in NUMBERS else None
    if cotangent is not None:
        return cotangent
    if holds_real(y):
        raise RunError(f"{name} must be given: the value is no real but {kind_of(y)}")
    return tangent_of(y, [])


def result(value: Any, engine: Engine) -> Any:
    """Return a value of a run as Python's own; its functions can be called and run on the engine."""
    if type(value) is float:
        return value
    if _holds_capsule(value):
        value = transform(value, {}, _with_own_results)
    return to_python(value, lambda function: _returned(function, engine))


def _returned(function: Closure | Record, engine: Engine) -> Any:
    """Return what the caller receives for a function: a builtin or class itself."""
    first = function.items[0] if isinstance(function, Record) else function
    thing = first.lam.stands_for
    return thing if isinstance(thing, type | BuiltinFunctionType) else Returned(function, engine)


class Returned:
    """A function that a run returned; calling it runs it.

    function: its procedure, or the record of those for so many arguments.
    may_shift: whether its program knows of functions that shift (lang/control).
    """

    def __init__(self, function: Closure | Record, engine: Engine) -> None:
        first = function.items[0] if isinstance(function, Record) else function
        self.function = function
        self.engine = engine
        self.may_shift: bool = first.lam.may_shift
        self.__name__ = first.lam.name or "function"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the value at these arguments."""
        if named:
            raise TypeError(f"{self.__name__}() was returned by a run: pass its arguments by position")
        return result(self.run_of(args, ()).value(), self.engine)

    def run_of(self, args: Sequence[Any], names: Sequence[str]) -> Run:
        """Return the run at these arguments; names: what messages call them."""
        knows = (MayShift,) if self.may_shift else ()
        if not knows and MayShift in front_end().classes_of(tuple(args), False):
            raise RunError(
                f"{self.__name__}() was returned by a run that has no shift, and cannot be given a function "
                f"that shifts: call {self.__name__} in the function that makes it"
            )
        values = entered(args, texts_of(args, {}, names), self.engine, knows)
        closure = front_end().spread(self._procedure(len(args)), len(args), self.engine)
        return Run(closure, Record(TUPLE, tuple(values)), self.engine, PythonErrors)

    def _procedure(self, count: int) -> Closure:
        """Return the procedure for a number of arguments."""
        if not isinstance(self.function, Record):
            return self.function
        at = self.function.layout.index.get(str(count))
        if at is None:
            raise TypeError(f"{self.__name__}() cannot be called with {count} arguments by position here")
        found: Closure = self.function.items[at]
        return found

    def __repr__(self) -> str:
        return f"<function {self.__name__} of a run>"


library.refused(
    Returned,
    "a function that a run returned, in another program,",
    "differentiate it by itself, checkpoint.grad(g), or make it in the function that uses it",
)


class ReturnedFunction(Function):
    """A function that a run returned, by the interface; what it captures is constant. f: the function."""

    __slots__ = ("f",)

    def __init__(self, f: Returned) -> None:
        self.f = f

    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> Call:
        """Return the call with these arguments, on the engine of the run that returned the function."""
        own = self.f.engine.name
        if engine not in (None, own):
            raise RunError(
                f"{self.f.__name__} belongs to a run on engine {own}, and runs there: engine={own!r}"
            )
        if named:
            raise RunError(f"{self.f.__name__} was returned by a run: pass its arguments by position")
        return PythonCall(self.f.run_of(positional, names), positional)


def _with_own_results(part: Any) -> Any:
    kind = type(part)
    if kind is Capsule:
        return PythonCapsule(part.state, part.engine, part.open_tags, part.origin)
    return DESCEND if kind in CONTAINERS else part


def _holds_capsule(value: Any) -> bool:
    pending, seen = [value], set()
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is Capsule:
            return True
        if kind in CONTAINERS and id(part) not in seen:
            seen.add(id(part))
            pending.extend([p for p in part.parts() if type(p) not in NUMBERS and type(p) not in ATOMS])
    return False
