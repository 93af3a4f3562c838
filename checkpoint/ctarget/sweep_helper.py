"""The steps that Python does for the runs of a sweep (checkpoint.ctarget.sweep).

In: C's calls for steps that it leaves to Python. Out: their results, from a machine of hybrid's.
"""

from __future__ import annotations

import gc
from collections.abc import Collection
from typing import Any

from checkpoint.ctarget.foreign import PythonHelper
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.run import block_at
from checkpoint.ctarget.states import Held, State
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import WITHOUT_TAPE
from checkpoint.interp.hybrid.engine import Recorded
from checkpoint.interp.hybrid.machine import HALT, Machine, note_interruption
from checkpoint.interp.hybrid.machine import State as PythonState


class SweepHelper(PythonHelper):
    """Performs the Python steps of all runs of a sweep, on one machine, made on first use.

    at_work: the SweepRun of C, about its present run.
    given: the identities of what holds the elements of the arguments' arrays.
    counts: whether somebody reads the bytes that tapes keep of arrays.
    collects: whether the garbage collector is enabled outside of recorded runs.
    """

    __slots__ = ("_machine", "_run", "at_work", "collects", "counts", "effects", "engine", "given", "start")

    def __init__(
        self, engine: Engine, start: State, effects: Effects, given: Collection[int], counts: bool
    ) -> None:
        self.engine = engine
        self.given = given
        self.counts = counts
        self.start = start
        self.effects = effects
        self.at_work: Any = None
        self.collects = gc.isenabled()
        self._run = 0
        self._machine: Machine | None = None
        super().__init__(start.heap)

    @property
    def machine(self) -> Machine:
        """Return the machine of C's current run; while that is recorded the collector is paused."""
        at_work = self.at_work
        if at_work is not None and at_work.run != self._run:
            self._run = at_work.run
            taped = at_work.taped
            tape = Recorded(self.given, self.counts) if taped else None
            if self._machine is None:
                self._machine = self._made(tape)
            else:
                self._machine.begin_again(tape)
            self.collect(not taped)
        elif self._machine is None:
            self._machine = self._made(None)
        return self._machine

    def _made(self, tape: Recorded | None) -> Machine:
        start = self.start
        at = PythonState(HALT, 0, (), None, start.steps, start.tags, start.births)
        return Machine(self.engine, at, self.effects, tape)

    def interrupted(self, stop: BaseException, held: Held) -> None:
        """Release Python's references to the run, and note its position in the error, if it had one."""
        if runtime().lib.ck_machine_position(held).block:
            block = block_at(held).code
            if self._machine is None:
                note_interruption(stop, block)
            else:
                self._machine.block = block
                self._machine.interrupted(stop)

    def collect(self, runs: bool) -> None:
        """Enable the garbage collector from here on, or disable it."""
        if self.collects:
            (gc.enable if runs else gc.disable)()


def wrong_directive(outcome: int) -> str:
    """Return what is wrong with a directive that has this outcome."""
    lib = runtime().lib
    return {
        lib.SWEEP_WITHOUT_TAPE: WITHOUT_TAPE,
        lib.SWEEP_WITHOUT_STATE: "the schedule went on without a current state",
        lib.SWEEP_NOT_KEPT: "the schedule named a state that is not kept",
        lib.SWEEP_NOT_HELD: "the schedule named a tape that is not held",
        lib.SWEEP_OUT_OF_ORDER: "the schedule reversed a tape that ends elsewhere than reversal stands",
    }[outcome]


def add_counts(held: Held, counts: Counts) -> None:
    """Add the counts of a sweep in C to others."""
    found = runtime().lib.ck_sweep_counts(held)
    counts.advanced += found.advanced
    counts.taped += found.taped
    counts.most_kept = max(counts.most_kept, found.most_kept)


class Opened:
    """Shows a sweep between two of its actions: see checkpoint.driver.observe.AtWork."""

    __slots__ = ()
    held: Held
    helper: SweepHelper

    def state(self, step: int | None) -> State | None:
        """Return the state that is kept in memory at a step, or the current one."""
        heap = self.helper.heap
        held = runtime().lib.ck_sweep_state(self.held, -1 if step is None else step)
        return State(heap, heap.got(held)) if held else None

    @property
    def reversed_to(self) -> int | None:
        """The step down to which the run has been reversed."""
        step: int = runtime().lib.ck_sweep_counts(self.held).reversed_to
        return None if step < 0 else step
