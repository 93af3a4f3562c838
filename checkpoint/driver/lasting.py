"""Reversals of one run, any number of times, within a budget.

In: the ledger of a first pass (checkpoint.driver.online) that lets its tapes last. Out: actions that reverse
the run as checkpoint.driver.backward does, again and again, and never hold more than the budget allows.

What the first pass has kept, states and tapes, *lasts*: what a reversal has passed is *parked*, so that the
next one has it again. Then the room for tapes is always that of the first reversal's beginning, less what the
cotangent takes. Where that is needed parked tapes and states are given up, and a tape whose cotangents may
not find room beside it is used up; the next reversal makes it anew from the state where it began. Where
states are so few, or so large, that a segment between two of them is run again and again, their room is worth
more than what they spare: then the run is reversed once.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from operator import attrgetter, itemgetter

from checkpoint.driver.backward import Backward
from checkpoint.driver.binomial import recomputed
from checkpoint.driver.division import divide
from checkpoint.driver.ledger import MARK_BYTES, Changed, Done, Ledger, Mark, Step
from checkpoint.driver.schedule import ActionsInSeries, Again, Drop, Hold, Release, Report, Reverse

Tape = tuple[int, int]


class Lasting(Ledger):
    """A ledger of a run that is reversed any number of times.

    lasting: the marks of the states that last; none before the first pass has ended.
    parked, parked_tapes: those that the present reversal has passed, the first of them last.
    sizes: the bytes of each held tape, by its first step.
    """

    lasts = True

    def __init__(self, memory: int, start: Report, piece: Report) -> None:
        self.lasting: set[Mark] = set()
        self.parked: list[Mark] = []
        self.parked_tapes: list[Tape] = []
        self.sizes: dict[int, int] = {}
        super().__init__(memory, start, piece)

    @property
    def held(self) -> int:
        """Bytes held by the sweep and by the ledger itself."""
        return self.report.held + MARK_BYTES * (len(self.marks) + len(self.parked))

    def reversals(self) -> ActionsInSeries:
        """Reverse the run, which has ended, again and again, or once."""
        if not self._parking_pays():
            self.lasts = False
            yield from Backward(self).run()
            return
        self.lasting = set(self.marks)
        while True:
            yield from Backward(self).run()
            self._note((yield Again()))
            self._begin_again()

    def _parking_pays(self) -> bool:
        """Return whether to park a state costs far less work than it spares: that of the segment behind it.

        It is judged by the widest segment, where half of the states would have been dropped.
        """
        steps = [mark.step for mark in self.marks if mark.step >= self.head_end]
        gaps = [self.costs.work(low, high) for low, high in pairwise([*steps, self.end])]
        work, room, others = round(max(gaps, default=0)), self.room(), len(self.marks) - 1
        if not others or self.recorded * work <= room:
            return True
        state = max((self.report.states - self.shared) // others, 0)

        def again(room: int) -> int:
            return recomputed(work, *divide(work, self.recorded, state, room, each=MARK_BYTES))

        return 2 * (again(room) - again(room + others * (state + MARK_BYTES) // 2)) <= work

    def _begin_again(self) -> None:
        """Take back all that is parked: the whole run is to be reversed."""
        self.marks = sorted([*self.marks, *self.parked], key=attrgetter("step"))
        self.tapes = sorted([*self.tapes, *self.parked_tapes], key=itemgetter(0))
        self.parked, self.parked_tapes = [], []
        self.high = self.end
        for mark in self.marks:
            mark.snapshots = mark.base = 0

    def hold(self, low: int) -> Done:
        """Set the last tape aside, which starts at a step."""
        self.sizes[low] = self.report.bytes
        report = yield from self.do(Hold())
        self.tapes.append((low, report.step))

    def keep(self, level: int = 0) -> Generator[Step, Report, Mark]:
        """Keep the current state; one that is parked at its step is this one, and lasts on."""
        mark = yield from super().keep(level)
        parked = [other for other in self.parked if other.step != mark.step]
        if len(parked) < len(self.parked):
            self.parked = parked
            self.lasting.add(mark)
        return mark

    def leave(self, i: int) -> Done:
        """Let go of the i-th kept state, which this reversal does not need any more."""
        if self.marks[i] in self.lasting:
            self.parked.append(self.marks.pop(i))
        else:
            yield from self.drop(i)

    def reverse_held(self) -> Done:
        """Reverse the last of the held tapes; it lasts if there is room for that."""
        if not self.lasts:
            yield from super().reverse_held()
            return
        tape = self.tapes[-1]
        low, size = tape[0], self.sizes[tape[0]]
        while self.growth * size > self._free() and (yield from self.relieve()):
            pass
        keeps = self.growth * size <= self._free()
        before = self.held
        yield from self.do(Reverse(low, keeps))
        if keeps:
            self._learn_growth((self.held - before) / size if size else 0.0)
            self.parked_tapes.append(tape)
        self.high = low
        self.tapes.pop()
        yield from self.drop_from(low)

    def relieve(self) -> Changed:
        """Give up a parked tape, or else a parked state; return whether there was any."""
        if self.parked_tapes:
            yield from self.do(Release(self.parked_tapes.pop(0)[0]))
            return True
        if self.parked:
            yield from self.do(Drop(self.parked.pop(0).step))
            return True
        return False
