"""The hybrid engine: checkpoint.driver.engine.Engine on blocks, in Python.

The tape of a segment is a list of what ran, block by block, in which consecutive runs of one block are
counted and parts of blocks have entries of their own; and a list of the records of the blocks. It is reversed
from its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from checkpoint.ad.accumulators import accumulated, all_accumulated
from checkpoint.ad.array_library import held_bytes, holder_of
from checkpoint.ad.containers import fields
from checkpoint.ad.graph import PLAIN_NUMBERS, containers_in
from checkpoint.ad.numbers import Dual, Number, components
from checkpoint.ad.record import OperandError
from checkpoint.ad.state import settled, with_own_tags_outermost
from checkpoint.ad.tangent import lift, seed
from checkpoint.ad.values import NO_CAPSULE, Capsule, is_resume
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.interp.hybrid import later
from checkpoint.interp.hybrid.code import NEVER, BlockCode, Variant
from checkpoint.interp.hybrid.cotangent import (
    Cotangent,
    Place,
    Received,
    at,
    located,
    places_of_arrays,
    redo,
    spread,
    state_slots,
    with_part,
)
from checkpoint.interp.hybrid.machine import ENTRY, HALT, LEAVE, Frame, Machine, State, individual, open_tags
from checkpoint.interp.hybrid.parts import Part
from checkpoint.interp.hybrid.reversal import reverse_part
from checkpoint.interp.hybrid.run import run

# Measured by tracemalloc on CPython 3.11: a record and its slot in the list; each of its entries with the
# float that it keeps alive; a part with its slots.
RECORD_BYTES, ENTRY_BYTES, PART_BYTES = 64, 32, 600


class Recorded:
    """A tape.

    runs: what ran, with the number of times in a row. records: those of the blocks.
    kept: the identities of what holds the elements of the arrays in the records.
    given: likewise, of the caller's arrays, which are not counted.
    counts: whether anybody reads the bytes of arrays.
    """

    __slots__ = ("bytes", "counts", "given", "kept", "last", "records", "runs")

    def __init__(self, given: Collection[int] = frozenset(), counts: bool = True) -> None:
        self.counts = counts
        self.runs: list[list[Any]] = []
        self.records: list[tuple[Any, ...]] = []
        self.last: Any = None
        self.bytes = 0
        self.kept: set[int] = set()
        self.given = given

    def ran(self, block: Variant) -> None:
        """Note that the taped function of a variant of a block has run."""
        if block.record_size:
            self.bytes += RECORD_BYTES + ENTRY_BYTES * block.record_size
        if block is self.last:
            self.runs[-1][1] += 1
        else:
            self.last = block
            self.runs.append([block, 1])
            self.bytes += RECORD_BYTES

    def keep(self, arrays: Iterable[Any]) -> None:
        """Note that a record holds these arrays."""
        for array in arrays if self.counts else ():
            whole = holder_of(array)
            if id(whole) not in self.kept and id(whole) not in self.given:
                self.kept.add(id(whole))
                self.bytes += held_bytes(array)

    def add_part(self, part: Part) -> None:
        """Note that a part of a block has run."""
        self.last = None
        self.runs.append([part, 1])
        self.bytes += PART_BYTES + ENTRY_BYTES * len(part.slots)


class Recording:
    """A taped segment of a run."""

    __slots__ = ("end", "start", "tape")

    def __init__(self, start: State, tape: Recorded, end: State) -> None:
        self.start = start
        self.tape = tape
        self.end = end

    @property
    def bytes(self) -> int:
        """Return the number of bytes that its steps have recorded."""
        return self.tape.bytes

    def detached(self) -> State:
        """Return the end, whose values are plain in any case."""
        return self.end


class Hybrid:
    """The engine named "hybrid"."""

    name = "hybrid"
    resumes = frozenset(("hybrid", "c"))  # they share blocks, points and states

    def prepare(self, thunk: Any, scopes: Any) -> None:
        """See Engine.prepare."""
        if self.name not in thunk.compiled:
            later.prepare(thunk, scopes)

    def start(self, level: int, u: Any, tags: int) -> State:
        """See Engine.start."""
        frame = Frame(HALT, (), None)
        while level:
            u = lift(u.car, u.cdr, tags)
            frame = Frame(LEAVE, (tags,), frame)
            tags += 1
            level -= 1
        births = 1
        for part in containers_in(u):
            if hasattr(part, "birth"):
                part.birth = births
                births += 1
        procedure, argument = u.car, u.cdr
        if is_resume(procedure):
            return self._rest(argument, frame, tags, births)
        return State(ENTRY, 0, (procedure, argument), frame, 0, tags, births)

    def _rest(self, capsule: Any, frame: Frame, tags: int, births: int) -> State:
        if type(capsule) is not Capsule:
            raise OperandError(NO_CAPSULE)
        state: State = capsule.state
        machine = Machine(
            self, State(ENTRY, 0, (), frame, state.steps, tags, births, state.version), Effects()
        )
        machine.resume(state)
        if state.finished:
            machine.block, machine.values = machine.deliver(state.value)
        else:
            machine.block, machine.index, machine.values = state.block, state.index, state.values
        point = (machine.block, machine.index, machine.values, machine.frame)
        return State(*point, state.steps, machine.tags, births, state.version)

    def advance(self, state: State, to: int | None, effects: Effects, calls: Calls | None = None) -> State:
        """See Engine.advance."""
        machine = Machine(self, state, effects)
        run(machine, to, calls=calls)
        return machine.state()

    def capsule(self, state: State) -> Capsule:
        """See Engine.capsule."""
        capsule = Capsule(individual(state), self.name, open_tags(state))
        return with_own_tags_outermost(settled(capsule, state.steps))

    def tape(
        self,
        state: State,
        to: int | None,
        effects: Effects,
        bytes: int | None = None,
        given: Collection[int] = frozenset(),
    ) -> Recording:
        """See Engine.tape; measures after every block."""
        machine = Machine(self, state, effects, Recorded(given))
        run(machine, to, NEVER if bytes is None else bytes)
        end = machine.state()
        return Recording(state, machine.tape, _settled(end) if end.finished else end)

    def seed(self, end: State, cotangent: Any) -> Cotangent:
        """See Engine.seed."""
        end.version.show()
        value = end.value
        result = Cotangent((0.0,), [])
        for (location, _), accumulator in zip(located(value), seed(value, cotangent), strict=True):
            self._put(result, location[0], location[1], accumulator)
        return result

    def _put(self, cotangent: Cotangent, key: Any, path: tuple[int, ...], accumulator: float) -> None:
        if key is None:
            cotangent.slots = (with_part(cotangent.slots[0], path, accumulator),)
        else:
            cotangent.objects[key] = with_part(cotangent.objects.get(key, 0.0), path, accumulator)

    def seed_capsule(self, end: State, cotangents: list[float]) -> Cotangent:
        """See Engine.seed_capsule."""
        capsule = self.capsule(end)
        result = Cotangent((), [])
        rest = iter(cotangents)
        for (key, path), number in located(capsule):
            for place in paths(number):
                self._put(result, key, (*path, *place), next(rest))
        depths: dict[int, list[Any]] = {0: []}
        for (depth, position), _ in state_slots(end):
            taken = result.take(capsule.birth, (depth, position))
            depths.setdefault(depth, []).append(taken)
        frame, depth = end.frame, 0
        while frame is not None:
            depth, frame = depth + 1, frame.next
        result.slots = tuple(depths[0])
        result.stack = [tuple(depths.get(level, ())) for level in range(depth, 0, -1)]
        return result

    def capsule_cotangents(self, state: State, cotangent: Cotangent) -> list[Any]:
        """See WithCapsules.capsule_cotangents."""
        state.version.show()
        capsule = self.capsule(state)
        found: list[Any] = []
        for (key, path), number in located(capsule):
            assert key is not None  # a capsule's slots have keys, too
            birth, field = key
            if birth == capsule.birth and type(field) is Place:
                depth, position = field
                accumulator = (cotangent.stack[-depth] if depth else cotangent.slots)[position]
            else:
                accumulator = cotangent.objects.get(key, 0.0)
            parts = spread(at(accumulator, path), number)
            found += map(accumulated, parts, components((number,)))
        return found

    def reverse(self, recording: Recording, cotangent: Cotangent, keeps: bool = False) -> Cotangent:
        """See Engine.reverse."""
        tape = recording.tape
        after: BlockCode | None = recording.end.block
        received, records, runs = cotangent.slots, tape.records, tape.runs
        if keeps:  # reversal removes from these lists; what it changes in arrays it makes good
            records, runs = records.copy(), runs.copy()
            cotangent.undone = []
        turns = 0
        while runs:
            block, count = runs.pop()
            turns += count
            if isinstance(block, Part):
                received = reverse_part(block, cotangent, after, received)
                after = block.block
                continue
            reverse, has_record = block.reverse, block.record_size
            for _ in range(count):
                received = reverse(cotangent, after, received, records.pop() if has_record else None)
                after = block.block
        redo(cotangent)
        cotangent.slots = received
        cotangent.reversed += turns
        return cotangent

    def cotangent_bytes(self, cotangent: Cotangent) -> tuple[int, int]:
        """See Engine.cotangent_bytes."""
        return cotangent.bytes()

    def left_over(self, cotangent: Cotangent, start: State) -> int:
        """See Engine.left_over."""
        return sum(birth >= start.births for birth, _ in cotangent.objects)

    def argument_places(self, start: State) -> Iterable[tuple[Any, Any]]:
        """See Engine.argument_places."""
        start.version.show()
        return places_of_arrays(start)

    def received(self, recording: Recording, cotangent: Cotangent) -> Received:
        """See Engine.received."""
        return Received(cotangent)

    def argument_cotangents(
        self,
        start: State,
        cotangent: Cotangent,
        found: Sequence[Number],
        within: Sequence[int] | None = None,
    ) -> list[Any]:
        """See Engine.argument_cotangents."""
        start.version.show()
        table: dict[int, float] = {}
        objects = cotangent.objects
        for (depth, position), slot in state_slots(start):
            row = cotangent.stack[-depth] if depth else cotangent.slots
            flat: list[Any] = []
            for (key, path), number in located(slot, flat):
                accumulator = row[position] if key is None else objects.get(key, 0.0)
                if type(number) is float and not path:
                    table[id(number)] = accumulator
                    continue
                parts = spread(at(accumulator, path), number)
                for component, part in zip(components((number,)), parts, strict=True):
                    table[id(component)] = part
            for container in flat:
                accumulators = cotangent.fields_of(container.birth, fields(container))
                table.update(zip(map(id, container.parts()), accumulators, strict=True))
        wanted = found if PLAIN_NUMBERS.issuperset(map(type, found)) else components(found)
        return [table.get(id(component), 0.0) for component in wanted]

    def results(self, accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
        """See Engine.results."""
        return all_accumulated(accumulators, found)


def _settled(end: State) -> State:
    """Return a finished state with a value that nothing changes any more."""
    end.version.show()
    value = end.value
    return end if type(value) is float else end.with_parts(((settled(value, end.steps),), end.frame))


def paths(number: Any) -> list[tuple[int, ...]]:
    """Return the paths of the components of a number."""
    if type(number) is not Dual:
        return [()]
    return [(0, *path) for path in paths(number.primal)] + [(1, *path) for path in paths(number.tangent)]
