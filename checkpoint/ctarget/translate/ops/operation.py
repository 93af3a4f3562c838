"""The interface of a unit's operations, which one class per operation implements.

In: nothing. Out: Op and Effect, the bases of the classes in scalar_ops.py, object_ops.py, check_ops.py and
frame_ops.py; Forward and Adjoint, what the drivers in emit/ offer to these classes. The drivers know no
particular operation.

A node of a unit does its ops first, in the order of the block's steps. An op computes and changes nothing, so
any op may find that it cannot continue, and exit the unit. Effects come after all ops: they cannot fail.

What always holds: operations never change once they are made, and are compared by identity.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Sequence, Set
from dataclasses import fields
from functools import cache
from typing import Protocol

from checkpoint.ctarget.translate.ops.places import C_TYPES, Place, Source, is_real
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError


@dataclass(frozen=True, slots=True)
class Residual:
    """A word that the forward function records for the adjoint.

    place: its value is the word. birth: if set, the word is the birth of the object in the place.
    """

    place: Place
    birth: bool = False

    @property
    def name(self) -> str:
        """Return the name of the variable that has the word."""
        return f"{self.place.name}_birth" if self.birth else self.place.name

    @property
    def c_type(self) -> str:
        """Return the C type of that variable."""
        return "uint64_t" if self.birth else C_TYPES[self.place.kind]

    @property
    def part(self) -> str:
        """Return the member of the union Word that has it."""
        return "birth" if self.birth else "real" if is_real(self.place) else "field"


@dataclass(slots=True)
class Accumulator:
    """The cotangent of a place, so far: an expression of C.

    is_own: it is a variable of the place's own, to add to. never_minus_zero: the cotangent cannot be -0.0.
    """

    text: str
    is_own: bool
    never_minus_zero: bool

    def normalised(self) -> str:
        """Return the expression with -0.0 made 0.0."""
        return self.text if self.never_minus_zero else f"0.0 + {self.text}"


class Forward(Protocol):
    """The target of an operation's C text."""

    def put(self, *lines: str) -> None:
        """Append statements."""

    def exit(self) -> str:
        """Return the statement that leaves the unit as if the node had not begun."""

    def line(self, number: int) -> None:
        """Name the line of the program that the next statements come from; 0: none."""

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable of the function, once, and return its name."""

    def record_birth(self, owner: Place) -> None:
        """Set the variable of the birth of the object in a place, if the function records it."""

    def births_before(self, operation: Operation) -> int | None:
        """Return how many births the path takes before an operation; None: every path through it fails."""

    def tags_before(self, operation: Operation) -> int | None:
        """Return how many tags of duals it takes, likewise."""


class Adjoint(Protocol):
    """The target of an operation's adjoint: the statements that reverse one path."""

    def put(self, *lines: str) -> None:
        """Append statements."""

    def cotangent(self, place: Place) -> Accumulator:
        """Return the cotangent of a place, 0.0 where nothing contributed to it."""

    def add(self, source: Source, text: str, sign: str = "+", never_minus_zero: bool = False) -> None:
        """Add (or subtract: sign "-") an expression to the cotangent of a source that is a real place.

        never_minus_zero: the expression cannot be -0.0.
        """

    def sums(self, array: Place, text: str = "no_sums()") -> str:
        """Return the variable of the accumulator of an array, an ElementSums, which begins with `text`."""

    def receive(self, source: Source, text: str) -> None:
        """Add the accumulator that an expression of the type Value takes, to a source that is a dual."""


class _Kind(ABCMeta):
    """A class of operations, whose instances are those of its subclasses alone: none is registered.

    So isinstance, which writing a unit calls a million times, needs no function of Python's.
    """

    __instancecheck__ = type.__instancecheck__


class Operation(metaclass=_Kind):
    """An operation of a node: what it reads and sets, its C text, its residuals, its adjoint.

    It is a dataclass. If it does not say otherwise, it sets the place in its field `to`, if it has one, and
    reads all others of its fields that are places or sources, or tuples of these.
    """

    __slots__ = ()

    def reads(self) -> Sequence[Source | None]:
        """Return the sources that the forward function reads."""
        found: list[Source | None] = []
        for name, is_several in _read_fields(type(self)):
            value = getattr(self, name)
            if is_several:
                found += value
            else:
                found.append(value)
        return found

    def sets(self) -> Sequence[Place]:
        """Return the places that it sets."""
        to: Place | None = getattr(self, "to", None)
        return () if to is None else (to,)

    @abstractmethod
    def write(self, out: Forward) -> None:
        """Write the C text that does it."""

    @abstractmethod
    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        """Return the places whose cotangents the adjoint adds to; None: there is nothing to reverse.

        active: the places that have cotangents after it.
        """

    @abstractmethod
    def residuals(self) -> Sequence[Residual]:
        """Return the residuals that the adjoint reads, if there is something to reverse."""

    @abstractmethod
    def reverse(self, adjoint: Adjoint) -> None:
        """Write the C text of the adjoint."""

    @property
    def births(self) -> int:
        """Return how many births it takes."""
        return 0

    @property
    def tags(self) -> int:
        """Return how many tags of duals it takes."""
        return 0

    @property
    def gives(self) -> bool:
        """Return whether its adjoint adds to the cotangent of an object's field, and to nothing else."""
        return False

    @property
    def copied(self) -> Source | None:
        """Return the source whose value its result always equals, if there is one."""
        return None

    @property
    def made_by(self) -> tuple[Hashable, ...] | None:
        """Return what decides its results, beside what it reads; None: two operations alike may differ.

        Where nothing is changed between two operations with the same, their results are the same in all bits.
        """
        return None

    def recomputed(self) -> str | None:
        """Return an expression that computes its result again no slower than a record of it is read."""
        return None


# The types of fields that are places or sources, and of those that are several, as they are written
_SINGLE = frozenset(("Place", "Source", "Place | None", "Source | None"))
_SEVERAL = frozenset(("tuple[Place, ...]", "tuple[Source, ...]"))


@cache
def _read_fields(kind: type) -> list[tuple[str, bool]]:
    """Return the fields that operations of a class read by default, and whether each has several sources."""
    read = [field for field in fields(kind) if field.name != "to" and field.type in _SINGLE | _SEVERAL]
    return [(field.name, field.type in _SEVERAL) for field in read]


class Undifferentiated(Operation):
    """An operation without a cotangent to propagate: there is nothing to reverse."""

    __slots__ = ()

    def contributes(self, active: Set[Place]) -> None:
        """Return None: there is nothing to reverse."""
        return

    def residuals(self) -> Sequence[Residual]:
        """Return no residuals."""
        return ()

    def reverse(self, adjoint: Adjoint) -> None:
        """Refuse: drivers do not ask for it."""
        raise InternalError(f"{type(self).__name__} has no adjoint")


class Op(Operation):
    """An operation that changes nothing."""

    __slots__ = ()


class Effect(Operation):
    """An operation that makes or drops objects, or changes lists or the stack; it cannot fail."""

    __slots__ = ()
