"""The level of storage of a sweep whose states may be on a disk: checkpoint.driver.levels names the others.

In: states, as a schedule keeps, spills, fetches and drops them. Out: the states that it restores. What always
holds: a state is in memory or on the shelf. What could not be written is in memory again before the next
report; what cannot be read is made again, by a run from the last state before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from checkpoint.driver.engine import State
from checkpoint.driver.schedule import Report
from checkpoint.driver.spill.parked import LostError
from checkpoint.driver.spill.setting import Spill as Setting
from checkpoint.driver.spill.shelf import Shelf
from checkpoint.driver.spill.transfers import Fetch, Spill, Transfer, Wait


class Memory(Protocol):
    """The level in memory: see checkpoint.driver.levels.InMemory."""

    states: dict[int, State]

    def keep(self, state: State) -> None: ...
    def restore(self, step: int) -> State: ...
    def drop(self, step: int) -> None: ...
    def __len__(self) -> int: ...


class Shelved:
    """The states of one sweep that are on a disk, wherever the others are. shelf: has them."""

    def __init__(self, setting: Setting) -> None:
        self.shelf = Shelf(setting)

    def move(self, action: Fetch | Wait) -> None:
        """Begin to read a state back, or wait for those that move."""
        match action:
            case Fetch(step):
                self.shelf.fetch(step)
            case Wait():
                self.shelf.wait()

    def take_back(self, step: int) -> None:
        """Take a state from the shelf to where the others are."""
        raise NotImplementedError

    def settle(self) -> None:
        """Let go of what is on the disk, and take back what could not be written."""
        for step in self.shelf.failed():
            self.take_back(step)

    def close(self) -> None:
        """Forget all states on the disk."""
        self.shelf.close()


class OnDisk(Shelved):
    """States in memory, and those on a disk.

    again: runs from a state to a later step, and returns the state there.
    """

    def __init__(self, inner: Memory, setting: Setting, again: Callable[[State, int], State]) -> None:
        super().__init__(setting)
        self.inner = inner
        self.again = again

    def keep(self, state: State) -> None:
        self.shelf.drop(state.steps)
        self.inner.keep(state)

    def restore(self, step: int) -> State:
        if step in self.shelf:
            self.take_back(step)
        return self.inner.restore(step)

    def take_back(self, step: int) -> None:
        """Take a state from the shelf to memory; where it is lost, run to it again."""
        try:
            state = self.shelf.take(step)
        except LostError:
            before = max(each for each in (*self.inner.states, *self.shelf.steps()) if each < step)
            state = self.again(self.restore(before), step)
        self.inner.keep(state)

    def drop(self, step: int) -> None:
        if step not in self.shelf:
            self.inner.drop(step)
        self.shelf.drop(step)

    def __len__(self) -> int:
        return len(self.inner) + len(self.shelf.steps())

    def perform(self, action: Transfer) -> None:
        """Move a state, or wait for those that move."""
        match action:
            case Spill(step):
                if self.shelf.put(step, self.inner.restore(step)):
                    self.inner.drop(step)
            case _:
                self.move(action)

    def completed(self, report: Report) -> Report:
        """Return a report with what is known of the disk, and what the states there hold of memory."""
        shelf = self.shelf
        return report._replace(held=report.held + shelf.held + shelf.pending, disk=shelf.report())


def on_disk(level: Any) -> OnDisk | None:
    """Return a level if its states may be on a disk, else None."""
    return level if type(level) is OnDisk else None
