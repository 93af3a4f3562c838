"""Sweeps of the C engine's own driver (ctemplates/driver.h): what Python does for them.

In: a state, a schedule. Out: the end of the run and the cotangent of the state, as of the Python executor
(checkpoint.driver.execute). Bisection is C's own; any other schedule is asked here, action by action.

What Python does on the way: code that C has not yet; the cotangent of the end, once that is known; looking
for an interruption between two slices; steps of hybrid's, forward and backward.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

from checkpoint.ad.library import silently
from checkpoint.ctarget.code import make_code
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.foreign import Peer
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.run import open_calls, standing_at
from checkpoint.ctarget.states import Held, State
from checkpoint.driver.collector import Paused
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import NEVER_REVERSED, WITHOUT_TAPE
from checkpoint.driver.observe import Observer
from checkpoint.driver.raised import left_open
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Bisection,
    Drop,
    Keep,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.errors import InternalError, RunError
from checkpoint.interp.hybrid.code import NEVER
from checkpoint.interp.hybrid.engine import Recorded
from checkpoint.interp.hybrid.machine import HALT, Machine
from checkpoint.interp.hybrid.machine import State as PythonState

Directives = Iterator[Any]  # of cffi: Directive *


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
) -> tuple[State, Cotangent]:
    """Reverse the run from `start`. log: receives the actions of C's own schedule.

    As in checkpoint.ctarget.run, what is raised keeps this frame: what C holds is released here.
    """
    module = runtime()
    base, bytes = 0, NEVER
    if type(schedule) is Bisection:
        base, bytes = min(schedule.base, NEVER), _bound(schedule.tape_bytes)
    peer = SweepPeer(engine, start, effects)
    held = start.heap.got(
        module.lib.ck_sweep_create(start.held, NEVER if last is None else last, base, bytes, id(peer))
    )
    peer.at_work = module.lib.ck_sweep_at_work(held)
    going = _Going(held, peer, seed)
    try:
        if base:
            if log is not None:
                module.lib.ck_sweep_begin_log(held)
            going.on(module.ffi.NULL)
        else:
            for directive in _directives(held, schedule):
                going.on(directive)
        return going.result()
    except (KeyboardInterrupt, MemoryError) as stop:
        peer.interrupted(stop, held)
        raise
    except RunError as error:
        left_open(error, open_calls(held))
        raise
    finally:
        _count(held, counts)
        if log is not None:
            log += _logged(held)
        going.stop()
        module.ffi.release(held)


class _Going:
    """A sweep at work. seed: gives the cotangent of the end state."""

    __slots__ = ("cotangent", "end", "held", "peer", "seed")

    def __init__(self, held: Held, peer: SweepPeer, seed: Callable[[State], Cotangent]) -> None:
        self.held = held
        self.peer = peer
        self.seed = seed
        self.end: State | None = None
        self.cotangent: Cotangent | None = None

    def on(self, directive: Any) -> None:
        """Until the directive has been followed, or the sweep's own schedule has ended."""
        module, held = runtime(), self.held
        lib, null, quiet = module.lib, module.ffi.NULL, False
        while True:
            given = null if self.cotangent is None else self.cotangent.held
            if quiet:
                with silently(), Paused():
                    outcome = lib.ck_sweep_run(held, given, directive, True)
            else:
                outcome = lib.ck_sweep_run(held, given, directive, False)
            if outcome in (lib.SWEEP_STANDS, lib.SWEEP_ENDS):
                return
            directive, quiet = null, outcome == lib.SWEEP_WANTS_QUIET
            if not quiet and outcome != lib.SWEEP_SLICED:
                self._help(outcome)

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
        self.end, self.cotangent = end, cotangent
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


def _count(held: Held, counts: Counts) -> None:
    found = runtime().lib.ck_sweep_counts(held)
    counts.advanced += found.advanced
    counts.taped += found.taped
    counts.most_kept = max(counts.most_kept, found.most_kept)


def _bound(bytes: int | None) -> int:
    return UNBOUNDED if bytes is None else min(bytes, NEVER)


UNBOUNDED = (1 << 64) - 1  # ctemplates/schedule.h
TO_THE_END = (1 << 63) - 1


def _wrong(outcome: int) -> str:
    lib = runtime().lib
    return {
        lib.SWEEP_WITHOUT_TAPE: WITHOUT_TAPE,
        lib.SWEEP_WITHOUT_STATE: "the schedule went on without a current state",
        lib.SWEEP_NOT_KEPT: "the schedule named a state that is not kept",
        lib.SWEEP_OUT_OF_ORDER: "the schedule reversed a tape that ends elsewhere than reversal stands",
    }[outcome]


# Actions as directives


def _directives(held: Held, schedule: Schedule) -> Directives:
    """What a schedule says, which is told where the sweep stands after each."""
    module = runtime()
    directive = module.ffi.new("Directive *")
    actions = schedule.actions()
    action = next(actions)
    while True:
        _write(action, directive)
        yield directive
        found = module.lib.ck_sweep_report(held)
        try:
            action = actions.send(Report(found.step, found.finished, found.bytes))
        except StopIteration:
            return


def _write(action: Action, directive: Any) -> None:
    lib = runtime().lib
    match action:
        case Keep():
            directive.deed = lib.DO_KEEP
        case Restore(step):
            directive.deed, directive.step = lib.DO_RESTORE, step
        case Drop(step):
            directive.deed, directive.step = lib.DO_DROP, step
        case Advance(to):
            directive.deed, directive.step = lib.DO_ADVANCE, TO_THE_END if to is None else to
        case Tape(to, bytes):
            directive.deed, directive.step = lib.DO_TAPE, TO_THE_END if to is None else to
            directive.bytes = _bound(bytes)
        case Reverse():
            directive.deed = lib.DO_REVERSE


def action_of(directive: Any) -> Action:
    """A directive as an action."""
    lib = runtime().lib
    deed, step = directive.deed, directive.step
    to = None if step == TO_THE_END else step
    if deed == lib.DO_KEEP:
        return Keep()
    if deed == lib.DO_RESTORE:
        return Restore(step)
    if deed == lib.DO_DROP:
        return Drop(step)
    if deed == lib.DO_ADVANCE:
        return Advance(to)
    if deed == lib.DO_TAPE:
        return Tape(to, None if directive.bytes == UNBOUNDED else directive.bytes)
    return Reverse()


def _logged(held: Held) -> list[Action]:
    module = runtime()
    count = module.lib.ck_sweep_log(held, module.ffi.NULL, 0)
    log = module.ffi.new("Directive[]", count)
    module.lib.ck_sweep_log(held, log, count)
    return [action_of(directive) for directive in log]
