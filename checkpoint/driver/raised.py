"""An exception of the language on its way to a handler, or out of the run."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.values import Failure
from checkpoint.errors import RunError, Span
from checkpoint.lang.printer import write_value


class Raised(Exception):
    """What was raised (a Failure where a primitive failed), and where.

    tags: the tag counter of the runs that it left, so that a capsule it carries keeps its tags apart.
    """

    def __init__(self, value: Any, span: Span) -> None:
        super().__init__(value, span)
        self.value = value
        self.span = span
        self.tags = 0

    def as_run_error(self) -> RunError:
        """The error that the caller of the interface receives."""
        if isinstance(self.value, Failure):
            return RunError(self.value.text, self.span)
        return RunError(f"uncaught raise: {write_value(self.value, limit=200)}", self.span)


def failure(name: str, operands: tuple[Any, ...], exception: Exception, span: Span) -> Raised:
    """For a primitive or call that failed: shows the application and why."""
    shown = " ".join([name, *(write_value(operand, limit=60) for operand in operands)])
    return Raised(Failure(exception, f"({shown}): {exception}"), span)
