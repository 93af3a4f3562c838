"""Steps on containers: their values, the births of these, and where their fields come from.

In: the machine, a record, its operands. Out: the value of the step, with its birth; where the run is taped
also the *origin* of the step, with which the reversal knows what only the run could determine:

    Picked   the field that a Select has read
    Moved    for each field that was made or written, the field or slot that it is a copy of
    Unwanted the fields that hold constants (array_origins.py)

The origins of what a Rearrange makes are found by making it once more from operands whose reals are replaced
by tokens; a record does nothing but move them (checkpoint.ad.record).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, Mutable, Record, fields
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.operands import of_reals
from checkpoint.ad.record import Data, Primitive, Rearrange, Select, Update
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.array_origins import Unwanted
from checkpoint.interp.hybrid.cotangent import Cotangent, Key
from checkpoint.interp.hybrid.structured import RESULT

Values = tuple[Any, ...]
MOVE_BYTES = 180  # on CPython 3.11: an entry of a Moved, with its key and its slot in the list

Names = tuple[str | None, ...]  # the slots of operands, None for constants


class Registers(Protocol):
    """The part of the machine that such a step needs: the `now` of records, and the births of objects."""

    steps: int
    owner: object
    changes: dict[int, tuple[Any, Any]]
    births: int
    tape: Any


class Picked:
    """Where a value was read. key: the accumulator that receives the cotangent of the result."""

    __slots__ = ("key",)

    def __init__(self, key: Key) -> None:
        self.key = key

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Add what the result has received to the field."""
        contribution = slots[RESULT]
        if contribution != 0.0:
            birth, field = self.key
            cotangent.give(birth, field, contribution)


class Token:
    """A stand-in for a real: the operand that holds it, and the field; None where the operand is the real."""

    __slots__ = ("field", "position")

    def __init__(self, position: int, field: Any) -> None:
        self.position = position
        self.field = field


class Moved:
    """Fields of one object, in the order in which their copies were made, each with its source."""

    __slots__ = ("birth", "moves")

    def __init__(self, birth: int) -> None:
        self.birth = birth
        self.moves: list[tuple[Any, str | None, Key | None]] = []  # (field, slot, or else the key)

    def add(self, field: Any, operands: Values, names: Names, position: int, source: Any) -> None:
        """Add a field that is a copy of an operand, or of the field `source` of one."""
        if source is None:
            self.moves.append((field, names[position], None))
        else:
            self.moves.append((field, None, (operands[position].birth, source)))

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Take what the fields have received, then add it to their sources, the last first."""
        moves = self.moves
        received = [cotangent.take(self.birth, moves[i][0]) for i in range(len(moves) - 1, -1, -1)]
        for (_, slot, key), contribution in zip(reversed(moves), received, strict=True):
            if slot is not None:
                slots[slot] = slots.get(slot, 0.0) + contribution
            elif key is not None and contribution != 0.0:
                birth, field = key
                cotangent.give(birth, field, contribution)


Origin = Picked | Moved | Unwanted


def perform(machine: Registers, record: Primitive, operands: Values) -> Any:
    """Return the value of a step on data, with births for what it makes."""
    match record:
        case Data():
            value = record.value(*operands)
            if record.mutable:
                value.owner = machine.owner
            return numbered(machine, value) if record.builds else value
        case Select():
            return record.value(machine, *operands)
        case Rearrange():
            value = record.value(machine, *operands)
            return all_born(machine, value) if record.discrete else born(machine, value)
        case Update():
            return born(machine, record.value(machine, *operands))
    raise InternalError(f"{record.name} is no step on data")


def perform_taped(
    machine: Registers, record: Primitive, operands: Values, names: Names
) -> tuple[Any, Origin | None]:
    """Return the value of a step on data, and its origin if it has one."""
    match record:
        case Select():
            value = perform(machine, record, operands)
            return value, picked(machine, record, value, operands)
        case Rearrange() if not record.discrete:
            value = perform(machine, record, operands)
            return value, moved(machine, record, value, operands, names)
        case Rearrange() if record.constants:
            value = perform(machine, record, operands)
            return value, of_constants(machine, value)
        case Update():
            written = writes(machine, record, operands, names)
            if written is not None:
                return perform(machine, record, operands), counted(machine, written)
            copies = tuple([with_tokens(i, operand) for i, operand in enumerate(operands)])
            value = perform(machine, record, operands)
            return value, moved(machine, record, value, operands, names, copies)
    return perform(machine, record, operands), None


def counted(machine: Registers, origin: Moved) -> Moved:
    """Return an origin after counting its size, which depends on the run, among the bytes of the tape."""
    machine.tape.bytes += MOVE_BYTES * len(origin.moves)
    return origin


def writes(machine: Registers, record: Update, operands: Values, names: Names) -> Moved | None:
    """Return the origin of fields that an update will write; None if it writes all of them, or fails."""
    if record.writes is None or type(operands[0]) not in MUTABLE_CONTAINERS:
        return None
    try:
        written = record.writes(machine, *operands)
    except record.failures:
        return None
    if written is None:
        return None
    found = Moved(operands[0].birth)
    for field, position, source in written:
        found.add(field, operands, names, position, source)
    return found


def born(machine: Registers, value: Any) -> Any:
    """Give a container the next birth, unless it has one: an operand, or one changed in place."""
    return numbered(machine, value) if type(value) in CONTAINERS and not value.birth else value


def all_born(machine: Any, value: Any) -> Any:
    """Give births to a new container and to those in it."""
    if type(value) in CONTAINERS and not value.birth:
        numbered(machine, value)
        parts = value.parts()
        for part in () if of_reals(parts) else parts:
            all_born(machine, part)
    return value


def of_constants(machine: Registers, value: Any) -> Unwanted | None:
    """Return the origin of a new container that holds constants, and containers of these."""
    keys, pending = [], [value]
    while pending:
        part = pending.pop()
        if type(part) in CONTAINERS:
            keys += [(part.birth, field) for field, held in _held(part) if type(held) in NUMBERS]
            pending.extend(part.parts())
    machine.tape.bytes += MOVE_BYTES * len(keys)
    return Unwanted(keys) if keys else None


def _held(container: Any) -> Iterable[tuple[Any, Any]]:
    return zip(fields(container), container.parts(), strict=True)


def numbered(machine: Registers, value: Any) -> Any:
    """Give a new object the next birth."""
    value.birth = machine.births
    machine.births += 1
    return value


def picked(machine: Registers, record: Select, value: Any, operands: Values) -> Picked | None:
    """Return the origin of what a Select has read, if that is a real of a container."""
    if type(value) not in NUMBERS or type(operands[0]) not in CONTAINERS:
        return None
    return Picked((operands[0].birth, record.place(machine, *operands)))


def key_of(machine: Registers, record: Select, value: Any, operands: Values) -> Key | None:
    """Return the key of what a Select has read, if that is a real of a container."""
    found = picked(machine, record, value, operands)
    return None if found is None else found.key


class Copies:
    """The moment at which a record runs again on tokens; its lists have no owner, and no state holds them."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.owner: object = None
        self.changes: dict[int, tuple[Any, Any]] = {}


def moved(
    machine: Registers,
    record: Rearrange | Update,
    value: Any,
    operands: Values,
    names: Names,
    copies: Values | None = None,
) -> Moved | None:
    """Return the origin of what a record has made of operands; None if it holds no real of its own.

    copies: the operands with tokens for their reals, as they were before an update.
    """
    updated = isinstance(record, Update) and type(value) in MUTABLE_CONTAINERS
    if type(value) not in CONTAINERS or not (updated or any(type(part) in NUMBERS for part in value.parts())):
        return None
    if not updated and any(value is operand for operand in operands):
        return None
    if copies is None:
        copies = tuple([with_tokens(i, operand) for i, operand in enumerate(operands)])
    replaced = reals_of(copies[0]) if updated else frozenset()
    again = record.value(Copies(machine.steps), *copies)
    found = Moved(value.birth)
    for field, part in zip(fields(again), again.parts(), strict=True):
        if type(part) is Token:
            found.add(field, operands, names, part.position, part.field)
        elif field in replaced:  # engine c gives cotangents to integers, too: they are dropped
            found.moves.append((field, None, None))
    if not found.moves:
        return None
    return counted(machine, found)


def reals_of(container: Any) -> frozenset[Any]:
    """Return the fields of a container that have tokens, for reals."""
    return frozenset(field for field, part in _held(container) if type(part) is Token)


def with_tokens(position: int, operand: Any) -> Any:
    """Return an operand with tokens for its reals; what is neither a container nor a real is unchanged."""
    if type(operand) in NUMBERS:
        return Token(position, None)
    if type(operand) not in CONTAINERS:
        return operand
    tokens = [Token(position, field) if type(part) in NUMBERS else part for field, part in _held(operand)]
    copy: Record | Mutable = operand.with_parts(tuple(tokens))
    return copy
