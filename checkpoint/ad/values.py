"""The values of the language, as Python objects; immutable, except those of checkpoint.ad.containers.

    real       float, or a Dual or Node of checkpoint.ad.numbers while derivatives are taken
    integer    int (exact, not differentiable)      boolean   bool
    null       None                                 string    str
    symbol     Symbol                               pair      Pair
    tuple      tuple                                procedure Closure, with an Environment
    capsule    Capsule: the rest of an interrupted run
    opaque     Opaque: a tangent or cotangent of a closure or capsule
    failure    Failure: what a handler receives when a primitive failed
    primitive  Foreign: a function of the user's own that is one step
    unusable   Unusable: a Python object that is no value of a program

A value made of others is a *container*: `parts` returns the others, and `with_parts` returns a container of
the same type with other parts. Traversals (checkpoint.ad.graph) use only these two. `enters_as_graph` says
whether sharing inside of the container is preserved when it enters a run as an argument; data enters as a
tree.

Objects have a *birth* number in engines that count the objects of a run: the cotangents of an object's
locations are stored under it. Constants of the program, and objects of engines that do not count, have 0.

A *location* is a place that holds a real and has its own cotangent: a bound variable, an operand that is not
a variable, a slot of an environment, a field of a pair. These make new locations, copies of old ones:
binding; calling (the arguments, and the environment's slots); making a closure; constructing; installing a
handler (the variables that its body uses); resuming (the frames' slots); reading a variable as the value of a
body or branch. Reading a variable as an operand makes none. In this implementation a location is a number
*object*: whatever makes a location makes a new object (checkpoint.ad.numbers.fresh).
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

from checkpoint.ad.attributes import stored
from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span, Unreached


class Symbol(str):
    """A quoted name, equal to symbols of the same name and to no string."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Pair:
    """A pair, as made by `cons`."""

    __slots__ = ("birth", "car", "cdr")
    enters_as_graph = False

    def __init__(self, car: Any, cdr: Any, birth: int = 0) -> None:
        self.car = car
        self.cdr = cdr
        self.birth = birth

    def parts(self) -> tuple[Any, ...]:
        return (self.car, self.cdr)

    def with_parts(self, parts: tuple[Any, ...]) -> Pair:
        return Pair(*parts)


class Environment:
    """The values of the variables that a closure has captured, in their order."""

    __slots__ = ("birth", "values")
    enters_as_graph = True

    def __init__(self, values: tuple[Any, ...], birth: int = 0) -> None:
        self.values = values
        self.birth = birth

    def parts(self) -> tuple[Any, ...]:
        return self.values

    def with_parts(self, parts: tuple[Any, ...]) -> Environment:
        return Environment(parts)


EMPTY = Environment(())


class Closure:
    """A lambda and its environment, which the closures of one letrec share."""

    __slots__ = ("lam", "env")
    enters_as_graph = True

    def __init__(self, lam: Any, env: Environment) -> None:
        self.lam = lam
        self.env = env

    def parts(self) -> tuple[Any, ...]:
        return (self.env,)

    def with_parts(self, parts: tuple[Any, ...]) -> Closure:
        return Closure(self.lam, parts[0])


class Durable:
    """What can be written to a file and pickled.

    room: returns the module that does so, checkpoint.durable, which is above this package and is set there.
    """

    __slots__ = ()
    room: ClassVar[Callable[[], Any]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of mode 0600, complete or not at all, which `checkpoint.load` reads.

        Raises:
            DurableError: if it holds what has no place in a file, or is a capsule of engine interp.
            OSError: if the file cannot be written.

        Examples:
            >>> import tempfile, checkpoint
            >>> z = checkpoint.interrupt(lambda x: x * x, 3.0, 2)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     z.save(f"{folder}/square.capsule")
            ...     checkpoint.resume(checkpoint.load(f"{folder}/square.capsule", lambda x: x * x))
            9.0
        """
        Durable.room().save(self, path)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Durable.room().reduced(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Contents(NamedTuple):
    """Counts what a sealed capsule holds: its reals, and how many births its objects have."""

    reals: int
    births: int


NO_CAPSULE = "not a capsule"  # what is said of another value where one is wanted


class Capsule(Durable):
    """The rest of an interrupted run: a state of the engine that ran it.

    state: the engine's state; `state.tags` is the tag counter at the cut.
    engine: the name of the engine.
    open_tags: the tags of derivatives that the cut is inside of, within the capsule's run: a dual with one of
        them in the capsule is two numbers of the capsule's own.
    origin: the run that it was cut out of (checkpoint.ad.identity).
    """

    __slots__ = ("birth", "engine", "open_tags", "origin", "state")
    enters_as_graph = True

    def __init__(self, state: Any, engine: str, open_tags: frozenset[int], origin: Any = None) -> None:
        self.birth = 0
        self.state = state
        self.engine = engine
        self.open_tags = open_tags
        self.origin = origin

    @property
    def steps(self) -> int:
        """Number of steps that the run had done at the cut, counted from its start."""
        steps: int = self.state.steps
        return steps

    @property
    def is_closed(self) -> bool:
        """Whether its engine resumes it as it is: it has not entered a run, and its parts are not read."""
        return getattr(self.state, "is_closed", False)

    @property
    def may_shift(self) -> bool:
        """Return whether what its rest returns may hold functions that shift."""
        return self.origin is not None and self.origin.code.may_shift

    @property
    def sealed(self) -> Contents | None:
        """What it holds, if it is a value of a run whose parts nobody has read; else None.

        Its parts are reals, atoms and objects of its own. Who needs nothing of them does not read them, since
        the engine keeps them without an object for each.
        """
        found: Contents | None = getattr(self.state, "sealed", None)
        return found

    def unsealed(self) -> Capsule:
        """Return a sealed capsule with locations of its own, for outside of the run."""
        return Capsule(self.state.again(), self.engine, self.open_tags, self.origin)

    def parts(self) -> tuple[Any, ...]:
        return (self.state,)

    def with_parts(self, parts: tuple[Any, ...]) -> Capsule:
        return Capsule(parts[0], self.engine, self.open_tags, self.origin)

    def write(self) -> str:
        return f"#<capsule {self.steps}>"

    __repr__ = write


def is_sealed(value: Any) -> bool:
    """Return whether a value is a sealed capsule."""
    return type(value) is Capsule and value.sealed is not None


class Unusable:
    """A Python object that is no value of a program: it is held by reference, and can be passed on.

    A program can ask `is`, isinstance and for its truth, and pass it to functions that are one step. Anything
    else ends the run with SourceError.

    thing: the object. explain: returns the message of that error.
    late: of a function that is translated when a run reaches it, what is noted then (errors.Unreached).
    """

    __slots__ = ("explain", "late", "thing")

    def __init__(self, thing: Any, explain: Callable[[], str], late: Any = None) -> None:
        self.thing = thing
        self.explain = explain
        self.late = late

    def error(self, span: Span | None = None) -> SourceError:
        """Return the error that ends a run which does with the object what it cannot do."""
        error = SourceError(self.explain()) if self.late is None else Unreached(self.late)
        error.span = span
        return error

    def write(self) -> str:
        return f"#<{type(self.thing).__name__}>"

    __repr__ = write


class Opaque(Durable):
    """A tangent or cotangent of a closure or capsule: one number for each location in it.

    A program can only pass it on and pass it back.
    numbers: in the order in which checkpoint.ad.graph.numbers finds the locations.
    identity: that of the capsule that it belongs to (checkpoint.ad.identity); None for a closure.
    """

    __slots__ = ("birth", "identity", "numbers")
    enters_as_graph = True

    def __init__(self, numbers: tuple[Any, ...], identity: Any = None) -> None:
        self.birth = 0
        self.numbers = numbers
        self.identity = identity

    def parts(self) -> tuple[Any, ...]:
        return (self.numbers,)

    def with_parts(self, parts: tuple[Any, ...]) -> Opaque:
        return Opaque(parts[0], self.identity)

    def write(self) -> str:
        return "#<opaque>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Failure:
    """The failure of a primitive as a value, which a handler receives.

    exception: the Python exception. text: its description.
    about: for a function of arrays the operands that it was applied to and those that it takes; else empty.
    """

    exception: Exception
    text: str
    about: str = ""

    def write(self) -> str:
        return f"#<failure {self.text}>"


class Foreign:
    """A user's Python function as a primitive: one step of a program, with its derivatives; a constant.

    value: the function.
    vjp(ybar, y, *args): returns a tuple of the arguments' cotangents; None if there is no vjp.
    jvp(tangents, y, *args): returns the tangent of the result; None if there is no jvp.
    """

    value: Callable[..., Any]

    def __init__(
        self, value: Callable[..., Any], vjp: Callable[..., Any] | None, jvp: Callable[..., Any] | None
    ) -> None:
        self.value = value
        self.vjp = vjp
        self.jvp = jvp
        functools.update_wrapper(self, value, updated=())

    @property
    def name(self) -> str:
        """The name for messages."""
        return stored(self.value, "__name__") or type(self.value).__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, outside of a program."""
        return self.value(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name, as functions are, if the module has the primitive under its function's name."""
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return str(name) if found is self else (Foreign, (self.value, self.vjp, self.jvp))

    def write(self) -> str:
        return f"#<primitive {self.name}>"


def is_resume(procedure: Any) -> bool:
    """Return whether a procedure is the primitive `resume`, used as a value."""
    return type(procedure) is Closure and procedure.lam.primitive == "resume"


def list_value(items: Any, tail: Any = None) -> Any:
    """Return the proper list of a Python sequence's items; with `tail`, pairs that end in it."""
    result = tail
    for item in reversed(items):
        result = Pair(item, result)
    return result
