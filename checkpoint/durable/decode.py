"""The sections OBJECTS and STACK of a capsule, read: what checkpoint.durable.encode writes.

In: the sections, and the program that the caller passes. Out: a hybrid State. What always holds: an entry
refers to entries before it; each has the kind that its place wants; closures, frames and states have as many
values as their code reads. Whatever else a section holds is a DurableError, and nothing of it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Array, Discrete, Memory
from checkpoint.ad.containers import Dict, Layout, List, Mutable, Object, Record, Types
from checkpoint.ad.numbers import NUMBERS, Dual
from checkpoint.ad.values import EMPTY, Capsule, Closure, Environment, Failure, Opaque, Pair
from checkpoint.ctarget.capsules import runs as in_c
from checkpoint.ctarget.capsules.runs import InRuns, Run
from checkpoint.durable.buffers import Arrays
from checkpoint.durable.code import Known
from checkpoint.durable.constants import CONSTANTS, class_or_member
from checkpoint.durable.encode import ENGINES, OWNERS
from checkpoint.durable.frames import check_environments, lambda_of, read_frames
from checkpoint.durable.identities import read_identity, read_origin
from checkpoint.durable.stream import Reader
from checkpoint.durable.tags import Tag
from checkpoint.functions.run import RESUME
from checkpoint.interp.hybrid.machine import HALT, LEAVE, State
from checkpoint.lang.core import Lambda

_DEEPEST_KEY = 50  # tuples within tuples, as a key


class Decoder:
    """Reads states. program: in which everything is looked up."""

    def __init__(self, known: Known, arrays: Arrays) -> None:
        self.known = known
        self.program = known.program
        self._arrays = arrays
        self._entries: list[Any] = []
        self._hollow: set[int] = set()  # the entries of containers that are not filled yet
        self._shares_reals = False
        self._runs: list[Run | int] | None = None  # of the state that is being read in parts

    def state(self, objects: Reader, stack: Reader, in_runs: bool = False) -> State | InRuns:
        """Return the state that the two sections hold; in_runs: in parts, if its stack is deep."""
        for _ in range(objects.count()):
            self._entries.append(self._entry(objects))
        if self._hollow:
            raise objects.damaged()
        objects.end()
        self._runs = [] if in_runs and not self._shares_reals else None
        state = self._state(stack)
        stack.end()
        is_deep = self._runs and in_c.depth_of(self._runs) >= in_c.DEEP
        return InRuns(state, self._runs or []) if is_deep else state

    # Values

    def value(self, reader: Reader) -> Any:
        """Read a value."""
        tag = reader.u8()
        if tag == Tag.REF:
            return self.entry(reader)
        if tag == Tag.REAL:
            return reader.real()
        if tag == Tag.SYMBOL:
            return self.program.symbol(reader.text())
        read = _INLINE.get(tag)
        if read is None:
            raise reader.damaged()
        return read(reader)

    def entry(self, reader: Reader) -> Any:
        """Read the number of an entry, and return its object."""
        found = self._entries[reader.below(len(self._entries))]
        if type(found) in _NO_VALUES:
            raise reader.damaged()
        return found

    @staticmethod
    def flag(reader: Reader) -> int:
        """Read 0 or 1."""
        found = reader.u8()
        if found > 1:
            raise reader.damaged()
        return found

    def of_kind(self, reader: Reader, kind: type) -> Any:
        """Read the number of an entry of one kind, and return its object."""
        found = self._entries[reader.below(len(self._entries))]
        if type(found) is not kind:
            raise reader.damaged()
        return found

    def values(self, reader: Reader) -> list[Any]:
        """Read values after their number."""
        return [self.value(reader) for _ in range(reader.count())]

    def _key(self, reader: Reader, depth: int = 0) -> Any:
        tag = reader.u8()
        if tag == Tag.TUPLE and depth < _DEEPEST_KEY:
            return tuple([self._key(reader, depth + 1) for _ in range(reader.count())])
        if tag in (Tag.CLASS, Tag.MEMBER):
            return class_or_member(self.known, reader, tag)
        read = _INLINE.get(tag)
        if read is None:
            raise reader.damaged()
        return read(reader)

    # Entries

    def _entry(self, reader: Reader) -> Any:
        tag = reader.u8()
        read = _READERS.get(tag)
        if read is not None:
            return read(self, reader)
        constant = CONSTANTS.get(tag)
        if constant is None:
            raise reader.damaged()
        return constant(self.known, reader)

    def _shared_real(self, reader: Reader) -> float:
        self._shares_reals = True
        return reader.real()

    def _pair(self, reader: Reader) -> Pair:
        birth, parts = reader.i64(), self.values(reader)
        if len(parts) != 2:
            raise reader.damaged()
        return Pair(parts[0], parts[1], birth)

    def _environment(self, reader: Reader) -> Environment:
        birth, parts = reader.i64(), self.values(reader)
        return Environment(tuple(parts), birth) if parts else EMPTY

    def _closure(self, reader: Reader) -> Closure:
        lam, env = self.known.procedure(reader), self.value(reader)
        if type(env) is not Environment:
            raise reader.damaged()
        self._check_slots(reader, lam.captures, env.values, lam)
        return Closure(lam, env)

    def _resume(self, reader: Reader) -> Closure:
        return RESUME

    def _tuple(self, reader: Reader) -> tuple[Any, ...]:
        return tuple(self.values(reader))

    def _record(self, reader: Reader) -> Record:
        birth, layout, items = reader.i64(), self.of_kind(reader, Layout), self.values(reader)
        if layout.names and len(layout.names) != len(items):
            raise reader.damaged()
        return Record(layout, tuple(items), birth)

    def _list(self, reader: Reader) -> Any:
        return self._new(List([], reader.i64(), OWNERS[self.flag(reader)]))

    def _dict(self, reader: Reader) -> Any:
        birth, owner = reader.i64(), OWNERS[self.flag(reader)]
        keys = [self._key(reader) for _ in range(reader.count())]
        items = dict.fromkeys(keys)
        if len(items) != len(keys):
            raise reader.damaged()
        return self._new(Dict(items, birth, owner))

    def _object(self, reader: Reader) -> Any:
        birth, layout = reader.i64(), self.of_kind(reader, Layout)
        return self._new(Object(layout, [], birth, OWNERS[self.flag(reader)]))

    def _new(self, container: Any) -> Any:
        self._hollow.add(id(container))
        return container

    def _fill(self, reader: Reader) -> None:
        container, parts = self._entries[reader.below(len(self._entries))], self.values(reader)
        if not isinstance(container, Mutable) or id(container) not in self._hollow:
            raise reader.damaged()
        wanted = len(container.items) if type(container) is Dict else len(parts)
        if type(container) is Object:
            wanted = len(container.layout.names)
        if len(parts) != wanted:
            raise reader.damaged()
        self._hollow.discard(id(container))
        container.fill(parts)

    def _memory(self, reader: Reader) -> Memory:
        owner = reader.u8()
        if owner >= len(OWNERS):
            raise reader.damaged()
        memory = Memory(OWNERS[owner])
        memory.stale = reader.i64()
        memory.constant = bool(self.flag(reader))
        return memory

    def _array(self, reader: Reader) -> Array:
        memory, has_elements = self.of_kind(reader, Memory), self.flag(reader)
        if not has_elements:
            raise reader.damaged()
        return Array(self._elements(reader, "fc"), memory)

    def _discrete(self, reader: Reader) -> Discrete:
        memory, has_elements = self.of_kind(reader, Memory), self.flag(reader)
        return Discrete(self._elements(reader, "biu") if has_elements else None, memory)

    def _elements(self, reader: Reader, kinds: str) -> Any:
        number = reader.below(len(self._arrays))
        if self._arrays.kind(number) not in kinds:
            raise reader.damaged()
        return self._arrays.array(number)

    def _dual(self, reader: Reader) -> Dual:
        tag, primal, tangent = reader.i64(), self.value(reader), self.value(reader)
        if type(primal) not in NUMBERS or type(tangent) not in NUMBERS:
            raise reader.damaged()
        return Dual(tag, primal, tangent)

    def _opaque(self, reader: Reader) -> Opaque:
        birth, identity, numbers = reader.i64(), read_identity(reader), self.value(reader)
        if type(numbers) is not tuple or not all(type(number) in NUMBERS for number in numbers):
            raise reader.damaged()
        opaque = Opaque(numbers, identity)
        opaque.birth = birth
        return opaque

    def _capsule(self, reader: Reader) -> Capsule:
        birth = reader.i64()
        engine, tags, origin = self.frame(reader)
        capsule = Capsule(self._state(reader), engine, tags, origin)
        capsule.birth = birth
        return capsule

    @staticmethod
    def frame(reader: Reader) -> tuple[str, frozenset[int], Any]:
        """Read the engine, the open tags and the origin of a capsule."""
        engine = reader.u8()
        if engine >= len(ENGINES):
            raise reader.damaged()
        tags = frozenset([reader.i64() for _ in range(reader.count(8))])
        return ENGINES[engine], tags, read_origin(reader)

    # States

    def _state(self, reader: Reader) -> State:
        block, index = self.known.point(reader), reader.u32()
        steps, tags, births = reader.i64(), reader.i64(), reader.i64()
        values = tuple(self.values(reader))
        live = block.block.params if index == 0 else ()
        if index:
            if index >= len(block.block.live):
                raise reader.damaged()
            live = block.block.live[index]
        self._check_slots(reader, live, values, lambda_of(block), index == 0)
        if block is LEAVE and type(values[-1]) is not int:
            raise reader.damaged()
        frame = read_frames(self, reader, None if tags else self._runs)
        if frame is None and block is not HALT:
            raise reader.damaged()
        return State(block, index, values, frame, steps, tags, births)

    # What code reads without asking

    def _check_slots(
        self, reader: Reader, names: Any, values: Any, lam: Lambda | None, may_lack: bool = False
    ) -> None:
        """Raise DurableError unless slots have their values, and environments are where code expects them.

        may_lack: whether a slot that is not live may be empty.
        """
        if len(names) != len(values):
            raise reader.damaged()
        check_environments(reader, names, values, lam, may_lack)


def _range(reader: Reader) -> range:
    start, stop, step = reader.integer(), reader.integer(), reader.integer()
    if not step:
        raise reader.damaged()
    return range(start, stop, step)


_NO_VALUES = frozenset((Memory, type(None)))

_INLINE: dict[int, Callable[[Reader], Any]] = {
    Tag.NULL: lambda reader: None,
    Tag.FALSE: lambda reader: False,
    Tag.TRUE: lambda reader: True,
    Tag.INTEGER: Reader.integer,
    Tag.REAL: Reader.real,
    Tag.STRING: Reader.text,
    Tag.BYTES: Reader.block,
    Tag.RANGE: _range,
}


def _types(decoder: Decoder, reader: Reader) -> Types:
    return Types(tuple([decoder.known.class_(reader) for _ in range(reader.count(4))]))


def _layout(decoder: Decoder, reader: Reader) -> Layout:
    cls = decoder.known.class_(reader)
    names = tuple([reader.text() for _ in range(reader.count(4))])
    if len(set(names)) != len(names):
        raise reader.damaged()
    return decoder.program.layout(cls, names)


def _failure(decoder: Decoder, reader: Reader) -> Failure:
    cls, args = decoder.known.class_(reader), decoder.values(reader)
    if not issubclass(cls, Exception) or cls.__module__ != "builtins":
        raise reader.damaged()
    try:
        exception = cls(*args)
    except TypeError:
        raise reader.damaged() from None
    return Failure(exception, reader.text(), reader.text())


_READERS: dict[int, Callable[[Decoder, Reader], Any]] = {
    Tag.SHARED_REAL: Decoder._shared_real,
    Tag.PAIR: Decoder._pair,
    Tag.ENVIRONMENT: Decoder._environment,
    Tag.CLOSURE: Decoder._closure,
    Tag.RESUME: Decoder._resume,
    Tag.TUPLE: Decoder._tuple,
    Tag.RECORD: Decoder._record,
    Tag.LIST: Decoder._list,
    Tag.DICT: Decoder._dict,
    Tag.OBJECT: Decoder._object,
    Tag.FILL: Decoder._fill,
    Tag.MEMORY: Decoder._memory,
    Tag.ARRAY: Decoder._array,
    Tag.DISCRETE: Decoder._discrete,
    Tag.DUAL: Decoder._dual,
    Tag.CAPSULE: Decoder._capsule,
    Tag.OPAQUE: Decoder._opaque,
    Tag.LAYOUT: _layout,
    Tag.TYPES: _types,
    Tag.FAILURE: _failure,
}
