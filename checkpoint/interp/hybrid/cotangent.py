"""Cotangents of states: accumulators of slots, of the frames under them, and of objects by birth.

The cotangent of a state belongs to its slots (a tuple, aligned with the state's values), to its frames
(a stack of tuples, the top last), and to the objects that it reaches: a sparse map from (birth, field)
to a number. A segment takes the entries of the objects that it made; the others pass by. So reversing
costs by what a segment touches, not by what is alive.

A slot or field that holds a dual has a `Both`: an accumulator for the primal, one for the tangent. The
float 0.0 stands for an accumulator of either kind that nothing has been added to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from checkpoint.ad.amounts import Amount
from checkpoint.ad.containers import CONTAINERS, fields
from checkpoint.ad.graph import ATOMS, parts_of
from checkpoint.ad.numbers import NUMBERS, Dual, Node, Number
from checkpoint.ad.values import Capsule, Closure, Opaque

Key = tuple[int, Any]  # (birth, field); of a capsule's slots (birth, (depth, position))
Location = tuple[Key | None, tuple[int, ...]]  # a key, None for a slot, and where in a dual


class Both:
    """The accumulator of a dual."""

    __slots__ = ("primal", "tangent")

    def __init__(self, primal: Any, tangent: Any) -> None:
        self.primal = primal
        self.tangent = tangent

    def __add__(self, other: Any) -> Both:
        if type(other) is Both:
            return Both(self.primal + other.primal, self.tangent + other.tangent)
        return self  # 0.0: nothing has been added there

    def __radd__(self, other: Any) -> Both:
        return Both(0.0 + self.primal, 0.0 + self.tangent)


# Measured by tracemalloc on CPython 3.11: an entry of an object's field with its key and its float, 60 (of a
# large list) to 160; a frame's tuple with its floats; what an accumulator has besides its float, a Both or an
# Amount with the array of it, without the elements.
ENTRY_BYTES, FRAME_BYTES, ACCUMULATOR_BYTES = 110, 160, 160


class Cotangent:
    """The cotangent of a state on its way back; `slots` are those of the present point.

    reversed: how many runs of blocks have been reversed since `bytes` went through the accumulators.
    """

    __slots__ = ("_accumulated", "objects", "reversed", "slots", "stack")

    def __init__(self, slots: tuple[Any, ...], stack: list[tuple[Any, ...]]) -> None:
        self.slots = slots
        self.stack = stack
        self.objects: dict[Key, Any] = {}
        self.reversed = 0
        self._accumulated: int | None = None

    def bytes(self) -> int:
        """How many bytes it has, about. What is in accumulators is gone through from time to time.

        That is, after as many runs of blocks as there are entries, which makes it cheap beside them.
        """
        entries = len(self.objects) + len(self.stack)
        if self._accumulated is None or self.reversed >= entries:
            self._accumulated = self._in_accumulators()
            self.reversed = 0
        return ENTRY_BYTES * len(self.objects) + FRAME_BYTES * len(self.stack) + self._accumulated

    def _in_accumulators(self) -> int:
        """What accumulators hold besides their floats, arrays above all."""
        total = 0
        pending = list(chain(self.slots, *self.stack, self.objects.values()))
        while pending:
            accumulator = pending.pop()
            if type(accumulator) is Both:
                total += ACCUMULATOR_BYTES
                pending += (accumulator.primal, accumulator.tangent)
            elif type(accumulator) is Amount:
                total += ACCUMULATOR_BYTES + accumulator.array.nbytes
        return total

    def give(self, birth: int, field: Any, contribution: Any) -> None:
        """Add to a field of an object."""
        key = (birth, field)
        self.objects[key] = self.objects.get(key, 0.0) + contribution

    def give_environment(self, birth: int, contributions: tuple[Any, ...], count: int) -> None:
        """Add to the first `count` slots of an environment, the last first."""
        for field in range(count - 1, -1, -1):
            if contributions[field] != 0.0:
                self.give(birth, field, contributions[field])

    def take(self, birth: int, field: Any) -> Any:
        """What a field has received; nothing is added to it any more."""
        return self.objects.pop((birth, field), 0.0)


def spread(accumulator: Any, number: Number) -> list[float]:
    """An accumulator as one float for each component of the number that it belongs to."""
    if type(number) is not Dual:
        return [accumulator]
    if type(accumulator) is Both:
        return spread(accumulator.primal, number.primal) + spread(accumulator.tangent, number.tangent)
    return spread(0.0, number.primal) + spread(0.0, number.tangent)


def gather(number: Number) -> Any:
    """The accumulator that the nodes in a number make up."""
    if type(number) is Dual:
        return Both(gather(number.primal), gather(number.tangent))
    return number.adjoint if type(number) is Node else 0.0


def at(accumulator: Any, path: tuple[int, ...]) -> Any:
    """The part of an accumulator at a place in a dual."""
    for step in path:
        if type(accumulator) is not Both:
            return 0.0
        accumulator = accumulator.tangent if step else accumulator.primal
    return accumulator


def with_part(accumulator: Any, path: tuple[int, ...], part: Any) -> Any:
    """The accumulator with its part at a place in a dual replaced."""
    if not path:
        return part
    both = accumulator if type(accumulator) is Both else Both(0.0, 0.0)
    if path[0]:
        return Both(both.primal, with_part(both.tangent, path[1:], part))
    return Both(with_part(both.primal, path[1:], part), both.tangent)


def locations(root: Any) -> list[Location]:
    """Where the numbers of a value are kept, aligned with checkpoint.ad.graph.numbers."""
    return [location for location, _ in located(root)]


def located(root: Any) -> Iterator[tuple[Location, Number]]:
    """Each number of a value with where it is kept, in the canonical order."""
    seen = set()
    open_tags: frozenset[int] = frozenset()
    stack: list[tuple[Any, Key | None, tuple[int, ...]]] = [(root, None, ())]
    while stack:
        value, key, path = stack.pop()
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
            stack.extend(reversed(_fields(value)))


def _fields(value: Any) -> list[tuple[Any, Key | None, tuple[int, ...]]]:
    """What a container holds, each with its key; a closure's captures are its environment's."""
    if type(value) is Closure:
        return [(value.env, None, ())]
    if type(value) is Capsule:
        return [(slot, (value.birth, place), ()) for place, slot in state_slots(value.state)]
    parts = value.numbers if type(value) is Opaque else parts_of(value)
    birth = getattr(value, "birth", 0)  # a tuple has none
    names = fields(value) if type(value) in CONTAINERS else range(len(parts))
    return [(part, (birth, name), ()) for name, part in zip(names, parts, strict=True)]


def state_slots(state: Any) -> list[tuple[tuple[int, int], Any]]:
    """The slots of a state with (depth, position): the present point's, then those of its frames."""
    found = [((0, i), slot) for i, slot in enumerate(state.values)]
    depth, frame = 1, state.frame
    while frame is not None:
        found += [((depth, i), slot) for i, slot in enumerate(frame.saved)]
        depth, frame = depth + 1, frame.next
    return found
