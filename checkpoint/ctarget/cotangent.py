"""Cotangents of the C engine's states, with the interface of hybrid's; reversal of steps done in Python.

In: a state of a heap, the accumulators of its slots, frames and objects. Out: a Cotangent, which C pulls back
along a tape, and its helper (`Reverser`), which reverses the steps that left a Python origin.

In Python an accumulator is a float, a Both, or an Accumulator (of an array's cotangent). In C a field of an
object is a 64-bit integer: a position itself, or the number that containers/keys.c gives to any other
key; so the kind of the object with a birth does not matter here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, cast

from checkpoint.ad.containers import Dict
from checkpoint.ad.record import Scalar, lookup
from checkpoint.ad.values import Capsule
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.adjoint import scaled
from checkpoint.ctarget.capsules.sealed import Sealed, holds
from checkpoint.ctarget.code import make_code
from checkpoint.ctarget.foreign import stripped_slot
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.registers import operands as operands_of_step
from checkpoint.ctarget.states import Heap, State, address
from checkpoint.driver.engine import Engine
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.cotangent import Cotangent as Python
from checkpoint.interp.hybrid.cotangent import Key, Place
from checkpoint.interp.hybrid.machine import State as PythonState
from checkpoint.interp.hybrid.reversal import contributions, give_to_capsule
from checkpoint.interp.hybrid.structured import RESULT, Structured, done_again

Values = tuple[Any, ...]
Cotangents = tuple[Any, ...]


class Cotangent:
    """The cotangent of a state: accumulators of its slots, and of those of its frames, the top one last.

    undone: as in hybrid's. sealed: what sealed capsules have received, which have no fields in C.
    """

    __slots__ = ("_fields", "_nowhere", "_own", "_passing", "heap", "helper", "held", "sealed", "undone")

    def __init__(self, end: State, slots: Cotangents, frames: Cotangents = ()) -> None:
        module = runtime()
        self.heap: Heap = end.heap
        self.helper = Reverser()
        self.undone: list[Any] | None = None
        self.sealed = Sealed()
        self.held: Any = None
        self._passing: _Passing | None = None
        self._nowhere = module.ffi.NULL
        self._fields: dict[Any, int] = {}
        self._own: int = module.lib.FIRST_INTERNED  # integers up to here are their own fields
        at = module.lib.ck_state_position(end.held)
        held = module.lib.ck_cotangent_create(end.held, at.block, at.index, address(self.helper))
        self.held = self.heap.got(held)
        errors: list[BaseException] = []
        if not module.lib.ck_cotangent_set_slots(self.held, address(slots), len(slots), address(errors)):
            self._fail(errors)
        if frames:
            self.push(frames)

    @staticmethod
    def of(end: State, found: Python) -> Cotangent:
        """Return the C cotangent that equals one of hybrid's."""
        frames = tuple([cotangent for frame in found.stack for cotangent in frame])
        result = Cotangent(end, tuple(found.slots), frames)
        for key, cotangent in found.objects.items():
            result.objects[key] = cotangent
        return result

    def at(self, start: PythonState) -> Python:
        """Return it as hybrid's, for reading; `start` is the state that it belongs to."""
        result = Read(self.slots, self)
        above, frame = 0, start.frame
        while frame is not None:
            result.stack.append(self._frame(above, len(frame.saved)) if frame.saved else ())
            above, frame = above + len(frame.saved), frame.next
        result.stack.reverse()
        return result

    def reverse(self, tape: Any) -> None:
        """Pull the cotangent back to the start of the tape; the tape is used up, unless it is kept."""
        lib = runtime().lib
        reverser = self.helper
        reverser.cotangent = self
        try:
            while True:
                outcome = lib.ck_cotangent_reverse(self.held, tape)
                if outcome == lib.STOPPED:
                    return
                if outcome == lib.FAILED:
                    assert reverser.error is not None
                    raise reverser.error
                if outcome != lib.SLICED:
                    raise self.heap.full()
        finally:
            reverser.cotangent = reverser.error = None

    # Slots and frames

    @property
    def slots(self) -> Cotangents:
        """Return the accumulators of the slots at the present point."""
        found: list[Any] = []
        errors: list[BaseException] = []
        if not runtime().lib.ck_cotangent_slots(self.held, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    def push(self, cotangents: Cotangents) -> None:
        """Push the accumulators of one frame or of several."""
        errors: list[BaseException] = []
        if cotangents and not runtime().lib.ck_cotangent_push(
            self.held, address(cotangents), len(cotangents), address(errors)
        ):
            self._fail(errors)

    def pop(self, count: int) -> Cotangents:
        """Pop the `count` accumulators of a frame."""
        found: list[Any] = []
        errors: list[BaseException] = []
        if not runtime().lib.ck_cotangent_pop(self.held, count, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    def _frame(self, above: int, count: int) -> Cotangents:
        found: list[Any] = []
        errors: list[BaseException] = []
        lib = runtime().lib
        if not lib.ck_cotangent_frames(self.held, above, count, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    # Objects

    @property
    def objects(self) -> Objects:
        """Return the accumulators of objects' fields as a mapping; storing it would make a cycle."""
        return Objects(self)

    def give(self, birth: int, field: Any, contribution: Any) -> None:
        """Add a contribution to the accumulator of a field."""
        self._change(birth, field, contribution, True)

    def take(self, birth: int, field: Any) -> Any:
        """Remove and return the accumulator of a field."""
        return self._find(birth, field, True, 0.0)

    def take_reals(self, birth: int, count: int) -> list[Any]:
        """Remove and return the accumulators of the first `count` elements of a container."""
        module = runtime()
        reals = module.ffi.new("double[]", count)
        if module.lib.ck_cotangent_take_reals(self.held, birth, count, reals):
            found: list[Any] = module.ffi.unpack(reals, count)
            return found
        return [self.take(birth, field) for field in range(count)]

    def give_reals(self, birth: int, contributions: list[float]) -> None:
        """Add floats to the accumulators of the first elements of a container."""
        module = runtime()
        reals = module.ffi.new("double[]", contributions)
        if not module.lib.ck_cotangent_give_reals(self.held, birth, len(contributions), reals):
            self._fail([])

    def take_row(self, birth: int, row: Any) -> bool:
        """Move the accumulators of the first elements to an array of doubles; False: one is no real."""
        module = runtime()
        reals = module.ffi.from_buffer("double[]", row)
        return bool(module.lib.ck_cotangent_take_reals(self.held, birth, len(row), reals))

    def give_row(self, birth: int, row: Any) -> None:
        """Add an array of doubles, next to each other, to the accumulators of the first elements."""
        module = runtime()
        reals = module.ffi.from_buffer("double[]", row)
        if not module.lib.ck_cotangent_give_reals(self.held, birth, len(row), reals):
            self._fail([])

    def fields_of(self, birth: int, names: Collection[Any]) -> list[Any]:
        """Return the accumulators of all fields of an object: positions, or a dictionary's keys."""
        module = runtime()
        found: list[Any] = []
        errors: list[BaseException] = []
        keys = [] if type(names) is range else [Dict(dict.fromkeys(names))]
        given = address(keys) if keys else module.ffi.NULL
        if not module.lib.ck_cotangent_fields(
            self.held, birth, len(names), given, address(found), address(errors)
        ):
            self._fail(errors)
        return found

    def take_sealed(self, capsule: Capsule) -> Sequence[float]:
        """Remove and return what the reals of a sealed capsule have received, in the canonical order."""
        return self.sealed.take(capsule, self)

    def holds(self, capsule: Capsule) -> bool:
        """Return whether an object of a sealed capsule has accumulators."""
        return holds(self.heap, self.held, capsule)

    def _open(self, birth: int, field: Any, takes: bool = False) -> None:
        """Have what a sealed capsule has received in fields before one of these is asked for."""
        if type(field) is Place:
            self.sealed.open(birth, self, takes)
        elif self.sealed.bytes:
            self.sealed.open_object(birth, self)

    def _change(self, birth: int, field: Any, cotangent: Any, adds: bool) -> None:
        self._open(birth, field)
        lib, passing, field = runtime().lib, self._own_passing(), self._field(field)
        real, others, given = 0.0, self._nowhere, (cotangent,)
        if type(cotangent) is float:
            real = cotangent
        else:
            others = address(given)
        if not lib.ck_cotangent_change(self.held, birth, field, adds, real, others, passing.at[1]):
            self._fail([passing.errors.pop()] if passing.errors else [])

    def _find(self, birth: int, field: Any, takes: bool, default: Any) -> Any:
        self._open(birth, field, takes)
        lib, into = runtime().lib, self._own_passing()
        found = lib.ck_cotangent_find(self.held, birth, self._field(field), takes, into.real, *into.at)
        if found == lib.REAL_COTANGENT:
            return into.real[0]
        if found == lib.FIND_FAILED:
            self._fail([into.errors.pop()] if into.errors else [])
        return into.others.pop() if found == lib.OTHER_COTANGENT else default

    def _own_passing(self) -> _Passing:
        if self._passing is None:
            self._passing = _Passing()
        return self._passing

    def _field(self, key: Any) -> int:
        if type(key) is int and -self._own <= key < self._own:
            return key
        field = self._fields.get(key)
        if field is None:
            module = runtime()
            number = module.ffi.new("int64_t *")
            holder = [Dict({tuple(key) if type(key) is Place else key: None})]
            errors: list[BaseException] = []
            if not module.lib.ck_key_field(self.held, address(holder), number, address(errors)):
                self._fail(errors)
            field = self._fields[key] = number[0]
        return field

    def _fail(self, errors: list[BaseException]) -> None:
        raise errors[0] if errors else self.heap.full()


class _Passing:
    """Holds what C finds, at the addresses `at`: a real, or another cotangent, or an error."""

    __slots__ = ("at", "errors", "others", "real")

    def __init__(self) -> None:
        self.real = runtime().ffi.new("double *")
        self.others: list[Any] = []
        self.errors: list[BaseException] = []
        self.at = address(self.others), address(self.errors)


class Read(Python):
    """A cotangent of C as hybrid's, for reading."""

    __slots__ = ("_source",)

    def __init__(self, slots: Cotangents, source: Cotangent) -> None:
        super().__init__(slots, [])
        self._source = source
        self.objects = cast(dict[Key, Any], source.objects)

    def fields_of(self, birth: int, names: Collection[Any]) -> list[Any]:
        return self._source.fields_of(birth, names)


class Objects:
    """The accumulators of fields of objects, by (birth, field)."""

    __slots__ = ("_cotangent",)

    def __init__(self, cotangent: Cotangent) -> None:
        self._cotangent = cotangent

    def get(self, key: Key, default: Any = None) -> Any:
        """Return the accumulator, or the default if nothing was added."""
        return self._cotangent._find(*key, False, default)

    def pop(self, key: Key, default: Any = None) -> Any:
        """Remove and return the accumulator, or return the default."""
        return self._cotangent._find(*key, True, default)

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    def __getitem__(self, key: Key) -> Any:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __setitem__(self, key: Key, cotangent: Any) -> None:
        self._cotangent._change(*key, cotangent, False)


class Reverser:
    """The helper that C calls while it pulls a cotangent back. error: the exception that a step raised.

    A method returns None if it has failed. engine: runs programs within steps.
    """

    __slots__ = ("cotangent", "error")
    engine: ClassVar[Engine]

    def __init__(self) -> None:
        self.cotangent: Cotangent | None = None
        self.error: BaseException | None = None

    def reverse(
        self, peer: BlockPeer, key: int, origin: Any, received: Any, accumulators: Cotangents
    ) -> list[Any] | None:
        """Reverse the origin of a step, an end or a stripping; return the operands' new accumulators."""
        try:
            names = _operands(peer, key)
            slots = {name: x for name, x in zip(names, accumulators, strict=True) if isinstance(name, str)}
            slots[RESULT] = received
            origin.reverse(slots, self.cotangent)
            return [slots.get(name, 0.0) if isinstance(name, str) else None for name in names]
        except BaseException as error:  # any exception passes through C to `Cotangent.reverse`
            self.error = error
            return None

    def again(
        self, peer: BlockPeer, step: int, operands: Values, births: int, tags: int
    ) -> Structured | None:
        """Return the origin of a step that C did but cannot reverse, by doing it again.

        births: that of the first object of its result. tags: the next tag before the step.
        """
        try:
            return done_again(self.engine, cast(t.Compute, peer.block.steps[step]), operands, births, tags)
        except BaseException as error:
            self.error = error
            return None

    def make_code(self, peer: BlockPeer, form: int) -> None:
        """Make code that a run within a reversal lacks."""
        make_code(peer, form)

    def scale(
        self,
        peer: BlockPeer,
        step: int,
        values: Values,
        result: Any,
        cotangent: float,
        accumulators: Cotangents,
    ) -> Cotangents | None:
        """Do what hybrid's Reversal.scale does, for a record whose partials are not in C."""
        try:
            compute = cast(t.Compute, peer.block.steps[step])
            record, operands = cast(Scalar, lookup(compute.op)), compute.operands
            slots = dict(zip(operands, accumulators, strict=True))
            targets = scaled(record, operands)
            for position, contribution in contributions(record, targets, values, result, cotangent):
                slots[operands[position]] += contribution
            return tuple([slots[name] for name in operands])
        except BaseException as error:
            self.error = error
            return None

    def run_stays(self) -> None:
        """Report that translated code cannot pull back cotangents that are no reals."""
        self.error = InternalError("a run of translated code was reversed with cotangents that are no reals")

    def resumed(self, capsule: Any) -> bool | None:
        """Give a resumed capsule the cotangents of the copies of its slots, at the point and on the stack."""
        try:
            assert self.cotangent is not None
            give_to_capsule(self.cotangent, capsule, self.cotangent.slots)
            return True
        except BaseException as error:
            self.error = error
            return None


def _operands(peer: BlockPeer, key: int) -> tuple[Any, ...]:
    """Return the operands whose accumulators C passes: slots by their names."""
    lib = runtime().lib
    if key <= lib.STRIPPED_ORIGIN:
        return (stripped_slot(lib.STRIPPED_ORIGIN - key),)
    if key == lib.END_ORIGIN:
        return b.operands_of_end(peer.block.end)
    return operands_of_step(peer.block.steps[key])
