"""Steps of a C run that Python performs: hybrid's own code, on exported operands.

In: from ctemplates/foreign/ the peer of a block, the numbers of the machine, and the operands of a step or
    end (None for constants, which the block has). Out: an Answer, as hybrid would have computed it. An
    exception that is not the program's is stored as `error`, and the answer is None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from checkpoint.ad.record import OperandError, lookup
from checkpoint.ad.state import settled
from checkpoint.ad.tangent import split
from checkpoint.ad.values import Failure
from checkpoint.cps import blocks as b
from checkpoint.ctarget.code import make_code, return_point
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.states import Heap, State
from checkpoint.driver.raised import LONGEST_TRACE, Raised, failure, run_ending
from checkpoint.errors import RUN_ENDING, InternalError
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.machine import LEAVE, Machine
from checkpoint.interp.hybrid.parts import Part
from checkpoint.lang.lanes import Mark, lanes_of
from checkpoint.prims.arrays import truth_of

Values = tuple[Any, ...]


class Answer(NamedTuple):
    """The outcome of a step; C finds the fields by their names.

    value: the result, or the raised value.
    births, tags: the next birth and the next tag.
    origin: the residuals by which the tape reverses the step, or None.
    bytes: how much the tape has grown.
    extra: True if the value was raised; of a j* the address of the return point of its exit; of a `resume`
        the address of the C state; else None.
    """

    value: Any
    births: int
    tags: int
    origin: Any
    bytes: int
    extra: Any


class One(Part):
    """A part that consists of one step or one end, with only the slots that it reads; frames are in C."""

    __slots__ = ()

    def __init__(self, block: BlockCode, index: int, operands: Values = (), given: Values = ()) -> None:
        self.block = block
        self.start = self.stop = index
        self.slots = {}
        for operand, value in zip(operands, given, strict=True):
            if isinstance(operand, str):
                self.slots[operand] = value
        self.ended = self.raised = False
        self.frames = []
        self.stripped = []
        self.resumed = None
        self.structured = {}
        self.births = {}

    def _return_point(self, label: str | None) -> tuple[BlockCode | None, Values]:
        return None, ()


class PythonHelper(ABC):
    """Performs the steps of runs that C cannot.

    error: the exception that the run is to raise.
    raised: the program's exception that a step raised last.
    opened: the state of the capsule that was resumed last, while C copies it.
    """

    __slots__ = ("error", "heap", "opened", "raised")

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.error: BaseException | None = None
        self.raised: Raised | None = None
        self.opened: State | None = None

    @property
    @abstractmethod
    def machine(self) -> Machine:
        """Return the position of the run, in the form that records take, and the numbers of its objects.

        It is made on first use: most short runs need none.
        """

    def _answer(
        self, numbers: tuple[int, int, int], key: Any, one: One, work: Callable[[], Any], extra: Any = None
    ) -> Answer | None:
        """Return the outcome of `work`; `one` keeps its origin under `key`."""
        machine = self.machine
        machine.steps, machine.births, machine.tags = numbers
        tape = machine.tape
        before = 0 if tape is None else tape.bytes
        try:
            value = work()
        except Raised as raised:
            value, extra = self._keep(raised), True
        except BaseException as error:
            self.error = error
            return None
        grown = 0 if tape is None else tape.bytes - before
        return Answer(value, machine.births, machine.tags, one.structured.get(key), grown, extra)

    def _keep(self, raised: Raised) -> Any:
        """Return the raised value, which C sends to its handler; keep the exception in case there is none."""
        value = raised.value
        self.machine.tags = max(self.machine.tags, raised.tags)
        self.raised = raised.with_traceback(None)
        if type(value) is Failure:
            # Its frames know the heap, which may hold it as long as it lives.
            value.exception.__traceback__ = None
        raised.value = None
        raised.args = ()
        return value

    def perform(
        self, peer: BlockPeer, steps: int, births: int, tags: int, index: int, operands: Values
    ) -> Answer | None:
        """Perform one step of a block."""
        step: Any = peer.block.steps[index]
        one = One(peer.code, index, step.operands, operands)

        def work() -> Any:
            one._step(self.machine, step)
            return one.slots[step.name]

        return self._answer((steps, births, tags), index, one, work)

    def make_code(self, peer: BlockPeer, form: int) -> None:
        """Make code that a run within a step lacks."""
        make_code(peer, form)

    def refused(
        self,
        peer: BlockPeer,
        steps: int,
        births: int,
        tags: int,
        index: int,
        operands: Values,
        exception: BaseException,
    ) -> Answer | None:
        """Return the failure of a step whose function has raised the exception in C."""
        step: Any = peer.block.steps[index]
        given = tuple(
            [
                x if isinstance(name, str) else name.value
                for name, x in zip(step.operands, operands, strict=True)
            ]
        )

        def work() -> Any:
            try:
                raise exception
            except lookup(step.op).failures as found:
                raise failure(step.op, given, found, step.span) from None
            except RUN_ENDING as error:
                raise run_ending(error, given, step.span) from None

        return self._answer((steps, births, tags), index, One(peer.code, index), work)

    def differentiate(
        self, peer: BlockPeer, steps: int, births: int, tags: int, operands: Values
    ) -> Answer | None:
        """Return the argument of the procedure of a j*, which C then enters."""
        end: Any = peer.block.end
        one = One(peer.code, len(peer.block.steps), end.args, operands)

        def work() -> Any:
            _, values = one._control(self.machine, end)
            return values[-1]

        answer = self._answer((steps, births, tags), "end", one, work, return_point(LEAVE))
        self.machine.frame = None
        return answer

    def resume(self, peer: BlockPeer, steps: int, births: int, tags: int, operands: Values) -> Answer | None:
        """Return the capsule that is resumed; C continues with its state."""
        end: Any = peer.block.end
        one = One(peer.code, len(peer.block.steps), end.args, operands)

        def work() -> Any:
            try:
                capsule = one.opened(self.machine, end, one.value(end.args[0]))
            except OperandError as exception:
                raise failure(end.op, (one.value(end.args[0]),), exception, end.span) from None
            self.machine.tags = max(self.machine.tags, capsule.state.tags)
            self.opened = State(self.heap, start=capsule.state)
            return capsule

        answer = self._answer((steps, births, tags), "end", one, work)
        if answer is None or answer.extra is not None:
            return answer
        assert self.opened is not None
        return answer._replace(extra=self.opened.address)

    def wrong_call(
        self, peer: BlockPeer, steps: int, births: int, tags: int, operands: Values
    ) -> Answer | None:
        """Return the failure of a call that C cannot make."""
        end: Any = peer.block.end
        one = One(peer.code, len(peer.block.steps), (end.fn, *end.args), operands)

        def work() -> Any:
            one._call(self.machine, end)
            raise InternalError("C has refused a call that succeeds", end.span)

        return self._answer((steps, births, tags), "end", one, work)

    def truth(self, peer: BlockPeer, steps: int, births: int, tags: int, operands: Values) -> Answer | None:
        """Return the truth of a branch's test that is no boolean."""
        end: Any = peer.block.end
        one = One(peer.code, len(peer.block.steps), (end.test,), operands)
        return self._answer(
            (steps, births, tags), "end", one, lambda: truth_of(self.machine, one.value(end.test), end.span)
        )

    def strip(self, steps: int, births: int, tags: int, k: int, tag: int, value: Any) -> Answer | None:
        """Return a value raised out of a j* without its tangents; it has passed `k` such exits before."""
        slot = stripped_slot(k)
        one = One(LEAVE, 0, (slot,), (value,))
        return self._answer(
            (steps, births, tags),
            slot,
            one,
            lambda: one._whole(self.machine, (slot,), lambda raised: split(raised, tag)[0], slot),
        )

    def uncaught(
        self,
        peer: BlockPeer,
        steps: int,
        tags: int,
        index: int,
        value: Any,
        calls: list[BlockPeer],
        marks: tuple[Mark, ...],
    ) -> None:
        """Make the run's error of a raised value without a handler.

        calls: the open ones, the innermost first. marks: of the lanes that the run is within, likewise.
        """
        end = peer.block.end
        raised = self.raised
        if raised is None or (index == len(peer.block.steps) and isinstance(end, b.Throw)):
            assert end.span is not None
            raised = Raised(value, end.span)
        raised.value = settled(value, steps)
        raised.args = (raised.value, raised.span)
        raised.tags = max(raised.tags, tags)
        spans = [call.block.end.span for call in calls if call.block.end.span is not None]
        raised.trace = (*raised.trace, *spans)[:LONGEST_TRACE]
        raised.lanes = (*raised.lanes, *lanes_of(marks))
        self.raised = None
        self.error = raised


def stripped_slot(k: int) -> str:
    """Return the slot of a raised value at its k-th exit of a j*, for the origin of its stripping."""
    return f"%raised{k}"
