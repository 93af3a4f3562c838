"""The order in which what a capsule reaches is written: parts first, so that references go back only.

In: the state of a capsule. Out: its objects, each once, and which of them are filled later: lists,
dictionaries and objects, which may be parts of themselves, are written without content where they are first
met, and their content follows when all that it refers to is there. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from checkpoint.ad.containers import MUTABLE_CONTAINERS
from checkpoint.ad.graph import ATOMS
from checkpoint.ad.values import Capsule
from checkpoint.durable.tags import INLINE, OF_KIND, refused
from checkpoint.errors import DurableError


class Fill:
    """The place in the order at which a container gets its content."""

    __slots__ = ("container",)

    def __init__(self, container: Any) -> None:
        self.container = container


def frames_of(state: Any) -> list[Any]:
    """Return the frames of a state, from the bottom of its stack."""
    found, frame = [], state.frame
    while frame is not None:
        found.append(frame)
        frame = frame.next
    found.reverse()
    return found


def parts_to_write(value: Any) -> Sequence[Any]:
    """Return the values that an object is written with."""
    if type(value) is tuple:
        parts: Sequence[Any] = value
        return parts
    if type(value) is Capsule:
        return slots_of(value.state)
    if type(value) in ATOMS:
        return ()
    found: Sequence[Any] = value.parts() if hasattr(value, "parts") else ()
    return found


def slots_of(state: Any) -> list[Any]:
    """Return the values in the slots of a state and its frames, but those of frames of reals alone."""
    state.version.show()
    found = list(state.values)
    for frame in frames_of(state):
        if not _REAL.issuperset(map(type, frame.saved)):
            found.extend(frame.saved)
    return found


_REAL = frozenset((float,))


class Order:
    """The objects that values reach, in the order in which they are written.

    entries: objects, and Fills. shared: the reals that are one location at several places.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.entries: list[Any] = []
        self.shared: list[Any] = []
        self._done: set[int] = set()
        self._reals: dict[int, int] = {}
        self._hollow: list[Any] = []
        roots = list(roots)
        self._count_reals(roots)
        self._walk(self._missing(roots))
        while self._hollow:
            container = self._hollow.pop()
            self._walk(self._missing(parts_to_write(container)))
            self.entries.append(Fill(container))

    def _missing(self, parts: Sequence[Any]) -> list[Any]:
        return [part for part in parts if type(part) not in INLINE and id(part) not in self._done]

    def _walk(self, stack: list[Any]) -> None:
        while stack:
            value = stack[-1]
            if id(value) in self._done:
                stack.pop()
                continue
            if type(value) not in OF_KIND:
                raise DurableError(f"a capsule cannot be saved that holds {refused(value)}")
            if type(value) in MUTABLE_CONTAINERS:
                self._hollow.append(value)
            else:
                missing = self._missing(parts_to_write(value))
                if missing:
                    stack.extend(reversed(missing))
                    continue
                self._count_reals(parts_to_write(value))
            self._done.add(id(value))
            self.entries.append(value)
            stack.pop()
            if type(value) in MUTABLE_CONTAINERS:
                self._count_reals(parts_to_write(value))

    def _count_reals(self, parts: Sequence[Any]) -> None:
        """Note the reals among an object's parts, once for each object."""
        for part in parts:
            if type(part) is float:
                met = self._reals[id(part)] = self._reals.get(id(part), 0) + 1
                if met == 2:
                    self.shared.append(part)
