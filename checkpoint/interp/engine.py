"""The reference engine: checkpoint.driver.engine.Engine by the CPS evaluator and an operator tape.

A state is taped by putting every component of every number in it on a tape as a leaf; the arithmetic of the
run then records itself (checkpoint.ad.numbers). The cotangent of a state is a list with one accumulator
(checkpoint.ad.accumulators) for each component, in the canonical order of the state's numbers. The end of one
segment and the start of the next are the same moment, so their lists correspond by position.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from checkpoint.ad.accumulators import Accumulator, all_accumulated
from checkpoint.ad.activity import leaves_on
from checkpoint.ad.array_library import held_bytes, holder_of
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import numbers, reach, replace
from checkpoint.ad.numbers import Node, Number, Tape, components, with_components, without_tape
from checkpoint.ad.pullbacks import Pull
from checkpoint.ad.record import OperandError
from checkpoint.ad.state import settled, with_own_tags_outermost
from checkpoint.ad.tangent import lift, seed
from checkpoint.ad.values import NO_CAPSULE, Capsule, is_resume
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.errors import InternalError
from checkpoint.interp.code import Entry, LeaveTag, open_tags
from checkpoint.interp.machine import NOWHERE, Frame, Machine, State
from checkpoint.interp.resolve import resolve

LEAVE = LeaveTag(NOWHERE)
ENTRY = Entry(NOWHERE)


# The steps between two measurements of the tape, which cost as much as some tens of steps.
MEASURE_STEPS = 256

# A node with its partials takes 130 to 250 bytes, measured by tracemalloc over the test programs.
NODE_BYTES = 200


# A float and its slot in a list; an accumulator and its array, without the elements.
NUMBER_BYTES, ARRAY_BYTES = 32 + 8, 64 + 112


class Accumulators(list[Any]):
    """The cotangent of a state: a list of accumulators.

    bytes: those that it holds, without `accumulated`, those of the elements of arrays.
    """

    __slots__ = ("accumulated", "bytes")

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        arrays = [item for item in self if type(item) is Accumulator]
        self.bytes: int = NUMBER_BYTES * len(self) + ARRAY_BYTES * len(arrays)
        self.accumulated: int = sum([array.nbytes for array in arrays])


class Received:
    """Holds what the arrays of the arguments have received at the start of a segment, by their memories."""

    def __init__(self, leaves: list[Number], cotangent: Accumulators) -> None:
        values = [leaf.value if type(leaf) is Node else leaf for leaf in leaves]
        self._places = {id(x.memory): i for i, x in enumerate(values) if type(x) is Array}
        self._cotangent = cotangent

    def take(self, array: Array) -> Any:
        """Remove and return the accumulator of an array, to which nothing is added any more."""
        place = self._places.get(id(array.memory))
        if place is None:
            return 0.0  # nothing reads it any more
        taken, self._cotangent[place] = self._cotangent[place], 0.0
        if type(taken) is Accumulator:
            self._cotangent.accumulated -= taken.nbytes
        return taken


class CountingTape(Tape):
    """A tape that counts its leaves, the nodes that have no entry of their own.

    given: the identities of what holds the elements of arrays that are not its own.
    """

    __slots__ = ("_array_bytes", "_arrays", "_measured", "given", "leaves")

    def __init__(self, given: Collection[int] = frozenset()) -> None:
        super().__init__()
        self.given = given
        self.leaves = 0
        self._array_bytes = 0
        self._arrays: set[int] = set()  # their identities
        self._measured = 0  # the number of entries that have been measured

    def array_bytes(self) -> int:
        """Return the bytes of the arrays that its entries hold, each array counted once."""
        for entry in self.entries[self._measured :]:
            if type(entry) is Pull:
                self._hold(entry.pullback.arrays())
                self._hold(node.value.data for node in entry.outputs if type(node.value) is Array)
        self._measured = len(self.entries)
        return self._array_bytes

    def _hold(self, arrays: Iterable[Any]) -> None:
        for array in arrays:
            whole = holder_of(array)
            if id(whole) not in self._arrays and id(whole) not in self.given:
                self._arrays.add(id(whole))
                self._array_bytes += held_bytes(array)

    def leaf(self, value: float) -> Node:
        """See Tape.leaf."""
        self.leaves += 1
        return super().leaf(value)


class Recording:
    """A taped segment: the leaves of its start (constants themselves), its tape, and its end."""

    __slots__ = ("end", "leaves", "tape")

    def __init__(self, leaves: list[Number], tape: CountingTape, end: State) -> None:
        self.leaves = leaves
        self.tape = tape
        self.end = end

    @property
    def bytes(self) -> int:
        """Return an estimate by the number of nodes, those within operators included."""
        nodes = len(self.tape.entries) + self.tape.leaves - sum([type(x) is Node for x in self.leaves])
        return NODE_BYTES * nodes + self.tape.array_bytes()

    def detached(self) -> State:
        """Return the end without its tape."""
        found = numbers(self.end)
        plain = [with_components(number, without_tape) for number in found]
        state: State = replace(self.end, found, plain)
        return state


class Interp:
    """The engine named "interp"."""

    name = "interp"
    resumes = frozenset(("interp",))

    def prepare(self, thunk: Any, scopes: Any) -> None:
        """See Engine.prepare."""
        if self.name not in thunk.compiled:
            resolve(thunk, scopes)

    def start(self, level: int, u: Any, tags: int) -> State:
        """See Engine.start. `resume` of a capsule starts where the capsule was cut, without a step."""
        under: Frame | None = None
        while level:
            u, tangent = u.car, u.cdr
            u = lift(u, tangent, tags)
            under = LEAVE.frame(tags, under)
            tags += 1
            level -= 1
        procedure, argument = u.car, u.cdr
        if is_resume(procedure):
            return self._rest(argument, under, tags)
        return State(ENTRY.frame(procedure, argument, under), 0, tags)

    def _rest(self, capsule: Any, under: Frame | None, tags: int) -> State:
        if type(capsule) is not Capsule:
            raise OperandError(NO_CAPSULE)
        state: State = capsule.state
        machine = Machine(self, State(state.frame, state.steps, tags, state.version), Effects())
        machine.frame = machine.resume(state, under, lambda slot: slot)
        return machine.state()

    def advance(self, state: State, to: int | None, effects: Effects, calls: Calls | None = None) -> State:
        """See Engine.advance."""
        machine = self._machine(state, effects)
        machine.run(to, calls)
        return machine.state()

    def _machine(self, state: State, effects: Effects, taped: bool = False) -> Machine:
        """Return a machine that continues from a state; the procedure of a new run is called first."""
        machine = Machine(self, state, effects, taped)
        if state.frame.code is ENTRY:
            machine.frame = ENTRY.call(state.frame)
        return machine

    def capsule(self, state: State) -> Capsule:
        """See Engine.capsule."""
        capsule = Capsule(state, self.name, open_tags(state))
        return with_own_tags_outermost(settled(capsule, state.steps))

    def tape(
        self,
        state: State,
        to: int | None,
        effects: Effects,
        bytes: int | None = None,
        given: Collection[int] = frozenset(),
    ) -> Recording:
        """See Engine.tape."""
        tape = CountingTape(given)
        state = settled(state, state.steps)
        found = numbers(state)
        taped = [with_components(number, leaves_on(tape)) for number in found]
        recording = Recording(components(taped), tape, replace(state, found, taped))
        machine = self._machine(recording.end, effects, taped=True)
        while True:
            stop = to
            if bytes is not None and (to is None or to > machine.steps + MEASURE_STEPS):
                stop = machine.steps + MEASURE_STEPS
            machine.run(stop)
            end = recording.end = machine.state()
            if stop == to or end.finished or (bytes is not None and recording.bytes > bytes):
                recording.end = settled(end, end.steps)
                return recording

    def seed(self, end: State, cotangent: Any) -> Accumulators:
        """See Engine.seed."""
        return Accumulators(seed(end.value, cotangent))

    def seed_capsule(self, end: State, cotangents: list[float]) -> Accumulators:
        """See Engine.seed_capsule."""
        return Accumulators(cotangents)

    def reverse(self, recording: Recording, cotangent: Accumulators, keeps: bool = False) -> Accumulators:
        """See Engine.reverse."""
        ends: list[Number] = components(numbers(recording.end))
        if len(ends) != len(cotangent):
            raise InternalError("a recomputed state differs from the one that was reversed")
        for component, number in zip(ends, cotangent, strict=True):
            if type(component) is Node:
                component.adjoint = number
        recording.tape.propagate(keeps)
        found = Accumulators([x.adjoint if type(x) is Node else 0.0 for x in recording.leaves])
        for leaf in recording.leaves if keeps else ():
            if type(leaf) is Node:
                leaf.clear()
        return found

    def cotangent_bytes(self, cotangent: Accumulators) -> tuple[int, int]:
        """See Engine.cotangent_bytes."""
        return cotangent.bytes, cotangent.accumulated

    def left_over(self, cotangent: Accumulators, start: State) -> int:
        """Return 0: accumulators go with the nodes that they belong to."""
        return 0

    def argument_places(self, start: State) -> list[tuple[Any, Any]]:
        """See Engine.argument_places."""
        found, others = reach(start)
        arrays = [(number, (number,)) for number in found if type(number) is Array]
        return [*arrays, *((other, None) for other in others if type(other) is Discrete)]

    def received(self, recording: Recording, cotangent: Accumulators) -> Received:
        """See Engine.received."""
        return Received(recording.leaves, cotangent)

    def argument_cotangents(
        self,
        start: State,
        cotangent: list[Any],
        found: Sequence[Number],
        within: Sequence[int] | None = None,
    ) -> list[Any]:
        """See Engine.argument_cotangents. Numbers that the start does not hold have the cotangent 0."""
        held = components(numbers(start))
        table = {id(component): number for component, number in zip(held, cotangent, strict=True)}
        return [table.get(id(component), 0.0) for component in components(found)]

    def results(self, accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
        """See Engine.results."""
        return all_accumulated(accumulators, found)
