"""Levels of storage for the states that a sweep keeps: memory, or another one.

In: states, as a schedule keeps and drops them. Out: the states that it restores. What always holds: a
restored state is the one that was kept, in every bit, and a level holds at most one state for each step. The
executor knows only the interface, so another level (a disk, another machine) is one more class here and its
choice in `level_of`. An engine with a driver of its own keeps states itself (ctemplates/driver for engine c).

What only a machine with a device could show has not been tried: how fast states move, and that the device's
memory is free afterwards. That states which have moved are the same in every bit is tested on tensors of the
host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from checkpoint.ad.array_library import HOST, library_of
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import real_part
from checkpoint.ad.state import settled
from checkpoint.driver.engine import State
from checkpoint.driver.footprint import Footprint
from checkpoint.driver.memory import has_devices
from checkpoint.driver.schedule import Schedule
from checkpoint.driver.spill.level import OnDisk
from checkpoint.driver.spill.setting import spill_of


class Level(Protocol):
    """Storage for the states of one sweep, under their steps."""

    def keep(self, state: State) -> None:
        """Store a state, in the place of one at the same step."""

    def restore(self, step: int) -> State:
        """Return the state that is kept at a step."""

    def drop(self, step: int) -> None:
        """Forget the state that is kept at a step."""

    def __len__(self) -> int:
        """Return the number of states that are kept."""


class InMemory:
    """States kept as the objects that they are.

    footprint: counts the bytes that they hold, if anybody asks for them.
    """

    def __init__(self, footprint: Footprint | None) -> None:
        self.footprint = footprint
        self.states: dict[int, State] = {}

    def keep(self, state: State) -> None:
        if state.steps in self.states:
            self.drop(state.steps)
        self.states[state.steps] = state
        if self.footprint is not None:
            self.footprint.keep(state)

    def restore(self, step: int) -> State:
        return self.states[step]

    def drop(self, step: int) -> None:
        state = self.states.pop(step)
        if self.footprint is not None:
            self.footprint.drop(state)

    def __len__(self) -> int:
        return len(self.states)


class OnHost:
    """States whose arrays on devices are kept in the host's memory, and come back before they are needed.

    inner: keeps the states. is_away: whether an array is on a device.
    devices: by the step of a kept state and the identity of a handle in it, the library and the device.
    """

    def __init__(self, inner: Level, is_away: Callable[[Any], bool]) -> None:
        self.inner = inner
        self.is_away = is_away
        self.devices: dict[int, dict[int, Any]] = {}

    def keep(self, state: State) -> None:
        stored = settled(state, state.steps)
        devices: dict[int, Any] = {}
        for handle in _handles(stored):
            library = library_of(handle.data)
            if self.is_away(handle.data):
                devices[id(handle)] = library, library.device_of(handle.data)
                handle.data = library.parked(handle.data)
        self.devices[state.steps] = devices
        self.inner.keep(stored)

    def restore(self, step: int) -> State:
        stored = self.inner.restore(step)
        moved = [self.devices[step].get(id(handle)) for handle in _handles(stored)]
        state: State = settled(stored, step)
        for handle, home in zip(_handles(state), moved, strict=True):
            if home is not None:
                library, device = home
                handle.data = library.received(handle.data, None, device)
        return state

    def drop(self, step: int) -> None:
        self.inner.drop(step)
        del self.devices[step]

    def __len__(self) -> int:
        return len(self.inner)


def _handles(state: State) -> list[Any]:
    """Return the handles of arrays in a state that have elements, each once, always in the same order."""
    found, others = reach(state)
    arrays = [real for real in map(real_part, found) if type(real) is Array]
    return arrays + [other for other in others if type(other) is Discrete and other.data is not None]


def _is_on_device(data: Any) -> bool:
    return library_of(data).device_of(data) not in (None, HOST)


def level_of(
    schedule: Schedule, footprint: Footprint | None, again: Callable[[State, int], State] | None
) -> Level:
    """Return the level at which a sweep by a schedule keeps its states.

    Where a device has a budget, and the host another, they are kept in the memory of the host.
    again: runs from a state to a later step, for a level that may lose one; None: no such level is wanted.
    """
    kept = InMemory(footprint)
    if has_devices(getattr(schedule, "memory", None)):
        return OnHost(kept, _is_on_device)
    spill = spill_of(getattr(schedule, "spill", None))
    return kept if spill is None or again is None else OnDisk(kept, spill, again)
