"""Cotangents of states: accumulators of slots, of the frames below them, and of objects by birth.

The cotangent of a state has accumulators for its slots (a tuple, aligned with the values of the state), for
its frames (a stack of tuples, the top last), and for the objects that it reaches: a sparse map from (birth,
field). A segment consumes the entries of the objects that it made; all others stay. So the cost of reversing
a segment depends on what it touches, not on what is alive.

A slot or field that holds a dual has a `Both`: an accumulator for the primal and one for the tangent. The
float 0.0 stands for an accumulator of either kind to which nothing has been added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any, NamedTuple, Protocol

from checkpoint.ad.accumulators import Accumulator
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.containers import CONTAINERS, fields
from checkpoint.ad.graph import ATOMS, is_flat, only_number, parts_of, reach
from checkpoint.ad.numbers import NUMBERS, Dual, Node, Number
from checkpoint.ad.values import Capsule, Closure, Opaque, Pair


class Place(NamedTuple):
    """The field of a slot of a capsule: at depth 0 the point, at others a frame, counted from the top."""

    depth: int
    position: int


Key = tuple[int, Any]  # (birth, field)
Location = tuple[Key | None, tuple[int, ...]]  # a key, None for a slot, and the path in a dual


class Both:
    """The accumulator of a dual."""

    __slots__ = ("primal", "tangent")

    def __init__(self, primal: Any, tangent: Any) -> None:
        self.primal = primal
        self.tangent = tangent

    def __add__(self, other: Any) -> Both:
        if type(other) is Both:
            return Both(self.primal + other.primal, self.tangent + other.tangent)
        return self  # 0.0: nothing has been added to it

    def __radd__(self, other: Any) -> Both:
        return Both(0.0 + self.primal, 0.0 + self.tangent)


# Measured by tracemalloc on CPython 3.11: an entry of a field with its key and its float, 60 (in a large
# list) to 160; the tuple of a frame with its floats; a Both, or an Accumulator and its array without
# elements.
ENTRY_BYTES, FRAME_BYTES, ACCUMULATOR_BYTES = 110, 160, 160
FEW = 2  # parts of a container, from which on their accumulators are read together


class Changes(Protocol):
    """A cotangent as `redo` sees it."""

    undone: list[Any] | None


def redo(cotangent: Changes) -> None:
    """Make the changes of arrays again that the reversal of a kept tape has undone, the first one first."""
    undone, cotangent.undone = cotangent.undone, None
    for change in reversed(undone or ()):
        change.swap()


class Cotangent:
    """The cotangent of a state during the reversal. slots: the accumulators of the present point.

    reversed: the number of runs of blocks reversed since `bytes` last measured the accumulators.
    undone: while a tape is reversed that is kept, the changes of arrays in place that have been undone.
    """

    __slots__ = ("_accumulated", "objects", "reversed", "slots", "stack", "undone")

    def __init__(self, slots: tuple[Any, ...], stack: list[tuple[Any, ...]]) -> None:
        self.slots = slots
        self.stack = stack
        self.objects: dict[Key, Any] = {}
        self.reversed = 0
        self.undone: list[Any] | None = None
        self._accumulated: tuple[int, int] | None = None

    def bytes(self) -> tuple[int, int]:
        """Return the approximate number of its bytes, and of those of the elements of its arrays besides.

        The contents of accumulators are measured only after as many runs of blocks as there are entries, so
        that the measurements cost little beside the reversal.
        """
        entries = len(self.objects) + len(self.stack)
        if self._accumulated is None or self.reversed >= entries:
            self._accumulated = self._in_accumulators()
            self.reversed = 0
        own, elements = self._accumulated
        return ENTRY_BYTES * len(self.objects) + FRAME_BYTES * len(self.stack) + own, elements

    def _in_accumulators(self) -> tuple[int, int]:
        """Return the bytes of what accumulators hold besides their floats, and of the elements of arrays."""
        own = elements = 0
        pending = list(chain(self.slots, *self.stack, self.objects.values()))
        while pending:
            accumulator = pending.pop()
            if type(accumulator) is Both:
                own += ACCUMULATOR_BYTES
                pending += (accumulator.primal, accumulator.tangent)
            elif type(accumulator) is Accumulator:
                own += ACCUMULATOR_BYTES
                elements += accumulator.nbytes
        return own, elements

    def let_go(self, accumulator: Accumulator) -> None:
        """Count an accumulator no longer that has been removed."""
        if self._accumulated is not None:
            own, elements = self._accumulated
            own, elements = own - ACCUMULATOR_BYTES, elements - accumulator.nbytes
            self._accumulated = max(0, own), max(0, elements)

    def push(self, accumulators: tuple[Any, ...]) -> None:
        """Put the accumulators of a frame onto the stack."""
        self.stack.append(accumulators)

    def pop(self, count: int) -> tuple[Any, ...]:
        """Take the accumulators of the top frame, so many, off the stack."""
        return self.stack.pop()

    def give(self, birth: int, field: Any, contribution: Any) -> None:
        """Add to the accumulator of a field."""
        key = (birth, field)
        self.objects[key] = self.objects.get(key, 0.0) + contribution

    def give_environment(self, birth: int, contributions: tuple[Any, ...], count: int) -> None:
        """Add to the first `count` slots of an environment, the last first."""
        for field in range(count - 1, -1, -1):
            if contributions[field] != 0.0:
                self.give(birth, field, contributions[field])

    def fields_of(self, birth: int, names: Collection[Any]) -> list[Any]:
        """Return the accumulators of all fields of one object."""
        return [self.objects.get((birth, name), 0.0) for name in names]

    def take(self, birth: int, field: Any) -> Any:
        """Remove and return the accumulator of a field, to which nothing is added any more."""
        return self.objects.pop((birth, field), 0.0)

    def take_reals(self, birth: int, count: int) -> list[Any]:
        """Remove and return the accumulators of the first `count` elements of a container."""
        return [self.take(birth, field) for field in range(count)]

    def give_reals(self, birth: int, contributions: list[float]) -> None:
        """Add floats to the accumulators of the first elements of a container."""
        for field in range(len(contributions) - 1, -1, -1):
            self.give(birth, field, contributions[field])


class Received:
    """Holds what the fields of a state have received, for who lets their cotangents go."""

    def __init__(self, cotangent: Cotangent) -> None:
        self._cotangent = cotangent

    def take(self, birth: int, field: Any) -> Any:
        """Remove and return the accumulator of a field, to which nothing is added any more."""
        taken = self._cotangent.take(birth, field)
        if type(taken) is Accumulator:
            self._cotangent.let_go(taken)
        return taken


def spread(accumulator: Any, number: Number) -> list[float]:
    """Return an accumulator as one float for each component of the number that it belongs to."""
    if type(number) is not Dual:
        return [accumulator]
    if type(accumulator) is Both:
        return spread(accumulator.primal, number.primal) + spread(accumulator.tangent, number.tangent)
    return spread(0.0, number.primal) + spread(0.0, number.tangent)


def gather(number: Number) -> Any:
    """Return the accumulator that consists of the adjoints of the nodes in a number."""
    if type(number) is Dual:
        return Both(gather(number.primal), gather(number.tangent))
    return number.adjoint if type(number) is Node else 0.0


def at(accumulator: Any, path: tuple[int, ...]) -> Any:
    """Return the part of an accumulator at a path in a dual."""
    for step in path:
        if type(accumulator) is not Both:
            return 0.0
        accumulator = accumulator.tangent if step else accumulator.primal
    return accumulator


def with_part(accumulator: Any, path: tuple[int, ...], part: Any) -> Any:
    """Return an accumulator with its part at a path in a dual replaced."""
    if not path:
        return part
    both = accumulator if type(accumulator) is Both else Both(0.0, 0.0)
    if path[0]:
        return Both(both.primal, with_part(both.tangent, path[1:], part))
    return Both(with_part(both.primal, path[1:], part), both.tangent)


def locations(root: Any) -> list[Location]:
    """Return the locations of the numbers of a value, aligned with checkpoint.ad.graph.numbers."""
    if only_number(root) is not None:
        return [((root.birth, 0), ())]
    return [location for location, _ in located(root)]


def located(root: Any, flat: list[Any] | None = None) -> Iterator[tuple[Location, Number]]:
    """Iterate over the numbers of a value with their locations, in the canonical order.

    flat: receives the containers of nothing but plain numbers, at least FEW, which are then left out.
    """
    seen = set()
    open_tags: frozenset[int] = frozenset()
    stack: list[tuple[Any, Key | None, tuple[int, ...]]] = [(root, None, ())]
    while stack:
        value, key, path = stack.pop()
        while type(value) is Pair and type(value.car) is float and id(value) not in seen:
            seen.add(id(value))
            yield ((value.birth, 0), ()), value.car
            key, path, value = (value.birth, 1), (), value.cdr
        kind = type(value)
        if kind is Dual and value.tag in open_tags:
            stack.append((value.tangent, key, (*path, 1)))
            stack.append((value.primal, key, (*path, 0)))
        elif kind in NUMBERS:
            yield (key, path), value
        elif kind not in ATOMS and id(value) not in seen:
            seen.add(id(value))
            if kind is Capsule:
                open_tags |= value.open_tags
            if flat is not None and kind in CONTAINERS and len(value.items) >= FEW and is_flat(value.parts()):
                flat.append(value)
                continue
            stack.extend(reversed(_fields(value)))


def _fields(value: Any) -> list[tuple[Any, Key | None, tuple[int, ...]]]:
    """Return the contents of a container with their keys; a closure's captures belong to its environment."""
    if type(value) is Closure:
        return [(value.env, None, ())]
    if type(value) is Capsule:
        return [(slot, (value.birth, place), ()) for place, slot in state_slots(value.state)]
    parts = value.numbers if type(value) is Opaque else parts_of(value)
    birth = getattr(value, "birth", 0)  # a tuple has none
    names = fields(value) if type(value) in CONTAINERS else range(len(parts))
    return [(part, (birth, name), ()) for name, part in zip(names, parts, strict=True)]


def places_of_arrays(state: Any) -> Iterator[tuple[Any, Key | None]]:
    """Yield the arrays in a state, each with its key if it is a field."""
    for _, slot in state_slots(state):
        for (key, path), number in located(slot):
            if type(number) is Array:
                yield number, None if path else key
        for other in reach(slot)[1]:
            if type(other) is Discrete:
                yield other, None


def state_slots(state: Any) -> list[tuple[Place, Any]]:
    """Return the slots of a state with their places: those of the point, then those of its frames."""
    found = [(Place(0, i), slot) for i, slot in enumerate(state.values)]
    depth, frame = 1, state.frame
    while frame is not None:
        found += [(Place(depth, i), slot) for i, slot in enumerate(frame.saved)]
        depth, frame = depth + 1, frame.next
    return found
