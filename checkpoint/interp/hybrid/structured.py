"""Steps that work on whole values (`*j`, `interrupt`, the entry and exit of j*, arithmetic on duals).

When such a step is taped, the numbers of its operands are put on a tape of its own, the step runs on them as
in the reference engine (checkpoint.ad.numbers), and its record is kept. In the reversal the accumulators of
the operands' locations are loaded into the leaves, so that they continue, and are stored again after the tape
has been reversed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from checkpoint.ad.activity import leaves_on
from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.numbers import Copied, Node, Number, Tape, components, with_components, without_tape
from checkpoint.ad.pullbacks import Pull
from checkpoint.ad.record import Operator, lookup
from checkpoint.ad.values import Capsule, is_sealed
from checkpoint.cps import terms as t
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import Raised
from checkpoint.interp.hybrid.cotangent import Cotangent, Location, at, gather, locations, spread, with_part
from checkpoint.prims.operators import Context
from checkpoint.prims.sealed import SealedBlock, give_births

CONSTANT = 0  # the birth of objects that no run has made
RESULT = "%result"  # the accumulator of the result, where that is a number

Place = tuple[str | None, Location]  # the slot for a number that a slot holds; else a field's location


class WithSealed(Protocol):
    """A cotangent of an engine that seals capsules."""

    def take_sealed(self, capsule: Capsule) -> Sequence[float]:
        """Remove and return what the reals of a sealed capsule have received, in the canonical order."""
        ...


class Structured:
    """The record of one such step: the locations of the numbers of its operands and result, and its tape.

    sealed: the result, where that is a sealed capsule, of which no locations are known.
    """

    __slots__ = ("leaves", "results", "sealed", "tape")

    def __init__(self) -> None:
        self.tape = Tape()
        self.leaves: dict[Place, Number] = {}
        self.results: list[tuple[Place, Number]] = []
        self.sealed: Capsule | None = None

    def run(
        self,
        operands: list[tuple[str | None, Any]],
        compute: Callable[..., Any],
        number: Callable[[Any], Any],
    ) -> Any:
        """Return the value of the step.

        operands: with their slots, None for constants. number: gives objects their births.
        """
        lifted = [self._lift(slot, value) for slot, value in operands]
        try:
            result = compute(*lifted)
        except Raised as raised:
            raised.value = self._off_tape(raised.value, number)
            raise
        finally:
            # Nodes refer to the tape that they were made on: in a cycle, arrays would wait for the collector.
            self.tape, made_on = Tape(), self.tape
            self.tape.entries, made_on.entries = made_on.entries, []
        return self._off_tape(result, number)

    def _lift(self, slot: str | None, value: Any) -> Any:
        """Return an operand with its numbers on the tape; constants of the program are unchanged."""
        if slot is None:
            return value
        found = numbers(value)
        lifted = []
        for number, location in zip(found, locations(value), strict=True):
            place = self._place(slot, location)
            if location[0] is not None and location[0][0] == CONSTANT:
                lifted.append(number)
                continue
            if place not in self.leaves:
                self.leaves[place] = with_components(number, leaves_on(self.tape))
            lifted.append(self.leaves[place])
        return replace(value, found, lifted)

    @staticmethod
    def _place(slot: str | None, location: Location) -> Place:
        return (slot if location[0] is None else None, location)

    def _off_tape(self, result: Any, number: Callable[[Any], Any]) -> Any:
        if is_sealed(result):
            self.sealed = number(result)
            return result
        found = numbers(result)
        plain = replace(result, found, [with_components(n, without_tape) for n in found])
        number(plain)
        places = [self._place(RESULT, location) for location in locations(plain)]
        self.results = list(zip(places, found, strict=True))
        self._leave_arrays()
        return plain

    def _leave_arrays(self) -> None:
        """Let go of the arrays of nodes, which nobody reads on a tape that only has entries of arrays."""
        nodes = [*components(self.leaves.values()), *components([number for _, number in self.results])]
        for entry in self.tape.entries:
            if type(entry) is Pull:
                nodes += entry.outputs
            elif type(entry) is not Copied:
                return
        for node in nodes:
            if type(node) is Node and type(node.value) is Array:
                node.value = None

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Take the accumulators of the result, and continue those of the operands.

        The tape stays as it is: the recording that holds this may be reversed again.
        """
        if self.sealed is not None:
            block = self.tape.entries[-1]
            assert type(block) is SealedBlock
            block.adjoints = cast(WithSealed, cotangent).take_sealed(self.sealed)
        received = [self._read(place, slots, cotangent) for place, _ in self.results]
        for (_, (key, _)), _ in self.results:
            if key is not None:
                cotangent.objects.pop(key, None)
        for accumulator, (_, number) in zip(received, self.results, strict=True):
            _load(number, accumulator)
        for place, number in self.leaves.items():
            _load(number, self._read(place, slots, cotangent))
        self.tape.propagate(keeps=True)
        for place, number in self.leaves.items():
            self._write(place, gather(number), slots, cotangent)

    @staticmethod
    def _read(place: Place, slots: dict[str, Any], cotangent: Cotangent) -> Any:
        slot, (key, path) = place
        if slot is not None:
            return at(slots.get(slot, 0.0), path)
        return at(cotangent.objects.get(key, 0.0), path)  # type: ignore[arg-type]

    @staticmethod
    def _write(place: Place, accumulator: Any, slots: dict[str, Any], cotangent: Cotangent) -> None:
        slot, (key, path) = place
        if slot is not None:
            slots[slot] = with_part(slots.get(slot, 0.0), path, accumulator)
        elif accumulator != 0.0 or key in cotangent.objects:
            old = cotangent.objects.get(key, 0.0)  # type: ignore[arg-type]
            cotangent.objects[key] = with_part(old, path, accumulator)  # type: ignore[index]


def _load(number: Number, accumulator: Any) -> None:
    """Load an accumulator into the nodes of a number."""
    for component, value in zip(components((number,)), spread(accumulator, number), strict=True):
        if type(component) is Node:
            component.adjoint = value


def done_again(
    engine: Engine, step: t.Compute, operands: tuple[Any, ...], births: int, tags: int
) -> Structured:
    """Return the origin of a step that runs a program, by doing it again; it had no effect but its result.

    operands: the first ones; one more would say which cotangents of arrays are read, and there are none.
    births: that of the first object of its result. tags: the next tag before the step.
    """
    record, context, names = cast(Operator, lookup(step.op)), Context(engine, tags, Effects()), step.operands
    given: list[tuple[str | None, Any]] = [
        (name, value) if isinstance(name, str) else (None, name.value)
        for name, value in zip(names, operands, strict=False)
    ]
    given += [(None, None) for _ in names[len(given) :]]
    origin = Structured()
    origin.run(given, lambda *values: record.value(context, *values), _numbering(births))
    return origin


def _numbering(births: int) -> Callable[[Any], Any]:
    """Return what gives the objects of a value births, from `births` on."""

    def number(value: Any) -> Any:
        give_births(value, births)
        return value

    return number
