"""Cotangents of the C engine's states, as hybrid's code sees them, and the reversal of what Python did.

In: a state of a heap, what its slots, frames and objects have received. Out: a Cotangent, which C takes back
along a tape; and for C its peer (`Reverser`), which reverses the steps that left a Python origin.

An amount is Python's on this side: a float, a Both, what arrays have (checkpoint.ad.amounts). A field of an
object is in C a 64-bit integer: of positions they themselves, of all other keys what containers/keys.c
makes of them; so it does not matter here what kind of object a birth belongs to.
"""

from __future__ import annotations

from typing import Any, cast

from checkpoint.ad.containers import Dict
from checkpoint.ad.numbers import INTEGERS, takes_reals
from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.foreign import stripped_slot
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.registers import operands as operands_of_step
from checkpoint.ctarget.states import Heap, State, address
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.cotangent import Cotangent as Python
from checkpoint.interp.hybrid.cotangent import Key, state_slots
from checkpoint.interp.hybrid.machine import HALT
from checkpoint.interp.hybrid.machine import State as PythonState
from checkpoint.interp.hybrid.structured import RESULT

Amounts = tuple[Any, ...]


class Cotangent:
    """The cotangent of a state: what its slots have received, and those of its frames, the top one last."""

    __slots__ = ("_at", "_errors", "_fields", "_others", "_real", "heap", "held", "peer")

    def __init__(self, end: State, slots: Amounts, frames: Amounts = ()) -> None:
        module = runtime()
        self.heap: Heap = end.heap
        self.peer = Reverser()
        self.held: Any = None
        # Where C puts what it finds.
        self._real = module.ffi.new("double *")
        self._others: list[Any] = []
        self._errors: list[BaseException] = []
        self._at = address(self._others), address(self._errors)
        self._fields: dict[Any, int] = {}
        at = module.lib.ck_state_standing(end.held)
        held = module.lib.ck_cotangent_create(end.held, at.block, at.index, address(self.peer))
        self.held = self.heap.got(held)
        errors: list[BaseException] = []
        if not module.lib.ck_cotangent_set_slots(self.held, address(slots), len(slots), address(errors)):
            self._fail(errors)
        self.push(frames)

    @staticmethod
    def of(end: State, found: Python) -> Cotangent:
        """The same as one of hybrid's."""
        frames = tuple([amount for frame in found.stack for amount in frame])
        result = Cotangent(end, tuple(found.slots), frames)
        for key, amount in found.objects.items():
            result.objects[key] = amount
        return result

    def at(self, start: PythonState) -> Python:
        """As hybrid has it, where it belongs to this state: to be read."""
        result = Python(self.slots, [])
        above, frame = 0, start.frame
        while frame is not None:
            result.stack.append(self._frame(above, len(frame.saved)) if frame.saved else ())
            above, frame = above + len(frame.saved), frame.next
        result.stack.reverse()
        result.objects = cast(dict[Key, Any], self.objects)
        return result

    def reverse(self, tape: Any) -> None:
        """Take it back to where the tape begins, which is then used up."""
        lib = runtime().lib
        reverser = self.peer
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
    def slots(self) -> Amounts:
        """What the slots of the present point have received."""
        found: list[Any] = []
        errors: list[BaseException] = []
        if not runtime().lib.ck_cotangent_slots(self.held, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    def push(self, amounts: Amounts) -> None:
        """Put a frame's amounts, or several frames', onto the stack."""
        errors: list[BaseException] = []
        if amounts and not runtime().lib.ck_cotangent_push(
            self.held, address(amounts), len(amounts), address(errors)
        ):
            self._fail(errors)

    def pop(self, count: int) -> Amounts:
        """Take a frame's amounts off the stack."""
        found: list[Any] = []
        errors: list[BaseException] = []
        if not runtime().lib.ck_cotangent_pop(self.held, count, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    def _frame(self, above: int, count: int) -> Amounts:
        found: list[Any] = []
        errors: list[BaseException] = []
        lib = runtime().lib
        if not lib.ck_cotangent_frames(self.held, above, count, address(found), address(errors)):
            self._fail(errors)
        return tuple(found)

    # Objects

    @property
    def objects(self) -> Objects:
        """What fields of objects have received, as a mapping; not kept here, where it would be a cycle."""
        return Objects(self)

    def give(self, birth: int, field: Any, contribution: Any) -> None:
        """Add to a field of an object."""
        self._change(birth, field, contribution, True)

    def take(self, birth: int, field: Any) -> Any:
        """What a field has received; nothing is added to it any more."""
        return self._find(birth, field, True, 0.0)

    def _change(self, birth: int, field: Any, amount: Any, adds: bool) -> None:
        module = runtime()
        errors: list[BaseException] = []
        real, others, given = 0.0, module.ffi.NULL, (amount,)
        if type(amount) is float:
            real = amount
        else:
            others = address(given)
        field = self._field(field)
        if not module.lib.ck_cotangent_change(self.held, birth, field, adds, real, others, address(errors)):
            self._fail(errors)

    def _find(self, birth: int, field: Any, takes: bool, default: Any) -> Any:
        lib = runtime().lib
        found = lib.ck_cotangent_find(self.held, birth, self._field(field), takes, self._real, *self._at)
        if found == lib.REAL_AMOUNT:
            return self._real[0]
        if found == lib.NOT_FOUND_OUT:
            self._fail([self._errors.pop()] if self._errors else [])
        return self._others.pop() if found == lib.OTHER_AMOUNT else default

    def _field(self, key: Any) -> int:
        own = runtime().lib.FIRST_INTERNED
        if type(key) is int and -own <= key < own:
            return key
        field = self._fields.get(key)
        if field is None:
            module = runtime()
            number = module.ffi.new("int64_t *")
            holder = [Dict({key: None})]
            errors: list[BaseException] = []
            if not module.lib.ck_key_field(self.held, address(holder), number, address(errors)):
                self._fail(errors)
            field = self._fields[key] = number[0]
        return field

    def _fail(self, errors: list[BaseException]) -> None:
        raise errors[0] if errors else self.heap.full()


class Objects:
    """What fields of objects have received, by (birth, field)."""

    __slots__ = ("_cotangent",)

    def __init__(self, cotangent: Cotangent) -> None:
        self._cotangent = cotangent

    def get(self, key: Key, default: Any = None) -> Any:
        """The amount, or the default where nothing was added."""
        return self._cotangent._find(*key, False, default)

    def pop(self, key: Key, default: Any = None) -> Any:
        """The same; the field is then left out."""
        return self._cotangent._find(*key, True, default)

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    def __getitem__(self, key: Key) -> Any:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __setitem__(self, key: Key, amount: Any) -> None:
        self._cotangent._change(*key, amount, False)


class Reverser:
    """The peer of a cotangent while it is taken back. error: what a step raised, of which C only knows that.

    The methods are those that C calls; they answer None where they have failed.
    """

    __slots__ = ("cotangent", "error")

    def __init__(self) -> None:
        self.cotangent: Cotangent | None = None
        self.error: BaseException | None = None

    def reverse(
        self, peer: BlockPeer, key: int, origin: Any, received: Any, accumulators: Amounts
    ) -> list[Any] | None:
        """Reverse what a step, an end or a stripping has recorded: the operands' new accumulators."""
        try:
            names = _operands(peer, key)
            slots = {name: x for name, x in zip(names, accumulators, strict=True) if isinstance(name, str)}
            slots[RESULT] = received
            origin.reverse(slots, self.cotangent)
            return [slots.get(name, 0.0) if isinstance(name, str) else None for name in names]
        except BaseException as error:  # whatever it is goes through C to `Cotangent.reverse`
            self.error = error
            return None

    def scale(
        self, peer: BlockPeer, step: int, values: Amounts, result: Any, amount: float, accumulators: Amounts
    ) -> Amounts | None:
        """What hybrid's Reversal.scale does, for a record whose partials C has not."""
        try:
            compute = cast(t.Compute, peer.block.steps[step])
            record = cast(Scalar, lookup(compute.op))
            slots = dict(zip(compute.operands, accumulators, strict=True))
            for position, contribution in _contributions(record, values, result, amount):
                name = compute.operands[position]
                if isinstance(name, str):
                    slots[name] += contribution()
            return tuple([slots[name] for name in compute.operands])
        except BaseException as error:
            self.error = error
            return None

    def run_stays(self) -> None:
        """A run of translated code was to take back amounts that are no reals."""
        self.error = InternalError("a run of translated code was reversed with amounts that are no reals")

    def resumed(self, capsule: Any) -> bool | None:
        """Give to a resumed capsule what the copies of its slots received, here and on the stack."""
        try:
            assert self.cotangent is not None
            _give_to_capsule(self.cotangent, capsule)
            return True
        except BaseException as error:
            self.error = error
            return None


def _operands(peer: BlockPeer, key: int) -> tuple[Any, ...]:
    """The operands whose accumulators C passes: slots by their names."""
    lib = runtime().lib
    if key <= lib.STRIPPED_ORIGIN:
        return (stripped_slot(lib.STRIPPED_ORIGIN - key),)
    if key == lib.END_ORIGIN:
        return b.operands_of_end(peer.block.end)
    return operands_of_step(peer.block.steps[key])


def _contributions(record: Scalar, values: Amounts, result: Any, amount: float) -> Any:
    """Of each operand that is a real, the last first: its position, and how to get its contribution."""
    if record.singular and amount == 0.0:
        return
    constant = [type(value) in INTEGERS for value in values]
    if record.otherwise is not None:
        if not takes_reals(values):
            return
        values = tuple([float(value) if type(value) in INTEGERS else value for value in values])
    assert record.partials is not None
    for position in range(len(values) - 1, -1, -1):
        partial = record.partials[position]
        if not constant[position]:
            yield position, lambda partial=partial: partial(*values, result) * amount


def _give_to_capsule(cotangent: Cotangent, capsule: Any) -> None:
    """As hybrid's Reversal.resume."""
    state: PythonState = capsule.state
    received = cotangent.slots
    if state.finished:
        cotangent.push(received[1:])
        received = received[:1]
    amounts, frame = [received], state.frame
    while frame is not None and frame.block is not HALT:
        amounts.append(cotangent.pop(len(frame.saved)))
        frame = frame.next
    for (depth, position), _ in state_slots(state):
        if depth < len(amounts) and amounts[depth][position] != 0.0:
            cotangent.give(capsule.birth, (depth, position), amounts[depth][position])
