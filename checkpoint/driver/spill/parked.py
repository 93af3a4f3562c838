"""A state whose arrays are on a disk, or on their way there or back.

In: a state of engine hybrid or interp. Out: the same state, to the bit. Its structure stays in memory, in a
copy of its own; the elements of its arrays are objects of a Store. Arrays that no run can change (arguments,
constants) stay, since the caller has them anyway, and so do small ones.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import real_part
from checkpoint.ad.state import settled
from checkpoint.driver.spill.elements import Elements, Span, elements_of
from checkpoint.driver.spill.store import Read, Store, Stored
from checkpoint.errors import CheckpointError

LEAST_BYTES = 2**14  # of an array that is stored; a smaller one is not worth a place of its own
OBJECT_BYTES = 100  # about what an object of a state's structure takes
ALIGNED = 16  # bytes: the elements of all dtypes begin at multiples of their sizes within them


class LostError(CheckpointError):
    """A state could not be read back; whoever restores it runs to it again."""


class Part:
    """The elements that arrays of one holder show in a state.

    elements: what their library says of them. shown: the handles that show them, with their spans.
    stored: the object on the disk. holder, read: the new holder, and its reading, once that has begun.
    """

    __slots__ = ("elements", "end", "first", "holder", "read", "shown", "stored")

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self.shown: list[tuple[Any, Span]] = []
        self.first, self.end = 1 << 62, 0
        self.stored: Stored | None = None
        self.holder: Any = None
        self.read: Read | None = None

    def show(self, handle: Any, span: Span) -> None:
        """Note that a handle shows a part of the elements."""
        self.shown.append((handle, span))
        self.first = min(self.first, span.first // ALIGNED * ALIGNED)
        self.end = max(self.end, span.end)

    def put(self, store: Store) -> None:
        """Begin to write the elements."""
        holder = self.shown[0][1].holder
        self.stored = store.put(holder, self.first, self.end, self.elements.raw(holder))
        for _, span in self.shown:
            assert span.holder is holder
        self.shown = [(handle, span._replace(holder=None)) for handle, span in self.shown]

    def let_go(self) -> None:
        """Take the elements away from the handles: the disk has them."""
        for handle, _ in self.shown:
            handle.data = None

    def fetch(self, store: Store) -> None:
        """Begin to read the elements, unless memory has them still, or again."""
        stored = self.stored
        assert stored is not None
        if self.read is not None or self.shown[0][0].data is not None:
            return
        found = stored.holder()
        if found is not None:
            self.holder = found
            return
        self.holder = self.elements.blank([span.form for _, span in self.shown], stored.length)
        self.read = store.read(stored, self.elements.raw(self.holder)[: stored.length])

    def fill(self, store: Store) -> None:
        """Wait for the elements, and give them to the handles; LostError where they cannot be read."""
        stored, read = self.stored, self.read
        assert stored is not None
        if self.shown[0][0].data is not None:
            return
        shift = self.first - stored.key[1] if read is None else self.first
        if read is not None:
            store.wait_for(read)
            if read.error is not None:
                raise LostError(str(read.error))
            store.is_now_held_by(stored, self.holder)
        for handle, span in self.shown:
            handle.data = self.elements.shown(self.holder, shift, span.form)
        self.holder = self.read = None


class Parked:
    """A state and its parts that a store has. bytes: of these; rest: about those of its structure."""

    def __init__(self, state: Any, parts: list[Part], rest: int) -> None:
        self.state = state
        self.parts = parts
        self.rest = rest
        self.bytes = sum(part.end - part.first for part in parts)
        self.is_away = False

    def put(self, store: Store) -> None:
        """Begin to write its arrays."""
        for part in self.parts:
            part.put(store)

    @property
    def has_arrived(self) -> bool:
        """Return whether the disk has all of its arrays."""
        return all(part.stored is not None and part.stored.arrived for part in self.parts)

    def leave(self) -> None:
        """Let the memory of its arrays go."""
        self.is_away = True
        for part in self.parts:
            part.let_go()

    def fetch(self, store: Store) -> None:
        """Begin to read its arrays back."""
        for part in self.parts:
            part.fetch(store)

    def taken(self, store: Store) -> Any:
        """Return the state with its arrays; LostError where one cannot be read."""
        self.fetch(store)
        for part in self.parts:
            part.fill(store)
        self.is_away = False
        return self.state

    def release(self, store: Store) -> None:
        """Give its objects back to the store; reads that have begun are waited for."""
        for part in self.parts:
            if part.read is not None:
                store.wait_for(part.read)
            if part.stored is not None:
                store.release(part.stored)


def parked(state: Any) -> Parked | None:
    """Return a state, ready to be stored; None where that would free hardly any memory."""
    stored = settled(state, state.steps)
    if stored is state:
        return None
    found, others = reach(stored)
    parts: dict[int, Part] = {}
    for handle in _arrays(found, others):
        elements = None if handle.memory.is_fixed else elements_of(handle.data)
        found_at = None if elements is None else elements.span(handle.data)
        if elements is None or found_at is None:
            continue
        span = Span(*found_at)
        if span.end - span.first >= LEAST_BYTES:
            parts.setdefault(id(span.holder), Part(elements)).show(handle, span)
    rest = OBJECT_BYTES * (len(found) + len(others))
    made = Parked(stored, list(parts.values()), rest)
    return made if made.bytes > rest else None


def _arrays(found: list[Any], others: list[Any]) -> list[Any]:
    """Return the handles of arrays among the numbers and the other objects of a state."""
    arrays = [real for real in map(real_part, found) if type(real) is Array]
    return arrays + [other for other in others if type(other) is Discrete and other.data is not None]
