"""Runs of the C machine, from a state to a step, to the end, or until the tape is full.

In: a state, the run's effects. Out: the state reached, or the exception of hybrid's run, with the same
    spans and
calls: it comes from the helper (checkpoint.ctarget.foreign) if a step in Python raised it, or from Python
between two slices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from checkpoint.ctarget.code import make_code, peer_at
from checkpoint.ctarget.foreign import PythonHelper
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Heap, Held, State
from checkpoint.ctarget.translate.policy import SLICE
from checkpoint.ctarget.translate.watch import Watch, watch
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import LONGEST_TRACE, left_open
from checkpoint.errors import RUN_ENDING, RunError, SourceError
from checkpoint.interp.hybrid.code import NEVER
from checkpoint.interp.hybrid.engine import Recorded
from checkpoint.interp.hybrid.machine import HALT, Frame, Machine
from checkpoint.interp.hybrid.machine import State as PythonState
from checkpoint.lang.lanes import MAX_LANES, lanes_of


class RunHelper(PythonHelper):
    """Performs the Python steps of one run; `made` returns its machine."""

    __slots__ = ("_machine", "made")

    def __init__(self, made: Callable[[], Machine], heap: Heap) -> None:
        self.made = made
        self._machine: Machine | None = None
        super().__init__(heap)

    @property
    def machine(self) -> Machine:
        """Return the machine of the run."""
        if self._machine is None:
            self._machine = self.made()
        return self._machine


def run(
    engine: Engine,
    state: State,
    to: int | None,
    effects: Effects,
    tape: Held = None,
    bytes: int = NEVER,
    given: Collection[int] = frozenset(),
    calls: Calls | None = None,
) -> State:
    """Run until `to` steps have been made, the tape outgrows `bytes`, or the run is finished.

    calls: as in Engine.advance.

    given: as in Engine.tape.
    An exception keeps this function's frame, and with it the machine's wrapper, which is therefore released
    here.
    """
    module = runtime()
    watched = watch(state, tape is not None)

    def made() -> Machine:
        at = PythonState(HALT, 0, (), None, state.steps, state.tags, state.births)
        return Machine(engine, at, effects, None if tape is None else Recorded(given))

    helper = RunHelper(made, state.heap)
    onto = module.ffi.NULL if tape is None else tape
    held = state.heap.got(module.lib.ck_machine_create(state.held, onto, bytes, id(helper)))
    if calls is not None:
        module.lib.ck_machine_stop_at_calls(held, calls.number)
    try:
        return _run(state, held, helper, NEVER if to is None else min(to, NEVER), watched)
    except (KeyboardInterrupt, MemoryError) as stop:
        helper.machine.block = block_at(held).code
        helper.machine.interrupted(stop)
        raise
    except RUN_ENDING as error:
        left_in_c(error, held)
        raise
    finally:
        helper.error = None
        module.ffi.release(held)


class _MachineAlone(PythonHelper):
    """The helper of a run that ends before the first step that Python's code would do."""

    __slots__ = ()

    @property
    def machine(self) -> Any:
        """Return None: records of steps have no machine to work with."""
        return None

    def _answer(self, *_: Any) -> None:
        self.error = RunError("a step needs Python")

    def uncaught(self, *_: Any) -> None:
        """End the run."""
        self.error = RunError("a value was raised")


def run_alone(state: State) -> State | None:
    """Run until the end by the machine alone, under the watch; None: it fails, or has a step of Python's.

    Then nothing has been done that anybody can see.
    """
    module = runtime()
    watched = watch(state, False)
    helper = _MachineAlone(state.heap)
    held = state.heap.got(module.lib.ck_machine_create(state.held, module.ffi.NULL, NEVER, id(helper)))
    try:
        return _run(state, held, helper, NEVER, watched)
    except RUN_ENDING:
        return None
    finally:
        module.ffi.release(held)


def _run(state: State, held: Held, helper: PythonHelper, last: int, watched: Watch | None) -> State:
    lib, heap = runtime().lib, state.heap
    slice = SLICE if watched is None else watched.slice
    while True:
        outcome = lib.ck_machine_run(held, last, slice)
        if outcome == lib.WANTS_CODE:
            make_code(block_at(held), lib.ck_machine_position(held).wanted)
        elif outcome == lib.FAILED:
            assert helper.error is not None
            raise helper.error
        elif outcome == lib.NO_MEMORY:
            raise heap.full()
        elif outcome != lib.SLICED:
            end = State(heap, heap.got(lib.ck_machine_state(held)))
            if watched is not None:
                watched.ended(end.steps - state.steps)
            return end
        elif watched is not None:
            # A call of many steps may have ended before, by the clock.
            done = lib.ck_machine_position(held).steps - state.steps - watched.steps
            watched.sliced(held, slice if slice <= SLICE else max(0, done))
            slice = watched.slice


def block_at(held: Held) -> Any:
    """Return the peer of the block at which a machine, or the machine of a sweep, is."""
    return peer_at(runtime().lib.ck_machine_position(held).block)


def left_in_c(error: RunError | SourceError, held: Held) -> None:
    """Add to an error that leaves a run the calls and lanes that its machine, or its sweep's, leaves open."""
    left_open(error, _open_calls(held))
    module = runtime()
    marks = module.ffi.new("LaneMark[]", MAX_LANES)
    count = module.lib.ck_machine_lanes(held, marks, MAX_LANES)
    error.lanes = (*error.lanes, *lanes_of([list(marks[i].numbers) for i in range(count)]))


def _open_calls(held: Held) -> Frame | None:
    """Return the calls that the machine's frames wait for, as the frames that `left_open` reads."""
    module = runtime()
    calls = module.ffi.new("Block const *[]", LONGEST_TRACE)
    count = module.lib.ck_machine_calls(held, calls, LONGEST_TRACE)
    frame: Frame | None = None
    for i in reversed(range(count)):
        frame = Frame(HALT, (), frame, None, peer_at(calls[i]).block.end.span)
    return frame
