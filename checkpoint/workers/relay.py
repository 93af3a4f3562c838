"""The gradient of a long run by several workers: what `swept` of prims/operators.py returns, to the bit.

In: a run, and workers. Out: its value and cotangents. The run is made once here, and cut into segments, which
workers reverse (handed.py); the first one is reversed here. With a journal, states, and later the cotangent
of the state down to which the run has been reversed, become durable whenever that is due, so that a later
process goes on with other workers. What always holds: nothing is printed twice; what is durable is enough to
go on, whatever becomes of the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

from checkpoint.ad.identity import identity_of
from checkpoint.ad.state import settled
from checkpoint.ad.values import Capsule, Opaque
from checkpoint.driver import memory
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import State, WithCapsules
from checkpoint.driver.spill.setting import spill_of
from checkpoint.durable.journal.run import DurableRun
from checkpoint.durable.journal.sweep import Gradient
from checkpoint.durable.segments import Begun, Divided, Reversal, seed_of_numbers, sweep_of
from checkpoint.workers.cuts import Cuts, Piece, Where
from checkpoint.workers.handed import Handed
from checkpoint.workers.outcomes import one_of
from checkpoint.workers.parked import Parked, Place
from checkpoint.workers.protocol import Workers
from checkpoint.workers.segment import Cut, Shared


class Relay:
    """Takes the gradients of one call by workers. divided: what the capsules of the call have in common."""

    def __init__(self, workers: Workers, divided: Divided) -> None:
        self.workers = workers
        self.divided = divided

    def taken(self, reversal: Reversal) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents of a run."""
        start = reversal.start
        with closing(_Passing(self, reversal)) as passing:
            end, value = passing.run(start)
            seed, last = reversal.seed(start), None
            if passing.cuts.pieces:
                for step, found in passing.handed(end.steps, passing.cotangent_of(start, end)):
                    seed, last = seed_of_numbers(passing.engine, found.numbers), step
        sweep = sweep_of(reversal.context, start, reversal.schedule, seed, last)
        cotangent = sweep.run(start.state, reversal.schedule)[1]
        return value, reversal.results(cotangent)

    def taken_durably(self, run: DurableRun) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents of a run with a journal."""
        here = Gradient(run)
        with closing(_Passing(self, run.reversal, run)) as passing:
            is_handed_on = self._hand_on(run, here, passing)
        return (here.value, here.backward()) if is_handed_on else here.taken()

    @staticmethod
    def _hand_on(run: DurableRun, here: Gradient, passing: _Passing) -> bool:
        """Have workers reverse all but the first segment; False where the run is so short that all stays."""
        known, ended = run.journal.reversed, run.journal.end
        if known is not None and ended is not None:
            (high, cotangent), (total, value) = known, ended
            passing.know_states(below=high)
        else:
            begun = run.last_begun(None)
            passing.know_states(below=begun.state.steps + 1)
            end, value = passing.run(begun)
            if not passing.cuts.pieces:
                return False
            run.end = run.capsule(end)
            high = total = end.steps
            cotangent = passing.cotangent_of(begun, end)
        here.go_on(high, cotangent, total, value)
        for step, found in passing.handed(high, cotangent):
            here.reversed(step, found)
        return True


class _Passing:
    """A run on its way to workers. durable: it and its journal, if it has one."""

    def __init__(self, owner: Relay, reversal: Reversal, durable: DurableRun | None = None) -> None:
        self.workers = owner.workers
        self.divided = owner.divided
        self.reversal = reversal
        self.durable = durable
        self.engine = cast(WithCapsules, reversal.context.engine)
        self.cuts = Cuts(self.engine, self._put, self._room(), self.workers.size)
        spill = spill_of(getattr(reversal.schedule, "spill", None))
        self.parked = None if spill is None or self.divided.function is None else Parked(spill)

    def know_states(self, below: int) -> None:
        """Have segments begin at the durable states below a step."""
        assert self.durable is not None
        self.cuts.pieces = [Piece(step) for step in self.durable.journal.states(below)]

    def run(self, begun: Begun) -> tuple[State, Any]:
        """Run from a place to the end; return that, and the value as it is there."""
        context = self.reversal.context
        end = self.cuts.run(begun.state, context.effects)
        context.tags = max(context.tags, end.tags)
        return end, settled(end.value, end.steps)

    def cotangent_of(self, begun: Begun, end: State) -> Opaque:
        """Return the cotangent of the end of the run, if it has been run from this place."""
        numbers = self.engine.capsule_cotangents(end, self.reversal.seed(begun)(end))
        return Opaque(tuple(numbers), identity_of(self._own(self.engine.capsule(end))))

    def handed(self, high: int, cotangent: Opaque) -> Iterator[tuple[int, Opaque]]:
        """Have all segments but the first one reversed; yield where each begins, and the cotangent there."""
        schedule, cuts, divided = self.reversal.schedule, self.cuts, self.divided
        if type(schedule) is Budget and cuts.rest is not None and not memory.is_share(schedule.memory):
            schedule = replace(schedule, memory=cuts.rest, spill=spill_of(schedule.spill))
        log = self.reversal.context.effects.log
        shared = Shared(self.engine.name, schedule, cuts.fitting, log, divided.function, divided.known)
        handed = Handed(self.workers, self.workers.put(shared), self._state_of, high, cotangent)
        yield from handed.results(cuts.pieces)

    def close(self) -> None:
        """Release what the disk holds, however the call ends."""
        if self.parked is not None:
            self.parked.close()

    def _own(self, capsule: Capsule) -> Capsule:
        return self.divided.leave(capsule) if self.durable is None else self.durable.own(capsule)

    def _put(self, capsule: Capsule, has_room: bool) -> tuple[Any, Where]:
        """See Cuts; a state for which memory has no room goes to the disk."""
        own = self._own(capsule)
        if self.durable is not None:
            self.durable.reports.forward(own.steps)
            if self.durable.is_due:
                self.durable.keep(own)
        cut = Cut(own)
        place = None if has_room or self.parked is None else self.parked.put(cut)
        if place is not None:
            return place, Where.DISK
        token = self.workers.put(cut)
        return token, Where.SHARED if token is cut else Where.COPIED

    def _state_of(self, piece: Piece) -> Any:
        """Return what stands for the state where a segment begins; None where disk or journal has lost it."""
        if type(piece.state) is Place:
            assert self.parked is not None
            cut = self.parked.state(piece.state)
            return None if cut is None else self.workers.put(cut)
        if piece.state is not None or self.durable is None:
            return piece.state
        capsule = self.durable.journal.state(piece.step)
        return None if capsule is None else self.workers.put(Cut(capsule))

    def _room(self) -> int | None:
        """Return the bytes that each worker may hold, if they are bounded."""
        schedule = self.reversal.schedule
        with one_of(self.workers.size):
            return memory.resolve(schedule.memory) if isinstance(schedule, Budget) else None
