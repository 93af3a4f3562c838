"""States of a sweep in C that are on a disk: what checkpoint.driver.spill.level is for the other engines.

In: the actions of a schedule that move states, before C gets the others. Out: the same states in C. A state
leaves C as hybrid's, with arrays of its own, and comes back like the start of a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Heap, Held, exported, imported
from checkpoint.driver.schedule import Action, Advance, Drop, Keep, Report, Restore, Schedule, Series
from checkpoint.driver.spill.level import Shelved
from checkpoint.driver.spill.parked import LostError
from checkpoint.driver.spill.setting import Spill as Setting
from checkpoint.driver.spill.setting import spill_of
from checkpoint.driver.spill.transfers import Fetch, Spill, Wait


class ShelvedOfC(Shelved):
    """The states of one sweep in C that are on a disk. held: the sweep."""

    def __init__(self, heap: Heap, held: Held, setting: Setting) -> None:
        super().__init__(setting)
        self.heap = heap
        self.held = held

    def for_c(self, action: Action | Series) -> Iterator[Action | Series]:
        """Do what an action wants of the disk; yield what C has to do for it, in order."""
        match action:
            case Spill(step):
                yield from self._spill(step)
            case Fetch() | Wait():
                self.move(action)
            case Restore(step) if step in self.shelf:
                yield from self._take(step)
                yield action
            case Drop(step):
                if step not in self.shelf:
                    yield action
                self.shelf.drop(step)
            case Keep():
                self.shelf.drop(runtime().lib.ck_sweep_report(self.held).step)
                yield action
            case _:
                yield action

    def _spill(self, step: int) -> Iterator[Action]:
        """Move a state from C to the shelf, unless it stays in memory."""
        kept = self._kept_until(step)
        if self.shelf.put(step, exported(self.heap, kept)):
            runtime().ffi.release(kept)
            yield Drop(step)

    def _kept_until(self, step: int) -> Any:
        return self.heap.got(runtime().lib.ck_sweep_kept_until(self.held, step))

    def _take(self, step: int) -> Iterator[Action]:
        """Take a state from the shelf to C; one that is lost is run to again."""
        try:
            self.take_back(step)
        except LostError:
            before = self._last_before(step)
            if before in self.shelf:
                yield from self._take(before)
            yield Restore(before)
            yield Advance(step)
            yield Keep()

    def _last_before(self, step: int) -> int:
        """Return the step of the last kept state before a step, in C or on the shelf."""
        lib = runtime().lib
        in_c: int = lib.ck_state_position(self._kept_until(step - 1)).steps
        return max([in_c, *[each for each in self.shelf.steps() if each < step]])

    def take_back(self, step: int) -> None:
        if not runtime().lib.ck_sweep_put(self.held, imported(self.heap, self.shelf.take(step))):
            raise self.heap.full()

    def settle(self) -> None:
        """Let go of what is on the disk, and take back what could not be written; weigh all that is held."""
        super().settle()
        runtime().lib.ck_sweep_weigh(self.held)

    def completed(self, report: Report) -> Report:
        """Return a report with what is known of the disk, and what Python holds for the states there."""
        return report._replace(held=report.held + self.shelf.held, disk=self.shelf.report())


def on_disk(schedule: Schedule, heap: Heap, held: Held) -> ShelvedOfC | None:
    """Return the disk for the states of a sweep, if its schedule has one."""
    setting = spill_of(getattr(schedule, "spill", None))
    return None if setting is None else ShelvedOfC(heap, held, setting)
