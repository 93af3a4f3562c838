"""The sections OBJECTS and STACK of a capsule, written.

In: the state of a capsule, settled (checkpoint.ad.graph), whose slots are locations of their own. Out: bytes.

    OBJECTS   number of entries, then each: a tag and what checkpoint.durable.decode reads for it
    STACK     the state: point, step, counters, values; frames from the bottom in runs of equal return points,
              each of whose columns is written by itself: reals and integers as they lie in memory

A value is written where it is used if its kind is INLINE, else as the number of its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from itertools import groupby
from typing import Any

from checkpoint.ad.arrays import SYMBOLIC_ZERO
from checkpoint.ad.containers import Dict, Object, Record
from checkpoint.ad.storage import CONSTANT, FROZEN
from checkpoint.ad.values import Symbol
from checkpoint.ctarget.capsules.runs import Run, depth_of, in_runs
from checkpoint.durable import natives
from checkpoint.durable.buffers import Buffers
from checkpoint.durable.code import Code
from checkpoint.durable.identities import write_identity, write_origin
from checkpoint.durable.order import Fill, Order, frames_of, parts_to_write, slots_of
from checkpoint.durable.stream import Writer, fits
from checkpoint.durable.tags import OF_KIND, RunTag, Tag
from checkpoint.errors import DurableError
from checkpoint.functions.run import RESUME

OWNERS = (None, FROZEN, CONSTANT, SYMBOLIC_ZERO)


class Encoder:
    """Writes states. code, buffers: what is written of their procedures and arrays."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.buffers = Buffers()
        self._entries = Writer()
        self._numbers: dict[int, int] = {}  # of entries, by the identities of their objects
        self._layouts: dict[Any, int] = {}
        self._alive: list[Any] = []
        self._count = 0
        self._shared: frozenset[int] = frozenset()

    def state(self, state: Any) -> tuple[list[Any], list[Any]]:
        """Return the sections OBJECTS and STACK of a state."""
        found = in_runs(state)
        runs = None if found is None else found.runs
        state = state if found is None else found.state
        order = Order(slots_of(state))
        self._alive.append(order)
        self._shared = frozenset(map(id, order.shared))
        for real in order.shared:
            self._entries.u8(Tag.SHARED_REAL)
            self._entries.real(real)
            self._numbered(real)
        for entry in order.entries:
            self._entry(entry)
        stack = Writer()
        self._state(stack, state, runs)
        head = Writer()
        head.u32(self._count)
        return [head.data, self._entries.data], [stack.data]

    def _numbered(self, value: Any) -> None:
        self._numbers[id(value)] = self._count
        self._count += 1

    # Values

    def _value(self, to: Writer, value: Any) -> None:
        kind = type(value)
        if kind is float:
            if id(value) in self._numbers:
                self._reference(to, value)
            else:
                to.u8(Tag.REAL)
                to.real(value)
        elif value is None:
            to.u8(Tag.NULL)
        elif kind is bool:
            to.u8(Tag.TRUE if value else Tag.FALSE)
        elif kind is int:
            to.u8(Tag.INTEGER)
            to.integer(value)
        elif kind is str or kind is Symbol:
            to.u8(OF_KIND[kind])
            to.text(value)
        elif kind is bytes:
            to.u8(Tag.BYTES)
            to.block(value)
        elif kind is range:
            to.u8(Tag.RANGE)
            for number in (value.start, value.stop, value.step):
                to.integer(number)
        else:
            self._reference(to, value)

    def _reference(self, to: Writer, value: Any) -> None:
        to.u8(Tag.REF)
        to.u32(self._numbers[id(value)])

    def values(self, to: Writer, values: Sequence[Any]) -> None:
        """Write values after their number."""
        to.u32(len(values))
        for value in values:
            self._value(to, value)

    def key(self, to: Writer, key: Any) -> None:
        """Write a key of a dictionary: a value, or a tuple of keys."""
        if type(key) is tuple:
            to.u8(Tag.TUPLE)
            to.u32(len(key))
            for part in key:
                self.key(to, part)
        elif isinstance(key, type | Enum):
            natives.write_class_or_member(self, to, key)
        elif type(key) in (int, str, bool, type(None), bytes, float):
            self._value(to, key)
        else:
            raise DurableError(f"a capsule cannot be saved that holds a dictionary with the key {key!r}")

    # Entries

    def _entry(self, value: Any) -> None:
        to = self._entries
        if type(value) is Fill:
            to.u8(Tag.FILL)
            to.u32(self._numbers[id(value.container)])
            self.values(to, parts_to_write(value.container))
            self._count += 1
            return
        tag = OF_KIND[type(value)]
        _WRITERS[tag](self, to, value)
        self._numbered(value)

    def _container(self, to: Writer, value: Any) -> None:
        tag = OF_KIND[type(value)]
        layout = self._layout(value.layout) if type(value) in (Record, Object) else None
        to.u8(tag)
        if tag is not Tag.TUPLE:
            to.i64(value.birth)
        if layout is not None:
            to.u32(layout)
        if tag in (Tag.LIST, Tag.DICT, Tag.OBJECT):
            to.u8(value.owner is FROZEN)
            if type(value) is Dict:
                to.u32(len(value.items))
                for key in value.items:
                    self.key(to, key)
        else:
            self.values(to, parts_to_write(value))

    def _layout(self, layout: Any) -> int:
        """Return the entry of a layout, which is written on first use."""
        if layout not in self._layouts:
            self._layout_entry(self._entries, layout)
            self._layouts[layout] = self._count
            self._count += 1
        return self._layouts[layout]

    def _layout_entry(self, to: Writer, layout: Any) -> None:
        to.u8(Tag.LAYOUT)
        to.u32(self.code.class_(layout.cls))
        to.u32(len(layout.names))
        for name in layout.names:
            to.text(name)

    def _closure(self, to: Writer, closure: Any) -> None:
        if closure.lam is RESUME.lam:  # of no program; `resume` as a value of one has code there
            to.u8(Tag.RESUME)
            return
        to.u8(Tag.CLOSURE)
        to.u32(self.code.procedure(closure.lam))
        self._value(to, closure.env)

    def _array(self, to: Writer, array: Any) -> None:
        memory = array.memory
        if memory.transient:
            raise DurableError("a capsule cannot be saved while a gradient restores its arrays")
        if id(memory) not in self._numbers:
            to.u8(Tag.MEMORY)
            owner = memory.owner if memory.owner in OWNERS else None
            to.u8(OWNERS.index(owner))
            to.i64(memory.stale)
            to.u8(memory.constant)
            self._numbered(memory)
        to.u8(OF_KIND[type(array)])
        to.u32(self._numbers[id(memory)])
        to.u8(array.data is not None)
        if array.data is not None:
            to.u32(self.buffers.add(array.data))

    def _dual(self, to: Writer, dual: Any) -> None:
        to.u8(Tag.DUAL)
        to.i64(dual.tag)
        self._value(to, dual.primal)
        self._value(to, dual.tangent)

    def _opaque(self, to: Writer, opaque: Any) -> None:
        to.u8(Tag.OPAQUE)
        to.i64(opaque.birth)
        write_identity(to, opaque.identity)
        self._value(to, opaque.numbers)

    def _capsule(self, to: Writer, capsule: Any) -> None:
        if capsule.engine not in ENGINES:
            raise of_other_engine(capsule.engine)
        to.u8(Tag.CAPSULE)
        to.i64(capsule.birth)
        self.frame(to, capsule)
        self._state(to, capsule.state)

    def frame(self, to: Writer, capsule: Any) -> None:
        """Write what is known of a capsule beside its state."""
        to.u8(ENGINES.index(capsule.engine))
        to.u32(len(capsule.open_tags))
        for tag in sorted(capsule.open_tags):
            to.i64(tag)
        write_origin(to, capsule.origin)

    # States

    def _state(self, to: Writer, state: Any, runs: list[Run | int] | None = None) -> None:
        """Write a state; runs: those of its frames, if it is in parts."""
        state.version.show()
        self.code.point(to, state.block)
        to.u32(state.index)
        for number in (state.steps, state.tags, state.births):
            to.i64(number)
        self.values(to, state.values)
        frames = frames_of(state)
        runs = [len(frames)] if runs is None else runs
        to.u32(depth_of(runs))
        at = 0
        for run in runs:
            if isinstance(run, Run):
                self._begin_run(to, run, run.frames, len(run.columns))
                self._columns(to, run, frames[at - 1].saved if at else ())
                continue
            for _, group in groupby(frames[at : at + run], _return_point):
                self._run(to, list(group))
            at += run

    def _columns(self, to: Writer, run: Run, below: Sequence[Any]) -> None:
        """Write what a run of frames saves; below: what the frame below it does."""
        for i, column in enumerate(run.columns):
            if column is None:
                one = Writer()
                self._value(one, below[i])
                to.u8(RunTag.VALUES)
                to.data += bytes(one.data) * run.frames
            else:
                to.u8(RunTag.REALS if column.typecode == "d" else RunTag.INTEGERS)
                to.column(column.typecode, column)

    def _begin_run(self, to: Writer, first: Any, count: int, width: int) -> None:
        """Write what frames in a row have in common: first, one of them, or a Run of them."""
        to.u32(count)
        self.code.point(to, first.block)
        to.u8(first.handler is not None)
        if first.handler is not None:
            self.code.point(to, first.handler)
        to.u8(first.call is not None)
        if first.call is not None:
            to.i64(first.call.start)
            to.text(first.call.text)
        to.u32(width)
        if not width:
            to.data += bytes(4 * count)  # so that no file is small and makes many frames

    def _run(self, to: Writer, frames: list[Any]) -> None:
        self._begin_run(to, frames[0], len(frames), len(frames[0].saved))
        for column in zip(*[frame.saved for frame in frames], strict=True):
            self._column(to, column)

    def _column(self, to: Writer, column: tuple[Any, ...]) -> None:
        kinds = set(map(type, column))
        if kinds == {float} and not (self._shared and self._shared.intersection(map(id, column))):
            to.u8(RunTag.REALS)
            to.column("d", column)
        elif kinds == {int} and all(map(fits, column)):
            to.u8(RunTag.INTEGERS)
            to.column("q", column)
        else:
            to.u8(RunTag.VALUES)
            for value in column:
                self._value(to, value)


ENGINES = ("hybrid", "c")


def of_other_engine(name: str) -> DurableError:
    """Return the error for a capsule of an engine whose states have no place in a file."""
    return DurableError(
        f"a capsule of engine {name} cannot be saved or pickled: make it with engine='c' or engine='hybrid'"
    )


def _return_point(frame: Any) -> tuple[int, int, int, int]:
    call = 0 if frame.call is None else id(frame.call)
    return id(frame.block), id(frame.handler), call, len(frame.saved)


_WRITERS: dict[Tag, Callable[[Encoder, Writer, Any], None]] = {
    **dict.fromkeys(
        (Tag.PAIR, Tag.ENVIRONMENT, Tag.TUPLE, Tag.RECORD, Tag.LIST, Tag.DICT, Tag.OBJECT),
        Encoder._container,
    ),
    Tag.CLOSURE: Encoder._closure,
    Tag.ARRAY: Encoder._array,
    Tag.DISCRETE: Encoder._array,
    Tag.DUAL: Encoder._dual,
    Tag.CAPSULE: Encoder._capsule,
    Tag.OPAQUE: Encoder._opaque,
    Tag.LAYOUT: Encoder._layout_entry,
    Tag.TYPES: natives.write_types,
    Tag.FAILURE: natives.write_failure,
    Tag.FOREIGN: natives.write_named,
    Tag.UNUSABLE: natives.write_named,
    Tag.HELD: natives.write_native,
}
