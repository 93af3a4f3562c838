"""The machine of the hybrid engine: registers, frames, and the loops over whole blocks.

A point is (block, index); `values` are the slots live there, at index 0 all parameters of the block.
A run moves from block to block: `run` of a block takes the machine and the values of its parameters,
and answers with the next block and the values of its parameters. What holds before each block:
- `steps` steps have been made, and the limit is tested: a block that would pass it is run step by step;
- `frame` is the top of the stack, `births` and `tags` number the next object and the next tag.

Whatever fails inside an emitted block is found out by running that block again step by step: until its
end a block changes no register, and effects happen once.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.graph import walk
from checkpoint.ad.numbers import OperandError, fresh
from checkpoint.ad.values import Closure
from checkpoint.cps import blocks as b
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import Raised
from checkpoint.errors import Source, Span
from checkpoint.interp.hybrid.code import COLD_RUNS, NEVER, BlockCode, ProcedureCode
from checkpoint.prims.operators import Context

Values = tuple[Any, ...]
FAILURES = (ArithmeticError, ValueError, TypeError, AttributeError)


class Frame:
    """A return point: the block to go on with, and its parameters after the first.

    `handler`: for the frame of a `handle`, the block that receives what is raised.
    """

    __slots__ = ("block", "handler", "next", "saved")

    def __init__(
        self, block: BlockCode, saved: Values, next: Frame | None, handler: BlockCode | None = None
    ) -> None:
        self.block = block
        self.saved = saved
        self.next = next
        self.handler = handler

    def parts(self) -> Values:
        return (self.saved, self.next)

    def with_parts(self, parts: Values) -> Frame:
        return Frame(self.block, parts[0], parts[1], self.handler)


class State:
    """A moment of a run: what checkpoint.driver.engine.State asks for."""

    __slots__ = ("births", "block", "frame", "index", "steps", "tags", "values")

    def __init__(
        self, block: BlockCode, index: int, values: Values, frame: Frame | None, steps: int, tags: int, births: int
    ) -> None:
        self.block = block
        self.index = index
        self.values = values
        self.frame = frame
        self.steps = steps
        self.tags = tags
        self.births = births

    @property
    def finished(self) -> bool:
        return self.block is HALT

    @property
    def value(self) -> Any:
        return self.values[0]

    def parts(self) -> Values:
        return (self.values, self.frame)

    def with_parts(self, parts: Values) -> State:
        return State(self.block, self.index, parts[0], parts[1], self.steps, self.tags, self.births)


NOWHERE = Span(Source("<run>", ""), 0, 0)


def _built_in(label: str, params: b.Slots, steps: list[Any], end: b.End) -> BlockCode:
    block = b.Block(label, params, steps, end, 1)
    block.live = [params for _ in range(len(steps) + 1)]
    code = BlockCode(block, None)
    code.emittable = False
    return code


class Split(b.Step):
    """The exit of j*: splits a value under a tag."""

    __slots__ = ()
    name = "result"
    operands = ("value", "tag")


HALT = _built_in("halt", ("value",), [], b.Return(None, "value"))
HALT.cost = NEVER
LEAVE = _built_in("leave", ("value", "tag"), [Split(NOWHERE)], b.Return(None, "result"))
ENTRY = _built_in("entry", ("procedure", "argument"), [], b.Call(None, "procedure", ("argument",), None))


class Machine:
    """One run. `tape` is where it records, if it does."""

    __slots__ = ("births", "block", "effects", "engine", "frame", "index", "steps", "tags", "tape", "values")

    def __init__(self, engine: Engine, state: State, effects: Effects, tape: Any = None) -> None:
        self.engine = engine
        self.effects = effects
        self.tape = tape
        self.block = state.block
        self.index = state.index
        self.values = state.values
        self.frame = state.frame
        self.steps = state.steps
        self.tags = state.tags
        self.births = state.births

    def state(self) -> State:
        """The present moment, as a value; what is not live is left out of it."""
        values = self.values
        if self.index == 0:
            live = self.block.block.live[0]
            params = self.block.block.params
            values = tuple([v if name in live else None for name, v in zip(params, values, strict=True)])
        return State(self.block, self.index, values, self.frame, self.steps, self.tags, self.births)

    def run(self, limit: int | None) -> None:
        """Make steps until there have been `limit` of them, or the run is finished."""
        last = NEVER if limit is None else limit
        tape = self.tape
        block, values = self.block, self.values
        while True:
            if self.index or self.steps + block.cost > last:
                if block is HALT or (not self.index and self.steps >= last):
                    break
                self.block, self.values = block, values
                going = self.piece(last)
                block, values = self.block, self.values
                if going:
                    continue
                break
            run = block.run if tape is None else block.tape
            try:
                outcome = self.cold(block) if run is None else run(self, *values)
            except FAILURES:
                outcome = None
            except (KeyboardInterrupt, MemoryError) as stop:
                self.mark(stop, block)
                raise
            if outcome is None:
                self.block, self.values = block, values
                self.piece(NEVER)
                block, values = self.block, self.values
                continue
            self.steps += block.cost
            if tape is not None:
                tape.ran(block)
            block, values = outcome
        self.block, self.values = block, values

    def mark(self, stop: BaseException, block: BlockCode) -> None:
        """Tell an interruption where the run was."""
        spans = [step.span for step in block.block.steps] + [block.block.end.span]
        if not hasattr(stop, "span") and spans[0] is not None:
            stop.span = spans[0]  # type: ignore[attr-defined]

    def cold(self, block: BlockCode) -> None:
        """A block that has no function yet is run step by step; one that is run often is emitted."""
        if block.emittable:
            block.runs += 1
            if block.runs >= COLD_RUNS:
                self.engine.emit(block, self.tape is not None)  # type: ignore[attr-defined]

    def piece(self, last: int) -> bool:
        """Run the present block step by step, at most to `last` steps; whether its end was passed."""
        from checkpoint.interp.hybrid.parts import Part

        part = Part(self)
        going = part.forward(self, last)
        if self.tape is not None:
            self.tape.add_part(part)
        return going

    # What ends of blocks do

    def call(self, fn: Any, args: Values, ret: BlockCode | None, saved: Values) -> tuple[BlockCode, Values]:
        """Push the return point, if there is one, and go to the procedure."""
        if type(fn) is not Closure:
            raise OperandError("not a procedure")
        code: ProcedureCode = fn.lam.compiled["hybrid"]
        if len(args) != code.arity:
            plural = "1 argument" if code.arity == 1 else f"{code.arity} arguments"
            raise OperandError(f"the procedure takes {plural}, not {len(args)}")
        if ret is not None:
            self.frame = Frame(ret, saved, self.frame)
        env = fn.env.values
        return code.entry, ((*env, fn.env, *args) if code.passes_env else env + args)

    def deliver(self, value: Any) -> tuple[BlockCode, Values]:
        """Return to the top frame."""
        frame = self.frame
        assert frame is not None
        self.frame = frame.next
        return frame.block, (value, *frame.saved)

    def resume(self, state: State) -> int:
        """Put a capsule's frames on top of this run's; how many there were."""
        chain = []
        frame = state.frame
        while frame is not None and frame.block is not HALT:
            chain.append(frame)
            frame = frame.next
        for old in reversed(chain):
            self.frame = Frame(old.block, old.saved, self.frame, old.handler)
        self.tags = max(self.tags, state.tags)
        return len(chain)

    def number(self, value: Any) -> Any:
        """Give every object of a new value the next birth."""
        for part, is_number in walk(value):
            if not is_number and hasattr(part, "birth"):
                part.birth = self.births
                self.births += 1
        return value

    def context(self) -> Context:
        """What a program run within the present step needs."""
        return Context(self.engine, self.tags, self.effects.inside(self.steps))


def individual(state: State) -> State:
    """The state with a number object of its own in every slot."""
    chain = []
    frame = state.frame
    while frame is not None:
        chain.append(frame)
        frame = frame.next
    copy: Frame | None = None
    for old in reversed(chain):
        copy = Frame(old.block, tuple(map(fresh, old.saved)), copy, old.handler)
    values = tuple(map(fresh, state.values))
    return State(state.block, state.index, values, copy, state.steps, state.tags, state.births)


def open_tags(state: State) -> frozenset[int]:
    """The tags that the rest of a run will leave."""
    tags = set()
    frame = state.frame
    if state.block is LEAVE:
        tags.add(state.values[1])
    while frame is not None:
        if frame.block is LEAVE:
            tags.add(frame.saved[0])
        frame = frame.next
    return frozenset(tags)
