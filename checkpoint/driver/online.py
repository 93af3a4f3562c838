"""The first pass of a budget, over a run of unknown length: it tapes the beginning and keeps states of the
rest.

In: a ledger (checkpoint.driver.ledger) at the start of the run. Out: the ledger at the end of the run, with
tapes of its beginning and states from which the rest can be taped. The sweep never holds more than the
budget allows.

1. The *head* is taped in pieces, as long as there is room: a run that fits is taped once and for all. It ends
   before where new memory for it takes longer than taping itself does, by the report: to run again what comes
   then is cheaper than to tape it at once.
2. Behind it states are kept in equal distances. Where they outgrow their share of the room they are
   thinned: of the largest ones those are dropped whose neighbours are not further apart than a tape is long,
   which costs nothing. Then the tapes of the head are released, the last first. Then states go to the disk,
   if there is one that is fast enough (checkpoint.driver.spill.policy).
   Where steps are so fast that tapes in the processor's cache are worth it, the first distance is that of a
   *small* tape (`Ledger.piece`), and states are kept in series: not where many lanes run at once, for which
   short segments leave no room.
3. When neighbours are as far apart as a tape is long, each further state replaces one (Wang, Moin and
   Iaccarino 2009, algorithm 1): states have levels, 0 for a new one. One before another of higher level
   is *dispensable*, and is dropped. Without any, the last one, of level l, is dropped, and the new one has
   level l + 1. That keeps the number of repetitions, at each moment, at the least that so many states allow.

With d states and base cases of b steps no step is run again more than t times, t the smallest with
b C(d + t, t) at least the number of steps.
"""

from __future__ import annotations

from checkpoint.driver.caches import second_level
from checkpoint.driver.ledger import MARK_BYTES, Changed, Done, Ledger, Mark
from checkpoint.driver.schedule import Advance, Report
from checkpoint.driver.spill.policy import Policy

PIECES = 16  # the head is taped in pieces of this fraction (1 / PIECES) of the budget
HALVINGS = 5  # how often the first distance of states can be doubled until it is a tape's length
TIMES = 5  # times the bytes of the run alone: about the least for a gradient, with states and cotangents
LEAST_SECONDS = 0.001  # between two states, so that keeping them takes a negligible share of the time
SMALL_SECONDS = 20e-6  # the same where states are kept in series
LARGEST_SMALL = 4  # times half a processor's own cache: a larger tape is not small
FIRST_PIECE = 2**20  # bytes of the head's first piece, at most
UNMEASURED = 8 * FIRST_PIECE  # of its pieces at most before one has met new memory,
LIGHT = UNMEASURED // 1000  # where a state has no more bytes than this
SERIES = 64  # states of one series at most
FAULTING = 0.75  # of the time of taping is about that of running again


class FirstPass:
    """One first pass.

    size: the bytes of the head's last piece.
    distance: from one state to the next, in work; fewest: the least that it may be.
    exhausted: for bases up to this there is nothing left to thin. level: of the next state.
    outgrown: the last piece of the head was larger than the budget, and is lost.
    faulting: whether new memory for it took longer than to run it again would.
    met: whether a piece of the head has had new memory, so that it is known what that costs.
    measured: whether it is known if small tapes are worth it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.size = FIRST_PIECE
        self.distance = 1
        self.fewest = 1
        self.exhausted = 0.0
        self.level = 0
        self.dispensable: list[Mark] = []
        self.outgrown = self.faulting = self.measured = self.met = False
        self.policy = Policy(ledger)

    def run(self) -> Done:
        """Run from a kept state to the end, taping the head and keeping states behind it."""
        if not (yield from self.head()) and not self.ledger.ended:
            yield from self.rest()

    # The head

    def head(self) -> Changed:
        """Tape on until there is no room; return whether the run has ended and its last piece is reversed."""
        while not (self.outgrown or self.faulting or self.ledger.ended) and (room := self._head_room()):
            if (yield from self.piece(room)):
                return True
        return False

    def piece(self, bytes: int) -> Changed:
        """Tape a piece from the last kept state; return whether the run has ended and that is reversed."""
        before = self.ledger.report
        low = before.step
        report = yield from self.ledger.tape(None, bytes)
        faulting = report.faulting - before.faulting
        self.met = self.met or faulting > 0.0
        self.ledger.dear = faulting > FAULTING * (report.busy - before.busy - faulting)
        self.faulting = self.ledger.dear and not self.ledger.lasts
        return (yield from self.taped(low))

    def taped(self, low: int) -> Changed:
        """Reverse the piece taped from a step if the run has ended, else hold it; return True if reversed.

        A ledger that lasts has it held in any case.
        """
        ledger = self.ledger
        report = ledger.report
        self.outgrown = ledger.held > ledger.memory
        if report.finished and not self.outgrown and not ledger.lasts:
            yield from ledger.reverse(low)
            return True
        ledger.costs.sample(report.step)
        if not self.outgrown:
            yield from ledger.hold(low)
        if not report.finished:
            yield from ledger.keep()
        return False

    def _head_room(self) -> int:
        """Return the bytes of the next piece; 0 where an eighth of the budget would not stay free.

        Pieces double, so that little is taped before it is known what new memory costs. Memory that earlier
        tapes have left does not say: while it lasts pieces stay small, unless states between them are heavy.
        """
        ledger = self.ledger
        self.size = min(2 * self.size, ledger.memory // PIECES)
        if not self.met and ledger.marks[-1].bytes <= LIGHT:
            self.size = min(self.size, UNMEASURED)
        piece = self.size
        return piece if ledger.held + piece <= ledger.allowed - ledger.memory // 8 else 0

    # Behind the head

    def rest(self) -> Done:
        """Run on to the end, keeping states."""
        ledger = self.ledger
        self.distance = max(min(self._base() >> HALVINGS, int(self._small_tape() / ledger.recorded)), 1)
        while not ledger.report.finished:
            while ledger.tapes and ledger.is_full:
                yield from ledger.release()
            before = ledger.report
            steps = max(round(self.distance / ledger.costs.recent()), 1)
            share = self._states_share()
            count = self._count(share)
            if count > 1:
                report = yield from ledger.stride(steps, count, before.tapes + share)
                if ledger.marks[-1].step == report.step:
                    continue
            else:
                report = yield from ledger.advance(before.step + steps)
                self._pace(before, report)
            if not report.finished:
                yield from self._keep()

    def _count(self, share: int) -> int:
        """Return how many states to keep at once, in series: as many as their share of the room is for."""
        ledger = self.ledger
        if not ledger.piece or self.level or len(ledger.marks) < 3:
            return 1
        room = share - (ledger.held - ledger.report.tapes)
        return min(SERIES, room // (2 * (max(ledger.marks[-1].bytes, ledger.marks[-2].bytes) + MARK_BYTES)))

    def _pace(self, before: Report, report: Report) -> None:
        """Increase the distance of states to that of small tapes, or else to LEAST_SECONDS."""
        ledger, busy = self.ledger, report.busy - before.busy
        work = ledger.costs.work(before.step, report.step)
        if not self.measured:
            self.measured = True
            self._measure(busy / work if work else 0.0)
        if busy > 0 and not ledger.piece:
            self.fewest = int(LEAST_SECONDS * work / busy)
        self.distance = max(self.distance, min(self.fewest, self._base()))

    @staticmethod
    def _small_tape() -> int:
        """Return the bytes of a tape that stays in a processor's own cache, beside what runs."""
        return second_level() // 2

    def _measure(self, seconds: float) -> None:
        """Find out whether small tapes are worth it where a unit of work takes so many seconds."""
        ledger, base = self.ledger, self._base()
        small = max(self._small_tape() / ledger.recorded, SMALL_SECONDS / seconds if seconds else base)
        bytes = small * ledger.recorded
        is_small = small <= base and bytes <= LARGEST_SMALL * self._small_tape()
        if is_small and not ledger.lasts and not ledger.report.strips:
            self.fewest, ledger.piece = max(int(small), 1), int(bytes)
        else:
            self.distance = max(base >> HALVINGS, 1)

    def _states_share(self) -> int:
        """Return the bytes that kept states may take, at most half of those free besides the head's tapes."""
        ledger = self.ledger
        tapes = ledger.report.tapes
        free = max(ledger.allowed - tapes, 0)
        return min(max(free // 8, 2 * (ledger.occupied - tapes)), free // 2)

    def _base(self) -> int:
        """Return the work that one tape can hold in the memory that is left."""
        ledger = self.ledger
        left = ledger.allowed - ledger.report.tapes - self._states_share()
        return max(int(left / (1 + ledger.growth) / ledger.recorded), 1)

    def _keep(self) -> Done:
        """Keep the current state, if there is room or can be made."""
        ledger = self.ledger
        while ledger.tapes and self._base() < self.fewest:
            yield from ledger.release()  # short tapes cost more than the head saves
        while ledger.occupied - ledger.report.tapes > self._states_share():
            if not (
                (yield from self._thin())
                or (yield from self._release())
                or (yield from self.policy.relieve(self._first()))
                or (yield from self._replace())
            ):
                if ledger.held > ledger.memory:
                    yield from self._too_large()
                return
        yield from ledger.keep(self.level)
        self.level = 0

    def _too_large(self) -> Done:
        """Run on to the end of a run that alone exceeds the budget; raise BudgetError with what it needs."""
        ledger, most = self.ledger, self.ledger.held
        while not ledger.report.finished:
            yield from ledger.do(Advance(ledger.report.step + self.distance))
            most = max(most, ledger.held)
        ledger.require(TIMES * most)

    def _first(self) -> int:
        """Return the index of the first mark behind the head, that is, not at the start of a held tape."""
        return self.ledger.place(self.ledger.head_end)

    # Thinning

    def _thin(self) -> Changed:
        """Drop states within the reach of one tape until enough is free; return whether any was dropped."""
        ledger = self.ledger
        thinned = False
        if self._base() <= self.exhausted:
            return False
        enough = ledger.report.tapes + 3 * self._states_share() // 4
        while ledger.occupied > enough:
            superfluous = self._superfluous()
            if not superfluous:
                self.exhausted = 1.25 * self._base()
                break
            for mark in superfluous:
                yield from ledger.drop(ledger.place(mark.step))
            thinned = True
        return thinned

    def _superfluous(self) -> list[Mark]:
        """Return those of the largest states whose neighbours are nearest, and within one tape."""
        ledger, base = self.ledger, self._base()
        first = self._first()
        marks = ledger.marks[first:]
        steps = [*(mark.step for mark in marks), ledger.report.step]
        gaps = [ledger.costs.work(steps[i - 1], steps[i + 1]) for i in range(1, len(marks))]
        near = [i for i, gap in enumerate(gaps, 1) if gap <= base and not marks[i].spilled]
        if not near:
            return []
        large = max(marks[i].bytes for i in near) / 2
        those = [i for i in near if marks[i].bytes >= large]
        nearest = min(gaps[i - 1] for i in those)
        self.distance = max(self.distance, min(int(nearest), base))
        return self._apart(marks, steps, those, min(1.25 * nearest, base))

    def _apart(self, marks: list[Mark], steps: list[int], those: list[int], widest: float) -> list[Mark]:
        """Return marks at the indices `those`, the first first, whose removal leaves no gap over `widest`."""
        found: list[Mark] = []
        gone = -1
        for i in those:
            if gone != i - 1 and self.ledger.costs.work(steps[i - 1], steps[i + 1]) <= widest:
                found.append(marks[i])
                gone = i
        return found

    # Releasing tapes and replacing states

    def _release(self) -> Changed:
        if not self.ledger.tapes:
            return False
        yield from self.ledger.release()
        return True

    def _replace(self) -> Changed:
        """Drop a dispensable state, or the last one in favour of the next; return whether any was dropped."""
        ledger = self.ledger
        while self.dispensable:
            mark = self.dispensable.pop()
            i = ledger.place(mark.step)
            if i < len(ledger.marks) and ledger.marks[i] is mark and not mark.spilled:
                yield from ledger.drop(i)
                return True
        if len(ledger.marks) <= self._first() + 1 or ledger.marks[-1].spilled:
            return False
        self.distance = max(self._base(), self.fewest)
        self.level = max(self.level, ledger.marks[-1].level + 1)
        yield from ledger.drop(-1)
        self._note_dispensable()
        return True

    def _note_dispensable(self) -> None:
        """Note the states behind the last one of the next state's level or more; the largest goes first."""
        marks, lowest = self.ledger.marks, self._first() + 1
        i = len(marks)
        while i > lowest and marks[i - 1].level < self.level:
            i -= 1
        self.dispensable = sorted(marks[i:], key=lambda mark: mark.bytes)
