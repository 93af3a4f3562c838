"""The ledger of a budget: the states and tapes that its schedule has, and the bytes that steps record.

In: the reports on its actions. Out: what a segment will record, and how much room there is.

What always holds: `marks` are the kept states in the order of their steps, the first of them the start of
the run; `tapes` are the held tapes, from the start of the run on, each from its first step to its last;
each begins at a mark, where the one before it ends. All after the step `high` has been reversed; before
anything has been, `high` is where the run is thought to end; when it has `ended`, `end` is where it did.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator

from checkpoint.driver.costs import Costs
from checkpoint.driver.memory import written
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Series,
    Stride,
    Tape,
    Unwind,
)
from checkpoint.driver.spill.transfers import Fetch, Spill, Wait
from checkpoint.errors import BudgetError

MARK_BYTES = 160  # of a kept state besides those reported: its Mark, and places in lists
SMALLEST = 64 * 2**10  # bytes; a gradient of anything takes about as many
LEAST_GROWTH, MOST_GROWTH = 1 / 3, 4.0
FEW_BYTES = 64  # a tape of less than this fraction (1 / FEW_BYTES) of the budget says little of larger ones
FEW = 16  # a tape of so many times less work than the last ones is short
Step = Action | Series
Done = Generator[Step, Report, None]
Reached = Generator[Step, Report, Report]
Changed = Generator[Step, Report, bool]


class Mark:
    """A kept state.

    level: see checkpoint.driver.online. bytes: the growth of all that is held until the next state was kept.
    own: bytes that it does not share with the state before it; 0 where that is not known.
    snapshots, base: once it is planned (checkpoint.driver.division) how the segment from here is reversed;
    recorded, room: the bytes that a unit of its work was thought to record then, and those free for a tape.
    within: whether it was kept by the plan of a longer segment.
    passing: bytes that were held for a moment while its segment ran, beyond those held at its end, at most.
    limit: the most bytes that are planned for a tape of its segment.
    spilled: whether it is on the disk; coming: whether it is on its way back from there.
    """

    __slots__ = (
        "base", "bytes", "coming", "level", "limit", "own", "passing", "recorded", "room", "snapshots",
        "spilled", "step", "within",
    )  # fmt: skip

    def __init__(self, step: int, level: int = 0) -> None:
        self.step = step
        self.level = level
        self.within = self.spilled = self.coming = False
        self.recorded = 1.0
        self.bytes = self.own = self.room = self.passing = 0
        self.limit = 1 << 62
        self.snapshots = 0
        self.base = 0


class Ledger:
    """The states, tapes and costs of one run, as the head of this file describes them.

    memory: how many bytes may be held; a part of them is never planned for (`allowed`).
    piece: the bytes of a small tape, if the run is reversed by such (checkpoint.driver.online); else 0.
    spills: whether states may go to the disk, if there is one.
    dear: whether new memory for tapes takes longer than to run again what they record.
    lasts: whether the run is reversed more than once, by what the first pass has kept
    (checkpoint.driver.lasting).
    """

    lasts = False
    spills = True

    def __init__(self, memory: int, start: Report, piece: Report) -> None:
        """Open the ledger of a run.

        start, piece: the reports after keeping the start of the run and after taping from there.
        """
        self.memory = memory
        self.piece = 0
        self.dear = False
        self.marks = [Mark(start.step, level=1 << 62)]
        self.tapes: list[tuple[int, int]] = []
        self.high = self.end = 0
        self.ended = False
        self.report = start
        self.shared = start.states  # bytes that later states mostly have, too
        self.recorded = 1.0  # bytes per unit of work, averaged over the last tapes by work
        self._taped = 0.0, 0.0
        self.growth = LEAST_GROWTH  # bytes of a cotangent per byte of a tape
        self.costs = Costs(start.step)
        self._ran = 0.0, 0.0  # seconds and work of the first pass
        self._held_before = self.occupied  # bytes of that after a state was last kept or dropped
        self._learn(start.step, piece)

    # Bytes and places

    @property
    def held(self) -> int:
        """Bytes held by the sweep and by the ledger itself."""
        return self.report.held + MARK_BYTES * len(self.marks)

    @property
    def occupied(self) -> int:
        """Bytes held for longer: without those on their way to the disk."""
        return self.held - self.report.disk.pending

    @property
    def pace(self) -> float:
        """Return the seconds that a unit of work takes; 0 while that is not known."""
        return self._ran[0] / self._ran[1] if self._ran[1] else 0.0

    @property
    def allowed(self) -> int:
        """Bytes that may be held by plan: what bounds leave to chance stays free."""
        return self.memory - self.memory // 16

    @property
    def most(self) -> int:
        """Bytes that the sweep itself may hold, beside the ledger."""
        return self.memory - MARK_BYTES * len(self.marks)

    @property
    def is_full(self) -> bool:
        """True if one more step on arrays like the largest one may be too much."""
        return bool(self.report.largest) and self.held + self.report.largest > self.memory

    @property
    def head_end(self) -> int:
        """The step to which the held tapes lead from the start; without any, the start."""
        return self.tapes[-1][1] if self.tapes else self.marks[0].step

    def place(self, step: int) -> int:
        """Return the index of the mark at a step, or of the first after it."""
        return bisect_left(self.marks, step, key=lambda mark: mark.step)

    def room(self, passing: int = 0) -> int:
        """Return the bytes that may be planned for a tape, beside so many that are held for a moment while it
        is made; reversing it makes the cotangent grow, too.
        """
        return int((self._free() - passing) / (1 + self.growth))

    def bound(self) -> int:
        """Return the bytes at which a tape is stopped: above `room`, as predictions have small errors."""
        return 7 * self.room() // 6

    def _free(self) -> int:
        """Return the free bytes, less those of the larger table that a growing cotangent may need."""
        free = max(self.allowed - self.held - self.report.spare, 0)
        grows = self.growth > LEAST_GROWTH
        return free - min(2 * self.report.growing, free // 2) if grows else free

    def predicted(self, low: int, high: int) -> float:
        """Return the bytes that a tape of a segment will have."""
        return self.recorded * self.costs.work(low, high)

    def require(self, needed: int) -> None:
        """Raise BudgetError where about so many bytes are needed, and that is more than may be held."""
        if needed > self.memory:
            raise too_small(needed, self.memory, self.report)

    # Actions

    def do(self, action: Step) -> Reached:
        """Do an action, record its report and return it."""
        report = yield action
        self._note(report)
        return report

    def _note(self, report: Report) -> None:
        self.report = report
        if report.finished and not self.ended:
            self.high = self.end = report.step
            self.ended = True
        for step in report.disk.returned:
            self.spills = False  # the disk has failed, or states are not what it is for
            i = self.place(step)
            if i < len(self.marks) and self.marks[i].step == step:
                self.marks[i].spilled = False

    def _learn(self, low: int, report: Report) -> None:
        """Record that the run was taped from a step to the current one."""
        self._note(report)
        bytes, work = self._taped
        recorded = report.bytes - self._of_few_steps(low, report)
        self._taped = bytes / 2 + recorded, work / 2 + self.costs.work(low, report.step)
        if self._taped[1]:
            self.recorded = max(self._taped[0] / self._taped[1], 2**-20)

    def _of_few_steps(self, low: int, report: Report) -> float:
        """Return the bytes of a tape from a step that other steps need not record as well: where it has more
        than twice those that were predicted, the rest may be of a few large arrays; all of it is where it is
        short beside the last tapes.
        """
        predicted = self.predicted(low, report.step)
        if not self._taped[1] or report.bytes <= 2 * predicted:
            return 0.0
        few = FEW * self.costs.work(low, report.step) < self._taped[1]
        arrays = max(report.passing, report.largest)
        return report.bytes - predicted if few else min(arrays, report.bytes - predicted)

    def advance(self, to: int) -> Reached:
        """Run on for the first time; record the cost of the steps and the bytes of the last mark."""
        before = self.report
        report = yield from self.do(Advance(to, self.allowed, most=self.most))
        self._sample(before, report)
        self.marks[-1].bytes = max(self.occupied - self._held_before, 0)
        self.marks[-1].passing = max(self.marks[-1].passing, report.passing)
        return report

    def _sample(self, before: Report, report: Report) -> None:
        """Record what a piece of the first pass has cost."""
        seconds = report.seconds - before.seconds
        # Neither waiting for other processes nor using several processors makes steps count as slower.
        self.costs.sample(report.step, min(seconds, report.busy - before.busy))
        work = self.costs.work(before.step, report.step)
        self._ran = self._ran[0] + seconds, self._ran[1] + work

    def stride(self, steps: int, count: int, enough: int) -> Reached:
        """Run on for the first time, and keep a state after each so many steps, `count` times at most.

        It ends early where the sweep holds more bytes than `enough`.
        """
        before = self.report
        report = yield from self.do(Stride(steps, count, self.allowed, enough))
        self._sample(before, report)
        # The state at the end of the run is not kept.
        kept = (report.step - before.step - report.finished) // steps
        each = max(self.occupied - self._held_before, 0) // max(kept, 1)
        self.marks[-1].bytes = each
        self.marks[-1].passing = max(self.marks[-1].passing, report.passing)
        for number in range(1, kept + 1):
            self.marks.append(Mark(before.step + number * steps))
            self.marks[-1].bytes = each
            self.marks[-1].passing = report.passing
        self._held_before = self.occupied
        return report

    def run_on(self, to: int) -> Reached:
        """Run a segment again that has been run before, as far as there is room."""
        return (yield from self.do(Advance(to, most=self.most)))

    def tape(self, to: int | None, bytes: int) -> Reached:
        """Run on with a tape, and learn the bytes that steps record."""
        low = self.report.step
        report = yield Tape(to, bytes, self.most)
        self._learn(low, report)
        self.marks[-1].passing = max(self.marks[-1].passing, report.passing)
        return report

    def keep(self, level: int = 0) -> Generator[Step, Report, Mark]:
        """Keep the current state, which is later than all that are kept."""
        report = yield from self.do(Keep())
        mark = Mark(report.step, level)
        self.marks.append(mark)
        self._held_before = self.occupied
        return mark

    def drop(self, i: int) -> Done:
        """Drop the i-th kept state."""
        mark = self.marks.pop(i)
        before = self.place(mark.step) - 1
        if before >= 0 and (not self.ended or mark.step < self.high):  # the segment before it is longer now
            self.marks[before].passing = max(self.marks[before].passing, mark.passing)
        yield from self.do(Drop(mark.step))
        self._held_before = self.occupied

    def drop_from(self, step: int) -> Done:
        """Drop all states that are kept at a step and after it, but never the first."""
        while len(self.marks) > 1 and self.marks[-1].step >= step:
            yield from self.leave(-1)

    def leave(self, i: int) -> Done:
        """Drop the i-th kept state, which this reversal does not need any more."""
        yield from self.drop(i)

    def relieve(self) -> Changed:
        """Give up what only further reversals need; return whether there was any."""
        yield from ()
        return False

    def hold(self, low: int) -> Done:
        """Set the last tape aside, which starts at a step."""
        report = yield from self.do(Hold())
        self.tapes.append((low, report.step))

    def release(self) -> Done:
        """Release the last of the held tapes."""
        yield from self.do(Release(self.tapes.pop()[0]))

    def restore(self, mark: Mark) -> Done:
        """Make a kept state the current one."""
        yield from self.do(Restore(mark.step))
        mark.spilled = mark.coming = False

    def spill(self, mark: Mark) -> Done:
        """Let a kept state go to the disk."""
        mark.spilled = True
        yield from self.do(Spill(mark.step))
        self._held_before = self.occupied

    def fetch(self, mark: Mark) -> Done:
        """Let a state come back from the disk."""
        mark.coming = True
        yield from self.do(Fetch(mark.step))

    def wait(self) -> Done:
        """Wait for the disk."""
        yield from self.do(Wait())

    def reverse(self, low: int) -> Done:
        """Reverse the last tape; it starts at a step."""
        before = self.report
        report = yield from self.do(Reverse())
        if before.bytes:
            taped = max(before.bytes, self.memory // FEW_BYTES)
            self._learn_growth((report.growing - before.growing) / taped)
        self.high = low
        yield from self.drop_from(low)

    def unwind(self, count: int, bytes: int) -> Changed:
        """Reverse the last segments, so many, each by a tape of its own, and drop their states.

        Return whether all are reversed; else the tape of one was too large, and is the last tape.
        """
        before, high = self.report, self.high
        states = tuple([mark.step for mark in self.marks[: -count - 1 : -1]])
        to = None if high == self.end else high
        report = yield from self.do(Unwind(states, to, bytes, self.most))
        done = sum(step >= report.step for step in states) if report.bytes else count
        if done:
            del self.marks[-done:]
            self.high = states[done - 1]
            grown = report.growing - before.growing
            self._learn_growth(grown / max(self.predicted(self.high, high), 1.0))
        if done < count:
            self._learn(states[done], report)
        self._held_before = self.occupied
        return done == count

    def reverse_held(self) -> Done:
        """Reverse the last of the held tapes."""
        low = self.tapes[-1][0]
        yield from self.do(Reverse(low))
        self.high = low
        self.tapes.pop()
        yield from self.drop_from(low)

    def _learn_growth(self, grown: float) -> None:
        """Record by how many bytes per byte of a tape its reversal has made the cotangent grow."""
        self.growth = min(max(1.5 * grown, 0.9 * self.growth, LEAST_GROWTH), MOST_GROWTH)


def too_small(needed: int, memory: int, report: Report) -> BudgetError:
    """Return the error for a run that needs about so many bytes, as is known at a report."""
    enough = max(needed, SMALLEST)
    text = (
        f"a budget of {written(memory)} is too small: at step {report.step} it shows that the gradient needs"
    )
    beside = f", beside {written(report.results)} of cotangents that it returns" if report.results else ""
    return BudgetError(f"{text} about {written(enough)}{beside}; raise memory= (--memory)", needed=enough)
