"""Sweeps of the C engine's own driver (ctemplates/driver.h): what Python does for them.

In: a state, a schedule. Out: the end of the run and the cotangent of the state, as of the Python executor
(checkpoint.driver.execute). Bisection is C's own, unless somebody observes; any other schedule is asked here,
action by action.

What Python does on the way: code that C has not yet; the cotangent of the end, once that is known; looking
for an interruption between two slices; steps of hybrid's, forward and backward; telling observers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

from checkpoint.ad.library import silently
from checkpoint.ctarget.code import make_code
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.directives import bound, logged, report_of, write
from checkpoint.ctarget.foreign import Peer
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.run import open_calls, standing_at
from checkpoint.ctarget.states import Held, State
from checkpoint.driver.collector import Paused
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import NEVER_REVERSED, WITHOUT_TAPE
from checkpoint.driver.observe import Observer, Sample, Sampler
from checkpoint.driver.raised import left_open
from checkpoint.driver.schedule import Action, Bisection, Report, Schedule, weighs
from checkpoint.errors import InternalError, RunError
from checkpoint.interp.hybrid.code import NEVER
from checkpoint.interp.hybrid.engine import Recorded
from checkpoint.interp.hybrid.machine import HALT, Machine
from checkpoint.interp.hybrid.machine import State as PythonState

# Where somebody observes: steps of one call in C, at first and at most, and how often he is told, in seconds.
FIRST_PACE, LAST_PACE, TOLD_AFTER = 1000, 1_000_000, 0.1
SLICE_SECONDS = 0.01  # of a call of a sweep that follows its own schedule


class SweepPeer(Peer):
    """The Python of all runs of a sweep: each has a machine of its own, made when it is first asked for.

    at_work: what C says of its present run. collects: whether the collector runs where nothing is recorded.
    """

    __slots__ = ("_machine", "_run", "at_work", "collects", "effects", "engine", "start")

    def __init__(self, engine: Engine, start: State, effects: Effects) -> None:
        self.engine = engine
        self.start = PythonState(HALT, 0, (), None, start.steps, start.tags, start.births)
        self.effects = effects
        self.at_work: Any = None
        self.collects = gc.isenabled()
        self._run = 0
        super().__init__(Machine(engine, self.start, effects), start.heap)

    @property
    def machine(self) -> Machine:
        """The one of C's present run; while that is recorded the collector is paused."""
        at_work = self.at_work
        if at_work is not None and at_work.run != self._run:
            self._run = at_work.run
            taped = at_work.taped
            self._machine = Machine(self.engine, self.start, self.effects, Recorded() if taped else None)
            self.collect(not taped)
        return self._machine

    @machine.setter
    def machine(self, machine: Machine) -> None:
        self._machine = machine

    def interrupted(self, stop: BaseException, held: Held) -> None:
        """The run lets go of what Python has of it, and says where it was, if it was anywhere."""
        if runtime().lib.ck_machine_standing(held).block:
            self._machine.block = standing_at(held).code
            self._machine.interrupted(stop)

    def collect(self, runs: bool) -> None:
        """The collector runs from here on, or does not."""
        if self.collects:
            (gc.enable if runs else gc.disable)()


def follow(
    engine: Engine,
    start: State,
    schedule: Schedule,
    effects: Effects,
    seed: Callable[[State], Cotangent],
    last: int | None,
    counts: Counts,
    log: list[Action] | None = None,
    observers: tuple[Observer, ...] = (),
    least: int = 0,
) -> tuple[State, Cotangent]:
    """Reverse the run from `start`. log: receives the actions of C's own schedule.

    As in checkpoint.ctarget.run, what is raised keeps this frame: what C holds is released here.
    """
    module = runtime()
    own = type(schedule) is Bisection and all(isinstance(each, Sampler) for each in observers)
    base, bytes = _bisected(schedule) if own else (0, NEVER)
    peer = SweepPeer(engine, start, effects)
    held = start.heap.got(
        module.lib.ck_sweep_create(start.held, NEVER if last is None else last, base, bytes, id(peer))
    )
    peer.at_work = module.lib.ck_sweep_at_work(held)
    kind = _Sampling if own else _Telling
    going = _Going(held, peer, seed, kind(held, observers) if observers else None)
    try:
        if own:
            if log is not None:
                module.lib.ck_sweep_begin_log(held)
            going.by_itself(schedule, least)
        else:
            if observers or weighs(schedule):
                module.lib.ck_sweep_weigh_arrays(held)
            going.follow(schedule, least)
        return going.result()
    except (KeyboardInterrupt, MemoryError) as stop:
        peer.interrupted(stop, held)
        raise
    except RunError as error:
        left_open(error, open_calls(held))
        raise
    finally:
        module.lib.ck_sweep_leave_arrays(held)
        _count(held, counts)
        if log is not None:
            log += logged(held)
        going.stop()
        module.ffi.release(held)


def _bisected(schedule: Any) -> tuple[int, int]:
    return min(schedule.base, NEVER), bound(schedule.tape_bytes)


class _Going:
    """A sweep at work. seed: gives the cotangent of the end state. telling: to observers, if there are."""

    __slots__ = ("_given", "_lib", "_null", "_telling", "cotangent", "end", "held", "peer", "seed")

    def __init__(
        self,
        held: Held,
        peer: SweepPeer,
        seed: Callable[[State], Cotangent],
        telling: _Telling | None = None,
    ) -> None:
        module = runtime()
        self._lib = module.lib
        self._null = module.ffi.NULL
        self._given = self._null  # the cotangent, for C
        self._telling = telling
        self.held = held
        self.peer = peer
        self.seed = seed
        self.end: State | None = None
        self.cotangent: Cotangent | None = None

    def by_itself(self, schedule: Schedule, least: int) -> None:
        """Until the sweep's own schedule has ended."""
        if self._telling is not None:
            found = self._lib.ck_sweep_report(self.held)
            self._telling.began(schedule, report_of(found, perf_counter(), process_time(), least))
        outcome = self._lib.ck_sweep_run(self.held, self._null, self._null, False)
        self._go_on(outcome)
        if self._telling is not None:
            self._telling.over()

    def follow(self, schedule: Schedule, least: int) -> None:
        """Do what a schedule says, which is told where the sweep stands after each action."""
        began, busy = perf_counter(), process_time()
        held, lib, telling = self.held, self._lib, self._telling
        run, stands = lib.ck_sweep_run, lib.SWEEP_STANDS
        directive, found = runtime().ffi.new("Directive *"), lib.ck_sweep_report(held)
        if telling is not None:
            telling.began(schedule, report_of(found, began, busy, least))
        actions = schedule.actions()
        action = next(actions)
        while True:
            write(action, directive, lib)
            outcome = run(held, self._given, directive, False)
            if outcome != stands:
                self._go_on(outcome)
            report = report_of(found, began, busy, least)
            if telling is not None:
                telling.acted(action, report)
            try:
                action = actions.send(report)
            except StopIteration:
                return

    def _go_on(self, outcome: int) -> None:
        """From what a call in C has come to, until the directive has been followed."""
        lib = self._lib
        while outcome not in (lib.SWEEP_STANDS, lib.SWEEP_ENDS):
            quiet = outcome == lib.SWEEP_WANTS_QUIET
            if outcome == lib.SWEEP_SLICED:
                if self._telling is not None:
                    self._telling.sliced()
            elif not quiet:
                self._help(outcome)
            outcome = self._call(quiet)

    def _call(self, quiet: bool) -> int:
        outcome: int
        if quiet:
            with silently(), Paused():
                outcome = self._lib.ck_sweep_run(self.held, self._given, self._null, True)
        else:
            outcome = self._lib.ck_sweep_run(self.held, self._given, self._null, False)
        return outcome

    def _help(self, outcome: int) -> None:
        lib, held = runtime().lib, self.held
        if outcome == lib.SWEEP_WANTS_CODE:
            make_code(standing_at(held), lib.ck_machine_standing(held).wanted)
        elif outcome == lib.SWEEP_WANTS_SEED:
            self._begin_reversal()
        elif outcome == lib.SWEEP_FAILED:
            raise self._error()
        elif outcome == lib.SWEEP_NO_MEMORY:
            raise self.peer.heap.full()
        else:
            raise InternalError(_wrong(outcome))

    def _begin_reversal(self) -> None:
        heap = self.peer.heap
        self.peer.collect(True)
        end = State(heap, heap.got(runtime().lib.ck_sweep_end(self.held)))
        end.settles = end.finished
        cotangent = self.seed(end)
        self.end, self.cotangent, self._given = end, cotangent, cotangent.held
        cotangent.peer.cotangent = cotangent

    def _error(self) -> BaseException:
        error = self.peer.error
        if error is None and self.cotangent is not None:
            error = self.cotangent.peer.error
        assert error is not None
        return error

    def result(self) -> tuple[State, Cotangent]:
        """The end of the run, and the cotangent of its start."""
        if self.end is None or self.cotangent is None:
            raise InternalError(NEVER_REVERSED)
        return self.end, self.cotangent

    def stop(self) -> None:
        """Nothing refers to what was raised any more, nor the cotangent to itself."""
        self.peer.error = None
        self.peer.collect(True)
        if self.cotangent is not None:
            self.cotangent.peer.cotangent = self.cotangent.peer.error = None
        self.end = self.cotangent = None
        self._given = self._null


class _Telling:
    """Telling observers what was done, and how far a long action has come.

    pace: how many steps a call in C makes meanwhile; what it takes follows TOLD_AFTER.
    """

    __slots__ = ("_called", "_held", "_observers", "_pace", "_told")

    def __init__(self, held: Held, observers: tuple[Observer, ...]) -> None:
        self._held = held
        self._observers = observers
        self._pace = FIRST_PACE
        self._begin_action()

    def began(self, schedule: Schedule, report: Report) -> None:
        """The sweep stands at its start."""
        for observer in self._observers:
            observer.began(schedule, report)
        self._begin_action()

    def acted(self, action: Action, report: Report) -> None:
        """An action was done."""
        for observer in self._observers:
            observer.acted(action, report)
        self._begin_action()

    def _begin_action(self) -> None:
        self._called = self._told = perf_counter()
        self._set_pace(max(self._pace // 4, FIRST_PACE))

    def _set_pace(self, pace: int) -> None:
        self._pace = max(1, min(pace, LAST_PACE))
        runtime().lib.ck_sweep_pace(self._held, self._pace)

    def sliced(self) -> None:
        """A call has made as many steps as it was to."""
        now = perf_counter()
        took, self._called = now - self._called, now
        if 2 * took < TOLD_AFTER:
            self._set_pace(2 * self._pace)
        elif took > 2 * TOLD_AFTER:
            self._set_pace(self._pace // 2)
        at = runtime().lib.ck_machine_standing(self._held)
        if now - self._told >= TOLD_AFTER and at.block:
            self._told = now
            for observer in self._observers:
                observer.running(at.steps)

    def over(self) -> None:
        """The sweep's own schedule has ended."""


class _Sampling(_Telling):
    """Telling observers how far a sweep has come that follows its own schedule."""

    __slots__ = ("_was_known",)

    def _begin_action(self) -> None:
        self._was_known = False
        super()._begin_action()

    def sliced(self) -> None:
        """A call has made as many steps as it was to; it may have come through many actions."""
        now = perf_counter()
        took, self._called = now - self._called, now
        if took < SLICE_SECONDS:
            self._set_pace(2 * self._pace)
        elif took > 4 * SLICE_SECONDS:
            self._set_pace(self._pace // 2)
        is_known = runtime().lib.ck_sweep_counts(self._held).end >= 0
        if now - self._told >= TOLD_AFTER or is_known != self._was_known:
            self._told, self._was_known = now, is_known
            self.over()

    def over(self) -> None:
        """Tell how far it has come."""
        lib = runtime().lib
        at, found = lib.ck_machine_standing(self._held), lib.ck_sweep_counts(self._held)
        step = at.steps if at.block else lib.ck_sweep_report(self._held).step
        end, reversed_to = (None if each < 0 else each for each in (found.end, found.reversed_to))
        for observer in self._observers:
            assert isinstance(observer, Sampler)
            observer.sampled(Sample(step, end, reversed_to))


def _count(held: Held, counts: Counts) -> None:
    found = runtime().lib.ck_sweep_counts(held)
    counts.advanced += found.advanced
    counts.taped += found.taped
    counts.most_kept = max(counts.most_kept, found.most_kept)


def _wrong(outcome: int) -> str:
    lib = runtime().lib
    return {
        lib.SWEEP_WITHOUT_TAPE: WITHOUT_TAPE,
        lib.SWEEP_WITHOUT_STATE: "the schedule went on without a current state",
        lib.SWEEP_NOT_KEPT: "the schedule named a state that is not kept",
        lib.SWEEP_NOT_HELD: "the schedule named a tape that is not held",
        lib.SWEEP_OUT_OF_ORDER: "the schedule reversed a tape that ends elsewhere than reversal stands",
    }[outcome]
