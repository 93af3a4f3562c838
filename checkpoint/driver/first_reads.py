"""Until when a run on an engine that lives in Python has not read the arrays among its arguments.

In: the state that starts a run; states that it reaches, going forward. Out: for each array a step before
which nothing has read it that could contribute to its cotangent (checkpoint.driver.finals).

As in ctemplates/driver/leaves.h, an array is untouched at a step if no operation has had it as an operand
before, and only what held it at first holds it then: what had read it and may still use it would hold it,
too. Each array has a memory of its own for this, which notes when it is asked whether it is stale: operations
ask that of their operands. This is looked at in a sample of the states, more often the fewer arrays are left,
so that in all it takes time in proportion to their number.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from checkpoint.ad.arrays import ARRAYS, Array, Memory
from checkpoint.ad.graph import ATOMS, parts_of
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.storage import NEVER
from checkpoint.driver.engine import Reporting, State
from checkpoint.driver.finals import Finals

SAMPLES = 256  # all are looked at when one in so many of those left has been touched


class Watched(Memory):
    """The memory of an array that came in as an argument, which nobody may change.

    reads: notes that it is touched. touched: whether an operation has had the array as an operand.
    """

    __slots__ = ("reads", "touched")

    def __init__(self, memory: Memory, reads: FirstReads) -> None:
        super().__init__(memory.owner)
        self.transient = memory.transient
        self.constant = memory.constant
        self.reads = reads
        self.touched = False

    @property
    def stale(self) -> int:
        """The step from which on it is stale: never; that this is asked is noted."""
        if not self.touched:
            self.touched = True
            self.reads.touched += 1
        return NEVER

    @stale.setter
    def stale(self, step: int) -> None:
        """Do nothing: nobody may change it."""


class FirstReads:
    """The samples of one run.

    touched: how many arrays were touched since the last sample that looked at all.
    """

    def __init__(self, engine: Reporting, start: State, finals: Finals) -> None:
        self.touched = 0
        self._finals = finals
        self._places = list(engine.argument_places(start))
        for handle, _ in self._places:
            handle.memory = Watched(handle.memory, self)
        arrays = [handle for handle, _ in self._places if type(handle) is Array]
        self._left: dict[int, Any] = {id(array.memory): array for array in arrays}
        self._start = start
        self._held = self._holders(start)
        self._step = start.steps
        self._untouched: dict[int, int] = {}

    def reached(self, state: State) -> None:
        """Note that the run has reached a state, on a tape or not; only the first time counts."""
        if self._finals.has_begun:
            return
        if self.touched <= len(self._left) // SAMPLES and not state.finished:
            return
        self.touched = 0
        held = self._holders(state)
        for key, handle in list(self._left.items()):
            if handle.memory.touched or held[key] > self._held[key]:
                self._untouched[id(handle)] = self._step
                del self._left[key]
        self._step = state.steps

    def begin_finals(self) -> None:
        """Report to the finals where cotangents are, and until when the arrays are untouched."""
        if self._finals.has_begun:
            return
        for handle in self._left.values():
            self._untouched[id(handle)] = self._step
        self._finals.begin(self._places, self._untouched.items())

    def _holders(self, state: State) -> Counter[int]:
        """Return how many places hold each watched memory in a state and at the start, by its identity.

        What holds an array at the start is there throughout, so who has copied it is found even if nothing
        else in the state leads there any more.
        """
        found: Counter[int] = Counter()
        seen: set[int] = set()
        pending: list[Any] = [self._start, state]
        while pending:
            item = pending.pop()
            if id(item) in seen:
                continue
            seen.add(id(item))
            for part in parts_of(item):
                kind = type(part)
                array = real_part(part) if kind in NUMBERS else part
                if type(array) in ARRAYS:
                    found[id(array.memory)] += 1
                elif kind not in ATOMS and kind not in NUMBERS:
                    pending.append(part)
        return found
