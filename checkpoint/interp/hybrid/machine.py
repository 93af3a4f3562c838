"""The machine of the hybrid engine: registers, frames, states, and the effects of the ends of blocks.

A point is (block, index). `values` are the slots that are live there; at index 0 they are all parameters of
the block. `frame` is the top of the stack, `steps` the number of steps made; `births` and `tags` are the next
birth and the next tag. A frame holds the block that it returns to and the other parameters of that block.
What delimits a part of the stack (the end of the run, the exit of j*, a handler) is a frame as well.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.activity import unwanted
from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import WrongCall
from checkpoint.ad.values import Closure
from checkpoint.ad.versions import Version
from checkpoint.cps import blocks as b
from checkpoint.cps.terms import Step
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.errors import Source, Span
from checkpoint.interp.hybrid.code import NEVER, BlockCode, Variant
from checkpoint.interp.hybrid.later import code_of
from checkpoint.lang.lanes import Mark, marks_of, positions
from checkpoint.prims.operators import Context
from checkpoint.prims.sealed import give_births

Values = tuple[Any, ...]


class Frame:
    """A return point: the block to continue with, and its parameters after the first.

    handler: for the frame of a `handle`, the block that receives what is raised.
    call: the place of the call whose value it waits for, if messages are to show it.
    """

    __slots__ = ("block", "call", "handler", "next", "saved")

    def __init__(
        self,
        block: BlockCode,
        saved: Values,
        next: Frame | None,
        handler: BlockCode | None = None,
        call: Span | None = None,
    ) -> None:
        self.call = call
        self.block = block
        self.saved = saved
        self.next = next
        self.handler = handler

    @property
    def marks(self) -> list[Mark]:
        """What it says of the lane for whose value it waits."""
        return marks_of(self.saved, positions(self.block.block.params[1:], self.block.span))

    def parts(self) -> Values:
        return (self.saved, self.next)

    def with_parts(self, parts: Values) -> Frame:
        return Frame(self.block, parts[0], parts[1], self.handler, self.call)


class State:
    """A moment of a run: what checkpoint.driver.engine.State asks for."""

    __slots__ = ("births", "block", "frame", "index", "reserve", "steps", "tags", "values", "version")
    points = "blocks"  # see checkpoint.ad.identity

    def __init__(
        self,
        block: BlockCode,
        index: int,
        values: Values,
        frame: Frame | None,
        steps: int,
        tags: int,
        births: int,
        version: Version | None = None,
    ) -> None:
        self.block = block
        self.index = index
        self.values = values
        self.frame = frame
        self.steps = steps
        self.tags = tags
        self.births = births
        self.version = version or Version()

    @property
    def finished(self) -> bool:
        return self.block is HALT

    @property
    def value(self) -> Any:
        return self.values[0]

    def parts(self) -> Values:
        self.version.show()
        return (self.values, self.frame)

    def with_parts(self, parts: Values) -> State:
        return State(self.block, self.index, parts[0], parts[1], self.steps, self.tags, self.births)

    def place(self) -> int:
        """Return a fingerprint of the point and the return points, for checkpoint.ad.identity.

        It is the same in every process, as the polynomial of what is at each point modulo a prime.
        """
        found = self.block.fingerprint + (self.index << 8) + len(self.values)
        frame = self.frame
        while frame is not None:
            found = (found * PLACES + frame.block.fingerprint + len(frame.saved)) % PRIME
            frame = frame.next
        return found % PRIME


RESERVE = 1 << 15  # bytes
PRIME = (1 << 61) - 1  # of fingerprints of places
PLACES = 0x1B873593_5A3C_D4B1 % PRIME

NOWHERE = Span(Source("<run>", ""), 0, 0)


def _built_in(label: str, params: b.Slots, steps: list[Any], end: b.End) -> BlockCode:
    block = b.Block(label, params, steps, end, 1)
    block.live = [params for _ in range(len(steps) + 1)]
    code = BlockCode(block, None)
    code.emittable = False
    return code


class Split(Step):
    """The exit of j*: the step that splits a value under a tag."""

    __slots__ = ()
    name = "result"
    operands = ("value", "tag")


HALT = _built_in("halt", ("value",), [], b.Return(None, "value"))
HALT.cost = NEVER
LEAVE = _built_in("leave", ("value", "tag"), [Split(NOWHERE)], b.Return(None, "result"))
ENTRY = _built_in("entry", ("procedure", "argument"), [], b.Call(None, "procedure", ("argument",), None))


def note_interruption(stop: BaseException, block: BlockCode) -> None:
    """Release what the frames of an exception hold, and note the place of the run in it, if it has none."""
    traceback = stop.__traceback__ and stop.__traceback__.tb_next  # its first frame is still running
    while traceback is not None:
        traceback.tb_frame.clear()
        traceback = traceback.tb_next
    if getattr(stop, "span", None) is None:
        stop.span = block.span  # type: ignore[attr-defined]


class Machine:
    """One run.

    tape: where it records, if it does. reserve: memory for the end of a run that runs out of it.
    ran: the variant that ran of the block that was taped last.
    owner, changes: see checkpoint.ad.storage.Now. since: the version of the last state.
    unwanted: which operands are constants whatever they are (checkpoint.ad.activity).
    """

    __slots__ = (
        "births",
        "block",
        "changes",
        "effects",
        "engine",
        "frame",
        "index",
        "owner",
        "ran",
        "reserve",
        "since",
        "steps",
        "tags",
        "tape",
        "unwanted",
        "values",
        "version",
    )

    def __init__(self, engine: Engine, state: State, effects: Effects, tape: Any = None) -> None:
        self.engine = engine
        self.effects = effects
        self.unwanted = unwanted()
        self._continue(state.version)
        self.ran: Variant | None = None
        self.tape = tape
        self.block = state.block
        self.index = state.index
        self.values = state.values
        self.frame = state.frame
        self.steps = state.steps
        self.tags = state.tags
        self.births = state.births
        self.reserve: bytearray | None = bytearray(RESERVE)

    def _continue(self, since: Version) -> None:
        """Make containers anew, or save them before they are changed, from a state on."""
        self.since = since
        self.version, self.changes = since.continued()
        self.owner = object()

    def begin_again(self, tape: Any) -> None:
        """Serve another run, whose position and containers are elsewhere: what it makes has another owner."""
        self.tape, self.ran, self.changes, self.owner = tape, None, {}, object()

    def state(self) -> State:
        """Return the present moment as a value, without what is not live."""
        self._continue(self.version)
        values = self.values
        if self.index == 0:
            live = self.block.block.live[0]
            params = self.block.block.params
            values = tuple([v if name in live else None for name, v in zip(params, values, strict=True)])
        point = (self.block, self.index, values, self.frame)
        return State(*point, self.steps, self.tags, self.births, self.since)

    def take_values(self) -> Values:
        """Return the values at the present point and release them here, as they may be large."""
        values, self.values = self.values, ()
        return values

    def interrupted(self, stop: BaseException) -> None:
        """Release the run, which may hold all available memory, and note its place in the exception."""
        self.reserve = None
        self.values, self.frame, self.tape = (), None, None
        note_interruption(stop, self.block)

    # The ends of blocks

    def call(
        self, fn: Any, args: Values, ret: BlockCode | None, saved: Values, span: Span | None = None
    ) -> tuple[BlockCode, Values]:
        """Push the return point, if there is one, and enter the procedure. span: the place of the call."""
        if type(fn) is not Closure:
            raise WrongCall(fn, len(args))
        code = code_of(fn.lam)
        if len(args) != code.arity:
            raise WrongCall(fn, len(args), code.arity)
        if ret is not None:
            self.frame = Frame(ret, saved, self.frame, None, span if code.shown else None)
        elif code.shown and span is not None:
            self.tail_call(span)
        env = fn.env.values
        return code.entry, ((*env, fn.env, *args) if code.passes_env else env + args)

    def tail_call(self, span: Span) -> None:
        """Note the call in the top frame, unless that waits for an outer call already."""
        top = self.frame
        assert top is not None
        if top.call is None and top.block is not HALT:
            self.frame = Frame(top.block, top.saved, top.next, top.handler, span)

    def deliver(self, value: Any) -> tuple[BlockCode, Values]:
        """Return to the top frame."""
        frame = self.frame
        assert frame is not None
        self.frame = frame.next
        return frame.block, (value, *frame.saved)

    def resume(self, state: State) -> int:
        """Put a capsule's frames on top of this run's, and return their number."""
        chain = []
        frame = state.frame
        while frame is not None and frame.block is not HALT:
            chain.append(frame)
            frame = frame.next
        for old in reversed(chain):
            self.frame = Frame(old.block, old.saved, self.frame, old.handler, old.call)
        self.tags = max(self.tags, state.tags)
        return len(chain)

    def number(self, value: Any) -> Any:
        """Give every object of a new value the next birth."""
        self.births = give_births(value, self.births)
        return value

    def context(self) -> Context:
        """Return what a program needs that runs within the present step."""
        return Context(self.engine, self.tags, self.effects.inside(self.steps))


def individual(state: State) -> State:
    """Return the state with a number object of its own in every slot."""
    chain = []
    frame = state.frame
    while frame is not None:
        chain.append(frame)
        frame = frame.next
    copy: Frame | None = None
    for old in reversed(chain):
        copy = Frame(old.block, tuple(map(fresh, old.saved)), copy, old.handler, old.call)
    values = tuple(map(fresh, state.values))
    point = (state.block, state.index, values, copy)
    return State(*point, state.steps, state.tags, state.births, state.version)


def open_tags(state: State) -> frozenset[int]:
    """Return the tags of the derivatives that the rest of a run will leave."""
    tags = set()
    frame = state.frame
    if state.block is LEAVE:
        tags.add(state.values[1])
    while frame is not None:
        if frame.block is LEAVE:
            tags.add(frame.saved[0])
        frame = frame.next
    return frozenset(tags)
