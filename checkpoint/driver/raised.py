"""An exception of the language on its way to a handler, or out of the run."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import ARRAYS, described
from checkpoint.ad.containers import Object
from checkpoint.ad.library import overload
from checkpoint.ad.numbers import real_part
from checkpoint.ad.pullbacks import PLAIN
from checkpoint.ad.record import NoReset, WrongCall, find
from checkpoint.ad.tensors import Tensor
from checkpoint.ad.values import Failure, Unusable
from checkpoint.errors import Lane, RunError, SourceError, Span, WorkersError
from checkpoint.lang.control import captured
from checkpoint.lang.lanes import MAX_LANES, Mark, lanes_of
from checkpoint.lang.printer import write_value

LONGEST_TRACE = 50  # calls
SHOWN_OF_RAISED = 200  # characters of what nobody handles
SHOWN_OF_OPERAND = 60


def uncaught(shown: str) -> str:
    """Return the message for a raised value, as a text, that nobody handles."""
    return f"uncaught raise: {shown}"


NO_RESET = "find-reset"  # the primitive that fails where a shift has none
NO_RESET_HERE = (
    "this shift has no reset in what runs as a whole here; write (reset expression), in Python reset(f), "
    "inside of that"
)


def within_step(place: str) -> str:
    """Return what is added to the message of a shift that the step at a place keeps from its reset."""
    return f"the shift is inside of what runs as one step at {place}"


class Raised(Exception):
    """An exception that carries a raised value (a Failure where a primitive failed) and its place.

    tags: the tag counter of the runs that it left, so that a capsule it carries keeps its tags apart.
    trace: where the calls were that it left open in those runs, the innermost first: of functions whose
        lambda says `shown`, and of operators.
    lanes: those that the runs were within, the innermost first.
    """

    def __init__(self, value: Any, span: Span) -> None:
        super().__init__(value, span)
        self.value = value
        self.span = span
        self.tags = 0
        self.trace: tuple[Span, ...] = ()
        self.lanes: tuple[Lane, ...] = ()

    def as_run_error(self) -> RunError:
        """Return the error that the caller of the interface receives."""
        if isinstance(self.value, Failure):
            text = self.value.text
        else:
            text = uncaught(write_value(self.value, limit=SHOWN_OF_RAISED))
        error = RunError(text, self.span)
        error.trace, error.lanes, error.raised = self.trace, self.lanes, self.value
        if isinstance(self.value, Failure) and isinstance(self.value.exception, NoReset) and self.trace:
            error.add_note(within_step(str(self.trace[0])))
        return error


def left_open(error: Raised | RunError | SourceError, frame: Any) -> None:
    """Add to an error that leaves a run the calls and lanes whose frames it leaves, the innermost first.

    `call` of a frame is the place of the call that it waits for, None if that is not shown; `marks` are what
    it says of lanes.
    """
    calls: list[Span] = []
    marks: list[Mark] = []
    while frame is not None:
        if frame.call is not None:
            calls.append(frame.call)
        marks += frame.marks
        frame = frame.next
    error.trace = (*error.trace, *calls)[:LONGEST_TRACE]
    error.lanes = (*error.lanes, *lanes_of(marks[:MAX_LANES]))


def failure(name: str, operands: tuple[Any, ...], exception: Exception, span: Span) -> Raised | SourceError:
    """Return the exception for a primitive or call that failed, with the application and the reason.

    It is one of the program, unless an operand is no value of a program: then it ends the run.
    """
    called = (exception.procedure,) if isinstance(exception, WrongCall) else ()
    for operand in (*called, *operands):
        if type(operand) is Unusable:
            return operand.error(span)
        if type(operand) is Object and isinstance(find(name), Tensor):
            return _of_object(name, operand, span)
    if any(captured(operand) is not None for operand in (*called, *operands)):
        exception = NoReset(NO_RESET_HERE)  # a procedure of another program has shifted
    shown = " ".join([name, *(write_value(operand, limit=SHOWN_OF_OPERAND) for operand in operands)])
    return Raised(Failure(exception, f"({shown}): {exception}", _about(name, operands)), span)


def _of_object(name: str, operand: Object, span: Span) -> SourceError:
    """Return the error for an object of a class in a function of arrays that found no use for it."""
    what = f"an object of {operand.layout.cls.__qualname__} as an operand of {name}"
    return SourceError(f"{what} is not supported: call a method of it, or pass its numbers", span)


def run_ending(
    error: RunError | SourceError, operands: tuple[Any, ...], span: Span | None
) -> RunError | SourceError:
    """Return the error that ends a run at the step with these operands.

    One that has a place is of a run within the step, and says itself what is wrong there.
    """
    if error.span is None and not isinstance(error, WorkersError):
        for operand in operands:
            if type(operand) is Unusable:
                return operand.error(span)
    error.span = error.span or span
    return error


def _about(name: str, operands: tuple[Any, ...]) -> str:
    """Return a text of the operands that a function of arrays takes and those it received, for messages."""
    record = find(name)
    if record is not None and not isinstance(record, Tensor):
        record = overload(record, operands)
    if record is None:
        return ""
    given = ", ".join([_described(operand) for operand in operands if operand is not None])
    return f"{record.name.removesuffix('/array')}({given}); its shapes: {record.shape}"


def _described(operand: Any) -> str:
    value = real_part(operand)
    if type(value) in ARRAYS:
        return described(value.data)
    return repr(value) if type(value) in PLAIN else write_value(operand, limit=40)
