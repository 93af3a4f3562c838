"""What a caller receives for what a run raises.

In: exceptions as the driver and the machines raise them. Out: RunError, with the place of the procedure, the
lanes and the items that the run was within; interruptions pass, with their place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

from checkpoint.ad.record import OperandError
from checkpoint.ad.tangent import ShapeError
from checkpoint.driver.raised import Raised
from checkpoint.errors import RUN_ENDING, Lane, RunError, Span


class LanguageErrors:
    """Context manager that turns what a run raises into RunError, and notes the place of an interruption.

    span: the place of the procedure that runs, if it has one.
    """

    __slots__ = ("span",)

    def __init__(self, span: Span | None) -> None:
        self.span = span

    def received(self, raised: Raised) -> BaseException:
        """Return the exception that the caller receives for what a program raised."""
        return raised.as_run_error()

    def __enter__(self) -> None:
        """Begin without doing anything."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Raised):
            received = self.received(error)
            _name_lanes(received, error.lanes)
            raise received from received.__cause__  # which `from None` would take away
        if isinstance(error, RUN_ENDING):
            _name_lanes(error, error.lanes)
            error.lanes = ()
        if isinstance(error, ShapeError | OperandError):
            raise RunError(str(error), self.span) from None
        if isinstance(error, KeyboardInterrupt | MemoryError) and getattr(error, "span", None) is None:
            error.span = self.span  # type: ignore[union-attr]  # what the command line shows


def _name_lanes(error: BaseException, lanes: Sequence[Lane]) -> None:
    """Note on an error the lanes and items that the run was within, the innermost first."""
    for lane in lanes:
        error.add_note(f"in {lane}")


Errors = Callable[[Span | None], LanguageErrors]
