"""The C engine: checkpoint.driver.engine.WithDriver on the machine of ctemplates/.

A native step either completes or refuses before any side effect; hybrid then performs it on Python values
(state/machine.h, foreign/). So programs are prepared as for hybrid, and operations on whole states are
hybrid's own code, on the hybrid state that C's is converted to (checkpoint.ctarget.states).

Each start has its own heap, in which everything derived from it lives. A run is made in slices, between which
Python checks for an interruption.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from checkpoint import config
from checkpoint.ad.arrays import Array
from checkpoint.ad.numbers import Number
from checkpoint.ad.tangent import seed
from checkpoint.ad.values import Capsule, Closure
from checkpoint.ctarget.arguments import own_births, results, tree_cotangents, unread_births
from checkpoint.ctarget.at_once.lane_gradients import LaneGradient
from checkpoint.ctarget.at_once.lanes import LaneLoop
from checkpoint.ctarget.at_once.small import SmallGradient
from checkpoint.ctarget.capsules import closed
from checkpoint.ctarget.capsules.rest import Rest, state_in_c
from checkpoint.ctarget.capsules.runs import InRuns, Run, joined
from checkpoint.ctarget.code import keep_built_in_blocks
from checkpoint.ctarget.cotangent import Cotangent, Reverser
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.run import run
from checkpoint.ctarget.states import Heap, State
from checkpoint.ctarget.sweep import follow
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Halves, Wanted
from checkpoint.driver.observe import Observer
from checkpoint.driver.schedule import Schedule
from checkpoint.interp.hybrid.code import NEVER
from checkpoint.interp.hybrid.cotangent import redo
from checkpoint.interp.hybrid.engine import Hybrid
from checkpoint.interp.hybrid.machine import State as PythonState


class Recording:
    """A taped segment of a run. bytes: the size of what its steps have recorded."""

    __slots__ = ("bytes", "end", "start", "tape")

    def __init__(self, start: State, tape: Any, end: State) -> None:
        self.start = start
        self.tape = tape
        self.end = end
        self.bytes: int = runtime().lib.ck_tape_bytes(tape)

    def detached(self) -> State:
        """Return the end; its values are never on a tape."""
        return self.end


class _OnStates(Hybrid):
    """Hybrid's operations on its own states, under the name of this engine."""

    name = "c"


def _settled(state: State) -> PythonState:
    """Return the state of a capsule as hybrid's, with numbers and containers of its own.

    Those of a closed state are its own as C returns them.
    """
    python = state.python()
    settled: PythonState = python if closed.is_closed(state) else _ON_STATES.capsule(python).state
    return settled


_HYBRID = Hybrid()
_ON_STATES = _OnStates()


class C:
    """The engine named "c". limit: the bytes that a run may hold; None: the value of CHECKPOINT_MEMORY."""

    name = "c"
    resumes = Hybrid.resumes
    limit: int | None = None

    def prepare(self, thunk: Any, scopes: Any) -> None:
        """See Engine.prepare."""
        _HYBRID.prepare(thunk, scopes)

    def start(self, level: int, u: Any, tags: int) -> State:
        """See Engine.start."""
        keep_built_in_blocks()
        heap = Heap(config.memory() if self.limit is None else self.limit)
        rest = closed.begun(heap, u, tags) if level == 0 else None
        if rest is not None:
            return rest
        state = _ON_STATES.start(level, u, tags)
        runtime().lib.ck_heap_own(heap.held, own_births(state))
        return State(heap, start=state)

    def advance(self, state: State, to: int | None, effects: Effects, calls: Calls | None = None) -> State:
        """See Engine.advance."""
        return run(self, state, to, effects, calls=calls)

    def capsule(self, state: State) -> Capsule:
        """See Engine.capsule. Without tags there are no duals, so the hybrid state can be made later."""
        if state.tags or state.start is not None:
            return _ON_STATES.capsule(state.python())
        return Capsule(Rest(state, _settled), self.name, frozenset())

    def tape(
        self,
        state: State,
        to: int | None,
        effects: Effects,
        bytes: int | None = None,
        given: Collection[int] = frozenset(),
    ) -> Recording:
        """See Engine.tape; the bound is checked after every block."""
        tape = state.heap.got(runtime().lib.ck_tape_create(state.held))
        end = run(self, state, to, effects, tape, NEVER if bytes is None else bytes, given)
        end.settles = end.finished
        return Recording(state, tape, end)

    def seed(self, end: State, cotangent: Any) -> Cotangent:
        """See Engine.seed."""
        value = end.value
        if type(value) is float or type(value) is Array:
            return Cotangent(end, (seed(value, cotangent)[0],))
        sealed = closed.seeded(end, cotangent)
        if sealed is not None:
            return sealed
        found = _ON_STATES.seed(end, cotangent)  # type: ignore[arg-type]  # of which it asks the value
        return Cotangent.of(end, found)

    def seed_capsule(self, end: State, cotangents: list[float]) -> Cotangent:
        """See Engine.seed_capsule."""
        found = closed.given(end, cotangents)
        return found or Cotangent.of(end, _ON_STATES.seed_capsule(end.python(), cotangents))

    def capsule_cotangents(self, state: State, cotangent: Cotangent) -> list[Any]:
        """See WithCapsules.capsule_cotangents."""
        reals = closed.received_all(state, cotangent)
        if reals is not None:
            return list(reals)
        python = state.python()
        return _ON_STATES.capsule_cotangents(python, cotangent.at(python))

    def reverse(self, recording: Recording, cotangent: Cotangent, keeps: bool = False) -> Cotangent:
        """See Engine.reverse."""
        lib = runtime().lib
        if keeps:
            lib.ck_tape_keep(recording.tape)
            cotangent.undone = []
        cotangent.reverse(recording.tape)
        if keeps:
            lib.ck_tape_rewind(recording.tape)
            redo(cotangent)
        return cotangent

    def cotangent_bytes(self, cotangent: Cotangent) -> tuple[int, int]:
        """See Engine.cotangent_bytes; elements of arrays are only counted by a sweep."""
        return runtime().lib.ck_cotangent_bytes(cotangent.held) + cotangent.sealed.bytes, 0

    def left_over(self, cotangent: Cotangent, start: State) -> int:
        """See Engine.left_over; the fields of what sealed capsules hold are not known apart."""
        if cotangent.sealed.was_used:
            return 0
        return int(runtime().lib.ck_cotangent_left_over(cotangent.held, start.births))

    def ignore(self, start: State, positions: Sequence[int]) -> None:
        """See WithDriver.ignore."""
        state = start.python()
        unread, argument = unread_births(state, positions), state.values[1]
        runtime().lib.ck_heap_ignore(start.heap.held, argument.birth, unread.start, len(unread))

    def restrict(self, cotangent: Cotangent, start: State, positions: Sequence[int]) -> None:
        """See WithDriver.restrict."""
        unread = unread_births(start.python(), positions)
        runtime().lib.ck_cotangent_ignore(cotangent.held, unread.start, len(unread))

    def argument_cotangents(
        self,
        start: State,
        cotangent: Cotangent,
        found: Sequence[Number],
        within: Sequence[int] | None = None,
    ) -> list[Any]:
        """See Engine.argument_cotangents."""
        if start.start is None:
            reals = closed.received(start, cotangent, len(found))
            assert reals is not None
            return list(reals)
        state = start.start
        of_tree = tree_cotangents(state, cotangent, len(found), within)
        if of_tree is not None:
            return of_tree
        return _ON_STATES.argument_cotangents(state, cotangent.at(state), found)

    def results(self, accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
        """See Engine.results."""
        return results(accumulators, found)

    def closed(self, capsule: Capsule) -> tuple[Capsule, int] | None:
        """See WithDriver.closed."""
        return closed.closed(capsule)

    def sealed(self, capsule: Capsule) -> Capsule | None:
        """See WithDriver.sealed."""
        return closed.sealed(capsule)

    def joined(self, parts: InRuns) -> Any:
        """Return the state of a capsule from its parts: in C, where some are, or all of it is closed."""
        rest = joined(parts, _settled)
        has_columns = any(isinstance(run, Run) for run in parts.runs)
        return rest if has_columns or closed.is_closed(state_in_c(rest)) else parts.state

    def small_gradient(self, lam: Any) -> SmallGradient | None:
        """See WithDriver.small_gradient."""
        return SmallGradient(lam) if self.limit is None else None

    def lane_loop(self, closure: Closure) -> LaneLoop | None:
        """See WithDriver.lane_loop."""
        return LaneLoop(self.start, closure) if self.limit is None else None

    def lane_gradient(self, started: Any, closure: Closure) -> LaneGradient | None:
        """See WithDriver.lane_gradient."""
        return LaneGradient(started, closure) if self.limit is None else None

    def sweep(
        self, wanted: Wanted, start: State, schedule: Schedule, observers: tuple[Observer, ...] = ()
    ) -> Halves:
        """See WithDriver.sweep."""
        return follow(wanted, start, schedule, observers)


Reverser.engine = C()
