"""What a run of a Python function raises, as Python itself would raise it.

    a primitive failed                  Python's own exception
    the program raised an exception     an exception of that class with these args
    a wrong argument, a wrong shape     RunError
    Ctrl-C, no memory                   as they are; they learn where the run was

The first two have notes: the place with its line, underlined, and the calls that led there, innermost
first. An exception that is raised again says only where it was raised last.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from checkpoint.ad.containers import Record
from checkpoint.ad.record import OperandError
from checkpoint.ad.tangent import ShapeError
from checkpoint.ad.values import Failure
from checkpoint.driver.raised import Raised
from checkpoint.errors import CheckpointError, RunError, Span
from checkpoint.prims.python.native import native

_CALLS_SHOWN = 20  # of a deep recursion, from the innermost


class PythonErrors:
    """Within, what a run raises becomes what Python would raise; span: the function that runs."""

    __slots__ = ("span",)

    def __init__(self, span: Span | None) -> None:
        self.span = span

    def __enter__(self) -> None:
        """Nothing is needed to begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Raised):
            raise exception_of(error) from None
        if isinstance(error, ShapeError | OperandError):
            raise RunError(str(error), self.span) from None
        if isinstance(error, KeyboardInterrupt | MemoryError) and getattr(error, "span", None) is None:
            error.span = self.span  # type: ignore[union-attr]


def exception_of(raised: Raised) -> BaseException:
    """The exception that a caller from Python receives."""
    value = raised.value
    is_exception = type(value) is Record and issubclass(value.layout.cls, BaseException)
    if not is_exception and type(value) is not Failure:
        return raised.as_run_error()
    exception: BaseException = native(value)
    if not isinstance(exception, CheckpointError):
        exception.__notes__ = notes(raised.span, getattr(raised, "trace", ()))
    return exception.with_traceback(None)


def notes(span: Span, trace: Any) -> list[str]:
    """The place, and the calls that led there: pairs of a function's name and the span of its call."""
    found = [f"{span}\n{span.excerpt()}"]
    calls = list(trace)
    found += [f"called as {name} at {place}\n{place.excerpt()}" for name, place in calls[:_CALLS_SHOWN]]
    if len(calls) > _CALLS_SHOWN:
        found.append(f"and {len(calls) - _CALLS_SHOWN} more calls")
    return found
