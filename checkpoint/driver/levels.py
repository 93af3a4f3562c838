"""Levels of storage for the states that a sweep keeps: memory, or another one.

In: states, as a schedule keeps and drops them. Out: the states that it restores. What always holds: a
restored state is the one that was kept, in every bit, and a level holds at most one state for each step.
The executor knows only the interface, so another level (a disk, another machine) is one more class here and
its choice in `level_of`. An engine with a driver of its own keeps states itself (ctemplates/driver for
engine c).
"""

from __future__ import annotations

from typing import Protocol

from checkpoint.driver.engine import State
from checkpoint.driver.footprint import Footprint
from checkpoint.driver.schedule import Schedule


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


def level_of(schedule: Schedule, footprint: Footprint | None) -> Level:
    """Return the level at which a sweep by a schedule keeps its states."""
    return InMemory(footprint)
