"""Records of primitives: one record each, with its value and its derivatives side by side.

A record is complete or refused: whoever adds a primitive states its value, its derivatives (or, in words,
that it has none), its purity, and the domain on which tests sample it. Kinds of records:

    Scalar    a function of reals that returns a real or a boolean; its partials serve both jvp and vjp
    Data      makes or takes apart data; its derivative is that of copying the reals that it moves
    Select    copies a field of a container; which one is known only when it runs
    Rearrange makes a container from fields of its operands, or returns a value that holds no real
    Update    changes some fields of a container, in place where nobody else can hold the container
    Tensor    a function of arrays (checkpoint.ad.tensors)
    Effect    performs input or output, through the run's log of effects
    Operator  runs a program of its own within one step (`*j`, `interrupt`, ...)
    Control   continues the run itself (`j*`, `resume`), so that each engine's machine performs it
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError


class OperandError(TypeError):
    """Raised for an operand that a primitive does not take."""


class WrongCall(OperandError):
    """Raised for a call of a value that is no procedure, or with a wrong number of arguments.

    procedure: the value that was called.
    count: the number of arguments that were passed.
    arity: the number of arguments that it takes; None if it is no procedure.
    """

    def __init__(self, procedure: Any, count: int, arity: int | None = None) -> None:
        counted = "1 argument" if arity == 1 else f"{arity} arguments"
        super().__init__(
            "not a procedure" if arity is None else f"the procedure takes {counted}, not {count}"
        )
        self.procedure = procedure
        self.count = count
        self.arity = arity


class NoReset(OperandError):
    """Raised for a shift that has no reset inside of what runs as a whole."""


class Purity(Enum):
    """The purity of a primitive: what a pass may do with an application whose result is unused."""

    PURE = "pure"  # remove it, move it
    MAY_FAIL = "may fail"  # nothing: its failure is part of the meaning
    EFFECT = "effect"  # nothing, and it happens once


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval in which tests sample an operand."""

    low: float
    high: float


Partial = Callable[..., Any]


def _nothing() -> None:
    """Return None: a record that says nothing of this."""


VARIADIC = -1

# The exceptions by which a primitive of the language may fail; they are failures of the program.
FAILURES: tuple[type[Exception], ...] = (ArithmeticError, ValueError, OperandError)

# The same for a primitive that Python itself computes, whose errors are all the program's.
PYTHON_FAILURES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,  # of libraries of arrays
    TypeError,
    ValueError,
)


@dataclass(frozen=True, kw_only=True)
class Primitive:
    """The fields of all records.

    name: the name in the core language.
    arity: the number of operands; VARIADIC for any number.
    purity: what passes may do with an unused application.
    doc: a description in words.
    failures: the exceptions that are failures of the program; any other is a bug of this package.
    implements: the Python functions that programs in Python know it by.
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

    value: the function on floats; it fails as Python's own function does, and returns a new float object.
    ieee: the function on floats inside derivatives; it never fails.
    partials: for each operand the partial derivative by it, a function of all operands and the result, which
        may be numbers of any kind; None if there is no derivative (the result is a boolean).
    on_floats: returns the partials on floats, when they are first needed (`slopes`); left out if `partials`
        serve for floats, too.
    reads: returns, when that is first needed (`needs`), for each partial the positions that it reads, `arity`
        for the result; None for all positions.
    levels: returns, when that is first needed (`flat`), the positions of the operands by which the derivative
        is 0 everywhere; these receive nothing, whatever the cotangent, and their tangents give nothing.
    text: returns, when that is first needed (`inline`), Python text of the value, and possibly of each
        partial, on floats in {0}, {1}, the result in {z}; None if there is none.
    singular: whether a partial may be infinite at finite operands; then a zero tangent or cotangent
        contributes nothing.
    convention: the value of the partials where the function is not differentiable, in words.
    otherwise: the name of the record to apply unless the operands are reals, or reals beside integers and
        booleans (`takes_reals`), which are then constants; None if only reals are taken.
    domain: an interval for each operand.
    """

    value: Callable[..., Any]
    ieee: Callable[..., Any]
    partials: tuple[Partial, ...] | None
    on_floats: Callable[[], tuple[Partial, ...] | None] | None = None
    reads: Callable[[], tuple[tuple[int, ...], ...] | None] = _nothing
    levels: Callable[[], frozenset[int]] = frozenset
    text: Callable[[], tuple[str, ...] | None] = _nothing
    singular: bool = False
    convention: str = ""
    otherwise: str | None = None
    domain: tuple[Interval, ...]

    def __post_init__(self) -> None:
        partials = self.arity if self.partials is None else len(self.partials)
        if partials != self.arity or len(self.domain) != self.arity:
            raise InternalError(f"the record of {self.name} needs {self.arity} partials and intervals")

    @cached_property
    def slopes(self) -> tuple[Partial, ...] | None:
        """Partials that take floats."""
        return self.partials if self.on_floats is None else self.on_floats()

    @cached_property
    def needs(self) -> tuple[tuple[int, ...], ...] | None:
        return self.reads()

    @cached_property
    def flat(self) -> frozenset[int]:
        return self.levels()

    @cached_property
    def inline(self) -> tuple[str, ...] | None:
        return self.text()


@dataclass(frozen=True, kw_only=True)
class Data(Primitive):
    """A function of any values; without `builds` and `takes` its result holds no real.

    value: the function.
    builds: whether the result is a new object whose fields are copies of the operands, in their order.
    mutable: whether it may be changed; it then gets the owner of the machine.
    header: the number of operands before those that become fields.
    takes: the position of the field of the only operand that the result is a copy of.
    inline: Python text of the value, as in Scalar.
    """

    value: Callable[..., Any]
    builds: bool = False
    mutable: bool = False
    header: int = 0
    takes: int | None = None
    inline: str | None = None


@dataclass(frozen=True, kw_only=True)
class Select(Primitive):
    """A copy of one field of the first operand (checkpoint.ad.containers).

    value(now, *operands): returns the copy.
    place(now, *operands): returns the field's name; called only after `value` has succeeded. It returns None
        if the first operand is no container (a string, a range); then the result holds no real.
    inline: Python text of the value, on operands in {0}, {1}; m is the machine, p the function `value`. It
        may raise where `value` would fail.
    inline_place: Python text of `place`, for a List or Record as first operand and a float as result.
    """

    value: Callable[..., Any]
    place: Callable[..., Any]
    inline: str | None = None
    inline_place: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rearrange(Primitive):
    """A function that returns a new container, or a value that holds no real.

    Each field of the container is a copy of an operand or of a field of an operand, or holds no real. Which
    of these it is must not depend on the reals: the engine runs `value` again with tokens in their place.
    value(now, *operands): the function.
    discrete: whether the result never holds a real that has a derivative.
    constants: whether a discrete result may hold reals; they are constants, and what they receive is let go.
    inline: Python text of the value, as in Select.
    """

    value: Callable[..., Any]
    discrete: bool = False
    constants: bool = False
    inline: str | None = None

    @property
    def has_origin(self) -> bool:
        """Return whether fields of the result may receive what must be passed on, or let go."""
        return self.constants or not self.discrete


@dataclass(frozen=True, kw_only=True)
class Update(Primitive):
    """A function that changes its first operand, a Mutable; for any other the result is as in Rearrange.

    value(now, *operands): changes the first operand, and returns it.
    writes(now, *operands): returns, before the update, (field, position, source) for each field to be
        written: it becomes a copy of the operand at the position, or of that operand's field `source` unless
        this is None. If `writes` is None, or returns None, all fields are written, as in Rearrange.
    puts(now, result, *operands): returns the name of the field, for an update that always writes its last
        operand to one field; None for other updates.
    inline_puts: Python text of `puts` for a List as first operand and an int as second, on the result in {z}
        and operands as in Select.
    """

    value: Callable[..., Any]
    writes: Callable[..., list[tuple[Any, int, Any]] | None] | None
    puts: Callable[..., Any] | None = None
    inline_puts: str | None = None


@dataclass(frozen=True, kw_only=True)
class Effect(Primitive):
    """Input or output.

    value(effects, step, *operands): performs it and returns the result.
    copies: whether the result is a copy of the operand.
    """

    value: Callable[..., Any]
    copies: bool


@dataclass(frozen=True, kw_only=True)
class Operator(Primitive):
    """A primitive that runs a program within one step.

    value(machine, *operands): returns the result, on operands that may hold numbers of any kind; this
        includes the primitive's differentiation (prims/operators.py).
    derivative: how it is differentiated, in words.
    """

    value: Callable[..., Any]
    derivative: str


@dataclass(frozen=True, kw_only=True)
class Control(Primitive):
    """A primitive that continues the run itself; derivative: how it is differentiated, in words."""

    derivative: str


P = TypeVar("P", bound=Primitive)

_registry: dict[str, Primitive] = {}
_later: list[Callable[[], None]] = []  # what registers further records, in the order in which that is done


def register(record: P) -> P:
    """Register a record under its name and return it; InternalError if the name is taken."""
    if record.name in _registry:
        raise InternalError(f"the primitive {record.name} is registered twice")
    _registry[record.name] = record
    return record


def later(load: Callable[[], None]) -> Callable[[], None]:
    """Let a function register records that few programs need: when one of them, or all, are looked up.

    It imports their modules, so it may be called again. They implement no function of Python.
    """
    _later.append(load)
    return load


def lookup(name: str) -> Primitive:
    """Return the record of a name, which must be registered."""
    found = find(name)
    if found is None:
        raise InternalError(f"there is no primitive {name}")
    return found


def find(name: str) -> Primitive | None:
    """Return the record of a name, or None."""
    for load in _later:
        if name in _registry:
            break
        load()
    return _registry.get(name)


def records() -> dict[str, Primitive]:
    """Return a dictionary of all records by name."""
    for load in _later:
        load()
    return dict(_registry)


def records_at_once() -> list[Primitive]:
    """Return the records that are registered by now: all that implement functions of Python."""
    return list(_registry.values())
