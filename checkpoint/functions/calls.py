"""Calls of Python functions: what the functions of the interface share, on values of the language.

In: a function and its arguments. A Call is one call of the interface: hidden inputs are read when it is
made, arguments enter it as copies, and all its runs share one log of effects, so that what is printed is
printed once. The argument of a run is the tuple of the positional arguments and those passed by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from checkpoint import engines
from checkpoint.ad import library
from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import CHANGING, CONTAINERS, TUPLE, Record
from checkpoint.ad.graph import ATOMS, enter, highest_capsule_tag, renew, transform
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.storage import NEVER
from checkpoint.ad.tangent import zeros_of
from checkpoint.ad.values import Capsule, Closure, Opaque, Pair
from checkpoint.ad.walk import DESCEND
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.convert import Procedure
from checkpoint.functions.failures import PythonErrors
from checkpoint.functions.pytrees import to_language, to_python
from checkpoint.functions.runs import RESUME, Run
from checkpoint.prims.operators import reverse_sweep, swept


@cache
def front_end() -> Any:
    """What makes closures of Python functions; it is loaded when the first function is called."""
    from checkpoint.functions import python_functions  # noqa: PLC0415  (`.vlad` programs never need it)

    return python_functions


class PythonCapsule(Capsule):
    """A capsule of a Python function: what its rest gives is Python's own."""

    __slots__ = ()


class Call(Run):
    """A prepared closure and its argument, entered, on an engine."""

    __slots__ = ("is_plain",)

    def __init__(self, closure: Closure, argument: Any, engine: Engine) -> None:
        self.is_plain = closure is not RESUME and not closure.env.values and _is_plain(argument)
        if self.is_plain:
            copies = tuple([enter(item) for item in argument.items])
            u, tags = Pair(closure, Record(TUPLE, copies)), 0
        else:
            u = enter(Pair(closure, argument))
            tags = highest_capsule_tag(u)
        super().__init__(engine, u, tags, PythonErrors(None if closure is RESUME else closure.lam.body.span))

    @property
    def argument(self) -> Any:
        """The argument as it entered: every path in it is a location of its own."""
        return self.u.cdr

    @property
    def only(self) -> Any:
        """The argument of a function of one."""
        argument = self.u.cdr
        return argument if type(argument) is Capsule else argument.items[0]

    def whole(self, part: Any) -> Any:
        """The tangent of the argument, from that of the only one."""
        return part if type(self.u.cdr) is Capsule else Record(TUPLE, (part,))

    def part(self, whole: Any) -> Any:
        """The cotangent of the only argument."""
        return whole if type(self.u.cdr) is Capsule else whole.items[0]

    def value(self) -> Any:
        """The value of the function."""
        return self.ends()[1].value

    def vjp(self, cotangent_of: Callable[[Any], Any], schedule: Schedule) -> tuple[Any, Any]:
        """The value y, and the cotangent of the argument for the cotangent that is given for y."""
        with self.errors:
            if self.is_plain:
                value, contributions = swept(self.context(), 0, schedule, self.u, cotangent_of)
                return renew(value), Record(TUPLE, tuple(contributions))
            outcome = reverse_sweep(self.context(), 0, schedule, self.u, cotangent_of)
            return outcome.car, outcome.cdr.cdr

    def second(
        self, tangent: Any, cotangent_of: Callable[[Any], Any], schedule: Schedule
    ) -> tuple[Any, Any, Any]:
        """The value y, the argument's cotangent, and the derivative of that along a tangent.

        Reverse mode over the directional derivative (checkpoint.prims.operators), so that memory stays
        that of reverse mode.
        """
        with self.errors:
            of_closure = zeros_of(self.u.car)
            u = enter(Pair(self.u, Pair(of_closure, tangent)))

            def both(y: Any) -> Any:
                cotangent = cotangent_of(y.car)
                return Pair(zeros_of(y.car), cotangent)

            outcome = reverse_sweep(self.context(), 1, schedule, u, both)
            return outcome.car.car, outcome.cdr.cdr.cdr, outcome.cdr.car.cdr


def _is_plain(argument: Record) -> bool:
    """Whether it is a tuple of reals and arrays alone: such calls should cost little beside their run."""
    return all(type(item) is float or type(item) is Array for item in argument.items)


def call_of(
    f: Callable[..., Any],
    positional: Sequence[Any],
    named: Mapping[str, Any],
    engine: str | None,
    names: Sequence[str] = (),
) -> Call:
    """The call of a function; names: what to call the positional arguments in messages."""
    chosen = engines.get(engine)

    def other(thing: Any) -> Any:
        return _function_or_capsule(thing, chosen)

    if not names:
        names = [f"args[{i}]" for i in range(len(positional))]
    while True:
        generation = library.generation()
        closure = front_end().closure_of(f, tuple(positional), dict(named), chosen)
        values = [to_language(x, name, other) for x, name in zip(positional, names, strict=True)]
        values += [to_language(x, name, other) for name, x in named.items()]
        # A function among the arguments may have loaded an array library that `f` was translated without.
        if generation == library.generation():
            return Call(closure, Record(TUPLE, tuple(values)), chosen)


def resumption(z: Capsule, engine: str | None = None) -> Call:
    """The call that runs the rest of a capsule, on the engine that made it unless one is named."""
    chosen = engines.get(z.engine if engine is None else engine)
    return Call(RESUME, _function_or_capsule(z, chosen), chosen)


def _function_or_capsule(thing: Any, engine: Engine) -> Any:
    """The value of the language for what is neither number nor container; NotImplemented for most."""
    if isinstance(thing, Capsule):
        if thing.engine not in engine.resumes:
            raise RunError(
                f"the capsule is one of engine {thing.engine}: engine {engine.name} cannot resume it"
            )
        return Capsule(thing.state, thing.engine, thing.open_tags)
    if isinstance(thing, Opaque):
        return thing
    if isinstance(thing, Procedure):
        return thing.on(engine)
    if callable(thing):
        return front_end().argument_of(thing, engine)
    return NotImplemented


def result(value: Any, engine: Engine) -> Any:
    """A value of a run, as Python's own; its functions can be called and run on the engine."""
    if type(value) is float:
        return value
    if _holds_capsule(value):
        value = transform(value, {}, _with_own_results)
    return to_python(value, lambda closure: Returned(closure, engine))


class Returned:
    """A function that a run returned; calling it runs it."""

    def __init__(self, closure: Closure, engine: Engine) -> None:
        self.closure = closure
        self.engine = engine
        self.__name__ = closure.lam.name or "function"

    def __call__(self, *args: Any) -> Any:
        """The value at these arguments."""
        values = [to_language(x, f"args[{i}]", lambda _: NotImplemented) for i, x in enumerate(args)]
        closure = front_end().spread(self.closure, len(args), self.engine)
        return result(Call(closure, Record(TUPLE, tuple(values)), self.engine).value(), self.engine)

    def __repr__(self) -> str:
        return f"<function {self.__name__} of a run>"


def capsule_of_python(capsule: Capsule) -> PythonCapsule:
    """The same capsule, as the public interface gives it for a Python function."""
    return PythonCapsule(capsule.state, capsule.engine, capsule.open_tags)


def _with_own_results(part: Any) -> Any:
    kind = type(part)
    if kind is Capsule:
        return capsule_of_python(part)
    return DESCEND if kind in CONTAINERS else part


def _holds_capsule(value: Any) -> bool:
    pending = [value]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is Capsule:
            return True
        if kind in CHANGING and part.stale != NEVER:
            return False  # it may hold itself; what makes it Python's own refuses it
        if kind in CONTAINERS:
            pending.extend([p for p in part.parts() if type(p) not in NUMBERS and type(p) not in ATOMS])
    return False
