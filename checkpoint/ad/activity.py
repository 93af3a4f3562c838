"""Activity of arrays: which of them a wanted cotangent can reach, known at run time.

An array is *constant* in a sweep if it came in as one (an argument by which nothing is differentiated, an
object that the program reads from its surroundings) or was computed from constants alone: no operand that its
record differentiates was active. Nothing is taped for constants, no rule is called for them, and they have no
accumulators. `Memory.constant` says so, for all handles that show the storage; states keep it, and it does
not depend on whether the run is taped.

Active are all others: what operators return; what enters an inner run, whatever it was outside, unless that
run's own arguments are not wanted. So what an inner gradient does not want stays active outside. Calling an
array active is never wrong, only slower.

A real says nothing of itself. It is constant as an operand if it is a literal of the program, or if the text
of the program shows that it depends on no wanted argument (checkpoint.lang.dependence): `Unwanted` has these
operands of one sweep, and each machine of the sweep knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

from checkpoint.ad.arrays import ARRAYS, Array, Discrete, Native, symbolic_zeros
from checkpoint.ad.containers import CONTAINERS
from checkpoint.ad.graph import ATOMS, numbers, reach_entered
from checkpoint.ad.numbers import Node, Tape, real_part, zero
from checkpoint.ad.operands import is_many_reals, leaves
from checkpoint.ad.pullbacks import Rules
from checkpoint.ad.storage import CONSTANT


def is_constant(number: Any) -> bool:
    """Return whether a number is an array that no wanted cotangent can reach; of a dual its parts may be."""
    value = number.value if type(number) is Node else number
    return type(value) is Array and (value.memory.constant or value.memory.owner is CONSTANT)


def enter_as_constant(value: Any) -> None:
    """Mark the arrays of an argument, which has entered, as constant in its run."""
    if type(value) is Array:
        value.memory.constant = True
        return
    kinds = set(map(type, value.parts() if type(value) in CONTAINERS else (value,)))
    if kinds == _ARRAY:
        for memory in set(map(_MEMORY, value.parts())):  # often one is that of all
            memory.constant = True
    elif not kinds <= _NO_ARRAYS:
        for number in reach_entered(value)[0]:
            array = real_part(number)
            if type(array) is Array:
                array.memory.constant = True


def enter_as_constants(unread: Sequence[Any], read: Sequence[Any]) -> None:
    """Mark arrays of an argument as constant, but for those that share elements with parts that are read."""
    shared = {number.memory for part in read for number in numbers(part) if type(number) is Array}
    for number in [number for part in unread for number in numbers(part)]:
        if type(number) is Array and number.memory not in shared:
            number.memory.constant = True


def zeros_unless_in(unread: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what makes the tangents of numbers that have none: zeros, symbolic for arrays in these parts.

    Where the parts enter as constants, `lift` leaves such arrays without a tangent.
    """
    theirs = {id(number) for part in unread for number in numbers(part) if type(number) is Array}
    return lambda number: symbolic_zeros(number) if id(number) in theirs else zero(number)


_ARRAY = frozenset((Array,))
_NO_ARRAYS = ATOMS | {float}
_MEMORY = attrgetter("memory")


class Unwanted:
    """The operands that no wanted cotangent of a sweep can reach, whatever values they have.

    find: returns the bits of those of an application of a primitive, a core expression.
    """

    __slots__ = ("_find", "_known")

    def __init__(self, find: Callable[[Any], int]) -> None:
        self._find = find
        self._known: dict[Any, int] = {}

    def operands(self, application: Any) -> int:
        """Return the bits of the operands of an application."""
        found = self._known.get(application)
        if found is None:
            found = self._known[application] = 0 if application is None else self._find(application)
        return found


_unwanted: ContextVar[Unwanted | None] = ContextVar("checkpoint.unwanted", default=None)


def unwanted() -> Unwanted | None:
    """Return what the present sweep does not want; None: it is not known."""
    return _unwanted.get()


def without(found: Unwanted | None) -> AbstractContextManager[None]:
    """Return a context for one sweep, in which these operands are constants."""
    return _Without(found)


class _Without:
    __slots__ = ("_found", "_token")

    def __init__(self, found: Unwanted | None) -> None:
        self._found = found

    def __enter__(self) -> None:
        self._token = _unwanted.set(self._found)

    def __exit__(self, *_: object) -> None:
        _unwanted.reset(self._token)


def literals_of(machine: Any, application: Any, literals: int) -> int:
    """Return the bits of the operands of a step that are constants whatever values they have.

    literals: the bits of those that are literals of the program.
    """
    found = machine.unwanted
    return literals if found is None else literals | found.operands(application)


def leaves_on(tape: Tape) -> Callable[[Any], Any]:
    """Return a function from a component to its leaf on a tape; a constant is returned itself."""
    return lambda component: component if is_constant(component) else tape.leaf(component)


def wanted_positions(
    record: Rules, operands: Sequence[Any], is_wanted: Callable[[Any], bool], literals: int
) -> tuple[int, ...]:
    """Return the positions of the operands that have a vjp rule and a wanted number that is no constant."""
    found = []
    for position, operand in enumerate(operands):
        if literals >> position & 1:
            continue
        if (
            any(is_wanted(x) and not is_constant(x) for x in leaves(operand))
            and record.vjp(position) is not None
        ):
            found.append(position)
    return tuple(found)


def mark_result(record: Rules, operands: Sequence[Any], literals: int, result: Any) -> None:
    """Mark the new arrays of a record's result as constant if no operand that it differentiates is active.

    literals: the bits of operands that are constants whatever they are. A view has its operand's activity.
    """
    kind = type(result)
    if kind is not Array and (kind not in CONTAINERS or is_many_reals(result)):
        return
    for position, operand in enumerate(operands):
        if literals >> position & 1:
            continue
        if _is_active(operand) and record.is_differentiated(position):
            return
    if kind is Array and not record.views:
        result.memory.constant = True  # the storage is new
        return
    shown = [_memory(operand) for operand in operands]
    for number in (result,) if kind is Array else leaves(result):
        if type(number) is Array and not any(number.memory is memory for memory in shown):
            number.memory.constant = True


def _is_active(operand: Any) -> bool:
    """Return whether an operand is or holds a number that is no constant."""
    kind = type(operand)
    if kind is Array:  # as is_constant, without its call
        return not operand.memory.constant and operand.memory.owner is not CONSTANT
    if kind is float:
        return True
    if kind in _WITHOUT_NUMBERS:
        return False
    return any(not is_constant(number) for number in leaves(operand))


_WITHOUT_NUMBERS = frozenset((int, bool, str, type(None), Discrete, Native))


def _memory(operand: Any) -> Any:
    value = real_part(operand)
    return value.memory if type(value) in ARRAYS else None
