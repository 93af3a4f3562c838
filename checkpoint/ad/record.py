"""What a primitive says of itself: one record, with value and derivatives side by side.

A record is complete or refused: whoever adds a primitive states its value, its derivatives (or in
words that it has none), its purity, and where its tests sample it. Kinds of record:

    Scalar    reals to a real or a boolean; the partials are stated once and serve jvp and vjp
    Data      makes or takes apart data; its derivative is that of copying the reals it moves
    Select    reads a field of a container, which one is known when it runs
    Rearrange makes a container of fields of its operands, or tells something that holds no real
    Update    a container with some of its fields written, in place where nobody else can hold it
    Tensor    a function of arrays (checkpoint.ad.tensors)
    Effect    talks to the world, through the run's log of effects
    Operator  runs a program of its own within one step (`*j`, `interrupt`, ...)
    Control   part of the run itself (`j*`, `resume`): every engine's machine performs it
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from checkpoint.errors import InternalError


class OperandError(TypeError):
    """An operand that a primitive cannot take."""


class WrongCall(OperandError):
    """A call of what is no procedure, or of one that takes another number of arguments.

    procedure: what was called. arity: how many arguments it takes; None: it is no procedure.
    count: how many it was given.
    """

    def __init__(self, procedure: Any, count: int, arity: int | None = None) -> None:
        counted = "1 argument" if arity == 1 else f"{arity} arguments"
        super().__init__(
            "not a procedure" if arity is None else f"the procedure takes {counted}, not {count}"
        )
        self.procedure = procedure
        self.count = count
        self.arity = arity


class Purity(Enum):
    """What a pass may do with an application whose result nobody uses."""

    PURE = "pure"  # remove it, move it
    MAY_FAIL = "may fail"  # nothing: its failure is part of the meaning
    EFFECT = "effect"  # nothing, and it happens once


@dataclass(frozen=True, slots=True)
class Interval:
    """Where tests sample an operand."""

    low: float
    high: float


Partial = Callable[..., Any]


VARIADIC = -1

# What a primitive of the language may raise as the failure of a program.
FAILURES: tuple[type[Exception], ...] = (ArithmeticError, ValueError, OperandError)

# The same for what Python itself computes, whose errors are all the program's own.
PYTHON_FAILURES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, kw_only=True)
class Primitive:
    """What all records state.

    arity: how many operands; VARIADIC: any number.
    failures: the exceptions that are failures of the program; any other is a bug of this package.
    implements: the Python functions that it is, for programs in Python.
    """

    name: str
    arity: int
    purity: Purity
    doc: str
    failures: tuple[type[Exception], ...] = FAILURES
    implements: tuple[Any, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scalar(Primitive):
    """A function of reals.

    value: on floats; fails as Python's own function does. Its result is a new float object.
    ieee: on floats, for use inside derivatives: never fails. Left out where `value` never fails.
    partials: for each operand the derivative by it, a function of all operands and the result, which may be
        numbers of any kind; None: not differentiable (a boolean).
    slopes: the same on floats; left out: the partials.
    singular: a partial may be infinite at finite operands; then a zero tangent or cotangent
        contributes nothing.
    convention: what holds where the function is not differentiable, in words.
    domain: one interval per operand.
    needs: for each partial the positions that it reads, the result's being `arity`; None: all.
    inline: Python text of the value, then of each partial, on floats in {0}, {1} and the result in {z}; or of
        the value alone.
    otherwise: the name of the record that does the work where the operands are not reals, or reals beside
        integers and booleans (`takes_reals`); an integer beside reals is a constant. None: only reals are
        taken.
    """

    value: Callable[..., Any]
    ieee: Callable[..., Any]
    partials: tuple[Partial, ...] | None
    slopes: tuple[Partial, ...] | None = None
    singular: bool = False
    convention: str = ""
    needs: tuple[tuple[int, ...], ...] | None = None
    inline: tuple[str, ...] | None = None
    otherwise: str | None = None
    domain: tuple[Interval, ...]

    def __post_init__(self) -> None:
        partials = self.arity if self.partials is None else len(self.partials)
        if partials != self.arity or len(self.domain) != self.arity:
            raise InternalError(f"the record of {self.name} needs {self.arity} partials and intervals")
        if self.slopes is None:
            object.__setattr__(self, "slopes", self.partials)


@dataclass(frozen=True, kw_only=True)
class Data(Primitive):
    """A function of any values.

    builds: the result is a new object, whose fields are copies of the operands, in their order.
    header: how many operands come before those that become fields.
    takes: the result is a copy of this field of the only operand. With neither it holds no real.
    inline: Python text of the value, as in Scalar.
    """

    value: Callable[..., Any]
    builds: bool = False
    header: int = 0
    takes: int | None = None
    inline: str | None = None


@dataclass(frozen=True, kw_only=True)
class Select(Primitive):
    """A copy of one field of the first operand (checkpoint.ad.containers).

    value(now, *operands): the copy. place(now, *operands): that field's name; only asked for after
        `value` has succeeded. Where the first operand is no container (a string, a range) the result
        holds no real, and `place` is None.
    inline: Python text of the value, on operands in {0}, {1}; the machine is m, and p the value's own
        function; it may raise where `value` would fail.
    inline_place: Python text of `place`, where the first operand is a List or Record and the result a float.
    """

    value: Callable[..., Any]
    place: Callable[..., Any]
    inline: str | None = None
    inline_place: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rearrange(Primitive):
    """`value(now, *operands)`: a new container, or something that holds no real.

    Each field of the container is a copy of an operand or of a field of one, or holds no real. Whether it
    is, and of which, must not depend on the reals: the engine runs `value` again on tokens in their place.
    discrete: the result is never a container.
    inline: as in Select.
    """

    value: Callable[..., Any]
    discrete: bool = False
    inline: str | None = None


@dataclass(frozen=True, kw_only=True)
class Update(Primitive):
    """`value(now, step, *operands)`: the first operand, a List or Dict, changed; it is stale from `step` on.

    Where the first operand is no List or Dict the result is as in Rearrange.
    writes(now, *operands): what it writes, known before it does: for each field the operand that it
        becomes a copy of, and the field of that operand (None: the operand itself). The result has the
        first operand's birth. None, or where it gives None: the result is a new object with fields as in
        Rearrange.
    puts: where it always writes one field, of which the last operand is the new content:
        puts(now, result, *operands) is that field's name. None for other updates.
    inline_puts: Python text of `puts` where the first operand is a List and the second an int, on the result
        in {z} and operands as in Select.
    """

    value: Callable[..., Any]
    writes: Callable[..., list[tuple[Any, int, Any]] | None] | None
    puts: Callable[..., Any] | None = None
    inline_puts: str | None = None


@dataclass(frozen=True, kw_only=True)
class Effect(Primitive):
    """`value(effects, step, *operands)` performs it. `copies`: the result is a copy of the operand."""

    value: Callable[..., Any]
    copies: bool


@dataclass(frozen=True, kw_only=True)
class Operator(Primitive):
    """`value(machine, *operands)` runs a program within one step, on operands that may hold any number.

    `derivative` says in words how it is differentiated; `value` does it (prims/operators.py).
    """

    value: Callable[..., Any]
    derivative: str


@dataclass(frozen=True, kw_only=True)
class Control(Primitive):
    """A primitive that continues the run itself; `derivative` says in words what that means for it."""

    derivative: str


P = TypeVar("P", bound=Primitive)

_registry: dict[str, Primitive] = {}


def register(record: P) -> P:
    """Enter a record under its name; a second record of one name is refused."""
    if record.name in _registry:
        raise InternalError(f"the primitive {record.name} is registered twice")
    _registry[record.name] = record
    return record


def lookup(name: str) -> Primitive:
    """The record of a name that the front end has accepted."""
    return _registry[name]


def records() -> dict[str, Primitive]:
    """All records by name."""
    return dict(_registry)
