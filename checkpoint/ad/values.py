"""The values of the language, as Python objects; immutable, hence without cycles.

    real       float, or a Dual or Node of checkpoint.ad.numbers while derivatives are taken
    integer    int (exact, not differentiable)      boolean   bool
    null       None                                 string    str
    symbol     Symbol                               pair      Pair
    tuple      tuple                                procedure Closure, with an Environment
    capsule    Capsule: the rest of an interrupted run
    opaque     Opaque: a tangent or cotangent of a closure or capsule
    failure    Failure: what a handler receives when a primitive failed
    primitive  Foreign: a function of the user's own that is one step

A value made of others is a *container*: it tells its `parts`, and `with_parts` makes the like of it
from other parts. Traversals (checkpoint.ad.graph) know no more than that. `enters_as_graph` says that
inside it sharing counts, also when it comes in as an argument (data then enters as a tree).

An object of these kinds has a *birth* number where an engine counts the objects that a run makes: the
cotangents of its locations are kept under it. Constants of the program, and objects of an engine that
does not count, have 0.

A *location* is a place that holds a real and has a cotangent of its own: a bound variable, an operand
that is not a variable, a slot of an environment, a field of a pair. What makes new locations, copies of
old ones: binding; calling (the arguments, and the environment's slots); making a closure; constructing;
installing a handler (what its body uses); resuming (the frames' slots); reading a variable as the value
of a body or branch. A variable that is read as an operand is used where it stands. Here a location is a
number *object*: whatever makes a location makes a new object (checkpoint.ad.numbers.fresh).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checkpoint.ad.attributes import stored


class Symbol(str):
    """A quoted name; equal to another symbol of the same name, never to a string."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Pair:
    """What `cons` makes."""

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
    """What a closure captured: the values of its variables, in their order."""

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
    """A lambda and its environment; the lambdas of one group of a letrec share one environment."""

    __slots__ = ("lam", "env")
    enters_as_graph = True

    def __init__(self, lam: Any, env: Environment) -> None:
        self.lam = lam
        self.env = env

    def parts(self) -> tuple[Any, ...]:
        return (self.env,)

    def with_parts(self, parts: tuple[Any, ...]) -> Closure:
        return Closure(self.lam, parts[0])


class Capsule:
    """The rest of an interrupted run: a state of the engine that ran it.

    `engine` is that engine's name; `state.tags` is the tag counter at the cut. `open_tags` are those of
    derivatives that the rest will leave: a dual under one of them, met inside the capsule, is no more than
    two numbers of the capsule's own. `origin` is the run that it was cut out of (checkpoint.ad.identity).
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
        """How many steps the run had made, counted from its start."""
        steps: int = self.state.steps
        return steps

    def parts(self) -> tuple[Any, ...]:
        return (self.state,)

    def with_parts(self, parts: tuple[Any, ...]) -> Capsule:
        return Capsule(parts[0], self.engine, self.open_tags, self.origin)

    def write(self) -> str:
        return f"#<capsule {self.steps}>"

    __repr__ = write


class Opaque:
    """A tangent or cotangent of a closure or capsule: one number for each location in it.

    `numbers` follow the order in which checkpoint.ad.graph.numbers finds the locations. A program
    can pass an Opaque on and give it back, and do nothing else with it. `identity` says to which capsule it
    belongs (checkpoint.ad.identity); None: to a closure.
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
    """A primitive's failure as a value: the Python exception, and the text that describes it.

    about: what a function of arrays was given and takes; empty for other primitives.
    """

    exception: Exception
    text: str
    about: str = ""

    def write(self) -> str:
        return f"#<failure {self.text}>"


class Foreign:
    """A Python function that is one step of a program, and how it is differentiated; a constant.

    value: the function. vjp(ybar, y, *args): the cotangents of its arguments, a tuple. jvp(tangents, y,
    *args): the tangent of its value. None: there is no such derivative.
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
        """What to call it in messages."""
        return stored(self.value, "__name__") or type(self.value).__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function, outside of a program."""
        return self.value(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """One that stands in a module under its function's name is found there, as functions are."""
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return str(name) if found is self else (Foreign, (self.value, self.vjp, self.jvp))

    def write(self) -> str:
        return f"#<primitive {self.name}>"


def is_resume(procedure: Any) -> bool:
    """Whether a procedure is the primitive `resume` itself, used as a value."""
    return type(procedure) is Closure and procedure.lam.primitive == "resume"


def list_value(items: Any, tail: Any = None) -> Any:
    """The proper list of a Python sequence (or the pairs that end in `tail`)."""
    result = tail
    for item in reversed(items):
        result = Pair(item, result)
    return result
