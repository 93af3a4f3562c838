"""The backward sweep of a budget: it reverses what the first pass has left, the last segment first.

In: a ledger (checkpoint.driver.ledger) at the end of the run. Out: the whole run is reversed, and only its
start is kept.

The segment from the last kept state to the step `high` is taped at once if that fits, with as many segments
before it as also fit, up to twice the bytes of the last tape. A segment that does not fit is planned
(checkpoint.driver.division) and reversed by binomial checkpointing with the planned number of states and base
case. If that runs much again, tapes of the head are released, where to tape these steps once more takes less.
A tape that outgrows its prediction, or is cut since one more step might not fit, ends at the step that it
has reached: the state there is kept, if there is room, and the rest is reversed from it. A plan that turns
out not to fit is replaced by a new one for the whole segment. Where the first pass has left segments for
small tapes, many of these are one series.
"""

from __future__ import annotations

from checkpoint.driver.binomial import first_part, recomputed
from checkpoint.driver.division import divide
from checkpoint.driver.ledger import MARK_BYTES, Changed, Done, Ledger, Mark
from checkpoint.driver.online import FirstPass
from checkpoint.driver.schedule import Advance
from checkpoint.driver.spill.policy import Policy

CRAMPED = 16  # tapes limited to this fraction (1 / CRAMPED) of the budget make slow progress
SERIES = 256  # segments of one series at most: between two series plans follow what was learnt
LEAST_ROOM = 4  # of the room there is, 1 / LEAST_ROOM is planned for, whatever arrays are held for a moment
LARGE = 64  # a state of this fraction (1 / LARGE) of the budget is worth dropping for a tape
TAPING = 1.5  # times the time of a run that its tape takes, about
ABSURD = 200  # times the run's own work: a plan that runs more again is refused as too small a budget
SENSIBLE = 8  # times the run's own work: the memory reported as needed keeps recomputation below this


class Backward:
    """One backward sweep.

    fitted: the bytes of the last tape; 0 if it did not fit.
    trusted: the most bytes that are planned for a tape.
    state: the bytes of a state by itself, of the last mark that tells; 0 if none did.
    average: those of the states that the first pass has left: later there are arrays of the cotangent, too.
    restored, passing: the bytes held where the last segment began, and those held for a moment on the run to
    its last part. usual: those of a segment before the last, which may end with arrays as no other does.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.fitted = self.state = self.passing = self.restored = 0
        self.trusted = ledger.memory // 4 if ledger.ended else ledger.memory
        self.policy = Policy(ledger)
        self.usual = max((mark.passing for mark in ledger.marks[:-1]), default=0)
        self.average = self._average_state() if len(ledger.marks) > 1 and ledger.ended else 1 << 62

    def run(self) -> Done:
        """Reverse the rest of the run, down to its start."""
        ledger = self.ledger
        while ledger.high > ledger.marks[0].step:
            yield from ledger.drop_from(ledger.high)
            if ledger.tapes and ledger.tapes[-1][1] == ledger.high:
                yield from ledger.reverse_held()
            elif count := self._count_small():
                yield from self._unwind(count)
            else:
                yield from self._last_segment()

    def _count_small(self) -> int:
        """Return how many of the last segments are reversed at once, as a series, by small tapes; or 0."""
        ledger = self.ledger
        if not ledger.piece or ledger.lasts or not ledger.ended:
            return 0
        most, lowest, high = min(ledger.room(), 3 * ledger.piece // 2), ledger.head_end, ledger.high
        count = 0
        for mark in reversed(ledger.marks[-SERIES:]):
            other = mark.snapshots or mark.spilled
            if mark.step <= lowest or other or ledger.predicted(mark.step, high) > most:
                break
            count, high = count + 1, mark.step
        return count if count > 1 else 0

    def _unwind(self, count: int) -> Done:
        """Reverse the last segments, so many, by small tapes."""
        ledger = self.ledger
        small, most = 2 * ledger.piece, ledger.bound()
        if (yield from ledger.unwind(count, min(small, most))):
            return
        if small <= most and ledger.report.bytes >= small:
            ledger.piece = small  # a single step may record more than was thought small
        else:
            mark = ledger.marks[-1]
            yield from self._outgrown(mark, mark.step, most)

    def _last_segment(self) -> Done:
        """Reverse the last segment, or a part of it, or keep a state within it."""
        ledger = self.ledger
        yield from self._widen()
        yield from self._relieve()
        yield from self.policy.fetch()
        yield from self._plan()
        mark, high = ledger.marks[-1], ledger.high
        cut = self._cut(mark)
        yield from ledger.restore(mark)
        self.restored = ledger.report.held
        if cut > mark.step and not (yield from self._run_on(mark, cut)):
            return
        if ledger.high != high:  # the run has ended before the expected step
            return
        self.passing = 0
        if cut > mark.step:
            self.passing = self.usual = ledger.report.passing
        if cut > mark.step and mark.snapshots > 1 and round(ledger.costs.work(cut, high)) > mark.base:
            # A state may be smaller than the one before it.
            yield from self._keep_within(mark, max(ledger.report.held - self.restored, 0))
        else:
            yield from self._tape(mark, cut)

    def _run_on(self, mark: Mark, cut: int) -> Changed:
        """Run to the last part of a segment; return False where that took giving something up."""
        ledger = self.ledger
        report = yield from ledger.run_on(cut)
        if report.step >= cut or report.finished:
            return True
        if (yield from self._give_up(0)):
            return False
        if mark.within:
            yield from self._plan_again(mark.bytes)
            return False
        yield from ledger.do(Advance(cut))  # all that could be given up is
        ledger.require(ledger.held)
        return True

    def _widen(self) -> Done:
        """Drop last states while the segment to the end then fits in twice the bytes of the last tape.

        Where new memory is dear, it must fit in the memory that the last tape has had.
        """
        ledger = self.ledger
        fits = self.fitted if ledger.dear else 2 * self.fitted
        most = min(fits, ledger.piece or ledger.memory)
        while (
            ledger.marks[-1].step > ledger.head_end
            and not ledger.marks[-1].snapshots
            and not ledger.marks[-2].snapshots
            and ledger.predicted(ledger.marks[-2].step, ledger.high)
            <= min(most, self._room(ledger.marks[-2]), self._room(ledger.marks[-1]))
        ):
            yield from ledger.leave(-1)

    def _relieve(self) -> Done:
        """Release tapes of the head, then drop large states, where there is hardly room for a tape.

        Where runs end before they hold too much, what is held for a moment takes what it lacks then.
        """
        ledger = self.ledger
        passing = 0 if ledger.report.largest else ledger.marks[-1].passing
        while (room := ledger.room(passing)) < ledger.memory // CRAMPED:
            if ledger.predicted(ledger.marks[-1].step, ledger.high) <= room:
                return
            if not (yield from self._give_up(ledger.memory // LARGE)):
                return

    def _give_up(self, least: int) -> Changed:
        """Release a tape of the head, or drop that state of at least `least` bytes that is best dropped."""
        ledger = self.ledger
        if (yield from ledger.relieve()):
            return True
        marks, between = ledger.marks, range(1, len(ledger.marks) - 1)
        large = [i for i in between if not marks[i].spilled and self._freed(marks[i]) >= least]
        worst = max(large, key=self._worth_dropping, default=0)
        # States that a tape has just reached are near each other: they may free more than a tape does.
        if ledger.tapes and not (marks[worst].own and self._worth_dropping(worst) > ledger.recorded):
            yield from ledger.release()
        elif worst:
            yield from ledger.drop(worst)
        else:
            return False
        return True

    def _freed(self, mark: Mark) -> int:
        return max(mark.bytes, mark.own) or min(self.average, self.ledger.memory)

    def _worth_dropping(self, i: int) -> float:
        """Return how many bytes dropping a state frees for each unit of work that is run again."""
        marks = self.ledger.marks
        return self._freed(marks[i]) / max(self.ledger.costs.work(marks[i - 1].step, marks[i].step), 1.0)

    def _plan(self) -> Done:
        """Plan the last segment, if it has no plan that still holds.

        Where the plan runs more again than is sensible, tapes and states are given up for a better one.
        Raise BudgetError, which names a sufficient budget, if it is absurd all the same.
        """
        repeated = self._planned()
        if repeated and (count := self._worth_releasing(repeated)):
            for _ in range(count):
                yield from self.ledger.release()
            repeated = self._planned_anew()
        while repeated > SENSIBLE and (yield from self._give_up(1)):
            repeated = self._planned_anew()
        if repeated > ABSURD:
            self._refuse()

    def _worth_releasing(self, repeated: float) -> int:
        """Return how many tapes of the head to release: as few as spare the rest of the run more than it is
        to tape these steps once more, and half of what it repeats: predictions of less are not exact enough.

        repeated: how many times its work the plan of the last segment runs again.
        """
        ledger, mark = self.ledger, self.ledger.marks[-1]
        rest = ledger.costs.work(ledger.head_end, ledger.high)
        each = ledger.report.tapes / max(len(ledger.tapes), 1) / (1 + ledger.growth)
        tapes = 0 if ledger.piece else len(ledger.tapes)  # small tapes need no more room
        for count in range(1, tapes + 1):
            room = min(int(self._room(mark) + count * each), self.trusted)
            spared = repeated - self._division(mark, room)[0]
            again = TAPING * ledger.costs.work(ledger.tapes[-count][0], ledger.head_end)
            if spared * rest > again and 2 * spared >= repeated:
                return count
        return 0

    def _planned_anew(self) -> float:
        self.ledger.marks[-1].snapshots = 0  # else its plan still holds
        return self._planned()

    def _planned(self) -> float:
        """Plan the last segment as `_plan` does; return how many times its work the plan runs again."""
        ledger, mark = self.ledger, self.ledger.marks[-1]
        room = min(self._room(mark), self.trusted)
        if mark.snapshots and 0.5 <= ledger.recorded / mark.recorded <= 2 and room <= 2 * mark.room:
            return 0.0
        repeated, mark.snapshots, mark.base = self._division(mark, room)
        mark.recorded, mark.room = ledger.recorded, room
        return repeated

    def _room(self, mark: Mark) -> int:
        """Return the bytes that may be planned for a tape of the segment from a kept state."""
        ledger = self.ledger
        return min(max(ledger.room(mark.passing), ledger.room() // LEAST_ROOM), mark.limit)

    def _division(self, mark: Mark, room: int) -> tuple[float, int, int]:
        """Return how many times its work the last segment runs again in so much room, and its plan: no states
        where it is taped at once.
        """
        ledger = self.ledger
        if ledger.predicted(mark.step, ledger.high) <= room:
            return 0.0, 0, 0
        work = round(ledger.costs.work(mark.step, ledger.high))
        snapshots, base = self._divided(mark, work, room)
        repeated = recomputed(work, snapshots, base)
        if mark.passing > 2 * self.usual and (again := self._of_the_last_part(mark, work, base)) < repeated:
            repeated, snapshots = again, 1
        return repeated / max(work, 1), snapshots, base

    def _of_the_last_part(self, mark: Mark, work: int, base: int) -> int:
        """Return the work that is run again where only the last part, `base`, has room for large arrays."""
        ledger, rest = self.ledger, max(work - base, 0)
        most = min(ledger.room(self.usual), self.trusted, mark.limit)
        fits = rest * ledger.recorded <= most
        return rest if fits else rest + recomputed(rest, *self._divided(mark, rest, most))

    def _divided(self, mark: Mark, work: int, room: int) -> tuple[int, int]:
        """Return the snapshots and the base case of a segment of so much work in so much room."""
        ledger, state = self.ledger, self._state_bytes(mark)
        current = min(state, room // 2)  # the state at which a tape begins
        return divide(work, ledger.recorded, state, room - current, ledger.report.spare, MARK_BYTES)

    def _cut(self, mark: Mark) -> int:
        """Return the step where the last part of a segment begins: its start, if it is taped at once."""
        if not mark.snapshots:
            return mark.step
        costs, high = self.ledger.costs, self.ledger.high
        part = first_part(round(costs.work(mark.step, high)), mark.snapshots, mark.base)
        cut = costs.step_after(mark.step, part) if part else mark.step
        return min(max(cut, mark.step), high - 1)

    def _state_bytes(self, mark: Mark) -> int:
        """Return the bytes of a state that is kept within a segment, and remember those of a mark."""
        self.state = mark.bytes or self.state
        return max(self.state or min(self._average_state(), self.average), 0)

    def _average_state(self) -> int:
        ledger, others = self.ledger, len(self.ledger.marks) - 1
        return (ledger.report.states - ledger.shared) // others if others else 0

    def _refuse(self) -> None:
        """Raise BudgetError, which names a budget within which a plan is sensible."""
        ledger = self.ledger
        room, state = min(ledger.room(), self.trusted), self._state_bytes(ledger.marks[-1])
        whole = round(ledger.costs.work(ledger.marks[0].step, ledger.end))
        enough = max(room, state, int(ledger.recorded), 1)
        while (
            recomputed(whole, *divide(whole, ledger.recorded, state, enough, each=MARK_BYTES))
            > SENSIBLE * whole
        ):
            enough *= 2
        ledger.require(max(ledger.held + 4 * enough // 3, 2 * ledger.memory))

    def _keep_within(self, mark: Mark, bytes: int) -> Done:
        """Keep the current state, from which the rest of a planned segment is reversed, if there is room.

        bytes: the bytes that the state does not share with the one before it. If they are more than was
        planned, a new plan is made, for fewer states.
        """
        ledger = self.ledger
        kept = yield from ledger.keep()
        if 4 * ledger.room() < 3 * mark.base * ledger.recorded:
            yield from ledger.drop(-1)
            yield from self._plan_again(bytes)
            return
        kept.snapshots, kept.base = mark.snapshots - 1, mark.base
        kept.recorded, kept.room = mark.recorded, mark.room
        kept.bytes, kept.passing, kept.limit = bytes, mark.passing, mark.limit
        mark.passing = self.passing
        kept.within = True

    def _tape(self, mark: Mark, cut: int) -> Done:
        """Tape from the current state, at `cut`, to the step `high`, and reverse the tape."""
        ledger = self.ledger
        bound = ledger.bound()
        report = yield from ledger.tape(ledger.high, bound)
        if report.step < ledger.high or (ledger.held > ledger.memory and report.step > cut):
            yield from self._outgrown(mark, cut, bound)
        elif ledger.ended:
            self.fitted = report.bytes
            self.trusted = max(self.trusted, 2 * report.bytes)
            yield from ledger.reverse(cut)
            if mark.passing and mark.snapshots == 1:
                mark.snapshots = 0  # it may have been planned for the last part alone
            mark.passing = self.passing
        else:
            yield from self._longer(mark)

    def _outgrown(self, mark: Mark, cut: int, bound: int) -> Done:
        """Keep the state that a too large tape has reached; without room, plan for smaller tapes."""
        ledger = self.ledger
        reached, bytes, largest = ledger.report.step, ledger.report.bytes, ledger.report.largest
        if reached - cut <= 1 and not (ledger.held > ledger.memory and (yield from self._give_up(0))):
            ledger.require(ledger.held)
        self.fitted, mark.snapshots = 0, 0
        scarce = largest and reached < ledger.high and (bytes <= bound or bound < self.trusted)
        if not scarce:
            self.trusted = 3 * min(bound, bytes) // 4
        if reached < ledger.high:
            kept = yield from ledger.keep()
            kept.own = max(ledger.report.held - self.restored, 0)
            kept.passing = max(mark.passing - kept.own, 0)
            roomy = bytes > bound and 2 * ledger.room() >= bound
            if roomy or (largest and (yield from self._has_room_for_a_step())):
                return
            yield from ledger.drop(-1)
        if scarce:
            yield from self._limit(mark, cut, min(bound, bytes))
        else:
            yield from self._plan_again(mark.bytes)

    def _limit(self, mark: Mark, cut: int, bytes: int) -> Done:
        """Plan for smaller tapes than one from `cut` that has had so many bytes, in its segment alone.

        It was cut for the room that there is beside states of large arrays, and there is more elsewhere.
        """
        ledger = self.ledger
        bytes = min(bytes, int(ledger.predicted(cut, ledger.high)), mark.limit)
        yield from ledger.restore(ledger.marks[-1])
        if cut > ledger.marks[-1].step:
            yield from ledger.run_on(cut)
            (yield from ledger.keep()).passing = mark.passing
            if ledger.is_full:
                yield from ledger.drop(-1)
                yield from self._plan_again(mark.bytes)
        ledger.marks[-1].limit = 3 * bytes // 4

    def _has_room_for_a_step(self) -> Changed:
        """Give up tapes and states until one more step on arrays fits; return whether it does."""
        while self.ledger.is_full:
            if not (yield from self._give_up(0)):
                return False
        return True

    def _plan_again(self, bytes: int) -> Done:
        """Drop all states of a plan that does not fit, so that its segment is planned for larger states.

        bytes: the bytes of a state, as is known now.
        """
        ledger = self.ledger
        while ledger.marks[-1].within:
            yield from ledger.drop(-1)
        top = ledger.marks[-1]
        top.snapshots = 0
        top.bytes = max(bytes, 5 * top.bytes // 4 + MARK_BYTES)  # so that each new plan is another one
        yield from ledger.restore(top)  # the state and the tape that were reached would take its room

    def _longer(self, mark: Mark) -> Done:
        """Find the end of a run that continues beyond its expected end."""
        mark.snapshots = 0
        yield from self.ledger.keep()
        self.ledger.costs.sample(self.ledger.report.step)
        yield from FirstPass(self.ledger).rest()
