"""The machine of the reference engine: a defunctionalised CPS evaluator of the core.

A continuation is a chain of frames, which are data. A frame that has all its operands is *ready*: it is about
to make one step, and it holds all that the rest of the run needs. So the machine is the loop of
`Machine.run`, one iteration for each step. Between two iterations:
- `frame` is ready, `steps` steps have been made, and the limit was tested just before the next step;
- a frame holds the operands evaluated so far and those variables that its rest can use.

The code that frames point to is in checkpoint.interp.code: `accept` gives a value to a frame that waits for
one, `step` performs a ready one; both return the next ready frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from checkpoint.ad.activity import unwanted
from checkpoint.ad.state import settled
from checkpoint.ad.tracing.traces import refuse
from checkpoint.ad.versions import Version
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import Raised, left_open
from checkpoint.errors import RUN_ENDING, InternalError, Source, Span
from checkpoint.lang.lanes import Mark, marks_of
from checkpoint.prims.operators import Context


class Code:
    """The code of a frame. Each form of code overrides what can happen to its frames."""

    __slots__ = ("span",)
    operands: tuple[Any, ...] = ()
    of_lanes = (-1, -1)  # where the environment of its frames says something of lanes

    def __init__(self, span: Span) -> None:
        self.span = span

    def accept(self, machine: Machine, value: Any, frame: Frame) -> Frame:
        """Return the next ready frame when `value` arrives at a frame of this code."""
        raise InternalError(f"{type(self).__name__} waits for no value", self.span)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        """Make the step of a ready frame, and return the next ready frame."""
        raise InternalError(f"{type(self).__name__} makes no step", self.span)


class Frame:
    """One frame of a continuation; immutable, so that capsules share them.

    call: the place of the call whose value it waits for, if messages are to show it.
    """

    __slots__ = ("call", "code", "env", "next", "values")

    def __init__(
        self,
        code: Code,
        values: tuple[Any, ...],
        env: tuple[Any, ...],
        next: Frame | None,
        call: Span | None = None,
    ) -> None:
        self.call = call
        self.code = code
        self.values = values
        self.env = env
        self.next = next

    @property
    def marks(self) -> list[Mark]:
        """What it says of the lane for whose value it waits."""
        return marks_of(self.env, self.code.of_lanes)

    def parts(self) -> tuple[Any, ...]:
        return (self.values, self.env, self.next)

    def with_parts(self, parts: tuple[Any, ...]) -> Frame:
        values, env, next = parts
        return Frame(self.code, values, env, next, self.call)

    def waiting_for(self, call: Span) -> Frame:
        """Return the frame that waits for this call; after a tail call it still waits for the outer one."""
        return self if self.call else Frame(self.code, self.values, self.env, self.next, call)


class State:
    """A moment of a run, between two steps: what checkpoint.driver.engine.State asks for."""

    __slots__ = ("frame", "steps", "tags", "version")
    points = "frames"  # see checkpoint.ad.identity

    def __init__(self, frame: Frame, steps: int, tags: int, version: Version | None = None) -> None:
        self.frame = frame
        self.steps = steps
        self.tags = tags
        self.version = version or Version()

    @property
    def finished(self) -> bool:
        return self.frame.code is DONE

    @property
    def value(self) -> Any:
        return self.frame.values[0]

    def parts(self) -> tuple[Any, ...]:
        self.version.show()
        return (self.frame,)

    def with_parts(self, parts: tuple[Any, ...]) -> State:
        return State(parts[0], self.steps, self.tags)

    def place(self) -> int:
        """Return a fingerprint of the codes that the frames point to, for checkpoint.ad.identity."""
        found, frame = 0, cast("Frame | None", self.frame)
        while frame is not None:
            code = frame.code
            found = hash((found, type(code), code.span.text, len(frame.values), len(frame.env)))
            frame = frame.next
        return found


NOWHERE = Span(Source("<run>", ""), 0, 0)
DONE = Code(NOWHERE)  # the code of the frame that holds the value of a finished run


def on_top_of(frame: Frame, under: Frame | None, copy: Callable[[Any], Any]) -> Frame:
    """Put a capsule's chain of frames on another; `copy` copies each of its numbers once."""
    chain: list[Frame] = []
    rest: Frame | None = frame
    while rest is not None:
        chain.append(rest)
        rest = rest.next
    copies: dict[int, Any] = {}

    def once(slot: Any) -> Any:
        if id(slot) not in copies:
            copies[id(slot)] = copy(slot)
        return copies[id(slot)]

    for old in reversed(chain):
        under = Frame(old.code, tuple(map(once, old.values)), tuple(map(once, old.env)), under, old.call)
    return cast(Frame, under)


class Machine:
    """One run: its registers and the surroundings of its steps.

    owner, changes: see checkpoint.ad.storage.Now. since: the version of the last state.
    unwanted: which operands are constants whatever they are (checkpoint.ad.activity).
    taped: whether a tape may hold arrays that the run has made, which then must not be changed in place.
    last: the step at which it stops; -1: none. calls: those that stop it, or None.
    """

    __slots__ = (
        "calls",
        "changes",
        "effects",
        "engine",
        "frame",
        "last",
        "owner",
        "since",
        "steps",
        "tags",
        "taped",
        "unwanted",
        "version",
    )

    def __init__(self, engine: Engine, state: State, effects: Effects, taped: bool = False) -> None:
        self.taped = taped
        self.engine = engine
        self.effects = effects
        self.unwanted = unwanted()
        self.frame = state.frame
        self.steps = state.steps
        self.tags = state.tags
        self.last = -1
        self.calls: Calls | None = None
        self._continue(state.version)

    def _continue(self, since: Version) -> None:
        """Make containers anew, or save them before they are changed, from a state on."""
        self.since = since
        self.version, self.changes = since.continued()
        self.owner = object()

    def state(self) -> State:
        """Return the present moment as a value."""
        self._continue(self.version)
        return State(self.frame, self.steps, self.tags, self.since)

    def run(self, limit: int | None, calls: Calls | None = None) -> None:
        """Make steps until `limit` have been made, the run ends, or the next of these calls has been made."""
        self.last = -1 if limit is None else limit
        self.calls = calls
        frame = self.frame
        while True:
            try:
                while self.steps != self.last and frame.code is not DONE:
                    self.steps += 1
                    frame = frame.code.step(self, frame)
                self.frame = frame
                return
            except Raised as raised:
                refuse("an exception")
                frame = self._unwind(frame.next, raised)
            except RUN_ENDING as error:
                left_open(error, frame.next)
                raise
            except (KeyboardInterrupt, MemoryError) as stop:
                if not hasattr(stop, "span"):
                    stop.span = frame.code.span  # type: ignore[union-attr]
                raise

    def deliver(self, value: Any, frame: Frame | None) -> Frame:
        """Give a value to the frame that waits for it, and return the next ready frame."""
        if frame is None:
            return Frame(DONE, (value,), (), None)
        return frame.code.accept(self, value, frame)

    def _unwind(self, frame: Frame | None, raised: Raised) -> Frame:
        """Return the ready frame of the innermost handler; raise the exception if there is none."""
        innermost = frame
        while frame is not None:
            without_tag = getattr(frame.code, "without_tag", None)
            if without_tag is not None:
                raised.value = without_tag(raised.value, frame)
            handler = getattr(frame.code, "handler_frame", None)
            if handler is not None:
                ready: Frame = handler(raised.value, frame)
                return ready
            frame = frame.next
        raised.tags = max(raised.tags, self.tags)
        raised.value = settled(raised.value, self.steps)
        left_open(raised, innermost)
        raise raised

    def resume(self, state: State, under: Frame | None, copy: Callable[[Any], Any]) -> Frame:
        """Put a capsule's frames on `under`, with copied slots, and return the ready frame."""
        self.tags = max(self.tags, state.tags)
        if state.finished:
            return self.deliver(copy(state.value), under)
        return on_top_of(state.frame, under, copy)

    def context(self) -> Context:
        """Return what a program needs that runs within the present step."""
        return Context(self.engine, self.tags, self.effects.inside(self.steps))
