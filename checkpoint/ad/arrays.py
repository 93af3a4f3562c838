"""Arrays as values of the language: handles on the arrays of a library, NumPy's or another's.

    Array      of floats or complex numbers: a *number*, with tangents and cotangents of its own shape
    Discrete   of integers or booleans: exact, not differentiable

Arrays are handles on storage that a program may change (checkpoint.ad.storage). Handles that show the same
elements, whole or as views, share a *Memory*: once the elements have been changed through one handle, the
others (a second name, a view, the base of a view) are stale. The changed array has a memory of its own.

Whose arrays they are is asked of their library (checkpoint.ad.array_library). In this package `data` is a
library's array, and an `array` is a handle on one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from checkpoint.ad.array_library import (
    dtype_kind,
    is_default,
    library_of,
    library_of_all,
    namespace_of,
    read_only_copy,
    zeros_beside,
)
from checkpoint.ad.storage import NEVER, Now, Storage, check, check_writable
from checkpoint.collector import Paused
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError


class Memory(Storage):
    """The storage of the elements that one or several handles show.

    transient: whether the reversal of a tape will restore elements that an update in place has overwritten.
        Whatever outlives the tape must copy the elements.
    constant: whether no cotangent of the elements is wanted in this run (checkpoint.ad.activity).
    """

    __slots__ = ("constant", "transient")
    noun = "array"
    aliases = "another name, a view of it,"
    copy_by = "x.copy()"
    remedy = ": x.copy()"

    def __init__(self, owner: object = None) -> None:
        self.owner = owner  # as Storage does, without its call
        self.stale = NEVER
        self.transient = False
        self.constant = False


class Array:
    """An array of floats or complex numbers; one location, as a float is.

    data: the library's array. memory: the storage that it shows.
    form: its shape and dtype, a Like, where engine c has asked the library for them; else not set.
    """

    __slots__ = ("data", "form", "memory")

    def __init__(self, data: Any, memory: Memory) -> None:
        self.data = data
        self.memory = memory

    @property
    def storage(self) -> Memory:
        """The storage that the array shows."""
        return self.memory

    def write(self) -> str:
        return f"#<array {described(self.data)}>"

    __repr__ = write


class Discrete:
    """An array of integers or booleans, which has no derivative; its fields are those of an Array."""

    __slots__ = ("data", "memory")
    enters_as_graph = False

    def __init__(self, data: Any, memory: Memory) -> None:
        self.data = data
        self.memory = memory

    @property
    def storage(self) -> Memory:
        """The storage that the array shows."""
        return self.memory

    def parts(self) -> tuple[Any, ...]:
        return ()

    def with_parts(self, parts: tuple[Any, ...]) -> Discrete:
        return Discrete(self.data, self.memory)

    def write(self) -> str:
        return f"#<array {described(self.data)}>"

    __repr__ = write


class Native:
    """A Python object that a program can only pass on, such as a dtype or an ellipsis."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Native and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def write(self) -> str:
        return f"#<{self.value}>"


class Several:
    """The tangents of one number along several directions, in a dual of a run that takes them together.

    stack: a library's array; its first axis is that of the directions.
    """

    __slots__ = ("stack",)

    def __init__(self, stack: Any) -> None:
        self.stack = stack

    def __getattr__(self, name: str) -> Any:
        raise NotTogether(name)


class NotTogether(BaseException):
    """Raised where a step needs the tangents along one direction, but a run has those along several.

    No program can handle it: who takes directions together runs them one by one then.
    """


def single(tangent: Any) -> Any:
    """Return a tangent; raise NotTogether if it is Several."""
    if type(tangent) is Several:
        raise NotTogether
    return tangent


@dataclass(frozen=True)
class ByRecords:
    """A jvp rule that only passes its tangent on, or applies records to it: it takes Several, too.

    itself: the name of a record and a function, if the rule applies that record to what the function returns
        for the tangent, in the place of the first operand.
    """

    rule: Callable[..., Any]
    itself: tuple[str, Callable[[Any], Any]] | None = None

    def __call__(self, tangent: Any, y: Any, *operands: Any) -> Any:
        return self.rule(tangent, y, *operands)


class Directions(Protocol):
    """How the steps of a run compute tangents; each method returns None for the usual way."""

    def of_scalar(self, record: Any, operands: Sequence[Any], tag: int, strict: bool) -> Any:
        """Return the dual that a scalar primitive gives."""

    def of_result(
        self, record: Any, operands: Sequence[Any], primals: list[Any], result: Any, tag: int
    ) -> list[Any] | None:
        """Return the tangents of the numbers in the result of a record of arrays."""

    def applied(self, record: Any, operands: Sequence[Any]) -> Several:
        """Return the result of a record of arrays for operands with tangents along several directions."""


directions: ContextVar[Directions | None] = ContextVar("checkpoint.directions", default=None)


def along_several(record: Any, operands: Sequence[Any]) -> Several:
    """Return the result of a record of arrays for operands with Several among them."""
    together = directions.get()
    if together is None:
        raise NotTogether
    return together.applied(record, operands)


ARRAYS = frozenset((Array, Discrete))
SYMBOLIC_ZERO = object()  # owns the zeros that are returned for an accumulator which has received nothing


def described(data: Any) -> str:
    """Return the dtype and shape of a library's array as text, for messages."""
    return f"{data.dtype} {tuple(data.shape)}"


def array_of(data: Any, memory: Memory) -> Array | Discrete:
    """Return a handle on a library's array; RunError if its elements are no numbers or booleans."""
    kind = dtype_kind(data.dtype)
    if kind in "fc":
        return Array(data, memory)
    if kind in "biu":
        return Discrete(data, memory)
    raise RunError(f"an array of {data.dtype} is no value of a program: only numbers and booleans are")


def entered(data: Any, memory: Memory) -> Array | Discrete:
    """Return a handle on a library's array that comes from outside of the run; RunError if it cannot."""
    try:
        return array_of(library_of(data).entered(data), memory)
    except TypeError as error:
        raise RunError(str(error)) from None


def all_entered(items: Collection[Any], owner: object) -> list[Any] | None:
    """Return handles on arrays of floats that come from outside of the run; None unless all items are such.

    They share one memory: it belongs to an owner who lets nobody change it, so none of them becomes stale.
    """
    library = library_of_all(items, "fc")
    if library is None:
        return None
    memory = Memory(owner)
    try:
        arrays = library.all_entered(items)
        with Paused():
            return [Array(data, memory) for data in arrays]
    except TypeError as error:
        raise RunError(str(error)) from None


class Renewal:
    """Makes new handles on arrays for another run; handles that share a memory share a new one.

    owner: the owner of the new memories. None: they have none, except that FROZEN and CONSTANT ones stay so.
    same_run: whether it is the same run that resumes, where constants stay so.
    memories: by the identity of an old memory, that memory (which keeps its identity in use) and the new one.
    """

    def __init__(self, owner: object = None, same_run: bool = False) -> None:
        self.owner = owner
        self.same_run = same_run
        self.memories: dict[int, tuple[Memory, Memory]] = {}

    def __call__(self, array: Any) -> Any:
        """Return a new handle on an array's elements, which are copied if they are transient."""
        data = array.data
        if array.memory.transient:
            kept = read_only_copy(data)
            data = namespace_of(data).array(data) if kept is None else kept
        return type(array)(data, self.memory(array.memory))

    def memory(self, old: Memory) -> Memory:
        """Return the new memory in place of an old one."""
        if self.same_run and self.owner is None and old.is_fixed:
            return old  # as nobody can change it
        if id(old) not in self.memories:
            keeps = self.owner is None and old.is_fixed
            new = Memory(old.owner if keeps or old.owner is SYMBOLIC_ZERO else self.owner)
            new.stale = old.stale
            new.constant = self.same_run and old.constant
            self.memories[id(old)] = (old, new)
        return self.memories[id(old)][1]


class Copies(Renewal):
    """Makes new handles on copies of arrays, which share no elements with anything."""

    def __call__(self, array: Any) -> Any:
        """Return a new handle on a copy of an array; of one that is dead, another dead one."""
        data = array.data
        is_fixed = not hasattr(type(data), "__setitem__")  # a scalar of NumPy's
        if is_fixed or array.memory.transient or array.memory.stale != NEVER:
            return super().__call__(array)
        return type(array)(namespace_of(data).array(data), self.memory(array.memory))


class DeepCopies(Copies):
    """Makes new handles on copies that the program may change.

    Arrays that came in share one memory, since nobody can change it; their copies have one each.
    """

    def memory(self, old: Memory) -> Memory:
        """Return the new memory in place of an old one."""
        return Memory() if old.is_fixed else super().memory(old)


def dead() -> Discrete:
    """Return a stale handle without elements: what a state stores of an array changed under another name."""
    memory = Memory()
    memory.stale = 0
    return Discrete(None, memory)


def current_data(now: Now, array: Array | Discrete) -> Any:
    """Return an array's elements, for a program that reads it; RunError if the handle is stale."""
    check(now, array)
    return array.data


def changeable_data(now: Now, array: Array | Discrete) -> Any:
    """Return the elements of an array that the program may change; RunError if it may not."""
    check_writable(now, array)
    return array.data


def check_real(data: Any) -> None:
    """Raise RunError if a Jacobian by, or of, a library's array is asked for and its numbers are complex."""
    if dtype_kind(data.dtype) == "c":
        raise RunError(
            "there is no matrix of derivatives of complex arrays: jacfwd and hessian need real arguments, "
            "jacrev real results. Take the real and imaginary parts as arguments or results; of a function "
            "that is holomorphic vjp and jvp give products with the derivative"
        )


def one_like(array: Array) -> Array | None:
    """Return the cotangent 1 of an array of shape () with a float; None for any other array."""
    data = array.data
    if tuple(data.shape) != () or dtype_kind(data.dtype) != "f":
        return None
    return Array(library_of(data).one_beside(data), Memory())


def zeros_like(array: Array, owner: object = None) -> Array:
    """Return an array of zeros of the same shape and dtype."""
    data = array.data
    return Array(zeros_beside(data, data.shape, data.dtype), Memory(owner))


def symbolic_zeros(array: Array) -> Array:
    """Return zeros of the same shape and dtype that stand for nothing; NumPy's take up no memory."""
    data = array.data
    if not is_default(data):
        return zeros_like(array, SYMBOLIC_ZERO)
    shown = namespace_of(data).broadcast_to(zeros_beside(data, (), data.dtype), data.shape)
    return Array(shown, Memory(SYMBOLIC_ZERO))


def stands_for_nothing(tangent: Any) -> bool:
    """Return whether a tangent is symbolic zeros of an array that has entered as a constant."""
    return type(tangent) is Array and tangent.memory.constant and tangent.memory.owner is SYMBOLIC_ZERO
